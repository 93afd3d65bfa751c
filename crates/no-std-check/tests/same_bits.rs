//! One number made of every bit of every answer: the same without std and with it, and on every machine.
//!
//! `cargo test -p no-std-check` builds the library with `libm` alone. Among all tests of the workspace, features are
//! joined and it has std: the same number must come out.

/// Changes when a kernel rounds differently, which is allowed within its accuracy; then put the new number here, once
/// both builds agree on it.
const EXPECTED: u64 = 0xbc49_6621_176a_c56e;

#[test]
fn answers_have_the_same_bits() {
    let digest = no_std_check::digest();
    assert_eq!(digest, EXPECTED, "{digest:#018x} instead of {EXPECTED:#018x}");
}
