//! One digest of every bit of every answer: the same without std and with it, and on every machine.
//!
//! `cargo test -p same-bits --no-default-features --features libm` builds the library with `libm` alone. Among all tests of
//! the workspace it has std: the digest must be the same.

/// Changes when a kernel rounds differently, which its accuracy allows. Then put the new digest here, once both builds
/// agree on it.
const EXPECTED: u64 = 0x4379_a03a_49b6_304d;

#[test]
fn answers_have_the_same_bits() {
    let digest = same_bits::every_query();
    assert_eq!(digest, EXPECTED, "{digest:#018x} instead of {EXPECTED:#018x}");
}
