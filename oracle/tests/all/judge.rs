//! The judge notices what is wrong, and finds nothing where nothing is.

use hitscan::Side;
use hitscan_oracle::body::Kind;
use hitscan_oracle::case::{Answers, Case};
use hitscan_oracle::generate::{Family, case};
use hitscan_oracle::judge::judge;
use hitscan_oracle::number::Precision;
use hitscan_oracle::run::{Plan, Subject, answers, run};
use hitscan_oracle::tally::{Key, RowFamily};
use test_support::random::Rng;

/// Cases that hit from outside, with the library's answers.
fn hits() -> impl Iterator<Item = (Case, Answers)> {
    let mut rng = Rng::for_stream(11, 0);
    let kinds = Kind::ALL.iter().flat_map(|kind| [(*kind, Precision::F32), (*kind, Precision::F64)]);
    kinds.flat_map(move |(kind, precision)| {
        let mut found = Vec::new();
        while found.len() < 3 {
            let Some(mut case) = case(kind, Family::Ordinary, precision, &mut rng) else { continue };
            case.is_thorough = true;
            let Some(answers) = answers(&case) else { continue };
            if answers.queries[0].first.is_some_and(|hit| hit.t != 0.0) {
                found.push((case, answers));
            }
        }
        found
    })
}

#[test]
fn right_answers_pass() {
    for (case, answers) in hits() {
        let verdict = judge(&case, &answers);
        assert_eq!(verdict.wrong, [""; 0], "{case}");
        assert!(verdict.t.is_some_and(|t| t <= 1.0), "{case}");
    }
}

#[test]
fn a_t_that_is_off_is_noticed() {
    for (case, mut answers) in hits() {
        let limit = if case.body.kind.is_flat() { 2.0 } else { 1.0 };
        let first = answers.queries[0].first.as_mut().unwrap();
        first.t = case.precision.step(first.t, 3);
        assert!(judge(&case, &answers).t.is_some_and(|t| t > limit), "{case}");
    }
    // Two steps are seen wherever only one is allowed.
    for (case, mut answers) in hits().filter(|(case, _)| !case.body.kind.is_flat()) {
        let first = answers.queries[0].first.as_mut().unwrap();
        first.t = case.precision.step(first.t, 2);
        assert!(judge(&case, &answers).t.is_some_and(|t| t > 1.0), "{case}");
    }
}

#[test]
fn a_turned_normal_is_noticed() {
    for (case, mut answers) in hits() {
        let first = answers.queries[0].first.as_mut().unwrap();
        first.normal[0] += 4.0 * case.precision.epsilon();
        assert!(judge(&case, &answers).normal.is_some_and(|n| n > 2.0), "{case}");
        let first = answers.queries[0].first.as_mut().unwrap();
        first.normal = first.normal.map(|x| -x);
        assert!(!judge(&case, &answers).wrong.is_empty(), "another face: {case}");
    }
}

#[test]
fn flipped_decisions_are_noticed() {
    for (case, answers) in hits() {
        let wrong = |change: &dyn Fn(&mut Answers)| {
            let mut answers = answers.clone();
            change(&mut answers);
            assert!(!judge(&case, &answers).wrong.is_empty(), "{case}");
        };
        wrong(&|a| a.contains = !a.contains);
        wrong(&|a| a.queries[0].first = None);
        wrong(&|a| a.queries[1].any = !a.queries[1].any);
        wrong(&|a| {
            let first = a.queries[0].first.as_mut().unwrap();
            first.side = if first.side == Side::Front { Side::Back } else { Side::Front };
        });
        wrong(&|a| a.queries[0].further.as_mut().unwrap().all.clear());
        wrong(&|a| a.queries[0].further.as_mut().unwrap().count += 1);
        if case.body.kind.is_solid() {
            wrong(&|a| a.queries[0].further.as_mut().unwrap().spans.clear());
            wrong(&|a| a.queries[0].further.as_mut().unwrap().spans[0][0] = None);
        }
    }
}

#[test]
fn points_and_distances_are_measured() {
    for (case, mut answers) in hits() {
        let first = answers.queries[0].first.as_mut().unwrap();
        first.point[1] = case.precision.step(first.point[1], 5);
        first.distance = case.precision.step(first.distance, -5);
        let verdict = judge(&case, &answers);
        assert!(verdict.point.is_some_and(|x| x > 2.0) && verdict.distance.is_some_and(|x| x > 2.0), "{case}");
    }
}

/// Every shape and family, a few cases each: the machinery runs, the same for any number of threads, and the ordinary
/// families keep the contract. (What the others find is what the program is for.)
#[test]
fn a_small_run() {
    let plan = Plan {
        seed: 5,
        cases: 3 * 27 * 12 * 2,
        subjects: Subject::all(),
        families: Family::ALL.to_vec(),
        transforms: vec![],
        precisions: vec![Precision::F32, Precision::F64],
        threads: 2,
    };
    let table = run(&plan);
    assert_eq!(table.rows.len(), 27 * 12 * 2);
    assert!(table.rows.values().all(|row| row.cases == 3));
    assert_eq!(table.print(), run(&Plan { threads: 1, ..plan }).print());
    let tame = [Family::Ordinary, Family::Nonunit, Family::Scale, Family::Thin, Family::Grazing];
    let is_tame = |key: &Key| tame.iter().any(|family| key.family == RowFamily::Rays(*family));
    for (key, row) in table.rows.iter().filter(|(key, _)| is_tame(key) && !key.shape.starts_with("scene")) {
        assert_eq!((row.wrong, row.off), (0, 0), "{key:?}\n{}", table.print());
    }
}
