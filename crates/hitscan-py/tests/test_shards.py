"""Shards: their merged answers are those of the whole scene, bit for bit."""

import pickle

import numpy as np
import pytest

import hitscan

FIELDS = ("hit", "t", "distance", "point", "normal", "uv", "front", "primitive", "object", "member", "trigger")


def lattice(size=9):
    """A closed box whose top is a lattice, with vertices at whole numbers."""
    x, y = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    top = np.stack([x, y, x * y % 3 + 1], axis=-1).reshape(-1, 3)
    bottom = top * (1, 1, 0)
    faces = []
    for i in range(size - 1):
        for j in range(size - 1):
            a, b, c, d = (p * size + q for p, q in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)))
            faces += [(a, b, c), (a, c, d)]
            faces += [(v[0] + len(top), v[2] + len(top), v[1] + len(top)) for v in ((a, b, c), (a, c, d))]
    rim = [i * size for i in range(size)] + [(size - 1) * size + j for j in range(1, size)]
    rim += [i * size + size - 1 for i in range(size - 2, -1, -1)] + list(range(size - 2, 0, -1))
    for a, b in zip(rim, rim[1:] + rim[:1], strict=True):
        faces += [(a, b + len(top), b), (a, a + len(top), b + len(top))]
    return np.concatenate([top, bottom]).astype(float), np.array(faces)


def scene_of(dtype):
    vertices, faces = lattice()
    scene = hitscan.Scene(dtype=dtype)
    gone = scene.add(hitscan.Sphere((0, 0, 0), 1))
    mesh = hitscan.TriangleMesh(vertices.astype(dtype), faces)
    assert mesh.topology.is_closed if hasattr(mesh.topology, "is_closed") else True
    scene.add(mesh)
    scene.remove(gone)
    # The same triangles again: every hit of a triangle is a tie.
    scene.add(hitscan.TriangleMesh(vertices.astype(dtype), faces[::-1]), layers=2)
    scene.add(hitscan.Box((4, 4, 3), (2, 2, 1)), trigger=True)
    scene.add(hitscan.Group(hitscan.Scene([hitscan.Sphere((2, 2, 4), 1)], dtype=dtype)))
    return scene


