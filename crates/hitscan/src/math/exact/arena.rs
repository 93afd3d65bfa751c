//! Where the digits of exact numbers are kept, so that the numbers themselves are small and can be copied.
//!
//! One row of limbs to a thread. It grows while a question is asked in exact numbers, and is cut back when that question
//! is answered. Without `std` there are no threads to tell apart: one row serves all, and is emptied when no question is
//! left.

use alloc::vec::Vec;
pub(super) use home::with;
pub(crate) use home::with_precision;

/// The limbs of all exact numbers, and how fine quotients and roots are to be.
pub(crate) struct Arena {
    pub(crate) limbs: Vec<u64>,
    pub(crate) room: PrecisionBudget,
    #[cfg(not(feature = "std"))]
    questions: usize,
}

impl Arena {
    const fn new() -> Self {
        Self {
            limbs: Vec::new(),
            room: PrecisionBudget::new(1),
            #[cfg(not(feature = "std"))]
            questions: 0,
        }
    }
}

/// How fine the quotients and roots of one question are, and whether that was enough.
pub(crate) struct PrecisionBudget {
    /// They have this many times the limbs of what they are taken of,
    fineness: usize,
    /// but no fewer than these.
    least: usize,
    /// The longest exact row that went into a quotient, a root, or what was made of one.
    longest: usize,
    /// The fewest limbs that a quotient or root was given.
    coarsest: usize,
    /// Two numbers differed by less than what was left out.
    is_undecided: bool,
}

impl PrecisionBudget {
    const fn new(fineness: usize) -> Self {
        Self { fineness, least: 0, longest: 0, coarsest: usize::MAX, is_undecided: false }
    }

    /// How many limbs a quotient or root of so many limbs is to have.
    pub(crate) fn wanted(&mut self, limbs: usize) -> usize {
        let wanted = (self.fineness * limbs + 4).max(self.least);
        self.coarsest = self.coarsest.min(wanted);
        wanted
    }
    /// An exact row goes into a rounded number.
    pub(crate) fn note(&mut self, limbs: usize) {
        self.longest = self.longest.max(limbs);
    }
    /// A comparison that the digits did not suffice for, or a tie.
    pub(crate) fn undecided(&mut self) {
        self.is_undecided = true;
    }
    /// Whether to ask again: two numbers came out equal, one of them of short rows and with few digits, while the other
    /// one's rows are so long that it may lie nearer than those tell. Then all are as fine as the longest row demands.
    fn refine(&mut self) -> bool {
        let needed = self.fineness * self.longest + 4;
        let again = self.is_undecided && self.coarsest < needed;
        if again {
            *self = Self { least: 2 * needed, ..Self::new(self.fineness) };
        }
        again
    }
}

#[cfg(feature = "std")]
mod home {
    use super::{Arena, PrecisionBudget};
    use core::cell::RefCell;

    std::thread_local! {
        static ARENA: RefCell<Arena> = const { RefCell::new(Arena::new()) };
    }

    pub(crate) fn with<R>(f: impl FnOnce(&mut Arena) -> R) -> R {
        ARENA.with(|arena| f(&mut arena.borrow_mut()))
    }

    pub(crate) fn with_precision<R>(fineness: usize, mut question: impl FnMut() -> R) -> R {
        let (start, outer) =
            with(|arena| (arena.limbs.len(), core::mem::replace(&mut arena.room, PrecisionBudget::new(fineness))));
        loop {
            let answer = question();
            let again = with(|arena| {
                arena.limbs.truncate(start);
                arena.room.refine()
            });
            if !again {
                with(|arena| arena.room = outer);
                return answer;
            }
        }
    }
}

#[cfg(not(feature = "std"))]
mod home {
    use super::Arena;

    static ARENA: spin::Mutex<Arena> = spin::Mutex::new(Arena::new());

    pub(crate) fn with<R>(f: impl FnOnce(&mut Arena) -> R) -> R {
        f(&mut ARENA.lock())
    }

    pub(crate) fn with_precision<R>(fineness: usize, mut question: impl FnMut() -> R) -> R {
        with(|arena| {
            arena.questions += 1;
            arena.room.fineness = arena.room.fineness.max(fineness);
        });
        loop {
            let answer = question();
            let again = with(|arena| {
                let again = arena.room.refine();
                arena.questions -= usize::from(!again);
                if arena.questions == 0 {
                    *arena = Arena::new();
                }
                again
            });
            if !again {
                return answer;
            }
        }
    }
}
