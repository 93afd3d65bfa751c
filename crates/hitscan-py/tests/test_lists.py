"""List results and thicknesses: parts of them, iteration, and lengths of spans that are cut."""

import pickle
from collections.abc import Iterable

import numpy as np
import pytest

import hitscan

RNG = np.random.default_rng(31)
SCENE = hitscan.Scene([hitscan.Sphere((x, 0, 0), 0.75) for x in range(8)])
INDICES = [
    slice(2, 5), slice(None, None, -3), slice(9, 9), [4, 4, -1], np.array([True, False] * 10),
    np.array([[3, 1], [0, 19]]), np.array([], np.int64), ..., (slice(1, 4),), (None, [1, 2]),
]  # fmt: skip


def rays(*shape: int) -> tuple[np.ndarray, np.ndarray]:
    return RNG.normal(size=(*shape, 3)) * (3, 1, 1), RNG.normal(size=(*shape, 3))


def results(*shape: int) -> list[hitscan.HitLists | hitscan.SpanLists | hitscan.ClosestLists]:
    origins, directions = rays(*shape)
    return [
        SCENE.cast_all(origins, directions, t_min=-np.inf),
        SCENE.spans(origins, directions, t_min=-np.inf),
        SCENE.closest_primitives(origins, max_distance=1),
    ]


def row_arrays(lists: object) -> list[np.ndarray]:
    """The arrays of rows of a list result."""
    match lists:
        case hitscan.HitLists():
            return [lists.hits.t, lists.hits.object]
        case hitscan.SpanLists():
            return [lists.enter.t, lists.exit.t, lists.length]
        case hitscan.ClosestLists():
            return [lists.found.distance, lists.found.point, lists.found.object]
        case _:
            return [lists.object, lists.member, lists.primitive]


def assert_part(part: object, lists: object, numbers: np.ndarray) -> None:
    """A part has the rows of the inputs with these numbers, in their order."""
    assert type(part) is type(lists) and part.shape == numbers.shape and len(part) == numbers.size
    assert part.offsets.dtype == np.int64 and part.ray.dtype == np.int64
    np.testing.assert_array_equal(part.counts, lists.counts.reshape(-1)[numbers])
    pieces = [np.arange(lists.offsets[i], lists.offsets[i + 1]) for i in numbers.reshape(-1)]
    rows = np.concatenate([np.empty(0, np.int64), *pieces])
    for ours, whole in zip(row_arrays(part), row_arrays(lists), strict=True):
        np.testing.assert_array_equal(ours, whole[rows])


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_parts_of_lists(index: object) -> None:
    numbers = np.arange(20)[index]
    balls = [hitscan.Sphere((x, 0, 0), 0.6) for x in RNG.uniform(-3, 10, 20)]
    for lists in (*results(20), SCENE.overlapping(balls)):
        assert lists.counts.min() < lists.counts.max()
        assert_part(lists[index], lists, numbers)


@pytest.mark.parametrize("index", [slice(1, None), (slice(None), 2), ..., (..., [3, 0]), np.eye(3, 4, dtype=bool)])
def test_parts_of_lists_in_two_dimensions(index: object) -> None:
    whole = np.arange(12).reshape(3, 4)
    for lists in results(3, 4):
        assert lists.shape == lists.counts.shape == (3, 4)
        assert_part(lists[index], lists, whole[index])
        # An integer is the number of a ray in flat order, as in `ray`; a tuple of integers is a place of the shape.
        rows = slice(lists.offsets[6], lists.offsets[7])
        for one in (lists[6], lists[-6], lists[np.int64(6)], lists[1, 2]):
            first = one[0] if isinstance(one, tuple) else one
            values = first.distance if isinstance(first, hitscan.ClosestPoints) else first.t
            np.testing.assert_array_equal(values, row_arrays(lists)[0][rows])


def test_lists_of_one_ray() -> None:
    lists = SCENE.cast_all((-3, 0, 0), (1, 0, 0))
    assert lists.shape == () and len(lists) == 1 and lists.counts == 16
    assert lists[0].t.tolist() == lists[-1].t.tolist() == lists.hits.t.tolist()
    part = lists[:]
    assert part.shape == (1,) and part.offsets.tolist() == [0, 16]
    assert lists[1:].offsets.tolist() == [0]


def test_parts_keep_precision_and_are_copies() -> None:
    scene = hitscan.Scene([hitscan.Sphere((0, 0, 5), 1, dtype=np.float32)])
    lists = scene.cast_all(np.zeros((3, 3), np.float32), np.array([0, 0, 1], np.float32), fields="all")
    part = lists[1:]
    assert (
        part.hits.t.dtype == np.float32 and part.hits.normal.shape == (4, 3) and part.hits.fields == lists.hits.fields
    )
    part.hits.t[:] = 0
    assert lists.hits.t.tolist() == [4, 6] * 3


