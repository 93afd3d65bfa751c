//! Tables of rays: the exact words of every error, and every way to write a table.

use crate::support::{Folder, arrow, batch, parquet, ray_columns};
use arrow_array::{
    ArrayRef, Float32Array, Float64Array, Int8Array, Int64Array, StringArray, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_ipc::CompressionType;
use hitscan_io::{Dimension, Endpoint, Format, Place, Precision, RayBatch, RayReader, ReadOptions};
use parquet::basic::{Compression, ZstdLevel};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use Dimension::{Three, Two};

fn read(path: &Path, dimension: Dimension) -> hitscan_io::Result<Vec<RayBatch>> {
    RayReader::open(path, dimension)?.collect()
}

#[track_caller]
fn csv_error(text: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.message(&read(&folder.file("rays.csv", text), Three).unwrap_err())
}

/// The same table in each columnar format.
fn columnar(folder: &Folder, columns: &[(&str, ArrayRef)]) -> [std::path::PathBuf; 5] {
    let batches = [batch(columns)];
    let paths =
        ["snappy.parquet", "zstd.parquet", "plain.arrow", "lz4.feather", "zstd.ipc"].map(|name| folder.path(name));
    parquet(&paths[0], &batches, Compression::SNAPPY);
    parquet(&paths[1], &batches, Compression::ZSTD(ZstdLevel::default()));
    arrow(&paths[2], &batches, None);
    arrow(&paths[3], &batches, Some(CompressionType::LZ4_FRAME));
    arrow(&paths[4], &batches, Some(CompressionType::ZSTD));
    paths
}

/// The error of each columnar format, which is the same.
#[track_caller]
fn columnar_error(columns: &[(&str, ArrayRef)]) -> String {
    let folder = Folder::new();
    let errors = columnar(&folder, columns).map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        folder.message(&read(&path, Three).unwrap_err()).replace(&name, "rays")
    });
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:#?}");
    errors[0].clone()
}

fn floats(values: impl IntoIterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}

fn with(name: &'static str, column: ArrayRef) -> Vec<(&'static str, ArrayRef)> {
    let mut columns = ray_columns(column.len(), |row| row as f64);
    match columns.iter_mut().find(|(known, _)| *known == name) {
        Some(known) => known.1 = column,
        None => columns.push((name, column)),
    }
    columns
}

const HEADER: &str = "ox,oy,oz,dx,dy,dz\n";

#[test]
fn errors_of_opening() {
    let folder = Folder::new();
    let open = |path: &Path| folder.message(&RayReader::open(path, Three).unwrap_err());
    assert_eq!(open(Path::new("x.csv")), "x.csv: No such file or directory");
    let known = "known are .csv, .tsv, .jsonl and .ndjson, these also with .gz or .zst, .parquet, .arrow, .ipc, .feather and .arrows";
    assert_eq!(open(Path::new("a.xlsx")), format!("a.xlsx: unknown table format '.xlsx' ({known})"));
    assert_eq!(open(Path::new("a")), format!("a: no extension that shows the format of the table ({known})"));
    assert_eq!(
        open(&folder.file("a.jsonl", "{}")),
        "a.jsonl: no column 'ox' (needs ox oy oz dx dy dz, or ax ay az bx by bz; the table has none)"
    );
    for name in ["rays.csv", "rays.parquet", "rays.arrow"] {
        assert_eq!(open(&folder.file(name, "")), format!("{name}: empty file"));
    }
    std::fs::create_dir(folder.path("dir.csv")).unwrap();
    assert_eq!(open(&folder.path("dir.csv")), "dir.csv: is a directory");
    assert_eq!(RayReader::open(Path::new("x.csv"), Three).unwrap_err().io_kind(), Some(ErrorKind::NotFound));
}

