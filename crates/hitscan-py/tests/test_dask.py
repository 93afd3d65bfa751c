"""Casts on the workers of a Dask cluster: real processes that are killed, object stores, and Dask collections."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitscan
from hitscan import _core

distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

import hitscan.dask
from hitscan._storage import Storage, find_inputs

SCENE = hitscan.Scene([hitscan.Sphere(center, 0.2) for center in np.random.default_rng(5).random((50, 3))])
NAMES = ["ox", "oy", "oz", "dx", "dy", "dz"]
FILES, ROWS = 16, 20_000
#: What `cast_files` passes on.
DEFAULTS = {
    "query": "first", "keep": ["id"], "line": False, "inside": "solid", "faces": "both", "triggers": "pass",
    "coplanar": "miss", "precision": "auto", "format": "parquet", "on_error": "stop", "rows_per_file": 4_000_000,
}  # fmt: skip

# What workers load first. It writes down which process casts which file, and holds casts of some files up: a file whose name
# is in the file `waits` starts when that file is gone; a file that is called `greedy` takes memory without end, and `deadly`
# ends the process.
GATE = """
import os, pathlib, time
from hitscan import _core

# Dask runs a copy of this.
here = pathlib.Path(os.environ["HITSCAN_TEST_FOLDER"])
# Dask may run this twice.
real = getattr(_core.TableCast, "real_class", _core.TableCast)

class TableCast:
    real_class = real

    def __init__(self, options):
        self.real = real(options)

    def run(self, scene, input, *arguments, **options):
        name = pathlib.Path(input).stem
        with open(here / "started", "a") as file:
            file.write(f"{name} {os.getpid()}\\n")
        if name == "deadly":
            os.kill(os.getpid(), 9)
        while name == "greedy":
            hog = globals().setdefault("hog", [])
            hog.append(bytearray(os.urandom(2**20)) * 8)
        while (here / "waits").exists() and name in (here / "waits").read_text().split():
            time.sleep(0.01)
        return self.real.run(scene, input, *arguments, **options)

_core.TableCast = TableCast
"""

DRIVER = """
import pickle, sys
import distributed, hitscan, hitscan.dask

address, scene, inputs, output = sys.argv[1:]
hitscan.dask.cast_files(distributed.Client(address), pickle.loads(open(scene, "rb").read()), inputs, output, keep=["id"])
"""


def rays(count: int, seed: int, first_id: int = 0) -> Any:
    """A table of rays with ids, of which some hit."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.random(count) * 2 - (0.5 if name[0] == "o" else 1.0) for name in NAMES}
    return pa.table({"id": np.arange(first_id, first_id + count), **columns})


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """A folder of 16 files of 20,000 rays, in two subfolders."""
    folder = tmp_path / "rays"
    for number in range(FILES):
        path = folder / f"year={2023 + number % 2}" / f"f{number:02}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rays(ROWS, number, number * ROWS), path)
    return folder


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A cluster in this process, for what needs no processes."""
    with distributed.Client(n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None) as made:
        made.wait_for_workers(2, timeout=60)
        yield made


class Machines:
    """A scheduler and workers on loopback, each a process, and what they wrote down."""

    def __init__(self, folder: Path, **scheduler_settings: str) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        (folder / "gate.py").write_text(GATE)
        self.processes: list[subprocess.Popen[bytes]] = []
        # A file of its own for each start, in which the scheduler writes its address.
        self._file = folder / f"scheduler-{time.monotonic_ns()}.json"
        arguments = ("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self._start(*arguments, "--scheduler-file", str(self._file), **scheduler_settings)
        wait_for(self._file.exists)
        self.address = wait_for(lambda: self._file.read_text() and json.loads(self._file.read_text())["address"])

    def _start(self, *arguments: str, **settings: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments]
        environment = {**os.environ, "HITSCAN_TEST_FOLDER": str(self.folder), **settings}
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        self.processes.append(process)
        return process

    def start_worker(self, *arguments: str) -> subprocess.Popen[bytes]:
        local = ("--local-directory", str(self.folder), "--preload", str(self.folder / "gate.py"))
        return self._start("worker", self.address, "--host", "127.0.0.1", "--no-dashboard", *local, *arguments)

    def start_workers(self) -> list[subprocess.Popen[bytes]]:
        """Two workers of two threads, without a nanny: the process that is started is the worker."""
        return [self.start_worker("--no-nanny", "--nthreads", "2") for _ in range(2)]

    def hold(self, names: list[str]) -> None:
        (self.folder / "waits").write_text(" ".join(names))

    def release(self) -> None:
        (self.folder / "waits").unlink()

    def started(self) -> list[tuple[str, int]]:
        """File and process of each attempt that began."""
        path = self.folder / "started"
        lines = path.read_text().splitlines() if path.exists() else []
        return [(name, int(pid)) for name, pid in map(str.split, lines)]

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def __enter__(self) -> Machines:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            # A nanny ends its worker, if it can.
            process.terminate()
        for process in reversed(self.processes):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()
            process.wait()


def wait_for(condition: Callable[[], Any], seconds: float = 60) -> Any:
    """The first true value of a condition."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)
    return value


