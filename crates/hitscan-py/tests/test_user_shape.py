"""Shapes whose functions are Python functions."""

import copy
import gc
import os
import pickle
import signal
import threading
import time
import weakref

import numpy as np
import pytest

import hitscan

CENTER = np.array([0.5, -0.25, 3.0])
BALL_BOUNDS = [CENTER - 1, CENTER + 1]


def cast_ball(origin: np.ndarray, direction: np.ndarray, t_min: float, t_max: float) -> object:
    """A ball around CENTER."""
    o, d = origin.astype(np.float64) - CENTER[: len(origin)], direction.astype(np.float64)
    a, b, c = d @ d, o @ d, o @ o - 1
    if b * b < a * c:
        return None
    root = np.sqrt(b * b - a * c)
    for t in ((-b - root) / a, (-b + root) / a):
        if t_min <= t <= t_max:
            return hitscan.UserHit(t, o + t * d, (0.25, 0.5), 7)
    return None


def closest_of_ball(point: np.ndarray) -> np.ndarray:
    out = point.astype(np.float64) - CENTER
    return CENTER + out / np.linalg.norm(out)


def ball(**options: object) -> hitscan.UserShape:
    return hitscan.UserShape(BALL_BOUNDS, cast_ball, **{"closest_point": closest_of_ball, **options})


def some_rays(count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    origins = CENTER + rng.normal(size=(count, 3)) * 2
    return origins, CENTER + rng.normal(size=(count, 3)) * 0.7 - origins


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_ball_of_python_answers_as_a_sphere(dtype: type) -> None:
    """All queries, where the function is right up to rounding; rays that graze the ball apart."""
    ours, sphere = ball(dtype=dtype), hitscan.Sphere(CENTER, 1, dtype=dtype)
    origins, directions = (array.astype(dtype) for array in some_rays(2000))
    tolerance = 1e-3 if dtype == np.float32 else 1e-9
    for inside in ("solid", "hollow"):
        found, wanted = (shape.cast(origins, directions, inside=inside, fields="all") for shape in (ours, sphere))
        assert found.t.dtype == dtype
        assert (found.hit == wanted.hit).all() and 500 < found.count < 1900
        for name in ("t", "distance", "point", "normal"):
            np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=tolerance, atol=tolerance)
        assert (found.front == wanted.front).all()
        outside = ~sphere.contains(origins) & found.hit
        assert (found.primitive[outside] == 7).all() and (found.uv[outside] == (0.25, 0.5)).all()
    for query in ("cast_any", "count"):
        assert (getattr(ours, query)(origins, directions) == getattr(sphere, query)(origins, directions)).all()
    assert (ours.spans(origins, directions).counts == sphere.spans(origins, directions).counts).all()
    assert (ours.contains(origins) == sphere.contains(origins)).all()
    np.testing.assert_allclose(ours.signed_distance(origins), sphere.signed_distance(origins), atol=tolerance)
    np.testing.assert_allclose(
        ours.closest_point(origins).point, sphere.closest_point(origins).point, rtol=tolerance, atol=tolerance
    )
    moved, wanted = (shape.cast_sphere(origins, directions, radius=0.25) for shape in (ours, sphere))
    assert (moved.hit == wanted.hit).all()
    np.testing.assert_allclose(moved.t, wanted.t, rtol=tolerance, atol=tolerance)


def test_single_rays_few_and_many_agree_on_all_threads() -> None:
    origins, directions = some_rays(5000)
    shape = ball()
    wanted = shape.cast(origins, directions, threads=1).t
    for part in (shape.cast(origins, directions).t, shape.cast(origins, directions, threads=3).t):
        assert (part == wanted).all()
    assert (shape.cast(origins[:200], directions[:200]).t == wanted[:200]).all()
    assert [float(shape.cast(o, d).t) for o, d in zip(origins[:20], directions[:20])] == wanted[:20].tolist()


