"""Queries of shapes, meshes and scenes, against formulas and against each other."""

import copy
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import hitscan

RNG = np.random.default_rng(5)


def bumpy_sphere(n: int = 60, dtype: object = np.float64) -> hitscan.TriangleMesh:
    """A closed mesh around the origin, radius 0.9 to 1.1."""
    u, v = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(1, n) * np.pi / n)
    r = 1 + 0.1 * np.sin(7 * u) * np.sin(v) ** 2
    ring = np.stack([r * np.sin(v) * np.cos(u), r * np.sin(v) * np.sin(u), r * np.cos(v)], -1).reshape(-1, 3)
    vertices = np.concatenate([ring, [(0, 0, 1), (0, 0, -1)]])
    top, bottom = len(ring), len(ring) + 1
    i, j = np.meshgrid(np.arange(n - 2) * n, np.arange(n), indexing="ij")
    k = (j + 1) % n
    a, b, c, d = i + j, i + k, i + n + j, i + n + k
    sides = np.concatenate([np.stack([a, c, b], -1).reshape(-1, 3), np.stack([b, c, d], -1).reshape(-1, 3)])
    j, k, last = np.arange(n), (np.arange(n) + 1) % n, (n - 2) * n
    caps = [(top, x, y) for x, y in zip(j, k)] + [(bottom, last + y, last + x) for x, y in zip(j, k)]
    return hitscan.TriangleMesh(vertices.astype(dtype), np.concatenate([sides, caps]))


def rays(count: int, dtype: object = np.float64) -> tuple[np.ndarray, np.ndarray]:
    origins = RNG.normal(size=(count, 3))
    origins *= 3 / np.linalg.norm(origins, axis=1, keepdims=True)
    return origins.astype(dtype), (RNG.normal(size=(count, 3)) * 0.5 - origins).astype(dtype)


