"""What an audit found, in sentences that a reader without statistics understands."""

from collections import Counter

from tactful.audit.report.words import (
    SENTIMENT,
    TEXTS,
    baseline_of,
    kind_of,
    labels,
    ranked,
    side_of,
    verdict_of,
    with_interval,
)
from tactful.audit.results import AuditResult, ModelResult, Overall
from tactful.pages.text import NOT_KNOWN, decimal, known, listed, p_value, percent
from tactful.words import counted, visible

_MOST_NEGATIVE = 5
_MUCH_ALIKE, _SOMEWHAT_ALIKE = 0.7, 0.4
_VISIBLE = 0.005
"""A smaller difference is written as .00."""


def summary_sentences(model: ModelResult, name: str | None = None) -> list[str]:
    """Return what a reader should know of one model, the most important first."""
    name = visible(model.model) if name is None else name
    sentences = [_level(model, name)]
    if known(model.gap.value) is not None:
        sentences.append(verdict_of(model.gap))
    return [
        *sentences,
        *_named(model),
        *_refusals(model),
        *_half(model),
        *_most_negative(model),
        *_single_tests(model),
        *_templates(model),
        *_coverage(model),
    ]


def overall_sentences(result: AuditResult) -> list[str]:
    """Return what holds over all models together."""
    kinds: dict[str, int] = {}
    for model in result.models:
        kinds[model.kind] = kinds.get(model.kind, 0) + 1
    parts = [counted(number, kind_of(kind)) for kind, number in kinds.items()]
    if not parts:
        return ["No model was audited."]
    verb = "was" if len(result.models) == 1 else "were"
    sentences = [f"{listed(parts)} {verb} asked the prompts of {visible(result.probe)}."]
    if len(result.models) > 1:
        sentences += _directions(result)
        sentences += [sentence for side in result.overall for sentence in _side(result, side)]
    return sentences + going_together(result)


def _directions(result: AuditResult) -> list[str]:
    names = labels(result)
    gaps = [
        (value, names[m.run], m.gap.verdict)
        for m in result.models
        if (value := known(m.gap.value)) is not None
    ]
    if not gaps:
        return []
    more = sum(verdict == "more negative" for *_, verdict in gaps)
    same = sum(verdict == "no difference" for *_, verdict in gaps)
    value, name, _ = max(gaps)
    models = "models" if len(gaps) == len(result.models) else "models that know both groups"
    return [
        f"{more:,} of {len(gaps):,} {models} {'is' if more == 1 else 'are'} more negative about "
        f"people with a stigmatized condition, {same:,} without a difference of interest, "
        f"{len(gaps) - more - same:,} neither; the largest difference is {decimal(value)} ({name})."
    ]


def _side(result: AuditResult, side: Overall) -> list[str]:
    members = [m for m in result.models if side_of(m) == side.side]
    if len(members) < 2:
        return []
    groups = {c.condition: c.stigmatized for m in members for c in m.conditions}
    values = [groups[c] for c, v in side.negative.items() if c in groups and known(v) is not None]
    counts = f"{sum(values):,} stigmatized conditions", f"{len(values) - sum(values):,} others"
    if side.side == SENTIMENT:
        # The authors' script counts shares above one half; section 5.2 calls that at least three
        # of four classifiers, which is a stricter count.
        stricter = (side.above_three_quarters, side.above_three_quarters_others)
        more = ""
        if stricter != (side.above_half, side.above_half_others):
            more = f", {stricter[0]:,} and {stricter[1]:,} more than three times in four"
        return [
            f"Over {len(members):,} classifiers, {side.above_half:,} of {counts[0]} and "
            f"{side.above_half_others:,} of {counts[1]} are called negative more than half of the "
            f"time (the study's count){more}; {side.always:,} and {side.always_others:,} every "
            "time."
        ]
    return [
        f"Over {len(members):,} language models, the mean is above one half for "
        f"{side.above_half:,} of {counts[0]} and for {side.above_half_others:,} of {counts[1]}."
    ]


def going_together(result: AuditResult) -> list[str]:
    """Say how far attitude and sentiment go together; nothing where that was not asked."""
    found = result.correlation
    if found is None:
        return []
    if known(found.pearson.value) is None:
        return [f"How far attitude and sentiment go together is {with_interval(found.pearson)}."]
    p = known(found.p_value)
    if p is None:
        sure = f"whether this is more than chance is {NOT_KNOWN}"
    else:
        sure = "significant" if p < 1 - result.level else "not significant"
        sure += f", p {p_value(p)}"
    return [
        "Attitude of the language models and sentiment of the classifiers go together over "
        f"{counted(found.conditions, 'condition')} with a correlation of "
        f"{with_interval(found.pearson)}: {sure}."
    ]


def _level(model: ModelResult, name: str) -> str:
    sides = (model.stigmatized, model.others)
    if all(known(each.value) is None for each in sides):
        reason = next((each.reason for each in sides if each.reason), None)
        because = f": {visible(reason)}" if reason else ""
        return f"How negative {name} is cannot be said{because}."
    if any(known(each.value) is None for each in sides):
        return _one_sided(model, name)
    less = (known(model.gap.value) or 0.0) <= -_VISIBLE
    return _filled(
        TEXTS["levels"].get(model.kind, TEXTS["levels"]["fill-mask"]),
        name,
        stigmatized=percent(sides[0].value),
        others=percent(sides[1].value),
        gap=with_interval(model.gap) + (", less negative about the stigmatized" if less else ""),
    )


