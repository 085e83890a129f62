"""Scoring without polars writes the same bytes, counts the same and refuses the same rows."""

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scale.made import job

from tactful.errors import TactfulError
from tactful.scale.job import Job
from tactful.scale.local.engine import run_local, stream_local
from tactful.scale.plain import _shortest
from tactful.scale.progress import Watch
from tactful.scale.summary import to_json
from tactful.scale.tables.delimited import delimited_line
from tactful.scale.tables.sources import zstd

CELLS = [
    "word",
    None,
    "",
    " ",
    'a "quote", and\na line',
    "é 🙏",
    "\u2028",
    "raise",
    "x\ty",
    "nothing",
]
CSV = pl.DataFrame(
    {"id": [str(at) for at in range(len(CELLS) * 3)], "text": CELLS * 3, "b": CELLS[::-1] * 3}
)
JSON_LINES = "\n".join(
    [
        '{"text":"word","n":1}',
        '  { "text" : "a \\ud83d half" , "n":[1,{"a":2}]}  ',
        "",
        '{"text":5}',
        '{"text":2.50}',
        '{"text":true}',
        '{"text":["word"]}',
        '{"text":null}',
        "{}",
        '{"text":"first","text":"second"}',
        '{"text":"the key \\"other\\" is in the text"}\r',
        '{"text":"é 🙏 \\u00e9 \\ud83d\\ude4f"}',
    ]
)
INPUTS = {
    "in.csv": CSV.write_csv().encode(),
    "in.tsv": CSV.write_csv(separator="\t").encode(),
    "in.csv.gz": gzip.compress(CSV.write_csv().encode()),
    "in.jsonl": JSON_LINES.encode(),
    "in.jsonl.zst": zstd().compress(JSON_LINES.encode()),
    "in.txt": b"a line\n\n  \nanother\r\nlast",
    "marked.csv": b"\xef\xbb\xbf" + CSV.write_csv().encode(),
    "empty.csv": b"id,text\n",
    "bad.csv": b'id,text\n1,a\n2\n3,"x"y\n4,\xff\n\n5,b\n',
    "bad.jsonl": b'{"text":"a"}\n[1]\n{"text":NaN}\n\xff\n{"text":1e999}\n{\n{"text":"b"}\n',
}
RUNS = [
    (name, ending)
    for name in INPUTS
    for ending in (".csv", ".tsv.gz", ".jsonl")
    # Lines of JSON as a table need polars.
    if "jsonl" not in name or ending == ".jsonl"
]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that runs another one as if polars were not installed."""

    def run(function: Any, *args: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr("tactful.scale.plain.is_installed", lambda _: False)
            return function(*args)

    return run


def outcome(work: Job) -> tuple[Any, ...]:
    """Run a job; return all it gives, or its error."""
    try:
        found = run_local(work, Watch(), force=True, restart=True)
    except TactfulError as error:
        return (type(error).__name__, str(error))
    rejects = None if found.rejects is None else Path(found.rejects).read_bytes()
    return Path(work.output).read_bytes(), to_json(found.summary), rejects, dict(found.renamed)


@pytest.mark.parametrize("options", [{}, {"skip_bad_rows": True, "extremes": 2}], ids=["", "skip"])
@pytest.mark.parametrize("dedupe", [False, True])
@pytest.mark.parametrize(("name", "ending"), RUNS)
def test_the_same_bytes(
    plain: Any, tmp_path: Path, name: str, dedupe: bool, options: dict[str, Any], ending: str
) -> None:
    (tmp_path / name).write_bytes(INPUTS[name])
    work = job(tmp_path / name, tmp_path / f"out{ending}", part_rows=7, dedupe=dedupe, **options)
    expected = outcome(work)
    assert plain(outcome, work) == expected
    assert plain(outcome, work) == expected  # a second time, over the finished run


def test_files_may_have_their_columns_in_another_order(plain: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id,text\n1,word\n")
    (tmp_path / "in" / "b.csv").write_text("text,id\nother,2\n")
    work = job(tmp_path / "in", tmp_path / "out.csv")
    expected = outcome(work)
    assert expected[0].splitlines()[2].startswith(b"2,other,")
    assert plain(outcome, work) == expected


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("in.csv", b"id,words\n1,a\n"),
        ("in.csv", b"text,kind,model,error\n1,a,b,c\n"),
        ("in.jsonl", b'{"words":"a"}\n'),
        ("late.jsonl", b'{"text":"a"}\n' * 20_000 + b'{"text":"b","tactful_error":1,"error":2}\n'),
    ],
)
def test_the_same_refusals(plain: Any, tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    work = job(tmp_path / name, tmp_path / "out.jsonl")
    expected = outcome(work)
    assert expected[0] in ("UnknownNameError", "UsageError", "RunError")
    assert plain(outcome, work) == expected


def test_a_key_without_text_is_refused(plain: Any, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": 1}\n{"text": 2.5}\n')
    kind, said = plain(outcome, job(tmp_path / "in.jsonl", tmp_path / "out.jsonl"))
    assert kind == "UsageError"
    assert said.startswith("Found numbers in the column 'text'; expected text")


def test_too_deep_an_object_is_refused(plain: Any, tmp_path: Path) -> None:
    deep = '{"text":"a","deep":' + "[" * 100_000 + "]" * 100_000 + "}"
    (tmp_path / "in.jsonl").write_text(deep)
    _, said = plain(outcome, job(tmp_path / "in.jsonl", tmp_path / "out.jsonl"))
    assert "line 1: found JSON that is nested too deeply" in said


def test_a_stream_is_the_same(plain: Any, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(INPUTS["in.csv"])
    work = job(tmp_path / "in.csv", "-")

    def streamed() -> bytes:
        out = io.BytesIO()
        stream_local(work, out, Watch())
        return out.getvalue()

    assert plain(streamed) == streamed()


def test_numbers_are_written_as_polars_writes_them() -> None:
    rng = np.random.default_rng(1)
    edges = [0, 1, 1e-3, 1e-4, 1e-5, 9.9999e-6, 1e-6, 9.9999e-7, 1e-7, 1e-45, np.nan]
    values = np.concatenate([rng.random(2_000), 10 ** rng.uniform(-45, 0, 2_000), edges])
    numbers = values.astype(np.float32).reshape(-1, 1)
    table = pl.DataFrame({"n": pl.Series(numbers[:, 0], nan_to_null=True)})
    expected = table.write_csv(include_header=False).split("\n")[:-1]
    assert [row[0] for row in _shortest(numbers, "")] == expected


@given(st.lists(st.none() | st.text(st.characters(codec="utf-8")), min_size=2, max_size=4))
def test_cells_are_quoted_as_polars_quotes_them(cells: list[str | None]) -> None:
    table = pl.DataFrame([cells], schema=[f"c{at}" for at in range(len(cells))], orient="row")
    table = table.cast(pl.String)
    for mark in ",\t":
        assert delimited_line(cells, mark) == table.write_csv(separator=mark, include_header=False)
