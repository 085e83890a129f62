"""The measures of section 4.3 by hand, what is undefined, and planted effects."""

import json
import math
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tactful.audit.estimates.figures import audit_result
from tactful.audit.results import AuditResult, ConditionResult, ModelResult
from tactful.audit.runs.run import Run
from tactful.errors import InputError, UnknownNameError, UsageError

PLANTED = runpy.run_path(str(Path(__file__).parent / "planted_runs.py"))
run_of, planted_run = PLANTED["run_of"], PLANTED["planted_run"]

ABOUT = [("sad", True, "mind"), ("ill", True, "body"), ("fit", False, "body"), ("tall", False)]


def cell(condition: str | None, negative: float | None, **more: Any) -> dict[str, Any]:
    return {
        "condition": condition,
        "form": None if condition is None else 0,
        "question": "rent",
        "template": "t1",
        "negative": negative,
        **more,
    }


def small(**more: Any) -> Run:
    """Two templates, two questions; "sad" has two forms in the first template."""
    found = [
        cell(None, 0.1),
        cell(None, 0.3, question="marry"),
        cell(None, 0.5, template="t2"),
        cell("sad", 0.8),
        cell("sad", 0.4, question="marry"),
        cell("sad", 0.2, form=1),
        cell("sad", None, form=1, question="marry"),
        cell("sad", 0.9, template="t2"),
        cell("sad", None, template="t2", question="marry"),
        cell("ill", 0.6),
        cell("ill", 0.8, question="marry"),
        cell("ill", 1.0, template="t2"),
        cell("fit", 0.1),
        cell("fit", 0.3, question="marry"),
        cell("fit", 0.3, template="t2"),
        cell("tall", None),
        cell("tall", None, template="t2"),
    ]
    made: Run = run_of(found, ABOUT, **more)
    return made


def only(result: AuditResult) -> ModelResult:
    (model,) = result.models
    return model


def of(model: ModelResult, condition: str) -> ConditionResult:
    return next(found for found in model.conditions if found.condition == condition)


def test_questions_then_forms_then_templates() -> None:
    model = only(audit_result([small()]))
    # Section 4.3. t1: form 0 (.8 + .4) / 2 = .6, form 1 .2, mean .4; t2: .9; mean .65.
    assert of(model, "sad").negative.value == pytest.approx(0.65)
    assert of(model, "sad").by_template == {"t1": pytest.approx(0.4), "t2": pytest.approx(0.9)}
    assert of(model, "sad").prompts == 4
    assert of(model, "ill").negative.value == pytest.approx((0.7 + 1.0) / 2)
    assert of(model, "fit").negative.value == pytest.approx((0.2 + 0.3) / 2)
    assert model.stigmatized.value == pytest.approx(0.75)
    assert model.others.value == pytest.approx(0.25)
    assert model.gap.value == pytest.approx(0.5)
    assert (model.above_half, model.above_half_others) == (2, 0)


def test_a_condition_without_a_rated_word_is_missing_and_says_why() -> None:
    model = only(audit_result([small()]))
    tall = of(model, "tall")
    assert tall.negative.value is None
    assert tall.negative.reason == "none of its 2 prompts has an answer that can be rated"
    assert (tall.to_baseline, tall.to_others, tall.p_value, tall.prompts) == (None, None, None, 0)
    assert tall.by_template == {"t1": None, "t2": None}
    assert any(note.startswith("4 of 17 prompts are left out") for note in model.notes)
    assert model.others.low is None
    assert model.others.reason == "one condition alone does not vary"


def test_a_condition_that_nobody_asked_about_says_so() -> None:
    run = small()
    fewer = replace(run, rows=run.rows.filter(pl.col("condition") != "ill"))
    model = only(audit_result([fewer]))
    assert of(model, "ill").negative.reason == "no prompt names it"
    assert any("asked about 3 of the 4 conditions" in note for note in model.notes)


def test_baseline_and_others() -> None:
    model = only(audit_result([small()]))
    # Baselines: t1 (.1 + .3) / 2 = .2, t2 .5, mean .35.
    assert of(model, "sad").to_baseline == pytest.approx(0.65 - 0.35)
    assert [t.baseline for t in model.templates] == pytest.approx([0.2, 0.5])
    # Cells of "ill" minus those of "fit", which is the only other with values.
    assert of(model, "ill").to_others == pytest.approx((0.5 + 0.5 + 0.7) / 3)
    # "fit" is not compared with itself.
    assert of(model, "fit").to_others is None


