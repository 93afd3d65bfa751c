//! Casts blocks of rays: decoded rows in, a record batch of results out.

use super::cast_query::CastQuery;
use super::hit_rows::{HitRowArrays, HitRows, ends, numbers, object_column};
use super::ray_rows::{Noted, RayLayout, RayRows};
use super::result_columns::ResultColumns;
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Result};
use crate::explain::RayOrSegment;
use crate::fmt::coordinates;
use crate::scene::SceneVector;
use crate::table::{BadRow, Block, BlockDecoder, HitLayout, HitSchema, LasGrid, ObjectColumns, TableFloat};
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow_buffer::NullBuffer;
use hitscan::{
    Columns, HitColumns, NotMeasured, Object, Query, RayCast, Real, Scene, Shape, Space, SweepHit, SweepQuery,
};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The rays that the library casts without other threads.
const PIECE: usize = 4096;

/// `Vec2`, `Vec3`, `DVec2` or `DVec3`: a vector type whose numbers tables have.
pub trait TableVector: SceneVector + Space<Scalar: TableFloat> {}
impl<V: SceneVector + Space<Scalar: TableFloat>> TableVector for V {}

/// A scene and a query, ready for tables of rays.
pub struct RayCaster<'a, V: TableVector> {
    scene: &'a Scene<V>,
    /// The number of each object in the table, where objects were left out of the scene.
    numbers: Option<&'a [u32]>,
    query: CastQuery,
    columns: ResultColumns,
    objects: ObjectColumns,
    radius: Option<V::Scalar>,
    unmeasured: Mutex<Option<(u64, SphereCast<V>)>>,
    grid: Option<LasGrid>,
}

/// The cast of a sphere along a ray.
#[derive(Clone, Copy, Debug)]
pub struct SphereCast<V: TableVector> {
    /// The path of the centre.
    pub path: RayOrSegment<V>,
    /// The radius of the sphere.
    pub radius: V::Scalar,
    /// What counts.
    pub query: Query<V::Scalar>,
}

impl<V: TableVector> SphereCast<V> {
    /// The first contact.
    ///
    /// # Errors
    ///
    /// [`NotMeasured`] if the first shape may be one that cannot be measured.
    pub fn cast(&self, shape: &impl SweepQuery<V>) -> Result<Option<SweepHit<V>>, NotMeasured> {
        self.path.try_cast_sphere(shape, self.radius, self.query)
    }

    /// Whether the sphere may touch an object that cannot be measured.
    #[must_use]
    pub fn is_unmeasured(&self, object: &Object<V>) -> bool {
        object.is_seen_by(&self.query) && self.cast(object.instance()).is_err()
    }
}

/// Facts about rows that have been cast.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CastStatistics {
    /// The rows of the table of rays.
    pub rows_in: u64,
    /// The rows of the table of results.
    pub rows_out: u64,
    /// The hits; for counts their sum.
    pub hits: u64,
    /// The rows that could not be read.
    pub bad_rows: u64,
    /// Rays with a direction of zero, which hit nothing.
    pub zero_directions: Noted,
    /// Rays whose range holds nothing, of `t` or of distances.
    pub empty_ranges: Noted,
    /// Thick rays without an answer, because the first shape may be one that cannot be measured.
    pub unmeasured: u64,
}

impl CastStatistics {
    /// Adds those of later rows.
    pub fn append(&mut self, later: &Self) {
        self.rows_in += later.rows_in;
        self.rows_out += later.rows_out;
        self.hits += later.hits;
        self.bad_rows += later.bad_rows;
        self.zero_directions.append(later.zero_directions);
        self.empty_ranges.append(later.empty_ranges);
        self.unmeasured += later.unmeasured;
    }
}

/// The results of a block.
pub(super) struct CastBlock {
    pub(super) batch: RecordBatch,
    pub(super) statistics: CastStatistics,
    pub(super) bad_rows: Vec<BadRow>,
}

