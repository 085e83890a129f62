"""What the papers measured on: which texts, which labels, which parts; and where we must differ.

Everything that makes our numbers another experiment than the paper's is written down as a note.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tactful.errors import InputError
from tactful.types import Example
from tactful.words import counted
from tactful_lab.evaluation.reproduce.cross_validation import Numbers, Part, Texts, fold_parts
from tactful_lab.evaluation.reproduce.disagreement_rows import answers_of
from tactful_lab.evaluation.reproduce.paper_tables import PaperTable

NEGATIVES = ("3to1", "full")
NEGATIVES_PER_POSITIVE = 3
"""Table 3 of Pérez-Almendros et al. has 24.82 % precision for guesses of 50 %: one text in four was
positive, so about three negatives were drawn for each."""
POSITIVE_FROM = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The single answers to one question, for the comparison of a model with a human."""

    item: list[str] = field(default_factory=list)
    annotator: list[str] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)
    trust: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Labels that are learnt together, and the parts that are measured."""

    data: Texts
    parts: tuple[Part, ...]
    shares: Numbers
    """The share of annotators who said yes, as ``data.table``; its labels where that is unknown."""
    measured: str | None = None
    """The official part that is measured, where it is one."""
    judged: dict[str, Judged] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Protocol:
    """All problems of a table on the user's data, and what a reader must know of them."""

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """How the user wants it done."""

    folds: int = 10
    seed: int = 1
    negatives: str = "3to1"
    grouped: bool = False
    trust_weighted: bool = False
    """Weigh annotators by trust and count a tie as yes (UCC), unlike the authors' notebook."""


def build_protocol(table: PaperTable, examples: Sequence[Example], choices: Choices) -> Protocol:
    """Return what to fit and measure for a table."""
    if table.id == "dpm-task2":
        return _categories(table, examples, choices)
    labelled = [each for each in examples if any(name in each.labels for name in table.labels)]
    if not labelled:
        raise InputError(
            f"Found no text with a label of {', '.join(table.labels)}; expected the labelled files "
            f"of {table.corpus}."
        )
    if table.id == "dpm-task1":
        return _detection(table, labelled, choices)
    measured = ("test",) if table.id == "ucc-auc" else ("dev", "test")
    return _official(table, labelled, choices, measured)


def _detection(table: PaperTable, examples: Sequence[Example], choices: Choices) -> Protocol:
    positive = [each for each in examples if each.labels["pcl"] >= POSITIVE_FROM]
    negative = [each for each in examples if each.labels["pcl"] < POSITIVE_FROM]
    wanted = NEGATIVES_PER_POSITIVE * len(positive)
    if choices.negatives == "full" or wanted >= len(negative):
        kept = negative
        how = "all of them"
    else:
        drawn = np.random.default_rng(choices.seed).permutation(len(negative))[:wanted]
        kept = [negative[at] for at in sorted(drawn)]
        how = f"{NEGATIVES_PER_POSITIVE} for each positive one, drawn with seed {choices.seed}"
    note = (
        f"Negatives: {len(kept):,} of {len(negative):,}, {how}; "
        f"{counted(len(positive), 'positive text')}. The random row of the paper has 24.82 % "
        "precision, so its negatives were about 3 to 1; it "
        "does not say how they were drawn."
    )
    return _folded(table, [*positive, *kept], choices, (note,))


def _categories(table: PaperTable, examples: Sequence[Example], choices: Choices) -> Protocol:
    positive = [each for each in examples if each.labels.get("pcl", 0) >= POSITIVE_FROM]
    if not positive or any(name not in positive[0].labels for name in table.labels):
        raise InputError(
            "Found no categories; expected dontpatronizeme_categories.tsv beside the paragraphs; "
            "name the folder that holds both."
        )
    note = (
        f"Texts: the {counted(len(positive), 'paragraph')} with PCL. The paper's random row "
        "shows that it took those only: its precision is the share of each category among them."
    )
    return _folded(table, positive, choices, (note,))


def _folded(
    table: PaperTable, examples: Sequence[Example], choices: Choices, notes: tuple[str, ...]
) -> Protocol:
    problems = []
    for labels, known in _by_mask(table, examples):
        data = _texts([examples[at] for at in known], labels)
        parts = fold_parts(data, choices.folds, choices.seed, choices.grouped)
        shares = _shares([examples[at] for at in known], data)
        problems.append(Problem(data, tuple(parts), shares, judged=_judged(examples, labels)))
    together = "texts of one group and equal texts" if choices.grouped else "equal texts"
    how = (
        f"Parts: {choices.folds} folds, the labels in balance, {together} never apart, seed "
        f"{choices.seed}; the mean over the folds is shown."
    )
    return Protocol(tuple(problems), (*notes, how))