def moller_trumbore(mesh: hitscan.TriangleMesh, origins: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """The smallest t of each ray by the textbook formula in float64, infinite for a miss."""
    corners = mesh.vertices.astype(np.float64)[mesh.faces]
    edges = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    best = np.full(len(origins), np.inf)
    for row, (o, d) in enumerate(zip(origins.astype(np.float64), directions.astype(np.float64))):
        p = np.cross(d, edges[1])
        with np.errstate(all="ignore"):
            det = (edges[0] * p).sum(1)
            s = o - corners[:, 0]
            u = (s * p).sum(1) / det
            q = np.cross(s, edges[0])
            v, t = (q @ d) / det, (edges[1] * q).sum(1) / det
            inside = (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0)
        if inside.any():
            best[row] = t[inside].min()
    return best


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_mesh_against_the_textbook(dtype: object) -> None:
    mesh = bumpy_sphere(dtype=dtype)
    assert mesh.is_closed
    origins, directions = rays(300, dtype)
    hits, expected = mesh.cast(origins, directions, fields="all"), moller_trumbore(mesh, origins, directions)
    np.testing.assert_array_equal(hits.hit, np.isfinite(expected))
    np.testing.assert_allclose(hits.t, expected, rtol=1e-5 if dtype == np.float32 else 1e-13)
    at, scale = hits.hit, np.linalg.norm(directions, axis=1)
    tolerance = 1e-5 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(hits.distance[at], (hits.t * scale)[at], rtol=tolerance)
    np.testing.assert_allclose(hits.point[at], (origins + hits.t[:, None] * directions)[at], atol=tolerance * 10)
    corners = mesh.vertices[mesh.faces[hits.primitive[at]]]
    u, v = hits.uv[at].T[..., None]
    np.testing.assert_allclose(
        hits.point[at], (1 - u - v) * corners[:, 0] + u * corners[:, 1] + v * corners[:, 2], atol=1e-5
    )
    np.testing.assert_allclose(np.linalg.norm(hits.normal[at], axis=1), 1, rtol=1e-6)
    assert hits.front.tolist() == hits.hit.tolist()  # from outside
    assert (hits.count, hits.object.max(), hits.member.max()) == (at.sum(), -1, -1)


def test_batches_threads_and_single_casts_agree() -> None:
    mesh = bumpy_sphere(dtype=np.float32)
    scene = hitscan.Scene([mesh, hitscan.Sphere((2, 0, 0), 0.5).astype(np.float32)])
    origins, directions = rays(20_000, np.float32)
    whole = scene.cast(origins, directions, fields="all")
    for threads in (1, 2, 3):
        again = scene.cast(origins, directions, fields="all", threads=threads)
        for name in whole.fields:
            np.testing.assert_array_equal(getattr(whole, name), getattr(again, name), err_msg=name)
    for row in range(0, 20_000, 997):
        one = scene.cast(origins[row], directions[row], fields="all")
        for name in one.fields:
            np.testing.assert_array_equal(getattr(one, name), getattr(whole, name)[row], err_msg=name)
    np.testing.assert_array_equal(scene.cast_any(origins, directions), whole.hit)
    np.testing.assert_array_equal(scene.cast(origins, directions, fields="hit").hit, whole.hit)


def test_counts_lists_and_spans_agree() -> None:
    mesh = bumpy_sphere()
    origins, directions = rays(500)
    counts, lists, spans = (
        mesh.count(origins, directions),
        mesh.cast_all(origins, directions),
        mesh.spans(origins, directions),
    )
    assert (counts % 2 == 0).all()
    np.testing.assert_array_equal(lists.counts, counts)
    np.testing.assert_array_equal(spans.counts, counts // 2)
    np.testing.assert_array_equal(spans.enter.t, lists.hits.t[::2])
    np.testing.assert_array_equal(spans.exit.t, lists.hits.t[1::2])
    assert (spans.length > 0).all()
    np.testing.assert_array_equal(lists.ray, np.repeat(np.arange(500), counts))
    hits = mesh.cast(origins, directions)
    for row in range(0, 500, 50):
        assert (np.diff(lists[row].t) >= 0).all()
        assert lists[row].t[:1].tolist() == hits.t[row : row + 1][hits.hit[row : row + 1]].tolist()
    first = mesh.cast_all(origins, directions, first=1)
    np.testing.assert_array_equal(first.hits.t, hits.t[hits.hit])
    with pytest.raises(IndexError, match="500"):
        lists[500]
    with pytest.raises(AttributeError, match="normal.*fields="):
        _ = lists.hits.normal


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_filter_of_triangles_is_a_mesh_without_them(dtype: object) -> None:
    mesh = bumpy_sphere(dtype=dtype)
    kept = np.flatnonzero(RNG.random(len(mesh.faces)) < 0.3)
    rest = hitscan.TriangleMesh(mesh.vertices, mesh.faces[kept])
    origins, directions = (array.reshape(40, 50, 3) for array in rays(2000, dtype))
    hits = mesh.cast_where(origins, directions, accept=lambda _, hits: np.isin(hits.primitive, kept), threads=2)
    expected = rest.cast(origins, directions, fields="all")
    assert hits.shape == (40, 50) and 0 < hits.count < 2000 and hits.t.dtype == dtype
    for name in ("hit", "t", "distance", "point", "normal", "uv", "front", "object", "member", "trigger"):
        np.testing.assert_array_equal(getattr(hits, name), getattr(expected, name), err_msg=name)
    np.testing.assert_array_equal(hits.primitive, np.append(kept, -1)[expected.primitive])


def test_a_filter_of_objects_excludes_them() -> None:
    scene = hitscan.Scene()
    ids = [
        scene.add(hitscan.Sphere(center, 0.4), layers=1 + i % 2) for i, center in enumerate(RNG.normal(size=(60, 3)))
    ]
    origins, directions = rays(1000)
    rules = {"t_max": RNG.random(1000) * 2, "layers": RNG.integers(0, 4, 1000), "inside": "hollow"}
    numbers = []

    def accept(rows: np.ndarray, hits: hitscan.Hits) -> np.ndarray:
        numbers.append(rows)
        return ~np.isin(hits.object, ids[::2])

    hits = scene.cast_where(origins, directions, accept=accept, fields=("t", "object"), **rules)
    expected = scene.cast(origins, directions, exclude=ids[::2], **rules)
    np.testing.assert_array_equal(hits.t, expected.t)
    np.testing.assert_array_equal(hits.object, expected.object)
    assert (
        len(numbers) > 1
        and numbers[0].tolist() == np.flatnonzero(scene.cast_any(origins, directions, **rules)).tolist()
    )
    with pytest.raises(AttributeError, match="normal.*fields="):
        _ = hits.normal


def test_a_filter_goes_through_many_sheets_and_chooses_at_an_edge() -> None:
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], np.float64)
    vertices = np.concatenate([corners + (0, 0, z) for z in range(100)])
    faces = np.concatenate([np.array([(0, 1, 2), (0, 2, 3)]) + 4 * z for z in range(100)])
    sheets = hitscan.TriangleMesh(vertices, faces)
    for last in (0, 1, 4, 5, 63, 64, 99):
        for half in (0, 1):
            # The ray meets the diagonal, which both triangles of a sheet have.
            hit = sheets.cast_where((0, 0, -1), (0, 0, 1), accept=lambda _, h: h.primitive == 2 * last + half)
            assert (float(hit.t), int(hit.primitive)) == (last + 1.0, 2 * last + half)
    assert not sheets.cast_where((0, 0, -1), (0, 0, 1), accept=lambda _, h: np.zeros(h.shape, bool))
    assert sheets.cast_where(np.empty((0, 3)), (0, 0, 1), accept=lambda _, h: h.hit).t.shape == (0,)
    assert not sheets.cast_where([(9, 9, 9)], (0, 0, 1), accept=lambda _, h: 1 / 0).hit.any()


