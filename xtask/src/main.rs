//! The tool of the repository. Continuous integration runs `cargo xtask check`.
//!
//! One run shows everything: a part that fails does not stop the next. The parts are listed in [`parts::PARTS`],
//! the rules of the part `tidy` in [`tidy::RULES`].

mod context;
mod downloads;
mod emulated;
mod lab;
mod parts;
mod program;
mod publish;
mod python;
mod release;
mod report;
mod same_bits;
mod smoke_test;
mod tidy;
mod times;
mod venv;
mod wheel;

use context::Context;
use parts::{PARTS, Part, Size};
use report::{Outcome, Report};
use std::process::ExitCode;
use std::time::Instant;
use times::Done;

const USAGE: &str = "\
usage: cargo xtask check [PART …]   run what each commit must pass, or the parts named
       cargo xtask check --full     run everything: for releases, and once a night
       cargo xtask check --list     list the parts with their sizes and reasons, and the rules of `tidy`
       cargo xtask files            list the files of the library with their first sentences
       cargo xtask downloads        get what later parts of the check download, as that does in the background
       cargo xtask lab              build the page of the ray lab, and the program with it
       cargo xtask wheel [WHAT …]   build wheels of the Python package in target/wheels, and try them
       cargo xtask help             this text

A part that fails does not stop the next; the exit code is 1 if any failed, 2 for a wrong command line.
A check whose tools the machine lacks (a compilation target, python3) is skipped by name, in capitals.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["help" | "--help" | "-h", ..] | ["check", "--help" | "-h"] => {
            print!("{USAGE}\n{}\n{}", part_list(), wheel::list());
            ExitCode::SUCCESS
        }
        ["check", names @ ..] if names.contains(&"--list") => {
            print!("{}\n{}", part_list(), rule_list());
            ExitCode::SUCCESS
        }
        ["check"] => check("small", &[], |part| part.size == Size::Small),
        ["check", "--full"] => check("full", &[], |_| true),
        ["check", names @ ..] => match names.iter().find(|name| PARTS.iter().all(|part| part.name != **name)) {
            Some(name) => usage_error(&format!("no part is called `{name}`")),
            None => check("", names, |part| names.contains(&part.name)),
        },
        ["files"] => command("files", |context, report| {
            report.result(tidy::file_list(context.root())).into_iter().for_each(|list| print!("{list}"));
        }),
        ["lab"] => command("lab", lab::program),
        [downloads::COMMAND] => command(downloads::COMMAND, downloads::get),
        ["wheel", names @ ..] => match names.iter().find(|name| !wheel::is_known(name)) {
            Some(name) => usage_error(&format!("there is no wheel for `{name}`")),
            None => command("wheel", |context, report| wheel::program(context, report, names)),
        },
        [] => usage_error("no command"),
        [command, ..] => usage_error(&format!("no command is called `{command}`")),
    }
}

fn usage_error(what: &str) -> ExitCode {
    eprint!("error: {what}\n\n{USAGE}\n{}", part_list());
    ExitCode::from(2)
}

fn part_list() -> String {
    let line = |part: &Part| format!("  {:<11} {:<6} {}\n{:21}{}\n", part.name, part.size, part.what, "", part.why);
    format!("parts, in the order in which they run:\n{}", PARTS.iter().map(line).collect::<String>())
}

fn rule_list() -> String {
    let lines = tidy::RULES.iter().map(|rule| format!("  {:<13} {}\n", rule.name, rule.why));
    std::iter::once("rules of tidy, with their reasons:\n".to_owned()).chain(lines).collect()
}

/// Runs a command other than the check, and repeats what failed and what was skipped. Nothing at all is a failure: a command makes
/// something.
fn command(name: &str, run: impl FnOnce(&Context, &mut Report)) -> ExitCode {
    let mut report = Report::default();
    run(&Context::new(&[]), &mut report);
    println!("\n{name}: {}", report.outcome());
    report.failed.iter().for_each(|what| println!("failed: {what}"));
    report.skipped.iter().for_each(|skipped| println!("{skipped}"));
    ExitCode::from(u8::from(report.outcome() != Outcome::Pass))
}

/// Runs parts, and prints the times of each, what failed and what was skipped. The times of a run with a name are kept.
fn check(name: &str, named: &[&str], is_wanted: impl Fn(&Part) -> bool) -> ExitCode {
    let context = Context::new(named);
    // Named parts get what they need themselves, as all do where the process does not start.
    if named.is_empty() {
        *context.downloads.lock().unwrap() = downloads::start(&context).ok();
    }
    let run = |part: &Part| {
        println!("\n=== {}: {}", part.name, part.what);
        let (start, processor_start, mut report) = (Instant::now(), times::children_seconds(), Report::default());
        (part.run)(&context, &mut report);
        let (wall, processor) = (start.elapsed().as_secs_f64(), times::children_seconds() - processor_start);
        let outcome = report.outcome();
        println!("--- {}: {outcome} in {wall:.1} s, {processor:.1} s of processor time", part.name);
        Done { name: part.name, report, wall, processor }
    };
    let done: Vec<Done> = PARTS.iter().filter(|part| is_wanted(part)).map(run).collect();
    times::close(&done, &context.target_dir().join("xtask-times"), name);
    for part in &done {
        part.report.failed.iter().for_each(|what| println!("{}: failed: {what}", part.name));
        part.report.skipped.iter().for_each(|skipped| println!("{skipped}"));
    }
    let [passed, failed, skipped] = times::counts(&done);
    println!("check: {passed} passed, {failed} failed, {skipped} skipped");
    ExitCode::from(u8::from(failed > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_distinct_names_and_are_listed() {
        let list = part_list();
        for (index, part) in PARTS.iter().enumerate() {
            assert!(list.contains(part.name) && !part.what.is_empty() && !part.why.is_empty());
            assert!(PARTS[..index].iter().all(|other| other.name != part.name));
        }
        assert!(PARTS.iter().any(|part| part.size == Size::Full));
    }
}
