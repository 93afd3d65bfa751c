//! The trait [`OverlapQuery`]: the overlap queries that shapes, meshes and scenes have in common.

use crate::batch::{batches, compressed_rows};
use crate::compressed_rows::CompressedRows;
use crate::math::vector::Vector;
use crate::overlap::into_volumes::{IntoVolumes, VolumeList};
use crate::overlap::volume::{Overlap, Volume};
use crate::queries::shape::{OverlapGoal, Shape};
use crate::stable_sort::stable_sort_by_key;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// The overlap queries of every [`Shape`]: whether a [`Volume`] (or a slice of volumes, see [`IntoVolumes`]) and the shape have a point in common, and which objects of a scene
/// or triangles of a mesh have.
///
/// Sets are closed: touching is overlapping. Solids contain their inside, so a ball within a box overlaps it; half-spaces and
/// closed meshes ([`Topology::is_closed`](crate::Topology::is_closed)) are solids. All objects of a scene count, triggers too, unless a
/// view leaves some out: see [`FilteredScene`](crate::FilteredScene).
///
/// # Accuracy
/// Spheres, boxes, oriented boxes, capsules, triangles, segments, polygons, planes, half-spaces, view frusta and meshes overlap
/// exactly: the answer is that of real arithmetic for the numbers as given. Disks, cylinders, cones, frusta, ellipsoids, hulls of
/// points, and spheres and capsules under a transform other than a translation are measured: they overlap if their distance is at
/// most 2^-44 of the largest coordinate. Two curved sets may also count as overlapping if their distance is up to about 2^-20 of it,
/// and a curved shape beside a volume of more than 2^20 times its size up to 2^-26.
/// `docs/overlap.md` has the table.
///
/// ```
/// use hitscan::{glam::Vec3, Cuboid, OverlapQuery, Sphere};
/// let ball = Sphere::new(Vec3::new(3.0, 4.0, 0.0), 5.0)?;
/// assert!(ball.overlaps(Cuboid::new(-Vec3::ONE, Vec3::ONE)?)); // it touches a corner
/// assert!(!ball.overlaps(Cuboid::new(-Vec3::ONE, Vec3::splat(0.99))?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait OverlapQuery<V: Vector>: Shape<V> {
    /// Whether the volume and the shape have a point in common. Nothing overlaps a volume without points, such as one from an
    /// empty [`Aabb`](crate::Aabb).
    ///
    /// O(1) for a shape, about O(log triangles + triangles near the volume's surface) for a mesh. A closed mesh computes its
    /// [topology](crate::TriangleMesh::topology) at the first volume within its bounds that does not touch its surface.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Aabb, OverlapQuery, TriangleMesh};
    /// let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?;
    /// let from = |min: f32| Aabb { min: Vec3::splat(min), max: Vec3::ONE };
    /// assert!(mesh.overlaps(from(0.0)));
    /// assert!(!mesh.overlaps(from(0.125)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("intersects", "intersection_test", "overlap_any"))]
    #[must_use]
    fn overlaps(&self, volume: impl IntoVolumes<V>) -> bool {
        volume.with_volumes(|volumes| is_any(self, volumes))
    }

    /// What the volume overlaps: the objects of a scene, each once, by the order of insertion; the triangles of a mesh by number;
    /// the shapes of a [`Group`](crate::Group). Any other shape has at most one result.
    ///
    /// A volume inside a closed mesh that does not touch its surface has one result, without a triangle. Several volumes have the
    /// results of each of them, once.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Object, OverlapQuery, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// let mut ids = Vec::new();
    /// for x in [0.0, 2.0, 9.0] {
    ///     ids.push(scene.insert(Object::new(Sphere::new(Vec3::X * x, 1.0)?))?);
    /// }
    /// let found = scene.overlapping(Sphere::new(Vec3::X, 0.5)?);
    /// assert_eq!(found.iter().map(|found| found.object).collect::<Vec<_>>(), [Some(ids[0]), Some(ids[1])]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("overlap_all", "intersect_all"))]
    #[must_use]
    fn overlapping(&self, volume: impl IntoVolumes<V>) -> Vec<Overlap> {
        let mut found = Vec::new();
        self.overlapping_into(volume, &mut found);
        found
    }

    /// [`overlapping`](Self::overlapping) into memory of the caller, which is cleared first. It allocates only where `found` must
    /// grow.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, Cuboid, OverlapQuery, TriangleMesh};
    /// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
    /// let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2], [1, 2, 3]])?;
    /// let mut found = Vec::new();
    /// mesh.overlapping_into(Cuboid::new(Vec3::ONE, Vec3::splat(0.25))?, &mut found);
    /// assert_eq!(found.iter().map(|found| found.primitive).collect::<Vec<_>>(), [Some(1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn overlapping_into(&self, volume: impl IntoVolumes<V>, found: &mut Vec<Overlap>) {
        volume.with_volumes(|volumes| all_overlaps(self, volumes, found));
    }

    /// Calls `found` with each result of [`overlapping`](Self::overlapping), in no order, until it breaks; returns whether it has.
    /// Nothing is allocated, but for a mesh of [`Quality::High`](crate::Quality), whose tree may hold a triangle twice, and for several
    /// volumes, which may overlap the same objects.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// use hitscan::{glam::Vec3, Object, OverlapQuery, Scene, Sphere};
    /// let mut scene = Scene::new();
    /// scene.insert(Object::new(Sphere::new(Vec3::ZERO, 1.0)?).with_user_data(7))?;
    /// let mut user_data = None;
    /// let _ = scene.for_each_overlap(Sphere::new(Vec3::X, 0.5)?, |found| {
    ///     user_data = found.object.and_then(|id| scene.get(id)).map(|object| object.user_data());
    ///     ControlFlow::Break(())
    /// });
    /// assert_eq!(user_data, Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn for_each_overlap(
        &self,
        volume: impl IntoVolumes<V>,
        mut found: impl FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        volume.with_volumes(|volumes| match volumes {
            VolumeList::One(volume) if volume.is_valid() => {
                self.visit_overlaps(volume, None, OverlapGoal::Once, &mut found)
            }
            VolumeList::One(_) => ControlFlow::Continue(()),
            VolumeList::Parts(_) => {
                let mut all = Vec::new();
                all_overlaps(self, volumes, &mut all);
                all.into_iter().try_for_each(found)
            }
        })
    }

    /// The number of results of [`overlapping`](Self::overlapping).
    ///
    /// ```
    /// use hitscan::{glam::Vec2, OverlapQuery, Rectangle, SegmentShape};
    /// let wall = SegmentShape::new(Vec2::ZERO, Vec2::X)?;
    /// assert_eq!(wall.count_overlapping(Rectangle::new(Vec2::ONE, Vec2::ONE)?), 1);
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[must_use]
    fn count_overlapping(&self, volume: impl IntoVolumes<V>) -> usize {
        let mut count = 0;
        let _ = self.for_each_overlap(volume, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    /// [`overlapping`](Self::overlapping) of each volume, in order.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, OverlapQuery, Sphere, TriangleMesh, Volume};
    /// let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Y, Vec3::Y], vec![[0, 1, 2], [0, 2, 3]])?;
    /// let volumes = [0.5, 9.0].map(|z| Sphere::new(Vec3::new(0.5, 0.5, z), 1.0).map(Volume::from));
    /// let found = mesh.overlapping_each(&volumes.into_iter().collect::<Result<Vec<_>, _>>()?);
    /// assert_eq!(found.offsets(), [0, 2, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    fn overlapping_each(&self, volumes: &[Volume<V>]) -> CompressedRows<Overlap> {
        compressed_rows(volumes, |volume, all| all.append(&mut self.overlapping(volume)))
    }

    /// [`count_overlapping`](Self::count_overlapping) of each volume, in order.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, OverlapQuery, Sphere, Volume};
    /// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
    /// assert_eq!(ball.count_overlapping_each(&[Volume::from(ball), Sphere::new(Vec3::X * 3.0, 1.0)?.into()]), [1, 0]);
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[must_use]
    fn count_overlapping_each(&self, volumes: &[Volume<V>]) -> Vec<usize> {
        let mut counts = vec![0; volumes.len()];
        batches(volumes, &mut counts, |volumes, counts| {
            for (volume, count) in volumes.iter().zip(counts) {
                *count = self.count_overlapping(volume);
            }
        });
        counts
    }

    /// [`overlaps`](Self::overlaps) of each volume, in order.
    ///
    /// With the feature `rayon`, all threads of the current pool work on long batches.
    ///
    /// ```
    /// use hitscan::{glam::Vec3, OverlapQuery, Sphere, Volume};
    /// let ball = Sphere::new(Vec3::ZERO, 1.0)?;
    /// let volumes = [1.0, 3.0].map(|x| Sphere::new(Vec3::X * x, 1.0).map(Volume::from));
    /// let volumes = volumes.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(ball.overlaps_each(&volumes), [true, false]);
    /// # Ok::<(), hitscan::ShapeError>(())
    /// ```
    #[must_use]
    fn overlaps_each(&self, volumes: &[Volume<V>]) -> Vec<bool> {
        let mut found = vec![false; volumes.len()];
        batches(volumes, &mut found, |volumes, found| {
            for (volume, found) in volumes.iter().zip(found) {
                *found = is_any(self, VolumeList::One(volume));
            }
        });
        found
    }
}

