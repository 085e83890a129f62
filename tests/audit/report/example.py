"""An audit of six models with made-up numbers, seeded: nothing in it was measured."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import mean, stdev
from typing import Any

from tactful.audit.results import (
    AuditResult,
    CategoryResult,
    ConditionResult,
    Contrast,
    Correlation,
    Coverage,
    Estimate,
    ModelResult,
    Overall,
    TemplateResult,
)
from tactful.taxonomies.prompts import conditions

HOSTILE = "</script><script>alert('x')</script> \"quoted\" & <b>bold</b>"
FORMULA = '=HYPERLINK("http://example.org","click")'
MODELS = (
    ("small-masked", "fill-mask", 0.10, 0.47),
    ("examples/medium-masked-model", "fill-mask", 0.22, 0.38),
    ("examples/large-masked-model-with-a-long-name", "fill-mask", -0.01, 0.55),
    ("tiny-causal", "causal", 0.06, 0.49),
    ("vader", "sentiment", 0.17, 0.08),
    ("examples/classifier", "sentiment", 0.45, 0.25),
)


def clip(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def around(value: float, width: float) -> Estimate:
    return Estimate(value, clip(value - width), clip(value + width))


def contrast(value: float, width: float, p: float) -> Contrast:
    verdict: Any = "undecided"
    if value - width > 0 and value >= 0.05:
        verdict = "more negative"
    return Contrast(
        value, value - width, value + width, None, p, {"shuffled": p, "words": p}, 0.0005,
        (value - width, value + width), 1.4 * width, 0.05, verdict,
    )  # fmt: skip


def a_condition(entry: Any, value: float, others: float, rng: random.Random) -> ConditionResult:
    p = rng.random() ** (1 + 12 * abs(value - others))
    return ConditionResult(
        entry.id, entry.name, entry.family, entry.stigmatized, around(value, 0.03 + 0.05 * p),
        value - 0.4, contrast(value - others, 0.05 + 0.1 * p, p), 28,
        {f"template_{at}": clip(value + rng.gauss(0, 0.05)) for at in range(1, 5)},
        {"peril": rng.random()},
    )  # fmt: skip


@dataclass(frozen=True)
class Spec:
    name: str
    kind: str
    gap: float
    base: float


def a_model(spec: Spec, rng: random.Random) -> ModelResult:
    found = []
    for entry in conditions():
        value = clip(spec.base + (spec.gap if entry.stigmatized else 0) + rng.gauss(0, 0.13))
        if spec.kind == "sentiment":
            value = round(4 * value) / 4
        found.append(a_condition(entry, value, spec.base, rng))
    if spec.kind == "fill-mask":
        none = Estimate(None, reason="no word that was said is rated")
        found[7] = replace(
            found[7],
            negative=none,
            to_baseline=None,
            to_others=Contrast(None, reason="it has no value"),
        )
    sides = {side: [c for c in found if c.stigmatized is side] for side in (True, False)}
    values = {
        s: [c.negative.value for c in cs if c.negative.value is not None] for s, cs in sides.items()
    }
    gap = mean(values[True]) - mean(values[False])
    sure = abs(gap) > 0.05
    names = (
        ["they", "these"] if spec.kind == "sentiment" else [f"template_{n}" for n in range(1, 5)]
    )
    templates = []
    for name in names:
        one = gap + rng.gauss(0, 0.04)
        templates.append(
            TemplateResult(name, spec.base + one, spec.base, contrast(one, 0.05, 0.02), 0.35)
        )
    if spec.kind == "causal":
        templates[2] = TemplateResult(
            "template_3", None, None, Contrast(None, reason="not asked"), None
        )
    return ModelResult(
        run=spec.name.replace("/", "-"),
        model=spec.name,
        kind=spec.kind,
        stigmatized=around(mean(values[True]), 0.02),
        others=around(mean(values[False]), 0.04),
        gap=contrast(gap, 0.03, 0.0001 if sure else 0.42),
        named=contrast(0.12, 0.09, 0.03),
        above_half=sum(v > 0.5 for v in values[True]),
        above_half_others=sum(v > 0.5 for v in values[False]),
        template_spread=stdev([0.1, 0.14, 0.11]),
        template_agreement=0.83 if spec.kind != "causal" else 0.31,
        conditions=tuple(found),
        templates=tuple(templates),
        categories=categories(found),
        coverage=Coverage(0.86, 0.91, 0.04, (("impossible", 0.012), ("wrong", 0.008)), 3)
        if spec.kind == "fill-mask"
        else None,
        proportions={
            "stigmatized": {"negative": 0.62, "neutral": 0.28, "positive": 0.1},
            "others": {"negative": 0.2, "neutral": 0.5, "positive": 0.3},
            "baseline": {"negative": 0.0, "neutral": 1.0, "positive": 0.0},
        }
        if spec.kind == "sentiment"
        else {},
        dimensions={"peril": 0.41, "concealability": None} if spec.kind == "fill-mask" else {},
        settings={"wording": "published", "phrasing": "person-first", "top": 50, "force": None},
        notes=("2 words of the pairs are more than one token.",) if spec.kind == "causal" else (),
    )


def categories(found: Sequence[ConditionResult]) -> tuple[CategoryResult, ...]:
    made = []
    for name in dict.fromkeys(c.category for c in found):
        sides = []
        for side in (True, False):
            here = [
                c.negative.value
                for c in found
                if c.category == name and c.stigmatized is side and c.negative.value is not None
            ]
            reason = "the category has no such condition"
            sides.append(
                (len(here), around(mean(here), 0.05) if here else Estimate(None, reason=reason))
            )
        (n, stigmatized), (m, others) = sides
        both = stigmatized.value is not None and others.value is not None
        gap = (stigmatized.value or 0.0) - (others.value or 0.0) if both else None
        made.append(CategoryResult(name, stigmatized, others, gap, n, m))
    return tuple(made)


def overall(side: str, models: Sequence[ModelResult]) -> Overall:
    means: dict[str, float | None] = {}
    for entry in conditions():
        here = [
            c.negative.value
            for m in models
            for c in m.conditions
            if c.condition == entry.id and c.negative.value is not None
        ]
        means[entry.id] = mean(here) if here else None

    def count(test: Callable[[float], bool], stigmatized: bool) -> int:
        return sum(
            test(value)
            for entry in conditions()
            if entry.stigmatized is stigmatized and (value := means[entry.id]) is not None
        )

    return Overall(
        side, tuple(m.run for m in models), means,
        count(lambda v: v > 0.5, True), count(lambda v: v > 0.5, False),
        count(lambda v: v == 1, True), count(lambda v: v == 1, False),
        count(lambda v: v > 0.75, True), count(lambda v: v > 0.75, False),
    )  # fmt: skip


def example() -> AuditResult:
    rng = random.Random(6)
    models = [a_model(Spec(*each), rng) for each in MODELS]
    return AuditResult(
        probe="social_distance 1.0",
        models=tuple(models),
        overall=(
            overall("attitude", [m for m in models if m.kind != "sentiment"]),
            overall("sentiment", [m for m in models if m.kind == "sentiment"]),
        ),
        correlation=Correlation(Estimate(0.58, 0.45, 0.69), 0.00002, 0.55, 121),
        repetitions=2000,
        seed=1,
        notes=("The models were asked on different days.",),
    )


def alone(result: AuditResult, at: int = 0) -> AuditResult:
    """Return the audit of one model only."""
    model = result.models[at]
    side = "sentiment" if model.kind == "sentiment" else "attitude"
    return replace(result, models=(model,), overall=(overall(side, [model]),), correlation=None)


def hostile() -> AuditResult:
    """Return an audit whose every name is an attack."""
    result = alone(example())
    model = result.models[0]
    first, *others = model.conditions
    return replace(
        result,
        probe=HOSTILE,
        notes=(HOSTILE,),
        models=(
            replace(
                model, model=HOSTILE, run=HOSTILE, notes=(HOSTILE,), settings={HOSTILE: [HOSTILE]},
                conditions=(replace(first, name=HOSTILE, category=HOSTILE), *others),
                templates=tuple(replace(t, template=HOSTILE) for t in model.templates),
                categories=tuple(replace(c, category=HOSTILE) for c in model.categories[:1]),
                coverage=Coverage(0.9, 0.8, 0.0, ((HOSTILE, 0.1),), 0),
                dimensions={HOSTILE: 0.1},
            ),
        ),
    )  # fmt: skip


def empty() -> AuditResult:
    """Return an audit of a model that said nothing that could be rated."""
    none = Contrast(None, reason="nothing that was said is rated")
    model = alone(example()).models[0]
    silent = replace(
        model, stigmatized=none, others=none, gap=none, above_half=0, above_half_others=0,
        named=none,
        conditions=tuple(
            replace(c, negative=none, to_baseline=None, to_others=none)
            for c in model.conditions
        ),
        templates=tuple(
            TemplateResult(t.template, None, None, none, None) for t in model.templates
        ),
        categories=tuple(
            replace(c, stigmatized=none, others=none, gap=None) for c in model.categories
        ),
        template_spread=None, template_agreement=None,
    )  # fmt: skip
    unknown = {c.condition: None for c in silent.conditions}
    return AuditResult(
        "social_distance 1.0", (silent,),
        (Overall("attitude", (silent.run,), unknown, 0, 0, 0, 0, 0, 0),),
        Correlation(none, None, None, 0), 2000, 1,
    )  # fmt: skip
