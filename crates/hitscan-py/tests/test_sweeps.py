"""Moving spheres and volumes: normals of faces, approach, lists of contacts, and triggers of other queries."""

from __future__ import annotations

import copy
import pickle
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
        hitscan.TaperedCapsule((0, 0, 2.5), (0, 0, 3), 0.5, 1),
    ]
    for volume in volumes:
        np.testing.assert_allclose(floor.cast_volume(volume, (0, 0, -1)).t, 2)
    assert floor.overlaps(volumes).tolist() == [False] * 4
    assert hitscan.Sphere((0, 0, 3.5), 1).overlaps(volumes).all()


def test_sides_of_surfaces_that_volumes_touch() -> None:
    """A platform that is solid from above lets through what comes from below."""
    platform = hitscan.TriangleMesh([(-4, -4, 0), (4, -4, 0), (0, 4, 0)], [(0, 1, 2)])
    for name, (start, speed) in {"falls": (5, -1), "jumps": (-5, 1)}.items():
        for faces in ("both", "front", "back"):
            is_hit = faces == "both" or (faces == "front") == (name == "falls")
            ray: Any = ((0, 0, start), (0, 0, speed))
            moved = hitscan.Box((0, 0, start), (0.5, 0.5, 0.5))
            assert bool(platform.cast_sphere(*ray, radius=0.5, faces=faces).hit) == is_hit  # type: ignore[arg-type]
            assert bool(platform.cast_volume(moved, ray[1], faces=faces).hit) == is_hit  # type: ignore[arg-type]
            assert len(platform.cast_sphere_all(*ray, radius=0.5, faces=faces).contacts.t) == is_hit  # type: ignore[arg-type]
            assert len(platform.cast_volume_all(moved, ray[1], faces=faces).contacts.t) == is_hit  # type: ignore[arg-type]


def test_a_radius_of_zero_is_the_ray() -> None:
    ball = hitscan.Sphere((0, 0, 5), 1)
    assert float(ball.cast_sphere((0, 0, 0), (0, 0, 1), radius=0).t) == 4.0
    assert not ball.cast_sphere((0, 1.5, 0), (0, 0, 1), radius=0).hit


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_volumes_that_move_together(dtype: Any) -> None:
    """The earliest contact of any part, with the number of the part; of equal ones that of the first part."""
    scene = floor_and_wall(dtype=dtype)
    wheels = [hitscan.Sphere((x, 0, 0.5), 0.5, dtype=dtype) for x in (-1, 1)]
    mast = hitscan.Volume(hitscan.Box((0, 0, 0.75), (0.5, 0.5, 0.5), dtype=dtype)).moved_by((1.5, 0, 0))
    vehicle = [*wheels, mast]
    ways = np.array([(1, 0, 0), (-1, 0, 0), (0, 0, 1)], dtype)
    first = scene.cast_volume(vehicle, ways)
    assert first.part.tolist() == [0, 0, 0] and first.object.tolist() == [0, 0, 0]
    only = scene.cast_volume(vehicle, ways, approach="only")
    assert only.part.tolist() == [2, -1, -1] and only.object.tolist() == [1, -1, -1]
    assert only.t.tolist() == [2.0, np.inf, np.inf] and only.t.dtype == dtype
    # As the casts of the parts; a single volume is no part.
    alone = [scene.cast_volume(part, ways, approach="only") for part in vehicle]
    assert only.t.tolist() == np.min([each.t for each in alone], axis=0).tolist()
    assert [each.part.tolist() for each in alone] == [[-1] * 3] * 3
    assert scene.cast_sphere((0, 0, 4), ways, radius=0.5).part.tolist() == [-1] * 3
    # One contact with each object, over all parts.
    lists = scene.cast_volume_all(vehicle, ways)
    assert [each.object.tolist() for each in lists] == [[0, 1], [0], [0]]
    assert [each.part.tolist() for each in lists] == [[0, 2], [0], [0]]
    assert scene.cast_volume_all(tuple(vehicle), ways[0]).contacts.part.tolist() == [0, 2]
    assert not scene.cast_volume([], ways).hit.any()


