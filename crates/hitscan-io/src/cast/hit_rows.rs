//! Rows of hits that are being collected, and their Arrow arrays.

use crate::table::{ObjectColumns, TableFloat};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray, StringArray, UInt32Array, UInt64Array};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use hitscan::{Columns, Hit, HitColumns, ObjectId, Real, Side, SweepHit, Vector};
use std::sync::Arc;

/// Rows of hits: the columns that are wanted.
pub(super) struct HitRows<V: Vector> {
    wanted: Columns,
    is_hit: Vec<bool>,
    t: Vec<V::Scalar>,
    distance: Vec<V::Scalar>,
    point: [Vec<V::Scalar>; 3],
    normal: [Vec<V::Scalar>; 3],
    /// Of contacts alone.
    has_face_normal: Vec<bool>,
    face_normal: [Vec<V::Scalar>; 3],
    is_front: Vec<bool>,
    has_uv: Vec<bool>,
    uv: [Vec<V::Scalar>; 2],
    has_primitive: Vec<bool>,
    primitive: Vec<u32>,
    has_member: Vec<bool>,
    member: Vec<u32>,
    object: Vec<u32>,
}

/// A hit of a ray, or a contact of a sphere.
struct Row<V: Vector> {
    t: V::Scalar,
    distance: V::Scalar,
    point: V,
    normal: V,
    is_front: bool,
    uv: Option<[V::Scalar; 2]>,
    primitive: Option<u32>,
    member: Option<u32>,
    object: Option<ObjectId>,
}

impl<V: Vector<Scalar: TableFloat>> HitRows<V> {
    pub(super) fn new(wanted: Columns) -> Self {
        Self {
            wanted,
            is_hit: Vec::new(),
            t: Vec::new(),
            distance: Vec::new(),
            point: Default::default(),
            normal: Default::default(),
            has_face_normal: Vec::new(),
            face_normal: Default::default(),
            is_front: Vec::new(),
            has_uv: Vec::new(),
            uv: Default::default(),
            has_primitive: Vec::new(),
            primitive: Vec::new(),
            has_member: Vec::new(),
            member: Vec::new(),
            object: Vec::new(),
        }
    }

    /// Rows that say whether there is a hit, and nothing else.
    pub(super) fn of_mask(is_hit: Vec<bool>) -> Self {
        Self { is_hit, ..Self::new(Columns::IS_HIT) }
    }

    /// Adds rows, of which the wanted columns are there.
    pub(super) fn extend(&mut self, hits: &HitColumns<V>) {
        fn all<T: Copy, const N: usize>(columns: &mut [Vec<T>; N], more: [&[T]; N]) {
            columns.iter_mut().zip(more).for_each(|(column, more)| column.extend_from_slice(more));
        }
        self.is_hit.extend_from_slice(hits.is_hit());
        self.t.extend_from_slice(hits.t());
        self.distance.extend_from_slice(hits.distance());
        all(&mut self.point, hits.point());
        all(&mut self.normal, hits.normal());
        self.is_front.extend_from_slice(hits.is_front());
        self.has_uv.extend_from_slice(hits.has_uv());
        all(&mut self.uv, hits.uv_values());
        self.has_primitive.extend_from_slice(hits.has_primitive());
        self.primitive.extend_from_slice(hits.primitive_values());
        self.has_member.extend_from_slice(hits.has_member());
        self.member.extend_from_slice(hits.member_values());
        self.object.extend_from_slice(hits.object_values());
    }

    pub(super) fn push_hit(&mut self, hit: &Hit<V>) {
        self.push(Some(&Row {
            t: hit.t,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            is_front: hit.side == Side::Front,
            uv: hit.uv,
            primitive: hit.primitive,
            member: hit.member,
            object: hit.object,
        }));
    }

