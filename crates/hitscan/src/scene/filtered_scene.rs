//! Scenes without some of their objects, by id, filter, layer and trigger.

use crate::hit::ObjectId;
use crate::query::Triggers;
use crate::scene::any::Space;
use crate::scene::object::Object;
use crate::scene::object_filter::{AllObjects, Both, ObjectFilter};
use crate::scene::scene::Scene;
use crate::scene::scene_view::SceneView;
use crate::scene::tree_level::Accept;
use core::borrow::Borrow;
use smallvec::SmallVec;

/// A scene without some objects: those that its ids, its filter or its layers leave out, or its triggers. It has the queries of a
/// scene: rays, sweeps, closest points, containment, overlaps. A query skips the objects that are left out, without a test.
///
/// [`Scene::excluding`], [`Scene::filtered`], [`Scene::on_layers`] and [`Scene::without_triggers`] make one. It borrows the scene,
/// owns its ids and its filter, and has the same four methods again, in any order: an object must pass all of them. No object is
/// copied, and up to four ids take no memory of their own.
///
/// ```
/// use hitscan::{glam::Vec3, Object, OverlapQuery, PointQuery, Ray, RayCast, Scene, Sphere};
/// let mut scene = Scene::new();
/// let [body, building] = [0b01, 0b10];
/// let player = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?).on_layers(body))?;
/// let ghost = scene.insert(Object::new(Sphere::new(Vec3::X * 3.0, 1.0)?).on_layers(body).with_user_data(1))?;
/// let enemy = scene.insert(Object::new(Sphere::new(Vec3::X * 6.0, 1.0)?).on_layers(body))?;
/// scene.insert(Object::new(Sphere::new(Vec3::X * 9.0, 1.0)?).on_layers(building))?;
///
/// let team = [1]; // the closure may borrow what it needs
/// let targets = scene.excluding([player]).on_layers(body).filtered(|_id, object| !team.contains(&object.user_data()));
/// let ray = Ray::new(Vec3::ZERO, Vec3::X);
/// assert_eq!(targets.cast_ray(&ray, ..).and_then(|hit| hit.object), Some(enemy));
/// assert!(!targets.overlaps(Sphere::new(Vec3::X * 9.0, 0.5)?)); // the building is on another layer
/// assert_eq!(targets.distance(Vec3::ZERO), Some(5.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FilteredScene<'a, V: Space, F = AllObjects> {
    scene: &'a Scene<V>,
    layers: u32,
    triggers: Triggers,
    excluded: SmallVec<[ObjectId; 4]>,
    filter: F,
}

impl<V: Space, F> core::fmt::Debug for FilteredScene<'_, V, F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut fields = f.debug_struct("FilteredScene");
        fields.field("scene", self.scene).field("layers", &self.layers).field("triggers", &self.triggers);
        fields.field("excluded", &self.excluded);
        fields.finish_non_exhaustive()
    }
}

