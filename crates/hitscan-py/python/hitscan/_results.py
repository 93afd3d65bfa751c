"""Results of queries with one row for each input: objects of arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from html import escape
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._arrays import ArrayLike, Floats, Rays, common_shape, points, rows

Mask = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
#: A column of an Arrow table: its name, its rows, and the mask of those that are not null.
Column = tuple[str, npt.NDArray[Any], Mask | None]

#: The numbers of a row of each field: 1, or "d" for the coordinates of a point.
WIDTHS: dict[str, int | str] = {
    "t": 1, "distance": 1, "point": "d", "normal": "d", "face_normal": "d", "center": "d", "depth": 1, "uv": 2, "hit": 1, "front": 1, "trigger": 1,
    "primitive": 1, "member": 1, "part": 1, "object": 1, "feature": 1, "feature_index": 1,
}  # fmt: skip
_TYPES: dict[str, Any] = {
    "hit": np.bool_, "front": np.bool_, "trigger": np.bool_, "primitive": np.int32, "member": np.int32,
    "part": np.int32, "feature": np.int32, "feature_index": np.int32, "object": np.int64,
}  # fmt: skip
HIT_FIELDS = ("hit", "t", "distance", "point", "normal", "uv", "front", "primitive", "object", "member", "trigger")
CLOSEST_FIELDS = ("hit", "point", "distance", "uv", "primitive", "object", "member", "feature", "feature_index")
SWEEP_FIELDS = (
    "hit", "t", "distance", "center", "point", "normal", "face_normal", "depth", "uv", "primitive", "object", "member",
    "trigger", "feature", "feature_index", "part",
)  # fmt: skip
#: Fields that are null in Arrow where they are not there for a hit either.
_OPTIONAL = ("primitive", "object", "member", "feature", "feature_index", "part")
_MISSES = {
    "hit": False, "t": np.inf, "distance": np.inf, "front": False, "trigger": False, "primitive": -1, "object": -1, "member": -1,
}  # fmt: skip
_SHOWN_ROWS = 10


def row_shape(name: str, dimension: int) -> tuple[int, ...]:
    """The shape of one row of a field."""
    width = WIDTHS[name]
    return () if width == 1 else (dimension if width == "d" else int(width),)


def shaped(arrays: dict[str, npt.NDArray[Any]], dimension: int) -> dict[str, npt.NDArray[Any]]:
    """Flat arrays of points as arrays of rows."""
    return {name: array.reshape((-1, *row_shape(name, dimension))) for name, array in arrays.items()}


def field_type(name: str, is_double: bool) -> Any:
    """The dtype of a field."""
    return _TYPES.get(name, np.float64 if is_double else np.float32)


def missing_value(name: str) -> float:
    """The value of a field of a ray without a hit."""
    return _MISSES.get(name, np.nan)


def allocate(names: tuple[str, ...], count: int, dimension: int, is_double: bool) -> dict[str, npt.NDArray[Any]]:
    """Arrays for fields, not filled."""
    return {name: np.empty((count, *row_shape(name, dimension)), field_type(name, is_double)) for name in names}


def checked_fields(fields: object, known: tuple[str, ...]) -> tuple[str, ...]:
    """The names of fields of the argument `fields`, each once."""
    if fields == "all":
        return known
    names: tuple[str, ...] = (fields,) if isinstance(fields, str) else tuple(fields)  # type: ignore[arg-type]
    checked = _checked.get((names, known))
    if checked is None:
        checked = _checked[names, known] = _distinct(names, known)
    return checked


#: Names that have been checked: a cast of one ray takes hardly longer than the check.
_checked: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]] = {}


def _distinct(names: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in known:
            raise ValueError(f"fields: {name!r} is none of {', '.join(map(repr, known))}, nor 'all'")
    return tuple(dict.fromkeys(names))


class ArrowTable:
    """An Arrow table of columns, by the PyCapsule interface."""

    __slots__ = ()

    def _columns(self) -> list[Column]:
        raise NotImplementedError

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """The columns as an Arrow record batch, by the PyCapsule interface. What is missing is null.

        Numbers are not copied. Vectors are fixed-size lists. The schema is this one, whatever is requested.
        """
        return _core.record_batch(self._columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The columns as an Arrow table of one batch: see `__arrow_c_array__`."""
        return _core.table(self._columns())


