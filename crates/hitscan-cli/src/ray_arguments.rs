//! Rays and segments on the command line.

use crate::error::Result;
use crate::numbers::{Numbers, number_columns};
use crate::scene::vector_at;
use clap::Args;
use hitscan::Vector;
use hitscan::{Ray, Segment};
use hitscan_io::{Dimension, Endpoint, Precision, RayBatch, RayOrSegment};

/// Rays or segments of the command line.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RayArguments {
    /// A ray: its origin and its direction, 6 numbers (4 in 2D: ox,oy,dx,dy)
    ///
    /// The direction may have any length; t counts in lengths of the direction. May be given several times.
    #[arg(long, value_name = "OX,OY,OZ,DX,DY,DZ", allow_hyphen_values = true)]
    pub(crate) ray: Vec<Numbers>,
    /// A segment: its two ends, 6 numbers (4 in 2D: ax,ay,bx,by)
    ///
    /// t is 0 at a and 1 at b, and nothing beyond them counts. May be given several times.
    #[arg(long, value_name = "AX,AY,AZ,BX,BY,BZ", allow_hyphen_values = true)]
    pub(crate) segment: Vec<Numbers>,
}

impl RayArguments {
    /// Whether neither flag was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.ray.is_empty() && self.segment.is_empty()
    }

    /// The rays as a table, read as `f64`, like a CSV file.
    pub(crate) fn batch(&self, dimension: Dimension) -> Result<RayBatch> {
        let (flag, letters, given) = match self.segment.is_empty() {
            true => ("--ray", ["o", "d"], &self.ray),
            false => ("--segment", ["a", "b"], &self.segment),
        };
        let axes = dimension.count();
        let names: Vec<String> = letters
            .iter()
            .flat_map(|letter| ["x", "y", "z"][..axes].iter().map(move |axis| format!("{letter}{axis}")))
            .collect();
        let columns = number_columns(given, flag, &names, dimension, "ray")?;
        let mut columns = columns.into_iter();
        // In two dimensions the third column stays empty.
        let mut point = || {
            let mut axes_of: [Vec<f64>; 3] = Default::default();
            axes_of.iter_mut().zip(columns.by_ref().take(axes)).for_each(|(axis, column)| *axis = column);
            axes_of
        };
        let (origin, second) = (point(), point());
        let endpoint = if self.segment.is_empty() { Endpoint::Direction(second) } else { Endpoint::End(second) };
        let precision = Precision::F64;
        let (t_min, t_max, layers, max_distance) = (None, None, None, None);
        Ok(RayBatch { first_row: 0, dimension, origin, endpoint, t_min, t_max, layers, max_distance, precision })
    }
}

/// One row of a table.
pub(crate) fn ray_or_segment<V: Vector>(batch: &RayBatch, row: usize) -> RayOrSegment<V> {
    match &batch.endpoint {
        Endpoint::Direction(direction) => {
            RayOrSegment::Ray(Ray::new(vector_at(&batch.origin, row), vector_at(direction, row)))
        }
        Endpoint::End(end) => RayOrSegment::Segment(Segment::new(vector_at(&batch.origin, row), vector_at(end, row))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hitscan::glam::{DVec2, DVec3};

    fn rays(ray: &[&str], segment: &[&str]) -> RayArguments {
        let all = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        RayArguments { ray: all(ray), segment: all(segment) }
    }

    #[test]
    fn rays_and_segments_of_either_dimension() {
        let batch = rays(&["1,2,3,4,5,6", "0, 0 ,0,-1,0,1e3"], &[]).batch(Dimension::Three).unwrap();
        assert_eq!(batch.len(), 2);
        let RayOrSegment::Ray(ray) = ray_or_segment::<DVec3>(&batch, 1) else { panic!() };
        assert_eq!(ray, Ray::new(DVec3::ZERO, DVec3::new(-1.0, 0.0, 1000.0)));
        let batch = rays(&[], &["3,2,10,6"]).batch(Dimension::Two).unwrap();
        let RayOrSegment::Segment(segment) = ray_or_segment::<DVec2>(&batch, 0) else { panic!() };
        assert_eq!(segment, Segment::new(DVec2::new(3.0, 2.0), DVec2::new(10.0, 6.0)));
    }

    #[test]
    fn errors_name_the_number() {
        let message = |rays: RayArguments, dimension| rays.batch(dimension).unwrap_err().to_string();
        assert_eq!(
            message(rays(&["1,2,3,4,5,6", "1,2,3,4"], &[]), Dimension::Three),
            "--ray 2: 4 numbers, but in 3D it takes 6 (ox,oy,oz,dx,dy,dz)"
        );
        assert_eq!(message(rays(&["1,2,nan,4"], &[]), Dimension::Two), "--ray 1: dx: NaN is not allowed in a ray");
        assert_eq!(message(rays(&[], &["1,2,3,inf"]), Dimension::Two), "--segment 1: by: inf is not allowed in a ray");
    }
}
