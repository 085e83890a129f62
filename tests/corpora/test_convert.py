"""Writing the common schema and reading it back: nothing lost, nothing half-written."""

import errno
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from tests.written_examples import read_examples

from tactful.corpora import CORPORA, load_corpus
from tactful.corpora.convert import (
    TABLES,
    Table,
    convert,
    datasets_features,
    flatten,
    writer_for,
)
from tactful.corpora.corpus import Corpus
from tactful.corpora.schema import EXAMPLE_SCHEMA, conform
from tactful.errors import BadRowsError, FileFormatError, OutputError, UsageError

ENDINGS = (".jsonl", ".parquet")
NESTED: tuple[Table, ...] = ("judgements", "spans")
UCC_HEADER = (
    "_unit_id,_trusted_judgments,comment,antagonize,antagonize:confidence,condescending,"
    "condescending:confidence,dismissive,dismissive:confidence,generalisation,"
    "generalisation:confidence,generalisation_unfair,generalisation_unfair:confidence,healthy,"
    "healthy:confidence,hostile,hostile:confidence,sarcastic,sarcastic:confidence\n"
)
UCC_ROW = "{id},3,A mild remark {id}.,0,1,0,1,0,1,0,1,0,1,1,1,0,1,0,1\n"

words = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    [
        "",
        " ",
        "🙂 emoji 👩‍👩‍👧",
        'a "quoted" word',
        "two\nlines\r\n",
        "a\x00NUL",
        "tab\t, comma",
        "\ufeff",
        "\u2028",
    ]
)
maybe_words = st.none() | words
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
integers = st.none() | st.integers(-(2**63), 2**63 - 1)


def cells(dtype: Any) -> st.SearchStrategy[Any]:
    """Make values of a column of the schema."""
    if isinstance(dtype, pl.List):
        return st.lists(cells(dtype.inner), max_size=3)
    if isinstance(dtype, pl.Struct):
        return st.fixed_dictionaries({f.name: cells(f.dtype) for f in dtype.fields})
    return {pl.String: maybe_words, pl.Float64: numbers, pl.Int64: integers}[dtype]


rows = st.lists(
    st.fixed_dictionaries({name: cells(dtype) for name, dtype in EXAMPLE_SCHEMA.items()}),
    max_size=4,
)


class InMemory:
    """Replaces a corpus: yields the frames it is given, and fails after them if asked to."""

    def __init__(self, *frames: pl.DataFrame, error: BaseException | None = None):
        self.frames, self.error = frames, error

    def release_name(self) -> str | None:
        return None

    def example_batches(self) -> Iterator[pl.DataFrame]:
        yield from self.frames
        if self.error is not None:
            raise self.error


def in_memory(*frames: pl.DataFrame, error: BaseException | None = None) -> Corpus:
    stand_in: Any = InMemory(*frames, error=error)
    corpus: Corpus = stand_in
    return corpus


@cache
def examples_of(name: str) -> pl.DataFrame:
    corpus = load_corpus(name, sample=True)
    release = pl.lit(corpus.release_name(), dtype=pl.String).alias("release")
    return pl.concat(list(corpus.example_batches())).with_columns(release)


def broken_ucc(folder: Path) -> Path:
    """Write a small UCC file whose second row has a label that is no label."""
    folder.mkdir()
    bad = UCC_ROW.format(id=2).replace(",0,1,0", ",7,1,0", 1)
    text = UCC_HEADER + UCC_ROW.format(id=1) + bad + UCC_ROW.format(id=3)
    (folder / "train.csv").write_text(text, encoding="utf-8")
    return folder


