//! `hitscan man`: manual pages, from the same definitions as the help.

use crate::console::Console;
use crate::error::{Error, Result};
use clap::{Args, Command};
use clap_mangen::Man;
use std::path::PathBuf;

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
    pub(crate) fn run(&self, program: Command, console: &mut Console) -> Result<()> {
        let program = program.disable_help_subcommand(true);
        let Some(folder) = &self.out_dir else {
            let mut text = Vec::new();
            Man::new(program).render(&mut text)?;
            return Ok(console.out.write_all(&text)?);
        };
        let made = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(program, folder));
        made.map_err(|error| Error::write(folder, &error))
    }
}
