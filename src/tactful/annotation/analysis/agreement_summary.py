"""Agreement on each question of a step, with intervals, or the reason why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tactful.annotation.analysis.views import CHOSEN, Rows, View, option_names
from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.state.span_labels import parts_of

if TYPE_CHECKING:
    from tactful.agreement.answer import Agreement

OTHERS = "(others)"
"""The label of the options that nobody chose."""
CLEAR = "(without the middle)"
"""The label of a scale's items that nobody found to be in the middle."""
_THREE = 3
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
            found += _without_middle(question, view, bootstrap)
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
    """Return Krippendorff's alpha, the share of pairs that agree, and the papers' kappa.

    That is Fleiss' kappa for choices (Ariza-Casabona et al. 2022, table 1) and Cohen's kappa, for
    labels without an order, for scales (Pérez-Almendros et al. 2020, section 4.2.1).
    """
    from tactful.agreement import measure_agreement

    is_scale = view.level == "ordinal"
    order = view.ratings.labels if is_scale else None
    return (
        measure_agreement(
            view.ratings, "krippendorff", view.level, labels=order, bootstrap=bootstrap
        ),
        measure_agreement(view.ratings, "percent", bootstrap=bootstrap),
        measure_agreement(view.ratings, "cohen" if is_scale else "fleiss", bootstrap=bootstrap),
    )


def _without_middle(question: Question, view: View, bootstrap: int) -> list[QuestionAgreement]:
    """Compare the items of a three-point scale that nobody found to be in the middle.

    Pérez-Almendros et al. 2020, section 4.2.1: "If we omit all paragraphs which were marked as
    borderline by at least one annotator, the IAA reaches a substantial 61%".
    """
    import numpy as np

    from tactful.agreement import measure_agreement

    if question.kind != "scale" or len(question.options) != _THREE:
        return []
    middle, ratings = question.options[1], view.ratings
    between = ratings.item[ratings.label == ratings.labels.index(middle.value)]
    kept = ~np.isin(ratings.item, between)
    clear = replace(
        ratings,
        item=ratings.item[kept],
        annotator=ratings.annotator[kept],
        label=ratings.label[kept],
    )
    title = f"without items that anybody answered with '{middle.name}'"
    answers = (
        measure_agreement(clear, "cohen", bootstrap=bootstrap),
        measure_agreement(clear, "percent", bootstrap=bootstrap),
    )
    return [QuestionAgreement(question.id, CLEAR, title, answers)]


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
    """Compare spans by character: all together, then each category, then each family of them.

    The families are those of the taxonomy (Pérez-Almendros et al. 2020, section 4.2.2: "the
    agreement for the three higher-level categories").
    """
    from tactful.agreement import span_agreement, span_f1

    table = [
        (row.item, row.annotator, start, end, str(span["value"]))
        for row in rows
        for span in row.answer
        for start, end in parts_of(span)
    ]
    seen = list(zip(rows.item, rows.annotator, strict=True))
    read = {item: texts[item] for item in rows.item}
    names, families = option_names(question), _families(question)

    def compare(
        marked: list[tuple[Any, ...]], category: str | None, title: str
    ) -> QuestionAgreement:
        columns = ("item", "annotator", "start", "end", "id")
        spans = dict(zip(columns, zip(*marked, strict=True) if marked else [()] * 5, strict=True))
        both = (
            span_agreement(spans, read, category=category, seen=seen, bootstrap=bootstrap),
            span_f1(spans, read, "overlap", category=category, seen=seen, bootstrap=bootstrap),
        )
        return QuestionAgreement(question.id, category, title, both)

    used = {row[4] for row in table}
    order = [*(value for value in names if value in used), *sorted(used - set(names))]
    in_families = [(*row[:4], families[row[4]][0]) for row in table if row[4] in families]
    found = [compare(table, None, question.text)]
    found += [compare(table, value, names.get(value, value)) for value in order]
    for family, name in dict.fromkeys(families[value] for value in order if value in families):
        found.append(compare(in_families, family, f"{name} (family)"))
    return found


def _families(question: Question) -> dict[str, tuple[str, str]]:
    """Return the family of each option that has one in its taxonomy: its id and its name."""
    from tactful.taxonomies import load_taxonomy, taxonomy_names

    found = {}
    for option in question.options:
        prefix = option.value.partition(".")[0]
        taxonomy = load_taxonomy(prefix) if prefix in taxonomy_names() else None
        if taxonomy is None or option.value not in taxonomy.ids():
            continue
        name = getattr(taxonomy.entry(option.value), "family", None)
        if name is not None:
            found[option.value] = (f"{prefix}:{name}", taxonomy.family(name).name)
    return found
