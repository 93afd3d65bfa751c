//! `cargo xtask wheel`: the wheels and the source distribution of the Python package, in `target/wheels`.
//!
//! maturin packs them. Linux wheels are linked by zig against an old glibc, so that they run on old systems; the code is that
//! of the release build, which the parts `cli` and `python` share.

use crate::context::Context;
use crate::program::figure;
use crate::report::{Report, announce};
use crate::smoke_test::SMOKE_TEST;
use crate::venv::{self, Venv};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::{env, fs};

/// The tools that build wheels and look at them.
const TOOLS: &str = "maturin>=1.16,<2\nauditwheel>=6.6,<7\nziglang>=0.15,<0.18\npatchelf>=0.17,<1\n";

/// The most bytes of a wheel.
const WHEEL_LIMIT: u64 = 9_500_000;

pub(crate) const MANIFEST: &str = "crates/hitscan-py/Cargo.toml";

/// A platform with a wheel.
pub(crate) struct Platform {
    /// Its name on the command line.
    triple: &'static str,
    /// The oldest C library that its wheel runs with; empty where there is one system only.
    policy: &'static str,
}

/// Every platform with a wheel.
const PLATFORMS: &[Platform] = &[
    Platform { triple: "x86_64-unknown-linux-gnu", policy: "manylinux_2_28" },
    Platform { triple: "aarch64-unknown-linux-gnu", policy: "manylinux_2_28" },
    Platform { triple: "x86_64-unknown-linux-musl", policy: "musllinux_1_2" },
    Platform { triple: "aarch64-unknown-linux-musl", policy: "musllinux_1_2" },
    Platform { triple: "aarch64-apple-darwin", policy: "" },
    Platform { triple: "x86_64-pc-windows-msvc", policy: "" },
];

/// The source distribution, on the command line.
const SDIST: &str = "sdist";

impl Platform {
    fn architecture(&self) -> &str {
        self.triple.split('-').next().unwrap_or_default()
    }

    fn is_linux(&self) -> bool {
        !self.policy.is_empty()
    }

    /// Whether this tool runs on such a system.
    fn is_native(&self) -> bool {
        let system = match env::consts::OS {
            "linux" if cfg!(target_env = "musl") => "linux-musl",
            "linux" => "linux-gnu",
            "macos" => "darwin",
            "windows" => "msvc",
            other => other,
        };
        self.architecture() == env::consts::ARCH && self.triple.ends_with(system)
    }
}

/// Whether the command line may name this wheel, or source distribution.
pub(crate) fn is_known(name: &str) -> bool {
    name == SDIST || PLATFORMS.iter().any(|one| one.triple == name)
}

/// The names of the wheels and the source distribution.
pub(crate) fn list() -> String {
    let names = PLATFORMS.iter().map(|platform| platform.triple).chain([SDIST]);
    let lines = names.map(|name| format!("  {name}\n"));
    std::iter::once("wheels and the source distribution, by name:\n".to_owned()).chain(lines).collect()
}

/// The platform of this machine, if it has a wheel.
pub(crate) fn native() -> Option<&'static Platform> {
    PLATFORMS.iter().find(|platform| platform.is_native())
}

/// `cargo xtask wheel`: what is named, or what this machine can make.
pub(crate) fn program(context: &Context, report: &mut Report, names: &[&str]) {
    let Some(tools) = tools(context, report) else { return };
    let wanted = |name: &str| names.is_empty() || names.contains(&name);
    for platform in PLATFORMS.iter().filter(|platform| wanted(platform.triple)) {
        if names.is_empty() && platform.triple.ends_with("musl") && !platform.is_native() {
            let how = format!("`cargo xtask wheel {}` builds it; no Python of this machine loads it", platform.triple);
            report.skip(&format!("wheel-{}", platform.triple), &how);
            continue;
        }
        if let Some(wheel) = build(context, report, &tools, platform) {
            smoke_test(context, report, platform, &wheel);
        }
    }
    if wanted(SDIST) {
        sdist(context, report, &tools);
    }
}