def test_errors_of_filters() -> None:
    ball, ray = hitscan.Sphere((0, 0, 5), 1), ([(0, 0, 0)] * 2, (0, 0, 1))
    with pytest.raises(TypeError, match="accept: a function of ray numbers and hits is needed, not int"):
        ball.cast_where(*ray, accept=3)  # type: ignore[arg-type]
    for wrong, what in [(1, "int64 of shape ()"), (np.ones(3, bool), r"bool of shape \(3,\)"), (np.ones(2), "float64")]:
        with pytest.raises(
            ValueError,
            match=r"accept: it must return bool of shape \(2,\), and returned " + what.replace("()", r"\(\)"),
        ):
            ball.cast_where(*ray, accept=lambda _rays, _hits, wrong=wrong: wrong)
    with pytest.raises(ZeroDivisionError):
        ball.cast_where(*ray, accept=lambda _rays, _hits: 1 / 0)
    with pytest.raises(ValueError, match="fields: 'colour'"):
        ball.cast_where(*ray, accept=lambda _rays, hits: hits.hit, fields=["colour"])


def test_rules_of_a_ray() -> None:
    ball = hitscan.Sphere((0, 0, 0), 1)
    inside = (0, 0, 0), (0, 0, 2)
    assert float(ball.cast(*inside).t) == 0.0
    assert float(ball.cast(*inside, inside="hollow").t) == 0.5
    plane = hitscan.Plane((0, 0, 1), (0, 0, 1))
    assert (bool(plane.cast(*inside, faces="front")), bool(plane.cast(*inside, faces="back"))) == (False, True)
    assert float(ball.cast((0, 0, -3), (0, 0, 1), t_min=-np.inf).t) == 2.0
    assert float(ball.cast((0, 0, 3), (0, 0, 1), t_min=-np.inf).t) == -4.0
    assert not ball.cast((0, 0, -3), ends=(0, 0, -2)).hit
    assert float(ball.cast((0, 0, -3), ends=(0, 0, -1)).t) == 1.0
    with pytest.raises(ValueError, match="neither true nor false"):
        bool(ball.cast([(0, 0, 0)], (0, 0, 1)))
    assert not ball.cast((0, 0, 9), (0, 0, 1))


def test_fields_on_access_are_those_of_the_cast() -> None:
    scene = hitscan.Scene()
    ball = scene.add(hitscan.Sphere((0, 0, 5), 1))
    origins, directions = np.zeros((3, 3)), np.array([(0.0, 0, 1), (0, 0.1, 1), (0, 1, 0)])
    expected = scene.cast(origins, directions, fields="all")
    hits = scene.cast(origins, directions)
    kept = scene.cast(origins, directions, keep_rays=False)
    scene.set_transform(ball, [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 50)])
    scene.commit()
    origins[:] = 7
    directions[:] = -1
    for name in expected.fields:
        np.testing.assert_array_equal(getattr(hits, name), getattr(expected, name), err_msg=name)
    assert kept.hit.tolist() == [True, True, False]
    with pytest.raises(AttributeError, match="normal.*fields="):
        _ = kept.normal
    part = scene.cast(np.zeros((3, 3)), [(0, 0, 1)])[1:]
    assert part.normal.tolist() == [[0, 0, -1], [0, 0, -1]]


def test_read_only_rays_are_kept_without_a_copy() -> None:
    origins = np.zeros((4, 3))
    assert not np.shares_memory(hitscan.Sphere((0, 0, 5), 1).cast(origins, (0, 0, 1))._rays.origins, origins)
    view = origins[:]
    view.flags.writeable = False
    assert not np.shares_memory(hitscan.Sphere((0, 0, 5), 1).cast(view, (0, 0, 1))._rays.origins, origins)
    origins.flags.writeable = False
    assert np.shares_memory(hitscan.Sphere((0, 0, 5), 1).cast(origins, (0, 0, 1))._rays.origins, origins)


