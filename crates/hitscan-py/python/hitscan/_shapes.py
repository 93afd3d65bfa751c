"""Shapes, meshes and groups."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypedDict, cast

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._arrays import ALL_LAYERS, Floats, TriggersCount, numbers, points, refuse_masked
from hitscan._queries import Queries

if TYPE_CHECKING:
    from hitscan._scene import Scene
    from hitscan._solids import Operation, Solid

Quality = Literal["fast"] | Literal["default"] | Literal["high"]


class Topology(TypedDict):
    """Counts of a mesh: see `TriangleMesh.topology`."""

    points: int
    edges: int
    boundary_edges: int
    non_manifold_edges: int
    unbalanced_edges: int
    degenerate_triangles: int
    repeated_triangles: int
    odd_edges: int
    is_closed: bool


class RepairReport(TypedDict):
    """Counts of a repair: see `TriangleMesh.repaired`."""

    merged_vertices: int
    degenerate_triangles: int
    repeated_triangles: int
    turned_triangles: int
    closed_parts: int
    open_parts: int
    undecided_parts: int


class Shape(Queries):
    """A shape: it never changes. It has the queries of `Queries`.

    Operators make a `Solid` of shapes that enclose points: `a | b`, `a & b`, `a - b` and `~a`.
    """

    __slots__ = ("_geometry", "_targets")
    #: Kinds of the module `_core` by the number of dimensions.
    _kinds: ClassVar[dict[int, str]] = {}

    _geometry: _core.Geometry
    _targets: dict[bool, _core.Target]

    def __init__(self) -> None:
        raise TypeError("Shape is the base of shapes; make a Sphere, a Box, …")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} never changes; make another one")

    def _set(self, core: _core.Geometry, parameters: dict[str, Any]) -> None:
        for name, value in {"_geometry": core, "_targets": {}, **parameters}.items():
            object.__setattr__(self, name, value)

    @property
    def _parameters(self) -> dict[str, Any]:
        """Arguments that make this shape."""
        return {name: getattr(self, name) for name in type(self).__slots__}

    def _build(self, vectors: dict[str, object], lengths: dict[str, object], dtype: npt.DTypeLike | None) -> None:
        """Makes the shape of points and directions, and of numbers, in the order of the core."""
        name = type(self).__name__
        given = {
            key: numbers(f"{name}: {key}", value) for key, value in (vectors | lengths).items() if value is not None
        }
        wanted = result_type(name, dtype, given.values())
        for key in lengths:
            if key not in given:
                raise TypeError(f"{name}: {key}: None; give a number")
        values = {key: array.astype(wanted) for key, array in given.items()}
        dimension = next(iter(values.values())).shape[-1:]
        if not dimension or dimension[0] not in self._kinds:
            key, array = next(iter(given.items()))
            known = " or ".join(map(str, self._kinds))
            raise ValueError(f"{name}: {key}: shape {array.shape}; a point of {known} numbers is needed")
        flat: list[list[float]] = []
        for key in vectors:
            if key in values:
                array = values[key]
                limit = 2 if key in ("axes", "vertices") else 1
                if array.ndim != limit or array.shape[-1] != dimension[0]:
                    shape = f"({dimension[0]},)" if limit == 1 else f"(n, {dimension[0]})"
                    raise ValueError(f"{name}: {key}: shape {array.shape}; the shape {shape} is needed")
                flat += array.reshape(-1, dimension[0]).astype(np.float64).tolist()
        for key in lengths:
            if values[key].ndim != 0:
                raise ValueError(f"{name}: {key}: shape {values[key].shape}; a number is needed")
        flat_lengths = [float(values[key]) for key in lengths]
        kind, is_double = self._kinds[dimension[0]], wanted == np.float64
        try:
            core = _core.Geometry.of(kind, dimension[0], is_double, flat, flat_lengths)
        except ValueError as error:
            field = str(error).split(" ", 1)[0].rstrip(",:")
            shown = f", not {given[field].tolist()}" if field in given else ""
            raise ValueError(f"{name}: {error}{shown}") from None
        parameters = {key: float(array) if array.ndim == 0 else array for key, array in values.items()}
        for value in parameters.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self._set(core, {name: parameters.get(name) for name in type(self).__slots__})

    @classmethod
    def _from_core(cls, core: _core.Geometry) -> Shape:
        """The shape of an object of the core."""
        return CLASSES[core.kind]._restored(core)

    @classmethod
    def _restored(cls, core: _core.Geometry) -> Self:
        if not cls._kinds:  # a mesh or a group, which has no parameters
            shape = object.__new__(cls)
            shape._set(core, {})
            return shape
        parameters = tomllib.loads(core.parameters())
        del parameters["type"]
        dtype = np.float64 if core.is_double else np.float32
        return cls(**parameters, dtype=dtype)  # type: ignore[call-arg]

    def _target(
        self, is_double: bool, layers: int | None, exclude: Iterable[int], triggers: TriggersCount = "hit"
    ) -> _core.Target:
        if layers is not None:
            raise TypeError("layers: a shape is on no layers; add it to a Scene")
        if tuple(exclude):
            raise TypeError("exclude: a shape has no objects; add it to a Scene")
        if triggers != "hit":
            raise TypeError("triggers: a shape is no trigger; add it to a Scene")
        target = self._targets.get(is_double)
        if target is None:
            target = self._targets[is_double] = _core.Target.of_shape(self._geometry, is_double)
        return target

    def _open_meshes(self, layers: int | None, exclude: Iterable[int], triggers: TriggersCount) -> list[int]:
        return self._geometry.open_meshes(ALL_LAYERS if layers is None else layers)

    @property
    def dimension(self) -> int:
        """Number of dimensions, 2 or 3."""
        return self._geometry.dimension

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the numbers, `float32` or `float64`."""
        return np.dtype(np.float64 if self._geometry.is_double else np.float32)

    @property
    def kind(self) -> str:
        """Kind of the shape: a word of scene files, such as "sphere"; or "group"."""
        return self._geometry.kind

    @property
    def bounds(self) -> Floats:
        """Bounding box, (2, d): its lower and its upper corner, rounded outward; infinite where the shape is."""
        return self._geometry.bounds()

    def astype(self, dtype: npt.DTypeLike) -> Shape:
        """The shape with its numbers in another precision, rounded to the nearest.

        Examples
        --------
        >>> import numpy as np, hitscan
        >>> hitscan.Sphere((0, 0, 0), 0.1).astype(np.float32).radius
        0.10000000149011612
        """
        if np.dtype(dtype) == self.dtype:
            return self
        return type(self)(**self._parameters, dtype=dtype)  # type: ignore[call-arg]

    def __or__(self, other: Shape) -> Solid:
        return _solid("union", self, other)

    def __and__(self, other: Shape) -> Solid:
        return _solid("intersection", self, other)

    def __sub__(self, other: Shape) -> Solid:
        return _solid("difference", self, other)

    def __invert__(self) -> Solid:
        from hitscan._solids import complement

        return complement(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), self._parameters, self.dtype.name)

    def __repr__(self) -> str:
        def text(value: Any) -> str:
            return repr(value.tolist()) if isinstance(value, np.ndarray) else repr(value)

        values = ", ".join(f"{key}={text(value)}" for key, value in self._parameters.items() if value is not None)
        dtype = "" if self.dtype == np.float64 else ", dtype='float32'"
        return f"{type(self).__name__}({values}{dtype})"


