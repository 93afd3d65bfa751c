//! The parts of `cargo xtask check`: cheap ones first, those that use a build after those that make it.

use crate::context::Context;
use crate::report::Report;
use crate::{release, tidy};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// One part: its name on the command line, what it does, and how.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) run: fn(&Context, &mut Report),
}

/// The part that runs beside those after it: it takes one processor for minutes, and has a target folder of its own.
pub(crate) const BESIDE: &str = "miri";

/// Every part, in the order in which they run.
pub(crate) const PARTS: &[Part] = &[
    Part { name: "fmt", what: "the layout of the code, by rustfmt", run: fmt },
    Part { name: "tidy", what: "the rules of the repository that no compiler checks", run: tidy_rules },
    Part { name: "cases", what: "the cases in testdata/ against exact arithmetic", run: cases },
    Part { name: "features", what: "the library builds with every set of features", run: features },
    Part { name: "clippy", what: "no warnings, in any target", run: clippy },
    Part { name: "docs", what: "the documentation builds, no link is broken", run: docs },
    Part { name: "publish", what: "the packages for a registry, without an upload", run: crate::publish::run },
    Part { name: "no_std", what: "the library works without std", run: no_std },
    Part { name: "test", what: "all tests, documentation examples included", run: test },
    Part { name: "wasm", what: "the module of the ray lab, under Node, and the page", run: crate::lab::wasm },
    Part {
        name: "same-bits",
        what: "the same bits from every build, WebAssembly included",
        run: crate::same_bits::run,
    },
    Part { name: "miri", what: "unsafe code under Miri", run: miri },
    Part { name: "python", what: "the wheel of the Python package, its tests and types", run: crate::python::run },
    Part { name: "lab", what: "the page of the ray lab, in a browser", run: crate::lab::lab },
    Part { name: "cli", what: "the program as it is shipped: its demo", run: cli },
    Part {
        name: "figures",
        what: "sizes of programs, words of the documentation, with limits",
        run: crate::figures::run,
    },
    Part { name: "clean-tree", what: "the checks leave no files behind (where CI=true)", run: clean_tree },
];

/// Sets of features of the library that must build, with the reason for each.
const FEATURE_SETS: &[(&[&str], &str)] = &[
    (&["--no-default-features", "--features", "libm"], "without std"),
    (&[], "as most people use it"),
    (&["--all-features"], "features only add, so all of them go together"),
];

/// The package that calls the library, without std.
const WITHOUT_STD: &[&str] = &["-p", "same-bits", "--no-default-features", "--features", "libm"];

/// Targets without std, the machine each stands for, and the command of cargo. Both have 32 bits and no library of C:
/// machine code is generated for one of them.
const TARGETS_WITHOUT_STD: &[(&str, &str, &str)] = &[
    ("thumbv7em-none-eabihf", "a microcontroller", "build"),
    ("wasm32v1-none", "a web page without glue code", "check"),
];

fn fmt(context: &Context, report: &mut Report) {
    report.run(&mut context.cargo(&["fmt", "--all", "--check"]));
}

fn tidy_rules(context: &Context, report: &mut Report) {
    report.step(tidy::run(context.root()));
}

fn cases(context: &Context, report: &mut Report) {
    let verifier = context.root().join("testdata/verify.py");
    let Ok(script) = fs::read_to_string(&verifier) else {
        return report.skip("cases", "there is no testdata/verify.py");
    };
    let Some(python) = context.python() else {
        return report.skip("cases", "there is no python3 (3.11 or later) on this machine");
    };
    let mut python = PathBuf::from(python);
    let imports_mpmath = script.lines().any(|line| line.contains("import mpmath") || line.contains("from mpmath"));
    if imports_mpmath && !context.works(&python.to_string_lossy(), &["-c", "import mpmath"]) {
        let venv = context.target_dir().join("xtask-venv");
        let inside = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        if !context.works(&inside.to_string_lossy(), &["-c", "import mpmath"]) {
            let made = report.run(context.command(&python.to_string_lossy()).args(["-m", "venv"]).arg(&venv));
            let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "mpmath"];
            if !made || !report.run(context.command(&inside.to_string_lossy()).args(pip)) {
                return;
            }
        }
        python = inside;
    }
    let mut command = context.command(&python.to_string_lossy());
    report.run(command.arg("testdata/verify.py").env("PYTHONDONTWRITEBYTECODE", "1"));
}

