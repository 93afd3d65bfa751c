//! Part `publish`: the packages for a registry, packed and compiled, without an upload.

use crate::context::Context;
use crate::report::Report;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// The packages that are published, dependencies first.
const PUBLISHED: &[&str] = &["hitscan", "hitscan-io", "hitscan-cli"];

/// Files of the repository that each package holds.
const COMMON_FILES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Fields that each manifest has.
const FIELDS: &[&str] = &["categories", "description", "keywords", "license", "readme", "rust-version"];

/// Words of cargo's messages when no registry answers.
const OFFLINE: &[&str] = &["failed to download", "failed to fetch", "failed to update", "resolve host", "network"];

pub(crate) fn run(context: &Context, report: &mut Report) {
    let mut dry_run = context.cargo(&["publish", "--dry-run", "--workspace", "--no-verify", "--allow-dirty"]);
    println!("$ cargo publish --dry-run --workspace --no-verify --allow-dirty");
    let output = match dry_run.stdout(Stdio::inherit()).output() {
        Ok(output) => output,
        Err(error) => {
            report.step(Err(format!("cargo publish: {error}")));
            return;
        }
    };
    let messages = String::from_utf8_lossy(&output.stderr);
    eprint!("{messages}");
    if !output.status.success() && OFFLINE.iter().any(|words| messages.contains(words)) {
        return report.skip("publish", "the registry does not answer");
    }
    let packed = output.status.success().then_some(()).ok_or_else(|| format!("cargo publish ({})", output.status));
    if !report.step(packed) {
        return;
    }
    let mut pack = context.cargo(&["package", "--no-verify", "--allow-dirty", "--quiet"]);
    pack.args(PUBLISHED.iter().flat_map(|package| ["-p", package]));
    if report.run(&mut pack) {
        let folder = context.target_dir().join("xtask-publish");
        let _ = fs::remove_dir_all(&folder); // it need not exist
        if report.step(unpack(context, &folder)) {
            compile(context, &folder, report);
        }
    }
}

/// Unpacks the packages into a workspace of their own, with the profiles and the lock file of ours.
fn unpack(context: &Context, folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(failed(folder))?;
    let packed = context.target_dir().join("package");
    let (mut members, mut patches) = (Vec::new(), String::new());
    for package in PUBLISHED {
        let start = format!("{package}-");
        let is_version = |name: &str| name.strip_prefix(&start).is_some_and(|rest| rest.starts_with(char::is_numeric));
        let names = fs::read_dir(&packed).map_err(failed(&packed))?.flatten().map(|entry| entry.file_name());
        let names = names.filter_map(|name| name.into_string().ok());
        let newest = names.filter(|name| is_version(name) && name.ends_with(".crate"));
        let newest = newest.max_by_key(|name| fs::metadata(packed.join(name)).and_then(|file| file.modified()).ok());
        let name = newest.ok_or_else(|| format!("{} has no package of {package}", packed.display()))?;
        // The time of now (`-m`): packages have a fixed one, by which Cargo would take the build of an earlier package for new.
        let unpacked = context.command("tar").arg("-xzmf").arg(packed.join(&name)).arg("-C").arg(folder).status();
        if !unpacked.is_ok_and(|status| status.success()) {
            return Err(format!("tar does not unpack {name}"));
        }
        let member = name.trim_end_matches(".crate").to_owned();
        patches += &format!("{package} = {{ path = \"{member}\" }}\n");
        members.push(format!("\"{member}\""));
    }
    let ours = context.root().join("Cargo.toml");
    let profiles = dev_profiles(&fs::read_to_string(&ours).map_err(failed(&ours))?);
    let members = members.join(", ");
    let text =
        format!("[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n[patch.crates-io]\n{patches}\n{profiles}");
    let manifest = folder.join("Cargo.toml");
    fs::write(&manifest, text).map_err(failed(&manifest))?;
    let lock = folder.join("Cargo.lock");
    fs::copy(context.root().join("Cargo.lock"), &lock).map_err(failed(&lock)).map(drop)
}

fn failed(what: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", what.display())
}

/// The tables `[profile.dev…]` of a manifest: with equal profiles, dependencies that are compiled need no compiling.
fn dev_profiles(manifest: &str) -> String {
    let mut within = false;
    let lines = manifest.lines().filter(|line| {
        if line.starts_with('[') {
            within = line.starts_with("[profile.dev");
        }
        within
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The packages compile outside the repository and hold the files and fields that a registry shows.
fn compile(context: &Context, folder: &Path, report: &mut Report) {
    for package in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if !package.is_dir() {
            continue;
        }
        for file in COMMON_FILES {
            let same = fs::read(package.join(file))
                .is_ok_and(|text| fs::read(context.root().join(file)).is_ok_and(|ours| ours == text));
            report.step(same.then_some(()).ok_or_else(|| format!("{} has not our {file}", package.display())));
        }
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
        for field in FIELDS.iter().filter(|field| !manifest.lines().any(|line| line.starts_with(&format!("{field} ="))))
        {
            report.step(Err(format!("{}/Cargo.toml has no `{field}`", package.display())));
        }
    }
    let mut check = context.cargo(&["check", "--workspace", "--manifest-path"]);
    report.run(check.arg(folder.join("Cargo.toml")).arg("--target-dir").arg(context.target_dir()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dev_profiles_are_copied() {
        let manifest = "[package]\nname = \"a\"\n[profile.dev.package.\"*\"]\nopt-level = 1\n[profile.test]\nopt-level = 3\n[profile.dev]\ndebug = 1\n";
        assert_eq!(dev_profiles(manifest), "[profile.dev.package.\"*\"]\nopt-level = 1\n[profile.dev]\ndebug = 1\n");
    }
}
