//! The parts of `cargo xtask check`: cheap ones first, those that use a build after those that make it.

use crate::context::Context;
use crate::report::Report;
use crate::{release, tidy};
use std::fmt;

/// In which size of the check a part runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// In both: what each commit must prove.
    Small,
    /// In the full check alone: what seldom breaks alone.
    Full,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if *self == Self::Small { "small" } else { "full" })
    }
}

/// One part: its name on the command line, its size, what it does, why it is of this size, and how it runs.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) size: Size,
    pub(crate) what: &'static str,
    pub(crate) why: &'static str,
    pub(crate) run: fn(&Context, &mut Report),
}

/// Defines the parts, one a line.
macro_rules! parts {
    ($($name:literal $size:ident $run:path: $what:literal, $why:literal;)+) => {
        /// Every part, in the order in which they run.
        pub(crate) const PARTS: &[Part] =
            &[$(Part { name: $name, size: Size::$size, what: $what, why: $why, run: $run }),+];
    };
}

parts! {
    "fmt" Small fmt: "the layout of the code, by rustfmt", "it takes a second";
    "tidy" Small tidy_rules: "the rules of the repository that no compiler checks", "it takes a second";
    "cases" Small cases: "the cases in testdata/ against exact arithmetic", "every front end answers these cases";
    "features" Small features: "the library builds with every set of features", "a feature that is lost breaks users at once";
    "clippy" Small clippy: "no warnings, in any target", "warnings are errors";
    "docs" Small docs: "the documentation of the crates builds, no link is broken", "a renamed item breaks links";
    "publish" Small crate::publish::run: "the packages for the registries have the fields and files that these show", "a new field is easily left out";
    "test" Small test: "all tests, documentation examples included, with assertions", "they prove the answers";
    "downloads" Small crate::downloads::run: "what later parts get from registries, in the background since the start", "it waits for what is left";
    "wasm" Small crate::lab::wasm: "the module of the ray lab, and the page with it", "the program embeds the page";
    "program" Small crate::program::run: "the program as it is shipped: sizes, inlining, demo", "it is what people get";
    "same-bits" Small crate::same_bits::run: "the same bits from every build of this machine, WebAssembly included", "each instruction set has code of its own";
    "python" Small crate::python::run: "the wheel of the Python package, its tests and types", "it is what people get";
    "lab" Small crate::lab::lab: "the page of the ray lab, in a browser", "its numbers are those of the program";
    "npm" Small crate::lab::package: "the package for npm: sizes, types, and tests beside the native library and three.js", "it is what people get";
    "rounds" Full rounds: "the random tests with all their rounds", "`test` runs the first third of them";
    "packages" Full crate::publish::verify: "the packed crates compile", "`publish` looks at what is packed for each commit";
    "systems" Full systems: "everything compiles for macOS and Windows", "little code depends on the system";
    "no_std" Full no_std: "the library works without std, and compiles for a microcontroller", "`features` compiles it without std for each commit";
    "other-bits" Full crate::same_bits::elsewhere: "the same bits from aarch64, and from WebAssembly without SIMD", "they share their code with what `same-bits` runs";
    "python-all" Full crate::python::all: "notebooks, source distribution, other versions, older processors, trimesh's own tests", "they use what `python` tests";
    "site" Full crate::python::site: "the documentation as a site", "`tidy` checks the links of pages for each commit";
    "miri" Full miri: "unsafe code under Miri", "unsafe code is in few files, which seldom change";
    "fuzz" Full fuzz: "a minute of each fuzz target", "it looks for what no commit shows";
    "clean-tree" Small clean_tree: "the checks leave no files behind (where CI=true)", "it takes a second";
}

/// Sets of features of the library that must build, with the reason for each.
const FEATURE_SETS: &[(&[&str], &str)] = &[
    (&["--no-default-features", "--features", "libm"], "without std"),
    (&[], "as most people use it"),
    (&["--features", "std,libm,rayon,serde,mint,nalgebra,bytemuck"], "features only add: all of them, by name"),
];

/// The package that calls the library, without std.
const WITHOUT_STD: &[&str] = &["-p", "same-bits", "--no-default-features", "--features", "libm"];

/// Targets without std, the machine each stands for, and the command of cargo. Both have 32 bits and no library of C:
/// machine code is generated for one of them.
const TARGETS_WITHOUT_STD: &[(&str, &str, &str)] = &[
    ("thumbv7em-none-eabihf", "a microcontroller", "build"),
    ("wasm32v1-none", "a web page without glue code", "check"),
];

/// Debug code without debug information: to describe each inlined line of the kernels takes longer than to compile it.
const WITHOUT_DEBUG_INFORMATION: &str = "--config=profile.dev.debug=false";

fn fmt(context: &Context, report: &mut Report) {
    report.run(&mut context.cargo(&["fmt", "--all", "--check"]));
}

fn tidy_rules(context: &Context, report: &mut Report) {
    report.step(tidy::run(context.root()));
}

/// The verifier needs nothing but Python's own modules.
fn cases(context: &Context, report: &mut Report) {
    match context.python() {
        Some(python) => {
            let mut verify = context.command(python);
            report.run(verify.arg("testdata/verify.py").env("PYTHONDONTWRITEBYTECODE", "1"));
        }
        None => report.skip("cases", "there is no python3 (3.11 or later) on this machine"),
    }
}