def _solid(operation: Operation, a: Shape, b: Shape) -> Solid:
    """The solid of an operator; of no shape, `NotImplemented` lets Python raise its error."""
    from hitscan._solids import combined

    return combined(operation, a, b) if isinstance(b, Shape) else NotImplemented


def _make(cls: type[Shape], parameters: dict[str, Any], dtype: str) -> Shape:
    return cls(**parameters, dtype=dtype)  # type: ignore[call-arg]


def result_type(name: str, dtype: npt.DTypeLike | None, arrays: Iterable[Floats]) -> np.dtype[Any]:
    """The precision of a shape: that of the argument `dtype`, or of its arrays."""
    wanted = np.result_type(*arrays) if dtype is None else np.dtype(dtype)
    if wanted not in (np.float32, np.float64):
        raise TypeError(f"{name}: dtype: {wanted} is neither float32 nor float64")
    return wanted


class Sphere(Shape):
    """A sphere, with its inside.

    Parameters
    ----------
    center : array_like
        Center, (3,).
    radius : float
        Radius, greater than 0.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Sphere((0, 0, 5), 1)
    Sphere(center=[0.0, 0.0, 5.0], radius=1.0)
    """

    __slots__ = ("center", "radius")
    _kinds = {3: "sphere"}
    center: Floats
    radius: float

    def __init__(self, center: object, radius: float, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"center": center}, {"radius": radius}, dtype)