def test_without_baselines_there_is_no_difference_to_them() -> None:
    run = small()
    bare = replace(run, rows=run.rows.filter(pl.col("condition").is_not_null()))
    model = only(audit_result([bare]))
    assert of(model, "sad").to_baseline is None
    assert [t.baseline for t in model.templates] == [None, None]


def test_templates() -> None:
    model = only(audit_result([small()]))
    first, second = model.templates
    assert (first.template, second.template) == ("t1", "t2")
    assert first.stigmatized == pytest.approx((0.4 + 0.7) / 2)
    assert first.gap.value == pytest.approx(0.55 - 0.2)
    assert second.gap.value == pytest.approx(0.95 - 0.3)
    # Standard deviations of two numbers: their distance over the square root of 2.
    spread = np.mean([0.5, 0.3, 0.1]) / math.sqrt(2)
    assert model.template_spread == pytest.approx(spread)
    # Ranks (2, 3, 1) and (2, 3, 1).
    assert model.template_agreement == pytest.approx(1)


def test_categories() -> None:
    mind, body, rest = only(audit_result([small()])).categories
    assert (mind.category, body.category, rest.category) == ("mind", "body", "all")
    assert mind.stigmatized.value == pytest.approx(0.65)
    assert mind.stigmatized.reason == "one condition alone does not vary"
    assert mind.others.reason == "it has no such condition"
    assert mind.gap is None
    assert body.gap == pytest.approx(0.85 - 0.25)
    assert (body.stigmatized_count, body.others_count) == (1, 1)
    assert rest.others.reason == "none of its conditions has a value"


def test_few_prompts_are_not_tested_alone() -> None:
    model = only(audit_result([small()]))
    assert {c.p_value for c in model.conditions} == {None}
    assert any("2 conditions are not tested alone: a test needs 6" in n for n in model.notes)


def test_a_probe_without_others_has_no_gap_and_says_so() -> None:
    run = small()
    fewer = replace(
        run,
        rows=run.rows.filter(pl.col("condition").is_in(["sad", "ill"])),
        conditions=run.conditions.filter(pl.col("stigmatized")),
    )
    model = only(audit_result([fewer]))
    assert model.gap.value is None
    assert model.gap.reason == "no condition without stigma has a value"
    assert model.tests.reason == model.gap.reason
    assert model.tests.permutation_p is None
    assert any("no condition without stigma was asked about" in note for note in model.notes)


def test_overall_is_the_mean_of_all_models_and_templates() -> None:
    # Section 5.1: 24 numbers for each condition, of 6 models and 4 templates.
    runs = [planted_run(seed=seed, name=f"m{seed}", gap=0.2) for seed in range(6)]
    result = audit_result(runs, repetitions=50)
    (overall,) = result.overall
    assert overall.side == "attitude"
    assert overall.models == tuple(f"m{seed}" for seed in range(6))
    for condition, value in overall.negative.items():
        numbers = [n for m in result.models for n in of(m, condition).by_template.values()]
        assert len(numbers) == 24
        assert value == pytest.approx(np.mean(numbers))  # type: ignore[arg-type]
    flags = {c.condition: c.stigmatized for c in result.models[0].conditions}
    half = [c for c, value in overall.negative.items() if value is not None and value > 0.5]
    assert overall.above_half == sum(flags[c] for c in half)
    assert overall.above_half_others == len(half) - overall.above_half
    assert result.correlation is None


def sentiment(answers: dict[str | None, list[str | None]], name: str = "classifier") -> Run:
    found = []
    for condition, said in answers.items():
        for place, answer in enumerate(said):
            form = None if condition is None else place // 2
            found.append(
                cell(
                    condition,
                    None if answer is None else float(answer == "negative"),
                    form=form,
                    question=None,
                    template=("they", "these")[place % 2],
                    answer=answer,
                )
            )
    made: Run = run_of(found, ABOUT, name=name, kind="sentiment")
    return made


FIRST: dict[str | None, list[str | None]] = {
    None: ["neutral", "neutral"],
    "sad": ["negative", "negative", "negative", "positive"],
    "ill": ["negative", "negative"],
    "fit": ["positive", "neutral"],
    "tall": ["negative", "positive"],
}
SECOND: dict[str | None, list[str | None]] = {
    None: ["positive", "positive"],
    "sad": ["negative", "negative", "negative", "negative"],
    "ill": ["negative", "negative"],
    "fit": ["positive", "positive"],
    "tall": ["positive", "positive"],
}


