"""The tapered capsule."""

from __future__ import annotations

import numpy.typing as npt

from hitscan._arrays import Floats
from hitscan._shapes import CLASSES, Shape


class TaperedCapsule(Shape):
    """A tapered capsule: the convex hull of two balls, in 2D of two disks.

    If one ball contains the other, the shape is that ball.

    Parameters
    ----------
    a : array_like
        Center of one ball, (2,) or (3,).
    b : array_like
        Center of the other ball.
    radius_a : float
        Radius around `a`, 0 or more.
    radius_b : float
        Radius around `b`, 0 or more; not 0 if the other one is. A radius of 0 makes the end the tip of a cone.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded; by default that of the numbers.

    Raises
    ------
    ValueError, TypeError
        With the name of the parameter and its value.

    Examples
    --------
    >>> import hitscan
    >>> limb = hitscan.TaperedCapsule((0, 0, 0), (0, 0, 5), 2, 5)
    >>> limb
    TaperedCapsule(a=[0.0, 0.0, 0.0], b=[0.0, 0.0, 5.0], radius_a=2.0, radius_b=5.0)
    >>> limb.cast((10, 0, 2), (-1, 0, 0)).t.item()
    6.0
    """

    __slots__ = ("a", "b", "radius_a", "radius_b")
    _kinds = {2: "tapered_capsule", 3: "tapered_capsule"}
    a: Floats
    b: Floats
    radius_a: float
    radius_b: float

    def __init__(
        self, a: object, b: object, radius_a: float, radius_b: float, *, dtype: npt.DTypeLike | None = None
    ) -> None:
        self._build({"a": a, "b": b}, {"radius_a": radius_a, "radius_b": radius_b}, dtype)


CLASSES["tapered_capsule"] = TaperedCapsule