class Plane(Shape):
    """A plane: a surface without an inside.

    Parameters
    ----------
    point : array_like
        A point of the plane, (3,).
    normal : array_like
        Normal, (3,), of any length but zero.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Plane((0, 0, 1), (0, 0, 2))
    Plane(point=[0.0, 0.0, 1.0], normal=[0.0, 0.0, 2.0])
    """

    __slots__ = ("point", "normal")
    _kinds = {3: "plane"}
    point: Floats
    normal: Floats

    def __init__(self, point: object, normal: object, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"point": point, "normal": normal}, {}, dtype)


class HalfSpace(Shape):
    """A half-space: all points behind a plane.

    Parameters
    ----------
    point : array_like
        A point of the boundary, (3,).
    normal : array_like
        Outward normal, (3,), of any length but zero.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.HalfSpace((0, 0, 0), (0, 0, 1))
    HalfSpace(point=[0.0, 0.0, 0.0], normal=[0.0, 0.0, 1.0])
    """

    __slots__ = ("point", "normal")
    _kinds = {3: "half_space"}
    point: Floats
    normal: Floats

    def __init__(self, point: object, normal: object, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"point": point, "normal": normal}, {}, dtype)


class Disk(Shape):
    """A disk: a flat round surface.

    Parameters
    ----------
    center : array_like
        Center, (3,).
    normal : array_like
        Normal, (3,), of any length but zero.
    radius : float
        Radius, greater than 0.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Disk((0, 0, 1), (0, 0, 1), 2)
    Disk(center=[0.0, 0.0, 1.0], normal=[0.0, 0.0, 1.0], radius=2.0)
    """

    __slots__ = ("center", "normal", "radius")
    _kinds = {3: "disk"}
    center: Floats
    normal: Floats
    radius: float

    def __init__(self, center: object, normal: object, radius: float, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"center": center, "normal": normal}, {"radius": radius}, dtype)


class Box(Shape):
    """A box, with its inside.

    Parameters
    ----------
    center : array_like
        Center, (3,).
    half_extents : array_like
        Half of the lengths of the edges, (3,), none negative.
    axes : array_like, optional
        Directions of the edges, (3, 3), one in each row, perpendicular and of length 1; `None` for x, y and z.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Box((0, 0, 0), (1, 2, 3))
    Box(center=[0.0, 0.0, 0.0], half_extents=[1.0, 2.0, 3.0])
    """

    __slots__ = ("center", "half_extents", "axes")
    _kinds = {3: "box"}
    center: Floats
    half_extents: Floats
    axes: Floats | None

    def __init__(
        self, center: object, half_extents: object, axes: object | None = None, *, dtype: npt.DTypeLike | None = None
    ) -> None:
        self._build({"center": center, "half_extents": half_extents, "axes": axes}, {}, dtype)


class Capsule(Shape):
    """A capsule: all points that are not farther than the radius from a segment.

    Parameters
    ----------
    a : array_like
        Center of one end, (2,) or (3,).
    b : array_like
        Center of the other end.
    radius : float
        Radius, greater than 0.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Capsule((0, 0, 0), (0, 0, 2), 0.5)
    Capsule(a=[0.0, 0.0, 0.0], b=[0.0, 0.0, 2.0], radius=0.5)
    """

    __slots__ = ("a", "b", "radius")
    _kinds = {2: "capsule", 3: "capsule"}
    a: Floats
    b: Floats
    radius: float

    def __init__(self, a: object, b: object, radius: float, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"a": a, "b": b}, {"radius": radius}, dtype)


