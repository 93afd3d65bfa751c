//! Edited scenes: a small run of `hitscan-oracle edits`, and errors that its judge must find.

use hitscan::{Side, Triggers};
use hitscan_oracle::edits::history::{Edit, History, history};
use hitscan_oracle::edits::judge::judge;
use hitscan_oracle::edits::library::{FilteredAnswer, answers};
use hitscan_oracle::generate::{Family, TransformFamily};
use hitscan_oracle::number::Precision;
use hitscan_oracle::run::{Plan, Subject, run};
use test_support::random::Rng;

#[test]
fn edited_scenes_keep_the_contract() {
    let plan = Plan {
        seed: 12,
        cases: 25 * 2 * 2 * 11,
        subjects: Subject::edits(),
        families: Family::ALL.to_vec(),
        transforms: TransformFamily::ALL.to_vec(),
        precisions: vec![Precision::F32, Precision::F64],
        threads: 2,
    };
    let table = run(&plan);
    assert_eq!(table.rows.len(), 2 * 2 * 11);
    assert!(table.rows.values().all(|row| row.cases == 25));
    assert!(table.is_clean(), "{}", table.print());
}

/// Histories whose last step has answers as wanted.
fn histories(wanted: impl Fn(&History, &FilteredAnswer) -> bool) -> Vec<(History, Vec<[FilteredAnswer; 2]>)> {
    let mut rng = Rng::for_stream(13, 0);
    let mut found = Vec::new();
    while found.len() < 16 {
        let transform = rng.pick(TransformFamily::ALL);
        let (dim, precision) = (2 + rng.below(2), rng.pick(&[Precision::F32, Precision::F64]));
        let Some(history) = history(dim, transform, Family::Lattice, precision, &mut rng) else { continue };
        let Some(answers) = answers(&history) else { continue };
        if answers.last().is_some_and(|[_, last]| wanted(&history, last)) {
            found.push((history, answers));
        }
    }
    found
}

/// Checks that the judge finds nothing before a change of the last answer, and something behind it.
fn is_noticed(wanted: impl Fn(&History, &FilteredAnswer) -> bool, plant: impl Fn(&History, &mut FilteredAnswer)) {
    for (history, mut answers) in histories(wanted) {
        assert_eq!(judge(&history, &answers).wrong, [""; 0], "{history}");
        let [_, last] = answers.last_mut().unwrap();
        plant(&history, last);
        assert_ne!(judge(&history, &answers).wrong, [""; 0], "{history}");
    }
}

#[test]
fn the_object_inserted_later_is_noticed() {
    let is_tie = |_: &History, answer: &FilteredAnswer| {
        answer.all.len() > 1 && answer.all[0].1 == answer.all[1].1 && answer.all[0].0 != answer.all[1].0
    };
    is_noticed(is_tie, |_, answer| answer.all.swap(0, 1));
    is_noticed(is_tie, |_, answer| answer.first_two.swap(0, 1));
    is_noticed(
        |history, answer| is_tie(history, answer) && answer.first.is_some_and(|first| first == answer.all[0]),
        |_, answer| answer.first = Some(answer.all[1]),
    );
}

#[test]
fn triggers_are_noticed() {
    let pass = |history: &History, answer: &FilteredAnswer| {
        history.steps.last().is_some_and(|step| step.query.triggers == Triggers::Pass) && !answer.triggers.is_empty()
    };
    is_noticed(pass, |_, answer| answer.first = Some(answer.triggers[0]));
    is_noticed(pass, |_, answer| answer.through = Some(answer.triggers[0]));
    is_noticed(pass, |_, answer| answer.triggers.clear());
}

#[test]
fn refused_hits_are_noticed() {
    let is_refused = |history: &History, answer: &FilteredAnswer| {
        let refused = history.steps.last().map(|step| step.query.refused);
        answer.first.is_some_and(|(at, hit)| Some((at, hit.side)) == refused)
    };
    is_noticed(is_refused, |_, answer| answer.accepted = answer.first);
}

#[test]
fn objects_of_before_the_edits_are_noticed() {
    let is_hit = |_: &History, answer: &FilteredAnswer| answer.first.is_some();
    is_noticed(is_hit, |_, answer| answer.first = None);
    is_noticed(is_hit, |_, answer| answer.any = false);
    is_noticed(is_hit, |_, answer| answer.count += 1);
    is_noticed(is_hit, |_, answer| answer.first.as_mut().unwrap().0 += 1);
    is_noticed(is_hit, |_, answer| {
        let hit = &mut answer.first.as_mut().unwrap().1;
        hit.side = if hit.side == Side::Front { Side::Back } else { Side::Front };
    });
    // The answers of a scene that an edit did not reach.
    let removes = |history: &History, answer: &FilteredAnswer| {
        let removed = history.steps.last().map(|step| step.edits.as_slice());
        matches!(removed, Some([Edit::Remove(_)])) && answer.count == 0
    };
    for (history, mut answers) in histories(removes).into_iter().filter(|(_, answers)| answers.len() > 1) {
        let last = answers.last_mut().unwrap();
        if last[0].count > 0 {
            last[1] = last[0].clone();
            assert_ne!(judge(&history, &answers).wrong, [""; 0], "{history}");
        }
    }
}
