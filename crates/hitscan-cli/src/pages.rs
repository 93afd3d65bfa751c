//! `hitscan completions` and `hitscan man`: written from the same definitions as the help.

use crate::Console;
use crate::error::{Error, Result};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::PathBuf;

/// Print completions for a shell
#[derive(Args)]
#[command(after_help = "\
Example:
  hitscan completions bash > ~/.local/share/bash-completion/completions/hitscan")]
pub(crate) struct CompletionArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionArguments {
    pub(crate) fn run(&self, console: &mut Console) -> Result<()> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut crate::Arguments::command(), "hitscan", &mut text);
        Ok(console.out.write_all(&text)?)
    }
}

/// Print the manual page, or write those of all commands
#[derive(Args)]
#[command(after_help = "\
Examples:
  hitscan man | man -l -
  hitscan man --out-dir ~/.local/share/man/man1")]
pub(crate) struct ManArguments {
    /// Write hitscan.1, hitscan-cast.1 and so on into this folder, which is made if need be [default: print hitscan.1]
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
}

impl ManArguments {
    pub(crate) fn run(&self, console: &mut Console) -> Result<()> {
        let command = crate::Arguments::command().disable_help_subcommand(true);
        let Some(folder) = &self.out_dir else {
            let mut text = Vec::new();
            Man::new(command).render(&mut text)?;
            return Ok(console.out.write_all(&text)?);
        };
        let made = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
        made.map_err(|error| Error::write(folder, &error))
    }
}
