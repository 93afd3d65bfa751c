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


class _Readable(Protocol):
    """An open file, or another object that reads like one."""

    def read(self) -> bytes | str: ...


_MESHES = (".obj", ".stl", ".ply", ".off", ".hitmesh")
_FORMATS = (*_MESHES, ".gltf", ".glb", ".toml", ".hitscene")
#: How files of some formats begin; others have no such sign.
_BEGINNINGS = {b"hitmesh\n": ".hitmesh", b"hitscene\n": ".hitscene", b"glTF": ".glb", b"ply": ".ply", b"OFF": ".off"}


def load(
    path: str | PathLike[str] | bytes | bytearray | memoryview | _Readable,
    *,
    dtype: npt.DTypeLike | None = None,
    as_mesh: bool = False,
    file_type: str | None = None,
) -> TriangleMesh | Scene:
    """Reads a file: a mesh from OBJ, STL, PLY, OFF and `.hitmesh`; a scene from glTF, TOML and `.hitscene`.

    Parameters
    ----------
    path : path-like, file object or bytes
        File. Its extension says its format. A file object or bytes is the content of one file, which names no others.
    dtype : dtype, optional
        `float32` or `float64`, to which numbers are rounded. By default `float32` if that holds all numbers of the file.
    as_mesh : bool
        Whether to join the nodes of a glTF to one mesh.
    file_type : str, optional
        Format, such as "stl". By default the extension of a path or of the name of a file object says it, and the beginning
        of other content where the format has a sign there: `.ply`, `.off`, `.glb`, `.hitmesh` and `.hitscene` have one. The
        file of a path with another extension is read as content, so it names no others.

    Returns
    -------
    TriangleMesh or Scene

    Raises
    ------
    OSError
        If the file cannot be read.
    TypeError
        If `path` is none of these.
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
    >>> hitscan.load((folder / "one.obj").read_bytes(), file_type="obj")
    TriangleMesh(3 vertices, 1 faces, float32)
    """
    if isinstance(path, str | PathLike):
        suffix = Path(path).suffix.lower()
        if file_type is None or _suffix(b"", Path(path).name, file_type) == suffix:
            return _loaded(Path(path), dtype, as_mesh, 3)
    content, name = _content(path)
    suffix = _suffix(content, name, file_type)
    # The readers open files by their names. In a folder of its own, the file keeps its name in messages.
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{Path(name).stem}{suffix}")
        file.write_bytes(content)
        try:
            return _loaded(file, dtype, as_mesh, 3, f"{folder}{os.sep}")
        except (OSError, ValueError) as error:
            raise type(error)(str(error).replace(f"{folder}{os.sep}", "")) from None


def _content(source: object) -> tuple[bytes, str]:
    """The content of a path, a file object or bytes, and the name of its file."""
    if isinstance(source, str | PathLike):
        return Path(source).read_bytes(), Path(source).name
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), "bytes"
    read = getattr(source, "read", None)
    if read is None:
        raise TypeError(f"path: a {type(source).__name__}; give a path, a file object or bytes")
    content, name = read(), getattr(source, "name", None)
    content = content.encode() if isinstance(content, str) else content
    if not isinstance(content, bytes | bytearray | memoryview):
        raise TypeError(f"path: read() returned a {type(content).__name__}, not bytes")
    # The name of a temporary file may be a number.
    return bytes(content), Path(name).name if isinstance(name, str | PathLike) else "file"


def _suffix(content: bytes, name: str, file_type: str | None) -> str:
    """The extension of the format of a file."""
    suffix = Path(name).suffix.lower()
    if file_type is not None:
        suffix = "." + str(file_type).lower().removeprefix(".")
    elif suffix not in _FORMATS:
        found = (format for sign, format in _BEGINNINGS.items() if content.startswith(sign))
        suffix = next(found, "")
    if suffix not in _FORMATS:
        known = ", ".join(repr(format[1:]) for format in _FORMATS)
        what = "the content does not say its format" if file_type is None else f"{file_type!r} is no format"
        raise ValueError(f"file_type: {what}; give one of {known}")
    return suffix


def _loaded(
    path: Path, dtype: npt.DTypeLike | None, as_mesh: bool, stacklevel: int, left_out: str = ""
) -> TriangleMesh | Scene:
    """The content of a file. `left_out` is removed from messages: the temporary folder."""
    is_double = None
    if dtype is not None:
        if np.dtype(dtype) not in (np.float32, np.float64):
            raise TypeError(f"dtype: {np.dtype(dtype)} is neither float32 nor float64")
        is_double = np.dtype(dtype) == np.float64
    core, layers, notes = _core.load(os.fspath(path), is_double, as_mesh)
    for note in notes:
        warnings.warn(note.replace(left_out, "") if left_out else note, stacklevel=stacklevel)
    suffix = path.suffix.lower()
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
