//! Laws of scenes: the BVH changes nothing, and each answer is the best of the answers of the shapes.

use crate::cast_input::CastInput;
use crate::law::law;
use crate::numbers::Numbers;
use crate::query::sound;
use crate::recipe::{World, in_space, vector};
use hitscan::Real;
use hitscan::{Hit, Object, ObjectId, Query, RayCast, RayLike, Scene, SceneBuilder, Shape, Span};
use hitscan_io::{SceneFile, SceneVector, write_scene};
use std::fmt::Debug;

/// Scenes of up to 12 shapes; the first byte selects precision, dimension, and whether to write and read the scene.
pub fn scene(bytes: &[u8]) {
    let mut n = Numbers::new(bytes);
    let mode = n.byte();
    n.set(mode, mode & 4 == 0);
    let file = mode & 16 != 0;
    in_space!(mode, check(&mut n, file));
}

fn read<V: World>(n: &mut Numbers<'_>) -> Scene<V> {
    let mut builder = SceneBuilder::new();
    let mut objects: Vec<Object<V>> = Vec::new();
    for _ in 0..1 + n.byte() % 12 {
        let what = n.byte();
        // Sometimes the same shape again.
        let object = match objects.get(usize::from(what >> 4)) {
            Some(object) if what & 1 == 1 => Some(object.clone()),
            _ => V::shape(&V::recipe(n)).map(Object::new),
        };
        let layers = [1, 1, 2, 3][usize::from(what >> 1 & 3)];
        objects.extend(object.map(|object| object.on_layers(layers)));
    }
    for (i, object) in objects.into_iter().enumerate() {
        let id = builder.insert(object);
        law(id.as_ref().map(|id| id.index()) == Ok(i), "scene: an object refused", || format!("{id:?}"));
    }
    builder.build()
}

fn check<V: World + SceneVector>(n: &mut Numbers<'_>, file: bool) {
    let scene = read::<V>(n);
    let linear = scene.linear_scan();
    for _ in 0..1 + n.byte() % 2 {
        let input = CastInput::read(n, &scene.finite_bounds());
        // In f32 different t may round to the same number.
        let coarse = n.coarse() && V::Scalar::EPSILON.to_f64() == f64::EPSILON;
        match input.is_segment {
            true => laws(&scene, &linear, &input.segment(), &input, coarse),
            false => laws(&scene, &linear, &input.ray(), &input, coarse),
        }
    }
    let has_mesh = scene.objects().any(|(_, object)| V::is_mesh(object.shape()));
    if file && !has_mesh && !scene.is_empty() {
        round_trip(&scene);
    }
}

/// Law: a written scene reads back as the same scene, number for number.
pub(crate) fn round_trip<V: SceneVector>(scene: &Scene<V>) {
    let write = |scene: &Scene<V>| match write_scene(scene, |_, _| Ok("none.ply".into())) {
        Ok(text) => text,
        Err(error) => panic!("law broken: a scene cannot be written\n{error}\n{scene:?}"),
    };
    let text = write(scene);
    let again = SceneFile::parse_toml("scene.toml", &text).and_then(|file| file.build::<V>());
    let debug = |(_, object): (ObjectId, &Object<V>)| format!("{object:?}");
    match again {
        Ok(again) => {
            let same = scene.objects().map(debug).eq(again.objects().map(debug));
            law(same, "scene file: another scene is read", || format!("{scene:?}\n{text}\n{again:?}"));
            law(write(&again) == text, "scene file: written otherwise", || text.clone());
        }
        Err(error) => law(false, "scene file: what was written is refused", || format!("{error}\n{text}")),
    }
}

