//! `random TARGET SECONDS [SEED]`: random inputs for a target, without a fuzzer. Prints how many ran, and the first input
//! that breaks each law.

use hitscan_fuzz_laws::TARGETS;
use std::collections::BTreeMap;
use std::panic::{catch_unwind, set_hook};
use std::sync::Mutex;
use std::time::{Duration, Instant};

static PANIC_MESSAGE: Mutex<String> = Mutex::new(String::new());

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().expect("the name of a target");
    let (_, target) = TARGETS.into_iter().find(|(known, _)| *known == name).expect("a target");
    let seconds: u64 = arguments.next().and_then(|text| text.parse().ok()).expect("seconds");
    let mut state: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    set_hook(Box::new(|info| *PANIC_MESSAGE.lock().unwrap() = info.to_string()));
    // SplitMix64.
    let mut random = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let (start, mut inputs, mut broken) = (Instant::now(), 0u64, BTreeMap::<String, (u64, String)>::new());
    while start.elapsed() < Duration::from_secs(seconds) {
        let length = 16 + random() % 200;
        let bytes: Vec<u8> = (0..length).map(|_| random() as u8).collect();
        inputs += 1;
        if catch_unwind(|| target(&bytes)).is_err() {
            let message = PANIC_MESSAGE.lock().unwrap().clone();
            let law = message.lines().find(|line| line.starts_with("law broken")).unwrap_or(&message).to_owned();
            let kept = broken.entry(law).or_insert_with(|| (0, message));
            kept.0 += 1;
        }
    }
    println!("{name}: {inputs} random inputs in {seconds} s, {} laws broken", broken.len());
    for (law, (count, message)) in broken {
        println!("{count} times: {law}\n{message}");
    }
}
