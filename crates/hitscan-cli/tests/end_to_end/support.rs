//! A folder of its own for each test, and the program run in it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use test_support::random::Lcg;

/// The exit code and the output of a run.
#[derive(Debug)]
pub(crate) struct CommandResult {
    pub(crate) code: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl CommandResult {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }

    /// Standard error, of a cast that succeeded without its last line, which sums up.
    pub(crate) fn warnings(&self) -> &str {
        let start = self.err.trim_end().rfind('\n').map_or(0, |end| end + 1);
        assert!(is_summary(self.err[start..].trim_end()), "no summary in '{}'", self.err);
        &self.err[..start]
    }
}

/// `hitscan: 5000 rays, 1 hit, 0.003 s, 1666.7 k rays/s`, or `hitscan: 2 points, 1 found, …`.
pub(crate) fn is_summary(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("hitscan: ") else { return false };
    let parts: Vec<&str> = rest.split(", ").collect();
    let starts = |part: &str, unit: &str| {
        part.strip_suffix(unit).is_some_and(|number| number.trim().parse::<f64>().is_ok_and(|x| x >= 0.0))
    };
    let [rows, results, seconds, rate] = parts[..] else { return false };
    let is_count = |part: &str, one: &str| {
        if part.starts_with("1 ") { part == format!("1 {one}") } else { starts(part, &format!("{one}s")) }
    };
    let row = if rows.contains("point") { "point" } else { "ray" };
    let is_rate = ["k", "M"].iter().any(|unit| starts(rate, &format!("{unit} {row}s/s")));
    let are_results = match row {
        "point" => starts(results, " found") || starts(results, " inside"),
        _ => is_count(results, "hit"),
    };
    is_count(rows, row) && are_results && starts(seconds, "s") && is_rate
}

/// A folder that goes away with its test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names in the folder, hidden ones included.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs the program here, with nothing on standard input.
    pub(crate) fn run(&self, line: &str) -> CommandResult {
        self.run_with(line, b"")
    }

    /// Runs the program here. Words of the line are divided by spaces.
    pub(crate) fn run_with(&self, line: &str, stdin: &[u8]) -> CommandResult {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
        command.args(line.split_whitespace()).current_dir(&self.0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that does not read its input closes it: that is its right.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        CommandResult { code: output.status.code().unwrap(), out: output.stdout, err }
    }

    /// Runs a line that must succeed and say nothing on standard error; its output.
    pub(crate) fn done(&self, line: &str) -> String {
        let result = self.run(line);
        let is_of_tables = ["cast ", "distance ", "contains "].iter().any(|command| line.starts_with(command));
        let sums_up = is_of_tables && !line.contains("--quiet") && !line.contains("--help");
        let err = if sums_up && result.code == 0 { result.warnings() } else { result.err.as_str() };
        assert_eq!((result.code, err), (0, ""), "hitscan {line}");
        result.text().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The unit sphere around (5, 5, 5).
pub(crate) const BALL: &str = "[[shape]]\ntype = 'sphere'\nname = 'ball'\ncenter = [5, 5, 5]\nradius = 1\n";

/// A table of random rays, the same in every run.
pub(crate) fn random_rays(count: usize, dimension: usize) -> String {
    let mut random = Lcg::new(1);
    let axes = &["x", "y", "z"][..dimension];
    let names: Vec<String> =
        ["o", "d"].iter().flat_map(|c| axes.iter().map(move |axis| format!("{c}{axis}"))).collect();
    let mut text = names.join(",") + "\n";
    for _ in 0..count {
        let row: Vec<String> = (0..2 * dimension)
            .map(|i| (random.signed_unit() * if i < dimension { 9.0 } else { 1.0 }).to_string())
            .collect();
        text.push_str(&(row.join(",") + "\n"));
    }
    text
}

/// The rows of a CSV text without quotes, by the names of the columns.
pub(crate) fn csv_column(text: &str, name: &str) -> Vec<String> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let index = header.iter().position(|column| *column == name).unwrap_or_else(|| panic!("{name} in {header:?}"));
    lines.map(|line| line.split(',').nth(index).unwrap().to_owned()).collect()
}

pub(crate) fn csv_numbers(text: &str, name: &str) -> Vec<f64> {
    csv_column(text, name).iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()
}
