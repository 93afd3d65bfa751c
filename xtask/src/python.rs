//! Part `python`: the wheel of the Python package, installed as a user installs it, and everything that is to hold of it.

use crate::context::Context;
use crate::emulated;
use crate::program::figure;
use crate::report::{Report, announce};
use crate::smoke_test::{SMOKE_TEST, same_answers};
use crate::venv::{self, Venv};
use crate::wheel;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// The folder of the package in the repository.
const PACKAGE: &str = "crates/hitscan-py";

/// The oldest NumPy that the package accepts: `dependencies` in its pyproject.toml.
const OLDEST_NUMPY: &str = "numpy==1.26.*";

/// Versions of Python that the one wheel is for, besides that of `python3`.
const OTHER_PYTHONS: &[&str] = &["3.12", "3.13", "3.14"];

/// Versions of Python without the global lock, which need a wheel of their own.
const FREE_THREADED_PYTHONS: &[&str] = &["3.14t", "3.13t"];

/// The most microseconds that importing the package takes beyond NumPy.
const IMPORT_LIMIT: u64 = 150_000;
const IMPORT_RUNS: usize = 7;

/// The environment that has the package and nothing else.
const ALONE: &str = "alone";

/// The tests that run the notebooks: half a minute each.
const NOTEBOOKS: &str = "tests/test_notebooks.py";

/// Extras of the package that the tests need.
const EXTRAS: &str = "plot";

pub(crate) fn run(context: &Context, report: &mut Report) {
    let Some((_, wheel)) = built(context, report) else { return };
    installed_alone(context, report, &wheel);
    if let Some(venv) = test_environment(context, report, &wheel) {
        layout(context, report, &venv);
        tests(context, report, &venv, &wheel);
        types(context, report, &venv);
        examples(context, report, &venv);
    }
}

/// Part `python-all`: what uses the same code elsewhere, or takes long.
pub(crate) fn all(context: &Context, report: &mut Report) {
    let Some((tools, wheel)) = built(context, report) else { return };
    wheel::sdist(context, report, &tools);
    elsewhere(context, report, &wheel);
    other_pythons(context, report, &wheel);
    free_threaded(context, report, &tools);
    if let Some(venv) = test_environment(context, report, &wheel) {
        report.run(pytest(context, &venv).arg(format!("{PACKAGE}/{NOTEBOOKS}")));
        tests_of_trimesh(context, report, &venv);
    }
}

/// The tools, and the wheel for this machine.
fn built(context: &Context, report: &mut Report) -> Option<(Venv, PathBuf)> {
    let Some(platform) = wheel::native() else {
        report.skip("python", "there is no wheel for this system");
        return None;
    };
    let tools = wheel::tools(context, report)?;
    let wheel = wheel::build(context, report, &tools, platform)?;
    Some((tools, wheel))
}

/// A Python that has the package, once this part has run.
pub(crate) fn interpreter_with_package(context: &Context) -> Option<PathBuf> {
    Some(Venv::fresh_folder(context, ALONE).file("python")).filter(|python| python.exists())
}

/// The wheel in an environment that has nothing else: what pip brings along, the answers, the time of the import.
fn installed_alone(context: &Context, report: &mut Report, wheel: &Path) {
    let Some(python) = context.python() else { return };
    let Some(venv) = Venv::fresh(context, report, ALONE, python) else { return };
    if venv.install(context, report, "python-alone", &[&wheel.to_string_lossy()]) {
        report.run(venv.python(context).args(["-m", "pip", "--disable-pip-version-check", "check"]));
        same_answers(report, venv.python(context).arg(SMOKE_TEST), "");
        import_time(context, report, &venv);
    }
}

/// The answers on older processors and with the oldest NumPy are those of this machine.
fn elsewhere(context: &Context, report: &mut Report, wheel: &Path) {
    let Some(python) = context.python() else { return };
    let Some(venv) = Venv::fresh(context, report, "oldest", python) else { return };
    if !venv.install(context, report, "python-oldest", &[&wheel.to_string_lossy()]) {
        return;
    }
    if let Some(digest) = same_answers(report, venv.python(context).arg(SMOKE_TEST), "") {
        emulated::older_processors(context, report, &venv, &digest);
        if venv.install(context, report, "python-oldest-numpy", &[OLDEST_NUMPY]) {
            same_answers(report, venv.python(context).arg(SMOKE_TEST), &digest);
        }
    }
}

