//! Sorting, by one body of code where it has to be small: the sort of the standard library is compiled for each type and
//! each order, 8 KiB at a time.

use core::cmp::Ordering;

/// Sorts; equal ones stay in their order.
#[cfg(not(feature = "small"))]
#[inline(always)]
pub(crate) fn sort_by<T>(list: &mut [T], order: impl FnMut(&T, &T) -> Ordering) {
    list.sort_by(order);
}

/// Sorts; equal ones stay in their order.
#[cfg(feature = "small")]
pub(crate) fn sort_by<T>(list: &mut [T], mut order: impl FnMut(&T, &T) -> Ordering) {
    let mut places: alloc::vec::Vec<usize> = (0..list.len()).collect();
    sort_places(&mut places, &mut |i, j| order(&list[i], &list[j]));
    // Along each cycle, what belongs to a place is swapped into it.
    for start in 0..list.len() {
        let mut place = start;
        loop {
            let from = core::mem::replace(&mut places[place], place);
            if from == start {
                break;
            }
            list.swap(place, from);
            place = from;
        }
    }
}

#[cfg(feature = "small")]
#[inline(never)]
fn sort_places(places: &mut [usize], order: &mut dyn FnMut(usize, usize) -> Ordering) {
    places.sort_by(|i, j| order(*i, *j));
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn sorted_and_stable_whatever_the_cycles() {
        let mut state = 1_u32;
        for length in (0..60).chain([1000]) {
            let mut draw = || {
                state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                state >> 28
            };
            let mut list: Vec<(u32, usize)> = (0..length).map(|i| (draw(), i)).collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            sort_by(&mut list, |a, b| a.0.cmp(&b.0));
            assert_eq!(list, expected);
        }
    }
}