def test_compounds_overlap_what_their_parts_overlap() -> None:
    """A list within the list of volumes is one of them."""
    scene = hitscan.Scene([hitscan.Sphere((x, 0, 0), 1) for x in (0, 5, 10)])
    left, right, far = (hitscan.Box((x, 0, 0), (0.25, 0.25, 0.25)) for x in (0, 5, 20))
    volumes = [left, [left, right], [far, far], [far, right, right]]
    assert scene.overlaps(volumes).tolist() == [True, True, False, True]
    assert scene.count_overlapping(volumes).tolist() == [1, 2, 0, 1]
    lists = scene.overlapping(volumes)
    assert (lists.counts.tolist(), lists.object.tolist()) == ([1, 2, 0, 1], [0, 0, 1, 1])
    assert scene.overlaps([[left, right]]).shape == (1,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_hulls(dtype: Any) -> None:
    """The convex hull of points in space and in the plane."""
    corners = np.vstack([np.eye(3), -np.eye(3), np.zeros((1, 3))]).astype(dtype)
    octahedron = hitscan.Volume.hull(corners)
    assert (octahedron.dimension, octahedron.dtype) == (3, dtype)
    assert octahedron.bounds.tolist() == [[-1, -1, -1], [1, 1, 1]]
    cube = hitscan.Box((3, 3, 3), (1, 1, 1), dtype=dtype)
    np.testing.assert_allclose(cube.cast_volume(octahedron, (1, 1, 1)).t, 5 / 3, rtol=1e-6)
    assert not cube.overlaps(octahedron)
    ball = hitscan.Sphere((1, 1, 0), 0.5, dtype=dtype)
    assert not ball.overlaps(octahedron) and ball.overlaps(hitscan.Box((0, 0, 0), (1, 1, 1)))
    # A flat one, a segment and a point.
    for few in (corners[:3], corners[:2], corners[:1]):
        assert hitscan.Sphere((1, 0, 0), 0.5, dtype=dtype).overlaps(hitscan.Volume.hull(few))
    # In the plane, a hull is a polygon.
    points = np.array([(0, 0), (4, 0), (2, 1), (0, 4), (1, 1)], dtype)
    hull, polygon = hitscan.Volume.hull(points), hitscan.Polygon([(0, 0), (4, 0), (0, 4)], dtype=dtype)
    circle = hitscan.Circle((9, 1), 1, dtype=dtype)
    assert hull.dimension == 2
    assert circle.cast_volume(hull, (1, 0)).t == circle.cast_volume(polygon, (1, 0)).t
    assert hitscan.Volume.hull(points.tolist(), dtype=dtype).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_moved_volumes(dtype: Any) -> None:
    """A volume at another place is as one that was made there."""
    wall = hitscan.HalfSpace((8, 0, 0), (-1, 0, 0), dtype=dtype)
    offset = np.array((1, -2, 0.5), dtype)
    pairs = [
        (hitscan.Sphere((0, 1, 2), 0.5, dtype=dtype), hitscan.Sphere((1, -1, 2.5), 0.5, dtype=dtype)),
        (hitscan.Box((0, 1, 2), (1, 2, 3), dtype=dtype), hitscan.Box((1, -1, 2.5), (1, 2, 3), dtype=dtype)),
        (hitscan.Cone((0, 0, 0), (1, 0, 0), 1, dtype=dtype), hitscan.Cone((1, -2, 0.5), (2, -2, 0.5), 1, dtype=dtype)),
        (hitscan.Volume.hull(np.eye(3, dtype=dtype)), hitscan.Volume.hull(np.eye(3, dtype=dtype) + offset)),
    ]
    for volume, there in pairs:
        moved = hitscan.Volume(volume).moved_by(offset)
        found, expected = wall.cast_volume(moved, (1, 0, 0)), wall.cast_volume(there, (1, 0, 0))
        np.testing.assert_allclose(moved.bounds, there.bounds, rtol=1e-6)
        np.testing.assert_allclose(found.t, expected.t, rtol=1e-6)
        # Offsets add up, and the volume itself stays.
        back = moved.moved_by(-offset)
        assert wall.cast_volume(back, (1, 0, 0)).t == wall.cast_volume(volume, (1, 0, 0)).t
        assert moved.dtype == dtype and hitscan.Volume(moved).bounds.tolist() == moved.bounds.tolist()
        for copied in (pickle.loads(pickle.dumps(moved)), copy.deepcopy(moved)):
            assert repr(copied) == repr(moved) and copied.bounds.tolist() == moved.bounds.tolist()
    corners = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    view = hitscan.Volume(hitscan.ViewFrustum(corners, dtype=dtype)).moved_by((4, 0, 0))
    assert wall.cast_volume(view, (1, 0, 0)).t == 3.0
    square = hitscan.Volume(hitscan.Rectangle((0, 0), (1, 1), dtype=dtype)).moved_by((0, 5))
    np.testing.assert_allclose(square.bounds, [[-1, 4], [1, 6]], rtol=1e-6)
    assert repr(square).endswith(".moved_by([0.0, 5.0])")
    # Without an offset it is the shape, bit for bit, in both precisions of a query.
    box = hitscan.Box((0.1, 0.2, 0.3), (1, 1, 1), dtype=dtype)
    for way in (np.array((1, 0.1, 0), np.float32), np.array((1, 0.1, 0), np.float64)):
        assert wall.cast_volume(hitscan.Volume(box), way).t == wall.cast_volume(box, way).t


def test_errors_of_volumes() -> None:
    """Each names the argument."""
    ball, plane = hitscan.Sphere((0, 0, 0), 1), hitscan.Plane((0, 0, 0), (0, 0, 1))
    volume, way = hitscan.Volume(ball), (1, 0, 0)
    wrong: list[tuple[Any, type[Exception], str]] = [
        (lambda: hitscan.Volume(plane), ValueError, "Volume: shape: plane is no volume"),
        (lambda: hitscan.Volume(7), TypeError, "Volume: shape: 7 is no volume"),  # type: ignore[arg-type]
        (lambda: hitscan.Volume.hull([]), ValueError, r"points: shape \(0,\)"),
        (lambda: hitscan.Volume.hull(np.empty((0, 3))), ValueError, "points"),
        (lambda: hitscan.Volume.hull([(0, 0, 0, 0)]), ValueError, r"the shape \(n, 3\) or \(n, 2\) is needed"),
        (lambda: hitscan.Volume.hull([(0, 0, np.nan)]), ValueError, "points"),
        (lambda: hitscan.Volume.hull([(0, 0), (1, 1), (2, 2)]), ValueError, "points"),
        (lambda: hitscan.Volume.hull([(0, 0, 0)], dtype=np.int32), TypeError, "dtype"),
        (lambda: volume.moved_by((1, 2)), ValueError, "offset"),
        (lambda: volume.moved_by([(1, 2, 3)]), ValueError, r"offset: shape \(1, 3\); the shape \(3,\) is needed"),
        (lambda: volume.moved_by((np.inf, 0, 0)), ValueError, "offset.*beyond"),
        (lambda: ball.cast_volume([ball, plane], way), ValueError, r"volume\[1\]: plane is no volume"),
        (lambda: ball.cast_volume(plane, way), ValueError, "volume: plane is no volume"),
        (lambda: ball.overlaps([ball, [ball, plane]]), ValueError, r"volumes\[1\]\[1\]: plane is no volume"),
        (lambda: ball.cast_volume([ball, 7], way), TypeError, r"volume\[1\]: 7 is no volume"),  # type: ignore[list-item]
        (lambda: ball.cast_volume(7, way), TypeError, "volume: 7 is no volume"),  # type: ignore[arg-type]
        (lambda: ball.overlaps([[hitscan.Circle((0, 0), 1)]]), ValueError, r"volumes\[0\]\[0\]: it has 2 dimensions"),
    ]
    for call, kind, message in wrong:
        with pytest.raises(kind, match=message):
            call()
    with pytest.raises(AttributeError, match="never changes"):
        volume.dtype = 1  # type: ignore[misc,assignment]
