#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hitscan_fuzz_laws::overlaps(bytes));
