//! A folder of its own for each test, and the program run in it.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
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
    let row = ["point", "volume"].into_iter().find(|row| rows.contains(row)).unwrap_or("ray");
    let is_rate = ["k", "M"].iter().any(|unit| starts(rate, &format!("{unit} {row}s/s")));
    let are_results = match row {
        "point" => starts(results, " found") || starts(results, " inside"),
        "volume" => starts(results, " overlapping"),
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
        let is_of_tables =
            ["cast ", "distance ", "contains ", "overlap "].iter().any(|command| line.starts_with(command));
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

/// Bad input that is refused with this message, and nothing on standard output.
pub(crate) fn refused(result: &CommandResult, message: &str) {
    assert_eq!((result.code, result.text(), result.err.as_str()), (1, "", &format!("hitscan: {message}\n")[..]));
}

/// Writes a table as `name.csv`, `name.parquet` and `name.arrow`.
pub(crate) fn write_table(folder: &Folder, name: &str, columns: &[(&str, Vec<f64>)]) {
    let mut text = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..columns[0].1.len() {
        let cells: Vec<String> = columns.iter().map(|(_, column)| column[row].to_string()).collect();
        text.push_str(&(cells.join(",") + "\n"));
    }
    folder.file(&format!("{name}.csv"), text);
    let arrays = columns.iter().map(|(name, column)| (*name, Arc::new(Float64Array::from(column.clone())) as ArrayRef));
    let batch = RecordBatch::try_from_iter(arrays).unwrap();
    let create = |extension: &str| File::create(folder.path(&format!("{name}.{extension}"))).unwrap();
    let mut writer = ArrowWriter::try_new(create("parquet"), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(create("arrow"), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

/// Runs a query of a table with every format in and out, and with any number of threads, and checks that all results are
/// those in CSV, which it returns. `line` is the command without the file, which follows its last word.
pub(crate) fn in_every_format(folder: &Folder, line: &str, table: &str) -> String {
    let run = |input: &str, more: &str| folder.done(&format!("{line} {input} --precision f64 {more}"));
    let csv_file = format!("{table}.csv");
    let csv = run(&csv_file, "");
    assert!(run(&format!("{table}.parquet"), "") == csv && run(&format!("{table}.arrow"), "") == csv, "{line}");
    let stdin = folder.run_with(&format!("{line} - --precision f64"), &folder.read(&csv_file));
    assert!(stdin.text() == csv, "{line}");
    assert!(run(&csv_file, "--threads 1") == csv && run(&csv_file, "--threads 4") == csv, "{line}");
    for format in ["csv", "jsonl", "parquet", "arrow"] {
        let bytes = |threads: &str| {
            assert_eq!(run(&csv_file, &format!("-o out.{format} --threads {threads}")), "");
            folder.read(&format!("out.{format}"))
        };
        assert!(bytes("1") == bytes("4"), "{line} {format}");
    }
    assert!(folder.read("out.csv") == csv.as_bytes());
    let open = |name: &str| File::open(folder.path(name)).unwrap();
    let parquet = ParquetRecordBatchReaderBuilder::try_new(open("out.parquet")).unwrap().build().unwrap();
    let arrow = arrow_ipc::reader::FileReader::try_new(open("out.arrow"), None).unwrap();
    let header = csv.lines().next().unwrap();
    for batches in [parquet.map(Result::unwrap).collect::<Vec<_>>(), arrow.map(Result::unwrap).collect()] {
        let names: Vec<String> = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names.join(","), header);
        for (index, name) in names.iter().enumerate() {
            let found: Vec<String> = batches.iter().flat_map(|batch| cells(batch.column(index).as_ref())).collect();
            assert!(
                found.iter().map(|cell| exact(cell)).eq(csv_column(&csv, name).iter().map(|cell| exact(cell))),
                "{name}"
            );
        }
    }
    let json = String::from_utf8(folder.read("out.jsonl")).unwrap();
    let json: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for name in header.split(',') {
        let text = |row: &serde_json::Value| match &row[name] {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(text) => text.clone(),
            other => exact(&other.to_string()),
        };
        assert!(
            json.iter().map(text).eq(csv_column(&csv, name).iter().map(|cell| exact(cell))),
            "{name} in JSON lines"
        );
    }
    csv
}

/// The cells of a column as text, empty where they are null.
fn cells(array: &dyn Array) -> Vec<String> {
    let number = |row| {
        let small = array.as_primitive_opt::<UInt32Type>().map(|array| array.value(row).to_string());
        let large = || array.as_primitive_opt::<UInt64Type>().map(|array| array.value(row).to_string());
        let real = || array.as_primitive_opt::<Float64Type>().map(|array| array.value(row).to_string());
        small.or_else(large).or_else(real)
    };
    let text = |row| {
        let dictionary = array.as_dictionary_opt::<Int32Type>();
        let key = dictionary.map_or(row, |dictionary| dictionary.keys().value(row) as usize);
        dictionary.map_or(array, |dictionary| dictionary.values().as_ref()).as_string::<i32>().value(key).to_owned()
    };
    let cell = |row| {
        let boolean = array.as_boolean_opt().map(|array| array.value(row).to_string());
        boolean.or_else(|| number(row)).unwrap_or_else(|| text(row))
    };
    (0..array.len()).map(|row| if array.is_null(row) { String::new() } else { cell(row) }).collect()
}

/// The bits of a number, or the text of other cells.
fn exact(cell: &str) -> String {
    cell.parse::<f64>().map_or_else(|_| cell.to_owned(), |number| number.to_bits().to_string())
}

/// The commands of a page of the documentation, in its order, with what it shows; a scene is written where the page has it.
/// A drawing that a command makes is the one beside the page: with `HITSCAN_UPDATE=1` it is written there.
pub(crate) fn page_sessions(folder: &Folder, page: &str) -> usize {
    let mut commands = 0;
    for block in page.split("```").skip(1).step_by(2) {
        if let Some(scene) = block.strip_prefix("toml\n") {
            folder.file("scene.toml", scene);
        }
        let session = block.strip_prefix("console\n").unwrap_or_default();
        for session in session.split("$ hitscan ").skip(1) {
            let (line, expected) = session.split_once('\n').unwrap();
            let printed = folder.done(line);
            assert!(shows(expected, &printed), "{line} prints\n{printed}not\n{expected}");
            if let Some((_, drawing)) = line.split_once("--picture ").or_else(|| line.split_once("-o ")) {
                check_drawing(drawing, &folder.read(drawing));
            }
            commands += 1;
        }
    }
    commands
}

/// Whether a page shows what was printed. A line `...` of the page stands for lines that it leaves out.
fn shows(page: &str, printed: &str) -> bool {
    let mut printed = printed.trim_end().lines();
    let mut leaves_out = false;
    for line in page.trim_end().lines() {
        let is_there = match (line, leaves_out) {
            ("...", _) => true,
            (_, true) => printed.any(|other| other == line),
            (_, false) => printed.next() == Some(line),
        };
        if !is_there {
            return false;
        }
        leaves_out = line == "...";
    }
    leaves_out || printed.next().is_none()
}

#[test]
fn pages_leave_out_lines_where_they_say_so() {
    for page in ["a\nb\nc\n", "a\nb\n...\n", "...\nb\nc", "a\n...\nc\n", "...\nb\n...\n"] {
        assert!(shows(page, "a\nb\nc\n"), "{page}");
    }
    for page in ["a\nb\n", "b\nc\n", "a\nc\n", "...\nb\n", "...\nd\n...\n", "a\nb\nc\nd\n", ""] {
        assert!(!shows(page, "a\nb\nc\n"), "{page}");
    }
}

/// Checks that a page of the documentation shows this drawing.
pub(crate) fn check_drawing(name: &str, made: &[u8]) {
    let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("HITSCAN_UPDATE").is_some() {
        fs::write(&shown, made).unwrap();
    }
    let is_same = fs::read(&shown).is_ok_and(|shown| shown == made);
    assert!(is_same, "docs/{name} is another drawing: HITSCAN_UPDATE=1 writes it");
}
