//! The release build that the parts `program`, `same-bits`, `python` and `lab` share: one cargo command, so that features are joined
//! and the libraries are compiled once.

use crate::context::Context;
use crate::report::Report;
use std::env::consts::EXE_SUFFIX;
use std::path::PathBuf;
use std::process::Command;

const PACKAGES: &[&str] = &["hitscan", "hitscan-cli", "hitscan-py", "hitscan-wasm", "same-bits"];
const PROGRAMS: &[&str] = &["hitscan", "same-bits"];
const EXAMPLES: &[&str] = &["digests", "one_sphere"];

/// The profile of the part `test`: the crates of the workspace with the assertions of debug code, at the lowest level of
/// optimisation. There a crate uses the generic code that its dependencies have compiled, where at level 3 it compiles that again:
/// all tests compile in two thirds of the time, and take a tenth more to run. Dependencies are compiled as for a release, once for
/// all parts.
pub(crate) fn test_profile() -> impl Iterator<Item = String> {
    let levels = TESTED.split(' ').map(|package| format!("package.{package}.opt-level=1"));
    let settings = ASSERTIONS.iter().map(|setting| (*setting).to_owned()).chain(levels);
    std::iter::once("--release".to_owned()).chain(settings.map(|setting| format!("--config=profile.release.{setting}")))
}

const ASSERTIONS: &[&str] = &[
    "debug-assertions=true",
    "overflow-checks=true",
    "package.\"*\".debug-assertions=false",
    "package.\"*\".overflow-checks=false",
];

/// The packages with tests.
const TESTED: &str =
    "hitscan hitscan-cli hitscan-io hitscan-npm hitscan-oracle hitscan-py hitscan-wasm same-bits test-support";

/// Builds the programs and examples, or finds them built; returns whether they are there.
pub(crate) fn build(context: &Context, report: &mut Report) -> bool {
    report.run(&mut command(context))
}

fn command(context: &Context) -> Command {
    let mut cargo = context.cargo(&["build", "--release"]);
    for (flag, names) in [("-p", PACKAGES), ("--bin", PROGRAMS), ("--example", EXAMPLES)] {
        cargo.args(names.iter().flat_map(|name| [flag, name]));
    }
    cargo
}

/// The file of the library in that build, which cargo names in its messages.
pub(crate) fn library(context: &Context, report: &mut Report) -> Option<String> {
    let messages = report.output(command(context).arg("--message-format=json"))?;
    let path = messages.split('"').find(|word| word.ends_with(".rlib") && word.contains("libhitscan-"));
    report.result(path.map(str::to_owned).ok_or_else(|| "cargo names no file of the library".to_owned()))
}

pub(crate) fn program(context: &Context, name: &str) -> PathBuf {
    context.target_dir().join("release").join(format!("{name}{EXE_SUFFIX}"))
}

pub(crate) fn example(context: &Context, name: &str) -> PathBuf {
    program(context, &format!("examples/{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A package that is not named is compiled at level 3, and all generic code with it again.
    #[test]
    fn the_profile_of_tests_names_every_package() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let read = |path: PathBuf| std::fs::read_to_string(path).unwrap();
        let manifest = read(root.join("Cargo.toml"));
        let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
        let folders: Vec<&str> = members.split('"').skip(1).step_by(2).filter(|folder| *folder != "xtask").collect();
        assert!(folders.contains(&"crates/hitscan") && folders.len() > 5, "{folders:?}");
        for folder in folders {
            let manifest = read(root.join(folder).join("Cargo.toml"));
            let name = manifest.split('"').nth(1).unwrap();
            assert!(TESTED.split(' ').any(|package| package == name), "{name}");
        }
    }
}
