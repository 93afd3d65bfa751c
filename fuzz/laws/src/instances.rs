//! Laws of instances: shapes under any finite matrices keep the laws of scenes, and the identity changes no bit.

use crate::cast_input::CastInput;
use crate::law::law;
use crate::numbers::Numbers;
use crate::placement::Placement;
use crate::query::sound;
use crate::recipe::{Recipe, World, in_space, vector};
use crate::scene::{alone, laws};
use hitscan::Real;
use hitscan::{Object, Query, Ray, RayCast, RayLike, Scene, SceneBuilder, Side, Transform, TransformError};
use std::fmt::Debug;

/// Scenes of up to 6 instances; the first byte selects precision and dimension.
pub fn instances(bytes: &[u8]) {
    let mut n = Numbers::new(bytes);
    let mode = n.byte();
    n.set(mode, mode & 4 == 0);
    in_space!(mode, check(&mut n));
}

/// Law: a transform is refused exactly if a number is not finite or the matrix is singular.
fn build<V: World>(placement: &Placement) -> Option<Transform<V>> {
    let axes = placement.axes.map(vector::<V>);
    let built = Transform::new(&axes[..V::DIM], vector(placement.translation));
    let numbers = placement.axes[..V::DIM].iter().chain([&placement.translation]).flatten();
    let finite = numbers.copied().all(f64::is_finite);
    let refused = matches!(built, Err(TransformError::NotFinite));
    law(refused != finite, "instances: finite numbers refused, or others accepted", || {
        format!("{placement:?} {built:?}")
    });
    #[cfg(feature = "oracle")]
    {
        let valid = crate::oracle::is_valid(placement, V::DIM);
        law(built.is_ok() == valid, "instances: singular or not?", || format!("{placement:?} {built:?}"));
    }
    built.ok()
}

/// Object of a scene, with the numbers that it is made of.
#[derive(Clone, Debug)]
struct Made<V: World> {
    object: Object<V>,
    recipe: Recipe,
    placement: Option<Placement>,
}

fn read<V: World>(n: &mut Numbers<'_>) -> Vec<Made<V>> {
    let mut all: Vec<Made<V>> = Vec::new();
    for _ in 0..1 + n.byte() % 6 {
        let what = n.byte();
        // Sometimes the same shape again, under the same transform or another one.
        let again = all.get(usize::from(what >> 4)).filter(|_| what & 1 == 1).cloned();
        let made = match again {
            Some(made) if what & 2 == 0 => Some(made),
            Some(made) => placed(made.object.shape().clone(), made.recipe, n),
            None => {
                let recipe = V::recipe(n);
                V::shape(&recipe).and_then(|shape| placed(shape, recipe, n))
            }
        };
        let layers = [1, 1, 2, 3][usize::from(what >> 2 & 3)];
        all.extend(made.map(|made| Made { object: made.object.on_layers(layers), ..made }));
    }
    all
}

fn placed<V: World>(shape: V::Shape, recipe: Recipe, n: &mut Numbers<'_>) -> Option<Made<V>> {
    let placement = (n.byte() % 8 != 0).then(|| Placement::read(n, V::DIM));
    let object = Object::new(shape);
    let object = match &placement {
        None => object,
        Some(placement) => object.with_transform(build::<V>(placement)?),
    };
    Some(Made { object, recipe, placement })
}

fn check<V: World>(n: &mut Numbers<'_>) {
    let all = read::<V>(n);
    let mut builder = SceneBuilder::new();
    for made in &all {
        let id = builder.insert(made.object.clone());
        law(id.is_ok(), "instances: an object refused", || format!("{id:?}"));
    }
    let scene = builder.build();
    let linear = scene.linear_scan();
    for _ in 0..1 + n.byte() % 2 {
        let input = CastInput::read(n, &scene.finite_bounds());
        match input.is_segment {
            true => each(&all, [&scene, &linear], &input.segment(), &input, n),
            false => each(&all, [&scene, &linear], &input.ray(), &input, n),
        }
    }
}

