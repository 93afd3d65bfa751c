//! The optional features: serialization, and rays from the types of other crates.

#[cfg(feature = "serde")]
mod serde {
    use hitscan::glam::{DVec2, DVec3, Vec2, Vec3};
    use hitscan::{
        Aabb, Basis, Capsule, Circle, Cone, ConvexPolygon, Cuboid, Cylinder, Disk, Ellipsoid, Faces, Frustum,
        HalfSpace, Hit, Inside, OrientedBox, Plane, PointQuery, Quad, Query, RangedRay, RangedSegment, Ray, RayCast,
        Segment, SegmentShape, Span, Sphere, TaperedCapsule, Triangle, Triangle2, TriangleMesh,
    };
    use serde_json::{from_str, to_string};
    use std::error::Error;

    fn same<T>(value: &T) -> Result<(), Box<dyn Error>>
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let text = to_string(value)?;
        assert_eq!(&from_str::<T>(&text)?, value, "{text}");
        Ok(())
    }

    #[test]
    fn what_is_written_is_read() -> Result<(), Box<dyn Error>> {
        let (a, b) = (DVec3::new(0.1, -0.2, 0.3), DVec3::new(1.0, 2.0, 1e-300));
        let basis = Basis::from_direction(b)?;
        same(&Ray::new(a, b))?;
        same(&Segment::new(a, b))?;
        same(&RangedRay::new(Ray::new(a, b), 0.5, 2.0).layers(3))?;
        same(&RangedSegment::new(Segment::new(a, b), 0.5, 1.0))?;
        same(&Aabb::from_points([a, b]))?;
        same(&basis)?;
        same(&Basis::<Vec2>::default())?;
        same(&Sphere::new(a, 0.5)?.closest_point(b))?;
        same(&Plane::new(a, b)?)?;
        same(&HalfSpace::new(a, b)?)?;
        same(&Disk::new(a, b, 0.7)?)?;
        same(&Cuboid::new(a, DVec3::ONE)?)?;
        same(&OrientedBox::new(a, DVec3::ONE, basis)?)?;
        same(&Capsule::new(a, b, 0.7)?)?;
        same(&TaperedCapsule::new(a, b, 0.7, 0.1)?)?;
        same(&Cylinder::new(a, b, 0.7)?)?;
        same(&Cone::new(a, b, 0.7)?)?;
        same(&Frustum::new(a, b, 0.7, 0.1)?)?;
        same(&Ellipsoid::with_basis(a, DVec3::new(1.0, 2.0, 3.0), basis)?)?;
        same(&Triangle::new(a, b, DVec3::X)?)?;
        same(&Quad::new(a, b, DVec3::X)?)?;
        same(&Triangle2::new(DVec2::ZERO, DVec2::Y, DVec2::X)?)?;
        same(&SegmentShape::new(DVec2::ZERO, DVec2::Y)?)?;
        same(&ConvexPolygon::new([DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y])?)?;
        same(&Circle::new(Vec2::new(0.1, 0.2), 0.3)?)?;
        let query = Query::from(0.1..=0.7).inside(Inside::Hollow).faces(Faces::Front).layers(6);
        let near = query.within_distance(0.3);
        [query, near, Query::new(), Query::line(), Query::new().within_distance(-1.0)].iter().try_for_each(same)?;
        let text = to_string(&Query::<f64>::new().within_distance(f64::NAN))?;
        assert_eq!(
            Sphere::new(DVec3::ZERO, 1.0)?.cast_ray(&Ray::new(DVec3::ZERO, DVec3::X), from_str::<Query<f64>>(&text)?),
            None
        );

        let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?;
        let read: TriangleMesh<Vec3> = from_str(&to_string(&mesh)?)?;
        assert_eq!((read.vertices(), read.triangles()), (mesh.vertices(), mesh.triangles()));
        let hit: Hit<Vec3> = mesh.cast_ray(&Ray::new(Vec3::new(0.1, 0.2, 1.0), -Vec3::Z), ..).ok_or("a miss")?;
        same(&hit)?;
        let ball = Sphere::new(Vec3::ZERO, 2.0)?;
        let span: Span<Vec3> = ball.spans(&Ray::new(Vec3::X * -5.0, Vec3::X), ..)[0];
        same(&span)?;
        assert_eq!(to_string(&ball)?, r#"{"center":[0.0,0.0,0.0],"radius":2.0}"#);
        Ok(())
    }

    /// JSON has null for NaN and for the infinities, and null is no limit.
    #[test]
    fn a_query_that_hits_nothing_still_does_when_it_is_read() -> Result<(), Box<dyn Error>> {
        let ball = Sphere::new(DVec3::ZERO, 1.0)?;
        let ray = Ray::new(DVec3::X * -5.0, DVec3::X);
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        for (t_min, t_max) in
            [(nan, 9.0), (0.0, nan), (nan, nan), (infinity, 9.0), (infinity, infinity), (0.0, -infinity), (5.0, 4.0)]
        {
            let query = Query::new().range(t_min, t_max).inside(Inside::Hollow).layers(6);
            let text = to_string(&query)?;
            let read: Query<f64> = from_str(&text)?;
            assert!(!(read.t_min() <= read.t_max()), "{t_min} to {t_max}: {text}");
            assert_eq!(ball.cast_ray(&ray, read), None, "{text}");
            assert_eq!((read.inside_mode(), read.layer_mask()), (Inside::Hollow, 6));
        }
        Ok(())
    }

    #[test]
    fn a_query_names_both_ends_of_its_range() {
        let read =
            |range: &str| from_str::<Query<f32>>(&format!(r#"{{{range}"inside":"Solid","faces":"Both","layers":1}}"#));
        let query = read(r#""t_min":null,"t_max":10,"#).expect("a query");
        assert_eq!((query.t_min(), query.t_max()), (f32::NEG_INFINITY, 10.0));
        for (range, missing) in [(r#""t_max":10,"#, "t_min"), (r#""t_min":0,"#, "t_max"), ("", "t_min")] {
            let error = read(range).expect_err("an end is missing").to_string();
            assert!(error.starts_with(&format!("missing field `{missing}`")), "{error}");
        }
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        let error = |text: &str| from_str::<Sphere<Vec3>>(text).expect_err("no sphere").to_string();
        let constructor = Sphere::new(Vec3::ZERO, -1.0).expect_err("no sphere").to_string();
        assert!(error(r#"{"center":[0,0,0],"radius":-1}"#).starts_with(&constructor));
        assert!(error(r#"{"center":[0,0,0],"radius":1,"r":1}"#).contains("unknown field `r`"));
        assert!(error(r#"{"center":[0,0],"radius":1}"#).contains("invalid length 2"));
        assert!(from_str::<Basis<Vec3>>(r#"{"axes":[[1,0,0],[0,1,0],[0,1,0]]}"#).is_err());
        assert!(from_str::<Triangle<Vec3>>(r#"{"vertices":[[1,0,0],[1,0,0],[0,1,0]]}"#).is_err());
        let mesh = from_str::<TriangleMesh<Vec3>>(r#"{"vertices":[[1,0,0],[1,0,1],[0,1,0]],"triangles":[[0,1,3]]}"#);
        assert!(mesh.expect_err("no mesh").to_string().contains("vertex index 3 out of range"));
    }
}

#[cfg(feature = "mint")]
#[test]
fn rays_of_mint() {
    use hitscan::glam::{DVec2, Vec3};
    use hitscan::{Ray, Segment};
    let (origin, direction) = (mint::Point3 { x: 1.0f32, y: 2.0, z: 3.0 }, mint::Vector3 { x: 0.0f32, y: 0.0, z: 1.0 });
    assert_eq!(Ray::from((origin, direction)), Ray::new(Vec3::new(1.0, 2.0, 3.0), Vec3::Z));
    let (a, b) = (mint::Point2 { x: 1.0f64, y: 2.0 }, mint::Point2 { x: 3.0, y: 4.0 });
    assert_eq!(Segment::from((a, b)), Segment::new(DVec2::new(1.0, 2.0), DVec2::new(3.0, 4.0)));
}

#[cfg(feature = "nalgebra")]
#[test]
fn rays_of_nalgebra() {
    use hitscan::glam::{DVec2, Vec3};
    use hitscan::{Ray, Segment};
    let (origin, direction) = (nalgebra::Point3::new(1.0f32, 2.0, 3.0), nalgebra::Vector3::new(0.0f32, 0.0, 1.0));
    assert_eq!(Ray::from((origin, direction)), Ray::new(Vec3::new(1.0, 2.0, 3.0), Vec3::Z));
    let (a, b) = (nalgebra::Point2::new(1.0f64, 2.0), nalgebra::Point2::new(3.0, 4.0));
    assert_eq!(Segment::from((a, b)), Segment::new(DVec2::new(1.0, 2.0), DVec2::new(3.0, 4.0)));
}

#[cfg(feature = "bytemuck")]
#[test]
fn rays_from_bytes() {
    use hitscan::glam::Vec3;
    use hitscan::{Ray, Segment};
    let numbers: [f32; 12] = [1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 4.0, 5.0, 6.0, 1.0, 0.0, 0.0];
    let rays: &[Ray<Vec3>] = bytemuck::cast_slice(&numbers);
    let second = Ray::new(Vec3::new(4.0, 5.0, 6.0), Vec3::X);
    assert_eq!(rays, [Ray::new(Vec3::new(1.0, 2.0, 3.0), Vec3::Z), second]);
    let segments: &[Segment<Vec3>] = bytemuck::cast_slice(bytemuck::bytes_of(&numbers));
    assert_eq!((segments[1].a, segments[1].b), (second.origin, second.direction));
}
