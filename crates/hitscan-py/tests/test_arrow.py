"""Arrow data in and out, by the PyCapsule interface, without copies."""

from pathlib import Path

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


SCENE = hitscan.Scene([hitscan.Sphere((0, 0, 5), 1), hitscan.Box((0, 0, 9), (4, 4, 1))])
RAYS = [[(0, 0, 0), (9, 0, 0)], [(3, 0, 0), (0, 0, 0)]], (0, 0, 1)


def test_hit_lists_as_a_table() -> None:
    lists = SCENE.cast_all(*RAYS, fields=("t", "normal", "primitive", "object"))
    table = pa.table(lists)
    assert table.column_names == ["ray", "hit", "t", "normal", "primitive", "object"]
    assert table["ray"].to_pylist() == [0] * 4 + [2] * 2 + [3] * 4 and table["ray"].type == pa.int64()
    assert table["t"].to_pylist() == [4, 6, 8, 10, 8, 10, 4, 6, 8, 10]
    assert table["object"].to_pylist() == [0, 0, 1, 1, 1, 1, 0, 0, 1, 1] and table["primitive"].null_count == 10
    assert table["normal"][0].as_py() == [0, 0, -1]
    batch = pa.record_batch(lists)
    assert batch.equals(table.to_batches()[0])
    assert batch["t"].buffers()[1].address == lists.hits.t.__array_interface__["data"][0]
    part = pa.table(lists[:, 0])
    assert part["ray"].to_pylist() == [0] * 4 + [1] * 2 and part["t"].to_pylist() == [4, 6, 8, 10, 8, 10]
    assert pa.table(lists[:0]).schema == table.schema and len(pa.table(lists[:0])) == 0


def test_span_lists_as_a_table() -> None:
    spans = SCENE.spans(*RAYS, t_max=9, fields=("t", "distance", "object"))
    table = pa.table(spans)
    ends = [f"{end}_{name}" for end in ("enter", "exit") for name in ("hit", "t", "distance", "object")]
    assert table.column_names == ["ray", "length", *ends]
    assert table["ray"].to_pylist() == [0, 0, 2, 3, 3]
    # The range ends within the box: no exit, and the length of `SpanLists.length`.
    assert table["length"].to_pylist() == [2, np.inf, np.inf, 2, np.inf]
    assert table["enter_t"].to_pylist() == [4, 8, 8, 4, 8] and table["exit_t"].to_pylist() == [6, None, None, 6, None]
    assert table["exit_hit"].to_pylist() == [True, False, False, True, False]
    assert table["exit_object"].to_pylist() == [0, None, None, 0, None]
    assert "length" not in pa.table(SCENE.spans(*RAYS, fields=("t",))).column_names


def test_closest_and_overlap_lists_as_tables() -> None:
    found = pa.table(SCENE.closest_primitives([(0, 0, 0), (0, 0, 12)], k=1))
    assert found.column_names[:3] == ["ray", "hit", "point"]
    assert (found["ray"].to_pylist(), found["object"].to_pylist()) == ([0, 1], [0, 1])
    assert found["distance"].to_pylist() == [4, 2] and found["uv"].null_count == 2
    lists = SCENE.overlapping([hitscan.Sphere((0, 0, 0), 1), hitscan.Sphere((0, 0, 7), 2)])
    table = pa.table(lists)
    assert table.to_pydict() == {"ray": [1, 1], "primitive": [None] * 2, "object": [0, 1], "member": [None] * 2}
    assert table.schema.types == [pa.int64()] * 4
    assert pa.record_batch(lists[::-1])["ray"].to_pylist() == [0, 0]


def test_thicknesses_as_a_table() -> None:
    thick = SCENE.thickness(*RAYS)
    table = pa.table(thick)
    assert table.column_names[:4] == ["ray", "length", "enter_hit", "enter_t"] and "exit_normal" in table.column_names
    assert table["ray"].to_pylist() == [0, 1, 2, 3] and table["length"].to_pylist() == [2, None, 2, 2]
    assert table["enter_t"].to_pylist() == [0, None, 0, 0] and table["exit_t"].to_pylist() == [2, None, 2, 2]
    assert [point and point[2] for point in table["enter_point"].to_pylist()] == [4, None, 8, 4]
    assert table["exit_hit"].to_pylist() == [True, False, True, True]
    assert table["length"].chunk(0).buffers()[1].address == thick.length.__array_interface__["data"][0]
    assert pa.table(thick[1, 0])["length"].to_pylist() == [2]


def test_lists_in_polars_and_pandas() -> None:
    results = SCENE.cast_all(*RAYS), SCENE.spans(*RAYS), SCENE.thickness(*RAYS)
    polars = pytest.importorskip("polars")
    hits, spans, thick = map(polars.DataFrame, results)
    counts = hits.group_by("ray").agg(polars.len()).sort("ray")
    assert counts.rows() == [(0, 4), (2, 2), (3, 4)]
    assert spans.group_by("ray").agg(polars.col("length").sum()).sort("ray").rows() == [(0, 4.0), (2, 2.0), (3, 4.0)]
    assert thick["length"].to_list() == [2, None, 2, 2]
    pandas = pytest.importorskip("pandas")
    frame = pa.table(results[1]).to_pandas()
    assert frame.groupby("ray")["length"].sum().to_dict() == {0: 4.0, 2: 2.0, 3: 4.0}
    if hasattr(pandas.DataFrame, "from_arrow"):
        assert [len(pandas.DataFrame.from_arrow(one)) for one in results] == [10, 5, 4]


def test_a_damaged_file_is_an_exception_and_no_more(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rays.arrows"
    table = pa.table({name: [0.0, 1.0] for name in ("ox", "oy", "oz", "dx", "dy", "dz")})
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)
    content = path.read_bytes()
    refused = 0
    for place in range(8, len(content), 3):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            hitscan.cast_files(BALL, path, tmp_path / f"hits{place}")
        except (ValueError, OSError) as error:
            refused += 1
            assert "rays.arrows" in str(error)
    assert refused > 50 and capfd.readouterr().err == ""