class Cylinder(Shape):
    """A cylinder with flat ends, and its inside.

    Parameters
    ----------
    a : array_like
        Center of one end, (3,).
    b : array_like
        Center of the other end, (3,).
    radius : float
        Radius, greater than 0.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Cylinder((0, 0, 0), (0, 0, 2), 0.5)
    Cylinder(a=[0.0, 0.0, 0.0], b=[0.0, 0.0, 2.0], radius=0.5)
    """

    __slots__ = ("a", "b", "radius")
    _kinds = {3: "cylinder"}
    a: Floats
    b: Floats
    radius: float

    def __init__(self, a: object, b: object, radius: float, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"a": a, "b": b}, {"radius": radius}, dtype)


class Cone(Shape):
    """A cone with a flat base, and its inside.

    Parameters
    ----------
    base : array_like
        Center of the base, (3,).
    apex : array_like
        Apex, (3,).
    radius : float
        Radius of the base, greater than 0.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Cone((0, 0, 0), (0, 0, 2), 0.5)
    Cone(base=[0.0, 0.0, 0.0], apex=[0.0, 0.0, 2.0], radius=0.5)
    """

    __slots__ = ("base", "apex", "radius")
    _kinds = {3: "cone"}
    base: Floats
    apex: Floats
    radius: float

    def __init__(self, base: object, apex: object, radius: float, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"base": base, "apex": apex}, {"radius": radius}, dtype)


class Frustum(Shape):
    """A frustum: a cone without its tip, with flat ends, and its inside.

    Parameters
    ----------
    a : array_like
        Center of one end, (3,).
    b : array_like
        Center of the other end, (3,).
    radius_a : float
        Radius at `a`, greater than 0.
    radius_b : float
        Radius at `b`, greater than 0.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Frustum((0, 0, 0), (0, 0, 2), 1, 0.5)
    Frustum(a=[0.0, 0.0, 0.0], b=[0.0, 0.0, 2.0], radius_a=1.0, radius_b=0.5)
    """

    __slots__ = ("a", "b", "radius_a", "radius_b")
    _kinds = {3: "frustum"}
    a: Floats
    b: Floats
    radius_a: float
    radius_b: float

    def __init__(
        self, a: object, b: object, radius_a: float, radius_b: float, *, dtype: npt.DTypeLike | None = None
    ) -> None:
        self._build({"a": a, "b": b}, {"radius_a": radius_a, "radius_b": radius_b}, dtype)


class Ellipsoid(Shape):
    """An ellipsoid, with its inside.

    Parameters
    ----------
    center : array_like
        Center, (3,).
    radii : array_like
        Radii along the axes, (3,), greater than 0.
    axes : array_like, optional
        Directions of the axes, (3, 3), one in each row, perpendicular and of length 1; `None` for x, y and z.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Ellipsoid((0, 0, 0), (1, 2, 3))
    Ellipsoid(center=[0.0, 0.0, 0.0], radii=[1.0, 2.0, 3.0])
    """

    __slots__ = ("center", "radii", "axes")
    _kinds = {3: "ellipsoid"}
    center: Floats
    radii: Floats
    axes: Floats | None

    def __init__(
        self, center: object, radii: object, axes: object | None = None, *, dtype: npt.DTypeLike | None = None
    ) -> None:
        self._build({"center": center, "radii": radii, "axes": axes}, {}, dtype)


class Triangle(Shape):
    """A triangle: in space a surface, in the plane with its inside.

    Parameters
    ----------
    a : array_like
        A corner, (2,) or (3,).
    b : array_like
        Another corner.
    c : array_like
        The third corner.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Triangle((0, 0), (1, 0), (0, 1))
    Triangle(a=[0.0, 0.0], b=[1.0, 0.0], c=[0.0, 1.0])
    """

    __slots__ = ("a", "b", "c")
    _kinds = {2: "triangle", 3: "triangle"}
    a: Floats
    b: Floats
    c: Floats

    def __init__(self, a: object, b: object, c: object, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"a": a, "b": b, "c": c}, {}, dtype)


