"""Pictures."""

import numpy as np
import pytest

import hitscan

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def test_a_picture_of_space_shows_what_rays_see() -> None:
    scene = hitscan.Scene([hitscan.Sphere((0, 0, 0), 1), hitscan.Plane((0, 0, -9), (0, 0, 1))])
    hits = scene.cast((0, 0, 5), [(0, 0, -1), (9, 0, -1)])
    ax = scene.plot(hits, azimuth=-90, elevation=0, pixels=100)
    picture, points = ax.images[0], ax.collections[0]
    assert picture.get_array().shape == (100, 100, 3)
    left, right, low, high = picture.get_extent()
    assert left == pytest.approx(-1.16) and right == pytest.approx(1.16) == high == -low
    colored = (picture.get_array() < 1).any(-1)
    assert colored[50, 50] and not colored[0].any() and not colored[:, 0].any()
    assert colored.mean() == pytest.approx(np.pi / 2.32**2, abs=0.01)
    np.testing.assert_allclose(points.get_offsets()[0], (0, 1), atol=1e-12)
    matplotlib.pyplot.close(ax.figure)


def test_a_picture_of_the_plane() -> None:
    scene = hitscan.Scene([hitscan.Circle((5, 0), 1), hitscan.Segment((3, -1), (3, 1))])
    _, ax = matplotlib.pyplot.subplots()
    assert scene.plot(scene.cast((0, 0), (1, 0)), ax=ax, pixels=60) is ax
    np.testing.assert_allclose(ax.collections[0].get_offsets(), [(3, 0)])
    assert (ax.images[0].get_array() < 1).any(-1).mean() > 0.3
    matplotlib.pyplot.close(ax.figure)


def test_unbounded_shapes_need_bounds() -> None:
    plane = hitscan.Plane((0, 0, 0), (0, 0, 1))
    with pytest.raises(ValueError, match="bounds"):
        plane.plot()
    matplotlib.pyplot.close(plane.plot(bounds=[(-1, -1, -1), (1, 1, 1)], pixels=20).figure)
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize(
    ("error", "words", "arguments"),
    [
        (ValueError, "pixels: 0 is no number of pixels; give 1 or more", {"pixels": 0}),
        (ValueError, "pixels: -5 is no number", {"pixels": -5}),
        (TypeError, "pixels: 2.5 is no number of pixels; give an integer", {"pixels": 2.5}),
        (TypeError, "pixels: True is no number", {"pixels": True}),
        (ValueError, r"bounds: shape \(3, 3\); the shape \(2, 3\) is needed", {"bounds": np.zeros((3, 3))}),
        (TypeError, "bounds: a masked array", {"bounds": np.ma.zeros((2, 3))}),
    ],
)
def test_wrong_arguments_of_a_picture(error: type, words: str, arguments: dict[str, object]) -> None:
    before = matplotlib.pyplot.get_fignums()
    with pytest.raises(error, match=words):
        hitscan.Sphere((0, 0, 0), 1).plot(**arguments)
    assert matplotlib.pyplot.get_fignums() == before