    /// Adds the contact of a thick ray. It is in front unless the sphere touches the shape from the beginning.
    pub(super) fn push_contact(&mut self, contact: Option<&SweepHit<V>>) {
        let row = contact.map(|contact| Row {
            t: contact.t,
            distance: contact.distance,
            point: contact.point,
            normal: contact.normal,
            is_front: contact.depth.is_none(),
            uv: contact.uv,
            primitive: contact.primitive,
            member: contact.member,
            object: contact.object,
        });
        self.push(row.as_ref());
        let face_normal = contact.and_then(|contact| contact.face_normal);
        self.has_face_normal.push(face_normal.is_some());
        let face_normal = face_normal.unwrap_or_else(|| V::splat(V::Scalar::ZERO));
        for (axis, column) in self.face_normal[..V::DIM].iter_mut().enumerate() {
            column.push(face_normal.component(axis));
        }
    }

    fn push(&mut self, row: Option<&Row<V>>) {
        let zero = V::Scalar::ZERO;
        let wants = |column| self.wanted.contains(column);
        self.is_hit.push(row.is_some());
        let of = |number: fn(&Row<V>) -> V::Scalar| row.map_or(zero, number);
        if wants(Columns::T) {
            self.t.push(of(|row| row.t));
        }
        if wants(Columns::DISTANCE) {
            self.distance.push(of(|row| row.distance));
        }
        let vectors = [(Columns::POINT, &mut self.point), (Columns::NORMAL, &mut self.normal)];
        for ((column, axes), is_point) in vectors.into_iter().zip([true, false]) {
            if self.wanted.contains(column) {
                let vector = row.map_or(V::from_xyz([zero; 3]), |row| if is_point { row.point } else { row.normal });
                for (axis, column) in axes[..V::DIM].iter_mut().enumerate() {
                    column.push(vector.component(axis));
                }
            }
        }
        if self.wanted.contains(Columns::SIDE) {
            self.is_front.push(row.is_some_and(|row| row.is_front));
        }
        if self.wanted.contains(Columns::UV) {
            let uv = row.and_then(|row| row.uv);
            self.has_uv.push(uv.is_some());
            let uv = uv.unwrap_or([zero; 2]);
            self.uv.iter_mut().zip(uv).for_each(|(column, value)| column.push(value));
        }
        if self.wanted.contains(Columns::PRIMITIVE) {
            let primitive = row.and_then(|row| row.primitive);
            self.has_primitive.push(primitive.is_some());
            self.primitive.push(primitive.unwrap_or(0));
        }
        if self.wanted.contains(Columns::MEMBER) {
            let member = row.and_then(|row| row.member);
            self.has_member.push(member.is_some());
            self.member.push(member.unwrap_or(0));
        }
        if self.wanted.contains(Columns::OBJECT) {
            let object = row.and_then(|row| row.object);
            self.object.push(object.map_or(0, |object| object.index() as u32));
        }
    }

    /// The number of rows that hit something.
    pub(super) fn count_hits(&self) -> u64 {
        self.is_hit.iter().filter(|hit| **hit).count() as u64
    }

    pub(super) fn into_arrays(self) -> HitRowArrays<V> {
        let is_hit = BooleanBuffer::from(&self.is_hit[..]);
        let hits = Some(NullBuffer::new(is_hit.clone())).filter(|hits| hits.null_count() > 0);
        // Most often all hits of a block have these columns, or none.
        let valid = |has: &[bool]| if *has == self.is_hit[..] { hits.clone() } else { Some(has.into()) };
        let (with_uv, with_primitive) = (valid(&self.has_uv), valid(&self.has_primitive));
        let with_member = valid(&self.has_member);
        let with_face_normal = valid(&self.has_face_normal);
        HitRowArrays { is_hit, hits, with_uv, with_primitive, with_member, with_face_normal, rows: self }
    }
}

/// The arrays of rows of hits.
pub(super) struct HitRowArrays<V: Vector> {
    is_hit: BooleanBuffer,
    /// The rows that are hits; `None` where all are.
    hits: Option<NullBuffer>,
    with_uv: Option<NullBuffer>,
    with_primitive: Option<NullBuffer>,
    with_member: Option<NullBuffer>,
    with_face_normal: Option<NullBuffer>,
    rows: HitRows<V>,
}

