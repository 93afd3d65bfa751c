//! Saved scenes: the bytes of [`hitscan::Scene::to_bytes`].

use super::SceneVector;
use crate::dimension::{Dimension, Precision};
use crate::error::{Fault, Result};
use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{Accelerator, Scene, SceneBuilder, SceneLoadError};
use std::any::Any;

/// A saved scene, of the type that it was saved as, with the ids that it had.
#[derive(Clone, Debug)]
pub(super) enum SavedScene {
    Plane(Scene<Vec2>),
    WidePlane(Scene<DVec2>),
    Space(Scene<Vec3>),
    WideSpace(Scene<DVec3>),
}

impl SavedScene {
    /// Loads a scene as the type that its header names.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let loaded = match Scene::<Vec3>::from_bytes(bytes) {
            Err(SceneLoadError::Precision { found: 8, .. }) => Scene::<DVec3>::from_bytes(bytes).map(Self::WideSpace),
            Err(SceneLoadError::Dimension { found: 2, .. }) => match Scene::<Vec2>::from_bytes(bytes) {
                Err(SceneLoadError::Precision { found: 8, .. }) => {
                    Scene::<DVec2>::from_bytes(bytes).map(Self::WidePlane)
                }
                plane => plane.map(Self::Plane),
            },
            space => space.map(Self::Space),
        };
        let scene = loaded.map_err(Fault::caused)?;
        if scene.len() == 0 { Err(Fault::file("the saved scene has no objects")) } else { Ok(scene) }
    }

    /// The number of objects.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Plane(scene) => scene.len(),
            Self::WidePlane(scene) => scene.len(),
            Self::Space(scene) => scene.len(),
            Self::WideSpace(scene) => scene.len(),
        }
    }

    pub(super) fn dimension(&self) -> Dimension {
        match self {
            Self::Plane(_) | Self::WidePlane(_) => Dimension::Two,
            Self::Space(_) | Self::WideSpace(_) => Dimension::Three,
        }
    }

    pub(super) fn precision(&self) -> Precision {
        match self {
            Self::Plane(_) | Self::Space(_) => Precision::F32,
            Self::WidePlane(_) | Self::WideSpace(_) => Precision::F64,
        }
    }

    /// The scene with an accelerator, if it has this type.
    ///
    /// # Errors
    /// The other precision.
    pub(super) fn build<V: SceneVector>(&self, accelerator: Accelerator) -> Result<Scene<V>, Fault> {
        let scene = self.scene::<V>()?;
        Ok(match accelerator {
            Accelerator::Bvh => scene.clone(),
            Accelerator::LinearScan => scene.linear_scan(),
        })
    }

    /// A builder with the objects of the scene, if it has this type: their ids are 0, 1, 2 and so on.
    ///
    /// # Errors
    /// The other precision.
    pub(super) fn builder<V: SceneVector>(&self) -> Result<SceneBuilder<V>, Fault> {
        let mut builder = SceneBuilder::new();
        for (_, object) in self.scene::<V>()?.objects() {
            builder.insert(object.clone()).map_err(Fault::caused)?;
        }
        Ok(builder)
    }

    fn scene<V: SceneVector>(&self) -> Result<&Scene<V>, Fault> {
        let scene: &dyn Any = match self {
            Self::Plane(scene) => scene,
            Self::WidePlane(scene) => scene,
            Self::Space(scene) => scene,
            Self::WideSpace(scene) => scene,
        };
        scene.downcast_ref().ok_or_else(|| {
            let own = if self.precision() == Precision::F32 { "f32" } else { "f64" };
            Fault::file(format!("a scene saved in {own} has no other precision: use --precision {own}"))
        })
    }
}
