//! Queries of rays and points of arrays, for one vector type.

use crate::geometry::FromAnyShape;
use crate::rays::{Points, RayArrays, RayBuffer, with_ray};
use crate::results::{GrownArrays, Lists, Row, Rows, object_number};
use crate::row_work::{fill, fill_rows, lists};
use crate::run::{Pace, Run, pieces};
use crate::typed::{PyVector, Queried};
use crate::volume::Volumes;
use hitscan::{Hit, ObjectId, PointQuery, Query, RayCast, Real, Span, SweepHit, SweepQuery};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::ops::Range;

/// Closest hits. The name of an array is that of a field of the results.
pub(crate) fn cast<V: PyVector>(
    run: &Run<'_>,
    queried: &Queried<V>,
    (rays, query): (&RayArrays<'_, V>, &Query<V::Scalar>),
    out: Rows<'_, V>,
) -> PyResult<()> {
    type Buffer<V> = (RayBuffer<V>, Vec<Option<Hit<V>>>);
    queried.with(|shape| {
        fill_rows(run, (rays.len(), Pace::CASTS), out, |(buffer, hits): &mut Buffer<V>, range, out| {
            hits.clear();
            hits.resize(range.len(), None);
            shape.cast_slice_into(rays.load(range, buffer), query, hits);
            out.write(hits.iter().map(|hit| hit.as_ref().map(Row::from)));
        })
    })
}

/// Whether there are hits.
pub(crate) fn cast_any<V: PyVector>(
    run: &Run<'_>,
    queried: &Queried<V>,
    (rays, query): (&RayArrays<'_, V>, &Query<V::Scalar>),
    out: &mut [bool],
) -> PyResult<()> {
    queried.with(|shape| {
        fill(run, out, Pace::CASTS, |buffer: &mut RayBuffer<V>, range, out| {
            shape.intersects_slice_into(rays.load(range, buffer), query, out);
        })
    })
}

pub(crate) fn all_hits<V: PyVector>(
    run: &Run<'_>,
    queried: &Queried<V>,
    rays: &RayArrays<'_, V>,
    (query, most, names): (&Query<V::Scalar>, usize, &[String]),
) -> PyResult<Lists<V>> {
    let mut arrays = GrownArrays::new(names);
    let offsets = queried.with(|shape| {
        let each = |row: usize, found: &mut Vec<Hit<V>>| {
            with_ray!(rays.one(row), ray => found.extend(shape.cast_ray_first(&ray, query, most)));
        };
        lists(run, rays.len(), each, |found| arrays.append(found.iter().map(|hit| Some(Row::from(hit)))))
    })?;
    Ok(Lists { offsets, arrays })
}

/// The first hits that a filter chooses from, in order: also each triangle at a shared edge.
pub(crate) fn candidates<V: PyVector>(
    run: &Run<'_>,
    queried: &Queried<V>,
    rays: &RayArrays<'_, V>,
    (query, most, names): (&Query<V::Scalar>, usize, &[String]),
) -> PyResult<Lists<V>> {
    let mut arrays = GrownArrays::new(names);
    let offsets = queried.with(|shape| {
        let each = |row: usize, found: &mut Vec<Hit<V>>| {
            let candidates = RefCell::new(Vec::new());
            // Sees the closest hit, then all candidates with that hit among them. The last one ends the search.
            let filter = |hit: &Hit<V>| {
                let mut candidates = candidates.borrow_mut();
                candidates.push(*hit);
                candidates.len() > most
            };
            with_ray!(rays.one(row), ray => _ = shape.cast_ray_where(&ray, query, filter));
            found.extend(candidates.into_inner().into_iter().skip(1));
        };
        lists(run, rays.len(), each, |found| arrays.append(found.iter().map(|hit| Some(Row::from(hit)))))
    })?;
    Ok(Lists { offsets, arrays })
}

/// Spans: the rows of the entries, and those of the exits.
pub(crate) fn all_spans<V: PyVector>(
    run: &Run<'_>,
    queried: &Queried<V>,
    rays: &RayArrays<'_, V>,
    (query, names): (&Query<V::Scalar>, &[String]),
) -> PyResult<(Lists<V>, GrownArrays<V::Scalar>)> {
    let (mut arrays, mut exits) = (GrownArrays::new(names), GrownArrays::new(names));
    let offsets = queried.with(|shape| {
        let each = |row: usize, found: &mut Vec<Span<V>>| {
            with_ray!(rays.one(row), ray => found.extend(shape.spans(&ray, query)));
        };
        lists(run, rays.len(), each, |found| {
            arrays.append(found.iter().map(|span| span.enter.as_ref().map(Row::from)));
            exits.append(found.iter().map(|span| span.exit.as_ref().map(Row::from)));
        })
    })?;
    Ok((Lists { offsets, arrays }, exits))
}

/// The tracks of rays in compressed rows.
pub(crate) struct Tracks<S> {
    /// Of the parts of each ray.
    pub(crate) offsets: Vec<i64>,
    /// `t` of the ends of each part.
    pub(crate) begin: Vec<S>,
    pub(crate) end: Vec<S>,
    /// Of the objects of each part.
    pub(crate) object_offsets: Vec<i64>,
    pub(crate) objects: Vec<i64>,
}

pub(crate) fn tracks<V: PyVector>(
    run: &Run<'_>,
    queried: &Queried<V>,
    (rays, query): (&RayArrays<'_, V>, &Query<V::Scalar>),
) -> PyResult<Tracks<V::Scalar>> {
    let (mut begin, mut end, mut object_offsets, mut objects) = (Vec::new(), Vec::new(), vec![0], Vec::new());
    let offsets = queried.with_scene(|scene| {
        let each = |row: usize, found: &mut Vec<([V::Scalar; 2], Vec<i64>)>| {
            let track = with_ray!(rays.one(row), ray => scene.track(&ray, query));
            let numbers = |ids: &[ObjectId]| ids.iter().map(|id| object_number(*id)).collect();
            found.extend(track.parts().map(|part| (part.t, numbers(part.objects))));
        };
        lists(run, rays.len(), each, |found| {
            for ([from, to], own) in found {
                begin.push(from);
                end.push(to);
                objects.extend(own);
                object_offsets.push(objects.len() as i64);
            }
        })
    })?;
    Ok(Tracks { offsets, begin, end, object_offsets, objects })
}

pub(crate) fn count<V: PyVector>(
    run: &Run<'_>,
    queried: &Queried<V>,
    (rays, query): (&RayArrays<'_, V>, &Query<V::Scalar>),
    out: &mut [u32],
) -> PyResult<()> {
    queried.with(|shape| {
        fill(run, out, Pace::SLOW, |(): &mut (), range, out| {
            for (row, out) in range.zip(out) {
                let count = with_ray!(rays.one(row), ray => shape.count_hits(&ray, query));
                *out = u32::try_from(count).unwrap_or(u32::MAX);
            }
        })
    })
}

/// The lengths inside of the solid that the closest hit is on, and the hits at both ends.
pub(crate) fn thickness<V: PyVector>(
    run: &Run<'_>,
    queried: &Queried<V>,
    (rays, query): (&RayArrays<'_, V>, &Query<V::Scalar>),
    (lengths, enter, exit): (&mut [V::Scalar], Rows<'_, V>, Rows<'_, V>),
) -> PyResult<()> {
    let (rows, mut first, mut rest, mut enter, mut exit) = (rays.len(), 0, lengths, enter, exit);
    let next = |count: usize, piece: usize| {
        let (block, others) = std::mem::take(&mut rest).split_at_mut(count);
        rest = others;
        let ranges = pieces(first..first + count, piece);
        first += count;
        let cut = ranges.zip(block.chunks_mut(piece));
        cut.map(|(range, lengths)| (enter.split_off(range.len()), exit.split_off(range.len()), range, lengths))
            .collect()
    };
    queried.with(|shape| {
        let work = |(): &mut (), (enter, exit, range, lengths): (Rows<'_, V>, Rows<'_, V>, Range<usize>, &mut [_])| {
            let found: Vec<_> = range
                .map(|row| with_ray!(rays.one(row), ray => shape.cast_ray(&ray, query)))
                .map(|hit| hit.and_then(|hit| shape.thickness(&hit)))
                .collect();
            for (found, length) in found.iter().zip(lengths) {
                *length = found.as_ref().map_or(V::Scalar::NAN, |found| found.length);
            }
            enter.write(found.iter().map(|found| found.as_ref().map(|found| Row::from(&found.enter))));
            exit.write(found.iter().map(|found| found.as_ref().map(|found| Row::from(&found.exit))));
        };
        run.blocks((rows, Pace::SLOW), next, work, |_: Vec<()>| ())
    })
}

/// First contacts of spheres of one radius, or of one volume, moved along rays.
pub(crate) fn sweep<V: FromAnyShape>(
    run: &Run<'_>,
    queried: &Queried<V>,
    (rays, query): (&RayArrays<'_, V>, &Query<V::Scalar>),
    moving: &Moving<V>,
    out: Rows<'_, V>,
) -> PyResult<()> {
    queried.with(|shape| {
        fill_rows(run, (rays.len(), Pace::SLOW), out, |(): &mut (), range, out| {
            let one = |row: usize| -> Option<SweepHit<V>> {
                with_ray!(rays.one(row), ray => match moving {
                    Moving::Sphere(radius) => shape.cast_sphere(&ray, *radius, query),
                    Moving::Volumes(volumes) => {
                        shape.cast_volume(volumes, rays.direction(row), rays.query_of(row, query))
                    }
                })
            };
            let found: Vec<_> = range.map(one).collect();
            out.write(found.iter().map(|hit| hit.as_ref().map(Row::from)));
        })
    })
}

/// First contacts of spheres of one radius, or of one volume, moved along rays, with each object.
pub(crate) fn all_contacts<V: FromAnyShape>(
    run: &Run<'_>,
    queried: &Queried<V>,
    (rays, query): (&RayArrays<'_, V>, &Query<V::Scalar>),
    (moving, names): (&Moving<V>, &[String]),
) -> PyResult<Lists<V>> {
    let mut arrays = GrownArrays::new(names);
    let offsets = queried.with(|shape| {
        let each = |row: usize, all: &mut Vec<SweepHit<V>>| {
            all.extend(with_ray!(rays.one(row), ray => match moving {
                Moving::Sphere(radius) => shape.cast_sphere_all(&ray, *radius, query),
                Moving::Volumes(volumes) => {
                    shape.cast_volume_all(volumes, rays.direction(row), rays.query_of(row, query))
                }
            }));
        };
        lists(run, rays.len(), each, |found| arrays.append(found.iter().map(|found| Some(Row::from(found)))))
    })?;
    Ok(Lists { offsets, arrays })
}

/// What moves.
pub(crate) enum Moving<V: FromAnyShape> {
    Sphere(V::Scalar),
    Volumes(Volumes<V>),
}

pub(crate) fn closest_points<V: PyVector>(
    run: &Run<'_>,
    queried: &Queried<V>,
    (points, max_distance): (Points<'_, V>, V::Scalar),
    out: Rows<'_, V>,
) -> PyResult<()> {
    queried.with(|shape| {
        fill_rows(run, (points.len(), Pace::SLOW), out, |buffer: &mut Vec<V>, range, out| {
            let points = points.load(range, buffer);
            let found: Vec<_> = points.iter().map(|&point| shape.closest_point_within(point, max_distance)).collect();
            out.write(found.iter().map(|found| found.as_ref().map(Row::from)));
        })
    })
}

pub(crate) fn closest_primitives<V: PyVector>(
    run: &Run<'_>,
    queried: &Queried<V>,
    points: Points<'_, V>,
    (max_distance, most, names): (V::Scalar, usize, &[String]),
) -> PyResult<Lists<V>> {
    let mut arrays = GrownArrays::new(names);
    let offsets = queried.with(|shape| {
        let each = |row: usize, all: &mut Vec<_>| {
            let mut found = Vec::new();
            // Only user shapes cannot be measured, and Python has none.
            if shape.closest_primitives_into(points.get(row), max_distance, most, &mut found).is_ok() {
                all.append(&mut found);
            }
        };
        lists(run, points.len(), each, |found| arrays.append(found.iter().map(|found| Some(Row::from(found)))))
    })?;
    Ok(Lists { offsets, arrays })
}
