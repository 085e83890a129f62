"""The official formats of shared tasks, for ``tactful evaluate``.

SemEval-2022 task 4 (Pérez-Almendros et al. 2022): ``task1.txt`` has 0 or 1 on each line,
``task2.txt`` seven of them with commas between, in the order of ``LABEL_ORDER``; lines have no id
and are in the order of the gold file. DETESTS (Ariza-Casabona et al. 2022): CSV with
``sentence_id``, ``stereotype`` and, for subtask 2, the ten categories; a row is refused where the
organisers' ``evaluation.py`` refuses it, and with ``--strict`` where section 4.1.1 does.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tactful.cli.answers import Answers, Faults, Table, refuse_repeated, show_cell
from tactful.corpora.detests import CATEGORIES, GOLD, label_id
from tactful.corpora.dpm import FIRST_POSITIVE, LABEL_ORDER
from tactful.errors import FileFormatError, UsageError
from tactful.words import counted
from tactful_lab.evaluation.answers import as_flag, match, parse_cells, read_lines
from tactful_lab.evaluation.tasks import (
    EvaluationData,
    Options,
    binary_metrics,
    category_metrics,
    hierarchy_metrics,
)

_ONE = "0 or 1"
_PLACE = ("comment_id", "sentence_pos")
_SEVEN = f"seven of 0 or 1 with commas between ({', '.join(LABEL_ORDER)})"
_FROM_CATEGORIES = "Gold has categories: a paragraph with at least one of them counts as positive."


def pcl_detection(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read subtask 1 of SemEval-2022 task 4."""
    truth = _pcl_gold(gold, options, _detection_label)
    values = [value[0] for value in truth.values]
    notes = [_FROM_CATEGORIES] if any(value[1] for value in truth.values) else []
    answers = [np.array(_positional(path, as_flag, _ONE, truth)) for path in systems]
    return EvaluationData(np.array(values), answers, binary_metrics(options.undefined), notes=notes)


