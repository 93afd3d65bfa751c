//! WebAssembly: the module of the ray lab with its page, and the package for npm with its modules.

use crate::context::Context;
use crate::release;
use crate::report::Report;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds a module with features of its package; returns its file. A library that other crates can use is not built with it: the
/// module would be larger by a tenth.
fn build(context: &Context, report: &mut Report, package: &str, features: &str) -> Option<PathBuf> {
    if !context.has_or_gets_target(TARGET) {
        report.skip("wasm", "the target wasm32-unknown-unknown cannot be installed");
        return None;
    }
    // SIMD, which every browser of today runs, no names of functions, and no folders of this machine in messages.
    let [root, registry] =
        [context.root(), &context.registry()].map(|at| format!("--remap-path-prefix={}=", at.display()));
    // Folders may have spaces in their names.
    let flags = ["-Ctarget-feature=+simd128", "-Clink-arg=--strip-all", &root, &registry].join("\x1f");
    // A folder apart from the other builds, whose flags differ.
    let folder = context.target_dir().join("wasm");
    let mut cargo =
        context.cargo(&["rustc", "--profile", "wasm", "--lib", "--crate-type", "cdylib", "--target", TARGET]);
    cargo.args(["-p", package, "--features", features]);
    let is_built = report.run(cargo.env("CARGO_ENCODED_RUSTFLAGS", flags).env("CARGO_TARGET_DIR", &folder));
    is_built.then(|| folder.join(TARGET).join("wasm").join(package.replace('-', "_")).with_extension("wasm"))
}

/// Installs the tools that build and test what is in a folder; returns whether they are there.
pub(crate) fn packages(context: &Context, report: &mut Report, folder: &str, part: &str) -> bool {
    if !context.works("node", &["--version"]) {
        report.skip(part, "there is no node (20 or later) on this machine");
        return false;
    }
    let is_there = || context.root().join(folder).join("node_modules/typescript").exists();
    let got = is_there() || context.works("npm", &["ci", "--no-audit", "--no-fund", "--prefix", folder]);
    if !got {
        report.skip(part, &format!("`npm ci` in {folder}/ does not install the tools that build it"));
    }
    got
}

/// Part `wasm`: the module, and the page with it, which the program embeds: so before the program is built.
pub(crate) fn wasm(context: &Context, report: &mut Report) {
    page(context, report, "wasm");
}

/// Part `npm`: the package for npm with its two modules, and its tests.
pub(crate) fn package(context: &Context, report: &mut Report) {
    if !packages(context, report, "npm", "npm") {
        return;
    }
    let mut scripts = npm(context, "npm");
    for (features, variable) in [("full", "HITSCAN_FULL"), ("", "HITSCAN_MESH")] {
        let Some(module) = build(context, report, "hitscan-npm", features) else { return };
        // The next build writes the same file.
        let own = module.with_file_name(variable);
        report.step(fs::copy(module, &own).map(drop).map_err(|error| format!("{variable}: {error}")));
        scripts.env(variable, own);
    }
    if report.run(npm(context, "npm").args(["run", "types"])) && report.run(scripts.args(["run", "build"])) {
        report.run(npm(context, "npm").arg("test"));
    }
}

/// The module gives the bits of the native library, under Node. The native program prints digests, which a script compares.
pub(crate) fn same_bits(context: &Context, report: &mut Report) {
    let Some(module) = build(context, report, "hitscan-wasm", "") else { return };
    if !packages(context, report, "lab", "same-bits-wasm") {
        return;
    }
    let digests = context.target_dir().join("wasm/digests.txt");
    let Some(native) = report.output(&mut Command::new(release::example(context, "digests"))) else { return };
    if report.step(fs::write(&digests, native).map_err(|error| format!("{}: {error}", digests.display()))) {
        let mut node = context.command("node");
        report.run(node.arg("lab/test/engine.mjs").arg(module).arg(&digests));
    }
}

/// Part `lab`: the page, in a real browser.
pub(crate) fn lab(context: &Context, report: &mut Report) {
    if !page(context, report, "lab") {
        return;
    }
    if !has_or_gets_chromium(context) {
        return report.skip("lab-browser", "there is no chromium, and `apt-get install chromium` does not get it");
    }
    // The numbers of the page are compared with those of the program, which is not to be built again for it.
    if release::build(context, report) {
        let mut test = npm(context, "lab");
        test.arg("test").env("HITSCAN", release::program(context, "hitscan"));
        let python = crate::python::interpreter_with_package(context);
        if python.is_none() {
            report.skip(
                "lab-python",
                "the part `python`, which runs before this one, has made no Python with the package",
            );
        }
        report.run(test.envs(python.map(|python| ("HITSCAN_PYTHON", python))));
    }
}

/// `cargo xtask lab`: the page, and the program with it.
pub(crate) fn program(context: &Context, report: &mut Report) {
    if page(context, report, "lab") {
        report.run(&mut context.cargo(&["build", "--release", "-p", "hitscan-cli"]));
    }
}

/// Builds the page with its module; returns whether it is there.
fn page(context: &Context, report: &mut Report, part: &str) -> bool {
    let Some(module) = build(context, report, "hitscan-wasm", "") else { return false };
    packages(context, report, "lab", part)
        && report.run(npm(context, "lab").args(["run", "types"]))
        && report.run(npm(context, "lab").args(["run", "build"]).env("HITSCAN_WASM", module))
}

fn npm(context: &Context, folder: &str) -> Command {
    let mut npm = context.command("npm");
    npm.args(["--silent", "--prefix", folder]);
    npm
}

pub(crate) fn has_or_gets_chromium(context: &Context) -> bool {
    let packages = &["chromium", "fonts-dejavu-core"];
    context.works("chromium-browser", &["--version"]) || context.has_or_gets_program("chromium", packages)
}