def rays_of(dtype, count=200, seed=1):
    random = np.random.default_rng(seed)
    # Half of them exactly at vertices and edges, from straight above.
    origins = np.concatenate(
        [random.integers(0, 17, (count // 2, 3)) / 2 + (0, 0, 5), random.random((count // 2, 3)) * 9]
    )
    down = np.array([[0, 0, -1.0]] * (count // 2))
    directions = np.concatenate([down, random.random((count // 2, 3)) - 0.5])
    return origins.astype(dtype), directions.astype(dtype)


def same_hits(one, other, fields=FIELDS):
    for field in fields:
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field), err_msg=field)


@pytest.mark.parametrize("dtypes", [(np.float32, np.float32), (np.float32, np.float64), (np.float64, np.float64)])
@pytest.mark.parametrize("count", [2, 5])
def test_shards_in_files_equal_the_whole(tmp_path, dtypes, count):
    scene = scene_of(dtypes[0])
    shards = scene.split(count)
    assert sum(shard.triangles for shard in shards) == 2 * (2 * 128 + 64)
    assert sorted(set().union(*(shard.ids for shard in shards))) == sorted(scene.ids)
    for number, shard in enumerate(shards):
        shard.save(tmp_path / f"{number}.hitshard")
    paths = sorted(tmp_path.glob("*.hitshard"))
    origins, directions = rays_of(dtypes[1])
    for given in (shards, paths, [str(paths[0]), *shards[1:]]):
        sharded = hitscan.ShardedScene(given)
        assert (sharded.dimension, sharded.dtype) == (3, dtypes[0])
        for options in (
            {},
            {"t_min": -np.inf, "faces": "back"},
            {"triggers": "hit", "t_max": 4},
            {"layers": 2, "threads": 1},
            {"max_distance": 4.5},
        ):
            hits = sharded.cast(origins, directions, fields="all", **options)
            whole = scene.cast(origins, directions, fields="all", **options)
            assert hits.t.dtype == dtypes[1]
            same_hits(hits, whole)
            assert hits.count > 10 or "t_max" in options
            if "max_distance" in options:
                assert hits.count < scene.cast(origins, directions).count
            assert (sharded.cast_any(origins, directions, **options) == hits.hit).all()
            assert (sharded.count(origins, directions, **options) == scene.count(origins, directions, **options)).all()
            ours = sharded.cast_all(origins, directions, fields="all", **options)
            theirs = scene.cast_all(origins, directions, fields="all", **options)
            assert (ours.offsets == theirs.offsets).all()
            same_hits(ours.hits, theirs.hits)
            ours = sharded.spans(origins, directions, fields="all", **options)
            theirs = scene.spans(origins, directions, fields="all", **options)
            assert (ours.offsets == theirs.offsets).all() and len(ours.enter) > 5
            same_hits(ours.enter, theirs.enter)
            same_hits(ours.exit, theirs.exit)


def test_rays_in_other_layouts():
    scene = scene_of(np.float64)
    sharded = hitscan.ShardedScene(scene.split(3))
    origins, ends = rays_of(np.float64)
    fields = ("hit", "t", "object", "primitive")
    # One origin for all, columns of a wider array, limits and layers of each ray, segments, several dimensions.
    wide = np.concatenate([origins, ends], axis=1)
    layers = np.arange(len(ends)) % 4
    for ask in (
        {"origins": (4, 4, 9), "directions": ends},
        {"origins": wide[:, :3], "directions": wide[::-1, 3:]},
        {"origins": origins, "ends": ends, "layers": layers},
        {"origins": origins, "directions": ends, "t_min": np.linspace(-5, 5, len(ends)), "t_max": np.array([6.0])},
        {"origins": origins.reshape(2, -1, 3), "directions": ends.reshape(2, -1, 3)},
        {"origins": np.empty((0, 3)), "directions": (0, 0, 1)},
    ):
        same_hits(sharded.cast(**ask, fields=fields), scene.cast(**ask, fields=fields), fields)
        assert sharded.count(**ask).shape == scene.count(**ask).shape


def test_excluded_objects():
    scene = scene_of(np.float32)
    sharded = hitscan.ShardedScene(scene.split(3))
    origins, directions = rays_of(np.float32)
    for exclude in ([scene.ids[0]], scene.ids[1:], np.array(scene.ids)):
        ask = {"origins": origins, "directions": directions, "exclude": exclude}
        same_hits(sharded.cast(**ask, fields="all"), scene.cast(**ask, fields="all"))
        assert (sharded.cast_any(**ask) == scene.cast_any(**ask)).all()
        assert (sharded.count(**ask) == scene.count(**ask)).all()
        assert (sharded.cast_all(**ask).offsets == scene.cast_all(**ask).offsets).all()
        assert (sharded.spans(**ask).offsets == scene.spans(**ask).offsets).all()
    with pytest.raises(KeyError, match="-1 is the id of no object"):
        sharded.cast((2, 2, 9), (0, 0, -1), exclude=[-1])


def test_shards_of_scenes_that_were_never_one():
    tiles = [hitscan.Scene([hitscan.Circle((x, 0), 1), hitscan.Circle((x + 1, 0), 1)]) for x in range(4)]
    shards, first = [], 0
    for tile in tiles:
        shards.append(hitscan.Shard.of_scene(tile, first))
        first += len(tile)
    whole = hitscan.Scene([hitscan.Circle((x, 0), 1) for x in (0, 1, 1, 2, 2, 3, 3, 4)])
    origins = [(x / 4, 5) for x in range(-4, 24)]
    hits = hitscan.ShardedScene(shards).cast(origins, (0, -1))
    same_hits(hits, whole.cast(origins, (0, -1)), ("t", "object", "primitive"))
    assert hits.object.max() == 7
    with pytest.raises(ValueError, match="first: -1 is no id"):
        hitscan.Shard.of_scene(tiles[0], -1)
    with pytest.raises(ValueError, match="numbers of objects or vertices exceed"):
        hitscan.Shard.of_scene(tiles[0], 2**32 - 2)


def test_shards_are_values(tmp_path):
    scene = scene_of(np.float32)
    first = scene.split(2)[0]
    again = pickle.loads(pickle.dumps(first))
    assert (again.ids, again.triangles, len(again), repr(again)) == (
        first.ids,
        first.triangles,
        len(first),
        repr(first),
    )
    assert repr(hitscan.ShardedScene([first])) == "ShardedScene(1 shards, 3D, float32)"
    assert first.__sizeof__() > 128 * first.triangles
    with pytest.raises(TypeError, match=r"a Shard is made by Scene\.split"):
        hitscan.Shard()
    with pytest.raises(ValueError, match=r"does not end in \.hitshard"):
        first.save(tmp_path / "a.bin")


def test_errors_say_what_to_do(tmp_path):
    scene = scene_of(np.float32)
    for count in (0, -1, True):
        with pytest.raises(ValueError, match="count: .* give 1 or more"):
            scene.split(count)
    with pytest.raises(ValueError, match="shards: there are none"):
        hitscan.ShardedScene([])
    with pytest.raises(TypeError, match=r"shards\[0\]: 7 is neither a Shard nor a path"):
        hitscan.ShardedScene([7])
    shards = scene.split(2)
    flat = hitscan.Scene([hitscan.Circle((0, 0), 1)]).split(1)[0]
    with pytest.raises(ValueError, match=r"shards\[1\]: it has 2 dimensions, the first has 3"):
        hitscan.ShardedScene([shards[0], flat]).cast((0, 0, 9), (0, 0, -1))
    double = scene_of(np.float64).split(1)[0]
    rays = [np.array([(4, 4, 9)], np.float32), np.array([(0, 0, -1)], np.float32)]
    with pytest.raises(TypeError, match="higher precision than the rays"):
        hitscan.ShardedScene([shards[0], double]).cast(*rays)
    with pytest.raises(ValueError, match="two shards have the same part of object"):
        hitscan.ShardedScene([shards[0], shards[0]]).cast((2, 2, 9), (0, 0, -1))
    bad = tmp_path / "bad.hitshard"
    bad.write_bytes(b"hitshard\n and more")
    with pytest.raises(ValueError, match=r"bad\.hitshard: "):
        hitscan.Shard.load(bad)
    with pytest.raises(FileNotFoundError):
        hitscan.ShardedScene([tmp_path / "none.hitshard"])
    # A file that is lost after the first query is named by the next one.
    path = tmp_path / "one.hitshard"
    shards[0].save(path)
    sharded = hitscan.ShardedScene([path, shards[1]])
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"one\.hitshard"):
        sharded.cast((2, 2, 9), (0, 0, -1))
    hits = hitscan.ShardedScene(shards).cast((2, 2, 9), (0, 0, -1), fields=["t"])
    with pytest.raises(AttributeError, match="name it in the argument fields="):
        _ = hits.normal