def test_out_arrays() -> None:
    ball, origins = hitscan.Sphere((0, 0, 5), 1), np.zeros((4, 3))
    t, normal = np.empty(4), np.empty((4, 6))[:, ::2]
    hits = ball.cast(origins, (0, 0, 1), fields=("primitive",), out={"t": t, "normal": normal})
    assert t.tolist() == [4.0] * 4 and normal.tolist() == [[0, 0, -1]] * 4
    assert np.shares_memory(hits.t, t) and hits.fields == ("t", "normal", "primitive")
    for wrong, words in [
        (np.empty(4, np.float32), "float64"),
        (np.empty(5), r"\(4,\)"),
        ([0.0] * 4, "list"),
    ]:
        with pytest.raises(ValueError, match=words):
            ball.cast(origins, (0, 0, 1), out={"t": wrong})
    t.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ball.cast(origins, (0, 0, 1), out={"t": t})


def test_edits_of_a_scene() -> None:
    scene = hitscan.Scene(dtype=np.float64)
    ball = hitscan.Sphere((0, 0, 0), 1)
    ids = [scene.add(ball, transform=[(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, z)], name=f"ball {z}") for z in (9, 6, 3)]
    down = (0, 0, -5), (0, 0, 1)
    assert ids == [0, 1, 2] == scene.ids and len(scene) == 3
    assert (int(scene.cast(*down).object), scene.find("ball 6"), scene.find("cube")) == (2, 1, None)
    frame = scene.snapshot()
    scene.remove(2)
    assert int(scene.cast(*down).object) == 1
    new = scene.add(ball)
    assert new not in ids and new > 2**31 and int(scene.cast(*down).object) == new
    assert scene.cast(*down, exclude=[new]).object == 1
    assert int(frame.cast(*down).object) == 2
    scene.set_layers(1, 0b100)
    scene.set_trigger(0, True)
    assert scene.cast_all(*down, layers=0b100).hits.object.tolist() == [1, 1]
    assert scene.cast_all(*down, layers=1).hits.object.tolist() == [new, new, 0, 0]
    assert not scene.cast(*down, layers=1, exclude=[new])
    assert scene.cast(*down, layers=1, exclude=[new], triggers="hit")
    scene.set_inside(new, "hollow")
    assert float(scene.cast((0, 0, 0), (0, 0, 1)).t) == 1.0
    scene.set_inside(new, None)
    scene.set_shape(new, hitscan.Disk((0, 0, 0), (0, 0, 1), 2))
    scene.set_faces(new, "front")
    assert not scene.cast(*down, layers=1) and float(scene.cast((0, 0, 5), (0, 0, -1), layers=1).t) == 5.0
    scene.set_faces(new, "back")
    assert float(scene.cast(*down, layers=1).t) == 5.0
    scene.set_shape(new, hitscan.Box((0, 0, 0), (2, 2, 2)))
    scene.rebuild()
    described = scene.object(new)
    assert isinstance(described.shape, hitscan.Box) and described.faces == "back" and described.transform is None
    assert scene.object(1).transform.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 6], [0, 0, 0, 1]]
    assert [one.name for one in scene.objects()] == ["ball 9", "ball 6", None]
    low, high = scene.bounds
    np.testing.assert_allclose([low, high], [[-2, -2, -2], [2, 2, 10]], rtol=1e-6)
    assert (low <= -2).all() and (high >= (2, 2, 10)).all()
    with pytest.raises(KeyError, match="2"):
        scene.remove(2)
    with pytest.raises(ValueError, match="the object 1 has the name 'ball 6'"):
        scene.add(ball, name="ball 6")


def test_a_float32_scene_in_float64_keeps_ids() -> None:
    scene = hitscan.Scene(dtype=np.float32)
    mesh = bumpy_sphere(12, np.float32)
    pair = hitscan.Group(hitscan.Scene([mesh, hitscan.Sphere((0, 0, 3), 0.1).astype(np.float32)]))
    for x in range(6):
        scene.add(pair, transform=[(1, 0, 0, 3 * x), (0, 1, 0, 0), (0, 0, 1, 0)])
    scene.remove(2)
    late = scene.add(hitscan.Sphere((6, 0, 0), 0.1))
    narrow = np.array([(3 * x, 0.25, 9) for x in range(6)], np.float32), np.array((0, 0, -1), np.float32)
    single, double = (
        scene.cast(*narrow, fields="all"),
        scene.cast(narrow[0].astype(np.float64), narrow[1], fields="all"),
    )
    assert (single.t.dtype, double.t.dtype) == (np.float32, np.float64)
    assert single.object.tolist() == double.object.tolist() == [0, 1, -1, 3, 4, 5]
    np.testing.assert_array_equal(single.member, double.member)
    np.testing.assert_array_equal(single.t, double.t.astype(np.float32))
    assert int(scene.cast((6.0, 0, 9), (0, 0, -1)).object) == late
    scene.set_transform(late, [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 1)])
    assert float(scene.cast((6.0, 0, 9), (0, 0, -1)).t) == 9 - 1 - float(np.float32(0.1))