class Results(ArrowTable):
    """Arrays of results, one row for each ray, point or other input."""

    __slots__ = ("_arrays", "_dimension", "_shape")
    _fields: tuple[str, ...] = ()

    def __init__(self, arrays: dict[str, npt.NDArray[Any]], shape: tuple[int, ...], dimension: int) -> None:
        self._arrays = arrays
        self._shape = shape
        self._dimension = dimension

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that are computed."""
        return tuple(name for name in self._fields if name in self._arrays)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the inputs: `()` for a single one, else `(n,)` or what the arguments broadcast to."""
        return self._shape

    def _get(self, name: str) -> Any:
        array = self._arrays.get(name)
        if array is None:
            array = self._arrays[name] = self._compute(name)
        return array.reshape((*self._shape, *row_shape(name, self._dimension)))

    def _compute(self, name: str) -> npt.NDArray[Any]:
        raise AttributeError(f"the field '{name}' was not computed; name it in the argument fields=")

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("a single result has no length")
        return self._shape[0]

    def __bool__(self) -> bool:
        if self._shape:
            raise ValueError("results of several inputs are neither true nor false; use .hit.any() or .hit.all()")
        return bool(self._get("hit"))

    def __getitem__(self, index: Any) -> Self:
        flat, shape = self._flat_index(index)
        return type(self)({name: array[flat] for name, array in self._arrays.items()}, shape, self._dimension)

    def __iter__(self) -> Iterator[Self]:
        return (self[number] for number in range(len(self)))

    def _flat_index(self, index: Any) -> tuple[npt.NDArray[np.int64], tuple[int, ...]]:
        chosen = np.arange(math.prod(self._shape)).reshape(self._shape)[index]
        return np.atleast_1d(chosen).reshape(-1), np.shape(chosen)

    def _columns(self) -> list[Column]:
        hit = np.ascontiguousarray(self._get("hit")).reshape(-1)
        columns: list[Column] = [("hit", hit, None)]
        for name in self.fields:
            if name != "hit":
                array = np.ascontiguousarray(self._arrays[name])
                valid = array >= 0 if name in _OPTIONAL else ~np.isnan(array[:, 0]) if name == "uv" else hit
                columns.append((name, array, valid))
        return columns

    def _summary(self) -> str:
        hit = self._get("hit")
        if not self._shape:
            return f"{type(self).__name__}({'hit' if hit else 'miss'})"
        shape = "x".join(map(str, self._shape))
        return f"{type(self).__name__}({shape}, {int(np.count_nonzero(hit))} hits)"

    def _rows(self) -> Iterator[list[str]]:
        def text(value: Any) -> str:
            return (
                np.array2string(value, precision=6)
                if isinstance(value, np.ndarray)
                else f"{value:.7g}"
                if isinstance(value, np.floating)
                else str(value)
            )

        for row in range(min(_SHOWN_ROWS, math.prod(self._shape))):
            yield [text(self._arrays[name][row]) for name in self.fields]

    def __repr__(self) -> str:
        if not self._shape:
            values = ", ".join(f"{name}={value}" for name, value in zip(self.fields, next(self._rows()), strict=True))
            return f"{type(self).__name__}({values})"
        names = list(self.fields)
        table = [names, *self._rows()]
        widths = [max(len(row[column]) for row in table) for column in range(len(names))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
        more = math.prod(self._shape) - _SHOWN_ROWS
        return "\n".join([self._summary(), *lines, *([f"… {more} more"] if more > 0 else [])])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.fields)
        cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self._rows())
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<p>{escape(self._summary())}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Hits(Results):
    """Closest hits, one for each ray.

    Each field is an array whose first axes are `shape`. A field that the cast did not compute is computed at the first
    access, from the scene as it was and the rays as they were.

    Examples
    --------
    >>> import numpy as np, hitscan
    >>> ball = hitscan.Sphere((0, 0, 5), 1)
    >>> hits = ball.cast(np.array([[0.0, 0, 0], [3, 0, 0]]), (0, 0, 1))
    >>> hits.hit, hits.t
    (array([ True, False]), array([ 4., inf]))
    >>> hits.normal[0]
    array([ 0.,  0., -1.])
    """

    __slots__ = ("_kept", "_target")
    _fields = HIT_FIELDS

    def __init__(
        self,
        arrays: dict[str, npt.NDArray[Any]],
        shape: tuple[int, ...],
        dimension: int,
        target: _core.Target | None = None,
        rays: Rays | Callable[[], Rays] | None = None,
    ) -> None:
        self._arrays = arrays
        self._shape = shape
        self._dimension = dimension
        self._target = target
        self._kept = rays

    @property
    def _rays(self) -> Rays | None:
        """The rays of the cast, if it kept them."""
        if self._kept is not None and not isinstance(self._kept, Rays):
            self._kept = self._kept()
        return self._kept

    def _compute(self, name: str) -> npt.NDArray[Any]:
        if name == "hit" and "t" in self._arrays:
            hit: Mask = np.isfinite(self._arrays["t"])
            return hit
        rays = self._rays
        if self._target is None or rays is None:
            raise AttributeError(
                f"the field '{name}' was not computed, and the rays were not kept; name it in the argument fields="
            )
        out = allocate((name,), rays.rows, self._dimension, rays.is_double)
        self._target.cast(rays, out, 0, None)
        return out[name]

    @property
    def hit(self) -> Mask:
        """Whether each ray hits, bool."""
        return self._get("hit")  # type: ignore[no-any-return]

    @property
    def t(self) -> Floats:
        """Ray parameter of each hit, in lengths of the direction; along a segment from 0 to 1. Infinite for a miss."""
        return self._get("t")  # type: ignore[no-any-return]

    @property
    def distance(self) -> Floats:
        """Distance from the origin to each hit, in units of the scene; negative behind the origin. Infinite for a miss."""
        return self._get("distance")  # type: ignore[no-any-return]

    @property
    def point(self) -> Floats:
        """Hit points, (..., d). NaN for a miss."""
        return self._get("point")  # type: ignore[no-any-return]

    @property
    def normal(self) -> Floats:
        """Unit normals, (..., d): outward for a solid, by the order of vertices for a surface. NaN for a miss."""
        return self._get("normal")  # type: ignore[no-any-return]

    @property
    def uv(self) -> Floats:
        """Barycentric weights of the second and third vertex of the triangle, (..., 2). NaN where there is no triangle."""
        return self._get("uv")  # type: ignore[no-any-return]

    @property
    def front(self) -> Mask:
        """Whether each ray hits the side that the normal points to, bool. False for a miss."""
        return self._get("front")  # type: ignore[no-any-return]

    @property
    def primitive(self) -> Int32:
        """Triangle of a mesh, int32; -1 where there is none."""
        return self._get("primitive")  # type: ignore[no-any-return]

    @property
    def object(self) -> Int64:
        """Id of the object of a scene, int64; -1 where there is none."""
        return self._get("object")  # type: ignore[no-any-return]

    @property
    def member(self) -> Int32:
        """Number of the shape within a group, or of the leaf of a solid, int32; -1 where there is none.

        `Group.path` has the objects of a group, `Solid.leaves` the leaves of a solid.
        """
        return self._get("member")  # type: ignore[no-any-return]

    @property
    def trigger(self) -> Mask:
        """Whether the object is a trigger, bool."""
        return self._get("trigger")  # type: ignore[no-any-return]

    @property
    def count(self) -> int:
        """Number of rays that hit."""
        return int(np.count_nonzero(self._get("hit")))

    def spawn_rays(self, directions: ArrayLike) -> tuple[Floats, Floats]:
        """Spawns rays from the hits, for reflections, shadows and scattering: they do not hit the same surface again.

        Each origin lies beside the surface, on the side that its direction points to, as near as the error of the hit point
        allows: a few units in the last place, on every scale. No distance such as `1e-4` has to be chosen. See
        `Hit::spawn_ray` of the Rust library for the proof, and its limits at curved solids that are entered.

        Parameters
        ----------
        directions : array_like, (..., d)
            Directions of the rays; they broadcast with the shape of the hits.

        Returns
        -------
        origins : ndarray, (..., d)
            In the precision of the hits; NaN for a miss, so that its ray hits nothing.
        directions : ndarray, (..., d)
            The directions, broadcast.

        Raises
        ------
        ValueError
            If the shapes do not go together.
        AttributeError
            If a field is missing that the hits need (`distance`, `point`, `normal`, `front`) and the rays were not kept.

        Examples
        --------
        >>> import numpy as np, hitscan
        >>> ball = hitscan.Sphere((0, 0, 5), 1)
        >>> hits = ball.cast([(0, 0, 0), (0.5, 0, 0)], (0, 0, 1))
        >>> lamp = np.array([5.0, 0, 0])
        >>> ball.cast_any(*hits.spawn_rays(lamp - hits.point))
        array([False, False])
        >>> ball.cast_any(hits.point, lamp - hits.point)  # without it the ball shades itself
        array([ True,  True])
        """
        missing = [name for name in ("distance", "point", "normal", "front") if name not in self._arrays]
        if missing and (self._target is None or self._rays is None):
            raise AttributeError(f"spawn_rays needs fields that were not computed; name them in fields=: {missing}")
        given = points("directions", directions, self._dimension)
        shape = common_shape(hits=self._shape, directions=given.shape[:-1])
        dtype = self.point.dtype
        vectors = {"point": self.point, "normal": self.normal, "direction": given}
        if given.dtype != dtype:
            # Only the side counts. It does not depend on the length, which the other precision may not hold.
            largest = np.abs(given).max(-1, keepdims=True, initial=0.0)
            vectors["direction"] = np.divide(given, largest, out=np.zeros_like(given), where=largest > 0).astype(dtype)
        stored = {name: rows(array, shape, self._dimension) for name, array in vectors.items()}
        stored |= {"distance": rows(self.distance, shape, None), "front": rows(self.front, shape, None)}
        origins = _core.spawn_origins(stored, self._dimension, dtype == np.float64)
        whole = (*shape, self._dimension)
        onward: Any = np.broadcast_to(given, whole)
        return origins.reshape(whole), onward

    def __reduce__(self) -> tuple[Any, ...]:
        # The scene stays where it is: only fields that are computed travel.
        return Hits, (self._arrays, self._shape, self._dimension)

    def __getitem__(self, index: Any) -> Hits:
        flat, shape = self._flat_index(index)
        arrays = {name: array[flat] for name, array in self._arrays.items()}
        rays = self._rays
        rays = None if rays is None else rays.take(index)
        return Hits(arrays, shape, self._dimension, self._target, rays)


