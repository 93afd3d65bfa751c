//! The library's instances against the oracle: a small run of `hitscan-oracle instances`, leaks of meshes under
//! transforms, and matrices that are singular or nearly so.

use hitscan::TransformError;
use hitscan::glam::{DVec3, Vec2, Vec3};
use hitscan_oracle::affine::PlainTransform;
use hitscan_oracle::body::World;
use hitscan_oracle::closed_meshes;
use hitscan_oracle::generate::{Family, TransformFamily, transform};
use hitscan_oracle::leaks::{self, Leaks};
use hitscan_oracle::number::Precision;
use hitscan_oracle::run::{Plan, Subject, run};
use test_support::random::Rng;

#[test]
fn instances_keep_the_contract() {
    let plan = Plan {
        seed: 8,
        cases: 20 * 28 * 11 * 2,
        subjects: Subject::instances(),
        families: Family::ALL.to_vec(),
        transforms: TransformFamily::ALL.to_vec(),
        precisions: vec![Precision::F32, Precision::F64],
        threads: 2,
    };
    let table = run(&plan);
    assert_eq!(table.rows.len(), 28 * 11 * 2);
    assert!(table.rows.values().all(|row| row.cases == 20));
    assert!(table.is_clean(), "{}", table.print());
}

#[test]
fn closed_meshes_do_not_leak() {
    // Of nearly singular transforms fewer: each triangle that a linear scan meets needs exact arithmetic.
    let families =
        [(TransformFamily::Rotation, 256), (TransformFamily::Mirror, 256), (TransformFamily::NearSingular, 24)];
    for (family, rays) in families {
        let meshes = closed_meshes::all();
        let found = leaks::run(&Leaks { seed: 9, rays, threads: 2, meshes, transform: Some(family) });
        let (text, clean) = found.expect("closed meshes");
        assert!(clean, "{}:\n{text}", family.name());
    }
}

/// Two axes of which one is a multiple of the other, and the same with one number a step beside.
#[test]
fn singular_matrices_are_refused() {
    fn one<V: World>(plain: &PlainTransform) {
        let (built, valid) = (plain.build::<V>(), plain.is_valid());
        assert_eq!(built.is_ok(), valid, "{plain}: {built:?}");
        assert!(valid || built.is_err_and(|error| error == TransformError::Singular), "{plain}");
    }
    fn all<V: World>(rng: &mut Rng) {
        let mut plain = transform(TransformFamily::Rotation, V::DIM, V::PRECISION, rng);
        let share = 2f64.powi(rng.int(-4, 4)) * rng.sign();
        plain.axes[1] = plain.axes[0].map(|x| x * share);
        one::<V>(&plain);
        let (i, j, step) = (rng.below(2), rng.below(V::DIM), rng.int(-1, 1));
        plain.axes[i][j] = V::PRECISION.step(plain.axes[i][j], step);
        one::<V>(&plain);
    }
    let mut rng = Rng::for_stream(31, 0);
    for _ in 0..200 {
        all::<Vec2>(&mut rng);
        all::<Vec3>(&mut rng);
        all::<DVec3>(&mut rng);
    }
}
