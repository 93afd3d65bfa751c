//! The triangle of a mesh that a moving volume touches first.

use crate::adaptive::flat_shapes::facing;
use crate::bvh::node::{Leaf, WIDTH};
use crate::bvh::prepared_ray::PreparedRay;
use crate::bvh::primitive_index::Accel;
use crate::bvh::traverse::local_ray::SweptRay;
use crate::bvh::traverse::visitor::LeafVisitor;
use crate::convex::convex_shape::ConvexShape;
use crate::convex::surface_normal::NormalSide;
use crate::distance::triangle::project_on;
use crate::kernel::candidate::upper_bound;
use crate::kernel::flat_shape::FlatShape;
use crate::kernel::range_rules::TRange;
use crate::kernel::sweep_core::SweepCore;
use crate::math::affine_map::AffineMap;
use crate::math::arithmetic::Arithmetic;
use crate::math::instance_stack::InstanceLevel;
use crate::math::real::Real;
use crate::math::rounding::round_up_f32;
use crate::math::vec3::Vec3;
use crate::math::vector::{Vector, Vector3, Working};
use crate::mesh::swept_bounds::swept_bounds;
use crate::mesh::triangle_set::TriangleSet;
use crate::queries::instance_ray::InstanceRay;
use crate::queries::swept_volume::SweptVolume;
use crate::query::{Approach, Faces, Inside, Query};
use crate::simd::lanes::SimdF32;
use crate::sweep::approach::counts;
use crate::sweep::contact::{center_at, sweep_candidate};
use crate::sweep::contact_time::{Contact, first_contact};
use crate::sweep::face_normal::face_normal;
use crate::sweep_hit::{SweepCandidate, SweepHit};
use core::ops::ControlFlow;
use glam::DVec3;

/// Search for the triangle that the volume touches first: the leaf visitor of a traversal.
pub(crate) struct TriangleSweep<'a, V: Vector> {
    mesh: TriangleSet<'a, V>,
    ray: &'a InstanceRay<'a, V>,
    swept: SweptVolume<'a, V>,
    query: Query<f64>,
    t_min: f64,
    /// Map from the mesh to the world, if it is placed.
    map: Option<AffineMap<Working<V>>>,
    /// Whether the map changes the order of vertices.
    is_mirrored: bool,
    /// Whether the contact at the start is that of the triangle closest to the origin of the ray: many triangles may touch
    /// there, and one is enough to know that.
    starts_at_closest: bool,
    limit: f64,
    /// Bound of the radius in the coordinates of the mesh.
    margin: f32,
    best: Option<(u32, SweepCandidate<V>)>,
}

impl<'a, V: Vector3> TriangleSweep<'a, V> {
    /// The first contact with a mesh; of two at the same `t`, that of the first triangle. Where the range begins, the deepest
    /// contact comes first.
    pub(crate) fn search(
        mesh: TriangleSet<'a, V>,
        ray: &'a InstanceRay<'a, V>,
        swept: SweptVolume<'a, V>,
        query: &Query<V::Scalar>,
        limit: f64,
    ) -> Option<SweepCandidate<V>> {
        // The part of the ray that counts: an empty range has no contact.
        let range = TRange::new(ray.world, query);
        let (t_min, limit) = (range.min.to_f64(), limit.min(range.max.to_f64()));
        if !(t_min <= limit) {
            return None;
        }
        // A placed triangle is swept in the world, where the volume keeps its form. A mirror would turn front faces
        // into back faces.
        let map = ray.level.map(InstanceLevel::affine_map::<Working<V>>);
        let is_mirrored = map.as_ref().is_some_and(AffineMap::is_mirror);
        // At the start a sphere may touch many triangles; the closest one is found by a search by distance, so the
        // first contact there ends this search.
        let is_sphere = matches!(swept, SweptVolume::Sphere(_));
        let counts_all = query.faces_mode() == Faces::Both
            && query.inside_mode() == Inside::Solid
            && query.approach_mode() == Approach::Any;
        let starts_at_closest = is_sphere && t_min == 0.0 && counts_all;
        let query = query.double();
        let mut search = Self {
            mesh,
            ray,
            swept,
            query,
            t_min,
            map,
            is_mirrored,
            starts_at_closest,
            limit,
            margin: 0.0,
            best: None,
        };
        // The traversal inflates boxes by the margin, a bound of the radius in the coordinates of the mesh.
        let _ = match mesh.index {
            Accel::Bvh(tree) => {
                let swept = SweptRay::new::<V>(&ray.raw, ray.level, swept.radius(), tree.largest);
                search.margin = round_up_f32(swept.margin);
                tree.visit_swept(&swept, (t_min, limit), &mut search)
            }
            Accel::LinearScan(scan) => {
                scan.visit(&mut { limit }, |triangle, _| search.update(triangle, mesh.corners_of(triangle)))
            }
        };
        // The contact at the start is that of the closest triangle.
        let (primitive, found) = search.best.and_then(|best| search.deepest(best))?;
        let face_normal = search.face_normal(primitive, &found.hit);
        Some(SweepCandidate { hit: SweepHit { primitive: Some(primitive), face_normal, ..found.hit }, ..found })
    }

