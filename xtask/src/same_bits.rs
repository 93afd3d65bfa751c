//! The same bits from every build: a million casts per shape as release code on two threads; the first chunk of them on
//! one thread, with AVX2 alone, without SIMD, for aarch64 under QEMU, and as WebAssembly under Node (with
//! `SAME_BITS=all` all of it, which takes minutes). All are compared with `crates/same-bits/expected.txt`. This WebAssembly has no
//! SIMD, as cargo builds it by default; the part `wasm` compares a module with SIMD. The part `test` compares code with assertions.

use crate::context::Context;
use crate::emulated::QEMU;
use crate::release;
use crate::report::Report;
use std::fs;
use std::process::Command;

const EXPECTED: &str = "crates/same-bits/expected.txt";
/// Of each subject, as in `crates/same-bits/src/subjects.rs`.
const CHUNKS: &str = "64";
const WASM: &str = "wasm32-unknown-unknown";
/// Its programs need no libraries of the emulated machine, and Rust's own linker links them.
const AARCH64: &str = "aarch64-unknown-linux-musl";

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

pub(crate) fn run(context: &Context, report: &mut Report) {
    let expected = match fs::read_to_string(context.root().join(EXPECTED)) {
        Ok(text) => text,
        Err(error) => {
            report.step(Err(format!("{EXPECTED}: {error}")));
            return;
        }
    };
    if !release::build(context, report) {
        return;
    }
    let program = release::program(context, "same-bits");
    let release = || Command::new(&program);
    compare("release, two threads", release().args([CHUNKS, "2"]), &expected, Extent::All, report);
    compare("release, one thread", release().args(["1", "1"]), &expected, Extent::First, report);
    for isa in ["avx2", "scalar"] {
        // The widest instructions of the machine are those of the runs above.
        let name = format!("release, HITSCAN_ISA={isa}");
        compare(&name, release().args(["1", "1"]).env("HITSCAN_ISA", isa), &expected, Extent::First, report);
    }
    aarch64(context, report, &expected);
    if !context.works("node", &["--version"]) {
        return report.skip("same-bits-wasm", "there is no node on this machine");
    }
    if !context.has_or_gets_target(WASM) {
        return report.skip("same-bits-wasm", "the target wasm32-unknown-unknown cannot be installed");
    }
    if report.run(&mut context.cargo(&[
        "build",
        "--release",
        "-p",
        "same-bits",
        "--example",
        "same_bits_module",
        "--target",
        WASM,
    ])) {
        let module = context.target_dir().join(WASM).join("release/examples/same_bits_module.wasm");
        let subjects = digests(&expected).len().to_string();
        let all = std::env::var_os("SAME_BITS").is_some_and(|wish| wish == "all");
        let (chunks, extent) = if all { (CHUNKS, Extent::All) } else { ("1", Extent::First) };
        let mut node = context.command("node");
        node.arg("crates/same-bits/run.mjs").arg(module).args([chunks, &subjects]);
        compare("WebAssembly under Node", &mut node, &expected, extent, report);
    }
}

/// Compares the bits of NEON with those of this machine.
fn aarch64(context: &Context, report: &mut Report, expected: &str) {
    let name = "same-bits-aarch64";
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
        compare("aarch64 under QEMU", &mut qemu, expected, Extent::First, report);
    }
}

/// Which digests a build has computed.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    First,
    All,
}

fn compare(build: &str, command: &mut Command, expected: &str, extent: Extent, report: &mut Report) {
    println!("{build}:");
    let output = match command.output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            report.step(Err(format!("same-bits, {build}: {}, {}", output.status, errors.trim_end())));
            return;
        }
        Err(error) => {
            report.step(Err(format!("same-bits, {build}: {error}")));
            return;
        }
    };
    let (got, wanted) = (digests(&output), digests(expected));
    let same = |a: &[&str; 2], b: &[&str; 2]| a[0] == b[0] && (extent == Extent::First || a[1] == b[1]);
    let differ: Vec<&str> = expected
        .lines()
        .zip(wanted.iter().enumerate())
        .filter(|(_, (i, wanted))| !got.get(*i).is_some_and(|got| same(got, wanted)))
        .map(|(line, _)| line.split_whitespace().next().unwrap_or(line))
        .collect();
    report.step(if differ.is_empty() && !wanted.is_empty() && got.len() == wanted.len() {
        Ok(())
    } else {
        Err(format!("same-bits, {build}: other bits than in {EXPECTED} for {}", differ.join(", ")))
    });
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
