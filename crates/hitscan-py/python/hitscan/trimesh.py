"""Ray and proximity queries with the interfaces of trimesh.

`RayMeshIntersector` has the methods of trimesh's ray engines, `ProximityQuery` those of its proximity queries. A line
of each switches a mesh of trimesh to hitscan::

    mesh.ray = hitscan.trimesh.RayMeshIntersector(mesh)
    mesh.nearest = hitscan.trimesh.ProximityQuery(mesh)

Coordinates stay float64. trimesh itself is not imported: any object with `vertices` and `faces` is a mesh here. When they
change, the next query builds the bounding volume hierarchy again.

Where the answers differ from trimesh's, they are exact where trimesh's are rounded:

- A ray that meets the surface in a shared edge or vertex has one hit there: one triangle is listed, not all that share it.
- A hit is in front of the origin or at it. trimesh also lists hits up to 10^-6 behind it.
- No limit on the number of hits of a ray is set unless you give `max_hits`.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hitscan._arrays import numbers
from hitscan._common_points import common_points
from hitscan._shapes import TriangleMesh

__all__ = ["ProximityQuery", "RayMeshIntersector", "closest_point", "signed_distance"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]

# The number of pairs of a point and a triangle whose normals are compared at a time.
_PAIRS = 1 << 20


class MeshLike(Protocol):
    """Mesh with vertices and faces as `trimesh.Trimesh` has them.

    Attributes
    ----------
    vertices : (n, 3) array of float
        Coordinates of the vertices.
    faces : (m, 3) array of int
        Indices of the vertices of each triangle.
    """

    @property
    def vertices(self) -> Any:
        """Coordinates of the vertices, (n, 3)."""

    @property
    def faces(self) -> Any:
        """Indices of the vertices of each triangle, (m, 3)."""


class _Source:
    """Triangle mesh of hitscan for a mesh of trimesh, built again when the mesh changes."""

    def __init__(self, mesh: MeshLike) -> None:
        self.mesh = mesh
        self._state: _State | None = None
        self._built: TriangleMesh | None = None
        self._corners: _Corners | None = None
        self._vertices: TriangleMesh | None = None

    @classmethod
    def of(cls, mesh: MeshLike) -> _Source:
        """Source that a hitscan engine of the mesh already has, or a new one."""
        # Not in the constructor: a mesh that is unpickled has its data later than its engines. A property is not read: a primitive of
        # trimesh makes its engines before it can compute its vertices.
        for name in ("vertices", "faces"):
            if not (hasattr(type(mesh), name) or hasattr(mesh, name)):
                raise TypeError(f"geometry: a {type(mesh).__name__} has no {name}; give a mesh with vertices and faces")
        for engine in (getattr(mesh, "ray", None), getattr(mesh, "nearest", None)):
            if isinstance(engine, RayMeshIntersector | ProximityQuery) and engine._source.mesh is mesh:
                return engine._source
        return cls(mesh)

    def _update(self) -> None:
        """Drop what was built if the mesh has changed since."""
        if self._state is None or not self._state.is_of(self.mesh):
            self._state = _State(self.mesh)
            self._built, self._corners, self._vertices = None, None, None

    def triangles(self) -> TriangleMesh | None:
        """Triangle mesh in float64, or None if there are no triangles."""
        self._update()
        if self._built is None:
            if isinstance(self.mesh, TriangleMesh) and self.mesh.dtype == np.float64:
                self._built = self.mesh
            elif len(self.mesh.faces) > 0:
                self._built = TriangleMesh(
                    np.asarray(self.mesh.vertices, dtype=np.float64), np.asarray(self.mesh.faces), dtype=np.float64
                )
        return self._built

    def corners(self) -> _Corners:
        """Triangles around each point of the mesh."""
        self._update()
        if self._corners is None:
            self._corners = _Corners(np.asarray(self.mesh.vertices, dtype=np.float64), np.asarray(self.mesh.faces))
        return self._corners

    def vertices(self) -> TriangleMesh | None:
        """Mesh whose triangles are the vertices: all corners of triangle i are vertex i. None without vertices."""
        self._update()
        if self._vertices is None and len(self.mesh.vertices) > 0:
            points = np.asarray(self.mesh.vertices, dtype=np.float64)
            faces = np.repeat(np.arange(len(points), dtype=np.uint32)[:, None], 3, axis=1)
            self._vertices = TriangleMesh(points, faces, dtype=np.float64)
        return self._vertices

    def __getstate__(self) -> dict[str, Any]:
        return {"mesh": self.mesh}

    def __setstate__(self, state: dict[str, Any]) -> None:
        _Source.__init__(self, state["mesh"])


class _State:
    """What a mesh was: its hash where that follows its data, else copies of its arrays."""

    def __init__(self, mesh: MeshLike) -> None:
        self._hash = hash(mesh) if _has_hash_of_data(mesh) else None
        self._arrays = None if self._hash is not None else tuple(np.array(part) for part in _parts(mesh))

    def is_of(self, mesh: MeshLike) -> bool:
        """Whether the mesh is what it was."""
        if self._arrays is None:
            return hash(mesh) == self._hash
        return all(np.array_equal(old, new) for old, new in zip(self._arrays, _parts(mesh), strict=True))


def _has_hash_of_data(mesh: MeshLike) -> bool:
    """Whether the hash of a mesh follows its data: that of a `trimesh.Trimesh` does, and a `TriangleMesh` never changes. The
    hash of most other objects is that of their identity, or there is none."""
    return any(of.__module__.partition(".")[0] in ("trimesh", "hitscan") for of in type(mesh).__mro__)


def _parts(mesh: MeshLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """Vertices and faces as arrays."""
    return np.asarray(mesh.vertices), np.asarray(mesh.faces)


class _Corners:
    """Triangles around each point of a mesh. Vertices at the same coordinates are one point."""

    def __init__(self, vertices: _Floats, faces: NDArray[Any]) -> None:
        points, inverse = np.unique(vertices + 0.0, axis=0, return_inverse=True)
        self.corners = inverse.reshape(-1)[faces]
        order = np.argsort(self.corners, axis=None, kind="stable")
        self.faces = order // 3
        self.starts = np.searchsorted(self.corners.ravel()[order], np.arange(len(points) + 1))
        edges = vertices[faces[:, 1:]] - vertices[faces[:, :1]]
        normals = np.cross(edges[:, 0], edges[:, 1])
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        self.normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)

    def facing(self, triangles: _Ints, feature: NDArray[Any], index: NDArray[Any], to_point: _Floats) -> _Ints:
        """Triangle, of those that share each closest point, whose normal is nearest to the way to the query point.

        Parameters
        ----------
        triangles : (n,) int64
            One triangle of each closest point.
        feature : (n,) int
            1 where the closest point is on an edge, 2 where it is a vertex.
        index : (n,) int
            Number of the edge or vertex in the triangle.
        to_point : (n, 3) float64
            Vectors from the closest points to the query points.

        Returns
        -------
        (n,) int64
            The triangles. Of several with the same angle, the first.
        """
        corners = self.corners[triangles]
        rows = np.arange(len(triangles))
        first = corners[rows, index]
        # A vertex is an edge from itself to itself: each of its triangles has both ends.
        second = np.where(feature == 1, corners[rows, (index + 1) % 3], first)
        counts = self.starts[first + 1] - self.starts[first]
        ends = np.cumsum(counts)
        pair_row = np.repeat(rows, counts)
        pair_face = self.faces[np.arange(len(pair_row)) + np.repeat(self.starts[first] - (ends - counts), counts)]
        both = (self.corners[pair_face] == second[pair_row, None]).any(axis=1)
        pair_row, pair_face = pair_row[both], pair_face[both]
        cosine = np.einsum("ij,ij->i", self.normals[pair_face], to_point[pair_row])
        order = np.lexsort((pair_face, -cosine, pair_row))
        chosen = order[np.unique(pair_row[order], return_index=True)[1]]
        result: _Ints = pair_face[chosen].astype(np.int64)
        return result


class RayMeshIntersector:
    """Ray engine of a mesh with the methods of trimesh's ray engines.

    Parameters
    ----------
    geometry : trimesh.Trimesh or MeshLike
        Mesh to cast rays at: any object with `vertices` and `faces`. Its name is `geometry` in trimesh's Embree engine, and
        `mesh` in the other one: both work.
    scale_to_box : bool, optional
        Has no effect. trimesh's Embree engine has this argument to rescale coordinates before it rounds them to
        float32; hitscan does not round them.

    Raises
    ------
    TypeError
        If the object has no `vertices` or no `faces`.

    Examples
    --------
    >>> import hitscan, hitscan.trimesh
    >>> square = hitscan.TriangleMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    >>> ray = hitscan.trimesh.RayMeshIntersector(square)
    >>> ray.intersects_first([[0.75, 0.25, 5.0], [3.0, 3.0, 5.0]], [[0, 0, -1], [0, 0, -1]])
    array([ 0, -1])
    """

    def __init__(
        self, geometry: MeshLike | None = None, scale_to_box: bool = True, *, mesh: MeshLike | None = None
    ) -> None:
        given = geometry if mesh is None else mesh
        if given is None or (geometry is not None and mesh is not None):
            raise TypeError("geometry: give one mesh, as geometry or as mesh")
        self.mesh = given
        self._source = _Source.of(given)

    def __repr__(self) -> str:
        return f"hitscan.trimesh.RayMeshIntersector({type(self.mesh).__name__} with {len(self.mesh.faces)} faces)"

    @overload
    def intersects_id(
        self,
        ray_origins: ArrayLike,
        ray_directions: ArrayLike,
        multiple_hits: bool = True,
        max_hits: int | None = None,
        return_locations: Literal[False] = False,
    ) -> tuple[_Ints, _Ints]: ...

    @overload
    def intersects_id(
        self,
        ray_origins: ArrayLike,
        ray_directions: ArrayLike,
        multiple_hits: bool = True,
        max_hits: int | None = None,
        *,
        return_locations: Literal[True],
    ) -> tuple[_Ints, _Ints, _Floats]: ...

    @overload
    def intersects_id(
        self,
        ray_origins: ArrayLike,
        ray_directions: ArrayLike,
        multiple_hits: bool = True,
        max_hits: int | None = None,
        return_locations: bool = False,
    ) -> tuple[_Ints, _Ints] | tuple[_Ints, _Ints, _Floats]: ...

    def intersects_id(
        self,
        ray_origins: ArrayLike,
        ray_directions: ArrayLike,
        multiple_hits: bool = True,
        max_hits: int | None = None,
        return_locations: bool = False,
    ) -> tuple[_Ints, _Ints] | tuple[_Ints, _Ints, _Floats]:
        """Triangles that each ray hits.

        Parameters
        ----------
        ray_origins : (n, 3) float
            Origins of the rays.
        ray_directions : (n, 3) float
            Directions of the rays, of any length but zero.
        multiple_hits : bool, optional
            True: all points in which each ray crosses or touches the surface. False: the first one only.
        max_hits : int, optional
            The most points listed of each ray, the nearest ones. None: all.
        return_locations : bool, optional
            Whether to return the hit points.

        Returns
        -------
        index_tri : (h,) int64
            Indices of the triangles.
        index_ray : (h,) int64
            Indices of the rays, ascending. Hits of the same ray are in the order of distance.
        locations : (h, 3) float64
            Hit points, if `return_locations`.

        Raises
        ------
        ValueError
            If the arrays are not of shape (n, 3), or `max_hits` is less than 1.

        Examples
        --------
        >>> import hitscan, hitscan.trimesh
        >>> square = hitscan.TriangleMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> ray = hitscan.trimesh.RayMeshIntersector(square)
        >>> ray.intersects_id([[0.75, 0.25, 5.0]], [[0, 0, -1]], return_locations=True)
        (array([0]), array([0]), array([[0.75, 0.25, 0.  ]]))
        """
        origins, directions = _rays(ray_origins, ray_directions)
        if max_hits is not None and max_hits < 1:
            raise ValueError(f"max_hits: {max_hits} is no number of hits; give at least 1, or None for all")
        triangles = self._source.triangles()
        if triangles is None:
            none = np.zeros(0, dtype=np.int64)
            return (none, none.copy(), np.zeros((0, 3))) if return_locations else (none, none.copy())
        wanted = ("primitive", "point") if return_locations else ("primitive",)
        if multiple_hits:
            lists = common_points(triangles, origins, directions, first=max_hits, fields=wanted)
            hits, index_ray = lists.hits, lists.ray.astype(np.int64, copy=False)
            index_tri = hits.primitive.astype(np.int64)
            if not return_locations:
                return index_tri, index_ray
            return index_tri, index_ray, _double(hits.point)
        hits = triangles.cast(origins, directions, inside="hollow", fields=wanted, keep_rays=False)
        primitive = hits.primitive
        index_ray = np.flatnonzero(primitive >= 0)
        index_tri = primitive[index_ray].astype(np.int64)
        if not return_locations:
            return index_tri, index_ray
        return index_tri, index_ray, _double(hits.point[index_ray])

    def intersects_location(
        self,
        ray_origins: ArrayLike,
        ray_directions: ArrayLike,
        multiple_hits: bool = True,
        max_hits: int | None = None,
    ) -> tuple[_Floats, _Ints, _Ints]:
        """Points where each ray hits the surface.

        Parameters
        ----------
        ray_origins : (n, 3) float
            Origins of the rays.
        ray_directions : (n, 3) float
            Directions of the rays, of any length but zero.
        multiple_hits : bool, optional
            True: all points in which each ray crosses or touches the surface. False: the first one only.
        max_hits : int, optional
            The most points listed of each ray, the nearest ones. None: all.

        Returns
        -------
        locations : (h, 3) float64
            Hit points.
        index_ray : (h,) int64
            Indices of the rays, ascending. Hits of the same ray are in the order of distance.
        index_tri : (h,) int64
            Indices of the triangles.

        Raises
        ------
        ValueError
            If the arrays are not of shape (n, 3), or `max_hits` is less than 1.

        Examples
        --------
        >>> import hitscan, hitscan.trimesh
        >>> square = hitscan.TriangleMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> hitscan.trimesh.RayMeshIntersector(square).intersects_location([[0.75, 0.25, 5.0]], [[0, 0, -1]])
        (array([[0.75, 0.25, 0.  ]]), array([0]), array([0]))
        """
        index_tri, index_ray, locations = self.intersects_id(
            ray_origins, ray_directions, multiple_hits, max_hits, return_locations=True
        )
        return locations, index_ray, index_tri

    def intersects_first(self, ray_origins: ArrayLike, ray_directions: ArrayLike) -> _Ints:
        """First triangle that each ray hits.

        Parameters
        ----------
        ray_origins : (n, 3) float
            Origins of the rays.
        ray_directions : (n, 3) float
            Directions of the rays, of any length but zero.

        Returns
        -------
        (n,) int64
            Index of the triangle, -1 for a miss.

        Raises
        ------
        ValueError
            If the arrays are not of shape (n, 3).

        Examples
        --------
        >>> import hitscan, hitscan.trimesh
        >>> square = hitscan.TriangleMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> hitscan.trimesh.RayMeshIntersector(square).intersects_first([[0.75, 0.25, 5.0]], [[0, 0, 1]])
        array([-1])
        """
        origins, directions = _rays(ray_origins, ray_directions)
        triangles = self._source.triangles()
        if triangles is None:
            return np.full(len(origins), -1, dtype=np.int64)
        hits = triangles.cast(origins, directions, inside="hollow", fields=("primitive",), keep_rays=False)
        return hits.primitive.astype(np.int64)

    def intersects_any(self, ray_origins: ArrayLike, ray_directions: ArrayLike) -> _Bools:
        """Whether each ray hits the surface. Touching is hitting.

        Parameters
        ----------
        ray_origins : (n, 3) float
            Origins of the rays.
        ray_directions : (n, 3) float
            Directions of the rays, of any length but zero.

        Returns
        -------
        (n,) bool
            Whether the ray hits any triangle.

        Raises
        ------
        ValueError
            If the arrays are not of shape (n, 3).

        Examples
        --------
        >>> import hitscan, hitscan.trimesh
        >>> square = hitscan.TriangleMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> hitscan.trimesh.RayMeshIntersector(square).intersects_any([[0.5, 0.5, 1]], [[0, 0, -1]])
        array([ True])
        """
        origins, directions = _rays(ray_origins, ray_directions)
        triangles = self._source.triangles()
        if triangles is None:
            return np.zeros(len(origins), dtype=np.bool_)
        return triangles.cast_any(origins, directions, inside="hollow")

    def contains_points(self, points: ArrayLike) -> _Bools:
        """Whether each point is inside of the mesh.

        A closed mesh contains the points from which a ray crosses the surface an odd number of times, and the points
        of the surface itself; this is decided exactly. Another mesh contains the points around which its generalized
        winding number is at least 1/2.

        Parameters
        ----------
        points : (n, 3) float
            Points.

        Returns
        -------
        (n,) bool
            Whether the point is inside.

        Raises
        ------
        ValueError
            If the array is not of shape (n, 3).

        Examples
        --------
        >>> import hitscan, hitscan.trimesh
        >>> corner = hitscan.TriangleMesh(
        ...     [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        >>> hitscan.trimesh.RayMeshIntersector(corner).contains_points([[0.1, 0.1, 0.1], [1, 1, 1]])
        array([ True, False])
        """
        rows = _rows(points, "points")
        triangles = self._source.triangles()
        if triangles is None:
            return np.zeros(len(rows), dtype=np.bool_)
        return triangles.contains(rows, rule="parity_if_closed")


class ProximityQuery:
    """Proximity queries of a mesh with the methods of `trimesh.proximity.ProximityQuery`.

    Parameters
    ----------
    mesh : trimesh.Trimesh or MeshLike
        Mesh to measure distances to.

    Examples
    --------
    >>> import hitscan, hitscan.trimesh
    >>> corner = hitscan.TriangleMesh(
    ...     [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> hitscan.trimesh.ProximityQuery(corner).signed_distance([[0.25, 0.25, 0.125], [0.25, 0.25, -1]])
    array([ 0.125, -1.   ])
    """

    def __init__(self, mesh: MeshLike) -> None:
        self._mesh = mesh
        self._source = _Source.of(mesh)

    def __repr__(self) -> str:
        return f"hitscan.trimesh.ProximityQuery({type(self._mesh).__name__} with {len(self._mesh.faces)} faces)"

    def on_surface(self, points: ArrayLike) -> tuple[_Floats, _Floats, _Ints]:
        """Closest point of the surface to each point.

        Parameters
        ----------
        points : (n, 3) float
            Points.

        Returns
        -------
        closest : (n, 3) float64
            Closest points of the surface; NaN if the mesh has no triangles.
        distance : (n,) float64
            Distances to them, at least 0; infinite if the mesh has no triangles.
        triangle_id : (n,) int64
            Triangle of each closest point; -1 if the mesh has none. Of the triangles that share an edge or vertex, it
            is the one whose normal is nearest to the direction to the point.

        Raises
        ------
        ValueError
            If the array is not of shape (n, 3).

        Examples
        --------
        >>> import hitscan, hitscan.trimesh
        >>> square = hitscan.TriangleMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> hitscan.trimesh.ProximityQuery(square).on_surface([[0.75, 0.25, 2]])
        (array([[0.75, 0.25, 0.  ]]), array([2.]), array([0]))
        """
        rows = _rows(points, "points")
        triangles = self._source.triangles()
        if triangles is None:
            return np.full((len(rows), 3), np.nan), np.full(len(rows), np.inf), np.full(len(rows), -1, dtype=np.int64)
        found = triangles.closest_point(rows)
        triangle_id = found.primitive.astype(np.int64)
        shared = np.flatnonzero((found.feature > 0) & (found.distance > 0))
        if len(shared) > 0:
            corners = self._source.corners()
            longest = int(np.max(np.diff(corners.starts)))
            step = max(_PAIRS // longest, 1)
            for start in range(0, len(shared), step):
                some = shared[start : start + step]
                triangle_id[some] = corners.facing(
                    triangle_id[some], found.feature[some], found.feature_index[some], rows[some] - found.point[some]
                )
        return _double(found.point), _double(found.distance), triangle_id

    def vertex(self, points: ArrayLike) -> tuple[_Floats, _Ints]:
        """Closest vertex to each point.

        Parameters
        ----------
        points : (n, 3) float
            Points.

        Returns
        -------
        distance : (n,) float64
            Distances to the closest vertices; infinite if there are none.
        vertex_id : (n,) int64
            Indices of the vertices. Of several at the same distance, the first. If the mesh has no vertices, 0, which
            is the number of vertices, as the search trees of SciPy return it.

        Raises
        ------
        ValueError
            If the array is not of shape (n, 3).

        Examples
        --------
        >>> import hitscan, hitscan.trimesh
        >>> square = hitscan.TriangleMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> hitscan.trimesh.ProximityQuery(square).vertex([[1, 2, 0]])
        (array([1.]), array([2]))
        """
        rows = _rows(points, "points")
        vertices = self._source.vertices()
        if vertices is None:
            return np.full(len(rows), np.inf), np.zeros(len(rows), dtype=np.int64)
        found = vertices.closest_point(rows)
        return _double(found.distance), found.primitive.astype(np.int64)

    def signed_distance(self, points: ArrayLike) -> _Floats:
        """Signed distance of each point: positive inside of the mesh, negative outside, 0 on the surface.

        Parameters
        ----------
        points : (n, 3) float
            Points.

        Returns
        -------
        (n,) float64
            Signed distances. The sign is that of `RayMeshIntersector.contains_points`.

        Raises
        ------
        ValueError
            If the array is not of shape (n, 3).

        Examples
        --------
        >>> import hitscan, hitscan.trimesh
        >>> corner = hitscan.TriangleMesh(
        ...     [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        >>> hitscan.trimesh.ProximityQuery(corner).signed_distance([[0.25, 0.25, 0.125]])
        array([0.125])
        """
        rows = _rows(points, "points")
        triangles = self._source.triangles()
        if triangles is None:
            return np.full(len(rows), -np.inf)
        # 0 - x, so that the distance on the surface is 0 and not -0.
        return _double(0.0 - triangles.signed_distance(rows, rule="parity_if_closed"))


def closest_point(mesh: MeshLike, points: ArrayLike) -> tuple[_Floats, _Floats, _Ints]:
    """Closest point of a mesh to each point, as `trimesh.proximity.closest_point` returns it.

    Parameters
    ----------
    mesh : trimesh.Trimesh or MeshLike
        Mesh. If its `nearest` or `ray` is of hitscan, the bounding volume hierarchy there is used.
    points : (n, 3) float
        Points.

    Returns
    -------
    closest : (n, 3) float64
        Closest points of the surface.
    distance : (n,) float64
        Distances to them, at least 0.
    triangle_id : (n,) int64
        Triangle of each closest point: see `ProximityQuery.on_surface`.

    Raises
    ------
    ValueError
        If the array is not of shape (n, 3).

    Examples
    --------
    >>> import hitscan, hitscan.trimesh
    >>> square = hitscan.TriangleMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    >>> hitscan.trimesh.closest_point(square, [[0.75, 0.25, 2]])
    (array([[0.75, 0.25, 0.  ]]), array([2.]), array([0]))
    """
    return ProximityQuery(mesh).on_surface(points)


def signed_distance(mesh: MeshLike, points: ArrayLike) -> _Floats:
    """Signed distance of each point to a mesh, as `trimesh.proximity.signed_distance` returns it.

    Parameters
    ----------
    mesh : trimesh.Trimesh or MeshLike
        Mesh. If its `nearest` or `ray` is of hitscan, the bounding volume hierarchy there is used.
    points : (n, 3) float
        Points.

    Returns
    -------
    (n,) float64
        Signed distances: positive inside of the mesh, negative outside, 0 on the surface.

    Raises
    ------
    ValueError
        If the array is not of shape (n, 3).

    Examples
    --------
    >>> import hitscan, hitscan.trimesh
    >>> corner = hitscan.TriangleMesh(
    ...     [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> hitscan.trimesh.signed_distance(corner, [[0.25, 0.25, -1]])
    array([-1.])
    """
    return ProximityQuery(mesh).signed_distance(points)


def _double(array: NDArray[Any]) -> _Floats:
    """The same array, which is float64 already."""
    return array.astype(np.float64, copy=False)


def _rows(value: ArrayLike, name: str) -> _Floats:
    """Array of shape (n, 3) in float64."""
    rows = numbers(name, value)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise ValueError(f"{name}: shape {rows.shape}; the shape (n, 3) is needed")
    return rows.astype(np.float64, copy=False)


def _rays(ray_origins: ArrayLike, ray_directions: ArrayLike) -> tuple[_Floats, _Floats]:
    """Origins and directions of the same number of rays."""
    origins = _rows(ray_origins, "ray_origins")
    directions = _rows(ray_directions, "ray_directions")
    if len(origins) != len(directions):
        raise ValueError(
            f"ray_directions: {len(directions)} rows, but ray_origins has {len(origins)}; give one direction for each"
        )
    return origins, directions
