"""Don't Patronize Me!, against Pérez-Almendros et al. 2020."""

import csv
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.corpora import load_corpus
from tactful.corpora.dpm import CATEGORIES, LABEL_ORDER, PAPER_CATEGORY_TOTALS, PAPER_KEYWORD_TOTALS
from tactful.corpora.stats import Stat
from tactful.errors import FileFormatError, Problem, Severity
from tactful.types import Example

PCL = "dontpatronizeme_pcl.tsv"
SPANS = "dontpatronizeme_categories.tsv"
DISCLAIMER = ["----", "These lines stand before the data.", "----", ""]
TEXT = "We gave every one of them a warm coat ."


def rows_of(path: Path) -> list[list[str]]:
    """The authors' rows, read without the code under test: 4 lines to skip, no quoting."""
    lines = path.read_text(encoding="utf-8").split("\n")[4:]
    return [line.split("\t") for line in lines if line]


def write_rows(path: Path, rows: list[list[str]]) -> None:
    lines = [*DISCLAIMER, *("\t".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def paragraph(par_id: str = "1", text: str = TEXT, label: str = "3") -> list[str]:
    return [par_id, f"@@{par_id}", "homeless", "gb", text, label]


def span(par_id: str = "1", **changes: str) -> list[str]:
    cells = {
        "par_id": par_id, "art_id": f"@@{par_id}", "text": TEXT, "keyword": "homeless",
        "country": "gb", "start": "26", "end": "37", "span": "a warm coat",
        "category": "Shallow_solution", "annotators": "2",
    }  # fmt: skip
    return list((cells | changes).values())


def examples_of(path: Path) -> dict[str, Example]:
    return {example.id: example for example in load_corpus("dpm", path).examples()}


def cells(example: Example) -> list[str]:
    """The authors' row of a paragraph, built from its example."""
    meta = example.meta
    return [
        example.id, meta["art_id"], meta["keyword"], meta["country"], example.text, meta["label"],
    ]  # fmt: skip


def cells_of(stat: Stat) -> dict[Any, dict[str, Any]]:
    return {row[0]: dict(zip(stat.columns[1:], row[1:], strict=True)) for row in stat.rows}


def sample() -> Any:
    return load_corpus("dpm", sample=True)


# ---- the sample -----------------------------------------------------------------------------


def test_tables_have_their_columns_and_types() -> None:
    corpus = sample()
    assert dict(corpus.read("paragraphs").schema) == {
        "par_id": pl.String, "art_id": pl.String, "keyword": pl.String, "country": pl.String,
        "text": pl.String, "label": pl.Int64, "line": pl.Int64, "split": pl.String,
    }  # fmt: skip
    assert dict(corpus.read("spans").schema) == {
        "par_id": pl.String, "art_id": pl.String, "text": pl.String, "keyword": pl.String,
        "country": pl.String, "start": pl.Int64, "end": pl.Int64, "span": pl.String,
        "category": pl.String, "annotators": pl.Int64, "line": pl.Int64, "split": pl.String,
    }  # fmt: skip
    assert dict(corpus.read("parts").schema) == {
        "par_id": pl.String, "label": pl.String, "line": pl.Int64, "split": pl.String,
    }  # fmt: skip
    assert corpus.counts() == {"paragraphs": 40, "positive": 11, "spans": 29}
    assert corpus.read("paragraphs")["line"][0] == 5  # after four lines of disclaimer


def test_every_cell_of_the_paragraphs_is_kept() -> None:
    corpus = sample()
    rebuilt = [cells(example) for example in corpus.examples()]
    assert rebuilt == rows_of(corpus.path / PCL)


def test_every_span_cuts_out_its_words_in_code_points() -> None:
    corpus = sample()
    frame = pl.concat(corpus.example_batches())
    found: Counter[tuple[object, ...]] = Counter()
    for row in frame.iter_rows(named=True):
        for marked in row["spans"]:
            assert row["text"][marked["start"] : marked["end"]] == marked["text"]
            found[row["id"], marked["id"], marked["text"], marked["annotators"]] += 1
    published = Counter(
        (row[0], CATEGORIES[row[8]], unquoted(row[7]), int(row[9]))
        for row in rows_of(corpus.path / SPANS)
    )
    assert found == published
    assert corpus.log.rows_left_out == 0
    emoji = next(e for e in corpus.examples() if e.id == "14")
    assert emoji.text.startswith("👋")
    assert emoji.spans[0].cut(emoji.text) == "open their hearts to children in need"
    assert emoji.spans[0].start == 34


def unquoted(words: str) -> str:
    """Two sample spans wear the quotes of a CSV file; their texts hold them doubled, too."""
    return words[1:-1] if words.startswith('"') and words.endswith('"') else words.strip()


def test_repaired_offsets_are_reported_with_their_line() -> None:
    corpus = sample()
    corpus.read("spans")
    assert corpus.log.counts == {
        (Severity.REPAIRED, "span end"): 11,
        (Severity.REPAIRED, "span moved"): 4,
        (Severity.REPAIRED, "span quoted"): 2,
    }
    first = next(p for p in corpus.log.kept if p.code == "span end")
    assert (first.file, first.line) == (SPANS, 5)


def test_labels_follow_the_paper_and_the_lists_follow_semeval() -> None:
    """Section 4.2.1: labels 2, 3 and 4 are positive; the parts list categories for SemEval."""
    corpus = sample()
    listed: dict[str, list[int]] = {}
    for name in ("train", "dev"):
        path = corpus.path / f"{name}_semeval_parids-labels.csv"
        with path.open(newline="", encoding="utf-8") as file:
            listed |= {row["par_id"]: json.loads(row["label"]) for row in csv.DictReader(file)}
    for example in corpus.examples():
        assert example.labels["pcl"] == float(int(example.meta["label"]) >= 2)
        assert [example.labels[name] for name in LABEL_ORDER] == listed[example.id]


def test_articles_are_groups_and_lists_are_splits() -> None:
    examples = {example.id: example for example in sample().examples()}
    assert examples["5"].group == examples["26"].group == "@@1000005"
    assert len({example.group for example in examples.values()}) == 39
    assert Counter(example.split for example in examples.values()) == {"train": 30, "dev": 10}
    assert examples["22"].split == "dev"


def test_tables_1_and_2_of_the_sample() -> None:
    """Counted by hand in the sample; the last rows are the paper's own totals."""
    one, two, _ = sample().stats()
    countries = cells_of(one)
    uk = {"homeless": 1, "in-need": 1}
    assert {k: v for k, v in countries["UK"].items() if v and k != "total"} == uk
    assert countries["UK"]["total"] == 2
    assert countries["Total"]["total"] == 40
    assert countries["Total"]["hopeless"] == 4
    body = [row for row in one.rows if row[0] not in ("Total", "Paper")]
    assert [sum(column) for column in zip(*(row[1:] for row in body), strict=True)] == list(
        one.rows[-2][1:]
    )
    assert all(row[-1] == sum(row[1:-1]) for row in one.rows)
    keywords = cells_of(two)
    assert {k: v for k, v in keywords["disabled"].items() if v} == {
        "unb": 1, "met": 1, "merr": 1, "total": 3,
    }  # fmt: skip
    assert keywords["Total"] == {
        "unb": 4, "com": 4, "pre": 4, "aut": 4, "sha": 5, "met": 5, "merr": 3, "total": 29,
    }  # fmt: skip
    assert all(row[-1] == sum(row[1:-1]) for row in two.rows)


def test_agreement_on_spans_by_category() -> None:
    """Three of the sample's five metaphors were marked by both: 6 of their 8 marks."""
    agreed = sample().stats()[2]
    assert agreed.id == "section-4.2"
    rows = cells_of(agreed)
    assert rows["met"] == {"by both": 3, "by one": 2, "percent": 75.0, "paper percent": 52.72}
    of_poet = [rows[name] for name in ("com", "met", "merr")]
    assert rows["com, met, merr"]["by one"] == sum(row["by one"] for row in of_poet)


def test_the_papers_totals() -> None:
    """Tables 1 and 2 of the paper, in its order of columns."""
    assert PAPER_KEYWORD_TOTALS == (
        1116, 1088, 1014, 1085, 1089, 1103, 914, 1071, 1082, 1075, 10637,
    )  # fmt: skip
    assert PAPER_CATEGORY_TOTALS == (1307, 888, 347, 327, 302, 319, 64, 3554)
    for *parts, total in (PAPER_KEYWORD_TOTALS, PAPER_CATEGORY_TOTALS):
        assert sum(parts) == total
    paper = next(r for r in sample().releases if r.name == "the release of the paper")
    assert paper.counts == {"paragraphs": 10_637, "positive": 995, "spans": 3_554}


@pytest.mark.parametrize(
    ("part", "paragraphs", "positive"),
    [("training", 8_375, 794), ("development", 2_094, 199)],
)
def test_the_parts_of_semeval_are_known(
    tmp_path: Path, part: str, paragraphs: int, positive: int
) -> None:
    """SemEval-2022 task 4: both parts together are the whole release, 10,469 with 993 positive."""
    rows = [paragraph(str(at), label="3" if at < positive else "0") for at in range(paragraphs)]
    write_rows(tmp_path / PCL, rows)
    corpus = load_corpus("dpm", tmp_path)
    assert corpus.release_name() == f"the {part} part of SemEval-2022 task 4"


# ---- the shapes of the releases --------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "positive"), [("0", 0.0), ("1", 0.0), ("2", 1.0), ("3", 1.0), ("4", 1.0)]
)
def test_binarisation(tmp_path: Path, label: str, positive: float) -> None:
    """Section 4.2.1."""
    write_rows(tmp_path / PCL, [paragraph(label=label)])
    assert examples_of(tmp_path)["1"].labels == {"pcl": positive}


def test_the_papers_release_has_no_paragraph_ids(sample_copy: Callable[[str], Path]) -> None:
    folder = sample_copy("dpm")
    whole = list(load_corpus("dpm", folder).examples())
    for name in (PCL, SPANS):
        write_rows(folder / name, [row[1:] for row in rows_of(folder / name)])
    for path in folder.glob("*parids*"):
        path.unlink()
    corpus = load_corpus("dpm", folder)
    early = list(corpus.examples())
    assert corpus.counts() == {"paragraphs": 40, "positive": 11, "spans": 29}
    assert corpus.log.rows_left_out == 0
    assert len({example.id for example in early}) == 40
    for one, other in zip(whole, early, strict=True):
        assert other.id.startswith(one.group + "-")
        assert (one.text, one.labels, one.spans) == (other.text, other.labels, other.spans)
        assert (one.group, one.meta) == (other.group, other.meta)
        assert other.split is None


def test_the_semeval_test_file_has_no_labels(tmp_path: Path) -> None:
    write_rows(tmp_path / "task4_test.tsv", [paragraph(str(n))[:5] for n in range(3)])
    corpus = load_corpus("dpm", tmp_path)
    examples = list(corpus.examples())
    assert corpus.counts() == {"paragraphs": 3}
    assert [example.labels for example in examples] == [{}, {}, {}]
    assert {example.split for example in examples} == {"test"}
    assert {example.text for example in examples} == {TEXT}


def test_without_a_span_file_categories_are_unknown(tmp_path: Path) -> None:
    write_rows(tmp_path / PCL, [paragraph()])
    assert examples_of(tmp_path)["1"].labels == {"pcl": 1.0}
    write_rows(tmp_path / SPANS, [span()])
    labels = examples_of(tmp_path)["1"].labels
    assert labels == {"pcl": 1.0} | {
        name: float(name == "pcl.shallow_solution") for name in LABEL_ORDER
    }


def test_an_empty_text_is_kept_and_noted(tmp_path: Path) -> None:
    write_rows(tmp_path / PCL, [paragraph(), paragraph("2", text="", label="0")])
    corpus = load_corpus("dpm", tmp_path)
    assert [example.text for example in corpus.examples()] == [TEXT, ""]
    (note,) = corpus.log.of(Severity.NOTE)
    assert (note.line, note.code, corpus.log.rows_left_out) == (6, "empty text", 0)


def test_a_file_of_another_shape_is_refused(tmp_path: Path) -> None:
    write_rows(tmp_path / PCL, [["1", "2", "3"]])
    with pytest.raises(FileFormatError, match="rows of 3 tab-separated fields"):
        load_corpus("dpm", tmp_path)


# ---- bad rows --------------------------------------------------------------------------------


def only_error(path: Path) -> tuple[Problem, int, list[Example]]:
    corpus = load_corpus("dpm", path)
    examples = list(corpus.examples())
    (problem,) = corpus.log.of(Severity.ERROR)
    return problem, corpus.log.rows_left_out, examples


@pytest.mark.parametrize("label", ["5", "-1", "x", "", "2.5"])
def test_a_label_outside_the_scale(tmp_path: Path, label: str) -> None:
    """Section 4.2.1: five points, 0 to 4."""
    write_rows(tmp_path / PCL, [paragraph(), paragraph("2", label=label), paragraph("3")])
    problem, left_out, examples = only_error(tmp_path)
    assert (problem.file, problem.line, problem.column) == (PCL, 6, "label")
    assert left_out == 1
    assert [example.id for example in examples] == ["1", "3"]


@pytest.mark.parametrize(
    ("changes", "code", "column"),
    [
        ({"span": "other words", "start": "0", "end": "11"}, "span offsets", None),
        ({"category": "Pity"}, "value", "category"),
        ({"annotators": "3"}, "value", "annotators"),
        ({"start": "-4"}, "value", "start"),
        ({"span": " "}, "empty cell", "span"),
    ],
)
def test_a_bad_span(tmp_path: Path, changes: dict[str, str], code: str, column: str | None) -> None:
    write_rows(tmp_path / PCL, [paragraph()])
    write_rows(tmp_path / SPANS, [span(), span(**changes), span(category="Compassion")])
    problem, left_out, examples = only_error(tmp_path)
    assert (problem.file, problem.line, problem.code) == (SPANS, 6, code)
    assert (problem.column, left_out) == (column, 1)
    assert [s.id for s in examples[0].spans] == ["pcl.shallow_solution", "pcl.compassion"]


def test_spans_of_an_unknown_paragraph(tmp_path: Path) -> None:
    write_rows(tmp_path / PCL, [paragraph()])
    write_rows(tmp_path / SPANS, [span(), span("9"), span("9", category="Compassion")])
    problem, left_out, examples = only_error(tmp_path)
    assert (problem.file, problem.line, problem.code) == (SPANS, 6, "unknown paragraph")
    assert left_out == 2
    assert len(examples[0].spans) == 1


def test_a_repeated_paragraph_and_a_row_with_a_missing_field(tmp_path: Path) -> None:
    write_rows(tmp_path / PCL, [paragraph(), paragraph(), paragraph("2")[:4], paragraph("3")])
    corpus = load_corpus("dpm", tmp_path)
    assert [example.id for example in corpus.examples()] == ["1", "3"]
    found = sorted((p.line, p.code) for p in corpus.log.of(Severity.ERROR))
    assert found == [(6, "repeated id"), (7, "field count")]
    assert corpus.log.rows_left_out == 2


# ---- any valid rows come back as they are ----------------------------------------------------

texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n"), min_size=1, max_size=30
).filter(lambda text: text.strip() != "")


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str]]]:
    paragraphs, spans = [], []
    for number, text in enumerate(draw(st.lists(texts, min_size=1, max_size=5))):
        label = draw(st.integers(0, 4))
        paragraphs.append(paragraph(str(number), text, str(label)))
        for _ in range(draw(st.integers(0, 3))):
            start = draw(st.integers(0, len(text) - 1))
            end = draw(st.integers(start + 1, len(text)))
            if text[start:end].strip():
                category = draw(st.sampled_from(sorted(CATEGORIES)))
                marked = span(
                    str(number), text=text, start=str(start), end=str(end),
                    span=text[start:end], category=category,
                    annotators=str(draw(st.integers(1, 2))),
                )  # fmt: skip
                spans.append(marked)
    return paragraphs, spans


