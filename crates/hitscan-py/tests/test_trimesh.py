"""Tests of hitscan.trimesh: exact counts at edges and vertices, and the conventions of trimesh."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import types
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import hitscan.trimesh
from hitscan.trimesh import ProximityQuery, RayMeshIntersector


class Mesh:
    """Mesh with vertices and faces, whose hash changes with its data as that of `trimesh.Trimesh`."""

    def __init__(self, vertices: Any, faces: Any) -> None:
        self.vertices = np.asarray(vertices, dtype=np.float64)
        self.faces = np.asarray(faces, dtype=np.int64).reshape(-1, 3)

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.faces.tobytes()))


def cube(size: float = 1.0, outward: bool = True) -> Mesh:
    """Cube from -size to size. Face 2 k + 0 and 2 k + 1 are the halves of side k: -x, +x, -y, +y, -z, +z.

    Vertex i has the coordinate +size on axis k if bit k of i is set. The diagonal of each side runs from its first
    vertex to its third.
    """
    vertices = [[size if i >> k & 1 else -size for k in range(3)] for i in range(8)]
    sides = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    faces = [f for a, b, c, d in sides for f in ((a, b, c), (a, c, d))]
    return Mesh(vertices, faces if outward else [f[::-1] for f in faces])


def bumpy_sphere(rows: int = 24, columns: int = 30) -> Mesh:
    """Closed surface around the origin that every ray from there crosses once."""
    latitude = np.linspace(-np.pi / 2, np.pi / 2, rows + 1)[1:-1, None]
    longitude = np.linspace(0, 2 * np.pi, columns, endpoint=False)[None, :]
    radius = 1 + 0.1 * np.sin(5 * longitude) * np.cos(latitude) ** 2 + 0.05 * np.sin(7 * latitude)
    across = radius * np.cos(latitude)
    ring = np.stack([across * np.cos(longitude), across * np.sin(longitude), radius * np.sin(latitude)], axis=-1)
    vertices = np.vstack([ring.reshape(-1, 3), [[0, 0, -1.1], [0, 0, 1.1]]])
    south, north = len(vertices) - 2, len(vertices) - 1
    faces = []
    for j in range(columns):
        k = (j + 1) % columns
        faces.append((south, k, j))
        for i in range(rows - 2):
            a, b = i * columns + j, i * columns + k
            faces += [(a, b, b + columns), (a, b + columns, a + columns)]
        last = (rows - 2) * columns
        faces.append((last + j, last + k, north))
    return Mesh(vertices, faces)


@pytest.fixture(scope="module")
def trimesh() -> ModuleType:
    module: ModuleType = pytest.importorskip("trimesh")
    return module


# A side of the cube, seen from outside, with its diagonal from the first corner to the third:
#
#     d---c
#     | / |    a ray through the middle passes exactly through the diagonal that both triangles share
#     a---b


def test_a_ray_through_the_diagonal_of_a_side_crosses_it_once() -> None:
    ray = RayMeshIntersector(cube())
    index_tri, index_ray, locations = ray.intersects_id([[0, 0, 5]], [[0, 0, -1]], return_locations=True)
    assert index_ray.tolist() == [0, 0]
    assert locations.tolist() == [[0, 0, 1], [0, 0, -1]]
    assert index_tri[0] in (10, 11)
    assert index_tri[1] in (8, 9)


def test_rays_through_the_edges_and_vertices_of_a_cube_cross_it_twice() -> None:
    # From the midpoint of each edge and from each vertex to the opposite one.
    points = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)], dtype=np.float64)
    points = points[np.abs(points).sum(axis=1) >= 2]
    assert len(points) == 12 + 8
    ray = RayMeshIntersector(cube())
    locations, index_ray, _ = ray.intersects_location(3 * points, -points)
    assert np.bincount(index_ray).tolist() == [2] * 20
    assert np.array_equal(locations[0::2], points)
    assert np.array_equal(locations[1::2], -points)


def test_rays_from_the_middle_cross_each_vertex_and_edge_once() -> None:
    mesh = bumpy_sphere()
    ray = RayMeshIntersector(mesh)
    midpoints = (mesh.vertices[mesh.faces] + mesh.vertices[np.roll(mesh.faces, 1, axis=1)]).reshape(-1, 3) / 2
    directions = np.vstack([mesh.vertices, midpoints])
    _, index_ray = ray.intersects_id(np.zeros_like(directions), directions)
    assert np.array_equal(np.bincount(index_ray, minlength=len(directions)), np.ones(len(directions)))
    # From outside, a ray enters and leaves.
    _, index_ray = ray.intersects_id(-3 * directions, directions)
    assert np.all(np.bincount(index_ray, minlength=len(directions)) >= 2)


def test_touching_is_hitting() -> None:
    # The ray runs along the edge x = 1, y = 1 from above, in the planes of two sides: it meets the two others in their corners.
    ray = RayMeshIntersector(cube())
    origin, direction = [[1.0, 1.0, 5.0]], [[0.0, 0.0, -1.0]]
    assert ray.intersects_any(origin, direction).tolist() == [True]
    assert ray.intersects_first(origin, direction)[0] >= 0
    assert ray.intersects_location(origin, direction)[0].tolist() == [[1, 1, 1], [1, 1, -1]]
    # From the side, it touches the same edge at one point.
    assert ray.intersects_location([[5.0, -3.0, 0.25]], [[-1.0, 1.0, 0.0]])[0].tolist() == [[1, 1, 0.25]]
    # One float further out it misses.
    outside = [[np.nextafter(1.0, 2.0), 1.0, 5.0]]
    assert ray.intersects_any(outside, direction).tolist() == [False]


def test_rays_that_touch_a_rim_are_listed() -> None:
    # An open square of two triangles: its rim, its corners, the diagonal, and one float outside.
    #
    #     d---c
    #     | / |
    #     a---b
    square = Mesh([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], [[0, 1, 2], [0, 2, 3]])
    ray = RayMeshIntersector(square)
    places = [[1, 0], [2, 1], [0, 0], [2, 2], [1, 1], [0.5, 0.25], [np.nextafter(2.0, 3.0), 1]]
    origins = np.array([[x, y, 3.0] for x, y in places])
    directions = np.broadcast_to([0.0, 0.0, -1.0], origins.shape)
    hit = [True] * 6 + [False]
    assert ray.intersects_any(origins, directions).tolist() == hit
    for first in (None, 1):
        index_tri, index_ray, locations = ray.intersects_id(origins, directions, max_hits=first, return_locations=True)
        assert index_ray.tolist() == [0, 1, 2, 3, 4, 5]
        assert np.array_equal(locations, origins[:6] - [0, 0, 3])
        assert index_tri.tolist() == ray.intersects_first(origins, directions)[:6].tolist() == [0] * 6


def test_the_mesh_may_be_any_object() -> None:
    @dataclasses.dataclass
    class Data:
        vertices: Any
        faces: Any

    for make in (Data, types.SimpleNamespace):
        mesh: Any = make(vertices=np.eye(3), faces=[[0, 1, 2]])
        for ray in (
            RayMeshIntersector(mesh),
            RayMeshIntersector(geometry=mesh, scale_to_box=False),
            RayMeshIntersector(mesh=mesh),
        ):
            assert ray.mesh is mesh and ray.intersects_any([[0.25, 0.25, -5]], [[0, 0, 1]]).all()
        nearest = ProximityQuery(mesh)
        assert nearest.vertex([[1, 0, 0]])[0].tolist() == [0]
        # In place, by another array, and by other triangles.
        mesh.vertices += [9, 0, 0]
        assert not ray.intersects_any([[0.25, 0.25, -5]], [[0, 0, 1]]).any()
        assert nearest.vertex([[1, 0, 0]])[0] == np.sqrt(65)
        mesh.vertices = np.eye(3)
        assert ray.intersects_any([[0.25, 0.25, -5]], [[0, 0, 1]]).all()
        mesh.faces = []
        assert not ray.intersects_any([[0.25, 0.25, -5]], [[0, 0, 1]]).any()


def test_a_mesh_may_have_its_vertices_later() -> None:
    class Primitive:
        """Mesh that makes its engine first, as the primitives of trimesh do."""

        def __init__(self) -> None:
            self.ray = RayMeshIntersector(self)
            self.size = 1.0

        @property
        def vertices(self) -> Any:
            return np.eye(3) * self.size

        @property
        def faces(self) -> Any:
            return np.array([[0, 1, 2]])

    assert Primitive().ray.intersects_any([[0.25, 0.25, -5]], [[0, 0, 1]]).all()


def test_what_is_no_mesh() -> None:
    for wrong in (lambda: RayMeshIntersector(), lambda: RayMeshIntersector(cube(), mesh=cube())):
        with pytest.raises(TypeError, match="geometry: give one mesh, as geometry or as mesh"):
            wrong()
    with pytest.raises(TypeError, match="geometry: a tuple has no vertices; give a mesh with vertices and faces"):
        RayMeshIntersector((np.eye(3), [[0, 1, 2]]))  # type: ignore[arg-type]


def test_a_hit_at_the_origin_counts() -> None:
    ray = RayMeshIntersector(cube())
    locations, _, _ = ray.intersects_location([[0.25, 0.5, 1.0]], [[0, 0, -1]])
    assert locations[:, 2].tolist() == [1, -1]
    locations, _, _ = ray.intersects_location([[0.25, 0.5, np.nextafter(1.0, 0.0)]], [[0, 0, -1]])
    assert locations[:, 2].tolist() == [-1]


def test_inside_is_hollow() -> None:
    ray = RayMeshIntersector(cube())
    locations, _, _ = ray.intersects_location([[0.25, 0.5, 0]], [[0, 0, 1]], multiple_hits=False)
    assert locations.tolist() == [[0.25, 0.5, 1]]


def test_hits_of_a_ray_are_in_the_order_of_distance() -> None:
    inner, outer = cube(1), cube(2)
    both = Mesh(np.vstack([outer.vertices, inner.vertices]), np.vstack([outer.faces, inner.faces + 8]))
    ray = RayMeshIntersector(both)
    origins, directions = [[0.25, 0.5, 9], [0.25, 0.5, -9]], [[0, 0, -3], [0, 0, 2]]
    locations, index_ray, index_tri = ray.intersects_location(origins, directions)
    assert index_ray.tolist() == [0] * 4 + [1] * 4
    assert locations[:, 2].tolist() == [2, 1, -1, -2, -2, -1, 1, 2]
    assert (index_tri >= 12).tolist() == [False, True, True, False] * 2
    nearest, rays = ray.intersects_id(origins, directions, max_hits=3)
    assert rays.tolist() == [0] * 3 + [1] * 3
    assert nearest.tolist() == index_tri[[0, 1, 2, 4, 5, 6]].tolist()
    first, rays = ray.intersects_id(origins, directions, multiple_hits=False)
    assert rays.tolist() == [0, 1]
    assert first.tolist() == index_tri[[0, 4]].tolist() == ray.intersects_first(origins, directions).tolist()


def test_dtypes_and_shapes_are_those_of_trimesh() -> None:
    ray = RayMeshIntersector(cube())
    origins: NDArray[np.float64]
    for origins in (np.array([[0.25, 0.5, 5.0], [9.0, 9.0, 9.0]]), np.zeros((0, 3)), np.array([[9.0, 9.0, 9.0]])):
        directions = np.broadcast_to([0.0, 0.0, -1.0], origins.shape)
        for multiple in (True, False):
            index_tri, index_ray, locations = ray.intersects_id(
                origins, directions, multiple_hits=multiple, return_locations=True
            )
            assert index_tri.dtype == index_ray.dtype == np.int64
            assert locations.dtype == np.float64
            assert locations.shape == (len(index_tri), 3)
            assert index_ray.shape == index_tri.shape
            assert len(ray.intersects_id(origins, directions, multiple)) == 2
        assert ray.intersects_first(origins, directions).shape == (len(origins),)
        assert ray.intersects_first(origins, directions).dtype == np.int64
        assert ray.intersects_any(origins, directions).dtype == np.bool_
        assert ray.contains_points(origins).shape == (len(origins),)
        closest, distance, triangle_id = ProximityQuery(cube()).on_surface(origins)
        assert (closest.shape, distance.shape) == (origins.shape, (len(origins),))
        assert triangle_id.dtype == np.int64


def test_arrays_may_be_in_any_order_of_memory() -> None:
    ray, nearest = RayMeshIntersector(cube()), ProximityQuery(cube())
    random = np.random.default_rng(3)
    origins, directions = random.normal(size=(50, 3)) * 3, random.normal(size=(50, 3))
    first, distance = ray.intersects_first(origins, directions), nearest.signed_distance(origins)
    strided = np.hstack([origins, directions])
    for a, b in (
        (np.asfortranarray(origins), np.asfortranarray(directions)),
        (origins.tolist(), np.column_stack(list(directions.T))),
        (strided[:, :3], strided[:, 3:]),
        (origins[::-1][::-1], np.broadcast_to(directions, (1, 50, 3))[0]),
    ):
        assert np.array_equal(ray.intersects_first(a, b), first)
        assert np.array_equal(nearest.signed_distance(a), distance)


def test_rays_without_a_direction_and_with_nan_hit_nothing() -> None:
    ray = RayMeshIntersector(cube())
    origins = [[0.0, 0.0, 0.0], [np.nan, 0.0, 0.0], [0.0, 0.0, 5.0]]
    directions = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, np.nan, -1.0]]
    assert ray.intersects_first(origins, directions).tolist() == [-1] * 3
    assert len(ray.intersects_id(origins, directions)[0]) == 0


def test_a_mesh_without_triangles_has_no_hits() -> None:
    mesh = Mesh(np.zeros((1, 3)), np.zeros((0, 3)))
    ray, nearest = RayMeshIntersector(mesh), ProximityQuery(mesh)
    origins, directions = [[0.0, 0.0, 5.0]], [[0.0, 0.0, -1.0]]
    assert [len(a) for a in ray.intersects_location(origins, directions)] == [0, 0, 0]
    assert len(ray.intersects_id(origins, directions)) == 2
    assert ray.intersects_first(origins, directions).tolist() == [-1]
    assert ray.intersects_any(origins, directions).tolist() == [False]
    assert ray.contains_points(origins).tolist() == [False]
    closest, distance, triangle_id = nearest.on_surface(origins)
    assert np.isnan(closest).all()
    assert (distance.tolist(), triangle_id.tolist()) == ([np.inf], [-1])
    assert nearest.signed_distance(origins).tolist() == [-np.inf]
    assert [a.tolist() for a in nearest.vertex(origins)] == [[5], [0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda ray: ray.intersects_any([0, 0, 5], [0, 0, -1]), r"ray_origins: shape \(3,\)"),
        (lambda ray: ray.intersects_id([[0, 0, 5]], [[0, 0]]), r"ray_directions: shape \(1, 2\)"),
        (
            lambda ray: ray.intersects_first([[0, 0, 5]] * 2, [[0, 0, -1]]),
            "ray_directions: 1 rows, but ray_origins has 2",
        ),
        (lambda ray: ray.intersects_id([[0, 0, 5]], [[0, 0, -1]], max_hits=0), "max_hits: 0"),
        (lambda ray: ray.contains_points([0, 0, 0]), r"points: shape \(3,\)"),
    ],
)
def test_errors_name_the_argument(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(RayMeshIntersector(cube()))


def test_a_changed_mesh_is_built_again() -> None:
    mesh = cube()
    ray, nearest = RayMeshIntersector(mesh), ProximityQuery(mesh)
    origins, directions = [[0.25, 0.5, 5.0]], [[0.0, 0.0, -1.0]]
    assert ray.intersects_location(origins, directions)[0][0, 2] == 1
    assert nearest.vertex([[5, 5, 5]])[0] == np.sqrt(48)
    mesh.vertices *= 2
    assert ray.intersects_location(origins, directions)[0][0, 2] == 2
    assert nearest.on_surface([[0.25, 0.5, 5]])[1].tolist() == [3]
    assert nearest.vertex([[5, 5, 5]])[0] == np.sqrt(27)


def test_coordinates_stay_float64() -> None:
    # A cube of a size of 2^-20 at a distance of 2^20: its sides are the same in float32.
    far, size = 2.0**20, 2.0**-20
    mesh = cube(size)
    mesh.vertices += far
    ray = RayMeshIntersector(mesh)
    locations, _, _ = ray.intersects_location([[far, far, far + 1]], [[0, 0, -1]])
    assert locations.tolist() == [[far, far, far + size], [far, far, far - size]]
    assert ray.contains_points([[far, far, far + size / 2], [far, far, far + size * 2]]).tolist() == [True, False]
    assert ProximityQuery(mesh).signed_distance([[far, far, far + size / 2]]).tolist() == [size / 2]


def test_more_than_a_hundred_hits_are_listed() -> None:
    # trimesh's Embree engine stops at 100.
    square = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], dtype=np.float64)
    vertices = np.vstack([square + [0, 0, i] for i in range(250)])
    faces = np.vstack([np.array([[0, 1, 2], [0, 2, 3]]) + 4 * i for i in range(250)])
    locations, _, _ = RayMeshIntersector(Mesh(vertices, faces)).intersects_location([[0, 0, -1]], [[0, 0, 1]])
    assert locations[:, 2].tolist() == list(range(250))


def test_contains_is_exact_for_closed_meshes() -> None:
    ray = RayMeshIntersector(cube())
    below = np.nextafter(1.0, 0.0)
    above = np.nextafter(1.0, 2.0)
    points = np.array(
        [[0, 0, 0], [below, below, below], [1, 1, 1], [0, 0, 1], [above, 0, 0], [0, above, 0], [1, 1, above]]
    )
    assert ray.contains_points(points).tolist() == [True] * 4 + [False] * 3
    assert RayMeshIntersector(cube(outward=False)).contains_points(points).tolist() == [True] * 4 + [False] * 3


def test_a_cavity_is_outside() -> None:
    outer, inner = cube(2), cube(1, outward=False)
    both = Mesh(np.vstack([outer.vertices, inner.vertices]), np.vstack([outer.faces, inner.faces + 8]))
    points = np.array([[0, 0, 0], [0, 0, 1.5], [0, 0, 2.5]])
    assert RayMeshIntersector(both).contains_points(points).tolist() == [False, True, False]
    assert ProximityQuery(both).signed_distance(points).tolist() == [-1, 0.5, -0.5]


def test_a_nearly_closed_mesh_contains_by_its_winding_number() -> None:
    mesh = cube()
    mesh.faces = mesh.faces[1:]
    ray = RayMeshIntersector(mesh)
    assert ray.contains_points(np.array([[0.5, 0, 0], [3, 0, 0], [-3, 0, 0]])).tolist() == [True, False, False]


def test_signed_distance_is_positive_inside() -> None:
    nearest = ProximityQuery(cube())
    distance = nearest.signed_distance(np.array([[0, 0, 0.25], [0, 0, 3], [0, 0.5, 1], [4, 5, 1]]))
    assert distance.tolist() == [0.75, -2, 0, -5]
    # On the surface it is 0, not -0.
    assert not np.signbit(distance[2])
    assert hitscan.trimesh.signed_distance(cube(), [[0, 0, 0.25]]).tolist() == [0.75]


def test_the_triangle_at_an_edge_is_the_one_that_faces_the_point() -> None:
    #     . .      Two points above a ridge: the left side faces the left one, the right side the right one.
    #      /\
    #     /  \
    ridge = Mesh([[-1, -1, -1], [-1, 1, -1], [0, -1, 0], [0, 1, 0], [1, -1, -1], [1, 1, -1]], [
        [0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5],
    ])  # fmt: skip
    closest, distance, triangle_id = ProximityQuery(ridge).on_surface([[-0.25, 0.5, 1], [0.25, 0.5, 1]])
    assert closest.tolist() == [[0, 0.5, 0]] * 2
    assert distance.tolist() == [np.sqrt(1.0625)] * 2
    assert triangle_id.tolist() == [1, 2]
    # The same where the vertices are not shared.
    soup = Mesh(ridge.vertices[ridge.faces].reshape(-1, 3), np.arange(12))
    assert ProximityQuery(soup).on_surface([[-0.25, 0.5, 1], [0.25, 0.5, 1]])[2].tolist() == [1, 2]
    # At a vertex, any of its triangles; which of them faces the point is known from the normals.
    points = np.array([[2, 3, 1.5], [3, 2, 1.5], [1.5, 2, 3], [-4, -3, -5], [-3, 4, -3.5]])
    closest, _, triangle_id = ProximityQuery(cube()).on_surface(points)
    assert closest.tolist() == np.sign(points).tolist()
    assert (triangle_id // 2).tolist() == [3, 1, 5, 4, 3]


def test_the_closest_vertex_may_be_one_without_triangles() -> None:
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5], [5, 5, 5]], [[0, 1, 2]])
    distance, vertex_id = ProximityQuery(mesh).vertex(np.array([[5, 5, 6], [0.9, 0, 0], [-3, -4, 0]]))
    assert distance.tolist() == [1, 1 - 0.9, 5]
    assert vertex_id.tolist() == [3, 1, 0]
    assert vertex_id.dtype == np.int64


def test_engines_can_be_copied_and_pickled() -> None:
    origins, directions = [[0.25, 0.5, 5.0]], [[0.0, 0.0, -1.0]]
    ray = RayMeshIntersector(cube())
    ray.intersects_any(origins, directions)
    for other in (copy.copy(ray), copy.deepcopy(ray), pickle.loads(pickle.dumps(ray))):
        assert other.intersects_location(origins, directions)[0].tolist() == [[0.25, 0.5, 1], [0.25, 0.5, -1]]
    nearest: ProximityQuery = pickle.loads(pickle.dumps(ProximityQuery(cube())))
    assert nearest.signed_distance([[0, 0, 0.25]]).tolist() == [0.75]


def test_one_line_switches_a_mesh_of_trimesh(trimesh: Any) -> None:
    mesh = trimesh.creation.box(extents=[2, 2, 2])
    mesh.ray = RayMeshIntersector(mesh)
    mesh.nearest = ProximityQuery(mesh)
    assert mesh.nearest._source is mesh.ray._source
    assert mesh.contains([[0, 0, 0], [0, 0, 2]]).tolist() == [True, False]
    locations, _, _ = mesh.ray.intersects_location([[0, 0, 5]], [[0, 0, -1]])
    assert locations.tolist() == [[0, 0, 1], [0, 0, -1]]
    mesh.apply_scale(2)
    locations, _, _ = mesh.ray.intersects_location([[0, 0, 5]], [[0, 0, -1]])
    assert locations.tolist() == [[0, 0, 2], [0, 0, -2]]
    # Functions of trimesh that take the engines of the mesh.
    thickness = trimesh.proximity.thickness(mesh, [[2.0, 0.25, 0.5]], normals=[[1.0, 0.0, 0.0]], method="ray")
    assert thickness.tolist() == [4]
    assert len(mesh.voxelized(0.5, method="ray").points) > 0
    assert mesh.copy().contains([[0, 0, 0]]).all()
    assert pickle.loads(pickle.dumps(mesh)).ray.intersects_any([[0, 0, 5]], [[0, 0, -1]]).all()


def test_rays_that_touch_agree_with_trimesh(trimesh: Any) -> None:
    # Rays from points of a lattice to others, at meshes with vertices on it; a ray from the surface is left out.
    pytest.importorskip("rtree")
    square = trimesh.Trimesh([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], [[0, 1, 2], [0, 2, 3]], process=False)
    random = np.random.default_rng(3)
    for mesh in (square, trimesh.creation.box(extents=[2, 2, 2])):
        theirs, ours = trimesh.ray.ray_triangle.RayMeshIntersector(mesh), RayMeshIntersector(mesh)
        origins = random.integers(-4, 5, size=(1500, 3)).astype(np.float64)
        directions = random.integers(-3, 4, size=origins.shape) - origins
        far = (ProximityQuery(mesh).on_surface(origins)[1] > 0) & directions.any(axis=1)
        origins, directions = origins[far], directions[far]
        assert np.array_equal(ours.intersects_any(origins, directions), theirs.intersects_any(origins, directions))
        points = [
            sorted({(int(row), *(np.round(place, 6) + 0.0).tolist()) for place, row in zip(*found[:2], strict=True)})
            for found in (engine.intersects_location(origins, directions) for engine in (ours, theirs))
        ]
        assert points[0] == points[1]
        assert len(points[0]) == len(ours.intersects_id(origins, directions)[0])


def test_ordinary_queries_agree_with_trimesh(trimesh: Any) -> None:
    # Its engine in Python, which needs rtree.
    pytest.importorskip("rtree")
    data = bumpy_sphere()
    mesh = trimesh.Trimesh(data.vertices, data.faces, process=False)
    theirs = trimesh.ray.ray_triangle.RayMeshIntersector(mesh)
    ours = RayMeshIntersector(mesh)
    random = np.random.default_rng(7)
    origins = random.normal(size=(500, 3)) * 2
    directions = random.normal(size=(500, 3)) - origins
    assert np.array_equal(ours.intersects_first(origins, directions), theirs.intersects_first(origins, directions))
    assert np.array_equal(ours.intersects_any(origins, directions), theirs.intersects_any(origins, directions))
    a, b = ours.intersects_location(origins, directions), theirs.intersects_location(origins, directions)
    order_a, order_b = np.lexsort((a[2], a[1])), np.lexsort((b[2], b[1]))
    assert np.array_equal(a[1][order_a], b[1][order_b])
    assert np.array_equal(a[2][order_a], b[2][order_b])
    assert np.abs(a[0][order_a] - b[0][order_b]).max() < 1e-9
    points = random.normal(size=(500, 3))
    assert np.array_equal(ours.contains_points(points), theirs.contains_points(points))
    closest, distance, triangle_id = ProximityQuery(mesh).on_surface(points)
    their_closest, their_distance, their_id = trimesh.proximity.closest_point(mesh, points)
    # trimesh takes another triangle beside some vertices, at a greater distance; ours is never farther.
    assert np.all(distance <= their_distance + 1e-12)
    same = triangle_id == their_id
    assert np.abs(closest[same] - their_closest[same]).max() < 1e-9
    # Where the closest point is a vertex, trimesh compares the normals of two of its triangles, we those of all.
    to_point = (points - closest) / distance[:, None]
    ours_faces, theirs_face = (np.einsum("ij,ij->i", mesh.face_normals[i], to_point) for i in (triangle_id, their_id))
    assert np.all(ours_faces >= theirs_face - 1e-12)
    at_vertex = ProximityQuery(mesh).vertex(points)[0] <= distance + 1e-12
    assert np.all(same | at_vertex)
    vertex = ProximityQuery(mesh).vertex(points)
    pytest.importorskip("scipy")
    their_vertex = mesh.nearest.vertex(points)
    assert np.array_equal(vertex[1], their_vertex[1])
    assert np.abs(vertex[0] - their_vertex[0]).max() < 1e-12