def test_iteration_over_lists() -> None:
    hits, spans, found = results(2, 3)
    assert [one.t.tolist() for one in hits] == [hits[i].t.tolist() for i in range(6)]
    assert np.concatenate([enter.t for enter, _ in spans]).tolist() == spans.enter.t.tolist()
    assert sum(len(one) for one in found) == len(found.found)
    assert all(isinstance(lists, Iterable) for lists in (hits, spans, found))
    assert [one.shape for one in SCENE.overlapping([hitscan.Sphere((0, 0, 0), 9)])] == [()]


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (20, "index 20 is out of range: there are 20 rays"),
        (-21, "index -21 is out of range: there are 20 rays"),
        ([3, 20], "index 20 is out of bounds"),
        (np.ones(19, bool), "boolean"),
        ([0.5], "integer"),
        ("a", "integer"),
        ((0, 0), "too many indices"),
    ],
)
def test_wrong_indices_of_lists(index: object, words: str) -> None:
    with pytest.raises(IndexError, match=words):
        results(20)[0][index]


def test_lists_are_pickled() -> None:
    for lists in (*results(4), SCENE.overlapping([hitscan.Sphere((0, 0, 0), 9)])):
        twin = pickle.loads(pickle.dumps(lists[:]))
        assert_part(twin, lists, np.arange(len(lists)))
    thick = SCENE.thickness([(0, 0, 9), (0, 9, 9)], (0, 0, -1))
    assert np.array_equal(pickle.loads(pickle.dumps(thick)).length, thick.length, equal_nan=True)


def test_iteration_over_results() -> None:
    hits = SCENE.cast([[(0, 0, 9), (0, 9, 9)]], (0, 0, -1))
    assert [one.t.tolist() for one in hits] == [[8.25, np.inf]]
    assert [bool(one) for one in hits[0]] == [True, False]
    with pytest.raises(TypeError, match="a single result has no length"):
        list(hits[0, 0])


def test_thicknesses() -> None:
    wall = hitscan.Box((0, 0, 5), (4, 4, 0.25))
    origins = np.array([[(0, 0, 0), (9, 0, 0)], [(1, 0, 0), (0, 0, 9)], [(2, 0, 0), (3, 0, 0)]])
    thick = wall.thickness(origins, (0, 0, 1))
    assert len(thick) == 3 and thick.shape == (3, 2)
    assert thick[1].length.tolist() == [0.5, pytest.approx(np.nan, nan_ok=True)] and thick[1].shape == (2,)
    assert thick[1:, 0].enter.point[:, 0].tolist() == [1, 2] and thick[1:, 0].exit.t.shape == (2,)
    known = thick[thick.enter.hit]
    assert known.length.tolist() == [0.5] * 4 and known.exit.count == 4
    assert [len(one) for one in thick] == [2, 2, 2]
    assert [bool(one) for one in thick[0]] == [True, False]
    one = thick[0, 0]
    assert one.shape == () and float(one.length) == 0.5 and isinstance(one.length, np.ndarray)
    known.length[:] = 0
    assert thick.length[0, 0] == 0.5
    assert repr(thick) == "Thicknesses(3x2, 4 lengths from 0.5 to 0.5)"
    assert (repr(one), repr(thick[0, 1])) == ("Thicknesses(length=0.5)", "Thicknesses(length=nan)")
    assert repr(thick[0, 1:]) == "Thicknesses(1, 0 lengths)" and repr(thick[:0]) == "Thicknesses(0x2, 0 lengths)"
    with pytest.raises(TypeError, match="a single result has no length"):
        len(one)
    with pytest.raises(ValueError, match="neither true nor false"):
        bool(thick)
    with pytest.raises(IndexError, match="3"):
        thick[3]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lengths_of_spans_that_are_cut(dtype: type) -> None:
    """A box from z = 4 to z = 6, and a ray whose direction has the length 2.

    t      0         2     2.5    3
    z      0         4  [   5   ] 6
    """
    box = hitscan.Box((0, 0, 5), (1, 1, 1), dtype=dtype)
    ray = np.zeros(3, dtype), np.array([0, 0, 2], dtype)
    for t_min, t_max, enter, exit, length in (
        (0, np.inf, 2, 3, 2),
        (2.5, np.inf, 2.5, 3, 1),  # it begins at t_min
        (0, 2.5, 2, np.inf, np.inf),  # it has no end within the range
        (2.25, 2.5, 2.25, np.inf, np.inf),
        (3, np.inf, 3, 3, 0),
    ):
        spans = box.spans(*ray, t_min=t_min, t_max=t_max)
        assert (spans.enter.t.tolist(), spans.exit.t.tolist(), spans.length.tolist()) == ([enter], [exit], [length])
        assert spans.length.dtype == dtype and spans.exit.hit.tolist() == [exit < np.inf]
        limited = (np.minimum(spans.exit.t, t_max) - spans.enter.t) * 2
        assert limited.tolist() == [2 * (min(t_max, 3) - enter)]
    assert box.spans(ray[0], ends=np.array([0, 0, 5], dtype)).length.tolist() == [np.inf]


def test_lengths_of_spans_without_ends() -> None:
    """Infinite, whichever end is missing: never negative, and no NaN."""
    half = hitscan.HalfSpace((0, 0, 5), (0, 0, -1))
    for direction in ((0, 0, 1), (0, 0, -1), (1, 0, 0)):
        spans = half.spans((0, 0, 9), direction, t_min=-np.inf)
        assert spans.length.tolist() == [np.inf], direction
    assert half.spans((0, 0, 9), (0, 0, -1)).length.tolist() == [4]
    assert half.spans((0, 0, 0), (1, 0, 0)).length.tolist() == []
    with pytest.raises(AttributeError, match="'distance' was not computed"):
        _ = half.spans((0, 0, 9), (0, 0, -1), fields=("t",)).length