impl<V: Space> Scene<V> {
    /// The scene without the objects of these ids, for example without the object that casts the ray. Ids of no object
    /// are ignored. O(ids) for each object that a ray may hit; a [`filtered`](Self::filtered) scene may look an id up in a set.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let own = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?))?;
    /// let other = scene.insert(Object::new(Sphere::new(Vec3::Z * 5.0, 1.0)?))?;
    /// let from_own = Ray::new(Vec3::ZERO, Vec3::Z);
    /// assert_eq!(scene.cast_ray(&from_own, ..).and_then(|hit| hit.object), Some(own));
    /// let others = scene.excluding([own]);
    /// assert_eq!(others.cast_ray(&from_own, ..).and_then(|hit| hit.object), Some(other));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("exclude", "ignore", "exclude_collider"))]
    #[must_use]
    pub fn excluding(&self, ids: impl IntoIterator<Item = impl Borrow<ObjectId>>) -> FilteredScene<'_, V> {
        self.unfiltered().excluding(ids)
    }

    /// The scene without the objects that the filter refuses. A query calls the filter for each object that its ray may
    /// hit: in any order, on any thread, and perhaps twice. Members of groups are not asked.
    ///
    /// A filter of hits is [`RayCast::cast_ray_where`](crate::RayCast::cast_ray_where).
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// for (body, z) in [(7, 0.0), (7, 3.0), (8, 6.0)] {
    ///     scene.insert(Object::new(Sphere::new(Vec3::Z * z, 1.0)?).with_user_data(body))?;
    /// }
    /// let own = 7;
    /// let others = scene.filtered(|_id, object| object.user_data() != own);
    /// let hit = others.cast_ray(&Ray::new(Vec3::ZERO, Vec3::Z), ..).ok_or("a miss")?;
    /// assert_eq!(hit.t, 5.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn filtered<F>(&self, filter: F) -> FilteredScene<'_, V, F>
    where
        F: Fn(ObjectId, &Object<V>) -> bool + Send + Sync,
    {
        let FilteredScene { scene, layers, triggers, excluded, .. } = self.unfiltered();
        FilteredScene { scene, layers, triggers, excluded, filter }
    }

    /// The scene without the objects that share no layer with the mask, for every query: rays, closest points, containment,
    /// overlaps. Of a group, only the members on a layer of the mask count: the mask must match at each level.
    ///
    /// A ray that has a mask, too ([`Query::layers`](crate::Query::layers)), sees the objects on layers of both masks.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, PointQuery, Scene, Shape, Sphere};
    /// let mut scene = Scene::new();
    /// let [body, building] = [0b01, 0b10];
    /// let own = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?).on_layers(body))?;
    /// scene.insert(Object::new(Sphere::new(Vec3::X * 3.0, 1.0)?).on_layers(body))?;
    /// scene.insert(Object::new(Sphere::new(Vec3::X * 9.0, 1.0)?).on_layers(building))?;
    /// assert_eq!(scene.on_layers(building).distance(Vec3::ZERO), Some(8.0));
    /// assert_eq!(scene.excluding([own]).on_layers(body).distance(Vec3::ZERO), Some(2.0));
    /// assert!(!scene.on_layers(building).contains(Vec3::ZERO));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("layer_mask", "collision_mask"))]
    #[must_use]
    pub fn on_layers(&self, mask: u32) -> FilteredScene<'_, V> {
        self.unfiltered().on_layers(mask)
    }

    /// The scene without triggers, for every query: rays, closest points, containment, overlaps; of a group, without the members
    /// that are triggers. In a whole scene, closest points, containment and overlaps count triggers like other objects.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, OverlapQuery, PointQuery, Scene, Shape, Sphere};
    /// let mut scene = Scene::new();
    /// scene.insert(Object::new(Sphere::new(Vec3::ZERO, 4.0)?).as_trigger())?;
    /// let rock = scene.insert(Object::new(Sphere::new(Vec3::X * 9.0, 1.0)?))?;
    /// assert!(scene.contains(Vec3::ZERO) && scene.overlaps(Sphere::new(Vec3::ZERO, 1.0)?));
    /// let solid = scene.without_triggers();
    /// assert!(!solid.contains(Vec3::ZERO) && !solid.overlaps(Sphere::new(Vec3::ZERO, 1.0)?));
    /// assert_eq!(solid.closest_point(Vec3::ZERO).and_then(|found| found.object), Some(rock));
    /// assert_eq!(solid.excluding([rock]).closest_point(Vec3::ZERO), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("sensor", "exclude_sensors", "QueryTriggerInteraction"))]
    #[must_use]
    pub fn without_triggers(&self) -> FilteredScene<'_, V> {
        self.unfiltered().without_triggers()
    }

    /// The filtered scene that leaves nothing out.
    pub(crate) fn unfiltered(&self) -> FilteredScene<'_, V> {
        let triggers = Triggers::Pass;
        FilteredScene { scene: self, layers: u32::MAX, triggers, excluded: SmallVec::new(), filter: AllObjects }
    }
}

impl<'a, V: Space, F: ObjectFilter<V>> FilteredScene<'a, V, F> {
    /// The filtered scene without the objects of these ids, too: see [`Scene::excluding`].
    #[must_use]
    pub fn excluding(mut self, ids: impl IntoIterator<Item = impl Borrow<ObjectId>>) -> Self {
        self.excluded.extend(ids.into_iter().map(|id| *id.borrow()));
        self
    }

    /// The filtered scene without the objects that this filter refuses, too: see [`Scene::filtered`]. It asks the filters in their
    /// order, and the second one only about objects that the first one accepts.
    #[must_use]
    pub fn filtered<G>(self, filter: G) -> FilteredScene<'a, V, Both<F, G>>
    where
        G: Fn(ObjectId, &Object<V>) -> bool + Send + Sync,
    {
        let Self { scene, layers, triggers, excluded, filter: first } = self;
        FilteredScene { scene, layers, triggers, excluded, filter: Both(first, filter) }
    }

    /// The filtered scene without the objects that share no layer with the mask: see [`Scene::on_layers`]. Of two masks, the
    /// layers in both count.
    #[must_use]
    pub fn on_layers(mut self, mask: u32) -> Self {
        self.layers &= mask;
        self
    }

    /// The filtered scene without triggers: see [`Scene::without_triggers`].
    #[must_use]
    pub fn without_triggers(mut self) -> Self {
        self.triggers = Triggers::Ignore;
        self
    }

    /// What queries look at.
    #[inline]
    pub(crate) fn view(&self) -> SceneView<'_, V> {
        let filter = (!self.filter.accepts_all()).then_some(&self.filter as &dyn ObjectFilter<V>);
        let accept = Accept { layers: self.layers, triggers: self.triggers, excluded: &self.excluded, filter };
        SceneView { scene: self.scene, accept }
    }
}