@settings(max_examples=60)
@given(releases())
def test_what_is_written_is_read(release: tuple[list[list[str]], list[list[str]]]) -> None:
    paragraphs, spans = release
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder / PCL, paragraphs)
        if spans:
            write_rows(folder / SPANS, spans)
        corpus = load_corpus("dpm", folder)
        examples = list(corpus.examples())
    assert corpus.log.counts == {}
    assert [cells(example) for example in examples] == paragraphs
    assert [
        (e.id, s.start, s.end, s.cut(e.text), s.id, s.annotators) for e in examples for s in e.spans
    ] == [(r[0], int(r[5]), int(r[6]), r[7], CATEGORIES[r[8]], int(r[9])) for r in spans]


# ---- the authors' files ----------------------------------------------------------------------


@pytest.mark.data
def test_the_training_part_of_semeval(data_folder: Callable[[str], Path]) -> None:
    corpus = load_corpus("dpm", data_folder("dpm"))
    found = corpus.verify()
    assert found.matches
    assert found.found == {"paragraphs": 8_375, "positive": 794, "spans": 2_142}
    assert corpus.release_name() == "the training part of SemEval-2022 task 4"
    one, two, agreed = corpus.stats()
    assert cells_of(one)["Total"]["total"] == 8_375
    assert cells_of(two)["Total"]["total"] == 2_142
    # On three fifths of the paper's spans: within five points, but for unbalanced power relations.
    apart = {name: ours - paper for name, _, _, ours, paper in agreed.rows}
    assert sum(abs(each) < 5 for each in apart.values()) == 8
    assert apart["unb"] == pytest.approx(16.11)
    assert corpus.log.rows_left_out == 0


