//! Replies to the queries of the page, generic over the vector type of the scene.

use crate::lab_query::{LabQuery, vector};
use crate::open::{SceneSpace, WithScene, WithSceneF32};
use crate::reply::Reply;
use crate::textbook::{self, RayF32};
use hitscan::Real;
use hitscan::{Object, ObjectId, Ray, RayCast, RayLike, Scene, Shape, Step};
use hitscan_io::{Detail, ExplainReport, RayOrSegment, SceneFile, SceneVector, fmt, shape_parameters};

/// Description of a scene: its shapes.
pub(crate) struct Describe<'a> {
    pub(crate) file: &'a SceneFile,
    pub(crate) reply: &'a mut Reply,
}

impl WithScene for Describe<'_> {
    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> i32 {
        let Self { file, reply } = self;
        reply.count(scene.len());
        for (shape, ((_, object), name)) in scene.objects().zip(fmt::names(scene)).enumerate() {
            reply.say(&name);
            reply.say(fmt::kind::<V>(object.shape()));
            reply.say(&shape_parameters::<V>(object.shape()).unwrap_or_default());
            reply.say(file.mesh_file(shape).unwrap_or_default());
            reply.flag(object.name().is_some());
            reply.number(f64::from(object.layers()));
            let aabb = object.instance().aabb();
            reply.vector(aabb.min);
            reply.vector(aabb.max);
            reply.flag(object.transform().is_some());
            if let Some(transform) = object.transform() {
                let third = V::from_xyz([0.0, 0.0, 1.0].map(V::Scalar::from_f64));
                transform.axes().iter().copied().chain([third]).take(3).for_each(|axis| reply.vector(axis));
                reply.vector(transform.translation());
            }
        }
        0
    }
}

/// Ray cast: closest hit, all hits, their count, spans.
pub(crate) struct Cast<'a> {
    pub(crate) lab_query: LabQuery,
    pub(crate) reply: &'a mut Reply,
}

impl WithScene for Cast<'_> {
    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> i32 {
        match self.lab_query.ray_or_segment::<V>() {
            RayOrSegment::Ray(ray) => self.cast(scene, &ray),
            RayOrSegment::Segment(segment) => self.cast(scene, &segment),
        }
        0
    }
}

impl Cast<'_> {
    fn cast<V: SceneSpace>(self, scene: &Scene<V>, ray: &impl RayLike<V>) {
        let Self { lab_query, reply } = self;
        let query = lab_query.query::<V::Scalar>();
        reply.optional_hit(scene.cast_ray(ray, query).as_ref());
        let all = scene.cast_ray_all(ray, query);
        reply.count(all.len());
        all.iter().for_each(|hit| reply.hit(hit));
        reply.count(scene.count_hits(ray, query));
        let spans = scene.spans(ray, query);
        reply.count(spans.len());
        for span in &spans {
            let shape = span.enter.as_ref().or(span.exit.as_ref()).and_then(|hit| hit.object);
            reply.number(shape.map_or(-1.0, |id| id.index() as f64));
            reply.optional_hit(span.enter.as_ref());
            reply.optional_hit(span.exit.as_ref());
        }
    }
}

/// Point query: which solids contain the point.
pub(crate) struct Contains<'a> {
    pub(crate) point: [f64; 3],
    pub(crate) reply: &'a mut Reply,
}

impl WithScene for Contains<'_> {
    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> i32 {
        let point = vector(self.point);
        self.reply.count(scene.len());
        scene.objects().for_each(|(_, object)| self.reply.flag(object.instance().contains(point)));
        0
    }
}

/// Explanation of a query, as text and in parts.
pub(crate) struct Explain<'a> {
    pub(crate) lab_query: LabQuery,
    pub(crate) detail: Detail,
    pub(crate) reply: &'a mut Reply,
}

