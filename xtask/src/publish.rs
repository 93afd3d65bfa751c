//! Part `publish`: the packages for the registries can be packed, and have the files and fields that a registry shows.

use crate::context::Context;
use crate::report::Report;
use std::fs;
use std::process::Stdio;

/// The crates that are published, dependencies first.
const PUBLISHED: &[&str] = &["hitscan", "hitscan-io", "hitscan-cli"];

/// Files of the repository that each crate holds.
const COMMON_FILES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Fields of a crate that crates.io shows.
const CRATE_FIELDS: &str =
    "categories description documentation homepage keywords license readme repository rust-version";

/// The manifest of the Python package.
const PYTHON_MANIFEST: &str = "crates/hitscan-py/pyproject.toml";

/// Its fields that PyPI shows; `dynamic` is the version, which maturin takes from Cargo. The last five are links.
const PYTHON_FIELDS: &str = "authors classifiers description dynamic keywords license license-files name readme requires-python \
    Changelog Documentation Homepage Issues Repository";

/// The beginning of the address of the repository, as long as nobody knows it.
const PLACEHOLDER: &str = "https://example.invalid/";

/// Words of cargo's messages when no registry answers.
const OFFLINE: &[&str] = &["failed to download", "failed to fetch", "failed to update", "resolve host", "network"];

pub(crate) fn run(context: &Context, report: &mut Report) {
    let text = |path: &str| fs::read_to_string(context.root().join(path)).unwrap_or_default();
    let manifest = text("Cargo.toml");
    let (Some(version), Some(address)) = (value(&manifest, "version"), value(&manifest, "repository")) else {
        report.step(Err("Cargo.toml has no `version` or no `repository` for all crates".to_owned()));
        return;
    };
    links(context, report, address);
    let citation = text("CITATION.cff");
    let cited = citation.contains(&format!("\nversion: {version}\n")) && citation.contains(address);
    report.step(cited.then_some(()).ok_or_else(|| format!("CITATION.cff has not {version} or not {address}")));
    let python = text(PYTHON_MANIFEST);
    complete(report, PYTHON_MANIFEST, &python, PYTHON_FIELDS);
    let linked = python.contains(&format!("\nRepository = \"{address}\"\n"));
    report.step(linked.then_some(()).ok_or_else(|| format!("{PYTHON_MANIFEST} has not the repository {address}")));

    // Cargo writes the fields of the workspace into the manifest of each packed crate.
    let mut package = vec!["package", "--no-verify", "--allow-dirty", "--quiet"];
    package.extend(PUBLISHED.iter().flat_map(|name| ["-p", name]));
    if !cargo(context, report, &package) {
        return;
    }
    for name in PUBLISHED {
        let packed = |file: &str| {
            let archive = context.target_dir().join(format!("package/{name}-{version}.crate"));
            let mut tar = context.command("tar");
            let output = tar.arg("-xzOf").arg(archive).arg(format!("{name}-{version}/{file}")).output();
            output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
        };
        for file in COMMON_FILES {
            report.step((packed(file) == text(file)).then_some(()).ok_or_else(|| format!("{name} has not our {file}")));
        }
        complete(report, name, &packed("Cargo.toml"), CRATE_FIELDS);
    }
}

/// Part `packages`: compiles each packed crate outside the repository, as `cargo publish` does before an upload.
pub(crate) fn verify(context: &Context, report: &mut Report) {
    // Cargo keeps what it unpacked for the last dry run, and does not see that it has changed.
    for folder in fs::read_dir(context.registry()).into_iter().flatten().flatten() {
        for name in PUBLISHED {
            let _ = fs::remove_dir_all(folder.path().join(format!("{name}-{}", env!("CARGO_PKG_VERSION"))));
        }
    }
    // With the profile of the workspace, dependencies that are compiled need no compiling.
    let profile = "--config=profile.dev.package.\"*\".opt-level=1";
    cargo(context, report, &[profile, "publish", "--dry-run", "--workspace", "--allow-dirty"]);
}

/// Runs cargo as a step; without a registry, it is skipped. Returns whether it succeeded.
fn cargo(context: &Context, report: &mut Report, args: &[&str]) -> bool {
    println!("$ cargo {}", args.join(" "));
    let output = match context.cargo(args).stdout(Stdio::inherit()).output() {
        Ok(output) => output,
        Err(error) => return report.step(Err(format!("cargo {}: {error}", args[0]))),
    };
    let messages = String::from_utf8_lossy(&output.stderr);
    eprint!("{messages}");
    if !output.status.success() && OFFLINE.iter().any(|words| messages.contains(words)) {
        report.skip("publish", "the registry does not answer");
        return false;
    }
    let line = args.join(" ");
    report.step(output.status.success().then_some(()).ok_or_else(|| format!("cargo {line} ({})", output.status)))
}

/// Says that the address is a placeholder, or proves that the placeholder is gone everywhere.
fn links(context: &Context, report: &mut Report, address: &str) {
    if address.starts_with(PLACEHOLDER) {
        let why =
            format!("the repository has no address yet, only {address}: docs/release.md replaces it before a release");
        return report.skip("publish-address", &why);
    }
    let found = context.command("git").args(["grep", "-n", "-F", PLACEHOLDER, "--", ":!xtask"]).output();
    let left = found.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    report
        .step(left.is_empty().then_some(()).ok_or_else(|| format!("the placeholder of the address is left:\n{left}")));
}

/// A step for each field that a manifest must have.
fn complete(report: &mut Report, name: &str, manifest: &str, fields: &str) {
    for field in fields.split_whitespace() {
        let there = manifest.lines().any(|line| line.split_once(" = ").is_some_and(|(key, _)| key == field));
        report.step(there.then_some(()).ok_or_else(|| format!("{name} has no `{field}`, which its registry shows")));
    }
}

/// The first value of a key in a manifest, if it is a text.
fn value<'a>(manifest: &'a str, key: &str) -> Option<&'a str> {
    let mut lines = manifest.lines().filter_map(|line| line.split_once(" = \""));
    lines.find(|(name, _)| *name == key)?.1.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_are_missing_fail() {
        let manifest = "[package]\nversion = \"1.2.3\"\nkeywords = [\n    \"a\",\n]\n";
        assert_eq!((value(manifest, "version"), value(manifest, "keywords")), (Some("1.2.3"), None));
        let mut report = Report::default();
        complete(&mut report, "a", manifest, "version keywords word");
        assert_eq!(report.failed, ["a has no `word`, which its registry shows"]);
    }
}