/// The environment with the tools.
pub(crate) fn tools(context: &Context, report: &mut Report) -> Option<Venv> {
    if context.python().is_none() {
        report.skip("wheel", "there is no python3 (3.11 or later) on this machine");
        return None;
    }
    Venv::with(context, report, "wheel", TOOLS)
}

/// Builds a wheel and looks at its size and platform tag; returns its file.
pub(crate) fn build(context: &Context, report: &mut Report, tools: &Venv, platform: &Platform) -> Option<PathBuf> {
    let name = format!("wheel-{}", platform.triple);
    let can_build = platform.is_native() || (platform.is_linux() && cfg!(target_os = "linux"));
    if !can_build {
        report.skip(&name, "this wheel is built on its own system");
        return None;
    }
    if !platform.is_native() && !context.has_or_gets_target(platform.triple) {
        report.skip(&name, &format!("`rustup target add {}` does not get the target", platform.triple));
        return None;
    }
    let out = venv::folder(context, "built");
    if !venv::empty(&out, report) {
        return None;
    }
    let mut maturin = tools.command(context, "maturin");
    maturin.args(["build", "--release", "--locked", "--manifest-path", MANIFEST, "--out"]).arg(&out);
    maturin.arg("--interpreter").arg(tools.file("python")).env("CARGO_TARGET_DIR", context.target_dir());
    if platform.is_linux() {
        maturin.args(["--compatibility", platform.policy]);
    }
    if !platform.is_native() {
        maturin.args(["--zig", "--target", platform.triple]);
    } else if platform.policy.starts_with("manylinux") {
        // Only the extension module is linked by zig: with `--zig`, cargo would compile the dependencies apart from the release build.
        let linker = report.result(zig_linker(context, platform))?;
        maturin.arg("--").arg(format!("-Clinker={}", linker.display()));
    }
    if !report.run(&mut maturin) {
        return None;
    }
    let path = report.result(kept(context, &out, ".whl"))?;
    println!("{}", path.display());
    figure(report, &name, fs::metadata(&path).map_or(u64::MAX, |file| file.len()), WHEEL_LIMIT, "bytes");
    if platform.is_linux() {
        let shown = report.output(tools.command(context, "auditwheel").arg("show").arg(&path)).unwrap_or_default();
        let tag = format!("{}_{}", platform.policy, platform.architecture());
        println!("{}", platform_tag(&shown).unwrap_or("no platform tag"));
        let wanted = || format!("auditwheel does not accept the wheel as {tag}:\n{shown}");
        report.step(if is_accepted(&shown, platform) { Ok(()) } else { Err(wanted()) });
    }
    Some(path)
}

