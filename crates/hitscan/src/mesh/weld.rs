//! Welding: points within a tolerance become one.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Points after welding.
#[derive(Clone, Debug)]
pub struct Welded {
    /// The points that were kept, in their order.
    pub kept: Vec<[f64; 3]>,
    /// For each point the number of the kept one that stands for it.
    pub ids: Vec<u32>,
}

/// Merges points that are at most `tolerance` apart. Points are taken in their order: each one becomes the nearest point kept so
/// far, if that is within the tolerance (of equally near ones the first), or is kept itself. O(n log n).
///
/// The tolerance is finite and at least 0, the coordinates are finite, and there are fewer than 2^32 points.
pub fn weld_points(points: impl Iterator<Item = [f64; 3]>, tolerance: f64) -> Welded {
    let mut grid = Grid::new(tolerance);
    let ids = points.map(|point| grid.merge(point)).collect();
    Welded { kept: grid.kept, ids }
}

/// Kept vertices by cells twice as long as the tolerance. A cell holds few of them, for they are more than the tolerance apart.
struct Grid {
    tolerance: f64,
    /// The last vertex of each cell.
    cells: BTreeMap<[u64; 3], u32>,
    kept: Vec<[f64; 3]>,
    /// For each kept vertex the one before it in its cell; itself for the first one.
    before: Vec<u32>,
}

impl Grid {
    fn new(tolerance: f64) -> Self {
        Self { tolerance, cells: BTreeMap::new(), kept: Vec::new(), before: Vec::new() }
    }

    /// The number of the kept vertex that stands for `point`.
    fn merge(&mut self, point: [f64; 3]) -> u32 {
        let cells = point.map(|x| cells_around(x, self.tolerance));
        let mut nearest: Option<(f64, u32)> = None;
        for x in cells[0].near() {
            for y in cells[1].near() {
                for z in cells[2].near() {
                    let mut next = self.cells.get(&[*x, *y, *z]).copied();
                    while let Some(id) = next {
                        let distance = self.distance_sq(point, self.kept[id as usize]);
                        let is_nearer = nearest.is_none_or(|best| (distance, id) < best);
                        if distance <= 1.0 && is_nearer {
                            nearest = Some((distance, id));
                        }
                        let before = self.before[id as usize];
                        next = (before != id).then_some(before);
                    }
                }
            }
        }
        if let Some((_, id)) = nearest {
            return id;
        }
        // No more than the vertices of the mesh, which 32 bits number.
        let id = self.kept.len() as u32;
        self.before.push(self.cells.insert(cells.map(|cell| cell.own), id).unwrap_or(id));
        self.kept.push(point);
        id
    }

    /// The square of the distance in tolerances: neither tiny nor huge tolerances leave the range of numbers.
    fn distance_sq(&self, point: [f64; 3], kept: [f64; 3]) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let (x, other) = (point[axis], kept[axis]);
            // The cells that are searched cover this range, and no more.
            if other < x - self.tolerance || other > x + self.tolerance {
                return f64::INFINITY;
            }
            let difference = x - other;
            if difference == 0.0 { 0.0 } else { difference / self.tolerance }
        });
        x * x + y * y + z * z
    }
}

/// The cell of a coordinate, and the cells of all numbers within the tolerance.
#[derive(Clone, Copy)]
struct CellRange {
    own: u64,
    cells: [u64; CellRange::MOST],
    count: usize,
}

impl CellRange {
    /// Two, and one more on each side that rounding may add.
    const MOST: usize = 4;

    fn near(&self) -> &[u64] {
        &self.cells[..self.count]
    }
}

/// The largest whole number that is at most `x`. Without std there is none of its own.
fn floor(x: f64) -> f64 {
    // From 2^52 on, all numbers are whole.
    if !(x.abs() < 4_503_599_627_370_496.0) {
        return x;
    }
    let toward_zero = x as i64 as f64;
    if toward_zero > x { toward_zero - 1.0 } else { toward_zero }
}

fn cells_around(x: f64, tolerance: f64) -> CellRange {
    let cell = |x: f64| floor(x / tolerance * 0.5);
    let own = cell(x);
    if !own.is_finite() {
        // Two numbers so much larger than the tolerance are equal, or farther apart. -0 + 0 is 0.
        let own = (x + 0.0).to_bits();
        return CellRange { own, cells: [own; CellRange::MOST], count: 1 };
    }
    // Rounding is monotonic: whatever is within the tolerance lies between these cells.
    let [first, last] = [x - tolerance, x + tolerance].map(|x| cell(x.clamp(-f64::MAX, f64::MAX)));
    let mut range = CellRange { own: (own + 0.0).to_bits(), cells: [0; CellRange::MOST], count: 0 };
    let mut next = first.max(-f64::MAX);
    debug_assert!((first + 4.0).max(first.next_up().next_up().next_up()) >= last.min(f64::MAX));
    while next <= last && next.is_finite() && range.count < CellRange::MOST {
        range.cells[range.count] = (next + 0.0).to_bits();
        range.count += 1;
        // Beyond 2^53 the next whole number is the next number.
        next = (next + 1.0).max(next.next_up());
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::random::Lcg;

    /// Against all pairs, for coordinates and tolerances over the whole range of numbers.
    #[test]
    fn the_grid_finds_what_all_pairs_find() {
        let mut rng = Lcg::new(1);
        for scale in [1.0, 1e-300, 5e-324, 1e12, 1e17, 9_007_199_254_740_992.0, 1e300, f64::MAX / 16.0] {
            for tolerance in [0.0, scale, 0.5 * scale, 1e-3 * scale, 1e-16 * scale, 5e-324] {
                let mut grid = Grid::new(tolerance);
                let mut kept: Vec<[f64; 3]> = Vec::new();
                for _ in 0..300 {
                    let point = [0; 3].map(|_| {
                        let x = (rng.below(13) as f64 - 6.0) * scale;
                        (0..rng.below(3)).fold(x, |x, _| x.next_up())
                    });
                    let distances = kept.iter().zip(0..).map(|(kept, id)| (grid.distance_sq(point, *kept), id));
                    let best =
                        distances.filter(|(distance, _)| *distance <= 1.0).min_by(|a, b| a.partial_cmp(b).unwrap());
                    let expected = best.map_or(kept.len() as u32, |(_, id)| id);
                    assert_eq!(grid.merge(point), expected, "{point:?}, tolerance {tolerance}");
                    if best.is_none() {
                        kept.push(point);
                    }
                }
                assert_eq!(grid.kept, kept);
            }
        }
    }
}