/// Casts the blocks of a table, whatever the vector type of the scene.
pub(super) trait BlockCaster: Sync {
    fn cast(&self, decoder: &BlockDecoder<'_>, block: Block, layout: RayLayout) -> Result<CastBlock, Fault>;
    fn columns(&self) -> &ResultColumns;
    fn dimension(&self) -> Dimension;
    fn grid(&self) -> Option<LasGrid>;
}

impl<'a, V: TableVector> RayCaster<'a, V> {
    /// A caster that writes these columns of the results, all without a choice. `schema` tells the names of the objects of the
    /// scene, and their numbers; `numbers` is the number of each object in that table, where objects were left out of the scene.
    ///
    /// # Errors
    ///
    /// When options do not go together, or there is no such column. The message begins with `name`.
    pub fn new(
        (scene, numbers): (&'a Scene<V>, Option<&'a [u32]>),
        query: CastQuery,
        (shapes, instances): (Vec<String>, Option<Vec<Option<u32>>>),
        columns: Option<&[String]>,
        name: &Path,
    ) -> Result<Self> {
        query.check(name)?;
        let precision = if size_of::<V::Scalar>() == 4 { Precision::F32 } else { Precision::F64 };
        let objects = ObjectColumns::new(&shapes, instances.as_ref());
        let schema = HitSchema { layout: query.layout, dimension: V::DIMENSION, precision, shapes, instances };
        let has_members =
            |object: &Object<V>| V::as_group(object.shape()).is_some() || V::as_solid(object.shape()).is_some();
        let members = scene.objects().any(|(_, object)| has_members(object));
        let columns =
            ResultColumns::new(&schema, (query.radius, members), columns).map_err(|fault| fault.in_file(name))?;
        let radius = query.radius.map(V::Scalar::from_f64);
        if radius.is_some_and(|radius| !(radius.is_finite() && radius > V::Scalar::ZERO)) {
            return Err(Fault::file("the radius of thick rays is beyond the range of f32").in_file(name));
        }
        Ok(Self { scene, numbers, query, columns, objects, radius, unmeasured: Mutex::new(None), grid: None })
    }

    /// The same for LAS files, whose coordinates are whole multiples of `scale`: of the smallest power of ten that holds the
    /// scene, without one.
    ///
    /// # Errors
    ///
    /// When a scene without bounds has no scale, or the scale is no number greater than 0. The message begins with `name`.
    pub fn with_las_grid(mut self, scale: Option<f64>, name: &Path) -> Result<Self> {
        let is_bounded = self.scene.objects().all(|(_, object)| object.instance().aabb().is_bounded());
        if scale.is_none() && !is_bounded {
            let text = "the scene has no bounds, from which LAS could have its scale: give one";
            return Err(Fault::file(text).in_file(name));
        }
        let bounds = self.scene.finite_bounds();
        let corners = bounds.is_bounded().then(|| [bounds.min, bounds.max].map(coordinates));
        self.grid = Some(LasGrid::new(corners, scale).map_err(|fault| fault.in_file(name))?);
        Ok(self)
    }

    /// The first thick ray without an answer, after the casts.
    pub fn first_unmeasured(&self) -> Option<SphereCast<V>> {
        self.unmeasured.lock().unwrap_or_else(PoisonError::into_inner).map(|(_, cast)| cast)
    }

    /// The closest hits, by pieces.
    fn first(&self, rays: &RayRows<'_, V>) -> Result<Answers<V>, Fault> {
        let mut rows = HitRows::new(self.columns.wanted());
        let mut hits = HitColumns::new(self.columns.wanted());
        for start in (0..rays.len()).step_by(PIECE) {
            let piece = rays.columns(start..rays.len().min(start + PIECE)).map_err(Fault::caused)?;
            self.scene.cast_columns_into(&piece, rays.query(), &mut hits);
            rows.extend(&hits);
        }
        Ok(Answers::of_rays(rows))
    }

    fn any(&self, rays: &RayRows<'_, V>) -> Result<Vec<bool>, Fault> {
        let mut any = Vec::with_capacity(rays.len());
        for start in (0..rays.len()).step_by(PIECE) {
            let piece = rays.columns(start..rays.len().min(start + PIECE)).map_err(Fault::caused)?;
            any.extend(self.scene.intersects_columns(&piece, rays.query()));
        }
        Ok(any)
    }

    fn count(&self, rays: &RayRows<'_, V>) -> Result<Vec<u32>, Fault> {
        let mut counts = Vec::with_capacity(rays.len());
        for start in (0..rays.len()).step_by(PIECE) {
            let piece = rays.columns(start..rays.len().min(start + PIECE)).map_err(Fault::caused)?;
            counts.extend(self.scene.count_columns(&piece, rays.query()));
        }
        Ok(counts)
    }

