"""Closest points by Open3D, for the benchmark of distances.

Arguments: a file of vertices (f32, three a row), one of triangles (u32, three a row), one of points (f32, three a row), and the
file that gets the distances (f32). For each line on standard input it computes all closest points once on one thread, and prints the
seconds of the processor; the distances are written once, before the first line.
"""

import sys
import time

import numpy
import open3d

vertices, triangles, points, out = sys.argv[1:]
read = lambda path, kind: numpy.fromfile(path, dtype=kind).reshape(-1, 3)
scene = open3d.t.geometry.RaycastingScene(nthreads=1)
scene.add_triangles(open3d.core.Tensor(read(vertices, "f4")), open3d.core.Tensor(read(triangles, "u4")))
points = open3d.core.Tensor(read(points, "f4"))
found = scene.compute_closest_points(points, nthreads=1)["points"]
numpy.linalg.norm(found.numpy() - points.numpy(), axis=1).astype("f4").tofile(out)
print(open3d.__version__, flush=True)
for _ in sys.stdin:
    start = time.process_time()
    scene.compute_closest_points(points, nthreads=1)
    print(time.process_time() - start, flush=True)
