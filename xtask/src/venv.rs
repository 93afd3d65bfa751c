//! Virtual environments of Python, under the target directory.

use crate::context::Context;
use crate::report::{Report, announce};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// Words of pip when no index answers.
const NO_INDEX: &str = "Retrying (";

/// A virtual environment.
pub(crate) struct Venv {
    folder: PathBuf,
}

impl Venv {
    /// The environment that has these requirements, one a line: that of an earlier run, or a new one. `None`, with a skip or a
    /// failure in the report, where it cannot be made.
    pub(crate) fn with(context: &Context, report: &mut Report, name: &str, list: &str) -> Option<Self> {
        let python = context.python()?;
        let requirements: Vec<&str> = requirements(list).collect();
        let version = Command::new(python).args(["-c", "import sys; print(sys.version)"]).output().ok()?.stdout;
        let key = fnv1a([requirements.join("\n").as_bytes(), &version].concat());
        let folders = folder(context, "venvs");
        let venv = Self { folder: folders.join(format!("{name}-{key:016x}")) };
        let complete = venv.folder.join("complete");
        if complete.exists() {
            return Some(venv);
        }
        // Those with other requirements are out of date.
        let old = fs::read_dir(&folders).into_iter().flatten().flatten().map(|entry| entry.path());
        for old in old.filter(|path| is_version_of(path, name)) {
            let _ = fs::remove_dir_all(old); // it only takes space
        }
        let made = venv.create(context, report, python) && venv.install(context, report, name, &requirements);
        (made && report.step(fs::write(&complete, "").map_err(|error| error.to_string()))).then_some(venv)
    }

    /// An environment with nothing but pip, made anew.
    pub(crate) fn fresh(context: &Context, report: &mut Report, name: &str, python: &str) -> Option<Self> {
        let venv = Self::fresh_folder(context, name);
        venv.create(context, report, python).then_some(venv)
    }

    /// The environment that [`fresh`](Self::fresh) makes, which need not be there.
    pub(crate) fn fresh_folder(context: &Context, name: &str) -> Self {
        Self { folder: folder(context, "venvs").join(format!("fresh-{name}")) }
    }

    fn create(&self, context: &Context, report: &mut Report, python: &str) -> bool {
        report.run(context.command(python).args(["-m", "venv", "--clear"]).arg(&self.folder))
    }

    /// Installs packages or wheels with pip; `name` is what the report calls the check if no index answers.
    pub(crate) fn install(&self, context: &Context, report: &mut Report, name: &str, packages: &[&str]) -> bool {
        let mut pip = self.python(context);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
        let line = announce(&pip);
        let output = match pip.stdout(Stdio::inherit()).output() {
            Ok(output) => output,
            Err(error) => return report.step(Err(format!("{line}: {error}"))),
        };
        let messages = String::from_utf8_lossy(&output.stderr);
        eprint!("{messages}");
        if !output.status.success() && messages.contains(NO_INDEX) {
            report.skip(name, "pip reaches no index of packages");
            return false;
        }
        report.step(if output.status.success() { Ok(()) } else { Err(format!("{line} ({})", output.status)) })
    }

    fn programs(&self) -> PathBuf {
        self.folder.join(if cfg!(windows) { "Scripts" } else { "bin" })
    }

    /// The file of a program of the environment.
    pub(crate) fn file(&self, program: &str) -> PathBuf {
        self.programs().join(format!("{program}{}", env::consts::EXE_SUFFIX))
    }

    /// A command of the environment, in the root of the checkout.
    pub(crate) fn command(&self, context: &Context, program: &str) -> Command {
        self.command_by(context, &self.file(program).to_string_lossy())
    }

    /// A command that finds the programs of the environment before others: an emulator, say.
    pub(crate) fn command_by(&self, context: &Context, program: &str) -> Command {
        let mut command = context.command(program);
        let rest = env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(self.programs()).chain(env::split_paths(&rest));
        if let Ok(path) = env::join_paths(paths) {
            command.env("PATH", path);
        }
        command.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("PYTHONPATH");
        command
    }

    pub(crate) fn python(&self, context: &Context) -> Command {
        self.command(context, "python")
    }
}

/// A folder for what the checks of the Python package make.
pub(crate) fn folder(context: &Context, name: &str) -> PathBuf {
    context.target_dir().join("xtask-python").join(name)
}

/// Empties a folder, or makes it.
pub(crate) fn empty(folder: &Path, report: &mut Report) -> bool {
    let _ = fs::remove_dir_all(folder); // it need not exist
    report.step(fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display())))
}

/// The requirements of a list, one a line; lines with `#` in front are comments.
pub(crate) fn requirements(list: &str) -> impl Iterator<Item = &str> {
    list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Whether a folder is an environment of this name, with any requirements.
fn is_version_of(path: &Path, name: &str) -> bool {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    file.rsplit_once('-').is_some_and(|(start, key)| start == name && key.len() == 16)
}

/// The hash FNV-1a in 64 bits: the same in every build of this tool.
fn fnv1a(bytes: Vec<u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv1a() {
        assert_eq!(fnv1a(Vec::new()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a".to_vec()), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn comments_are_no_requirements() {
        assert_eq!(requirements("# tests\npytest>=9,<10\n\n mypy\n").collect::<Vec<_>>(), ["pytest>=9,<10", "mypy"]);
    }

    #[test]
    fn environments_of_a_name() {
        assert!(is_version_of(Path::new("a/tests-0123456789abcdef"), "tests"));
        assert!(!is_version_of(Path::new("a/more-tests-0123456789abcdef"), "tests"));
        assert!(!is_version_of(Path::new("a/tests"), "tests"));
    }
}
