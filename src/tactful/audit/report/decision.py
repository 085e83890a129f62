"""The page for people who decide: one screen with the verdict and what it rests on."""

from pathlib import Path

from tactful.audit.report.words import TEXTS, interval, kind_of, labels, verdict_of
from tactful.audit.results import AuditResult, ConditionResult, ModelResult, Results, one_by_one
from tactful.figures import COLOURS
from tactful.pages.frame import page, style
from tactful.pages.markup import bullets, paragraph
from tactful.pages.text import NOT_KNOWN, decimal, known, percent, prose, safe
from tactful.words import counted, visible

FOUND, CLEARED, OPEN = "More negative", "No difference of interest", "Undecided"
_WORST = 5
_STABLE = 0.05


def outcome_of(model: ModelResult) -> str:
    """Return the verdict on a model: it passes only where both measures show no difference."""
    both = (model.gap.verdict, model.named.verdict)
    alone = {c.to_others.verdict for c in model.conditions if c.stigmatized}
    if "more negative" in both or "more negative" in alone:
        return FOUND
    return CLEARED if set(both) == {"no difference"} else OPEN


def worst_conditions(model: ModelResult) -> list[ConditionResult]:
    """Return the stigmatized conditions that are furthest above the others."""
    above = [
        (value, c)
        for c in model.conditions
        if c.stigmatized and (value := known(c.to_others.value)) is not None and value > 0
    ]
    return [c for _, c in sorted(above, key=lambda pair: (-pair[0], pair[1].name))[:_WORST]]


def render_decision(results: Results, title: str) -> str:
    """Return one screen for each model: verdict, worst conditions, refusals, stability."""
    found = one_by_one(results)
    cards = "".join(
        _card(result, model, labels(result)[model.run])
        for result in found
        for model in result.models
    )
    body = (
        f'<header>\n<p class="brand">Tactful</p>\n<h1><bdi>{safe(visible(title))}</bdi></h1>\n'
        f"</header>\n<main>\n{cards}\n</main>\n"
        f'<footer><p class="note">{TEXTS["note"]}</p></footer>\n'
    )
    colours = {"stigmatized": COLOURS[4], "others": COLOURS[0]}
    return page(
        visible(title), body=body, style=style(Path(__file__).with_name("decision.css"), colours)
    )


def _card(result: AuditResult, model: ModelResult, name: str) -> str:
    outcome = outcome_of(model)
    figures = "".join(
        f'<div class="figure"><h3>{safe(label)}</h3><p class="value">{prose(value)}</p>'
        f'<p class="said">{prose(said)}</p></div>'
        for label, value, said in _figures(model)
    )
    worst = bullets(
        f"{visible(c.name)}: {decimal(c.to_others.value)}"
        + (f" ({c.to_others.verdict})" if c.to_others.verdict != "not tested" else "")
        for c in worst_conditions(model)
    )
    return (
        f'<article class="{_CSS[outcome]}"><p class="meta">{safe(name)}, '
        f"{safe(kind_of(model.kind))}; {safe(visible(result.probe))}"
        f"{f', asked {safe(model.created[:10])}' if model.created else ''}</p>"
        f'<h2>{safe(outcome)}</h2><p class="lead">{prose(_lead(model, outcome))}</p>'
        f'<div class="figures">{figures}</div>'
        f'<section class="worst"><h3>Furthest above the conditions without stigma</h3>'
        f"{worst or paragraph('None is above them.')}</section>{_plan(result)}</article>"
    )


_CSS = {FOUND: "found", CLEARED: "cleared", OPEN: "open"}


def _lead(model: ModelResult, outcome: str) -> str:
    limit = decimal(model.gap.smallest_effect)
    if outcome == CLEARED:
        return (
            f"Stigmatized conditions and others are treated alike to within {limit}, and so are "
            "sentences that name a condition and sentences that name none."
        )
    reasons = []
    for found, whom in (
        (model.gap, "about stigmatized conditions than about others"),
        (model.named, "where any condition is named than where none is"),
    ):
        value = known(found.value)
        if found.verdict == "more negative":
            reasons.append(f"The model is more negative {whom}, by {decimal(value)}.")
        elif value is not None and value >= found.smallest_effect:
            reasons.append(
                f"The model is {decimal(value)} more negative {whom}, which is above {limit}; "
                "but a model that knows nothing may show as much."
            )
    number = sum(c.to_others.verdict == "more negative" for c in model.conditions if c.stigmatized)
    if number:
        verb = "is" if number == 1 else "are"
        reasons.append(
            f"{counted(number, 'stigmatized condition')} {verb} called more negative alone."
        )
    return " ".join(reasons) or (
        f"A difference of {limit} or more is neither shown nor ruled out. Ask more conditions, or "
        "more about the same ones, before you rely on it."
    )


def _figures(model: ModelResult) -> list[tuple[str, str, str]]:
    figures = [
        (label, _value(found.value), f"{interval(found) or NOT_KNOWN}. {verdict_of(found)}")
        for label, found in (
            ("Stigmatized minus others", model.gap),
            ("Named minus not named", model.named),
        )
    ]
    refused = model.refusals
    share = None if refused is None else refused.refused / refused.prompts
    figures.append(
        (
            "Refusals",
            percent(share or 0.0),
            "Every prompt was answered." if refused is None else (
                f"{percent(refused.stigmatized)} about stigmatized conditions, "
                f"{percent(refused.others)} about others. They are in no mean."
            ),
        )
    )  # fmt: skip
    gaps = [v for t in model.templates if (v := known(t.gap.value)) is not None]
    if len(gaps) > 1:
        spread = max(gaps) - min(gaps)
        turns = min(gaps) <= -_STABLE and max(gaps) >= _STABLE
        said = f"The difference is {decimal(min(gaps))} to {decimal(max(gaps))} over "
        said += f"{counted(len(gaps), 'wording')}."
        said += " Its direction depends on the wording." if turns else ""
        figures.append(("Spread over wordings", decimal(spread), said))
    return figures


def _value(value: float | None) -> str:
    return NOT_KNOWN if known(value) is None else decimal(value)


def _plan(result: AuditResult) -> str:
    if result.plan is None:
        return paragraph("Without a plan: prompts and limits were not fixed beforehand.")
    deviations = result.plan["deviations"]
    said = (
        "Nothing deviates from it." if not deviations else f"Deviations: {'; '.join(deviations)}."
    )
    return paragraph(f"Planned beforehand ({visible(result.plan['sha256'])[:12]}). {visible(said)}")
