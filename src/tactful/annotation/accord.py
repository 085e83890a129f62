"""How far people agree on each question of a step, with intervals; or why that cannot be said."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tactful.annotation.protocol import Question, Step
from tactful.annotation.views import Row, View, option_names

if TYPE_CHECKING:
    from tactful.agreement.answer import Agreement

BOOTSTRAP = 500
"""Samples behind an interval: enough for two decimal places, and quick enough for a page."""


@dataclass(frozen=True, slots=True)
class Accord:
    """The agreement on one question, or on one of its labels."""

    question: str
    label: str | None
    """None: the whole question."""
    title: str
    answers: "tuple[Agreement, ...]"
    """The first is the one to look at; empty where nothing can be measured."""
    reason: str | None = None
    """Why nothing can be measured."""


def step_agreement(
    step: Step,
    rows: Mapping[str, list[Row]],
    seen: Mapping[str, list[View]],
    texts: Mapping[str, str],
    bootstrap: int = BOOTSTRAP,
) -> list[Accord]:
    """Return the agreement on each question of a step.

    ``rows`` is what :func:`~tactful.annotation.views.judgements` returns, ``seen`` has the views
    of each question. A question that is asked only under a condition is compared among those who
    were asked.
    """
    found: list[Accord] = []
    for question in step.questions:
        mine = rows[question.id]
        found += question_agreement(question, mine, seen[question.id], texts, bootstrap)
    return found


def question_agreement(
    question: Question,
    rows: list[Row],
    seen: list[View],
    texts: Mapping[str, str],
    bootstrap: int = BOOTSTRAP,
) -> list[Accord]:
    """Return the agreement on one question: all of it first, then label by label."""
    if question.kind in ("text", "texts"):
        reason = "answers are free text, which nobody words alike; read them side by side"
        return [Accord(question.id, None, question.text, (), reason)]
    if question.kind == "spans":
        return _spans(question, rows, texts, bootstrap)
    found: list[Accord] = []
    for view in seen:
        found.append(
            Accord(view.question, view.option, view.title, view_agreement(view, bootstrap))
        )
        if view.option is None and question.kind != "choices":
            found += _per_label(question, view, bootstrap)
    return found


def view_agreement(view: View, bootstrap: int = BOOTSTRAP) -> "tuple[Agreement, ...]":
    """Return Krippendorff's alpha and the share of pairs that agree."""
    from tactful.agreement import measure_agreement

    order = view.ratings.labels if view.level == "ordinal" else None
    return (
        measure_agreement(
            view.ratings, "krippendorff", view.level, labels=order, bootstrap=bootstrap
        ),
        measure_agreement(view.ratings, "percent", bootstrap=bootstrap),
    )


def _per_label(question: Question, view: View, bootstrap: int) -> list[Accord]:
    """Hold each label against the others; with two labels that says nothing new."""
    from tactful.agreement import measure_per_label

    if len(set(view.ratings.label.tolist())) < 3:
        return []
    names = option_names(question)
    alphas = measure_per_label(view.ratings, "krippendorff", bootstrap=bootstrap)
    percents = measure_per_label(view.ratings, "percent", bootstrap=bootstrap)
    return [
        Accord(question.id, label, names.get(label, label), (alphas[label], percents[label]))
        for label in view.ratings.labels
        if label in alphas
    ]


def _spans(
    question: Question, rows: list[Row], texts: Mapping[str, str], bootstrap: int
) -> list[Accord]:
    """Compare what is marked, character by character: all spans together, then each category."""
    from tactful.agreement import span_agreement, span_f1

    table = [
        (row.item, row.annotator, span["start"], span["end"], str(span["value"]))
        for row in rows
        for span in row.answer
    ]
    columns = ("item", "annotator", "start", "end", "id")
    spans = dict(zip(columns, zip(*table, strict=True) if table else [()] * 5, strict=True))
    seen = [(row.item, row.annotator) for row in rows]
    read = {row.item: texts[row.item] for row in rows}
    names = option_names(question)
    used = {row[4] for row in table}
    order = [*(value for value in names if value in used), *sorted(used - set(names))]
    return [
        Accord(
            question.id,
            category,
            question.text if category is None else names.get(category, category),
            (
                span_agreement(spans, read, category=category, seen=seen, bootstrap=bootstrap),
                span_f1(spans, read, "overlap", category=category, seen=seen, bootstrap=bootstrap),
            ),
        )
        for category in (None, *order)
    ]
