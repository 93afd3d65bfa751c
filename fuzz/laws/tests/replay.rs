//! Replay of every seed and every kept case, on stable and without a fuzzer.

#[path = "../../../crates/hitscan-io/tests/support/heap.rs"]
mod heap;

use hitscan_fuzz_laws::{TARGETS, modest};
use std::panic::catch_unwind;
use std::path::Path;

/// One case at a time: the allocator counts for all threads.
#[test]
fn seeds_and_cases_keep_the_laws() {
    let (mut files, mut broken) = (0, Vec::new());
    for folder in ["seeds", "cases"] {
        for (name, target) in TARGETS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join(name);
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            paths.sort();
            for path in paths {
                let bytes = std::fs::read(&path).unwrap();
                files += 1;
                let replayed = catch_unwind(|| {
                    let ((), most) = heap::peak(|| target(&bytes));
                    modest(name, &bytes, most);
                });
                if replayed.is_err() {
                    broken.push(format!("{name}/{}", path.file_name().unwrap().display()));
                }
            }
        }
    }
    println!("{files} files replayed");
    assert!(files > 0 && broken.is_empty(), "{} of {files} break a law: {broken:#?}", broken.len());
}
