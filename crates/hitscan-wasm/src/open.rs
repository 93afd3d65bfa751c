//! Open scenes.

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
pub(crate) trait Work {
    fn with<V: Space>(self, scene: &Scene<V>) -> i32;
}

/// Vector type whose shapes convert to [`Plain`] for the textbook's formulas.
pub(crate) trait Space: SceneVector {
    /// Converts a shape reference.
    fn plain(shape: &Self::Shape) -> Plain<'_>;
}

/// Reference to a shape of the plane or of space.
pub(crate) enum Plain<'a> {
    Flat(&'a AnyShape2<DVec2>),
    Spatial(&'a AnyShape3<DVec3>),
}

impl Space for DVec2 {
    fn plain(shape: &Self::Shape) -> Plain<'_> {
        Plain::Flat(shape)
    }
}
impl Space for DVec3 {
    fn plain(shape: &Self::Shape) -> Plain<'_> {
        Plain::Spatial(shape)
    }
}

/// Operation on an `f32` scene.
pub(crate) trait QuickWork {
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

    pub(crate) fn with(&self, work: impl Work) -> i32 {
        match &self.scene {
            Built::Flat(scene, _) => work.with(scene),
            Built::Spatial(scene, _) => work.with(scene),
        }
    }

    pub(crate) fn with_f32(&self, work: impl QuickWork) -> Result<i32> {
        Ok(match &self.scene {
            Built::Flat(_, single) => work.with(self.built(single)?),
            Built::Spatial(_, single) => work.with(self.built(single)?),
        })
    }

    fn built<'a, V: SceneVector>(&self, cell: &'a OnceCell<Scene<V>>) -> Result<&'a Scene<V>> {
        if let Some(scene) = cell.get() {
            return Ok(scene);
        }
        let scene = self.file.build()?;
        Ok(cell.get_or_init(|| scene))
    }

    /// The scene, if it is three-dimensional.
    pub(crate) fn spatial(&self) -> Option<&Scene<DVec3>> {
        if let Built::Spatial(scene, _) = &self.scene { Some(scene) } else { None }
    }
}
