"""Volumes: what sweeps move, and what overlap queries ask about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, Union

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._arrays import Floats, numbers, points

if TYPE_CHECKING:
    from hitscan._shapes import Shape, ViewFrustum

#: A volume of a query.
AnyVolume: TypeAlias = Union["Shape", "ViewFrustum", "Volume"]
#: A volume for the core.
CoreVolume: TypeAlias = _core.Geometry | _core.ViewFrustum | _core.Volume
#: A volume, or the parts of a compound, for the core.
CoreVolumes: TypeAlias = CoreVolume | list[CoreVolume]


class Volume:
    """A convex volume at any place: that of a shape or of a view frustum, or the convex hull of points. It never changes.

    Queries of volumes take the shapes themselves, too. A `Volume` is for hulls, and for volumes that move.

    Parameters
    ----------
    shape : Sphere, Box, Capsule, TaperedCapsule, Cylinder, Cone, Frustum, Triangle, ViewFrustum, Circle, Rectangle, Segment, Polygon or Volume
        What the volume is.

    Raises
    ------
    TypeError, ValueError
        If the shape is no volume.

    Examples
    --------
    >>> import hitscan
    >>> wall = hitscan.Box((5, 0, 0), (1, 1, 1))
    >>> character = hitscan.Volume(hitscan.Capsule((0, 0, 0), (0, 0, 1), 0.5))
    >>> contact = wall.cast_volume(character, (1, 0, 0))
    >>> before_the_wall = character.moved_by((contact.t - 0.01, 0, 0))
    >>> bool(wall.overlaps(before_the_wall)), bool(wall.overlaps(before_the_wall.moved_by((0.02, 0, 0))))
    (False, True)
    """

    __slots__ = ("_geometry", "_offset", "_source")

    _geometry: _core.Volume
    #: What the volume is made of: points are those of a hull.
    _source: Shape | ViewFrustum | Floats
    _offset: Floats | None

    def __init__(self, shape: Shape | ViewFrustum | Volume) -> None:
        from hitscan._shapes import Shape, ViewFrustum

        if isinstance(shape, Volume):
            self._set(shape._source, shape._geometry, shape._offset)
        elif isinstance(shape, Shape):
            try:
                self._set(shape, _core.Volume.of_shape(shape._geometry), None)
            except ValueError as error:
                raise ValueError(f"Volume: shape: {error}") from None
        elif isinstance(shape, ViewFrustum):
            self._set(shape, _core.Volume.of_frustum(shape._geometry), None)
        else:
            raise TypeError(f"Volume: shape: {shape!r} is no volume")

    def _set(self, source: Shape | ViewFrustum | Floats, core: _core.Volume, offset: Floats | None) -> None:
        for name, value in {"_source": source, "_geometry": core, "_offset": offset}.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Volume never changes; make another one")

    @classmethod
    def hull(cls, points: object, *, dtype: npt.DTypeLike | None = None) -> Volume:
        """The convex hull of points, in any order. Some may be inside of the hull, or given twice.

        In space it may be flat, a segment, or a point; there queries take time in proportion to the number of points.

        Parameters
        ----------
        points : array_like, (n, 3) or (n, 2)
            Points, in units of the scene: at least one in space; in the plane at least three, not all of them on one line.
        dtype : dtype, optional
            `float32` or `float64`, to which the points are rounded; by default that of the points.

        Returns
        -------
        Volume

        Raises
        ------
        TypeError, ValueError
            If these are no such points, or one is not finite.

        Examples
        --------
        >>> import numpy as np, hitscan
        >>> octahedron = hitscan.Volume.hull(np.vstack([np.eye(3), -np.eye(3)]))
        >>> cube = hitscan.Box((3, 3, 3), (1, 1, 1))
        >>> round(float(cube.cast_volume(octahedron, (1, 1, 1)).t), 12)
        1.666666666667
        """
        from hitscan._shapes import result_type

        array = numbers("points", points)
        if array.ndim != 2 or array.shape[1] not in (2, 3):
            raise ValueError(f"points: shape {array.shape}; the shape (n, 3) or (n, 2) is needed")
        wanted = result_type("Volume.hull", dtype, (array,))
        own = array.astype(wanted)
        own.flags.writeable = False
        dimension = own.shape[1]
        rows = np.zeros((len(own), 3))
        rows[:, :dimension] = own
        volume = object.__new__(cls)
        volume._set(own, _core.Volume.hull(rows.tolist(), dimension, wanted == np.float64), None)
        return volume

    def moved_by(self, offset: object) -> Volume:
        """The volume at another place. It is not turned.

        Its points (a center, the ends of an axis, vertices) are those of the shape or hull that it was made of, plus the sum of all
        offsets, rounded once. A volume that leaves the range of numbers touches nothing.

        Parameters
        ----------
        offset : array_like, (d,)
            Offset, in units of the scene; it is rounded to the precision of the volume.

        Returns
        -------
        Volume

        Raises
        ------
        TypeError, ValueError
            If the offset is no vector of d finite numbers.

        Examples
        --------
        >>> import hitscan
        >>> rod = hitscan.Volume.hull([(0, 0, 0), (0, 2, 0)])
        >>> rod.moved_by((0, 0, 4)).moved_by((1, 0, 0)).bounds
        array([[1., 0., 4.],
               [1., 2., 4.]])
        """
        by = points("offset", offset, self.dimension)
        if by.ndim != 1:
            raise ValueError(f"offset: shape {by.shape}; the shape ({self.dimension},) is needed")
        with np.errstate(over="ignore"):
            total = by.astype(self.dtype)
            if self._offset is not None:
                total = self._offset + total
        if not np.isfinite(total).all():
            raise ValueError(f"offset: {by.tolist()} leads beyond the {self.dtype} numbers")
        return self._at(total)

    def _at(self, offset: Floats) -> Volume:
        """The volume at an offset from the place of what it is made of."""
        offset.flags.writeable = False
        by = offset.astype(np.float64).tolist()
        moved = object.__new__(type(self))
        moved._set(self._source, self._geometry.moved_to(by + [0.0] * (3 - len(by))), offset)
        return moved

    @property
    def dimension(self) -> int:
        """Number of dimensions, 2 or 3."""
        return self._source.shape[1] if isinstance(self._source, np.ndarray) else self._source.dimension

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the numbers, `float32` or `float64`."""
        return self._source.dtype

    @property
    def bounds(self) -> Floats:
        """Bounding box, (2, d): its lower and its upper corner, rounded outward."""
        return self._geometry.bounds()

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._source, self._offset)

    def __repr__(self) -> str:
        source = self._source
        made = f"Volume.hull({source.tolist()})" if isinstance(source, np.ndarray) else f"Volume({source!r})"
        return made if self._offset is None else f"{made}.moved_by({self._offset.tolist()})"


