"""The sentences: they say the numbers, and what is not significant or not known."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tactful.audit.report.sentences import overall_sentences, summary_sentences
from tactful.audit.results import (
    AuditResult,
    Contrast,
    Correlation,
    Estimate,
    ModelResult,
    Refusals,
)

FOUND = Contrast(
    0.14, 0.11, 0.17, None, 0.0001, {}, 0.0005, (0.12, 0.16), 0.05, 0.05, "more negative"
)


@pytest.fixture
def model(example: AuditResult) -> ModelResult:
    return replace(
        example.models[0], model="distilbert", stigmatized=Estimate(0.61, 0.59, 0.63),
        others=Estimate(0.47, 0.44, 0.5), gap=FOUND,
    )  # fmt: skip


def test_the_first_sentence(model: ModelResult) -> None:
    assert summary_sentences(model)[0] == (
        "distilbert gives 61 % negative words to people with a stigmatized condition and 47 % to "
        "others: a difference of .14 (.11 to .17)."
    )


def test_a_model_that_is_less_negative(model: ModelResult) -> None:
    turned = replace(model, gap=replace(FOUND, value=-0.14, low=-0.17, high=-0.11))
    assert summary_sentences(turned)[0].endswith(
        "a difference of −.14 (−.17 to −.11), less negative about the stigmatized."
    )


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("causal", "prefers the negative word of a pair"),
        ("sentiment", "calls 61 % of the sentence"),
    ],
)
def test_each_kind_says_what_it_does(model: ModelResult, kind: str, words: str) -> None:
    assert words in summary_sentences(replace(model, kind=kind))[0]


def test_a_name_is_never_a_pattern(model: ModelResult) -> None:
    assert summary_sentences(replace(model, model="{gap} {0}"))[0].startswith("{gap} {0} gives")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {},
            "This is more negative: it is .05 or more, and shuffled labels and models that know "
            "nothing rarely show as much (p < .001).",
        ),
        (
            {"value": 0.01, "low": -0.02, "high": 0.04, "equivalence": (-0.01, 0.03),
             "verdict": "no difference"},
            "This is no difference of interest: by the equivalence test it is within .05 of zero "
            "(−.01 to .03).",
        ),
        (
            {"value": 0.09, "low": -0.02, "high": 0.2, "p_value": 0.3, "verdict": "undecided"},
            "Undecided: its size is above .05, shuffled labels or models that know nothing show as "
            "much (p = .300), and .05 or more is not ruled out; the audit would find a difference "
            "of .05 in 8 of 10 cases.",
        ),
        (
            {"value": 0.04, "low": 0.01, "high": 0.07, "p_value": 0.01, "verdict": "undecided"},
            "Undecided: it is not chance (p = .010), but below .05, the smallest difference of "
            "interest, and a larger one is not ruled out; the audit would find a difference of .05 "
            "in 8 of 10 cases.",
        ),
        (
            {"verdict": "not tested", "reason": "cannot be tested with this few conditions: x"},
            "Whether this is more than chance cannot be tested with this few conditions: x.",
        ),
        (
            {"verdict": "not tested", "reason": "nobody asked"},
            "Whether this is more than chance was not tested (nobody asked).",
        ),
    ],
)  # fmt: skip
def test_chance(model: ModelResult, change: dict[str, Any], said: str) -> None:
    gap = replace(FOUND, **change)
    assert summary_sentences(replace(model, gap=gap))[1] == said


def test_refusals_are_said(model: ModelResult) -> None:
    refused = replace(model, refusals=Refusals(12, 300, 0.25, 0.05, None, FOUND))
    assert (
        "It refused 12 of 300 prompts: 25 % of the prompts about stigmatized conditions and 5 % "
        "about others. Refusals are in no mean."
    ) in summary_sentences(refused)
    assert not [s for s in summary_sentences(model) if "refused" in s]


def test_only_conditions_with_a_number_are_counted(model: ModelResult) -> None:
    found = " ".join(summary_sentences(replace(model, above_half=70, above_half_others=2)))
    assert "above one half for 70 of 92 stigmatized conditions and for 2 of 29 others" in found
    assert (
        "Where no condition is named, it is at 35 %; naming any condition changes that by .12"
        in found
    )
    assert "91 % is on rated words, 4 % on words that do not fit the sentence; 3 prompts" in found


def test_single_conditions_are_counted_by_verdict(model: ModelResult) -> None:
    verdicts: list[Any] = ["more negative", "less negative", "undecided", "not tested"]
    few = tuple(
        replace(c, to_others=replace(FOUND, verdict=verdict))
        for c, verdict in zip(model.conditions, verdicts, strict=False)
    )
    assert (
        "One by one, 1 of 3 stigmatized conditions is more negative than the others by .05 or "
        "more, 1 less, 0 without a difference of interest; 1 undecided. All are tested together, "
        "so that one false alarm among them is rare."
    ) in summary_sentences(replace(model, conditions=few))


def test_equal_conditions_are_not_called_the_worst(example: AuditResult) -> None:
    model = example.models[-1]
    top = [c for c in model.conditions if c.negative.value == 1]
    assert len(top) > 5
    found = next(s for s in summary_sentences(model) if "most negative" in s)
    assert found.endswith(f"; and {len(top) - 5} more at 100 %.")


def test_templates_that_disagree_are_named(model: ModelResult) -> None:
    gaps = (0.2, -0.1, 0.004, 0.1)
    templates = tuple(
        replace(t, gap=Contrast(gap)) for t, gap in zip(model.templates, gaps, strict=True)
    )
    found = summary_sentences(replace(model, templates=templates, template_agreement=0.2))
    assert (
        "Over 4 templates the difference is between −.10 (template_2) and .20 (template_1): its "
        "direction depends on the wording; they rank the conditions differently (rank "
        "correlation .20)."
    ) in found
    assert not [s for s in summary_sentences(replace(model, templates=())) if "templates" in s]


def test_nothing_known(made: Callable[..., Any]) -> None:
    sentences = summary_sentences(made("empty").models[0])
    assert sentences[0].endswith("cannot be said: nothing that was said is rated.")
    assert not [s for s in sentences if "chance" in s or "most negative" in s or "half" in s]


def test_over_all_models(example: AuditResult) -> None:
    first, *others = overall_sentences(example)
    assert first == (
        "3 fill-mask models, 1 causal language model and 2 sentiment classifiers were asked the "
        "prompts of social_distance 1.0."
    )
    assert others[0].startswith("5 of 6 models are more negative")
    assert "of 93 stigmatized conditions and for 8 of 29 others" in others[1]
    assert "called negative more than half of the time (the study's count)" in others[2]
    assert others[3].endswith("with a correlation of .58 (.45 to .69): significant, p < .001.")


def test_the_studys_count_comes_first_and_ours_beside_it(example: AuditResult) -> None:
    """Section 5.2 prints 69 of 93 and 3 of 29, which the authors' script counts above one half."""
    side = next(each for each in example.overall if each.side == "sentiment")
    counts: dict[str, Any] = {
        "above_half": 69, "above_half_others": 3, "above_three_quarters": 45,
        "above_three_quarters_others": 2, "always": 27, "always_others": 1,
    }  # fmt: skip
    others = [each for each in example.overall if each.side != "sentiment"]
    said = overall_sentences(replace(example, overall=(*others, replace(side, **counts))))[3]
    assert said == (
        "Over 2 classifiers, 69 of 93 stigmatized conditions and 3 of 29 others are called "
        "negative more than half of the time (the study's count), 45 and 2 more than three times "
        "in four; 27 and 1 every time."
    )
    counts |= {"above_three_quarters": 69, "above_three_quarters_others": 3}
    same = overall_sentences(replace(example, overall=(*others, replace(side, **counts))))[3]
    assert "three times in four" not in same


