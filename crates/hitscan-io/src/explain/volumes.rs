//! The explanation of an overlap: whether a sphere or a box has a point in common with each shape of a scene.

use super::listing::{Finding, Listing, bounding_box, explained, off_layers, on_layers};
use super::report::{Detail, ExplainReport};
use super::sphere_or_box::SphereOrBox;
use crate::SceneVector;
use crate::fmt::{has_solid, kind, number};
use hitscan::Real;
use hitscan::{Instance, Object, OverlapQuery, PointQuery, Scene, Shape, Sphere, Step, Volume};

impl ExplainReport {
    /// Finds the shapes on some layers that a sphere or a box overlaps, and explains each answer.
    #[must_use]
    pub fn of_volume<V: SceneVector>(scene: &Scene<V>, shape: &SphereOrBox<V>, layers: u32, detail: Detail) -> Self {
        let mut listing = Listing::new(scene, detail);
        let volume = Volume::from(shape);
        let mut overlapping = Vec::new();
        for (id, object) in scene.objects() {
            if let Some(why) = off_layers(object, layers) {
                if listing.lists_all() {
                    listing.add(id, Finding::unseen(why));
                } else {
                    listing.leave_out();
                }
                continue;
            }
            let is_near = || bounding_box(object).is_none_or(|solid| solid.overlaps(&volume));
            let finding = on_layers(object, layers, |seen| {
                let overlaps = seen.overlaps(&volume);
                let is_listed = listing.lists_all() || overlaps || is_near();
                is_listed.then(|| finding((object, seen), shape, &volume, overlaps))
            });
            let Some(finding) = finding else {
                listing.leave_out();
                continue;
            };
            if finding.is_answer {
                overlapping.push(listing.name(Some(id)).to_owned());
            }
            listing.add(id, finding);
        }
        let outcome = match overlapping.len() {
            0 => "no overlap: nothing reaches into the volume".to_owned(),
            1 => format!("overlap: 1 object, {}", overlapping[0]),
            n => format!("overlap: {n} objects, {}", overlapping.join(", ")),
        };
        listing.report(outcome, "whose bounding box the volume does not overlap")
    }
}

/// What an object on the right layers has to do with the volume; `seen` is what a query sees of it.
fn finding<V: SceneVector>(
    (object, seen): (&Object<V>, &dyn Shape<V>),
    shape: &SphereOrBox<V>,
    volume: &Volume<V>,
    overlaps: bool,
) -> Finding {
    let answer = match overlaps {
        true => format!("overlaps{}", triangles(object, volume)),
        false => "does not overlap".to_owned(),
    };
    let gap = match shape {
        SphereOrBox::Sphere(sphere) => gap(seen, sphere),
        SphereOrBox::Box(_) => None,
    };
    let ball = if V::DIM == 2 { "circle" } else { "sphere" };
    let how_far = match gap {
        Some(gap) if overlaps => format!(": the {ball} reaches {} into it", number((-gap).max(0.0))),
        Some(gap) => format!(": the {ball} ends {} before it", number(gap.max(0.0))),
        None => String::new(),
    };
    let signed = match shape {
        SphereOrBox::Sphere(sphere) => seen.signed_distance(sphere.center()),
        SphereOrBox::Box(_) => None,
    };
    Finding {
        is_answer: overlaps,
        is_found: overlaps,
        order: if overlaps { 0.0 } else { gap.unwrap_or(f64::INFINITY) },
        why: format!("{answer}{how_far}"),
        explanation: explained(
            signed
                .map(|distance| Step::Number("signed distance of the center", distance.to_f64()))
                .into_iter()
                .chain([Step::Verdict(decision(object))]),
        ),
    }
}

/// The distance between a sphere and a shape, negative where they overlap; `None` if it is not measured.
fn gap<V: SceneVector>(shape: &dyn Shape<V>, sphere: &Sphere<V>) -> Option<f64> {
    let signed = shape.signed_distance(sphere.center())?;
    Some(signed.to_f64() - sphere.radius().to_f64())
}

/// How many triangles of a mesh the volume touches.
fn triangles<V: SceneVector>(object: &Object<V>, volume: &Volume<V>) -> String {
    let Some(mesh) = V::mesh(object.shape()) else { return String::new() };
    let mut found = Vec::new();
    object.instance().overlapping_into(volume, &mut found);
    let (touched, all) = (found.iter().filter(|found| found.primitive.is_some()).count(), mesh.triangles().len());
    match touched {
        0 => ", as a solid: none of its triangles is touched".to_owned(),
        n => format!(" {n} of its {all} triangles"),
    }
}

/// How the library decides whether the shape overlaps a volume.
fn decision<V: SceneVector>(object: &Object<V>) -> &'static str {
    if has_solid::<V>(object.shape()) {
        "decided by the shapes of the solid as a whole: the overlap may be with what is cut away"
    } else if is_decided_exactly(object.instance(), true) {
        "decided exactly"
    } else {
        "decided by a measured distance"
    }
}

/// Whether real arithmetic decides: not for curved shapes but spheres and capsules, and for these only if all transforms, those
/// above too, do no more than move them.
fn is_decided_exactly<V: SceneVector>(object: &Instance<V>, moves_only: bool) -> bool {
    let [one, zero] = [V::Scalar::ONE, V::Scalar::ZERO];
    let is_axis = |(axis, column): (usize, &V)| {
        column.to_xyz().iter().enumerate().all(|(i, x)| *x == if i == axis { one } else { zero })
    };
    let moves_only =
        moves_only && object.transform().is_none_or(|transform| transform.axes().iter().enumerate().all(is_axis));
    if let Some(group) = V::as_group(object.shape()) {
        return group.objects().all(|(_, member)| is_decided_exactly(member.instance(), moves_only));
    }
    if let Some(solid) = V::as_solid(object.shape()) {
        return solid.leaves().all(|leaf| is_decided_exactly(leaf, moves_only));
    }
    match kind::<V>(object.shape()) {
        "disk" | "cylinder" | "cone" | "frustum" | "tapered_capsule" | "ellipsoid" | "ellipse" => false,
        "sphere" | "circle" | "capsule" => moves_only,
        _ => true,
    }
}
