"""The top rows: the same ones however the input was cut, ties in the order of the input."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scale.made import IDS, SCORER, job, scored_file

from tactful.scale.job import Job
from tactful.scale.rejects import as_lines, reject
from tactful.scale.scoring import TableScorer, Wanted
from tactful.scale.summary import add_tallies, tally, tally_from_bytes, top_of, top_rows
from tactful.scale.tables.formats import Format

NUMBERS = st.sampled_from(["0", "0.3", "0.5", "0.9", "1", "-"])
TEXTS = st.lists(
    st.none() | st.just("words") | st.tuples(NUMBERS, NUMBERS, NUMBERS).map(" ".join), max_size=25
)


def job_for(top: int, top_by: str | None = None) -> Job:
    return Job(("-",), "out", Format("csv"), Format("csv"), SCORER, top=top, top_by=top_by)


def frame(texts: list[str | None]) -> pl.DataFrame:
    rows = {"row": range(len(texts)), "text": texts}
    return pl.DataFrame(rows, schema={"row": pl.Int64, "text": pl.String})


def expected(texts: list[str | None], top: int, top_by: str | None) -> list[int]:
    """Say which rows are the worst, the slow way."""
    ids = [IDS.index(top_by)] if top_by else range(len(IDS))
    values: list[tuple[float, int]] = []
    for row, text in enumerate(texts):
        if text is not None and text != "words":
            found = [
                float(word) for at, word in enumerate(text.split()) if at in ids and word != "-"
            ]
            values += [(-max(found), row)] if found else []
    return [row for _, row in sorted(values)[:top]]


@settings(max_examples=80)
@given(TEXTS, st.integers(1, 6), st.integers(1, 30), st.sampled_from([None, *IDS]))
def test_the_worst_are_the_same_for_any_size_of_parts_and_nulls_are_never_among_them(
    texts: list[str | None], size: int, top: int, top_by: str | None
) -> None:
    wanted = job_for(top, top_by)
    score = TableScorer(SCORER, Wanted())
    parts = [score(frame(texts)[at : at + size]) for at in range(0, max(len(texts), 1), size)]
    found = top_of((top_rows(part, wanted) for part in parts), top)
    assert found["row"].to_list() == expected(texts, top, top_by)
    assert found.columns == ["row", "text", *SCORER.columns]
    tallies = [tally(part, wanted) for part in parts]
    total = tally_from_bytes(tallies[0].summary_bytes(), tallies[0].top_bytes())
    for each in tallies[1:]:
        total = add_tallies(total, tally_from_bytes(each.summary_bytes(), each.top_bytes()), top)
    assert total.top is not None
    assert total.top["row"].to_list() == expected(texts, top, top_by)
    assert total.summary.rows == len(texts)


def test_nobody_asked_for_the_worst() -> None:
    bad = [reject("in.csv", line, "found no text", b"x") for line in (3, 4)]
    counted = tally(TableScorer(SCORER, Wanted())(frame(["1 0 0"])), job_for(0), "here", bad)
    again = tally_from_bytes(
        counted.summary_bytes(), counted.top_bytes(), as_lines(counted.rejects)
    )
    assert again.rejects == tuple(bad)
    assert again.top is None
    assert add_tallies(again, again, 5).top is None
    assert (again.summary.rows, again.summary.skipped) == (1, 2)


@pytest.mark.parametrize("kind", ["csv", "tsv.gz", "jsonl", "jsonl.zst", "parquet", "arrow"])
@pytest.mark.parametrize("part_rows", [1, 3, 1000])
def test_the_worst_rows_are_written_apart_the_worst_first(
    tmp_path: Path, kind: str, part_rows: int
) -> None:
    source = tmp_path / "in.jsonl"
    texts = ["0.1 0 0", None, "0.9 0 0", "0.5 0 0", "0.9 1 0", "words", "0 0 0.9"]
    source.write_text("".join(json.dumps({"at": n, "text": t}) + "\n" for n, t in enumerate(texts)))
    output = tmp_path / f"scored.{kind}"
    made = scored_file(source, output, scorer=SCORER, top=4, part_rows=part_rows)
    top = tmp_path / f"scored.top.{kind}"
    assert made.written == (str(output), str(top))
    again = tmp_path / "top.csv"
    scored_file(top, again, scorer=SCORER, prefix="again_")
    assert pl.read_csv(again)["at"].to_list() == [4, 2, 6, 3]
    assert len(pl.read_csv(again)) == 4


@pytest.mark.parametrize("name", ["worst.csv", "parts"])
def test_only_the_worst_are_written_if_so_wished(tmp_path: Path, name: str) -> None:
    source = tmp_path / "in.csv"
    frame(["0.1 0 0", "0.9 0 0", "words"]).write_csv(source)
    made = scored_file(
        source, tmp_path / name, scorer=SCORER, top=9, top_by="kind", only_top=True, part_rows=1
    )
    assert made.summary.rows == 3
    (path,) = made.written
    wanted = tmp_path / ("worst.csv" if name == "worst.csv" else "parts/top.csv")
    assert path == str(wanted)
    assert pl.read_csv(path)["row"].to_list() == [1, 0]
    assert not list(tmp_path.glob("parts/part-*"))


def test_a_table_without_scores_has_no_worst_rows_but_its_columns(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("row,text\n1,\n2,words\n")
    scored_file(source, tmp_path / "out.csv", scorer=SCORER, top=3)
    assert (tmp_path / "out.top.csv").read_text() == f"row,text,{','.join(SCORER.columns)}\n"


def test_a_column_named_line_is_a_cell_among_the_worst_rows(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("line\n0.5 0 0\n")
    worst = job(source, tmp_path / "out.jsonl", scorer=SCORER, top=1, text_column="line")
    found = TableScorer(SCORER, worst.wanted)(pl.DataFrame({"line": ["0.5 0 0"]}))
    assert top_of([top_rows(found, worst)], 1).columns == ["line", *SCORER.columns]