@pytest.mark.data
def test_all_spans_are_aligned(data_folder: Callable[[str], Path]) -> None:
    corpus = load_corpus("dpm", data_folder("dpm"))
    spans = corpus.read("spans")
    columns = spans.select("text", "start", "end", "span", "line")
    wrong = [line for text, s, e, words, line in columns.iter_rows() if text[s:e] != words]
    assert wrong == []
    assert spans.height == 2_142
    assert corpus.log.rows_left_out == 0
    assert sum(corpus.log.counts.values()) == 2_142  # no published offset is right


@pytest.mark.data
def test_spans_are_put_where_the_authors_marked_them(data_folder: Callable[[str], Path]) -> None:
    """The published offsets count from the text without CSV quotes and end one too far.

    Counting so, without looking for the words, gives the same places but for four, which differ
    by one or two characters at an edge.
    """
    corpus = load_corpus("dpm", data_folder("dpm"))
    found = corpus.read("spans").select("start", "end").rows()
    published = rows_of(corpus.path / SPANS)
    off = [
        max(abs(start - place[0]), abs(end - place[1]))
        for (start, end), place in zip(found, map(marked_place, published), strict=True)
    ]
    assert sum(distance > 0 for distance in off) == 4
    assert max(off) == 2


def marked_place(row: list[str]) -> tuple[int, int]:
    text, start, end = row[2], int(row[5]), int(row[6]) - 1
    places = list(range(len(text) + 1))
    if text.startswith('"') and text.endswith('"'):
        places, at = [], 1
        while at < len(text) - 1:
            places.append(at)
            at += 2 if text[at : at + 2] == '""' and at + 1 < len(text) - 1 else 1
        places.append(len(text) - 1)
    words = text[places[start] : places[end]]
    first = places[start] + len(words) - len(words.lstrip())
    return first, first + len(words.strip())


