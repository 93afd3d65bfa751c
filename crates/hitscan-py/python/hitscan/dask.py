"""Casts on many machines, by Dask.

`cast_files` casts table files on the workers of a Dask cluster. `map_rays` casts the rays of a Dask DataFrame or Array, and
`cast_shards` casts them at a scene whose shards are on different workers.
Both need `dask` and `distributed`; the workers need hitscan of the same version, too.

>>> import distributed, hitscan, hitscan.dask
>>> scene = hitscan.load("city.hitscene")  # doctest: +SKIP
>>> client = distributed.Client("tcp://scheduler:8786")  # doctest: +SKIP
>>> report = hitscan.dask.cast_files(client, scene, "s3://rays/2024/", "s3://hits/2024/")  # doctest: +SKIP
"""

from __future__ import annotations

import math
import pickle
import re
import tempfile
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

try:
    import dask
    import distributed
    from distributed.diagnostics.plugin import WorkerPlugin
except ImportError as _error:
    raise ImportError(f"hitscan.dask needs dask and distributed: pip install 'hitscan[dask]' ({_error})") from None

from hitscan import _core
from hitscan._arrays import Faces, Inside, Progress, Rays, Triggers, choice, progress_callback, rays, thread_count
from hitscan._queries import shaped
from hitscan._results import HIT_FIELDS, HitLists, Hits, allocate, checked_fields
from hitscan._scene import Scene
from hitscan._shapes import Shape
from hitscan._shards import Shard
from hitscan._storage import InputFile, Storage, find_inputs
from hitscan._tables import CastReport, OnError, TablePrecision, TableQuery, report_of, table_options

if TYPE_CHECKING:
    import dask.array
    import dask.dataframe
    import pandas as _pandas

__all__ = ["cast_files", "cast_shards", "map_rays"]

_MANIFEST = "_hitscan.json"
_BAD_ROWS = "_bad_rows"
_MEBIBYTE = 2**20
_PARQUET_END = b"PAR1"


def cast_files(
    client: distributed.Client,
    scene: Scene | Shape,
    inputs: str | PathLike[str] | Iterable[str | PathLike[str]],
    output: str | PathLike[str],
    *,
    query: TableQuery = "first",
    columns: Sequence[str] | None = None,
    keep: Sequence[str] | Literal["all"] = (),
    t_min: float | None = None,
    t_max: float | None = None,
    line: bool = False,
    inside: Inside = "solid",
    faces: Faces = "both",
    layers: int | None = None,
    triggers: Triggers = "pass",
    radius: float | None = None,
    max_hits: int | None = None,
    precision: TablePrecision = "auto",
    format: str = "parquet",
    delimiter: str | None = None,
    null: str | None = None,
    on_error: OnError = "stop",
    las_scale: float | None = None,
    rows_per_file: int = 4_000_000,
    resume: bool = False,
    storage_options: Mapping[str, Any] | None = None,
    progress: Progress = None,
) -> CastReport:
    """Casts the rays of table files on the workers of a Dask cluster, and writes one file of hits for each.

    A task casts one file, or `rows_per_file` rows of a Parquet file that has more. Workers read inputs and write outputs
    themselves: local paths must be on a disk that they share. The scene goes to each worker once.

    Parameters
    ----------
    client : distributed.Client
        Client of the cluster.
    scene : Scene or Shape
        What to cast at, as it is now.
    inputs : path, URL, or iterable of these
        Files, folders (with their subfolders) and globs, such as `"s3://rays/year=*/"`. Formats are those of
        `hitscan.cast_files`. Names within a folder that begin with `_` or `.` do not count.
    output : path or URL
        Folder of the outputs. A file `year=2024/a.csv` of an input folder becomes `year=2024/a.parquet`, or
        `a-00000.parquet`, `a-00001.parquet`, … if it has more than `rows_per_file` rows.
    query, columns, keep, t_min, t_max, line, inside, faces, layers, triggers, radius, max_hits, precision, format, \
delimiter, null, on_error, las_scale
        See `hitscan.cast_files`.
    rows_per_file : int
        Most input rows of an output file.
    resume : bool
        Whether to go on with an earlier run in the output folder: finished files stay, missing ones are computed. Scene,
        options and inputs must be the same.
    storage_options : mapping, optional
        Options for the fsspec file systems of URLs, such as `{"endpoint_url": …}`.
    progress : bool or callable
        `True` for a bar by tqdm, or a function of (rows done, all rows), which is called after each task. Until the last
        call, the number of all rows is `None` if an input is not Parquet, since only Parquet files tell theirs.

    Returns
    -------
    CastReport

    Raises
    ------
    ValueError, OSError
        If an option or an input is wrong: the first error of a task ends the job, with the name of the file.
    FileExistsError
        If there are files in the output folder, unless `resume`.
    MemoryError
        If workers ran out of memory, with the file that they cast.
    RuntimeError
        If workers were lost for another reason.

    Notes
    -----
    A file appears whole or not at all, and its bytes do not depend on the worker, its threads or the attempt. So Dask can
    run a task again after it lost a worker, even while the first attempt still runs. `distributed.scheduler.allowed-failures`
    says how many lost workers end the job. Ctrl-C ends it, too; tasks that run finish their files.

    Examples
    --------
    >>> import pathlib, tempfile, distributed, hitscan, hitscan.dask
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "rays.csv").write_text("ox,oy,oz,dx,dy,dz\\n0,0,0,0,0,1\\n3,0,0,0,0,1\\n")
    >>> ball = hitscan.Sphere((0, 0, 5), 1)
    >>> with distributed.Client(n_workers=1, processes=False, dashboard_address=None) as client:
    ...     report = hitscan.dask.cast_files(client, ball, folder / "rays.csv", folder / "hits")
    >>> report.files, report.rows_in, report.hits
    (1, 2, 1)
    """
    started = time.monotonic()
    _check_client(client)
    still = _snapshot(scene)
    options = table_options(
        query=query, columns=columns, keep=keep, t_min=t_min, t_max=t_max, line=line, inside=inside, faces=faces,
        layers=layers, triggers=triggers, radius=radius, max_hits=max_hits, precision=precision, format=format,
        delimiter=delimiter, null=null, on_error=on_error, las_scale=las_scale,
        rows_per_file=rows_per_file,
    )  # fmt: skip
    table_cast = _core.TableCast(options)
    update = progress_callback(progress)
    target = Storage.open(output, storage_options)
    manifest = target.below(_MANIFEST)
    written = target.names()
    earlier = _earlier_manifest(manifest, written, resume)
    files = find_inputs(inputs, storage_options, target)
    _check_outputs((file.stem, file.url) for file in files)

    scene_hash = _core.scene_hash(still)
    run = _Run(options, dict(storage_options or {}), target.url, table_cast.extension, rows_per_file, scene_hash)
    inspected = _inspect_all(client, files, run)
    listed = [(file.name, file.size, file.modified, one.digest) for file, one in zip(files, inspected, strict=True)]
    text = _core.manifest(scene_hash, table_cast.options_text, listed)
    if earlier is not None:
        _core.compare_manifests(earlier, text)
    tasks, skipped = _plan(list(zip(files, inspected, strict=True)), run, written)
    if earlier is None:
        manifest.write_text(text)
    else:
        target.remove_temporaries()

    outputs: list[_Output] = []
    if tasks:
        with _sent(client, still) as run.scene:
            for output_files in _run_tasks(client, tasks, run, update):
                outputs += output_files
        # Attempts on lost workers may have left some.
        target.remove_temporaries()
    return report_of(outputs, skipped, time.monotonic() - started)


