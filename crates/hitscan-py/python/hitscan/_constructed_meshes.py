"""Meshes that are constructed: convex hulls and prisms."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._arrays import Floats, points
from hitscan._shapes import Shape, TriangleMesh, result_type


def _rows(name: str, values: object, dimension: int) -> Floats:
    array = points(name, values, dimension)
    if array.ndim != 2:
        raise ValueError(f"{name}: shape {array.shape}; the shape (n, {dimension}) is needed")
    return array


def _mesh(kind: str, corners: list[Floats], numbers: list[float], dtype: np.dtype[np.generic]) -> TriangleMesh:
    rows = [row for ring in corners for row in ring.astype(dtype).astype(np.float64).tolist()]
    shape = Shape._from_core(_core.Geometry.of(kind, 3, dtype == np.float64, rows, numbers))
    assert isinstance(shape, TriangleMesh)
    return shape


def convex_hull(points: object, *, dtype: npt.DTypeLike | None = None) -> TriangleMesh:
    """The convex hull of points: the smallest convex body that contains all of them, as a closed mesh.

    Its vertices are the corners of the hull, in lexicographic order. Which points are corners is decided exactly, so points in one
    plane or on one line are no trouble.

    Parameters
    ----------
    points : array_like, (n, 3)
        Points in any order; at least four, not all in one plane.
    dtype : dtype, optional
        `float32` or `float64`, to which points are rounded; by default that of the points.

    Raises
    ------
    ValueError
        Too few points, a point that is not finite, all points on one line or in one plane.

    Examples
    --------
    >>> import hitscan
    >>> hull = hitscan.convex_hull([(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4), (1, 1, 1)])
    >>> len(hull.vertices), len(hull.faces), hull.is_closed
    (4, 4, True)
    """
    array = _rows("points", points, 3)
    return _mesh("convex_hull", [array], [], result_type("convex_hull", dtype, (array,)))


def prism(
    outline: object, z: tuple[float, float], holes: Iterable[object] = (), *, dtype: npt.DTypeLike | None = None
) -> TriangleMesh:
    """The prism over a simple polygon with holes, extruded along z, as a closed mesh.

    Each ring lists its corners once around, in either direction. Whether rings cross or touch is decided exactly.

    Parameters
    ----------
    outline : array_like, (n, 2)
        Corners of the polygon.
    z : (float, float)
        Heights of both ends, the lower one first.
    holes : iterable of array_like, (n, 2)
        Corners of each hole.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the corners.

    Raises
    ------
    ValueError
        With the name of the ring and the corner: a ring with fewer than three corners, with a number that is not finite, that crosses
        or touches itself or another ring; a hole outside of the outline or within another hole; heights in the wrong order.

    Examples
    --------
    >>> import hitscan
    >>> frame = hitscan.prism([(0, 0), (4, 0), (4, 4), (0, 4)], (0, 2), [[(1, 1), (3, 1), (3, 3), (1, 3)]])
    >>> frame.is_closed, frame.contains([(0.5, 2, 1), (2, 2, 1)]).tolist()
    (True, [True, False])
    """
    rings = [_rows("outline", outline, 2)] + [_rows(f"holes[{i}]", hole, 2) for i, hole in enumerate(holes)]
    low, high = z
    numbers = [float(low), float(high), *(float(len(ring)) for ring in rings)]
    return _mesh("prism", rings, numbers, result_type("prism", dtype, rings))
