"""``tactful agreement --spans``: what it prints, and what it refuses."""

import json
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from tests import command_line

from tactful.agreement import CAVEAT, span_agreement, span_f1
from tactful.cli.main import cli

TEXTS = {
    "t1": "These poor families need our help to bloom.",
    "t2": "The library opens at nine on Saturdays.",
    "t3": "With one kind word she can change her whole life.",
    "t4": "Ay 🙂, they smile at everything.",
    "t5": "The bus stops twice.",
}
Row = tuple[str, str, int | None, int | None, str | None]
ROWS: list[Row] = [
    ("t1", "ann", 0, 19, "compassion"),
    ("t1", "bob", 6, 19, "compassion"),
    ("t1", "cem", 0, 19, "compassion"),
    ("t1", "ann", 37, 42, "metaphor"),
    ("t2", "ann", None, None, None),
    ("t2", "bob", None, None, None),
    ("t2", "cem", None, None, None),
    ("t3", "ann", 0, 48, "solution"),
    ("t3", "bob", 18, 48, "solution"),
    ("t3", "cem", None, None, None),
    ("t4", "ann", 6, 16, "compassion"),
    ("t4", "bob", 6, 31, "compassion"),
]
SCHEMA = {"item": str, "annotator": str, "start": int, "end": int, "id": str}
SEEN = [row[:2] for row in ROWS]
MEASURES = ["percent", "cohen", "fleiss", "krippendorff", "ac1"]


run = partial(command_line.run, "agreement")
fails = partial(command_line.fails, "agreement")


def answer(*args: str | Path) -> Any:
    return json.loads(run(*args, "--format", "json"))


def frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def marked() -> pl.DataFrame:
    return frame([row for row in ROWS if row[2] is not None])


def write(path: Path, table: pl.DataFrame) -> Path:
    ending = path.suffix
    if ending == ".parquet":
        table.write_parquet(path)
    elif ending == ".jsonl":
        table.write_ndjson(path)
    else:
        table.write_csv(path, separator="\t" if ending == ".tsv" else ",")
    return path


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    table = pl.DataFrame({"id": list(TEXTS), "text": list(TEXTS.values())})
    return write(tmp_path / "texts.jsonl", table)


@pytest.fixture
def call(tmp_path: Path, texts: Path) -> list[str | Path]:
    return [write(tmp_path / "spans.csv", frame(ROWS)), "--spans", "--texts", texts]


def test_text(call: list[str | Path]) -> None:
    output = run(*call)
    assert "all spans: 8 spans in 4 texts by 3 annotators (1 text of texts.jsonl has no row)" in (
        output
    )
    for name in ("Cohen's κ by character", "alpha (nominal) by character", "Gwet's AC1"):
        assert name in output
    assert "Span F1, same spans, mean over pairs: over 3 of 3 pairs" in output
    assert "The spans of each id" not in output
    assert "Every reader of every text" not in output
    assert CAVEAT in output
    assert not any(line != line.rstrip() for line in output.splitlines())


def test_text_per_label_has_every_id_with_its_spans(call: list[str | Path]) -> None:
    lines = run(*call, "--per-label", "--measure", "cohen").splitlines()
    start = lines.index("The spans of each id by themselves:")
    rows = [line.split()[:2] for line in lines[start + 2 :] if "Cohen" in line]
    assert rows == [["compassion", "5"], ["metaphor", "1"], ["solution", "2"]]


@pytest.mark.parametrize("unit", ["character", "token"])
def test_json_is_what_the_library_says(call: list[str | Path], unit: Any) -> None:
    data = answer(*call, "--unit", unit, "--per-label", "--bootstrap", "50", "--seed", "3")
    assert (data["schema_version"], data["unit"]) == (1, unit)
    assert data["ids"] == {"compassion": 5, "metaphor": 1, "solution": 2}
    counts = ("spans", "items", "annotators", "pairs", "readings", "readings_without_spans")
    assert [data[name] for name in counts] == [8, 4, 3, 3, 11, 4]
    assert data["texts_without_rows"] == 1
    # The text that nobody read plays no part, also in the samples.
    read = {name: text for name, text in TEXTS.items() if name != "t5"}
    found = {(m["label"], m["measure"]): m for m in data["measures"] + data["per_label"]}
    for label in (None, "compassion", "metaphor", "solution"):
        options: Any = {"category": label, "seen": SEEN, "bootstrap": 50, "seed": 3}
        expected = [span_agreement(marked(), read, name, unit, **options) for name in MEASURES]
        expected += [span_f1(marked(), read, match, **options) for match in ("exact", "overlap")]
        for each in expected:
            got = found[label, each.measure]
            assert (got["name"], got["value"], got["reason"]) == (
                each.name,
                each.value,
                each.reason,
            )
            assert got["interval"] == (list(each.interval) if each.interval else None)
            assert (got["items"], got["annotators"]) == (4, 3)
            assert (got["reading"] is None) == (each.measure.startswith(("percent", "span_f1")))


