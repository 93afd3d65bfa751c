//! Shapes of the library from the fields of a scene file, and back: one function per direction and dimension.

use super::emit::ShapeWriter;
use super::fields::Fields;
use super::values::FieldError;
use hitscan::{
    AnyShape2, AnyShape3, Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Frustum, HalfSpace,
    OrientedBox, Plane, Quad, SegmentShape, Sphere, TaperedCapsule, Triangle, Triangle2,
};
use hitscan::{Vector2, Vector3};

pub(super) fn of_space<V: Vector3>(f: &Fields<'_>) -> Result<AnyShape3<V>, FieldError> {
    Ok(match f.kind {
        "box" => match f.oriented("half_extents")? {
            (half, None) => Cuboid::new(f.point("center")?, half)?.into(),
            (half, Some(axes)) => OrientedBox::with_axes(f.point("center")?, half, &axes)?.into(),
        },
        "capsule" => Capsule::new(f.point("a")?, f.point("b")?, f.length("radius")?)?.into(),
        "cone" => Cone::new(f.point("base")?, f.point("apex")?, f.length("radius")?)?.into(),
        "convex_hull" => AnyShape3::Mesh(f.convex_hull()?),
        "cylinder" => Cylinder::new(f.point("a")?, f.point("b")?, f.length("radius")?)?.into(),
        "disk" => Disk::new(f.point("center")?, f.direction("normal")?, f.length("radius")?)?.into(),
        "ellipsoid" => ellipsoid(f)?.into(),
        "frustum" => {
            let (a, b) = (f.point("a")?, f.point("b")?);
            Frustum::new(a, b, f.length("radius_a")?, f.length("radius_b")?)?.into()
        }
        "half_space" => HalfSpace::new(f.point("point")?, f.direction("normal")?)?.into(),
        "mesh" => AnyShape3::Mesh(f.mesh()?),
        "plane" => Plane::new(f.point("point")?, f.direction("normal")?)?.into(),
        "prism" => AnyShape3::Mesh(f.prism()?),
        "quad" => Quad::new(f.point("corner")?, f.edge("edge_u")?, f.edge("edge_v")?)?.into(),
        "sphere" => Sphere::new(f.point("center")?, f.length("radius")?)?.into(),
        "tapered_capsule" => tapered_capsule(f)?.into(),
        "triangle" => Triangle::new(f.point("a")?, f.point("b")?, f.point("c")?)?.into(),
        other => return Err(FieldError::new(format!("type '{other}' is not of space"))),
    })
}

pub(super) fn of_plane<V: Vector2>(f: &Fields<'_>) -> Result<AnyShape2<V>, FieldError> {
    Ok(match f.kind {
        "capsule" => Capsule::new(f.point("a")?, f.point("b")?, f.length("radius")?)?.into(),
        "circle" => Circle::new(f.point("center")?, f.length("radius")?)?.into(),
        "ellipse" => ellipsoid(f)?.into(),
        "half_plane" => HalfSpace::new(f.point("point")?, f.direction("normal")?)?.into(),
        "line" => Plane::new(f.point("point")?, f.direction("normal")?)?.into(),
        "polygon" => ConvexPolygon::new(f.points("vertices")?)?.into(),
        "rectangle" => match f.oriented("half_extents")? {
            (half, None) => Cuboid::new(f.point("center")?, half)?.into(),
            (half, Some(axes)) => OrientedBox::with_axes(f.point("center")?, half, &axes)?.into(),
        },
        "segment" => SegmentShape::new(f.point("a")?, f.point("b")?)?.into(),
        "tapered_capsule" => tapered_capsule(f)?.into(),
        "triangle" => Triangle2::new(f.point("a")?, f.point("b")?, f.point("c")?)?.into(),
        other => return Err(FieldError::new(format!("type '{other}' is not of the plane"))),
    })
}

fn ellipsoid<V: hitscan::Vector>(f: &Fields<'_>) -> Result<Ellipsoid<V>, FieldError> {
    Ok(match f.oriented("radii")? {
        (radii, None) => Ellipsoid::new(f.point("center")?, radii)?,
        (radii, Some(axes)) => Ellipsoid::with_axes(f.point("center")?, radii, &axes)?,
    })
}