class Circle(Shape):
    """A circle in the plane, with its inside.

    Parameters
    ----------
    center : array_like
        Center, (2,).
    radius : float
        Radius, greater than 0.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Circle((0, 5), 1)
    Circle(center=[0.0, 5.0], radius=1.0)
    """

    __slots__ = ("center", "radius")
    _kinds = {2: "circle"}
    center: Floats
    radius: float

    def __init__(self, center: object, radius: float, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"center": center}, {"radius": radius}, dtype)


class Line(Shape):
    """A line in the plane, without an inside.

    Parameters
    ----------
    point : array_like
        A point of the line, (2,).
    normal : array_like
        Normal, (2,), of any length but zero.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Line((0, 1), (0, 1))
    Line(point=[0.0, 1.0], normal=[0.0, 1.0])
    """

    __slots__ = ("point", "normal")
    _kinds = {2: "line"}
    point: Floats
    normal: Floats

    def __init__(self, point: object, normal: object, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"point": point, "normal": normal}, {}, dtype)


class HalfPlane(Shape):
    """A half-plane: all points behind a line.

    Parameters
    ----------
    point : array_like
        A point of the boundary, (2,).
    normal : array_like
        Outward normal, (2,), of any length but zero.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.HalfPlane((0, 0), (0, 1))
    HalfPlane(point=[0.0, 0.0], normal=[0.0, 1.0])
    """

    __slots__ = ("point", "normal")
    _kinds = {2: "half_plane"}
    point: Floats
    normal: Floats

    def __init__(self, point: object, normal: object, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"point": point, "normal": normal}, {}, dtype)


class Segment(Shape):
    """A segment in the plane, a wall without thickness.

    Parameters
    ----------
    a : array_like
        One end, (2,).
    b : array_like
        The other end, (2,).
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Segment((0, 0), (1, 0))
    Segment(a=[0.0, 0.0], b=[1.0, 0.0])
    """

    __slots__ = ("a", "b")
    _kinds = {2: "segment"}
    a: Floats
    b: Floats

    def __init__(self, a: object, b: object, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"a": a, "b": b}, {}, dtype)


class Rectangle(Shape):
    """A rectangle, with its inside.

    Parameters
    ----------
    center : array_like
        Center, (2,).
    half_extents : array_like
        Half of the lengths of the edges, (2,), none negative.
    axes : array_like, optional
        Directions of the edges, (2, 2), one in each row, perpendicular and of length 1; `None` for x and y.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Rectangle((0, 0), (1, 2))
    Rectangle(center=[0.0, 0.0], half_extents=[1.0, 2.0])
    """

    __slots__ = ("center", "half_extents", "axes")
    _kinds = {2: "rectangle"}
    center: Floats
    half_extents: Floats
    axes: Floats | None

    def __init__(
        self, center: object, half_extents: object, axes: object | None = None, *, dtype: npt.DTypeLike | None = None
    ) -> None:
        self._build({"center": center, "half_extents": half_extents, "axes": axes}, {}, dtype)


class Polygon(Shape):
    """A convex polygon in the plane, with its inside.

    Parameters
    ----------
    vertices : array_like
        Corners in order, (n, 2), n at least 3, in either direction.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Polygon([(0, 0), (2, 0), (1, 1)])
    Polygon(vertices=[[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]])
    """

    __slots__ = ("vertices",)
    _kinds = {2: "polygon"}
    vertices: Floats

    def __init__(self, vertices: object, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"vertices": vertices}, {}, dtype)


class Ellipse(Shape):
    """An ellipse in the plane, with its inside.

    Parameters
    ----------
    center : array_like
        Center, (2,).
    radii : array_like
        Radii along the axes, (2,), greater than 0.
    axes : array_like, optional
        Directions of the axes, (2, 2), one in each row, perpendicular and of length 1; `None` for x and y.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> hitscan.Ellipse((0, 0), (1, 2))
    Ellipse(center=[0.0, 0.0], radii=[1.0, 2.0])
    """

    __slots__ = ("center", "radii", "axes")
    _kinds = {2: "ellipse"}
    center: Floats
    radii: Floats
    axes: Floats | None

    def __init__(
        self, center: object, radii: object, axes: object | None = None, *, dtype: npt.DTypeLike | None = None
    ) -> None:
        self._build({"center": center, "radii": radii, "axes": axes}, {}, dtype)


