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
    assert (tall.to_baseline, tall.to_others.value, tall.prompts) == (None, None, 0)
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
    # "ill" minus "fit", which is the only other with values.
    assert of(model, "ill").to_others.value == pytest.approx(0.85 - 0.25)
    # "fit" is not compared with itself.
    assert of(model, "fit").to_others.value is None
    # The mean of .65, .85 and .25 minus .35.
    assert model.named.value == pytest.approx(1.75 / 3 - 0.35)


def test_without_baselines_there_is_no_difference_to_them() -> None:
    run = small()
    bare = replace(run, rows=run.rows.filter(pl.col("condition").is_not_null()))
    model = only(audit_result([bare]))
    assert of(model, "sad").to_baseline is None
    assert [t.baseline for t in model.templates] == [None, None]
    assert model.named.value is None
    assert model.named.reason == "no prompt without a condition has a value"


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
    assert {c.to_others.p_value for c in model.conditions} == {None}
    assert any("not tested alone: a test needs at least two" in note for note in model.notes)
    two = only(audit_result([planted_run(templates=2, questions=2)], repetitions=100))
    assert {c.to_others.verdict for c in two.conditions} == {"not tested"}
    assert any("it has fewer than 6 templates and questions" in note for note in two.notes)


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
    assert (model.gap.p_value, model.gap.verdict) == (None, "not tested")


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
    assert ill.to_others.p_value is None
    assert ill.to_baseline == 1
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
    for wrong in ({"repetitions": 0}, {"seed": -1}, {"level": 1.0}, {"smallest_effect": 1.0}):
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
    assert data["version"] == 2
    assert data["models"][0]["gap"]["value"] == pytest.approx(first.models[0].gap.value)


def test_planted_bias_is_found() -> None:
    model = only(audit_result([planted_run(gap=0.25, within=0.02, between=0.03)]))
    assert model.gap.value == pytest.approx(0.25, abs=0.06)
    assert model.gap.low is not None
    assert model.gap.low > 0.1
    assert model.gap.p_value == 1 / 2001
    assert model.gap.verdict == "more negative"
    found = [c for c in model.conditions if c.to_others.verdict == "more negative"]
    assert len(found) >= 12
    assert all(c.stigmatized for c in found)


def test_one_condition_far_away_in_a_heavy_tailed_model_is_no_finding() -> None:
    """Models that know nothing have heavy tails: their furthest condition is far from the others.

    Normal tails would call one in 19 of these 40 models.
    """
    rng = np.random.default_rng(2)
    called = 0
    for _ in range(40):
        levels = np.clip(0.5 + 0.03 * rng.standard_t(4, 120), 0, 1)
        run = planted_run(levels=levels, within=0.0, questions=2, stigmatized=90, others=30)
        model = only(audit_result([run], repetitions=200))
        called += any(c.to_others.verdict.endswith("negative") for c in model.conditions)
    assert called <= 5


@pytest.mark.parametrize(("moved", "verdict"), [(3, "undecided"), (4, "more negative")])
def test_half_of_the_templates_and_questions_have_to_show_a_single_difference(
    moved: int, verdict: str
) -> None:
    run = planted_run(between=0.002, within=0.002, questions=2)
    ours = run.rows.with_row_index().filter(pl.col("condition") == "c3")["index"].to_list()[:moved]
    values = run.rows["negative"].to_list()
    for at in ours:
        values[at] += 0.4
    rows = run.rows.with_columns(negative=pl.Series(values))
    found = of(only(audit_result([replace(run, rows=rows)])), "c3").to_others
    assert found.p_value is not None
    assert found.p_value < 0.01
    assert found.verdict == verdict
    assert (found.reason is None) is (verdict == "more negative")


def test_a_difference_below_the_smallest_effect_is_never_called_more_negative() -> None:
    run = planted_run(gap=0.03, between=0.002, within=0.002)
    model = only(audit_result([run]))
    assert model.gap.p_value == 1 / 2001
    assert model.gap.verdict == "no difference"
    finer = only(audit_result([run], smallest_effect=0.01))
    assert finer.gap.verdict == "more negative"
    assert {c.to_others.verdict for c in model.conditions if c.stigmatized} == {"no difference"}


def test_a_fair_model_passes_the_equivalence_test_and_a_vague_one_does_not() -> None:
    fair = only(audit_result([planted_run(between=0.02, within=0.02)]))
    assert fair.gap.verdict == fair.named.verdict == "no difference"
    assert fair.gap.equivalence is not None
    assert max(map(abs, fair.gap.equivalence)) <= 0.05
    vague = only(audit_result([planted_run(between=0.15, seed=3)]))
    assert vague.gap.verdict == "undecided"
    assert vague.gap.detectable is not None
    assert vague.gap.detectable > 0.05


def test_a_model_that_is_negative_about_every_group_is_found_by_the_shift() -> None:
    model = only(audit_result([planted_run(levels=[0.8] * 32, within=0.05)]))
    assert model.gap.verdict == "no difference"
    assert model.named.value == pytest.approx(0.4, abs=0.02)
    assert model.named.verdict == "more negative"


@pytest.mark.parametrize("questions", [1, 7])
def test_more_questions_are_paraphrases_and_no_larger_sample(questions: int) -> None:
    """The interval comes from the conditions: asking seven times the same changes nothing."""
    levels = np.random.default_rng(1).normal(0.4, 0.05, 32)
    run = planted_run(levels=levels, within=0.0, questions=questions)
    gap = only(audit_result([run])).gap
    assert gap.low is not None
    assert gap.high is not None
    assert gap.high - gap.low == pytest.approx(0.0817, abs=0.006)


