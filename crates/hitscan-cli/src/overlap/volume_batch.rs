//! Volumes of a table, in memory.

use crate::scene::{SceneSpace, vector_at};
use crate::tables::RowBatch;
use hitscan::{Cuboid, Real, Sphere};
use hitscan_io::{BoxBatch, PointBatch, SphereBatch, SphereOrBox};

/// Consecutive volumes of a table, column by column.
pub(crate) struct VolumeBatch {
    first_row: u64,
    /// The third column is empty in two dimensions.
    center: [Vec<f64>; 3],
    size: VolumeSize,
}

/// What makes a centre a volume.
enum VolumeSize {
    /// Spheres, in two dimensions circles.
    Radius(Vec<f64>),
    /// Boxes, in two dimensions rectangles. The third column is empty there.
    HalfExtents([Vec<f64>; 3]),
}

impl VolumeBatch {
    /// Spheres of one radius.
    pub(super) fn around_points(points: PointBatch, radius: f64) -> Self {
        let radius = vec![radius; points.len()];
        Self { first_row: points.first_row, center: points.point, size: VolumeSize::Radius(radius) }
    }

    /// The volume of a row. Columns hold no numbers that make none.
    pub(crate) fn volume<V: SceneSpace>(&self, row: usize) -> Option<SphereOrBox<V>> {
        let center = vector_at::<V>(&self.center, row);
        let volume = match &self.size {
            VolumeSize::Radius(radius) => {
                Sphere::new(center, V::Scalar::from_f64(*radius.get(row)?)).map(SphereOrBox::Sphere)
            }
            VolumeSize::HalfExtents(half) => Cuboid::new(center, vector_at(half, row)).map(SphereOrBox::Box),
        };
        debug_assert!(volume.is_ok(), "row {row} is no volume");
        volume.ok()
    }
}

impl From<SphereBatch> for VolumeBatch {
    fn from(spheres: SphereBatch) -> Self {
        let SphereBatch { first_row, center, radius, .. } = spheres;
        Self { first_row, center, size: VolumeSize::Radius(radius) }
    }
}

impl From<BoxBatch> for VolumeBatch {
    fn from(boxes: BoxBatch) -> Self {
        let BoxBatch { first_row, center, half_extents, .. } = boxes;
        Self { first_row, center, size: VolumeSize::HalfExtents(half_extents) }
    }
}

/// The column of radii, which must stay greater than 0.
const RADIUS: &str = "radius";

impl RowBatch for VolumeBatch {
    const ROWS: &'static str = "volumes";

    fn count(&self) -> usize {
        self.center[0].len()
    }

    fn first_row(&self) -> u64 {
        self.first_row
    }

    fn columns(&self) -> Vec<(&'static str, &Vec<f64>)> {
        let center = ["px", "py", "pz"].into_iter().zip(&self.center);
        match &self.size {
            VolumeSize::Radius(radius) => center.chain([(RADIUS, radius)]).collect(),
            VolumeSize::HalfExtents(half) => center.chain(["hx", "hy", "hz"].into_iter().zip(half)).collect(),
        }
    }

    fn fits_f32(column: &str, value: f64) -> bool {
        (value as f32).is_finite() && (column != RADIUS || value as f32 > 0.0)
    }
}
