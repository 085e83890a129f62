"""The settings that an owner may change while a project runs, and the resulting protocol."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tactful.annotation.protocol.records import Protocol, Step
from tactful.errors import InputError
from tactful.registry import unknown_name

WORKLOADS = ("shared", "balanced")
"""``shared``: people take the next items; ``balanced``: nobody takes more than their share of all
judgements, divided among the people who have started."""
DEFAULTS: Mapping[str, Any] = {"workload": "shared"}

Check = tuple[Callable[[Any], bool], str]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


_COUNT: Check = (_is_count, "a whole number of 1 or more")
_COUNT_OR_NONE: Check = (
    lambda v: v is None or _is_count(v),
    "a whole number of 1 or more, or null",
)
_SHARE_OR_NONE: Check = (lambda v: v is None or _is_share(v), "a number from 0 to 1, or null")
_TRUTH: Check = (lambda v: isinstance(v, bool), "true or false")
_TEXT: Check = (lambda v: isinstance(v, str), "a text")
_MINUTES: Check = (
    lambda v: isinstance(v, int | float) and not isinstance(v, bool) and 0 < v < float("inf"),
    "a number of minutes above 0",
)
OF_STEPS: Mapping[str, Check] = {
    "judgements": _COUNT,
    "most": _COUNT_OR_NONE,
    "confidence": _SHARE_OR_NONE,
}
"""For one step as ``paragraph.judgements``; as ``judgements`` for all steps of annotators except
the 5-point scale, which needs two."""
OF_QUALITY: Mapping[str, Check] = {
    "least_trust": _SHARE_OR_NONE,
    "least_tests": _COUNT,
    "rows_remain_finalized": _TRUTH,
}
OF_WELLBEING: Mapping[str, Check] = {
    "blur": _TRUTH,
    "most_per_day": _COUNT_OR_NONE,
    "break_after": _COUNT_OR_NONE,
    "help": _TEXT,
}
_OTHERS: Mapping[str, Check] = {
    "lease_minutes": _MINUTES,
    "workload": (lambda v: v in WORKLOADS, " or ".join(WORKLOADS)),
}


def check_settings(protocol: Protocol, settings: Mapping[str, Any]) -> None:
    """Refuse unknown settings and invalid values."""
    known = {**OF_STEPS, **OF_QUALITY, **OF_WELLBEING, **_OTHERS}
    for step in protocol.steps:
        known |= {f"{step.id}.{name}": check for name, check in OF_STEPS.items()}
    for name, value in settings.items():
        if name not in known:
            raise unknown_name("setting", name, sorted(known))
        is_good, expected = known[name]
        if not is_good(value):
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