fn each<V: World>(
    all: &[Made<V>],
    [scene, linear]: [&Scene<V>; 2],
    line: &(impl RayLike<V> + Debug + Copy),
    input: &CastInput,
    n: &Numbers<'_>,
) {
    laws(scene, linear, line, input, false);
    let query = input.query::<V::Scalar>();
    let (first, hits) = (scene.cast_ray(line, query), scene.cast_ray_all(line, query));
    let case = || format!("{all:?}\n{line:?}\n{query:?}\ncast {first:?}\nall {hits:?}");
    // A tangent counts for the first hit of a mesh, and not for a crossing.
    if !all.iter().any(|made| V::is_mesh(made.object.shape())) {
        let same = match (&first, hits.first()) {
            (Some(a), Some(b)) => a.t == b.t && a.object == b.object && a.side == b.side,
            (a, b) => a.is_none() && b.is_none(),
        };
        law(same, "instances: the first hit is not the first of all", case);
    }
    // One group of four, and one more.
    let batch = [*line; 5];
    law(scene.cast_rays(&batch, query).iter().all(|hit| *hit == first), "instances: a batch changes the hit", case);
    let any = scene.intersects_rays(&batch, query);
    law(any.iter().all(|any| *any == first.is_some()), "instances: a batch changes whether there is a hit", case);
    for made in all {
        one(made, line, input, n);
    }
}

fn one<V: World>(made: &Made<V>, line: &(impl RayLike<V> + Debug), input: &CastInput, n: &Numbers<'_>) {
    let Made { object, recipe, placement } = made;
    let (scene, query) = (alone(object), input.query::<V::Scalar>().layers(u32::MAX));
    let case = || format!("{made:?}\n{line:?}\n{query:?}\n{:?}", scene.cast_ray_all(line, query));
    for span in scene.spans(line, query) {
        for hit in span.enter.iter().chain(&span.exit) {
            law(sound(hit, &query, input.is_segment), "instances: a span that ends at no hit", case);
        }
    }
    if object.transform().is_none() {
        let bare = scene_of_shape(object);
        let same = scene.cast_ray(line, query) == bare.cast_ray(line, query)
            && scene.cast_ray_all(line, query) == bare.cast_ray_all(line, query)
            && scene.spans(line, query) == bare.spans(line, query);
        law(same, "instances: the identity changes bits", case);
    }
    if V::is_mesh(object.shape()) && input.is_valid::<V>() && n.tame() {
        closed(&scene, input, case);
    }
    // Exact images of numbers from the whole range of exponents have a million bits.
    #[cfg(feature = "oracle")]
    if n.spread() <= 1e150 {
        crate::oracle::check::<V>(&scene, recipe, placement.as_ref(), line, input);
    }
    let _ = (recipe, placement);
}

fn scene_of_shape<V: World>(object: &Object<V>) -> Scene<V> {
    alone(&Object::new(object.shape().clone()))
}

/// Law: every line crosses the image of a closed mesh as often inward as outward. All closed meshes of the recipes
/// have volume, or are flat.
fn closed<V: World>(scene: &Scene<V>, input: &CastInput, case: impl Fn() -> String) {
    let (origin, end): (V, V) = (vector(input.origin), vector(input.target));
    let ray = if input.is_segment { Ray::new(origin, end - origin) } else { Ray::new(origin, end) };
    if ray.direction.is_zero() || !ray.direction.all_finite() {
        return;
    }
    let all = scene.cast_ray_all(&ray, Query::line());
    let fronts = all.iter().filter(|hit| hit.side == Side::Front).count();
    let case = || format!("{}\nline {all:?}", case());
    law(all.len() % 2 == 0, "instances: closed, but crossed an odd number of times", case);
    law(2 * fronts == all.len(), "instances: closed, but not left as often as entered", case);
    law(scene.count_hits(&ray, Query::line()) == all.len(), "instances: count_hits differs", case);
    let finite = all.iter().all(|hit| hit.t.to_f64().is_finite());
    law(finite, "instances: a hit that is not finite", case);
}