def test_distances_sweeps_and_overlap_of_a_mesh() -> None:
    mesh = bumpy_sphere()
    points = RNG.normal(size=(400, 3))
    found = mesh.closest_point(points)
    np.testing.assert_allclose(found.distance, np.linalg.norm(found.point - points, axis=1), rtol=1e-12)
    nearest = np.linalg.norm(mesh.vertices[None] - points[:, None], axis=2).min(1)
    assert (found.distance <= nearest + 1e-12).all()
    signed, inside = mesh.signed_distance(points), mesh.contains(points)
    np.testing.assert_array_equal(np.abs(signed), found.distance)
    np.testing.assert_array_equal(signed <= 0, inside)
    np.testing.assert_array_equal(inside, mesh.count(points, (0.1, 0.2, 1.0)) % 2 == 1)
    np.testing.assert_array_equal(mesh.contains(points, rule="winding_number"), inside)
    assert not mesh.closest_point((9, 0, 0), max_distance=1).hit
    part = mesh.closest_point(points, fields=("distance", "primitive"))
    np.testing.assert_array_equal(part.primitive, found.primitive)
    assert part.fields == ("hit", "distance", "primitive")
    with pytest.raises(AttributeError, match="point.*fields="):
        _ = part.point
    lists = mesh.closest_primitives(points, k=5)
    assert (lists.counts == 5).all()
    np.testing.assert_array_equal(lists.found.distance[::5], found.distance)
    near = mesh.closest_primitives(points, max_distance=0.2)
    assert (near.found.distance <= 0.2).all() and (near.counts > 0).tolist() == (found.distance <= 0.2).tolist()
    contacts = mesh.cast_sphere((0, 0, 3), (0, 0, -1), radius=np.array([0.5])[0])
    assert float(contacts.t) == pytest.approx(1.5, abs=0.1)
    assert float(mesh.distance(contacts.center)) == pytest.approx(0.5, abs=1e-9)
    box = hitscan.Box((0, 0, 3), (0.1, 0.1, 0.1))
    assert float(mesh.cast_volume(box, (0, 0, -1)).t) == pytest.approx(1.9, abs=0.1)
    balls = [hitscan.Sphere(point, 0.2) for point in points[:50]]
    np.testing.assert_array_equal(mesh.overlaps(balls), (signed[:50] <= 0.2))
    lists = mesh.overlapping(balls)
    np.testing.assert_array_equal(lists.counts, mesh.count_overlapping(balls))
    assert lists[0].primitive.tolist() == lists.primitive[: lists.counts[0]].tolist()
    corners = [(x, y, z) for z in (-0.2, 0.2) for y in (-2, 2) for x in (-2, 2)]
    frustum, slab = hitscan.ViewFrustum(corners), hitscan.Box((0, 0, 0), (2, 2, 0.2))
    assert mesh.overlapping(frustum).primitive.tolist() == mesh.overlapping(slab).primitive.tolist()
    assert pickle.loads(pickle.dumps(frustum)).corners.tolist() == frustum.corners.tolist()
    wall = hitscan.Box((0, 0, 5), (4, 4, 0.25))
    assert float(wall.thickness((1, 0, 0), (0, 0, 1)).length) == 0.5
    assert np.isnan(wall.thickness((9, 0, 0), (0, 0, 1)).length)