class TriangleMesh(Shape):
    """A triangle mesh under a BVH: a surface, and a solid where it is closed.

    Parameters
    ----------
    vertices : array_like, (n, 3)
        Vertices, finite.
    faces : array_like of int, (m, 3)
        Vertices of each triangle, m at least 1.
    quality : {"default", "fast", "high"}
        Quality of the BVH: results are the same bits, building takes shorter or longer, casts longer or shorter.
    dtype : dtype, optional
        `float32` or `float64`, to which vertices are rounded; by default that of the vertices.

    Raises
    ------
    ValueError, TypeError
        With the name of the argument, the row and the value.

    Notes
    -----
    Building takes O(n log n). Rays in `float64` at a `float32` mesh need an exact `float64` copy with a BVH of its own, which
    is built at the first such query and kept.

    Examples
    --------
    >>> import hitscan
    >>> mesh = hitscan.TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    >>> float(mesh.cast((0.25, 0.25, 1), (0, 0, -1)).t)
    1.0
    """

    __slots__ = ()

    def __init__(
        self, vertices: object, faces: object, *, quality: Quality = "default", dtype: npt.DTypeLike | None = None
    ) -> None:
        array = points("vertices", vertices, 3)
        if array.ndim != 2:
            raise ValueError(f"vertices: shape {array.shape}; the shape (n, 3) is needed")
        wanted = result_type("TriangleMesh", dtype, (array,))
        corners = _face_array(faces, len(array))
        wrong = ~np.isfinite(array).all(axis=1)
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(f"vertices[{row}]: {array[row].tolist()} is not finite")
        self._set(_core.Geometry.mesh(array.astype(wanted, copy=False), corners, quality), {})

    @property
    def vertices(self) -> Floats:
        """Vertices, (n, 3), a copy."""
        return self._geometry.vertices()

    @property
    def faces(self) -> npt.NDArray[np.uint32]:
        """Vertices of each triangle, (m, 3) uint32, a copy."""
        return self._geometry.faces()

    @property
    def topology(self) -> Topology:
        """Counts of points, of edges and of what is wrong with them, and of degenerate and repeated triangles.

        A mesh has an inside if it has no `odd_edges`: edges with an odd number of triangles. Triangles with the same three
        corners count modulo two where that leaves a closed surface, and else once. Orientation plays no part in it:
        `unbalanced_edges` are those whose neighbours face to different sides.
        """
        return cast(Topology, self._geometry.topology())

    @property
    def is_closed(self) -> bool:
        """Whether the mesh is closed: a solid. Every edge has an even number of triangles."""
        return self.topology["is_closed"]

    def repaired(self, tolerance: float = 0.0) -> tuple[TriangleMesh, RepairReport]:
        """A tidy copy of the mesh, and the counts of what was done.

        Vertices at most `tolerance` apart become one. Degenerate and repeated triangles are dropped; of a wall that two solids
        share, both sides. Then the triangles of each closed part face outward, those of a cavity into the cavity. Open parts
        stay as they are, and holes are not filled.

        Parameters
        ----------
        tolerance : float
            Distance of vertices that become one; 0 merges equal vertices.

        Returns
        -------
        mesh : TriangleMesh
        report : dict
            `merged_vertices`, `degenerate_triangles`, `repeated_triangles`, `turned_triangles`; and the number of
            `closed_parts`, `open_parts`, and `undecided_parts`, which are closed and have no outer side.

        Raises
        ------
        ValueError
            A tolerance that is negative or not finite; no triangle is left.

        Examples
        --------
        >>> import hitscan
        >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        >>> mesh, report = hitscan.TriangleMesh(corners, [(0, 1, 2), (0, 1, 3), (1, 2, 3), (2, 0, 3)]).repaired()
        >>> report["turned_triangles"], mesh.faces[0].tolist()
        (1, [0, 2, 1])
        """
        core, report = self._geometry.repaired(float(tolerance))
        return self._restored(core), cast(RepairReport, report)

    def refit(self, vertices: object) -> TriangleMesh:
        """The mesh with moved vertices, in a small part of the time of building one.

        Parameters
        ----------
        vertices : array_like, (n, 3)
            As many vertices as before.

        Examples
        --------
        >>> import hitscan
        >>> mesh = hitscan.TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
        >>> float(mesh.refit(mesh.vertices + (0, 0, 1)).bounds[1, 2])
        1.0
        """
        array = points("vertices", vertices, 3)
        if array.dtype != self.dtype and self.dtype == np.float32:
            what = "convert it, or make a new mesh"
            raise TypeError(f"vertices: an array of {array.dtype} for a mesh of {self.dtype}; {what}")
        return self._restored(self._geometry.refit(array.astype(self.dtype, copy=False)))

    def astype(self, dtype: npt.DTypeLike) -> TriangleMesh:
        """The mesh with its vertices in another precision, rounded to the nearest.

        Examples
        --------
        >>> import numpy as np, hitscan
        >>> mesh = hitscan.TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
        >>> mesh.astype(np.float32).dtype
        dtype('float32')
        """
        return self if np.dtype(dtype) == self.dtype else TriangleMesh(self.vertices, self.faces, dtype=dtype)

    def save(self, path: str | PathLike[str]) -> None:
        """Saves the mesh with its BVH to a `.hitmesh` file, which `hitscan.load` reads without a build."""
        from hitscan._files import write

        write(path, ".hitmesh", self._geometry.to_bytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return _mesh_from_bytes, (self._geometry.to_bytes(), self._geometry.is_double)

    def __repr__(self) -> str:
        return f"TriangleMesh({len(self.vertices)} vertices, {len(self.faces)} faces, {self.dtype})"


def _face_array(faces: object, vertices: int) -> npt.NDArray[np.uint32]:
    refuse_masked("faces", faces)
    array = np.asarray(faces)
    if array.size == 0:
        # An empty list has no integers.
        raise ValueError("faces: there are none; a mesh needs at least one triangle")
    if array.dtype.kind not in "iu":
        raise TypeError(f"faces: an array of {array.dtype}; numbers of vertices are integers")
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"faces: shape {array.shape}; the shape (m, 3) is needed")
    wrong = (array < 0) | (array >= vertices)
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(f"faces[{row}, {column}]: {array[row, column]} is no vertex; there are {vertices}")
    return np.require(array, np.uint32, "A")


