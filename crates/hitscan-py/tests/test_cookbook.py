"""The examples in Python of the pages `docs/first-rays.md`, `docs/cookbook.md` and `docs/exactness.md`.

The pages include the sections between the marks `--8<--`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import hitscan


def ball_and_wall() -> tuple[hitscan.Scene, int, int]:
    """The scene of the cookbook."""
    # --8<-- [start:scene]
    import hitscan

    scene = hitscan.Scene()
    ball = scene.add(hitscan.Sphere((5, 0, 0), 1), name="ball")  # centre, radius; returns the id of the object
    wall = scene.add(hitscan.Box((9, 0, 0), (1, 2, 2)), name="wall")  # centre, half of its size
    # --8<-- [end:scene]
    return scene, ball, wall


def test_first_rays(capsys: pytest.CaptureFixture[str]) -> None:
    # --8<-- [start:first-rays]
    import hitscan

    scene = hitscan.Scene()
    scene.add(hitscan.Sphere((5, 0, 0), 1), name="ball")
    scene.add(hitscan.Box((9, 0, 0), (1, 2, 2)), name="wall")

    directions = [(1, 0, 0), (1, 0.21875, 0), (0, 1, 0)]
    hits = scene.cast((0, 0, 0), directions)  # one origin for all rays
    for hit in hits:
        if hit:
            print(f"t = {float(hit.t):g}, {scene.object(int(hit.object)).name} at {hit.point}, normal {hit.normal}")
        else:
            print("a miss")
    # --8<-- [end:first-rays]
    assert capsys.readouterr().out == (
        "t = 4, ball at [4. 0. 0.], normal [-1.  0.  0.]\n"
        "t = 8, wall at [8.   1.75 0.  ], normal [-1.  0.  0.]\n"
        "a miss\n"
    )


def test_closest_and_any_hit() -> None:
    scene, ball, _ = ball_and_wall()
    # --8<-- [start:closest]
    hit = scene.cast((0, 0, 0), (1, 0, 0))  # origin, direction
    assert hit.t == 4 and hit.point.tolist() == [4, 0, 0] and hit.normal.tolist() == [-1, 0, 0]
    assert hit.object == ball and hit.front

    # Any hit: only whether there is one. It may stop at the first that it finds.
    assert scene.cast_any((0, 0, 0), (1, 0, 0))
    assert not scene.cast_any((0, 0, 0), (1, 0, 0), t_max=3.5)  # nothing up to t = 3.5

    # The t of a segment runs from 0 to 1.
    assert scene.cast((0, 0, 0), ends=(8, 0, 0)).t == 0.5
    # --8<-- [end:closest]


def test_all_hits_and_spans() -> None:
    scene, _, _ = ball_and_wall()
    # --8<-- [start:all]
    lists = scene.cast_all((0, 0, 0), (1, 0, 0))
    assert lists.hits.t.tolist() == [4, 6, 8, 10]
    assert scene.count((0, 0, 0), (1, 0, 0)) == 4

    # A span is a part of the ray inside of one solid.
    spans = scene.spans((0, 0, 0), (1, 0, 0))
    assert spans.enter.t.tolist() == [4, 8] and spans.exit.t.tolist() == [6, 10]
    assert spans.length.tolist() == [2, 2]
    # --8<-- [end:all]


def test_a_mesh_of_arrays() -> None:
    # --8<-- [start:mesh]
    import hitscan

    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    tetrahedron = hitscan.TriangleMesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    assert tetrahedron.is_closed  # so it has an inside

    hit = tetrahedron.cast((0.25, 0.25, 5), (0, 0, -1))
    assert hit.t == 4.5 and hit.primitive == 3  # the triangle with this number
    # --8<-- [end:mesh]


def test_a_mesh_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("corner.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    # --8<-- [start:file]
    mesh = hitscan.load("corner.obj")  # .obj, .stl, .ply, .off; a .gltf or .toml file is a scene
    hit = mesh.cast((0.25, 0.25, 5), (0, 0, -1))
    assert hit.t == 4.5 and hit.primitive == 3
    # --8<-- [end:file]


def test_objects_that_move() -> None:
    scene, ball, wall = ball_and_wall()
    # --8<-- [start:moving]
    # A transform is the place of the object, not a step: it replaces the one before.
    scene.set_transform(ball, [[1, 0, 0, 0], [0, 1, 0, 7], [0, 0, 1, 0]])
    scene.commit()  # once a frame, after all edits
    assert scene.cast((0, 0, 0), (1, 0, 0)).object == wall

    scene.set_transform(ball, None)
    scene.set_shape(ball, hitscan.Sphere((5, 0, 0), 2))  # another shape for the same object
    scene.commit()
    assert scene.cast((0, 0, 0), (1, 0, 0)).t == 3

    scene.remove(ball)
    assert scene.cast((0, 0, 0), (1, 0, 0)).t == 8
    # --8<-- [end:moving]


def test_batches() -> None:
    scene, ball, wall = ball_and_wall()
    # --8<-- [start:batch]
    import numpy as np

    origins = np.zeros((4, 3))
    origins[:, 1] = [0, 0.75, 1.5, 2.25]
    hits = scene.cast(origins, (1, 0, 0))  # arguments broadcast; all cores work
    assert hits.object.tolist() == [ball, ball, wall, -1]
    assert scene.cast_any(origins, (1, 0, 0)).tolist() == [True, True, True, False]

    # Only the fields that are named, computed in one pass.
    hits = scene.cast(origins, (1, 0, 0), fields=("t", "object"))
    assert hits.t[0] == 4 and hits.t[3] == np.inf
    # --8<-- [end:batch]


def test_distances() -> None:
    scene, ball, wall = ball_and_wall()
    # --8<-- [start:distance]
    found = scene.closest_point((5, 3, 0))
    assert found.distance == 2 and found.point.tolist() == [5, 1, 0] and found.object == ball
    assert scene.signed_distance((5, 0, 0)) == -1  # inside of the ball

    # The nearest two objects within a distance of 9.
    near = scene.closest_primitives((0, 0, 0), k=2, max_distance=9)
    assert near.found.object.tolist() == [ball, wall]
    # --8<-- [end:distance]


def test_thick_rays() -> None:
    scene, ball, wall = ball_and_wall()
    # --8<-- [start:thick]
    # A sphere of radius 0.5 that moves along a ray.
    contact = scene.cast_sphere((0, 0, 0), (1, 0, 0), radius=0.5)
    assert contact.t == 3.5 and contact.point.tolist() == [4, 0, 0] and contact.object == ball

    # Another volume moves from where it is, without turning.
    character = hitscan.Capsule((0, 0, -0.5), (0, 0, 0.5), 0.5)
    assert scene.cast_volume(character, (1, 0, 0)).hit

    # What a volume overlaps where it is. Touching is overlapping.
    assert scene.overlapping(hitscan.Sphere((7, 0, 0), 1)).object.tolist() == [ball, wall]
    # --8<-- [end:thick]


def test_visibility() -> None:
    scene, ball, _ = ball_and_wall()
    # --8<-- [start:sight]
    # Whether nothing is between two points. The two ends themselves do not block.
    eye = (0, 0, 0)
    targets = [(7, 0, 0), (4, 0, 0), (7, 5, 0)]  # behind the ball, a point of the ball, beside it
    assert scene.line_of_sight(eye, targets).tolist() == [False, True, True]
    assert scene.line_of_sight(eye, (7, 0, 0), exclude=[ball])
    # --8<-- [end:sight]


def test_shadows() -> None:
    scene, _, _ = ball_and_wall()
    # --8<-- [start:shadow]
    import numpy as np

    hit = scene.cast((0, 0, 0), (1, 0.1, 0))
    lamp = np.array([0.0, 9.0, 0.0])
    # `spawn_rays` starts just beyond the surface, by the error of the hit point: there is no distance to choose.
    origin, to_lamp = hit.spawn_rays(lamp - hit.point)
    assert not scene.cast_any(origin, to_lamp, t_max=1)  # the lamp lights this point

    origin, downward = hit.spawn_rays((0, -9, 0) - hit.point)
    assert scene.cast_any(origin, downward, t_max=1)  # the ball is in its own way
    # --8<-- [end:shadow]


def test_excluded_objects() -> None:
    scene, ball, wall = ball_and_wall()
    # --8<-- [start:exclude]
    assert scene.cast((0, 0, 0), (1, 0, 0), exclude=[ball]).object == wall

    # By any rule on hits: the function gets arrays of hits, and returns bool for each.
    far = scene.cast_where((0, 0, 0), (1, 0, 0), accept=lambda rays, hits: hits.t > 5)
    assert far.t == 6

    # By layers: an object counts if it shares one of 32 bits with the query.
    scene.set_layers(ball, 0b01)
    scene.set_layers(wall, 0b10)
    assert scene.cast((0, 0, 0), (1, 0, 0), layers=0b10).object == wall
    # --8<-- [end:exclude]


def test_exactness() -> None:
    # --8<-- [start:exact]
    import numpy as np

    import hitscan

    # A ray through the edge that two triangles share crosses once, and one that passes the rim by 1e-300 misses.
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    square = hitscan.TriangleMesh(corners, [(0, 1, 2), (0, 2, 3)])
    assert square.count((0.25, 0.25, 1), (0, 0, -1)) == 1
    assert square.cast_any([(0, 0.5, 1), (-1e-300, 0.5, 1)], (0, 0, -1)).tolist() == [True, False]

    # From a million million radii away: a ray that touches, and one that misses by the last bit.
    ball = hitscan.Sphere((0, 0, 0), 1)
    origins = [(1.0, 0, -1e12), (np.nextafter(1.0, 2.0), 0, -1e12)]
    assert ball.cast_any(origins, (0, 0, 1)).tolist() == [True, False]
    # --8<-- [end:exact]
