//! The program `hitscan`: see the library of this package.

use hitscan_cli::{Console, run};
use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut out, mut err) = (std::io::BufWriter::new(stdout()), stderr());
    let err_is_terminal = err.is_terminal();
    let code = run(std::env::args_os(), &mut Console { out: &mut out, err: &mut err, err_is_terminal });
    // A reader that has gone away is no error, and there is nobody left to tell.
    let _ = out.flush();
    ExitCode::from(code)
}