def names_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def cast_alone(inputs: Path, output: Path, **options: Any) -> None:
    """Casts files in this process, without Dask."""
    for path in sorted(inputs.rglob("*.parquet")):
        folder = output / path.relative_to(inputs).parent
        folder.mkdir(parents=True, exist_ok=True)
        _core.TableCast({**DEFAULTS, **options}).run(SCENE, str(path), str(folder), path.stem)


def check_outputs(inputs: Path, output: Path, tmp_path: Path) -> None:
    """The exact set of files, each readable, each id once, and the bytes of a run on one machine."""
    alone = tmp_path / "alone"
    cast_alone(inputs, alone)
    assert names_in(output) == {*names_in(inputs), "_hitscan.json"} == {*names_in(alone), "_hitscan.json"}
    ids = []
    for name in sorted(names_in(inputs)):
        table = pq.ParquetFile(output / name).read()
        assert table.equals(pq.ParquetFile(alone / name).read())
        assert (output / name).read_bytes() == (alone / name).read_bytes()
        ids.append(table["id"].to_numpy())
    assert np.array_equal(np.sort(np.concatenate(ids)), np.arange(FILES * ROWS))


def test_a_worker_that_is_killed_while_it_casts(inputs: Path, tmp_path: Path) -> None:
    output = tmp_path / "hits"
    (output / "year=2023").mkdir(parents=True)
    left_over = output / "year=2023" / ".f00.parquet.999-0.part"
    left_over.write_bytes(b"of a broken write")
    with Machines(tmp_path / "machines") as machines, ThreadPoolExecutor() as pool:
        machines.hold([f"f{number:02}" for number in range(4, FILES)])
        victim, other = machines.start_workers()
        with distributed.Client(machines.address) as client:
            client.wait_for_workers(2, timeout=60)
            addresses = {pid: address for address, pid in client.run(os.getpid).items()}
            assert set(addresses) == {victim.pid, other.pid}
            job = pool.submit(hitscan.dask.cast_files, client, SCENE, inputs, output, keep=["id"])

            def held() -> list[str]:
                return [name for name, pid in machines.started() if pid == victim.pid and int(name[1:]) >= 4]

            wait_for(held)
            # The worker runs the cast of this file: it began, it has a task, and there is no output.
            running = held()[0]
            assert victim.poll() is None
            assert client.processing()[addresses[victim.pid]]
            assert not list(output.rglob(f"{running}.parquet"))
            victim.send_signal(signal.SIGKILL)
            assert victim.wait(10) == -signal.SIGKILL
            assert not list(output.rglob(f"{running}.parquet")) and not job.done()
            machines.release()
            report = job.result(60)
    attempts = machines.started()
    # The other worker cast that file again.
    assert [pid for name, pid in attempts if name == running] == [victim.pid, other.pid]
    assert (report.files, report.rows_in, report.rows_out) == (FILES, FILES * ROWS, FILES * ROWS)
    assert 0 < report.hits < FILES * ROWS and report.bad_rows == report.skipped == 0
    check_outputs(inputs, output, tmp_path)
    assert not left_over.exists()


