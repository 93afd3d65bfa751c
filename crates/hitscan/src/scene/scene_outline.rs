//! Outlines of scenes, their objects and groups, and of the shapes of users.

use crate::hit::ObjectId;
use crate::math::vector::{Vector, Vector2, Vector3};
use crate::outline::outline::Outline;
use crate::outline::outline_pen::OutlinePen;
use crate::outline::outline_segment::OutlineColor;
use crate::queries::shape::Shape;
use crate::scene::any::{AnyShape2, AnyShape3, Space};
use crate::scene::filtered_scene::FilteredScene;
use crate::scene::group::Group;
use crate::scene::instance::Instance;
use crate::scene::object::Object;
use crate::scene::object_filter::ObjectFilter;
use crate::scene::scene::Scene;
use crate::scene::scene_view::SceneView;
use crate::scene::user_shape::UserShape;
use crate::solid::solid::Solid;

/// Implements [`Outline`] for the enum of the shapes of a space.
macro_rules! any_outline {
    ($any:ident, $vector:ident, { $($variant:ident),+ }) => {
        impl<V: $vector + Space> Outline<V> for $any<V> {
            fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
                match self { $(Self::$variant(shape) => shape.draw_outline(pen)),+ }
            }
        }
    };
}

any_outline!(AnyShape2, Vector2, {
    Circle, HalfPlane, Line, Segment, Rectangle, OrientedRectangle, Capsule, TaperedCapsule, Triangle, Polygon, Ellipse,
    Group, Solid, User
});

any_outline!(AnyShape3, Vector3, {
    Sphere, HalfSpace, Plane, Disk, Cuboid, OrientedBox, Capsule, TaperedCapsule, Cylinder, Cone, Frustum, Ellipsoid,
    Triangle, Quad, Mesh, Group, Solid, User
});

/// The edges of the bounds: the library knows nothing else of the geometry.
impl<V: Vector> Outline<V> for UserShape<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        let bounds = self.aabb();
        if bounds.is_bounded() {
            pen.colored(OutlineColor::Bounds, |pen| bounds.draw_outline(pen));
        }
    }
}

impl<V: Space> Outline<V> for Group<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        draw_objects(self.objects(), pen);
    }
}

/// The outlines of all leaves, also of those that are subtracted.
impl<V: Space> Outline<V> for Solid<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        self.leaves().for_each(|leaf| leaf.draw_outline(pen));
    }
}

impl<V: Space> Outline<V> for Instance<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        match self.transform() {
            None => self.shape().draw_outline(pen),
            Some(transform) => pen.under(transform, |pen| self.shape().draw_outline(pen)),
        }
    }
}

impl<V: Space> Outline<V> for Object<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        let color = if self.is_trigger() { OutlineColor::Trigger } else { pen.color };
        pen.colored(color, |pen| self.instance().draw_outline(pen));
    }
}

impl<V: Space> Outline<V> for Scene<V> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        draw_objects(self.objects(), pen);
    }
}

impl<V: Space, F: ObjectFilter<V>> Outline<V> for FilteredScene<'_, V, F> {
    fn draw_outline(&self, pen: &mut OutlinePen<'_, V>) {
        let SceneView { scene, accept } = self.view();
        // The mask holds for members of groups, too.
        let before = pen.layers;
        pen.layers &= accept.layers;
        draw_objects(scene.objects().filter(|(id, object)| accept.accepts(*id, object)), pen);
        pen.layers = before;
    }
}

/// Draws the objects that are on a layer of the pen.
fn draw_objects<'a, V: Space>(objects: impl Iterator<Item = (ObjectId, &'a Object<V>)>, pen: &mut OutlinePen<'_, V>) {
    for (_, object) in objects {
        if object.layers() & pen.layers != 0 {
            object.draw_outline(pen);
        }
    }
}
