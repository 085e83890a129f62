"""The judgements of a table, for ``tactful agreement`` and ``tactful aggregate``.

Exports of ours (Parquet, JSON Lines, CSV) hold all judgements, also those that do not count:
answers to hidden tests, those of people who were removed, and those that came when there were
enough. Their column ``counts`` says so. They also hold decisions of referees, which are not
judgements like the others.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tactful.cli.options import collect, flag, option, several, together
from tactful.cli.output import echo_sentence
from tactful.files import open_text
from tactful.tables import read_table, require_columns, split_questions

COUNTS = "counts"
_DECISION = "decision"
_WHO, _LABEL_ROW, _REFEREE_ROW = "who", "label", "referee"
_COUNTS = r"(?i)yes|true"
_COUNTS_NOT = r"(?i)no(: .*)?|false"
_SCHEMA = {
    "item": pl.String, "step": pl.String, "question": pl.String, "annotator": pl.String,
    "answer": pl.String, "trust": pl.Float64, COUNTS: pl.Boolean, _DECISION: pl.Boolean,
}  # fmt: skip

all_judgements_option = flag(
    "--all-judgements", "Also use judgements that the column 'counts' of an export excludes."
)


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table hold what, and which of its questions are used."""

    item: str
    annotator: str
    label: str
    question_column: str
    question: tuple[str, ...]


column_options = together(
    option("--item COLUMN", "The column with what was judged.", default="item"),
    option("--annotator COLUMN", "The column with who judged it.", default="annotator"),
    option("--label COLUMN", "The column with the judgement.", default="label"),
    option(
        "--question-column COLUMN",
        "The column with what was asked; without such a column there is one question.",
        default="question",
    ),
    several("--question Q", "Use only this question of the table; repeatable."),
    collect(Columns, "columns"),
)


@dataclass
class Judgements:
    """The rows of each question that are to be used, and how many are not."""

    parts: dict[str | None, pl.DataFrame]
    label: str
    """The column with the judgements."""
    uncounted: int = 0
    decisions: int = 0

    def as_dict(self) -> dict[str, int]:
        """Return what was left out as plain data, for JSON."""
        return {"judgements": self.uncounted, "decisions": self.decisions}

    def say_left_out(self) -> None:
        """Say what was left out, if anything was."""
        said = []
        if self.uncounted:
            noun = "judgement that does" if self.uncounted == 1 else "judgements that do"
            said.append(f"{self.uncounted:,} {noun} not count")
        if self.decisions:
            noun = "decision of a referee" if self.decisions == 1 else "decisions of referees"
            said.append(f"{self.decisions:,} {noun}")
        if said:
            echo_sentence(f"Left out: {' and '.join(said)} (--all-judgements keeps them).")


def read_judgements(path: Path, columns: Columns, *further: str, everything: bool) -> Judgements:
    """Read a table with a row for each judgement; the ``further`` columns must be there, too.

    In an export of ours the label is the column ``answer``, unless another one is named.
    """
    frame = _read_export(path)
    if frame is None:
        frame = read_table(path)
    label = columns.label
    if label == "label" and label not in frame.columns and {"answer", COUNTS} <= {*frame.columns}:
        label = "answer"
        if path.suffix.lower() in (".jsonl", ".parquet"):
            frame = _plain_answers(frame)
    require_columns(frame, [columns.item, columns.annotator, *further, label], path)
    parts = split_questions(frame, path, columns.question_column, columns.question)
    found = Judgements(parts, label)
    for name, rows in found.parts.items():
        found.parts[name] = _kept(rows, found, everything)
    return found


def _plain_answers(frame: pl.DataFrame) -> pl.DataFrame:
    """Write answers as people gave them: ``yes`` for the JSON ``"yes"``; lists stay JSON."""
    known = frame["answer"].drop_nulls().unique()
    plain = {cell: json.loads(cell) for cell in known if cell[:1] == '"'}
    return frame.with_columns(pl.col("answer").replace(plain))


def _kept(rows: pl.DataFrame, found: Judgements, everything: bool) -> pl.DataFrame:
    counts = _counts(rows)
    if counts is None:
        return rows
    decided = pl.Series([False] * rows.height, dtype=pl.Boolean)
    if _WHO in rows.columns:  # the table for people has the combined labels as rows, too
        is_said = (rows[_WHO] != _LABEL_ROW).fill_null(value=True)
        rows, counts = rows.filter(is_said), counts.filter(is_said)
        decided = (rows[_WHO] == _REFEREE_ROW).fill_null(value=False)
    elif _DECISION in rows.columns and rows[_DECISION].dtype == pl.Boolean:
        decided = rows[_DECISION].fill_null(value=False)
    if everything:
        return rows
    answered = rows[found.label].is_not_null()
    found.decisions += int((decided & answered).sum())
    found.uncounted += int((~counts & ~decided & answered).sum())
    return rows.filter(counts & ~decided)


def _counts(rows: pl.DataFrame) -> pl.Series | None:
    """Return which rows count; None where no column of ours says so."""
    if COUNTS not in rows.columns:
        return None
    cells = rows[COUNTS]
    if cells.dtype == pl.Boolean:
        return cells.fill_null(value=False)
    if cells.dtype != pl.String:
        return None
    known = cells.drop_nulls()
    fits = known.str.contains(f"^({_COUNTS}|{_COUNTS_NOT})$")
    return cells.str.contains(f"^({_COUNTS})$").fill_null(value=False) if fits.all() else None


def _read_export(path: Path) -> pl.DataFrame | None:
    """Read ``annotations.jsonl`` of an export, a row for each answer; None for any other file."""
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return None
    rows: list[tuple[Any, ...]] = []
    with open_text(path) as handle:
        for line in handle:
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError:
                return None  # the reader of plain tables says what is wrong
            if not isinstance(record, dict) or not isinstance(record.get("judgements"), list):
                return None
            rows += _rows(record)
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _rows(record: dict[str, Any]) -> list[tuple[Any, ...]]:
    given = [(each, False) for each in record["judgements"]]
    if record.get(_DECISION) is not None:
        given.append((record[_DECISION], True))
    return [
        (
            record["item"], record["step"], question, each["annotator"],
            json.dumps(answer, ensure_ascii=False), each.get("trust"),
            each.get(COUNTS, True), decision,
        )
        for each, decision in given
        for question, answer in each["answers"].items()
    ]  # fmt: skip
