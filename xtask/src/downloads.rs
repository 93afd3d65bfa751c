//! Part `downloads`: what later parts get from registries. In a run of the whole check it works beside the parts that compile.

use crate::context::Context;
use crate::report::Report;
use crate::{lab, python, wheel};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::{env, io};

/// The command that the background process runs.
pub(crate) const COMMAND: &str = "downloads";

fn log(context: &Context) -> PathBuf {
    context.target_dir().join("xtask-downloads.txt")
}

/// Starts the downloads in a process of their own, whose messages go to a file.
pub(crate) fn start(context: &Context) -> io::Result<Child> {
    fs::create_dir_all(context.target_dir())?;
    let file = File::create(log(context))?;
    Command::new(env::current_exe()?).arg(COMMAND).stdout(file.try_clone()?).stderr(file).spawn()
}

/// The part: waits for the process that works beside the check and shows its messages, or else gets everything itself.
pub(crate) fn run(context: &Context, report: &mut Report) {
    let Some(mut started) = context.downloads.lock().unwrap().take() else { return get(context, report) };
    let ended = started.wait();
    print!("{}", fs::read_to_string(log(context)).unwrap_or_default());
    report.step(match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the downloads end with {status}")),
        Err(error) => Err(format!("the downloads: {error}")),
    });
}

/// Gets everything. What a machine lacks is skipped by name in the parts that need it: they look for it again.
pub(crate) fn get(context: &Context, report: &mut Report) {
    wheel::tools(context, report);
    python::tools_of_tests(context, report);
    lab::packages(context, report, "npm", "npm");
    if lab::packages(context, report, "lab", "lab") {
        lab::has_or_gets_chromium(context);
    }
}
