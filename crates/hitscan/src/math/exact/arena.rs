//! Where the digits of exact numbers are kept, so that the numbers themselves are small and can be copied.
//!
//! One row of limbs to a thread. It grows while a question is asked in exact numbers, and is cut back when that question
//! is answered. Without `std` there are no threads to tell apart: one row serves all, and is emptied when no question is
//! left.

use alloc::vec::Vec;

/// The limbs of all exact numbers, and how fine quotients and roots are to be.
pub(super) struct Arena {
    pub(super) limbs: Vec<u64>,
    /// Quotients and roots have this many times the digits of what they are taken of.
    pub(super) fineness: usize,
    #[cfg(not(feature = "std"))]
    questions: usize,
}

impl Arena {
    const fn new() -> Self {
        Self {
            limbs: Vec::new(),
            fineness: 1,
            #[cfg(not(feature = "std"))]
            questions: 0,
        }
    }
}

#[cfg(feature = "std")]
mod home {
    use super::Arena;
    use core::cell::RefCell;

    std::thread_local! {
        static ARENA: RefCell<Arena> = const { RefCell::new(Arena::new()) };
    }

    pub(in super::super) fn with<R>(f: impl FnOnce(&mut Arena) -> R) -> R {
        ARENA.with(|arena| f(&mut arena.borrow_mut()))
    }

    pub(crate) fn with_room<R>(fineness: usize, question: impl FnOnce() -> R) -> R {
        let before = with(|arena| (arena.limbs.len(), core::mem::replace(&mut arena.fineness, fineness)));
        let answer = question();
        with(|arena| {
            arena.limbs.truncate(before.0);
            arena.fineness = before.1;
        });
        answer
    }
}

#[cfg(not(feature = "std"))]
mod home {
    use super::Arena;

    static ARENA: spin::Mutex<Arena> = spin::Mutex::new(Arena::new());

    pub(in super::super) fn with<R>(f: impl FnOnce(&mut Arena) -> R) -> R {
        f(&mut ARENA.lock())
    }

    pub(crate) fn with_room<R>(fineness: usize, question: impl FnOnce() -> R) -> R {
        with(|arena| {
            arena.questions += 1;
            arena.fineness = arena.fineness.max(fineness);
        });
        let answer = question();
        with(|arena| {
            arena.questions -= 1;
            if arena.questions == 0 {
                *arena = Arena::new();
            }
        });
        answer
    }
}

pub(super) use home::with;
/// Asks a question in exact numbers, and forgets their digits afterwards: no such number may leave it.
pub(crate) use home::with_room;