def test_layers_of_each_query() -> None:
    scene = hitscan.Scene()
    for layer, z in ((0b01, 3), (0b10, 6), (0b10, 6.75)):
        scene.add(hitscan.Box((0, 0, z), (1, 1, 0.5)), layers=layer)
    up = (0, 0, 0), (0, 0, 1)
    assert float(scene.cast(*up, layers=0b10).t) == 5.5
    assert scene.cast_any(*up, layers=np.array([0b01, 0b10, 0b100])).tolist() == [True, True, False]
    assert (int(scene.count(*up, layers=1)), len(scene.cast_all(*up, layers=2).hits)) == (2, 4)
    assert scene.spans(*up, layers=2).enter.t.tolist() == [5.5, 6.25]
    assert float(scene.thickness(*up, layers=1).length) == 1.0
    assert scene.line_of_sight((0, 0, 0), (0, 0, 5), layers=0b10)
    assert scene.layer_lengths(*up)[:2].tolist() == [1.0, 1.75]
    assert (scene.contains((0, 0, 3), layers=1), scene.contains((0, 0, 3), layers=2)) == (True, False)
    assert float(scene.distance((0, 0, 0), layers=0b10)) == 5.5
    assert float(scene.cast_sphere(*up, radius=0.5, layers=0b10).t) == 5.0
    assert scene.overlapping(hitscan.Sphere((0, 0, 5), 9), layers=0b10).object.tolist() == [1, 2]
    with pytest.raises(TypeError, match="layers"):
        scene.thickness(*up, layers=[1, 2])


def test_the_plane() -> None:
    scene = hitscan.Scene(
        [hitscan.Circle((5, 0), 1), hitscan.Segment((3, -1), (3, 1)), hitscan.Rectangle((9, 0), (1, 1))]
    )
    hits = scene.cast([(0, 0), (0, 3)], (1, 0), fields="all")
    assert (hits.t.tolist(), hits.object.tolist(), np.abs(hits.normal[0]).tolist()) == (
        [3.0, np.inf],
        [1, -1],
        [1.0, 0.0],
    )
    assert scene.cast_all((0, 0), (1, 0)).hits.t.tolist() == [3, 4, 6, 8, 10]
    assert scene.closest_point((0, 0)).point.tolist() == [3, 0]
    assert scene.overlapping(hitscan.Polygon([(4, 0), (9, 1), (9, -1)])).object.tolist() == [0, 2]
    assert "miss" in scene.explain((0, 3), (1, 0))


SHAPES = [
    hitscan.Box((0, 0, 0), (1, 2, 3), [(0, 1, 0), (-1, 0, 0), (0, 0, 1)]), hitscan.Cylinder((0, 0, 0), (0, 0, 2), 0.5),
    hitscan.Group(hitscan.Scene([hitscan.Sphere((0, 0, 0), 1)])), hitscan.TaperedCapsule((0, 0, 0), (0, 0, 2), 1, 0.5),
    hitscan.Triangle((0, 0, 0), (1, 0, 0), (0, 1, 0)), hitscan.TaperedCapsule((0, 0), (0, 2), 1, 0.5), bumpy_sphere(8),
    hitscan.Frustum((0, 0, 0), (0, 0, 2), 1, 0.5), hitscan.Capsule((0, 0, 0), (0, 0, 2), 0.5),
    hitscan.Polygon([(0, 0), (2, 0), (1, 1)]), hitscan.Triangle((0, 0), (1, 0), (0, 1)), hitscan.Sphere((0, 0, 0), 1),
    hitscan.HalfSpace((0, 0, 0), (0, 1, 1)), hitscan.Cone((0, 0, 0), (0, 0, 2), 0.5), hitscan.Box((0, 0, 0), (1, 2, 3)),
    hitscan.Ellipsoid((0, 0, 0), (1, 2, 3)), hitscan.Disk((0, 0, 1), (0, 0, 1), 2), hitscan.Plane((0, 0, 1), (0, 0, 2)),
    hitscan.Capsule((0, 0), (0, 2), 0.5), hitscan.HalfPlane((0, 0), (0, 1)), hitscan.Rectangle((0, 0), (1, 2)),
    hitscan.Segment((0, 0), (1, 0)), hitscan.Ellipse((0, 0), (1, 2)), hitscan.Line((0, 1), (0, 1)),
    bumpy_sphere(8, np.float32), hitscan.Circle((0, 0), 1),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.kind}{shape.dimension}")
def test_shapes_are_pickled_copied_and_placed(shape: hitscan.Shape) -> None:
    origins = RNG.normal(size=(40, shape.dimension)) * 3
    directions = RNG.normal(size=(40, shape.dimension))
    expected = shape.cast(origins, directions, fields=("t", "normal"))
    copies = [pickle.loads(pickle.dumps(shape)), copy.copy(shape), copy.deepcopy(shape)]
    scene = pickle.loads(pickle.dumps(hitscan.Scene([shape])))
    copies.append(scene.object(0).shape)
    for other in (*copies, scene):
        assert other.dtype == shape.dtype
        hits = other.cast(origins, directions, fields=("t", "normal"))
        np.testing.assert_array_equal(hits.t, expected.t)
        np.testing.assert_array_equal(hits.normal, expected.normal)
    assert [repr(other) for other in copies] == [repr(shape)] * 4
    with pytest.raises(AttributeError, match="never changes"):
        shape.center = (1, 2, 3)


