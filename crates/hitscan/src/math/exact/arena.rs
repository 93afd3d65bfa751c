//! Storage of the limbs of exact numbers, so that the numbers themselves are small and `Copy`.
//!
//! Each thread has one arena. It grows during an evaluation in exact numbers and is truncated at its end. Without
//! `std` there is no thread-local storage: all threads share one arena, which is cleared when no evaluation is left.

use alloc::vec::Vec;
pub(super) use home::with;
pub(crate) use home::with_precision;

/// The limbs of all exact numbers, and the precision of quotients and roots.
pub(crate) struct Arena {
    pub(crate) limbs: Vec<u64>,
    pub(crate) budget: PrecisionBudget,
    #[cfg(not(feature = "std"))]
    evaluations: usize,
}

impl Arena {
    const fn new() -> Self {
        Self {
            limbs: Vec::new(),
            budget: PrecisionBudget::new(1),
            #[cfg(not(feature = "std"))]
            evaluations: 0,
        }
    }
}

/// Precision of the quotients and roots of one evaluation, and whether it sufficed.
pub(crate) struct PrecisionBudget {
    /// Limbs of a result per limb of its operands.
    precision: usize,
    /// Minimum number of limbs of a result.
    least: usize,
    /// Length of the longest exact number that contributed to a rounded one.
    longest: usize,
    /// Fewest limbs of a quotient or root so far.
    coarsest: usize,
    /// Whether two numbers differed by less than their error bounds.
    is_undecided: bool,
}

impl PrecisionBudget {
    const fn new(precision: usize) -> Self {
        Self { precision, least: 0, longest: 0, coarsest: usize::MAX, is_undecided: false }
    }

    /// Number of limbs for a quotient or root of operands with so many limbs.
    pub(crate) fn wanted(&mut self, limbs: usize) -> usize {
        let wanted = (self.precision * limbs + 4).max(self.least);
        self.coarsest = self.coarsest.min(wanted);
        wanted
    }
    /// Records that an exact number of this length contributes to a rounded one.
    pub(crate) fn note(&mut self, limbs: usize) {
        self.longest = self.longest.max(limbs);
    }
    /// Records a comparison whose digits did not suffice, or a tie.
    pub(crate) fn undecided(&mut self) {
        self.is_undecided = true;
    }
    /// Whether the evaluation must run again, and the precision to use then. It must if two numbers compared equal,
    /// one of them a coarse result of short operands, the other with operands so long that the two may differ by less
    /// than the coarse digits resolve. Then every result is as fine as the longest operand requires.
    fn refine(&mut self) -> bool {
        let needed = self.precision * self.longest + 4;
        let again = self.is_undecided && self.coarsest < needed;
        if again {
            *self = Self { least: 2 * needed, ..Self::new(self.precision) };
        }
        again
    }
}

#[cfg(feature = "std")]
mod home {
    use super::{Arena, PrecisionBudget};
    use core::cell::RefCell;

    std::thread_local! {
        static LIMB_ARENA: RefCell<Arena> = const { RefCell::new(Arena::new()) };
    }

    pub(crate) fn with<R>(f: impl FnOnce(&mut Arena) -> R) -> R {
        LIMB_ARENA.with(|arena| f(&mut arena.borrow_mut()))
    }

    pub(crate) fn with_precision<R>(precision: usize, mut evaluate: impl FnMut() -> R) -> R {
        let (start, outer) =
            with(|arena| (arena.limbs.len(), core::mem::replace(&mut arena.budget, PrecisionBudget::new(precision))));
        loop {
            let result = evaluate();
            let again = with(|arena| {
                arena.limbs.truncate(start);
                arena.budget.refine()
            });
            if !again {
                with(|arena| arena.budget = outer);
                return result;
            }
        }
    }
}

#[cfg(not(feature = "std"))]
mod home {
    use super::Arena;

    static LIMB_ARENA: spin::Mutex<Arena> = spin::Mutex::new(Arena::new());

    pub(crate) fn with<R>(f: impl FnOnce(&mut Arena) -> R) -> R {
        f(&mut LIMB_ARENA.lock())
    }

    pub(crate) fn with_precision<R>(precision: usize, mut evaluate: impl FnMut() -> R) -> R {
        with(|arena| {
            arena.evaluations += 1;
            arena.budget.precision = arena.budget.precision.max(precision);
        });
        loop {
            let result = evaluate();
            let again = with(|arena| {
                let again = arena.budget.refine();
                arena.evaluations -= usize::from(!again);
                if arena.evaluations == 0 {
                    *arena = Arena::new();
                }
                again
            });
            if !again {
                return result;
            }
        }
    }
}
