"""Casts of Dask collections at shards on different workers."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitscan

distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

import hitscan.dask

NAMES = ["ox", "oy", "oz", "dx", "dy", "dz"]


def scene_of(dtype: Any) -> hitscan.Scene:
    """A lattice of triangles, twice: every hit of a triangle is a tie, also between shards."""
    x, y = np.meshgrid(np.arange(9), np.arange(9), indexing="ij")
    vertices = np.stack([x, y, x * y % 3], axis=-1).reshape(-1, 3).astype(dtype)
    corners = [(i * 9 + j, i * 9 + 9 + j, i * 9 + 10 + j, i * 9 + j + 1) for i in range(8) for j in range(8)]
    faces = np.array([face for a, b, c, d in corners for face in ((a, b, c), (a, c, d))])
    scene = hitscan.Scene(dtype=dtype)
    gone = scene.add(hitscan.Sphere((0, 0, 0), 1))
    scene.add(hitscan.TriangleMesh(vertices, faces))
    scene.remove(gone)
    scene.add(hitscan.TriangleMesh(vertices, faces[::-1]), layers=2)
    scene.add(hitscan.Box((4, 4, 3), (2, 2, 1)), trigger=True)
    scene.add(hitscan.Group(hitscan.Scene([hitscan.Sphere((2, 2, 4), 1)], dtype=dtype)))
    return scene


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with distributed.Client(n_workers=3, threads_per_worker=1, processes=False, dashboard_address=None) as made:
        made.wait_for_workers(3, timeout=60)
        yield made


def rays(dtype: Any = np.float64) -> Any:
    """Rays, half of them straight down at vertices, edges and triangles."""
    rng = np.random.default_rng(1)
    down = np.concatenate([rng.integers(0, 17, (100, 3)) / 2 + (0, 0, 5), np.tile((0, 0, -1.0), (100, 1))], axis=1)
    aslant = np.concatenate([rng.random((100, 3)) * 9, rng.random((100, 3)) - 0.5], axis=1)
    frame = pd.DataFrame(np.concatenate([down, aslant]).astype(dtype), columns=NAMES)
    return frame.assign(id=np.arange(200) + 7).set_index("id")


@pytest.mark.parametrize("query", ["first", "any", "count", "all"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shards_equal_the_whole(client: Any, tmp_path: Path, query: Any, dtype: Any) -> None:
    scene = scene_of(dtype)
    shards = scene.split(4)
    for number, shard in enumerate(shards):
        shard.save(tmp_path / f"{number}.hitshard")
    collection = dd.from_pandas(rays(dtype), npartitions=3)
    whole = hitscan.dask.map_rays(collection, scene, query=query, columns="all", keep=["ox"]).compute()
    for given in (shards, sorted(tmp_path.glob("*"))):
        hits = hitscan.dask.cast_shards(client, given, collection, query=query, columns="all", keep=["ox"])
        found = hits.compute()
        pd.testing.assert_frame_equal(found, whole, check_exact=True)
        pd.testing.assert_frame_equal(hits._meta, found.head(0))
    assert len(whole) > 50


def test_limits_and_layers_of_each_ray(client: Any) -> None:
    scene = scene_of(np.float64)
    frame = rays().assign(t_min=-3.0, t_max=np.linspace(0, 9, 200), layers=np.arange(200) % 4)
    collection = dd.from_pandas(frame, npartitions=2)
    options: dict[str, Any] = {"layers": 3, "faces": "front", "triggers": "hit", "t_max": 8.0}
    whole = hitscan.dask.map_rays(collection, scene, **options).compute()
    found = hitscan.dask.cast_shards(client, scene.split(2), collection, **options).compute()
    pd.testing.assert_frame_equal(found, whole, check_exact=True)
    assert found["hit"].any() and not found["hit"].all()


def test_shards_stay_on_their_workers() -> None:
    """Between processes, a shard goes to one worker only, and rays and hits travel."""
    scene = scene_of(np.float32)
    collection = dd.from_pandas(rays(), npartitions=8)
    with distributed.Client(n_workers=3, threads_per_worker=2, dashboard_address=None) as client:
        hits = hitscan.dask.cast_shards(client, scene.split(3), collection, columns="all")
        found = hits.compute()
        holders = [key for keys in client.has_what().values() for key in keys if "_ShardHolder" in str(key)]
        assert len(holders) == len(set(holders)) == 3
        assert (
            sorted(len([key for key in keys if "Holder" in str(key)]) for keys in client.has_what().values()) == [1] * 3
        )
        assert not [key for keys in client.has_what().values() for key in keys if str(key).startswith("Shard-")]
    whole = hitscan.dask.map_rays(collection, scene, columns="all").compute(scheduler="sync")
    pd.testing.assert_frame_equal(found, whole, check_exact=True)


def test_a_lost_worker_is_an_error() -> None:
    collection = dd.from_pandas(rays(), npartitions=2)
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        hits = hitscan.dask.cast_shards(client, scene_of(np.float32).split(2), collection)
        assert len(hits.compute()) == 200
        lost = sorted(client.scheduler_info(n_workers=-1)["workers"])[0]
        with contextlib.suppress(OSError):
            client.run(os._exit, 1, workers=[lost])
        with pytest.raises(RuntimeError, match="was lost"):
            hits.compute()


def test_errors_say_what_to_do(client: Any, tmp_path: Path) -> None:
    collection = dd.from_pandas(rays(), npartitions=1)
    with pytest.raises(ValueError, match="shards: there are none"):
        hitscan.dask.cast_shards(client, [], collection)
    with pytest.raises(TypeError, match=r"shards\[0\]: 3 is neither a Shard nor a path"):
        hitscan.dask.cast_shards(client, [3], collection)  # type: ignore[list-item]
    with pytest.raises(FileNotFoundError, match=r"none\.hitshard"):
        hitscan.dask.cast_shards(client, [tmp_path / "none.hitshard"], collection)
    shards = scene_of(np.float64).split(2)
    with pytest.raises(ValueError, match=r"shards\[1\]: it has another dimension or precision than the first"):
        hitscan.dask.cast_shards(client, [shards[0], scene_of(np.float32).split(2)[1]], collection)
    with pytest.raises(ValueError, match="columns: 'tt' is none of"):
        hitscan.dask.cast_shards(client, shards, collection, columns=["tt"])
    with pytest.raises(TypeError, match="neither a Dask DataFrame nor a Dask Array"):
        hitscan.dask.cast_shards(client, shards, rays())
    twice = hitscan.dask.cast_shards(client, [shards[0], shards[0]], collection)
    with pytest.raises(ValueError, match="two shards have the same part of object"):
        twice.compute()
