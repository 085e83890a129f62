"""Generated texts and their references, for ``tactful evaluate texts`` (Sap et al. 2020, 4.1)."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tactful import metrics
from tactful.cli.answers import Answers, Faults, Table, show_cell
from tactful.metrics.generation import BleuCounts, bleu_of_counts, count_bleu, tokenise
from tactful.metrics.significance import Decomposition
from tactful.metrics.word_movers import words_of
from tactful.resampling import Numbers
from tactful.tables import require_columns
from tactful_lab.evaluation.answers import match
from tactful_lab.evaluation.tasks import EvaluationData, Metric, Options, mean_metric

_ORDER = 2


def texts(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read the references of each id and one text for it; an empty cell is an empty text."""
    truth = _references(gold, options.id_column)
    answers = []
    for path in systems:
        table = Table(path)
        written = ["" if text is None else str(text) for text in table.cells("text")]
        guess = Answers(path, table.ids(options.id_column), written, table.line)
        answers.append(match(truth, guess))
    found = {
        "bleu_2": Metric(partial(metrics.bleu_score, order=_ORDER), bleu_sums),
        "mean_sentence_bleu_2": mean_metric(
            partial(metrics.mean_sentence_bleu_score, order=_ORDER)
        ),
        "rouge_l": mean_metric(metrics.rouge_l_score),
        "exact_match": mean_metric(metrics.exact_match_score),
    }
    if options.vectors is not None:
        references = [text for listed in truth.values for text in listed]
        words = words_of([*references, *(text for side in answers for text in side)])
        vectors = metrics.read_word_vectors(options.vectors, words)
        found["word_movers"] = mean_metric(partial(metrics.word_movers_distance, vectors=vectors))
    return EvaluationData(truth.values, answers, found)


def _references(path: Path, id_column: str) -> Answers:
    table = Table(path)
    faults = Faults(path)
    if "references" in table.frame.columns:
        ids, listed = table.ids(id_column), table.cells("references")
        for row, cell in enumerate(listed):
            if not isinstance(cell, list) or not all(isinstance(text, str) for text in cell):
                table.add(faults, row, show_cell(cell), "a list of texts", "references")
        faults.raise_any()
        return Answers(path, ids, listed, table.line)
    require_columns(table.frame, [id_column, "text"], path)
    rows, texts = table.rows_by_id(id_column, faults), table.cells("text")
    faults.raise_any()
    # An empty cell is no reference: the item then has none, unless another row gives it one.
    written = [
        [str(texts[row]) for row in each if texts[row] is not None] for each in rows.values()
    ]
    return table.answers_of(rows, written)


def bleu_sums(gold: Any, predicted: Any) -> Decomposition:
    """Count in each item what corpus-level BLEU adds up."""
    rows = np.zeros((len(gold), 2 * _ORDER + 3))
    for at, (listed, text) in enumerate(zip(gold, predicted, strict=True)):
        if listed:
            counts = count_bleu([tokenise(each) for each in listed], tokenise(text), _ORDER)
            sizes = (counts.length, counts.reference_length, 1)
            rows[at] = (*counts.matches, *counts.totals, *sizes)
    return Decomposition(rows, _bleu_of_sums)


def _bleu_of_sums(sums: Numbers) -> Numbers:
    return np.array([_bleu_of_row([round(number) for number in row]) for row in sums.tolist()])


def _bleu_of_row(row: list[int]) -> float:
    *counted, length, reference_length, items = row
    if not items:
        return float("nan")
    matches, totals = tuple(counted[:_ORDER]), tuple(counted[_ORDER:])
    return bleu_of_counts(BleuCounts(matches, totals, length, reference_length))
