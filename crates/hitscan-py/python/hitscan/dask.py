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
from typing import Any, Literal, TypeAlias

try:
    import distributed
    from distributed.diagnostics.plugin import WorkerPlugin
except ImportError as _error:
    raise ImportError(f"hitscan.dask needs dask and distributed: pip install 'hitscan[dask]' ({_error})") from None

from hitscan import _core
from hitscan._arrays import Coplanar, Faces, Inside, Progress, Triggers, progress_callback
from hitscan._dask_collections import check_client, map_rays, snapshot
from hitscan._dask_shards import cast_shards
from hitscan._scene import Scene
from hitscan._shapes import Shape
from hitscan._storage import InputFile, Storage, find_inputs
from hitscan._tables import CastReport, OnError, TablePrecision, TableQuery, report_of, table_options

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
    max_distance: float | None = None,
    line: bool = False,
    inside: Inside = "solid",
    faces: Faces = "both",
    layers: int | None = None,
    triggers: Triggers = "pass",
    coplanar: Coplanar = "miss",
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
    query, columns, keep, t_min, t_max, max_distance, line, inside, faces, layers, triggers, coplanar, radius, \
max_hits, precision, format, delimiter, null, on_error, las_scale
        See `hitscan.cast_files`.
    rows_per_file : int
        Most input rows of an output file.
    resume : bool
        Whether to go on with an earlier run in the output folder: finished files stay, missing ones are computed. Scene,
        options and inputs must be the same; an input without outputs may have changed.
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

    Warns
    -----
    UserWarning
        Of meshes that have no spans: see `Queries.spans`.

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
    check_client(client)
    still = snapshot(scene)
    options = table_options(
        query=query, columns=columns, keep=keep, t_min=t_min, t_max=t_max, max_distance=max_distance, line=line,
        inside=inside, faces=faces, layers=layers, triggers=triggers, coplanar=coplanar, radius=radius, max_hits=max_hits,
        precision=precision, format=format, delimiter=delimiter, null=null, on_error=on_error, las_scale=las_scale,
        rows_per_file=rows_per_file,
    )  # fmt: skip
    table_cast = _core.TableCast(options)
    if query == "spans":
        scene._warn_of_open_meshes(layers, ())
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
    mended: set[str] = set()
    if earlier is not None:
        stems = _stems(written, table_cast.extension)
        finished = {file.name for file in files if file.stem in stems}
        mended = set(_core.compare_manifests(earlier, text, finished))
    tasks, skipped = _plan(list(zip(files, inspected, strict=True)), run, written)
    if earlier is not None:
        target.remove_temporaries()
    if mended:
        _remove_bad_rows(target, written, {file.stem for file in files if file.name in mended}, table_cast.extension)
    if earlier is None or mended:
        manifest.write_text(text)

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


def _stems(names: Iterable[str], extension: str) -> set[str]:
    """Stems of the inputs that have these outputs: `a` for `a.parquet`, `a` and `a-00001` for `a-00001.parquet`."""
    stems = {name.removesuffix(f".{extension}") for name in names if name.endswith(f".{extension}")}
    return stems | {match[1] for stem in stems if (match := re.fullmatch(r"(.+)-\d{5,}", stem, re.DOTALL))}


def _remove_bad_rows(target: Storage, written: set[str], stems: set[str], extension: str) -> None:
    """Removes the bad rows that a broken attempt left of an earlier state of these inputs."""
    for name in written:
        folder, _, base = name.rpartition("/")
        if folder.rpartition("/")[2] != _BAD_ROWS:
            continue
        output = folder.removesuffix(_BAD_ROWS) + base
        if not stems.isdisjoint(_stems([output], f"{extension}.csv")):
            target.below(name).files.rm_file(target.below(name).path)


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