_Output: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class _Run:
    """What the tasks of a job have in common."""

    options: dict[str, Any]
    storage_options: dict[str, Any]
    output: str
    extension: str
    rows_per_file: int
    #: Hash of the scene, for the metadata of outputs.
    scene_hash: str
    #: Key of the scene on the workers.
    scene: str = ""
    #: Tasks that a worker runs at a time, if it has the threads.
    tasks_at_once: int = 1


@dataclass(frozen=True, slots=True)
class _Inspected:
    """What a worker found out about an input."""

    digest: str
    #: Number of rows, which Parquet files tell.
    rows: int | None
    #: Rows, first and last byte of each row group, for Parquet files that are not local.
    row_groups: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Task:
    """One task: a file, or a range of rows of it."""

    file: InputFile
    rows: int | None
    first_row: int = 0
    #: Number of the range; `None` for the whole file.
    chunk: int | None = None
    #: Ranges of bytes that the task needs; `None` for the whole file.
    ranges: list[tuple[int, int]] | None = None
    #: Names of outputs that are finished.
    existing: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        if self.chunk is None or self.rows is None:
            return self.file.url
        return f"{self.file.url} (rows {self.first_row} to {self.first_row + self.rows - 1})"


def _snapshot(scene: Scene | Shape) -> Scene | Shape:
    """The scene as it is now, whatever edits come. Shapes never change."""
    if not isinstance(scene, Scene | Shape):
        raise TypeError(f"scene: {scene!r} is neither a Scene nor a Shape")
    return scene.snapshot() if isinstance(scene, Scene) else scene


def _check_client(client: object) -> None:
    if not isinstance(client, distributed.Client):
        raise TypeError(f"client: {client!r} is no distributed.Client")
    if client.asynchronous:
        raise TypeError("client: it is asynchronous; make a distributed.Client without asynchronous=True")


def _earlier_manifest(manifest: Storage, written: set[str], resume: bool) -> str | None:
    """The manifest of an earlier run, if the folder has one and this run resumes it."""
    folder = manifest.url.rpartition("/")[0]
    if _MANIFEST in written:
        if not resume:
            raise FileExistsError(f"{folder}: an earlier run wrote here; use resume=True, or an empty folder")
        return manifest.read_text()
    visible = sorted(name for name in written if not any(part.startswith((".", "_")) for part in name.split("/")))
    if visible:
        raise FileExistsError(
            f"{folder}: the folder has files, such as {visible[0]}, and no {_MANIFEST} of an earlier run; use an empty folder"
        )
    return None


def _check_outputs(stems: Iterable[tuple[str, str]]) -> None:
    """Raises an error for two inputs that have one output."""
    urls: dict[str, str] = {}
    for stem, url in stems:
        other = urls.setdefault(stem, url)
        if other != url:
            raise ValueError(f"inputs: {other} and {url} would have the same output {stem}; rename one of them")


# Inspection: digests and numbers of rows.


