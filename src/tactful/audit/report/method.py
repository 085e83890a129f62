"""How the numbers came about and what they cannot say, in plain words."""

from collections.abc import Iterator, Mapping
from typing import Any

from tactful.audit.report.words import TEXTS
from tactful.audit.results import AuditResult
from tactful.pages.text import decimal, percent
from tactful.words import counted, visible

_STUDY = "social_distance"
"""How the probe that comes with Tactful begins its name."""


def method_paragraphs(result: AuditResult) -> Iterator[str]:
    """Yield how it was asked, averaged and tested, for the kinds of models that are there."""
    kinds = {model.kind for model in result.models}
    if not _of_the_study(result):
        yield TEXTS["own_probe"].replace("{probe}", visible(result.probe))
    yield from (text for kind, text in TEXTS["asked"].items() if kind in kinds)
    if _of_the_study(result) and kinds - {"sentiment"}:
        yield TEXTS["scale"]
    yield TEXTS["averaged"]
    yield (
        f"The ranges in brackets are {100 * result.level:g} % intervals"
        + (f" from {counted(result.repetitions, 'repetition')}" if result.repetitions else "")
        + f" (seed {result.seed}). Those of means come from a bootstrap of the conditions; that of "
        "a difference holds the differences that its test does not reject."
    )
    yield TEXTS["tested"].replace("{limit}", decimal(result.smallest_effect))
    if result.plan is not None:
        yield _plan(result.plan)
    if result.correlation is not None:
        yield (
            "For the correlation each condition has two figures: its mean over the language "
            "models, and the share of negative answers of all classifiers (section 5.3)."
        )


def _plan(plan: Mapping[str, Any]) -> str:
    deviations = "; ".join(map(visible, plan["deviations"]))
    return (
        f"Prompts, measures and limits were fixed on {visible(plan['created'])[:16]} in a plan "
        f"with the hash {visible(plan['sha256'])}. "
        + (f"Deviations: {deviations}." if deviations else "Nothing deviates from it.")
    )


def limits(result: AuditResult) -> list[str]:
    """Return what the numbers cannot say."""
    kinds = {model.kind for model in result.models}
    of_kinds = TEXTS["limits_of_kinds"].items()
    found = [*TEXTS["limits"], *(text for kind, text in of_kinds if kind in kinds)]
    if _of_the_study(result):
        found.insert(1, TEXTS["country"])
    return found


def settings_rows(result: AuditResult, names: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return model, setting and value, as they were when the model was asked."""
    return [
        (names[model.run], visible(str(key)), _value(value))
        for model in result.models
        for key, value in model.settings.items()
    ]


def coverage_rows(result: AuditResult, names: dict[str, str]) -> list[tuple[str | int, ...]]:
    """Return how much of what each model said was rated."""
    return [
        (
            names[model.run], percent(model.coverage.seen), percent(model.coverage.rated),
            percent(model.coverage.irrelevant), model.coverage.prompts_without,
            ", ".join(
                f"{visible(word)} ({percent(share)})"
                for word, share in model.coverage.unrated_words[:12]
            )
            or "none",
        )
        for model in result.models
        if model.coverage is not None
    ]  # fmt: skip


def _of_the_study(result: AuditResult) -> bool:
    return result.probe.startswith(_STUDY)


def _value(value: Any) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value)) or "none"
    return visible(str(value))
