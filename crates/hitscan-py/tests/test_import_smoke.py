"""Smoke test of an installed wheel: every kind of query once, with known answers.

It needs NumPy only, so it runs on every platform and under emulation: `python test_import_smoke.py`. It prints a digest of the
answers to 4,000 rays, which is the same on every processor.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import pickle
import subprocess
import sys
import threading

import numpy as np
import numpy.typing as npt

import hitscan

RAYS = 4_000

# Packages that are imported where they are used, never by `import hitscan`.
OTHER_PACKAGES = {"matplotlib", "open3d", "pandas", "polars", "pyarrow", "pyvista", "scipy", "tqdm", "trimesh"}


def tetrahedron(dtype: npt.DTypeLike = np.float64) -> hitscan.TriangleMesh:
    """A closed mesh whose corners are four corners of the unit cube."""
    vertices = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=dtype)
    faces = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]], dtype=np.uint32)
    return hitscan.TriangleMesh(vertices, faces)


def rays(dtype: npt.DTypeLike) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.floating]]:
    """Rays from all around that go near the unit cube; the same numbers everywhere."""
    random = np.random.default_rng(7)
    origins = random.uniform(-4, 4, (RAYS, 3)).astype(dtype)
    targets = random.uniform(-0.5, 1.5, (RAYS, 3)).astype(dtype)
    return origins, targets - origins


def digest_of(dtype: npt.DTypeLike) -> str:
    """The bits of the closest hits of a mesh and of a scene."""
    mesh = tetrahedron(dtype)
    sphere = hitscan.Sphere(np.array([2, 0.5, 0.5], dtype=dtype), np.dtype(dtype).type(0.75))
    scene = hitscan.Scene([mesh, sphere])
    bits = hashlib.sha256()
    for target in (mesh, sphere, scene):
        hits = target.cast(*rays(dtype))
        assert hits.t.dtype == np.dtype(dtype), (hits.t.dtype, dtype)
        assert 100 < np.count_nonzero(hits.hit) < RAYS
        for column in (hits.hit, hits.t, hits.primitive, hits.normal, hits.point):
            values = np.ascontiguousarray(column)
            # Every NaN is the same NaN: which one it is, processors decide.
            if values.dtype.kind == "f":
                values = np.where(np.isnan(values), values.dtype.type(-1), values)
            bits.update(values.tobytes())
    return bits.hexdigest()


def digest() -> str:
    """The bits of all answers, in both precisions."""
    return hashlib.sha256((digest_of(np.float32) + digest_of(np.float64)).encode()).hexdigest()[:32]


def test_version() -> None:
    assert hitscan.__version__ == importlib.metadata.version("hitscan")


def test_imports_no_other_package() -> None:
    if __name__ == "__main__":
        assert OTHER_PACKAGES & set(sys.modules) == set()
    else:  # the test runner imports packages too
        code = f"import sys, hitscan; print(*sorted(set(sys.modules) & {OTHER_PACKAGES!r}))"
        output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert output.strip() == "", output


def test_one_ray() -> None:
    sphere = hitscan.Sphere((5.0, 0.0, 0.0), 1.0)
    hits = sphere.cast(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0]]))
    assert hits.t.tolist() == [4.0] and hits.hit.tolist() == [True]
    assert hits.point.tolist() == [[4.0, 0.0, 0.0]] and hits.normal.tolist() == [[-1.0, 0.0, 0.0]]


def test_two_dimensions() -> None:
    circle = hitscan.Circle((5.0, 0.0), 1.0)
    hits = circle.cast(np.zeros((2, 2)), np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert hits.t.tolist() == [4.0, np.inf]


def test_mesh() -> None:
    mesh = tetrahedron()
    assert mesh.is_closed
    assert mesh.contains(np.array([[0.5, 0.5, 0.5], [0.9, 0.9, 0.9]])).tolist() == [True, False]
    assert mesh.count(np.array([[0.5, 0.5, -1.0]]), np.array([[0.0, 0.0, 1.0]])).tolist() == [2]


def test_scene() -> None:
    scene = hitscan.Scene()
    first = scene.add(hitscan.Sphere((3.0, 0.0, 0.0), 1.0))
    second = scene.add(hitscan.Box((6.0, 0.0, 0.0), (1.0, 1.0, 1.0)), name="box")
    origins, directions = np.zeros((2, 3)), np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert scene.cast(origins, directions).object.tolist() == [first, -1]
    scene.remove(first)
    assert scene.cast(origins, directions).object.tolist() == [second, -1]
    assert scene.find("box") == second


def test_pickles() -> None:
    origins, directions = rays(np.float64)
    for target in (tetrahedron(), hitscan.Scene([tetrahedron()])):
        again = pickle.loads(pickle.dumps(target))
        assert np.array_equal(again.cast(origins, directions).t, target.cast(origins, directions).t)


def test_errors_are_exceptions() -> None:
    for radius, error in ((-1.0, ValueError), (float("nan"), ValueError), ("wide", (TypeError, ValueError))):
        try:
            hitscan.Sphere((0.0, 0.0, 0.0), radius)  # type: ignore[arg-type]
        except error:
            continue
        raise AssertionError(f"a sphere of radius {radius!r} has no error")


def test_threads_share_a_mesh() -> None:
    mesh, (origins, directions) = tetrahedron(), rays(np.float64)
    expected = mesh.cast(origins, directions).t
    answers: list[bool] = []

    def cast() -> None:
        answers.extend(np.array_equal(mesh.cast(origins, directions).t, expected) for _ in range(20))

    threads = [threading.Thread(target=cast) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 80 and all(answers)


def test_the_global_lock_stays_off() -> None:
    is_locked = getattr(sys, "_is_gil_enabled", lambda: True)
    if "free-threading" in sys.version:
        assert not is_locked()


def test_the_digest_is_the_same_each_time() -> None:
    assert digest() == digest()


if __name__ == "__main__":
    tests = [(name, test) for name, test in list(globals().items()) if name.startswith("test_")]
    for _, test in tests:
        test()
    print(
        f"hitscan {hitscan.__version__}, NumPy {np.__version__}, Python {sys.version.split()[0]}: {len(tests)} tests passed"
    )
    print(f"digest {digest()}")
