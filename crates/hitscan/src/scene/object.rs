//! Objects of a scene: shapes with a place, a name, layers, and rules of their own.

use crate::query::{Faces, Inside, Query, Triggers};
use crate::scene::any::Space;
use crate::scene::instance::Instance;
use crate::transform::Transform;
use alloc::string::String;
use alloc::sync::Arc;

/// The number of layers: the bits of a layer mask.
pub(crate) const LAYERS: usize = u32::BITS as usize;

/// An object of a scene: a shape with an optional transform and name, a layer mask, a number of the user's, and rules of
/// its own.
///
/// ```
/// use hitscan::{glam::Vec3, Faces, Object, Sphere};
/// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
/// let object: Object<Vec3> = Object::new(ball).named("ball").on_layers(0b10).with_user_data(7).with_faces(Faces::Both);
/// assert_eq!((object.name(), object.layers(), object.user_data()), (Some("ball"), 0b10, 7));
/// # Ok::<(), hitscan::ShapeError>(())
/// ```
// The instance comes first: a query of a small shape reads the first cache line only.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Object<V: Space> {
    pub(crate) instance: Instance<V>,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) user_data: u64,
    pub(crate) layers: u32,
    pub(crate) faces: Option<Faces>,
    pub(crate) inside: Option<Inside>,
    pub(crate) is_trigger: bool,
}

impl<V: Space> Object<V> {
    /// An object without a name, on layer 0 (the mask 1), with user data 0 and the rules of each query. Give a mesh as a clone of an
    /// `Arc` to share it.
    #[must_use]
    pub fn new(shape: impl Into<V::Shape>) -> Self {
        let instance = Instance::new(shape);
        Self { instance, name: None, user_data: 0, layers: 1, faces: None, inside: None, is_trigger: false }
    }
    /// Sets the transform: the object is the exact image of its shape.
    #[must_use]
    pub fn with_transform(mut self, transform: Transform<V>) -> Self {
        self.instance.0.set_transform(transform);
        self
    }
    /// Sets the name. No two objects of a scene may have the same one.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(Arc::from(name.into())), ..self }
    }
    /// Sets the layer mask: one bit per layer.
    #[must_use]
    pub fn on_layers(self, mask: u32) -> Self {
        Self { layers: mask, ..self }
    }
    /// Sets a number of the user's. Queries do not read it.
    #[must_use]
    pub fn with_user_data(self, number: u64) -> Self {
        Self { user_data: number, ..self }
    }
    /// Sets the faces that count for this object, in place of those of a query.
    #[must_use]
    pub fn with_faces(self, faces: Faces) -> Self {
        Self { faces: Some(faces), ..self }
    }
    /// Sets the rule for rays that start inside this object, in place of that of a query.
    #[must_use]
    pub fn with_inside(self, inside: Inside) -> Self {
        Self { inside: Some(inside), ..self }
    }
    /// Makes the object a trigger: closest-hit and any-hit queries pass through it, and queries of all hits mark it by
    /// [`Hit::is_trigger`](crate::Hit::is_trigger). [`Triggers`](crate::Triggers) has the other rules.
    /// [`RayCast::cast_ray_through`](crate::RayCast::cast_ray_through) finds the triggers before the closest hit.
    #[doc(alias("sensor", "is_trigger"))]
    #[must_use]
    pub fn as_trigger(self) -> Self {
        Self { is_trigger: true, ..self }
    }
    /// The shape under the transform, with all queries.
    #[must_use]
    pub fn instance(&self) -> &Instance<V> {
        &self.instance
    }
    /// The shape, without the transform.
    #[must_use]
    pub fn shape(&self) -> &V::Shape {
        &self.instance.0.shape
    }
    /// The name, if the object has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
    /// The layer mask.
    #[must_use]
    pub fn layers(&self) -> u32 {
        self.layers
    }
    /// The number of the user's.
    #[must_use]
    pub fn user_data(&self) -> u64 {
        self.user_data
    }
    /// The faces that count for this object; `None` if the query says.
    #[must_use]
    pub fn faces(&self) -> Option<Faces> {
        self.faces
    }
    /// The rule for rays that start inside this object; `None` if the query says.
    #[must_use]
    pub fn inside(&self) -> Option<Inside> {
        self.inside
    }
    /// Whether the object is a trigger.
    #[must_use]
    pub fn is_trigger(&self) -> bool {
        self.is_trigger
    }
    /// Whether a query for one hit looks at the object: it is on a layer of the query, and no trigger that rays pass through.
    #[must_use]
    pub fn is_seen_by(&self, query: &Query<V::Scalar>) -> bool {
        self.layers & query.layer_mask() != 0 && (!self.is_trigger || query.trigger_mode() == Triggers::Hit)
    }
    /// Whether the object has rules in place of those of a query.
    pub(crate) fn has_rules(&self) -> bool {
        self.faces.is_some() || self.inside.is_some()
    }
    /// The query with the rules of the object in place of its own.
    pub fn own_query(&self, query: &Query<V::Scalar>) -> Query<V::Scalar> {
        let query = self.faces.map_or(*query, |faces| query.faces(faces));
        self.inside.filter(|_| !query.has_only_boundaries()).map_or(query, |inside| query.inside(inside))
    }
    /// The transform, if the object has one that is not the identity.
    #[must_use]
    pub fn transform(&self) -> Option<&Transform<V>> {
        self.instance.0.transform()
    }
}