def test_files(tmp_path: object) -> None:
    mesh, origins = bumpy_sphere(16), rays(50)
    mesh.save(tmp_path / "a.hitmesh")
    again = hitscan.load(tmp_path / "a.hitmesh")
    np.testing.assert_array_equal(again.cast(*origins).t, mesh.cast(*origins).t)
    scene = hitscan.Scene([mesh, hitscan.Sphere((0, 0, 3), 1)])
    scene.save(tmp_path / "a.hitscene")
    again = hitscan.load(tmp_path / "a.hitscene")
    np.testing.assert_array_equal(again.cast(*origins).t, scene.cast(*origins).t)
    toml = "layers = { wood = 3 }\n[[shape]]\ntype = 'sphere'\ncenter = [0, 0, 5]\nradius = 1\nlayer = 'wood'\n"
    (tmp_path / "a.toml").write_text(toml)
    again = hitscan.load(tmp_path / "a.toml", dtype=np.float64)
    assert (again.layer_names, again.object(0).layers, again.dtype) == ({"wood": 3}, 8, np.float64)
    (tmp_path / "a.toml").write_text(toml.replace("radius", "radios"))
    with pytest.raises(ValueError, match=r"a.toml.*radios"):
        hitscan.load(tmp_path / "a.toml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.hitmesh", "a.hitscene", "a.toml"]


