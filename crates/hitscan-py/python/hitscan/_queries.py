"""The queries that shapes, meshes and scenes have in common."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._arrays import (
    ALL_LAYERS,
    Coplanar,
    Faces,
    Floats,
    Inside,
    InsideRule,
    Progress,
    Rays,
    Triggers,
    TriggersCount,
    choice,
    excluded_ids,
    layer_mask,
    length,
    numbers,
    plain_rays,
    points,
    progress_callback,
    rays,
    refuse_masked,
    row_limit,
    rows,
    thread_count,
)
from hitscan._filter import Accept, first_accepted
from hitscan._lists import ClosestLists, HitLists, OverlapLists, SpanLists, Thicknesses
from hitscan._results import (
    CLOSEST_FIELDS,
    HIT_FIELDS,
    ClosestPoints,
    Hits,
    allocate,
    checked_fields,
    field_type,
    row_shape,
    shaped,
)
from hitscan._sweeps import SweepQueries
from hitscan._tracks import TrackLists, TrackParts
from hitscan._volumes import AnyVolume, CoreVolumes, core_volumes, is_volume

#: The most numbers of an array that the core checks and casts by itself.
_FEW = 8_192
_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_DEFAULT_FIELDS = ("t", "object", "primitive")
_ZERO, _INFINITY = 0.0, np.inf
_NOTHING: tuple[int, ...] = ()
_RULES = ("parity", "winding_number", "parity_if_closed")
_COUNTS = ("hit", "ignore")


class Queries(SweepQueries):
    """The queries of every shape, mesh and scene.

    Rays and points are arrays of shape (..., d) in d = 2 or 3 dimensions; one point has the shape (d,). Arguments broadcast
    against each other without that last axis, and results have the shape that they broadcast to. If all numbers and the
    shapes are `float32`, so are the results; otherwise they are `float64`. A ray with a NaN, an infinity or a zero direction
    hits nothing. Python numbers, such as `t_max`, `radius` and `max_distance`, are rounded to that precision, as NumPy does it.

    Common arguments:

    - `threads`: the number of threads; `None` for all.
    - `progress`: `True` for a bar by tqdm, or a function of (rows done, all rows).

    Long queries release the global interpreter lock, and Ctrl-C ends them.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Number of dimensions, 2 or 3."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """Precision of the numbers, `float32` or `float64`."""

    @abstractmethod
    def _target(
        self, is_double: bool, layers: int | None, exclude: Iterable[int], triggers: TriggersCount = "hit"
    ) -> _core.Target:
        """What the core queries: in `float64` or in the precision of this, without some objects."""

    @abstractmethod
    def _open_meshes(self, layers: int | None, exclude: Iterable[int], triggers: TriggersCount) -> list[int]:
        """Odd edges of each mesh that has no inside; nothing once they were returned."""

    def _warn_of_open_meshes(self, layers: object, exclude: Iterable[int], triggers: TriggersCount = "hit") -> None:
        """Warns once if a query asks for the inside of meshes that have none."""
        mask = None if layers is None or np.ndim(layers) else layer_mask("layers", layers)  # type: ignore[arg-type]
        if odd := self._open_meshes(mask, exclude, triggers):
            what = "the mesh has" if len(odd) == 1 else f"{len(odd)} meshes have"
            if any(odd):
                edges = f"{sum(odd)} edges have" if sum(odd) != 1 else "1 edge has"
                remedy = (
                    "mesh.repaired(tolerance) welds vertices; contains and signed_distance take rule='winding_number'"
                )
                reason = f"{edges} an odd number of triangles ({remedy})"
            else:
                reason = f"{'it has' if len(odd) == 1 else 'they have'} no triangle with an area"
            warnings.warn(f"{what} no inside: {reason}", stacklevel=3)

    def _quick_target(self, origins: object, directions: object) -> _core.Target | None:
        """The target for a query of plain arrays without other arguments, which the core checks and casts by itself."""
        if type(origins) is np.ndarray and type(directions) is np.ndarray and origins.size <= _FEW >= directions.size:
            is_double = origins.dtype is _FLOAT64
            if (is_double or origins.dtype is _FLOAT32) and (is_double or self.dtype is _FLOAT32):
                return self._target(is_double, None, ())
        return None

    def _rays(self, origins: object, directions: object, ends: object = None, **rules: Any) -> Rays:
        return rays(self.dimension, self.dtype == np.float64, origins, directions, ends, **rules)

    def _ray_target(self, cast: Rays, layers: object, exclude: Iterable[int]) -> _core.Target:
        """The target of a query of rays, which have the layers."""
        return self._target(cast.is_double, None if layers is None else ALL_LAYERS, exclude)

    def _points(self, value: object, name: str = "points") -> tuple[Floats, tuple[int, ...], bool]:
        array = points(name, value, self.dimension)
        is_double = self.dtype == np.float64 or array.dtype == np.float64
        shape = array.shape[:-1]
        flat = rows(array.astype(np.float64 if is_double else np.float32, copy=False), shape, self.dimension)
        return flat, shape, is_double

    def _point_target(
        self, is_double: bool, layers: object, exclude: Iterable[int], triggers: TriggersCount = "hit"
    ) -> _core.Target:
        choice("triggers", triggers, _COUNTS)
        mask = None if layers is None else layer_mask("layers", layers)  # type: ignore[arg-type]
        return self._target(is_double, mask, exclude, triggers)

    def cast(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        inside: Inside = "solid",
        faces: Faces = "both",
        triggers: Triggers = "pass",
        coplanar: Coplanar = "miss",
        fields: Iterable[str] = _DEFAULT_FIELDS,
        out: Mapping[str, npt.NDArray[Any]] | None = None,
        threads: int | None = None,
        progress: Progress = None,
        keep_rays: bool = True,
    ) -> Hits:
        """Casts rays or segments: the closest hit of each.

        Parameters
        ----------
        origins : array_like, (..., d)
            Beginnings of rays or segments.
        directions : array_like, (..., d)
            Directions, of any length but zero: `t` counts in their lengths.
        ends : array_like, (..., d)
            Ends of segments, in place of directions: `t` runs from 0 to 1.
        t_min, t_max : float or array_like
            Closed range of `t`, for all rays or for each. `t_min=-inf` is the whole line.
        max_distance : float or array_like
            Largest distance of a hit from the beginning of its ray, as a true length, for all rays or for each: so the
            directions may have any length. It holds besides the range of `t`. A hit exactly at the distance counts. A negative
            number is an error; a ray whose own distance is negative hits nothing.
        layers : int or array_like of int
            Mask of the layers that count, for all rays or for each. Of a group, its members on them count. Scenes only.
        exclude : iterable of int
            Ids of objects that do not count. Scenes only.
        inside : {"solid", "hollow"}
            Whether a ray that starts inside of a solid hits it there, or only its boundary.
        faces : {"both", "front", "back"}
            Sides of surfaces that count: of planes, disks, triangles and meshes. Solids have both.
        triggers : {"pass", "hit", "ignore"}
            Whether rays pass through triggers.
        coplanar : {"miss", "hit"}
            Whether a ray hits a flat surface that it runs in: in the plane of a triangle, a disk or a plane, or in 2D along a
            segment or a line. The hit is where it comes to the surface, and the normal points against the ray.
        fields : iterable of str, or "all"
            Fields to compute now. Others are computed at the first access, from a copy of the rays unless those are
            read-only.
        out : mapping of str to ndarray
            Arrays to write fields to.
        threads, progress
            See `Queries`.
        keep_rays : bool
            Whether the result keeps the rays for fields that were not asked for.

        Returns
        -------
        Hits

        Raises
        ------
        TypeError, ValueError
            With the name of the argument, the place and the value.

        Examples
        --------
        >>> import hitscan
        >>> ball = hitscan.Sphere((0, 0, 5), 1)
        >>> hits = ball.cast((0, 0, 0), [(0, 0, 1), (0, 1, 0)], fields=("t", "normal"))
        >>> hits.t
        array([ 4., inf])
        >>> float(ball.cast((0, 0, 0), ends=(0, 0, 8)).t)
        0.5
        >>> ball.cast_any((0, 0, 0), (0, 0, 10), max_distance=[3.9, 4])  # the surface is 4 away, at t = 0.4
        array([False,  True])
        """
        if type(origins) is tuple and type(directions) is tuple:
            origins, directions = numbers("origins", origins), numbers("directions", directions)
        # Written out in three queries: a call would take a tenth of the time of one ray.
        is_plain = (
            ends is None and t_min is _ZERO and t_max is _INFINITY and max_distance is _INFINITY
            and layers is None and exclude is _NOTHING
            and inside == "solid" and faces == "both" and triggers == "pass" and coplanar == "miss"
            and (threads is None or thread_count(threads) >= 0)
        )  # fmt: skip
        if is_plain and out is None and not progress and (quick := self._quick_target(origins, directions)):
            names = fields if fields is _DEFAULT_FIELDS else checked_fields(fields, HIT_FIELDS)
            found = quick.cast_few(origins, directions, names)
            if found is not None:
                arrays, shape, kept_rays = found
                if names is not _DEFAULT_FIELDS:
                    arrays = shaped(arrays, self.dimension)
                rays_of = None if kept_rays is None or not keep_rays else partial(plain_rays, *kept_rays)
                return Hits(arrays, shape, self.dimension, None if rays_of is None else quick, rays_of)
        cast = self._rays(
            origins, directions, ends, t_min=t_min, t_max=t_max, max_distance=max_distance, layers=layers,
            inside=inside, faces=faces, triggers=triggers, coplanar=coplanar
        )  # fmt: skip
        names = checked_fields(fields, HIT_FIELDS)
        given = {} if out is None else dict(out)
        arrays = allocate(tuple(name for name in names if name not in given), cast.rows, self.dimension, cast.is_double)
        copies = []
        for name, array in given.items():
            checked_fields((name,), HIT_FIELDS)
            refuse_masked(f"out[{name!r}]", array)
            wanted = (*cast.shape, *row_shape(name, self.dimension))
            dtype = np.dtype(field_type(name, cast.is_double))
            if not isinstance(array, np.ndarray) or array.shape != wanted or array.dtype != dtype:
                what = (
                    f"{array.dtype} of shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
                )
                raise ValueError(f"out[{name!r}]: an array of {dtype} and shape {wanted} is needed, not {what}")
            if not array.flags.writeable:
                raise ValueError(f"out[{name!r}]: the array is read-only")
            flat_shape = (cast.rows, *row_shape(name, self.dimension))
            if array.flags.c_contiguous and array.flags.aligned:
                arrays[name] = array.reshape(flat_shape)
            else:
                arrays[name] = np.empty(flat_shape, dtype)
                copies.append((array, name))
        target = self._ray_target(cast, layers, exclude)
        run = thread_count(threads), progress_callback(progress)
        if tuple(arrays) == ("hit",):
            target.cast_any(cast, arrays["hit"], *run)
        else:
            target.cast(cast, arrays, *run)
        for array, name in copies:
            array[...] = arrays[name].reshape(array.shape)
        has_all = all(name in arrays for name in HIT_FIELDS)
        kept = cast.kept() if keep_rays and not has_all else None
        return Hits(arrays, cast.shape, self.dimension, target if kept else None, kept)

    def cast_any(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        inside: Inside = "solid",
        faces: Faces = "both",
        triggers: Triggers = "pass",
        coplanar: Coplanar = "miss",
        threads: int | None = None,
        progress: Progress = None,
    ) -> npt.NDArray[np.bool_]:
        """Whether rays or segments hit anything: an any-hit query, faster than `cast`.

        Parameters are those of `cast`.

        Returns
        -------
        ndarray of bool

        Examples
        --------
        >>> import hitscan
        >>> ball = hitscan.Sphere((0, 0, 5), 1)
        >>> ball.cast_any((0, 0, 0), [(0, 0, 1), (0, 1, 0)])
        array([ True, False])
        """
        if type(origins) is tuple and type(directions) is tuple:
            origins, directions = numbers("origins", origins), numbers("directions", directions)
        is_plain = (
            ends is None and t_min is _ZERO and t_max is _INFINITY and max_distance is _INFINITY
            and layers is None and exclude is _NOTHING
            and inside == "solid" and faces == "both" and triggers == "pass" and coplanar == "miss"
            and (threads is None or thread_count(threads) >= 0)
        )  # fmt: skip
        if is_plain and not progress and (quick := self._quick_target(origins, directions)):
            few = quick.cast_any_few(origins, directions)
            if few is not None:
                return few
        cast = self._rays(
            origins, directions, ends, t_min=t_min, t_max=t_max, max_distance=max_distance, layers=layers,
            inside=inside, faces=faces, triggers=triggers, coplanar=coplanar
        )  # fmt: skip
        out = np.empty(cast.rows, np.bool_)
        target = self._ray_target(cast, layers, exclude)
        target.cast_any(cast, out, thread_count(threads), progress_callback(progress))
        return out.reshape(cast.shape)

    def count(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        inside: Inside = "solid",
        faces: Faces = "both",
        triggers: Triggers = "pass",
        coplanar: Coplanar = "miss",
        threads: int | None = None,
        progress: Progress = None,
    ) -> npt.NDArray[np.uint32]:
        """Number of hits of each ray or segment. An edge that triangles share counts once.

        Parameters are those of `cast`.

        Returns
        -------
        ndarray of uint32

        Examples
        --------
        >>> import hitscan
        >>> square = hitscan.TriangleMesh([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)])
        >>> int(square.count((0.5, 0.5, 1), (0, 0, -1)))  # on the diagonal
        1
        """
        if type(origins) is tuple and type(directions) is tuple:
            origins, directions = numbers("origins", origins), numbers("directions", directions)
        is_plain = (
            ends is None and t_min is _ZERO and t_max is _INFINITY and max_distance is _INFINITY
            and layers is None and exclude is _NOTHING
            and inside == "solid" and faces == "both" and triggers == "pass" and coplanar == "miss"
            and (threads is None or thread_count(threads) >= 0)
        )  # fmt: skip
        if is_plain and not progress and (quick := self._quick_target(origins, directions)):
            few = quick.count_few(origins, directions)
            if few is not None:
                return few
        cast = self._rays(
            origins, directions, ends, t_min=t_min, t_max=t_max, max_distance=max_distance, layers=layers,
            inside=inside, faces=faces, triggers=triggers, coplanar=coplanar
        )  # fmt: skip
        out = np.empty(cast.rows, np.uint32)
        target = self._ray_target(cast, layers, exclude)
        target.count(cast, out, thread_count(threads), progress_callback(progress))
        return out.reshape(cast.shape)

    def cast_all(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        inside: Inside = "solid",
        faces: Faces = "both",
        triggers: Triggers = "pass",
        coplanar: Coplanar = "miss",
        first: int | None = None,
        fields: Iterable[str] = ("t", "object", "primitive"),
        threads: int | None = None,
        progress: Progress = None,
    ) -> HitLists:
        """All hits of each ray or segment, by increasing `t`.

        Parameters are those of `cast`, and:

        Parameters
        ----------
        first : int
            Most hits of each ray, the nearest ones. The search ends behind them.
        fields : iterable of str, or "all"
            Fields of the hits.

        Returns
        -------
        HitLists

        Examples
        --------
        >>> import hitscan
        >>> ball = hitscan.Sphere((0, 0, 5), 1)
        >>> ball.cast_all((0, 0, 0), (0, 0, 1)).hits.t
        array([4., 6.])
        """
        cast = self._rays(
            origins, directions, ends, t_min=t_min, t_max=t_max, max_distance=max_distance, layers=layers,
            inside=inside, faces=faces, triggers=triggers, coplanar=coplanar
        )  # fmt: skip
        names = ("hit", *checked_fields(fields, HIT_FIELDS))
        most = row_limit("first", first, 0)
        target = self._ray_target(cast, layers, exclude)
        offsets, arrays = target.cast_all(cast, most, list(names), thread_count(threads), progress_callback(progress))
        return HitLists(offsets, cast.shape, self._hits(arrays))

    def cast_where(
        self,
        origins: object,
        directions: object = None,
        *,
        accept: Accept,
        ends: object = None,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        inside: Inside = "solid",
        faces: Faces = "both",
        triggers: Triggers = "pass",
        coplanar: Coplanar = "miss",
        fields: Iterable[str] = "all",
        threads: int | None = None,
        progress: Progress = None,
    ) -> Hits:
        """The closest hit of each ray or segment that a filter accepts. Where it refuses a hit, the ray goes on, also within the
        same mesh or solid.

        Parameters are those of `cast`, and:

        Parameters
        ----------
        accept : callable
            Gets the numbers of rays, int64 (n,), and a hit for each of them: `Hits` of shape (n,) with the fields of
            `fields`. Returns bool (n,): whether each hit counts. Rays count from 0 in the order of their flattened shape; one of
            them may be there several times. The filter is called in the calling thread, a few times: with the closest hits, then
            with hits behind those that it refused, and it may see a hit twice and hits that are not needed.
        fields : iterable of str, or "all"
            Fields for the filter and of the result.
        progress
            Counts the rays of the first step, which finds the closest hits.

        Returns
        -------
        Hits

        Raises
        ------
        TypeError
            `accept` is not callable.
        ValueError
            `accept` does not return an array of bool of the shape (n,).

        Examples
        --------
        The upper triangle has a window: hits with a weight of the second vertex up to 0.25 do not count.

        >>> import hitscan
        >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)]
        >>> mesh = hitscan.TriangleMesh(corners, [(0, 1, 2), (3, 4, 5)])
        >>> hits = mesh.cast_where([(0.1, 0.1, 9), (0.4, 0.1, 9)], (0, 0, -1),
        ...                        accept=lambda rays, hits: (hits.primitive == 0) | (hits.uv[:, 0] > 0.25))
        >>> hits.primitive
        array([0, 1], dtype=int32)
        """
        if not callable(accept):
            raise TypeError(f"accept: a function of ray numbers and hits is needed, not {type(accept).__name__}")
        cast = self._rays(
            origins, directions, ends, t_min=t_min, t_max=t_max, max_distance=max_distance, layers=layers,
            inside=inside, faces=faces, triggers=triggers, coplanar=coplanar
        )  # fmt: skip
        names = tuple(dict.fromkeys(("hit", *checked_fields(fields, HIT_FIELDS))))
        target = self._ray_target(cast, layers, exclude)
        number = thread_count(threads)
        arrays = allocate(names, cast.rows, self.dimension, cast.is_double)
        target.cast(cast, arrays, number, progress_callback(progress))
        first_accepted(target, cast, arrays, accept, number)
        return Hits(arrays, cast.shape, self.dimension)

    def spans(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        inside: Inside = "solid",
        faces: Faces = "both",
        triggers: Triggers = "pass",
        fields: Iterable[str] = ("t", "distance"),
        threads: int | None = None,
        progress: Progress = None,
    ) -> SpanLists:
        """Spans of each ray or segment: the intervals of `t` in which it is inside of a solid.

        Parameters are those of `cast`.

        Returns
        -------
        SpanLists

        Warns
        -----
        UserWarning
            Once for each shape and scene, if the query reaches meshes without an inside: a mesh that is open, or that has no
            triangle with an area. The query finds no solid there.

        Examples
        --------
        >>> import hitscan
        >>> ball = hitscan.Sphere((0, 0, 5), 1)
        >>> ball.spans([(0, 0, 0), (3, 0, 0)], (0, 0, 1)).length
        array([2.])
        """
        cast = self._rays(
            origins, directions, ends, t_min=t_min, t_max=t_max, max_distance=max_distance, layers=layers,
            inside=inside, faces=faces, triggers=triggers
        )  # fmt: skip
        names, exclude = ("hit", *checked_fields(fields, HIT_FIELDS)), excluded_ids(exclude)
        target = self._ray_target(cast, layers, exclude)
        self._warn_of_open_meshes(layers, exclude)
        found = target.spans(cast, list(names), thread_count(threads), progress_callback(progress))
        offsets, enter, exit = found
        return SpanLists(offsets, cast.shape, self._hits(enter), self._hits(exit))

    def _hits(self, arrays: dict[str, npt.NDArray[Any]]) -> Hits:
        return Hits(shaped(arrays, self.dimension), (len(arrays["hit"]),), self.dimension)

    def thickness(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Thicknesses:
        """Thickness of the solid at the closest hit of each ray: the length from there along the inward normal.

        Parameters are those of `cast`, and the warning is that of `spans`; `layers` is one mask for all rays.

        Returns
        -------
        Thicknesses

        Examples
        --------
        >>> import hitscan
        >>> float(hitscan.Sphere((0, 0, 5), 1).thickness((0, 0, 0), (0, 0, 1)).length)
        2.0
        """
        cast = self._rays(origins, directions, ends, t_min=t_min, t_max=t_max, max_distance=max_distance, layers=layers)
        length = np.empty(cast.rows, cast.origins.dtype)
        enter, exit = (allocate(HIT_FIELDS, cast.rows, self.dimension, cast.is_double) for _ in range(2))
        # The way through the solid is no ray of the query: the layers are those of the target.
        exclude = excluded_ids(exclude)
        target = self._point_target(cast.is_double, layers, exclude)
        self._warn_of_open_meshes(layers, exclude)
        target.thickness(cast, length, (enter, exit), thread_count(threads), progress_callback(progress))
        both = (Hits(arrays, cast.shape, self.dimension) for arrays in (enter, exit))
        return Thicknesses(length.reshape(cast.shape), *both)

    def line_of_sight(
        self,
        start: object,
        end: object,
        *,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        threads: int | None = None,
        progress: Progress = None,
    ) -> npt.NDArray[np.bool_]:
        """Whether the straight way from `start` to `end` is free. Ends that lie on a surface do not block it.

        A way that touches a surface is blocked, and so is one that runs in a flat surface, such as a way along a wall in 2D.

        Parameters
        ----------
        start, end : array_like, (..., d)
            Ends of the ways.
        layers, exclude, threads, progress
            See `cast`.

        Returns
        -------
        ndarray of bool

        Examples
        --------
        >>> import hitscan
        >>> hitscan.Sphere((0, 0, 5), 1).line_of_sight((0, 0, 0), [(0, 0, 9), (9, 0, 0)])
        array([False,  True])
        """
        cast = self._rays(start, None, end, layers=layers)
        out = np.empty(cast.rows, np.bool_)
        target = self._ray_target(cast, layers, exclude)
        target.line_of_sight(cast, out, thread_count(threads), progress_callback(progress))
        return out.reshape(cast.shape)

    def layer_lengths(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Floats:
        """Length of each ray inside of the solids on each layer, where each point counts once.

        Parameters are those of `cast`, and the warning is that of `spans`.

        Returns
        -------
        ndarray, (..., 32)

        Examples
        --------
        >>> import hitscan
        >>> scene = hitscan.Scene()
        >>> wood = scene.add(hitscan.Box((0, 0, 5), (1, 1, 1)), layers=0b10)
        >>> scene.layer_lengths((0, 0, 0), (0, 0, 1))[:3]
        array([0., 2., 0.])
        """
        cast = self._rays(origins, directions, ends, t_min=t_min, t_max=t_max, max_distance=max_distance, layers=layers)
        out, exclude = np.empty((cast.rows, 32), cast.origins.dtype), excluded_ids(exclude)
        target = self._ray_target(cast, layers, exclude)
        self._warn_of_open_meshes(layers, exclude)
        target.layer_lengths(cast, out, thread_count(threads), progress_callback(progress))
        return out.reshape((*cast.shape, 32))

    def tracks(
        self,
        origins: object,
        directions: object = None,
        *,
        ends: object = None,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        threads: int | None = None,
        progress: Progress = None,
    ) -> TrackLists:
        """Track of each ray: its range of `t`, cut where it enters or leaves an object that encloses points.

        In each part the ray is inside of the same objects: one in a cell, none in a gap, several where objects overlap. The order is
        exact, so a gap or an overlap is a part, however short, and objects that share a face have none between them.

        Parameters are those of `cast`, and the warning is that of `spans`. Surfaces and open meshes have no inside and are left out.

        Returns
        -------
        TrackLists

        Examples
        --------
        >>> import hitscan
        >>> scene = hitscan.Scene([hitscan.Box((0, 0, 1), (1, 1, 1)), hitscan.Box((0, 0, 3), (1, 1, 1))])
        >>> tracks = scene.tracks((0, 0, 0), (0, 0, 1), t_max=6)
        >>> tracks.parts.end, tracks.parts.object
        (array([2., 4., 6.]), array([ 0,  1, -1]))
        """
        cast = self._rays(origins, directions, ends, t_min=t_min, t_max=t_max, max_distance=max_distance, layers=layers)
        exclude = excluded_ids(exclude)
        target = self._ray_target(cast, layers, exclude)
        self._warn_of_open_meshes(layers, exclude)
        found = target.tracks(cast, thread_count(threads), progress_callback(progress))
        offsets, begin, end, object_offsets, objects = found
        return TrackLists(offsets, cast.shape, TrackParts(begin, end, object_offsets, objects))

    def contains(
        self,
        points: object,
        *,
        rule: InsideRule = "parity",
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        triggers: TriggersCount = "hit",
        threads: int | None = None,
        progress: Progress = None,
    ) -> npt.NDArray[np.bool_]:
        """Whether points are inside of solids, or on their surfaces.

        Parameters
        ----------
        points : array_like, (..., d)
            Points.
        rule : {"parity", "winding_number", "parity_if_closed"}
            Rule for meshes: the number of crossings of a ray, exact for closed meshes; the generalized winding number, for
            meshes with holes; or the first for closed meshes and the second for others.
        triggers : {"hit", "ignore"}
            Whether triggers count.
        layers, exclude, threads, progress
            See `cast`; `layers` is one mask for all points.

        Returns
        -------
        ndarray of bool

        Warns
        -----
        UserWarning
            With the rule `"parity"`, of meshes without an inside: see `spans`.

        Examples
        --------
        >>> import hitscan
        >>> hitscan.Box((0, 0, 0), (1, 1, 1)).contains([(0, 0, 1), (0, 0, 2)])
        array([ True, False])
        """
        choice("rule", rule, _RULES)
        flat, shape, is_double = self._points(points)
        out, exclude = np.empty(len(flat), np.bool_), excluded_ids(exclude)
        target = self._point_target(is_double, layers, exclude, triggers)
        if rule == "parity":
            self._warn_of_open_meshes(layers, exclude, triggers)
        target.contains(flat, rule, out, thread_count(threads), progress_callback(progress))
        return out.reshape(shape)

    def signed_distance(
        self,
        points: object,
        *,
        rule: InsideRule = "parity",
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        triggers: TriggersCount = "hit",
        threads: int | None = None,
        progress: Progress = None,
    ) -> Floats:
        """Distance of points from the nearest surface, negative inside of solids.

        Parameters and the warning are those of `contains`.

        Returns
        -------
        ndarray
            NaN where there is no surface.

        Examples
        --------
        >>> import hitscan
        >>> hitscan.Sphere((0, 0, 0), 1).signed_distance([(0, 0, 0.25), (0, 0, 3)])
        array([-0.75,  2.  ])
        """
        choice("rule", rule, _RULES)
        flat, shape, is_double = self._points(points)
        out, exclude = np.empty(len(flat), flat.dtype), excluded_ids(exclude)
        target = self._point_target(is_double, layers, exclude, triggers)
        if rule == "parity":
            self._warn_of_open_meshes(layers, exclude, triggers)
        target.signed_distance(flat, rule, out, thread_count(threads), progress_callback(progress))
        return out.reshape(shape)

    def distance(
        self,
        points: object,
        *,
        max_distance: float = np.inf,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        triggers: TriggersCount = "hit",
        threads: int | None = None,
        progress: Progress = None,
    ) -> Floats:
        """Distance of points from the nearest surface, inside of solids, too.

        Parameters and errors are those of `closest_point`.

        Returns
        -------
        ndarray
            Infinite where there is no surface within `max_distance`.

        Examples
        --------
        >>> import hitscan
        >>> hitscan.Sphere((0, 0, 0), 1).distance([(0, 0, 0.25), (0, 0, 3)])
        array([0.75, 2.  ])
        """
        flat, shape, is_double = self._points(points)
        arrays = allocate(("distance",), len(flat), self.dimension, is_double)
        target = self._point_target(is_double, layers, exclude, triggers)
        limit = length("max_distance", max_distance)
        target.closest_point(flat, limit, arrays, thread_count(threads), progress_callback(progress))
        return arrays["distance"].reshape(shape)

    def closest_point(
        self,
        points: object,
        *,
        max_distance: float = np.inf,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        triggers: TriggersCount = "hit",
        fields: Iterable[str] = CLOSEST_FIELDS,
        threads: int | None = None,
        progress: Progress = None,
    ) -> ClosestPoints:
        """Closest point of the surfaces to each point.

        Parameters
        ----------
        points : array_like, (..., d)
            Points.
        max_distance : float
            Largest distance that counts.
        fields : iterable of str, or "all"
            Fields to compute.
        triggers : {"hit", "ignore"}
            Whether triggers count.
        layers, exclude, threads, progress
            See `cast`; `layers` is one mask for all points.

        Returns
        -------
        ClosestPoints

        Examples
        --------
        >>> import hitscan
        >>> hitscan.Sphere((0, 0, 0), 1).closest_point((0, 0, 3)).point
        array([0., 0., 1.])
        """
        flat, shape, is_double = self._points(points)
        names = ("hit", *(name for name in checked_fields(fields, CLOSEST_FIELDS) if name != "hit"))
        arrays = allocate(names, len(flat), self.dimension, is_double)
        target = self._point_target(is_double, layers, exclude, triggers)
        limit = length("max_distance", max_distance)
        target.closest_point(flat, limit, arrays, thread_count(threads), progress_callback(progress))
        return ClosestPoints(arrays, shape, self.dimension)

    def closest_primitives(
        self,
        points: object,
        k: int | None = None,
        *,
        max_distance: float = np.inf,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        triggers: TriggersCount = "hit",
        threads: int | None = None,
        progress: Progress = None,
    ) -> ClosestLists:
        """Nearest objects of a scene, or triangles of a mesh, to each point, nearest first.

        Parameters
        ----------
        points : array_like, (..., d)
            Points.
        k : int
            Most results for each point; `None` for all within `max_distance`.
        max_distance : float
            Largest distance that counts.
        triggers : {"hit", "ignore"}
            Whether triggers count.
        layers, exclude, threads, progress
            See `cast`; `layers` is one mask for all points.

        Returns
        -------
        ClosestLists

        Examples
        --------
        >>> import hitscan
        >>> scene = hitscan.Scene([hitscan.Sphere((x, 0, 0), 1) for x in (0, 5, 20)])
        >>> scene.closest_primitives((4, 9, 0), k=2).found.object
        array([1, 0])
        """
        flat, shape, is_double = self._points(points)
        most = row_limit("k", k, 1)
        target = self._point_target(is_double, layers, exclude, triggers)
        run = thread_count(threads), progress_callback(progress)
        offsets, arrays = target.closest_primitives(
            flat, length("max_distance", max_distance), most, list(CLOSEST_FIELDS), *run
        )
        found = ClosestPoints(shaped(arrays, self.dimension), (len(arrays["hit"]),), self.dimension)
        return ClosestLists(offsets, shape, found)

    def _volume_target(
        self,
        volumes: AnyVolume | Iterable[AnyVolume | Iterable[AnyVolume]],
        layers: object,
        exclude: Iterable[int],
        triggers: TriggersCount,
    ) -> tuple[_core.Target, list[CoreVolumes], tuple[int, ...]]:
        each = [volumes] if is_volume(volumes) else list(volumes)  # type: ignore[arg-type]
        checked = [core_volumes(f"volumes[{number}]", one, self.dimension) for number, one in enumerate(each)]
        is_double = self.dtype == np.float64 or any(is_one_double for _, is_one_double in checked)
        target = self._point_target(is_double, layers, exclude, triggers)
        return target, [core for core, _ in checked], () if is_volume(volumes) else (len(each),)

    def overlaps(
        self,
        volumes: AnyVolume | Iterable[AnyVolume | Iterable[AnyVolume]],
        *,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        triggers: TriggersCount = "hit",
        threads: int | None = None,
        progress: Progress = None,
    ) -> npt.NDArray[np.bool_]:
        """Whether volumes have a point in common with the shapes. Touching is overlapping.

        Parameters
        ----------
        volumes : Sphere, Box, Capsule, TaperedCapsule, Cylinder, Cone, Frustum, Triangle, ViewFrustum, Volume, Circle, Rectangle, Segment, Polygon
            A volume, or an iterable of volumes. A list of volumes within that iterable is one compound: it overlaps what any of
            its parts overlaps.
        triggers : {"hit", "ignore"}
            Whether triggers count.
        layers, exclude, threads, progress
            See `cast`; `layers` is one mask for all volumes.

        Returns
        -------
        ndarray of bool

        Examples
        --------
        >>> import hitscan
        >>> ball = hitscan.Sphere((3, 4, 0), 5)
        >>> box, far = hitscan.Box((0, 0, 0), (1, 1, 1)), hitscan.Box((20, 0, 0), (1, 1, 1))
        >>> bool(ball.overlaps(box)), ball.overlaps([box, far, [far, box]])
        (True, array([ True, False,  True]))
        """
        target, cores, shape = self._volume_target(volumes, layers, exclude, triggers)
        return target.overlaps(cores, thread_count(threads), progress_callback(progress)).reshape(shape)

    def count_overlapping(
        self,
        volumes: AnyVolume | Iterable[AnyVolume | Iterable[AnyVolume]],
        *,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        triggers: TriggersCount = "hit",
        threads: int | None = None,
        progress: Progress = None,
    ) -> npt.NDArray[np.int64]:
        """Number of objects of a scene, or triangles of a mesh, that each volume overlaps.

        Parameters are those of `overlaps`.

        Returns
        -------
        ndarray of int64

        Examples
        --------
        >>> import hitscan
        >>> scene = hitscan.Scene([hitscan.Sphere((x, 0, 0), 1) for x in (0, 2, 9)])
        >>> int(scene.count_overlapping(hitscan.Sphere((1, 0, 0), 0.5)))
        2
        """
        target, cores, shape = self._volume_target(volumes, layers, exclude, triggers)
        return target.count_overlapping(cores, thread_count(threads), progress_callback(progress)).reshape(shape)

    def overlapping(
        self,
        volumes: AnyVolume | Iterable[AnyVolume | Iterable[AnyVolume]],
        *,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        triggers: TriggersCount = "hit",
        threads: int | None = None,
        progress: Progress = None,
    ) -> OverlapLists:
        """Objects of a scene, or triangles of a mesh, that each volume overlaps, by increasing number.

        Parameters are those of `overlaps`.

        Returns
        -------
        OverlapLists

        Examples
        --------
        >>> import hitscan
        >>> scene = hitscan.Scene([hitscan.Sphere((x, 0, 0), 1) for x in (0, 2, 9)])
        >>> scene.overlapping(hitscan.Sphere((1, 0, 0), 0.5)).object
        array([0, 1])
        """
        target, cores, shape = self._volume_target(volumes, layers, exclude, triggers)
        offsets, (found, member, primitive) = target.overlapping(
            cores, thread_count(threads), progress_callback(progress)
        )
        return OverlapLists(offsets, shape, found, member, primitive)

    @property
    @abstractmethod
    def bounds(self) -> Floats:
        """Bounding box, (2, d)."""

    def plot(
        self,
        hits: Hits | None = None,
        *,
        ax: Any = None,
        azimuth: float = -60.0,
        elevation: float = 25.0,
        bounds: object = None,
        pixels: int | None = None,
    ) -> Any:
        """Draws what is here, seen by rays: a picture in matplotlib axes.

        Parameters
        ----------
        hits : Hits, optional
            Hits to draw as points, colored by distance; in the plane with their normals.
        ax : matplotlib.axes.Axes, optional
            Axes to draw on; by default new ones.
        azimuth, elevation : float
            Direction to the viewer, in degrees around z and above the xy-plane. In space only.
        bounds : array_like, (2, d), optional
            Box to show; needed where there are only unbounded shapes.
        pixels : int, optional
            Pixels along the longer side, at least 1; by default 480.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError, ValueError
            With the name of the argument and its value.

        Examples
        --------
        >>> import hitscan
        >>> ax = hitscan.Sphere((0, 0, 0), 1).plot(pixels=64)  # doctest: +SKIP
        >>> ax.figure.savefig("ball.png")  # doctest: +SKIP
        """
        from hitscan._plot import plot

        return plot(self, hits, ax, azimuth, elevation, bounds, pixels)

    def explain(
        self,
        origin: object,
        direction: object = None,
        *,
        end: object = None,
        t_min: float = 0.0,
        t_max: float = np.inf,
        max_distance: float = np.inf,
        layers: int | None = None,
        exclude: Iterable[int] = _NOTHING,
        inside: Inside = "solid",
        faces: Faces = "both",
        coplanar: Coplanar = "miss",
    ) -> str:
        """Why one ray or segment hits or misses each shape, in words and numbers.

        Parameters are those of `cast`, for one ray.

        Returns
        -------
        str

        Examples
        --------
        >>> import hitscan
        >>> text = hitscan.Sphere((0, 0, 5), 1).explain((0, 0, 0), (0, 0, 1))
        >>> "sphere" in text
        True
        """
        cast = self._rays(
            origin, direction, end, t_min=float(t_min), t_max=float(t_max),
            max_distance=length("max_distance", max_distance), layers=layers, inside=inside, faces=faces, coplanar=coplanar
        )  # fmt: skip
        return self._ray_target(cast, layers, exclude).explain(cast)
