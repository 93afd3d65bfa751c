#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hitscan_fuzz_laws::query3_f64(bytes));
