//! Part `program`: the program as it is shipped. Its tests from end to end run in the part `test`, with assertions.

use crate::context::Context;
use crate::release;
use crate::report::Report;
use std::fs;
use std::path::{Path, PathBuf};

/// Programs of the release build: description, file, and the most bytes. The profile strips symbols.
fn sizes(context: &Context) -> [(&'static str, PathBuf, u64); 2] {
    [
        ("the program", release::program(context, "hitscan"), 26_000_000),
        ("one ray, one sphere", release::example(context, "one_sphere"), 2_000_000),
    ]
}

pub(crate) fn run(context: &Context, report: &mut Report) {
    if !release::build(context, report) {
        return;
    }
    for (what, file, limit) in sizes(context) {
        match fs::metadata(&file) {
            Ok(file) => figure(report, what, file.len(), limit, "bytes"),
            Err(error) => drop(report.step(Err(format!("{}: {error}", file.display())))),
        }
    }
    let folder = context.target_dir().join("xtask-demo");
    let _ = fs::remove_dir_all(&folder); // it need not exist
    report.step(fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display())));
    let picture = folder.join("demo.png");
    let mut demo = context.command(&release::program(context, "hitscan").to_string_lossy());
    if report.run(demo.args(["demo", "-o"]).arg(&picture)) {
        report.step(is_png(&picture));
    }
}

fn is_png(picture: &Path) -> Result<(), String> {
    match fs::read(picture) {
        Ok(bytes) if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => Ok(()),
        Ok(bytes) => Err(format!("`hitscan demo` wrote {} bytes that are no PNG picture", bytes.len())),
        Err(error) => Err(format!("`hitscan demo` wrote no picture: {error}")),
    }
}

/// Prints a figure beside its limit; a figure above the limit is a failure.
pub(crate) fn figure(report: &mut Report, what: &str, value: u64, limit: u64, unit: &str) {
    println!("{what}: {value} {unit} (limit {limit})");
    let within = (value <= limit).then_some(());
    report.step(within.ok_or_else(|| format!("{what}: {value} {unit}, where {limit} is the limit")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Outcome;

    #[test]
    fn a_figure_above_its_limit_fails() {
        let mut report = Report::default();
        figure(&mut report, "a program", 900, 900, "bytes");
        assert_eq!(report.outcome(), Outcome::Pass);
        figure(&mut report, "a program", 901, 900, "bytes");
        assert_eq!(report.failed, ["a program: 901 bytes, where 900 is the limit"]);
    }
}
