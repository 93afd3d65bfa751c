//! The program `hitscan`: see the library of this package.

use hitscan_cli::{Console, exit_on_signals, run};
use hitscan_io::hide_panics_of_decoders;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut out, mut err) = (std::io::BufWriter::new(stdout()), stderr());
    // Without a handler a signal ends the program as usual; it may then leave an unfinished file.
    let _ = exit_on_signals();
    // An error is one line, of a damaged file, too.
    hide_panics_of_decoders();
    let err_is_terminal = err.is_terminal();
    let code = run(std::env::args_os(), &mut Console { err_is_terminal, ..Console::new(&mut out, &mut err) });
    // A reader that has closed the pipe is no error.
    let _ = out.flush();
    ExitCode::from(code)
}
