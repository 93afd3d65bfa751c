//! `replay TARGET FILE...`: the broken law of each file, one line per file, and a summary by law.

use hitscan_fuzz_laws::TARGETS;
use std::collections::BTreeMap;
use std::panic::{catch_unwind, set_hook};
use std::sync::Mutex;

static PANIC_MESSAGE: Mutex<String> = Mutex::new(String::new());

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().expect("the name of a target");
    let (_, target) = TARGETS.into_iter().find(|(known, _)| *known == name).expect("a target");
    let in_full = std::env::var("HITSCAN_SHOW").is_ok();
    set_hook(Box::new(|info| *PANIC_MESSAGE.lock().unwrap() = info.to_string()));
    let mut laws: BTreeMap<String, usize> = BTreeMap::new();
    for path in arguments {
        let bytes = std::fs::read(&path).expect("a file");
        let verdict = match catch_unwind(|| target(&bytes)) {
            Ok(()) => "fine".to_owned(),
            Err(_) => PANIC_MESSAGE.lock().unwrap().clone(),
        };
        let law = verdict.lines().find(|line| !line.starts_with("thread") && !line.starts_with("panicked at"));
        let law = law.unwrap_or(&verdict).to_owned();
        println!("{path} ({} bytes): {}", bytes.len(), if in_full { &verdict } else { &law });
        *laws.entry(law).or_default() += 1;
    }
    laws.iter().for_each(|(law, count)| println!("{count:>6} x {law}"));
}
