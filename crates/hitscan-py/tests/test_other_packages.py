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
