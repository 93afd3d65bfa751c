//! Open scenes.

use crate::volume::SolidVolume;
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{AnyShape2, AnyShape3, Scene};
use hitscan_io::{Dimension, Result, SceneFile, SceneVector};
use std::cell::OnceCell;

/// Open scene: a scene file and the scenes built from it.
pub(crate) struct Open {
    pub(crate) file: SceneFile,
    scene: Built,
}

/// Built scenes by dimension: in `f64`, and lazily in `f32`.
enum Built {
    Flat(Scene<DVec2>, OnceCell<Scene<Vec2>>),
    Spatial(Scene<DVec3>, OnceCell<Scene<Vec3>>),
}

/// Operation on an `f64` scene, generic over the vector type.
pub(crate) trait WithScene {
    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> i32;
}

/// Vector type of an open scene, whose shapes convert to [`ShapeRef`] and to volumes.
pub(crate) trait SceneSpace: SceneVector<Scalar = f64> {
    /// Converts a shape reference.
    fn shape_ref(shape: &Self::Shape) -> ShapeRef<'_>;
    /// The shape as the volume of an overlap query, if it is a sphere, a box or a capsule.
    fn volume(shape: &Self::Shape) -> Option<SolidVolume<Self>>;
    /// The scene, if it has this dimension.
    fn scene(open: &Open) -> Option<&Scene<Self>>;
}

/// Reference to a shape of the plane or of space.
pub(crate) enum ShapeRef<'a> {
    Flat(&'a AnyShape2<DVec2>),
    Spatial(&'a AnyShape3<DVec3>),
}

impl SceneSpace for DVec2 {
    fn shape_ref(shape: &Self::Shape) -> ShapeRef<'_> {
        ShapeRef::Flat(shape)
    }

    fn volume(shape: &Self::Shape) -> Option<SolidVolume<Self>> {
        Some(match shape {
            AnyShape2::Circle(circle) => circle.into(),
            AnyShape2::Rectangle(rectangle) => rectangle.into(),
            AnyShape2::OrientedRectangle(oriented) => oriented.into(),
            AnyShape2::Capsule(capsule) => capsule.into(),
            _ => return None,
        })
    }

    fn scene(open: &Open) -> Option<&Scene<Self>> {
        if let Built::Flat(scene, _) = &open.scene { Some(scene) } else { None }
    }
}
impl SceneSpace for DVec3 {
    fn shape_ref(shape: &Self::Shape) -> ShapeRef<'_> {
        ShapeRef::Spatial(shape)
    }

    fn volume(shape: &Self::Shape) -> Option<SolidVolume<Self>> {
        Some(match shape {
            AnyShape3::Sphere(sphere) => sphere.into(),
            AnyShape3::Cuboid(cuboid) => cuboid.into(),
            AnyShape3::OrientedBox(oriented) => oriented.into(),
            AnyShape3::Capsule(capsule) => capsule.into(),
            _ => return None,
        })
    }

    fn scene(open: &Open) -> Option<&Scene<Self>> {
        if let Built::Spatial(scene, _) = &open.scene { Some(scene) } else { None }
    }
}

/// Operation on an `f32` scene.
pub(crate) trait WithSceneF32 {
    fn with<V: SceneVector>(self, scene: &Scene<V>) -> i32;
}

impl Open {
    pub(crate) fn new(file: SceneFile) -> Result<Self> {
        let scene = match file.dimension() {
            Dimension::Two => Built::Flat(file.build()?, OnceCell::new()),
            Dimension::Three => Built::Spatial(file.build()?, OnceCell::new()),
        };
        Ok(Self { file, scene })
    }

    pub(crate) fn with(&self, visitor: impl WithScene) -> i32 {
        match &self.scene {
            Built::Flat(scene, _) => visitor.with(scene),
            Built::Spatial(scene, _) => visitor.with(scene),
        }
    }

    pub(crate) fn with_f32(&self, visitor: impl WithSceneF32) -> Result<i32> {
        Ok(match &self.scene {
            Built::Flat(_, single) => visitor.with(self.built(single)?),
            Built::Spatial(_, single) => visitor.with(self.built(single)?),
        })
    }

    fn built<'a, V: SceneVector>(&self, cell: &'a OnceCell<Scene<V>>) -> Result<&'a Scene<V>> {
        if let Some(scene) = cell.get() {
            return Ok(scene);
        }
        let scene = self.file.build()?;
        Ok(cell.get_or_init(|| scene))
    }
}
