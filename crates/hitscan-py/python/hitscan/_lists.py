"""Results of queries with a varying number of rows for each input, and thicknesses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import EllipsisType
from typing import Any, Generic, Self, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt

from hitscan._arrays import Floats
from hitscan._results import ArrowTable, ClosestPoints, Column, Hits, Int64, SweepHits

#: What a list result has for one input.
_Rows = TypeVar("_Rows")
_Number: TypeAlias = int | np.integer[Any]
_Selection: TypeAlias = slice | EllipsisType | npt.NDArray[Any] | list[int] | list[bool]


class Lists(ArrowTable, Generic[_Rows]):
    """Compressed rows: the rows of input `i` are `offsets[i]` to `offsets[i + 1]`.

    An integer index is the number of an input in flat order, as in `ray`; it returns the rows of that input. Slices, masks,
    arrays of integers and tuples choose inputs by `shape`, as for a NumPy array; they return lists of the chosen inputs.
    """

    __slots__ = ("_inputs", "offsets")
    _input_name = "inputs"

    def __init__(self, offsets: Int64, inputs: tuple[int, ...]) -> None:
        #: First row of each input, and the number of all rows, (n + 1,) int64.
        self.offsets = offsets
        self._inputs = inputs

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the inputs."""
        return self._inputs

    @property
    def counts(self) -> Int64:
        """Number of rows of each input, int64, of the shape of the inputs."""
        return np.diff(self.offsets).reshape(self._inputs)

    @property
    def ray(self) -> Int64:
        """Number of the input that each row belongs to, in flat order, (rows,) int64."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def _rows_at(self, rows: slice) -> _Rows:
        """The rows of one input."""
        raise NotImplementedError

    def _lists_of(self, offsets: Int64, inputs: tuple[int, ...], rows: npt.NDArray[np.intp]) -> Self:
        """Lists of other offsets, with some of the rows."""
        raise NotImplementedError

    def _row_columns(self) -> list[Column]:
        raise NotImplementedError

    def _columns(self) -> list[Column]:
        return [("ray", self.ray, None), *self._row_columns()]

    @overload
    def __getitem__(self, index: _Number) -> _Rows: ...
    @overload
    def __getitem__(self, index: tuple[Any, ...]) -> _Rows | Self: ...
    @overload
    def __getitem__(self, index: _Selection) -> Self: ...
    def __getitem__(self, index: Any) -> _Rows | Self:
        count = len(self)
        if isinstance(index, int | np.integer) and not isinstance(index, bool):
            if not -count <= index < count:
                raise IndexError(f"index {index} is out of range: there are {count} {self._input_name}")
            return self._rows_of(int(index) % count)
        # A single input is indexed as one of a list of one.
        numbers = np.arange(count).reshape(self._inputs or (1,))[index]
        if np.ndim(numbers) == 0:
            return self._rows_of(int(numbers))
        flat = numbers.reshape(-1)
        counts = np.diff(self.offsets)[flat]
        offsets = np.zeros(len(flat) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        rows = np.repeat(self.offsets[flat] - offsets[:-1], counts) + np.arange(offsets[-1])
        return self._lists_of(offsets, numbers.shape, rows)

    def _rows_of(self, number: int) -> _Rows:
        return self._rows_at(slice(int(self.offsets[number]), int(self.offsets[number + 1])))

    def __iter__(self) -> Iterator[_Rows]:
        return (self._rows_of(number) for number in range(len(self)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} {self._input_name}, {int(self.offsets[-1])} rows)"


class HitLists(Lists[Hits]):
    """All hits of each ray, by increasing `t`.

    `lists[i]` are the `Hits` of ray `i`, the rays counted in flat order. Slices, masks, arrays of integers and tuples choose
    rays by `shape`, as for a NumPy array, and return `HitLists`. Iteration goes over the hits of each ray.

    It is an Arrow table with a row for each hit: `ray`, the number of the ray in flat order (int64), and the computed fields.

    Examples
    --------
    >>> import hitscan
    >>> ball = hitscan.Sphere((0, 0, 5), 1)
    >>> lists = ball.cast_all([(0, 0, 0), (3, 0, 0), (0, 0, 9)], [(0, 0, 1), (0, 0, 1), (0, 0, -2)])
    >>> lists.offsets, lists.hits.t
    (array([0, 2, 2, 4]), array([4. , 6. , 1.5, 2.5]))
    >>> lists[-1].t
    array([1.5, 2.5])
    >>> lists[lists.counts > 0]
    HitLists(2 rays, 4 rows)
    """

    __slots__ = ("hits",)
    _input_name = "rays"

    def __init__(self, offsets: Int64, inputs: tuple[int, ...], hits: Hits) -> None:
        super().__init__(offsets, inputs)
        #: Hits of all rays, one behind the other.
        self.hits = hits

    def _rows_at(self, rows: slice) -> Hits:
        return self.hits[rows]

    def _lists_of(self, offsets: Int64, inputs: tuple[int, ...], rows: npt.NDArray[np.intp]) -> Self:
        return type(self)(offsets, inputs, self.hits[rows])

    def _row_columns(self) -> list[Column]:
        return self.hits._columns()


class SpanLists(Lists[tuple[Hits, Hits]]):
    """Spans of each ray: intervals of `t` in which it is inside of a solid.

    `spans[i]` are the entries and the exits of ray `i`, two `Hits`, the rays counted in flat order. Slices, masks, arrays of
    integers and tuples choose rays by `shape`, as for a NumPy array, and return `SpanLists`. Iteration goes over the entries
    and exits of each ray.

    A span that begins before `t_min` begins at `t_min`: its entry lies there. A span that goes on beyond `t_max` has no exit.

    It is an Arrow table with a row for each span: `ray`, the number of the ray in flat order (int64), `length` if the field
    `distance` was computed, and the computed fields of entry and exit, with the prefixes `enter_` and `exit_`.

    Examples
    --------
    >>> import hitscan
    >>> ball = hitscan.Sphere((0, 0, 5), 1)
    >>> spans = ball.spans([(0, 0, 0), (3, 0, 0)], (0, 0, 1))
    >>> spans.enter.t, spans.exit.t, spans.length
    (array([4.]), array([6.]), array([2.]))
    >>> spans[spans.counts == 0]
    SpanLists(1 rays, 0 rows)
    """

    __slots__ = ("enter", "exit")
    _input_name = "rays"

    def __init__(self, offsets: Int64, inputs: tuple[int, ...], enter: Hits, exit: Hits) -> None:
        super().__init__(offsets, inputs)
        #: Hits where the spans of all rays begin. A miss where a span has no beginning.
        self.enter = enter
        #: Hits where the spans of all rays end. A miss where a span has no end within the range of `t`.
        self.exit = exit

    @property
    def length(self) -> Floats:
        """Lengths of the spans, (rows,), in units of the scene; infinite where a span has no beginning or no end.

        A span that goes on beyond `t_max` is one without an end. Its part up to `t_max` is
        `np.minimum(spans.exit.t, t_max) - spans.enter.t`, in lengths of the direction; `layer_lengths` sums such parts.

        Raises
        ------
        AttributeError
            If the field `distance` was not computed.

        Examples
        --------
        >>> import numpy as np, hitscan
        >>> ball = hitscan.Sphere((0, 0, 5), 1)
        >>> spans = ball.spans((0, 0, 0), (0, 0, 1), t_min=[4.5, 0.0], t_max=[9.0, 5.5])
        >>> spans.length
        array([1.5, inf])
        >>> np.minimum(spans.exit.t, [9.0, 5.5]) - spans.enter.t
        array([1.5, 1.5])
        """
        enter, exit = self.enter.distance, self.exit.distance
        return np.subtract(exit, enter, out=np.full_like(exit, np.inf), where=self.enter.hit & self.exit.hit)

    def _rows_at(self, rows: slice) -> tuple[Hits, Hits]:
        return self.enter[rows], self.exit[rows]

    def _lists_of(self, offsets: Int64, inputs: tuple[int, ...], rows: npt.NDArray[np.intp]) -> Self:
        return type(self)(offsets, inputs, self.enter[rows], self.exit[rows])

    def _row_columns(self) -> list[Column]:
        has_length = "distance" in self.enter.fields and "distance" in self.exit.fields
        lengths: list[Column] = [("length", self.length, None)] if has_length else []
        return lengths + _end_columns(self.enter, self.exit)


class ClosestLists(Lists[ClosestPoints]):
    """Nearest objects or triangles of each point, nearest first.

    `lists[i]` are the `ClosestPoints` of point `i`, the points counted in flat order. Slices, masks, arrays of integers and
    tuples choose points by `shape`, as for a NumPy array, and return `ClosestLists`. Iteration goes over those of each point.

    It is an Arrow table with a row for each that was found: `ray`, the number of the point in flat order (int64), and the
    fields.

    Examples
    --------
    >>> import hitscan
    >>> scene = hitscan.Scene([hitscan.Sphere((x, 0, 0), 1) for x in (0, 5, 20)])
    >>> lists = scene.closest_primitives([(4, 9, 0), (19, 0, 0)], k=2)
    >>> lists.found.object
    array([1, 0, 2, 1])
    >>> lists[1].object, lists[1:].found.object
    (array([2, 1]), array([2, 1]))
    """

    __slots__ = ("found",)
    _input_name = "points"

    def __init__(self, offsets: Int64, inputs: tuple[int, ...], found: ClosestPoints) -> None:
        super().__init__(offsets, inputs)
        #: Closest points for all points, one behind the other.
        self.found = found

    def _rows_at(self, rows: slice) -> ClosestPoints:
        return self.found[rows]

    def _lists_of(self, offsets: Int64, inputs: tuple[int, ...], rows: npt.NDArray[np.intp]) -> Self:
        return type(self)(offsets, inputs, self.found[rows])

    def _row_columns(self) -> list[Column]:
        return self.found._columns()


class SweepLists(Lists[SweepHits]):
    """First contacts of each moving volume with each object, the earliest first.

    `lists[i]` are the `SweepHits` of ray `i`, the rays counted in flat order. Slices, masks, arrays of integers and tuples choose
    rays by `shape`, as for a NumPy array, and return `SweepLists`. Iteration goes over the contacts of each ray.

    It is an Arrow table with a row for each contact: `ray`, the number of the ray in flat order (int64), and the fields.

    Examples
    --------
    >>> import hitscan
    >>> scene = hitscan.Scene([hitscan.Sphere((x, 0, 0), 1) for x in (5, 9)])
    >>> lists = scene.cast_sphere_all([(0, 0, 0), (7, 0, 0)], (1, 0, 0), radius=0.5)
    >>> lists.contacts.t, lists[1].object
    (array([3.5, 7.5, 0.5]), array([1]))
    """

    __slots__ = ("contacts",)
    _input_name = "rays"

    def __init__(self, offsets: Int64, inputs: tuple[int, ...], contacts: SweepHits) -> None:
        super().__init__(offsets, inputs)
        #: Contacts of all rays, one behind the other.
        self.contacts = contacts

    def _rows_at(self, rows: slice) -> SweepHits:
        return self.contacts[rows]

    def _lists_of(self, offsets: Int64, inputs: tuple[int, ...], rows: npt.NDArray[np.intp]) -> Self:
        return type(self)(offsets, inputs, self.contacts[rows])

    def _row_columns(self) -> list[Column]:
        return self.contacts._columns()


class OverlapLists(Lists["OverlapLists"]):
    """What each volume overlaps.

    `lists[i]` is what volume `i` overlaps. Slices, masks and arrays of integers choose volumes, as for a NumPy array. Each
    index returns `OverlapLists`. Iteration goes over what each volume overlaps.

    It is an Arrow table with a row for each overlap: `ray`, the number of the volume, `primitive`, `object` and `member`, int64.

    Examples
    --------
    >>> import hitscan
    >>> scene = hitscan.Scene([hitscan.Sphere((x, 0, 0), 1) for x in (0, 2, 9)])
    >>> scene.overlapping(hitscan.Box((1, 0, 0), (0.5, 0.5, 0.5))).object
    array([0, 1])
    >>> lists = scene.overlapping([hitscan.Sphere((x, 0, 0), 0.5) for x in (1, 5, 9)])
    >>> [one.object.tolist() for one in lists]
    [[0, 1], [], [2]]
    """

    __slots__ = ("member", "object", "primitive")
    _input_name = "volumes"

    def __init__(self, offsets: Int64, inputs: tuple[int, ...], object: Int64, member: Int64, primitive: Int64) -> None:
        super().__init__(offsets, inputs)
        #: Ids of objects, (rows,) int64; -1 where there is no scene.
        self.object = object
        #: Numbers of shapes within groups, (rows,) int64; -1 where there is no group.
        self.member = member
        #: Triangles, (rows,) int64; -1 for a whole shape.
        self.primitive = primitive

    def _rows_at(self, rows: slice) -> OverlapLists:
        offsets = np.array([0, rows.stop - rows.start], np.int64)
        return OverlapLists(offsets, (), self.object[rows], self.member[rows], self.primitive[rows])

    def _lists_of(self, offsets: Int64, inputs: tuple[int, ...], rows: npt.NDArray[np.intp]) -> Self:
        return type(self)(offsets, inputs, self.object[rows], self.member[rows], self.primitive[rows])

    def _row_columns(self) -> list[Column]:
        arrays = {"primitive": self.primitive, "object": self.object, "member": self.member}
        return [(name, np.ascontiguousarray(array), array >= 0) for name, array in arrays.items()]


class Thicknesses(ArrowTable):
    """Thickness of solids at the closest hits, one for each ray.

    Slices, masks and other indices of NumPy choose rays by `shape`, and return `Thicknesses`. Iteration goes along the first
    axis. A thickness of a single ray is true where its length is a number.

    It is an Arrow table with a row for each ray: `ray`, its number in flat order (int64), `length`, and the fields of both
    ends, with the prefixes `enter_` and `exit_`.

    Examples
    --------
    >>> import hitscan
    >>> wall = hitscan.Box((0, 0, 5), (4, 4, 0.25))
    >>> float(wall.thickness((0, 0, 0), (0, 0, 1)).length)
    0.5
    >>> thick = wall.thickness([(0, 0, 0), (9, 0, 0), (1, 0, 0)], (0, 0, 1))
    >>> thick
    Thicknesses(3, 2 lengths from 0.5 to 0.5)
    >>> thick[thick.enter.hit].length
    array([0.5, 0.5])
    """

    __slots__ = ("enter", "exit", "length")

    def __init__(self, length: Floats, enter: Hits, exit: Hits) -> None:
        #: Lengths from the hit along its inward normal to the other side; NaN for a miss, or at a surface that is no solid.
        self.length = length
        #: Hits where those lengths begin; `t` and `distance` count along the inward normal, so they are 0 within rounding. A miss
        #: where there is no length.
        self.enter = enter
        #: Hits where they end; `t` and `distance` are the length, within rounding. A miss where there is no length.
        self.exit = exit

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the rays: `()` for a single one, else `(n,)` or what the arguments broadcast to."""
        return self.enter.shape

    def __len__(self) -> int:
        return len(self.enter)

    def __bool__(self) -> bool:
        if self.shape:
            raise ValueError(
                "thicknesses of several rays are neither true nor false; use .enter.hit.any() or .enter.hit.all()"
            )
        return not bool(np.isnan(self.length))

    def __getitem__(self, index: Any) -> Thicknesses:
        return Thicknesses(np.array(self.length[index]), self.enter[index], self.exit[index])

    def __iter__(self) -> Iterator[Thicknesses]:
        return (self[number] for number in range(len(self)))

    def _columns(self) -> list[Column]:
        rays = np.arange(math.prod(self.shape), dtype=np.int64)
        length = np.ascontiguousarray(self.length).reshape(-1)
        return [("ray", rays, None), ("length", length, ~np.isnan(length)), *_end_columns(self.enter, self.exit)]

    def __repr__(self) -> str:
        if not self.shape:
            return f"Thicknesses(length={float(self.length):.7g})"
        known = self.length[~np.isnan(self.length)]
        ends = f" from {known.min():.7g} to {known.max():.7g}" if known.size else ""
        return f"Thicknesses({'x'.join(map(str, self.shape))}, {known.size} lengths{ends})"


def _end_columns(enter: Hits, exit: Hits) -> list[Column]:
    """The columns of both ends of lengths."""
    ends = {"enter": enter, "exit": exit}
    return [(f"{end}_{name}", array, valid) for end, hits in ends.items() for name, array, valid in hits._columns()]