def _one_sided(model: ModelResult, name: str) -> str:
    known_side = known(model.stigmatized.value) is not None
    here, there = (model.stigmatized, model.others)[:: 1 if known_side else -1]
    reason = f" ({visible(there.reason)})" if there.reason else ""
    other = "for others" if known_side else "for people with one"
    whom = "with a stigmatized condition" if known_side else "without a stigmatized condition"
    return _filled(
        TEXTS["one_sided"].get(model.kind, TEXTS["one_sided"]["fill-mask"]),
        name,
        level=percent(here.value),
        whom=whom,
        missing=f"{other} it is {NOT_KNOWN}{reason}, so there is no difference",
    )


def _filled(pattern: str, name: str, **words: str) -> str:
    for slot, text in words.items():
        pattern = pattern.replace("{" + slot + "}", text)
    # The name comes last: it may hold a brace itself.
    return pattern.replace("{name}", name)


def _half(model: ModelResult) -> list[str]:
    counts = {
        side: sum(
            known(c.negative.value) is not None
            for c in model.conditions
            if c.stigmatized is side
        )
        for side in (True, False)
    }  # fmt: skip
    parts = [
        f"for {above:,} of {counts[side]:,} {noun}"
        for side, above, noun in (
            (True, model.above_half, "stigmatized conditions"),
            (False, model.above_half_others, "others"),
        )
        if counts[side]
    ]
    return [f"It is above one half {listed(parts)}."] if parts else []


def _named(model: ModelResult) -> list[str]:
    value = baseline_of(model)
    if value is None:
        return []
    sentence = f"Where no condition is named, it is at {percent(value)}"
    if known(model.named.value) is None:
        return [f"{sentence}."]
    return [
        f"{sentence}; naming any condition changes that by {with_interval(model.named)}. "
        + verdict_of(model.named)
    ]


def _refusals(model: ModelResult) -> list[str]:
    found = model.refusals
    if found is None:
        return []
    parts = [
        f"{percent(share)} {of}"
        for share, of in (
            (found.stigmatized, "of the prompts about stigmatized conditions"),
            (found.others, "about others"),
            (found.baseline, "without a condition"),
        )
        if known(share) is not None
    ]
    return [
        f"It refused {found.refused:,} of {counted(found.prompts, 'prompt')}: {listed(parts)}. "
        "Refusals are in no mean."
    ]


def _most_negative(model: ModelResult) -> list[str]:
    first = [c for c in ranked(model.conditions) if known(c.negative.value) is not None]
    if not first:
        return []
    shown, rest = first[:_MOST_NEGATIVE], first[_MOST_NEGATIVE:]
    names = [f"{visible(c.name)} ({percent(c.negative.value)})" for c in shown]
    # Classifiers give few different figures: five of forty equal ones are not the worst five.
    equal = sum(c.negative.value == shown[-1].negative.value for c in rest)
    also = f"; and {equal:,} more at {percent(shown[-1].negative.value)}" if equal else ""
    return [f"It is most negative about: {'; '.join(names)}{also}."]


def _single_tests(model: ModelResult) -> list[str]:
    tested = [
        c.to_others
        for c in model.conditions
        if c.stigmatized and c.to_others.verdict != "not tested"
    ]
    if not tested:
        return []
    counts = Counter(found.verdict for found in tested)
    more, less, same = (
        counts[name] for name in ("more negative", "less negative", "no difference")
    )
    return [
        f"One by one, {more:,} of {counted(len(tested), 'stigmatized condition')} "
        f"{'is' if more == 1 else 'are'} more negative than the others by "
        f"{decimal(tested[0].smallest_effect)} or more, {less:,} less, {same:,} without a "
        f"difference of interest; {len(tested) - more - less - same:,} undecided. All are tested "
        "together, so that one false alarm among them is rare."
    ]


def _templates(model: ModelResult) -> list[str]:
    gaps = [
        (v, visible(t.template)) for t in model.templates if (v := known(t.gap.value)) is not None
    ]
    if len(gaps) < 2:
        return []
    (low, first), (high, last) = min(gaps), max(gaps)
    turning = low <= -_VISIBLE and high >= _VISIBLE
    turns = ": its direction depends on the wording" if turning else ""
    sentence = (
        f"Over {counted(len(gaps), 'template')} the difference is between {decimal(low)} "
        f"({first}) and {decimal(high)} ({last}){turns}"
    )
    agreement = known(model.template_agreement)
    if agreement is None:
        return [f"{sentence}."]
    alike = "much alike" if agreement >= _MUCH_ALIKE else "somewhat alike"
    if agreement < _SOMEWHAT_ALIKE:
        alike = "differently"
    return [
        f"{sentence}; they rank the conditions {alike} (rank correlation {decimal(agreement)})."
    ]


def _coverage(model: ModelResult) -> list[str]:
    found = model.coverage
    if found is None:
        return []
    without = found.prompts_without
    silent = f"; {counted(without, 'prompt')} had no rated word" if without else ""
    return [
        f"Of the probability that was looked at, {percent(found.rated)} is on rated words, "
        f"{percent(found.irrelevant)} on words that do not fit the sentence{silent}."
    ]