fn features(context: &Context, report: &mut Report) {
    for (set, why) in FEATURE_SETS {
        println!("{why}:");
        report.run(context.cargo(&["check", "-p", "hitscan"]).args(*set));
    }
}

/// Systems that everything compiles for, too. Of Windows that of GNU: the other one has an archiver of its own options.
const OTHER_SYSTEMS: &[&str] = &["aarch64-apple-darwin", "x86_64-pc-windows-gnu"];

/// What users of other systems compile, in one command, so that cargo compiles for all systems at the same time.
fn systems(context: &Context, report: &mut Report) {
    if !context.works("true", &[]) {
        return report.skip("systems", "there is no program `true`");
    }
    let mut check =
        context.cargo(&["check", "-p", "hitscan", "-p", "hitscan-cli", "-p", "hitscan-py", "--all-features"]);
    // Else a dependency asks Apple's tools for it.
    check.env("SDKROOT", "/");
    let wanted = OTHER_SYSTEMS.iter().filter(|target| {
        let there = context.has_or_gets_target(target);
        if !there {
            report.skip(&format!("systems-{target}"), "`rustup target add` does not get it");
        }
        there
    });
    let targets: Vec<&&str> = wanted.collect();
    for target in &targets {
        // A program that does nothing as C compiler: a check links nothing, so that the C code of dependencies need not compile.
        let tools = ["CC", "CXX", "AR", "RANLIB"].map(|tool| (format!("{tool}_{}", target.replace('-', "_")), "true"));
        check.args(["--target", target]).envs(tools);
    }
    if !targets.is_empty() {
        report.run(&mut check);
    }
}

fn clippy(context: &Context, report: &mut Report) {
    report.run(&mut context.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]));
}

fn docs(context: &Context, report: &mut Report) {
    let mut command = context.cargo(&["doc", "--no-deps", "--workspace"]);
    report.run(command.env("RUSTDOCFLAGS", "-D warnings"));
}

fn no_std(context: &Context, report: &mut Report) {
    // One digest: compiling with optimisations takes four times as long, far longer than the test.
    let test = ["test", "--test", "no_std", "--config=profile.test.opt-level=0"];
    report.run(context.cargo(&test).args(WITHOUT_STD));
    for (target, what, command) in TARGETS_WITHOUT_STD {
        println!("{target}, {what}:");
        if context.has_or_gets_target(target) {
            let options = [command, WITHOUT_DEBUG_INFORMATION, "--lib", "--target", target];
            report.run(context.cargo(&options).args(WITHOUT_STD));
        } else {
            report.skip(&format!("no_std-{target}"), "`rustup target add` does not get it");
        }
    }
}

/// The unsafe code of the library, with the instructions that it is there for.
fn miri(context: &Context, report: &mut Report) {
    if cfg!(not(target_arch = "x86_64")) {
        return report.skip("miri", "the unsafe code is for x86-64");
    }
    let there = || context.works("rustup", &["run", "nightly", "cargo", "miri", "--version"]);
    let get = ["component", "add", "miri", "rust-src", "--toolchain", "nightly"];
    if !(there() || (context.works("rustup", &get) && there())) {
        return report.skip("miri", "`rustup component add miri rust-src --toolchain nightly` does not get it");
    }
    let mut command = context.command("rustup");
    command.args("run nightly cargo miri test -p hitscan --lib -- simd traverse::stack".split(' '));
    command.env("RUSTFLAGS", "-Ctarget-feature=+avx2,+bmi1,+fma");
    report.run(command.env("CARGO_TARGET_DIR", context.target_dir().join("miri")));
}

fn fuzz(context: &Context, report: &mut Report) {
    let there = || context.works("rustup", &["run", "nightly", "cargo", "fuzz", "--version"]);
    if !(there() || (context.works("cargo", &["install", "cargo-fuzz", "--locked"]) && there())) {
        return report.skip("fuzz", "there is no nightly toolchain, or `cargo install cargo-fuzz` does not get it");
    }
    let mut all = context.command("bash");
    report.run(all.args(["fuzz/run-all.sh", "60"]).env("CARGO_TARGET_DIR", context.target_dir().join("fuzz")));
}

fn test(context: &Context, report: &mut Report) {
    report.run(context.cargo(&["test", "--workspace", "--no-fail-fast"]).args(release::test_profile()));
}

fn rounds(context: &Context, report: &mut Report) {
    let mut test = context.cargo(&["test", "-p", "hitscan", "--test", "all"]);
    report.run(test.args(release::test_profile()).env("HITSCAN_ROUNDS", "all"));
}

fn clean_tree(context: &Context, report: &mut Report) {
    if !context.clean_tree_wanted() {
        return report.skip("clean-tree", "work in progress changes the tree; set CI=true to check it");
    }
    let (Some(before), Some(after)) = (context.status_before(), context.git_status()) else {
        return report.skip("clean-tree", "git does not work here");
    };
    for line in after.iter().filter(|line| !before.contains(line)) {
        report.step(Err(format!("the checks changed the tree: {line}")));
    }
    report.step(Ok(()));
}
