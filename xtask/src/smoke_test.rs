//! The smoke test of an installed wheel.

use crate::report::{Report, line_of};
use std::process::{Command, Stdio};

/// The script that imports the package and casts rays, with no other package than NumPy.
pub(crate) const SMOKE_TEST: &str = "crates/hitscan-py/tests/test_import_smoke.py";

/// Runs the smoke test as a step: its digest is `expected`, except where that is empty. Returns the digest.
pub(crate) fn same_answers(report: &mut Report, command: &mut Command, expected: &str) -> Option<String> {
    let line = line_of(command);
    println!("$ {line}");
    let output = command.stderr(Stdio::inherit()).output();
    let result = match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            print!("{text}");
            let digest = text.lines().find_map(|line| line.strip_prefix("digest ")).map(str::to_owned);
            match digest {
                Some(digest) if expected.is_empty() || digest == expected => Ok(digest),
                digest => Err(format!("{line}: the digest is {digest:?}, on this machine it is {expected}")),
            }
        }
        Ok(output) => Err(format!("{line} ({}):\n{}", output.status, String::from_utf8_lossy(&output.stdout))),
        Err(error) => Err(format!("{line}: {error}")),
    };
    let digest = result.as_ref().ok().cloned();
    report.step(result.map(drop));
    digest
}