def test_all_processes_are_killed_and_the_job_resumes(inputs: Path, tmp_path: Path) -> None:
    output = tmp_path / "hits"
    (tmp_path / "scene.pickle").write_bytes(pickle.dumps(SCENE))
    (tmp_path / "driver.py").write_text(DRIVER)
    with Machines(tmp_path / "machines") as machines:
        held = [f"f{number:02}" for number in range(1, FILES, 2)]
        machines.hold(held)
        machines.start_workers()
        arguments = [
            str(tmp_path / "driver.py"),
            machines.address,
            str(tmp_path / "scene.pickle"),
            str(inputs),
            str(output),
        ]
        driver = subprocess.Popen([sys.executable, *arguments])
        machines.processes.append(driver)
        # All four threads hold a file: no other output can appear.
        wait_for(lambda: len({name for name, _ in machines.started()} & set(held)) == 4)
        for process in machines.processes:
            process.kill()
            process.wait()
        assert driver.returncode == -signal.SIGKILL
    finished = {path: path.stat().st_mtime_ns for path in output.rglob("f*.parquet")}
    missing = {path.stem for path in inputs.rglob("*.parquet")} - {path.stem for path in finished}
    assert 0 < len(finished) < FILES

    machines.release()
    (machines.folder / "started").unlink()
    with Machines(tmp_path / "machines") as machines:
        machines.start_workers()
        with distributed.Client(machines.address) as client:
            with pytest.raises(FileExistsError, match="use resume=True, or an empty folder"):
                hitscan.dask.cast_files(client, SCENE, inputs, output, keep=["id"])
            report = hitscan.dask.cast_files(client, SCENE, inputs, output, keep=["id"], resume=True)
    assert sorted(name for name, _ in machines.started()) == sorted(missing)
    assert (report.files, report.skipped) == (len(missing), len(finished))
    assert report.rows_in == len(missing) * ROWS
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    check_outputs(inputs, output, tmp_path)