def test_progress_and_its_errors() -> None:
    calls: list[tuple[int, int]] = []
    origins, directions = rays(200_000, np.float32)
    bumpy_sphere(dtype=np.float32).cast(origins, directions, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (200_000, 200_000) and [done for done, _ in calls] == sorted({done for done, _ in calls})

    def fail(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        bumpy_sphere().cast(origins, directions, progress=fail)


@pytest.mark.parametrize("query", ["cast", "cast_all", "signed_distance"])
def test_ctrl_c_ends_a_long_query(query: str) -> None:
    mesh = bumpy_sphere(200)
    origins, directions = (np.broadcast_to(one, (4_000_000, 3)) for one in ((0.1, 0.2, 3.0), (0.0, 0.0, -1.0)))
    arguments = (origins,) if query == "signed_distance" else (origins, directions)
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    threading.Timer(0.3, press).start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            getattr(mesh, query)(*arguments)
    assert time.monotonic() - pressed[0] < 1.0  # 0.1 s on two quiet cores


def test_other_threads_run_during_a_query() -> None:
    mesh, (origins, directions) = bumpy_sphere(200), rays(300_000)
    ticks, done = [], threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            ticks.append(time.monotonic())

    clock = threading.Thread(target=tick)
    clock.start()
    try:
        start = time.monotonic()
        mesh.cast(origins, directions, threads=1)
        during = [time for time in ticks if time > start]
    finally:
        done.set()
        clock.join()
    assert len(during) > 3


def test_threads_query_a_scene_while_it_is_edited() -> None:
    scene = hitscan.Scene([hitscan.Sphere((0, 0, z), 1) for z in range(0, 300, 3)])
    wrong: list[object] = []

    def query() -> None:
        for _ in range(200):
            hits = scene.cast((0, 0, -5), (0, 0, 1))
            if float(hits.t) not in (4.0, 3.0) or not np.isfinite(hits.normal).all():
                wrong.append(hits)

    threads = [threading.Thread(target=query) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(300):
        scene.set_transform(0, [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, -(turn % 2))])
        scene.commit()
    for thread in threads:
        thread.join()
    assert not wrong


def test_results_of_a_few_rays_are_those_of_many() -> None:
    """A few rays of plain arrays go another way: whatever is made of the results is the same."""
    polars = pytest.importorskip("polars")
    mesh = bumpy_sphere()
    origins, directions = rays(300)
    for fields in ("all", ("t", "normal"), ("uv", "point")):
        few = mesh.cast(origins[:50], directions[:50], fields=fields)
        many = mesh.cast(origins.tolist(), directions.tolist(), fields=fields)[:50]
        assert repr(few) == repr(many) and few._repr_html_() == many._repr_html_()
        assert polars.DataFrame(few).equals(polars.DataFrame(many))
        for index in (3, slice(2, 9), few.hit):
            for name in few.fields:
                assert np.array_equal(getattr(few[index], name), getattr(many[index], name), equal_nan=name != "hit")
    one = mesh.cast((3.0, 0, 0), (-1.0, 0.1, 0.1), fields="all")
    assert repr(one) == repr(mesh.cast([(3.0, 0, 0)] * 2, (-1.0, 0.1, 0.1), fields="all")[0])


def test_results_are_pickled_without_the_scene() -> None:
    hits = bumpy_sphere().cast(*rays(20), fields=("t", "normal"))
    twin = pickle.loads(pickle.dumps(hits))
    assert np.array_equal(twin.t, hits.t) and np.array_equal(twin.normal, hits.normal, equal_nan=True)
    with pytest.raises(AttributeError, match="'point' was not computed"):
        _ = twin.point


def test_ids_to_exclude_are_integers() -> None:
    scene = hitscan.Scene([hitscan.Sphere((0, 0, 5), 1)])
    assert not scene.cast((0, 0, 0), (0, 0, 1), exclude=np.array([0])).hit
    for wrong in (0, ["ball"], [0.0], None):
        with pytest.raises(TypeError, match="exclude: .* is no list of ids"):
            scene.cast((0, 0, 0), (0, 0, 1), exclude=wrong)


def test_rays_hit_what_they_run_in_if_the_query_says_so() -> None:
    """A wall without thickness in the plane, which rays meet end-on."""
    wall = hitscan.Segment((2, 0), (5, 0))
    ray = (0, 0), (1, 0)
    assert not wall.cast_any(*ray)
    assert wall.cast_any(*ray, coplanar="hit")
    assert wall.cast(*ray, coplanar="hit").t == 2
    assert wall.count(*ray, coplanar="hit") == 2
    assert wall.cast_all(*ray, coplanar="hit").hits.t.tolist() == [2, 5]
    assert not wall.cast_any(*ray, coplanar="hit", faces="front")
    assert "runs in the surface" in wall.explain(*ray, coplanar="hit")
    assert wall.line_of_sight((0, 0), [(9, 0), (2, 0), (9, 1)]).tolist() == [False, True, True]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_largest_distance_is_a_true_length(dtype: type) -> None:
    """A wall at x = 10, and directions of many lengths: `t` is no number, the distance is exactly 10."""
    wall = hitscan.Plane((10, 0, 0), (1, 0, 0), dtype=dtype)
    directions = np.zeros((399, 3), dtype)
    directions[:, 0] = np.arange(1, 400, dtype=dtype) * dtype(0.37)
    origins = np.zeros(3, dtype)
    ten, below = dtype(10), np.nextafter(dtype(10), dtype(0))
    assert wall.cast_any(origins, directions, max_distance=ten).all()
    assert not wall.cast_any(origins, directions, max_distance=below).any()
    each = np.where(np.arange(399) % 2, ten, below)
    expected = np.arange(399) % 2 == 1
    assert (wall.cast(origins, directions, max_distance=each).hit == expected).all()
    assert (wall.count(origins, directions, max_distance=each) == expected).all()
    assert (np.diff(wall.cast_all(origins, directions, max_distance=each).offsets) == expected).all()
    accepted = wall.cast_where(origins, directions, accept=lambda rays, hits: hits.hit, max_distance=each)
    assert (accepted.hit == expected).all()
    assert (wall.cast_any(origins, ends=directions * dtype(1000), max_distance=each) == expected).all()
    # Besides the range of t, and for the other queries of rays.
    assert not wall.cast_any(origins, directions, max_distance=ten, t_max=dtype(0.01)).any()
    ball = hitscan.Sphere((5, 0, 0), 1, dtype=dtype)
    spans = ball.spans((0, 0, 0), (0.5, 0, 0), max_distance=5)
    assert spans.enter.distance.tolist() == [4.0] and not spans.exit.hit.any()
    assert ball.cast_sphere((0, 0, 0), (0.5, 0, 0), radius=1, max_distance=[2.9, 3.1]).hit.tolist() == [False, True]
    box = hitscan.Box((0, 0, 0), (1, 1, 1), dtype=dtype)
    assert [bool(ball.cast_volume(box, (0.5, 0, 0), max_distance=d).hit) for d in (2.9, 3.1)] == [False, True]
    with pytest.raises(TypeError, match="max_distance: a volume has one distance"):
        ball.cast_volume(box, (0.5, 0, 0), max_distance=[1.0, 2.0])
    with pytest.raises(ValueError, match="max_distance: nan is no limit"):
        ball.cast((0, 0, 0), (1, 0, 0), max_distance=np.nan)
