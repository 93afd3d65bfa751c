//! Times of the parts: of the clock and of the processor, as a table that is kept beside that of the run before.

use crate::report::{Outcome, Report};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A part that has run.
pub(crate) struct Done {
    pub(crate) name: &'static str,
    pub(crate) report: Report,
    pub(crate) wall: f64,
    pub(crate) processor: f64,
}

/// User and system seconds of all finished child processes and of theirs; zero where the system has no `/proc`.
pub(crate) fn children_seconds() -> f64 {
    fs::read_to_string("/proc/self/stat").ok().and_then(|stat| seconds_in(&stat)).unwrap_or(0.0)
}

/// Reads fields 16 and 17 of `/proc/PID/stat`, which count in hundredths of a second (proc(5): `cutime`, `cstime`).
fn seconds_in(stat: &str) -> Option<f64> {
    let (_, behind_name) = stat.rsplit_once(") ")?; // the name of the program may hold spaces and brackets
    let mut fields = behind_name.split(' ').skip(13).map(str::parse::<u32>);
    let (user, system) = (fields.next()?.ok()?, fields.next()?.ok()?);
    Some((f64::from(user) + f64::from(system)) / 100.0)
}

/// Prints the closing table, with the times of the last complete run beside those of this one, and keeps it in `folder`: as
/// `NAME.txt`, and the one before as `NAME-before.txt`.
pub(crate) fn close(done: &[Done], folder: &Path, name: &str) {
    if name.is_empty() {
        return print!("\n=== times\n{}", table(done, ""));
    }
    let [file, before] = ["", "-before"].map(|suffix| folder.join(format!("{name}{suffix}.txt")));
    let last = fs::read_to_string(&file).unwrap_or_default();
    let table = table(done, &last);
    println!("\n=== times, kept in {}\n{table}", file.display());
    // The tables are a help for people; a check does not fail because of them.
    let _ = fs::create_dir_all(folder).and_then(|()| fs::rename(&file, before));
    if let Err(error) = fs::write(&file, table) {
        println!("{}: {error}", file.display());
    }
}

fn table(done: &[Done], last: &str) -> String {
    let mut text =
        format!("{:<12} {:<8} {:>8} {:>10}   {:>8} {:>10}\n", "part", "", "wall s", "processor", "before", "");
    let mut row = |name: &str, outcome: &str, [wall, processor]: [f64; 2]| {
        let before = last.lines().find(|line| line.split_whitespace().next() == Some(name));
        let mut numbers =
            before.into_iter().flat_map(str::split_whitespace).filter_map(|word| word.parse::<f64>().ok());
        let [wall_before, processor_before] =
            [(); 2].map(|()| numbers.next().map_or("-".into(), |n| format!("{n:.1}")));
        let _ = writeln!(
            text,
            "{name:<12} {outcome:<8} {wall:>8.1} {processor:>10.1}   {wall_before:>8} {processor_before:>10}"
        );
    };
    for part in done {
        row(part.name, &part.report.outcome().to_string(), [part.wall, part.processor]);
    }
    let sum = |time: fn(&Done) -> f64| done.iter().map(time).sum();
    row("sum", "", [sum(|part| part.wall), sum(|part| part.processor)]);
    text
}

/// The numbers of parts that passed, failed and were skipped.
pub(crate) fn counts(done: &[Done]) -> [usize; 3] {
    let count = |outcome| done.iter().filter(|part| part.report.outcome() == outcome).count();
    [Outcome::Pass, Outcome::Fail, Outcome::Skipped].map(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_children_are_fields_16_and_17() {
        let stat = "7 (a) b) S 4 5 6 7 8 9 10 11 12 13 14 15 1600 170 18 19 20";
        assert_eq!(seconds_in(stat), Some(17.7));
        assert_eq!(seconds_in("7 (a) S 3"), None);
    }

    #[test]
    fn a_table_has_the_times_of_the_run_before() {
        let part = |wall| Done { name: "test", report: Report::default(), wall, processor: 2.0 * wall };
        let first = table(&[part(10.0)], "");
        assert!(first.lines().nth(1).unwrap().ends_with('-'), "{first}");
        let second = table(&[part(12.5)], &first);
        let words: Vec<&str> = second.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(words, ["test", "PASS", "12.5", "25.0", "10.0", "20.0"]);
        assert!(second.lines().nth(2).unwrap().starts_with("sum"));
    }
}