@pytest.mark.parametrize("match", ["exact", "overlap"])
@pytest.mark.parametrize("label", [None, "compassion", "metaphor", "solution"])
def test_the_mean_over_pairs_is_that_of_each_pair(
    call: list[str | Path], match: Any, label: str | None
) -> None:
    values = []
    for pair in combinations(("ann", "bob", "cem"), 2):
        spans = marked().filter(pl.col("annotator").is_in(pair))
        if label is not None:
            spans = spans.filter(pl.col("id") == label)
        values.append(span_f1(spans, TEXTS, match, seen=[s for s in SEEN if s[1] in pair]).value)
    known = [value for value in values if value is not None]
    data = answer(*call, "--per-label")
    [found] = [
        m
        for m in data["measures"] + data["per_label"]
        if (m["label"], m["measure"]) == (label, f"span_f1_{match}_pair_mean")
    ]
    assert found["value"] == pytest.approx(sum(known) / len(known))
    assert found["notes"] == [f"over {len(known)} of 3 pairs of annotators"]
    assert found["interval"] is None


def test_values_by_hand(tmp_path: Path, texts: Path) -> None:
    # Of 20 characters a marks 0 to 10 and b 0 to 5: 15 are alike; 2 x 5 shared of 10 + 5 marked.
    rows: list[Row] = [("t5", "a", 0, 10, "p"), ("t5", "b", 0, 5, "p")]
    file = write(tmp_path / "s.csv", frame(rows))
    measures = {
        m["measure"]: m["value"] for m in answer(file, "--spans", "--texts", texts)["measures"]
    }
    assert measures["percent"] == pytest.approx(15 / 20)
    # Chance: 1/2 x 1/4 both marked, 1/2 x 3/4 both not.
    assert measures["cohen"] == pytest.approx((0.75 - 0.5) / (1 - 0.5))
    assert measures["span_f1_exact"] == 0
    assert measures["span_f1_overlap"] == pytest.approx(10 / 15)
    output = run(file, "--spans", "--texts", texts)
    assert "mean over pairs" not in output  # there is one pair
    assert "Every reader of every text marked something." in output