impl<V: Vector, S: Shape<V> + ?Sized> OverlapQuery<V> for S {}

/// Whether a volume and the shape have a point in common.
#[inline]
fn is_any<V: Vector>(shape: &(impl Shape<V> + ?Sized), volumes: VolumeList<'_, V>) -> bool {
    let overlaps = |volume: &Volume<V>| {
        shape.visit_overlaps(volume, None, OverlapGoal::Any, &mut |_| ControlFlow::Break(())).is_break()
    };
    volumes.valid().any(|(_, volume)| overlaps(volume))
}

/// Clears `found`, and fills it with what any of the volumes overlaps, each once, in order.
fn all_overlaps<V: Vector>(shape: &(impl Shape<V> + ?Sized), volumes: VolumeList<'_, V>, found: &mut Vec<Overlap>) {
    found.clear();
    for (_, volume) in volumes.valid() {
        let _ = shape.visit_overlaps(volume, None, OverlapGoal::Repeated, &mut |overlap| {
            found.push(overlap);
            ControlFlow::Continue(())
        });
    }
    // A part may be inside of a closed mesh whose triangles another part touches.
    if matches!(volumes, VolumeList::Parts(_)) && found.iter().any(|overlap| overlap.primitive.is_some()) {
        found.retain(|overlap| overlap.primitive.is_some());
    }
    stable_sort_by_key(found, |overlap| overlap.order);
    found.dedup();
}