def _inspect_all(client: distributed.Client, files: list[InputFile], run: _Run) -> list[_Inspected]:
    """Inspects the inputs on the workers, several in each task."""
    each = max(1, min(64, len(files) // (4 * max(1, sum(client.nthreads().values())))))
    batches = [files[first : first + each] for first in range(0, len(files), each)]
    inspected: dict[int, list[_Inspected]] = {}
    futures = client.map(
        _inspect,
        batches,
        options=run.storage_options,
        rows_per_file=run.rows_per_file,
        key="hitscan-inspect",
        pure=False,
    )
    numbers = {future.key: number for number, future in enumerate(futures)}
    for future, found in _finished(client, futures, lambda key: ", ".join(file.url for file in batches[numbers[key]])):
        inspected[numbers[future.key]] = found
    return [one for number in range(len(batches)) for one in inspected[number]]


def _inspect(batch: list[InputFile], options: Mapping[str, Any], rows_per_file: int) -> list[_Inspected]:
    """A task: inspects inputs."""
    return [_inspect_one(file, options, rows_per_file) for file in batch]


def _inspect_one(file: InputFile, options: Mapping[str, Any], rows_per_file: int) -> _Inspected:
    with _named(file.url):
        place = Storage.open(file.url, options)
        first = place.read(0, min(_MEBIBYTE, file.size))
        last = place.read(max(0, file.size - _MEBIBYTE), file.size)
        digest = _core.input_digest(first, last)
        if place.is_local:
            return _Inspected(digest, _core.table_rows(place.path))
        if len(last) < 12 or last[-4:] != _PARQUET_END:
            return _Inspected(digest, None)
        # A local file that has the bytes of the footer, and holes elsewhere, is enough for the numbers of rows.
        footer = file.size - 8 - int.from_bytes(last[-8:-4], "little")
        with _scratch_folder() as folder:
            sparse = folder / file.name.rpartition("/")[2]
            place.download_ranges(sparse, file.size, [(0, 4), (max(4, footer), file.size)])
            with _named(file.url, str(sparse)):
                rows = _core.table_rows(str(sparse))
                if rows is None or rows <= rows_per_file:
                    return _Inspected(digest, rows)
                groups = _row_groups(sparse)
        # Without pyarrow the places of row groups are not known: one task casts the whole file.
        return _Inspected(digest, rows if groups else None, groups)


def _row_groups(path: Path) -> list[tuple[int, int, int]]:
    """Rows, first and last byte of each row group; empty without pyarrow."""
    try:
        import pyarrow.parquet
    except ImportError:
        return []
    metadata = pyarrow.parquet.read_metadata(path)
    groups = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        starts, stops = [], []
        for column in map(group.column, range(group.num_columns)):
            pages = (column.dictionary_page_offset, column.data_page_offset)
            starts.append(min(page for page in pages if page))
            stops.append(starts[-1] + column.total_compressed_size)
        groups.append((group.num_rows, min(starts), max(stops)))
    return groups


def _plan(inspected: Sequence[tuple[InputFile, _Inspected]], run: _Run, written: set[str]) -> tuple[list[_Task], int]:
    """The tasks that are missing, and the number of outputs that are finished."""
    _check_outputs(_possible_outputs(inspected, run.rows_per_file))
    tasks: list[_Task] = []
    skipped = 0
    chunks_of = defaultdict(list)
    for name in written:
        if match := re.fullmatch(rf"(.+)-\d{{5,}}\.{re.escape(run.extension)}", name, re.DOTALL):
            chunks_of[match[1]].append(name)
    for file, one in inspected:
        if one.rows is not None and one.rows > run.rows_per_file:
            for chunk, first_row in enumerate(range(0, one.rows, run.rows_per_file)):
                if f"{file.stem}-{chunk:05}.{run.extension}" in written:
                    skipped += 1
                    continue
                rows = min(run.rows_per_file, one.rows - first_row)
                ranges = _needed_ranges(one.row_groups, first_row, rows, file.size)
                tasks.append(_Task(file, rows, first_row, chunk, ranges))
        elif f"{file.stem}.{run.extension}" in written:
            skipped += 1
        else:
            existing = sorted(chunks_of[file.stem]) if one.rows is None else []
            skipped += len(existing)
            tasks.append(_Task(file, one.rows, existing=[name.rpartition("/")[2] for name in existing]))
    return tasks, skipped


def _possible_outputs(
    inspected: Iterable[tuple[InputFile, _Inspected]], rows_per_file: int
) -> Iterator[tuple[str, str]]:
    """Outputs of inputs, and outputs that inputs of more rows than a file, or of unknown length, may have."""
    may_be_cut = {}
    for file, one in inspected:
        if one.rows is None or one.rows > rows_per_file:
            may_be_cut[file.stem] = file.url
        yield file.stem, file.url
    for file, _ in inspected:
        match = re.fullmatch(r"(.+)-\d{5,}", file.stem, re.DOTALL)
        if match and match[1] in may_be_cut:
            yield file.stem, may_be_cut[match[1]]


def _needed_ranges(
    groups: Sequence[tuple[int, int, int]], first_row: int, rows: int, size: int
) -> list[tuple[int, int]] | None:
    """The ranges of bytes of a Parquet file that some rows need: its ends, and the row groups with these rows."""
    if not groups:
        return None
    ranges = [(0, len(_PARQUET_END))]
    begin = 0
    for count, start, stop in groups:
        if begin < first_row + rows and begin + count > first_row:
            ranges.append((start, stop))
        begin += count
    # What lies between the last row group and the footer are indexes, which a reader may use.
    ranges.append((max(stop for _, _, stop in groups), size))
    return ranges


# The scene on the workers.


class _SharedScene:
    """The scene of a job in this process: bytes, until the first task loads it."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._scene: Scene | Shape | None = None
        self._lock = threading.Lock()
        self.users = 0

    def load(self) -> Scene | Shape:
        with self._lock:
            if self._scene is None:
                self._scene, self._content = pickle.loads(self._content), b""
            return self._scene


_scenes: dict[str, _SharedScene] = {}
_scenes_lock = threading.Lock()


class _ScenePlugin(WorkerPlugin):  # type: ignore[misc, unused-ignore]
    """Plugin that keeps the scene of a job on every worker, as the bytes of its pickle, which are those of `.hitscene`.

    Dask sends a plugin once to each worker, and to those that come later, such as one that replaces a lost worker. Scattered
    data would be lost with the last worker that has them, and tasks would be drawn to the workers that have them.
    """

    def __init__(self, key: str, content: bytes) -> None:
        self.key = key
        self._content = content

    def setup(self, worker: Any) -> None:
        """Keeps the bytes. The first task loads them, since the worker does not answer while this runs."""
        with _scenes_lock:
            _scenes.setdefault(self.key, _SharedScene(self._content)).users += 1
        self._content = b""

    def teardown(self, worker: Any) -> None:
        """Drops the scene after the last worker of the process."""
        with _scenes_lock:
            shared = _scenes[self.key]
            shared.users -= 1
            if not shared.users:
                del _scenes[self.key]


@contextmanager
def _sent(client: distributed.Client, scene: Scene | Shape) -> Iterator[str]:
    """Sends a scene to the workers, for as long as the context lasts; its key."""
    key = f"hitscan-scene-{uuid.uuid4().hex}"
    client.register_plugin(_ScenePlugin(key, pickle.dumps(scene, protocol=5)), name=key)
    try:
        yield key
    finally:
        client.unregister_worker_plugin(key)


def _received(key: str) -> Scene | Shape:
    """The scene of a job, in a task."""
    with _scenes_lock:
        shared = _scenes.get(key)
    if shared is None:
        raise RuntimeError("the job of this task has ended")
    return shared.load()


# Tasks.


def _run_tasks(
    client: distributed.Client, tasks: list[_Task], run: _Run, update: Callable[[int, int], object] | None
) -> Iterator[list[_Output]]:
    """Runs tasks on the workers. Yields the outputs of each as it ends."""
    run.tasks_at_once = math.ceil(len(tasks) / max(1, len(client.nthreads())))
    futures = client.map(_cast, tasks, run=run, key="hitscan-cast", pure=False)
    tasks_by_key = {future.key: task for future, task in zip(futures, tasks, strict=True)}
    done = 0
    known = [task.rows for task in tasks if task.rows is not None]
    total: Any = sum(known) if len(known) == len(tasks) else None
    for number, (_, outputs) in enumerate(_finished(client, futures, lambda key: str(tasks_by_key[key])), 1):
        yield outputs
        if update is not None:
            done += sum(one["rows_in"] for one in outputs)
            update(done, done if number == len(tasks) else total)


def _finished(
    client: distributed.Client, futures: list[Any], describe: Callable[[Any], str]
) -> Iterator[tuple[Any, Any]]:
    """The futures of a job with their results, as they end. The first error cancels the others and is raised."""
    try:
        for future, result in distributed.as_completed(futures, with_results=True, raise_errors=False):
            if future.status == "finished":
                yield future, result
                continue
            if future.status != "error":
                raise RuntimeError(f"{describe(future.key)}: the task was cancelled, or the scheduler was lost")
            error = future.exception()
            if isinstance(error, distributed.KilledWorker):
                raise _lost_workers(client, error, describe(future.key))
            raise error
    except BaseException:
        client.cancel(futures)
        raise


def _lost_workers(client: distributed.Client, error: Any, what: str) -> Exception:
    """The error of a task that lost too many workers."""
    worker = error.last_worker
    text = (
        f"{what}: {error.allowed_failures + 1} workers were lost while they cast it, the last one at {worker.address}."
    )
    advice = "give workers more memory or fewer threads"
    # Nannies note the workers that they end at the limit of memory.
    for _, event in client.get_events("worker-restart-memory"):
        if event["worker"] == worker.address:
            used, limit = (f"{size / _MEBIBYTE:.0f}" for size in (event["rss"], worker.memory_limit))
            return MemoryError(f"{text} It ran out of memory: it used {used} MiB of its {limit} MiB; {advice}.")
    return RuntimeError(f"{text} They probably ran out of memory; their logs may say more. If so, {advice}.")


def _cast(task: _Task, run: _Run) -> list[_Output]:
    """A task: casts a file, or a range of rows of it. It can run again, even while an attempt on another worker runs."""
    # Dask runs as many tasks at a time as a worker has threads. Where a worker has fewer tasks than threads, they share the
    # threads, so that all threads of the worker are used and no more.
    threads = distributed.get_worker().state.nthreads
    threads = max(1, threads // min(threads, run.tasks_at_once))
    url = task.file.url
    source = Storage.open(url, run.storage_options)
    folder, _, stem = task.file.stem.rpartition("/")
    target = Storage.open(run.output, run.storage_options).below(folder)
    with _named(url), _scratch_folder() as scratch:
        path = Path(source.path)
        if not source.is_local:
            path = scratch / url.rpartition("/")[2]
            if task.ranges is None:
                source.download(path)
            else:
                source.download_ranges(path, task.file.size, task.ranges)
        written = Path(target.path) if target.is_local else scratch / "outputs"
        written.mkdir(parents=True, exist_ok=True)
        rows = None if task.chunk is None else task.rows
        with _named(url, str(path)):
            outputs = _core.TableCast(run.options).run(
                _received(run.scene), str(path), str(written), stem,
                first_row=task.first_row, rows=rows, chunk=task.chunk, existing=task.existing,
                scene_hash=run.scene_hash, threads=threads,
            )  # fmt: skip
        if not target.is_local:
            _put(written, target, outputs)
    return outputs


def _put(written: Path, target: Storage, outputs: list[_Output]) -> None:
    """Copies outputs to a store: each behind its bad rows, so that a finished output has them."""
    for bad_rows in sorted((written / _BAD_ROWS).glob("[!.]*")):
        target.below(f"{_BAD_ROWS}/{bad_rows.name}").upload(bad_rows)
    for one in outputs:
        target.below(one["name"]).upload(written / one["name"])


@contextmanager
def _scratch_folder() -> Iterator[Path]:
    """A folder among those of the worker, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="hitscan-", dir=distributed.get_worker().local_directory) as folder:
        yield Path(folder)


@contextmanager
def _named(name: str, path: str = "") -> Iterator[None]:
    """Gives errors the name of an input, in place of that of its local copy."""
    try:
        yield
    except Exception as error:
        text = str(error)
        if path and path != name:
            text = text.replace(path, name)
        if isinstance(error, MemoryError) and name not in text:
            worker = distributed.get_worker().address
            text = f"{name}: the worker at {worker} ran out of memory while it cast the file; give it more, or fewer threads"
        elif name not in text:
            what = text if isinstance(error, ValueError | OSError) else f"{type(error).__name__}: {text}"
            text = f"{name}: {what}"
        if text == str(error):
            raise
        kinds = (FileNotFoundError, PermissionError, OSError, ValueError, MemoryError, RuntimeError)
        kind = next((kind for kind in kinds if isinstance(error, kind)), RuntimeError)
        raise kind(text) from error


# Dask collections.

#: Columns of each field of hits, as `cast_files` names them; those of vectors end with the axis.
_COLUMNS = {
    "hit": ("hit",), "t": ("t",), "distance": ("distance",), "point": ("px", "py", "pz"), "normal": ("nx", "ny", "nz"),
    "uv": ("u", "v"), "front": ("front",), "primitive": ("primitive",), "object": ("object",), "member": ("member",),
    "trigger": ("trigger",),
}  # fmt: skip
_DEFAULT_COLUMNS = ("hit", "t", "object", "primitive")
_ORIGIN, _DIRECTION = ("ox", "oy", "oz"), ("dx", "dy", "dz")
_SEGMENT_START, _SEGMENT_END = ("ax", "ay", "az"), ("bx", "by", "bz")
_PER_RAY = ("t_min", "t_max", "layers")


def map_rays(
    collection: dask.dataframe.DataFrame | dask.array.Array,
    scene: Scene | Shape,
    *,
    query: Literal["first"] | Literal["any"] | Literal["count"] | Literal["all"] = "first",
    columns: Sequence[str] | Literal["all"] = _DEFAULT_COLUMNS,
    keep: Sequence[str] | Literal["all"] = (),
    t_min: float = 0.0,
    t_max: float = math.inf,
    layers: int | None = None,
    inside: Inside = "solid",
    faces: Faces = "both",
    triggers: Triggers = "pass",
    threads: int | None = 1,
) -> dask.dataframe.DataFrame:
    """Casts the rays of a Dask DataFrame or Array: a Dask DataFrame of hits, with the partitions of the rays.

    Parameters
    ----------
    collection : dask.dataframe.DataFrame or dask.array.Array
        Rays. A DataFrame has the columns `ox oy oz dx dy dz` of rays or `ax ay az bx by bz` of segments, in 2D those without
        `z`, and may have `t_min`, `t_max` and `layers`: of these and the arguments, the narrower range and the common
        layers count. An Array has the rows (origin, direction): 6 numbers, in 2D 4.
    scene : Scene or Shape
        What to cast at, as it is now. It is one task of the graph, so a cluster sends it once to each worker.
    query : {"first", "any", "count", "all"}
        Closest hit; whether there is a hit, in a column `hit`; number of hits, in a column `count`; or all hits of each ray
        by increasing `t`, whose rows repeat the index of the ray.
    columns : sequence of str, or "all"
        Columns of the hits: `hit t distance px py pz nx ny nz u v front primitive object member trigger`.
    keep : sequence of str, or "all"
        Columns of the rays that the result has, too, before those of the hits.
    t_min, t_max, layers, inside, faces, triggers
        See `Queries.cast`.
    threads : int, optional
        Number of threads of each task. 1 suits workers whose threads run a task each; `None` for all.

    Returns
    -------
    dask.dataframe.DataFrame
        Its index is that of the rays. Floats have NaN where there is no value, such as `t` of a miss; integers and
        `front` and `trigger` are pandas' nullable types and have NA. So Parquet files of it have nulls.

    Notes
    -----
    A ray with a missing number hits nothing. `float32` columns at a `float32` scene give `float32` hits; all others give
    `float64`.

    Examples
    --------
    >>> import dask.dataframe, pandas, hitscan, hitscan.dask
    >>> rays = pandas.DataFrame({"ox": [0.0, 3], "oy": [0.0, 0], "oz": 0.0, "dx": 0.0, "dy": 0.0, "dz": 1.0}, index=[7, 8])
    >>> rays = dask.dataframe.from_pandas(rays, npartitions=1)
    >>> hits = hitscan.dask.map_rays(rays, hitscan.Sphere((0, 0, 5), 1), columns=["hit", "t"])
    >>> print(hits.compute())
         hit    t
    7   True  4.0
    8  False  NaN
    """
    still = _snapshot(scene)
    options = {"t_min": t_min, "t_max": t_max, "layers": layers, "inside": inside, "faces": faces, "triggers": triggers}
    frame, cast = _collection_cast(collection, scene.dimension, query, columns, keep, threads, options)
    sent = dask.delayed(still, name=f"hitscan-scene-{_core.scene_hash(still)}", traverse=False)
    return frame.map_partitions(cast, sent, meta=cast(frame._meta, still))


def _collection_cast(
    collection: dask.dataframe.DataFrame | dask.array.Array,
    dimension: int,
    query: str,
    columns: Sequence[str] | Literal["all"],
    keep: Sequence[str] | Literal["all"],
    threads: int | None,
    options: dict[str, Any],
) -> tuple[dask.dataframe.DataFrame, _PartitionCast]:
    """The columns of a collection that a cast needs, and the cast of a partition."""
    try:
        import dask.array
        import dask.dataframe
    except ImportError as error:
        raise ImportError(
            f"hitscan.dask.map_rays and cast_shards need dask.dataframe: pip install 'hitscan[dask]' ({error})"
        ) from None
    choice("query", query, ("first", "any", "count", "all"))
    known = [name for field_names in _COLUMNS.values() for name in _axes(field_names, dimension)]
    names = known if columns == "all" else list(columns)
    for name in names:
        if name not in known:
            raise ValueError(f"columns: {name!r} is none of {' '.join(known)}")
    if isinstance(collection, dask.array.Array):
        if collection.ndim != 2 or collection.shape[1] != 2 * dimension:
            raise ValueError(f"collection: shape {collection.shape}, but (n, {2 * dimension}) is needed")
        wanted = [*_ORIGIN[:dimension], *_DIRECTION[:dimension]]
        collection = dask.dataframe.from_dask_array(collection.rechunk({1: -1}), columns=wanted)
    elif not isinstance(collection, dask.dataframe.DataFrame):
        raise TypeError(f"collection: a {type(collection).__name__} is neither a Dask DataFrame nor a Dask Array")
    first, second = _ray_columns(list(collection.columns), dimension)
    per_ray = [name for name in _PER_RAY if name in collection.columns]
    kept = list(collection.columns) if keep == "all" else list(keep)
    for name in kept:
        if name not in collection.columns:
            raise ValueError(f"keep: the collection has no column {name!r}")
    cast = _PartitionCast(query, names, kept, first, second, per_ray, threads, options)
    needed = list(dict.fromkeys([*kept, *first, *second, *per_ray]))
    return collection[needed], cast


def _axes(names: tuple[str, ...], dimension: int) -> tuple[str, ...]:
    """The columns of a field in some dimension."""
    return names[:dimension] if len(names) == 3 else names


def _ray_columns(header: list[str], dimension: int) -> tuple[list[str], list[str]]:
    """The columns of rays or of segments, of which one is there."""
    rays = [*_ORIGIN[:dimension]], [*_DIRECTION[:dimension]]
    segments = [*_SEGMENT_START[:dimension]], [*_SEGMENT_END[:dimension]]
    has_rays, has_segments = (set(one[0] + one[1]) <= set(header) for one in (rays, segments))
    if has_rays == has_segments:
        what = "columns of rays and of segments" if has_rays else f"no rays in the columns {' '.join(map(str, header))}"
        needed = f"{' '.join(rays[0] + rays[1])}, or {' '.join(segments[0] + segments[1])}"
        raise ValueError(f"collection: {what} (needs {needed}{', not both' if has_rays else ''})")
    return rays if has_rays else segments


@dataclass(frozen=True)
class _PartitionCast:
    """The function of a partition of rays and a scene that returns the partition of hits."""

    #: Dask names tasks after it.
    __name__ = "hitscan-map-rays"

    query: str
    columns: list[str]
    keep: list[str]
    first: list[str]
    second: list[str]
    per_ray: list[str]
    threads: int | None
    options: dict[str, Any]

    def arguments(self, frame: _pandas.DataFrame) -> tuple[dict[str, Any], dict[str, Any]]:
        """The rays of a partition and the options of the query, as the queries take them."""
        origins, targets = (
            np.stack([_numbers(frame[name]) for name in names], axis=1) for names in (self.first, self.second)
        )
        rays: dict[str, Any] = {"origins": origins, "ends" if self.first[0] == "ax" else "directions": targets}
        options = {**self.options, "threads": self.threads}
        for name in self.per_ray:
            own, common = _numbers(frame[name]), self.options[name]
            if name == "layers":
                options[name] = own if common is None else own.astype(np.int64) & common
            else:
                options[name] = (np.maximum if name == "t_min" else np.minimum)(own, common)
        return rays, options

    def __call__(self, frame: _pandas.DataFrame, scene: _Queried) -> _pandas.DataFrame:
        import pandas

        rays, options = self.arguments(frame)
        kept = frame[self.keep]
        if self.query == "any":
            return kept.assign(hit=scene.cast_any(**rays, **options))
        if self.query == "count":
            return kept.assign(count=scene.count(**rays, **options))
        fields = tuple(field for field, names in _COLUMNS.items() if not set(names).isdisjoint(self.columns))
        if self.query == "first":
            hits = scene.cast(**rays, **options, fields=fields, keep_rays=False)
        else:
            lists = scene.cast_all(**rays, **options, fields=fields)
            hits, kept = lists.hits, kept.iloc[lists.ray]
        made: dict[str, Any] = {}
        for field_name in fields:
            values, hit = getattr(hits, field_name), hits.hit
            for axis, name in enumerate(_axes(_COLUMNS[field_name], scene.dimension)):
                column = values if values.ndim == 1 else values[:, axis]
                if field_name == "hit":
                    made[name] = column
                elif column.dtype.kind == "f":
                    made[name] = np.where(hit, column, np.array(np.nan, column.dtype))
                elif column.dtype.kind == "b":
                    made[name] = pandas.arrays.BooleanArray(column.copy(), ~hit)
                else:
                    made[name] = pandas.arrays.IntegerArray(column.copy(), column < 0)
        return kept.assign(**{name: made[name] for name in self.columns})


def _numbers(series: _pandas.Series[Any]) -> Any:
    """The numbers of a column, with NaN where a number is missing."""
    if isinstance(series.dtype, np.dtype):
        return series.to_numpy()
    if series.name == "layers":
        return series.to_numpy(dtype=np.int64)
    single = getattr(series.dtype, "numpy_dtype", None) == np.float32
    return series.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)


