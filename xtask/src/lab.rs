//! The ray lab: the module for the web page, then the page with it.

use crate::context::Context;
use crate::release;
use crate::report::Report;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// Compiler flags of the module: SIMD, which every browser of today runs, no names of functions, and no folders of this machine in
/// messages.
fn flags(context: &Context) -> Vec<String> {
    let roots = [context.root().to_owned(), context.registry()];
    let hidden = roots.into_iter().map(|root| format!("--remap-path-prefix={}=", root.display()));
    ["-Ctarget-feature=+simd128", "-Clink-arg=--strip-all"].map(str::to_owned).into_iter().chain(hidden).collect()
}

/// A folder apart from the other builds, whose flags differ.
fn target_dir(context: &Context) -> PathBuf {
    context.target_dir().join("wasm")
}

fn module(context: &Context) -> PathBuf {
    target_dir(context).join(TARGET).join("wasm/hitscan_wasm.wasm")
}

/// Builds the module; returns whether it is there.
fn build(context: &Context, report: &mut Report) -> bool {
    if !context.has_or_gets_target(TARGET) {
        report.skip("wasm", "the target wasm32-unknown-unknown cannot be installed");
        return false;
    }
    let mut cargo = context.cargo(&["build", "--profile", "wasm", "--lib", "--target", TARGET, "-p", "hitscan-wasm"]);
    // Folders may have spaces in their names.
    let flags = flags(context).join("\x1f");
    report.run(cargo.env("CARGO_ENCODED_RUSTFLAGS", flags).env("CARGO_TARGET_DIR", target_dir(context)))
}

/// Installs the tools that build and test the page; returns whether they are there.
pub(crate) fn packages(context: &Context, report: &mut Report, part: &str) -> bool {
    if !context.works("node", &["--version"]) {
        report.skip(part, "there is no node (20 or later) on this machine");
        return false;
    }
    if context.root().join("lab/node_modules/esbuild").exists() {
        return true;
    }
    let got =
        context.command("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(context.root().join("lab")).status();
    let got = got.is_ok_and(|status| status.success());
    if !got {
        report.skip(part, "`npm ci` in lab/ does not install the tools that build the page");
    }
    got
}

/// Part `wasm`: the module, and the page with it, which the program embeds: so before the program is built.
pub(crate) fn wasm(context: &Context, report: &mut Report) {
    if build(context, report) && packages(context, report, "wasm") {
        page(context, report);
    }
}

/// The module gives the bits of the native library, under Node. The native program prints digests, which a script compares.
pub(crate) fn same_bits(context: &Context, report: &mut Report) {
    if !build(context, report) || !packages(context, report, "same-bits-wasm") {
        return;
    }
    let digests = target_dir(context).join("digests.txt");
    let Some(native) = report.output(&mut Command::new(release::example(context, "digests"))) else { return };
    if report.step(fs::write(&digests, native).map_err(|error| format!("{}: {error}", digests.display()))) {
        let mut node = context.command("node");
        report.run(node.arg("lab/test/engine.mjs").arg(module(context)).arg(&digests));
    }
}

/// Part `lab`: the page, in a real browser.
pub(crate) fn lab(context: &Context, report: &mut Report) {
    if !(build(context, report) && packages(context, report, "lab") && page(context, report)) {
        return;
    }
    if !has_or_gets_chromium(context) {
        return report.skip("lab-browser", "there is no chromium, and `apt-get install chromium` does not get it");
    }
    // The numbers of the page are compared with those of the program, which is not to be built again for it.
    if release::build(context, report) {
        let mut test = npm(context);
        test.arg("test").env("HITSCAN", release::program(context, "hitscan"));
        match crate::python::interpreter_with_package(context) {
            Some(python) => test.env("HITSCAN_PYTHON", python),
            None => {
                report.skip(
                    "lab-python",
                    "the part `python` has made no Python with the package: it runs before this one",
                );
                &mut test
            }
        };
        report.run(&mut test);
    }
}

/// `cargo xtask lab`: the page, and the program with it.
pub(crate) fn program(context: &Context, report: &mut Report) {
    if build(context, report) && packages(context, report, "lab") && page(context, report) {
        report.run(&mut context.cargo(&["build", "--release", "-p", "hitscan-cli"]));
    }
}

fn page(context: &Context, report: &mut Report) -> bool {
    report.run(npm(context).args(["run", "types"]))
        && report.run(npm(context).args(["run", "build"]).env("HITSCAN_WASM", module(context)))
}

fn npm(context: &Context) -> Command {
    let mut npm = context.command("npm");
    npm.args(["--silent", "--prefix", "lab"]);
    npm
}

pub(crate) fn has_or_gets_chromium(context: &Context) -> bool {
    let packages = &["chromium", "fonts-dejavu-core"];
    context.works("chromium-browser", &["--version"]) || context.has_or_gets_program("chromium", packages)
}