def _official(
    table: PaperTable, examples: Sequence[Example], choices: Choices, measured: tuple[str, ...]
) -> Protocol:
    by_part = {part: sum(each.split == part for each in examples) for part in ("train", *measured)}
    notes = _corpus_notes(table, examples, choices)
    if not by_part["train"] or not any(by_part[part] for part in measured):
        found = sorted({each.split or "an unnamed part" for each in examples})
        missing = ", ".join(part for part, texts in by_part.items() if not texts)
        note = (
            f"Parts: the paper trained on 'train' and measured on {' and '.join(measured)}; here "
            f"{missing} has no labelled texts, so what is there ({', '.join(found)}: "
            f"{counted(len(examples), 'text')}) is cross-validated. Other texts, and far fewer "
            "to learn from: the numbers are not comparable one to one."
        )
        return _folded(table, examples, choices, (*notes, note))
    problems = []
    for labels, known in _by_mask(table, examples):
        data = _texts([examples[at] for at in known], labels)
        shares = _shares([examples[at] for at in known], data)
        split = np.array([examples[at].split or "" for at in known])
        for part in measured:
            if by_part[part] and (split == part).any():
                train, test = np.flatnonzero(split == "train"), np.flatnonzero(split == part)
                judged = _judged([examples[at] for at in known[split == part]], labels)
                problems.append(Problem(data, (Part(part, train, test),), shares, part, judged))
    listing = ", ".join(f"{part} {texts:,}" for part, texts in by_part.items() if texts)
    return Protocol(tuple(problems), (*notes, f"Parts: the official ones ({listing} texts)."))


def _corpus_notes(
    table: PaperTable, examples: Sequence[Example], choices: Choices
) -> tuple[str, ...]:
    if table.id == "sbic-classes":
        return (
            "Labels: the mean answer of a post, yes from 0.5; posts without an answer to a "
            "question are left out of it, which for group and in-group is most harmless ones. "
            "Version 2 of the corpus is not that of the paper, whose development part has 42.2 % "
            "offensive posts (table 4).",
        )
    if not any(each.judgements for each in examples):
        return (
            "Truth: the published labels. The paper's truth is what all annotators but one said, "
            "which needs the single judgements (unhealthy_full.csv).",
        )
    how = (
        "their answers weighted by trust, yes from a mean of 0.5 (--trust-weighted)"
        if choices.trust_weighted
        else "the plain mean of their answers, yes above 0.5, as in the authors' notebook"
    )
    return (f"Truth: what all annotators but one said; {how}.",)


def _by_mask(
    table: PaperTable, examples: Sequence[Example]
) -> list[tuple[tuple[str, ...], NDArray[np.int64]]]:
    """Put labels together that are known for the same texts: they can be learnt together."""
    masks: dict[bytes, tuple[list[str], NDArray[np.int64]]] = {}
    for label in table.labels:
        known = np.flatnonzero([label in each.labels for each in examples]).astype(np.int64)
        if known.size:
            masks.setdefault(known.tobytes(), ([], known))[0].append(label)
    return [(tuple(labels), known) for labels, known in masks.values()]


def _texts(examples: Sequence[Example], labels: tuple[str, ...]) -> Texts:
    table = [[each.labels[label] >= POSITIVE_FROM for label in labels] for each in examples]
    return Texts(
        tuple(each.id for each in examples),
        tuple(each.text for each in examples),
        tuple(each.group for each in examples),
        labels,
        np.array(table, dtype=np.bool_).reshape(len(examples), len(labels)),
    )


def _shares(examples: Sequence[Example], data: Texts) -> Numbers:
    """Return the mean answer of the annotators, each of whom counts once."""
    answers = answers_of(examples)
    found = data.table.astype(np.float64)
    for row, text in enumerate(data.texts):
        for column, label in enumerate(data.labels):
            if said := answers.get(text, {}).get(label):
                found[row, column] = np.mean(list(said.values()))
    return found


def _judged(examples: Sequence[Example], labels: tuple[str, ...]) -> dict[str, Judged] | None:
    """Collect the single answers, where the corpus has them with the annotators' trust."""
    found = {label: Judged() for label in labels}
    for each in examples:
        for answer in each.judgements:
            if answer.question in found and answer.value is not None and answer.trust is not None:
                into = found[answer.question]
                into.item.append(each.id)
                into.annotator.append(answer.annotator)
                into.answer.append(answer.value)
                into.trust.append(answer.trust)
    return found if all(each.item for each in found.values()) else None
