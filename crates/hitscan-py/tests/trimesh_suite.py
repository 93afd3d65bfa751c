"""Run trimesh's own tests with hitscan in the place of its ray and proximity queries.

Usage::

    python trimesh_suite.py FOLDER [TEST_FILE ...]

FOLDER holds trimesh's sources of the installed version with `tests` and `models`. A checkout of its repository has
them. The sdist (`pip download --no-binary :all: --no-deps trimesh==VERSION`) lacks `models`, `tests/generic.py` and
`tests/helpers`: copy these into it.

The tests run twice: with trimesh's own engines, and with `hitscan.trimesh` in their place. A test that fails with
hitscan only must be in `EXPLAINED`; otherwise the exit status is 1.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

# Tests whose failure with hitscan is right, and why. The key is the file and the test as pytest writes them.
EXPLAINED: dict[str, str] = {
    "test_proximity.py::NearestTest::test_returns_correct_point_in_ambiguous_cases": (
        "The point is at a distance of 0.25 from face 0 and of 0.25 + 10^-9 from face 1. The test wants face 1, which "
        "trimesh prefers for its normal as the difference is below its tolerance of 10^-8. hitscan returns the nearer "
        "face 0."
    ),
}

# The files of trimesh 5.2 that use `mesh.ray`, `mesh.contains`, `mesh.nearest` or `trimesh.proximity`.
FILES = (
    "test_ray.py",
    "test_ray_upstream.py",
    "test_proximity.py",
    "test_thickness.py",
    "test_voxel.py",
    "test_remesh.py",
    "test_registration.py",
    "test_primitives.py",
    "test_sample.py",
    "test_medial.py",
    "test_extrude.py",
    "test_util.py",
    "test_mesh.py",
)

# The variables by which the runner tells its plugin what to do: where to write the results, and which engines to use.
_RESULTS = "HITSCAN_SUITE_RESULTS"
_ENGINE = "HITSCAN_SUITE_ENGINE"


class _Calls:
    """Number of queries that hitscan answered, counted where every query takes its mesh from."""

    def __init__(self) -> None:
        self.total = 0

    def count(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.total += 1
            return method(*args, **kwargs)

        return counted


def _replace_engines(calls: _Calls) -> None:
    """Put hitscan in the place of both ray engines and of the proximity queries of trimesh."""
    import hitscan.trimesh as ours

    trimesh: Any = importlib.import_module("trimesh")
    source: Any = ours._Source
    source.triangles = calls.count(source.triangles)
    source.vertices = calls.count(source.vertices)
    trimesh.ray.ray_triangle.RayMeshIntersector = ours.RayMeshIntersector
    if trimesh.ray.has_embree:
        trimesh.ray.ray_pyembree.RayMeshIntersector = ours.RayMeshIntersector
    else:
        # Without embreex, tests of that engine would be skipped.
        module: Any = ModuleType("trimesh.ray.ray_pyembree")
        module.RayMeshIntersector = ours.RayMeshIntersector
        sys.modules["trimesh.ray.ray_pyembree"] = trimesh.ray.ray_pyembree = module
        trimesh.ray.has_embree = True
    trimesh.proximity.ProximityQuery = ours.ProximityQuery
    trimesh.proximity.closest_point = ours.closest_point
    trimesh.proximity.signed_distance = ours.signed_distance


class Recorder:
    """Plugin of pytest that records the outcome of each test, and how many queries hitscan answered in it."""

    def __init__(self) -> None:
        self.calls = _Calls()
        self.tests: dict[str, dict[str, Any]] = {}
        self.before = 0

    def pytest_configure(self) -> None:
        if os.environ[_ENGINE] == "hitscan":
            _replace_engines(self.calls)

    def pytest_runtest_setup(self) -> None:
        self.before = self.calls.total

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.rsplit("/", 1)[-1]
        test = self.tests.setdefault(name, {"outcome": "passed", "why": "", "queries": 0})
        test["queries"] = self.calls.total - self.before
        if report.failed or report.skipped:
            test["outcome"] = report.outcome
            crash = getattr(report.longrepr, "reprcrash", None)
            test["why"] = str(crash.message if crash is not None else report.longrepr).strip().splitlines()[0]
            if crash is not None:
                test["why"] += f" ({Path(crash.path).name}:{crash.lineno})"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed or report.skipped:
            name = report.nodeid.rsplit("/", 1)[-1]
            self.tests[name] = {"outcome": report.outcome, "why": str(report.longrepr)[-200:], "queries": 0}

    def pytest_sessionfinish(self) -> None:
        Path(os.environ[_RESULTS]).write_text(json.dumps(self.tests), encoding="utf-8")


def _run(tests: Path, files: list[str], engine: str) -> dict[str, dict[str, Any]]:
    """Outcomes of the tests with an engine, by their names."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        environment = os.environ | {_RESULTS: str(results), _ENGINE: engine}
        # Results of the tests depend on the folder that they are run in: they import `generic` from there.
        done = subprocess.run(
            [sys.executable, str(Path(__file__).resolve()), "--inner", str(tests), *files],
            cwd=tests,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if not results.exists():
            raise SystemExit(f"pytest stopped with {engine}:\n{done.stdout}\n{done.stderr}")
        outcomes: dict[str, dict[str, Any]] = json.loads(results.read_text(encoding="utf-8"))
        return outcomes


def _count(outcomes: dict[str, dict[str, Any]], outcome: str) -> int:
    return sum(test["outcome"] == outcome for test in outcomes.values())


def main() -> int:
    """Run the tests, print a table, and return the exit status."""
    parser = argparse.ArgumentParser(description="trimesh's own tests with hitscan in the place of its engines")
    parser.add_argument("folder", type=Path, help="trimesh's sources, with tests and models")
    parser.add_argument("files", nargs="*", help="test files; all that use rays or proximity if left out")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inner:
        arguments = ["-q", "-p", "no:cacheprovider", "-W", "ignore", *options.files]
        return int(pytest.main(arguments, plugins=[Recorder()]))

    tests = options.folder.resolve() / "tests"
    for needed in (tests / "generic.py", options.folder / "models"):
        if not needed.exists():
            parser.error(f"{needed} is missing: copy it from the repository of trimesh, an sdist does not have it")
    files = options.files or [name for name in FILES if (tests / name).exists()]
    theirs = _run(tests, files, "trimesh")
    ours = _run(tests, files, "hitscan")

    used = sum(test["queries"] > 0 for test in ours.values())
    queries = sum(test["queries"] for test in ours.values())
    print(f"trimesh {importlib.metadata.version('trimesh')}, {len(files)} files: {' '.join(files)}")
    print(f"{'engine':<10}{'passed':>8}{'failed':>8}{'skipped':>9}")
    for engine, outcomes in (("trimesh", theirs), ("hitscan", ours)):
        passed, failed, skipped = (_count(outcomes, outcome) for outcome in ("passed", "failed", "skipped"))
        print(f"{engine:<10}{passed:>8}{failed:>8}{skipped:>9}")
    print(f"hitscan answered {queries} calls, in {used} of {len(ours)} tests")

    wrong = 0
    for name, test in ours.items():
        before = theirs.get(name, {"outcome": "not run", "why": ""})
        if test["outcome"] == "failed" and before["outcome"] == "failed":
            print(f"fails with both: {name}: {before['why']}")
        elif test["outcome"] == "failed":
            reason = EXPLAINED.get(name)
            wrong += reason is None
            print(f"{'explained' if reason else 'UNEXPLAINED'}: {name}: {test['why']}")
            if reason:
                print(f"    {reason}")
        elif before["outcome"] == "failed":
            print(f"passes with hitscan only: {name}: {before['why']}")
    for name in EXPLAINED:
        if name in ours and ours[name]["outcome"] == "passed":
            print(f"explained, but passes: {name}")
    if used == 0:
        print("no test used hitscan")
        return 1
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
