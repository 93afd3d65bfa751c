//! Scenes without some of their objects, by id, filter and layer.

use crate::hit::ObjectId;
use crate::scene::any::Space;
use crate::scene::object::Object;
use crate::scene::scene::Scene;
use crate::scene::scene_view::SceneView;
use crate::scene::tree_level::ObjectFilter;

/// A scene without the objects that a filter refuses. It has the queries of a scene; refused objects cost a ray no test.
///
/// [`Scene::excluding`], [`Scene::filtered`] and [`Scene::on_layers`] make one, at no cost.
#[derive(Clone, Copy)]
pub struct FilteredScene<'a, V: Space>(pub(crate) SceneView<'a, V>);

impl<V: Space> core::fmt::Debug for FilteredScene<'_, V> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("FilteredScene").field("scene", self.0.scene).finish_non_exhaustive()
    }
}

impl<V: Space> Scene<V> {
    /// The scene without the objects of these ids, for example without the object that casts the ray. Ids of no object
    /// are ignored. O(ids) for each object that a ray may hit.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, Ray, RayCast, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let own = scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?))?;
    /// let other = scene.insert(Object::new(Sphere::new(Vec3::Z * 5.0, 1.0)?))?;
    /// let from_own = Ray::new(Vec3::ZERO, Vec3::Z);
    /// assert_eq!(scene.cast_ray(&from_own, ..).and_then(|hit| hit.object), Some(own));
    /// assert_eq!(scene.excluding(&[own]).cast_ray(&from_own, ..).and_then(|hit| hit.object), Some(other));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("exclude", "ignore", "exclude_collider"))]
    #[must_use]
    pub fn excluding<'a>(&'a self, ids: &'a [ObjectId]) -> FilteredScene<'a, V> {
        FilteredScene(SceneView::new(self, ObjectFilter::Excluding(ids)))
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
    /// let ray = Ray::new(Vec3::ZERO, Vec3::Z);
    /// let hit = scene.filtered(&|_id, object| object.user_data() != 7).cast_ray(&ray, ..).ok_or("a miss")?;
    /// assert_eq!(hit.t, 5.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn filtered<'a>(
        &'a self,
        filter: &'a (dyn Fn(ObjectId, &Object<V>) -> bool + Sync + 'a),
    ) -> FilteredScene<'a, V> {
        FilteredScene(SceneView::new(self, ObjectFilter::Where(filter)))
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
    /// assert_eq!(scene.excluding(&[own]).on_layers(body).distance(Vec3::ZERO), Some(2.0));
    /// assert!(!scene.on_layers(building).contains(Vec3::ZERO));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("layer_mask", "collision_mask"))]
    #[must_use]
    pub fn on_layers(&self, mask: u32) -> FilteredScene<'_, V> {
        self.unfiltered().on_layers(mask)
    }

    #[inline(always)]
    pub(crate) fn unfiltered(&self) -> FilteredScene<'_, V> {
        FilteredScene(SceneView::new(self, ObjectFilter::All))
    }
}

impl<V: Space> FilteredScene<'_, V> {
    /// The filtered scene without the objects that share no layer with the mask: see [`Scene::on_layers`]. Of two masks, the
    /// layers in both count.
    #[must_use]
    pub fn on_layers(mut self, mask: u32) -> Self {
        self.0.accept.layers &= mask;
        self
    }
}
