//! Part `program`: the program as it is shipped. Its tests from end to end run in the part `test`, with assertions.

use crate::context::Context;
use crate::release;
use crate::report::Report;
use std::fs;
use std::path::{Path, PathBuf};

/// Programs of the release build: description, file, and the most bytes. The profile strips symbols.
fn sizes(context: &Context) -> [(&'static str, PathBuf, u64); 2] {
    [
        ("the program", release::program(context, "hitscan"), 25_900_000),
        ("one ray, one sphere", release::example(context, "one_sphere"), 1_000_000),
    ]
}

pub(crate) fn run(context: &Context, report: &mut Report) {
    if !release::build(context, report) {
        return;
    }
    inlined(context, report);
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

/// Types whose functions need the instructions of a `#[target_feature]`, as their names are mangled: registers, and double-words that
/// are multiplied with FMA.
const WIDE: &[&str] = &["4avx28Register", "4avx29Registers", "6avx5128Register", "10DoubleWordKb1_"];

/// The exit from an oriented box, which the compiler leaves out of line: only rays that start inside need it, and it is short.
const EXCEPTION: [&str; 2] = ["8first_of", "11OrientedBox"];

/// The functions into which all of them are inlined.
const INLINED_INTO: &[&str] = &["4avx23run", "6avx5123run", "9run_fused", "13run_fused_ray"];

/// Rule 4 of CONTRIBUTING.md: the library has no function for vector registers or FMA of its own, which would be compiled for the
/// baseline machine: several times slower, without a warning.
fn inlined(context: &Context, report: &mut Report) {
    if cfg!(not(target_arch = "x86_64")) || !context.works("nm", &["--version"]) {
        return report.skip("program-inlined", "this is no x86-64 machine, or there is no `nm` (of binutils)");
    }
    let Some(library) = release::library(context, report) else { return };
    // It ends with an error, for the metadata in the library are no object file.
    let output = context.command("nm").args(["--defined-only", "--format=just-symbols"]).arg(library).output();
    let symbols = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let (entries, wrong) = out_of_line(&symbols);
    println!("{entries} functions with vector registers or FMA");
    report.step(
        (entries > 50).then_some(()).ok_or_else(|| "the library has no functions with vector registers".to_owned()),
    );
    for symbol in wrong {
        report.step(Err(format!(
            "not inlined below a #[target_feature], where an #[inline(always)] is missing: {symbol}"
        )));
    }
}

/// The number of functions into which others are inlined, and the others that have a symbol.
fn out_of_line(symbols: &str) -> (usize, Vec<&str>) {
    let has = |symbol: &str, parts: &[&str]| parts.iter().any(|part| symbol.contains(part));
    let (entries, others): (Vec<&str>, Vec<&str>) =
        symbols.lines().filter(|symbol| symbol.starts_with("_R")).partition(|symbol| has(symbol, INLINED_INTO));
    let is_exception = |symbol: &str| EXCEPTION.iter().all(|part| symbol.contains(part));
    (entries.len(), others.into_iter().filter(|symbol| has(symbol, WIDE) && !is_exception(symbol)).collect())
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
    fn functions_for_registers_are_inlined() {
        let symbols = "_RINvNtNtCs1_7hitscan4simd4avx23runNtNtB4_4avx28RegisterE\n_RNvNtCs1_7hitscan4math3eft\n\
                       _RINvNtCs1_7hitscan4mesh4leafNtNtB4_4avx28RegisterE\n";
        assert_eq!(out_of_line(symbols), (1, vec!["_RINvNtCs1_7hitscan4mesh4leafNtNtB4_4avx28RegisterE"]));
    }

    #[test]
    fn a_figure_above_its_limit_fails() {
        let mut report = Report::default();
        figure(&mut report, "a program", 900, 900, "bytes");
        assert_eq!(report.outcome(), Outcome::Pass);
        figure(&mut report, "a program", 901, 900, "bytes");
        assert_eq!(report.failed, ["a program: 901 bytes, where 900 is the limit"]);
    }
}
