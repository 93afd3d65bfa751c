//! The result of a part: the steps that failed, and the checks that were skipped, with the reasons.

use std::fmt;
use std::process::{Command, Stdio};

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
        f.pad(match self {
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
        self.result(result).is_some()
    }

    /// Counts a step and notes its failure; returns the value of a step that succeeded.
    pub(crate) fn result<T>(&mut self, result: Result<T, String>) -> Option<T> {
        self.steps += 1;
        result.inspect_err(|what| println!("FAILED: {what}")).map_err(|what| self.failed.push(what)).ok()
    }

    /// Runs a command as a step; its output goes straight through.
    pub(crate) fn run(&mut self, command: &mut Command) -> bool {
        let line = announce(command);
        let status = command.status();
        self.step(match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{line} ({status})")),
            Err(error) => Err(format!("{line}: {error}")),
        })
    }

    /// Runs a command as a step, and returns its standard output.
    pub(crate) fn output(&mut self, command: &mut Command) -> Option<String> {
        let line = announce(command);
        let output = command.stderr(Stdio::inherit()).output();
        self.result(match output {
            Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            Ok(output) => Err(format!("{line} ({}):\n{}", output.status, String::from_utf8_lossy(&output.stdout))),
            Err(error) => Err(format!("{line}: {error}")),
        })
    }

    /// Says, now and again in the summary, that something was not checked.
    pub(crate) fn skip(&mut self, name: &str, why: &str) {
        let line = format!("SKIPPED {name}: {why}");
        println!("{line}");
        self.skipped.push(line);
    }
}

/// Prints a command as one would type it, and returns that line.
pub(crate) fn announce(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    let line = words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ");
    println!("$ {line}");
    line
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
    fn commands_that_fail_or_are_not_there_are_failures() {
        let mut report = Report::default();
        assert!(report.output(Command::new("rustc").arg("--version")).is_some_and(|text| text.starts_with("rustc ")));
        assert!(!report.run(&mut Command::new("no-such-program-of-hitscan")));
        assert!(report.output(Command::new("rustc").arg("--no-such-option")).is_none());
        assert!(report.failed[0].starts_with("no-such-program-of-hitscan: ") && report.failed.len() == 2);
    }
}