class ClosestPoints(Results):
    """Closest points of surfaces, one for each point.

    Examples
    --------
    >>> import hitscan
    >>> box = hitscan.Box((0, 0, 0), (1, 1, 1))
    >>> found = box.closest_point([(3, 0, 0), (2, 2, 0)])
    >>> found.distance
    array([2.        , 1.41421356])
    >>> found.feature  # a face, an edge
    array([0, 1], dtype=int32)
    """

    __slots__ = ()
    _fields = CLOSEST_FIELDS

    @property
    def hit(self) -> Mask:
        """Whether there is a closest point within the largest distance, bool."""
        return self._get("hit")  # type: ignore[no-any-return]

    @property
    def point(self) -> Floats:
        """Closest points, (..., d). NaN where there is none."""
        return self._get("point")  # type: ignore[no-any-return]

    @property
    def distance(self) -> Floats:
        """Distances, never negative. Infinite where there is no closest point."""
        return self._get("distance")  # type: ignore[no-any-return]

    @property
    def uv(self) -> Floats:
        """Barycentric weights of the second and third vertex of the triangle, (..., 2). NaN where there is no triangle."""
        return self._get("uv")  # type: ignore[no-any-return]

    @property
    def primitive(self) -> Int32:
        """Triangle of a mesh, int32; -1 where there is none."""
        return self._get("primitive")  # type: ignore[no-any-return]

    @property
    def object(self) -> Int64:
        """Id of the object of a scene, int64; -1 where there is none."""
        return self._get("object")  # type: ignore[no-any-return]

    @property
    def member(self) -> Int32:
        """Number of the shape within a group, int32; -1 where there is none."""
        return self._get("member")  # type: ignore[no-any-return]

    @property
    def feature(self) -> Int32:
        """What the closest point lies on, int32: 0 a face, 1 an edge, 2 a vertex; -1 where there is none."""
        return self._get("feature")  # type: ignore[no-any-return]

    @property
    def feature_index(self) -> Int32:
        """Number of the face, edge or vertex of the shape or triangle, int32; -1 where there is none."""
        return self._get("feature_index")  # type: ignore[no-any-return]


