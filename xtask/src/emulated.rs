//! Processors other than that of this machine, by the user-mode emulation of QEMU.

use crate::context::Context;
use crate::report::{Report, announce};
use crate::smoke_test::{SMOKE_TEST, same_answers};
use crate::venv::{self, Venv};
use std::fs;
use std::path::Path;

/// Processors to imitate, with what each lacks. NumPy runs on all of them.
const PROCESSORS: &[(&str, &str)] = &[("Nehalem", "no AVX"), ("max", "AVX2, no AVX-512")];

/// The Debian package of the emulators.
pub(crate) const QEMU: &[&str] = &["qemu-user"];

/// Debian packages of a Python that runs without being installed.
const PYTHON: &[&str] = &["python3.11-minimal", "libpython3.11-stdlib", "libstdc++6"];

/// NumPy's platform tags for the emulated Python.
const NUMPY_PLATFORMS: &[&str] = &["manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux2014_aarch64"];

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

/// Runs the smoke test of a wheel for aarch64 under QEMU, with a Python of Debian that lies in a folder. Returns the digest of the
/// answers, which is `expected` if that is not empty.
pub(crate) fn aarch64(
    context: &Context,
    report: &mut Report,
    tools: &Venv,
    name: &str,
    wheel: &Path,
    expected: &str,
) -> Option<String> {
    if !context.has_or_gets_program("qemu-aarch64", QEMU) {
        report.skip(name, "there is no qemu-aarch64, and `apt-get install qemu-user` does not get it");
        return None;
    }
    let root = venv::folder(context, "aarch64");
    let python = root.join("usr/bin/python3.11");
    let there = python.exists() || (venv::empty(&root, report) && unpack_python(context, &root));
    if !there {
        report.skip(name, "apt-get and dpkg get no Python for aarch64 here");
        return None;
    }
    let site = venv::folder(context, "aarch64-site");
    let (site_text, wheel_text) = (site.to_string_lossy(), wheel.to_string_lossy());
    let mut packages = vec!["--target", &*site_text, "--upgrade", "--python-version", "3.11", "--only-binary=:all:"];
    packages.extend(NUMPY_PLATFORMS.iter().flat_map(|platform| ["--platform", platform]));
    packages.push(&wheel_text);
    if !(venv::empty(&site, report) && tools.install(context, report, name, &packages)) {
        return None;
    }
    let mut qemu = context.command("qemu-aarch64");
    qemu.arg("-L").arg(&root).arg(&python).arg(SMOKE_TEST);
    qemu.env("PYTHONPATH", &site).env("PYTHONDONTWRITEBYTECODE", "1");
    qemu.env_remove("OPENBLAS_CORETYPE").env_remove("OPENBLAS_L2_SIZE");
    same_answers(report, &mut qemu, expected)
}

/// Downloads Debian packages of another architecture and unpacks them; the packages of this machine stay as they are.
fn unpack_python(context: &Context, root: &Path) -> bool {
    let state = venv::folder(context, "aarch64-apt");
    let (lists, archives) = (state.join("lists"), state.join("cache/archives"));
    if [&lists, &archives].iter().any(|folder| fs::create_dir_all(folder.join("partial")).is_err()) {
        return false;
    }
    let apt = |words: &[&str]| {
        let mut apt = context.command("apt-get");
        apt.args(["-qq", "-o", "APT::Architecture=arm64", "-o", "APT::Architectures::=arm64"]);
        apt.args(["-o", "Dir::State::status=/dev/null", "-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=root"]);
        apt.arg("-o").arg(format!("Dir::State::Lists={}", lists.display()));
        apt.arg("-o").arg(format!("Dir::Cache={}", state.join("cache").display())).args(words);
        announce(&apt);
        apt.status().is_ok_and(|status| status.success())
    };
    let download = ["install", "-y", "--no-install-recommends", "--download-only"];
    if !apt(&["update"]) || !apt(&[&download[..], PYTHON].concat()) {
        return false;
    }
    let packages = fs::read_dir(&archives).into_iter().flatten().flatten().map(|entry| entry.path());
    packages.filter(|path| path.extension().is_some_and(|ending| ending == "deb")).all(|package| {
        let unpacked = context.command("dpkg-deb").arg("-x").arg(&package).arg(root).status();
        unpacked.is_ok_and(|status| status.success())
    })
}
