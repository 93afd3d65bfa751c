//! The same bits from every build, as `crates/same-bits/expected.txt` has them: a million casts per shape as release code on two
//! threads, and the first chunk of them on one thread, with AVX2 alone and without SIMD. The module of the ray lab (WebAssembly with
//! SIMD) gives the digests of the native library under Node. The part `test` compares code with assertions.
//!
//! The part `other-bits` compares the first chunk of aarch64 under QEMU and of WebAssembly without SIMD, as cargo builds it by
//! default; with `SAME_BITS=all` all of WebAssembly's, which takes minutes.

use crate::context::Context;
use crate::emulated::QEMU;
use crate::report::Report;
use crate::{lab, release};
use std::fs;
use std::process::Command;

const EXPECTED: &str = "crates/same-bits/expected.txt";
/// Of each subject, as in `crates/same-bits/src/subjects.rs`.
const CHUNKS: &str = "64";
const WASM: &str = "wasm32-unknown-unknown";
/// Its programs need no libraries of the emulated machine, and Rust's own linker links them.
const AARCH64: &str = "aarch64-unknown-linux-musl";

/// Which digests a build has computed.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    First,
    All,
}

pub(crate) fn run(context: &Context, report: &mut Report) {
    if !release::build(context, report) {
        return;
    }
    let program = release::program(context, "same-bits");
    let release = || Command::new(&program);
    compare("release, two threads", release().args([CHUNKS, "2"]), context, Extent::All, report);
    compare("release, one thread", release().args(["1", "1"]), context, Extent::First, report);
    for isa in ["avx2", "scalar"] {
        // The widest instructions of the machine are those of the runs above.
        let name = format!("release, HITSCAN_ISA={isa}");
        compare(&name, release().args(["1", "1"]).env("HITSCAN_ISA", isa), context, Extent::First, report);
    }
    lab::same_bits(context, report);
}

pub(crate) fn elsewhere(context: &Context, report: &mut Report) {
    aarch64(context, report);
    if !context.works("node", &["--version"]) {
        return report.skip("other-bits-wasm", "there is no node on this machine");
    }
    if !context.has_or_gets_target(WASM) {
        return report.skip("other-bits-wasm", "the target wasm32-unknown-unknown cannot be installed");
    }
    let package = ["-p", "same-bits", "--example", "same_bits_module", "--target", WASM];
    if report.run(context.cargo(&["build", "--release"]).args(package)) {
        let module = context.target_dir().join(WASM).join("release/examples/same_bits_module.wasm");
        let subjects = expected(context).lines().count().to_string();
        let all = std::env::var_os("SAME_BITS").is_some_and(|wish| wish == "all");
        let (chunks, extent) = if all { (CHUNKS, Extent::All) } else { ("1", Extent::First) };
        let mut node = context.command("node");
        node.arg("crates/same-bits/run.mjs").arg(module).args([chunks, &subjects]);
        compare("WebAssembly under Node", &mut node, context, extent, report);
    }
}

/// Compares the bits of NEON with those of this machine.
fn aarch64(context: &Context, report: &mut Report) {
    let name = "other-bits-aarch64";
    if !context.has_or_gets_program("qemu-aarch64", QEMU) {
        return report.skip(name, "there is no qemu-aarch64, and `apt-get install qemu-user` does not get it");
    }
    if !context.has_or_gets_target(AARCH64) {
        return report.skip(name, &format!("the target {AARCH64} cannot be installed"));
    }
    let mut build = context.cargo(&["build", "--release", "-p", "same-bits", "--target", AARCH64]);
    if report.run(build.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld")) {
        let mut qemu = context.command("qemu-aarch64");
        qemu.arg(context.target_dir().join(AARCH64).join("release/same-bits")).args(["1", "1"]);
        compare("aarch64 under QEMU", &mut qemu, context, Extent::First, report);
    }
}

/// The digests to expect: none if the file cannot be read, which no build has.
fn expected(context: &Context) -> String {
    fs::read_to_string(context.root().join(EXPECTED)).unwrap_or_default()
}

/// The two digests of each line: its last two words.
fn digests(text: &str) -> Vec<[&str; 2]> {
    text.lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace().rev();
            let all = words.next()?;
            Some([words.next()?, all])
        })
        .collect()
}

fn compare(build: &str, command: &mut Command, context: &Context, extent: Extent, report: &mut Report) {
    println!("{build}:");
    let Some(output) = report.output(command) else { return };
    let expected = expected(context);
    let (got, wanted) = (digests(&output), digests(&expected));
    let same = |a: &[&str; 2], b: &[&str; 2]| a[0] == b[0] && (extent == Extent::First || a[1] == b[1]);
    let lines = expected.lines().zip(&wanted).enumerate();
    let differ = lines.filter(|(i, (_, wanted))| !got.get(*i).is_some_and(|got| same(got, wanted)));
    let differ: Vec<&str> = differ.filter_map(|(_, (line, _))| line.split_whitespace().next()).collect();
    let well = differ.is_empty() && !wanted.is_empty() && got.len() == wanted.len();
    let what = || format!("same-bits, {build}: other bits than in {EXPECTED} for {}", differ.join(", "));
    report.step(if well { Ok(()) } else { Err(what()) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_the_last_two_words() {
        assert_eq!(digests("plane/circle/f32   0a 1b\n0c 1d\n"), [["0a", "1b"], ["0c", "1d"]]);
        assert!(digests("word\n").is_empty());
    }
}
