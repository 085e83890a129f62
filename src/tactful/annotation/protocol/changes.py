"""The settings that an owner may change while a project runs, and the resulting protocol."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from tactful.annotation.protocol.records import Protocol, Step
from tactful.errors import InputError
from tactful.registry import unknown_name

WORKLOADS = ("shared", "balanced")
"""``shared``: people take the next items; ``balanced``: nobody takes more than their share of all
judgements, divided among the people who have started."""
RankBy = Literal["uncertainty", "disagreement", "diversity", "mixed"]
RANK_BY: tuple[RankBy, ...] = get_args(RankBy)
"""How open items are ranked; see :mod:`tactful.annotation.learning.order`."""
DEFAULTS: Mapping[str, Any] = {
    "workload": "shared",
    "blind_share": 0.2,
    "rank_every": None,
    "rank_by": "uncertainty",
}

Kind = Literal["count", "share", "minutes", "truth", "text", "workload", "rank_by"]
_CHECKS: Mapping[Kind, tuple[Callable[[Any], bool], str]] = {
    "count": (lambda v: type(v) is int and v >= 1, "a whole number of 1 or more"),
    "share": (lambda v: type(v) in (int, float) and 0 <= v <= 1, "a number from 0 to 1"),
    "minutes": (
        lambda v: type(v) in (int, float) and 0 < v < float("inf"),
        "a number of minutes above 0",
    ),
    "truth": (lambda v: isinstance(v, bool), "true or false"),
    "text": (lambda v: isinstance(v, str), "a text"),
    "workload": (lambda v: v in WORKLOADS, " or ".join(WORKLOADS)),
    "rank_by": (lambda v: v in RANK_BY, ", ".join(RANK_BY)),
}
"""Which values a kind of setting may have."""
OF_STEPS: Mapping[str, Kind] = {"judgements": "count", "most": "count", "confidence": "share"}
"""For one step as ``paragraph.judgements``; as ``judgements`` for all steps of annotators except
the 5-point scale, which needs two."""
OF_QUALITY: Mapping[str, Kind] = {
    "least_trust": "share",
    "least_tests": "count",
    "tests_each": "count",
    "rows_remain_finalized": "truth",
}
OF_WELLBEING: Mapping[str, Kind] = {
    "most_per_day": "count",
    "break_after": "count",
    "blur": "truth",
    "help": "text",
}
_OTHERS: Mapping[str, Kind] = {
    "lease_minutes": "minutes",
    "workload": "workload",
    "blind_share": "share",
    "rank_every": "count",
    "rank_by": "rank_by",
}
TEAM_SETTINGS = ("groups", "everything", "assign", "quotas", "deadlines")
"""Who may take what; checked by :mod:`tactful.annotation.state.teams`: they name people."""
CROWD = "crowd"
"""The study on a crowd platform; checked by :mod:`tactful.annotation.state.crowd`."""
OPTIONAL = (
    "most", "confidence", "least_trust", "tests_each", "most_per_day", "break_after", "rank_every"
)  # fmt: skip
"""Settings that may be null."""


def check_settings(protocol: Protocol, settings: Mapping[str, Any]) -> None:
    """Refuse unknown settings and invalid values."""
    known = {**OF_STEPS, **OF_QUALITY, **OF_WELLBEING, **_OTHERS}
    for step in protocol.steps:
        known |= {f"{step.id}.{name}": kind for name, kind in OF_STEPS.items()}
    for name, value in settings.items():
        if name in (*TEAM_SETTINGS, CROWD):
            continue
        if name not in known:
            raise unknown_name("setting", name, sorted((*known, *TEAM_SETTINGS, CROWD)))
        is_good, expected = _CHECKS[known[name]]
        is_optional = name.rpartition(".")[2] in OPTIONAL
        if not is_good(value) and not (value is None and is_optional):
            expected += ", or null" if is_optional else ""
            raise InputError(f"Found {value!r} for the setting '{name}'; expected {expected}.")
    for step in changed(protocol, settings).steps:
        if step.combine == "dpm_scale" and step.judgements != 2:
            raise InputError(
                f"The step '{step.id}' would ask for {step.judgements} judgements; expected 2 "
                "for the 5-point scale."
            )
        if step.most is not None and step.most < step.judgements:
            raise InputError(
                f"The step '{step.id}' would ask for {step.judgements} judgements and for "
                f"{step.most} at most; expected 'most' not to be below 'judgements'."
            )


def changed(protocol: Protocol, settings: Mapping[str, Any]) -> Protocol:
    """Return the protocol with the settings applied; unknown names are ignored."""
    quality = {name: settings[name] for name in OF_QUALITY if name in settings}
    wellbeing = {name: settings[name] for name in OF_WELLBEING if name in settings}
    return replace(
        protocol,
        steps=tuple(_changed_step(step, settings) for step in protocol.steps),
        quality=replace(protocol.quality, **quality),
        wellbeing=replace(protocol.wellbeing, **wellbeing),
        lease_minutes=settings.get("lease_minutes", protocol.lease_minutes),
    )


def _changed_step(step: Step, settings: Mapping[str, Any]) -> Step:
    values = {}
    for name in OF_STEPS:
        own = f"{step.id}.{name}"
        if own in settings:
            values[name] = settings[own]
        elif name in settings and step.role == "annotator" and step.combine != "dpm_scale":
            values[name] = settings[name]
    return replace(step, **values) if values else step
