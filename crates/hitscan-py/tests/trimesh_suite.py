"""Run trimesh's own tests with hitscan in the place of its ray and proximity queries.

Usage::

    python trimesh_suite.py FOLDER [TEST_FILE ...]

FOLDER holds trimesh's sources of the installed version. A checkout of its repository has all that the tests need. The
sdist (`pip download --no-binary trimesh --no-deps trimesh==VERSION`) lacks `models` and `tests/generic.py`: its tests
run in a temporary copy with a stand-in for `generic`. There, a test that asks for a model is skipped by name.

The tests run twice: with trimesh's own engines, and with `hitscan.trimesh` in their place. A test that fails with
hitscan only must be in `EXPLAINED`; otherwise the exit status is 1. It is also 1 if too few tests ran, or if hitscan
answered too few queries.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
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

# The fewest tests that must run, and the fewest queries that hitscan must answer in them, with all of `FILES`. From the
# sdist of 5.2.0, 123 tests run where trimesh has none of its optional packages but SciPy and rtree. They have about 200
# queries: a few tests draw random numbers without a seed.
LEAST_TESTS = 110
LEAST_QUERIES = 120

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


# End of the reason for which the stand-in skips a test.
_MISSING = "is not in the sdist"


def _missing(what: str) -> NoReturn:
    pytest.skip(f"{what} {_MISSING}", allow_module_level=True)


class _Data:
    """Stand-in for the JSON files of `tests/data`."""

    def __getitem__(self, name: str) -> NoReturn:
        _missing(f"data {name}")


class _Profiler:
    """Profiler that measures nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def output_text(self) -> str:
        return ""