pub(crate) fn laws<V: World>(
    scene: &Scene<V>,
    linear: &Scene<V>,
    line: &(impl RayLike<V> + Debug),
    input: &CastInput,
    coarse: bool,
) {
    let query = input.query::<V::Scalar>();
    let (first, all, spans) = (scene.cast_ray(line, query), scene.cast_ray_all(line, query), scene.spans(line, query));
    let case = || {
        let shapes: Vec<String> =
            scene.objects().map(|(i, o)| format!("{i} {} {}\n", written(o), o.layers())).collect();
        format!("{}{line:?}\n{query:?}\ncast {first:?}\nall {all:?}\nspans {spans:?}", shapes.concat())
    };
    law(first == linear.cast_ray(line, query), "scene: the tree changes the first hit", case);
    law(all == linear.cast_ray_all(line, query), "scene: the tree changes the hits", case);
    law(spans == linear.spans(line, query), "scene: the tree changes the spans", case);
    let point: V = vector(input.origin);
    law(scene.contains(point) == linear.contains(point), "scene: the tree changes what is contained", case);
    for scene in [scene, linear] {
        law(scene.intersects_ray(line, query) == first.is_some(), "scene: intersects_ray differs", case);
        law(scene.count_hits(line, query) == all.len(), "scene: count_hits differs", case);
    }
    for hit in all.iter().chain(&first) {
        law(sound(hit, &query, input.is_segment), "scene: a hit that is none", case);
    }
    law(all.is_sorted_by(|a, b| a.t <= b.t), "scene: hits not sorted", case);
    law(!scene.explain(line, query).to_string().is_empty(), "scene: no explanation", case);
    parts(scene, line, &query, first.as_ref(), coarse, case);
    let contained = scene.objects().any(|(_, object)| alone(object).contains(point));
    law(scene.contains(point) == contained, "scene: contains differs from its shapes", case);
    // Hits and spans of a shape.
    for (i, object) in scene.objects() {
        let seen = object.layers() & query.layer_mask() != 0;
        let own = |hit: &Hit<V>| labelled(hit, i);
        let of = |hit: &Hit<V>| hit.object == Some(i);
        let by_itself = alone(object);
        let alone: Vec<_> = by_itself.cast_ray_all(line, query).iter().map(own).collect();
        if object.transform().is_none() {
            let bare: Vec<_> = object.shape().cast_ray_all(line, query).iter().filter(|_| seen).map(own).collect();
            law(alone == bare, "scene: a scene of one shape is not the shape", case);
        }
        // Two t that round against their order: the scene reports the hit of the later shape.
        let same = |(mut hit, alone): (Hit<V>, Hit<V>)| {
            hit.t = if hit.t == alone.t.next_up() { alone.t } else { hit.t };
            hit == alone
        };
        let here: Vec<_> = all.iter().copied().filter(of).collect();
        let same = here.len() == alone.len() && here.into_iter().zip(alone).all(same);
        law(same, "scene: other hits than its shape alone", case);
        let span_of = |s: &Span<V>| s.enter.as_ref().or(s.exit.as_ref()).is_some_and(of);
        let own = |s: &Span<V>| Span { enter: s.enter.as_ref().map(own), exit: s.exit.as_ref().map(own) };
        let alone = by_itself.spans(line, query).into_iter().filter(|s| s.enter.is_some() || s.exit.is_some());
        let alone: Vec<_> = alone.map(|s| own(&s)).collect();
        law(spans.iter().copied().filter(span_of).eq(alone), "scene: other spans than its shape alone", case);
    }
}

/// Scene of one object alone.
pub(crate) fn alone<V: World>(object: &Object<V>) -> Scene<V> {
    let mut builder = SceneBuilder::new();
    let id = builder.insert(object.clone());
    law(id.as_ref().is_ok_and(|id| id.index() == 0), "scene: an object refused", || format!("{id:?}"));
    builder.build()
}

/// Shape and transform.
fn written<V: World>(object: &Object<V>) -> String {
    let transform = object.transform().map(|transform| format!(" {transform:?}"));
    format!("{:?}{}", object.shape(), transform.unwrap_or_default())
}

/// Law: the first hit is the nearest of the first hits of the shapes, and of equals that of the shape added first.
fn parts<V: World>(
    scene: &Scene<V>,
    line: &impl RayLike<V>,
    query: &Query<V::Scalar>,
    first: Option<&Hit<V>>,
    coarse: bool,
    case: impl Fn() -> String,
) {
    let seen = |(_, object): &(ObjectId, &Object<V>)| object.layers() & query.layer_mask() != 0;
    let shapes = scene.objects().filter(seen);
    let own: Vec<(ObjectId, Hit<V>)> =
        shapes.filter_map(|(i, object)| Some((i, alone(object).cast_ray(line, *query)?))).collect();
    let report = || format!("{}\nalone {own:?}", case());
    let Some(hit) = first else { return law(own.is_empty(), "scene: missed, though a shape alone is hit", report) };
    let Some(id) = hit.object else { return law(false, "scene: a hit of no shape", report) };
    let winner = own.iter().find(|(i, _)| *i == id);
    let same = winner.is_some_and(|(_, alone)| labelled(alone, id) == *hit);
    law(same, "scene: not the hit of the shape alone", report);
    law(own.iter().all(|(_, alone)| hit.t <= alone.t), "scene: not the nearest hit", report);
    // Rounded t may be equal where exact ones are not; not at multiples of 2^-10, which
    // shapes of short numbers do not miss narrowly, and not for equal shapes at one place.
    let shape = |i: ObjectId| scene.get(i).map(written);
    for (i, alone) in own.iter().filter(|(i, alone)| i.index() < id.index() && alone.t == hit.t) {
        law(shape(*i) != shape(id), "scene: of two equal shapes not the first one", || {
            format!("{i} {alone:?}\n{}", report())
        });
        let t = hit.t.to_f64() * 1024.0;
        let tie = coarse && t.fract() == 0.0;
        law(!tie, "scene: of two equal hits not the first one", || format!("{i} {alone:?}\n{}", report()));
    }
}

fn labelled<V: World>(hit: &Hit<V>, id: ObjectId) -> Hit<V> {
    let mut hit = *hit;
    hit.object = Some(id);
    hit
}