/// The import of the package takes at most [`IMPORT_LIMIT`] beyond NumPy, in the best of some runs.
fn import_time(context: &Context, report: &mut Report, venv: &Venv) {
    let times = (0..IMPORT_RUNS).filter_map(|_| {
        let mut python = venv.python(context);
        // The first run may write compiled modules, as the installation of a user does.
        python.env_remove("PYTHONDONTWRITEBYTECODE");
        let output = python.args(["-X", "importtime", "-c", "import numpy\nimport hitscan"]).output().ok()?;
        import_microseconds(&String::from_utf8_lossy(&output.stderr))
    });
    match times.min() {
        Some(time) => figure(report, "import hitscan, beyond NumPy", time, IMPORT_LIMIT, "µs"),
        None => drop(report.step(Err("`python -X importtime` names no module `hitscan`".to_owned()))),
    }
}

/// The cumulative time of the module `hitscan` in the table of `-X importtime`.
fn import_microseconds(table: &str) -> Option<u64> {
    table.lines().find_map(|line| {
        let mut columns = line.strip_prefix("import time:")?.split('|');
        let (_, cumulative, name) = (columns.next()?, columns.next()?, columns.next()?);
        (name.trim() == "hitscan").then(|| cumulative.trim().parse().ok())?
    })
}

/// The wheel under later versions of Python, where this machine has them.
fn other_pythons(context: &Context, report: &mut Report, wheel: &Path) {
    for version in OTHER_PYTHONS {
        let name = format!("python-{version}");
        let Some(python) = interpreter(context, version) else {
            report.skip(&name, &format!("there is no Python {version} on this machine"));
            continue;
        };
        let Some(venv) = Venv::fresh(context, report, version, &python) else { continue };
        if venv.install(context, report, &name, &[&wheel.to_string_lossy()]) {
            report.run(venv.python(context).arg(SMOKE_TEST));
        }
    }
}

/// The package without the global lock: a wheel for that Python, and the tests of threads.
fn free_threaded(context: &Context, report: &mut Report, tools: &Venv) {
    const NAME: &str = "python-free-threaded";
    let found = FREE_THREADED_PYTHONS.iter().find_map(|version| interpreter(context, version));
    let Some(python) = found else {
        return report.skip(NAME, "there is no free-threaded Python (3.13t or 3.14t) on this machine");
    };
    let out = venv::folder(context, "free-threaded");
    let Some(venv) = Venv::fresh(context, report, "free-threaded", &python) else { return };
    let mut maturin = tools.command(context, "maturin");
    maturin.args(["build", "--release", "--locked", "--manifest-path", wheel::MANIFEST, "--compatibility", "linux"]);
    maturin.arg("--interpreter").arg(venv.file("python")).arg("--out").arg(&out);
    // Each crate that knows Python is compiled for another one: in a folder of its own, so that the other build stays.
    maturin.env("CARGO_TARGET_DIR", venv::folder(context, "free-threaded-build"));
    if !venv::empty(&out, report) || !report.run(&mut maturin) {
        return;
    }
    let wheel = fs::read_dir(&out).into_iter().flatten().flatten().map(|entry| entry.path()).next();
    let wheel = wheel.unwrap_or_default();
    if venv.install(context, report, NAME, &[&wheel.to_string_lossy(), "pytest>=9,<10"]) {
        report.run(venv.python(context).arg(SMOKE_TEST));
        report.run(pytest(context, &venv).arg(SMOKE_TEST));
    }
}

/// The program of a version of Python: on the path, or among those that pyenv keeps.
fn interpreter(context: &Context, version: &str) -> Option<String> {
    let (number, flag) = match version.strip_suffix('t') {
        Some(number) => (number, "t"),
        None => (version, ""),
    };
    let minor = number.split('.').nth(1)?;
    let question = format!(
        "import sys, sysconfig\n\
         assert sys.version_info[:2] == (3, {minor})\n\
         assert bool(sysconfig.get_config_var('Py_GIL_DISABLED')) == bool('{flag}')"
    );
    let home = env::var_os("PYENV_ROOT").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".pyenv")));
    let kept = home.and_then(|home| fs::read_dir(home.join("versions")).ok()).into_iter().flatten().flatten();
    let kept = kept.map(|entry| entry.path().join("bin/python").to_string_lossy().into_owned());
    let mut candidates = std::iter::once(format!("python{version}")).chain(kept);
    candidates.find(|python| context.works(python, &["-c", &question]))
}

/// Debian's packages of the libraries that Open3D loads.
const OPEN3D_LIBRARIES: &[&str] = &["libusb-1.0-0", "libgl1", "libgomp1", "libx11-6"];

