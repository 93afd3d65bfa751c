//! The result of a part: the steps that failed, and the checks that were skipped, with the reasons.

use std::fmt;
use std::process::Command;

#[derive(Default)]
pub(crate) struct Report {
    steps: usize,
    pub(crate) failed: Vec<String>,
    pub(crate) skipped: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Pass,
    Fail,
    /// No step ran.
    Skipped,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Skipped => "SKIPPED",
        })
    }
}

impl Report {
    pub(crate) fn outcome(&self) -> Outcome {
        match (self.failed.is_empty(), self.steps, self.skipped.is_empty()) {
            (false, ..) => Outcome::Fail,
            (true, 0, false) => Outcome::Skipped,
            (true, ..) => Outcome::Pass,
        }
    }

    /// Counts a step and notes its failure; returns whether it succeeded.
    pub(crate) fn step(&mut self, result: Result<(), String>) -> bool {
        self.steps += 1;
        let well = result.is_ok();
        self.failed.extend(result.err().inspect(|what| println!("FAILED: {what}")));
        well
    }

    /// Runs a command as a step; its output goes straight through.
    pub(crate) fn run(&mut self, command: &mut Command) -> bool {
        let line = line_of(command);
        println!("$ {line}");
        let result = match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{line} ({status})")),
            Err(error) => Err(format!("{line}: {error}")),
        };
        self.step(result)
    }

    /// Says, now and again in the summary, that something was not checked.
    pub(crate) fn skip(&mut self, name: &str, why: &str) {
        let line = format!("SKIPPED {name}: {why}");
        println!("{line}");
        self.skipped.push(line);
    }
}

/// The command as one would type it.
pub(crate) fn line_of(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes() {
        let mut report = Report::default();
        assert_eq!(report.outcome(), Outcome::Pass);
        report.skip("x", "it is not there");
        assert_eq!(report.outcome(), Outcome::Skipped);
        assert!(report.step(Ok(())));
        assert_eq!(report.outcome(), Outcome::Pass);
        assert!(!report.step(Err("no".to_owned())));
        assert_eq!((report.outcome(), report.failed.len()), (Outcome::Fail, 1));
    }

    #[test]
    fn a_command_that_is_not_there_fails() {
        let mut report = Report::default();
        assert!(!report.run(&mut Command::new("no-such-program-of-hitscan")));
        assert!(report.failed[0].starts_with("no-such-program-of-hitscan: "));
    }
}
