//! The smoke test of an installed wheel.

use crate::report::Report;
use std::process::Command;

/// The script that imports the package and casts rays, with no other package than NumPy.
pub(crate) const SMOKE_TEST: &str = "crates/hitscan-py/tests/test_import_smoke.py";

/// Runs the smoke test as a step: its digest is `expected`, except where that is empty. Returns the digest.
pub(crate) fn same_answers(report: &mut Report, command: &mut Command, expected: &str) -> Option<String> {
    let text = report.output(command)?;
    print!("{text}");
    let digest = text.lines().find_map(|line| line.strip_prefix("digest ")).map(str::to_owned);
    report.result(match digest {
        Some(digest) if expected.is_empty() || digest == expected => Ok(digest),
        digest => Err(format!("{SMOKE_TEST}: the digest is {digest:?}, on this machine it is {expected}")),
    })
}
