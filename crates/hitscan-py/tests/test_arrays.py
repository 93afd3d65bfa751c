"""Arguments: precisions, layouts, broadcasting, and errors that name argument, place and value."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import hitscan

BALL = hitscan.Sphere((0, 0, 5), 1)
BALL32 = hitscan.Sphere(np.zeros(3, np.float32), np.float32(1))


def mesh(dtype: object = np.float64) -> hitscan.TriangleMesh:
    square = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], dtype)
    return hitscan.TriangleMesh(square, [(0, 1, 2), (0, 2, 3)])


@pytest.mark.parametrize(
    ("geometry", "origins", "result"),
    [
        (np.float32, np.float32, np.float32),
        (np.float32, np.float64, np.float64),
        (np.float64, np.float32, np.float64),
        (np.float64, np.float64, np.float64),
        (np.float32, np.int32, np.float64),
        (np.float32, np.float16, np.float32),
        (np.float32, ">f4", np.float32),
        (np.float32, ">f8", np.float64),
        (np.float32, np.uint8, np.float64),
    ],
)
def test_precision_of_a_query(geometry: object, origins: object, result: object) -> None:
    rays = (
        np.array([(0, 0, 3), (0.5, 0, 2)]).astype(origins),
        np.array([0, 0, -1]).astype(np.float32 if origins != np.float64 else origins),
    )
    hits = mesh(geometry).cast(*rays, fields="all")
    for name in ("t", "distance", "point", "normal", "uv"):
        assert getattr(hits, name).dtype == result, name
    assert hits.t.tolist() == [3.0, 2.0]
    assert hits.primitive.dtype == np.int32 and hits.object.dtype == np.int64 and hits.hit.dtype == np.bool_


def test_a_float32_mesh_is_exact_for_float64_rays() -> None:
    corners = np.array([(0, 0, 0.1), (1, 0, 0.1), (0, 1, 0.1)], np.float32)
    hits = hitscan.TriangleMesh(corners, [(0, 1, 2)]).cast((0.25, 0.25, 1.0), (0, 0, -1.0))
    assert float(hits.t) == 1.0 - float(np.float32(0.1))


def test_python_limits_do_not_widen() -> None:
    o, d = np.array([[0, 0, 3]], np.float32), np.array([0, 0, -1], np.float32)
    assert mesh(np.float32).cast(o, d, t_min=0.5, t_max=10).t.dtype == np.float32
    assert mesh(np.float32).cast(o, d, t_max=np.array([10.0])).t.dtype == np.float64


@pytest.mark.parametrize(
    ("shapes", "result"),
    [
        (((3,), (3,)), ()),
        (((4, 3), (3,)), (4,)),
        (((3,), (4, 3)), (4,)),
        (((1, 3), (4, 3)), (4,)),
        (((2, 1, 3), (4, 3)), (2, 4)),
        (((2, 5, 3), (2, 5, 3)), (2, 5)),
        (((0, 3), (3,)), (0,)),
        (((0, 3), (0, 3)), (0,)),
        (((2, 0, 3), (3,)), (2, 0)),
    ],
)
def test_broadcasting(shapes: tuple[tuple[int, ...], tuple[int, ...]], result: tuple[int, ...]) -> None:
    origins, directions = np.zeros(shapes[0]), np.broadcast_to((0.0, 0.0, 1.0), shapes[1])
    hits = BALL.cast(origins, directions, fields="all")
    assert hits.t.shape == result and hits.point.shape == (*result, 3) and hits.uv.shape == (*result, 2)
    assert (hits.t == 4).all()
    assert BALL.cast_any(origins, directions).shape == result
    assert BALL.count(origins, directions).shape == result
    assert BALL.contains(origins).shape == shapes[0][:-1]
    lists = BALL.cast_all(origins, directions)
    assert lists.offsets.tolist() == list(range(0, 2 * int(np.prod(result)) + 1, 2))


def test_ranges_and_masks_of_rays_broadcast() -> None:
    hits = BALL.cast((0, 0, 0), [(0, 0, 1), (0, 0, 2)], t_max=np.array([[3.0], [9.0]]))
    assert hits.t.tolist() == [[np.inf, 2.0], [4.0, 2.0]]
    scene = hitscan.Scene()
    scene.add(BALL, layers=0b10)
    assert scene.cast_any((0, 0, 0), (0, 0, 1), layers=np.array([1, 2, 3])).tolist() == [False, True, True]


@pytest.mark.parametrize("layout", ["fortran", "strided", "reversed", "swapped", "read-only", "unaligned", "list"])
def test_layouts_of_memory(layout: str) -> None:
    rng = np.random.default_rng(1)
    origins = rng.normal(size=(50, 3))
    directions = np.array((0.0, 0.0, 5.0)) - origins + rng.normal(size=(50, 3)) * 0.3
    expected = BALL.cast(origins, directions, fields="all")

    def changed(array: np.ndarray) -> object:
        match layout:
            case "fortran":
                return np.asfortranarray(array)
            case "strided":
                return np.repeat(np.repeat(array, 2, 0), 3, 1)[::2, ::3]
            case "reversed":
                return array[::-1].copy()[::-1]
            case "swapped":
                return array.astype(array.dtype.newbyteorder())
            case "read-only":
                array = array.copy()
                array.flags.writeable = False
                return array
            case "unaligned":
                raw = np.zeros(array.nbytes + 1, np.uint8)
                view = raw[1:].view(np.float64).reshape(array.shape)
                view[:] = array
                return view
            case _:
                return array.tolist()

    hits = BALL.cast(changed(origins), changed(directions), fields="all")
    for name in hits.fields:
        np.testing.assert_array_equal(getattr(hits, name), getattr(expected, name), err_msg=name)
    faces = np.array([(0, 1, 2), (0, 2, 3)], np.float64)
    again = hitscan.TriangleMesh(changed(mesh().vertices), np.asarray(changed(faces)).astype(np.int64))
    assert (again.vertices == mesh().vertices).all() and (again.faces == mesh().faces).all()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: BALL.cast((0, 0), (0, 0, 1)), ValueError, ["origins", "(2,)", "(n, 3)"]),
        (lambda: BALL.cast(0.0, (0, 0, 1)), ValueError, ["origins", "()"]),
        (
            lambda: BALL.cast(np.zeros((2, 3)), np.zeros((3, 3))),
            ValueError,
            ["origins has (2,)", "directions has (3,)"],
        ),
        (lambda: BALL.cast(np.zeros(3, complex), (0, 0, 1)), TypeError, ["origins", "complex128"]),
        (lambda: BALL.cast(np.array(["a", "b", "c"]), (0, 0, 1)), TypeError, ["origins", "<U1"]),
        (lambda: BALL.cast([(0, 0, 0), (1, 1)], (0, 0, 1)), ValueError, ["origins"]),
        (lambda: BALL.cast(np.zeros(3, bool), (0, 0, 1)), TypeError, ["origins", "bool"]),
        (lambda: BALL.cast(np.zeros(3, np.longdouble), (0, 0, 1)), TypeError, ["origins", "float64"]),
        (lambda: BALL.cast((2**53 + 1, 0, 0), (0, 0, 1)), ValueError, ["origins", "9007199254740993"]),
        (lambda: BALL.cast((0, 0, 0)), TypeError, ["directions", "ends"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), ends=(0, 0, 1)), TypeError, ["directions", "ends"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), t_max=np.nan), ValueError, ["t_max", "nan"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), inside="half"), ValueError, ["inside", "half", "hollow"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), faces="left"), ValueError, ["faces", "left", "back"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), triggers="no"), ValueError, ["triggers", "no", "ignore"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), coplanar="no"), ValueError, ["coplanar", "no", "miss"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), fields=("t", "colour")), ValueError, ["fields", "colour", "normal"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), threads=-1), ValueError, ["threads", "-1"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), progress=3), TypeError, ["progress", "3"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), layers=1), TypeError, ["layers", "Scene"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), exclude=[0]), TypeError, ["exclude", "Scene"]),
        (lambda: hitscan.Scene([BALL]).cast((0, 0, 0), (0, 0, 1), layers=2**32), ValueError, ["layers", "4294967296"]),
        (lambda: hitscan.Scene([BALL]).cast((0, 0, 0), (0, 0, 1), layers=[1, -5]), ValueError, ["layers[1]", "-5"]),
        (lambda: hitscan.Scene([BALL]).cast((0, 0, 0), (0, 0, 1), exclude=[-1]), KeyError, ["-1"]),
        (lambda: BALL.cast_sphere((0, 0, 0), (0, 0, 1), radius=-1), ValueError, ["radius", "-1"]),
        (lambda: BALL.closest_point((0, 0, 0), max_distance=-1), ValueError, ["max_distance", "-1"]),
        (lambda: BALL.cast((0, 0, 0), (0, 0, 1), max_distance=-1), ValueError, ["max_distance: -1 is no length"]),
        (lambda: BALL.spans((0, 0, 0), (0, 0, 1), max_distance=np.float32(-1)), ValueError, ["max_distance: -1 is no"]),
        (lambda: BALL.closest_primitives((0, 0, 0), k=0), ValueError, ["k", "0"]),
        (lambda: BALL.contains((0, 0, 0), rule="odd"), ValueError, ["rule", "odd", "winding_number"]),
        (lambda: BALL.overlaps("ball"), TypeError, ["volumes"]),
        (lambda: BALL.overlaps(hitscan.Circle((0, 0), 1)), ValueError, ["volumes[0]", "2"]),
        (lambda: BALL.overlaps([BALL, hitscan.Disk((0, 0, 0), (0, 0, 1), 1)]), ValueError, ["volumes[1]", "disk"]),
        (lambda: hitscan.ViewFrustum(np.zeros((8, 3))), ValueError, ["corners"]),
        (lambda: hitscan.ViewFrustum(np.zeros((7, 3))), ValueError, ["corners", "(7, 3)"]),
        (lambda: hitscan.ViewFrustum.from_view_projection(np.zeros((4, 4))), ValueError, ["matrix"]),
        (lambda: hitscan.Sphere((0, 0, 0), -1), ValueError, ["Sphere", "radius", "-1"]),
        (lambda: hitscan.Sphere((0, 0, np.nan), 1), ValueError, ["Sphere", "center", "nan"]),
        (lambda: hitscan.Sphere((0, 0), 1), ValueError, ["Sphere", "center", "(2,)"]),
        (lambda: hitscan.Sphere((0, 0, 0), (1, 2)), ValueError, ["Sphere", "radius", "(2,)"]),
        (lambda: hitscan.Box((0, 0, 0), (1, 1, 1), [(1, 0, 0), (0, 1, 0), (1, 1, 0)]), ValueError, ["Box", "axes"]),
        (lambda: hitscan.Polygon([(0, 0), (1, 0)]), ValueError, ["Polygon", "vertices"]),
        (lambda: hitscan.TriangleMesh([(0, 0, 0)], [(0, 0, 1)]), ValueError, ["faces[0, 2]", "1", "there are 1"]),
        (lambda: hitscan.TriangleMesh([(0, 0, 0)], [(0, 0, -1)]), ValueError, ["faces[0, 2]", "-1"]),
        (lambda: hitscan.TriangleMesh([(0, 0, 0)], [(0.0, 0, 0)]), TypeError, ["faces", "float64"]),
        (lambda: hitscan.TriangleMesh([(0, 0, 0)], [(0, 0)]), ValueError, ["faces", "(1, 2)"]),
        (lambda: hitscan.TriangleMesh([(0, 0, np.inf)], [(0, 0, 0)]), ValueError, ["vertices[0]", "inf"]),
        (lambda: hitscan.TriangleMesh([(0, 0, 0)], np.empty((0, 3), int)), ValueError, ["triangle"]),
        (
            lambda: hitscan.TriangleMesh([(0, 0, 0)], [(0, 0, 0)], quality="best"),
            ValueError,
            ["quality", "best", "high"],
        ),
        (lambda: hitscan.TriangleMesh([(0, 0, 0)], [(0, 0, 0)], dtype=np.int8), TypeError, ["dtype", "int8"]),
        (lambda: hitscan.Scene([BALL], dtype=np.int8), TypeError, ["dtype", "int8"]),
        (lambda: hitscan.Scene(dimension=4), ValueError, ["dimension", "4"]),
        (lambda: hitscan.Scene().add(hitscan.Circle((0, 0), 1)), ValueError, ["shape", "2 dimensions"]),
        (lambda: hitscan.Scene().add(BALL, layers=0), ValueError, ["layers"]),
        (lambda: hitscan.Scene().add(BALL, user_data=-1), ValueError, ["user_data", "-1"]),
        (lambda: hitscan.Scene().add(BALL, transform=np.eye(3)), ValueError, ["transform", "(3, 3)", "(4, 4)"]),
        (lambda: hitscan.Scene().add(BALL, transform=np.zeros((3, 4))), ValueError, ["transform", "singular"]),
        (lambda: hitscan.Scene().add(BALL, transform=np.ones((4, 4))), ValueError, ["transform", "last row"]),
        (lambda: hitscan.Scene(dtype=np.float32).add(mesh()), TypeError, ["shape", "float64", "astype"]),
        (lambda: hitscan.Scene().remove(5), KeyError, ["5"]),
        (lambda: hitscan.load("no-such-file.obj"), OSError, ["no-such-file.obj"]),
        (lambda: mesh().save("mesh.ply"), ValueError, ["mesh.ply", ".hitmesh"]),
    ],
)
def test_errors_name_argument_and_value(call: object, error: type[Exception], words: list[str]) -> None:
    with pytest.raises(error) as raised:
        call()  # type: ignore[operator]
    for word in words:
        assert word in str(raised.value), str(raised.value)


MASKED = np.ma.array([0.0, 0, 1], mask=[True, False, False])


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("origins", lambda: BALL.cast(MASKED, (0, 0, 1))),
        ("origins", lambda: BALL.cast([MASKED, MASKED], (0, 0, 1))),
        ("origins", lambda: BALL.cast((MASKED, np.zeros(3)), (0, 0, 1))),
        ("origins", lambda: BALL.cast([np.zeros(3), MASKED], (0, 0, 1))),
        ("directions", lambda: BALL.cast_any((0, 0, 0), MASKED)),
        ("directions", lambda: BALL.cast((0, 0, 0), (0, 0, 1)).spawn_rays(MASKED)),
        ("ends", lambda: BALL.count((0, 0, 0), ends=np.ma.array(MASKED.data))),  # no value is masked
        ("t_max", lambda: BALL.cast((0, 0, 0), (0, 0, 1), t_max=MASKED)),
        ("t_max", lambda: BALL.cast((0, 0, 0), (0, 0, 1), t_max=np.ma.masked)),
        ("layers", lambda: hitscan.Scene([BALL]).cast((0, 0, 0), (0, 0, 1), layers=np.ma.array([1, 2]))),
        ("points", lambda: BALL.distance(MASKED)),
        ("Sphere: center", lambda: hitscan.Sphere(MASKED, 1)),
        ("vertices", lambda: hitscan.TriangleMesh(np.ma.array(mesh().vertices), mesh().faces)),
        ("faces", lambda: hitscan.TriangleMesh(mesh().vertices, np.ma.array(mesh().faces))),
        ("transform", lambda: hitscan.Scene().add(BALL, transform=np.ma.array(np.eye(4)))),
        ("accept", lambda: BALL.cast_where((0, 0, 0), (0, 0, 1), accept=lambda _, hits: np.ma.array(hits.hit))),
        (r"out\['t'\]", lambda: BALL.cast(np.zeros((3, 3)), (0, 0, 1), out={"t": MASKED})),
    ],
)
def test_masked_arrays_are_refused(name: str, call: object) -> None:
    with pytest.raises(TypeError, match=rf"^{name}: a masked array; .*\.filled\("):
        call()  # type: ignore[operator]


def test_a_table_whose_export_needs_another_package_is_an_array() -> None:
    class Frame:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise ImportError("pyarrow")

        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return np.zeros((2, 3))

    assert BALL.cast(Frame(), (0, 0, 1)).t.tolist() == [4.0, 4.0]


def test_rays_that_are_no_rays_miss() -> None:
    origins = np.zeros((5, 3))
    directions = np.array([(0, 0, 1), (0, 0, 0), (0, 0, np.nan), (0, 0, np.inf), (0, 0, 1e-300)])
    assert BALL.cast_any(origins, directions).tolist() == [True, False, False, False, True]
    origins[0, 1] = np.nan
    assert BALL.cast(origins, directions).t[0] == np.inf
    assert not BALL.contains([(np.nan, 0, 5), (np.inf, 0, 5)]).any()


finite = st.floats(-1e6, 1e6, allow_nan=False, width=32)


@settings(max_examples=150, deadline=None)
@given(
    origins=npst.arrays(
        st.sampled_from([np.float32, np.float64, np.int32, np.dtype(">f8")]),
        st.tuples(st.integers(0, 6), st.just(3)),
        elements=None,
    ),
    directions=npst.arrays(st.sampled_from([np.float32, np.float64]), st.just((3,)), elements=None),
    is_double=st.booleans(),
)
def test_any_array_gives_arrays_or_an_error(origins: np.ndarray, directions: np.ndarray, is_double: bool) -> None:
    """Any numbers, NaN, infinities and denormals, too: every answer is in its range, and batches equal single casts."""
    shape = mesh(np.float64 if is_double else np.float32)
    hits = shape.cast(origins, directions, fields="all")
    assert hits.t.shape == (len(origins),)
    assert (hits.t[hits.hit] >= 0).all() and np.isinf(hits.t[~hits.hit]).all()
    np.testing.assert_array_equal(np.isnan(hits.normal).all(-1), ~hits.hit)
    for row, origin in enumerate(origins):
        one = shape.cast(origin, directions, fields="all")
        for name in one.fields:
            np.testing.assert_array_equal(getattr(one, name), getattr(hits, name)[row], err_msg=name)
    np.testing.assert_array_equal(shape.cast_any(origins, directions), hits.hit)


@settings(max_examples=100, deadline=None)
@given(
    points=npst.arrays(np.float64, st.tuples(st.integers(1, 8), st.just(3)), elements=finite),
    radius=st.floats(0.125, 100, width=32),
)
def test_distances_of_a_sphere(points: np.ndarray, radius: float) -> None:
    ball = hitscan.Sphere((1, 2, 3), radius)
    expected = np.linalg.norm(points - (1, 2, 3), axis=1) - radius
    scale = np.abs(points).max() + radius + 3
    np.testing.assert_allclose(ball.signed_distance(points), expected, atol=scale * 1e-14)
    np.testing.assert_array_equal(ball.distance(points), np.abs(ball.signed_distance(points)))
    np.testing.assert_array_equal(ball.contains(points), ball.signed_distance(points) <= 0)


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ValueError, "inside: True is none of 'solid', 'hollow'", lambda s: s.count((0, 0, 0), (0, 0, 1), inside=True)),
        (ValueError, "triggers: 1 is none of", lambda s: s.count((0, 0, 0), (0, 0, 1), triggers=1)),
        (ValueError, "faces: 'top' is none of", lambda s: s.count((0, 0, 0), (0, 0, 1), faces="top")),
        (TypeError, "origins: None; give numbers", lambda s: s.cast(None, (0, 0, 1))),
        (TypeError, "t_max: None; give numbers", lambda s: s.cast((0, 0, 0), (0, 0, 1), t_max=None)),
        (ValueError, "first: 1.5 is no number of rows", lambda s: s.cast_all((0, 0, 0), (0, 0, 1), first=1.5)),
        (ValueError, "first: -1 is no number of rows", lambda s: s.cast_all((0, 0, 0), (0, 0, 1), first=-1)),
        (ValueError, "k: 0 is no number of rows", lambda s: s.closest_primitives((0, 0, 0), k=0)),
        (ValueError, "radius: -1 is no length", lambda s: s.cast_sphere((0, 0, 0), (0, 0, 1), radius=-1)),
        (ValueError, "radius: inf is no radius", lambda s: s.cast_sphere((0, 0, 0), (0, 0, 1), radius=np.inf)),
        (ValueError, "radius: None is no length", lambda s: s.cast_sphere((0, 0, 0), (0, 0, 1), radius=None)),
        (ValueError, r"max_distance: array\(.* is no length", lambda s: s.distance((0, 0, 0), max_distance=np.ones(2))),
        (ValueError, "max_distance: nan is no length", lambda s: s.closest_point((0, 0, 0), max_distance=np.nan)),
        (TypeError, "Sphere: radius: None; give a number", lambda _: hitscan.Sphere((0, 0, 0), None)),
    ],
)
def test_errors_of_rules_and_limits(error: type, message: str, call: object) -> None:
    with pytest.raises(error, match=message):
        call(hitscan.Scene([hitscan.Sphere((0, 0, 5), 1)]))


def test_explain_takes_the_limits_of_its_ray() -> None:
    ball = hitscan.Sphere((0, 0, 5), 1)
    ray = (0, 0, 0), (0, 0, 1)
    for number in (float, np.float32, np.float64):
        assert ball.explain(*ray, t_max=number(3.5)).startswith("miss")
        assert ball.explain(*ray, t_min=number(6.5)).startswith("miss")
        assert "too far: 4 from the origin" in ball.explain(*ray, max_distance=number(3.5))
        assert ball.explain(*ray, t_min=number(4), t_max=number(4), max_distance=number(4)).startswith("hit")
    with pytest.raises(ValueError, match="max_distance: -1 is no length"):
        ball.explain(*ray, max_distance=-1)
    # An array of one mask is that of the ray.
    scene = hitscan.Scene([ball])
    for layers, word in ((2, "miss"), ([2], "miss"), (1, "hit"), ([1], "hit")):
        assert scene.explain(*ray, layers=layers).startswith(word)
