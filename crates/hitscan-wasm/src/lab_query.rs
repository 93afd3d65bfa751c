//! Query of the page: twelve numbers.

use hitscan::{Faces, Inside, Query, Ray, Segment};
use hitscan::{Real, Vector};
use hitscan_io::RayOrSegment;

/// Count of numbers of a query.
pub(crate) const QUERY_NUMBERS: usize = 12;

/// Query of the page: a ray or segment, and the rules for hits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabQuery {
    is_segment: bool,
    points: [[f64; 3]; 2],
    limits: [f64; 2],
    inside: Inside,
    faces: Faces,
    layers: u32,
}

impl LabQuery {
    pub(crate) fn read(numbers: &[f64]) -> Option<Self> {
        let [kind, ax, ay, az, bx, by, bz, t_min, t_max, inside, faces, layers] =
            *numbers.first_chunk::<QUERY_NUMBERS>()?;
        Some(Self {
            is_segment: kind == 1.0,
            points: [[ax, ay, az], [bx, by, bz]],
            limits: [t_min, t_max],
            inside: if inside == 1.0 { Inside::Hollow } else { Inside::Solid },
            faces: match faces {
                1.0 => Faces::Front,
                2.0 => Faces::Back,
                _ => Faces::Both,
            },
            layers: layers as u32,
        })
    }

    /// The ray or segment in the precision of a scene.
    pub(crate) fn ray_or_segment<V: Vector>(&self) -> RayOrSegment<V> {
        let [a, b] = self.points.map(vector);
        if self.is_segment { RayOrSegment::Segment(Segment::new(a, b)) } else { RayOrSegment::Ray(Ray::new(a, b)) }
    }

    pub(crate) fn query<S: Real>(&self) -> Query<S> {
        let query = Query::new();
        let or = |x: f64, default: S| if x.is_nan() { default } else { S::from_f64(x) };
        let [t_min, t_max] = self.limits;
        let query = query.range(or(t_min, query.t_min()), or(t_max, query.t_max()));
        query.inside(self.inside).faces(self.faces).layers(self.layers)
    }
}

/// Rounds coordinates to a vector.
pub(crate) fn vector<V: Vector>(xyz: [f64; 3]) -> V {
    V::from_xyz(xyz.map(V::Scalar::from_f64))
}