impl WithScene for Explain<'_> {
    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> i32 {
        let Self { lab_query, detail, reply } = self;
        let report = ExplainReport::new(scene, &lab_query.ray_or_segment(), lab_query.query(), detail);
        reply.say(&report.to_string());
        reply.count(report.shapes.len());
        for shape in &report.shapes {
            reply.count(shape.shape);
            reply.say(&shape.name);
            reply.say(shape.kind);
            reply.flag(shape.is_hit);
            reply.say(&shape.why);
            reply.flag(shape.explanation.uncertain);
            reply.count(shape.explanation.steps.len());
            for step in &shape.explanation.steps {
                let (words, value) = match step {
                    Step::Number(name, value) => (name, Some(*value)),
                    Step::Verdict(text) => (text, None),
                };
                reply.flag(value.is_some());
                reply.say(words);
                value.into_iter().for_each(|value| reply.number(value));
            }
        }
        reply.count(report.left_out);
        0
    }
}

/// Closest hit of the scene by the textbook's formulas, then that of each shape.
pub(crate) struct Textbook<'a> {
    pub(crate) lab_query: LabQuery,
    pub(crate) reply: &'a mut Reply,
}

impl WithScene for Textbook<'_> {
    fn with<V: SceneSpace>(self, scene: &Scene<V>) -> i32 {
        let Self { lab_query, reply } = self;
        let query = lab_query.query::<f32>();
        let ray = RayF32::new(lab_query.ray_or_segment());
        let found = |(_, object): (ObjectId, &Object<V>)| {
            let in_layers = object.layers() & query.layer_mask() != 0;
            in_layers.then(|| textbook::first_of_object(object, &ray, &query))?
        };
        let hits: Vec<_> = scene.objects().map(found).enumerate().collect();
        let nearest = hits.iter().filter(|(_, hit)| hit.is_some()).reduce(|best, next| {
            let t = |(_, hit): &(usize, Option<textbook::Hit>)| hit.as_ref().map(|hit| hit.t);
            if t(next) < t(best) { next } else { best }
        });
        for (shape, hit) in nearest.into_iter().chain(nearest.is_none().then_some(&(0, None))).chain(&hits) {
            reply.flag(hit.is_some());
            if let Some(hit) = hit {
                reply.count(*shape);
                reply.number(f64::from(hit.t));
                reply.vector(hit.point);
                reply.vector(hit.normal);
            }
        }
        0
    }
}

/// Ray field: the count of hits, then every `t`, every point, every normal, every shape.
pub(crate) struct Field<'a> {
    pub(crate) lab_query: LabQuery,
    /// Origin and direction of each ray: six numbers.
    pub(crate) rays: &'a [f64],
    pub(crate) reply: &'a mut Reply,
}

impl WithSceneF32 for Field<'_> {
    fn with<V: SceneVector>(self, scene: &Scene<V>) -> i32 {
        let Self { lab_query, rays, reply } = self;
        let (query, count) = (lab_query.query::<V::Scalar>(), rays.len() / 6);
        reply.numbers.resize(1 + 8 * count, 0.0);
        let (hits, rest) = reply.numbers.split_at_mut(1);
        let (ts, rest) = rest.split_at_mut(count);
        let (points, rest) = rest.split_at_mut(3 * count);
        let (normals, shapes) = rest.split_at_mut(3 * count);
        for (i, numbers) in rays.chunks_exact(6).enumerate() {
            let at = |first: usize| vector::<V>([numbers[first], numbers[first + 1], numbers[first + 2]]);
            let Some(hit) = scene.cast_ray(&Ray::new(at(0), at(3)), query) else {
                (ts[i], shapes[i]) = (f64::NAN, -1.0);
                continue;
            };
            hits[0] += 1.0;
            ts[i] = hit.t.to_f64();
            points[3 * i..][..3].copy_from_slice(&fmt::coordinates(hit.point));
            normals[3 * i..][..3].copy_from_slice(&fmt::coordinates(hit.normal));
            shapes[i] = hit.object.map_or(-1.0, |id| id.index() as f64);
        }
        0
    }
}
