"""Tracks: the objects that each ray goes through."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hitscan._arrays import Floats
from hitscan._lists import Lists
from hitscan._results import Column, Int64


class TrackParts:
    """Parts of tracks: intervals of `t` in which a ray is inside of the same objects.

    Examples
    --------
    >>> import hitscan
    >>> scene = hitscan.Scene([hitscan.Box((0, 0, 1), (1, 1, 1)), hitscan.Box((0, 0, 4), (1, 1, 3))])
    >>> parts = scene.tracks((0, 0, 0), (0, 0, 1), t_max=9)[0]
    >>> parts.begin, parts.end, parts.object
    (array([0., 1., 2., 7.]), array([1., 2., 7., 9.]), array([ 0,  0,  1, -1]))
    >>> parts.count
    array([1, 2, 1, 0])
    >>> parts.objects_of(1)
    array([0, 1])
    """

    __slots__ = ("begin", "end", "object_offsets", "objects")

    def __init__(self, begin: Floats, end: Floats, object_offsets: Int64, objects: Int64) -> None:
        #: `t` where each part begins, (rows,): minus infinity where the ray has no beginning.
        self.begin = begin
        #: `t` where each part ends, (rows,): infinity where the ray has no end.
        self.end = end
        #: The objects of part `i` are `objects[object_offsets[i]:object_offsets[i + 1]]`, (rows + 1,) int64.
        self.object_offsets = object_offsets
        #: Ids of the objects of all parts, those of a part in the order of insertion, int64.
        self.objects = objects

    @property
    def count(self) -> Int64:
        """Number of objects that contain each part: 0 in a gap, 2 and more where objects overlap; (rows,) int64."""
        return np.diff(self.object_offsets)

    @property
    def object(self) -> Int64:
        """Id of the first object that contains each part, -1 in a gap; (rows,) int64."""
        first = np.full(len(self), -1, np.int64)
        inside = self.count > 0
        first[inside] = self.objects[self.object_offsets[:-1][inside]]
        return first

    def objects_of(self, part: int) -> Int64:
        """Ids of the objects that contain a part, in the order of insertion.

        Raises
        ------
        IndexError
            If there is no such part.
        """
        if not -len(self) <= part < len(self):
            raise IndexError(f"part {part} is out of range: there are {len(self)}")
        part %= len(self)
        return self.objects[self.object_offsets[part] : self.object_offsets[part + 1]]

    def __len__(self) -> int:
        return len(self.begin)

    def __getitem__(self, rows: slice | npt.NDArray[np.intp]) -> TrackParts:
        counts, starts = self.count[rows], self.object_offsets[:-1][rows]
        offsets = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        objects = self.objects[np.repeat(starts - offsets[:-1], counts) + np.arange(offsets[-1])]
        return TrackParts(self.begin[rows], self.end[rows], offsets, objects)

    def __repr__(self) -> str:
        return f"TrackParts({len(self)} parts, {int((self.count == 0).sum())} gaps, {int((self.count > 1).sum())} overlaps)"


class TrackLists(Lists[TrackParts]):
    """Tracks of each ray: its range of `t`, cut where it enters or leaves an object.

    `lists[i]` are the `TrackParts` of ray `i`, the rays counted in flat order. Slices, masks, arrays of integers and tuples choose
    rays by `shape`, as for a NumPy array, and return `TrackLists`. Iteration goes over the parts of each ray.

    It is an Arrow table with a row for each part: `ray`, the number of the ray in flat order (int64), `begin`, `end`, `count` and
    `object`, which is null in a gap.

    Examples
    --------
    >>> import hitscan
    >>> scene = hitscan.Scene([hitscan.Box((0, 0, 1), (1, 1, 1)), hitscan.Box((0, 0, 3), (1, 1, 1))])
    >>> tracks = scene.tracks([(0, 0, 0), (5, 0, 0)], (0, 0, 1), t_max=6)
    >>> tracks.parts.object, tracks.offsets
    (array([ 0,  1, -1, -1]), array([0, 3, 4]))
    >>> tracks[0]
    TrackParts(3 parts, 1 gaps, 0 overlaps)
    """

    __slots__ = ("parts",)
    _input_name = "rays"

    def __init__(self, offsets: Int64, inputs: tuple[int, ...], parts: TrackParts) -> None:
        super().__init__(offsets, inputs)
        #: Parts of the tracks of all rays, one behind the other.
        self.parts = parts

    def _rows_at(self, rows: slice) -> TrackParts:
        return self.parts[rows]

    def _lists_of(self, offsets: Int64, inputs: tuple[int, ...], rows: npt.NDArray[np.intp]) -> Self:
        return type(self)(offsets, inputs, self.parts[rows])

    def _row_columns(self) -> list[Column]:
        parts: Any = self.parts
        columns: list[Column] = [("begin", parts.begin, None), ("end", parts.end, None), ("count", parts.count, None)]
        return [*columns, ("object", parts.object, parts.count > 0)]