fn tapered_capsule<V: hitscan::Vector>(f: &Fields<'_>) -> Result<TaperedCapsule<V>, FieldError> {
    let (a, b) = (f.point("a")?, f.point("b")?);
    Ok(TaperedCapsule::new(a, b, f.length("radius_a")?, f.length("radius_b")?)?)
}

/// Writes type and parameters; `None` for a shape that scene files have no type for.
pub(super) fn write_space<V: Vector3>(shape: &AnyShape3<V>, w: &mut ShapeWriter<'_>) -> Option<()> {
    use AnyShape3 as Any;
    match shape {
        Any::Cuboid(s) => w.kind("box").point("center", s.center()).point("half_extents", s.half_extents()),
        Any::OrientedBox(s) => {
            let w = w.kind("box").point("center", s.center()).point("half_extents", s.half_extents());
            w.points("axes", s.basis().axes())
        }
        Any::Capsule(s) => w.kind("capsule").point("a", s.a()).point("b", s.b()).number("radius", s.radius()),
        Any::Cone(s) => w.kind("cone").point("base", s.base()).point("apex", s.apex()).number("radius", s.radius()),
        Any::Cylinder(s) => w.kind("cylinder").point("a", s.a()).point("b", s.b()).number("radius", s.radius()),
        Any::Disk(s) => {
            w.kind("disk").point("center", s.center()).point("normal", s.normal()).number("radius", s.radius())
        }
        Any::Ellipsoid(s) => w.kind("ellipsoid").ellipsoid(s),
        Any::Frustum(s) => {
            let w = w.kind("frustum").point("a", s.a()).point("b", s.b());
            w.number("radius_a", s.radius_a()).number("radius_b", s.radius_b())
        }
        Any::HalfSpace(s) => w.kind("half_space").point("point", s.point()).point("normal", s.normal()),
        Any::Mesh(_) => w.mesh(),
        Any::Plane(s) => w.kind("plane").point("point", s.point()).point("normal", s.normal()),
        Any::Quad(s) => {
            let w = w.kind("quad").point("corner", s.corner());
            w.point("edge_u", s.edge_u()).point("edge_v", s.edge_v())
        }
        Any::Sphere(s) => w.kind("sphere").point("center", s.center()).number("radius", s.radius()),
        Any::TaperedCapsule(s) => {
            let w = w.kind("tapered_capsule").point("a", s.a()).point("b", s.b());
            w.number("radius_a", s.radius_a()).number("radius_b", s.radius_b())
        }
        Any::Triangle(s) => w.kind("triangle").corners(s.vertices()),
        _ => return None,
    };
    Some(())
}

/// Writes type and parameters; `None` for a shape that scene files have no type for.
pub(super) fn write_plane<V: Vector2>(shape: &AnyShape2<V>, w: &mut ShapeWriter<'_>) -> Option<()> {
    use AnyShape2 as Any;
    match shape {
        Any::Capsule(s) => w.kind("capsule").point("a", s.a()).point("b", s.b()).number("radius", s.radius()),
        Any::Circle(s) => w.kind("circle").point("center", s.center()).number("radius", s.radius()),
        Any::Ellipse(s) => w.kind("ellipse").ellipsoid(s),
        Any::HalfPlane(s) => w.kind("half_plane").point("point", s.point()).point("normal", s.normal()),
        Any::Line(s) => w.kind("line").point("point", s.point()).point("normal", s.normal()),
        Any::OrientedRectangle(s) => {
            let w = w.kind("rectangle").point("center", s.center()).point("half_extents", s.half_extents());
            w.points("axes", s.basis().axes())
        }
        Any::Polygon(s) => w.kind("polygon").points("vertices", s.vertices()),
        Any::Rectangle(s) => w.kind("rectangle").point("center", s.center()).point("half_extents", s.half_extents()),
        Any::Segment(s) => w.kind("segment").point("a", s.a()).point("b", s.b()),
        Any::TaperedCapsule(s) => {
            let w = w.kind("tapered_capsule").point("a", s.a()).point("b", s.b());
            w.number("radius_a", s.radius_a()).number("radius_b", s.radius_b())
        }
        Any::Triangle(s) => w.kind("triangle").corners(s.vertices()),
        _ => return None,
    };
    Some(())
}
