"""Meshes of other packages."""

import numpy as np
import pytest

import hitscan

VERTICES = np.array([(0.1, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0.3)])
FACES = np.array([(0, 1, 2), (0, 2, 3)])


def test_from_trimesh() -> None:
    trimesh = pytest.importorskip("trimesh")
    mesh = hitscan.from_trimesh(trimesh.Trimesh(VERTICES, FACES, process=False))
    assert (mesh.vertices == VERTICES).all() and (mesh.faces == FACES).all() and mesh.dtype == np.float64
    assert hitscan.from_trimesh(trimesh.creation.box(), dtype=np.float32).dtype == np.float32
    assert hitscan.from_trimesh(trimesh.creation.icosphere()).is_closed


def test_trimesh_without_triangles() -> None:
    trimesh = pytest.importorskip("trimesh")
    for wrong in (trimesh.PointCloud(VERTICES), trimesh.load_path([[(0, 0, 0), (1, 0, 0)]]), VERTICES, None):
        with pytest.raises(TypeError, match=f"mesh: a {type(wrong).__name__} has no triangles; give a trimesh.Trimesh"):
            hitscan.from_trimesh(wrong)


def test_a_scene_of_trimesh_shares_its_meshes() -> None:
    trimesh = pytest.importorskip("trimesh")
    made = trimesh.Scene()
    ball = trimesh.creation.icosphere()
    for x in (0, 5):
        made.add_geometry(ball, node_name=f"ball {x}", geom_name="ball", transform=np.diag([1.0, 1, 2, 1]) + shift(x))
    made.add_geometry(trimesh.load_path([[(0, 0, 0), (1, 0, 0)]]), node_name="path")
    scene = hitscan.from_trimesh(made)
    assert isinstance(scene, hitscan.Scene) and len(scene) == 2 and scene.dtype == np.float64
    hits = scene.cast([(0, 0, 9), (5, 0, 9)], (0, 0, -1))
    np.testing.assert_allclose(hits.t, 7)
    assert [scene.object(int(number)).name for number in hits.object] == ["ball 0", "ball 5"]


def shift(x: float) -> np.ndarray:
    matrix = np.zeros((4, 4))
    matrix[0, 3] = x
    return matrix


def test_from_open3d() -> None:
    open3d = pytest.importorskip("open3d")
    legacy = open3d.geometry.TriangleMesh(
        open3d.utility.Vector3dVector(VERTICES), open3d.utility.Vector3iVector(FACES.astype(np.int32))
    )
    mesh = hitscan.from_open3d(legacy)
    assert (mesh.vertices == VERTICES).all() and (mesh.faces == FACES).all() and mesh.dtype == np.float64
    tensor = open3d.t.geometry.TriangleMesh(
        open3d.core.Tensor(VERTICES.astype(np.float32)), open3d.core.Tensor(FACES.astype(np.int32))
    )
    mesh = hitscan.from_open3d(tensor)
    assert (mesh.vertices == VERTICES.astype(np.float32)).all() and mesh.dtype == np.float32


def test_from_pyvista() -> None:
    pyvista = pytest.importorskip("pyvista")
    polygons = np.array([4, 0, 1, 2, 3])
    mesh = hitscan.from_pyvista(pyvista.PolyData(VERTICES, polygons))
    assert (mesh.vertices == VERTICES).all() and len(mesh.faces) == 2 and mesh.dtype == np.float64
    assert hitscan.from_pyvista(pyvista.ImageData(dimensions=(3, 3, 3))).contains((1, 1, 1))
