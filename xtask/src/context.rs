//! The checkout that a part works on, and the commands it runs there.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::{env, fs};

/// The checkout and its tools.
pub(crate) struct Context {
    root: PathBuf,
    /// Named on the command line, or wanted by continuous integration.
    clean_tree_wanted: bool,
    /// `git status` before the first part; `None` where there is no git.
    status_before: Option<Vec<String>>,
    /// The process that downloads beside the check, if one was started.
    pub(crate) downloads: Mutex<Option<Child>>,
}

impl Context {
    pub(crate) fn new(names: &[&str]) -> Self {
        let here = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let mut root = PathBuf::from(here);
        root.pop();
        let clean_tree_wanted = names.contains(&"clean-tree") || env::var_os("CI").is_some_and(|ci| ci == "true");
        let mut context = Self { root, clean_tree_wanted, status_before: None, downloads: Mutex::default() };
        context.status_before = context.git_status();
        context
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn clean_tree_wanted(&self) -> bool {
        self.clean_tree_wanted
    }

    pub(crate) fn status_before(&self) -> Option<&[String]> {
        self.status_before.as_deref()
    }

    /// Whether a compilation target is installed, or rustup installs it now.
    pub(crate) fn has_or_gets_target(&self, target: &str) -> bool {
        self.has_target(target) || self.add_target(target)
    }

    /// Whether `core` is installed for the target.
    fn has_target(&self, target: &str) -> bool {
        let output = self.command("rustc").args(["--print", "target-libdir", "--target", target]).output();
        let folder =
            output.ok().filter(|o| o.status.success()).map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
        let files = folder.and_then(|folder| fs::read_dir(folder).ok());
        files.is_some_and(|files| files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libcore")))
    }

    fn add_target(&self, target: &str) -> bool {
        println!("$ rustup target add {target}");
        let status = self.command("rustup").args(["target", "add", target]).status();
        status.is_ok_and(|status| status.success()) && self.has_target(target)
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

    /// The folder where cargo keeps the sources of packages.
    pub(crate) fn registry(&self) -> PathBuf {
        let home = || env::home_dir().unwrap_or_default().join(".cargo");
        env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from).join("registry/src")
    }

    /// Whether a command can be run and ends well; its output is discarded.
    pub(crate) fn works(&self, program: &str, args: &[&str]) -> bool {
        let status = self.command(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// The program of Python 3.11 or later.
    pub(crate) fn python(&self) -> Option<&'static str> {
        ["python3", "python"].into_iter().find(|python| self.works(python, &["-c", "import tomllib"]))
    }

    /// Whether a program is installed, or Debian's packages bring it now.
    pub(crate) fn has_or_gets_program(&self, program: &str, packages: &[&str]) -> bool {
        self.has_or_gets(|| self.works(program, &["--version"]), packages)
    }

    /// Whether something is there, or Debian's packages bring it now.
    pub(crate) fn has_or_gets(&self, is_there: impl Fn() -> bool, packages: &[&str]) -> bool {
        let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
        is_there() || (self.works("apt-get", &install) && is_there())
    }

    pub(crate) fn git_status(&self) -> Option<Vec<String>> {
        let output = self.command("git").args(["status", "--porcelain", "--untracked-files=all"]).output().ok()?;
        let lines = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
        output.status.success().then_some(lines)
    }
}