# Shards.


def cast_shards(
    client: distributed.Client,
    shards: Sequence[Shard | str | PathLike[str]],
    collection: dask.dataframe.DataFrame | dask.array.Array,
    *,
    query: Literal["first"] | Literal["any"] | Literal["count"] | Literal["all"] = "first",
    columns: Sequence[str] | Literal["all"] = _DEFAULT_COLUMNS,
    keep: Sequence[str] | Literal["all"] = (),
    t_min: float = 0.0,
    t_max: float = math.inf,
    layers: int | None = None,
    inside: Inside = "solid",
    faces: Faces = "both",
    triggers: Triggers = "pass",
    threads: int | None = None,
) -> dask.dataframe.DataFrame:
    """Casts the rays of a Dask DataFrame or Array at a scene whose shards are on different workers.

    The rays of a partition go to each shard, and one task merges the hits; where hits of two shards are equally close up to
    rounding, it gets the triangles or shapes of these hits, and compares them exactly. So each
    result equals that of `map_rays` with the whole scene, bit for bit.

    Parameters
    ----------
    client : distributed.Client
        Client of the cluster.
    shards : sequence of Shard or path
        All shards of one scene. Workers read the files of paths, which must be on a disk that they share.
    collection, query, columns, keep, t_min, t_max, layers, inside, faces, triggers
        See `map_rays`.
    threads : int, optional
        Number of threads of each cast; `None` for all of the worker's machine. A worker casts one partition at a time.

    Returns
    -------
    dask.dataframe.DataFrame
        As that of `map_rays`. It keeps the shards on the workers until it is gone.

    Raises
    ------
    TypeError, ValueError
        With the argument and its value.
    OSError
        If the file of a shard cannot be read.
    RuntimeError
        When the result is computed: a worker was lost, and its shards with it.

    Notes
    -----
    Shards go to the workers in turn, and stay there: they are actors, which Dask does not copy.

    Examples
    --------
    >>> import dask.dataframe, distributed, pandas, hitscan, hitscan.dask
    >>> shards = hitscan.Scene([hitscan.Sphere((0, 0, z), 1) for z in (5, 9)]).split(2)
    >>> rays = pandas.DataFrame({"ox": [0.0, 3], "oy": [0.0, 0], "oz": 0.0, "dx": 0.0, "dy": 0.0, "dz": 1.0})
    >>> rays = dask.dataframe.from_pandas(rays, npartitions=1)
    >>> with distributed.Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as client:
    ...     print(hitscan.dask.cast_shards(client, shards, rays, columns=["hit", "t", "object"]).compute())
         hit    t  object
    0   True  4.0       0
    1  False  NaN    <NA>
    """
    _check_client(client)
    given = list(shards)
    if not given:
        raise ValueError("shards: there are none; give all shards of a scene")
    for number, shard in enumerate(given):
        if not isinstance(shard, Shard | str | PathLike):
            raise TypeError(f"shards[{number}]: {shard!r} is neither a Shard nor a path")
    addresses = sorted(client.scheduler_info(n_workers=-1)["workers"])
    if not addresses:
        raise ValueError("client: the cluster has no workers; start some, or wait for them by client.wait_for_workers")
    places = [addresses[number % len(addresses)] for number in range(len(given))]
    loading = [_hold(client, shard, place) for shard, place in zip(given, places, strict=True)]
    holders = [future.result() for future, _ in loading]
    kinds = [holder.kind().result() for holder in holders]
    for number, kind in enumerate(kinds):
        if kind != kinds[0]:
            raise ValueError(f"shards[{number}]: it has another dimension or precision than the first")
    dimension, _ = kinds[0]
    options = {"t_min": t_min, "t_max": t_max, "layers": layers, "inside": inside, "faces": faces, "triggers": triggers}
    frame, cast = _collection_cast(collection, dimension, query, columns, keep, threads, options)
    shards_cast = _ShardsCast(cast, kinds[0], holders, places, uuid.uuid4().hex)
    return frame.map_partitions(shards_cast, meta=cast(frame._meta, _Merged(kinds[0], query, [], [])))


