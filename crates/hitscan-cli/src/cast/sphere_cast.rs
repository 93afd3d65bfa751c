//! Thick rays: spheres that move along rays.

use crate::scene::SceneSpace;
use hitscan::{NotMeasured, Object, Query, SweepHit, SweepQuery};
use hitscan_io::RayOrSegment;

/// The cast of one sphere.
#[derive(Clone, Copy)]
pub(crate) struct SphereCast<V: SceneSpace> {
    /// The path of the centre.
    pub(super) path: RayOrSegment<V>,
    pub(super) radius: V::Scalar,
    pub(super) query: Query<V::Scalar>,
}

impl<V: SceneSpace> SphereCast<V> {
    /// The first contact.
    pub(super) fn cast(&self, shape: &impl SweepQuery<V>) -> Result<Option<SweepHit<V>>, NotMeasured> {
        self.path.try_cast_sphere(shape, self.radius, self.query)
    }

    /// Whether the sphere may touch an object that cannot be measured.
    pub(super) fn is_unmeasured(&self, object: &Object<V>) -> bool {
        object.is_seen_by(&self.query) && self.cast(object.instance()).is_err()
    }
}
