//! The parts of `cargo xtask check`, from cheap to dear.

use crate::report::Report;
use crate::tidy;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs};

/// One part: its name on the command line, what it does, and how.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) run: fn(&Context, &mut Report),
}

/// Every part, in the order in which they run.
pub(crate) const PARTS: &[Part] = &[
    Part { name: "fmt", what: "the layout of the code, by rustfmt", run: fmt },
    Part { name: "tidy", what: "the repository's own rules (STYLE.md)", run: tidy_rules },
    Part { name: "cases", what: "the cases in testdata/ against exact arithmetic", run: cases },
    Part { name: "features", what: "the library builds with every set of features", run: features },
    Part { name: "clippy", what: "no warnings, in any target", run: clippy },
    Part { name: "docs", what: "the documentation builds, no link is broken", run: docs },
    Part { name: "no_std", what: "the library works without std", run: no_std },
    Part { name: "miri", what: "unsafe code under Miri", run: miri },
    Part { name: "test", what: "all tests, documentation examples included", run: test },
    Part {
        name: "same-bits",
        what: "the same bits from every build, WebAssembly included",
        run: crate::same_bits::run,
    },
    Part { name: "wasm", what: "the module of the ray lab, under Node", run: crate::lab::wasm },
    Part { name: "lab", what: "the page of the ray lab, in a browser", run: crate::lab::lab },
    Part { name: "cli", what: "the program, from end to end", run: cli },
    Part { name: "clean-tree", what: "the checks leave no files behind (where CI=true)", run: clean_tree },
];

/// Sets of features of the library that must build, with the reason for each.
const FEATURE_SETS: &[(&[&str], &str)] = &[
    (&["--no-default-features", "--features", "libm"], "without std"),
    (&[], "as most people use it"),
    (&["--all-features"], "features only add, so all of them go together"),
];

/// Targets that have no std to lean on by mistake, with what each stands for.
const TARGETS_WITHOUT_STD: &[(&str, &str)] =
    &[("thumbv7em-none-eabihf", "a microcontroller"), ("wasm32v1-none", "a web page without glue")];

/// What every part needs to know.
pub(crate) struct Context {
    root: PathBuf,
    /// Asked for on the command line, by name.
    clean_tree_wanted: bool,
    /// `git status` before the first part; `None` where there is no git.
    status_before: Option<Vec<String>>,
}

impl Context {
    pub(crate) fn new(names: &[&str]) -> Self {
        let here = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let mut root = PathBuf::from(here);
        root.pop();
        let clean_tree_wanted = names.contains(&"clean-tree") || env::var_os("CI").is_some_and(|ci| ci == "true");
        let mut context = Self { root, clean_tree_wanted, status_before: None };
        context.status_before = context.git_status();
        context
    }

    pub(crate) fn root(&self) -> &std::path::Path {
        &self.root
    }

    /// Whether a compilation target is there, or can be got.
    pub(crate) fn has_or_gets_target(&self, target: &str) -> bool {
        has_target(self, target) || add_target(self, target)
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// The cargo that runs this tool, so that all parts use one toolchain.
    pub(crate) fn cargo(&self, args: &[&str]) -> Command {
        let mut command = self.command(&env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
        command.args(args);
        command
    }

    pub(crate) fn target_dir(&self) -> PathBuf {
        self.root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
    }

    /// Whether a command can be run and ends well; its output is thrown away.
    pub(crate) fn works(&self, program: &str, args: &[&str]) -> bool {
        let status = self.command(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    fn git_status(&self) -> Option<Vec<String>> {
        let output = self.command("git").args(["status", "--porcelain", "--untracked-files=all"]).output().ok()?;
        let lines = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
        output.status.success().then_some(lines)
    }
}

fn fmt(context: &Context, report: &mut Report) {
    report.run(&mut context.cargo(&["fmt", "--all", "--check"]));
}

fn tidy_rules(context: &Context, report: &mut Report) {
    report.step(tidy::run(&context.root));
}

fn cases(context: &Context, report: &mut Report) {
    let verifier = context.root.join("testdata/verify.py");
    let Ok(script) = fs::read_to_string(&verifier) else {
        return report.skip("cases", "there is no testdata/verify.py");
    };
    let Some(python) = ["python3", "python"].into_iter().find(|p| context.works(p, &["-c", "import tomllib"])) else {
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

fn features(context: &Context, report: &mut Report) {
    for (set, why) in FEATURE_SETS {
        println!("{why}:");
        report.run(context.cargo(&["check", "-p", "hitscan"]).args(*set));
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
    report.run(&mut context.cargo(&["build", "-p", "no-std-check"]));
    report.run(&mut context.cargo(&["test", "-p", "no-std-check"]));
    for (target, what) in TARGETS_WITHOUT_STD {
        println!("{target}, {what}:");
        if context.has_or_gets_target(target) {
            report.run(&mut context.cargo(&["build", "-p", "no-std-check", "--target", target]));
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
    command.args(["run", "nightly", "cargo", "miri", "test", "-p", "hitscan", "--lib", "simd"]);
    command.env("RUSTFLAGS", "-Ctarget-feature=+avx2,+bmi1,+fma");
    report.run(command.env("CARGO_TARGET_DIR", context.target_dir().join("miri")));
}

/// Whether `core` is there for the target.
fn has_target(context: &Context, target: &str) -> bool {
    let output = context.command("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let folder =
        output.ok().filter(|o| o.status.success()).map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    let files = folder.and_then(|folder| fs::read_dir(folder).ok());
    files.is_some_and(|files| files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libcore")))
}

fn add_target(context: &Context, target: &str) -> bool {
    println!("$ rustup target add {target}");
    let status = context.command("rustup").args(["target", "add", target]).status();
    status.is_ok_and(|status| status.success()) && has_target(context, target)
}

fn test(context: &Context, report: &mut Report) {
    report.run(&mut context.cargo(&["test", "--workspace", "--no-fail-fast"]));
}

fn cli(context: &Context, report: &mut Report) {
    if !report.run(&mut context.cargo(&["build", "--release", "-p", "hitscan-cli"])) {
        return;
    }
    if context.root.join("crates/hitscan-cli/tests/end_to_end.rs").exists() {
        report.run(&mut context.cargo(&["test", "--release", "-p", "hitscan-cli", "--test", "end_to_end"]));
    } else {
        report.step(Err("crates/hitscan-cli/tests/end_to_end.rs is missing: the program has no test".to_owned()));
    }
    let folder = context.target_dir().join("xtask-demo");
    let picture = folder.join("demo.png");
    let _ = fs::remove_dir_all(&folder); // it need not exist
    report.step(fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display())));
    let run = ["run", "--quiet", "--release", "-p", "hitscan-cli", "--bin", "hitscan", "--", "demo", "-o"];
    if report.run(context.cargo(&run).arg(&picture)) {
        report.step(match fs::read(&picture) {
            Ok(bytes) if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => Ok(()),
            Ok(bytes) => Err(format!("`hitscan demo` wrote {} bytes that are no PNG picture", bytes.len())),
            Err(error) => Err(format!("`hitscan demo` wrote no picture: {error}")),
        });
    }
}

fn clean_tree(context: &Context, report: &mut Report) {
    if !context.clean_tree_wanted {
        return report.skip("clean-tree", "work in progress changes the tree; set CI=true to check it");
    }
    let (Some(before), Some(after)) = (&context.status_before, context.git_status()) else {
        return report.skip("clean-tree", "git does not work here");
    };
    for line in after.iter().filter(|line| !before.contains(line)) {
        report.step(Err(format!("the checks changed the tree: {line}")));
    }
    report.step(Ok(()));
}
