"""Moving spheres and volumes: normals of faces, approach, lists of contacts, and triggers of other queries."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import hitscan


def floor_and_wall(**options: Any) -> hitscan.Scene:
    """A floor below z = 0, and a wall at x = 4."""
    scene = hitscan.Scene(**options)
    scene.add(hitscan.Box((0, 0, -1), (9, 9, 1)))
    scene.add(hitscan.Box((5, 0, 0), (1, 1, 1)))
    return scene


def test_face_normals() -> None:
    """A sphere that touches the edge of a slope names the slope; other shapes have no face."""
    slope = hitscan.Triangle((0, -4, 0), (4, 4, 1), (-4, 4, 1))
    mesh = hitscan.TriangleMesh(np.array([(0, -4, 0), (4, 4, 1), (-4, 4, 1)], float), np.array([(0, 1, 2)]))
    expected = np.array([0, -1, 8]) / np.sqrt(65)
    for shape in (slope, mesh):
        contacts = shape.cast_sphere(
            [(0, 0, 8), (0, -4.25, 8), (0, 0, -8), (9, 9, 9)], [(0, 0, -1)] * 2 + [(0, 0, 1)] * 2, radius=0.75
        )
        assert contacts.hit.tolist() == [True, True, True, False]
        np.testing.assert_allclose(contacts.face_normal[:3], [expected, expected, -expected], atol=1e-12)
        assert np.isnan(contacts.face_normal[3]).all()
        assert not np.allclose(contacts.normal[1], expected)
        box = shape.cast_volume(hitscan.Box((0, -4.25, 8), (0.75, 0.75, 0.75)), (0, 0, -1))
        np.testing.assert_allclose(box.face_normal, expected, atol=1e-12)
    ball = hitscan.Sphere((0, 0, 5), 1).cast_sphere((0, 0, 0), (0, 0, 1), radius=0.5)
    assert bool(ball.hit) and np.isnan(ball.face_normal).all()
    wall = hitscan.Segment((0, 0), (0, 1)).cast_sphere((5, 1.25), (-1, 0), radius=0.5)
    assert wall.face_normal.tolist() == [1.0, 0.0]
    assert "face_normal" in wall.fields


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_only_approaching_contacts(dtype: Any) -> None:
    """What stands on a floor slides over it to the wall."""
    scene = floor_and_wall(dtype=dtype)
    directions = [(1, 0, 0), (0, 0, 1), (0, 0, -1), (1, 0, -0.125)]
    standing = hitscan.Box((0, 0, 1), (1, 1, 1), dtype=dtype)
    start = np.array((0, 0, 1), dtype)
    for cast in (
        lambda **rules: scene.cast_volume(standing, np.array(directions, dtype), **rules),
        lambda **rules: scene.cast_sphere(start, np.array(directions, dtype), radius=1, **rules),
    ):
        assert cast().object.tolist() == [0, 0, 0, 0]
        only = cast(approach="only")
        assert only.object.tolist() == [1, -1, 0, 0]
        assert only.t.tolist() == [3.0, np.inf, 0.0, 0.0]
    with pytest.raises(ValueError, match="approach: 'away' is none of 'any', 'only'"):
        scene.cast_volume(standing, (1, 0, 0), approach="away")  # type: ignore[arg-type]


def test_lists_of_contacts() -> None:
    """One contact with each object, the earliest first; triggers are included."""
    scene = floor_and_wall()
    coin = scene.add(hitscan.Sphere((2.5, 0, 1), 0.5), trigger=True)
    standing = hitscan.Cylinder((0, 0, 0), (0, 0, 2), 1)
    lists = scene.cast_volume_all(standing, [(1, 0, 0), (0, 0, 1), (0, 0, -1)])
    assert [each.object.tolist() for each in lists] == [[0, coin, 1], [0], [0]]
    assert lists.contacts.trigger.tolist() == [False, True, False, False, False]
    np.testing.assert_allclose(lists[0].t, [0, 1, 3], atol=1e-6)
    only = scene.cast_volume_all(standing, (1, 0, 0), approach="only", triggers="ignore", exclude=[0])
    assert only.contacts.object.tolist() == [1]
    spheres = scene.cast_sphere_all((0, 0, 1), [[(1, 0, 0)], [(0, 1, 0)]], radius=0.5, approach="only")
    assert spheres.shape == (2, 1) and spheres.counts.tolist() == [[2], [0]]
    assert repr(spheres) == "SweepLists(2 rays, 2 rows)"
    # The first one is that of a single cast.
    first = scene.cast_volume(standing, (1, 0, 0), triggers="hit")
    assert (first.t, first.object) == (lists[0].t[0], lists[0].object[0])
    with pytest.raises(ValueError, match="radius: inf is no radius"):
        scene.cast_sphere_all((0, 0, 0), (1, 0, 0), radius=np.inf)


def test_cylinders_cones_and_frusta_are_volumes() -> None:
    """They fall on a floor, and overlap what they reach."""
    floor = hitscan.HalfSpace((0, 0, 0), (0, 0, 1))
    volumes = [
        hitscan.Cylinder((0, 0, 2), (0, 0, 3), 1),
        hitscan.Cone((0, 0, 4), (0, 0, 2), 1),
        hitscan.Frustum((0, 0, 2), (0, 0, 3), 1, 0.5),
    ]
    for volume in volumes:
        np.testing.assert_allclose(floor.cast_volume(volume, (0, 0, -1)).t, 2)
    assert floor.overlaps(volumes).tolist() == [False] * 3
    assert hitscan.Sphere((0, 0, 3.5), 1).overlaps(volumes).all()


def test_queries_without_triggers() -> None:
    """Points and volumes count triggers unless they are ignored; those of groups, too."""
    inner = hitscan.Scene()
    inner.add(hitscan.Sphere((0, 0, 0), 4), trigger=True)
    inner.add(hitscan.Sphere((9, 0, 0), 1))
    for scene in (inner, hitscan.Scene([hitscan.Group(inner)])):
        origin, small = (0, 0, 0), hitscan.Sphere((0, 0, 0), 1)
        assert scene.contains(origin) and not scene.contains(origin, triggers="ignore")
        assert scene.contains((9, 0, 0), triggers="ignore")
        assert (float(scene.distance(origin)), float(scene.distance(origin, triggers="ignore"))) == (4.0, 8.0)
        assert float(scene.signed_distance(origin)) == -4.0
        assert float(scene.signed_distance(origin, triggers="ignore")) == 8.0
        assert float(scene.signed_distance(origin, triggers="ignore", rule="winding_number")) == 8.0
        assert scene.closest_point(origin, triggers="ignore").point.tolist() == [8.0, 0.0, 0.0]
        assert scene.closest_primitives(origin, k=5, triggers="ignore").found.distance.tolist() == [8.0]
        assert scene.overlaps(small) and not scene.overlaps(small, triggers="ignore")
        assert int(scene.count_overlapping(small, triggers="ignore")) == 0
        assert scene.overlapping(hitscan.Sphere((9, 0, 0), 0.5), triggers="ignore").object.tolist() == [len(scene) - 1]
    with pytest.raises(ValueError, match="triggers: 'pass' is none of 'hit', 'ignore'"):
        inner.contains((0, 0, 0), triggers="pass")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="triggers: a shape is no trigger"):
        hitscan.Sphere((0, 0, 0), 1).contains((0, 0, 0), triggers="ignore")


def test_open_triggers_are_no_reason_to_warn() -> None:
    """A trigger that is an open mesh has no inside, which does not matter where triggers are ignored."""
    scene = hitscan.Scene()
    scene.add(hitscan.TriangleMesh(np.eye(3), np.array([(0, 1, 2)])), trigger=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not scene.contains((0, 0, 0), triggers="ignore")
    with pytest.warns(UserWarning, match="no inside"):
        scene.contains((0, 0, 0))
