//! Solids beside other libraries: the same boxes, spheres and cylinders, the same rays, and the exact spans of the oracle.
//!
//! Each library answers as its own manual says. A ray is *lost* if a library returns no span where each right answer has one; its spans are
//! *wrong* if there are more or fewer of them, or if an end is elsewhere by more than a tolerance, which is the same for all.

mod compare;
mod families;
mod peers;
mod questions;

pub use compare::{Judgement, RightAnswers, Span};
pub use peers::{Installed, PEERS, Peer, read_spans};
pub use questions::question_text;

use families::{FAMILIES, SolidFamily};
use questions::{SolidQuestion, TOLERANCES};
use std::fmt::Write as _;
use std::path::Path;
use test_support::random::Rng;

/// Rays of one solid.
const RAYS: usize = 50;

/// Plan of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct PeersPlan {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Count of rays in each family.
    pub rays: usize,
}

/// Counts of judgements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Rays.
    pub rays: usize,
    /// Rays without a span.
    pub lost: usize,
    /// Rays with wrong spans.
    pub wrong: usize,
    /// Largest error of an end in right answers.
    pub error: f64,
}

impl Score {
    /// Judges all answers of a library.
    pub fn of(right: &[RightAnswers], answers: &[Option<Vec<Span>>]) -> Self {
        let mut score = Self { rays: right.len(), ..Self::default() };
        // A library that stopped early did not answer the rest.
        let answers = answers.iter().map(Option::as_deref).chain(std::iter::repeat(None));
        for (right, answer) in right.iter().zip(answers) {
            match right.judge(answer) {
                Judgement::Right(error) => score.error = score.error.max(error),
                Judgement::Lost => score.lost += 1,
                Judgement::Wrong => score.wrong += 1,
            }
        }
        score
    }

    fn per_million(&self, count: usize) -> String {
        format!("{:.0}", count as f64 * 1e6 / self.rays as f64)
    }
}

/// The questions of a family as text for the driver, the right answers, and those of the library.
struct Asked {
    text: String,
    right: Vec<RightAnswers>,
    ours: Vec<Option<Vec<Span>>>,
}

impl Asked {
    fn new(family: &SolidFamily, plan: &PeersPlan, stream: u64) -> Result<Self, String> {
        let mut rng = Rng::for_stream(plan.seed, stream);
        let mut asked = Self { text: String::new(), right: Vec::new(), ours: Vec::new() };
        for _ in 0..plan.rays.div_ceil(RAYS) {
            let question = SolidQuestion::new(family, RAYS, &mut rng);
            asked.text += &question.write();
            asked.right.extend(question.right_answers(family));
            asked.ours.extend(question.of_library()?);
        }
        Ok(asked)
    }
}

/// Installs the other libraries into environments of this folder, asks them, and returns a table, and whether no answer of hitscan is
/// wrong.
///
/// # Errors
/// hitscan refuses a shape.
pub fn run(plan: &PeersPlan, environments: &Path) -> Result<(String, bool), String> {
    let (mut table, mut notes) = (String::new(), String::new());
    let _ = writeln!(
        table,
        "An end of a span is right within {:e} (the thickness of a surface in Geant4's manual) and {:e} of the distance of the origin.\n\
         A lost ray has no span; wrong spans are too many, too few or elsewhere. Both are counts per million rays.\n\n\
         {:<24} {:<11} {:>9} {:>9} {:>12} {:>15}",
        TOLERANCES[0], TOLERANCES[1], "family", "library", "questions", "lost rays", "wrong spans", "error, if right"
    );
    // Install what there is; the rest is skipped by name.
    let mut installed = Vec::new();
    for peer in &PEERS {
        match peer.install(environments) {
            Ok(ready) => {
                let _ = writeln!(notes, "{}.", peer.note);
                installed.push((peer, ready));
            }
            Err(message) => {
                let _ = writeln!(notes, "SKIPPED {}: {message}", peer.name);
            }
        }
    }
    let mut is_clean = true;
    for (stream, family) in FAMILIES.iter().enumerate() {
        eprintln!("{} ...", family.name);
        let asked = Asked::new(family, plan, stream as u64)?;
        let ours = Score::of(&asked.right, &asked.ours);
        is_clean &= ours.lost + ours.wrong == 0;
        write_row(&mut table, family, "hitscan", &ours);
        for (peer, ready) in &installed {
            if !family.is_of_boxes && !peer.has_round_shapes {
                continue;
            }
            match ready.spans(&asked.text) {
                Ok(answers) => write_row(&mut table, family, peer.name, &Score::of(&asked.right, &answers)),
                Err(message) => {
                    let _ = writeln!(table, "{:<24} {:<11} SKIPPED: {message}", family.name, peer.name);
                }
            }
        }
    }
    Ok((format!("{table}\n{notes}"), is_clean))
}

fn write_row(table: &mut String, family: &SolidFamily, library: &str, score: &Score) {
    let [lost, wrong] = [score.lost, score.wrong].map(|count| score.per_million(count));
    let Score { rays, error, .. } = score;
    let _ = writeln!(table, "{:<24} {library:<11} {rays:>9} {lost:>9} {wrong:>12} {error:>15.1e}", family.name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_gives_a_right_answer_to_every_question() {
        for (stream, family) in FAMILIES.iter().enumerate() {
            let asked = Asked::new(family, &PeersPlan { seed: 5, rays: 400 }, stream as u64).unwrap();
            let score = Score::of(&asked.right, &asked.ours);
            assert_eq!((score.rays, score.lost, score.wrong), (400, 0, 0), "{}", family.name);
            // The family has rays to lose.
            let nothing = vec![Some(Vec::new()); 400];
            assert!(Score::of(&asked.right, &nothing).lost > 0, "{}", family.name);
        }
    }

    #[test]
    fn the_driver_gets_every_number() {
        let question = SolidQuestion::new(&FAMILIES[1], 2, &mut Rng::for_stream(5, 0));
        let text = question.write();
        let words = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        assert_eq!([words("solid"), words("leaf"), words("ray")], [1, question.leaves.len(), 2]);
        let last = text.lines().last().unwrap();
        let numbers: Vec<f64> = last.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
        assert_eq!(numbers, [question.rays[1].origin, question.rays[1].target].concat());
    }
}