class SweepHits(Results):
    """First contacts of moving volumes, one for each ray.

    Examples
    --------
    >>> import hitscan
    >>> ball = hitscan.Sphere((0, 0, 5), 1)
    >>> contact = ball.cast_sphere((0, 0, 0), (0, 0, 1), radius=0.5)
    >>> float(contact.t), contact.point
    (3.5, array([0., 0., 4.]))
    """

    __slots__ = ()
    _fields = SWEEP_FIELDS

    @property
    def hit(self) -> Mask:
        """Whether each volume touches something, bool."""
        return self._get("hit")  # type: ignore[no-any-return]

    @property
    def t(self) -> Floats:
        """Ray parameter of each contact, in lengths of the direction. Infinite for a miss."""
        return self._get("t")  # type: ignore[no-any-return]

    @property
    def distance(self) -> Floats:
        """Length of the way up to each contact. Infinite for a miss."""
        return self._get("distance")  # type: ignore[no-any-return]

    @property
    def center(self) -> Floats:
        """Centers of the spheres, or of the bounding boxes of the volumes or parts, at contact, (..., d). NaN for a miss."""
        return self._get("center")  # type: ignore[no-any-return]

    @property
    def point(self) -> Floats:
        """Contact points, (..., d). NaN for a miss."""
        return self._get("point")  # type: ignore[no-any-return]

    @property
    def normal(self) -> Floats:
        """Unit normals at contact, towards the moving volume, (..., d). NaN for a miss."""
        return self._get("normal")  # type: ignore[no-any-return]

    @property
    def face_normal(self) -> Floats:
        """Unit normals of the flat faces that are touched, on the side that the volume comes from, (..., d).

        Those of triangles, planes, half-spaces and disks, in the plane of segments and lines, also where an edge or a corner of
        them is touched. NaN for other shapes and for a miss.
        """
        return self._get("face_normal")  # type: ignore[no-any-return]

    @property
    def depth(self) -> Floats:
        """Depth of a volume that overlaps at its start: the shortest way out along the normal. NaN for others."""
        return self._get("depth")  # type: ignore[no-any-return]

    @property
    def uv(self) -> Floats:
        """Barycentric weights of the second and third vertex of the triangle, (..., 2). NaN where there is no triangle."""
        return self._get("uv")  # type: ignore[no-any-return]

    @property
    def primitive(self) -> Int32:
        """Triangle of a mesh, int32; -1 where there is none."""
        return self._get("primitive")  # type: ignore[no-any-return]

    @property
    def object(self) -> Int64:
        """Id of the object of a scene, int64; -1 where there is none."""
        return self._get("object")  # type: ignore[no-any-return]

    @property
    def member(self) -> Int32:
        """Number of the shape within a group, int32; -1 where there is none."""
        return self._get("member")  # type: ignore[no-any-return]

    @property
    def trigger(self) -> Mask:
        """Whether the object is a trigger, bool."""
        return self._get("trigger")  # type: ignore[no-any-return]

    @property
    def feature(self) -> Int32:
        """What the contact lies on, int32: 0 a face, 1 an edge, 2 a vertex; -1 for a miss."""
        return self._get("feature")  # type: ignore[no-any-return]

    @property
    def feature_index(self) -> Int32:
        """Number of the face, edge or vertex, int32; -1 for a miss."""
        return self._get("feature_index")  # type: ignore[no-any-return]

    @property
    def part(self) -> Int32:
        """Number of the part that touches, if several volumes move together, int32; -1 for a single volume and for a miss."""
        return self._get("part")  # type: ignore[no-any-return]
