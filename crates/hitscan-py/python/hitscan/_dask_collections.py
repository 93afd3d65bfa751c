"""Casts of the rays of Dask collections: `hitscan.dask.map_rays`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import dask
import distributed
import numpy as np

from hitscan import _core
from hitscan._arrays import Coplanar, Faces, Inside, Triggers, choice
from hitscan._scene import Scene
from hitscan._shapes import Shape
from hitscan._shards import MergedShards

if TYPE_CHECKING:
    import dask.array
    import dask.dataframe
    import pandas as _pandas

#: What a partition is cast at.
Queried: TypeAlias = Scene | Shape | MergedShards

#: Columns of each field of hits, as `cast_files` names them; those of vectors end with the axis.
_COLUMNS = {
    "hit": ("hit",), "t": ("t",), "distance": ("distance",), "point": ("px", "py", "pz"), "normal": ("nx", "ny", "nz"),
    "uv": ("u", "v"), "front": ("front",), "primitive": ("primitive",), "object": ("object",), "member": ("member",),
    "trigger": ("trigger",),
}  # fmt: skip
DEFAULT_COLUMNS = ("hit", "t", "object", "primitive")
_ORIGIN, _DIRECTION = ("ox", "oy", "oz"), ("dx", "dy", "dz")
_SEGMENT_START, _SEGMENT_END = ("ax", "ay", "az"), ("bx", "by", "bz")
_PER_RAY = ("t_min", "t_max", "layers")


def map_rays(
    collection: dask.dataframe.DataFrame | dask.array.Array,
    scene: Scene | Shape,
    *,
    query: Literal["first"] | Literal["any"] | Literal["count"] | Literal["all"] = "first",
    columns: Sequence[str] | Literal["all"] = DEFAULT_COLUMNS,
    keep: Sequence[str] | Literal["all"] = (),
    t_min: float = 0.0,
    t_max: float = math.inf,
    layers: int | None = None,
    inside: Inside = "solid",
    faces: Faces = "both",
    triggers: Triggers = "pass",
    coplanar: Coplanar = "miss",
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
    t_min, t_max, layers, inside, faces, triggers, coplanar
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
    still = snapshot(scene)
    options = {
        "t_min": t_min, "t_max": t_max, "layers": layers, "inside": inside, "faces": faces, "triggers": triggers,
        "coplanar": coplanar,
    }  # fmt: skip
    frame, cast = collection_cast(collection, scene.dimension, query, columns, keep, threads, options)
    sent = dask.delayed(still, name=f"hitscan-scene-{_core.scene_hash(still)}", traverse=False)
    return frame.map_partitions(cast, sent, meta=cast(frame._meta, still))


def collection_cast(
    collection: dask.dataframe.DataFrame | dask.array.Array,
    dimension: int,
    query: str,
    columns: Sequence[str] | Literal["all"],
    keep: Sequence[str] | Literal["all"],
    threads: int | None,
    options: dict[str, Any],
) -> tuple[dask.dataframe.DataFrame, PartitionCast]:
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
    cast = PartitionCast(query, names, kept, first, second, per_ray, threads, options)
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
class PartitionCast:
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

    def __call__(self, frame: _pandas.DataFrame, scene: Queried) -> _pandas.DataFrame:
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


def snapshot(scene: Scene | Shape) -> Scene | Shape:
    """The scene as it is now, whatever edits come. Shapes never change."""
    if not isinstance(scene, Scene | Shape):
        raise TypeError(f"scene: {scene!r} is neither a Scene nor a Shape")
    return scene.snapshot() if isinstance(scene, Scene) else scene


def check_client(client: object) -> None:
    """Raises a `TypeError` unless this is a synchronous client."""
    if not isinstance(client, distributed.Client):
        raise TypeError(f"client: {client!r} is no distributed.Client")
    if client.asynchronous:
        raise TypeError("client: it is asynchronous; make a distributed.Client without asynchronous=True")
