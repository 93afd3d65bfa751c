"""The queries of moving volumes that shapes, meshes and scenes have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._arrays import Approach, Faces, Progress, Rays, Triggers, length, progress_callback, thread_count
from hitscan._lists import SweepLists
from hitscan._results import SWEEP_FIELDS, SweepHits, allocate, shaped
from hitscan._volumes import AnyVolume, core_volumes

_ZERO, _INFINITY = 0.0, np.inf
_NOTHING: tuple[int, ...] = ()


def _finite_radius(radius: float) -> float:
    checked = length("radius", radius)
    if checked == np.inf:
        raise ValueError("radius: inf is no radius; it must be finite")
    return checked


class SweepQueries(ABC):
    """The queries of moving spheres and volumes: a part of `Queries`."""

    __slots__ = ()

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Number of dimensions, 2 or 3."""

    @abstractmethod
    def _rays(self, origins: object, directions: object, ends: object = None, **rules: Any) -> Rays:
        """The rays of a query, checked."""

    @abstractmethod
    def _ray_target(self, cast: Rays, layers: object, exclude: Iterable[int]) -> _core.Target:
        """The target of a query of rays, which have the layers."""

    def cast_sphere(
        self,
        origins: object,
        directions: object = None,
        *,
        radius: float,
        ends: object = None,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        faces: Faces = "both",
        triggers: Triggers = "pass",
        approach: Approach = "any",
        threads: int | None = None,
        progress: Progress = None,
    ) -> SweepHits:
        """Moves a sphere along each ray or segment: the first contact, as for a thick ray.

        Parameters are those of `cast`, and:

        Parameters
        ----------
        radius : float
            Radius of the sphere, not negative. A radius of 0 is the point that a ray moves: it touches what the ray hits.
        faces : {"both", "front", "back"}
            Sides of surfaces that the sphere touches: of planes, disks, triangles and meshes, those against which it moves. Solids
            have both.
        approach : {"any", "only"}
            Whether every contact counts, or only one against whose normal the sphere moves: so it leaves what it touches at the
            start, and slides along it.

        Returns
        -------
        SweepHits

        Examples
        --------
        >>> import hitscan
        >>> wall = hitscan.Plane((0, 0, 5), (0, 0, -1))
        >>> float(wall.cast_sphere((0, 0, 0), (0, 0, 1), radius=0.5).t)
        4.5
        >>> platform = hitscan.Disk((0, 0, 1), (0, 0, 1), 2)  # seen from above
        >>> falls, jumps = [((0, 0, 5), (0, 0, -1)), ((0, 0, -5), (0, 0, 1))]
        >>> [bool(platform.cast_sphere(*way, radius=0.5, faces="front").hit) for way in (falls, jumps)]
        [True, False]
        """
        cast = self._rays(
            origins,
            directions,
            ends,
            t_min=t_min,
            t_max=t_max,
            max_distance=max_distance,
            layers=layers,
            faces=faces,
            triggers=triggers,
            approach=approach,
        )
        radius = _finite_radius(radius)
        arrays = allocate(SWEEP_FIELDS, cast.rows, self.dimension, cast.is_double)
        target = self._ray_target(cast, layers, exclude)
        target.cast_sphere(cast, radius, arrays, thread_count(threads), progress_callback(progress))
        return SweepHits(arrays, cast.shape, self.dimension)

    def cast_sphere_all(
        self,
        origins: object,
        directions: object = None,
        *,
        radius: float,
        ends: object = None,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        faces: Faces = "both",
        triggers: Triggers = "pass",
        approach: Approach = "any",
        threads: int | None = None,
        progress: Progress = None,
    ) -> SweepLists:
        """First contact of a sphere that moves along each ray or segment with each object of a scene, the earliest first.

        A shape or a mesh has its own first contact alone. Triggers are among the objects unless they are ignored. Parameters are
        those of `cast_sphere`.

        Returns
        -------
        SweepLists

        Examples
        --------
        >>> import hitscan
        >>> scene = hitscan.Scene([hitscan.Sphere((x, 0, 0), 1) for x in (9, 5)])
        >>> scene.cast_sphere_all((0, 0, 0), (1, 0, 0), radius=0.5).contacts.object
        array([1, 0])
        """
        cast = self._rays(
            origins,
            directions,
            ends,
            t_min=t_min,
            t_max=t_max,
            max_distance=max_distance,
            layers=layers,
            faces=faces,
            triggers=triggers,
            approach=approach,
        )
        target = self._ray_target(cast, layers, exclude)
        run = thread_count(threads), progress_callback(progress)
        return self._contacts(cast, target.cast_sphere_all(cast, _finite_radius(radius), list(SWEEP_FIELDS), *run))

    def cast_volume(
        self,
        volume: AnyVolume | Iterable[AnyVolume],
        directions: object,
        *,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        faces: Faces = "both",
        triggers: Triggers = "pass",
        approach: Approach = "any",
        threads: int | None = None,
        progress: Progress = None,
    ) -> SweepHits:
        """Moves a convex volume, or several that belong together, along each direction: the first contact.

        Parameters
        ----------
        volume : Sphere, Box, Capsule, TaperedCapsule, Cylinder, Cone, Frustum, Triangle, ViewFrustum, Volume, Circle, Rectangle, Segment or Polygon
            What moves, at its start. A list of volumes is a compound: the result is the earliest contact of its parts, of equal ones
            that of the first part, and `part` is the number of the part.
        directions : array_like, (..., d)
            Directions; `t` counts in their lengths.
        t_min, t_max : float
            Closed range of `t`.
        max_distance : float
            Largest length of the way to the contact.
        approach : {"any", "only"}
            See `cast_sphere`.
        layers, exclude, triggers, threads, progress
            See `cast`.

        Returns
        -------
        SweepHits

        Examples
        --------
        >>> import hitscan
        >>> box = hitscan.Box((0, 0, 0), (1, 1, 1))
        >>> ball = hitscan.Sphere((0, 0, 5), 1)
        >>> float(ball.cast_volume(box, (0, 0, 1)).t)
        3.0
        >>> contact = ball.cast_volume([box, hitscan.Capsule((0, 0, 0), (0, 0, 2), 0.5)], (0, 0, 1))
        >>> float(contact.t), int(contact.part)
        (1.5, 1)
        """
        core, is_double = core_volumes("volume", volume, self.dimension)
        cast = self._motions(
            is_double,
            directions,
            t_min=t_min,
            t_max=t_max,
            max_distance=max_distance,
            layers=layers,
            faces=faces,
            triggers=triggers,
            approach=approach,
        )
        arrays = allocate(SWEEP_FIELDS, cast.rows, self.dimension, cast.is_double)
        target = self._ray_target(cast, layers, exclude)
        target.cast_volume(cast, core, arrays, thread_count(threads), progress_callback(progress))
        return SweepHits(arrays, cast.shape, self.dimension)

    def cast_volume_all(
        self,
        volume: AnyVolume | Iterable[AnyVolume],
        directions: object,
        *,
        t_min: object = _ZERO,
        t_max: object = _INFINITY,
        max_distance: object = _INFINITY,
        layers: object = None,
        exclude: Iterable[int] = _NOTHING,
        faces: Faces = "both",
        triggers: Triggers = "pass",
        approach: Approach = "any",
        threads: int | None = None,
        progress: Progress = None,
    ) -> SweepLists:
        """First contact of a convex volume that moves along each direction with each object of a scene, the earliest first.

        Of a list of volumes, it is the earliest contact of any of its parts with the object. A shape or a mesh has its own first
        contact alone. Triggers are among the objects unless they are ignored. Parameters are those of `cast_volume`.

        Returns
        -------
        SweepLists

        Examples
        --------
        >>> import hitscan
        >>> scene = hitscan.Scene([hitscan.Sphere((x, 0, 0), 1) for x in (9, 5)])
        >>> scene.cast_volume_all(hitscan.Box((0, 0, 0), (1, 1, 1)), (1, 0, 0)).contacts.t
        array([3., 7.])
        """
        core, is_double = core_volumes("volume", volume, self.dimension)
        cast = self._motions(
            is_double,
            directions,
            t_min=t_min,
            t_max=t_max,
            max_distance=max_distance,
            layers=layers,
            faces=faces,
            triggers=triggers,
            approach=approach,
        )
        target = self._ray_target(cast, layers, exclude)
        run = thread_count(threads), progress_callback(progress)
        return self._contacts(cast, target.cast_volume_all(cast, core, list(SWEEP_FIELDS), *run))

    def _motions(
        self,
        is_double: bool,
        directions: object,
        *,
        t_min: object,
        t_max: object,
        max_distance: object,
        **rules: Any,
    ) -> Rays:
        """The ways of volumes of a precision, as rays from the origin."""
        if np.ndim(t_min) or np.ndim(t_max):  # type: ignore[arg-type]
            raise TypeError("t_min, t_max: a volume has one range of t for all directions")
        if np.ndim(max_distance):  # type: ignore[arg-type]
            raise TypeError("max_distance: a volume has one distance for all directions")
        origin = np.zeros(self.dimension, np.float64 if is_double else np.float32)
        return self._rays(origin, directions, None, t_min=t_min, t_max=t_max, max_distance=max_distance, **rules)

    def _contacts(self, cast: Rays, found: tuple[npt.NDArray[np.int64], dict[str, npt.NDArray[Any]]]) -> SweepLists:
        """Lists of contacts from flat arrays."""
        offsets, arrays = found
        contacts = SweepHits(shaped(arrays, self.dimension), (len(arrays["hit"]),), self.dimension)
        return SweepLists(offsets, cast.shape, contacts)