def _mesh_from_bytes(saved: bytes, is_double: bool) -> TriangleMesh:
    return TriangleMesh._restored(_core.Geometry.mesh_from_bytes(saved, is_double))


class Group(Shape):
    """A group: a scene as a shape. Objects of other scenes place it any number of times and share its memory.

    Parameters
    ----------
    scene : Scene
        The scene, as it is now.

    Raises
    ------
    ValueError
        For groups within each other to more than 8 levels.

    Examples
    --------
    >>> import hitscan
    >>> pair = hitscan.Group(hitscan.Scene([hitscan.Sphere((x, 0, 0), 1) for x in (0, 10)]))
    >>> scene = hitscan.Scene()
    >>> up = [[1, 0, 0, 0], [0, 1, 0, 5], [0, 0, 1, 0]]
    >>> low, high = scene.add(pair), scene.add(pair, transform=up)
    >>> hits = scene.cast((20, 5, 0), (-1, 0, 0))
    >>> int(hits.object), pair.path(int(hits.member))
    (1, [1])
    """

    __slots__ = ()

    def __init__(self, scene: Scene) -> None:
        self._set(scene._scene.to_group(), {})

    def path(self, member: int) -> list[int]:
        """Ids of the objects down to a shape of the group: `Hits.member` has its number."""
        return self._geometry.path(member)

    def astype(self, dtype: npt.DTypeLike) -> Group:
        """The group itself; the scene that it was made of has its precision."""
        if np.dtype(dtype) != self.dtype:
            what = f"make the scene with dtype={dtype!r}"
            raise TypeError(f"dtype: a group of {self.dtype} has the precision of its scene; {what}")
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _group_from_bytes, (self._geometry.to_bytes(), self.dimension, self._geometry.is_double)

    def __repr__(self) -> str:
        return f"Group({self.dimension}D, {self.dtype})"