def pcl_categories(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read subtask 2 of SemEval-2022 task 4."""
    truth = _pcl_gold(gold, options, _seven)
    answers = [_positional(path, _seven, _SEVEN, truth) for path in systems]
    return EvaluationData(truth.values, answers, category_metrics(LABEL_ORDER, options.undefined))


def _detection_label(cell: Any) -> tuple[int, bool] | None:
    """Read a label of 0 or 1, or seven categories; say whether it was categories."""
    flag = as_flag(cell)
    if flag is not None:
        return flag, False
    categories = _seven(cell)
    return None if categories is None else (int(bool(categories)), True)


def _seven(cell: Any) -> frozenset[str] | None:
    """Read seven 0 or 1, with or without the brackets of a list."""
    text = str(cell).strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    fields = [field.strip() for field in text.split(",")]
    if len(fields) != len(LABEL_ORDER) or not set(fields) <= {"0", "1"}:
        return None
    return frozenset(
        label for label, field in zip(LABEL_ORDER, fields, strict=True) if field == "1"
    )


def _pcl_gold(path: Path, options: Options, parse: Callable[[Any], Any]) -> Answers:
    """Read gold labels from lines (.txt), from par_id and label (.csv), or from the corpus (.tsv).

    ``--ids`` chooses and orders the paragraphs.
    """
    expected = _SEVEN if parse is _seven else f"{_ONE}, or {_SEVEN}"
    endings = [ending.lower() for ending in path.suffixes]
    if ".txt" in endings:
        if options.ids is not None:
            raise UsageError(
                f"{path}: lines without ids cannot be chosen by --ids; leave it out, or name a "
                "gold file with ids."
            )
        return _lines(path, parse, expected)
    if ".tsv" in endings:
        answers = _corpus_labels(path, parse)
    else:
        table = Table(path)
        values = parse_cells(table, ["label"], parse, expected)["label"]
        answers = Answers(path, table.ids("par_id"), values, table.line)
    return answers if options.ids is None else _chosen(answers, options.ids)


def _corpus_labels(path: Path, parse: Callable[[Any], Any]) -> Answers:
    from tactful.corpora import load_corpus

    corpus = load_corpus("dpm", path)
    if parse is _seven or not corpus.has("paragraphs"):
        raise UsageError(
            f"{path}: this file has no seven labels for each paragraph; name the file with the "
            "columns par_id and label (such as dev_semeval_parids-labels.csv), or task2.txt."
            if parse is _seven
            else f"{path}: found spans; expected the paragraphs (dontpatronizeme_pcl.tsv)."
        )
    rows = corpus.read("paragraphs")
    # Predictions are matched by their place: a row left out would move all that follow.
    corpus.log.raise_errors()
    if rows["label"].is_null().any():
        raise FileFormatError(f"{path}: found paragraphs without a label; expected gold labels.")
    lines = rows["line"].to_list()
    values = [(int(label >= FIRST_POSITIVE), False) for label in rows["label"]]
    return Answers(path, rows["par_id"].to_list(), values, lambda at: lines[at])


def _chosen(answers: Answers, ids: Path) -> Answers:
    """Return the answers of the ids in a file, in its order."""
    if ids.suffix.lower() == ".txt":
        wanted = read_lines(ids)
        chosen = Answers(ids, wanted, wanted, lambda at: at + 1)
        refuse_repeated(chosen)
    else:
        table = Table(ids)
        wanted = table.ids("par_id")
        chosen = Answers(ids, wanted, wanted, table.line)
    place = {value: at for at, value in enumerate(answers.ids)}
    faults = Faults(ids)
    for at, value in enumerate(wanted):
        if value not in place:
            found = f"the unknown id {show_cell(value)}"
            faults.add(chosen.lines(at), found, f"an id of {answers.path.name}")
    faults.raise_any()
    values = [answers.values[place[value]] for value in wanted]
    return Answers(ids, wanted, values, chosen.lines)


def _lines(path: Path, parse: Callable[[Any], Any], expected: str) -> Answers:
    faults = Faults(path)
    values = []
    for number, line in enumerate(read_lines(path), 1):
        value = parse(line)
        values.append(value)
        if value is None:
            faults.add(number, show_cell(line), expected)
    faults.raise_any()
    return Answers(path, [str(at) for at in range(len(values))], values, lambda at: at + 1)


def _positional(path: Path, parse: Callable[[Any], Any], expected: str, gold: Answers) -> list[Any]:
    answers = _lines(path, parse, expected)
    if len(answers.values) != len(gold.values):
        found, wanted = len(answers.values), len(gold.values)
        where = "ends too early" if found < wanted else f"has more from line {wanted + 1} on"
        raise FileFormatError(
            f"{path}: found {counted(found, 'line')}, so that the file {where}; expected "
            f"{wanted:,}, one for each of {gold.path.name}, in its order; nothing was scored."
        )
    return answers.values


def detests_1(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read subtask 1 of DETESTS: which sentences have a stereotype."""
    truth, *guesses = (_detests(path, ["stereotype"]) for path in (gold, *systems))
    values, *answers = (
        np.array([row["stereotype"] for row in rows])
        for rows in (truth.values, *(match(truth, guess) for guess in guesses))
    )
    return EvaluationData(values, answers, binary_metrics(options.undefined))


def detests_2(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read subtask 2 of DETESTS: the categories of the stereotypes, in the taxonomy's hierarchy."""
    from tactful.taxonomies import load_taxonomy

    columns = ["stereotype", *CATEGORIES]
    truth, *guesses = (_detests(path, columns, options.strict) for path in (gold, *systems))
    values, *answers = (
        # A stereotype without a category is a set of its own, not the set of no stereotype.
        [frozenset(label_id(name) for name in columns if row[name]) for row in rows]
        for rows in (truth.values, *(match(truth, guess) for guess in guesses))
    )
    labels = [label_id(name) for name in CATEGORIES]
    hierarchy = load_taxonomy("stereotype").hierarchy()
    found = {**hierarchy_metrics(hierarchy), **category_metrics(labels, options.undefined)}
    return EvaluationData(values, answers, found)


def _detests(path: Path, columns: Sequence[str], strict: bool = False) -> Answers:
    table = Table(path)
    spellings = {
        other: column.name
        for column in GOLD.columns
        for other in column.aliases
        if column.name not in table.frame.columns
    }
    table.frame = table.frame.rename(
        {name: spellings[name] for name in table.frame.columns if name in spellings}
    )
    if "sentence_id" not in table.frame.columns and set(_PLACE) <= set(table.frame.columns):
        # The organisers' own files say which sentence of which comment it is.
        table.frame = table.frame.with_columns(
            pl.concat_str(*_PLACE, separator="_").alias("sentence_id")
        )
    ids = table.ids("sentence_id")
    cells = parse_cells(table, columns, as_flag, _ONE)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    if len(columns) > 1:
        _refuse_inconsistent(table, rows, strict)
    return Answers(path, ids, rows, table.line)


def _refuse_inconsistent(table: Table, rows: Sequence[dict[str, int]], strict: bool) -> None:
    """Refuse a category without a stereotype; if strict, a stereotype without a category too.

    The organisers' evaluation refuses the first and scores the second, which section 4.1.1 of the
    paper rules out.
    """
    faults = Faults(table.path)
    for at, row in enumerate(rows):
        named = [name for name in CATEGORIES if row[name]]
        if named and not row["stereotype"]:
            found = f"{', '.join(named)} without a stereotype"
            expected = "stereotype 1 wherever a category is 1"
            table.add(faults, at, found, expected, "stereotype")
        if strict and row["stereotype"] and not named:
            expected = (
                "at least one category, such as 'others'; leave out --strict to score it as the "
                "organisers do"
            )
            table.add(faults, at, "a stereotype without a category", expected, "stereotype")
    faults.raise_any()
