"""Tests of hitscan.open3d: its conventions, and a comparison with Open3D in which each difference is decided exactly.

The comparison runs where Open3D is installed, with 50,000 rays and 5,000 points. The environment variable
HITSCAN_OPEN3D_RAYS sets the number of rays, such as 1000000. The counts of differences are printed: `pytest -s`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hitscan.open3d import RaycastingScene

RAYS = int(os.environ.get("HITSCAN_OPEN3D_RAYS", "50000"))
INVALID = 4294967295

Floats = NDArray[Any]
Ints = NDArray[Any]

# Two triangles: the first in the plane z = 0, the second in z = -5, facing down.
#
#     (0, 3)
#       | \           the ray at (0.5, 0.5) has the weights u = 0.25 and v = 1/6
#       |. \
#     (0,0)-(2, 0)
FIRST = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0]], np.float32)
SECOND = FIRST + np.array([0, 0, -5], np.float32)
UP = np.array([[0, 1, 2]], np.uint32)
DOWN = np.array([[0, 2, 1]], np.uint32)
ONE_RAY = np.array([[0.5, 0.5, 1, 0, 0, -2], [0.5, 0.5, -1, 0, 0, 1], [9, 9, 9, 0, 0, 1]], np.float32)


def two_triangles(dtype: Any = np.float32) -> RaycastingScene:
    scene = RaycastingScene()
    assert scene.add_triangles(FIRST.astype(dtype), UP) == 0
    assert scene.add_triangles(SECOND.astype(dtype), DOWN) == 1
    return scene


def test_cast_rays_has_the_names_shapes_and_dtypes_of_open3d() -> None:
    found = two_triangles().cast_rays(ONE_RAY)
    assert list(found) == ["t_hit", "geometry_ids", "primitive_ids", "primitive_uvs", "primitive_normals"]
    assert {k: v.dtype for k, v in found.items()} == {
        "t_hit": np.float32,
        "geometry_ids": np.uint32,
        "primitive_ids": np.uint32,
        "primitive_uvs": np.float32,
        "primitive_normals": np.float32,
    }
    assert found["t_hit"].tolist() == [0.5, 1, np.inf]
    assert found["geometry_ids"].tolist() == found["primitive_ids"].tolist() == [0, 0, RaycastingScene.INVALID_ID]
    sixth = float(np.float32(1) / np.float32(6))
    assert found["primitive_uvs"].tolist() == [[0.25, sixth], [0.25, sixth], [0, 0]]
    # Of length 1, and by the order of the vertices, also where the ray comes from below.
    assert found["primitive_normals"].tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize("shape", [(3,), (1, 3), (3, 1), (3, 1, 1)])
def test_results_have_the_shape_of_the_rays(shape: tuple[int, ...]) -> None:
    scene, rays = two_triangles(), ONE_RAY.reshape(*shape, 6)
    for name, value in scene.cast_rays(rays).items():
        assert value.shape == (*shape, *{"primitive_uvs": (2,), "primitive_normals": (3,)}.get(name, ()))
    assert scene.count_intersections(rays).shape == shape
    assert scene.test_occlusions(rays).shape == shape
    points = rays[..., :3]
    assert scene.compute_distance(points).shape == shape
    assert scene.compute_signed_distance(points).shape == shape
    assert scene.compute_occupancy(points).shape == shape
    assert scene.compute_closest_points(points)["points"].shape == points.shape


def test_arrays_may_be_in_any_order_of_memory() -> None:
    scene, points = two_triangles(), ONE_RAY[:, :3]
    lists = scene.cast_rays(ONE_RAY)["t_hit"].tolist()
    assert scene.cast_rays(np.asfortranarray(ONE_RAY))["t_hit"].tolist() == lists
    assert scene.cast_rays(np.repeat(ONE_RAY, 2, axis=0)[::2])["t_hit"].tolist() == lists
    distances = scene.compute_distance(points).tolist()
    assert scene.compute_distance(np.asfortranarray(points)).tolist() == distances


def test_a_single_ray_and_no_rays() -> None:
    scene = two_triangles()
    single = scene.cast_rays(ONE_RAY[0])
    assert (single["t_hit"].shape, single["primitive_normals"].shape) == ((), (3,))
    assert float(single["t_hit"]) == 0.5
    none = scene.cast_rays(np.zeros((0, 6), np.float32))
    assert (none["t_hit"].shape, none["primitive_uvs"].shape) == ((0,), (0, 2))
    assert scene.list_intersections(np.zeros((0, 6), np.float32))["ray_splits"].tolist() == [0]


def test_list_count_and_occlusion() -> None:
    scene = two_triangles()
    lists = scene.list_intersections(ONE_RAY)
    assert list(lists) == ["ray_splits", "ray_ids", "t_hit", "geometry_ids", "primitive_ids", "primitive_uvs"]
    assert lists["ray_splits"].tolist() == [0, 2, 3, 3]
    assert lists["ray_ids"].tolist() == [0, 0, 1]
    assert lists["t_hit"].tolist() == [0.5, 3, 1]
    assert lists["geometry_ids"].tolist() == [0, 1, 0]
    assert lists["primitive_ids"].tolist() == [0, 0, 0]
    assert {lists[k].dtype for k in ("ray_splits", "ray_ids", "geometry_ids", "primitive_ids")} == {np.dtype(np.uint32)}
    count = scene.count_intersections(ONE_RAY)
    assert (count.tolist(), count.dtype) == ([2, 1, 0], np.int32)
    assert scene.test_occlusions(ONE_RAY).tolist() == [True, True, False]
    assert scene.test_occlusions(ONE_RAY, tnear=0.6, tfar=0.9).tolist() == [False] * 3
    assert scene.test_occlusions(ONE_RAY, tnear=0.5, tfar=0.5).tolist() == [True, False, False]


def test_closest_points_and_distances() -> None:
    scene = two_triangles()
    points = np.array([[0.5, 0.5, 1], [-3, -4, -5]], np.float32)
    found = scene.compute_closest_points(points)
    assert list(found) == ["points", "geometry_ids", "primitive_ids", "primitive_uvs", "primitive_normals"]
    assert found["points"].tolist() == [[0.5, 0.5, 0], [0, 0, -5]]
    assert found["geometry_ids"].tolist() == [0, 1]
    assert found["primitive_ids"].tolist() == [0, 0]
    assert found["primitive_uvs"].tolist() == [[0.25, float(np.float32(1) / np.float32(6))], [0, 0]]
    assert found["primitive_normals"].tolist() == [[0, 0, 1], [0, 0, -1]]
    assert scene.compute_distance(points).tolist() == [1, 5]
    assert {v.dtype for v in found.values()} == {np.dtype(np.float32), np.dtype(np.uint32)}


def test_float64_is_kept() -> None:
    for scene, rays in ((two_triangles(np.float64), ONE_RAY), (two_triangles(), ONE_RAY.astype(np.float64))):
        found = scene.cast_rays(rays)
        assert {found[k].dtype for k in ("t_hit", "primitive_uvs", "primitive_normals")} == {np.dtype(np.float64)}
        assert found["primitive_uvs"][0].tolist() == [0.25, 1 / 6]
        assert scene.compute_distance(rays[:, :3]).dtype == np.float64
        assert scene.compute_occupancy(rays[:, :3]).dtype == np.float64
        assert scene.compute_closest_points(rays[:, :3])["points"].dtype == np.float64
    # A float32 and a float64 mesh in one scene.
    scene = two_triangles()
    third = FIRST.astype(np.float64) + [0, 0, 0.5 + 2.0**-40]
    assert scene.add_triangles(third, UP) == 2
    assert scene.cast_rays(ONE_RAY)["t_hit"][0] == (0.5 - 2.0**-40) / 2


def test_meshes_may_be_objects_and_lists() -> None:
    class Tensors:
        vertex = {"positions": FIRST}
        triangle = {"indices": UP.astype(np.int64)}

    class Legacy:
        vertices = FIRST.astype(np.float64)
        triangles = UP.astype(np.int32)

    class Trimesh:
        """Its `triangles` are coordinates."""

        vertices = FIRST.astype(np.float64)
        faces = UP.astype(np.int64)
        triangles = FIRST[UP]

    ways: list[Callable[[RaycastingScene], int]] = [
        lambda scene: scene.add_triangles(Trimesh),
        lambda scene: scene.add_triangles(Tensors),
        lambda scene: scene.add_triangles(mesh=Legacy),
        lambda scene: scene.add_triangles(FIRST.tolist(), UP.tolist()),
        lambda scene: scene.add_triangles(vertex_positions=FIRST, triangle_indices=UP),
    ]
    for add in ways:
        scene = RaycastingScene()
        assert add(scene) == 0
        assert scene.cast_rays(ONE_RAY)["t_hit"].tolist() == [0.5, 1, np.inf]


def test_dlpack_objects_are_read() -> None:
    class Exchanged:
        def __init__(self, array: Floats) -> None:
            self.array = array

        def __dlpack__(self, **options: Any) -> Any:
            array: Any = self.array
            return array.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    scene = RaycastingScene()
    scene.add_triangles(Exchanged(FIRST), Exchanged(UP))
    assert scene.cast_rays(Exchanged(ONE_RAY))["t_hit"].numpy().tolist() == [0.5, 1, np.inf]


def test_ids_of_geometries_without_triangles_are_kept() -> None:
    scene = RaycastingScene()
    assert scene.add_triangles(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32)) == 0
    assert scene.add_triangles(FIRST, UP) == 1
    assert scene.cast_rays(ONE_RAY)["geometry_ids"].tolist() == [1, 1, INVALID]
    assert scene.compute_closest_points(ONE_RAY[:, :3])["geometry_ids"].tolist() == [1, 1, 1]


def test_an_empty_scene() -> None:
    scene = RaycastingScene()
    points = ONE_RAY[:, :3]
    assert scene.cast_rays(ONE_RAY)["geometry_ids"].tolist() == [INVALID] * 3
    assert scene.count_intersections(ONE_RAY).tolist() == [0] * 3
    assert scene.list_intersections(ONE_RAY)["ray_splits"].tolist() == [0] * 4
    assert scene.compute_distance(points).tolist() == [np.inf] * 3
    assert scene.compute_signed_distance(points).tolist() == [np.inf] * 3
    assert scene.compute_occupancy(points).tolist() == [0] * 3
    found = scene.compute_closest_points(points)
    assert np.isnan(found["points"]).all()
    assert found["primitive_ids"].tolist() == [INVALID] * 3


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda s: s.add_triangles(FIRST, [[0, 1, 3]]), ValueError, "3"),
        (lambda s: s.add_triangles(FIRST[:, :2], UP), ValueError, r"vertex_positions: shape \(3, 2\)"),
        (lambda s: s.add_triangles(FIRST, UP[0]), ValueError, r"triangle_indices: shape \(3,\)"),
        (lambda s: s.add_triangles("torus"), TypeError, "mesh: a str"),
        (lambda s: s.add_triangles(FIRST, UP, 1), TypeError, "add_triangles: 3 arguments"),
        (lambda s: s.cast_rays(ONE_RAY[:, :5]), ValueError, r"rays: shape \(3, 5\)"),
        (lambda s: s.cast_rays(ONE_RAY.astype(complex)), TypeError, "rays: an array of complex128"),
        (lambda s: s.cast_rays(np.ma.array(ONE_RAY)), TypeError, "rays: a masked array"),
        (lambda s: s.add_triangles(FIRST, np.ma.array(UP)), TypeError, "triangle_indices: a masked array"),
        (lambda s: s.compute_distance(ONE_RAY), ValueError, r"query_points: shape \(3, 6\)"),
        (lambda s: s.compute_occupancy(ONE_RAY[:, :3], nsamples=2), ValueError, "nsamples: 2"),
        (lambda s: s.compute_signed_distance(ONE_RAY[:, :3], nsamples=0), ValueError, "nsamples: 0"),
        (lambda s: s.create_rays_pinhole(200, [0, 0, 0], [0, 0, 3], [0, 1, 0], 4, 3), ValueError, "fov_deg: 200"),
        (lambda s: s.create_rays_pinhole(60, [0, 0, 0], [0, 0, 3], [0, 0, 1], 4, 3), ValueError, "up:"),
        (lambda s: s.create_rays_pinhole(np.eye(3), np.eye(3), 4, 3), ValueError, r"extrinsic_matrix: shape \(3, 3\)"),
        (lambda s: RaycastingScene(device="CUDA:0"), ValueError, "device: CUDA:0"),
    ],
)
def test_errors_name_the_argument(call: Callable[[RaycastingScene], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(two_triangles())


def test_occupancy_of_open_meshes_is_the_vote_of_rays() -> None:
    # A square at z = 0 and points below it: the rays go along (1, 1, 1).
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
    scene = RaycastingScene()
    scene.add_triangles(square, [[0, 1, 2], [0, 2, 3]])
    points = np.array([[-0.5, -0.5, -1], [0.5, 0.5, -1], [-0.5, -0.5, 1]], np.float32)
    for count in (1, 3, 11):
        assert scene.compute_occupancy(points, nsamples=count).tolist() == [1, 0, 0]


def test_a_closed_surface_of_several_geometries_has_an_inside() -> None:
    # The sides of a cube as meshes of their own: none is closed, all together are.
    scene = RaycastingScene()
    for axis in range(3):
        for sign in (-1.0, 1.0):
            side = np.array([[sign, -1, -1], [sign, 1, -1], [sign, 1, 1], [sign, -1, 1]], np.float32)
            scene.add_triangles(np.roll(side, axis, axis=1), [[0, 1, 2], [0, 2, 3]])
    points = np.array([[0, 0, 0], [0.5, 0.5, 0.5], [2, 0, 0], [-2, -2, -2]], np.float32)
    assert scene.compute_occupancy(points).tolist() == [1, 1, 0, 0]
    assert scene.compute_signed_distance(points).tolist() == [-1, -0.5, 1, float(np.sqrt(np.float32(3)))]


def test_a_pinhole_camera_sees_its_center_in_the_middle() -> None:
    rays = RaycastingScene.create_rays_pinhole(60, [1, 2, 3], [4, 6, 3], [0, 0, 1], 5, 3)
    assert (rays.shape, rays.dtype) == ((3, 5, 6), np.float32)
    assert np.abs(rays[1, 2, 3:] - np.array([-0.6, -0.8, 0])).max() < 1e-7
    assert np.all(rays[..., :3] == np.array([4, 6, 3]))
    # The field of view is that of the width: from edge to edge, half a pixel beyond the outer rays.
    width = rays[1, 4, 3:] - rays[1, 0, 3:]
    assert np.isclose(np.linalg.norm(width) * 5 / 4, 2 * np.tan(np.radians(30)))
    # Rows follow each other upward.
    assert rays[2, 2, 5] > rays[0, 2, 5]


# The comparison with Open3D.


def knot(turns: int = 200, around: int = 50) -> tuple[Floats, Ints]:
    """Tube around a trefoil knot: closed, of 2 * turns * around triangles, in float32."""
    s = np.linspace(0, 2 * np.pi, turns, endpoint=False)
    curve = np.stack([np.sin(s) + 2 * np.sin(2 * s), np.cos(s) - 2 * np.cos(2 * s), -np.sin(3 * s)], axis=1)
    tangent = np.stack([np.cos(s) + 4 * np.cos(2 * s), -np.sin(s) + 4 * np.sin(2 * s), -3 * np.cos(3 * s)], axis=1)
    across = np.cross(tangent, [0.3, 0.2, 1.0])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    other = np.cross(tangent, across)
    other /= np.linalg.norm(other, axis=1, keepdims=True)
    angle = np.linspace(0, 2 * np.pi, around, endpoint=False)[None, :, None]
    tube = curve[:, None] + 0.4 * (np.cos(angle) * across[:, None] + np.sin(angle) * other[:, None])
    i, j = np.meshgrid(np.arange(turns), np.arange(around), indexing="ij")
    a, b = i * around + j, i * around + (j + 1) % around
    c, d = (i + 1) % turns * around + (j + 1) % around, (i + 1) % turns * around + j
    faces = np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)], axis=-2).reshape(-1, 3)
    return tube.reshape(-1, 3).astype(np.float32), faces.astype(np.uint32)


def rays_at(vertices: Floats, faces: Ints, count: int, seed: int) -> Floats:
    """Rays in float32: one of ten aims at a vertex or the middle of an edge, half of the others are of a camera."""
    random = np.random.default_rng(seed)
    aimed = count // 10
    pixels = (count - aimed) // 2
    scattered = random.normal(size=(count - aimed - pixels, 3)) * 3
    inward = random.normal(size=scattered.shape) - scattered * random.random((len(scattered), 1))
    rays = [np.hstack([scattered, inward])]
    side = max(int(pixels**0.5), 1)
    camera = RaycastingScene.create_rays_pinhole(50, [0, 0, 0], [3, 5, 7], [0, 0, 1], side, -(-pixels // side))
    rays.append(camera.numpy().reshape(-1, 6)[:pixels])
    corners = vertices[faces[random.integers(len(faces), size=aimed)]].astype(np.float64)
    aim = np.where(random.random((aimed, 1)) < 0.5, corners[:, 0], (corners[:, 0] + corners[:, 1]) / 2)
    eye = (random.normal(size=(aimed, 3)) * 4).astype(np.float32)
    rays.append(np.hstack([eye, aim.astype(np.float32) - eye]))
    return np.concatenate(rays).astype(np.float32)


def near_triangles(vertices: Floats, faces: Ints, ray: Floats) -> Ints:
    """Triangles that a ray may hit: a superset, by float64 arithmetic with a margin."""
    corners = vertices[faces].astype(np.float64) - ray[:3].astype(np.float64)
    direction = ray[3:].astype(np.float64)
    volumes = np.stack([np.cross(corners[:, i], corners[:, (i + 1) % 3]) @ direction for i in range(3)], axis=1)
    size = np.abs(corners).max() ** 2 * np.abs(direction).max()
    margin = size * 2.0**-40
    return np.flatnonzero(np.all(volumes >= -margin, axis=1) | np.all(volumes <= margin, axis=1))


def exact_crossings(
    vertices: Floats, faces: Ints, ray: Floats, turn: tuple[Fraction, ...] = (Fraction(0),) * 3
) -> list[tuple[Fraction, int, bool, int]]:
    """All points that a ray shares with triangles, in rational arithmetic. A tiny `turn` is added to its direction.

    Of each the ray parameter, the triangle, whether the ray passes through the inside of the triangle (not its border),
    and the sign of direction and normal. Triangles parallel to the ray are left out.
    """
    origin = [Fraction(float(x)) for x in ray[:3]]
    direction = [Fraction(float(x)) + d for x, d in zip(ray[3:], turn, strict=True)]
    found = []
    for triangle in near_triangles(vertices, faces, ray):
        a, b, c = ([Fraction(float(x)) - o for x, o in zip(v, origin, strict=True)] for v in vertices[faces[triangle]])
        volumes = [dot(cross(p, q), direction) for p, q in ((a, b), (b, c), (c, a))]
        facing = sum(volumes)
        if facing == 0:
            continue
        sign = 1 if facing > 0 else -1
        if any(sign * volume < 0 for volume in volumes):
            continue
        normal = cross([q - p for p, q in zip(a, b, strict=True)], [q - p for p, q in zip(a, c, strict=True)])
        t = dot(normal, a) / dot(normal, direction)
        if t >= 0:
            found.append((t, int(triangle), all(volume != 0 for volume in volumes), sign))
    return sorted(found)


def cross(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def exact_count(crossings: list[tuple[Fraction, int, bool, int]]) -> int:
    """Number of points that the ray shares with triangles."""
    return len({crossing[0] for crossing in crossings})


def ulps(a: Floats, b: Floats) -> Floats:
    """Distance of two arrays of float32 in units of the last place of the second."""
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0, np.abs(a.astype(np.float64) - b) / np.spacing(np.abs(b).astype(np.float32)))


def plane_t(vertices: Floats, faces: Ints, rays: Floats, triangles: Ints) -> Floats:
    """Ray parameter at the plane of a triangle, in extended precision."""
    a, b, c = (vertices[faces[triangles, i]].astype(np.longdouble) for i in range(3))
    origin, direction = rays[:, :3].astype(np.longdouble), rays[:, 3:].astype(np.longdouble)
    normal = np.cross(b - a, c - a)
    t: Floats = np.einsum("ij,ij->i", normal, a - origin) / np.einsum("ij,ij->i", normal, direction)
    return t


def distance_to(vertices: Floats, faces: Ints, points: Floats, triangles: Ints) -> Floats:
    """Distance of each point to a triangle, in extended precision: to its inside or the nearest of its sides."""
    a, b, c = (vertices[faces[triangles, i]].astype(np.longdouble) for i in range(3))
    p = points.astype(np.longdouble)
    normal = np.cross(b - a, c - a)
    best = np.full(len(p), np.inf, dtype=np.longdouble)
    over = np.ones(len(p), dtype=bool)
    for start, end in ((a, b), (b, c), (c, a)):
        edge = end - start
        along = np.clip(np.einsum("ij,ij->i", p - start, edge) / np.einsum("ij,ij->i", edge, edge), 0, 1)
        best = np.minimum(best, np.sqrt(((p - start - along[:, None] * edge) ** 2).sum(axis=1)))
        over &= np.einsum("ij,ij->i", np.cross(edge, p - start), normal) >= 0
    height = np.abs(np.einsum("ij,ij->i", p - a, normal)) / np.sqrt((normal**2).sum(axis=1))
    return np.where(over, height, best)


@pytest.fixture(scope="module")
def pair() -> tuple[RaycastingScene, Any, Floats, Ints]:
    """The same knot in a scene of hitscan and of Open3D."""
    o3d = pytest.importorskip("open3d")
    vertices, faces = knot()
    ours = RaycastingScene()
    ours.add_triangles(vertices, faces)
    theirs = o3d.t.geometry.RaycastingScene()
    theirs.add_triangles(o3d.core.Tensor(vertices), o3d.core.Tensor(faces))
    return ours, theirs, vertices, faces


def test_first_hits_differ_from_open3d_only_where_it_is_wrong(pair: tuple[RaycastingScene, Any, Floats, Ints]) -> None:
    ours, theirs, vertices, faces = pair
    rays = rays_at(vertices, faces, RAYS, seed=1)
    a = {k: v.numpy() for k, v in ours.cast_rays(rays).items()}
    b = {k: v.numpy() for k, v in theirs.cast_rays(rays).items()}
    hit_a, hit_b = a["primitive_ids"] != INVALID, b["primitive_ids"] != INVALID
    other_hit = hit_a != hit_b
    other_id = hit_a & hit_b & (a["primitive_ids"] != b["primitive_ids"])
    same_id = hit_a & (a["primitive_ids"] == b["primitive_ids"])
    other_t = same_id & (ulps(b["t_hit"], a["t_hit"]) > 4)
    ties = 0
    for row in np.flatnonzero(other_hit | other_id):
        crossings = exact_crossings(vertices, faces, rays[row])
        assert hit_a[row] == bool(crossings), f"ray {row}: {rays[row].tolist()}"
        if not crossings:
            continue
        first = crossings[0][0]
        tied = [triangle for t, triangle, _, _ in crossings if t == first]
        # Of several triangles at the same distance the first.
        assert a["primitive_ids"][row] == tied[0], f"ray {row}: {rays[row].tolist()}"
        assert ulps(np.array([float(first)]), a["t_hit"][row : row + 1]).max() <= 1
        ties += b["primitive_ids"][row] in tied
    # Where the triangle is the same, t decides: ours is within 1 ulp of the exact value, so a distance of more than
    # 4 ulp is Open3D's.
    rows = np.flatnonzero(same_id)
    exact = plane_t(vertices, faces, rays[rows], a["primitive_ids"][rows])
    assert ulps(exact, a["t_hit"][rows]).max() <= 1
    uv = np.abs(a["primitive_uvs"][rows] - b["primitive_uvs"][rows]).max()
    normals = np.einsum("ij,ij->i", a["primitive_normals"][rows], b["primitive_normals"][rows])
    assert normals.min() > 1 - 1e-5
    print(
        f"\n{len(rays)} rays, {hit_a.sum()} hits: Open3D is wrong in hit or miss for {other_hit.sum()} "
        f"({(hit_a & other_hit).sum()} missed, {(hit_b & other_hit).sum()} invented), takes a triangle that is not the "
        f"nearest for {other_id.sum() - ties}, another one at the same distance for {ties}, and its t is more than 4 "
        f"ulp off for {other_t.sum()}, up to {ulps(b['t_hit'][rows], a['t_hit'][rows]).max():.0f} ulp; uv differs by "
        f"up to {uv:.1e}"
    )


def test_counts_differ_from_open3d_only_where_it_is_wrong(pair: tuple[RaycastingScene, Any, Floats, Ints]) -> None:
    ours, theirs, vertices, faces = pair
    rays = rays_at(vertices, faces, RAYS, seed=2)
    a, b = ours.count_intersections(rays).numpy(), theirs.count_intersections(rays).numpy()
    for row in np.flatnonzero(a != b):
        assert a[row] == exact_count(exact_crossings(vertices, faces, rays[row])), f"ray {row}: {rays[row].tolist()}"
    lists = ours.list_intersections(rays)
    assert np.array_equal(np.diff(lists["ray_splits"].numpy().astype(np.int64)), a)
    t, splits = lists["t_hit"].numpy(), lists["ray_splits"].numpy()
    within = np.ones(len(t), dtype=bool)
    within[splits[:-1][a > 0]] = False
    assert np.all(t[1:][within[1:]] >= t[:-1][within[1:]])
    print(f"\n{len(rays)} rays: {(a != b).sum()} counts differ, Open3D's is wrong for each of them")


def touching_rays() -> Iterator[tuple[Floats, Ints, RaycastingScene, Floats]]:
    """Rays from points of a lattice to others, at an open square and at a box with vertices on it."""
    square = np.array([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], np.float32), np.array([[0, 1, 2], [0, 2, 3]])
    box = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], np.float32)
    sides = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    closed = box, np.array([f for a, b, c, d in sides for f in ((a, b, c), (a, c, d))])
    random = np.random.default_rng(5)
    for vertices, faces in (square, closed):
        scene = RaycastingScene()
        scene.add_triangles(vertices, faces.astype(np.uint32))
        origins = random.integers(-4, 5, size=(4000, 3)).astype(np.float32)
        rays = np.hstack([origins, random.integers(-3, 4, size=origins.shape) - origins]).astype(np.float32)
        yield vertices, faces, scene, rays[rays[:, 3:].any(axis=1)]


def test_rays_that_touch_are_counted_exactly() -> None:
    for vertices, faces, scene, rays in touching_rays():
        lists, count = scene.list_intersections(rays), scene.count_intersections(rays).numpy()
        exact = np.array([exact_count(exact_crossings(vertices, faces, ray)) for ray in rays])
        assert np.array_equal(count, exact)
        assert np.array_equal(np.diff(lists["ray_splits"].numpy().astype(np.int64)), count)


def test_rays_that_touch_agree_with_open3d() -> None:
    o3d = pytest.importorskip("open3d")
    for vertices, faces, ours, rays in touching_rays():
        theirs = o3d.t.geometry.RaycastingScene()
        theirs.add_triangles(o3d.core.Tensor(vertices), o3d.core.Tensor(faces.astype(np.uint32)))
        a, b = ours.cast_rays(rays), theirs.cast_rays(o3d.core.Tensor(rays))
        assert np.array_equal(a["t_hit"].isfinite().numpy(), b["t_hit"].isfinite().numpy())
        count = ours.count_intersections(rays).numpy()
        # Open3D lists some points twice, and rounds: where the surface is one sheet, it has the same count.
        assert np.array_equal(count > 0, theirs.count_intersections(o3d.core.Tensor(rays)).numpy() > 0)
        if len(faces) == 2:
            assert np.array_equal(count, theirs.count_intersections(o3d.core.Tensor(rays)).numpy())


def test_occlusions_differ_from_open3d_only_where_it_is_wrong(pair: tuple[RaycastingScene, Any, Floats, Ints]) -> None:
    ours, theirs, vertices, faces = pair
    rays = rays_at(vertices, faces, RAYS, seed=3)
    a = ours.test_occlusions(rays, tnear=0.25, tfar=1).numpy()
    b = theirs.test_occlusions(rays, tnear=0.25, tfar=1).numpy()
    for row in np.flatnonzero(a != b):
        crossings = exact_crossings(vertices, faces, rays[row])
        assert a[row] == any(Fraction(1, 4) <= t <= 1 for t, _, _, _ in crossings), f"ray {row}: {rays[row].tolist()}"
    print(f"\n{len(rays)} rays: Open3D is wrong in occlusion for {(a != b).sum()}")


def test_distances_differ_from_open3d_only_where_it_is_wrong(pair: tuple[RaycastingScene, Any, Floats, Ints]) -> None:
    ours, theirs, vertices, faces = pair
    random = np.random.default_rng(4)
    count = max(RAYS // 10, 10)
    points = random.normal(size=(count, 3)) * 2
    near = count // 2
    corners = vertices[faces[random.integers(len(faces), size=near)]]
    weights = random.dirichlet([1, 1, 1], size=near)
    points[:near] = np.einsum("ij,ijk->ik", weights, corners) + random.normal(size=(near, 3)) * 0.01
    points = points.astype(np.float32)

    a = {k: v.numpy() for k, v in ours.compute_closest_points(points).items()}
    b = {k: v.numpy() for k, v in theirs.compute_closest_points(points).items()}
    distance_a, distance_b = ours.compute_distance(points).numpy(), theirs.compute_distance(points).numpy()
    exact_a = distance_to(vertices, faces, points, a["primitive_ids"])
    exact_b = distance_to(vertices, faces, points, b["primitive_ids"])
    unit = np.spacing(np.maximum(np.abs(points).max(axis=1), np.abs(vertices).max()))
    # Our distance is that of our triangle, and no triangle of Open3D's is nearer.
    assert np.all(np.abs(distance_a - exact_a) <= 4 * unit)
    assert np.all(exact_a <= exact_b + 4 * unit.astype(np.float64))
    farther = exact_b > exact_a + 4 * unit
    off = np.abs(distance_b - exact_a) > 4 * unit
    same = a["primitive_ids"] == b["primitive_ids"]
    normals = np.einsum("ij,ij->i", a["primitive_normals"][same], b["primitive_normals"][same])
    assert normals.min() > 1 - 1e-5
    assert np.abs(np.linalg.norm(a["primitive_normals"], axis=1) - 1).max() < 1e-6

    inside_a, inside_b = ours.compute_occupancy(points).numpy(), theirs.compute_occupancy(points).numpy()
    for row in np.flatnonzero(inside_a != inside_b):
        for direction in ([0.3, 0.7, 0.2], [-0.5, 0.4, 0.9]):
            ray = np.concatenate([points[row], np.array(direction, np.float32)])
            expected = exact_count(exact_crossings(vertices, faces, ray))
            assert expected is not None
            assert inside_a[row] == expected % 2, f"point {row}: {points[row].tolist()}"
    signed_a, signed_b = ours.compute_signed_distance(points).numpy(), theirs.compute_signed_distance(points).numpy()
    assert np.array_equal(np.abs(signed_a), distance_a)
    assert np.array_equal(signed_a < 0, (inside_a == 1) & (distance_a > 0))
    signs = np.sign(signed_a) != np.sign(signed_b)
    print(
        f"\n{count} points: {(~same).sum()} have another triangle, Open3D's is farther for {farther.sum()}, its "
        f"distance is more than 4 ulp off for {off.sum()}; it is wrong in occupancy for "
        f"{(inside_a != inside_b).sum()}, in the sign for {signs.sum()}"
    )


def test_tensors_and_meshes_of_open3d_are_read(pair: tuple[RaycastingScene, Any, Floats, Ints]) -> None:
    o3d = pytest.importorskip("open3d")
    _, theirs, vertices, faces = pair
    mesh = o3d.t.geometry.TriangleMesh(o3d.core.Tensor(vertices), o3d.core.Tensor(faces.astype(np.int64)))
    rays = rays_at(vertices, faces, 300, seed=5)
    for argument in (mesh, mesh.to_legacy()):
        scene = RaycastingScene(device=o3d.core.Device("CPU:0"))
        assert scene.add_triangles(argument) == 0
        found = scene.cast_rays(o3d.core.Tensor(rays))
        assert np.mean(found["primitive_ids"].numpy() == theirs.cast_rays(rays)["primitive_ids"].numpy()) > 0.9
    view = (55, [0, 1, 2], [3, 4, 6], [0, 0, 1], 40, 30)
    camera = o3d.t.geometry.RaycastingScene.create_rays_pinhole(*view).numpy()
    assert np.abs(RaycastingScene.create_rays_pinhole(*view) - camera).max() < 1e-6
    intrinsic, extrinsic = np.array([[50, 0, 20], [0, 60, 15], [0, 0, 1.0]]), np.eye(4)
    extrinsic[:3] = [[0, 0, -1, 1], [0, 1, 0, 2], [1, 0, 0, 3]]
    camera = o3d.t.geometry.RaycastingScene.create_rays_pinhole(intrinsic, extrinsic, 40, 30).numpy()
    assert np.abs(RaycastingScene.create_rays_pinhole(intrinsic, extrinsic, 40, 30) - camera).max() < 1e-6


def test_occupancy_of_open_meshes_is_that_of_open3d(pair: tuple[RaycastingScene, Any, Floats, Ints]) -> None:
    o3d = pytest.importorskip("open3d")
    _, _, vertices, faces = pair
    half = faces[: len(faces) // 2]
    ours, theirs = RaycastingScene(), o3d.t.geometry.RaycastingScene()
    ours.add_triangles(vertices, half)
    theirs.add_triangles(o3d.core.Tensor(vertices), o3d.core.Tensor(half))
    points = (np.random.default_rng(6).normal(size=(2000, 3)) * 2).astype(np.float32)
    for count in (1, 5):
        a, b = ours.compute_occupancy(points, nsamples=count), theirs.compute_occupancy(points, nsamples=count).numpy()
        # The rays are the same; Open3D may count one at an edge twice.
        assert np.mean(a != b) < 0.002