/// The program that cargo calls to link the extension module: zig, with the stubs of the glibc of the platform tag.
fn zig_linker(context: &Context, platform: &Platform) -> Result<PathBuf, String> {
    let glibc = platform.policy.trim_start_matches("manylinux_").replace('_', ".");
    let target = format!("{}-linux-gnu.{glibc}", platform.architecture());
    let path = venv::folder(context, "").join(format!("zig-{target}"));
    let script = format!("#!/bin/sh\nexec maturin zig cc -- -target {target} \"$@\"\n");
    // Where it is unchanged it is not written: cargo compares times.
    if fs::read_to_string(&path).is_ok_and(|text| text == script) {
        return Ok(path);
    }
    let written = fs::write(&path, script).and_then(|()| make_executable(&path));
    written.map(|()| path.clone()).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Moves the one file with this ending to `target/wheels`.
fn kept(context: &Context, folder: &Path, ending: &str) -> Result<PathBuf, String> {
    let names =
        fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
    let [name] = names.as_slice() else {
        return Err(format!("maturin was to write one file *{ending}, but wrote {names:?}"));
    };
    let wheels = context.target_dir().join("wheels");
    let path = wheels.join(name);
    let moved = fs::create_dir_all(&wheels).and_then(|()| fs::rename(folder.join(name), &path));
    moved.map(|()| path.clone()).map_err(|error| format!("{}: {error}", path.display()))
}

/// The platform tag in the answer of `auditwheel show`, which breaks its lines anywhere.
fn platform_tag(shown: &str) -> Option<&str> {
    shown.split('"').nth(1)
}

/// Whether auditwheel finds the wheel to run where its tag says, or on older systems.
fn is_accepted(shown: &str, platform: &Platform) -> bool {
    let Some(tag) = platform_tag(shown) else { return false };
    let version = |policy: &str| -> Option<(String, u32, u32)> {
        let mut words = policy.splitn(3, '_');
        Some((words.next()?.to_owned(), words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    };
    let found = tag.strip_suffix(&format!("_{}", platform.architecture())).and_then(version);
    let limit = version(platform.policy);
    found.zip(limit).is_some_and(|(found, limit)| found.0 == limit.0 && (found.1, found.2) <= (limit.1, limit.2))
}

/// Imports the package from its wheel and casts rays, on the platform of the wheel.
fn smoke_test(context: &Context, report: &mut Report, platform: &Platform, wheel: &Path) {
    let name = format!("wheel-{}-smoke-test", platform.triple);
    let python = context.python().filter(|_| platform.is_native());
    let Some(python) = python else { return report.skip(&name, "no Python of this machine loads this wheel") };
    let Some(venv) = Venv::fresh(context, report, "smoke-test", python) else { return };
    if venv.install(context, report, &name, &[&wheel.to_string_lossy()]) {
        report.run(venv.python(context).arg(SMOKE_TEST));
    }
}

/// Builds the source distribution; it has all that `pip install` compiles, and nothing of one machine.
pub(crate) fn sdist(context: &Context, report: &mut Report, tools: &Venv) -> Option<PathBuf> {
    let out = venv::folder(context, "built");
    if !venv::empty(&out, report) {
        return None;
    }
    let mut maturin = tools.command(context, "maturin");
    if !report.run(maturin.args(["sdist", "--manifest-path", MANIFEST, "--out"]).arg(&out)) {
        return None;
    }
    let path = report.result(kept(context, &out, ".tar.gz"))?;
    println!("{}", path.display());
    let folder = venv::folder(context, "sdist");
    if !venv::empty(&folder, report)
        || !report.run(context.command("tar").arg("-xzf").arg(&path).arg("-C").arg(&folder))
    {
        return None;
    }
    let root = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).next()?;
    // Cargo finds every package, so a machine with Rust can compile it. (The lock file has more: what only tests use.)
    let mut metadata = context.cargo(&["metadata", "--format-version=1", "--manifest-path"]);
    metadata.arg(root.join(MANIFEST)).stdout(Stdio::null());
    let line = announce(&metadata);
    let found = metadata.status().is_ok_and(|status| status.success());
    report.step(if found { Ok(()) } else { Err(format!("{line}: the source distribution is not complete")) });
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(tag: &str) -> String {
        format!("x.whl is consistent with\nthe following platform tag:\n\"{tag}\".\n\nThe wheel references \"x\"")
    }

    #[test]
    fn wheels_run_where_their_tag_says() {
        let linux = &PLATFORMS[0];
        assert!(is_accepted(&shown("manylinux_2_28_x86_64"), linux));
        assert!(is_accepted(&shown("manylinux_2_17_x86_64"), linux));
        assert!(!is_accepted(&shown("manylinux_2_34_x86_64"), linux));
        assert!(!is_accepted(&shown("manylinux_2_17_aarch64"), linux));
        assert!(!is_accepted(&shown("linux_x86_64"), linux));
        assert!(!is_accepted("no tag", linux));
    }

    #[test]
    fn platforms_have_distinct_names() {
        for (index, platform) in PLATFORMS.iter().enumerate() {
            assert!(platform.triple != SDIST);
            assert!(PLATFORMS[..index].iter().all(|other| other.triple != platform.triple));
        }
        assert!(PLATFORMS.iter().filter(|platform| platform.is_native()).count() <= 1);
    }
}
