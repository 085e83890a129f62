"""What a command says after an audit, as sentences and rows; the command prints them."""

from collections.abc import Sequence
from dataclasses import dataclass

from tactful.audit.estimates.method import ALPHA
from tactful.audit.report.sentences import overall_sentences, summary_sentences
from tactful.audit.report.words import interval, kind_of, labels, ranked
from tactful.audit.results import AuditResult, ModelResult
from tactful.pages.text import decimal, known, percent, visible

TOP_COLUMNS = ("condition", "negative", "", "to others", "significant")
TEMPLATE_COLUMNS = ("template", "stigmatized", "others", "difference", "interval", "no condition")
_BLOCKS = " ▏▎▍▌▋▊▉"
_BAR = 20
_MOST_UNRATED = 8

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """One model: a heading, sentences, and the rows of two tables."""

    title: str
    sentences: Sequence[str]
    templates: Sequence[Row]
    """Under :data:`TEMPLATE_COLUMNS`."""
    top: Sequence[Row]
    """Under :data:`TOP_COLUMNS`."""
    warnings: Sequence[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """All models: what holds over them, then one after the other."""

    sentences: Sequence[str]
    models: Sequence[ModelAnswer]
    warnings: Sequence[str]


def answer_of(result: AuditResult, *, blocks: bool = True, top: int = 10) -> Answer:
    """Return what to print; ``blocks`` where the terminal can print block characters."""
    names = labels(result)
    return Answer(
        overall_sentences(result),
        [
            ModelAnswer(
                f"{names[model.run]} ({kind_of(model.kind)})",
                summary_sentences(model, names[model.run]),
                template_rows(model),
                top_conditions_rows(model, top, blocks=blocks),
                warnings_of(model),
            )
            for model in result.models
        ],
        [visible(note) for note in result.notes],
    )


def top_conditions_rows(model: ModelResult, count: int = 10, *, blocks: bool = True) -> list[Row]:
    """Return the most negative conditions: name, share, bar, to the others, whether sure."""
    rows: list[Row] = []
    for each in ranked(model.conditions)[:count]:
        value = known(each.negative.value)
        if value is None:
            break  # the rest is not known either
        p = known(each.p_corrected)
        sure = "" if p is None else "yes" if p < ALPHA else "no"
        group = "" if each.stigmatized else " (not stigmatized)"
        rows.append(
            (
                visible(each.name) + group, percent(value), bar(value, blocks=blocks),
                decimal(each.to_others), sure,
            )
        )  # fmt: skip
    return rows


def template_rows(model: ModelResult) -> list[Row]:
    """Return the templates: both groups, their difference, and where no condition is named."""
    return [
        (
            visible(each.template), percent(each.stigmatized), percent(each.others),
            decimal(each.gap.value), interval(each.gap), percent(each.baseline),
        )
        for each in model.templates
    ]  # fmt: skip


def warnings_of(model: ModelResult) -> list[str]:
    """Return what weakens a model's figures: its notes, and words that nobody rated."""
    warnings = [visible(note) for note in model.notes]
    if model.coverage is not None and model.coverage.unrated_words:
        words = [
            f"{visible(word)} ({percent(share)})"
            for word, share in model.coverage.unrated_words[:_MOST_UNRATED]
        ]
        warnings.append(f"The largest words without a rating: {', '.join(words)}.")
    return warnings


def bar(value: float, width: int = _BAR, *, blocks: bool = True) -> str:
    """Draw a share as a bar, to an eighth of a character where the terminal has blocks."""
    share = min(max(value, 0.0), 1.0)
    if not blocks:
        return "#" * round(share * width)
    whole, rest = divmod(round(share * width * 8), 8)
    return ("█" * whole + _BLOCKS[rest]).rstrip()
