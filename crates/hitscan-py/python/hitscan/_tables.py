"""Casts of table files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, TypeAlias

from hitscan import _core
from hitscan._arrays import Coplanar, Faces, Inside, Progress, Triggers, progress_callback
from hitscan._scene import Scene
from hitscan._shapes import Shape

#: What to find for each ray.
TableQuery: TypeAlias = Literal["first"] | Literal["any"] | Literal["all"] | Literal["count"] | Literal["spans"]
#: What to do about a row that cannot be read.
OnError: TypeAlias = Literal["stop"] | Literal["skip"] | Literal["null"]
#: Precision of casts of table files.
TablePrecision: TypeAlias = Literal["auto"] | Literal["f32"] | Literal["f64"]
#: Numbers of a file that was written.
Written: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CastReport:
    """Report of a cast of table files: what one run read and wrote."""

    #: Files written. Files of bad rows do not count.
    files: int
    #: Rows read.
    rows_in: int
    #: Rows written.
    rows_out: int
    #: Hits: rays that hit something; all hits of the query `all`; the ends of the spans, at most two for each.
    hits: int
    #: Rows with errors, which were skipped or got nulls.
    bad_rows: int
    #: Seconds on the clock.
    seconds: float
    #: Files that an earlier run had finished.
    skipped: int = 0

    def __str__(self) -> str:
        counts = (
            (self.files, "file", "files"),
            (self.rows_in, "row in", "rows in"),
            (self.rows_out, "row out", "rows out"),
            (self.hits, "hit", "hits"),
            (self.bad_rows, "bad row", "bad rows"),
        )
        text = ", ".join(f"{count:,} {one if count == 1 else many}" for count, one, many in counts)
        finished = f" ({self.skipped:,} finished before)" if self.skipped else ""
        return f"{text}, {self.seconds:.1f} s{finished}"


def table_options(**given: object) -> dict[str, object]:
    """The options of a cast of table files that are given."""
    keep: Any = given["keep"]
    columns: Any = given["columns"]
    lists = {
        "keep": keep if keep == "all" else list(keep),
        "columns": None if columns is None else list(columns),
    }
    return {name: value for name, value in (given | lists).items() if value is not None}


def report_of(written: Sequence[Written], skipped: int, seconds: float) -> CastReport:
    """The report of files that were written."""
    totals = {name: sum(one[name] for one in written) for name in ("rows_in", "rows_out", "hits", "bad_rows")}
    return CastReport(files=len(written), **totals, seconds=seconds, skipped=skipped)


def cast_files(
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
    threads: int = 0,
    progress: Progress = None,
) -> CastReport:
    """Casts the rays of table files, and writes a file of hits for each: the pipeline of `hitscan cast`.

    Reading, casting and writing overlap, and memory does not grow with the number of rows.

    Parameters
    ----------
    scene : Scene or Shape
        What to cast at, as it is now.
    inputs : path, or iterable of paths
        Files, folders (with their subfolders) and globs, such as `"rays/year=*/*.parquet"`: CSV, TSV and JSON lines (each
        also with `.gz` or `.zst`), Parquet, and Arrow IPC. Columns are `ox oy oz dx dy dz`, or `ax ay az bx by bz` for
        segments (no z in 2D), and perhaps `t_min`, `t_max`, `layers` and `max_distance`, whose nulls mean no limit of
        their own. Names within a folder that begin with `_` or `.` do not count.
    output : path
        Folder of the outputs. A file `year=2024/a.csv` of an input folder becomes `year=2024/a.parquet`, or
        `a-00000.parquet`, `a-00001.parquet`, … if it has more than `rows_per_file` rows.
    query : str
        `"first"`: one row per ray, the closest hit. `"any"` and `"count"`: one row per ray. `"all"`: a row per hit.
        `"spans"`: a row per end of a span.
    columns : sequence of str, optional
        Columns of the results, in this order; the others are not computed. By default all: those that `hitscan cast` writes.
    keep : sequence of str, or "all"
        Columns of the input that go to the output as they are. A column of text gets the type of its cells in the first
        125,000 rows (`int64`, `float64`, `boolean` or text); `"id:text"` says which.
    t_min, t_max : float, optional
        Range of t. For a ray with limits of its own, the narrower range counts.
    max_distance : float, optional
        Largest distance of a hit from the beginning of its ray, as a true length. For a ray with a distance of its own, the
        smaller one counts.
    line : bool
        Whether rays are whole lines in both directions.
    inside : {"solid", "hollow"}
        Rule for rays that start inside a solid.
    faces : {"both", "front", "back"}
        Sides of surfaces that count.
    layers : int, optional
        Mask of the layers that count, one bit for each.
    triggers : {"pass", "hit", "ignore"}
        What rays do at triggers.
    coplanar : {"miss", "hit"}
        Whether rays hit flat surfaces that they run in.
    radius : float, optional
        Radius of spheres that move along the rays, for the queries `"first"` and `"any"`.
    max_hits : int, optional
        Most hits of a ray, nearest first, for the query `"all"`.
    precision : {"auto", "f32", "f64"}
        Precision of casts and results. `"auto"` is `f32` for a `float32` scene and tables of `float32` columns; text
        needs `f64`.
    format : str
        Format of the outputs: `"parquet"`, `"csv"`, `"jsonl"`, `"csv.gz"`, `"csv.zst"`, `"jsonl.gz"`, `"jsonl.zst"`,
        `"arrow"` or `"arrows"` (a stream); or `"ply"` or `"las"`: point clouds of the hits.
    delimiter : str, optional
        Character between the cells of CSV, in inputs and outputs.
    null : str, optional
        Text of a missing value, in inputs and outputs, besides the empty cell.
    on_error : {"stop", "skip", "null"}
        What to do about a row that cannot be read: raise an error, leave it out, or write a row of nulls. Skipped and null
        rows are listed in the folder `_bad_rows` of the output.
    las_scale : float, optional
        Unit of the coordinates of LAS files, which are whole multiples of it. By default the smallest power of ten that holds
        the scene.
    rows_per_file : int
        Most input rows of an output file, 1 to 4,000,000.
    resume : bool
        Whether to go on with an earlier run in the output folder: finished files stay, missing ones are computed. Scene,
        options and inputs must be the same: the file `_hitscan.json` has them. An input without outputs may have changed.
    threads : int
        Number of threads; 0 for all processors. The outputs do not depend on it.
    progress : bool or callable
        `True` for a bar by tqdm, or a function of (rows done, all rows). The number of all rows is an estimate until the
        last call.

    Returns
    -------
    CastReport

    Raises
    ------
    ValueError, OSError
        If an option or an input is wrong: one line with file, row, column and reason.
    FileExistsError
        If there are files in the output folder, unless `resume`.

    Warns
    -----
    UserWarning
        Of meshes that have no spans: see `Queries.spans`.

    Notes
    -----
    A file appears whole or not at all. Its bytes depend on scene, options and input only.

    Examples
    --------
    >>> import pathlib, tempfile, hitscan
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "rays.csv").write_text("id,ox,oy,oz,dx,dy,dz\\n7,0,0,0,0,0,1\\n8,3,0,0,0,0,1\\n")
    >>> ball = hitscan.Sphere((0, 0, 5), 1)
    >>> report = hitscan.cast_files(
    ...     ball, folder / "rays.csv", folder / "hits", keep=["id"], columns=["hit", "t"], format="csv"
    ... )
    >>> report.files, report.rows_in, report.hits
    (1, 2, 1)
    >>> print((folder / "hits" / "rays.csv").read_text().strip())
    id,hit,t
    7,true,4
    8,false,
    """
    if not isinstance(scene, Scene | Shape):
        raise TypeError(f"scene: {scene!r} is neither a Scene nor a Shape")
    started = time.monotonic()
    options = table_options(
        query=query, columns=columns, keep=keep, t_min=t_min, t_max=t_max, max_distance=max_distance, line=line,
        inside=inside, faces=faces, layers=layers, triggers=triggers, coplanar=coplanar, radius=radius, max_hits=max_hits,
        precision=precision, format=format, delimiter=delimiter, null=null, on_error=on_error, las_scale=las_scale,
        rows_per_file=rows_per_file,
    )  # fmt: skip
    paths = [inputs] if isinstance(inputs, str | PathLike) else list(inputs)
    update = progress_callback(progress)

    def show(rows: int, share: float | None) -> None:
        if update is not None:
            update(rows, max(rows, round(rows / share)) if share else rows + 1)

    table_cast = _core.TableCast(options)
    if query == "spans":
        scene._warn_of_open_meshes(layers, ())
    written, skipped = table_cast.run_all(
        scene.snapshot() if isinstance(scene, Scene) else scene,
        [os.fspath(path) for path in paths],
        os.fspath(output),
        resume=resume,
        threads=threads,
        progress=None if update is None else show,
    )
    report = report_of(written, skipped, time.monotonic() - started)
    if update is not None:
        update(report.rows_in, report.rows_in)
    return report
