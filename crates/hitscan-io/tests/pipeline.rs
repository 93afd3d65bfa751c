//! From a table of rays to a table of results: packed and damaged tables, and memory.

#[path = "support/heap.rs"]
mod heap;
mod support;

use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use heap::peak;
use hitscan::Scene;
use hitscan::glam::DVec3;
use hitscan_io::{
    BLOCK_ROWS, BadRow, Carried, CastOutputOptions, CastQuery, CastSink, CastStatistics, Compression, Dimension,
    Format, OnError, RayCaster, RayTable, RayTableOptions, ResultFile, ResultOpener, ResultRows, SceneFile, TableCast,
    TextOptions,
};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use support::{Folder, batch, ray_columns};
use test_support::random::Lcg;

const MIB: usize = 1 << 20;

/// One test at a time: the allocator counts for all threads.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ball() -> Scene<DVec3> {
    let text = "[[shape]]\ntype = 'sphere'\nname = 'ball'\ncenter = [5, 5, 5]\nradius = 1";
    SceneFile::parse_toml("ball.toml", text).unwrap().build().unwrap()
}

/// Results that go to a file, or nowhere without an opener.
struct Sink {
    file: Option<ResultFile>,
    bad_rows: usize,
}

impl CastSink for Sink {
    fn write(&mut self, rows: ResultRows) -> hitscan_io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |file| file.write(rows))
    }

    fn bad_rows(&mut self, rows: &[BadRow]) -> hitscan_io::Result<()> {
        self.bad_rows += rows.len();
        Ok(())
    }

    fn progress(&mut self, _: u64, share: Option<f64>) -> hitscan_io::Result<()> {
        assert!(share.is_none_or(|share| (0.0..=1.0).contains(&share)), "{share:?}");
        Ok(())
    }
}

/// Casts a table of rays at the ball, and keeps all its columns. Rows that cannot be read are left out.
fn cast(rays: &Path, hits: Option<&Path>) -> hitscan_io::Result<CastStatistics> {
    let scene = ball();
    let query = CastQuery::default();
    let caster = RayCaster::new((&scene, None), query, (vec!["ball".into()], None), None, Path::new("cast"))?;
    let (format, compression) =
        hits.map_or((Format::Csv, Compression::None), |hits| Format::and_compression(hits).unwrap());
    let read = RayTableOptions {
        text: TextOptions::default(),
        carried: Carried::All,
        has_types: !matches!(format, Format::Csv),
        rows: None,
    };
    let table = RayTable::open(rays, Dimension::Three, &read)?;
    let options = CastOutputOptions {
        format: Some(format),
        compression,
        text: TextOptions::default(),
        metadata: Vec::new(),
        on_error: OnError::Skip,
        threads: 1,
    };
    let mut cast = TableCast::new(&caster, table, options)?;
    let opener: ResultOpener = cast.opener();
    let file = hits.map(|hits| opener.begin(Some(hits))).transpose()?;
    let mut sink = Sink { file, bad_rows: 0 };
    let statistics = cast.run(None, &mut sink)?;
    assert_eq!(statistics.bad_rows, sink.bad_rows as u64);
    sink.file.map_or(Ok(()), ResultFile::finish)?;
    Ok(statistics)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn rays_csv(rows: usize) -> String {
    (0..rows).fold("name,ox,oy,oz,dx,dy,dz\n".to_owned(), |mut text, row| {
        writeln!(text, "\"ray {row}\",{},5,0,0,0,1", row as f64 / 10.0).unwrap();
        text
    })
}

fn rays_jsonl(rows: usize) -> String {
    (0..rows).fold(String::new(), |mut text, row| {
        let rest = "\"oy\":5,\"oz\":0,\"dx\":0,\"dy\":0,\"dz\":1";
        writeln!(text, "{{\"name\":\"ray {row}\",\"ox\":{},{rest}}}", row as f64 / 10.0).unwrap();
        text
    })
}

#[test]
fn packed_results_unpack_to_the_plain_ones() {
    let _alone = alone();
    let folder = Folder::new();
    let rays = folder.file("rays.csv", rays_csv(BLOCK_ROWS + 1000));
    for (format, plain) in [("csv", "plain.csv"), ("jsonl", "plain.jsonl")] {
        cast(&rays, Some(&folder.path(plain))).unwrap();
        let plain = fs::read(folder.path(plain)).unwrap();
        let [gz, zst] = ["gz", "zst"].map(|extension| folder.path(&format!("hits.{format}.{extension}")));
        cast(&rays, Some(&gz)).unwrap();
        cast(&rays, Some(&zst)).unwrap();
        let mut unpacked = Vec::new();
        MultiGzDecoder::new(File::open(gz).unwrap()).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == plain, "{format}.gz");
        assert!(zstd::decode_all(File::open(zst).unwrap()).unwrap() == plain, "{format}.zst");
    }
}

