//! Sorts with one compiled body for all types of items.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Up to this number, items are sorted by insertion, without memory.
const BY_INSERTION: usize = 16;

/// Sorts items by a comparison; equal items keep their order. `O(n log n)` comparisons.
///
/// The sort of the standard library is compiled anew for each type of items and each comparison, and takes 10 kB each time. This one
/// sorts the numbers of the items.
pub(crate) fn stable_sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    if items.len() <= BY_INSERTION {
        for end in 1..items.len() {
            let mut place = end;
            while place > 0 && compare(&items[place - 1], &items[place]).is_gt() {
                items.swap(place - 1, place);
                place -= 1;
            }
        }
        return;
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    sort_numbers(&mut order, &|a, b| compare(&items[a], &items[b]));
    // Follows each cycle of the permutation: the item at `order[i]` belongs at `i`.
    for start in 0..items.len() {
        let mut i = start;
        loop {
            let from = core::mem::replace(&mut order[i], i);
            if from == start {
                break;
            }
            items.swap(i, from);
            i = from;
        }
    }
}

/// Sorts items by a key, as [`stable_sort_by`] does.
pub(crate) fn stable_sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    stable_sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts rows of four numbers, the first number first. As one number each, all rows share one compiled sort, and are compared at once.
pub(crate) fn sorted_rows(rows: impl Iterator<Item = [u32; 4]>) -> Vec<[u32; 4]> {
    let number = |row: [u32; 4]| row.iter().fold(0, |high, &low| high << 32 | u128::from(low));
    let mut numbers: Vec<u128> = rows.map(number).collect();
    numbers.sort_unstable();
    let row = |number: u128| [96, 64, 32, 0].map(|place| (number >> place) as u32);
    numbers.into_iter().map(row).collect()
}

#[inline(never)]
fn sort_numbers(order: &mut [usize], compare: &dyn Fn(usize, usize) -> Ordering) {
    order.sort_by(|a, b| compare(*a, *b));
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::random::Rng;

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        let mut rng = Rng::new(1);
        for length in 0..100 {
            let mut items: Vec<(i32, usize)> = (0..length).map(|i| (rng.int(0, 9), i)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            stable_sort_by(&mut items, |a, b| a.0.cmp(&b.0));
            assert_eq!(items, expected);
            let mut rows: Vec<[u32; 4]> = (0..length).map(|_| [0; 4].map(|_| rng.int(-2, 2) as u32)).collect();
            let sorted = sorted_rows(rows.iter().copied());
            rows.sort_unstable();
            assert_eq!(sorted, rows);
        }
    }
}
