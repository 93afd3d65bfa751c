"""Objects of a scene by name and id."""

from pathlib import Path

import numpy as np
import pytest

import hitscan

BALL = hitscan.Sphere((0, 0, 5), 1)


def named(*names: str | None) -> hitscan.Scene:
    scene = hitscan.Scene()
    for name in names:
        scene.add(BALL, name=name)
    return scene


def test_names_and_ids() -> None:
    scene = named("wall", None, "door")
    assert (scene["wall"], scene["door"]) == (0, 2) and type(scene["door"]) is int
    assert "wall" in scene and "floor" not in scene
    assert list(scene) == scene.ids == [0, 1, 2]
    scene.remove(scene["wall"])
    assert "wall" not in scene and 0 not in scene and list(scene) == [1, 2]
    new = scene.add(BALL, name="wall")
    assert scene["wall"] == new and new in scene and np.int64(new) in scene
    for other in (-1, 2**70, 1.0, True, None, ("wall",)):
        assert other not in scene
    assert "wall" in scene.snapshot() and hitscan.Scene() and list(hitscan.Scene()) == []


def test_a_missing_name_has_similar_ones() -> None:
    scene = named("left wall", "left walk", None, "floor")
    with pytest.raises(
        KeyError, match="name: no object has the name 'left wal'; similar names are 'left wall', 'left walk'"
    ):
        scene["left wal"]
    with pytest.raises(KeyError, match="name: no object has the name 'zzz'\"$"):
        scene["zzz"]
    with pytest.raises(KeyError, match="no object has the name ''"):
        hitscan.Scene()[""]


def test_names_are_strings_and_different() -> None:
    scene = named("wall")
    for call in (lambda: scene.add(BALL, name=3), lambda: scene.find(3), lambda: scene[3]):
        with pytest.raises(TypeError, match="name: 3 is no name; give a str"):
            call()
    with pytest.raises(
        ValueError, match="name: the object 0 has the name 'wall'; objects of a scene have different names"
    ):
        scene.add(BALL, name="wall")
    assert len(scene) == 1
    with pytest.raises(TypeError, match=r"shapes\[1\]: 5 is no shape"):
        hitscan.Scene([BALL, 5])


def test_notes_of_mesh_files_are_warnings(tmp_path: Path) -> None:
    bow_tie = tmp_path / "bow-tie.obj"
    bow_tie.write_text("v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n")
    with pytest.warns(UserWarning, match=r"bow-tie.obj: 1 face crosses itself and is cut as well as it can be: face 0"):
        assert len(hitscan.load(bow_tie).faces) == 2


def test_a_float_of_a_text_ply_has_its_digits_in_float64(tmp_path: Path) -> None:
    header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    faces = "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    fine, coarse = tmp_path / "fine.ply", tmp_path / "coarse.ply"
    fine.write_text(f"{header}{faces}5400000.654321 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    coarse.write_text(f"{header}{faces}0.1 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    assert hitscan.load(fine, dtype=np.float64).vertices[0, 0] == 5400000.654321
    assert (hitscan.load(fine).dtype, hitscan.load(coarse).dtype) == (np.float64, np.float32)
    assert hitscan.load(coarse, dtype=np.float64).vertices[0, 0] == 0.1
