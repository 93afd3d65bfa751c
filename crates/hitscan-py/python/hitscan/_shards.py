"""Scenes larger than a machine: shards, and casts at all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._arrays import Coplanar, Faces, Inside, Rays, Triggers, excluded_ids, rays, thread_count
from hitscan._lists import HitLists, SpanLists
from hitscan._results import HIT_FIELDS, Hits, allocate, checked_fields, shaped

if TYPE_CHECKING:
    from hitscan._scene import Scene

_DEFAULT_FIELDS = ("t", "object", "primitive")


class Shard:
    """A shard: a part of a scene with a BVH of its own, and the object ids and triangle numbers of the whole scene.

    `Scene.split` makes the shards of a scene. For a scene that is too large to be built as one, `Shard.of_scene` makes each
    from a scene with some of the objects. `ShardedScene` casts rays at shards, `hitscan.dask.cast_shards` at shards on many
    machines.

    Examples
    --------
    >>> import hitscan
    >>> scene = hitscan.Scene([hitscan.Sphere((x, 0, 0), 0.25) for x in range(10)])
    >>> shards = scene.split(2)
    >>> [shard.ids for shard in shards]
    [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    """

    __slots__ = ("_shard",)
    _shard: _core.Shard

    def __init__(self) -> None:
        raise TypeError("a Shard is made by Scene.split, Shard.of_scene or Shard.load")

    @classmethod
    def _of(cls, core: _core.Shard) -> Shard:
        shard = object.__new__(cls)
        shard._shard = core
        return shard

    @classmethod
    def of_scene(cls, scene: Scene, first: int) -> Shard:
        """A shard of all objects of a scene, whose ids in the whole scene are `first`, `first + 1`, … in the order of adding.

        The first shard begins at 0, and each other one where the one before ends.
        """
        if isinstance(first, bool) or not 0 <= int(first) < 2**32:
            raise ValueError(f"first: {first} is no id from 0 to 2**32 - 1")
        return cls._of(_core.Shard.numbered(scene._scene, int(first)))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Shard:
        """Reads a shard from a `.hitshard` file, without a build."""
        try:
            return cls._of(_core.Shard.from_bytes(Path(path).read_bytes()))
        except ValueError as error:
            raise ValueError(f"{fspath(path)}: {error}") from None

    def save(self, path: str | PathLike[str]) -> None:
        """Saves the shard with its BVH to a `.hitshard` file."""
        from hitscan._files import write

        write(path, ".hitshard", self._shard.to_bytes())

    @property
    def dimension(self) -> int:
        """Number of dimensions, 2 or 3."""
        return self._shard.dimension

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the numbers, `float32` or `float64`."""
        return np.dtype(np.float64 if self._shard.is_double else np.float32)

    def __len__(self) -> int:
        return len(self._shard)

    def __bool__(self) -> bool:
        return True

    @property
    def ids(self) -> list[int]:
        """Ids in the whole scene of the objects of which the shard has a part."""
        return self._shard.ids()

    @property
    def triangles(self) -> int:
        """Number of triangles, those of a mesh that several objects place counted once."""
        return self._shard.triangle_count()

    def __sizeof__(self) -> int:
        # About the memory of BVHs, triangles and objects: Dask moves tasks to the shard, not the shard to them.
        return 128 * self.triangles + 512 * len(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_bytes, (self._shard.to_bytes(),)

    def __repr__(self) -> str:
        return f"Shard({len(self)} objects, {self.triangles} triangles, {self.dimension}D, {self.dtype})"


def _from_bytes(saved: bytes) -> Shard:
    return Shard._of(_core.Shard.from_bytes(saved))


class ShardedScene:
    """A scene in shards on one machine: every answer equals that of the whole scene, bit for bit.

    Parameters
    ----------
    shards : iterable of Shard or path
        All shards of one scene. A query loads those that are paths, one after the other: so one is in memory at a time.

    Notes
    -----
    `cast` and `cast_all` load those shards a second time whose hits are as close as hits of other shards. So cast as many
    rays at once as memory holds.

    There are no queries of points and volumes.

    Examples
    --------
    >>> import pathlib, tempfile, numpy as np, hitscan
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> scene = hitscan.Scene([hitscan.Sphere((x, 0, 0), 0.75) for x in range(100)])
    >>> for number, shard in enumerate(scene.split(4)):
    ...     shard.save(folder / f"{number}.hitshard")
    >>> sharded = hitscan.ShardedScene(sorted(folder.glob("*.hitshard")))
    >>> origins = np.linspace((0, 0.3, 5), (99, 0.3, 5), 1000)
    >>> hits, whole = sharded.cast(origins, (0, 0, -1)), scene.cast(origins, (0, 0, -1))
    >>> bool((hits.t == whole.t).all() and (hits.object == whole.object).all())
    True
    """

    __slots__ = ("_scene", "_shards", "dimension", "dtype")

    def __init__(self, shards: Iterable[Shard | str | PathLike[str]]) -> None:
        self._shards = list(shards)
        if not self._shards:
            raise ValueError("shards: there are none; give all shards of a scene")
        for number, shard in enumerate(self._shards):
            if not isinstance(shard, Shard | str | PathLike):
                raise TypeError(f"shards[{number}]: {shard!r} is neither a Shard nor a path")
        first = self._shards[0]
        first = first if isinstance(first, Shard) else Shard.load(first)
        #: Number of dimensions, 2 or 3.
        self.dimension: int = first.dimension
        #: Precision of the numbers, `float32` or `float64`.
        self.dtype: np.dtype[Any] = first.dtype
        self._scene = _core.ShardedScene(len(self._shards), self._load, self.dimension)

    def _load(self, number: int) -> _core.Shard:
        shard = self._shards[number]
        shard = shard if isinstance(shard, Shard) else Shard.load(shard)
        if shard.dimension != self.dimension:
            raise ValueError(f"shards[{number}]: it has {shard.dimension} dimensions, the first has {self.dimension}")
        return shard._shard

    def _rays(self, origins: object, directions: object, ends: object, rules: dict[str, Any]) -> Rays:
        return rays(self.dimension, self.dtype == np.float64, origins, directions, ends, **rules)

    def cast(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = 0.0,
        t_max: object = np.inf,
        max_distance: object = np.inf,
        layers: object = None,
        exclude: Iterable[int] = (),
        inside: Inside = "solid",
        faces: Faces = "both",
        triggers: Triggers = "pass",
        coplanar: Coplanar = "miss",
        fields: Iterable[str] = _DEFAULT_FIELDS,
        threads: int | None = None,
    ) -> Hits:
        """Casts rays or segments: the closest hit of each. Parameters are those of `Queries.cast`.

        The hits have only the given fields.
        """
        rules = _rules(t_min, t_max, max_distance, layers, inside, faces, triggers, coplanar)
        cast = self._rays(origins, directions, ends, rules)
        arrays = allocate(checked_fields(fields, HIT_FIELDS), cast.rows, self.dimension, cast.is_double)
        self._scene.cast(cast, cast.is_double, excluded_ids(exclude), arrays, thread_count(threads))
        return Hits(arrays, cast.shape, self.dimension)

    def cast_any(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = 0.0,
        t_max: object = np.inf,
        max_distance: object = np.inf,
        layers: object = None,
        exclude: Iterable[int] = (),
        inside: Inside = "solid",
        faces: Faces = "both",
        triggers: Triggers = "pass",
        coplanar: Coplanar = "miss",
        threads: int | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Whether rays or segments hit anything. Parameters are those of `Queries.cast`."""
        rules = _rules(t_min, t_max, max_distance, layers, inside, faces, triggers, coplanar)
        cast = self._rays(origins, directions, ends, rules)
        return self._scene.cast_any(cast, cast.is_double, excluded_ids(exclude), thread_count(threads)).reshape(
            cast.shape
        )

    def count(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = 0.0,
        t_max: object = np.inf,
        max_distance: object = np.inf,
        layers: object = None,
        exclude: Iterable[int] = (),
        inside: Inside = "solid",
        faces: Faces = "both",
        triggers: Triggers = "pass",
        coplanar: Coplanar = "miss",
        threads: int | None = None,
    ) -> npt.NDArray[np.uint32]:
        """Number of hits of each ray or segment. Parameters are those of `Queries.cast`."""
        rules = _rules(t_min, t_max, max_distance, layers, inside, faces, triggers, coplanar)
        cast = self._rays(origins, directions, ends, rules)
        return self._scene.count(cast, cast.is_double, excluded_ids(exclude), thread_count(threads)).reshape(cast.shape)

    def cast_all(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = 0.0,
        t_max: object = np.inf,
        max_distance: object = np.inf,
        layers: object = None,
        exclude: Iterable[int] = (),
        inside: Inside = "solid",
        faces: Faces = "both",
        triggers: Triggers = "pass",
        coplanar: Coplanar = "miss",
        fields: Iterable[str] = _DEFAULT_FIELDS,
        threads: int | None = None,
    ) -> HitLists:
        """All hits of each ray or segment, by increasing `t`. Parameters are those of `Queries.cast`."""
        rules = _rules(t_min, t_max, max_distance, layers, inside, faces, triggers, coplanar)
        cast = self._rays(origins, directions, ends, rules)
        names = ["hit", *checked_fields(fields, HIT_FIELDS)]
        offsets, arrays = self._scene.cast_all(
            cast, cast.is_double, excluded_ids(exclude), names, thread_count(threads)
        )
        return HitLists(offsets, cast.shape, self._hits(arrays))

    def spans(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = 0.0,
        t_max: object = np.inf,
        max_distance: object = np.inf,
        layers: object = None,
        exclude: Iterable[int] = (),
        inside: Inside = "solid",
        faces: Faces = "both",
        triggers: Triggers = "pass",
        fields: Iterable[str] = _DEFAULT_FIELDS,
        threads: int | None = None,
    ) -> SpanLists:
        """Spans of each ray or segment: intervals of `t` inside of a solid. Parameters are those of `Queries.cast`.

        An open mesh has no spans. Shards do not warn of it as `Queries.spans` does, because each has only a part of a mesh.
        """
        cast = self._rays(
            origins, directions, ends, _rules(t_min, t_max, max_distance, layers, inside, faces, triggers)
        )
        names = ["hit", *checked_fields(fields, HIT_FIELDS)]
        offsets, enter, exit = self._scene.spans(
            cast, cast.is_double, excluded_ids(exclude), names, thread_count(threads)
        )
        return SpanLists(offsets, cast.shape, self._hits(enter), self._hits(exit))

    def _hits(self, arrays: dict[str, npt.NDArray[Any]]) -> Hits:
        return Hits(shaped(arrays, self.dimension), (len(arrays["hit"]),), self.dimension)

    def __repr__(self) -> str:
        return f"ShardedScene({len(self._shards)} shards, {self.dimension}D, {self.dtype})"


@dataclass(frozen=True)
class MergedShards:
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


def _rules(
    t_min: object,
    t_max: object,
    max_distance: object,
    layers: object,
    inside: Inside,
    faces: Faces,
    triggers: Triggers,
    coplanar: Coplanar = "miss",
) -> dict[str, Any]:
    return {
        "t_min": t_min, "t_max": t_max, "max_distance": max_distance, "layers": layers, "inside": inside, "faces": faces,
        "triggers": triggers, "coplanar": coplanar,
    }  # fmt: skip
