//! The rays of a block of a table, with their ranges and layers.

use super::cast_query::CastQuery;
use crate::dimension::Dimension;
use crate::explain::RayOrSegment;
use crate::table::{DecodedRows, NumberColumn, TableFloat};
use hitscan::{ColumnsError, Points, Query, RayColumns, Real, Vector};
use std::ops::{Range, RangeInclusive};

/// Rays or segments, column by column.
pub(super) struct RayRows<'a, V: Vector> {
    /// The number of each ray in the table.
    pub(super) rows: RowNumbers<'a>,
    origin: Vec<&'a [V::Scalar]>,
    /// Directions or second ends.
    target: Vec<&'a [V::Scalar]>,
    is_segment: bool,
    /// The directions of segments that count as lines.
    lines: Option<Vec<V>>,
    t_min: Option<Limits<'a, V::Scalar>>,
    t_max: Option<Limits<'a, V::Scalar>>,
    layers: Option<Vec<u32>>,
    max_distance: Option<Limits<'a, V::Scalar>>,
    /// What holds for all rays.
    query: Query<V::Scalar>,
}

/// The limits of each ray.
enum Limits<'a, S> {
    Borrowed(&'a [S]),
    Owned(Vec<S>),
}

impl<S> Limits<'_, S> {
    fn values(&self) -> &[S] {
        match self {
            Self::Borrowed(values) => values,
            Self::Owned(values) => values,
        }
    }
}

/// The numbers of rows in their table.
#[derive(Clone, Copy)]
pub(super) struct RowNumbers<'a> {
    first: u64,
    places: Option<&'a [u32]>,
}

impl RowNumbers<'_> {
    pub(super) fn get(&self, row: usize) -> u64 {
        self.first + self.places.map_or(row as u64, |places| places[row].into())
    }
}

/// The columns that a table of rays has, in this order.
#[derive(Clone, Copy, Debug)]
pub(super) struct RayLayout {
    pub(super) dimension: Dimension,
    pub(super) is_segment: bool,
    pub(super) has_t_min: bool,
    pub(super) has_t_max: bool,
    pub(super) has_layers: bool,
    pub(super) has_max_distance: bool,
}

impl<'a, V: Vector<Scalar: TableFloat>> RayRows<'a, V> {
    pub(super) fn new(rows: &'a DecodedRows<V::Scalar>, layout: RayLayout, cast: &CastQuery) -> Self {
        let axes = layout.dimension.count();
        let mut columns = rows.numbers.iter();
        let mut point = || columns.by_ref().take(axes).map(NumberColumn::reals).collect::<Vec<_>>();
        let (origin, target) = (point(), point());
        let mut query = cast.query::<V::Scalar>();
        let (line_start, largest) = (-V::Scalar::INFINITY, V::Scalar::INFINITY);
        let limits = |column: Option<&'a NumberColumn<V::Scalar>>, null: V::Scalar| {
            let column = column?;
            Some(match &column.nulls {
                None => Limits::Borrowed(column.reals()),
                Some(nulls) => {
                    let cells = column.reals().iter().zip(nulls);
                    Limits::Owned(cells.map(|(value, is_null)| if *is_null { null } else { *value }).collect())
                }
            })
        };
        let mut next_if = |is_there: bool| is_there.then(|| columns.next()).flatten();
        // A cell without a limit means what a table without the column means.
        let t_min = limits(next_if(layout.has_t_min), query.t_min());
        let t_max = limits(next_if(layout.has_t_max), largest);
        let masks = next_if(layout.has_layers);
        let layers = masks.map(|column| {
            let masks = column.masks().iter().enumerate();
            let is_null = |row: usize| column.nulls.as_ref().is_some_and(|nulls| nulls[row]);
            masks.map(|(row, mask)| if is_null(row) { u32::MAX } else { *mask }).collect()
        });
        let max_distance = limits(next_if(layout.has_max_distance), largest);
        if t_min.is_some() && cast.t_min.is_none() {
            // The limits of the rays replace the usual one, 0.
            query = query.range(line_start, query.t_max());
        }
        let lines = (layout.is_segment && cast.line).then(|| {
            let segments = RayColumns::<V>::segments(Points::columns(&origin), Points::columns(&target));
            let rays = segments.iter().flat_map(|all| (0..all.len()).filter_map(|row| all.segment(row)));
            rays.map(|segment| segment.to_ray().direction).collect()
        });
        Self {
            rows: RowNumbers { first: rows.first_row, places: rows.places.as_deref() },
            origin,
            target,
            is_segment: layout.is_segment && !cast.line,
            lines,
            t_min,
            t_max,
            layers,
            max_distance,
            query,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.origin[0].len()
    }

    /// What holds for all rays.
    pub(super) fn query(&self) -> Query<V::Scalar> {
        self.query
    }

