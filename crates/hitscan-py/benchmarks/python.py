"""Benchmark of hitscan and its peers in Python: time, wrong answers and memory for the same mesh and rays.

Peers, each if it is installed, by the fastest of its calls that gives the answer:

- Open3D: `RaycastingScene`, float32.
- embreex: `EmbreeScene.run`, float32, one thread. It does not count crossings.
- trimesh with embreex: its `RayMeshIntersector`, float32, one thread.
- trimesh in Python: its engine in NumPy and rtree, float64, one thread, up to 1,000 rays only.

Each query runs in every engine in turn, several times; the tables have medians. All rays are float32 numbers, so that
the float64 answers of hitscan are those of the same rays, and exact: they count the wrong answers of every engine.

Run it on a quiet machine::

    python benchmarks/python.py
    python benchmarks/python.py --mesh FILE.stl --rays 1000,100000 --threads 1
    python benchmarks/python.py --only-memory --memory-rays 10000000
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hitscan
import hitscan.open3d

Floats = NDArray[Any]
Answer = dict[str, NDArray[Any]]

QUERIES = ("closest", "any", "count")
# What a query has to return, in the words of the tables.
WHAT = {"closest": "closest hit with normal", "any": "any hit", "count": "number of crossings"}
KINDS = ("coherent", "incoherent")


@dataclass
class Rays:
    """The same rays in the forms that the engines take: made once, outside of the measured time."""

    origins: Floats
    directions: Floats
    origins64: Floats
    directions64: Floats
    rows: Floats

    @classmethod
    def of(cls, origins: Floats, directions: Floats) -> Rays:
        o, d = np.ascontiguousarray(origins, np.float32), np.ascontiguousarray(directions, np.float32)
        return cls(o, d, o.astype(np.float64), d.astype(np.float64), np.hstack([o, d]))

    def __len__(self) -> int:
        return len(self.origins)


class Engine:
    """Engine of ray queries: it answers with arrays, or with None if it has no such query."""

    name = ""
    peer = True
    threaded = False
    most = {"closest": 1 << 62, "any": 1 << 62, "count": 1 << 62}

    def run(self, query: str, rays: Rays, threads: int) -> Any:
        """Result of the query as the engine returns it. This is what is measured."""
        raise NotImplementedError

    def answer(self, query: str, result: Any, count: int) -> Answer:
        """Plain arrays of a result: `triangle` (-1 for a miss), `hit` or `count`."""
        raise NotImplementedError

    def arrays(self, result: Any) -> list[Any]:
        """Arrays that the engine returned."""
        values = result.values() if isinstance(result, dict) else result if isinstance(result, tuple) else (result,)
        return [value for value in values if hasattr(value, "nbytes")]


class Hitscan(Engine):
    peer = False
    threaded = True

    def __init__(self, vertices: Floats, faces: Floats, dtype: Any) -> None:
        self.name = f"hitscan {np.dtype(dtype).name}"
        self.is64 = dtype is np.float64
        self.mesh = hitscan.TriangleMesh(vertices.astype(dtype), faces)

    def run(self, query: str, rays: Rays, threads: int) -> Any:
        o, d = (rays.origins64, rays.directions64) if self.is64 else (rays.origins, rays.directions)
        if query == "closest":
            hits = self.mesh.cast(o, d, fields=("t", "primitive", "normal"), threads=threads, keep_rays=False)
            return {"t": hits.t, "primitive": hits.primitive, "normal": hits.normal}
        if query == "any":
            return self.mesh.cast_any(o, d, threads=threads)
        return self.mesh.count(o, d, threads=threads)

    def answer(self, query: str, result: Any, count: int) -> Answer:
        if query == "closest":
            return {"triangle": result["primitive"].astype(np.int64)}
        return {"hit": result} if query == "any" else {"count": result.astype(np.int64)}


class Open3DInterface(Engine):
    """The interface of Open3D in front of a scene: that of hitscan, or Open3D itself."""

    threaded = True

    def __init__(self, name: str, scene: Any, tensor: Callable[[Floats], Any], peer: bool) -> None:
        self.name, self.scene, self.tensor, self.peer = name, scene, tensor, peer
        self.last: tuple[int, Any] = (0, None)

    def input(self, rays: Rays) -> Any:
        """Tensor that shares the memory of the rays."""
        if self.last[0] != id(rays):
            self.last = (id(rays), self.tensor(rays.rows))
        return self.last[1]

    def run(self, query: str, rays: Rays, threads: int) -> Any:
        rows = self.input(rays)
        if query == "closest":
            return self.scene.cast_rays(rows, nthreads=threads)
        if query == "any":
            return self.scene.test_occlusions(rows, nthreads=threads)
        return self.scene.count_intersections(rows, nthreads=threads)

    def answer(self, query: str, result: Any, count: int) -> Answer:
        if query == "closest":
            ids = result["primitive_ids"].numpy()
            return {"triangle": np.where(ids == hitscan.open3d.RaycastingScene.INVALID_ID, -1, ids.astype(np.int64))}
        if query == "any":
            return {"hit": result.numpy()}
        return {"count": result.numpy().astype(np.int64)}

    def arrays(self, result: Any) -> list[Any]:
        return [value.numpy() for value in (result.values() if isinstance(result, dict) else (result,))]


class Embreex(Engine):
    name = "embreex"
    most = Engine.most | {"count": 0}

    def __init__(self, vertices: Floats, faces: Floats) -> None:
        construction: Any = importlib.import_module("embreex.mesh_construction")
        self.scene: Any = importlib.import_module("embreex.rtcore_scene").EmbreeScene()
        construction.TriangleMesh(
            scene=self.scene, vertices=vertices.astype(np.float32), indices=faces.astype(np.int32)
        )

    def run(self, query: str, rays: Rays, threads: int) -> Any:
        if query == "closest":
            return self.scene.run(rays.origins, rays.directions, output=True)
        return self.scene.run(rays.origins, rays.directions, query="OCCLUDED")

    def answer(self, query: str, result: Any, count: int) -> Answer:
        if query == "closest":
            return {"triangle": result["primID"].astype(np.int64)}
        # An occluded ray has 0, any other -1.
        return {"hit": np.asarray(result) != -1}


class Trimesh(Engine):
    def __init__(self, vertices: Floats, faces: Floats, engine: str) -> None:
        trimesh: Any = importlib.import_module("trimesh")
        self.mesh = trimesh.Trimesh(vertices.astype(np.float64), faces, process=False)
        if engine == "embreex":
            self.name = "trimesh+embreex"
            self.most = {"closest": 1_000_000, "any": 1 << 62, "count": 1_000_000}
            self.ray: Any = trimesh.ray.ray_pyembree.RayMeshIntersector(self.mesh)
        else:
            self.name = "trimesh"
            self.most = dict.fromkeys(QUERIES, 1_000)
            self.ray = trimesh.ray.ray_triangle.RayMeshIntersector(self.mesh)
        self.normals = self.mesh.face_normals

    def run(self, query: str, rays: Rays, threads: int) -> Any:
        o, d = rays.origins64, rays.directions64
        if query == "closest":
            triangle, ray, point = self.ray.intersects_id(o, d, multiple_hits=False, return_locations=True)
            return triangle, ray, point, self.normals[triangle]
        if query == "any":
            return self.ray.intersects_any(o, d)
        return np.bincount(self.ray.intersects_location(o, d)[1], minlength=len(rays))

    def answer(self, query: str, result: Any, count: int) -> Answer:
        if query == "closest":
            triangle = np.full(count, -1)
            triangle[result[1]] = result[0]
            return {"triangle": triangle}
        return {"hit": result} if query == "any" else {"count": result}


def engines(vertices: Floats, faces: Floats, names: Iterable[str] | None = None) -> list[Engine]:
    """Engines that are installed, each with the mesh and its bounding volume hierarchy."""

    def has(module: str) -> bool:
        return importlib.util.find_spec(module) is not None

    def open3d() -> Engine:
        open3d: Any = importlib.import_module("open3d")
        scene = open3d.t.geometry.RaycastingScene()
        scene.add_triangles(open3d.core.Tensor(vertices), open3d.core.Tensor(faces))
        return Open3DInterface("open3d", scene, open3d.core.Tensor.from_numpy, peer=True)

    def ours() -> Engine:
        scene = hitscan.open3d.RaycastingScene()
        scene.add_triangles(vertices, faces)
        return Open3DInterface("hitscan.open3d", scene, lambda rows: rows, peer=False)

    makers: dict[str, tuple[bool, Callable[[], Engine]]] = {
        "hitscan float32": (True, lambda: Hitscan(vertices, faces, np.float32)),
        "hitscan float64": (True, lambda: Hitscan(vertices, faces, np.float64)),
        "hitscan.open3d": (True, ours),
        "open3d": (has("open3d"), open3d),
        "embreex": (has("embreex"), lambda: Embreex(vertices, faces)),
        "trimesh+embreex": (has("trimesh") and has("embreex"), lambda: Trimesh(vertices, faces, "embreex")),
        "trimesh": (has("trimesh") and has("rtree"), lambda: Trimesh(vertices, faces, "rtree")),
    }
    for name in makers:
        if not makers[name][0] and (names is None or name in names):
            print(f"not installed: {name}")
    return [make() for name, (there, make) in makers.items() if there and (names is None or name in names)]


def bumpy_sphere(triangles: int) -> tuple[Floats, Floats]:
    """Closed sphere with bumps of about as many triangles: float32 vertices and uint32 faces."""
    rows = max(int((triangles / 2) ** 0.5), 3)
    columns = max(triangles // (2 * (rows - 1)), 3)
    latitude = np.linspace(-np.pi / 2, np.pi / 2, rows + 1)[1:-1, None]
    longitude = np.linspace(0, 2 * np.pi, columns, endpoint=False)[None, :]
    bumps = np.sin(9 * longitude) * np.sin(11 * latitude) * np.cos(latitude)
    radius = 1 + 0.1 * bumps + 0.02 * np.sin(40 * longitude) * np.cos(latitude) ** 2
    flat = radius * np.cos(latitude)
    ring = np.stack([flat * np.cos(longitude), flat * np.sin(longitude), radius * np.sin(latitude)], axis=-1)
    vertices = np.vstack([ring.reshape(-1, 3), [[0, 0, -1], [0, 0, 1]]])
    south, north = len(vertices) - 2, len(vertices) - 1
    j = np.arange(columns)
    k = (j + 1) % columns
    a, b = np.arange(rows - 2)[:, None] * columns + j, np.arange(rows - 2)[:, None] * columns + k
    sides = [np.stack([a, b, b + columns], -1), np.stack([a, b + columns, a + columns], -1)]
    last = (rows - 2) * columns
    caps = [
        np.stack([np.full(columns, south), k, j], -1),
        np.stack([last + j, last + k, np.full(columns, north)], -1),
    ]
    faces = np.concatenate([part.reshape(-1, 3) for part in sides + caps])
    return vertices.astype(np.float32), faces.astype(np.uint32)


def make_rays(kind: str, count: int, vertices: Floats) -> Rays:
    """Rays of a camera, row by row, or rays between random points around the mesh."""
    low, high = vertices.min(axis=0).astype(np.float64), vertices.max(axis=0).astype(np.float64)
    center, size = (low + high) / 2, float((high - low).max())
    if kind == "coherent":
        side = max(int(count**0.5), 1)
        eye = center + size * np.array([0.9, 1.3, 0.6])
        camera = hitscan.open3d.RaycastingScene.create_rays_pinhole(45, center, eye, [0, 0, 1], side, -(-count // side))
        rows = camera.numpy().reshape(-1, 6)[:count]
        return Rays.of(rows[:, :3], rows[:, 3:])
    random = np.random.default_rng(1)
    start = center + size * (random.random((count, 3)) - 0.5) * 2.4
    end = low + (high - low) * random.random((count, 3))
    return Rays.of(start, end - start)


def time_once(engine: Engine, query: str, rays: Rays, threads: int) -> float:
    """Seconds of one call. A short call is repeated, so that the clock and the loop do not count."""
    loops, least = 1, 0.02
    while True:
        start = time.perf_counter()
        for _ in range(loops):
            engine.run(query, rays, threads)
        took = time.perf_counter() - start
        if took >= least or loops >= 1 << 20:
            return took / loops
        loops = max(loops * 2, int(loops * least / max(took, 1e-9) * 1.2))


def plane_t(vertices: Floats, faces: Floats, rays: Rays, rows: Floats, triangles: Floats) -> Floats:
    """Ray parameter at the plane of a triangle, in extended precision."""
    a, b, c = (vertices[faces[triangles, i]].astype(np.longdouble) for i in range(3))
    normal = np.cross(b - a, c - a)
    to_plane = np.einsum("ij,ij->i", normal, a - rays.origins64[rows])
    with np.errstate(divide="ignore", invalid="ignore"):
        t: Floats = to_plane / np.einsum("ij,ij->i", normal, rays.directions64[rows].astype(np.longdouble))
    return t


def wrong(answer: Answer, truth: Answer, rays: Rays, vertices: Floats, faces: Floats) -> str:
    """Wrong answers in words: hits missed and invented, other triangles, other counts.

    Another triangle at the same distance is not wrong: the ray passes through a shared edge or vertex.
    """
    if "count" in answer:
        return f"{int((answer['count'] != truth['count']).sum())} counts"
    hit = answer["hit"] if "hit" in answer else answer["triangle"] >= 0
    true_hit = truth["hit"] if "hit" in truth else truth["triangle"] >= 0
    text = f"{int((true_hit & ~hit).sum())} missed, {int((hit & ~true_hit).sum())} invented"
    if "triangle" in answer:
        rows = np.flatnonzero(hit & true_hit & (answer["triangle"] != truth["triangle"]))
        ours = plane_t(vertices, faces, rays, rows, truth["triangle"][rows])
        theirs = plane_t(vertices, faces, rays, rows, answer["triangle"][rows])
        # Rounding of extended precision, relative to the numbers of the scene.
        other = ~(np.abs(ours - theirs) <= 1e-15 * np.abs(ours))
        text += f", {int(other.sum())} other triangles"
    return text


def measure(options: argparse.Namespace, vertices: Floats, faces: Floats) -> list[dict[str, Any]]:
    """Times and wrong answers of all engines, printed as tables."""
    found = engines(vertices, faces)
    exact = next(engine for engine in found if engine.name == "hitscan float64")
    results: list[dict[str, Any]] = []
    for kind in options.kinds:
        for count in options.rays:
            rays = make_rays(kind, count, vertices)
            for query in options.queries:
                truth = exact.answer(query, exact.run(query, rays, 0), count)
                errors = {}
                for threads in options.threads:
                    # Engines of one thread run once.
                    cells = [e for e in found if e.threaded or threads == options.threads[0]]
                    cells = [e for e in cells if count <= e.most[query]]
                    times: dict[str, list[float]] = {engine.name: [] for engine in cells}
                    for engine in cells:
                        # The first call is not measured: it builds what is built once. Its answers are compared.
                        result = engine.run(query, rays, threads)
                        if engine.name not in errors:
                            answer = engine.answer(query, result, count)
                            errors[engine.name] = wrong(answer, truth, rays, vertices, faces)
                        del result
                    for _ in range(options.repeat):
                        for engine in cells:
                            if sum(times[engine.name]) < options.seconds or not times[engine.name]:
                                times[engine.name].append(time_once(engine, query, rays, threads))
                    medians = {name: statistics.median(values) for name, values in times.items()}
                    best = min((medians[e.name] for e in cells if e.peer), default=None)
                    with_threads = f"{threads} thread" if threads == 1 else f"{threads or 'all'} threads"
                    print(f"\n{WHAT[query]}, {count:,} {kind} rays, {with_threads}")
                    for engine in cells:
                        median = medians[engine.name]
                        ratio = f"{best / median:8.2f} x" if best is not None and not engine.peer else " " * 10
                        print(
                            f"  {engine.name:<16}{median:12.3e} s {count / median / 1e6:10.3f} Mrays/s {ratio}"
                            f"  {errors[engine.name]}"
                        )
                        results.append(
                            {
                                "query": query,
                                "kind": kind,
                                "rays": count,
                                "threads": threads,
                                "engine": engine.name,
                                "median_s": median,
                                "runs": len(times[engine.name]),
                                "over_best_peer": best / median if best is not None and not engine.peer else None,
                                "wrong": errors[engine.name],
                            }
                        )
    return results


def status(name: str) -> int:
    """Bytes of a field of the status of this process, such as VmHWM."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {name}")