def test_a_scene_places_it_with_transforms_layers_and_other_objects() -> None:
    scene = hitscan.Scene()
    user = scene.add(ball(), transform=np.diag([2.0, 1, 1, 1]) + np.eye(4, k=3) * 10, layers=2, name="own")
    sphere = scene.add(hitscan.Sphere((0, 0, 0), 1))
    assert scene.cast([(11, -0.25, -9), (0, 0, -9)], (0, 0, 1)).object.tolist() == [user, sphere]
    assert not scene.cast((11, -0.25, -9), (0, 0, 1), layers=1).hit
    # Twice as wide along x: the ball reaches to 13.
    assert scene.cast_any((12.9, -0.25, -9), (0, 0, 1)) and not scene.cast_any((13.1, -0.25, -9), (0, 0, 1))
    described = scene.object(user)
    assert isinstance(described.shape, hitscan.UserShape) and described.shape.function is cast_ball
    assert described.shape.bounds.tolist() == np.array(BALL_BOUNDS).tolist() and described.shape.solid


def test_the_plane() -> None:
    disk = hitscan.UserShape([CENTER[:2] - 1, CENTER[:2] + 1], cast_ball)
    circle = hitscan.Circle(CENTER[:2], 1)
    rng = np.random.default_rng(4)
    origins, directions = rng.normal(size=(2, 300, 2))
    np.testing.assert_allclose(disk.cast(origins, directions).t, circle.cast(origins, directions).t, rtol=1e-9)


def test_contains_by_a_function() -> None:
    asked = []

    def contains(point: np.ndarray) -> bool:
        asked.append(point)
        return bool(np.linalg.norm(point - CENTER) <= 1)

    assert ball(contains=contains).contains([CENTER, CENTER + 2]).tolist() == [True, False]
    assert asked and asked[0].shape == (3,)
    assert not ball(solid=False).contains(CENTER)


@pytest.mark.parametrize("rows", [None, 10, 1000, 20_000])
@pytest.mark.parametrize("query", ["cast", "cast_any", "count", "cast_all", "spans", "thickness"])
def test_an_exception_ends_the_query(query: str, rows: int | None) -> None:
    calls = 0

    def broken(*_: object) -> object:
        nonlocal calls
        calls += 1
        raise LookupError("no model")

    origins = CENTER if rows is None else np.tile(CENTER, (rows, 1))
    shape = hitscan.UserShape(BALL_BOUNDS, broken)
    with pytest.raises(LookupError, match="no model"):
        getattr(shape, query)(origins - (0, 0, 9), np.array([0.0, 0, 1]))
    # Each thread may be in the function once.
    assert 1 <= calls <= 64
    # The error is not kept for the next query.
    assert hitscan.Sphere(CENTER, 1).cast(origins - (0, 0, 9), np.array([0.0, 0, 1])).hit.all()


@pytest.mark.parametrize(
    "answer",
    [3, "t", (1,), (1, 2), (1, (0, 0)), ("t", (0, 0, 1)), (1, (0, 0, 1), 2), (1, (0, 0, 1), None, -1), (1,) * 5],
)
def test_answers_that_are_none(answer: object) -> None:
    shape = hitscan.UserShape(BALL_BOUNDS, lambda *_: answer)
    with pytest.raises(TypeError, match="UserShape: cast returned .* is needed"):
        shape.cast(CENTER - (0, 0, 9), (0, 0, 1))


def test_answers_out_of_range_are_misses() -> None:
    for t in (-1.0, float("nan"), float("inf"), 5.5):
        shape = hitscan.UserShape(BALL_BOUNDS, lambda *_, t=t: (t, (0, 0, -1)), solid=False)
        assert not shape.cast(CENTER - (0, 0, 9), (0, 0, 1), t_max=5).hit
    # As sequences of any kind, without a normal of length 1.
    shape = hitscan.UserShape(BALL_BOUNDS, lambda *_: [np.float32(8), np.array([0, 0, -9])], solid=False)
    hit = shape.cast(CENTER - (0, 0, 9), (0, 0, 1))
    assert hit.t == 8 and hit.normal.tolist() == [0, 0, -1]


