//! Rules that decide on which side of a mesh a point is, and answers that name their rule.

/// Rule that decides whether a point is inside of a triangle mesh.
///
/// [`TriangleMesh::contains_by`](crate::TriangleMesh::contains_by) has the details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InsideRule {
    /// Exact parity: a ray from the point crosses the mesh an odd number of times. Only a closed mesh has an inside.
    /// This is the rule of [`Shape::contains`](crate::Shape::contains). Triangles may face anywhere.
    #[default]
    Parity,
    /// The [generalized winding number](crate::TriangleMesh::winding_number) is at least 1/2. It tolerates holes,
    /// overlaps and duplicate triangles. The triangles must face outward, counter-clockwise as seen from there.
    WindingNumber,
    /// [`Parity`](Self::Parity) for a closed mesh, [`WindingNumber`](Self::WindingNumber) for any other.
    ParityIfClosed,
}

/// Whether a point is inside of a mesh, and the rule that decided it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Containment {
    /// Whether the point is inside.
    pub is_inside: bool,
    /// The rule that decided: parity or winding number.
    pub rule: InsideRule,
}

/// Signed distance to a mesh, and the rule that decided its sign.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SignedDistance<S> {
    /// Distance to the surface, negative inside.
    pub distance: S,
    /// The rule that decided the sign: parity or winding number.
    pub rule: InsideRule,
}