/// A small table in each format that can be packed, or read as a stream.
fn small_tables(folder: &Folder) -> Vec<(&'static str, Vec<u8>)> {
    let (csv, json) = (rays_csv(40), rays_jsonl(40));
    let mut columns = ray_columns(40, |row| row as f64);
    let names: arrow_array::StringArray = (0..40).map(|row| Some(format!("ray {row}"))).collect();
    columns.push(("name", std::sync::Arc::new(names)));
    let table = batch(&columns);
    let path = folder.path("small.arrows");
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(File::create(&path).unwrap(), &table.schema()).unwrap();
    [0, 20].iter().for_each(|start| writer.write(&table.slice(*start, 20)).unwrap());
    writer.finish().unwrap();
    vec![
        ("a.csv", csv.clone().into_bytes()),
        ("a.csv.gz", gzip(csv.as_bytes())),
        ("a.csv.zst", zstd::encode_all(csv.as_bytes(), 1).unwrap()),
        ("a.jsonl", json.clone().into_bytes()),
        ("a.jsonl.gz", gzip(json.as_bytes())),
        ("a.jsonl.zst", zstd::encode_all(json.as_bytes(), 1).unwrap()),
        ("a.arrows", fs::read(path).unwrap()),
    ]
}

/// Casts damaged tables: an error of one line that names the file, or results, and little memory.
fn survives(folder: &Folder, name: &str, bytes: &[u8]) -> bool {
    let path = folder.file(name, bytes);
    let (result, most) = peak(|| cast(&path, None));
    fs::remove_file(&path).unwrap();
    assert!(most < 64 * MIB, "{name}: {most} bytes of memory for {} of file", bytes.len());
    match result {
        Ok(statistics) => {
            assert!(statistics.rows_in <= bytes.len() as u64 * 1000);
            true
        }
        Err(error) => {
            let line = error.to_string();
            assert!(!line.contains('\n') && line.starts_with(path.to_str().unwrap()), "{line}");
            false
        }
    }
}

/// A panic of a decoder becomes an error; its message is not worth a screen.
fn hide_panics_of_decoders() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.location().is_some_and(|location| location.file().contains("/registry/")) {
            hook(info);
        }
    }));
}

#[test]
fn truncated_tables_give_errors_or_rows() {
    let _alone = alone();
    hide_panics_of_decoders();
    let folder = Folder::new();
    for (name, bytes) in small_tables(&folder) {
        assert!(survives(&folder, name, &bytes), "{name} is whole");
        let mut good = 0;
        for length in 0..bytes.len() {
            let is_good = survives(&folder, name, &bytes[..length]);
            let is_packed = name.ends_with("gz") || name.ends_with("zst");
            assert!(!is_packed || !is_good, "{name}: {length} of {} bytes are taken for the whole", bytes.len());
            good += u32::from(is_good);
        }
        // A stream may end behind any message.
        assert!(name != "a.arrows" || good == 3, "{good} beginnings of a stream are taken for the whole");
    }
}

#[test]
fn damaged_tables_give_errors_or_rows() {
    let _alone = alone();
    hide_panics_of_decoders();
    let folder = Folder::new();
    let mut random = Lcg::new(9);
    for (name, original) in small_tables(&folder) {
        let mut good = 0;
        for _ in 0..500 {
            let mut bytes = original.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] ^= 1 << random.below(8),
                    1 => bytes.iter_mut().skip(at).take(4).for_each(|byte| *byte = 0xFF),
                    2 => bytes.iter_mut().skip(at).take(8).for_each(|byte| *byte = random.below(128) as u8),
                    _ => bytes[at] = random.below(256) as u8,
                }
            }
            good += usize::from(survives(&folder, name, &bytes));
        }
        println!("{name}: {good} of 500 still readable");
    }
}

#[test]
fn an_announced_length_is_no_reason_to_take_memory() {
    let _alone = alone();
    hide_panics_of_decoders();
    let folder = Folder::new();
    let (name, original) = small_tables(&folder).pop().unwrap();
    for at in (0..original.len() - 8).step_by(4) {
        for value in [0x7FFF_FFF0_u64, 0xFF_FFFF_FFF0] {
            let mut bytes = original.clone();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            survives(&folder, name, &bytes);
        }
    }
}

#[test]
fn a_truncated_gzip_file_is_named() {
    let _alone = alone();
    let folder = Folder::new();
    let packed = gzip(rays_csv(5000).as_bytes());
    let path = folder.file("rays.csv.gz", &packed[..packed.len() / 2]);
    let message = folder.message(&cast(&path, None).unwrap_err());
    assert!(message.starts_with("rays.csv.gz: damaged: the compressed text ends or breaks behind line "), "{message}");
    let path = folder.file("rays.csv.zst", &zstd::encode_all(rays_csv(5000).as_bytes(), 1).unwrap()[..1000]);
    let message = folder.message(&cast(&path, None).unwrap_err());
    assert!(message.starts_with("rays.csv.zst: damaged: the compressed text ends or breaks behind line "), "{message}");
}

