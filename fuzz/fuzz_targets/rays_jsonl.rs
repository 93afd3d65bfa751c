#![no_main]

#[path = "../../crates/hitscan-io/tests/support/heap.rs"]
mod heap;

libfuzzer_sys::fuzz_target!(
    init: hitscan_fuzz_laws::let_panics_be_caught(),
    |bytes: &[u8]| {
        let ((), most) = heap::peak(|| hitscan_fuzz_laws::rays_jsonl(bytes));
        hitscan_fuzz_laws::modest("rays_jsonl", bytes, most);
    }
);