#[test]
fn errors_of_csv() {
    assert_eq!(
        csv_error("ox,oy,dx,dy,dz\n"),
        "rays.csv: no column 'oz' (needs ox oy oz dx dy dz, or ax ay az bx by bz; the table has ox, oy, dx, dy, dz)"
    );
    assert_eq!(csv_error("ox,oy,oz,dx,dy,dz,dx\n"), "rays.csv: column 'dx' appears twice");
    let missing = |header: &str, has: &str, advice: &str| {
        let needs = "needs ox oy oz dx dy dz, or ax ay az bx by bz";
        let message = format!("rays.csv: no column 'ox' ({needs}; the table has {has}){advice}");
        assert_eq!(csv_error(format!("{header}\n")), message);
    };
    missing("ox;oy;oz;dx;dy;dz", "ox;oy;oz;dx;dy;dz", ": ';' divides its columns");
    missing("OX\tOY\tOZ\tDX\tDY\tDZ", "OX OY OZ DX DY DZ", ": tabs divide its columns");
    missing("OX,oy,oz,dx,dy,dz", "OX, oy, oz, dx, dy, dz", ": their names must be in lower case");
    let names: Vec<String> = (0..300).map(|number| format!("{number}")).collect();
    missing(&names.join(","), &format!("{} and 284 more", names[..16].join(", ")), "");
    missing(&"x".repeat(1000), &format!("{}…", "x".repeat(40)), "");
    let utf_16 = |bytes: Vec<u8>| assert_eq!(csv_error(bytes), "rays.csv: this looks like UTF-16: save it as UTF-8");
    utf_16(b"\xFF\xFEo\0x\0\n\0".to_vec());
    utf_16(b"o\0x\0\n\0".to_vec());
    let three = format!("{HEADER}0,0,0,1,0,0\n0,0,0,1,0,0\n\n0,0,0,1,0,0\n");
    let case = |row: &str| csv_error(format!("{three}{row}\n"));
    assert_eq!(case("0,0,0,abc,0,0"), "rays.csv: row 3 (line 6), column 'dx': 'abc' is not a number");
    assert_eq!(case("0,0,0,0,\"1\n2\",0"), "rays.csv: row 3 (line 6), column 'dy': '1 2' is not a number");
    assert_eq!(case("0,0,0, ,0,0"), "rays.csv: row 3 (line 6), column 'dx': the cell is empty");
    assert_eq!(case("NaN,0,0,1,0,0"), "rays.csv: row 3 (line 6), column 'ox': NaN is not allowed in a ray");
    assert_eq!(case("0,0,0,1,0,-inf"), "rays.csv: row 3 (line 6), column 'dz': -inf is not allowed in a ray");
    assert_eq!(case("0,0,1e999,1,0,0"), "rays.csv: row 3 (line 6), column 'oz': inf is not allowed in a ray");
    assert_eq!(case("0,0,0,1"), "rays.csv: row 3 (line 6): 4 fields (the header has 6)");
    assert_eq!(case("0,0,0,1,0,\u{fffd}"), "rays.csv: row 3 (line 6), column 'dz': '\u{fffd}' is not a number");
    assert_eq!(
        csv_error([HEADER.as_bytes(), b"0,0,0,1,0,\xFF\n"].concat()),
        "rays.csv: row 0 (line 2), column 'dz': '\u{fffd}' is not a number"
    );
    assert_eq!(
        csv_error(format!("t_min,{HEADER}nan,0,0,0,1,0,0\n")),
        "rays.csv: row 0 (line 2), column 't_min': NaN is not allowed in a ray"
    );
    assert_eq!(
        csv_error(format!("{HEADER}\"{}", "x".repeat(20 << 20))),
        "rays.csv: line 2: a record longer than 16 MiB (is a quote missing?)"
    );
}

#[test]
fn an_error_tells_its_row_and_column_and_ends_the_table() {
    let folder = Folder::new();
    let path = folder.file("rays.csv", format!("{HEADER}0,0,0,1,0,x\n0,0,0,1,0,0\n"));
    let mut reader = RayReader::open(&path, Three).unwrap();
    let error = reader.next().unwrap().unwrap_err();
    assert_eq!(error.place(), &Place::Row { row: 0, line: Some(2), column: Some("dz".into()) });
    assert!(reader.next().is_none());
}

