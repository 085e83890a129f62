"""What equal texts were scored with: the same bits again, and no harm where it is lost."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.scale.made import WORDS, ReadsWords

from tactful.scale.score_cache import ProcessCache, ScoreCache, SharedCache
from tactful.scale.scorer import score_batch

MORE_THAN_ASKED_AT_ONCE = [f"text {at}" for at in range(1201)]


def texts(*values: str | None) -> pl.Series:
    return pl.Series("text", values, pl.String)


def found_for(values: pl.Series) -> pl.DataFrame:
    return score_batch(values.to_list(), ReadsWords(), WORDS)


def knows(memory: ScoreCache, values: pl.Series) -> dict[str, tuple[object, ...]]:
    known = memory.recall(values, WORDS)
    assert known.added.schema == found_for(texts("a")).schema
    return dict(zip(known.texts, known.added.iter_rows(), strict=True))


@pytest.fixture(params=["own", "shared"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScoreCache]:
    """Give each kind of memory, with nothing in it."""
    if request.param == "own":
        yield ProcessCache()
        return
    shared = SharedCache(tmp_path / "texts.sqlite")
    yield shared
    shared.close()


def test_what_was_kept_comes_back_bit_for_bit(memory: ScoreCache) -> None:
    values = texts(*MORE_THAN_ASKED_AT_ONCE)
    added = found_for(values)
    memory.keep(values, added)
    known = memory.recall(texts("unknown", None, *MORE_THAN_ASKED_AT_ONCE), WORDS)
    back = pl.DataFrame({"text": known.texts}).hstack(known.added).sort("text")
    assert back.equals(pl.DataFrame({"text": values}).hstack(added).sort("text"))


def test_a_text_without_a_score_is_not_remembered(memory: ScoreCache) -> None:
    values = texts("good", None, "", "raise", "nothing")
    memory.keep(values, found_for(values))
    assert list(knows(memory, values)) == ["good"]


def test_nothing_is_known_at_first_or_of_no_texts(memory: ScoreCache) -> None:
    assert knows(memory, texts("a", None)) == {}
    assert knows(memory, texts()) == {}
    memory.keep(texts(), found_for(texts()))


def test_what_was_met_longest_ago_is_forgotten_first() -> None:
    memory = ProcessCache(most=3)
    first = texts("a", "b", "c")
    memory.keep(first, found_for(first))
    assert list(knows(memory, texts("a"))) == ["a"]
    memory.keep(texts("d"), found_for(texts("d")))
    assert set(knows(memory, texts("a", "b", "c", "d"))) == {"a", "c", "d"}


def test_two_workers_share_a_file_and_the_first_word_stands(tmp_path: Path) -> None:
    one, two = (SharedCache(tmp_path / "texts.sqlite") for _ in range(2))
    assert knows(two, texts("a")) == {}
    one.keep(texts("a"), found_for(texts("a")))
    two.keep(texts("a"), found_for(texts("b")))
    assert knows(two, texts("a")) == {"a": found_for(texts("a")).row(0)}
    one.close()
    one.close()
    assert list(knows(one, texts("a"))) == ["a"]
    one.close()
    two.close()


@pytest.mark.parametrize("how", ["garbage", "a folder", "no folder"])
def test_a_file_that_cannot_be_used_costs_only_time(tmp_path: Path, how: str) -> None:
    path = tmp_path / "texts.sqlite"
    if how == "garbage":
        path.write_bytes(b"this is no database" * 500)
    elif how == "a folder":
        path.mkdir()
    else:
        path = tmp_path / "absent" / "texts.sqlite"
    memory = SharedCache(path)
    memory.keep(texts("a"), found_for(texts("a")))
    assert knows(memory, texts("a")) == {}
    memory.close()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(), unique=True, max_size=8))
def test_any_text_is_told_from_any_other(memory: ScoreCache, values: list[str]) -> None:
    series = texts(*values)
    added = found_for(series)
    memory.keep(series, added)
    known = knows(memory, series)
    expected = {
        text: row for text, row in zip(values, added.iter_rows(), strict=True) if row[-1] is None
    }
    assert known == expected