@pytest.mark.data
def test_label_lists_are_what_the_spans_say(data_folder: Callable[[str], Path]) -> None:
    folder = data_folder("dpm")
    path = folder / "train_semeval_parids-labels.csv"
    with path.open(newline="", encoding="utf-8") as file:
        listed = {row["par_id"]: json.loads(row["label"]) for row in csv.DictReader(file)}
    corpus = load_corpus("dpm", folder)
    wrong = [
        example.id
        for example in corpus.examples()
        if [example.labels[name] for name in LABEL_ORDER] != listed.pop(example.id)
        or example.split != "train"
    ]
    assert wrong == []
    assert listed == {}
    assert corpus.log.rows_left_out == 0


@pytest.mark.data
def test_every_real_cell_is_kept(data_folder: Callable[[str], Path]) -> None:
    corpus = load_corpus("dpm", data_folder("dpm"))
    published = {row[0]: row for row in rows_of(corpus.path / PCL)}
    wrong = [e.id for e in corpus.examples() if published.pop(e.id) != cells(e)]
    assert wrong == []
    left = len(published)
    assert left == 0


@pytest.mark.data
def test_a_quarter_of_the_texts_wear_quotes(data_folder: Callable[[str], Path]) -> None:
    """The trap: a leading quote and doubled quotes inside."""
    rows = rows_of(data_folder("dpm") / PCL)
    quoted = sum(row[4].startswith('"') and '""' in row[4] for row in rows) / len(rows)
    assert round(100 * quoted) == 25
