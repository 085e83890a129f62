import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tactful.corpora.files.grouping import grouped

KEYS = st.lists(st.one_of(st.none(), st.sampled_from("abcdefghij")), max_size=60)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give temporary files a place that can be looked into."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def batches(keys: list[str | None], size: int) -> list[pl.DataFrame]:
    """Cut rows into batches; every other one has a further column of its own."""
    frame = pl.DataFrame({"key": pl.Series(keys, dtype=pl.String), "row": range(len(keys))})
    cut = [frame[start : start + size] for start in range(0, frame.height, size)]
    return [
        part.with_columns(pl.col("row").cast(pl.String).alias("chunk")) if number % 2 else part
        for number, part in enumerate(cut)
    ]


def check(keys: list[str | None], size: int, items: int) -> list[pl.DataFrame]:
    cut = batches(keys, size)
    frames = list(grouped(iter(cut), "key", items))
    # Nothing is lost, nothing is made up, and all columns are everywhere.
    rows = [row for frame in frames for row in frame["row"]]
    assert sorted(rows) == list(range(len(keys)))
    assert [key for frame in frames for key in frame["key"]] == [keys[row] for row in rows]
    columns = ["key", "row", *(["chunk"] if len(cut) > 1 else [])]
    assert all(frame.columns == columns for frame in frames)
    for frame in frames if len(cut) > 1 else []:
        for row, extra in frame.select("row", "chunk").iter_rows():
            assert extra == (str(row) if row // size % 2 else None)
    # The rows of a key are in one frame, in order; keys come as they first appear.
    homes = [set(frame["key"]) for frame in frames]
    assert sum(len(home) for home in homes) == len(set(keys))
    assert all(frame["row"].is_sorted() for frame in frames)
    first_rows = [
        row for frame in frames for row in frame.unique("key", keep="first")["row"].sort()
    ]
    assert first_rows == sorted(first_rows)
    return frames


@given(KEYS, st.integers(1, 70), st.integers(1, 12))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_rows_of_a_key_are_together(
    temporary: Path, keys: list[str | None], size: int, items: int
) -> None:
    check(keys, size, items)
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("size", [1, 2, 9, 100])
def test_frames_hold_about_as_many_rows_as_asked_for(temporary: Path, size: int) -> None:
    # Ten keys of ten rows each: a frame takes keys until it has 25 rows or more.
    keys: list[str | None] = [str(number % 10) for number in range(100)]
    frames = check(keys, size, 25)
    if 100 / size > 5:
        assert [frame.height for frame in frames] == [30, 20, 30, 20]
    else:
        assert len(frames) == 1
    assert list(temporary.iterdir()) == []


def test_batches_are_read_as_they_come_and_only_once() -> None:
    read = []

    def watched() -> Iterator[pl.DataFrame]:
        for number in range(9):
            read.append(number)
            yield pl.DataFrame({"key": ["a", str(number)]})

    frames = list(grouped(watched(), "key", 3))
    assert read == list(range(9))
    assert sum(frame.height for frame in frames) == 18


def test_no_batches_give_no_frames() -> None:
    assert list(grouped(iter([]), "key", 5)) == []


@pytest.mark.parametrize("number", [1, 8])
def test_batches_without_rows_give_no_rows(temporary: Path, number: int) -> None:
    empty = pl.DataFrame(schema={"key": pl.String})
    assert sum(frame.height for frame in grouped(iter([empty] * number), "key", 5)) == 0
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("frames_wanted", [1, 2])
def test_a_reader_that_stops_early_leaves_no_temporary_files(
    temporary: Path, frames_wanted: int
) -> None:
    frames = grouped(iter(batches([str(n) for n in range(40)], 4)), "key", 3)
    for _ in range(frames_wanted):
        next(frames)
    [folder] = temporary.iterdir()
    assert folder.name.startswith("tactful-")
    frames.close()  # type: ignore[attr-defined]
    assert list(temporary.iterdir()) == []


def test_a_reader_that_fails_leaves_no_temporary_files(temporary: Path) -> None:
    def failing() -> Iterator[pl.DataFrame]:
        yield from batches([str(n) for n in range(40)], 4)
        assert len(list(temporary.iterdir())) == 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(grouped(failing(), "key", 3))
    assert list(temporary.iterdir()) == []