/// Systems that everything compiles for, too. Of Windows that of GNU: the other one has an archiver of its own options.
const OTHER_SYSTEMS: &[&str] = &["aarch64-apple-darwin", "x86_64-pc-windows-gnu"];

/// What users of other systems compile.
const PRODUCTS: &[&str] = &["-p", "hitscan", "-p", "hitscan-cli", "-p", "hitscan-py", "--all-features"];

fn features(context: &Context, report: &mut Report) {
    for (set, why) in FEATURE_SETS {
        println!("{why}:");
        report.run(context.cargo(&["check", "-p", "hitscan"]).args(*set));
    }
    // In one command cargo compiles for all systems at the same time.
    let mut check = context.cargo(&["check"]);
    check.args(PRODUCTS);
    let mut systems = 0;
    for target in OTHER_SYSTEMS {
        if context.has_or_gets_target(target) && context.works("true", &[]) {
            without_c(check.args(["--target", target]), target);
            systems += 1;
        } else {
            let why = format!("there is no `true`, or `rustup target add {target}` does not get the target");
            report.skip("features-target", &why);
        }
    }
    if systems > 0 {
        println!("other systems, the library, the program and the Python package:");
        report.run(&mut check);
    }
}

/// Sets a program that does nothing as C compiler: a check links nothing, so that the C code of dependencies need not compile.
fn without_c(command: &mut Command, target: &str) {
    let target = target.replace('-', "_");
    let tools = ["CC", "CXX", "AR", "RANLIB"].map(|tool| (format!("{tool}_{target}"), "true"));
    // Else a dependency asks Apple's tools for it.
    command.envs(tools).env("SDKROOT", "/");
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
            let options = [command, release::WITHOUT_DEBUG_INFORMATION, "--lib", "--target", target];
            report.run(context.cargo(&options).args(WITHOUT_STD));
        } else {
            let why = format!("{target} is not installed and `rustup target add {target}` does not get it");
            report.skip("no_std-target", &why);
        }
    }
}

/// The unsafe code of the library, with the instructions that it is there for.
fn miri(context: &Context, report: &mut Report) {
    let version = ["run", "nightly", "cargo", "miri", "--version"];
    let get = ["component", "add", "miri", "rust-src", "--toolchain", "nightly"];
    if cfg!(not(target_arch = "x86_64")) {
        return report.skip("miri", "the unsafe code is for x86-64");
    }
    let there = || context.works("rustup", &version);
    if !(there() || (context.works("rustup", &get) && there())) {
        return report.skip("miri", "`rustup component add miri rust-src --toolchain nightly` does not get it");
    }
    let mut command = context.command("rustup");
    command.args([
        "run",
        "nightly",
        "cargo",
        "miri",
        "test",
        "-p",
        "hitscan",
        "--lib",
        "--",
        "simd",
        "traverse::stack",
    ]);
    command.env("RUSTFLAGS", "-Ctarget-feature=+avx2,+bmi1,+fma");
    report.run(command.env("CARGO_TARGET_DIR", context.target_dir().join("miri")));
}

fn test(context: &Context, report: &mut Report) {
    report.run(context.cargo(&["test", "--workspace", "--no-fail-fast"]).args(release::TEST_PROFILE));
}

/// The program as it is shipped. Its tests from end to end run in the part `test`, with assertions.
fn cli(context: &Context, report: &mut Report) {
    if !context.root().join("crates/hitscan-cli/tests/end_to_end.rs").exists() {
        report.step(Err("crates/hitscan-cli/tests/end_to_end.rs is missing: the program has no test".to_owned()));
    }
    if !release::build(context, report) {
        return;
    }
    let folder = context.target_dir().join("xtask-demo");
    let picture = folder.join("demo.png");
    let _ = fs::remove_dir_all(&folder); // it need not exist
    report.step(fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display())));
    let mut program = Command::new(release::program(context, "hitscan"));
    if report.run(program.current_dir(context.root()).args(["demo", "-o"]).arg(&picture)) {
        report.step(match fs::read(&picture) {
            Ok(bytes) if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => Ok(()),
            Ok(bytes) => Err(format!("`hitscan demo` wrote {} bytes that are no PNG picture", bytes.len())),
            Err(error) => Err(format!("`hitscan demo` wrote no picture: {error}")),
        });
    }
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