impl<V: Vector<Scalar: TableFloat>> HitRowArrays<V> {
    fn reals(&self, values: &mut Vec<V::Scalar>, valid: Option<NullBuffer>) -> ArrayRef {
        let values = ScalarBuffer::from(std::mem::take(values));
        Arc::new(PrimitiveArray::<<V::Scalar as TableFloat>::Arrow>::new(values, valid))
    }

    pub(super) fn t(&mut self) -> ArrayRef {
        let mut t = std::mem::take(&mut self.rows.t);
        // A miss has no t; the library marks it with infinity.
        t.iter_mut().zip(&self.rows.is_hit).filter(|(_, hit)| !**hit).for_each(|(t, _)| *t = V::Scalar::ZERO);
        self.reals(&mut t, self.hits.clone())
    }

    pub(super) fn distance(&mut self) -> ArrayRef {
        let mut values = std::mem::take(&mut self.rows.distance);
        self.reals(&mut values, self.hits.clone())
    }

    pub(super) fn point(&mut self, axis: usize) -> ArrayRef {
        let mut values = std::mem::take(&mut self.rows.point[axis]);
        self.reals(&mut values, self.hits.clone())
    }

    pub(super) fn normal(&mut self, axis: usize) -> ArrayRef {
        let mut values = std::mem::take(&mut self.rows.normal[axis]);
        self.reals(&mut values, self.hits.clone())
    }

    pub(super) fn face_normal(&mut self, axis: usize) -> ArrayRef {
        let mut values = std::mem::take(&mut self.rows.face_normal[axis]);
        self.reals(&mut values, self.with_face_normal.clone())
    }

    pub(super) fn front(&self) -> ArrayRef {
        Arc::new(BooleanArray::new(self.rows.is_front[..].into(), self.hits.clone()))
    }

    pub(super) fn uv(&mut self, axis: usize) -> ArrayRef {
        let mut values = std::mem::take(&mut self.rows.uv[axis]);
        self.reals(&mut values, self.with_uv.clone())
    }

    pub(super) fn primitive(&self) -> ArrayRef {
        Arc::new(UInt32Array::new(self.rows.primitive.clone().into(), self.with_primitive.clone()))
    }

    pub(super) fn member(&self) -> ArrayRef {
        Arc::new(UInt32Array::new(self.rows.member.clone().into(), self.with_member.clone()))
    }

    /// The object of each row, by its number in the table; `numbers` has it where objects were left out of the scene.
    pub(super) fn objects(&self, numbers: Option<&[u32]>) -> Vec<Option<u32>> {
        let number = |object: u32| numbers.map_or(object, |numbers| numbers[object as usize]);
        let rows = self.rows.object.iter().zip(&self.rows.is_hit);
        rows.map(|(object, is_hit)| is_hit.then(|| number(*object))).collect()
    }

    /// Numbers that the rows of misses do not have.
    pub(super) fn at_hits(&self, values: Vec<u32>) -> ArrayRef {
        Arc::new(UInt32Array::new(values.into(), self.hits.clone()))
    }

    pub(super) fn is_hit(&self) -> ArrayRef {
        Arc::new(BooleanArray::new(self.is_hit.clone(), None))
    }

    pub(super) fn len(&self) -> usize {
        self.rows.is_hit.len()
    }
}

/// The columns `shape`, `object` and `instance`.
pub(super) fn object_column(
    columns: &ObjectColumns,
    name: &str,
    objects: &[Option<u32>],
) -> Result<ArrayRef, ArrowError> {
    match name {
        "shape" => columns.shape(&mut objects.iter().copied()),
        _ => {
            let both = columns.object_and_instance(objects.iter().copied());
            both.into_iter()
                .nth(usize::from(name == "instance"))
                .ok_or_else(|| ArrowError::InvalidArgumentError(format!("the scene has no column '{name}'")))
        }
    }
}

pub(super) fn numbers(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(values))
}

/// `enter` and `exit`.
pub(super) fn ends(is_exit: &[bool]) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(is_exit.iter().map(|is_exit| if *is_exit { "exit" } else { "enter" })))
}