def test_who_marked_nothing_counts_and_who_has_no_row_does_not(tmp_path: Path, texts: Path) -> None:
    rows: list[Row] = [("t1", "a", 0, 5, "p"), ("t1", "b", 0, 5, "p"), ("t2", "a", 0, 3, "p")]
    file = write(tmp_path / "s.csv", frame(rows))
    alone = answer(file, "--spans", "--texts", texts, "--measure", "krippendorff")
    assert [m["value"] for m in alone["measures"]] == [1, 1, 1, 1, 1]
    assert "1 text with one reader says nothing" in run(file, "--spans", "--texts", texts)
    write(file, frame([*rows, ("t2", "b", None, None, None)]))
    both = answer(file, "--spans", "--texts", texts, "--measure", "krippendorff")
    assert both["readings_without_spans"] == 1
    assert both["measures"][0]["value"] < 1
    assert both["measures"][1]["value"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("ending", ["tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("key", ["item", "id"])
def test_every_format_gives_the_same(
    tmp_path: Path, call: list[str | Path], ending: str, key: str
) -> None:
    file = write(tmp_path / f"s.{ending}", frame(ROWS))
    table = pl.DataFrame({key: list(TEXTS), "text": list(TEXTS.values())})
    texts = write(tmp_path / f"t.{ending}", table)
    data, expected = answer(file, "--spans", "--texts", texts), answer(*call)
    assert data["measures"] == expected["measures"]


def test_offsets_that_a_table_with_empty_cells_made_floats(
    tmp_path: Path, call: list[str | Path], texts: Path
) -> None:
    floats = frame(ROWS).with_columns(
        pl.col("start", "end").cast(pl.Float64).fill_null(float("nan"))
    )
    file = write(tmp_path / "s.parquet", floats)
    assert answer(file, "--spans", "--texts", texts)["measures"] == answer(*call)["measures"]
    texts_as_csv = write(
        tmp_path / "s.csv", floats.with_columns(pl.col("start", "end").fill_nan(None))
    )
    assert answer(texts_as_csv, "--spans", "--texts", texts)["spans"] == 8


def test_own_column_names(tmp_path: Path, call: list[str | Path], texts: Path) -> None:
    names = {"item": "doc", "annotator": "who", "start": "from", "end": "to", "id": "kind"}
    file = write(tmp_path / "s.csv", frame(ROWS).rename(names))
    options = [word for old, new in names.items() for word in (f"--{old}", new)]
    expected = answer(*call)["measures"]
    assert answer(file, "--spans", "--texts", texts, *options)["measures"] == expected
    table = pl.DataFrame({"doc": list(TEXTS), "text": list(TEXTS.values())})
    texts = write(tmp_path / "t.csv", table)
    assert answer(file, "--spans", "--texts", texts, *options)["measures"] == expected


def test_the_texts_may_be_what_corpus_convert_writes(tmp_path: Path) -> None:
    texts = tmp_path / "dpm.parquet"
    words = ["corpus", "convert", "dpm", "--sample", "--output", str(texts)]
    assert CliRunner().invoke(cli, words).exit_code == 0
    rows: list[Row] = [
        ("3", "a", 31, 76, "p"),
        ("3", "b", 47, 76, "p"),
        ("1", "a", None, None, None),
    ]
    file = write(tmp_path / "s.csv", frame(rows))
    data = answer(file, "--spans", "--texts", texts)
    assert (data["items"], data["texts_without_rows"]) == (2, 38)
    overlap = next(m for m in data["measures"] if m["measure"] == "span_f1_overlap")
    assert overlap["value"] == pytest.approx(2 * 29 / (45 + 29))


def test_what_is_undefined_is_said(tmp_path: Path, texts: Path) -> None:
    rows: list[Row] = [("t1", "a", None, None, None), ("t1", "b", None, None, None)]
    file = write(tmp_path / "s.csv", frame(rows))
    output = run(file, "--spans", "--texts", texts, "--per-label")
    assert "undefined: no text that two annotators read has any span" in output
    assert "is 'not marked', so there is nothing to distinguish" in output
    assert "nan" not in output.lower()
    write(file, frame([("t1", "a", 0, 4, "p"), ("t2", "b", 0, 4, "p")]))
    assert "undefined: no text was read by two annotators" in run(file, "--spans", "--texts", texts)
    [*_, mean] = answer(file, "--spans", "--texts", texts)["measures"]
    assert (mean["value"], mean["reason"]) == (None, "no text was read by two annotators")


def test_all_bad_rows_are_told_together(
    tmp_path: Path, texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.csv"
    rows = [
        "t1,a,0,999,x", "t1,b,5,5,x", "t9,b,0,5,x", "t9,a,0,5,x", ",b,0,5,x", "t2,,0,5,x",
        "t2,a,x,5,x", "t2,b,-1,5,x", "t2,c,1,,x", "t3,c,,,", "t3,c,1,4,x",
    ]  # fmt: skip
    file.write_text("item,annotator,start,end,id\n" + "\n".join(rows), encoding="utf-8")
    code, error = fails(capsys, file, "--spans", "--texts", texts)
    assert (code, "Error: 9 rows are not as expected:" in error) == (1, True), error
    for message in (
        "bad.csv, line 2: found a span from 0 to 999 in 't1'; expected an end of at most 43, the "
        "length of its text in texts.jsonl; nothing was measured.",
        "line 3: found a span from 5 to 5; expected a start before the end",
        "line 4: found the item 't9'; expected its text in texts.jsonl",
        "line 6: column 'item': found nothing",
        "line 7: column 'annotator': found nothing",
        "line 8: column 'start': found 'x'; expected a whole number",
        "line 9: column 'start': found -1; expected 0 or more",
        "line 10: found a row without end; expected start, end and id, or none of them",
        "line 11: found nothing marked by 'c' in 't3', where they marked something",
    ):
        assert message in error


def test_offsets_are_code_points(
    tmp_path: Path, texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    length = len(TEXTS["t4"])
    file = write(tmp_path / "s.parquet", frame([("t4", "a", 0, length, "p")]))
    assert answer(file, "--spans", "--texts", texts)["spans"] == 1
    write(file, frame([("t1", "a", 0, 1, "p"), ("t4", "a", 0, length + 1, "p")]))
    code, error = fails(capsys, file, "--spans", "--texts", texts)
    assert (code, f"s.parquet: found in row 2 a span from 0 to {length + 1}" in error) == (1, True)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("t1,a,0,4,", "a row without id"),
        ("t1,a,,,x", "a row without start and end"),
        ("t1,a,0,4.5,x", "column 'end': found '4.5'; expected a whole number"),
    ],
)
def test_one_bad_row(
    tmp_path: Path, texts: Path, capsys: pytest.CaptureFixture[str], row: str, message: str
) -> None:
    file = tmp_path / "s.csv"
    file.write_text(f"item,annotator,start,end,id\n{row}\n", encoding="utf-8")
    code, error = fails(capsys, file, "--spans", "--texts", texts)
    assert (code, message in error) == (1, True), error


def test_missing_columns_of_both_files_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, texts = tmp_path / "s.csv", tmp_path / "t.csv"
    file.write_text("item,annotater,start,ending,id\nt1,a,0,4,x\n", encoding="utf-8")
    texts.write_text("ids,txt\nt1,One.\n", encoding="utf-8")
    code, error = fails(capsys, file, "--spans", "--texts", texts)
    assert code == 1
    for name, near in (
        ("annotator", "annotater"),
        ("end", "ending"),
        ("id", "ids"),
        ("text", "txt"),
    ):
        assert f"no column named '{name}'. Did you mean '{near}'?" in error


def test_texts_that_are_missing_or_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "s.csv", frame([("a", "x", 0, 1, "p"), ("b", "x", 0, 1, "p")]))
    texts = tmp_path / "t.csv"
    # What nobody read may be as it likes, and the same text twice is one text.
    rows = "a,One.\na,Two.\nb,\nc,One.\nc,Two.\n,One.\n"
    texts.write_text(f"item,text\n{rows}", encoding="utf-8")
    code, error = fails(capsys, file, "--spans", "--texts", texts)
    assert (code, "2 rows are" in error) == (1, True), error
    assert (
        "t.csv, line 3: column 'text': found a text of 'a' that is not the one of line 2" in error
    )
    assert "t.csv, line 4: column 'text': found nothing; expected the text of 'b'" in error
    texts.write_text("item,text\na,One.\na,One.\nb,Two.\n", encoding="utf-8")
    assert answer(file, "--spans", "--texts", texts)["items"] == 2


def test_names_that_are_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "s.csv", frame(ROWS))
    texts = tmp_path / "t.jsonl"
    texts.write_text('{"item": ["t1"], "text": "One."}\n', encoding="utf-8")
    code, error = fails(capsys, file, "--spans", "--texts", texts)
    assert (code, "column 'item': found lists; expected names" in error) == (1, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--spans"], "Found --spans without --texts"),
        (["--unit", "token", "--end", "to"], "Found --unit, --end without --spans"),
        (["--spans", "--texts", "{texts}", "--unit", "word"], "Invalid value for '--unit'"),
        (
            ["--spans", "--texts", "{texts}", "--level", "ordinal", "--trust-curve"],
            "Found --level, --trust-curve with --spans",
        ),
        (["--spans", "--texts", "{texts}", "--measure", "ac2"], "Marked or not is nominal"),
        (["--spans", "--texts", "{texts}", "--measure", "kapa"], "no measure of agreement named"),
        (["--spans", "--texts", "{texts}", "--confidence", "2"], "expected between 0 and 1"),
        (["--spans", "--texts", "none.csv"], "There is no file or folder 'none.csv'"),
    ],
)
def test_wrong_calls(
    call: list[str | Path],
    texts: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    words = [word.format(texts=texts) for word in options]
    code, error = fails(capsys, call[0], *words)
    assert (code, message in error) == (2, True), error