    /// The normal of a triangle on the side that the volume comes from.
    fn face_normal(&self, primitive: u32, hit: &SweepHit<V>) -> Option<V> {
        let corners = self.mesh.corners_of(primitive);
        let [a, b, c] = self.place(corners);
        let normal = (b - a).normalize_exponent().cross((c - a).normalize_exponent());
        // A mirror changes the order of the vertices, and with it the side of their normal.
        let front = if self.is_mirrored { -normal } else { normal };
        let facing = || facing(&FlatShape::of_corners(corners), &self.ray.raw, self.ray.level);
        face_normal(front, hit, self.ray.world, &facing)
    }

    /// The deepest contact, if the best one is at the start and a search by distance finds it: that of the closest triangle.
    fn deepest(&self, best: (u32, SweepCandidate<V>)) -> Option<(u32, SweepCandidate<V>)> {
        let (_, SweepCandidate { t, hit, .. }) = best;
        if hit.depth.is_none() || !self.starts_at_closest {
            return Some(best);
        }
        let origin = V::from_xyz(self.ray.raw.origin.map(V::Scalar::from_f64));
        let primitive = self.mesh.closest_triangle(origin, self.ray.level, self.swept.radius())?;
        let placed = self.place(self.mesh.corners_of(primitive));
        Some((primitive, self.sphere_contact(placed, self.swept.radius(), (t, true))))
    }

