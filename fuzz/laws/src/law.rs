//! Report of a broken law, with a way to skip known failures.

use std::sync::OnceLock;

/// Panics if a law does not hold, unless `HITSCAN_FUZZ_SKIP` (a list with commas) names it: the fuzzer can then search
/// for other failures before a known one is repaired.
#[track_caller]
pub(crate) fn law(holds: bool, name: &str, case: impl FnOnce() -> String) {
    if !holds && !skipped(name) {
        panic!("law broken: {name}\n{}", case());
    }
}

fn skipped(name: &str) -> bool {
    static SKIPPED: OnceLock<Vec<String>> = OnceLock::new();
    let list = SKIPPED.get_or_init(|| {
        let names = std::env::var("HITSCAN_FUZZ_SKIP").unwrap_or_default();
        names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    });
    list.iter().any(|skip| name.starts_with(skip.as_str()))
}
