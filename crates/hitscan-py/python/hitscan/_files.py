"""Meshes and scenes from files and from objects of other packages."""

from __future__ import annotations

import os
import tempfile
import warnings
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from hitscan import _core
from hitscan._scene import Scene
from hitscan._shapes import Shape, TriangleMesh


class _Meshlike(Protocol):
    """An object with the triangles of a mesh."""

    @property
    def vertices(self) -> Any: ...
    @property
    def faces(self) -> Any: ...


_MESHES = (".obj", ".stl", ".ply", ".off", ".hitmesh")


def load(
    path: str | PathLike[str], *, dtype: npt.DTypeLike | None = None, as_mesh: bool = False
) -> TriangleMesh | Scene:
    """Reads a file: a mesh from OBJ, STL, PLY, OFF and `.hitmesh`; a scene from glTF, TOML and `.hitscene`.

    Parameters
    ----------
    path : path-like
        File. Its extension says its format.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded. By default `float32` if that holds all numbers of the file.
    as_mesh : bool
        Whether to join the nodes of a glTF to one mesh.

    Returns
    -------
    TriangleMesh or Scene

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If its content is wrong: one line with file, place and what to do.

    Warns
    -----
    UserWarning
        For content that is left out, cut as well as it can be, or read although it departs from the format of the file, with a count;
        and for content that has no effect, such as a geometry that no object places.

    Examples
    --------
    >>> import hitscan, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "one.obj").write_text("v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n")
    >>> hitscan.load(folder / "one.obj")
    TriangleMesh(3 vertices, 1 faces, float32)
    """
    is_double = None
    if dtype is not None:
        if np.dtype(dtype) not in (np.float32, np.float64):
            raise TypeError(f"dtype: {np.dtype(dtype)} is neither float32 nor float64")
        is_double = np.dtype(dtype) == np.float64
    core, layers, notes = _core.load(os.fspath(path), is_double, as_mesh)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    suffix = Path(path).suffix.lower()
    if suffix in _MESHES or (as_mesh and suffix in (".gltf", ".glb")):
        shape = Shape._from_core(core.object(core.ids()[0])[0])
        assert isinstance(shape, TriangleMesh)
        return shape
    return Scene._of(core, layers)


def write(path: str | PathLike[str], suffix: str, content: bytes) -> None:
    """Writes a file whole or not at all."""
    target = Path(path)
    if target.suffix.lower() != suffix:
        raise ValueError(f"path: {str(target)!r} does not end in {suffix}")
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


@overload
def from_trimesh(mesh: _Meshlike, *, dtype: npt.DTypeLike | None = None) -> TriangleMesh: ...
@overload
def from_trimesh(mesh: Any, *, dtype: npt.DTypeLike | None = None) -> TriangleMesh | Scene: ...
def from_trimesh(mesh: Any, *, dtype: npt.DTypeLike | None = None) -> TriangleMesh | Scene:
    """The mesh of a `trimesh.Trimesh`, or the scene of a `trimesh.Scene`, whose nodes share their meshes.

    Vertices in `float64` stay so unless `dtype` says otherwise. Objects of a scene have the names of the nodes; geometry without
    triangles, such as paths, is left out.

    Parameters
    ----------
    mesh : trimesh.Trimesh or trimesh.Scene
        Mesh, or scene; or any object with `vertices`, (n, 3), and `faces`, (m, 3).
    dtype : dtype, optional
        `float32` or `float64`, to which vertices are rounded; by default that of the vertices.

    Returns
    -------
    TriangleMesh or Scene

    Raises
    ------
    TypeError
        If the argument has no triangles, such as a `trimesh.PointCloud`.
    ValueError
        With the vertex or face that is wrong.

    Examples
    --------
    >>> import hitscan, types
    >>> made = types.SimpleNamespace(vertices=[(0.0, 0, 0), (1, 0, 0), (0, 1, 0)], faces=[(0, 1, 2)])
    >>> hitscan.from_trimesh(made)  # any object with vertices and faces
    TriangleMesh(3 vertices, 1 faces, float64)
    """
    if not hasattr(mesh, "graph"):
        if not (hasattr(mesh, "vertices") and hasattr(mesh, "faces")):
            raise TypeError(
                f"mesh: a {type(mesh).__name__} has no triangles; give a trimesh.Trimesh or a trimesh.Scene"
            )
        return TriangleMesh(mesh.vertices, mesh.faces, dtype=dtype)
    meshes = {
        name: TriangleMesh(one.vertices, one.faces, dtype=dtype)
        for name, one in mesh.geometry.items()
        if hasattr(one, "faces") and len(one.faces)
    }
    scene = Scene(dtype=np.result_type(*(one.dtype for one in meshes.values())) if meshes else dtype)
    for node in mesh.graph.nodes_geometry:
        transform, name = mesh.graph[node]
        if name in meshes:
            scene.add(meshes[name], transform=transform, name=str(node))
    return scene


def from_open3d(mesh: Any, *, dtype: npt.DTypeLike | None = None) -> TriangleMesh:
    """The mesh of an `open3d.geometry.TriangleMesh` or an `open3d.t.geometry.TriangleMesh`, in its precision."""
    if hasattr(mesh, "vertex"):
        return TriangleMesh(mesh.vertex.positions.numpy(), mesh.triangle.indices.numpy(), dtype=dtype)
    return TriangleMesh(np.asarray(mesh.vertices), np.asarray(mesh.triangles), dtype=dtype)


def from_pyvista(mesh: Any, *, dtype: npt.DTypeLike | None = None) -> TriangleMesh:
    """The surface of a `pyvista.PolyData`, its polygons cut to triangles, or that of another data set, in its precision."""
    surface = mesh
    if not hasattr(mesh, "is_all_triangles"):
        try:
            surface = mesh.extract_surface(algorithm=None)
        except TypeError:  # before pyvista 0.47
            surface = mesh.extract_surface()
    surface = surface.triangulate()
    return TriangleMesh(np.asarray(surface.points), np.asarray(surface.faces).reshape(-1, 4)[:, 1:], dtype=dtype)
