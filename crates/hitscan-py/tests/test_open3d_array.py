"""Tests of the results of hitscan.open3d: arrays with the methods of Open3D's tensors."""

from __future__ import annotations

import numpy as np
import pytest

from hitscan.open3d import RaycastingScene

# A triangle in the plane z = 0, and one in z = -5: two rays hit the first one, from above and from below, and one misses.
FIRST = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0]], np.float32)
SECOND = FIRST + np.array([0, 0, -5], np.float32)
ONE_RAY = np.array([[0.5, 0.5, 1, 0, 0, -2], [0.5, 0.5, -1, 0, 0, 1], [9, 9, 9, 0, 0, 1]], np.float32)


def two_triangles() -> RaycastingScene:
    scene = RaycastingScene()
    scene.add_triangles(FIRST, np.array([[0, 1, 2]], np.uint32))
    scene.add_triangles(SECOND, np.array([[0, 2, 1]], np.uint32))
    return scene


def test_results_have_the_methods_of_tensors() -> None:
    found = two_triangles().cast_rays(ONE_RAY)
    t_hit, normals = found["t_hit"], found["primitive_normals"]
    # What programs do with results: masks, other types, copies, sums.
    hit = t_hit.isfinite()
    assert hit.tolist() == [True, True, False] and hit.logical_not().tolist() == t_hit.isinf().tolist()
    assert t_hit[hit].mean(dim=0).item() == 0.75 and t_hit[hit].mean().numpy() == 0.75
    points = ONE_RAY[hit][:, :3] + ONE_RAY[hit][:, 3:] * t_hit[hit].reshape((-1, 1))
    assert points.tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 0]]
    assert normals.abs().sum(dim=1).tolist() == normals.abs().sum(1, True).flatten().tolist() == [1, 1, 0]
    assert normals.max(dim=0, keepdim=True).shape == (1, 3) and normals.min(axis=0).shape == (3,)
    both = normals.abs().sum([0, 1]), normals.abs().sum(dim=[0, 1]), normals.abs().sum((1, 0))
    assert [total.item() for total in both] == [2, 2, 2]
    assert normals.abs().sum([1], True).shape == (3, 1) and normals.abs().max([1]).tolist() == [1, 1, 0]
    assert t_hit.argmin([0]).item() == t_hit.argmin(dim=[0]).item() == 0 and t_hit.argmax([0]).item() == 2
    assert (t_hit.max().item(), t_hit.argmin().item(), hit.any().item(), bool(hit.all())) == (np.inf, 0, True, False)
    copied = t_hit.clone()
    copied[0] = 9
    assert t_hit[0] == 0.5 and t_hit.cpu() is t_hit and t_hit.contiguous() is t_hit and t_hit.num_elements() == 3
    assert found["geometry_ids"].to(np.int64).dtype == np.int64 and t_hit.to("CPU:0") is t_hit
    assert t_hit.to(np.float32) is t_hit and t_hit.to(np.float32, copy=True) is not t_hit
    assert t_hit.ge(1).tolist() == [False, True, True] and t_hit[hit].mul(2).add(1).sub(t_hit[hit]).tolist() == [1.5, 2]
    assert found["geometry_ids"].eq(RaycastingScene.INVALID_ID).logical_and(t_hit.isinf()).tolist() == [
        False,
        False,
        True,
    ]
    with pytest.raises(ValueError, match="device: CUDA:0 is no CPU"):
        t_hit.to("CUDA:0")
    with pytest.raises(TypeError, match="dtype: 'Floot' is no type of numbers that NumPy has"):
        t_hit.to("Floot")
    assert type(t_hit.numpy()) is np.ndarray and np.shares_memory(t_hit.numpy(), t_hit)
    assert np.from_dlpack(t_hit).tolist() == t_hit.tolist()


def test_a_result_is_a_mask_of_functions_of_numpy() -> None:
    t_hit = two_triangles().cast_rays(ONE_RAY)["t_hit"]
    hit = t_hit.isfinite()
    # One ray hits at 0.5, one at 1.
    assert t_hit.mean(where=hit).item() == t_hit.mean(where=hit.numpy()).item() == 0.75
    assert np.sum(t_hit, where=hit) == 1.5 and t_hit.max(where=hit, initial=0).item() == 1
    out = np.zeros(3, np.float32)
    assert np.divide(1, t_hit, out=out, where=hit) is out and out.tolist() == [2, 1, 0]


def test_results_are_as_tensors_of_open3d() -> None:
    o3d = pytest.importorskip("open3d")
    t_hit = two_triangles().cast_rays(ONE_RAY)["t_hit"]
    theirs = o3d.core.Tensor(t_hit.numpy())
    assert t_hit.to(o3d.core.float64).dtype == np.float64 and t_hit.to(o3d.core.Device("CPU:0")) is t_hit
    assert t_hit.isfinite().to(o3d.core.bool).to(o3d.core.Dtype.UInt8).dtype == np.uint8
    # Results and tensors go together, in both orders.
    rays = o3d.core.Tensor(ONE_RAY)
    hit = t_hit.isfinite()
    points = rays[hit][:, :3] + rays[hit][:, 3:] * t_hit[hit].reshape((-1, 1))
    assert points.numpy().tolist() == (t_hit[hit].reshape((-1, 1)) * rays[hit][:, 3:] + rays[hit][:, :3]).tolist()
    for name, arguments in (
        ("isfinite", ()), ("abs", ()), ("clone", ()), ("cpu", ()), ("neg", ()), ("floor", ()),
        ("mean", (0,)), ("sum", (0, True)), ("min", (0,)), ("argmax", (0,)), ("argmin", ([0],)), ("sum", ([0],)), ("add", (1.5,)), ("div", (3.0,)), ("lt", (1.0,)),
    ):  # fmt: skip
        a, b = getattr(t_hit, name)(*arguments), getattr(theirs, name)(*arguments)
        assert np.array_equal(a.numpy(), b.numpy()) and a.shape == tuple(b.shape), name
