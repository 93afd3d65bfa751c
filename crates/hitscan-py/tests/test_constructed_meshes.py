"""Convex hulls and prisms: meshes that are constructed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import hitscan

SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
HOLE = [(1, 1), (3, 1), (3, 3), (1, 3)]


def test_a_hull_has_the_corners_alone() -> None:
    grid = np.stack(np.meshgrid(*[np.arange(4.0)] * 3), -1).reshape(-1, 3)
    hull = hitscan.convex_hull(grid)
    assert (len(hull.vertices), len(hull.faces), hull.is_closed) == (8, 12, True)
    assert hull.dtype == np.float64 and hitscan.convex_hull(grid, dtype=np.float32).dtype == np.float32
    # All points of the grid are in it, and it is a part of solids.
    assert hull.contains(grid).all()
    assert (hull - hitscan.Sphere((0, 0, 0), 1)).contains([(0.5, 0, 0), (2, 0, 0)]).tolist() == [False, True]


def test_a_prism_has_holes() -> None:
    frame = hitscan.prism(SQUARE, (-1, 2), [HOLE])
    assert frame.is_closed and frame.dtype == np.float64
    assert frame.contains([(0.5, 2, 0), (2, 2, 0), (0.5, 2, 3)]).tolist() == [True, False, False]
    spans = frame.spans((-1, 2, 0), (1, 0, 0))
    assert (spans.enter.t.tolist(), spans.exit.t.tolist()) == ([1, 4], [2, 5])
    # Either way around, and in float32 where the corners are.
    turned = hitscan.prism(np.array(SQUARE[::-1], np.float32), (-1, 2))
    assert turned.dtype == np.float32 and turned.contains((2, 2, 0)).item()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: hitscan.convex_hull([(0, 0, 0), (1, 0, 0), (0, 1, 0)]),
            "a hull needs at least 4 points, and 3 were given",
        ),
        (lambda: hitscan.convex_hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), "all points lie in one plane"),
        (lambda: hitscan.convex_hull((0, 0, 0)), r"points: shape \(3,\); the shape \(n, 3\) is needed"),
        (lambda: hitscan.prism(SQUARE[:2], (0, 1)), "the outline: a ring needs at least 3 corners"),
        (
            lambda: hitscan.prism(SQUARE, (0, 1), [[(9, 9), (9, 8), (8, 9)]]),
            "hole 0, corner 0: it lies outside of the outline",
        ),
        (
            lambda: hitscan.prism([(0, 0), (2, 2), (2, 0), (0, 2)], (0, 1)),
            "the outline, corner 0: the edge from there meets",
        ),
        (lambda: hitscan.prism(SQUARE, (1, 1)), "the heights must be finite, and the first one less than the second"),
        (lambda: hitscan.prism(SQUARE, (0, 1), [np.zeros(2)]), r"holes\[0\]: shape \(2,\)"),
    ],
)
def test_errors_say_what_is_wrong(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
