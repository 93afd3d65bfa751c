"""The quad, a parallelogram in space."""

from __future__ import annotations

import numpy.typing as npt

from hitscan._arrays import Floats
from hitscan._shapes import CLASSES, Shape


class Quad(Shape):
    """A quad: the parallelogram `corner + u edge_u + v edge_v` with `u` and `v` from 0 to 1, a flat surface with two sides.

    Its front is the side that the cross product of `edge_u` and `edge_v` points to. Hits have the field `uv`.

    Parameters
    ----------
    corner : array_like
        A corner, (3,).
    edge_u : array_like
        The edge from there along which `u` grows, (3,).
    edge_v : array_like
        The edge from there along which `v` grows, (3,); not along the same line.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> screen = hitscan.Quad((-2, -1, 5), (4, 0, 0), (0, 2, 0))
    >>> screen
    Quad(corner=[-2.0, -1.0, 5.0], edge_u=[4.0, 0.0, 0.0], edge_v=[0.0, 2.0, 0.0])
    >>> screen.cast((1, 0, 0), (0, 0, 1), fields=("t", "uv")).uv.tolist()
    [0.75, 0.5]
    """

    __slots__ = ("corner", "edge_u", "edge_v")
    _kinds = {3: "quad"}
    corner: Floats
    edge_u: Floats
    edge_v: Floats

    def __init__(self, corner: object, edge_u: object, edge_v: object, *, dtype: npt.DTypeLike | None = None) -> None:
        self._build({"corner": corner, "edge_u": edge_u, "edge_v": edge_v}, {}, dtype)


CLASSES["quad"] = Quad