def test_arguments_are_checked() -> None:
    for bounds in ([0, 1], [(0, 0, 0)], [(0, 0, 0, 0)] * 2):
        with pytest.raises(ValueError, match="UserShape: bounds: shape"):
            hitscan.UserShape(bounds, cast_ball)
    for bounds in ([(1, 0, 0), (0, 1, 1)], [(np.nan, 0, 0), (0, 1, 1)]):
        with pytest.raises(ValueError, match="no lower and upper corner"):
            hitscan.UserShape(bounds, cast_ball)
    with pytest.raises(TypeError, match="cast: None is no function"):
        hitscan.UserShape(BALL_BOUNDS, None)
    with pytest.raises(TypeError, match="contains: 3 is no function"):
        hitscan.UserShape(BALL_BOUNDS, cast_ball, contains=3)
    for normal in ((0, 0, -1e-320), (0, 0, -1e300)):
        hit = hitscan.UserShape(BALL_BOUNDS, lambda *_, normal=normal: (8, normal), solid=False).cast(
            CENTER - (0, 0, 9), (0, 0, 1)
        )
        assert hit.normal.tolist() == [0, 0, -1] and hit.front
    for normal in ((0, 0, 0), (np.nan, 0, 1), (0, 1, np.nan), (np.inf, 0, 0)):
        with pytest.raises(ValueError, match="UserShape: cast returned .*whose normal has no direction"):
            hitscan.UserShape(BALL_BOUNDS, lambda *_, normal=normal: (4, normal)).cast(CENTER, (0, 0, 1))


def test_precisions() -> None:
    single, origins, directions = ball(dtype=np.float32), *some_rays(50)
    assert (single.cast(origins, directions).t == ball().cast(origins, directions).t).all()
    scene = hitscan.Scene([single], dtype=np.float64)
    assert scene.object(0).shape.dtype == np.float64
    scene = hitscan.Scene([ball()], dtype=np.float32)
    assert (
        scene.object(0).shape.dtype == np.float32
        and scene.cast(*(a.astype(np.float32) for a in (origins, directions))).count
    )
    with pytest.raises(TypeError, match="float64 copy; make it with dtype='float64'"):
        scene.cast(origins, directions)


def test_it_is_pickled_copied_and_freed() -> None:
    shape = ball(solid=False)
    for twin in (pickle.loads(pickle.dumps(shape)), copy.copy(shape), copy.deepcopy(shape), shape.astype(np.float32)):
        assert (twin.function, twin.closest_point_function, twin.solid) == (cast_ball, closest_of_ball, False)
        assert np.array_equal(twin.bounds, shape.bounds)
    assert shape.astype(np.float32).dtype == np.float32
    assert repr(shape) == "UserShape([[-0.5, -1.25, 2.0], [1.5, 0.75, 4.0]], cast_ball, float64)"

    class Model:
        def __call__(self, *_: object) -> None:
            return None

    model = Model()
    gone = weakref.ref(model)
    scene = hitscan.Scene([hitscan.UserShape(BALL_BOUNDS, model)])
    del model
    gc.collect()
    assert gone() is not None and not scene.cast(CENTER, (0, 0, 1)).hit
    del scene
    gc.collect()
    assert gone() is None


def test_files_refuse_it(tmp_path: object) -> None:
    scene = hitscan.Scene([ball()])
    with pytest.raises(ValueError, match="user"):
        scene.save(tmp_path / "scene.hitscene")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="user"):
        pickle.dumps(scene)
    (tmp_path / "rays.csv").write_text("ox,oy,oz,dx,dy,dz\n0.5,-0.25,-9,0,0,1\n")
    with pytest.raises(ValueError, match="user"):
        hitscan.cast_files(scene, tmp_path / "rays.csv", tmp_path / "out")


def test_a_function_may_query_another_shape() -> None:
    """Its own query ends with its own error; the outer one goes on."""
    inner = hitscan.UserShape(BALL_BOUNDS, lambda *_: 1 / 0)
    sphere = hitscan.Sphere(CENTER, 1)

    def through(origin: np.ndarray, direction: np.ndarray, t_min: float, t_max: float) -> object:
        with pytest.raises(ZeroDivisionError):
            inner.cast(origin, direction)
        hit = sphere.cast(origin, direction, t_min=t_min, t_max=t_max)
        return (float(hit.t), hit.normal) if hit else None

    shape = hitscan.UserShape(BALL_BOUNDS, through)
    origins, directions = some_rays(100)
    outside = ~sphere.contains(origins)
    assert (shape.cast(origins, directions).t == sphere.cast(origins, directions).t)[outside].all()


def test_ctrl_c_ends_a_slow_query() -> None:
    def slow(*_: object) -> None:
        time.sleep(1e-3)

    shape = hitscan.UserShape(BALL_BOUNDS, slow, contains=lambda _: False)
    origins = np.tile(CENTER - (0, 0, 9), (20_000, 1))
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        shape.cast(origins, np.array([0.0, 0, 1]))
    assert time.monotonic() - start < 3
