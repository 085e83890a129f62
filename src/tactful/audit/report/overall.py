"""What holds over all models together, in sentences."""

from tactful.audit.report.sentences import going_together, is_significant
from tactful.audit.report.words import (
    SENTIMENT,
    decimal,
    kind_of,
    known,
    labels,
    listed,
    side_of,
)
from tactful.audit.results import AuditResult, Overall
from tactful.words import counted, visible


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
        sentences += [*_directions(result), *_sides(result)]
    return sentences + going_together(result)


def _directions(result: AuditResult) -> list[str]:
    names = labels(result)
    gaps = [
        (value, names[m.run], is_significant(m.tests))
        for m in result.models
        if (value := known(m.gap.value)) is not None
    ]
    if not gaps:
        return []
    more = sum(value > 0 for value, _, _ in gaps)
    sure = sum(value > 0 and significant is True for value, _, significant in gaps)
    value, name, _ = max(gaps)
    models = "models" if len(gaps) == len(result.models) else "models that know both groups"
    return [
        f"{more:,} of {len(gaps):,} {models} are more negative about people with a stigmatized "
        f"condition, {sure:,} significantly so; the largest difference is {decimal(value)} "
        f"({name})."
    ]


def _sides(result: AuditResult) -> list[str]:
    return [sentence for side in result.overall for sentence in _side(result, side)]


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