#[test]
fn errors_of_columnar_files() {
    let mut columns = ray_columns(1, |_| 0.0);
    columns.remove(2);
    assert_eq!(
        columnar_error(&columns),
        "rays: no column 'oz' (needs ox oy oz dx dy dz, or ax ay az bx by bz; the table has ox, oy, dx, dy, dz)"
    );
    assert_eq!(
        columnar_error(&with("dx", Arc::new(StringArray::from(vec!["1"])))),
        "rays: column 'dx': type Utf8 is not a number (needs float32, float64 or an integer)"
    );
    let nulls = Float64Array::from_iter((0..20).map(|row| (row != 12).then_some(1.0)));
    assert_eq!(columnar_error(&with("dy", Arc::new(nulls))), "rays: row 12, column 'dy': the cell is null");
    let value_at = |at: usize, value: f64| floats((0..2000).map(|row| if row == at { value } else { 1.0 }));
    assert_eq!(
        columnar_error(&with("dx", value_at(17, f64::NAN))),
        "rays: row 17, column 'dx': NaN is not allowed in a ray"
    );
    assert_eq!(
        columnar_error(&with("dx", value_at(1500, f64::INFINITY))),
        "rays: row 1500, column 'dx': inf is not allowed in a ray"
    );
    assert_eq!(
        columnar_error(&with("t_max", value_at(3, f64::NAN))),
        "rays: row 3, column 't_max': NaN is not allowed in a ray"
    );
    let large = Int64Array::from(vec![1, (1 << 53) + 1]);
    assert_eq!(
        columnar_error(&with("oz", Arc::new(large))),
        "rays: row 1, column 'oz': 9007199254740993 is not exact as float64"
    );
    assert_eq!(
        columnar_error(&with("oz", Arc::new(UInt64Array::from(vec![u64::MAX])))),
        "rays: row 0, column 'oz': 18446744073709551615 is not exact as float64"
    );
    // Of two faults, the one in the earlier row, as in CSV.
    let mut columns = with("ox", value_at(9, f64::NAN));
    columns[5].1 = value_at(8, f64::NAN);
    assert_eq!(columnar_error(&columns), "rays: row 8, column 'dz': NaN is not allowed in a ray");
}

#[test]
fn layers_are_a_mask_for_each_ray() {
    let folder = Folder::new();
    let header = "layers,ox,oy,oz,dx,dy,dz,t_max\n";
    let path = folder.file("rays.csv", format!("{header}9,0,0,0,1,0,0,inf\n4294967295,0,0,0,1,0,0,2\n"));
    let masks = Some(vec![9, u32::MAX]);
    for decimals in [Precision::F32, Precision::F64] {
        let options = ReadOptions { decimals, ..ReadOptions::default() };
        let batch = RayReader::open_with(&path, Three, &options).unwrap().next().unwrap().unwrap();
        assert_eq!((batch.layers, batch.t_max), (masks.clone(), Some(vec![f64::INFINITY, 2.0])), "{decimals:?}");
    }
    let mut columns = with("layers", Arc::new(UInt32Array::from(vec![9, u32::MAX])));
    for (_, column) in columns.iter_mut().take(6) {
        *column = Arc::new(Float32Array::from(vec![0.5, 1.0]));
    }
    for path in columnar(&folder, &columns) {
        let batch = &read(&path, Three).unwrap()[0];
        // A mask is no number of a ray: it does not make the table one of f64.
        assert_eq!((&batch.layers, batch.precision), (&masks, Precision::F32), "{path:?}");
    }
    let needed = "(a whole number from 0 to 4294967295)";
    for wrong in ["-1", "1.5", "4294967296", "inf", "NaN"] {
        let message = csv_error(format!("{header}1,0,0,0,1,0,0,1\n{wrong},0,0,0,1,0,0,1\n"));
        assert_eq!(
            message,
            format!("rays.csv: row 1 (line 3), column 'layers': {wrong} is no mask of layers {needed}")
        );
    }
    let column: ArrayRef = Arc::new(Int64Array::from(vec![3, -3]));
    let message = columnar_error(&with("layers", column));
    assert_eq!(message, format!("rays: row 1, column 'layers': -3 is no mask of layers {needed}"));
}

