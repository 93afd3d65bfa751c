//! Imports of whole modules: hitscan's and glam's beside each other.

mod with_prelude {
    use glam::*;
    use hitscan::prelude::*;

    #[test]
    fn prelude_beside_glam() {
        let mut builder = SceneBuilder3::new();
        let ball = builder.add(Sphere::new(vec3(0.0, 0.0, 5.0), 1.0).expect("a ball")).expect("a shape");
        let scene: Scene3 = builder.build();
        let ray = Ray::new(Vec3::ZERO, Vec3::Z);
        assert_eq!(scene.cast_ray(&ray, ..=4.0).and_then(|hit| hit.object), Some(ball));
        assert!(!scene.intersects_ray(&ray, Query::from(..=3.5)));
        assert_eq!(Vec3::splat(2.0).map(|x| x + 1.0).xy(), vec2(3.0, 3.0));
        let flat: SceneBuilder2 = SceneBuilder::new();
        let flat: Scene2 = flat.build();
        assert_eq!(flat.count_hits(&Segment::new(Vec2::ZERO, Vec2::X), ..), 0);
    }
}

mod with_everything {
    use glam::*;
    use hitscan::*;

    #[test]
    fn everything_beside_glam() {
        let v = Vec3::splat(2.0);
        assert!(v.is_finite() && (v.x + 0.5).next_up() > 2.5 && v.dot(vec3(1.0, 0.0, 0.0)) == 2.0);
        let line = Line::new(DVec2::ZERO, DVec2::Y).expect("a line");
        assert_eq!(line.count_hits(&Ray::new(dvec2(0.0, 1.0), -DVec2::Y), ..), 1);
    }
}
