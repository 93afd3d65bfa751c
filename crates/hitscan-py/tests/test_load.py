"""Files from paths, file objects and bytes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitscan

OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
OFF = b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"


def test_a_mesh_from_each_kind_of_content(tmp_path: Path) -> None:
    path = tmp_path / "one.obj"
    path.write_bytes(OBJ)
    other = tmp_path / "one.data"
    other.write_bytes(OBJ)
    with path.open("rb") as file, path.open() as text, other.open("rb") as unnamed:
        contents: list[tuple[Any, str | None]] = [
            (path, None), (str(path), None), (file, None), (text, None), (unnamed, "obj"), (other, ".OBJ"), (OBJ, "obj"),
            (bytearray(OBJ), "obj"), (memoryview(OBJ), "obj"), (io.BytesIO(OBJ), "obj"), (io.StringIO(OBJ.decode()), "obj"),
            (OFF, None), (io.BytesIO(OFF), None),
        ]  # fmt: skip
        for content, file_type in contents:
            mesh = hitscan.load(content, file_type=file_type)
            assert isinstance(mesh, hitscan.TriangleMesh) and mesh.vertices.shape == (3, 3)
    # Saved meshes and scenes say what they are.
    mesh.save(tmp_path / "one.hitmesh")
    scene = hitscan.Scene([hitscan.Sphere((0, 0, 5), 1)])
    scene.save(tmp_path / "one.hitscene")
    assert isinstance(hitscan.load((tmp_path / "one.hitmesh").read_bytes(), dtype=np.float32), hitscan.TriangleMesh)
    assert isinstance(hitscan.load((tmp_path / "one.hitscene").read_bytes()), hitscan.Scene)


def test_a_path_with_the_extension_of_its_format_keeps_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "one.obj").write_bytes(OBJ)
    text = "[[shape]]\nname = 'one'\ntype = 'mesh'\nfile = 'one.obj'\n"
    (tmp_path / "scene.toml").write_text(text)
    (tmp_path / "scene.txt").write_text(text)
    for file_type in (None, "toml", ".TOML"):
        scene = hitscan.load(tmp_path / "scene.toml", file_type=file_type)
        assert isinstance(scene, hitscan.Scene) and len(scene) == 1
    with pytest.raises((OSError, ValueError), match=r"one\.obj"):
        hitscan.load(tmp_path / "scene.txt", file_type="toml")


@pytest.mark.parametrize(
    ("content", "file_type", "error", "message"),
    [
        (OBJ, None, ValueError, "file_type: the content does not say its format; give one of 'obj', 'stl', "),
        (OBJ, "xyz", ValueError, "file_type: 'xyz' is no format; give one of 'obj', "),
        (3, None, TypeError, "path: a int; give a path, a file object or bytes"),
        (b"v 0 0 x\n", "obj", ValueError, r"^bytes\.obj: vertex 0 \(line 1\): 'x' is not a number"),
        (io.BytesIO(b"v 0 0 x\n"), "obj", ValueError, r"^file\.obj: vertex 0"),
    ],
)
def test_errors_of_content(content: Any, file_type: str | None, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        hitscan.load(content, file_type=file_type)


def test_a_mesh_needs_triangles() -> None:
    for faces in ([], np.zeros((0, 3), np.int64), np.zeros((0, 3))):
        with pytest.raises(ValueError, match="faces: there are none; a mesh needs at least one triangle"):
            hitscan.TriangleMesh(np.eye(3), faces)
