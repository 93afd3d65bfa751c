"""Solids: unions, intersections, differences and complements of shapes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._arrays import matrix
from hitscan._shapes import CLASSES, Shape

Operation = Literal["union"] | Literal["intersection"] | Literal["difference"]

#: The most characters of an expression that `repr` shows.
_SHOWN_EXPRESSION = 60


class SolidLeaf(NamedTuple):
    """A leaf of a solid: its shape, and the matrix of its transform, (d + 1, d + 1), or `None` without a transform."""

    shape: Shape
    transform: npt.NDArray[np.float64] | None = None


class NearSurfaces(NamedTuple):
    """Surfaces of two leaves of a solid that are close to each other and do not coincide."""

    #: Numbers of the leaves, ascending.
    leaves: tuple[int, int]
    #: Least distance between the surfaces that was found.
    distance: float
    #: Where it was found, (d,).
    point: npt.NDArray[np.float64]


class Solid(Shape):
    """A solid: a union, an intersection or a difference of shapes, the leaves of its expression (constructive solid geometry).

    Operators of shapes make it: `a | b` is the union, `a & b` the intersection, `a - b` the difference, and `~a` the complement,
    which is all of space outside. The precedence is that of Python: `~`, then `-`, then `&`, then `|`. `Solid.union`,
    `Solid.intersection` and `Solid.difference` take any number of parts in one step.

    A leaf is any shape that encloses points: a `Sphere`, a `Box`, a `HalfSpace`, a closed `TriangleMesh`, a `Group` of such shapes, a
    `UserShape` with `solid=True`, or another solid, each with or without a transform.

    Parameters
    ----------
    shape : Shape
        Shape that encloses points. Without a transform, a solid stays what it is.
    transform : array_like, optional
        Matrix, (d + 1, d + 1) or (d, d + 1), that places the shape: it may rotate, scale, mirror and shear. It is rounded to the
        precision of the shape.

    Raises
    ------
    ValueError
        For a shape that encloses no points (a surface, an open mesh, or a group with one), for parts of different dimensions, and
        for a matrix that is no transform. The operators raise it, too.
    TypeError
        For an argument that is no shape.

    Notes
    -----
    *Points.* Leaves are closed: their surface belongs to them. The operators are logic on points, so `a - b` does not have the
    surface of `b`, and each point is in exactly one of `a & b`, `a - b`, `b - a` and `~(a | b)`: `contains` is that logic. A ray meets
    the closure of these points along its line: it hits the wall of a bore, two boxes that share a face are one span in their union,
    and a film without thickness that a difference would leave does not exist. The order of all crossings is exact, also of leaves
    that touch or coincide.

    *Results.* Normals point out of the solid. `Hits.member` is the number of the leaf whose surface a ray hits: see `leaves`. In a
    group, it is the number of the shape within the group, as for all shapes.

    *Precision.* A solid is `float32` if all its parts are, else `float64`; `float32` parts convert exactly.

    *Limits.* Distances and closest points of a solid of several leaves are not measured: they are NaN or infinite, as those of a
    `UserShape` without `closest_point`. Moving spheres and volumes and queries of overlap take the parts for whole: they find every
    contact, and may report one with what is cut away. A solid of one leaf has all queries of that leaf.

    Examples
    --------
    >>> import hitscan
    >>> plate = hitscan.Box((0, 0, 0), (4, 4, 0.5))
    >>> bores = [hitscan.Cylinder((x, 0, -1), (x, 0, 1), 0.5) for x in (-2, 2)]
    >>> part = hitscan.Solid.difference(plate, bores)
    >>> part
    Solid(0 - 1 - 2, 3D, float64)
    >>> hits = part.cast([(2.25, 0, 5), (2, 0, 0.25)], [(0, 0, -1), (1, 0, 0)])
    >>> hits.t, hits.normal[1], hits.member
    (array([inf, 0.5]), array([-1.,  0.,  0.]), array([-1,  2], dtype=int32))
    >>> half = part & ~hitscan.HalfSpace((0, 0, 0), (0, 1, 0))
    >>> half.contains([(0, 1, 0), (0, -1, 0), (2, 0.25, 0)])
    array([ True, False, False])
    """

    __slots__ = ()

    def __init__(self, shape: Shape, *, transform: object = None) -> None:
        if not isinstance(shape, Shape):
            raise TypeError(f"Solid: shape: {shape!r} is no shape; make a Sphere, a Box, …")
        rows = None if transform is None else matrix("Solid: transform", transform, shape.dimension)
        try:
            self._set(_core.solid_of(shape._geometry, rows, shape.dtype == np.float64), {})
        except ValueError as error:
            raise ValueError(f"Solid: {error}") from None

    @classmethod
    def union(cls, parts: Iterable[Shape]) -> Solid:
        """The union of any number of parts: all points that are in at least one.

        Parameters
        ----------
        parts : iterable of Shape
            Shapes that enclose points, of one dimension.

        Raises
        ------
        ValueError, TypeError
            As the operators do, with the number of the part; if there is no part.

        Examples
        --------
        >>> import hitscan
        >>> row = hitscan.Solid.union(hitscan.Box((x, 0, 0), (1, 1, 1)) for x in (0, 2, 9))
        >>> spans = row.spans((-5, 0, 0), (1, 0, 0))
        >>> spans.enter.t, spans.exit.t
        (array([ 4., 13.]), array([ 8., 15.]))
        """
        return _combined("union", _numbered(parts))

    @classmethod
    def intersection(cls, parts: Iterable[Shape]) -> Solid:
        """The intersection of any number of parts: all points that are in each.

        Parameters
        ----------
        parts : iterable of Shape
            Shapes that enclose points, of one dimension.

        Raises
        ------
        ValueError, TypeError
            As the operators do, with the number of the part; if there is no part.

        Examples
        --------
        >>> import hitscan
        >>> normals = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, -1, -1)]
        >>> tetrahedron = hitscan.Solid.intersection(hitscan.HalfSpace((0, 0, 0), n) for n in normals[:3])
        >>> tetrahedron &= hitscan.HalfSpace((-1, -1, -1), normals[3])
        >>> float(tetrahedron.cast((-1, -1, 5), (0, 0, -1)).t)
        5.0
        """
        return _combined("intersection", _numbered(parts))

    @classmethod
    def difference(cls, shape: Shape, parts: Iterable[Shape]) -> Solid:
        """What is left of a shape without any number of parts.

        Parameters
        ----------
        shape : Shape
            Shape that encloses points.
        parts : iterable of Shape
            Shapes that enclose points, of the same dimension; there may be none.

        Raises
        ------
        ValueError, TypeError
            As the operators do, with the number of the part.

        Examples
        --------
        >>> import hitscan
        >>> disk = hitscan.Circle((0, 0), 3)
        >>> button = hitscan.Solid.difference(disk, [hitscan.Circle((x, 0), 0.5) for x in (-1, 1)])
        >>> int(button.count((-5, 0), (1, 0)))
        6
        """
        return _combined("difference", [("shape", shape), *_numbered(parts)])

    def __len__(self) -> int:
        return _core.leaf_count(self._geometry)

    def near_surfaces(self, tolerance: float, *, lines: int = 10_000) -> list[NearSurfaces]:
        """Surfaces of different leaves that are parallel, at most `tolerance` apart, and do not coincide.

        With decimal numbers two faces that were meant to be one may differ in the last digit: `3 * 0.1` is not `0.3`. The exact order
        of crossings shows such gaps and films; this finds them.

        Parameters
        ----------
        tolerance : float
            Greatest distance, in units of the scene.
        lines : int
            Number of lines that the search casts, up to 2**32 - 1. They are evenly distributed over the boxes of the leaves, and the same
            in each call. A pair that faces each other on a small part of the surfaces may be missed: more lines find more.

        Returns
        -------
        list of NearSurfaces

        Raises
        ------
        ValueError
            If `tolerance` is negative or no number, or `lines` is out of its range.

        Examples
        --------
        >>> import hitscan
        >>> stack = hitscan.Solid.union(hitscan.Box((0, 0, 0.1 * i), (1, 1, 0.05)) for i in (1, 2, 3))
        >>> [near.leaves for near in stack.near_surfaces(1e-9)]
        [(1, 2)]
        """
        if not tolerance >= 0:
            raise ValueError(f"tolerance must be a number of at least 0, not {tolerance!r}")
        if not 0 <= lines < 2**32:
            raise ValueError(f"lines must be a number from 0 to 2**32 - 1, not {lines!r}")
        found = _core.near_surfaces(self._geometry, tolerance, lines)
        return [NearSurfaces((a, b), distance, np.array(point)) for a, b, distance, point in found]

    @property
    def leaves(self) -> list[SolidLeaf]:
        """Leaves, in the order of their numbers, which `expression` has and `Hits.member`; a new list each time.

        Examples
        --------
        >>> import hitscan
        >>> cup = hitscan.Cylinder((0, 0, 0), (0, 0, 3), 1) - hitscan.Sphere((0, 0, 3), 0.5)
        >>> hit = cup.cast((0, 0, 9), (0, 0, -1))
        >>> cup.leaves[hit.member].shape
        Sphere(center=[0.0, 0.0, 3.0], radius=0.5)
        """
        shapes: dict[int, Shape] = {}
        leaves = []
        # Leaves of one mesh have one object of the core. The list keeps it, so no other object gets its id.
        found = _core.leaves(self._geometry)
        for core, rows in found:
            if id(core) not in shapes:
                shapes[id(core)] = Shape._from_core(core)
            transform = None
            if rows is not None:
                transform = np.eye(self.dimension + 1)
                transform[:-1] = np.reshape(rows, (self.dimension, self.dimension + 1))
            leaves.append(SolidLeaf(shapes[id(core)], transform))
        return leaves

    @property
    def expression(self) -> str:
        """Expression as Python would write it, with the number of each leaf.

        Chains of one operator are one step, so they have no brackets: `(a | b) | c` is `0 | 1 | 2`.

        Examples
        --------
        >>> import hitscan
        >>> a, b, c = (hitscan.Sphere((x, 0, 0), 1) for x in (0, 1, 2))
        >>> (a - (b & c)).expression, (~a | b | c).expression
        ('0 - (1 & 2)', '~0 | 1 | 2')
        """
        return _core.expression(self._geometry)

    def astype(self, dtype: npt.DTypeLike) -> Solid:
        """The solid with the numbers of its leaves in another precision, rounded to the nearest.

        Raises
        ------
        TypeError
            For `float32` if a leaf is a group of `float64`.

        Examples
        --------
        >>> import numpy as np, hitscan
        >>> ring = hitscan.Circle((0, 0), 2) - hitscan.Circle((0, 0), 1)
        >>> ring.astype(np.float32)
        Solid(0 - 1, 2D, float32)
        """
        wanted = np.dtype(dtype)
        if wanted == self.dtype:
            return self
        if wanted == np.float64:
            try:
                return self._restored(_core.solid_of(self._geometry, None, True))
            except TypeError:
                pass  # A leaf is a UserShape, which has another way to convert.
        leaves = self.leaves
        shapes = {id(shape): shape.astype(wanted) for shape, _ in leaves}
        return _of_expression([(shapes[id(shape)], transform) for shape, transform in leaves], self.expression)

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_expression, ([tuple(leaf) for leaf in self.leaves], self.expression)

    def __repr__(self) -> str:
        text = self.expression
        if len(text) > _SHOWN_EXPRESSION:
            text = f"{text[:_SHOWN_EXPRESSION]}… of {len(self)} leaves"
        return f"Solid({text}, {self.dimension}D, {self.dtype})"


def combined(operation: Operation, a: Shape, b: Shape) -> Solid:
    """The solid of an operator and its two operands."""
    return _combined(operation, [("", a), ("", b)])


def complement(shape: Shape) -> Solid:
    """The complement of a shape."""
    core = _part("", shape, shape.dtype)
    return Solid._restored(_core.complement(core))


def _numbered(parts: Iterable[Shape]) -> list[tuple[str, Shape]]:
    """Parts with their names in errors."""
    if isinstance(parts, Shape) or not isinstance(parts, Iterable):
        raise TypeError(f"parts: {parts!r} is no list of shapes")
    return [(f"parts[{number}]", part) for number, part in enumerate(parts)]


def _part(name: str, shape: Shape, dtype: np.dtype[Any]) -> _core.Geometry:
    """A part as a solid of the core, in a precision that is not lower than its own."""
    if shape.kind == "user geometry" or isinstance(shape, Solid):
        shape = shape.astype(dtype)
    try:
        return _core.solid_of(shape._geometry, None, dtype == np.float64)
    except ValueError as error:
        raise ValueError(f"{name}: {error}" if name else str(error)) from None


def _combined(operation: Operation, parts: list[tuple[str, Shape]]) -> Solid:
    """The solid of parts, each with its name in errors."""
    for name, part in parts:
        if not isinstance(part, Shape):
            raise TypeError(f"{name}: {part!r} is no shape; make a Sphere, a Box, …")
        dimension = parts[0][1].dimension
        if part.dimension != dimension:
            where = f"{name}: it" if name else f"a {type(part).__name__}"
            raise ValueError(f"{where} has {part.dimension} dimensions, not {dimension}")
    wanted = np.result_type(*(part.dtype for _, part in parts)) if parts else np.dtype(np.float64)
    return Solid._restored(_core.combined(operation, [_part(name, part, wanted) for name, part in parts]))


def _of_expression(leaves: list[tuple[Shape, object]], expression: str) -> Solid:
    """The solid of leaves, each with its transform, and the text that `Solid.expression` has."""
    solids = [Solid(shape, transform=transform) for shape, transform in leaves]
    # Of each open bracket: whether the complement of it is meant, its operator, and its operands.
    open_brackets: list[tuple[bool, list[str], list[Shape]]] = [(False, [], [])]
    is_negated = False
    for token in re.findall(r"\d+|[~(|&)-]", expression):
        if token == "~":
            is_negated = not is_negated
        elif token in "|&-":
            open_brackets[-1][1].append(token)
            # A difference is an intersection with complements.
            is_negated = token == "-"
        elif token == "(":
            open_brackets.append((is_negated, [], []))
            is_negated = False
        else:
            operand: Shape
            if token == ")":
                is_negated, operators, operands = open_brackets.pop()
                operand = _joined(operators, operands)
            else:
                operand = solids[int(token)]
            open_brackets[-1][2].append(~operand if is_negated else operand)
            is_negated = False
    return _joined(*open_brackets[0][1:])


def _joined(operators: list[str], operands: list[Shape]) -> Solid:
    """Operands that are joined by `|`, or by `&` and `-`, whose complements they are."""
    return Solid.union(operands) if "|" in operators else Solid.intersection(operands)


CLASSES["solid"] = Solid