    /// All hits, or the ends of all spans.
    fn lists(&self, rays: &RayRows<'_, V>, is_bad: Option<&[bool]>) -> Answers<V> {
        let most = self.query.most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
        let mut answers = Answers { ray: Some(Vec::new()), ..Answers::of_rays(HitRows::new(self.columns.wanted())) };
        for row in 0..rays.len() {
            if is_bad.is_some_and(|bad| bad[row]) {
                answers.push_bad(row);
                continue;
            }
            let (path, query) = rays.one(row);
            if self.query.layout == HitLayout::Spans {
                let spans = match &path {
                    RayOrSegment::Ray(ray) => self.scene.spans(ray, query),
                    RayOrSegment::Segment(segment) => self.scene.spans(segment, query),
                };
                for (index, span) in (0..).zip(&spans) {
                    for (is_exit, hit) in [(false, &span.enter), (true, &span.exit)] {
                        if let Some(hit) = hit {
                            answers.push(row, index, hit);
                            answers.is_exit.push(is_exit);
                        }
                    }
                }
            } else {
                let hits = match &path {
                    RayOrSegment::Ray(ray) => self.scene.cast_ray_first(ray, query, most),
                    RayOrSegment::Segment(segment) => self.scene.cast_ray_first(segment, query, most),
                };
                for (index, hit) in (0..).zip(&hits) {
                    answers.push(row, index, hit);
                }
            }
        }
        answers
    }

    /// The first contacts of thick rays, and how many have no answer.
    fn contacts(&self, rays: &RayRows<'_, V>, radius: V::Scalar) -> (Answers<V>, u64) {
        let mut rows = HitRows::new(self.columns.wanted());
        let (mut count, mut first) = (0, None);
        for row in 0..rays.len() {
            let (path, query) = rays.one(row);
            let cast = SphereCast { path, radius, query };
            let contact = cast.cast(self.scene).unwrap_or_else(|NotMeasured| {
                first.get_or_insert((rays.rows.get(row), cast));
                count += 1;
                None
            });
            rows.push_contact(contact.as_ref());
        }
        if let Some((row, cast)) = first {
            let mut earliest = self.unmeasured.lock().unwrap_or_else(PoisonError::into_inner);
            if earliest.is_none_or(|(known, _)| row < known) {
                *earliest = Some((row, cast));
            }
        }
        (Answers::of_rays(rows), count)
    }

    /// The columns of the results.
    fn arrays(&self, rays: &RayRows<'_, V>, answers: Answers<V>) -> Result<Vec<ArrayRef>, Fault> {
        let Answers { rows, ray, hit_index, is_exit, counts } = answers;
        let mut hits: HitRowArrays<V> = rows.into_arrays();
        let count = counts.as_ref().map_or(hits.len(), Vec::len);
        let needs_objects = self.columns.wanted().contains(Columns::OBJECT);
        let objects = if needs_objects { hits.objects(self.numbers) } else { Vec::new() };
        let arrays = self.columns.names().map(|name| {
            Ok(match name {
                "ray" => match &ray {
                    Some(rows) => numbers(rows.iter().map(|row| rays.rows.get(*row as usize))),
                    None => numbers((0..count).map(|row| rays.rows.get(row))),
                },
                "count" => numbers(counts.iter().flatten().map(|count| u64::from(*count))),
                "hit" => hits.is_hit(),
                "hit_index" if ray.is_some() => hits.at_hits(hit_index.clone()),
                "hit_index" => hits.at_hits(vec![0; count]),
                "end" => ends(&is_exit),
                "t" => hits.t(),
                "distance" => hits.distance(),
                "px" | "py" | "pz" => hits.point(axis(name)),
                "nx" | "ny" | "nz" => hits.normal(axis(name)),
                "fnx" | "fny" | "fnz" => hits.face_normal(axis(name)),
                "front" => hits.front(),
                "primitive" => hits.primitive(),
                "member" => hits.member(),
                "u" | "v" => hits.uv(usize::from(name == "v")),
                _ => object_column(&self.objects, name, &objects)?,
            })
        });
        arrays.collect()
    }
}

/// `x`, `y` or `z` at the end of a name.
fn axis(name: &str) -> usize {
    usize::from(name.as_bytes()[name.len() - 1] - b'x')
}

/// Answers for the rays of a block.
struct Answers<V: TableVector> {
    rows: HitRows<V>,
    /// The ray of each row, where it is not one row per ray.
    ray: Option<Vec<u32>>,
    hit_index: Vec<u32>,
    is_exit: Vec<bool>,
    counts: Option<Vec<u32>>,
}

impl<V: TableVector> Answers<V> {
    /// One row per ray.
    fn of_rays(rows: HitRows<V>) -> Self {
        Self { rows, ray: None, hit_index: Vec::new(), is_exit: Vec::new(), counts: None }
    }