#[test]
fn errors_of_damaged_columnar_files() {
    let folder = Folder::new();
    let damaged = |name: &str, bytes: &[u8]| folder.message(&read(&folder.file(name, bytes), Three).unwrap_err());
    let other = "not an Arrow IPC file (streams and Feather 1 are other formats)";
    let truncated = "truncated: it begins as an Arrow IPC file, and has no footer at its end";
    assert_eq!(damaged("a.arrow", b"ARROW1"), format!("a.arrow: {truncated}"));
    assert_eq!(damaged("a.arrow", &[b'x'; 100]), format!("a.arrow: {other}"));
    assert_eq!(
        damaged("a.arrow", b"ARROW1\0\0\xFF\xFF\xFF\x7FARROW1"),
        "a.arrow: byte 8: damaged: footer longer than the file"
    );
    let incomplete = "a.parquet: truncated: it begins as a Parquet file, and has no footer at its end";
    assert_eq!(damaged("a.parquet", b"PAR1"), incomplete);
    assert_eq!(damaged("a.parquet", &[b'x'; 100]), "a.parquet: not a Parquet file (no footer at its end)");
    let [path, _, arrow, ..] = columnar(&folder, &ray_columns(5000, |row| row as f64));
    let bytes = std::fs::read(arrow).unwrap();
    for length in [7, 100, bytes.len() / 2, bytes.len() - 1] {
        assert_eq!(damaged("a.arrow", &bytes[..length]), format!("a.arrow: {truncated}"), "{length} bytes");
    }
    assert_eq!(damaged("a.csv", &bytes), "a.csv: by its content this is an Arrow file: rename it to .arrow");
    let parquet = std::fs::read(&path).unwrap();
    assert_eq!(damaged("a.arrow", &parquet), "a.arrow: by its content this is a Parquet file: rename it to .parquet");
    let mut bytes = std::fs::read(path).unwrap();
    assert_eq!(damaged("a.parquet", &bytes[..bytes.len() / 2]), incomplete);
    bytes[4..50].fill(0xFF);
    let page = damaged("a.parquet", &bytes);
    assert_eq!(
        page,
        "a.parquet: damaged Parquet file: Parquet argument error: Parquet error: implausible page header at byte 4"
    );
}

#[test]
fn each_format_reads_the_same_rays() {
    let folder = Folder::new();
    let value = |row: usize| row as f64 / 3.0;
    let mut columns = ray_columns(2500, value);
    columns.push(("t_max", floats((0..2500).map(|row| if row % 2 == 0 { f64::INFINITY } else { 2.0 }))));
    columns.push(("t_min", floats([f64::NEG_INFINITY].into_iter().cycle().take(2500))));
    let names: Arc<StringArray> = Arc::new((0..2500).map(|row| Some(format!("ray {row}"))).collect());
    columns.insert(1, ("name", names.clone()));
    let dictionary: arrow_array::DictionaryArray<arrow_array::types::Int8Type> =
        ["a", "b"].into_iter().cycle().take(2500).collect();
    columns.insert(0, ("kind", Arc::new(dictionary)));
    let mut text = "note,t_max,t_min,dz,dy,dx,oz,oy,ox\r\n".to_owned();
    for row in 0..2500 {
        let (v, t_max) = (value(row), if row % 2 == 0 { "inf" } else { "2" });
        text += &format!("\"a, b\",{t_max} ,-inf, {v},{v},{v:e},{v},{v},{v}\r\n");
    }
    let options = ReadOptions { batch_rows: 700, ..ReadOptions::default() };
    let from_csv = RayReader::open_with(&folder.file("rays.csv", text), Three, &options).unwrap();
    let from_csv: Vec<RayBatch> = from_csv.map(Result::unwrap).collect();
    assert_eq!(from_csv.iter().map(|batch| batch.first_row).collect::<Vec<_>>(), [0, 700, 1400, 2100]);
    assert_eq!(from_csv[3].len(), 400);
    assert_eq!(from_csv[1].origin[2][5], value(705));
    assert_eq!(from_csv[1].t_max.as_ref().unwrap()[..2], [f64::INFINITY, 2.0]);
    for path in columnar(&folder, &columns) {
        let batches = RayReader::open_with(&path, Three, &options).unwrap();
        assert_eq!(batches.map(Result::unwrap).collect::<Vec<_>>(), from_csv, "{}", path.display());
    }
}

#[test]
fn precision_is_that_of_the_types() {
    let folder = Folder::new();
    let precision = |column: ArrayRef| {
        let columns = ["ax", "ay", "bx", "by"].map(|name| (name, column.clone()));
        let found = columnar(&folder, &columns).map(|path| {
            let mut reader = RayReader::open(&path, Two).unwrap();
            let batch = reader.next().unwrap().unwrap();
            assert_eq!(batch.endpoint, Endpoint::End([vec![7.0], vec![7.0], vec![]]));
            assert_eq!((batch.precision, batch.dimension), (reader.precision(), Two));
            reader.precision()
        });
        assert!(found.iter().all(|precision| *precision == found[0]));
        found[0]
    };
    assert_eq!(precision(Arc::new(Float32Array::from(vec![7.0]))), Precision::F32);
    assert_eq!(precision(Arc::new(Int8Array::from(vec![7]))), Precision::F32);
    assert_eq!(precision(Arc::new(UInt16Array::from(vec![7]))), Precision::F32);
    assert_eq!(precision(Arc::new(Float64Array::from(vec![7.0]))), Precision::F64);
    assert_eq!(precision(Arc::new(Int64Array::from(vec![7]))), Precision::F64);
}