def memory_of(options: argparse.Namespace, vertices: Floats, faces: Floats) -> None:
    """Peak memory of one query of one engine in this process, printed as JSON."""
    name, query = options.inner_memory
    (engine,) = engines(vertices, faces, [name])
    rays = make_rays("incoherent", options.memory_rays, vertices)
    few = make_rays("incoherent", 10, vertices)
    engine.run(query, few, 0)
    if isinstance(engine, Open3DInterface):
        engine.input(rays)
    # Give freed memory back to the system, and let the kernel count the peak anew.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = status("VmRSS")
    result = engine.run(query, rays, 0)
    peak = status("VmHWM") - before
    print(json.dumps({"peak": peak, "returned": sum(int(array.nbytes) for array in engine.arrays(result))}))


def measure_memory(options: argparse.Namespace, vertices: Floats, faces: Floats) -> list[dict[str, Any]]:
    """Peak memory of each query, each in a process of its own, printed as a table."""
    if not Path("/proc/self/clear_refs").exists():
        print("memory is measured on Linux only")
        return []
    results = []
    print(f"\nmemory of a query with {options.memory_rays:,} rays, all threads")
    print(f"  {'engine':<16}{'query':<10}{'peak MiB':>10}{'returned MiB':>14}{'peak over returned':>20}")
    for engine in engines(vertices, faces):
        for query in options.queries:
            if engine.most[query] < options.memory_rays:
                continue
            arguments = ["--inner-memory", engine.name, query, "--memory-rays", str(options.memory_rays)]
            arguments += ["--mesh", str(options.mesh)] if options.mesh else ["--triangles", str(options.triangles)]
            done = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                print(f"  {engine.name:<16}{query:<10} failed: {done.stderr.strip().splitlines()[-1]}")
                continue
            row = json.loads(done.stdout.strip().splitlines()[-1])
            ratio = row["peak"] / row["returned"] if row["returned"] else float("nan")
            peak, returned = row["peak"] / 2**20, row["returned"] / 2**20
            print(f"  {engine.name:<16}{query:<10}{peak:>10.1f}{returned:>14.1f}{ratio:>20.2f}")
            results.append({"engine": engine.name, "query": query, "rays": options.memory_rays, **row})
    return results


