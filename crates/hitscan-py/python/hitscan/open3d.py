"""Ray and distance queries with the interface of Open3D's `RaycastingScene`.

`RaycastingScene` has the names, shapes and dtypes of `open3d.t.geometry.RaycastingScene`, on NumPy arrays and on
every object with `__dlpack__`, such as tensors of Open3D and PyTorch in main memory. One line switches a program::

    scene = hitscan.open3d.RaycastingScene()

Open3D itself is not imported. Results are NumPy arrays that also have methods of Open3D's tensors: `Array`.

Where the answers differ from Open3D's:

- Float64 meshes, rays and points are accepted and stay float64: if geometry and query are float32, so is the result;
  otherwise it is float64.
- Hits, occupancy and counts are decided exactly. A ray that crosses or touches a surface in a shared edge or vertex has one
  hit there.
- The intersections that `list_intersections` returns of a ray are in the order of `t_hit`.
- Indices of vertices are checked.
- In a scene without triangles, distances are infinite and closest points NaN.
"""

from __future__ import annotations

from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from hitscan._arrays import numbers, refuse_masked
from hitscan._common_points import common_points, count_points
from hitscan._open3d_array import Array
from hitscan._results import ClosestPoints, Hits
from hitscan._scene import Scene
from hitscan._shapes import TriangleMesh

__all__ = ["Array", "RaycastingScene"]

_INVALID = 0xFFFFFFFF


class SupportsDLPack(Protocol):
    """Array or tensor that is exchanged by the DLPack protocol."""

    def __dlpack__(self, *, stream: Any = None) -> Any: ...


