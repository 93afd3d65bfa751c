"""Casts of the rays of Dask collections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hitscan

distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")

import hitscan.dask

SCENE = hitscan.Scene([hitscan.Sphere(center, 0.2) for center in np.random.default_rng(5).random((50, 3))])
NAMES = ["ox", "oy", "oz", "dx", "dy", "dz"]


def rays(count: int, seed: int) -> Any:
    """A table of rays with ids, of which some hit."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.random(count) * 2 - (0.5 if name[0] == "o" else 1.0) for name in NAMES}
    return pa.table({"id": np.arange(count), **columns})


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with distributed.Client(n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None) as made:
        made.wait_for_workers(2, timeout=60)
        yield made


def test_rays_of_a_dask_dataframe(client: Any) -> None:
    dd = pytest.importorskip("dask.dataframe")
    frame = rays(1000, 3).to_pandas().set_index("id")
    origins, directions = frame[NAMES[:3]].to_numpy(), frame[NAMES[3:]].to_numpy()
    collection = dd.from_pandas(frame, npartitions=4)
    hits = hitscan.dask.map_rays(collection, SCENE, columns=["t", "nx", "object", "front"], keep=["ox"])
    assert hits.npartitions == 4 and hits.divisions == collection.divisions
    result = hits.compute()
    assert hits._meta.dtypes.equals(result.dtypes) and list(result.columns) == ["ox", "t", "nx", "object", "front"]
    expected = SCENE.cast(origins, directions, fields="all")
    assert 0 < expected.hit.sum() < 1000 and result.index.equals(frame.index)
    assert np.array_equal(result["t"].to_numpy(), np.where(expected.hit, expected.t, np.nan), equal_nan=True)
    assert np.array_equal(result["nx"].to_numpy(), expected.normal[:, 0], equal_nan=True)
    assert result["object"].isna().equals(~pd.Series(expected.hit, frame.index))
    assert np.array_equal(result["object"].dropna().to_numpy(), expected.object[expected.hit])
    assert np.array_equal(result["front"].dropna().to_numpy(bool), expected.front[expected.hit])
    # The scene is one task, whatever the number of partitions.
    assert sum("hitscan-scene-" in str(key) for key in hits.__dask_graph__()) == 1

    assert np.array_equal(hitscan.dask.map_rays(collection, SCENE, query="any").compute()["hit"], expected.hit)
    counts = SCENE.count(origins, directions)
    assert np.array_equal(hitscan.dask.map_rays(collection, SCENE, query="count").compute()["count"], counts)
    lists = hitscan.dask.map_rays(collection, SCENE, query="all", columns="all").compute()
    assert np.array_equal(lists.index, np.repeat(frame.index, counts))

    segments = frame.rename(columns=dict(zip(NAMES, ["ax", "ay", "az", "bx", "by", "bz"], strict=True)))
    ranged = segments.assign(t_max=np.where(np.arange(1000) % 2, 0.5, 1), layers=np.arange(1000) % 3)
    # Of a limit of a row and the argument, the narrower one counts.
    ranged = dd.from_pandas(ranged, npartitions=2)
    result = hitscan.dask.map_rays(ranged, SCENE, columns=["hit"], t_max=0.75, layers=5).compute()
    t_max, layers = np.where(np.arange(1000) % 2, 0.5, 0.75), np.arange(1000) % 3 & 5
    assert np.array_equal(result["hit"], SCENE.cast_any(origins, ends=directions, t_max=t_max, layers=layers))
    near = dd.from_pandas(frame.assign(max_distance=np.arange(1000) % 9), npartitions=2)
    result = hitscan.dask.map_rays(near, SCENE, columns=["hit"], max_distance=6.0).compute()
    distance = np.minimum(np.arange(1000) % 9, 6.0)
    assert np.array_equal(result["hit"], SCENE.cast_any(origins, directions, max_distance=distance))

    gaps = frame.astype("Float32")
    gaps.iloc[5, 0] = pd.NA
    result = hitscan.dask.map_rays(dd.from_pandas(gaps, npartitions=1), SCENE, columns="all").compute()
    assert not result["hit"].iloc[5] and result["t"].dtype == np.float64
    edited = SCENE.snapshot()
    hits = hitscan.dask.map_rays(collection, edited, columns=["t"])
    for number in edited.ids:
        edited.remove(number)
    assert hits.compute()["t"].notna().sum() == expected.hit.sum()


def test_rays_of_a_dask_array(client: Any) -> None:
    da = pytest.importorskip("dask.array")
    pytest.importorskip("dask.dataframe")
    numbers = np.random.default_rng(1).random((1000, 4), np.float32) * 2 - 1
    circle = hitscan.Circle((0, 0), 0.5).astype(np.float32)
    hits = hitscan.dask.map_rays(
        da.from_array(numbers, chunks=(300, 3)), circle, columns=["t", "px", "py", "primitive"]
    )
    result = hits.compute()
    expected = circle.cast(numbers[:, :2], numbers[:, 2:], fields=("t", "point"))
    assert hits.npartitions == 4 and result["t"].dtype == np.float32
    assert np.array_equal(result["t"].to_numpy(), np.where(expected.hit, expected.t, np.nan), equal_nan=True)
    assert np.array_equal(result[["px", "py"]].to_numpy(), expected.point, equal_nan=True)
    assert result["primitive"].isna().all()
    assert result.index.tolist() == list(range(1000))


def test_errors_of_dask_collections() -> None:
    dd = pytest.importorskip("dask.dataframe")
    da = pytest.importorskip("dask.array")
    collection = dd.from_pandas(rays(10, 1).to_pandas(), npartitions=1)
    with pytest.raises(
        ValueError, match=r"no rays in the columns ox oy \(needs ox oy oz dx dy dz, or ax ay az bx by bz\)"
    ):
        hitscan.dask.map_rays(collection[["ox", "oy"]], SCENE)
    with pytest.raises(ValueError, match=r"columns: 'nz' is none of hit t distance px py nx ny u v"):
        hitscan.dask.map_rays(da.zeros((5, 4)), hitscan.Circle((0, 0), 1), columns=["nz"])
    with pytest.raises(ValueError, match=r"collection: shape \(5, 4\), but \(n, 6\) is needed"):
        hitscan.dask.map_rays(da.zeros((5, 4)), SCENE)
    with pytest.raises(ValueError, match="keep: the collection has no column 'name'"):
        hitscan.dask.map_rays(collection, SCENE, keep=["name"])
    with pytest.raises(ValueError, match="query: 'last' is none of"):
        hitscan.dask.map_rays(collection, SCENE, query="last")
    with pytest.raises(TypeError, match="collection: a ndarray is neither"):
        hitscan.dask.map_rays(np.zeros((5, 6)), SCENE)