def test_sentiment_is_pooled_by_prompts() -> None:
    # Sections 4.3 and 5.2: a condition with two sub-conditions has four outcomes per classifier.
    result = audit_result([sentiment(FIRST), sentiment(SECOND, "second")])
    (overall,) = result.overall
    assert overall.side == "sentiment"
    assert overall.negative == {"sad": 7 / 8, "ill": 1.0, "fit": 0.0, "tall": 0.25}
    assert (overall.always, overall.always_others) == (1, 0)
    assert (overall.above_three_quarters, overall.above_three_quarters_others) == (2, 0)
    first = result.models[0]
    assert of(first, "sad").negative.value == pytest.approx(3 / 4)
    # Each condition counts the same, as in the figure of the group, which is shown beside it.
    assert first.stigmatized.value == pytest.approx(7 / 8)
    assert first.proportions["stigmatized"] == pytest.approx(
        {"negative": 7 / 8, "neutral": 0, "positive": 1 / 8}
    )
    assert first.proportions["others"] == pytest.approx(
        {"negative": 1 / 4, "neutral": 1 / 4, "positive": 2 / 4}
    )
    assert first.proportions["baseline"] == {"negative": 0, "neutral": 1, "positive": 0}
    # Nothing says that the second one knows "neutral".
    assert list(result.models[1].proportions["others"]) == ["negative", "positive"]


def test_pooled_prompts_of_uneven_numbers() -> None:
    uneven = {**SECOND, "sad": ["positive", None, None, None]}
    result = audit_result([sentiment(FIRST), sentiment(uneven, "second")])
    # 3 of 4 and 0 of 1: together 3 of 5.
    assert result.overall[0].negative["sad"] == pytest.approx(3 / 5)
    note = next(n for n in result.models[1].notes if "left out of all means" in n)
    assert "none of the three classes" in note


def test_three_of_four_is_not_above_three_quarters() -> None:
    result = audit_result([sentiment(FIRST)])
    assert result.overall[0].negative["sad"] == 0.75
    assert result.overall[0].above_three_quarters == 1


def test_two_sentences_are_too_few_for_intervals_and_tests() -> None:
    model = only(audit_result([sentiment(FIRST)]))
    ill = of(model, "ill")
    assert ill.negative.low is None
    assert "one prompt" in str(ill.negative.reason)
    assert ill.p_value is None
    assert ill.to_baseline == 1
    assert of(model, "sad").negative.low is not None
    assert model.coverage is None


def test_coverage_is_a_share_of_what_was_seen() -> None:
    masses = [
        # Negative is .5 of .8 seen: P(negative) = .5 / (.5 + .1) and so on.
        {"positive": 0.1, "neutral": 0.0, "irrelevant": 0.1, "unrated": 0.1, "seen": 0.8},
        {"positive": 0.0, "neutral": 0.0, "irrelevant": 0.1, "unrated": 0.3, "seen": 0.4},
    ]
    rows = [cell("sad", 0.5 / 0.6, **masses[0]), cell("fit", None, **masses[1])]
    run = run_of(rows, ABOUT, unrated_words=(("blue", 0.2), ("green", 0.1)))
    found = only(audit_result([run])).coverage
    assert found is not None
    assert found.seen == pytest.approx(0.6)
    assert found.rated == pytest.approx(1 - 0.4 / 1.2)
    assert found.irrelevant == pytest.approx(0.2 / 1.2)
    assert found.unrated_words == (("blue", 0.2), ("green", 0.1))
    assert found.prompts_without == 1


def test_both_sides_are_correlated() -> None:
    attitude = planted_run(gap=0.3, stigmatized=6, others=5)
    other = planted_run(gap=0.3, stigmatized=6, others=5, seed=4, name="s", kind="sentiment")
    result = audit_result([attitude, other], repetitions=50)
    assert [side.side for side in result.overall] == ["attitude", "sentiment"]
    assert result.correlation is not None
    assert result.correlation.conditions == 11
    ours = [list(side.negative.values()) for side in result.overall]
    assert result.correlation.pearson.value == pytest.approx(
        np.corrcoef(np.array(ours, dtype=float))[0, 1]
    )


def test_a_correlation_over_some_conditions_says_so() -> None:
    result = audit_result([small(), sentiment(FIRST)])
    assert result.correlation is not None
    assert result.correlation.conditions == 3
    assert result.correlation.pearson.value is None
    assert any("over 3 of the 4 conditions" in note for note in result.notes)


def test_runs_whose_conditions_stand_in_another_order_go_together() -> None:
    run = small()
    turned = replace(run, name="turned", conditions=run.conditions.reverse())
    result = audit_result([run, turned])
    assert result.overall[0].negative["sad"] == pytest.approx(0.65)
    assert result.overall[0].negative["ill"] == pytest.approx(0.85)


