//! `hitscan explain`: why a ray hits, or misses.

use crate::Console;
use crate::error::Result;
use crate::query::QueryArguments;
use crate::rays::{RayArguments, Shot, shot};
use crate::scene::{PrecisionArgument, Space, Work, coordinates, kind, names, with_scene};
use crate::text::{number, point};
use clap::{ArgGroup, Args};
use hitscan::math::Real;
use hitscan::{Cast, Faces, Hit, Method, Object, Origin, Query, Ray, Scene, Shape, Side};
use hitscan_io::{Precision, RayBatch, SceneFile};
use std::fmt::Write;
use std::path::PathBuf;

/// Explain a ray: the numbers of each shape's test, and why it is or is not the hit
#[derive(Args)]
#[command(group(ArgGroup::new("rays_from").args(["ray", "segment"]).required(true)), after_help = "\
Examples:
  hitscan explain scene.toml --ray 0,0,5,0,0,-1
  hitscan explain flat.toml --segment 3,2,10,6 --origin hollow

The numbers of a test are those of the kernel itself: relative to the shape, and scaled where it says so.")]
pub(crate) struct Arguments {
    /// The scene: .toml, or a mesh (.obj, .stl, .ply)
    scene: PathBuf,
    #[command(flatten)]
    rays: RayArguments,
    #[command(flatten)]
    what: QueryArguments,
    /// Every shape, also those far from the ray (otherwise left out when there are more than 8)
    #[arg(long)]
    all: bool,
    /// The precision of coordinates and answers; decisions are exact in both
    #[arg(long, value_enum, default_value_t)]
    precision: PrecisionArgument,
}

/// With no more shapes than this all are explained.
const FEW: usize = 8;

impl Arguments {
    pub(crate) fn run(self, console: &mut Console) -> Result<()> {
        let file = SceneFile::open(&self.scene)?;
        let batch = self.rays.batch(file.dimension())?;
        let precision = self.precision.resolve(Precision::F64);
        with_scene(&file, precision, Method::Bvh, Explain { arguments: self, batch, console })
    }
}

struct Explain<'a, 'b> {
    arguments: Arguments,
    batch: RayBatch,
    console: &'a mut Console<'b>,
}

impl Work for Explain<'_, '_> {
    type Output = ();

    fn with<V: Space>(self, scene: &Scene<V>) -> Result<()> {
        let Self { arguments, batch, console } = self;
        let query = arguments.what.query::<V::Scalar>(None, None);
        for ray in 0..batch.len() {
            let limits = [query.t_min(), query.t_max()].map(Real::to_f64);
            let story = |line, [t_min, t_max]: [f64; 2]| {
                let tell_all = arguments.all;
                Story { scene, names: names(scene), query, line, t_min, t_max, tell_all }
            };
            let text = match shot::<V>(&batch, ray) {
                Shot::Ray(shot) => story(shot, limits).tell(&shot),
                Shot::Segment(shot) if arguments.what.line => story(shot.to_ray(), limits).tell(&shot.to_ray()),
                // A segment has an end, whatever the limits.
                Shot::Segment(shot) => story(shot.to_ray(), [limits[0].max(0.0), limits[1].min(1.0)]).tell(&shot),
            };
            if batch.len() > 1 {
                writeln!(console.out, "{}ray {ray}", if ray > 0 { "\n" } else { "" })?;
            }
            console.out.write_all(text.as_bytes())?;
        }
        Ok(())
    }
}

struct Story<'a, V: Space> {
    scene: &'a Scene<V>,
    names: Vec<String>,
    query: Query<V::Scalar>,
    /// The line of the ray or segment.
    line: Ray<V>,
    t_min: f64,
    t_max: f64,
    tell_all: bool,
}

