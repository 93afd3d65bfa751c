//! `hitscan completions`: a shell's completion script, from the same definitions as the help.

use crate::console::Console;
use crate::error::Result;
use clap::{Args, Command};
use clap_complete::Shell;

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
    pub(crate) fn run(&self, mut program: Command, console: &mut Console) -> Result<()> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut program, "hitscan", &mut text);
        Ok(console.out.write_all(&text)?)
    }
}
