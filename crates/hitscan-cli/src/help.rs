//! `hitscan help`: the help of a command, or the reference of scene files.

use crate::console::Console;
use crate::error::{Error, Result};
use clap::{Args, Command};

/// Print the help of a command, or the reference of scene files
#[derive(Args)]
#[command(after_help = "\
Examples:
  hitscan help cast
  hitscan help scene     every type of shape with its fields, their units and defaults, and an example")]
pub(crate) struct HelpArguments {
    /// A command, or scene
    topic: Option<String>,
}

impl HelpArguments {
    pub(crate) fn run(&self, mut program: Command, console: &mut Console) -> Result<()> {
        let text = match self.topic.as_deref() {
            None => program.render_long_help().to_string(),
            Some("scene") => {
                let page = hitscan_io::scene_reference();
                // The page of the documentation begins with a comment about its source.
                page.trim_start_matches(|c| c != '#').to_owned()
            }
            Some(topic) => {
                program.build();
                let names: Vec<String> =
                    program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
                let Some(command) = program.find_subcommand_mut(topic) else {
                    let known = names.join(", ");
                    return Err(Error::usage(format!("no help on '{topic}' (known are scene, {known})")));
                };
                command.render_long_help().to_string()
            }
        };
        Ok(console.out.write_all(text.as_bytes())?)
    }
}