impl<V: Space> Story<'_, V> {
    /// The hit, then each shape, nearest first.
    fn tell(&self, ray: &impl Cast<V>) -> String {
        let winner = self.scene.cast_ray(ray, self.query);
        let mut text = match &winner {
            Some(hit) => {
                let at = hit_text(hit);
                format!("hit: {} at {at}\n", self.called(hit.shape.map_or(0, hitscan::ShapeId::index)))
            }
            None => "miss: no shape is hit\n".to_owned(),
        };
        let whole_line = Query::line().faces(Faces::Both);
        let mut left_out = 0;
        let mut shapes = Vec::new();
        for (index, object) in self.scene.objects().iter().enumerate() {
            // The first hit in the range, else the first one anywhere on the line.
            let hit = object.shape().cast_ray(ray, self.query);
            let on_line = object.shape().cast_ray_all(&self.line, whole_line.origin(Origin::Hollow));
            let is_few = self.tell_all || self.scene.objects().len() <= FEW;
            if !is_few && hit.is_none() && on_line.is_empty() && !self.is_near(object) {
                left_out += 1;
                continue;
            }
            let order = hit.as_ref().or(on_line.first()).map_or(f64::INFINITY, |hit| hit.t.to_f64());
            let is_winner = winner.as_ref().and_then(|hit| hit.shape).is_some_and(|shape| shape.index() == index);
            shapes.push((!is_winner, hit.is_none(), order, index));
        }
        shapes.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)).then(a.3.cmp(&b.3)));
        for (.., index) in shapes {
            let _ = write!(text, "\n{}: {}\n", self.called(index), self.why(index, ray, &winner));
            let explanation = self.scene.objects()[index].shape().explain(ray, self.query).to_string();
            // The first line is the kind of shape, which has been said.
            explanation.lines().skip(1).for_each(|line| text.extend([line, "\n"]));
        }
        if left_out > 0 {
            let _ = writeln!(
                text,
                "\nleft out: {left_out} whose bounding box the line does not meet (--all tells them too)"
            );
        }
        text
    }

    fn called(&self, index: usize) -> String {
        match self.scene.objects().get(index) {
            Some(object) => format!("{} ({}, shape {index})", self.names[index], kind::<V>(object.shape())),
            None => format!("shape {index}"),
        }
    }

    /// Whether the whole line meets the bounding box; a shape without bounds is always near.
    fn is_near(&self, object: &Object<V>) -> bool {
        let aabb = object.shape().aabb();
        let solid = hitscan::Cuboid::new(aabb.center(), aabb.half_extents());
        solid.map_or(true, |solid| solid.intersects_ray(&self.line, Query::line()))
    }

    /// Why the shape is the hit, or is not.
    fn why(&self, index: usize, ray: &impl Cast<V>, winner: &Option<Hit<V>>) -> String {
        let object = &self.scene.objects()[index];
        if object.layers() & self.query.layer_mask() == 0 {
            let layers: Vec<String> =
                (0..32).filter(|bit| object.layers() >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
            return format!("not on these layers (it is on {})", layers.join(", "));
        }
        match (object.shape().cast_ray(ray, self.query), winner) {
            (Some(hit), Some(first)) => {
                let (t, best) = (hit.t, first.t);
                let first = first.shape.map_or(0, hitscan::ShapeId::index);
                if first == index {
                    "the hit, the nearest one in the range of t".to_owned()
                } else if t == best {
                    format!("as near as {} to the last digit, which is nearer or comes first", self.names[first])
                } else {
                    format!(
                        "farther than {}: t = {} > {}",
                        self.names[first],
                        number(t.to_f64()),
                        number(best.to_f64())
                    )
                }
            }
            (Some(hit), None) => format!("hit at t = {}", number(hit.t.to_f64())),
            (None, _) => self.why_not(object, ray),
        }
    }

    /// Why a shape on the right layers is not hit in the range.
    fn why_not(&self, object: &Object<V>, ray: &impl Cast<V>) -> String {
        let anywhere = Query::line().origin(Origin::Hollow);
        let all = object.shape().cast_ray_all(&self.line, anywhere);
        let ts: Vec<f64> = all.iter().map(|hit| hit.t.to_f64()).collect();
        let (Some(first), Some(last)) = (ts.first().copied(), ts.last().copied()) else {
            return "missed, by the whole line".to_owned();
        };
        let list = ts.iter().map(|t| number(*t)).collect::<Vec<_>>().join(", ");
        if object.shape().cast_ray(ray, self.query.faces(Faces::Both)).is_some() {
            let side = if self.query.faces_mode() == Faces::Front { "back" } else { "front" };
            format!("only its {side} is met, at t = {list}, and --faces leaves that out")
        } else if last < self.t_min {
            format!("behind: t = {list} < {}", number(self.t_min))
        } else if first > self.t_max {
            format!("beyond t_max: t = {list} > {}", number(self.t_max))
        } else {
            // A hollow solid may hold the whole range.
            format!("the line meets it at t = {list}, none of which is in the range")
        }
    }
}

/// Where and how: one line.
fn hit_text<V: Space>(hit: &Hit<V>) -> String {
    let side = if hit.side == Side::Front { "front" } else { "back" };
    let [t, distance] = [hit.t, hit.distance].map(|x| number(x.to_f64()));
    let [p, n] = [hit.point, hit.normal].map(|v| point(coordinates(v), V::DIM));
    format!("t = {t}, distance {distance}, point {p}, normal {n}, {side}")
}
