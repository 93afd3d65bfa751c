"""What billions of rays cost: processor time, memory and bytes per ray of `cast_files`, in one process and on Dask workers.

    python benchmarks/scale.py --rays 100_000_000 --files 10

It makes its own mesh (a torus knot of 70,000 triangles) and Parquet files of incoherent rays, of which some 40 % hit, and prints
the table and the estimates of docs/scale.md. Times of the clock count while nothing else runs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import hitscan


def knot(around: int = 1000, along: int = 35) -> hitscan.TriangleMesh:
    """A torus knot of 2 * around * along triangles."""
    t, s = np.meshgrid(
        np.linspace(0, 2 * np.pi, around, endpoint=False),
        np.linspace(0, 2 * np.pi, along, endpoint=False),
        indexing="ij",
    )

    def curve(t: Any) -> Any:
        r = 2 + np.cos(3 * t)
        return np.stack([r * np.cos(2 * t), r * np.sin(2 * t), np.sin(3 * t)], axis=-1)

    tangent = curve(t + 1e-4) - curve(t - 1e-4)
    side = np.cross(tangent, curve(t))
    side /= np.linalg.norm(side, axis=-1, keepdims=True)
    up = np.cross(side, tangent)
    up /= np.linalg.norm(up, axis=-1, keepdims=True)
    vertices = curve(t) + 0.3 * (np.cos(s)[..., None] * side + np.sin(s)[..., None] * up)
    i, j = np.meshgrid(np.arange(around), np.arange(along), indexing="ij")
    a, b = i * along + j, (i + 1) % around * along + j
    c, d = i * along + (j + 1) % along, (i + 1) % around * along + (j + 1) % along
    faces = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([b, d, c], -1).reshape(-1, 3)])
    return hitscan.TriangleMesh(vertices.reshape(-1, 3).astype(np.float32), faces.astype(np.uint32))


def write_rays(folder: Path, rays: int, files: int) -> int:
    """Writes tables of rays. Returns their bytes."""
    folder.mkdir(parents=True)
    bytes_in = 0
    for number in range(files):
        rng = np.random.default_rng(number)
        path = folder / f"rays-{number:03}.parquet"
        names = ["ox", "oy", "oz", "dx", "dy", "dz"]
        schema = pa.schema([("id", pa.int64()), *((name, pa.float32()) for name in names)])
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for first in range(0, rays // files, 1_000_000):
                count = min(1_000_000, rays // files - first)
                origins = rng.normal(size=(count, 3))
                origins *= 6 / np.linalg.norm(origins, axis=1, keepdims=True)
                targets = rng.uniform(-1, 1, size=(count, 3)) * [3.2, 3.2, 1.3]
                columns = np.concatenate([origins, targets - origins], axis=1).astype(np.float32).T
                ids = np.arange(first, first + count) + number * (rays // files)
                writer.write_table(pa.table([ids, *columns], schema=schema))
        bytes_in += path.stat().st_size
    return bytes_in


def used() -> float:
    """Processor seconds of this process and those that it waited for."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def alone(mesh: hitscan.TriangleMesh, inputs: Path, output: Path, threads: int, results: Any) -> None:
    start, clock = used(), time.perf_counter()
    report = hitscan.cast_files(mesh, inputs, output, keep=["id"], threads=threads)
    # That of `getrusage` would be at least that of the process that started this one.
    peak = next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
    results.put((time.perf_counter() - clock, used() - start, peak, report.rows_in, report.hits))


def on_dask(mesh: hitscan.TriangleMesh, inputs: Path, output: Path, workers: int) -> tuple[float, float, float]:
    """Seconds of the clock, processor seconds of all processes from the first task to the last, and the seconds of the start."""
    import distributed

    import hitscan.dask

    begun = time.perf_counter()
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(__import__, "hitscan.dask")
        started = time.perf_counter() - begun
        own, others = time.process_time(), sum(client.run(time.process_time).values())
        clock = time.perf_counter()
        hitscan.dask.cast_files(client, mesh, inputs, output, keep=["id"])
        seconds = time.perf_counter() - clock
        cpu = time.process_time() - own + sum(client.run(time.process_time).values()) - others
    return seconds, cpu, started


def size(folder: Path) -> int:
    """Bytes of the files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*.parquet"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rays", type=lambda text: int(text.replace("_", "")), default=10_000_000)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "hitscan-scale")
    options = parser.parse_args()
    rays, folder = options.rays, options.folder
    shutil.rmtree(folder, ignore_errors=True)
    mesh = knot()
    small, large = (
        write_rays(folder / "small", max(rays // 100, 10), 1),
        write_rays(folder / "rays", rays, options.files),
    )
    print(
        f"{rays:,} rays in {options.files} files, {large / rays:.1f} bytes a ray; {os.cpu_count()} processors",
        flush=True,
    )
    print("| | clock s | processor s | µs a ray | peak MB |\n|---|---|---|---|---|", flush=True)

    context = multiprocessing.get_context("spawn")
    by_name = {}
    for name, inputs, threads in (
        (f"{rays // 100:,} rays, 1 process", "small", 0),
        ("1 process, 1 thread", "rays", 1),
        ("1 process, all threads", "rays", 0),
    ):  # fmt: skip
        results = context.Queue()
        process = context.Process(target=alone, args=(mesh, folder / inputs, folder / "hits", threads, results))
        process.start()
        seconds, cpu, peak, rows, hits = by_name[name] = results.get()
        process.join()
        print(f"| {name} | {seconds:.1f} | {cpu:.1f} | {cpu / rows * 1e6:.3f} | {peak:.0f} |", flush=True)
        bytes_out = size(folder / "hits")
        shutil.rmtree(folder / "hits")
    one_cpu, one_clock = by_name["1 process, 1 thread"][1], None
    for workers in (1, 2):
        seconds, cpu, started = on_dask(mesh, folder / "rays", folder / "hits", workers)
        shutil.rmtree(folder / "hits")
        one_clock = one_clock or seconds
        text = f"Dask, {workers} worker{'s' * (workers > 1)} of 1 thread"
        print(
            f"| {text} (start {started:.1f} s apart) | {seconds:.1f} | {cpu:.1f} | {cpu / rays * 1e6:.3f} | |",
            flush=True,
        )
        print(
            f"<!-- processor time over one process {cpu / one_cpu:.2f}, speed over one worker {one_clock / seconds:.2f} -->"
        )
    print(
        f"\nhits: {hits / rays:.0%}; bytes of results: {bytes_out / rays:.1f} a ray; of the small table {small:,} bytes in"
    )
    core = by_name["1 process, all threads"][1] / rays
    print(
        "| rays | core hours | bytes in | bytes out | hours on 16 cores | on 1,000 cores |\n|---|---|---|---|---|---|"
    )
    for name, count in (("a billion", 1e9), ("a trillion", 1e12)):
        hours = count * core / 3600
        bytes_in, out = count * large / rays, count * bytes_out / rays
        print(
            f"| {name} | {hours:,.2f} | {bytes_in / 1e9:,.0f} GB | {out / 1e9:,.0f} GB "
            f"| {hours / 16:,.2f} | {hours / 1000:,.4f} |"
        )
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
