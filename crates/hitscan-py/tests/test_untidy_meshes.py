"""Meshes that are closed but untidy, meshes without an inside, and repairs."""

import warnings

import numpy as np
import pytest

import hitscan

CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
FACES = np.array(
    [
        (0, 1, 3),
        (0, 3, 2),
        (4, 6, 7),
        (4, 7, 5),
        (0, 4, 5),
        (0, 5, 1),
        (2, 3, 7),
        (2, 7, 6),
        (0, 2, 6),
        (0, 6, 4),
        (1, 5, 7),
        (1, 7, 3),
    ]
)
MIDDLE = (0.5, 0.5, 0.5)
UP = ((0.3, 0.6, -1), (0, 0, 1))


def turned(*rows: int) -> np.ndarray:
    faces = FACES.copy()
    faces[list(rows)] = faces[list(rows)][:, ::-1]
    return faces


@pytest.mark.parametrize(
    "faces",
    [
        *(turned(row) for row in range(12)),
        turned(*range(12)),
        turned(*range(0, 12, 2)),
        np.concatenate([FACES, FACES]),
        np.concatenate([FACES, FACES[:, ::-1]]),
        np.concatenate([FACES, FACES[3:4]]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_orientation_and_repetition_change_no_inside(faces: np.ndarray, dtype: type) -> None:
    mesh = hitscan.TriangleMesh(CORNERS, faces, dtype=dtype)
    scene = hitscan.Scene([mesh])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shape in (mesh, scene):
            assert shape.contains(MIDDLE) and shape.signed_distance(MIDDLE) == -0.5
            assert shape.spans(*UP).length.tolist() == [1.0]
            assert float(shape.thickness(*UP).length) == 1.0
        assert scene.layer_lengths(*UP)[0] == 1.0
    assert mesh.is_closed and mesh.topology["odd_edges"] == 0
    tidy, report = mesh.repaired()
    assert len(tidy.faces) == 12 and tidy.dtype == dtype and tidy.topology["unbalanced_edges"] == 0
    assert report["repeated_triangles"] == len(faces) - 12 and report["closed_parts"] == 1


def test_a_mesh_without_an_inside_warns_once() -> None:
    text = r"the mesh has no inside: 3 edges have an odd number of triangles \(mesh.repaired"
    queries = (
        lambda mesh: mesh.contains(MIDDLE),
        lambda mesh: mesh.signed_distance(MIDDLE),
        lambda mesh: mesh.spans(*UP),
        lambda mesh: mesh.thickness(*UP),
        lambda mesh: mesh.layer_lengths(*UP),
    )
    for query in queries:
        for make in (lambda mesh: mesh, lambda mesh: hitscan.Scene([mesh])):
            shape = make(hitscan.TriangleMesh(CORNERS, FACES[1:]))
            with pytest.warns(UserWarning, match=text) as caught:
                query(shape)
            assert caught[0].filename == __file__
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                query(shape)


def test_a_warning_counts_each_mesh_once() -> None:
    mesh, other = hitscan.TriangleMesh(CORNERS, FACES[1:]), hitscan.TriangleMesh(CORNERS, FACES[2:])
    flat = hitscan.TriangleMesh(CORNERS, [(0, 0, 1), (2, 2, 2)])
    group = hitscan.Group(hitscan.Scene([mesh, other]))
    many = hitscan.Scene([mesh] * 100)
    for shape, text in (
        (flat, r"^the mesh has no inside: it has no triangle with an area$"),
        (
            hitscan.Scene([flat, hitscan.TriangleMesh(CORNERS, [(5, 5, 5)])]),
            r"^2 meshes have no inside: they have no triangle with an area$",
        ),
        (many, r"^the mesh has no inside: 3 edges have "),
        (hitscan.Scene([flat, mesh]), r"^2 meshes have no inside: 3 edges have "),
        (hitscan.Scene([group, group, mesh]), r"^2 meshes have no inside: 7 edges have "),
        (group, r"^2 meshes have no inside: 7 edges have "),
    ):
        with pytest.warns(UserWarning, match=text):
            shape.contains(MIDDLE)


def test_what_does_not_warn() -> None:
    mesh = hitscan.TriangleMesh(CORNERS, FACES[1:])
    scene = hitscan.Scene()
    floor = scene.add(mesh, layers=0b10)
    scene.add(hitscan.Sphere(MIDDLE, 0.25))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mesh.contains(MIDDLE, rule="winding_number")
        mesh.distance(MIDDLE)
        mesh.cast(*UP)
        assert scene.contains(MIDDLE, layers=0b01)
        assert scene.contains(MIDDLE, exclude=[floor])
        assert scene.contains(MIDDLE, exclude=iter([floor]))
    with pytest.warns(UserWarning, match="no inside"):
        scene.contains(MIDDLE)
    # Of a group, the members on the layers of the query count, and what does not warn leaves the warning to others.
    parts = hitscan.Scene()
    parts.add(mesh, layers=0b01)
    parts.add(hitscan.Sphere(MIDDLE, 0.25), layers=0b10)
    scene = hitscan.Scene()
    placed = scene.add(hitscan.Group(parts), layers=0b11)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            assert scene.contains(MIDDLE, layers=0b10)
            assert not scene.contains(MIDDLE, layers=0b01, exclude=[placed])
    with pytest.warns(UserWarning, match="no inside"):
        assert not scene.contains(MIDDLE, layers=0b01)


def test_a_repair_welds() -> None:
    rng = np.random.default_rng(5)
    soup = CORNERS[FACES].reshape(-1, 3) + rng.uniform(-1e-7, 1e-7, (36, 3))
    mesh = hitscan.TriangleMesh(soup, np.arange(36).reshape(-1, 3))
    assert not mesh.is_closed
    tidy, report = mesh.repaired(tolerance=1e-6)
    assert report["merged_vertices"] == 28 and tidy.is_closed and tidy.contains(MIDDLE)
    with pytest.raises(ValueError, match="tolerance must be a finite number"):
        mesh.repaired(-1)
    with pytest.raises(ValueError, match="leaves no triangle"):
        mesh.repaired(10)
