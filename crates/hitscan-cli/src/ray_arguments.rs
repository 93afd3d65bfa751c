//! Rays and segments on the command line.

use crate::error::{Error, Result};
use clap::Args;
use hitscan::{Ray, Segment};
use hitscan::{Real, Vector};
use hitscan_io::{Dimension, Endpoint, Precision, RayBatch, RayOrSegment};

/// One argument of numbers, divided by commas.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers(pub(crate) Vec<f64>);

impl std::str::FromStr for Numbers {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse().map_err(|_| format!("'{part}' is not a number"));
        text.split(',').map(number).collect::<Result<_, _>>().map(Self)
    }
}

impl Numbers {
    /// Exactly three finite numbers.
    pub(crate) fn point(&self, what: &str) -> Result<[f64; 3]> {
        match <[f64; 3]>::try_from(&self.0[..]) {
            Ok(point) if point.iter().all(|x| x.is_finite()) => Ok(point),
            _ => Err(Error::input(format!("{what}: three finite numbers are needed"))),
        }
    }
}

/// A limit of `t`: a number or an infinity, not NaN.
pub(crate) fn limit(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_nan() => Err("NaN is no limit".into()),
        Ok(value) => Ok(value),
        Err(_) => Err("not a number".into()),
    }
}

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
    /// t is 0 at a and 1 at b. May be given several times.
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
        let mut columns = vec![Vec::with_capacity(given.len()); 2 * axes];
        for (number, Numbers(values)) in given.iter().enumerate() {
            let number = number + 1;
            if values.len() != names.len() {
                let (count, needed, names) = (values.len(), names.len(), names.join(","));
                let text = format!("{flag} {number}: {count} numbers, but in {axes}D it takes {needed} ({names})");
                return Err(Error::input(text));
            }
            for ((value, name), column) in values.iter().zip(&names).zip(&mut columns) {
                if !value.is_finite() {
                    return Err(Error::input(format!("{flag} {number}: {name}: {value} is not allowed in a ray")));
                }
                column.push(*value);
            }
        }
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
        Ok(RayBatch { first_row: 0, dimension, origin, endpoint, t_min: None, t_max: None, layers: None, precision })
    }
}

/// One row of a table.
pub(crate) fn ray_or_segment<V: Vector>(batch: &RayBatch, row: usize) -> RayOrSegment<V> {
    let vector = |columns: &[Vec<f64>; 3]| {
        V::from_xyz(columns.each_ref().map(|column| V::Scalar::from_f64(column.get(row).copied().unwrap_or(0.0))))
    };
    match &batch.endpoint {
        Endpoint::Direction(direction) => RayOrSegment::Ray(Ray::new(vector(&batch.origin), vector(direction))),
        Endpoint::End(end) => RayOrSegment::Segment(Segment::new(vector(&batch.origin), vector(end))),
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
        assert_eq!("1,x".parse::<Numbers>().unwrap_err(), "'x' is not a number");
    }
}
