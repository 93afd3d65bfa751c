//! The trait [`IntoVolumes`]: what overlap queries and sweeps take, a volume or several that belong together.

use crate::math::vector::Vector;
use crate::overlap::volume::Volume;
use alloc::vec::Vec;
use core::slice;

/// What overlap queries and sweeps take: a convex [`Volume`], anything that converts into one, or a slice of volumes.
///
/// A slice is a compound: volumes that move together and do not turn, such as the parts of a vehicle or of a character. It covers what
/// its parts cover. An array or a [`Vec`] is passed by reference. A slice without a part touches nothing.
///
/// - A compound overlaps what one of its parts overlaps.
/// - The first contact of a compound is the earliest one of its parts, in the order in which a scene compares the contacts of two
///   objects; of equal ones that of the first part. [`SweepHit::part`](crate::SweepHit::part) is the number of the part.
///
/// ```
/// use hitscan::{glam::Vec3, Cuboid, OverlapQuery, Sphere, SweepQuery, Volume};
/// let wall = Cuboid::new(Vec3::X * 5.0, Vec3::ONE)?;
/// let hull = Cuboid::new(Vec3::ZERO, Vec3::new(2.0, 0.5, 0.5))?;
/// let turret = Sphere::new(Vec3::Z * 0.75, 0.5)?;
/// let tank = [Volume::from(turret), Volume::from(hull)];
/// let hit = wall.cast_volume(&tank, Vec3::X, ..).ok_or("a miss")?;
/// assert_eq!((hit.t, hit.part), (2.0, Some(1)));
/// assert!(!wall.overlaps(&tank));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a volume of `{V}`",
    label = "neither a bounded convex volume nor a slice of them",
    note = "pass a sphere, box, capsule or another shape that converts into a `Volume`, or a slice of `Volume`s"
)]
pub trait IntoVolumes<V: Vector> {
    /// Calls `work` with the volumes.
    #[doc(hidden)]
    fn with_volumes<R>(self, work: impl FnOnce(VolumeList<'_, V>) -> R) -> R;
}

/// The volumes of a query.
#[derive(Debug)]
pub enum VolumeList<'a, V: Vector> {
    /// A single volume.
    One(&'a Volume<V>),
    /// The parts of a compound.
    Parts(&'a [Volume<V>]),
}

impl<V: Vector> Clone for VolumeList<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vector> Copy for VolumeList<'_, V> {}

impl<'a, V: Vector> VolumeList<'a, V> {
    /// The volumes that have points, each with its number in a compound.
    #[inline]
    pub(crate) fn valid(self) -> impl Iterator<Item = (Option<u32>, &'a Volume<V>)> + Clone {
        let (volumes, is_compound) = match self {
            Self::One(volume) => (slice::from_ref(volume), false),
            Self::Parts(parts) => (parts, true),
        };
        let numbered = (0..).map(move |number| is_compound.then_some(number)).zip(volumes);
        numbered.filter(|(_, volume)| volume.is_valid())
    }
}

impl<V: Vector, T: Into<Volume<V>>> IntoVolumes<V> for T {
    #[inline]
    fn with_volumes<R>(self, work: impl FnOnce(VolumeList<'_, V>) -> R) -> R {
        work(VolumeList::One(&self.into()))
    }
}

impl<V: Vector> IntoVolumes<V> for &[Volume<V>] {
    #[inline]
    fn with_volumes<R>(self, work: impl FnOnce(VolumeList<'_, V>) -> R) -> R {
        work(VolumeList::Parts(self))
    }
}

impl<V: Vector, const N: usize> IntoVolumes<V> for &[Volume<V>; N] {
    #[inline]
    fn with_volumes<R>(self, work: impl FnOnce(VolumeList<'_, V>) -> R) -> R {
        work(VolumeList::Parts(self))
    }
}

impl<V: Vector> IntoVolumes<V> for &Vec<Volume<V>> {
    #[inline]
    fn with_volumes<R>(self, work: impl FnOnce(VolumeList<'_, V>) -> R) -> R {
        work(VolumeList::Parts(self))
    }
}