def parse() -> argparse.Namespace:
    """Options of the command line."""

    def numbers(text: str) -> list[int]:
        return [int(part.replace("_", "")) for part in text.split(",")]

    def words(choices: tuple[str, ...]) -> Callable[[str], list[str]]:
        def split(text: str) -> list[str]:
            for part in text.split(","):
                if part not in choices:
                    raise argparse.ArgumentTypeError(f"{part}: give some of {','.join(choices)}")
            return text.split(",")

        return split

    parser = argparse.ArgumentParser(description="hitscan and its peers in Python")
    parser.add_argument("--mesh", type=Path, help="mesh file; a sphere with bumps if left out")
    parser.add_argument("--triangles", type=int, default=70_000, help="size of the sphere")
    parser.add_argument("--rays", type=numbers, default=[1, 1_000, 100_000, 10_000_000], help="numbers of rays")
    parser.add_argument("--threads", type=numbers, default=[1, 0], help="numbers of threads; 0: all")
    parser.add_argument("--queries", type=words(QUERIES), default=list(QUERIES), help=",".join(QUERIES))
    parser.add_argument("--kinds", type=words(KINDS), default=list(KINDS), help=",".join(KINDS))
    parser.add_argument("--repeat", type=int, default=7, help="measured calls of each engine")
    parser.add_argument("--seconds", type=float, default=20, help="no further repetition of an engine after this time")
    parser.add_argument("--memory-rays", type=int, default=1_000_000, help="rays of the memory table")
    parser.add_argument("--only-memory", action="store_true", help="the memory table only")
    parser.add_argument("--json", type=Path, help="file for the results")
    parser.add_argument("--inner-memory", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options = parse()
    if options.mesh is None:
        vertices, faces = bumpy_sphere(options.triangles)
    else:
        loaded: Any = hitscan.load(options.mesh, dtype=np.float32)
        vertices, faces = loaded.vertices, loaded.faces
    if options.inner_memory:
        memory_of(options, vertices, faces)
        return
    packages = ("numpy", "open3d", "embreex", "trimesh")
    # A module may come from another distribution: open3d from open3d-cpu.
    distributions = importlib.metadata.packages_distributions()
    there = [
        f"{name} {importlib.metadata.version(distributions[name][0])}" for name in packages if name in distributions
    ]
    print(f"hitscan {hitscan.__version__}, Python {platform.python_version()}, {', '.join(there)}")
    print(f"{os.cpu_count()} processors ({platform.machine()}), {len(faces):,} triangles")
    print("x: how many times as fast as the best peer; wrong answers: against float64 hitscan, which is exact")
    results: dict[str, Any] = {}
    if not options.only_memory:
        results["times"] = measure(options, vertices, faces)
    results["memory"] = measure_memory(options, vertices, faces)
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