def test_workers_that_run_out_of_memory(tmp_path: Path) -> None:
    (tmp_path / "rays").mkdir()
    for name in ("greedy", "deadly"):
        pq.write_table(rays(10, 1), tmp_path / "rays" / f"{name}.parquet")
    with Machines(tmp_path / "machines", DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1") as machines:
        machines.start_worker("--nthreads", "1", "--memory-limit", "600MiB")
        with distributed.Client(machines.address) as client:
            with pytest.raises(MemoryError) as caught:
                hitscan.dask.cast_files(client, SCENE, tmp_path / "rays" / "greedy.parquet", tmp_path / "hits")
            with pytest.raises(RuntimeError) as caught_later:
                hitscan.dask.cast_files(client, SCENE, tmp_path / "rays" / "deadly.parquet", tmp_path / "others")
    lost = "2 workers were lost while they cast it, the last one at tcp://127.0.0.1:"
    text = str(caught.value)
    assert text.startswith(f"{tmp_path / 'rays' / 'greedy.parquet'}: {lost}"), text
    assert "It ran out of memory: it used " in text and " MiB of its 600 MiB; give workers more memory" in text, text
    text = str(caught_later.value)
    assert text.startswith(f"{tmp_path / 'rays' / 'deadly.parquet'}: {lost}"), text
    assert "They probably ran out of memory" in text
    assert [name for name, _ in machines.started()] == ["greedy", "greedy", "deadly", "deadly"]
    assert names_in(tmp_path / "hits") == {"_hitscan.json"}


def test_spans_of_open_meshes_warn(client: Any, inputs: Path, tmp_path: Path) -> None:
    triangle = hitscan.TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    with pytest.warns(UserWarning, match="^the mesh has no inside: 3 edges have an odd number of triangles") as caught:
        assert hitscan.dask.cast_files(client, triangle, inputs, tmp_path / "hits", query="spans").hits == 0
    assert caught[0].filename == __file__


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Inputs and arguments of the casts that workers in this process begin."""
    real, begun = _core.TableCast, []

    class TableCast:
        def __init__(self, options: dict[str, object]) -> None:
            self.real = real(options)
            self.extension, self.options_text = self.real.extension, self.real.options_text

        def run(self, scene: Any, path: str, *arguments: Any, **options: Any) -> Any:
            begun.append((Path(path).name, options))
            return self.real.run(scene, path, *arguments, **options)

    monkeypatch.setattr(_core, "TableCast", TableCast)
    return begun


def test_a_bad_file_fails_the_job_once(client: Any, attempts: list[tuple[str, dict[str, Any]]], tmp_path: Path) -> None:
    folder = tmp_path / "rays"
    folder.mkdir()
    for number in range(3):
        pq.write_table(rays(10, number), folder / f"f{number}.parquet")
    (folder / "bad.csv").write_text("ox,oy,oz,dx,dy,dz\n0,0,0,0,0,1\n0,much,0,0,0,1\n")
    with pytest.raises(ValueError) as caught:
        hitscan.dask.cast_files(client, SCENE, folder, tmp_path / "hits")
    assert str(folder / "bad.csv") in str(caught.value) and "column 'oy'" in str(caught.value)
    assert [name for name, _ in attempts].count("bad.csv") == 1
    # What is no Parquet file fails before the first cast.
    (folder / "bad.csv").unlink()
    (folder / "bad.parquet").write_text("no Parquet")
    with pytest.raises(ValueError) as caught:
        hitscan.dask.cast_files(client, SCENE, folder, tmp_path / "others")
    assert str(folder / "bad.parquet") in str(caught.value)
    assert not (tmp_path / "others").exists()


def test_ranges_of_rows(client: Any, attempts: list[tuple[str, dict[str, Any]]], tmp_path: Path) -> None:
    whole = rays(25, 1)
    pq.write_table(whole, tmp_path / "a.parquet", row_group_size=7)
    pq.write_table(rays(10, 2, 25), tmp_path / "b.parquet")
    several = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    calls: list[tuple[int, int | None]] = []
    report = hitscan.dask.cast_files(
        client, SCENE, several, tmp_path / "hits", keep=["id"], rows_per_file=10,
        progress=lambda done, total: calls.append((done, total)),
    )  # fmt: skip
    expected = {"a-00000.parquet": 10, "a-00001.parquet": 10, "a-00002.parquet": 5, "b.parquet": 10}
    assert names_in(tmp_path / "hits") == {*expected, "_hitscan.json"}
    assert {name: pq.read_metadata(tmp_path / "hits" / name).num_rows for name in expected} == expected
    ids = np.concatenate([pq.read_table(tmp_path / "hits" / name)["id"].to_numpy() for name in expected])
    assert ids.tolist() == list(range(35))
    assert (report.files, report.rows_in) == (4, 35)
    assert calls[-1] == (35, 35) and len(calls) == 4 and all(total == 35 for _, total in calls)
    # One of the ranges is missing.
    (tmp_path / "hits" / "a-00001.parquet").unlink()
    attempts.clear()
    again = hitscan.dask.cast_files(
        client, SCENE, several, tmp_path / "hits", keep=["id"], rows_per_file=10, resume=True
    )
    assert (again.files, again.rows_in, again.skipped) == (1, 10, 3)
    assert [(name, options["first_row"], options["rows"]) for name, options in attempts] == [("a.parquet", 10, 10)]


def test_tasks_share_the_threads_of_a_worker(
    client: Any, attempts: list[tuple[str, dict[str, Any]]], tmp_path: Path
) -> None:
    for count, threads in ((1, 2), (2, 2), (3, 1)):
        attempts.clear()
        folder = tmp_path / f"rays-{count}"
        folder.mkdir()
        for number in range(count):
            pq.write_table(rays(10, number), folder / f"f{number}.parquet")
        hitscan.dask.cast_files(client, SCENE, folder, tmp_path / f"hits-{count}")
        assert [options["threads"] for _, options in attempts] == [threads] * count


def test_attempts_of_a_task_at_the_same_time(client: Any, tmp_path: Path) -> None:
    pq.write_table(rays(ROWS, 1), tmp_path / "a.parquet")
    cast_alone(tmp_path, tmp_path / "alone")
    (file,) = find_inputs(tmp_path / "a.parquet", None, Storage.open(tmp_path / "hits"))
    task = hitscan.dask._Task(file, None)
    for output in (str(tmp_path / "hits"), "memory://attempts"):
        with hitscan.dask._sent(client, SCENE) as key:
            run = hitscan.dask._Run(dict(DEFAULTS), {}, output, "parquet", 4_000_000, _core.scene_hash(SCENE), key)
            client.gather(client.map(hitscan.dask._cast, [task] * 8, run=run, pure=False))
        place = Storage.open(output)
        assert place.names() == {"a.parquet"}
        assert place.below("a.parquet").read(0, 2**30) == (tmp_path / "alone" / "a.parquet").read_bytes()


def test_the_scene_is_loaded_once(client: Any, inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []
    real = hitscan.dask.pickle.loads
    monkeypatch.setattr(hitscan.dask.pickle, "loads", lambda content: loads.append(real(content)) or loads[-1])
    hitscan.dask.cast_files(client, SCENE, inputs, tmp_path / "hits")
    assert len([one for one in loads if isinstance(one, hitscan.Scene)]) == 1
    assert hitscan.dask._scenes == {}


def test_what_a_folder_of_outputs_may_have(client: Any, tmp_path: Path) -> None:
    pq.write_table(rays(10, 1), tmp_path / "a.parquet")
    output = tmp_path / "hits"
    output.mkdir()
    (output / "notes.txt").write_text("mine")
    for resume in (False, True):
        with pytest.raises(FileExistsError, match=r"the folder has files, such as notes.txt, and no _hitscan.json"):
            hitscan.dask.cast_files(client, SCENE, tmp_path / "a.parquet", output, resume=resume)
    (output / "notes.txt").unlink()
    hitscan.dask.cast_files(client, SCENE, tmp_path / "a.parquet", output, resume=True)
    with pytest.raises(ValueError, match="query"):
        hitscan.dask.cast_files(client, SCENE, tmp_path / "a.parquet", output, resume=True, query="any")
    with pytest.raises(ValueError):
        hitscan.dask.cast_files(client, SCENE.snapshot(), tmp_path / "a.parquet", output, resume=True, rows_per_file=5)
    with pytest.raises(ValueError, match="scene"):
        hitscan.dask.cast_files(
            client, hitscan.Scene([hitscan.Sphere((0, 0, 0), 1)]), tmp_path / "a.parquet", output, resume=True
        )
    pq.write_table(rays(10, 2), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet"):
        hitscan.dask.cast_files(client, SCENE, tmp_path / "a.parquet", output, resume=True)


def test_an_input_that_was_mended_goes_on_with_the_job(client: Any, tmp_path: Path) -> None:
    (tmp_path / "rays").mkdir()
    pq.write_table(rays(10, 1), tmp_path / "rays" / "a.parquet")
    bad = tmp_path / "rays" / "b.csv"
    bad.write_text("ox,oy,oz,dx,dy,dz\n0,0,0,0,0,one\n")
    output = tmp_path / "hits"
    with pytest.raises(ValueError, match=r"b\.csv: row 0"):
        hitscan.dask.cast_files(client, SCENE, tmp_path / "rays", output)
    hitscan.dask.cast_files(client, SCENE, tmp_path / "rays" / "a.parquet", tmp_path / "alone")
    (output / "a.parquet").write_bytes((tmp_path / "alone" / "a.parquet").read_bytes())
    (output / "_bad_rows").mkdir()
    for name in ("a.parquet.csv", "b-00000.parquet.csv", "b.parquet.csv"):
        (output / "_bad_rows" / name).write_text("of an attempt that was killed")
    bad.write_text("ox,oy,oz,dx,dy,dz\n0,0,0,0,0,1\n")
    report = hitscan.dask.cast_files(client, SCENE, tmp_path / "rays", output, resume=True)
    assert (report.files, report.skipped) == (1, 1)
    assert names_in(output) == {"a.parquet", "b.parquet", "_hitscan.json", "_bad_rows/a.parquet.csv"}
    bad.write_text("ox,oy,oz,dx,dy,dz\n0,0,0,0,0,2\n")
    with pytest.raises(ValueError, match=r"input .*b\.csv.* was"):
        hitscan.dask.cast_files(client, SCENE, tmp_path / "rays", output, resume=True)


def test_inputs(client: Any, tmp_path: Path) -> None:
    for name in ("year=2023/a", "year=2024/a", "year=2024/deep/b", "_hidden/c", "year=2024/.d"):
        path = tmp_path / "rays" / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rays(10, 1), path)
    wanted = {"year=2023/a.parquet", "year=2024/a.parquet", "year=2024/deep/b.parquet", "_hitscan.json"}
    for number, given in enumerate(("rays", "rays/year=*", "rays/**/*.parquet")):
        hitscan.dask.cast_files(client, SCENE, tmp_path / given, tmp_path / f"hits-{number}")
        assert names_in(tmp_path / f"hits-{number}") == wanted
    # Outputs within the folder of the inputs are no inputs.
    for resume in (False, True):
        report = hitscan.dask.cast_files(client, SCENE, tmp_path / "rays", tmp_path / "rays" / "hits", resume=resume)
        assert report.files + report.skipped == 3
    with pytest.raises(FileNotFoundError, match=r"inputs: no file is at '.*none\*'"):
        hitscan.dask.cast_files(client, SCENE, tmp_path / "none*", tmp_path / "hits")
    twice = [tmp_path / "rays/year=2023/a.parquet", tmp_path / "rays/year=2024/a.parquet"]
    with pytest.raises(ValueError, match=r"year=2023/a\.parquet and .*year=2024/a\.parquet would have the same output"):
        hitscan.dask.cast_files(client, SCENE, twice, tmp_path / "hits")
    (tmp_path / "texts").mkdir()
    for name in ("a", "a-00001"):
        (tmp_path / "texts" / f"{name}.csv").write_text("ox,oy,oz,dx,dy,dz\n0,0,0,0,0,1\n")
    with pytest.raises(ValueError, match=r"a-00001\.csv and .*a\.csv would have the same output"):
        hitscan.dask.cast_files(client, SCENE, tmp_path / "texts", tmp_path / "hits")
    with pytest.raises(ValueError, match="query"):
        hitscan.dask.cast_files(client, SCENE, tmp_path / "rays", tmp_path / "hits", query="last")
    with pytest.raises(TypeError, match="client"):
        hitscan.dask.cast_files(None, SCENE, tmp_path / "rays", tmp_path / "hits")
    with pytest.raises(TypeError, match="scene: 'city.hitscene' is neither"):
        hitscan.dask.cast_files(client, "city.hitscene", tmp_path / "rays", tmp_path / "hits")
    assert not (tmp_path / "hits").exists()


@pytest.fixture(scope="module")
def bucket() -> Iterator[dict[str, Any]]:
    """An S3 store on loopback with a bucket; options for it."""
    server_module = pytest.importorskip("moto.server")
    s3fs = pytest.importorskip("s3fs")
    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = {"key": "test", "secret": "test", "endpoint_url": f"http://{host}:{port}"}
    s3fs.S3FileSystem(**options).mkdir("bucket")
    yield options
    server.stop()


def test_an_object_store(client: Any, bucket: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Storage.open("s3://bucket/rays", bucket)
    whole = rays(50_000, 1)
    pq.write_table(whole, tmp_path / "a.parquet", row_group_size=5_000)
    pq.write_table(rays(10, 2), tmp_path / "b.parquet")
    for name in ("a", "b"):
        store.below(f"year=2024/{name}.parquet").upload(tmp_path / f"{name}.parquet")
    puts: list[str] = []
    read: list[int] = []
    upload, read_range = Storage.upload, Storage.read
    monkeypatch.setattr(Storage, "upload", lambda self, source: (puts.append(self.path), upload(self, source))[1])
    monkeypatch.setattr(
        Storage, "read", lambda self, start, stop: (read.append(stop - start), read_range(self, start, stop))[1]
    )
    given = {"keep": ["id"], "rows_per_file": 20_000, "storage_options": bucket}
    report = hitscan.dask.cast_files(client, SCENE, "s3://bucket/rays", "s3://bucket/hits", **given)
    expected = {"a-00000.parquet": 20_000, "a-00001.parquet": 20_000, "a-00002.parquet": 10_000, "b.parquet": 10}
    assert report.rows_in == 50_010 and report.files == 4
    # One put for each output, under its own name.
    assert store._has_atomic_put
    assert sorted(puts) == [f"bucket/hits/year=2024/{name}" for name in expected]
    # Each task of a range read its row groups: together the file once, and not three times.
    size = (tmp_path / "a.parquet").stat().st_size
    assert 2 * 2**20 < size and sum(read) < 2 * size + 3 * 2**20
    monkeypatch.undo()
    output = Storage.open("s3://bucket/hits", bucket)
    assert output.names() == {"_hitscan.json", *(f"year=2024/{name}" for name in expected)}
    for name in expected:
        output.files.get_file(f"bucket/hits/year=2024/{name}", str(tmp_path / name))
    (tmp_path / "rays").mkdir()
    (tmp_path / "a.parquet").rename(tmp_path / "rays" / "a.parquet")
    cast_alone(tmp_path / "rays", tmp_path / "alone", rows_per_file=20_000)
    for name in list(expected)[:3]:
        assert (tmp_path / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
    # Resume: a missing object is put again, and the errors of a bad one name its URL.
    output.files.rm_file("bucket/hits/year=2024/a-00001.parquet")
    with pytest.raises(FileExistsError, match="s3://bucket/hits: an earlier run wrote here"):
        hitscan.dask.cast_files(client, SCENE, "s3://bucket/rays", "s3://bucket/hits", **given)
    again = hitscan.dask.cast_files(client, SCENE, "s3://bucket/rays/*/*.parquet", "s3://bucket/hits2", **given)
    assert again.rows_in == 50_010
    again = hitscan.dask.cast_files(client, SCENE, "s3://bucket/rays", "s3://bucket/hits", resume=True, **given)
    assert (again.files, again.skipped) == (1, 3)
    store.below("bad.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"^s3://bucket/rays/bad\.csv: no column 'ox'"):
        hitscan.dask.cast_files(client, SCENE, "s3://bucket/rays/bad.csv", "s3://bucket/hits3", **given)


def test_a_store_without_atomic_puts(client: Any, tmp_path: Path) -> None:
    pq.write_table(rays(10, 1), tmp_path / "a.parquet")
    Storage.open("memory://rays").below("x/a.parquet").upload(tmp_path / "a.parquet")
    report = hitscan.dask.cast_files(client, SCENE, "memory://rays", "memory://hits")
    assert (report.files, report.rows_in) == (1, 10)
    assert Storage.open("memory://hits").names() == {"_hitscan.json", "x/a.parquet"}
    local = hitscan.dask.cast_files(client, SCENE, tmp_path / "a.parquet", "memory://more")
    assert local.rows_in == 10 and Storage.open("memory://more").names() == {"_hitscan.json", "a.parquet"}
    hitscan.dask.cast_files(client, SCENE, "memory://rays", tmp_path / "hits")
    assert names_in(tmp_path / "hits") == {"_hitscan.json", "x/a.parquet"}


def test_bad_rows_come_before_their_output(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("ox,oy,oz,dx,dy,dz\n0,0,0,0,0,1\n0,much,0,0,0,1\n")
    uploads = []
    upload = Storage.upload
    monkeypatch.setattr(Storage, "upload", lambda self, source: (uploads.append(self.path), upload(self, source))[1])
    report = hitscan.dask.cast_files(client, SCENE, tmp_path / "a.csv", "memory://bad", on_error="skip")
    assert (report.rows_in, report.rows_out, report.bad_rows) == (2, 1, 1)
    assert uploads == ["/bad/_bad_rows/a.parquet.csv", "/bad/a.parquet"]


def test_reports() -> None:
    report = hitscan.dask.CastReport(
        files=2, rows_in=20_000, rows_out=20_000, hits=1, bad_rows=0, seconds=1.25, skipped=3
    )
    assert str(report) == "2 files, 20,000 rows in, 20,000 rows out, 1 hit, 0 bad rows, 1.2 s (3 finished before)"
