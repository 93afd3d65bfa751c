//! The release build that the parts `same-bits`, `wasm`, `python`, `cli` and `figures` share: one cargo command, so that features
//! are joined and the libraries are compiled once.

use crate::context::{BuildSeconds, Context};
use crate::cpu::children_seconds;
use crate::report::{Report, line_of};
use std::env::consts::EXE_SUFFIX;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const PACKAGES: &[&str] = &["hitscan", "hitscan-cli", "hitscan-py", "hitscan-wasm", "same-bits"];
const PROGRAMS: &[&str] = &["hitscan", "same-bits"];
const EXAMPLES: &[&str] = &["digests", "one_sphere"];

/// The profile of the part `test`: the crates of the workspace with the assertions of debug code, at the lowest level of
/// optimisation. There a crate uses the generic code that its dependencies have compiled, where at level 3 it compiles that again:
/// all tests compile in two thirds of the time, and take a tenth more to run. Dependencies are compiled as for a release, once for
/// all parts.
pub(crate) const TEST_PROFILE: &[&str] = &[
    "--release",
    "--config=profile.release.debug-assertions=true",
    "--config=profile.release.overflow-checks=true",
    "--config=profile.release.package.\"*\".debug-assertions=false",
    "--config=profile.release.package.\"*\".overflow-checks=false",
    "--config=profile.release.package.hitscan.opt-level=1",
    "--config=profile.release.package.hitscan-cli.opt-level=1",
    "--config=profile.release.package.hitscan-io.opt-level=1",
    "--config=profile.release.package.hitscan-oracle.opt-level=1",
    "--config=profile.release.package.hitscan-py.opt-level=1",
    "--config=profile.release.package.hitscan-wasm.opt-level=1",
    "--config=profile.release.package.same-bits.opt-level=1",
    "--config=profile.release.package.test-support.opt-level=1",
];

/// Debug code without debug information: to describe each inlined line of the kernels takes longer than to compile it.
pub(crate) const WITHOUT_DEBUG_INFORMATION: &str = "--config=profile.dev.debug=false";

/// Builds the programs and examples, or finds them built; returns whether they are there.
pub(crate) fn build(context: &Context, report: &mut Report) -> bool {
    // The library first, then the program, with the same features: the context keeps their processor times.
    let start = children_seconds();
    let since_start = || children_seconds().zip(start).map(|(now, start)| now - start);
    let mut library = command(context);
    library.args(["--example", "one_sphere", "--message-format=json"]);
    println!("$ {}", line_of(&library));
    let output = match library.stderr(Stdio::inherit()).output() {
        Ok(output) if output.status.success() => output.stdout,
        Ok(output) => return report.step(Err(format!("{} ({})", line_of(&library), output.status))),
        Err(error) => return report.step(Err(format!("{}: {error}", line_of(&library)))),
    };
    let library = since_start();
    if !report.run(command(context).args(["--bin", "hitscan"])) {
        return false;
    }
    if is_compiled(&String::from_utf8_lossy(&output)) {
        let seconds = library.zip(since_start()).map(|(library, program)| BuildSeconds { library, program });
        context.note_build_seconds(seconds);
    }
    let mut all = command(context);
    for (flag, names) in [("--bin", PROGRAMS), ("--example", EXAMPLES)] {
        all.args(names.iter().flat_map(|name| [flag, name]));
    }
    report.run(&mut all)
}

fn command(context: &Context) -> Command {
    let mut cargo = context.cargo(&["build", "--release"]);
    cargo.args(PACKAGES.iter().flat_map(|name| ["-p", name]));
    cargo
}

/// Whether cargo's messages say that it compiled the library, not that it found it compiled.
fn is_compiled(messages: &str) -> bool {
    let library = |line: &&str| line.contains(r#""name":"hitscan","#) && line.contains(r#""kind":["lib"]"#);
    messages.lines().filter(library).any(|line| line.contains(r#""fresh":false"#))
}

pub(crate) fn program(context: &Context, name: &str) -> PathBuf {
    context.target_dir().join("release").join(format!("{name}{EXE_SUFFIX}"))
}

pub(crate) fn example(context: &Context, name: &str) -> PathBuf {
    context.target_dir().join("release/examples").join(format!("{name}{EXE_SUFFIX}"))
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
            let option = format!("--config=profile.release.package.{name}.opt-level=1");
            assert!(TEST_PROFILE.contains(&option.as_str()), "{option}");
        }
    }

    #[test]
    fn messages_say_whether_the_library_was_compiled() {
        let message = |name: &str, fresh: bool| {
            format!("{{\"target\":{{\"kind\":[\"lib\"],\"name\":\"{name}\",\"doc\":true}},\"fresh\":{fresh}}}\n")
        };
        assert!(is_compiled(&(message("glam", true) + &message("hitscan", false))));
        assert!(!is_compiled(&(message("glam", false) + &message("hitscan", true))));
    }
}