    /// The rays in these rows.
    pub(super) fn columns(&self, rows: Range<usize>) -> Result<RayColumns<'_, V>, ColumnsError> {
        let part = |columns: &[&'a [V::Scalar]]| -> Vec<&'a [V::Scalar]> {
            columns.iter().map(|column| &column[rows.clone()]).collect()
        };
        let (origin, target) = (part(&self.origin), part(&self.target));
        let origin = Points::columns(&origin);
        let mut rays = match (&self.lines, self.is_segment) {
            (Some(lines), _) => RayColumns::from_points(origin, &lines[rows.clone()])?,
            (None, true) => RayColumns::segments(origin, Points::columns(&target))?,
            (None, false) => RayColumns::from_points(origin, Points::columns(&target))?,
        };
        if let Some(t_min) = &self.t_min {
            rays = rays.with_t_min(&t_min.values()[rows.clone()])?;
        }
        if let Some(t_max) = &self.t_max {
            rays = rays.with_t_max(&t_max.values()[rows.clone()])?;
        }
        if let Some(layers) = &self.layers {
            rays = rays.with_layers(&layers[rows.clone()])?;
        }
        match &self.max_distance {
            Some(distances) => rays.with_max_distance(&distances.values()[rows]),
            None => Ok(rays),
        }
    }

    /// The ray in a row, with the query for it.
    pub(super) fn one(&self, row: usize) -> (RayOrSegment<V>, Query<V::Scalar>) {
        let vector = |columns: &[&[V::Scalar]]| {
            let z = columns.get(2).map_or(V::Scalar::ZERO, |column| column[row]);
            V::from_xyz([columns[0][row], columns[1][row], z])
        };
        let origin = vector(&self.origin);
        let path = match (&self.lines, self.is_segment) {
            (Some(lines), _) => RayOrSegment::Ray(hitscan::Ray::new(origin, lines[row])),
            (None, true) => RayOrSegment::Segment(hitscan::Segment::new(origin, vector(&self.target))),
            (None, false) => RayOrSegment::Ray(hitscan::Ray::new(origin, vector(&self.target))),
        };
        let (t_min, t_max) = self.range(row);
        let layers = self.layers.as_ref().map_or(u32::MAX, |layers| layers[row]);
        let query = self.query.range(t_min, t_max).layers(self.query.layer_mask() & layers);
        (path, query.within_distance(self.distance(row)))
    }

    /// The smaller one of the distances of the row and of all rays.
    fn distance(&self, row: usize) -> V::Scalar {
        let (own, all) = (self.max_distance.as_ref().map(|own| own.values()[row]), self.query.max_distance());
        own.filter(|own| *own < all).unwrap_or(all)
    }

    fn range(&self, row: usize) -> (V::Scalar, V::Scalar) {
        let (mut low, mut high) = (self.query.t_min(), self.query.t_max());
        if let Some(t_min) = &self.t_min {
            let own = t_min.values()[row];
            low = if own > low { own } else { low };
        }
        if let Some(t_max) = &self.t_max {
            let own = t_max.values()[row];
            high = if own < high { own } else { high };
        }
        (low, high)
    }

    /// Whether each ray can hit anything: it has a direction, and its range holds something.
    pub(super) fn check(&self, is_bad: Option<&[bool]>, zero: &mut Noted, empty: &mut Noted) {
        let is_zero = |row: usize| match (&self.lines, self.is_segment) {
            (None, true) => self.target.iter().zip(&self.origin).all(|(b, a)| b[row] == a[row]),
            (None, false) => self.target.iter().all(|column| column[row] == V::Scalar::ZERO),
            (Some(lines), _) => lines[row].to_f64() == [0.0; 3],
        };
        let t = if self.is_segment { T_OF_SEGMENT } else { T_OF_LINE };
        let is_empty = |row: usize| {
            let (t_min, t_max) = self.range(row);
            holds_nothing(&Query::line().range(t_min, t_max).within_distance(self.distance(row)), &t)
        };
        // Without columns of limits, every row has the range of the first.
        let has_ranges = self.t_min.is_some() || self.t_max.is_some() || self.max_distance.is_some();
        let all_are_empty = !has_ranges && self.len() > 0 && is_empty(0);
        for row in 0..self.len() {
            if is_bad.is_some_and(|bad| bad[row]) {
                continue;
            }
            if is_zero(row) {
                zero.add(self.rows.get(row));
            }
            if all_are_empty || (has_ranges && is_empty(row)) {
                empty.add(self.rows.get(row));
            }
        }
    }
}

/// The `t` of a segment.
pub const T_OF_SEGMENT: RangeInclusive<f64> = 0.0..=1.0;

/// The `t` of the line of a ray.
pub const T_OF_LINE: RangeInclusive<f64> = f64::NEG_INFINITY..=f64::INFINITY;

/// Whether the limits of a query leave nothing of a ray or a segment, which has these `t`: [`T_OF_SEGMENT`] or [`T_OF_LINE`].
#[must_use]
pub fn holds_nothing<S: Real>(query: &Query<S>, t: &RangeInclusive<f64>) -> bool {
    let (low, high) = (query.t_min().to_f64().max(*t.start()), query.t_max().to_f64().min(*t.end()));
    // No point is nearer than the origin; on the line behind it, a distance below 0 is a limit like any other.
    !(low <= high) || (low >= 0.0 && query.max_distance() < S::ZERO)
}

/// The number of rays with a property, and the row of the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// How many.
    pub count: u64,
    /// The first of them, from 0.
    pub first: Option<u64>,
}

impl Noted {
    fn add(&mut self, row: u64) {
        self.first.get_or_insert(row);
        self.count += 1;
    }

    /// Adds those of a later block.
    pub(super) fn append(&mut self, later: Self) {
        self.first = self.first.or(later.first);
        self.count += later.count;
    }
}
