//! The result of a part: the steps that failed, and the checks that were skipped, with the reasons.

use std::fmt;
use std::process::Command;

#[derive(Default)]
pub(crate) struct Report {
    steps: usize,
    pub(crate) failed: Vec<String>,
    pub(crate) skipped: Vec<String>,
    /// What a part that runs beside others has said, to be printed when it ends. The others print at once.
    kept: Option<String>,
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
    /// Report that keeps what is said, the output of commands included.
    pub(crate) fn kept() -> Self {
        Self { kept: Some(String::new()), ..Self::default() }
    }

    /// Takes what was kept.
    pub(crate) fn take_kept(&mut self) -> String {
        self.kept.take().unwrap_or_default()
    }

    fn say(&mut self, line: &str) {
        match &mut self.kept {
            Some(kept) => {
                kept.push_str(line);
                kept.push('\n');
            }
            None => println!("{line}"),
        }
    }

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
        if let Err(what) = result {
            self.say(&format!("FAILED: {what}"));
            self.failed.push(what);
        }
        well
    }

    /// Runs a command as a step; its output goes straight through, or is kept.
    pub(crate) fn run(&mut self, command: &mut Command) -> bool {
        let line = line_of(command);
        self.say(&format!("$ {line}"));
        let status = match &mut self.kept {
            None => command.status(),
            Some(kept) => command.output().map(|output| {
                // Cargo says first what it compiles.
                kept.push_str(&String::from_utf8_lossy(&output.stderr));
                kept.push_str(&String::from_utf8_lossy(&output.stdout));
                output.status
            }),
        };
        let result = match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{line} ({status})")),
            Err(error) => Err(format!("{line}: {error}")),
        };
        self.step(result)
    }

    /// Says, now and again in the summary, that something was not checked.
    pub(crate) fn skip(&mut self, name: &str, why: &str) {
        let line = format!("SKIPPED {name}: {why}");
        self.say(&line);
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
    fn a_report_keeps_what_is_said() {
        let mut report = Report::kept();
        report.skip("x", "it is not there");
        assert!(!report.step(Err("no".to_owned())));
        assert!(report.run(Command::new("rustc").arg("--version")));
        let kept = report.take_kept();
        assert!(kept.starts_with("SKIPPED x: it is not there\nFAILED: no\n$ rustc --version\nrustc "), "{kept}");
    }

    #[test]
    fn a_command_that_is_not_there_fails() {
        let mut report = Report::default();
        assert!(!report.run(&mut Command::new("no-such-program-of-hitscan")));
        assert!(report.failed[0].starts_with("no-such-program-of-hitscan: "));
    }
}