class _ShardHolder:
    """A shard on a worker: an actor, which Dask never copies. Casts run where it is."""

    def __init__(self, shard: Shard | str) -> None:
        self.shard = shard if isinstance(shard, Shard) else Shard.load(shard)

    def kind(self) -> tuple[int, bool]:
        """Number of dimensions, and whether numbers are float64."""
        return self.shard.dimension, self.shard.dtype == np.float64

    def answer(self, frame: _pandas.DataFrame, cast: _PartitionCast, kind: tuple[int, bool]) -> Any:
        """What the shard answers: bytes of hits, or an array."""
        ask, threads = _partition_rays(frame, cast, kind)
        core = self.shard._shard
        if cast.query == "first":
            return core.hits(ask, ask.is_double, threads)
        if cast.query == "all":
            return core.hit_lists(ask, ask.is_double, threads)
        if cast.query == "any":
            any_hit = np.empty(ask.rows, np.bool_)
            core.cast_any(ask, ask.is_double, any_hit, threads)
            return any_hit
        counts = np.empty(ask.rows, np.uint32)
        core.count(ask, ask.is_double, counts, threads)
        return counts

    def part(self, objects: Any, triangles: Any, is_double: bool) -> bytes:
        """The part with some primitives."""
        # Dask may put arrays at odd addresses.
        objects, triangles = (np.require(column, np.int64, ("C", "A")) for column in (objects, triangles))
        return self.shard._shard.part(objects, triangles, is_double)