class _Generic(ModuleType):
    """Stand-in for `tests/generic.py`, the module from which the tests take other modules, helpers and models.

    It has no models: a test that asks for one is skipped. A name that is missing here is that of a module to import.
    """

    # Names that are not those of modules: the module, and the name of its member if it is not the module itself.
    MEMBERS: ClassVar[dict[str, tuple[str, str]]] = {
        "np": ("numpy", ""),
        "nx": ("networkx", ""),
        "sp": ("sympy", ""),
        "jsonschema": ("jsonschema", ""),
        "spatial": ("scipy.spatial", ""),
        "tf": ("trimesh.transformations", ""),
        "tol": ("trimesh.constants", "tol"),
        "tol_path": ("trimesh.constants", "tol_path"),
        "log": ("trimesh.constants", "log"),
        "Trimesh": ("trimesh", "Trimesh"),
        "Point": ("shapely.geometry", "Point"),
        "Polygon": ("shapely.geometry", "Polygon"),
        "LineString": ("shapely.geometry", "LineString"),
        "deque": ("collections", "deque"),
        "deepcopy": ("copy", "deepcopy"),
        "uuid4": ("uuid", "uuid4"),
        "TemporaryDirectory": ("tempfile", "TemporaryDirectory"),
    }

    Profiler = _Profiler

    def __init__(self) -> None:
        super().__init__("generic")
        trimesh: Any = importlib.import_module("trimesh")
        # trimesh's tests are written for its strict mode, in which it raises errors that it hides otherwise.
        trimesh.util._STRICT = trimesh.constants.tol.strict = trimesh.constants.tol_path.strict = True
        self.trimesh = trimesh
        self.data = _Data()
        self.has_path = find_spec("shapely") is not None
        self.has_earcut = find_spec("mapbox_earcut") is not None
        self.has_binvox = shutil.which("binvox") is not None
        self.transforms = np.stack(list(self.random_transforms(100, translate=0)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self.MEMBERS:
            module, member = self.MEMBERS[name]
            found = pytest.importorskip(module)
            return getattr(found, member) if member else found
        try:
            return importlib.import_module(name)
        except ImportError:
            raise AttributeError(f"the stand-in for trimesh's `generic` lacks {name}") from None

    @staticmethod
    def random(shape: Any = None) -> Any:
        """Numbers from 0 to 1, the same ones in every call."""
        return np.random.RandomState(1).random_sample(shape)

    @staticmethod
    @contextmanager
    def RandomSeed(seed: int = 1) -> Iterator[Any]:
        """NumPy's global generator with a seed, and afterwards as it was before."""
        before = np.random.get_state()
        np.random.seed(seed)
        try:
            yield np.random
        finally:
            np.random.set_state(before)

    def random_transforms(self, count: int, translate: float = 1000) -> Iterator[Any]:
        """Rotations with translations of up to half of a length along each axis."""
        for numbers in self.random((count, 6)):
            matrix = self.trimesh.transformations.random_rotation_matrix(numbers[:3])
            matrix[:3, 3] = translate * (numbers[3:] - 0.5)
            yield matrix

    def get_mesh(self, name: object, *_: object, **__: object) -> NoReturn:
        _missing(f"model {name}")

    def get_meshes(self, *_: object, **__: object) -> NoReturn:
        _missing("the folder of models")

    get_path = get_scene = get_mesh
    get_2D = serve_meshes = get_meshes
    dir_models = dir_2D = property(get_meshes)


class Recorder:
    """Plugin of pytest that records the outcome of each test, and how many queries hitscan answered in it."""

    def __init__(self) -> None:
        self.calls = _Calls()
        self.tests: dict[str, dict[str, Any]] = {}
        self.before = 0

    def pytest_configure(self) -> None:
        if os.environ[_ENGINE] == "hitscan":
            _replace_engines(self.calls)
        if not Path("generic.py").exists():
            sys.modules["generic"] = _Generic()

    def pytest_runtest_setup(self) -> None:
        self.before = self.calls.total

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.rsplit("/", 1)[-1]
        test = self.tests.setdefault(name, {"outcome": "passed", "why": "", "queries": 0})
        test["queries"] = self.calls.total - self.before
        if report.failed or report.skipped:
            test["outcome"] = report.outcome
            crash = getattr(report.longrepr, "reprcrash", None)
            why = crash.message if crash is not None else report.longrepr
            if isinstance(why, tuple):
                # A skipped test: the file, the line and the reason.
                why = why[2].removeprefix("Skipped: ")
            test["why"] = str(why).strip().splitlines()[0]
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


def _without_models(folder: Path, copy: Path) -> Path:
    """The tests of an sdist in a temporary copy, where the stand-in takes the place of `generic`."""
    shutil.copytree(folder / "tests", copy / "tests", ignore=shutil.ignore_patterns("generic.py"))
    # It has the settings of pytest.
    shutil.copy(folder / "pyproject.toml", copy)
    return copy / "tests"


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

    folder = options.folder.resolve()
    tests = folder / "tests"
    files = options.files or [name for name in FILES if (tests / name).exists()]
    if not files:
        parser.error(f"{tests} has none of these files: {' '.join(FILES)}")
    complete = (tests / "generic.py").exists() and (folder / "models").exists()
    with tempfile.TemporaryDirectory() as copy:
        if not complete:
            tests = _without_models(folder, Path(copy))
        theirs = _run(tests, files, "trimesh")
        ours = _run(tests, files, "hitscan")

    used = sum(test["queries"] > 0 for test in ours.values())
    queries = sum(test["queries"] for test in ours.values())
    models = "with all models" if complete else "from the sdist, without models"
    print(f"trimesh {importlib.metadata.version('trimesh')} {models}, {len(files)} files: {' '.join(files)}")
    print(f"{'engine':<10}{'passed':>8}{'failed':>8}{'skipped':>9}{'of these, without model':>25}")
    for engine, outcomes in (("trimesh", theirs), ("hitscan", ours)):
        passed, failed, skipped = (_count(outcomes, outcome) for outcome in ("passed", "failed", "skipped"))
        missing = sum(test["outcome"] == "skipped" and _MISSING in test["why"] for test in outcomes.values())
        print(f"{engine:<10}{passed:>8}{failed:>8}{skipped:>9}{missing:>25}")
    print(f"hitscan answered {queries} calls, in {used} of {len(ours)} tests")

    wrong = explained = 0
    for name, test in ours.items():
        before = theirs.get(name, {"outcome": "not run", "why": ""})
        if test["outcome"] == "skipped" and _MISSING in test["why"]:
            print(f"skipped: {name}: {test['why']}")
        elif test["outcome"] == "failed" and before["outcome"] == "failed":
            print(f"fails with both: {name}: {before['why']}")
        elif test["outcome"] == "failed":
            reason = EXPLAINED.get(name)
            wrong += reason is None
            explained += reason is not None
            print(f"{'explained' if reason else 'UNEXPLAINED'}: {name}: {test['why']}")
            if reason:
                print(f"    {reason}")
        elif before["outcome"] == "failed":
            print(f"passes with hitscan only: {name}: {before['why']}")
    for name in EXPLAINED:
        if name in ours and ours[name]["outcome"] == "passed":
            print(f"explained, but passes: {name}")
    print(f"fails with hitscan only: {explained} explained, {wrong} unexplained")

    ran = _count(ours, "passed") + _count(ours, "failed")
    least_tests, least_queries = (1, 1) if options.files else (LEAST_TESTS, LEAST_QUERIES)
    if ran < least_tests or queries < least_queries:
        print(f"TOO FEW: {ran} tests ran of at least {least_tests}, {queries} queries of at least {least_queries}")
        return 1
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
