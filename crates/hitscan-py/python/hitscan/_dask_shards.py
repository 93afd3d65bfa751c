"""Casts of the rays of Dask collections at shards on the workers: `hitscan.dask.cast_shards`."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import dask
import distributed
import numpy as np

from hitscan import _core
from hitscan._arrays import Coplanar, Faces, Inside, Rays, Triggers, rays, thread_count
from hitscan._dask_collections import DEFAULT_COLUMNS, PartitionCast, check_client, collection_cast
from hitscan._shards import MergedShards, Shard

if TYPE_CHECKING:
    import dask.array
    import dask.dataframe
    import pandas as _pandas


def cast_shards(
    client: distributed.Client,
    shards: Sequence[Shard | str | PathLike[str]],
    collection: dask.dataframe.DataFrame | dask.array.Array,
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
    collection, query, columns, keep, t_min, t_max, layers, inside, faces, triggers, coplanar
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
    check_client(client)
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
    options = {
        "t_min": t_min, "t_max": t_max, "layers": layers, "inside": inside, "faces": faces, "triggers": triggers,
        "coplanar": coplanar,
    }  # fmt: skip
    frame, cast = collection_cast(collection, dimension, query, columns, keep, threads, options)
    shards_cast = _ShardsCast(cast, kinds[0], holders, places, uuid.uuid4().hex)
    return frame.map_partitions(shards_cast, meta=cast(frame._meta, MergedShards(kinds[0], query, [], [])))


class _ShardHolder:
    """A shard on a worker: an actor, which Dask never copies. Casts run where it is."""

    def __init__(self, shard: Shard | str) -> None:
        self.shard = shard if isinstance(shard, Shard) else Shard.load(shard)

    def kind(self) -> tuple[int, bool]:
        """Number of dimensions, and whether numbers are float64."""
        return self.shard.dimension, self.shard.dtype == np.float64

    def answer(self, frame: _pandas.DataFrame, cast: PartitionCast, kind: tuple[int, bool]) -> Any:
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

    cast: PartitionCast
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
        return self.cast(frame, MergedShards(self.kind, self.cast.query, found, parts))


def _partition_rays(frame: _pandas.DataFrame, cast: PartitionCast, kind: tuple[int, bool]) -> tuple[Rays, int]:
    """The rays of a partition for the core, and the number of threads."""
    given, options = cast.arguments(frame)
    threads = thread_count(options.pop("threads"))
    ends, directions = given.get("ends"), given.get("directions")
    return rays(*kind, given["origins"], directions, ends, **options), threads
