//! Python wheels of peers, each installed into an environment of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether the environment has a package: a folder among its packages.
pub fn has(home: &Path, package: &str) -> bool {
    site_packages(home).is_some_and(|folder| folder.join(package).exists())
}

/// The folder of the packages of an environment.
pub fn site_packages(home: &Path) -> Option<PathBuf> {
    let python = std::fs::read_dir(home.join("lib")).ok()?.flatten().next()?;
    Some(python.path().join("site-packages"))
}

/// Makes a Python environment, and installs a wheel into it.
///
/// # Errors
/// There is no Python, or pip cannot install the wheel.
pub fn install(home: &Path, wheel: &str) -> Result<(), String> {
    eprintln!("installing the wheel {wheel} into a Python environment of its own ...");
    run(Path::new("python3"), &["-m", "venv", &home.to_string_lossy()])?;
    run(&home.join("bin/pip"), &["install", "--quiet", wheel])
}

fn run(program: &Path, words: &[&str]) -> Result<(), String> {
    match Command::new(program).args(words).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{} {}: {status}", program.display(), words.join(" "))),
        Err(error) => Err(format!("{}: {error}", program.display())),
    }
}