/// What the tests need beside the wheel; files of the package list it.
pub(crate) fn tools_of_tests(context: &Context, report: &mut Report) -> Option<Venv> {
    let read = |name: &str| {
        let path = context.root().join(PACKAGE).join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let requirements = report.result(read("requirements-test.txt"))?;
    let optional = report.result(read("requirements-test-optional.txt"))?;
    let venv = Venv::with(context, report, "tests", &requirements)?;
    for requirement in venv::requirements(&optional) {
        let pip =
            ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:", requirement];
        let mut command = venv.python(context);
        announce(command.args(pip));
        if !command.status().is_ok_and(|status| status.success()) {
            report.skip("python-tests", &format!("`pip install {requirement}` gets no wheel for this machine"));
        }
    }
    open3d_can_be_imported(context, report, &venv);
    Some(venv)
}

/// The environment of the tests, with the wheel.
fn test_environment(context: &Context, report: &mut Report, wheel: &Path) -> Option<Venv> {
    let venv = tools_of_tests(context, report)?;
    let wheel = format!("{}[{EXTRAS}]", wheel.display());
    let installed = venv.install(context, report, "python-tests", &[&wheel])
        && venv.install(context, report, "python-tests", &["--no-deps", "--force-reinstall", &wheel]);
    installed.then_some(venv)
}

/// Brings the system libraries that Open3D's wheel leaves out; without them, takes Open3D away, so that its tests are skipped.
fn open3d_can_be_imported(context: &Context, report: &mut Report, venv: &Venv) {
    let works = |args: &[&str]| {
        let mut python = venv.python(context);
        python.args(args).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let is_there = || works(&["-c", "import open3d"]);
    if !works(&["-m", "pip", "show", "open3d-cpu"]) || context.has_or_gets(is_there, OPEN3D_LIBRARIES) {
        return;
    }
    let packages = OPEN3D_LIBRARIES.join(" ");
    report.skip("python-open3d", &format!("open3d cannot be imported, also after `apt-get install {packages}`"));
    if !works(&["-m", "pip", "uninstall", "-y", "open3d-cpu"]) {
        report.step(Err("`pip uninstall open3d-cpu` fails".to_owned()));
    }
}

fn pytest(context: &Context, venv: &Venv) -> Command {
    let mut pytest = venv.python(context);
    pytest.args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--durations=5"]);
    pytest.env("HYPOTHESIS_STORAGE_DIRECTORY", venv::folder(context, "hypothesis")).env("MPLBACKEND", "agg");
    pytest
}

/// The tests, which also run the examples of the pages; and the examples in the documentation of the modules.
fn tests(context: &Context, report: &mut Report, venv: &Venv, wheel: &Path) {
    let mut all = pytest(context, venv);
    all.arg(format!("{PACKAGE}/tests")).arg(format!("--ignore={PACKAGE}/{NOTEBOOKS}"));
    report.run(all.env("HITSCAN_WHEEL", wheel));
    let folder = venv::folder(context, "doctest");
    if venv::empty(&folder, report) {
        let mut doctest = pytest(context, venv);
        doctest.args(["--doctest-modules", "--pyargs", "hitscan", "--rootdir"]).arg(&folder);
        report.run(doctest.current_dir(&folder));
    }
}

/// The layout of the code, and what a linter finds.
fn layout(context: &Context, report: &mut Report, venv: &Venv) {
    for command in [&["format", "--check"][..], &["check"]] {
        let mut ruff = venv.python(context);
        ruff.args(["-m", "ruff"]).args(command).arg("--no-cache");
        report.run(ruff.args(["python", "tests", "benchmarks", "notebooks"].map(|part| format!("{PACKAGE}/{part}"))));
    }
}

/// The types of the package are complete, and those of the compiled module are as at run time.
fn types(context: &Context, report: &mut Report, venv: &Venv) {
    let settings = context.root().join(PACKAGE).join("pyproject.toml");
    let folder = venv::folder(context, "types");
    if !venv::empty(&folder, report) {
        return;
    }
    let mut mypy = venv.python(context);
    mypy.args(["-m", "mypy", "--strict", "--package", "hitscan", "--config-file"]).arg(&settings);
    report.run(mypy.arg("--cache-dir").arg(venv::folder(context, "mypy")).current_dir(&folder));
    let mut stubtest = venv.python(context);
    stubtest.args(["-m", "mypy.stubtest", "hitscan", "--mypy-config-file"]).arg(&settings);
    report.run(stubtest.current_dir(&folder).env("MYPY_CACHE_DIR", venv::folder(context, "mypy")));
}

/// Part `site`: the documentation as a site; a warning is an error. It reads the sources of the package, and needs no wheel. Without
/// `--quiet`, with which `--strict` ignores broken links (mkdocs 1.6.1).
pub(crate) fn site(context: &Context, report: &mut Report) {
    let list = fs::read_to_string(context.root().join("docs/requirements.txt"));
    let Some(list) = report.result(list.map_err(|error| format!("docs/requirements.txt: {error}"))) else { return };
    let Some(venv) = Venv::with(context, report, "site", &list) else { return };
    let mut mkdocs = venv.python(context);
    mkdocs.args(["-m", "mkdocs", "build", "--strict", "--site-dir"]).arg(venv::folder(context, "site"));
    report.run(mkdocs.env("NO_MKDOCS_2_WARNING", "1"));
}

/// The examples for Python in the READMEs run.
fn examples(context: &Context, report: &mut Report, venv: &Venv) {
    for page in ["README.md", "crates/hitscan-py/README.md"] {
        let text = fs::read_to_string(context.root().join(page)).unwrap_or_default();
        let blocks = python_blocks(&text);
        if blocks.is_empty() {
            report.step(Err(format!("{page} has no block ```python: show how Python uses the package")));
        }
        let folder = venv::folder(context, "examples");
        for block in blocks {
            let file = folder.join("example.py");
            if venv::empty(&folder, report) && report.step(fs::write(&file, &block).map_err(|error| error.to_string()))
            {
                println!("{page}:");
                report.run(venv.python(context).arg(&file).current_dir(&folder).env("MPLBACKEND", "agg"));
            }
        }
    }
}

/// The blocks of a page that are marked as Python.
fn python_blocks(page: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut within = false;
    for line in page.lines() {
        if line == "```python" {
            within = true;
            blocks.push(String::new());
        } else if line.starts_with("```") {
            within = false;
        } else if let Some(block) = blocks.last_mut().filter(|_| within) {
            *block += line;
            *block += "\n";
        }
    }
    blocks
}

/// The variable that names a checkout of trimesh's repository, for [`tests_of_trimesh`].
const TRIMESH: &str = "HITSCAN_TRIMESH";

/// trimesh's own tests of rays and of points, with the package in the place of its ray engine. They lie in the checkout that the
/// variable [`TRIMESH`] names, or in its source distribution, which has most of them.
fn tests_of_trimesh(context: &Context, report: &mut Report, venv: &Venv) {
    const NAME: &str = "python-trimesh-suite";
    let runner = context.root().join(PACKAGE).join("tests/trimesh_suite.py");
    let checkout = env::var_os(TRIMESH).map(PathBuf::from);
    let Some(sources) = checkout.or_else(|| sources_of_trimesh(context, venv)) else {
        return report.skip(NAME, "pip gets no source distribution of trimesh");
    };
    report.run(venv.python(context).arg(&runner).arg(&sources).stdin(Stdio::null()));
}

/// The folder of the source distribution of the trimesh that is installed.
fn sources_of_trimesh(context: &Context, venv: &Venv) -> Option<PathBuf> {
    let version = venv.python(context).args(["-c", "import trimesh; print(trimesh.__version__)"]).output().ok()?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let folder = venv::folder(context, "trimesh");
    let source = folder.join(format!("trimesh-{version}"));
    if source.exists() {
        return Some(source);
    }
    let mut pip = venv.python(context);
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-binary",
        "trimesh",
    ]);
    pip.arg(format!("trimesh=={version}")).arg("--dest").arg(&folder);
    announce(&pip);
    let mut unpack = context.command("tar");
    unpack.arg("-xzf").arg(folder.join(format!("trimesh-{version}.tar.gz"))).arg("-C").arg(&folder);
    let well = |command: &mut Command| command.status().is_ok_and(|status| status.success());
    (well(&mut pip) && well(&mut unpack)).then_some(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_an_import_is_cumulative() {
        let table = "import time: self [us] | cumulative | imported package\n\
                     import time:       100 |        100 |   hitscan._core\n\
                     import time:        23 |      12345 | hitscan\n";
        assert_eq!(import_microseconds(table), Some(12345));
        assert_eq!(import_microseconds("import time: 1 | 2 | numpy"), None);
    }

    #[test]
    fn blocks_of_python_are_found() {
        let page = "a\n```rust\nlet a;\n```\n```python\nimport a\n\nb()\n```\n```python\nc\n```\n";
        assert_eq!(python_blocks(page), ["import a\n\nb()\n", "c\n"]);
    }
}
