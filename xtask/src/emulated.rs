//! Processors other than that of this machine, by the user-mode emulation of QEMU.

use crate::context::Context;
use crate::report::Report;
use crate::smoke_test::{SMOKE_TEST, same_answers};
use crate::venv::Venv;

/// Processors to imitate, with what each lacks. NumPy runs on all of them.
const PROCESSORS: &[(&str, &str)] = &[("Nehalem", "no AVX"), ("max", "AVX2, no AVX-512")];

/// The Debian package of the emulators.
pub(crate) const QEMU: &[&str] = &["qemu-user"];

/// Runs the smoke test of an installed wheel on processors with fewer instructions; the answers are those of this one.
pub(crate) fn older_processors(context: &Context, report: &mut Report, venv: &Venv, expected: &str) {
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) {
        return report.skip("python-processors", "the emulation is for x86-64 Linux");
    }
    if !context.has_or_gets_program("qemu-x86_64", QEMU) {
        return report
            .skip("python-processors", "there is no qemu-x86_64, and `apt-get install qemu-user` does not get it");
    }
    for (processor, lacks) in PROCESSORS {
        println!("{processor} ({lacks}):");
        let mut qemu = venv.command_by(context, "qemu-x86_64");
        qemu.args(["-cpu", processor]).arg(venv.file("python")).arg(SMOKE_TEST);
        // NumPy's BLAS is to look at the emulated processor, whatever this machine's settings are.
        qemu.env_remove("OPENBLAS_CORETYPE").env_remove("OPENBLAS_L2_SIZE");
        same_answers(report, &mut qemu, expected);
    }
}