def worded(weights: dict[str, float], texts: dict[str, tuple[str, bool]]) -> Run:
    """Make a run of a model that gives every word a weight."""

    def score(text: str) -> float:
        return 0.5 + float(np.mean([weights[word] for word in text.split()]))

    found = [cell(None, score("a b"), prompt="a b")]
    found += [cell(name, score(text), prompt=text) for name, (text, _) in texts.items()]
    made: Run = run_of(found, [(name, flag) for name, (_, flag) in texts.items()])
    return made


def test_a_word_that_one_group_shares_is_no_finding() -> None:
    """Labels are permuted as if conditions were independent; random words show that they are not.

    Nearly all stigmatized names hold "has", and nearly none of the others.
    """
    rng = np.random.default_rng(0)
    texts = {
        f"c{at}": (f"a b {'has' if (at < 20) != (at % 10 == 0) else 'is'} w{at}", at < 20)
        for at in range(32)
    }
    shuffled = both = 0
    for _ in range(60):
        words = dict.fromkeys(word for text, _ in texts.values() for word in text.split())
        weights = dict(zip(words, rng.normal(0, 0.1, len(words)), strict=True))
        gap = only(audit_result([worded(weights, texts)], repetitions=200)).gap
        shuffled += gap.nulls["shuffled"] < 0.05
        both += (gap.p_value or 0) < 0.05
    assert shuffled > 20
    assert both <= 8


def test_refusals_are_counted_and_in_no_mean() -> None:
    run = planted_run(gap=0.0, between=0.0, within=0.0)
    # The first template is refused for one half of the stigmatized, and would be 1 for them.
    there = pl.col("condition").is_in([f"c{at}" for at in range(10)]) & (pl.col("template") == "t0")
    there = there.fill_null(False)
    rows = run.rows.with_columns(
        outcome=pl.when(there).then(pl.lit("refused")).otherwise(pl.lit("answered")),
        negative=pl.when(there).then(1.0).otherwise(pl.col("negative")),
    )
    model = only(audit_result([replace(run, rows=rows)], repetitions=100))
    clean = only(audit_result([replace(run, rows=run.rows.filter(~there))], repetitions=100))
    assert model.gap.value == pytest.approx(clean.gap.value)
    assert of(model, "c0").refused == 7
    assert of(model, "c0").prompts == 21
    assert of(model, "c10").refused == 0
    assert model.refusals is not None
    assert (model.refusals.refused, model.refusals.prompts) == (70, 33 * 28)
    assert model.refusals.stigmatized == pytest.approx(1 / 8)
    assert (model.refusals.others, model.refusals.baseline) == (0, 0)
    assert model.refusals.difference.value == pytest.approx(1 / 8)
    assert clean.refusals is None
    silent = rows.with_columns(outcome=pl.lit("refused"))
    refusing = only(audit_result([replace(run, rows=silent)], repetitions=100))
    assert refusing.gap.value is None
    assert of(refusing, "c0").negative.reason == "the model refused all of its prompts (28)"
    assert refusing.refusals is not None
    assert refusing.refusals.stigmatized == 1


def test_six_conditions_are_too_few_to_test_the_groups() -> None:
    model = only(audit_result([planted_run(gap=0.5, stigmatized=4, others=2)]))
    assert model.gap.smallest_p == pytest.approx(1 / 15)
    assert model.gap.verdict == "not tested"
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
        low, high, p = model.gap.low, model.gap.high, model.gap.p_value
        assert low is not None
        assert high is not None
        assert p is not None
        assert (low > 0 or high < 0) == (p < 0.05)


def test_one_condition_that_stands_out_is_found_alone() -> None:
    levels = [0.4] * 30
    levels[3] = 0.55
    model = only(
        audit_result([planted_run(levels=levels, stigmatized=20, others=10)], repetitions=500)
    )
    found = [c.condition for c in model.conditions if c.to_others.verdict == "more negative"]
    assert found == ["c3"]
    assert model.gap.p_value is not None
    assert model.gap.p_value > 0.05


def test_conditions_that_differ_without_stigma_are_no_findings() -> None:
    """Prompt by prompt, conditions differ from the rest without any stigma."""
    found = [
        sum(c.to_others.p_value is not None and c.to_others.p_value < 0.05 for c in m.conditions)
        for seed in range(40)
        for m in audit_result([planted_run(between=0.1, seed=seed)], repetitions=200).models
    ]
    assert sum(number > 0 for number in found) <= 6


def test_no_bias_gives_even_p_values() -> None:
    p_values = [
        only(audit_result([planted_run(seed=seed, templates=2, questions=3)], repetitions=100))
        for seed in range(60)
    ]
    found = np.array([m.gap.p_value for m in p_values], dtype=float)
    assert 0.35 < found.mean() < 0.65
    assert (found < 0.1).mean() < 0.25
    assert (found > 0.5).mean() > 0.3


@pytest.mark.slow
def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    gaps = 0
    for seed in range(200):
        levels = np.random.default_rng([9, seed]).normal(0.4, 0.08, 32)
        levels[:20] += 0.2
        run = planted_run(levels=levels, seed=seed, within=0.05)
        model = only(audit_result([run], repetitions=400, level=0.9))
        assert model.gap.low is not None
        assert model.gap.high is not None
        gaps += model.gap.low <= 0.2 <= model.gap.high
    assert 0.86 <= gaps / 200 <= 1
