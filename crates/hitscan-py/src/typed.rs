//! Values of the four vector types: one enum for what Python sees as one class.

use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
use hitscan::{FilteredScene, Instance, Object, ObjectId, Scene, Shape, Space};
use hitscan_io::SceneVector;
use std::sync::Arc;

/// A vector type of the package, whose numbers NumPy has.
pub(crate) trait PyVector: SceneVector + Space<Scalar: numpy::Element, Double: Space> {}
impl<V: SceneVector + Space<Scalar: numpy::Element, Double: Space>> PyVector for V {}

/// One value for each vector type.
#[derive(Clone, Debug)]
pub(crate) enum Typed<F2, D2, F3, D3> {
    /// In the plane, `float32`.
    F2(F2),
    /// In the plane, `float64`.
    D2(D2),
    /// In space, `float32`.
    F3(F3),
    /// In space, `float64`.
    D3(D3),
}

/// Evaluates an expression with the value of an enum [`Typed`], whatever its vector type; a second name is that type.
macro_rules! with_typed {
    ($typed:expr, $value:ident => $body:expr) => {
        match $typed {
            $crate::typed::Typed::F2($value) => $body,
            $crate::typed::Typed::D2($value) => $body,
            $crate::typed::Typed::F3($value) => $body,
            $crate::typed::Typed::D3($value) => $body,
        }
    };
    ($typed:expr, $value:ident: $vector:ident => $body:expr) => {
        match $typed {
            $crate::typed::Typed::F2($value) => {
                type $vector = hitscan::glam::Vec2;
                $body
            }
            $crate::typed::Typed::D2($value) => {
                type $vector = hitscan::glam::DVec2;
                $body
            }
            $crate::typed::Typed::F3($value) => {
                type $vector = hitscan::glam::Vec3;
                $body
            }
            $crate::typed::Typed::D3($value) => {
                type $vector = hitscan::glam::DVec3;
                $body
            }
        }
    };
}
/// Maps the value of an enum [`Typed`] to one of the same vector type.
macro_rules! map_typed {
    ($typed:expr, $value:ident => $body:expr) => {
        match $typed {
            $crate::typed::Typed::F2($value) => $crate::typed::Typed::F2($body),
            $crate::typed::Typed::D2($value) => $crate::typed::Typed::D2($body),
            $crate::typed::Typed::F3($value) => $crate::typed::Typed::F3($body),
            $crate::typed::Typed::D3($value) => $crate::typed::Typed::D3($body),
        }
    };
}
pub(crate) use {map_typed, with_typed};

/// A shape of any vector type.
pub(crate) type AnyShape =
    Typed<<Vec2 as Space>::Shape, <DVec2 as Space>::Shape, <Vec3 as Space>::Shape, <DVec3 as Space>::Shape>;

/// A scene of any vector type.
pub(crate) type AnyScene = Typed<Scene<Vec2>, Scene<DVec2>, Scene<Vec3>, Scene<DVec3>>;

/// What queries look at, of any vector type.
pub(crate) type AnyQueried = Typed<Queried<Vec2>, Queried<DVec2>, Queried<Vec3>, Queried<DVec3>>;

/// Conversion of a value of a vector type to the enum.
pub(crate) trait IntoTyped {
    /// The enum.
    type Any;
    /// The value in its enum.
    fn into_typed(self) -> Self::Any;
}

macro_rules! into_typed {
    ($($vector:ty => $variant:ident),+) => {$(
        impl IntoTyped for Scene<$vector> {
            type Any = AnyScene;
            fn into_typed(self) -> AnyScene {
                Typed::$variant(self)
            }
        }
        impl IntoTyped for Queried<$vector> {
            type Any = AnyQueried;
            fn into_typed(self) -> AnyQueried {
                Typed::$variant(self)
            }
        }
    )+};
}
into_typed!(Vec2 => F2, DVec2 => D2, Vec3 => F3, DVec3 => D3);

/// What queries look at: a shape, or a snapshot of a scene, perhaps without some of its objects. A clone is cheap.
#[derive(Clone, Debug)]
pub(crate) enum Queried<V: Space> {
    /// A shape or a mesh.
    Shape(Arc<Instance<V>>),
    /// A snapshot of a scene, and what of it counts.
    Scene(Scene<V>, Counted),
}

/// What of a scene counts: the layers, whether triggers do, and the objects that do not.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    pub(crate) layers: u32,
    pub(crate) triggers: TriggersCount,
    pub(crate) excluded: Arc<[ObjectId]>,
}

/// Whether triggers count as other objects do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TriggersCount {
    Like,
    Never,
}

impl Counted {
    fn is_all(&self) -> bool {
        self.layers == u32::MAX && self.triggers == TriggersCount::Like && self.excluded.is_empty()
    }
    /// What counts of a scene.
    pub(crate) fn of<'s, V: Space>(&self, scene: &'s Scene<V>) -> FilteredScene<'s, V> {
        let counted = scene.excluding(self.excluded.iter()).on_layers(self.layers);
        if self.triggers == TriggersCount::Never { counted.without_triggers() } else { counted }
    }
}

impl<V: Space> Queried<V> {
    /// Calls `query` with the shape or the scene.
    pub(crate) fn with<R>(&self, query: impl FnOnce(&dyn Shape<V>) -> R) -> R {
        match self {
            Self::Shape(shape) => query(&**shape),
            Self::Scene(scene, counted) if counted.is_all() => query(scene),
            Self::Scene(scene, counted) => query(&counted.of(scene)),
        }
    }
    /// Calls `query` with the filtered scene, or with a scene of the one shape.
    pub(crate) fn with_scene<R>(&self, query: impl FnOnce(FilteredScene<'_, V>) -> R) -> R {
        match self {
            Self::Shape(shape) => query(scene_of::<V>(shape.shape()).on_layers(u32::MAX)),
            Self::Scene(scene, counted) => query(counted.of(scene)),
        }
    }
    /// Calls `query` with a scene of what is not filtered.
    pub(crate) fn with_whole_scene<R>(&self, query: impl FnOnce(&Scene<V>) -> R) -> R {
        match self {
            Self::Shape(shape) => query(&scene_of::<V>(shape.shape())),
            Self::Scene(scene, Counted { layers, triggers, excluded }) => {
                let mut rest = scene.snapshot();
                for (id, object) in scene.objects() {
                    let is_refused = object.is_trigger() && *triggers == TriggersCount::Never;
                    if is_refused || excluded.contains(&id) || object.layers() & layers == 0 {
                        // The id is that of an object.
                        let _ = rest.remove(id);
                    }
                }
                query(&rest)
            }
        }
    }
}

/// A scene of one shape.
pub(crate) fn scene_of<V: Space>(shape: &V::Shape) -> Scene<V> {
    let mut scene = Scene::new();
    // It has room and no names, and the object is on a layer.
    let _ = scene.insert(Object::new(shape.clone()));
    scene
}
