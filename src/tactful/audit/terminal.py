"""The tables and warnings that a command prints after an audit."""

from tactful.audit.report.words import interval, ranked
from tactful.audit.results import ModelResult
from tactful.pages.text import decimal, known, percent
from tactful.words import visible

TOP_COLUMNS = ("condition", "negative", "", "to others", "verdict")
TEMPLATE_COLUMNS = ("template", "stigmatized", "others", "difference", "interval", "no condition")
_BLOCKS = " ▏▎▍▌▋▊▉"
_BAR = 20
_MOST_UNRATED = 8

Row = tuple[str, ...]


def top_conditions_rows(model: ModelResult, count: int = 10, *, blocks: bool = True) -> list[Row]:
    """Return the most negative conditions: name, share, bar, to the others, verdict."""
    rows: list[Row] = []
    for each in ranked(model.conditions)[:count]:
        value = known(each.negative.value)
        if value is None:
            break  # the rest is not known either
        found = each.to_others
        verdict = "" if found.verdict == "not tested" else found.verdict
        group = "" if each.stigmatized else " (not stigmatized)"
        rows.append(
            (
                visible(each.name) + group, percent(value), bar(value, blocks=blocks),
                decimal(found.value), verdict,
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
