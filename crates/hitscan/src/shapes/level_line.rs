//! Lines across the axis of a capped cone, whose direction is not certainly towards one of the caps.

use crate::math::arithmetic::Arithmetic;
use crate::math::observer::{FilterFlag, Observer};
use crate::shapes::cone_side::{ConeSide, SideCrossing};

/// What the filter knows of a line whose direction is not certainly towards one of the caps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Unknown,
    /// Both crossings of the side are between the caps.
    Between,
    /// From one crossing of the side to the other, the line is beyond one of the caps.
    Beyond,
}

impl<T: Arithmetic, const ROUND: bool> ConeSide<T, ROUND> {
    /// Where the crossings of the side are, if the filter does not know in which direction the caps are: along the line between them
    /// the height hardly changes. Rays across an axis are frequent, and need no exact numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn level<P: Observer>(
        &self,
        sides: [Option<SideCrossing<T>>; 2],
        height: T,
        magnitude: T,
        observer: &P,
    ) -> Level {
        let share = T::sign_threshold() * observer.strictness();
        let has_filter = !P::UNFILTERED && T::NORMWISE_BOUNDS;
        if !has_filter || self.up.value.exceeds(share, self.up.magnitude) {
            return Level::Unknown;
        }
        self.uncertain_level(sides, height, magnitude, share)
    }

    #[cold]
    #[inline(never)]
    fn uncertain_level(&self, sides: [Option<SideCrossing<T>>; 2], height: T, magnitude: T, share: f64) -> Level {
        let [Some(enter), Some(exit)] = sides else { return Level::Unknown };
        // Numbers that are as uncertain as the filter allows are within a half of themselves.
        let mut flag = FilterFlag::default();
        let farthest = self.t(&enter, &mut flag).abs().max(self.t(&exit, &mut flag).abs());
        let share = T::from_f64(share);
        let drift = (self.up.value.abs() + self.up.magnitude * share) * (farthest + farthest);
        let room = drift + (magnitude + self.axis_sq) * share;
        let (low, high) = (height - room, height + room);
        if flag.is_uncertain {
            Level::Unknown
        } else if low.gt(T::ZERO) && high.lt(self.axis_sq) {
            Level::Between
        } else if high.lt(T::ZERO) || low.gt(self.axis_sq) {
            Level::Beyond
        } else {
            Level::Unknown
        }
    }
}
