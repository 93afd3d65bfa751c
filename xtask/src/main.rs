//! The tool of the repository. Continuous integration runs `cargo xtask check`.
//!
//! One run shows everything: a part that fails does not stop the next. The parts are listed in [`parts::PARTS`],
//! the rules of the part `tidy` in [`tidy::RULES`].

mod context;
mod cpu;
mod emulated;
mod figures;
mod lab;
mod parts;
mod publish;
mod python;
mod release;
mod report;
mod same_bits;
mod smoke_test;
mod tidy;
mod venv;
mod wheel;

use context::Context;
use parts::{BESIDE, PARTS, Part};
use report::{Outcome, Report};
use std::process::ExitCode;
use std::thread::{self, JoinHandle};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask check [PART …]   run all checks, or the parts named
       cargo xtask check --list     list the parts, the rules of `tidy` and the names that stay
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
            print!("{USAGE}\n{}\n{}", part_list(), wheel_list());
            ExitCode::SUCCESS
        }
        ["check", names @ ..] if names.contains(&"--list") => {
            print!("{}\n{}\n{}", part_list(), rule_list(), tidy::allow_list());
            ExitCode::SUCCESS
        }
        ["check", names @ ..] => {
            let unknown = names.iter().find(|name| PARTS.iter().all(|part| part.name != **name));
            unknown.map_or_else(|| check(names), |name| usage_error(&format!("no part is called `{name}`")))
        }
        ["lab"] => {
            let mut report = Report::default();
            lab::program(&Context::new(&[]), &mut report);
            ExitCode::from(u8::from(report.outcome() != Outcome::Pass))
        }
        ["wheel", names @ ..] => {
            let known = |name: &str| name == wheel::SDIST || wheel::PLATFORMS.iter().any(|one| one.triple == name);
            if let Some(name) = names.iter().find(|name| !known(name)) {
                return usage_error(&format!("there is no wheel for `{name}`"));
            }
            let mut report = Report::default();
            wheel::program(&Context::new(&[]), &mut report, names);
            ending("wheel", &report)
        }
        [] => usage_error("no command"),
        [command, ..] => usage_error(&format!("no command is called `{command}`")),
    }
}

/// Repeats what failed and what was skipped. Nothing at all is a failure: a command makes something.
fn ending(command: &str, report: &Report) -> ExitCode {
    println!("\n{command}: {}", report.outcome());
    report.failed.iter().for_each(|what| println!("failed: {what}"));
    report.skipped.iter().for_each(|skipped| println!("{skipped}"));
    ExitCode::from(u8::from(report.outcome() != Outcome::Pass))
}

fn usage_error(what: &str) -> ExitCode {
    eprint!("error: {what}\n\n{USAGE}\n{}", part_list());
    ExitCode::from(2)
}

fn part_list() -> String {
    let lines = PARTS.iter().map(|part| format!("  {:<11} {}\n", part.name, part.what));
    std::iter::once("parts, in the order in which they run:\n".to_owned()).chain(lines).collect()
}

fn wheel_list() -> String {
    let names = wheel::PLATFORMS.iter().map(|platform| platform.triple).chain([wheel::SDIST]);
    let lines = names.map(|name| format!("  {name}\n"));
    std::iter::once("wheels and the source distribution, by name:\n".to_owned()).chain(lines).collect()
}

fn rule_list() -> String {
    let lines = tidy::RULES.iter().map(|rule| format!("  {:<13} {}\n", rule.name, rule.why));
    std::iter::once("rules of tidy, with their reasons:\n".to_owned()).chain(lines).collect()
}

/// A part that has run: its report, the seconds of the clock, and those of the processor, unless other parts ran beside it.
type Done = (&'static Part, Report, f64, Option<f64>);

/// Runs a part on a thread of its own.
fn beside(part: &'static Part) -> JoinHandle<(Report, f64)> {
    println!("\n=== {}: {}; it runs beside the next parts, which are printed first", part.name, part.what);
    thread::spawn(|| {
        let (start, mut report) = (Instant::now(), Report::kept());
        (part.run)(&Context::new(&[]), &mut report);
        (report, start.elapsed().as_secs_f64())
    })
}

/// Waits for that part, and prints what it said.
fn joined(part: &'static Part, thread: JoinHandle<(Report, f64)>) -> Done {
    let (mut report, seconds) = thread.join().unwrap_or_else(|_| {
        let mut report = Report::default();
        report.step(Err("the part panicked".to_owned()));
        (report, 0.0)
    });
    print!("\n=== {}: {}\n{}", part.name, part.what, report.take_kept());
    println!("--- {}: {} in {seconds:.1} s", part.name, report.outcome());
    (part, report, seconds, None)
}

fn check(names: &[&str]) -> ExitCode {
    let context = Context::new(names);
    let start = Instant::now();
    let (mut done, mut running) = (Vec::<Done>::new(), None);
    let processor_seconds = || cpu::children_seconds().unwrap_or(0.0);
    for part in PARTS.iter().filter(|part| names.is_empty() || names.contains(&part.name)) {
        if part.name == BESIDE {
            running = Some((part, beside(part)));
            continue;
        }
        println!("\n=== {}: {}", part.name, part.what);
        let (part_start, processor_start) = (Instant::now(), processor_seconds());
        let mut report = Report::default();
        (part.run)(&context, &mut report);
        let seconds = part_start.elapsed().as_secs_f64();
        let processor = processor_seconds() - processor_start;
        println!("--- {}: {} in {seconds:.1} s, {processor:.0} s of processor time", part.name, report.outcome());
        done.push((part, report, seconds, Some(processor)));
    }
    done.extend(running.map(|(part, thread)| joined(part, thread)));
    println!("\n=== summary (seconds of the clock, of the processor)");
    for (part, report, seconds, processor) in &done {
        let processor = processor.map_or("beside others".to_owned(), |seconds| format!("{seconds:>6.0} s"));
        println!("{:<7} {:<11} {seconds:>6.1} s {processor}", report.outcome().to_string(), part.name);
        report.failed.iter().for_each(|what| println!("        failed: {what}"));
    }
    done.iter().flat_map(|(_, report, ..)| &report.skipped).for_each(|skipped| println!("{skipped}"));
    let count = |outcome| done.iter().filter(|(_, report, ..)| report.outcome() == outcome).count();
    let (passed, failed, skipped) = (count(Outcome::Pass), count(Outcome::Fail), count(Outcome::Skipped));
    let seconds = start.elapsed().as_secs_f64();
    let processor = processor_seconds();
    println!(
        "check: {passed} passed, {failed} failed, {skipped} skipped in {seconds:.1} s, {processor:.0} s of processor time"
    );
    ExitCode::from(u8::from(failed > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_distinct_names_and_are_listed() {
        let list = part_list();
        for (index, part) in PARTS.iter().enumerate() {
            assert!(list.contains(part.name) && !part.what.is_empty());
            assert!(PARTS[..index].iter().all(|other| other.name != part.name));
        }
        assert!(rule_list().contains("module-order"));
    }
}