def _group_from_bytes(saved: bytes, dimension: int, is_double: bool) -> Shape:
    scene = _core.Scene.from_bytes(saved, dimension, is_double)
    return Shape._from_core(scene.object(0)[0])


class ViewFrustum:
    """A view frustum: the volume that a camera sees. It is a volume of `overlaps` and `cast_volume`, no shape.

    Parameters
    ----------
    corners : array_like, (8, 3)
        Corners: bit 0 of the number of a corner is 1 on the right, bit 1 at the top, bit 2 on the far side.
    dtype : dtype, optional
        `float32` or `float64`, to which corners are rounded; by default that of the corners.

    Raises
    ------
    ValueError
        For a corner that is not finite, or corners that are not those of a convex body.

    Examples
    --------
    >>> import hitscan
    >>> corners = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    >>> scene = hitscan.Scene([hitscan.Sphere((x, 0.5, 0.5), 1) for x in (-0.5, 5)])
    >>> scene.overlapping(hitscan.ViewFrustum(corners)).object
    array([0])
    """

    __slots__ = ("_geometry", "corners")
    dimension = 3

    def __init__(self, corners: object, *, dtype: npt.DTypeLike | None = None) -> None:
        array = points("corners", corners, 3)
        if array.shape != (8, 3):
            raise ValueError(f"corners: shape {array.shape}; the shape (8, 3) is needed")
        wanted = result_type("ViewFrustum", dtype, (array,))
        #: Corners, (8, 3).
        self.corners: Floats = array.astype(wanted)
        self.corners.flags.writeable = False
        rows = self.corners.astype(np.float64).tolist()
        try:
            self._geometry = _core.ViewFrustum(rows, wanted == np.float64)
        except ValueError as error:
            raise ValueError(f"corners: {error}") from None

    @classmethod
    def from_view_projection(cls, matrix: object, *, depth: float | None = None) -> ViewFrustum:
        """The frustum of a matrix, (4, 4), that takes what the camera sees to -1..1 in x and y and 0..1 in depth.

        Parameters
        ----------
        matrix : array_like, (4, 4)
            The view-projection matrix. The depth may be reversed, and the far plane at infinity.
        depth : float, optional
            Where the frustum ends if its far plane is not nearer: for the matrices of engines the distance from the plane of the
            camera. A projection without a far plane needs it.

        Examples
        --------
        >>> import numpy as np, hitscan
        >>> hitscan.ViewFrustum.from_view_projection(np.eye(4)).corners[[0, 7]]
        array([[-1., -1.,  0.],
               [ 1.,  1.,  1.]])
        >>> infinite = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0.5], [0, 0, -1, 0]]  # reversed, near plane at 0.5
        >>> seen = hitscan.ViewFrustum.from_view_projection(infinite, depth=1000)
        >>> bool(hitscan.Sphere((0, 0, -999), 1).overlaps(seen)), bool(hitscan.Sphere((0, 0, -1002), 1).overlaps(seen))
        (True, False)
        """
        array = numbers("matrix", matrix)
        if array.shape != (4, 4):
            raise ValueError(f"matrix: shape {array.shape}; the shape (4, 4) is needed")
        try:
            return cls(_core.ViewFrustum.corners_of(array.T.astype(np.float64).tolist(), depth))
        except ValueError as error:
            raise ValueError(f"matrix: {error}") from None

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the corners, `float32` or `float64`."""
        return self.corners.dtype

    def __reduce__(self) -> tuple[Any, ...]:
        return ViewFrustum, (self.corners,)

    def __repr__(self) -> str:
        return f"ViewFrustum({self.corners.tolist()})"


#: The class of each kind.
CLASSES: dict[str, type[Shape]] = {
    kind: shape
    for shape in (
        Sphere, Plane, HalfSpace, Disk, Box, Capsule, Cylinder, Cone, Frustum, Ellipsoid, Triangle,
        Circle, Line, HalfPlane, Segment, Rectangle, Polygon, Ellipse,
    )
    for kind in shape._kinds.values()
} | {"mesh": TriangleMesh, "group": Group}  # fmt: skip