def _hold(
    client: distributed.Client, shard: Shard | str | PathLike[str], place: str
) -> tuple[distributed.Future, distributed.Future | str]:
    """Brings a shard to a worker: the future of its actor, and what has to stay until that is there."""
    # Not as an argument: those go through the scheduler.
    sent = client.scatter(shard, workers=[place], hash=False) if isinstance(shard, Shard) else str(shard)
    return client.submit(_ShardHolder, sent, workers=[place], actor=True, pure=False), sent


#: Seconds after which a task asks whether the worker is still there that it waits for.
_PATIENCE = 5.0


def _waited(answer: Any, place: str) -> Any:
    """The result of an actor's method. Dask waits forever for an actor that is lost."""
    while True:
        try:
            return answer.result(timeout=_PATIENCE)
        except (TimeoutError, OSError) as error:
            if place not in distributed.get_client().scheduler_info(n_workers=-1)["workers"]:
                raise RuntimeError(
                    f"the worker at {place} was lost, and the shards on it: call cast_shards again"
                ) from None
            if not isinstance(error, TimeoutError):
                raise


@dataclass(frozen=True)
class _ShardsCast:
    """The function of a partition of rays that returns the partition of hits at all shards."""

    #: Dask names tasks after it.
    __name__ = "hitscan-cast-shards"

    cast: _PartitionCast
    kind: tuple[int, bool]
    #: Actors of the class `_ShardHolder`, and the addresses of their workers.
    holders: list[Any]
    places: list[str]
    token: str

    def __dask_tokenize__(self) -> str:
        return self.token

    def __call__(self, frame: _pandas.DataFrame) -> _pandas.DataFrame:
        answers = [holder.answer(frame, self.cast, self.kind) for holder in self.holders]
        found = [_waited(answer, place) for answer, place in zip(answers, self.places, strict=True)]
        parts = []
        if self.cast.query in ("first", "all"):
            ask, _ = _partition_rays(frame, self.cast, self.kind)
            contested = _core.contested(found, ask.rows, (self.kind[0], ask.is_double), self.cast.query == "all")
            asked = zip(self.holders, self.places, contested, strict=True)
            wanted = [(one.part(*ids, ask.is_double), place) for one, place, ids in asked if len(ids[0])]
            parts = [_waited(part, place) for part, place in wanted]
        return self.cast(frame, _Merged(self.kind, self.cast.query, found, parts))


