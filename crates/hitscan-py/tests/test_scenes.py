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


def test_a_loaded_scene_has_its_ids(tmp_path: Path) -> None:
    scene = hitscan.Scene()
    near, far = (scene.add(hitscan.Sphere((0, 0, z), 1)) for z in (4, 8))
    scene.remove(near)
    last = scene.add(hitscan.Sphere((0, 0, 12), 1))
    assert scene.ids == [far, last] == [1, 2**32]
    scene.save(tmp_path / "gaps.hitscene")
    loaded = hitscan.load(tmp_path / "gaps.hitscene")
    assert isinstance(loaded, hitscan.Scene) and loaded.ids == scene.ids
    ray = (0, 0, 0), (0, 0, 1)
    assert int(loaded.cast(*ray).object) == far and int(loaded.cast(*ray, exclude=[far]).object) == last
    # Ids go on as in the saved scene.
    assert loaded.add(BALL) == scene.add(BALL)
    assert 0 not in loaded and last in loaded


#: Two balls in a group: the first one is on layer 0, the second one on layer 1; the group is on both.
def group_on_layers() -> hitscan.Scene:
    members = hitscan.Scene()
    members.add(hitscan.Sphere((0, 0, 0), 1), layers=0b01)
    members.add(hitscan.Sphere((10, 0, 0), 1), layers=0b10)
    scene = hitscan.Scene()
    scene.add(hitscan.Group(members), layers=0b11)
    return scene


def test_layers_of_members_are_those_of_every_query() -> None:
    scene, mask = group_on_layers(), 0b10
    assert float(scene.cast((-5, 0, 0), (1, 0, 0), layers=mask).t) == 14
    assert scene.contains([(0, 0, 0), (10, 0, 0)], layers=mask).tolist() == [False, True]
    assert scene.contains([(0, 0, 0), (10, 0, 0)], layers=mask, rule="parity_if_closed").tolist() == [False, True]
    assert float(scene.distance((2, 0, 0), layers=mask)) == 7
    assert float(scene.signed_distance((0, 0, 0), layers=mask)) == 9
    assert float(scene.closest_point((2, 0, 0), layers=mask).distance) == 7
    assert scene.closest_primitives((2, 0, 0), layers=mask).found.distance.tolist() == [7]
    volumes = [hitscan.Sphere((0, 0, 0), r) for r in (5, 9, 50)]
    assert scene.overlaps(volumes, layers=mask).tolist() == [False, True, True]
    assert scene.count_overlapping(volumes, layers=mask).tolist() == [0, 1, 1]
    assert scene.count_overlapping(volumes, layers=0b100).tolist() == [0, 0, 0]
    assert float(scene.cast_sphere((-5, 0, 0), (1, 0, 0), radius=0.5, layers=mask).t) == 13.5
    assert float(scene.thickness((-5, 0, 0), (1, 0, 0), layers=mask).length) == 2


def test_an_array_of_layers_is_for_each_ray() -> None:
    scene = group_on_layers()
    masks = np.array([0b01, 0b10, 0b11, 0b100])
    one = [scene.line_of_sight((-5, 0, 0), (5, 0, 0), layers=int(mask)).item() for mask in masks]
    assert scene.line_of_sight((-5, 0, 0), (5, 0, 0), layers=masks).tolist() == one == [False, True, False, True]
    box = hitscan.Box((-5, 0, 0), (0.5, 0.5, 0.5))
    one = [float(scene.cast_volume(box, (1, 0, 0), layers=int(mask)).t) for mask in masks]
    assert scene.cast_volume(box, (1, 0, 0), layers=masks).t.tolist() == one == [3.5, 13.5, 3.5, np.inf]
    one = [float(scene.cast_sphere((-5, 0, 0), (1, 0, 0), radius=0.5, layers=int(mask)).t) for mask in masks]
    assert scene.cast_sphere((-5, 0, 0), (1, 0, 0), radius=0.5, layers=masks).t.tolist() == one
    lengths = scene.layer_lengths((-5, 0, 0), (1, 0, 0), layers=masks)
    assert lengths[:, 0].tolist() == [2, 2, 4, 0]
    # Points and thicknesses take one mask.
    for query in (
        lambda: scene.contains((0, 0, 0), layers=masks),
        lambda: scene.thickness((-5, 0, 0), (1, 0, 0), layers=masks),
    ):
        with pytest.raises(TypeError, match="layers: .* is no mask of layers"):
            query()