# ---- round trips ------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@given(rows=rows)
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
def test_any_examples_come_back_identical(
    tmp_path: Path, ending: str, rows: list[dict[str, Any]]
) -> None:
    frame = pl.DataFrame(rows, schema=EXAMPLE_SCHEMA)
    path = tmp_path / f"any{ending}"
    writer_for(path)(iter([frame]), EXAMPLE_SCHEMA, path)
    back = read_examples(path)
    assert back.schema == EXAMPLE_SCHEMA
    assert back.to_dicts() == frame.to_dicts()


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", CORPORA.names())
def test_every_sample_comes_back_identical(name: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"out{ending}"
    done = convert(load_corpus(name, sample=True), path)
    expected = examples_of(name)
    assert expected.height > 0
    assert_frame_equal(read_examples(path), expected)
    assert (done.path, done.table) == (path, "examples")
    assert done.rows == done.texts == expected.height


@pytest.mark.parametrize("ending", ENDINGS)
def test_several_batches_are_one_file(ending: str, tmp_path: Path) -> None:
    frame = examples_of("sbic")
    path = tmp_path / f"out{ending}"
    convert(in_memory(frame.head(3), frame.clear(), frame.slice(3)), path)
    expected = frame.with_columns(pl.lit(None, dtype=pl.String).alias("release"))
    assert_frame_equal(read_examples(path), expected)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("frames", [[], [pl.DataFrame(schema=EXAMPLE_SCHEMA)]])
def test_no_texts_make_an_empty_file_that_can_be_read(
    ending: str, frames: list[pl.DataFrame], tmp_path: Path
) -> None:
    path = tmp_path / f"out{ending}"
    assert convert(in_memory(*frames), path).rows == 0
    back = read_examples(path)
    assert back.is_empty()
    assert back.schema == EXAMPLE_SCHEMA


def test_the_ending_may_be_in_capitals(tmp_path: Path) -> None:
    frame = examples_of("dpm")
    for ending in ENDINGS:
        path = tmp_path / f"out{ending.upper()}"
        convert(load_corpus("dpm", sample=True), path)
        assert_frame_equal(read_examples(path), frame)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("table", NESTED)
@pytest.mark.parametrize("name", CORPORA.names())
def test_flat_tables_hold_the_nested_content(
    name: str, table: Table, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"out{ending}"
    done = convert(load_corpus(name, sample=True), path, table)
    expected = [
        {"item": example["id"], **record}
        for example in examples_of(name).to_dicts()
        for record in example[table]
    ]
    if ending == ".parquet":
        back = pl.read_parquet(path)
        assert back.schema == TABLES[table]
    else:
        back = pl.read_ndjson(path, schema=TABLES[table]) if expected else pl.DataFrame()
    assert back.to_dicts() == expected
    assert (done.rows, done.texts) == (len(expected), examples_of(name).height)


def test_some_sample_has_judgements_and_some_has_spans() -> None:
    assert flatten(examples_of("ucc"), "judgements").height > 0
    assert flatten(examples_of("dpm"), "spans").height > 0


@given(rows=rows)
@settings(max_examples=40)
def test_flattening_loses_nothing(rows: list[dict[str, Any]]) -> None:
    frame = pl.DataFrame(rows, schema=EXAMPLE_SCHEMA)
    for table in NESTED:
        expected = [{"item": row["id"], **record} for row in rows for record in row[table]]
        assert flatten(frame, table).to_dicts() == expected


# ---- 🤗 datasets ------------------------------------------------------------------------------


def load_with_datasets(
    path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, **options: Any
) -> Any:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(cache))
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    builder: Literal["json", "parquet"] = "json" if path.suffix == ".jsonl" else "parquet"
    return datasets.load_dataset(
        builder, data_files=str(path), split="train", cache_dir=str(cache), **options
    )


def plain_features(feature: Any) -> Any:
    """Return features without the width of their offsets, which differs from file to file."""
    if isinstance(feature, dict):
        return {name: plain_features(inner) for name, inner in feature.items()}
    if hasattr(feature, "feature"):
        return [plain_features(feature.feature)]
    return feature.dtype.removeprefix("large_")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", CORPORA.names())
def test_datasets_reads_every_sample(
    name: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"out{ending}"
    convert(load_corpus(name, sample=True), path)
    options = {"features": datasets_features()} if ending == ".jsonl" else {}
    loaded = load_with_datasets(path, tmp_path / "cache", monkeypatch, **options)
    assert plain_features(loaded.features) == plain_features(datasets_features())
    assert loaded.to_list() == examples_of(name).to_dicts()


@pytest.mark.parametrize("table", TABLES)
def test_the_features_are_the_fields_of_the_table(table: Table) -> None:
    pytest.importorskip("datasets")
    assert list(datasets_features(table)) == TABLES[table].names()


def test_late_values_need_the_features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON Lines have no types: datasets guesses from the first 10 MB unless types are given."""
    first = examples_of("ucc").with_columns(
        pl.lit(None, dtype=pl.String).alias("release"), pl.lit("long " * 4000).alias("text")
    )
    late = examples_of("sbic")
    path = tmp_path / "late.jsonl"
    writer_for(path)(iter([*[first] * 12, late]), EXAMPLE_SCHEMA, path)
    assert path.stat().st_size > 10 * 2**20
    with pytest.raises(Exception, match="generating the dataset"):
        load_with_datasets(path, tmp_path / "guessed", monkeypatch)
    told = load_with_datasets(path, tmp_path / "told", monkeypatch, features=datasets_features())
    assert told[-1] == late.to_dicts()[-1]


def test_features_without_datasets_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "datasets", None)
    with pytest.raises(UsageError, match="pip install datasets"):
        datasets_features()


# ---- whole or not at all ----------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "error", [ValueError("accident"), KeyboardInterrupt(), FileFormatError("a.csv: wrong")]
)
def test_an_end_in_the_middle_leaves_nothing(
    error: BaseException, ending: str, tmp_path: Path
) -> None:
    corpus = in_memory(examples_of("dpm"), error=error)
    with pytest.raises(type(error)):
        convert(corpus, tmp_path / f"out{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_end_in_the_middle_keeps_the_old_file(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"out{ending}"
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match="accident"):
        convert(in_memory(examples_of("dpm"), error=ValueError("accident")), path, force=True)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", ENDINGS)
def test_strict_writes_nothing_when_a_row_is_bad(ending: str, tmp_path: Path) -> None:
    corpus = load_corpus("ucc", broken_ucc(tmp_path / "corpus"))
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(BadRowsError, match=r"train\.csv, line 3"):
        convert(corpus, out / f"x{ending}", strict=True)
    assert list(out.iterdir()) == []
    assert convert(corpus, out / f"x{ending}").rows == 2


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_one_sentence_and_leaves_nothing(
    number: int, ending: str, tmp_path: Path
) -> None:
    corpus = in_memory(examples_of("dpm"), error=OSError(number, os.strerror(number)))
    with pytest.raises(OutputError, match="nothing was left half-written"):
        convert(corpus, tmp_path / f"out{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_disk_that_is_really_full_is_told_by_its_number(
    ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What polars raises there has words only, and no number."""
    writer = writer_for(Path(f"full{ending}"))
    frame = pl.concat([conform(examples_of("ucc"))] * 50)
    with pytest.raises(OSError, match="No space left") as caught:
        writer(iter([frame]), EXAMPLE_SCHEMA, Path("/dev/full"))
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_exists_is_refused_unless_forced(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"out{ending}"
    path.write_bytes(b"mine")
    corpus = load_corpus("dpm", sample=True)
    with pytest.raises(UsageError, match="exists already"):
        convert(corpus, path)
    assert path.read_bytes() == b"mine"
    convert(corpus, path, force=True)
    assert read_examples(path).height == 40


@pytest.mark.parametrize("name", ["out.csv", "out", "out.json", "out.jsonl.gz"])
def test_another_ending_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected \.jsonl or \.parquet"):
        convert(load_corpus("dpm", sample=True), tmp_path / name)
    assert list(tmp_path.iterdir()) == []
