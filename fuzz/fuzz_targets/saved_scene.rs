#![no_main]

#[path = "../../crates/hitscan-io/tests/support/heap.rs"]
mod heap;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let ((), most) = heap::peak(|| hitscan_fuzz_laws::saved_scene(bytes));
    hitscan_fuzz_laws::modest("saved_scene", bytes, most);
});
