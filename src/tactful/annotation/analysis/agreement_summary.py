"""Agreement on each question of a step, with intervals, or the reason why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tactful.annotation.analysis.views import CHOSEN, Rows, View, option_names
from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.state.span_labels import parts_of

if TYPE_CHECKING:
    from tactful.agreement.answer import Agreement

OTHERS = "(others)"
"""The label of the options that nobody chose."""
BOOTSTRAP = 500
"""Bootstrap samples: enough for two decimal places, and fast enough for a page."""


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """The agreement on one question, or on one of its labels."""

    question: str
    label: str | None
    """None: the whole question."""
    title: str
    answers: "tuple[Agreement, ...]"
    """The most important first; empty if nothing can be measured."""
    reason: str | None = None
    """Why nothing can be measured."""


def step_agreement(
    step: Step,
    rows: Mapping[str, Rows],
    seen: Mapping[str, list[View]],
    texts: Mapping[str, str],
    bootstrap: int = BOOTSTRAP,
) -> list[QuestionAgreement]:
    """Return the agreement on each question of a step.

    ``rows`` is what :func:`~tactful.annotation.analysis.views.by_question` returns, ``seen`` has
    the views of each question. A question that is asked only under a condition is compared among
    those who were asked.
    """
    found: list[QuestionAgreement] = []
    for question in step.questions:
        mine = rows[question.id]
        found += question_agreement(question, mine, seen[question.id], texts, bootstrap)
    return found


def question_agreement(
    question: Question,
    rows: Rows,
    seen: list[View],
    texts: Mapping[str, str],
    bootstrap: int = BOOTSTRAP,
) -> list[QuestionAgreement]:
    """Return the agreement on one question: the whole first, then each label."""
    if question.kind in ("text", "texts"):
        reason = "answers are free text, which has no agreement measure; read them side by side"
        return [QuestionAgreement(question.id, None, question.text, (), reason)]
    if question.kind == "spans":
        return _spans(question, rows, texts, bootstrap)
    found: list[QuestionAgreement] = []
    unused = [view for view in seen if view.option is not None and _is_unused(view)]
    for view in seen:
        if view in unused:
            continue
        found.append(
            QuestionAgreement(
                view.question, view.option, view.title, view_agreement(view, bootstrap)
            )
        )
        if view.option is None and question.kind != "choices":
            found += _per_label(question, view, bootstrap)
    if unused:
        # A list of groups has dozens, and each would be an empty row.
        title = f"{len(unused)} {'option' if len(unused) == 1 else 'options'} that nobody chose"
        reason = "there is nothing to agree on: " + ", ".join(view.title for view in unused)
        found.append(QuestionAgreement(question.id, OTHERS, title, (), reason))
    return found


def _is_unused(view: View) -> bool:
    labels = view.ratings.labels
    return CHOSEN in labels and not (view.ratings.label == labels.index(CHOSEN)).any()


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


def _per_label(question: Question, view: View, bootstrap: int) -> list[QuestionAgreement]:
    """Compare each label with the others; with two labels that adds nothing."""
    from tactful.agreement import measure_per_label

    if len(set(view.ratings.label.tolist())) < 3:
        return []
    names = option_names(question)
    alphas = measure_per_label(view.ratings, "krippendorff", bootstrap=bootstrap)
    percents = measure_per_label(view.ratings, "percent", bootstrap=bootstrap)
    return [
        QuestionAgreement(
            question.id, label, names.get(label, label), (alphas[label], percents[label])
        )
        for label in view.ratings.labels
        if label in alphas
    ]


def _spans(
    question: Question, rows: Rows, texts: Mapping[str, str], bootstrap: int
) -> list[QuestionAgreement]:
    """Compare spans by character: all together, then each category."""
    from tactful.agreement import span_agreement, span_f1

    table = [
        (row.item, row.annotator, start, end, str(span["value"]))
        for row in rows
        for span in row.answer
        for start, end in parts_of(span)
    ]
    columns = ("item", "annotator", "start", "end", "id")
    spans = dict(zip(columns, zip(*table, strict=True) if table else [()] * 5, strict=True))
    seen = list(zip(rows.item, rows.annotator, strict=True))
    read = {item: texts[item] for item in rows.item}
    names = option_names(question)
    used = {row[4] for row in table}
    order = [*(value for value in names if value in used), *sorted(used - set(names))]
    return [
        QuestionAgreement(
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