    /// The corners of a triangle in the world.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn place(&self, [a, b, c]: [Vec3<f64>; 3]) -> [Vec3<Working<V>>; 3] {
        let place = |corner: Vec3<f64>| {
            let corner = corner.map_to(Working::<V>::from_f64);
            self.map.as_ref().map_or(corner, |map| map.point(corner))
        };
        [place(a), place(b), place(c)]
    }

    /// The contact of a sphere with a triangle at `t`.
    fn sphere_contact(
        &self,
        placed: [Vec3<Working<V>>; 3],
        radius: f64,
        (t, at_start): (Working<V>, bool),
    ) -> SweepCandidate<V> {
        let (center, _) = center_at(self.ray.world, t);
        let [a, b, c] = placed;
        let normal = |_| Some(NormalSide::Either((b - a).normalize_exponent().cross((c - a).normalize_exponent())));
        sweep_candidate(self.ray.world, radius, (t, at_start), &project_on(center, placed), (false, &normal))
    }

    /// The first contact with a triangle, unless it is beyond the limit.
    fn contact(&self, placed: [Vec3<Working<V>>; 3]) -> Option<SweepCandidate<V>> {
        let rounded = placed.map(|v| v.map_to(Arithmetic::to_f64));
        match self.swept {
            // A sphere: the time of contact is computed exactly enough, and the contact only if the triangle is not
            // later than the best.
            SweptVolume::Sphere(radius) => {
                let [a, b, c] = rounded.map(|v| DVec3::new(v.x, v.y, v.z));
                // The order of the vertices decides which face is the front.
                let part = SweepCore::Triangle(if self.is_mirrored { [a, c, b] } else { [a, b, c] });
                let limits = (V::Scalar::PRECISION, self.limit);
                let Contact { t, at_start } = first_contact((&part, None), radius, &self.ray.raw, &self.query, limits)?;
                let t = Working::<V>::from_parts(t);
                // A later triangle cannot win, so its contact is not computed.
                let is_first = self.best.as_ref().is_none_or(|(_, best)| !t.gt(best.t));
                is_first.then(|| self.sphere_contact(placed, radius, (t, at_start)))
            }
            // Other volumes: the sweep of convex shapes gives the contact.
            SweptVolume::Convex(volume) => {
                let sweep = volume.along(self.ray.world, [self.t_min, self.limit], true);
                let contact = sweep.first_contact(&ConvexShape::Polygon(rounded.into_iter().collect()), None, None)?;
                let found = project_on(contact.above_surface().map_to(Working::<V>::from_f64), placed);
                Some(volume.candidate(self.ray.world, (contact, found.feature, found.uv)))
            }
        }
    }

    /// Whether the query counts the side of a triangle that the volume comes from: decided exactly, by the direction of the motion.
    fn sees(&self, corners: [Vec3<f64>; 3]) -> bool {
        let faces = self.query.faces_mode();
        // A sphere decides that together with its contact.
        if faces == Faces::Both || matches!(self.swept, SweptVolume::Sphere(_)) {
            return true;
        }
        faces.sees(facing(&FlatShape::of_corners(corners), &self.ray.raw, self.ray.level))
    }

    /// Compares the contact with a triangle with the best one.
    // Not inlined: the code compiled for SIMD ends here.
    #[inline(never)]
    fn update(&mut self, triangle: u32, corners: [Vec3<f64>; 3]) -> ControlFlow<()> {
        if !self.sees(corners) {
            return ControlFlow::Continue(());
        }
        let Some(new) = self.contact(self.place(corners)) else { return ControlFlow::Continue(()) };
        let at_start = new.hit.depth.is_some();
        if !counts(&self.query, &new.hit, self.ray.world) {
            return ControlFlow::Continue(());
        }
        let wins = self.best.as_ref().is_none_or(|(other, best)| new.order(best).then(triangle.cmp(other)).is_lt());
        if wins {
            self.limit = self.limit.min(upper_bound(new.t));
            self.best = Some((triangle, new));
        }
        if at_start && self.starts_at_closest { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<V: Vector3> LeafVisitor for TriangleSweep<'_, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leaf<L: SimdF32>(
        &mut self,
        line: Option<&PreparedRay>,
        leaf: Leaf,
        prim_ids: &[u32],
        end: &mut f32,
    ) -> ControlFlow<()> {
        let (mesh, prim_ids) = (self.mesh, leaf.of_all(prim_ids));
        if let (Some(line), Some(blocks)) = (line, mesh.blocks) {
            // Lower bounds of the time for all triangles of the leaf: the earliest is tested first, and later ones are
            // ruled out by its contact.
            let (bounds, mut mask) = swept_bounds::<L>((blocks, leaf), line, self.margin, *end);
            while mask != 0 {
                let lane = bounds.nearest(mask);
                mask &= !(1 << lane);
                // The blocks are in the cache; the vertices of the mesh may not be.
                let triangle = prim_ids[lane % WIDTH];
                let corners = if blocks.are_exact { blocks.of((leaf, lane as u32)) } else { mesh.corners_of(triangle) };
                self.update(triangle, corners)?;
                *end = round_up_f32(self.limit);
                // A NaN rules out nothing.
                mask &= !L::splat(*end).less(bounds);
            }
            return ControlFlow::Continue(());
        }
        // Without blocks every triangle is tested.
        for &triangle in prim_ids {
            self.update(triangle, mesh.corners_of(triangle))?;
        }
        *end = round_up_f32(self.limit);
        ControlFlow::Continue(())
    }
}