    /// A row of a ray that could not be read.
    fn push_bad(&mut self, row: usize) {
        self.rows.push_contact(None);
        self.ray.get_or_insert_default().push(row as u32);
        self.hit_index.push(0);
        self.is_exit.push(false);
    }

    fn push(&mut self, row: usize, index: u32, hit: &hitscan::Hit<V>) {
        self.rows.push_hit(hit);
        self.ray.get_or_insert_default().push(row as u32);
        self.hit_index.push(index);
    }
}

impl<V: TableVector> BlockCaster for RayCaster<'_, V> {
    fn cast(&self, decoder: &BlockDecoder<'_>, block: Block, layout: RayLayout) -> Result<CastBlock, Fault> {
        let rows_in = block.rows as u64;
        let mut decoded = decoder.decode::<V::Scalar>(block)?;
        let rays = RayRows::<V>::new(&decoded, layout, &self.query);
        let mut statistics =
            CastStatistics { rows_in, bad_rows: decoded.bad_rows.len() as u64, ..CastStatistics::default() };
        let is_bad = decoded.is_bad.as_deref();
        rays.check(is_bad, &mut statistics.zero_directions, &mut statistics.empty_ranges);
        let answers = match (self.radius, self.query.layout) {
            (Some(radius), _) => {
                let (answers, unmeasured) = self.contacts(&rays, radius);
                statistics.unmeasured = unmeasured;
                answers
            }
            (None, HitLayout::First) => self.first(&rays)?,
            (None, HitLayout::Any) => Answers::of_rays(HitRows::of_mask(self.any(&rays)?)),
            (None, HitLayout::Count) => {
                let counts = Some(self.count(&rays)?);
                Answers { counts, ..Answers::of_rays(HitRows::new(Columns::IS_HIT)) }
            }
            (None, HitLayout::All | HitLayout::Spans) => self.lists(&rays, is_bad),
        };
        statistics.hits = match &answers.counts {
            Some(counts) => counts.iter().map(|count| u64::from(*count)).sum(),
            None => answers.rows.count_hits(),
        };
        let of_row = answers.ray.clone().map(UInt32Array::from);
        let mut arrays = self.arrays(&rays, answers)?;
        if let Some(is_bad) = is_bad {
            // The row of a ray that could not be read has its number and nothing else.
            let good = match &of_row {
                Some(rows) => NullBuffer::from_iter(rows.values().iter().map(|row| !is_bad[*row as usize])),
                None => NullBuffer::from_iter(is_bad.iter().map(|bad| !bad)),
            };
            for (array, name) in arrays.iter_mut().zip(self.columns.names()) {
                *array = if name == "ray" { array.clone() } else { null_where_bad(array, &good)? };
            }
        }
        let mut columns = std::mem::take(&mut decoded.carried);
        if let Some(of_row) = of_row {
            for column in &mut columns {
                *column = arrow_select::take::take(column.as_ref(), &of_row, None)?;
            }
        }
        columns.extend(arrays);
        let fields = decoder.carried_fields().into_iter().chain(self.columns.fields(decoder.keeps_bad_rows()));
        let schema = Arc::new(arrow_schema::Schema::new(fields.collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema, columns)?;
        statistics.rows_out = batch.num_rows() as u64;
        Ok(CastBlock { batch, statistics, bad_rows: std::mem::take(&mut decoded.bad_rows) })
    }

    fn columns(&self) -> &ResultColumns {
        &self.columns
    }

    fn dimension(&self) -> Dimension {
        V::DIMENSION
    }

    fn grid(&self) -> Option<LasGrid> {
        self.grid
    }
}

/// The array with nulls in bad rows, too.
fn null_where_bad(array: &ArrayRef, good: &NullBuffer) -> Result<ArrayRef, Fault> {
    let nulls = NullBuffer::union(array.nulls(), Some(good));
    Ok(arrow_array::make_array(array.to_data().into_builder().nulls(nulls).build()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{BooleanArray, UInt64Array};

    #[test]
    fn bad_rows_are_null_in_every_column() {
        let good = NullBuffer::from(vec![true, false, true]);
        let arrays: [ArrayRef; 2] = [
            Arc::new(BooleanArray::from(vec![true, true, false])),
            Arc::new(UInt64Array::from(vec![Some(1), Some(2), None])),
        ];
        let nulls = arrays.map(|array| null_where_bad(&array, &good).unwrap().logical_null_count());
        assert_eq!(nulls, [1, 2]);
    }
}
