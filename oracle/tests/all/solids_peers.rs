//! The comparison with other libraries notices what is wrong, and accepts what is right.

use hitscan_oracle::solids_peers::{Judgement, RightAnswers, Score, Span, read_spans};

fn judge(right: &RightAnswers, spans: &[Span]) -> Judgement {
    right.judge(Some(spans))
}

/// One answer with two spans, without touches.
fn two_spans() -> RightAnswers {
    RightAnswers { answers: vec![vec![[1.0, 2.0], [3.0, 4.0]]], tolerance: 1e-9, ..RightAnswers::default() }
}

#[test]
fn the_same_spans_are_right_within_the_tolerance() {
    let right = two_spans();
    assert_eq!(judge(&right, &[[1.0, 2.0], [3.0, 4.0]]), Judgement::Right(0.0));
    assert!(matches!(judge(&right, &[[1.0, 2.0], [3.0, 4.0 + 5e-10]]), Judgement::Right(error) if error > 4e-10));
    assert_eq!(judge(&right, &[[1.0, 2.0], [3.0, 4.0 + 2e-9]]), Judgement::Wrong);
}

#[test]
fn too_few_and_too_many_spans_are_wrong() {
    let right = two_spans();
    assert_eq!(judge(&right, &[[1.0, 2.0]]), Judgement::Wrong);
    assert_eq!(judge(&right, &[[1.0, 2.0], [3.0, 3.5], [3.5, 4.0]]), Judgement::Wrong);
    assert_eq!(judge(&right, &[[1.0, 2.0], [3.0, 4.0], [5.0, 5.0]]), Judgement::Wrong);
    assert_eq!(judge(&right, &[[1.0, 4.0]]), Judgement::Wrong);
    let nothing = RightAnswers { answers: vec![vec![]], ..two_spans() };
    assert_eq!(judge(&nothing, &[[1.0, 2.0]]), Judgement::Wrong);
    assert_eq!(judge(&nothing, &[]), Judgement::Right(0.0));
}

#[test]
fn a_ray_without_spans_is_lost() {
    assert_eq!(judge(&two_spans(), &[]), Judgement::Lost);
    // Where one of the right answers has no span, nothing is lost.
    let either = RightAnswers { answers: vec![vec![[1.0, 2.0]], vec![]], ..two_spans() };
    assert_eq!(judge(&either, &[]), Judgement::Right(0.0));
    assert_eq!(judge(&either, &[[1.0, 2.0]]), Judgement::Right(0.0));
    assert_eq!(judge(&either, &[[1.0, 1.5]]), Judgement::Wrong);
}

#[test]
fn disorder_and_failure_are_wrong() {
    let right = two_spans();
    assert_eq!(right.judge(None), Judgement::Wrong);
    assert_eq!(judge(&right, &[[3.0, 4.0], [1.0, 2.0]]), Judgement::Wrong);
    assert_eq!(judge(&right, &[[1.0, 2.0], [3.0, f64::NAN]]), Judgement::Wrong);
    assert_eq!(judge(&right, &[[1.0, 2.0], [3.0, f64::INFINITY]]), Judgement::Wrong);
}

#[test]
fn a_touch_may_be_there_or_not() {
    let right = RightAnswers { touches: vec![6.0], ..two_spans() };
    assert_eq!(judge(&right, &[[1.0, 2.0], [3.0, 4.0]]), Judgement::Right(0.0));
    assert_eq!(judge(&right, &[[1.0, 2.0], [3.0, 4.0], [6.0, 6.0]]), Judgement::Right(0.0));
    assert_eq!(judge(&right, &[[1.0, 2.0], [3.0, 4.0], [6.0, 6.5]]), Judgement::Wrong);
    assert_eq!(judge(&right, &[[1.0, 2.0], [3.0, 4.0], [7.0, 7.0]]), Judgement::Wrong);
}

#[test]
fn short_spans_and_gaps_are_ignored_on_request() {
    let right = RightAnswers { ignored: 1e-4, ..two_spans() };
    assert_eq!(judge(&right, &[[0.5, 0.50001], [1.0, 1.5], [1.50001, 2.0], [3.0, 4.0]]), Judgement::Right(0.0));
    assert_eq!(judge(&right, &[[0.5, 0.6], [1.0, 2.0], [3.0, 4.0]]), Judgement::Wrong);
}

#[test]
fn lines_of_the_driver() {
    assert_eq!(read_spans("1.5 2.0 3.0 1e2"), Ok(Some(vec![[1.5, 2.0], [3.0, 100.0]])));
    assert_eq!(read_spans(""), Ok(Some(vec![])));
    assert_eq!(read_spans("failed"), Ok(None));
    assert!(read_spans("1.5").is_err() && read_spans("1.5 two").is_err());
}

#[test]
fn scores_count_rays_that_were_not_answered() {
    let right = vec![two_spans(); 4];
    let answers = [Some(vec![[1.0, 2.0], [3.0, 4.0]]), Some(vec![]), Some(vec![[1.0, 2.0]])];
    assert_eq!(Score::of(&right, &answers), Score { rays: 4, lost: 1, wrong: 2, error: 0.0 });
}