class RaycastingScene:
    """Scene of triangle meshes with the methods of `open3d.t.geometry.RaycastingScene`.

    Parameters
    ----------
    nthreads : int, optional
        Has no effect. In Open3D it is the number of threads that build the scene.
    device : object, optional
        Device as Open3D names it. Only the CPU is supported.

    Attributes
    ----------
    INVALID_ID : int
        Id 4294967295 of no geometry and no primitive, for rays that hit nothing.

    Raises
    ------
    ValueError
        If `device` is not a CPU.

    Examples
    --------
    >>> import numpy as np, hitscan.open3d
    >>> scene = hitscan.open3d.RaycastingScene()
    >>> vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], np.float32)
    >>> scene.add_triangles(vertices, np.array([[0, 1, 2]], np.uint32))
    0
    >>> scene.cast_rays(np.array([[0.5, 0.25, 2, 0, 0, -1]], np.float32))["t_hit"].numpy()
    array([2.], dtype=float32)
    """

    INVALID_ID = _INVALID

    def __init__(self, nthreads: int = 0, device: object = None) -> None:
        if device is not None and not str(device).upper().startswith("CPU"):
            raise ValueError(f"device: {device} is no CPU; leave the argument out")
        self._meshes: list[TriangleMesh | None] = []
        self._built: Scene | TriangleMesh | None = None
        # The geometries by the ids of the objects of the scene, or the only one. The last element is that of no object.
        self._geometry: NDArray[np.uint32] = np.array([_INVALID], dtype=np.uint32)

    def __repr__(self) -> str:
        count = sum(len(mesh.faces) for mesh in self._meshes if mesh is not None)
        return f"hitscan.open3d.RaycastingScene({len(self._meshes)} geometries, {count} triangles)"

    @overload
    def add_triangles(
        self, vertex_positions: ArrayLike | SupportsDLPack, triangle_indices: ArrayLike | SupportsDLPack
    ) -> int: ...

    @overload
    def add_triangles(self, mesh: object) -> int: ...

    def add_triangles(self, *args: Any, **kwargs: Any) -> int:
        """Add a triangle mesh, given by its arrays or as an object.

        Called as `add_triangles(vertex_positions, triangle_indices)` or `add_triangles(mesh)`.

        Parameters
        ----------
        vertex_positions : (n, 3) array of float
            Vertices. float32 and float64 stay as they are; other numbers become float64.
        triangle_indices : (m, 3) array of int
            Indices of the vertices of each triangle.
        mesh : open3d.t.geometry.TriangleMesh or another mesh
            Object with `vertex` and `triangle`, whose arrays are named "positions" and "indices", or with `vertices`
            and either `faces`, as a mesh of trimesh, or `triangles`, as a legacy mesh of Open3D.

        Returns
        -------
        int
            Id of the geometry: 0, 1, 2 and so on.

        Raises
        ------
        TypeError
            If the arguments are neither two arrays nor one mesh.
        ValueError
            If an array has another shape, a coordinate is not finite, or an index is out of range.

        Examples
        --------
        >>> import numpy as np, hitscan.open3d
        >>> scene = hitscan.open3d.RaycastingScene()
        >>> scene.add_triangles(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.uint32))
        0
        >>> scene.add_triangles(hitscan.TriangleMesh(np.eye(3), [[2, 1, 0]]))
        1
        """
        if len(args) + len(kwargs) == 1 and (args or "mesh" in kwargs):
            vertices, indices = _mesh_arrays(args[0] if args else kwargs["mesh"])
        else:
            vertices, indices = _bound("add_triangles", ("vertex_positions", "triangle_indices"), args, kwargs)
        vertices = _floats(vertices, "vertex_positions")
        if vertices.ndim != 2 or vertices.shape[1] != 3:
            raise ValueError(f"vertex_positions: shape {vertices.shape}; the shape (n, 3) is needed")
        indices = _array(indices, "triangle_indices")
        if indices.shape == (0,):
            indices = np.empty((0, 3), np.uint32)
        if indices.ndim != 2 or indices.shape[1] != 3:
            raise ValueError(f"triangle_indices: shape {indices.shape}; the shape (m, 3) is needed")
        # An id is given even to a geometry without triangles, as in Open3D.
        self._meshes.append(TriangleMesh(vertices, indices) if len(indices) > 0 else None)
        self._built = None
        return len(self._meshes) - 1

    def cast_rays(self, rays: ArrayLike | SupportsDLPack, nthreads: int = 0) -> dict[str, Array]:
        """First hit of each ray.

        Parameters
        ----------
        rays : (..., 6) array of float
            Origin and direction of each ray: `ox, oy, oz, dx, dy, dz`. Directions have any length but zero.
        nthreads : int, optional
            Number of threads. 0: all.

        Returns
        -------
        dict
            t_hit : (...) float
                Distance to the hit in lengths of the direction; inf for a miss.
            geometry_ids : (...) uint32
                Geometry; `INVALID_ID` for a miss.
            primitive_ids : (...) uint32
                Triangle of the geometry; `INVALID_ID` for a miss.
            primitive_uvs : (..., 2) float
                Barycentric weights of the second and third vertex of the triangle; 0 for a miss.
            primitive_normals : (..., 3) float
                Normal of the triangle, of length 1, by the order of its vertices; 0 for a miss.

        Raises
        ------
        ValueError
            If `rays` has another shape.

        Examples
        --------
        >>> import numpy as np, hitscan.open3d
        >>> scene = hitscan.open3d.RaycastingScene()
        >>> scene.add_triangles(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], np.float32), [[0, 1, 2]])
        0
        >>> hits = scene.cast_rays(np.array([[0.5, 0.25, 2, 0, 0, -1], [5, 5, 5, 0, 0, 1]], np.float32))
        >>> hits["primitive_ids"].numpy()
        array([         0, 4294967295], dtype=uint32)
        >>> hits["primitive_uvs"].numpy()
        array([[0.25, 0.25],
               [0.  , 0.  ]], dtype=float32)
        """
        rows, shape = _rows(rays, "rays", 6)
        scene = self._scene()
        hits = scene.cast(
            rows[:, :3],
            rows[:, 3:],
            inside="hollow",
            fields=("t", "primitive", "uv", "normal", *self._objects()),
            threads=nthreads,
            keep_rays=False,
        )
        return {
            "t_hit": _shaped(hits.t, shape),
            "geometry_ids": _shaped(self._geometries(hits), shape),
            "primitive_ids": _shaped(_ids(hits.primitive), shape),
            "primitive_uvs": _shaped(_zero_for_nan(hits.uv), (*shape, 2)),
            "primitive_normals": _shaped(_zero_for_nan(hits.normal), (*shape, 3)),
        }

    def test_occlusions(
        self, rays: ArrayLike | SupportsDLPack, tnear: float = 0.0, tfar: float = np.inf, nthreads: int = 0
    ) -> Array:
        """Whether each ray hits anything from `tnear` to `tfar`. Both ends belong to the range.

        Parameters
        ----------
        rays : (..., 6) array of float
            Origin and direction of each ray.
        tnear, tfar : float, optional
            Range, in lengths of the direction.
        nthreads : int, optional
            Number of threads. 0: all.

        Returns
        -------
        (...) bool
            Whether the ray is blocked.

        Raises
        ------
        ValueError
            If `rays` has another shape.

        Examples
        --------
        >>> import numpy as np, hitscan.open3d
        >>> scene = hitscan.open3d.RaycastingScene()
        >>> scene.add_triangles(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], np.float32), [[0, 1, 2]])
        0
        >>> scene.test_occlusions(np.array([[0.5, 0.25, 2, 0, 0, -1]], np.float32), tfar=1.5).numpy()
        array([False])
        """
        rows, shape = _rows(rays, "rays", 6)
        blocked = self._scene().cast_any(
            rows[:, :3], rows[:, 3:], t_min=tnear, t_max=tfar, inside="hollow", threads=nthreads
        )
        return _shaped(blocked, shape)

    def count_intersections(self, rays: ArrayLike | SupportsDLPack, nthreads: int = 0) -> Array:
        """Number of points in which each ray crosses or touches the surfaces. One of a shared edge or vertex counts once.

        Parameters
        ----------
        rays : (..., 6) array of float
            Origin and direction of each ray.
        nthreads : int, optional
            Number of threads. 0: all.

        Returns
        -------
        (...) int32
            Number of points.

        Raises
        ------
        ValueError
            If `rays` has another shape.

        Examples
        --------
        >>> import numpy as np, hitscan.open3d
        >>> scene = hitscan.open3d.RaycastingScene()
        >>> scene.add_triangles(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], np.float32), [[0, 1, 2]])
        0
        >>> scene.count_intersections(np.array([[0.5, 0.25, 2, 0, 0, -1]], np.float32)).numpy()
        array([1], dtype=int32)
        """
        rows, shape = _rows(rays, "rays", 6)
        points = count_points(self._scene(), rows[:, :3], rows[:, 3:], threads=nthreads)
        return _shaped(points.view(np.int32), shape)

    def list_intersections(self, rays: ArrayLike | SupportsDLPack, nthreads: int = 0) -> dict[str, Array]:
        """All points in which each ray crosses or touches the surfaces, in the order of distance.

        Parameters
        ----------
        rays : (..., 6) array of float
            Origin and direction of each ray.
        nthreads : int, optional
            Number of threads. 0: all.

        Returns
        -------
        dict
            ray_splits : (n + 1,) uint32
                The points of ray i are the rows `ray_splits[i]` to `ray_splits[i + 1]`, n being the number of rays.
            ray_ids : (h,) uint32
                Ray of each point.
            t_hit : (h,) float
                Distance in lengths of the direction.
            geometry_ids : (h,) uint32
                Geometry.
            primitive_ids : (h,) uint32
                Triangle of the geometry.
            primitive_uvs : (h, 2) float
                Barycentric weights of the second and third vertex of the triangle.

        Raises
        ------
        ValueError
            If `rays` has another shape, or there are more than 4294967295 points.

        Examples
        --------
        >>> import numpy as np, hitscan.open3d
        >>> scene = hitscan.open3d.RaycastingScene()
        >>> scene.add_triangles(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], np.float32), [[0, 1, 2]])
        0
        >>> rays = np.array([[0.5, 0.25, 2, 0, 0, -1], [5, 5, 5, 0, 0, 1]], np.float32)
        >>> scene.list_intersections(rays)["ray_splits"].numpy()
        array([0, 1, 1], dtype=uint32)
        """
        rows, _ = _rows(rays, "rays", 6)
        scene = self._scene()
        fields = ("t", "primitive", "uv", *self._objects())
        lists = common_points(scene, rows[:, :3], rows[:, 3:], fields=fields, threads=nthreads)
        hits = lists.hits
        if len(hits.t) > _INVALID:
            raise ValueError(f"rays: {len(hits.t)} points, more than {_INVALID}; give fewer rays at a time")
        return {
            "ray_splits": _plain(lists.offsets.astype(np.uint32)),
            "ray_ids": _plain(lists.ray.astype(np.uint32)),
            "t_hit": _plain(hits.t),
            "geometry_ids": _plain(self._geometries(hits)),
            "primitive_ids": _plain(_ids(hits.primitive)),
            "primitive_uvs": _plain(hits.uv),
        }

    def compute_closest_points(self, query_points: ArrayLike | SupportsDLPack, nthreads: int = 0) -> dict[str, Array]:
        """Closest point of the surfaces to each query point.

        Parameters
        ----------
        query_points : (..., 3) array of float
            Points.
        nthreads : int, optional
            Number of threads. 0: all.

        Returns
        -------
        dict
            points : (..., 3) float
                Closest points; NaN if the scene has no triangles.
            geometry_ids : (...) uint32
                Geometry; `INVALID_ID` if there is none.
            primitive_ids : (...) uint32
                Triangle of the geometry; `INVALID_ID` if there is none.
            primitive_uvs : (..., 2) float
                Barycentric weights of the second and third vertex of the triangle; 0 if there is none.
            primitive_normals : (..., 3) float
                Normal of the triangle, of length 1, by the order of its vertices; 0 if there is none, or if the
                triangle has no area.

        Raises
        ------
        ValueError
            If `query_points` has another shape.

        Examples
        --------
        >>> import numpy as np, hitscan.open3d
        >>> scene = hitscan.open3d.RaycastingScene()
        >>> scene.add_triangles(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], np.float32), [[0, 1, 2]])
        0
        >>> scene.compute_closest_points(np.array([[0.5, 0.25, 2]], np.float32))["points"].numpy()
        array([[0.5 , 0.25, 0.  ]], dtype=float32)
        """
        rows, shape = _rows(query_points, "query_points", 3)
        found = self._scene().closest_point(rows, threads=nthreads)
        geometry = self._geometries(found)
        return {
            "points": _shaped(found.point, (*shape, 3)),
            "geometry_ids": _shaped(geometry, shape),
            "primitive_ids": _shaped(_ids(found.primitive), shape),
            "primitive_uvs": _shaped(_zero_for_nan(found.uv), (*shape, 2)),
            "primitive_normals": _shaped(self._normals(geometry, found.primitive, found.point.dtype), (*shape, 3)),
        }

    def compute_distance(self, query_points: ArrayLike | SupportsDLPack, nthreads: int = 0) -> Array:
        """Distance of each point to the surfaces.

        Parameters
        ----------
        query_points : (..., 3) array of float
            Points.
        nthreads : int, optional
            Number of threads. 0: all.

        Returns
        -------
        (...) float
            Distances, at least 0; inf if the scene has no triangles.

        Raises
        ------
        ValueError
            If `query_points` has another shape.

        Examples
        --------
        >>> import numpy as np, hitscan.open3d
        >>> scene = hitscan.open3d.RaycastingScene()
        >>> scene.add_triangles(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], np.float32), [[0, 1, 2]])
        0
        >>> scene.compute_distance(np.array([[0.5, 0.25, 2]], np.float32)).numpy()
        array([2.], dtype=float32)
        """
        rows, shape = _rows(query_points, "query_points", 3)
        return _shaped(self._scene().distance(rows, threads=nthreads), shape)

    def compute_signed_distance(
        self, query_points: ArrayLike | SupportsDLPack, nthreads: int = 0, nsamples: int = 1
    ) -> Array:
        """Signed distance of each point to the surfaces, negative inside.

        Parameters
        ----------
        query_points : (..., 3) array of float
            Points.
        nthreads : int, optional
            Number of threads. 0: all.
        nsamples : int, optional
            Odd number of rays that vote whether a point is inside: see `compute_occupancy`.

        Returns
        -------
        (...) float
            Distances, negative where `compute_occupancy` is 1.

        Raises
        ------
        ValueError
            If `query_points` has another shape, or `nsamples` is not odd.

        Examples
        --------
        >>> import numpy as np, hitscan.open3d
        >>> scene = hitscan.open3d.RaycastingScene()
        >>> corner = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
        >>> scene.add_triangles(corner, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        0
        >>> scene.compute_signed_distance(np.array([[0.25, 0.25, 0.125], [0.25, 0.25, -1]], np.float32)).numpy()
        array([-0.125,  1.   ], dtype=float32)
        """
        rows, shape = _rows(query_points, "query_points", 3)
        inside = self._inside(rows, nthreads, nsamples)
        distance = self._scene().distance(rows, threads=nthreads)
        return _shaped(np.where(inside & (distance > 0), -distance, distance), shape)

    def compute_occupancy(
        self, query_points: ArrayLike | SupportsDLPack, nthreads: int = 0, nsamples: int = 1
    ) -> Array:
        """Whether each point is inside, as the number 1 or 0.

        A point is inside if a ray from it crosses the surfaces an odd number of times. If each mesh is closed, that is
        decided exactly, from the meshes that contain the point, and their surfaces belong to them. Otherwise it depends
        on the ray: `nsamples` rays in fixed directions near (1, 1, 1) vote, as in Open3D.

        Parameters
        ----------
        query_points : (..., 3) array of float
            Points.
        nthreads : int, optional
            Number of threads. 0: all.
        nsamples : int, optional
            Odd number of rays that vote. It has no effect if each mesh is closed.

        Returns
        -------
        (...) float
            1 inside, 0 outside.

        Raises
        ------
        ValueError
            If `query_points` has another shape, or `nsamples` is not odd.

        Examples
        --------
        >>> import numpy as np, hitscan.open3d
        >>> scene = hitscan.open3d.RaycastingScene()
        >>> corner = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
        >>> scene.add_triangles(corner, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        0
        >>> scene.compute_occupancy(np.array([[0.1, 0.1, 0.1], [1, 1, 1]], np.float32)).numpy()
        array([1., 0.], dtype=float32)
        """
        rows, shape = _rows(query_points, "query_points", 3)
        inside = self._inside(rows, nthreads, nsamples)
        return _shaped(inside.astype(np.result_type(rows.dtype, self._dtype())), shape)

    @staticmethod
    @overload
    def create_rays_pinhole(
        intrinsic_matrix: ArrayLike | SupportsDLPack,
        extrinsic_matrix: ArrayLike | SupportsDLPack,
        width_px: int,
        height_px: int,
        *,
        dtype: DTypeLike = np.float32,
    ) -> Array: ...

    @staticmethod
    @overload
    def create_rays_pinhole(
        fov_deg: float,
        center: ArrayLike | SupportsDLPack,
        eye: ArrayLike | SupportsDLPack,
        up: ArrayLike | SupportsDLPack,
        width_px: int,
        height_px: int,
        *,
        dtype: DTypeLike = np.float32,
    ) -> Array: ...

    @staticmethod
    def create_rays_pinhole(*args: Any, **kwargs: Any) -> Array:
        """Rays of a pinhole camera through the centers of its pixels.

        Called as `create_rays_pinhole(intrinsic_matrix, extrinsic_matrix, width_px, height_px)` or
        `create_rays_pinhole(fov_deg, center, eye, up, width_px, height_px)`. Rows of pixels follow each other in the
        direction of `up`, columns in that of the cross product of `up` and the direction of view.

        Parameters
        ----------
        intrinsic_matrix : (3, 3) array of float
            Upper triangular matrix from camera to pixel coordinates.
        extrinsic_matrix : (4, 4) array of float
            Rotation and translation from world to camera coordinates.
        fov_deg : float
            Horizontal field of view in degrees, between 0 and 180.
        center : (3,) array of float
            Point in the middle of the image.
        eye : (3,) array of float
            Position of the camera.
        up : (3,) array of float
            Direction that is vertical in the image.
        width_px, height_px : int
            Size of the image in pixels.
        dtype : float32 or float64, optional
            Precision of the rays. The default is float32 as in Open3D; hitscan also casts float64.

        Returns
        -------
        (height_px, width_px, 6) float
            Origin and direction of each ray. The depth of a direction, along the axis of the camera, is 1.

        Raises
        ------
        ValueError
            If an array has another shape, or the parameters do not define a camera.

        Examples
        --------
        >>> import hitscan.open3d
        >>> rays = hitscan.open3d.RaycastingScene.create_rays_pinhole(
        ...     fov_deg=90, center=[0, 0, 0], eye=[0, 0, 3], up=[0, 1, 0], width_px=2, height_px=1)
        >>> rays.shape
        (1, 2, 6)
        >>> rays[0, 0].numpy().round(6)
        array([ 0. ,  0. ,  3. ,  0.5,  0. , -1. ], dtype=float32)
        """
        dtype = kwargs.pop("dtype", np.float32)
        size = ("width_px", "height_px")
        if "fov_deg" in kwargs or (args and _array(args[0], "fov_deg").ndim == 0):
            view = _bound("create_rays_pinhole", ("fov_deg", "center", "eye", "up", *size), args, kwargs)
            fov, center, eye, up, width, height = view
            return _pinhole_rays(*_matrices_of_view(fov, center, eye, up, width, height), width, height, dtype)
        names = ("intrinsic_matrix", "extrinsic_matrix", *size)
        intrinsic, extrinsic, width, height = _bound("create_rays_pinhole", names, args, kwargs)
        return _pinhole_rays(intrinsic, extrinsic, width, height, dtype)

    def _dtype(self) -> np.dtype[Any]:
        """Precision of the scene: float64 if any mesh is."""
        return np.result_type(np.float32, *(mesh.dtype for mesh in self._meshes if mesh is not None))

    def _scene(self) -> Scene | TriangleMesh:
        """Scene of all meshes, or the only mesh, made at the first query after a mesh was added."""
        if self._built is None:
            there = [(number, mesh) for number, mesh in enumerate(self._meshes) if mesh is not None]
            if len(there) == 1:
                self._geometry = np.array([there[0][0], _INVALID], dtype=np.uint32)
                self._built = there[0][1]
            else:
                dtype = self._dtype()
                scene = Scene(dtype=dtype, dimension=3)
                ids = [scene.add(mesh.astype(dtype)) for _, mesh in there]
                self._geometry = np.full(max(ids, default=-1) + 2, _INVALID, dtype=np.uint32)
                self._geometry[ids] = [number for number, _ in there]
                scene.commit()
                self._built = scene
        return self._built

    def _objects(self) -> tuple[str, ...]:
        """Field of hits that tells the geometry: none where there is one mesh only."""
        return ("object",) if isinstance(self._built, Scene) else ()

    def _geometries(self, found: Hits | ClosestPoints) -> NDArray[np.uint32]:
        """Geometry of each result."""
        if isinstance(self._built, Scene):
            return self._geometry[found.object]
        # 0 is the only mesh, -1 the last element: none.
        return self._geometry[np.minimum(found.primitive, 0)]

    def _count(self, rows: NDArray[Any], nthreads: int) -> NDArray[Any]:
        """Number of crossings of each ray of an array of shape (n, 6)."""
        return self._scene().count(rows[:, :3], rows[:, 3:], inside="hollow", threads=nthreads)

    def _inside(self, points: NDArray[Any], nthreads: int, nsamples: int) -> NDArray[np.bool_]:
        """Whether each point of an array of shape (n, 3) is inside."""
        if nsamples < 1 or nsamples % 2 == 0:
            raise ValueError(f"nsamples: {nsamples} is no odd number of rays; give 1, 3, 5, …")
        meshes = [mesh for mesh in self._meshes if mesh is not None]
        if all(mesh.is_closed for mesh in meshes):
            inside = np.zeros(len(points), dtype=np.bool_)
            for mesh in meshes:
                inside ^= mesh.contains(points, rule="parity", threads=nthreads)
            return inside
        votes = np.zeros(len(points), dtype=np.int64)
        for direction in _vote_directions(nsamples):
            rows = np.empty((len(points), 6), dtype=points.dtype)
            rows[:, :3] = points
            rows[:, 3:] = direction
            votes += self._count(rows, nthreads) % 2
        return votes > nsamples // 2

    def _normals(self, geometry: NDArray[np.uint32], primitive: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
        """Unit normals of triangles by the order of their vertices; 0 for no triangle or one without area."""
        normals = np.zeros((len(geometry), 3), dtype=dtype)
        for number, mesh in enumerate(self._meshes):
            rows = np.flatnonzero(geometry == number)
            if mesh is None or len(rows) == 0:
                continue
            faces = mesh.faces
            if len(rows) < len(faces):
                normals[rows] = _unit_normals(mesh.vertices, faces[primitive[rows]])
            else:
                normals[rows] = _unit_normals(mesh.vertices, faces)[primitive[rows]]
        return normals


def _unit_normals(vertices: NDArray[Any], faces: NDArray[Any]) -> NDArray[np.float64]:
    """Unit normals of triangles by the order of their vertices; 0 for one without area."""
    corners = vertices[faces].astype(np.float64)
    edges = corners[:, 1:] - corners[:, :1]
    # Edges of size 1 have a cross product within the range of float64.
    size = np.abs(edges).max(axis=(1, 2), keepdims=True)
    edges = np.divide(edges, size, out=np.zeros_like(edges), where=size > 0)
    cross = np.cross(edges[:, 0], edges[:, 1])
    length = np.linalg.norm(cross, axis=1, keepdims=True)
    normals: NDArray[np.float64] = np.divide(cross, length, out=np.zeros_like(cross), where=length > 0)
    return normals


def _ids(primitive: NDArray[np.int32]) -> NDArray[np.uint32]:
    """Ids of triangles in the same memory. -1, none, becomes the largest number."""
    return np.ascontiguousarray(primitive).view(np.uint32)


def _zero_for_nan(array: NDArray[Any]) -> NDArray[Any]:
    """The same array with 0 in place of NaN, which results have where there is no triangle."""
    np.copyto(array, 0, where=np.isnan(array))
    return array


def _vote_directions(count: int) -> NDArray[np.float32]:
    """Directions of the rays that vote: (1, 1, 1) with a deviation of at most 0.001, the same for each call.

    The deviations are those of Open3D: the Mersenne Twister with the seed 42, scaled to the range in float32.
    """
    drawn = np.random.RandomState(42).randint(0, 1 << 32, size=(count, 3), dtype=np.uint32)
    unit = drawn.astype(np.float32) * np.float32(2.0**-32)
    deviation = unit * (np.float32(0.001) - np.float32(-0.001)) + np.float32(-0.001)
    return np.float32(1) + deviation


def _array(value: Any, name: str) -> NDArray[Any]:
    """NumPy array of an array, a tensor with `__dlpack__`, or a list."""
    refuse_masked(name, value)
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise ValueError(
                f"{name}: a {type(value).__name__} that NumPy cannot read ({error}); give it in main memory, as with "
                ".detach().cpu() of PyTorch or .cpu() of Open3D"
            ) from None
    return np.asarray(value)


def _floats(value: Any, name: str) -> NDArray[Any]:
    """Array in float32 or float64. Integers and Python numbers become float64."""
    return numbers(name, _array(value, name))


def _rows(value: Any, name: str, width: int) -> tuple[NDArray[Any], tuple[int, ...]]:
    """Array of shape (n, width), and the shape of the results."""
    array = _floats(value, name)
    if array.ndim == 0 or array.shape[-1] != width:
        raise ValueError(f"{name}: shape {array.shape}; the shape (..., {width}) is needed")
    shape = array.shape[:-1]
    return array.reshape(int(np.prod(shape, dtype=np.int64)), width), shape


def _plain(array: NDArray[Any]) -> Array:
    """The same data with the methods of tensors."""
    return array.view(Array)


def _shaped(array: NDArray[Any], shape: tuple[int, ...]) -> Array:
    """The same data in another shape, with the methods of tensors."""
    return array.reshape(shape).view(Array)


def _bound(function: str, names: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Arguments of a function, by position or name, in the order of the names."""
    given = dict(zip(names, args, strict=False))
    if len(args) > len(names) or given.keys() & kwargs.keys() or given.keys() | kwargs.keys() != set(names):
        raise TypeError(
            f"{function}: {len(args)} arguments by position and {sorted(kwargs)} by name; give {', '.join(names)}"
        )
    given.update(kwargs)
    return [given[name] for name in names]


def _mesh_arrays(mesh: Any) -> tuple[Any, Any]:
    """Vertices and indices of a mesh object."""
    if hasattr(mesh, "vertex") and hasattr(mesh, "triangle"):
        return mesh.vertex["positions"], mesh.triangle["indices"]
    # The triangles of a mesh of trimesh are coordinates.
    for name in ("faces", "triangles"):
        if hasattr(mesh, "vertices") and hasattr(mesh, name):
            return np.asarray(mesh.vertices), np.asarray(getattr(mesh, name))
    raise TypeError(
        f"mesh: a {type(mesh).__name__}; give vertex_positions and triangle_indices, or an object with vertex and "
        "triangle, or with vertices and either faces or triangles"
    )


def _vector(value: Any, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Array of finite numbers in float64 of a shape."""
    array = _floats(value, name).astype(np.float64)
    if array.shape != shape:
        raise ValueError(f"{name}: shape {array.shape}; the shape {shape} is needed")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad) > 0:
        index = tuple(int(i) for i in bad[0])
        raise ValueError(f"{name}[{', '.join(map(str, index))}]: {array[index]} is not finite")
    return array


def _matrices_of_view(
    fov_deg: float, center: Any, eye: Any, up: Any, width_px: int, height_px: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Intrinsic and extrinsic matrix of a camera by its field of view and position."""
    if not 0 < fov_deg < 180:
        raise ValueError(f"fov_deg: {fov_deg} is no field of view; give an angle between 0 and 180 degrees")
    position = _vector(eye, "eye", (3,))
    forward = _vector(center, "center", (3,)) - position
    side = np.cross(_vector(up, "up", (3,)), forward)
    if not np.any(side):
        raise ValueError(f"up: {up} is parallel to the view from eye {eye} to center {center}; give another vector")
    forward /= np.linalg.norm(forward)
    side /= np.linalg.norm(side)
    extrinsic = np.eye(4)
    extrinsic[:3, :3] = side, np.cross(forward, side), forward
    extrinsic[:3, 3] = extrinsic[:3, :3] @ -position
    focal_length = 0.5 * width_px / np.tan(np.radians(0.5 * fov_deg))
    intrinsic = np.array([[focal_length, 0, 0.5 * width_px], [0, focal_length, 0.5 * height_px], [0, 0, 1]])
    return intrinsic, extrinsic


def _pinhole_rays(
    intrinsic_matrix: Any, extrinsic_matrix: Any, width_px: int, height_px: int, dtype: DTypeLike
) -> Array:
    """Rays of a camera by its matrices."""
    intrinsic = _vector(intrinsic_matrix, "intrinsic_matrix", (3, 3))
    extrinsic = _vector(extrinsic_matrix, "extrinsic_matrix", (4, 4))
    for name, size in (("width_px", width_px), ("height_px", height_px)):
        if size < 0:
            raise ValueError(f"{name}: {size} is no number of pixels")
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise TypeError(f"dtype: {np.dtype(dtype)} is neither float32 nor float64")
    try:
        to_camera = np.linalg.inv(intrinsic)
    except np.linalg.LinAlgError:
        raise ValueError(f"intrinsic_matrix: {intrinsic.tolist()} has no inverse") from None
    pixels = np.ones((height_px, width_px, 3))
    pixels[..., 0] = np.arange(width_px) + 0.5
    pixels[..., 1] = np.arange(height_px)[:, None] + 0.5
    rotation = extrinsic[:3, :3]
    rays = np.empty((height_px, width_px, 6), dtype=dtype)
    # Plus 0 turns -0 into 0.
    rays[..., :3] = rotation.T @ -extrinsic[:3, 3] + 0.0
    rays[..., 3:] = pixels @ (rotation.T @ to_camera).T
    return _plain(rays)
