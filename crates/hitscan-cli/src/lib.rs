//! The program `hitscan`, as a function from a command line to output and an exit code.
//!
//! A command is a module with its arguments and its `run`: `cast`, `distance` and `contains` (in `points`), `overlap`, `info`, `render`, `explain`,
//! `convert`, `demo`, `lab`, `completions` and `man`. `ray_arguments` and `query_arguments` hold arguments that several
//! commands share, `tables` reads and writes their tables.
//!
//! The program translates between text, tables and pictures and the library. The library computes hits, normals and
//! distances; only `render` has a camera.

mod cast;
mod completions;
mod console;
mod convert;
mod demo;
mod error;
mod explain;
mod help;
mod ignore;
mod info;
mod inputs;
mod lab;
mod layer_arguments;
mod load;
mod man;
mod numbers;
mod outline;
mod outputs;
mod overlap;
mod parallel;
mod points;
mod precision;
mod progress;
mod query_arguments;
mod ray_arguments;
mod render;
mod scene;
mod signals;
mod tables;
mod text;
mod unmeasured;
mod warnings;

pub use console::Console;
pub use signals::exit_on_signals;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;

/// Which rays hit what, where, and at which angle?
///
/// Casts rays at shapes, meshes and scenes, in 2D and in 3D, with exact decisions. A scene is a TOML file of shapes, or
/// any OBJ, STL, PLY, OFF or glTF file, or a mesh that was saved with its tree.
#[derive(Parser)]
#[command(name = "hitscan", version, max_term_width = 110, propagate_version = true, after_help = EXAMPLES, disable_help_subcommand = true)]
struct ProgramArguments {
    #[command(subcommand)]
    command: Command,
    /// Print no notes, summaries or progress to standard error; warnings and errors stay
    #[arg(short, long, global = true)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  hitscan demo                                            a picture and a table of hits, to begin with
  hitscan cast scene.toml --ray 0,0,5,0,0,-1              what does this ray hit?
  hitscan cast bunny.ply --rays rays.csv -o hits.parquet  a file of rays, a file of hits
  hitscan explain scene.toml --ray 0,0,5,0,0,-1           why does it hit, or miss?
  hitscan distance scene.toml --point 0,0,5               how far is the surface?
  hitscan overlap scene.toml --sphere 0,0,5,2             does anything reach into this sphere?

Exit codes: 0 done, 1 bad input (one line on standard error), 2 wrong usage, 130 and 143 ended by
SIGINT (Ctrl-C) and SIGTERM.";

#[derive(Subcommand)]
enum Command {
    Cast(cast::CastArguments),
    Distance(points::DistanceArguments),
    Contains(points::ContainsArguments),
    Overlap(overlap::OverlapArguments),
    Info(info::InfoArguments),
    Render(render::RenderArguments),
    Explain(explain::ExplainArguments),
    Convert(convert::ConvertArguments),
    Demo(demo::DemoArguments),
    Lab(lab::LabArguments),
    Completions(completions::CompletionArguments),
    Man(man::ManArguments),
    Help(help::HelpArguments),
}

/// Runs one command line, of which the first word is the program's name, and returns the exit code: 0 done, 1 bad
/// input, 2 wrong usage.
pub fn run<T: Into<OsString> + Clone>(line: impl IntoIterator<Item = T>, console: &mut Console) -> u8 {
    let parsed = ProgramArguments::command().try_get_matches_from(line);
    let arguments = match parsed.and_then(|matches| ProgramArguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error, console),
    };
    console.is_quiet |= arguments.quiet;
    let done = match arguments.command {
        Command::Cast(arguments) => arguments.run(console),
        Command::Distance(arguments) => arguments.run(console),
        Command::Contains(arguments) => arguments.run(console),
        Command::Overlap(arguments) => arguments.run(console),
        Command::Info(arguments) => arguments.run(console),
        Command::Render(arguments) => arguments.run(console),
        Command::Explain(arguments) => arguments.run(console),
        Command::Convert(arguments) => arguments.run(console),
        Command::Demo(arguments) => arguments.run(console),
        Command::Lab(arguments) => arguments.run(console),
        Command::Completions(arguments) => arguments.run(ProgramArguments::command(), console),
        Command::Man(arguments) => arguments.run(ProgramArguments::command(), console),
        Command::Help(arguments) => arguments.run(ProgramArguments::command(), console),
    };
    match done.and_then(|()| Ok(console.out.flush()?)) {
        Ok(()) => 0,
        Err(error) if error.is_broken_pipe() => 0,
        Err(error) => {
            // A message that cannot be written has no other place to go.
            let _ = writeln!(console.err, "hitscan: {error}");
            error.exit_code()
        }
    }
}

/// Prints help to standard output, and mistakes in the arguments to standard error.
fn usage(error: &clap::Error, console: &mut Console) -> u8 {
    let text = error.render();
    let stream: &mut dyn Write = if error.use_stderr() { console.err } else { console.out };
    let _ = if console.err_is_terminal { write!(stream, "{}", text.ansi()) } else { write!(stream, "{text}") };
    u8::try_from(error.exit_code()).unwrap_or(2)
}