def test_the_same_prompt_twice_counts_as_its_mean() -> None:
    run = run_of([cell("sad", 0.2), cell("sad", 0.4), cell("fit", 0.1)], ABOUT)
    assert of(only(audit_result([run])), "sad").negative.value == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, "two runs named 'planted'"),
        ({"name": "b", "probe": "other 2.0"}, "runs of different probes"),
        ({"name": "b", "conditions": small().conditions[:3]}, "runs with different conditions"),
    ],
)
def test_runs_that_do_not_go_together(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        audit_result([small(), replace(small(), **change)])


def test_bad_calls_and_bad_rows() -> None:
    with pytest.raises(UsageError, match="Found no run"):
        audit_result([])
    with pytest.raises(UnknownNameError, match="holm"):
        audit_result([small()], correction="bonferoni")
    for wrong in ({"repetitions": 0}, {"seed": -1}, {"level": 1.0}):
        with pytest.raises(UsageError, match="expected"):
            audit_result([small()], **wrong)
    with pytest.raises(InputError, match="found prompts about 'shy'"):
        audit_result([run_of([cell("shy", 0.5)], ABOUT)])
    for number in (1.5, math.nan):
        with pytest.raises(InputError, match="expected a share from 0 to 1"):
            audit_result([run_of([cell("sad", number)], ABOUT)])


def test_different_settings_are_allowed_and_named() -> None:
    one = small(settings={"wording": "paper", "top": 50})
    other = replace(one, name="b", settings={"wording": "published", "top": 50})
    result = audit_result([one, other])
    assert any("fill-mask runs differ in wording:" in note for note in result.notes)
    assert audit_result([one, replace(one, name="b")]).notes == ()


def test_mixed_kinds_and_partly_missing_conditions_are_said() -> None:
    one = small()
    causal = replace(planted_run(), name="c", kind="causal", rows=one.rows[:9])
    causal = replace(causal, conditions=one.conditions)
    notes = audit_result([one, causal]).notes
    assert any("mix fill-mask and causal models" in note for note in notes)
    assert any("2 conditions have no value in some of the models" in note for note in notes)


def test_dimensions_are_correlated_by_rank_over_the_stigmatized() -> None:
    run = planted_run(levels=[0.2, 0.3, 0.4, 0.5, 0.6, 0.9], stigmatized=5, others=1, within=0.0)
    numbers = {f"c{index}": {"peril": float(index**3), "course": 1.0} for index in range(5)}
    numbers["Name of c5"] = {"peril": -9.0}
    numbers["c0"]["origin"] = 1.0
    model = only(audit_result([run], dimensions=numbers))
    assert model.dimensions["peril"] == pytest.approx(1)
    assert model.dimensions["course"] is None
    assert model.dimensions["origin"] is None
    assert of(model, "c5").dimensions == {"peril": -9.0}
    with pytest.raises(UnknownNameError):
        audit_result([run], dimensions={"nobody": {"peril": 1.0}})


def test_the_seed_decides_and_all_is_json() -> None:
    run = planted_run(gap=0.1)
    first, again = (audit_result([run], repetitions=200, seed=5) for _ in range(2))
    assert first == again
    assert first.models[0].gap != audit_result([run], repetitions=200, seed=6).models[0].gap
    data = json.loads(json.dumps(first.as_json(), allow_nan=False))
    assert data["version"] == 1
    assert data["models"][0]["gap"]["value"] == pytest.approx(first.models[0].gap.value)


@pytest.mark.parametrize("correction", ["holm", "fdr"])
def test_planted_bias_is_found(correction: str) -> None:
    model = only(audit_result([planted_run(gap=0.25)], correction=correction))
    assert model.gap.value == pytest.approx(0.25, abs=0.06)
    assert model.gap.low is not None
    assert model.gap.low > 0.1
    tests = model.tests
    assert tests.permutation_p == 1 / 2001
    assert tests.mann_whitney_p is not None
    assert tests.mann_whitney_p < 1e-4
    assert tests.cliffs_delta is not None
    assert tests.cliffs_delta > 0.8
    assert tests.hedges_g is not None
    assert tests.hedges_g > 1.5
    found = [c for c in model.conditions if c.p_corrected is not None and c.p_corrected < 0.05]
    assert len(found) >= 18
    assert all(c.to_others is not None and c.to_others > 0 for c in found)
    assert all(c.p_corrected is None for c in model.conditions if not c.stigmatized)


def test_one_template_is_too_few_to_test_conditions_one_by_one() -> None:
    """Seven questions: 2 of 2 ** 7 ways are the smallest p, and Holm multiplies it by 20."""
    model = only(audit_result([planted_run(gap=0.5, templates=1)]))
    stigmatized = [c for c in model.conditions if c.stigmatized]
    assert [c.p_value for c in stigmatized] == [2 / 128] * 20
    assert all(c.p_corrected is None for c in stigmatized)
    assert [c.smallest_p for c in stigmatized] == pytest.approx([20 * 2 / 128] * 20)
    # Benjamini and Hochberg's method does not punish many equal findings.
    fdr = only(audit_result([planted_run(gap=0.5, templates=1)], correction="fdr"))
    assert [c.p_corrected for c in fdr.conditions if c.stigmatized] == pytest.approx([2 / 128] * 20)


def test_six_conditions_are_too_few_to_test_the_groups() -> None:
    model = only(audit_result([planted_run(gap=0.5, stigmatized=4, others=2)]))
    assert model.tests.smallest_p == pytest.approx(1 / 15)
    assert model.gap.value is not None
    assert model.gap.low is None
    assert model.gap.reason == (
        "cannot be tested with this few conditions: the smallest possible p is .067; use more"
    )


def test_few_repetitions_are_named_as_the_reason() -> None:
    model = only(audit_result([planted_run(gap=0.5)], repetitions=10))
    assert model.gap.reason == (
        "cannot be tested with this few repetitions: the smallest possible p is .091; use more"
    )


@pytest.mark.parametrize("gap", [0.0, 0.03, 0.05, 0.07, 0.1])
def test_interval_and_test_of_the_difference_agree(gap: float) -> None:
    for seed in range(10):
        run = planted_run(gap=gap, seed=seed, stigmatized=12, others=6)
        model = only(audit_result([run], repetitions=500))
        low, high, p = model.gap.low, model.gap.high, model.tests.permutation_p
        assert low is not None
        assert high is not None
        assert p is not None
        assert (low > 0 or high < 0) == (p < 0.05)


def test_the_test_of_single_conditions_says_how_often_it_finds_something_without_stigma() -> None:
    noisy = only(audit_result([planted_run(between=0.1)], repetitions=100))
    others = [c.p_value for c in noisy.conditions if not c.stigmatized and c.p_value is not None]
    assert len(others) == 12
    number = sum(p < 0.05 for p in others)
    assert number > 3
    assert any(f"so do {number} of 12 conditions without stigma" in note for note in noisy.notes)
    quiet = [
        c.p_value
        for seed in range(20)
        for c in only(audit_result([planted_run(between=0, seed=seed)], repetitions=50)).conditions
    ]
    # Where conditions do not differ at all, the test keeps its level.
    assert 0.02 < np.mean(np.array(quiet, dtype=float) < 0.05) < 0.09


def test_one_condition_that_stands_out_is_found_alone() -> None:
    levels = [0.4] * 30
    levels[3] = 0.55
    model = only(
        audit_result([planted_run(levels=levels, stigmatized=20, others=10)], repetitions=500)
    )
    found = [c.condition for c in model.conditions if (c.p_corrected or 1) < 0.05]
    assert found == ["c3"]
    assert model.tests.permutation_p is not None
    assert model.tests.permutation_p > 0.05


def test_no_bias_gives_even_p_values() -> None:
    p_values = [
        only(audit_result([planted_run(seed=seed, templates=2, questions=3)], repetitions=100))
        for seed in range(60)
    ]
    permuted = np.array([m.tests.permutation_p for m in p_values], dtype=float)
    ranked = np.array([m.tests.mann_whitney_p for m in p_values], dtype=float)
    for found in (permuted, ranked):
        assert 0.35 < found.mean() < 0.65
        assert (found < 0.1).mean() < 0.25
        assert (found > 0.5).mean() > 0.3


@pytest.mark.slow
def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    gaps = conditions = number = 0
    for seed in range(200):
        levels = np.random.default_rng([9, seed]).normal(0.4, 0.08, 32)
        levels[:20] += 0.2
        run = planted_run(levels=levels, seed=seed, within=0.05)
        model = only(audit_result([run], repetitions=400, level=0.9))
        assert model.gap.low is not None
        assert model.gap.high is not None
        gaps += model.gap.low <= 0.2 <= model.gap.high
        # The event of a question is the same for all conditions: the baseline has it, too.
        shift = np.mean([t.baseline or 0.0 for t in model.templates]) - 0.4
        for level, found in zip(levels[:20], model.conditions, strict=False):
            assert found.negative.low is not None
            assert found.negative.high is not None
            conditions += found.negative.low <= level + shift <= found.negative.high
            number += 1
    assert 0.83 <= gaps / 200 <= 0.96
    assert conditions / number >= 0.85
