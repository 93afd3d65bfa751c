//! Runs that are killed, and runs that go on with them.

use crate::support::{BALL, Folder, write_table};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};
use test_support::random::Lcg;

const ROWS: usize = 20_000;
const KILLS: usize = 20;

/// Six tables of rays at the ball, half of them CSV with some rows that cannot be read.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("ball.toml", BALL);
    fs::create_dir(folder.path("rays")).unwrap();
    let mut random = Lcg::new(5);
    for number in 0..6 {
        let mut column = |scale: f64| (0..ROWS).map(|_| 5.0 + scale * random.signed_unit()).collect::<Vec<f64>>();
        let (x, y) = (column(2.0), column(2.0));
        let all = |value: f64| vec![value; ROWS];
        let columns = [("ox", x), ("oy", y), ("oz", all(0.0)), ("dx", all(0.0)), ("dy", all(0.0)), ("dz", all(1.0))];
        write_table(&folder, "table", &columns);
        if number % 2 == 0 {
            let text = String::from_utf8(folder.read("table.csv")).unwrap();
            let half = text.len() / 2 + text[text.len() / 2..].find('\n').unwrap();
            folder.file(&format!("rays/{number}.csv"), format!("{}\nbad{}", &text[..half], &text[half..]));
        } else {
            fs::rename(folder.path("table.parquet"), folder.path(&format!("rays/{number}.parquet"))).unwrap();
        }
    }
    folder
}

const LINE: &str = "cast ball.toml --rays rays --rows-per-file 3000 --on-error skip --keep ox --format csv";

fn start(folder: &Folder, line: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
    command.args(line.split_whitespace()).current_dir(folder.path("."));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// The content of all files in a folder and its folders, and when they were written.
fn files(folder: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let mut files = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else { return files };
    for entry in entries.map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            files.extend(self::files(&entry.path()).into_iter().map(|(inner, file)| (format!("{name}/{inner}"), file)));
        } else {
            // A file of a run that goes on may get its name in between.
            let (Ok(content), Ok(metadata)) = (fs::read(entry.path()), entry.metadata()) else { continue };
            files.insert(name, (content, metadata.modified().unwrap()));
        }
    }
    files
}

fn is_temporary(name: &str) -> bool {
    name.ends_with(".part")
}

#[test]
fn a_run_that_was_killed_at_any_moment_goes_on_to_the_same_files() {
    let folder = folder("killed");
    // The first run reads the program from disk, too.
    assert!(start(&folder, &format!("{LINE} -o first/")).wait().unwrap().success());
    let begin = Instant::now();
    assert!(start(&folder, &format!("{LINE} -o whole/")).wait().unwrap().success());
    let duration = begin.elapsed();
    let whole = files(&folder.path("whole"));
    assert_eq!(whole.len(), 1 + 6 * 7 + 3, "the manifest, the results, the bad rows: {:?}", whole.keys());
    let mut random = Lcg::new(11);
    let mut in_the_middle = 0;
    for kill in 0..KILLS {
        let moment = duration.mul_f64((random.signed_unit() + 1.0) / 2.0);
        let mut child = start(&folder, &format!("{LINE} -o hits/"));
        sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap();
        let before = files(&folder.path("hits"));
        let complete: Vec<_> = before.keys().filter(|name| !is_temporary(name) && !name.starts_with('_')).collect();
        in_the_middle += usize::from((1..6 * 7).contains(&complete.len()));
        for name in &complete {
            assert!(before[*name].0 == whole[*name].0, "kill {kill} at {moment:?}: {name} was not complete");
        }
        assert!(start(&folder, &format!("{LINE} -o hits/ --resume")).wait().unwrap().success(), "kill {kill}");
        let after = files(&folder.path("hits"));
        assert!(after.keys().eq(whole.keys()), "kill {kill} at {moment:?}: {:?}", after.keys());
        for (name, (content, _)) in &after {
            assert!(*content == whole[name].0, "kill {kill} at {moment:?}: {name} has another content");
        }
        for name in complete {
            assert_eq!(after[name].1, before[name].1, "kill {kill} at {moment:?}: {name} was computed again");
        }
        fs::remove_dir_all(folder.path("hits")).unwrap();
    }
    assert!(in_the_middle >= KILLS / 4, "{in_the_middle} of {KILLS} kills in a run of {duration:?}");
}

#[test]
fn a_temporary_file_of_a_manifest_goes_away_with_the_resumed_run() {
    let folder = folder("killed-early");
    fs::create_dir(folder.path("hits")).unwrap();
    folder.file("hits/._hitscan.json.123-0.part", "{");
    assert!(start(&folder, &format!("{LINE} -o hits/ --resume")).wait().unwrap().success());
    assert!(!files(&folder.path("hits")).keys().any(|name| is_temporary(name)));
}

#[test]
fn an_interrupt_leaves_no_temporary_file_and_a_folder_to_go_on_with() {
    let folder = folder("interrupted");
    let mut child = start(&folder, &format!("{LINE} -o hits/"));
    let begin = Instant::now();
    while files(&folder.path("hits")).keys().filter(|name| name.ends_with(".csv")).count() < 3 {
        assert!(begin.elapsed() < Duration::from_secs(30), "no results");
        sleep(Duration::from_millis(1));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let before = files(&folder.path("hits"));
    assert!(!before.keys().any(|name| is_temporary(name)), "{:?}", before.keys());
    assert!(start(&folder, &format!("{LINE} -o hits/ --resume")).wait().unwrap().success());
    assert!(start(&folder, &format!("{LINE} -o whole/")).wait().unwrap().success());
    let contents = |name: &str| -> Vec<(String, Vec<u8>)> {
        files(&folder.path(name)).into_iter().map(|(name, (content, _))| (name, content)).collect()
    };
    assert!(contents("hits") == contents("whole"));
}
