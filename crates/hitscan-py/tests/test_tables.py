"""Tables of rays in files."""

from pathlib import Path

import numpy as np

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