#[test]
fn a_table_may_have_no_rows() {
    let folder = Folder::new();
    for text in ["ox,oy,dx,dy", "\u{feff}ox,oy,dx,dy\n\n"] {
        assert_eq!(read(&folder.file("rays.csv", text), Two).unwrap(), []);
    }
    for path in columnar(&folder, &ray_columns(0, |_| 0.0)) {
        assert_eq!(read(&path, Three).unwrap(), []);
    }
}

#[test]
fn a_zero_direction_is_a_ray() {
    let folder = Folder::new();
    let rays = read(&folder.file("rays.csv", format!("{HEADER}1,2,3,0,0,-0\n")), Three).unwrap();
    assert_eq!(rays[0].endpoint, Endpoint::Direction([vec![0.0], vec![0.0], vec![0.0]]));
}

#[test]
fn progress_goes_from_0_to_1() {
    let folder = Folder::new();
    let mut text = HEADER.to_owned();
    (0..20_000).for_each(|row| text += &format!("{row},0,0,1,0,0\n"));
    let mut paths = columnar(&folder, &ray_columns(20_000, |_| 1.0)).to_vec();
    paths.push(folder.file("rays.csv", text));
    for path in paths {
        let mut reader =
            RayReader::open_with(&path, Three, &ReadOptions { batch_rows: 1000, ..Default::default() }).unwrap();
        let total = path.extension().is_some_and(|extension| extension == "parquet").then_some(20_000);
        assert_eq!(reader.total_rows(), total);
        let mut last = 0.0;
        while let Some(batch) = reader.next() {
            batch.unwrap();
            let progress = reader.progress().unwrap();
            assert!(progress >= last && progress <= 1.0);
            last = progress;
        }
        assert_eq!(last, 1.0, "{}", path.display());
    }
}

#[test]
fn a_format_may_be_given_and_readers_may_change_threads() {
    fn travels<T: Send>(value: T) -> T {
        value
    }
    let folder = Folder::new();
    let path = folder.file("rays.txt", format!("{HEADER}1,2,3,4,5,6\n"));
    let options = ReadOptions { format: Some(Format::Csv), batch_rows: 0, ..ReadOptions::default() };
    let mut reader = travels(RayReader::open_with(&path, Three, &options).unwrap());
    assert_eq!(reader.next().unwrap().unwrap().len(), 1);
    assert!(reader.next().is_none());
}

/// Decimals of a CSV in the precision that the caller wants: each is the nearest number to its digits.
#[test]
fn decimals_have_the_precision_of_the_options() {
    let folder = Folder::new();
    // Its nearest f64 lies half-way between two numbers of f32, and is rounded to the wrong one of them.
    let twice = "1.00000005960464477540";
    let path = folder.file("rays.csv", format!("{HEADER}0.1,{twice},0,0,0,1\n"));
    let read = |decimals| {
        let options = ReadOptions { decimals, ..ReadOptions::default() };
        let mut reader = RayReader::open_with(&path, Three, &options).unwrap();
        assert_eq!(reader.precision(), decimals);
        let batch = reader.next().unwrap().unwrap();
        assert_eq!(batch.precision, decimals);
        [batch.origin[0][0], batch.origin[1][0]]
    };
    assert_eq!(read(Precision::F64), [0.1, twice.parse().unwrap()]);
    let nearest: f32 = twice.parse().unwrap();
    assert_eq!(read(Precision::F32), [f64::from(0.1_f32), f64::from(nearest)]);
    assert_ne!(nearest, twice.parse::<f64>().unwrap() as f32, "rounding twice would be wrong here");
    let options = ReadOptions { decimals: Precision::F32, ..ReadOptions::default() };
    let large = folder.file("large.csv", format!("{HEADER}0,0,0,1e39,0,1\n"));
    let error = RayReader::open_with(&large, Three, &options).unwrap().next().unwrap().unwrap_err();
    assert_eq!(folder.message(&error), "large.csv: row 0 (line 2), column 'dx': '1e39' is too large for f32");
}