def _made(source: Shape | ViewFrustum | Floats, offset: Floats | None) -> Volume:
    volume = Volume.hull(source) if isinstance(source, np.ndarray) else Volume(source)
    return volume if offset is None else volume._at(offset)


def is_volume(value: object) -> TypeGuard[AnyVolume]:
    """Whether the value is a single volume, or a shape, which may be one."""
    from hitscan._shapes import Shape, ViewFrustum

    return isinstance(value, Shape | ViewFrustum | Volume)


def core_volumes(name: str, value: object, dimension: int) -> tuple[CoreVolumes, bool]:
    """A volume, or the volumes of a compound, for the core, and whether one of them is `float64`."""
    if is_volume(value):
        if value.dimension != dimension:
            raise ValueError(f"{name}: it has {value.dimension} dimensions, not {dimension}")
        return value._geometry, value.dtype == np.float64
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | np.ndarray):
        raise TypeError(f"{name}: {value!r} is no volume")
    parts: list[CoreVolume] = []
    is_double = False
    for number, part in enumerate(value):
        if not is_volume(part):
            raise TypeError(f"{name}[{number}]: {part!r} is no volume")
        if part.dimension != dimension:
            raise ValueError(f"{name}[{number}]: it has {part.dimension} dimensions, not {dimension}")
        parts.append(part._geometry)
        is_double |= part.dtype == np.float64
    return parts, is_double
