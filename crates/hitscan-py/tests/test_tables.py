"""Tables of rays in files."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitscan


def test_text_is_not_rounded_to_a_scene_in_float32(tmp_path: Path) -> None:
    corners = [(500000, 4649776, 0), (500001, 4649776, 0), (500001, 4649777, 0), (500000, 4649777, 0)]
    square = hitscan.TriangleMesh(np.array(corners, np.float32), [(0, 1, 2), (0, 2, 3)])
    # Beside the square by 0.2, which float32 does not hold there.
    (tmp_path / "rays.csv").write_text("ox,oy,oz,dx,dy,dz\n500000.3,4649775.8,5,0,0,-1\n")
    hits = {
        precision: hitscan.cast_files(square, tmp_path / "rays.csv", tmp_path / precision, precision=precision).hits
        for precision in ("auto", "f64", "f32")
    }
    assert square.dtype == np.float32 and hits == {"auto": 0, "f64": 0, "f32": 1}


def test_spans_of_open_meshes_warn(tmp_path: Path) -> None:
    triangle = hitscan.TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    scene = hitscan.Scene()
    scene.add(triangle, layers=0b10)
    scene.add(hitscan.Sphere((0, 0, -3), 1), layers=0b01)
    (tmp_path / "rays.csv").write_text("ox,oy,oz,dx,dy,dz\n0.1,0.1,5,0,0,-1\n")

    def cast(shape: hitscan.Scene | hitscan.Group, name: str, **options: Any) -> int:
        return hitscan.cast_files(shape, tmp_path / "rays.csv", tmp_path / name, **options).rows_out

    # The members of a group count on their layers, too.
    for number, shape in enumerate((scene, hitscan.Group(scene))):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert cast(shape, f"hits-{number}", query="all") == 3
            assert cast(shape, f"solid-{number}", query="spans", layers=0b01) == 2
        text = "^the mesh has no inside: 3 edges have an odd number of triangles"
        with pytest.warns(UserWarning, match=text) as caught:
            assert cast(shape, f"spans-{number}", query="spans") == 2
        assert caught[0].filename == __file__
