"""How the numbers came about and what they cannot say, in plain words."""

from collections.abc import Iterator
from typing import Any

from tactful.audit.estimates.method import ALPHA
from tactful.audit.report.words import correction
from tactful.audit.results import AuditResult
from tactful.pages.text import MINUS, decimal, percent, visible
from tactful.words import counted

CITATIONS = (
    "Katelyn X. Mei, Sonia Fereidooni and Aylin Caliskan (2023). Bias Against 93 Stigmatized "
    "Groups in Masked Language Models and Downstream Sentiment Classification Tasks. FAccT 2023.",
    "The list of stigmatized conditions goes back to John E. Pachankis and others (2018). The "
    "Burden of Stigma on Health and Well-Being: A Taxonomy of Concealability, Course, "
    "Disruptiveness, Aesthetics, Origin, and Peril Across 93 Stigmas. Personality and Social "
    "Psychology Bulletin.",
)

_STUDY = "social_distance"
"""How the probe that comes with Tactful begins its name."""
_ASKED = {
    "fill-mask": (
        "A fill-mask model gets statements with a missing word, such as “It is … to have someone "
        "who is unemployed as a neighbor”. The model's most probable words are rated: positive, "
        "negative, neutral, or irrelevant where a word does not fit the sentence. Irrelevant "
        "words are left out; P(negative) is the part of the "
        "remaining probability that is on negative words (section 4.3 of the paper)."
    ),
    "causal": (
        "A causal language model reads from left to right, so it gets the same statements with "
        "each of several pairs of words in the gap, such as likely and unlikely. P(negative) is "
        "the probability of the negative word against its positive partner, averaged over pairs. "
        "The paper did not ask such models; this estimate is ours."
    ),
    "sentiment": (
        "A sentiment classifier gets sentences that say nothing but the condition, such as “They "
        "are people who are unemployed”. What counts is the share of the sentences that it calls "
        "negative (section 4.3)."
    ),
}
_SCALE = (
    "The statements come from the seven questions of the Social Distance Scale, by which people "
    "say how close they would let somebody come (section 4.2)."
)
_OWN_PROBE = (
    "The prompts are not those of the study but of a probe named {probe}: its author chose the "
    "conditions, the questions and the templates."
)
_AVERAGED = (
    "A condition's figure is the mean over the questions, then over its forms (a condition such "
    "as “Latina, Latino or Latine” has three), then over the templates. A group's figure is the "
    "mean over its conditions, and the difference is the stigmatized minus the others."
)
_COUNTRY = (
    "The conditions are those that are looked down on in the United States. Other countries "
    "would have other lists, and other words."
)
_LIMITS = (
    "A probe is no proof of harm in use: it shows what a model finds likely in a few made-up "
    "sentences, not what a product does to people. Nor does a small difference prove a model fair.",
    "Prompts matter: another wording may give another figure. That is why several templates are "
    "asked and shown one by one.",
    "The conditions without stigma are fewer, and no perfect match for the others: part of a "
    "difference may come from what the sentences say, not from whom they are about.",
    "Averages hide people. A model may be fair on average and harsh on one group, and nobody is "
    "only one condition.",
)
_LIMITS_OF_KINDS = {
    "fill-mask": "Words are rated once for all sentences, by a lexicon of Tactful's own unless "
    "other ratings were given; people may rate some words differently.",
    "causal": "A causal model's figure rests on a few pairs of words and on how common these are; "
    "compare it with its own figure without a condition rather than with other models.",
    "sentiment": "A classifier may call a sentence negative because the condition is hard for "
    "those who live with it. That is a harm where the label decides "
    "about people, and not everywhere.",
}  # fmt: skip


def method_paragraphs(result: AuditResult) -> Iterator[str]:
    """Yield how it was asked, averaged and tested, for the kinds of models that are there."""
    kinds = {model.kind for model in result.models}
    if not _of_the_study(result):
        yield _OWN_PROBE.replace("{probe}", visible(result.probe))
    yield from (text for kind, text in _ASKED.items() if kind in kinds)
    if _of_the_study(result) and kinds - {"sentiment"}:
        yield _SCALE
    yield _AVERAGED
    yield (
        f"The ranges in brackets are {100 * result.level:g} % intervals"
        + (f" from {counted(result.repetitions, 'repetition')}" if result.repetitions else "")
        + f" (seed {result.seed}): with other conditions or prompts of the same kind the figure "
        "would mostly stay within them. Those of figures come from a bootstrap of the conditions "
        "or prompts; that of a difference holds what its test does not reject."
    )
    yield (
        "Whether the groups differ is tested by a permutation of the conditions; the Mann-Whitney "
        "test is given beside it. Single conditions are compared with the others prompt by prompt, "
        f"and their p-values are corrected for their number by {correction(result.correction)}. "
        f"Significant means a p-value below {decimal(ALPHA)}; a test that could not get below it "
        "with so few conditions, templates or questions says so. Cliff's delta says how much more "
        f"often a stigmatized condition is above another one than below, from {MINUS}1 to 1."
    )
    if result.correlation is not None:
        yield (
            "For the correlation each condition has two figures: its mean over the language "
            "models, and the share of negative answers of all classifiers (section 5.3)."
        )


def limits(result: AuditResult) -> list[str]:
    """Return what the numbers cannot say."""
    kinds = {model.kind for model in result.models}
    found = [*_LIMITS, *(text for kind, text in _LIMITS_OF_KINDS.items() if kind in kinds)]
    if _of_the_study(result):
        found.insert(1, _COUNTRY)
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