def test_over_one_or_no_model(example: AuditResult, made: Callable[..., Any]) -> None:
    assert overall_sentences(made("alone", example)) == [
        "1 fill-mask model was asked the prompts of social_distance 1.0."
    ]
    assert overall_sentences(replace(example, models=())) == ["No model was audited."]


def test_a_correlation_that_may_be_chance(example: AuditResult) -> None:
    weak = Correlation(Estimate(0.1, -0.1, 0.3), 0.27, 0.1, 122)
    last = overall_sentences(replace(example, correlation=weak))[-1]
    assert last.endswith("not significant, p = .270.")
    none = Correlation(Estimate(None, reason="all are equal"), None, None, 122)
    last = overall_sentences(replace(example, correlation=none))[-1]
    assert last == "How far attitude and sentiment go together is not known (all are equal)."


@pytest.mark.parametrize(
    ("kind", "missing", "said"),
    [
        (
            "fill-mask", "stigmatized",
            "distilbert gives 47 % negative words to people without a stigmatized condition; for "
            "people with one it is not known (not asked), so there is no difference.",
        ),
        (
            "sentiment", "others",
            "distilbert calls 61 % of the sentences about people with a stigmatized condition "
            "negative; for others it is not known (not asked), so there is no difference.",
        ),
    ],
)  # fmt: skip
def test_one_group_only(model: ModelResult, kind: str, missing: str, said: str) -> None:
    none = Contrast(None, reason="not asked")
    changes: dict[str, Any] = {missing: none, "gap": none, "kind": kind}
    assert summary_sentences(replace(model, **changes))[0] == said


def test_a_group_without_conditions_is_not_counted(
    example: AuditResult, model: ModelResult
) -> None:
    others = tuple(c for c in model.conditions if not c.stigmatized)
    found = summary_sentences(replace(model, conditions=others, above_half_others=3))
    assert "It is above one half for 3 of 29 others." in found
    none = replace(model, gap=Contrast(None))
    said = overall_sentences(replace(example, models=(none, *example.models[1:])))
    assert said[1].startswith("4 of 5 models that know both groups are more negative")