/// A gzip file of a text, this text many times, and a text.
fn bomb(path: &Path, first: &str, piece: &str, bytes: usize, last: &str) {
    let mut encoder = GzEncoder::new(BufWriter::new(File::create(path).unwrap()), flate2::Compression::fast());
    let block = piece.repeat(MIB / piece.len());
    encoder.write_all(first.as_bytes()).unwrap();
    (0..bytes / block.len()).for_each(|_| encoder.write_all(block.as_bytes()).unwrap());
    encoder.write_all(last.as_bytes()).unwrap();
    encoder.finish().unwrap();
}

#[test]
fn a_small_file_of_much_text_takes_little_memory() {
    let _alone = alone();
    let folder = Folder::new();
    let header = "name,ox,oy,oz,dx,dy,dz\n";
    let ray = "a,5,5,0,0,0,1\n";
    let json = "{\"ox\":5,\"oy\":5,\"oz\":0,\"dx\":0,\"dy\":0,\"dz\":1}\n";
    let cases = [
        ("lines.csv.gz", header, "\n", ray, Ok(1)),
        ("returns.csv.gz", header, "\r\n", ray, Ok(1)),
        ("no-header.csv.gz", "", "\n", "", Err("empty file")),
        ("quoted.csv.gz", "name,ox,oy,oz,dx,dy,dz\n\"a\nb\",5,5,0,0,0,1\n", "\n", ray, Ok(2)),
        ("lines.jsonl.gz", json, "\n", json, Ok(2)),
        ("record.csv.gz", header, "1", ray, Err("a record longer than 16 MiB (is a quote missing?)")),
        (
            "quote.csv.gz",
            "name,ox,oy,oz,dx,dy,dz\n\"",
            "1\n",
            ray,
            Err("a record longer than 16 MiB (is a quote missing?)"),
        ),
    ];
    for (name, first, piece, last, expected) in cases {
        let path = folder.path(name);
        let bytes = if name == "lines.csv.gz" { 300 * MIB } else { 100 * MIB };
        bomb(&path, first, piece, bytes, last);
        let (result, most) = peak(|| cast(&path, None));
        let (most, size) = (most / MIB, fs::metadata(&path).unwrap().len() / 1024);
        println!("{name}: {size} KiB on disk, {most} MiB in memory");
        match (result, expected) {
            (Ok(statistics), Ok(rows)) => assert_eq!(statistics.rows_in, rows, "{name}"),
            (Err(error), Err(text)) => assert!(error.to_string().ends_with(text), "{error}"),
            (result, _) => panic!("{name}: {result:?}"),
        }
        // A block of text has 64 MiB at most, however few its records are.
        let limit = if expected == Ok(1) || expected == Err("empty file") { 16 } else { 256 };
        assert!(most < limit, "{name}: {most} MiB");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn eight_times_the_rows_take_the_same_memory() {
    let _alone = alone();
    let folder = Folder::new();
    for (rays, hits) in [("rays.csv", "hits.parquet"), ("rays.parquet", "hits.csv")] {
        let peaks = [1, 8].map(|times| {
            let rows = 2 * BLOCK_ROWS * times;
            let path = folder.path(rays);
            if rays.ends_with("csv") {
                let mut file = BufWriter::new(File::create(&path).unwrap());
                writeln!(file, "id,ox,oy,oz,dx,dy,dz").unwrap();
                (0..rows).for_each(|row| writeln!(file, "{:07},{},5,0,0,0,1", row, row % 10).unwrap());
            } else {
                let group = batch(&ray_columns(BLOCK_ROWS, |row| (row % 1000) as f64 / 7.0));
                let mut writer =
                    parquet::arrow::ArrowWriter::try_new(File::create(&path).unwrap(), group.schema(), None).unwrap();
                for _ in 0..rows / BLOCK_ROWS {
                    writer.write(&group).unwrap();
                    writer.flush().unwrap();
                }
                writer.close().unwrap();
            }
            let (statistics, most) = peak(|| cast(&path, Some(&folder.path(hits))).unwrap());
            assert_eq!(statistics.rows_out, rows as u64);
            most
        });
        let [few, many] = peaks.map(|bytes| bytes as f64 / MIB as f64);
        println!("{rays} to {hits}: {few:.1} MiB, then {many:.1} MiB");
        assert!((0.9 * few..=1.1 * few).contains(&many), "{rays} to {hits}: {few} MiB, then {many} MiB");
    }
}
