"""Ray casting with exact decisions: shapes, meshes and scenes, in 2D and 3D, in float32 and float64.

A shape, a mesh and a scene have the same queries: see `Queries`.

>>> import hitscan
>>> scene = hitscan.Scene([hitscan.Sphere((0, 0, 5), 1), hitscan.Box((0, 0, 9), (4, 4, 1))])
>>> hits = scene.cast([(0, 0, 0), (3, 0, 0)], (0, 0, 1))
>>> hits.t, hits.object
(array([4., 8.]), array([0, 1]))
"""

from hitscan._constructed_meshes import convex_hull, prism
from hitscan._core import VERSION as __version__
from hitscan._files import from_open3d, from_pyvista, from_trimesh, load
from hitscan._lists import ClosestLists, HitLists, OverlapLists, SpanLists, SweepLists, Thicknesses
from hitscan._quad import Quad
from hitscan._queries import Queries
from hitscan._results import ClosestPoints, Hits, SweepHits
from hitscan._scene import Scene, SceneObject
from hitscan._shapes import (
    Box,
    Capsule,
    Circle,
    Cone,
    Cylinder,
    Disk,
    Ellipse,
    Ellipsoid,
    Frustum,
    Group,
    HalfPlane,
    HalfSpace,
    Line,
    Plane,
    Polygon,
    Rectangle,
    Segment,
    Shape,
    Sphere,
    Triangle,
    TriangleMesh,
    ViewFrustum,
)
from hitscan._shards import Shard, ShardedScene
from hitscan._solids import NearSurfaces, Solid, SolidLeaf
from hitscan._tables import CastReport, cast_files
from hitscan._tapered_capsule import TaperedCapsule
from hitscan._tracks import TrackLists, TrackParts
from hitscan._user_shape import UserHit, UserShape
from hitscan._volumes import Volume

__all__ = [
    "Box", "Capsule", "CastReport", "Circle", "ClosestLists", "ClosestPoints", "Cone", "Cylinder", "Disk", "Ellipse",
    "Ellipsoid", "Frustum", "Group", "HalfPlane", "HalfSpace", "HitLists", "Hits", "Line", "NearSurfaces", "OverlapLists",
    "Plane", "Polygon", "Quad", "Queries", "Rectangle", "Scene", "SceneObject", "Segment", "Shape", "Shard", "ShardedScene",
    "Solid", "SolidLeaf", "SpanLists", "Sphere", "SweepHits", "SweepLists", "TaperedCapsule", "Thicknesses", "TrackLists",
    "TrackParts", "Triangle", "TriangleMesh", "UserHit", "UserShape", "ViewFrustum", "Volume", "__version__", "cast_files",
    "convex_hull", "from_open3d", "from_pyvista", "from_trimesh", "load", "prism",
]  # fmt: skip
