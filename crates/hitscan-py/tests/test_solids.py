"""Solids: the table of cases, operators, errors, precisions, scenes, pickle."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import hitscan

INF = float("inf")
DTYPES = (np.float32, np.float64)
BALL = hitscan.Sphere((0, 0, 0), 1)


def slab(start: float, end: float, dimension: int = 3, dtype: type = np.float64) -> hitscan.Shape:
    """A box between two x, twenty wide along the other axes."""
    center, half = np.zeros((2, dimension), dtype)
    center[0], half[0], half[1:] = (start + end) / 2, (end - start) / 2, 10
    return (hitscan.Rectangle if dimension == 2 else hitscan.Box)(center, half)


def along_x(x: float) -> np.ndarray:
    """The matrix of a translation."""
    matrix = np.eye(4)
    matrix[0, 3] = x
    return matrix


def line(shape: hitscan.Queries) -> tuple[np.ndarray, np.ndarray]:
    """The line along x through the middle of the slabs."""
    return np.array([0, 0.5, 0.25][: shape.dimension], shape.dtype), np.eye(shape.dimension, dtype=shape.dtype)[0]


def spans(shape: hitscan.Queries, **query: object) -> list[tuple[float, float]]:
    """The spans of the whole line; infinite where an end is missing."""
    found = shape.spans(*line(shape), **{"t_min": -INF, **query})
    enter = np.where(found.enter.hit, found.enter.t, -INF)
    return list(zip(enter.tolist(), found.exit.t.tolist()))


def hits(shape: hitscan.Queries, **query: object) -> list[tuple[float, int, float, bool]]:
    """The hits of the whole line: `t`, the leaf, the normal along x, whether it is against the ray."""
    found = shape.cast_all(*line(shape), fields="all", **{"t_min": -INF, **query}).hits
    return list(zip(found.t.tolist(), found.member.tolist(), found.normal[:, 0].tolist(), found.front.tolist()))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dimension", [2, 3])
def test_the_table_of_cases(dimension: int, dtype: type) -> None:
    def s(start: float, end: float) -> hitscan.Shape:
        return slab(start, end, dimension, dtype)

    # A shared exit: the subtracted surface decides, and its normal points out of the solid.
    solid = s(0, 2) - s(1, 2)
    assert type(solid) is hitscan.Solid and (solid.dimension, solid.dtype) == (dimension, dtype)
    assert spans(solid) == [(0, 1)]
    assert hits(solid) == [(0, 0, -1, True), (1, 1, 1, False)]
    # A shared entry.
    solid = s(0, 2) - s(0, 1)
    assert (spans(solid), hits(solid)) == ([(1, 2)], [(1, 1, -1, True), (2, 0, 1, False)])
    # Nothing is left of a shape without itself.
    solid = s(0, 1) - s(0, 1)
    assert (spans(solid), hits(solid)) == ([], []) and not solid.cast_any(*line(solid))
    # A union has no wall where two boxes touch; their intersection is a wall without thickness, a touch.
    solid = s(0, 1) | s(1, 2)
    assert (spans(solid), hits(solid)) == ([(0, 2)], [(0, 0, -1, True), (2, 1, 1, False)])
    solid = s(0, 1) & s(1, 2)
    assert (spans(solid), hits(solid)) == ([(1, 1)], [(1, 1, -1, True)])
    assert solid.count(*line(solid)) == 1
    # A cut without thickness removes points, and no ray sees that.
    solid = s(0, 2) - s(1, 1)
    assert (spans(solid), hits(solid)) == ([(0, 2)], [(0, 0, -1, True), (2, 0, 1, False)])
    # The complement has no first and no last point.
    solid = ~s(0, 2)
    assert (spans(solid), hits(solid)) == ([(-INF, 0), (2, INF)], [(0, 0, 1, False), (2, 0, -1, True)])
    assert not solid.bounds[0, 0] > -INF
    # The range of a query is applied once, to the merged spans.
    solid = (s(0, 8) - s(2, 4)) | s(9, 9)
    assert spans(solid) == [(0, 2), (4, 8), (9, 9)]
    assert spans(solid, t_min=1) == [(1, 2), (4, 8), (9, 9)]
    first = [(-5, INF), (1, INF), (4, INF), (2, INF), (3, INF), (3, 4), (3, 3.75)]
    found = solid.cast(
        *line(solid),
        t_min=np.array([a for a, _ in first], dtype),
        t_max=np.array([b for _, b in first], dtype),
    )
    assert found.t.tolist() == [0, 1, 4, 2, 4, 4, INF]
    assert found.front.tolist() == [True, False, False, False, True, True, False]
    assert solid.cast(*line(solid), t_min=1, inside="hollow").t == 2
    # Points are logic: a subtracted solid takes its surface with it.
    points = np.zeros((4, dimension), dtype)
    points[:, 0] = 0, 0.5, 1, 2
    solid = s(0, 2) - s(1, 2)
    assert solid.contains(points).tolist() == [True, True, False, False]
    assert (~solid).contains(points).tolist() == [False, False, True, True]
    assert solid.thickness(*line(solid), t_min=-1).length == 1


def test_rays_in_faces() -> None:
    a, b = (hitscan.Box((0, 0, z), (1, 1, 1)) for z in (-1, 1))
    along = (-5, 0, 0), (1, 0, 0)  # in the common face
    assert [(a | b).count(*along), (a & b).count(*along), (a - b).count(*along)] == [2, 2, 0]
    above = (-5, 0, 2), (1, 0, 0)  # in a face of b only
    assert [(a | b).count(*above), (a & b).count(*above), (b - a).count(*above)] == [2, 0, 2]


def test_tangents() -> None:
    tangent = (-5, 1, 0), (1, 0, 0)
    far, around = hitscan.Box((9, 9, 9), (1, 1, 1)), hitscan.Box((0, 0, 0), (3, 3, 3))
    assert BALL.cast_all(*tangent).hits.t.tolist() == (BALL | far).cast_all(*tangent).hits.t.tolist() == [5]
    assert (BALL | around).cast_all(*tangent).hits.t.tolist() == [2, 8]
    assert (around - BALL).cast_all(*tangent).hits.t.tolist() == [2, 8]


SHAPES_3D = [
    BALL,
    hitscan.Box((0, 0, 0), (1, 1, 1)),
    hitscan.Box((0, 0, 0), (1, 1, 1), [(0.6, 0.8, 0), (-0.8, 0.6, 0), (0, 0, 1)]),
    hitscan.Capsule((0, 0, 0), (1, 0, 0), 1),
    hitscan.TaperedCapsule((0, 0, 0), (1, 0, 0), 1, 0.5),
    hitscan.Cylinder((-1, 0, 0), (1, 0, 0), 1),
    hitscan.Cone((-1, 0, 0), (1, 0, 0), 1),
    hitscan.Frustum((-1, 0, 0), (1, 0, 0), 1, 0.5),
    hitscan.Ellipsoid((0, 0, 0), (1, 2, 3)),
    hitscan.HalfSpace((0.5, 0, 0), (1, 0, 0)),
    hitscan.TriangleMesh([(-1, -1, -1), (3, 0, 0), (0, 3, 0), (0, 0, 3)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]),
    hitscan.Group(hitscan.Scene([BALL, hitscan.Sphere((1, 0, 0), 1)])),
    hitscan.UserShape([(-1, -1, -1), (1, 1, 1)], lambda *_: None, contains=lambda _: True),
    hitscan.Solid(BALL, transform=np.diag([2, 1, 1, 1])),
]
SHAPES_2D = [
    hitscan.Circle((0, 0), 1),
    hitscan.Rectangle((0, 0), (1, 1)),
    hitscan.Rectangle((0, 0), (1, 1), [(0.6, 0.8), (-0.8, 0.6)]),
    hitscan.Capsule((0, 0), (1, 0), 1),
    hitscan.TaperedCapsule((0, 0), (1, 0), 1, 0.5),
    hitscan.Triangle((-1, -1), (1, -1), (0, 1)),
    hitscan.Polygon([(-1, -1), (1, -1), (0, 1)]),
    hitscan.Ellipse((0, 0), (1, 2)),
    hitscan.HalfPlane((0.5, 0), (1, 0)),
    hitscan.Group(hitscan.Scene([hitscan.Circle((0, 0), 1)])),
]


@pytest.mark.parametrize("shape", SHAPES_3D + SHAPES_2D, ids=lambda shape: f"{shape.kind}{shape.dimension}")
def test_every_shape_that_encloses_points_has_the_operators(shape: hitscan.Shape) -> None:
    other = slab(-0.25, 0.25, shape.dimension)
    assert [(solid.expression, len(solid)) for solid in (shape | other, shape & other, shape - other, ~shape)] == [
        ("0 | 1", 2), ("0 & 1", 2), ("0 - 1", 2), ("~0", 1),
    ]  # fmt: skip
    origin = np.zeros(shape.dimension)
    cells = [shape & other, shape - other, other - shape, ~(shape | other)]
    assert [bool(cell.contains(origin)) for cell in cells] == [True, False, False, False]
    assert [bool(cell.contains(origin + 0.75)) for cell in cells].count(True) == 1


SURFACES = [
    (hitscan.Plane((0, 0, 0), (0, 0, 1)), "a plane encloses no points"),
    (hitscan.Disk((0, 0, 0), (0, 0, 1), 1), "a disk encloses no points"),
    (hitscan.Triangle((0, 0, 0), (1, 0, 0), (0, 1, 0)), "a triangle encloses no points"),
    (hitscan.TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]), "a mesh with holes encloses no points"),
    (hitscan.Group(hitscan.Scene([hitscan.Disk((0, 0, 0), (0, 0, 1), 1)])), "a group with a surface"),
    (hitscan.UserShape([(-1, -1, -1), (1, 1, 1)], lambda *_: None, solid=False), "encloses no points"),
    (hitscan.Line((0, 0), (0, 1)), "encloses no points"),
    (hitscan.Segment((0, 0), (0, 1)), "a segment encloses no points"),
]


@pytest.mark.parametrize(("surface", "message"), SURFACES, ids=lambda value: getattr(value, "kind", ""))
def test_surfaces_are_no_parts(surface: hitscan.Shape, message: str) -> None:
    solid = slab(0, 1, surface.dimension)
    for wrong in (
        lambda: surface | solid,
        lambda: solid & surface,
        lambda: solid - surface,
        lambda: ~surface,
        lambda: hitscan.Solid(surface),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()
    with pytest.raises(ValueError, match=rf"^parts\[1\]: {message}" if message[0] == "a" else message):
        hitscan.Solid.union([solid, surface])
    with pytest.raises(ValueError, match=r"^shape: .*encloses no points"):
        hitscan.Solid.difference(surface, [solid])


def test_other_errors() -> None:
    circle = hitscan.Circle((0, 0), 1)
    with pytest.raises(ValueError, match=r"^a Circle has 2 dimensions, not 3$"):
        BALL - circle
    with pytest.raises(ValueError, match=r"^parts\[0\]: it has 2 dimensions, not 3$"):
        hitscan.Solid.difference(BALL, [circle])
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for -: 'Sphere' and 'int'"):
        BALL - 1
    with pytest.raises(TypeError, match="unsupported operand"):
        None | BALL
    with pytest.raises(TypeError, match=r"^parts\[1\]: 5 is no shape"):
        hitscan.Solid.union([BALL, 5])
    with pytest.raises(TypeError, match="^shape: None is no shape"):
        hitscan.Solid.difference(None, [])
    for parts in (BALL, 5):
        with pytest.raises(TypeError, match="^parts: .* is no list of shapes"):
            hitscan.Solid.intersection(parts)
    for operation in (hitscan.Solid.union, hitscan.Solid.intersection):
        with pytest.raises(ValueError, match="needs at least one part"):
            operation([])
    with pytest.raises(TypeError, match="^Solid: shape: 3 is no shape"):
        hitscan.Solid(3)
    with pytest.raises(ValueError, match=r"^Solid: transform: shape \(2, 2\)"):
        hitscan.Solid(BALL, transform=np.eye(2))
    with pytest.raises(ValueError, match="^Solid: transform: "):
        hitscan.Solid(BALL, transform=np.zeros((3, 4)))
    with pytest.raises(AttributeError, match="a Solid never changes"):
        (BALL | BALL).expression = ""
    with pytest.raises((TypeError, ValueError), match="volume"):
        hitscan.Volume(BALL | BALL)


def test_expressions_and_leaves() -> None:
    a, b, c, d = (hitscan.Sphere((x, 0, 0), 1) for x in range(4))
    expected = {
        "0 - 1 - 2": (a - b) - c,
        "0 - (1 & 2)": a - (b & c),
        "(0 - 1) | (2 & 3)": a - b | c & d,
        "~0 | 1": ~a | b,
        "~(0 | 1) | 2": ~(a | b) | c,
        "0": hitscan.Solid(a),
        "0 | 1 | 2 | 3": hitscan.Solid.union([a, b, c, d]),
        "0 & 1 & 2": hitscan.Solid.intersection(iter([a, b, c])),
        "0 - 1 - 2 - 3": hitscan.Solid.difference(a, [b, c, d]),
    }
    for text, solid in expected.items():
        assert solid.expression == text
        assert [leaf.shape.center[0] for leaf in solid.leaves] == list(range(len(solid)))
        assert all(leaf.transform is None for leaf in solid.leaves)
    assert repr(a - b) == "Solid(0 - 1, 3D, float64)"
    many = hitscan.Solid.union(hitscan.Sphere((x, 0, 0), 1) for x in range(100))
    assert repr(many).endswith("… of 100 leaves, 3D, float64)") and len(repr(many)) < 120
    assert many and many.kind == "solid"
    # A solid stays what it is; under a transform it is a leaf.
    assert hitscan.Solid(a - b).expression == "0 - 1"
    moved = hitscan.Solid(a - b, transform=along_x(1)) | c
    (shape, transform), (other, none) = moved.leaves
    assert shape.expression == "0 - 1" and transform.tolist() == along_x(1).tolist()
    assert (other.center[0], none) == (2, None)


def test_one_leaf_is_its_shape() -> None:
    rng = np.random.default_rng(5)
    origins, directions = rng.normal(size=(2, 500, 3)) * 2
    for shape in (*SHAPES_3D[:4], SHAPES_3D[10]):
        solid = hitscan.Solid(shape)
        found, wanted = (each.cast(origins, directions, fields="all") for each in (solid, shape))
        for name in set(found.fields) - {"member"}:
            np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), name)
        assert found.member[found.hit].tolist() == [0] * found.count
        assert np.array_equal(solid.closest_point(origins).distance, shape.closest_point(origins).distance)


def part(dtype: type) -> hitscan.Solid:
    """A plate with bores, a boss, and a cut."""
    plate = hitscan.Box((0, 0, 0), (4, 4, 0.5), dtype=dtype)
    bores = [hitscan.Cylinder((x, y, -1), (x, y, 1), 0.7, dtype=dtype) for x in (-2, 0, 2) for y in (-2, 2)]
    boss = hitscan.Sphere((0, 0, 0.5), 1.5, dtype=dtype)
    return (hitscan.Solid.difference(plate, bores) | boss) - hitscan.HalfSpace((0, -3, 0), (0, 1, 0), dtype=dtype)


def rays(count: int, dtype: type) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(9)
    origins = rng.uniform(-6, 6, (count, 3))
    return origins.astype(dtype), (rng.uniform(-4, 4, (count, 3)) - origins).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_batches_are_single_rays(dtype: type) -> None:
    solid, (origins, directions) = part(dtype), rays(3000, dtype)
    found = solid.cast(origins, directions, fields="all")
    assert found.t.dtype == dtype and 1000 < found.count < 2900
    assert set(found.member[found.hit].tolist()) >= {0, 1, 6, 7, 8} and (found.member[~found.hit] == -1).all()
    counts, lists = solid.count(origins, directions), solid.spans(origins, directions, fields="all")
    assert np.array_equal(solid.cast_any(origins, directions), found.hit)
    assert np.array_equal(solid.cast(origins, directions, threads=1).t, found.t)
    assert np.array_equal(solid.cast_all(origins, directions).counts, counts) and counts.max() >= 6
    for row in range(60):
        one = solid.cast(origins[row], directions[row], fields="all")
        for name in found.fields:
            np.testing.assert_array_equal(getattr(one, name), getattr(found, name)[row], name)
        assert solid.count(origins[row], directions[row]) == counts[row]
    # The middle of each span is inside, and the lengths of a part and of what is left add up.
    whole = lists.exit.hit & lists.enter.hit & (lists.length > 0.01)
    middle = (lists.enter.point + lists.exit.point)[whole] / 2
    assert len(middle) > 500 and solid.contains(middle).all() and not (~solid).contains(middle).any()
    assert np.array_equal(solid.contains(origins), ~(~solid).contains(origins))


def test_precisions() -> None:
    single, double = part(np.float32), part(np.float64)
    assert (single.dtype, double.dtype) == (np.float32, np.float64)
    # Rays of a higher precision, and parts of both, convert exactly.
    origins, directions = rays(300, np.float64)
    exact = single.astype(np.float64)
    assert (exact.dtype, exact.expression) == (np.float64, single.expression)
    assert np.array_equal(single.cast(origins, directions).t, exact.cast(origins, directions).t)
    mixed = single - hitscan.Sphere((0, 0, 0), 0.1)
    assert mixed.dtype == np.float64
    assert mixed.leaves[1].shape.radius == float(np.float32(0.7)) and mixed.leaves[-1].shape.radius == 0.1
    # Down is rounding.
    rounded = double.astype(np.float32)
    assert rounded.expression == double.expression and rounded.leaves[1].shape.radius == float(np.float32(0.7))
    origins, directions = rays(300, np.float32)
    assert np.array_equal(rounded.cast(origins, directions).t, single.cast(origins, directions).t)
    assert rounded.astype(np.float32) is rounded
    with pytest.raises(TypeError, match="a group of float64"):
        (hitscan.Group(hitscan.Scene([BALL])) - BALL).astype(np.float32)
    with pytest.raises(TypeError, match="int64 is neither float32 nor float64"):
        double.astype(np.int64)
    with pytest.raises(TypeError, match=r"convert it by .astype\(numpy.float32\)"):
        hitscan.Scene(dtype=np.float32).add(double)
    assert hitscan.Scene([single, BALL]).object(0).shape.dtype == np.float64


def never(*_: object) -> None:
    return None


def inside(_: object) -> bool:
    return True


def test_user_shapes_as_leaves() -> None:
    shape = hitscan.UserShape([(-1, -1, -1), (1, 1, 1)], never, contains=inside, dtype=np.float32)
    box = hitscan.Box((0, 0, 0), (1, 1, 1))
    assert (shape - box).leaves[0].shape.dtype == np.float64 and (shape - box).leaves[0].shape.function is never
    single = shape - box.astype(np.float32)
    assert single.dtype == np.float32 and single.astype(np.float64).leaves[0].shape.function is never
    assert (single | box).expression == "(0 - 1) | 2"
    # A group converts its shapes exactly, and a function does not.
    group = hitscan.Group(hitscan.Scene([shape]))
    for wrong in (lambda: group | box, lambda: hitscan.Scene().add(group)):
        with pytest.raises(TypeError, match="a UserShape of float32 has no float64 copy"):
            wrong()
    assert pickle.loads(pickle.dumps(single)).leaves[0].shape.function is never
    with pytest.raises(TypeError, match="a UserShape of float32 has no float64 copy"):
        hitscan.Scene().add(single)

    def broken(*_: object) -> None:
        raise LookupError("no model")

    broken_solid = hitscan.UserShape([(-1, -1, -1), (1, 1, 1)], broken, contains=inside) | box
    with pytest.raises(LookupError, match="no model"):
        broken_solid.cast((5, 0, 0), (-1, 0, 0))


def test_transforms() -> None:
    turn = np.array([[0, -1, 0, 2], [1, 0, 0, 0], [0, 0, 1, 0]])
    rod = hitscan.Solid(hitscan.Cylinder((-3, 0, 0), (3, 0, 0), 0.5), transform=turn)  # along y, at x = 2
    solid = hitscan.Box((0, 0, 0), (4, 1, 1)) - rod
    assert solid.spans((-9, 0, 0), (1, 0, 0)).exit.t.tolist() == [10.5, 13]
    np.testing.assert_array_equal(solid.leaves[1].transform, np.vstack([turn, (0, 0, 0, 1)]))
    assert solid.leaves[1].shape.radius == 0.5


def test_scenes_place_solids() -> None:
    solid = (slab(0, 8) - slab(2, 4)) | slab(9, 9)
    scene = hitscan.Scene()
    mirror = np.diag([-1, 1, 1, 1])
    part, ball = scene.add(solid, transform=mirror, name="part"), scene.add(hitscan.Sphere((10, 0.5, 0.25), 1))
    assert spans(scene) == [(-9, -9), (-8, -4), (-2, 0), (9, 11)]
    found = scene.cast(*line(scene), t_min=np.array([-3.0, 1]), fields="all")
    assert (found.t.tolist(), found.object.tolist()) == ([-2, 9], [part, ball])
    assert (found.member.tolist(), found.normal[0].tolist()) == ([1, -1], [-1, 0, 0])
    shape = scene.object(part).shape
    assert isinstance(shape, hitscan.Solid) and shape.expression == solid.expression
    scene.set_shape(ball, solid)
    assert scene.contains((1, 0, 0)) and not scene.contains((3, 0, 0)) and scene.contains((-1, 0, 0))
    assert scene.overlaps(hitscan.Sphere((1, 0, 0), 0.1)) and not scene.overlaps(hitscan.Sphere((30, 0, 0), 0.1))
    # In a group, and that in a solid.
    group = hitscan.Group(scene)
    assert spans(group - slab(5, 6)) == [(-9, -9), (-8, -4), (-2, 2), (4, 5), (6, 8), (9, 9)]
    assert (group - slab(5, 6)).leaves[0].shape.kind == "group"
    # Distances of several leaves are not measured. Moving volumes take the parts for whole.
    assert not np.isfinite(solid.distance((20, 0, 0))) and not solid.closest_point((20, 0, 0)).hit
    assert solid.cast_sphere((20, 0, 0), (-1, 0, 0), radius=1).t == 10


def test_a_solid_with_a_closed_mesh_does_not_warn() -> None:
    mesh = SHAPES_3D[10]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solid = mesh - hitscan.Sphere((0, 0, 0), 0.5)
        assert solid.contains([(0, 0, 0), (0.6, 0, 0), (9, 0, 0)]).tolist() == [False, True, False]
        assert solid.cast((0.25, 0.25, -9), (0, 0, 1)).member == 0


def test_it_is_pickled_and_copied() -> None:
    mesh = SHAPES_3D[10]
    shift = along_x(0.1)
    a, b = (hitscan.Sphere((x, 0, 0), 1) for x in (0, 1))
    solids = [
        part(np.float32),
        part(np.float64),
        ~(a | b) | mesh,
        (a - (mesh & b)) - ~(b - a),
        ~a & b,
        ~hitscan.Solid(mesh),
        hitscan.Solid.union(hitscan.Solid(mesh, transform=along_x(x / 8)) for x in range(20)),
        hitscan.Solid(hitscan.Solid(a - b, transform=shift) - mesh, transform=shift) & SHAPES_3D[11],
        hitscan.Circle((0, 0), 1) - hitscan.Circle((0, 0), 0.5),
    ]
    for solid in solids:
        for twin in (pickle.loads(pickle.dumps(solid)), copy.copy(solid), copy.deepcopy(solid)):
            assert repr(twin) == repr(solid) and twin.expression == solid.expression
            ray = rays(200, solid.dtype)
            ray = tuple(array[:, : solid.dimension] for array in ray)
            for name in ("t", "member", "normal"):
                fields = ["t", "member", "normal"]
                found, wanted = (getattr(each.cast(*ray, fields=fields), name) for each in (twin, solid))
                np.testing.assert_array_equal(found, wanted)
    # Leaves of one mesh are one object, which a pickle has once.
    leaves = solids[6].leaves
    assert len({id(leaf.shape) for leaf in leaves}) == 1 and leaves[2].transform[0, 3] == 0.25
    many = hitscan.Solid.union([hitscan.Solid(mesh, transform=along_x(x)) for x in range(1, 9)])
    assert len(pickle.dumps(many)) < 8 * len(pickle.dumps(mesh))


def test_files_have_it(tmp_path: Path) -> None:
    """Saved scenes, pickled ones, and casts of tables."""
    solid = BALL - slab(0, 1)
    scene = hitscan.Scene([solid])
    scene.save(tmp_path / "scene.hitscene")
    ray = ((-5, 0, 0), (1, 0, 0))
    expected = scene.spans(*ray)
    group = hitscan.Group(scene)
    for twin in (hitscan.load(tmp_path / "scene.hitscene"), pickle.loads(pickle.dumps(scene))):
        assert twin.spans(*ray).enter.t.tolist() == expected.enter.t.tolist()
    assert pickle.loads(pickle.dumps(group)).count(*ray) == scene.count(*ray)
    (tmp_path / "rays.csv").write_text("ox,oy,oz,dx,dy,dz\n-5,0,0,1,0,0\n")
    for place, scene_or_shape in enumerate((scene, solid)):
        report = hitscan.cast_files(scene_or_shape, tmp_path / "rays.csv", tmp_path / f"out{place}")
        assert report.rows_in == 1 and report.hits == 1


def test_many_leaves() -> None:
    """A tree finds them, and long expressions are read back."""
    balls = [hitscan.Sphere((x, y, 0), 0.4) for x in range(30) for y in range(30)]
    sheet = hitscan.Solid.difference(hitscan.Box((15, 15, 0), (20, 20, 0.1)), balls)
    assert len(sheet) == 901
    origins = np.array([(x, y, 5.0) for x in (3, 3.5) for y in (4, 4.5)])
    assert sheet.count(origins, (0, 0, -1)).tolist() == [0, 2, 2, 2]
    twin = pickle.loads(pickle.dumps(sheet))
    assert twin.expression == sheet.expression and twin.count(origins, (0, 0, -1)).tolist() == [0, 2, 2, 2]
    nested: hitscan.Shape = BALL
    for x in range(200):
        nested = (nested - hitscan.Sphere((x, 9, 0), 0.1)) | hitscan.Sphere((x, 5, 0), 0.1)
    assert pickle.loads(pickle.dumps(nested)).expression == nested.expression


def test_tracks_are_cells_with_gaps_and_overlaps() -> None:
    boxes = [hitscan.Box((x, 0, 0), (1, 1, 1)) for x in (1, 3, 6.5)]
    wide = hitscan.Box((3, 0, 0), (1.5, 1, 1))
    for dtype in (np.float32, np.float64):
        scene = hitscan.Scene([*boxes, wide], dtype=dtype)
        origins = np.array([(0, 0, 0), (0, 5, 0), (2.5, 0, 0)], dtype)
        tracks = scene.tracks(origins, np.array((1, 0, 0), dtype), t_max=np.array([7, 7, 1], dtype))
        assert tracks.parts.begin.dtype == dtype
        assert tracks.counts.tolist() == [6, 1, 1]
        first = tracks[0]
        assert first.begin.tolist() == [0, 1.5, 2, 4, 4.5, 5.5]
        assert first.end.tolist() == [1.5, 2, 4, 4.5, 5.5, 7]
        assert first.object.tolist() == [0, 0, 1, 3, -1, 2]
        assert first.count.tolist() == [1, 2, 2, 1, 0, 1]
        assert [first.objects_of(part).tolist() for part in (1, 2, -1)] == [[0, 3], [1, 3], [2]]
        assert tracks[2].objects_of(0).tolist() == [1, 3]
        assert tracks[::2].parts.objects.tolist() == [0, 0, 3, 1, 3, 3, 2, 1, 3]
        assert tracks[1].object.tolist() == [-1]
        with pytest.raises(IndexError, match="part 6 is out of range: there are 6"):
            first.objects_of(6)
    # A range without ends, a shape by itself, an object that is left out, and a table.
    whole = scene.tracks((0, 0, 0), (1, 0, 0), t_min=-np.inf, exclude=[3])
    assert whole.parts.begin[0] == -np.inf and whole.parts.end[-1] == np.inf
    assert whole.parts.object.tolist() == [-1, 0, 1, -1, 2, -1]
    assert boxes[0].tracks((0, 0, 0), (1, 0, 0)).parts.count.tolist() == [1, 0]
    table = pytest.importorskip("pyarrow").table(whole)
    assert table.column_names == ["ray", "begin", "end", "count", "object"]
    assert table["object"].to_pylist() == [None, 0, 1, None, 2, None]


def test_surfaces_that_nearly_coincide() -> None:
    stack = hitscan.Solid.union(hitscan.Box((0, 0, 0.1 * i), (1, 1, 0.05)) for i in (1, 2, 3))
    (near,) = stack.near_surfaces(1e-9)
    assert near.leaves == (1, 2)
    assert 0 < near.distance < 1e-16
    assert near.point.shape == (3,)
    assert stack.near_surfaces(1e-9, lines=0) == []
    flat = hitscan.Circle((0, 0), 1) - hitscan.Circle((0, 0), 0.9999)
    assert [near.point.shape for near in flat.near_surfaces(1e-3)] == [(2,)]
    for wrong in (-1, float("nan")):
        with pytest.raises(ValueError, match="tolerance must be a number of at least 0"):
            stack.near_surfaces(wrong)
    with pytest.raises(ValueError, match="lines must be a number from 0"):
        stack.near_surfaces(1, lines=-1)