def _partition_rays(frame: _pandas.DataFrame, cast: _PartitionCast, kind: tuple[int, bool]) -> tuple[Rays, int]:
    """The rays of a partition for the core, and the number of threads."""
    given, options = cast.arguments(frame)
    threads = thread_count(options.pop("threads"))
    ends, directions = given.get("ends"), given.get("directions")
    return rays(*kind, given["origins"], directions, ends, **options), threads


@dataclass(frozen=True)
class _Merged:
    """The merge of the answers of shards, with the queries that a partition needs."""

    kind: tuple[int, bool]
    query: str
    found: list[Any]
    parts: list[bytes]

    @property
    def dimension(self) -> int:
        """Number of dimensions."""
        return self.kind[0]

    def _rays(self, arguments: dict[str, Any]) -> Rays:
        given = {name: value for name, value in arguments.items() if name not in ("fields", "threads", "keep_rays")}
        return rays(*self.kind, given.pop("origins"), given.pop("directions", None), given.pop("ends", None), **given)

    def cast(self, **arguments: Any) -> Hits:
        """Closest hits."""
        ask = self._rays(arguments)
        arrays = allocate(checked_fields(arguments["fields"], HIT_FIELDS), ask.rows, self.dimension, ask.is_double)
        _core.merge_closest(self.found, self.parts, ask, (self.dimension, ask.is_double), arrays)
        return Hits(arrays, ask.shape, self.dimension)

    def cast_all(self, **arguments: Any) -> HitLists:
        """All hits."""
        ask = self._rays(arguments)
        names = ["hit", *checked_fields(arguments["fields"], HIT_FIELDS)]
        found = _core.merge_all(self.found, self.parts, ask, (self.dimension, ask.is_double), names)
        offsets, arrays = found
        hits = Hits(shaped(arrays, self.dimension), (len(arrays["hit"]),), self.dimension)
        return HitLists(offsets, ask.shape, hits)

    def cast_any(self, **arguments: Any) -> Any:
        """Whether rays hit."""
        return np.logical_or.reduce(self.found) if self.found else np.zeros(self._rays(arguments).rows, np.bool_)

    def count(self, **arguments: Any) -> Any:
        """Numbers of hits."""
        none = np.zeros(self._rays(arguments).rows, np.uint64)
        return np.minimum(sum(self.found, none), 2**32 - 1).astype(np.uint32)


#: What a partition is cast at.
_Queried: TypeAlias = Scene | Shape | _Merged
