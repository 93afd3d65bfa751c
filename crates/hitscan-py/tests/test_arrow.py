"""Arrow data in and out, by the PyCapsule interface, without copies."""

import numpy as np
import pytest

import hitscan

pa = pytest.importorskip("pyarrow")

BALL = hitscan.Sphere((0, 0, 5), 1)


def test_hits_as_a_table() -> None:
    scene = hitscan.Scene([BALL])
    hits = scene.cast([(0, 0, 0), (3, 0, 0)], (0, 0, 1), fields=("t", "point", "object", "primitive", "front"))
    table = pa.table(hits)
    assert table.column_names == ["hit", "t", "point", "front", "primitive", "object"]
    assert table["t"].to_pylist() == [4.0, None]
    assert table["point"].to_pylist() == [[0.0, 0.0, 4.0], None]
    assert table["object"].to_pylist() == [0, None] and table["primitive"].null_count == 2
    assert table["hit"].to_pylist() == [True, False] and table["front"].to_pylist() == [True, None]
    assert table.schema.field("point").type == pa.list_(pa.field("item", pa.float64(), nullable=False), 3)
    batch = pa.record_batch(hits)
    assert batch["t"].buffers()[1].address == hits.t.__array_interface__["data"][0]


def test_the_table_outlives_the_hits() -> None:
    table = pa.table(BALL.cast(np.zeros((1000, 3)), (0, 0, 1)))
    _ = [np.full(1000, 7.0) for _ in range(10)]
    assert table["t"].to_pylist() == [4.0] * 1000


def test_arrays_of_points() -> None:
    numbers = np.array([(0, 0, 0), (3, 0, 0), (0, 0, 9)], np.float32)
    points = pa.FixedSizeListArray.from_arrays(pa.array(numbers.reshape(-1)), 3)
    ball = BALL.astype(np.float32)
    hits = ball.cast(points, np.array((0, 0, 1), np.float32))
    assert (hits.t.dtype, hits.t.tolist()) == (np.float32, [4.0, np.inf, np.inf])
    assert ball.cast(points[1:], np.array((0, 0, 1), np.float32)).t.tolist() == [np.inf, np.inf]
    chunked = pa.chunked_array([points[:1], points[1:]])
    assert ball.cast(chunked, (0, 0, 1)).t.tolist() == [4.0, np.inf, np.inf]
    assert np.shares_memory(ball.cast(points, np.array((0, 0, 1), np.float32))._rays.origins, points.values.to_numpy())
    t_max = pa.array([1.0, 2.0, 3.0])
    assert ball.cast(points, (0, 0, 1), t_max=t_max).count == 0


def test_tables_of_coordinates() -> None:
    table = pa.table({"x": [0.0, 3.0], "y": [0.0, 0.0], "z": np.zeros(2, np.float32)})
    assert BALL.cast(table, (0, 0, 1)).t.tolist() == [4.0, np.inf]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [0.0, 3.0], "y": [0.0, 0.0], "z": [0, 0]})
    assert BALL.cast(frame, (0, 0, 1)).t.tolist() == [4.0, np.inf]
    with pytest.raises(ValueError, match="origins: column 'y': row 1 is null"):
        BALL.cast(pa.table({"x": [0.0, 3.0], "y": [0.0, None], "z": [0.0, 0.0]}), (0, 0, 1))


@pytest.mark.parametrize(
    ("array", "error", "words"),
    [
        (pa.array([1.0, None, 3.0]), ValueError, "t_max.*row 1 is null"),
        (pa.array(["a"]), TypeError, "t_max.*Utf8"),
        (pa.array([[1.0], [1.0, 2.0]]), TypeError, "t_max.*fixed-size"),
    ],
)
def test_arrow_errors(array: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        BALL.cast(np.zeros((3, 3)), (0, 0, 1), t_max=array)


def test_polars_and_pandas() -> None:
    hits = BALL.cast([(0, 0, 0), (3, 0, 0)], (0, 0, 1))
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(hits)
    assert frame["t"].to_list() == [4.0, None]
    series = polars.Series(values=[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]], dtype=polars.Array(polars.Float64, 3))
    assert BALL.cast(series, (0, 0, 1)).hit.all()
    pandas = pytest.importorskip("pandas")
    if hasattr(pandas.DataFrame, "from_arrow"):
        assert pandas.DataFrame.from_arrow(hits)["t"].isna().tolist() == [False, True]
