//! Rays from standard input and hits to standard output, in a process of their own.

use hitscan_io::{Dimension, Format, HitBatch, HitLayout, HitSchema, HitWriter, Precision, RayReader};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const CHILD: &str = "HITSCAN_IO_TEST_CHILD";

fn child() {
    let schema = HitSchema {
        layout: HitLayout::Count,
        dimension: Dimension::Two,
        precision: Precision::F64,
        shapes: Vec::new(),
        instances: None,
    };
    let reader = match RayReader::open(Path::new("-"), Dimension::Two) {
        Ok(reader) => reader,
        Err(error) => return println!("error: {error}"),
    };
    assert_eq!(reader.progress(), None);
    let mut writer = HitWriter::create(None, Format::Csv, schema).unwrap();
    for batch in reader {
        match batch {
            Ok(batch) => {
                let ray = (batch.first_row..).take(batch.len()).collect();
                writer.write(&HitBatch::Count { ray, count: vec![2; batch.len()] }).unwrap();
            }
            Err(error) => return println!("error: {error}"),
        }
    }
    writer.finish().unwrap();
}

/// Output of a child process for `input`. The child is this test, which knows its role by the environment.
fn output_for(input: &str) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "streams::tables_flow_through_standard_streams", "--nocapture"]).env(CHILD, "1");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn tables_flow_through_standard_streams() {
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    for (input, output) in [
        ("ox,oy,dx,dy\n0,0,1,0\n0,1,1,0\n", "ray,count\n0,2\n1,2\n"),
        ("", "error: <stdin>: empty file\n"),
        ("ox,oy,dx,dy\n0,0,1,x\n", "error: <stdin>: row 0 (line 2), column 'dy': 'x' is not a number\n"),
    ] {
        let printed = output_for(input);
        assert!(printed.contains(output), "{printed}");
    }
}

#[test]
fn readers_and_writers_may_change_threads() {
    fn is_send<T: Send>() {}
    is_send::<RayReader>();
    is_send::<HitWriter>();
    is_send::<hitscan_io::Error>();
}
