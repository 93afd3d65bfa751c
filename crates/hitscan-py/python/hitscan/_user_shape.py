"""Shapes whose functions are Python functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._arrays import ArrayLike, TriggersCount, numbers
from hitscan._shapes import CLASSES, Shape, result_type


class UserHit(NamedTuple):
    """A crossing that the function of a `UserShape` found; a plain tuple does as well."""

    t: float
    normal: ArrayLike
    uv: ArrayLike | None = None
    primitive: int | None = None


class UserShape(Shape):
    """A shape of your own: its bounds, and a function that casts one ray at it.

    It has the queries of rays, in scenes and under transforms too, with the rules of every shape. But its hits are only as
    right as the function: exactness ends here. A query calls the function for each ray, from any of its threads. Each call
    takes some microseconds, and the calls take turns, unless Python runs without its global lock. Embree calls this a user
    geometry.

    Parameters
    ----------
    bounds : array_like, (2, d)
        The lower and the upper corner of a box that contains every hit.
    cast : callable
        `cast(origin, direction, t_min, t_max)` returns the crossing of the ray and the surface with the smallest `t` of that
        range, both ends included: `None`, or `(t, normal)`, or a `UserHit`. `origin` and `direction` are arrays (d,), the
        range is finite. The normal has any length and points out of a solid. For the same ray the answer is the same.
        A `t` beyond the range counts as a miss. `count`, `cast_all` and `spans` call it again with `t_min` just behind each
        crossing: a function that finds the same one again has to step off the surface first.
    solid : bool
        Whether the surface encloses a solid: rays then enter through the front and leave through the back.
    contains : callable, optional
        `contains(point)` says whether the closed solid contains an array (d,). By default a ray along the first axis says so,
        also for each ray that misses a solid: give it where you can.
    closest_point : callable, optional
        `closest_point(point)` returns the closest point of the surface. Without it nothing is measured: see the notes.
    dtype : dtype, optional
        Precision of the numbers, `float32` or `float64`.

    Raises
    ------
    ValueError
        If the lower corner is not below the upper one, or a number is NaN.
    TypeError
        If a function is none. A query raises it for what a function may not return; it passes other exceptions on.

    Notes
    -----
    Under a transform the functions get points and rays in the coordinates of the shape. `Hits.spawn_rays` starts as far from
    the surface as the error of an exact hit: rays may hit the surface of a less exact function again.

    Without `closest_point`, and under a transform that shears or scales unevenly, distances are NaN or infinite, and so is a
    query by distance of a scene where the shape may be the closest. Spheres overlap and meet the shape by `closest_point`, or
    its bounds without it; other volumes overlap and meet the bounds.

    It is pickled by its functions, which then have to be those of a module. A scene or group that has one can be neither
    saved nor pickled: that raises an error.

    Examples
    --------
    A flat ring, around the origin of the plane `z = 0`:

    >>> import hitscan
    >>> def cast(origin, direction, t_min, t_max):
    ...     t = -origin[2] / direction[2] if direction[2] else t_max
    ...     x, y, _ = origin + t * direction
    ...     if t_min <= t <= t_max and 1 <= x * x + y * y <= 4:
    ...         return t, (0, 0, 1)
    >>> ring = hitscan.UserShape([(-2, -2, 0), (2, 2, 0)], cast, solid=False)
    >>> scene = hitscan.Scene([ring, hitscan.Plane((0, 0, -5), (0, 0, 1))])
    >>> hits = scene.cast([(1.5, 0, 9), (0, 0, 9)], (0, 0, -1))
    >>> hits.object, hits.t
    (array([0, 1]), array([ 9., 14.]))
    """

    __slots__ = ("closest_point_function", "contains_function", "function", "solid")

    function: Callable[..., Any]
    contains_function: Callable[..., Any] | None
    closest_point_function: Callable[..., Any] | None
    solid: bool

    def __init__(
        self,
        bounds: object,
        cast: Callable[..., Any],
        *,
        solid: bool = True,
        contains: Callable[..., Any] | None = None,
        closest_point: Callable[..., Any] | None = None,
        dtype: npt.DTypeLike | None = None,
    ) -> None:
        box = numbers("UserShape: bounds", bounds)
        if box.ndim != 2 or box.shape[0] != 2 or box.shape[1] not in (2, 3):
            raise ValueError(f"UserShape: bounds: shape {box.shape}; the shape (2, 2) or (2, 3) is needed")
        if not (box[0] <= box[1]).all():
            raise ValueError(f"UserShape: bounds: {box.tolist()} is no lower and upper corner")
        for name, function in {"cast": cast, "contains": contains, "closest_point": closest_point}.items():
            if not callable(function) and (function is not None or name == "cast"):
                raise TypeError(f"UserShape: {name}: {function!r} is no function")
        is_double = result_type("UserShape", dtype, (box,)) == np.float64
        functions = cast, contains, closest_point, bool(solid)
        corners = box.astype(np.float64).tolist()
        self._describe(_core.Geometry.user(box.shape[1], is_double, corners, functions))

    @classmethod
    def _restored(cls, core: _core.Geometry) -> Self:
        shape = object.__new__(cls)
        shape._describe(core)
        return shape

    def _describe(self, core: _core.Geometry) -> None:
        cast, contains, closest_point, solid = core.functions()
        self._set(core, {
            "function": cast, "contains_function": contains, "closest_point_function": closest_point, "solid": solid,
        })  # fmt: skip

    def _target(
        self, is_double: bool, layers: int | None, exclude: Iterable[int], triggers: TriggersCount = "hit"
    ) -> _core.Target:
        if is_double and self.dtype == np.float32:
            return self.astype(np.float64)._target(True, layers, exclude, triggers)
        return super()._target(is_double, layers, exclude, triggers)

    @property
    def _parameters(self) -> dict[str, Any]:
        return {
            "bounds": self.bounds, "cast": self.function, "solid": self.solid, "contains": self.contains_function,
            "closest_point": self.closest_point_function,
        }  # fmt: skip

    def __repr__(self) -> str:
        name = getattr(self.function, "__qualname__", None) or repr(self.function)
        return f"UserShape({self.bounds.tolist()}, {name}, {self.dtype})"


CLASSES["user geometry"] = UserShape
