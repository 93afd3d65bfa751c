"""Rays that hits spawn."""

import numpy as np
import pytest

import hitscan

RNG = np.random.default_rng(21)


def directions(count: int, dtype: object) -> np.ndarray:
    return RNG.normal(size=(count, 3)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_rays_into_the_open_do_not_hit_a_convex_shape_again(dtype: type, offset: float) -> None:
    sphere = hitscan.Sphere((offset, 0, offset), 1, dtype=dtype)
    origins = directions(20_000, dtype)
    origins *= 4 / np.linalg.norm(origins, axis=1, keepdims=True)
    hits = sphere.cast(origins + dtype(offset) * np.array([1, 0, 1], dtype), -origins)
    assert hits.count > 19_000
    onward = directions(len(hits), dtype)
    onward *= np.sign((onward * hits.normal).sum(-1, keepdims=True))
    again = sphere.cast_any(*hits.spawn_rays(onward))
    assert not again.any()
    # The points themselves: about half of them.
    assert 1000 < np.count_nonzero(sphere.cast_any(hits.point, onward))
    # Against the normal the rays start inside.
    start, _ = hits.spawn_rays(-onward)
    assert sphere.contains(start[hits.hit]).all()
    # And they are near.
    error = np.abs(start - hits.point).max(-1)[hits.hit]
    assert error.max() < 16 * np.finfo(dtype).eps * (offset + 8)


def waves(dtype: object, n: int = 40) -> hitscan.TriangleMesh:
    """A wavy surface over the square from -1 to 1."""
    x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n))
    vertices = np.stack([x, y, 0.1 * np.sin(7 * x) * np.cos(5 * y)], -1).reshape(-1, 3)
    first = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1)
    faces = np.concatenate([first[:, None] + (0, 1, n), first[:, None] + (1, n + 1, n)])
    return hitscan.TriangleMesh(vertices.astype(dtype), faces)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rays_from_a_mesh_do_not_hit_the_same_triangle(dtype: type) -> None:
    mesh = waves(dtype)
    targets = RNG.uniform(-0.9, 0.9, size=(5000, 3)).astype(dtype) * np.array([1, 1, 0], dtype)
    origins = targets + directions(5000, dtype) * np.array([0.1, 0.1, 0], dtype) + np.array([0, 0, 3], dtype)
    hits = mesh.cast(origins, targets - origins, fields="all")
    onward = directions(len(hits), dtype)
    second = mesh.cast(*hits.spawn_rays(onward))
    assert hits.hit.mean() > 0.98 and not (second.primitive == hits.primitive)[hits.hit].any()
    assert second.count > 200
    # From the points themselves, many rays hit their own triangle.
    again = mesh.cast(hits.point, onward)
    assert np.count_nonzero((again.primitive == hits.primitive) & hits.hit) > 500


def test_the_side_is_that_of_the_direction() -> None:
    plane = hitscan.Plane((0, 0, 1), (0, 0, 1))
    hits = plane.cast((0, 0, 5), (0.25, 0, -1))
    for direction in ((1, 0, 1e-3), (3, 1, -2), (0, 1e300, 1e300), (0, 0, -1e-300)):
        origin, same = hits.spawn_rays(direction)
        assert np.sign(origin[2] - 1) == np.sign(direction[2]) and same.tolist() == list(direction)
    # Along the plane: the side that the ray came from.
    assert hits.spawn_rays((1, 0, 0))[0][2] > 1
    below = plane.cast((0, 0, -5), (0, 0, 1))
    assert below.spawn_rays((1, 0, 0))[0][2] < 1


def test_shapes_and_precisions() -> None:
    sphere = hitscan.Sphere((0, 0, 5), 1, dtype=np.float32)
    origins = np.zeros((2, 3, 3), np.float32)
    hits = sphere.cast(origins, np.array([0, 0, 1], np.float32))
    start, onward = hits.spawn_rays(np.array([0.0, 1e-60, 0]))  # float64, below the numbers of float32
    assert (start.shape, start.dtype, onward.shape, onward.dtype) == ((2, 3, 3), np.float32, (2, 3, 3), np.float64)
    assert not sphere.cast_any(start, onward).any()
    # A hit for many directions.
    start, onward = hits[0, 0].spawn_rays(directions(7, np.float32))
    assert start.shape == (7, 3) and onward.dtype == np.float32
    flat = hitscan.Circle((0, 5), 1).cast([(0, 0), (9, 0)], (0, 1))
    start, onward = flat.spawn_rays((1, -1))
    assert start.shape == (2, 2) and np.isnan(start).tolist() == [[False] * 2, [True] * 2]
    assert not hitscan.Circle((0, 5), 1).cast_any(start, onward).any()
    lists = hitscan.Box((0, 0, 0), (1, 1, 1)).cast_all([(-5, 0, 0), (0, -5, 0)], [(1, 0, 0), (0, 1, 0)], fields="all")
    assert lists.hits.spawn_rays((0, 0, 1))[0].shape == (4, 3)
    empty, _ = hits[:0].spawn_rays((0, 0, 1))
    assert empty.shape == (0, 3, 3)


def test_errors() -> None:
    sphere = hitscan.Sphere((0, 0, 5), 1)
    hits = sphere.cast(np.zeros((4, 3)), (0, 0, 1))
    with pytest.raises(ValueError, match=r"directions has \(3,\)"):
        hits.spawn_rays(np.ones((3, 3)))
    with pytest.raises(ValueError, match="directions: shape"):
        hits.spawn_rays((1, 0))
    with pytest.raises(AttributeError, match="name them in fields=: .*'distance', 'point'"):
        sphere.cast(np.zeros((9000, 3)), (0, 0, 1), keep_rays=False).spawn_rays((0, 0, 1))
