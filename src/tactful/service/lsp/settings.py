"""The settings of the editor, and the project's file where they say nothing."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tactful.checking.options import FRAMES, LANGUAGES, CheckOptions, Configuration
from tactful.checking.wording.wording import REPORT_LANGUAGES
from tactful.detectors.load import is_detector_name
from tactful.errors import UsageError
from tactful.registry import unknown_name

DELAY_MS = 300
MOST_DELAY_MS = 60_000
DOCS = "https://pypi.org/project/tactful/"
SECTION = "tactful"
"""The settings may come as they are, or below this name."""


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """What the editor sets; None and empty where it sets nothing."""

    model: str | None = None
    """The detector: default, fast, cascade, the name of a plug-in, or the folder of your own."""
    lang: str | None = None
    """The language of the texts: auto, en or es."""
    only: tuple[str, ...] = ()
    """Look for these ids and what is below them only."""
    least: float | None = None
    """Report nothing less likely."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """Report an id from this probability on."""
    frames: str | None = None
    """What is told of passages that target a group: statements, groups or off."""
    explanations: bool | None = None
    """Whether the hover explains."""
    report_lang: str | None = None
    """The language of messages and explanations: auto, en or es."""
    delay: int = DELAY_MS
    """How long to wait after the last change, in milliseconds."""
    docs: str = DOCS
    """The page that an id links to; ``{id}`` in it stands for the id."""


def read_settings(raw: object, base: EditorSettings | None = None) -> EditorSettings:
    """Read the settings of an editor; what they leave out is that of ``base``.

    A setting that is null is one that is not set.
    """
    if raw is None:
        return base or EditorSettings()
    if not isinstance(raw, Mapping):
        raise UsageError(
            f"The settings of the editor are {type(raw).__name__}; expected names and values."
        )
    given = raw.get(SECTION, raw)
    if not isinstance(given, Mapping):
        return read_settings(given, base)
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _READERS:
            known = unknown_name("setting", str(name), list(_READERS))
            raise UsageError(f"The settings of the editor: {known}")
        if value is not None:
            values[name] = _READERS[name](name, value)
    return replace(base or EditorSettings(), **values)


def options_of(settings: EditorSettings, project: Configuration, root: Path | None) -> CheckOptions:
    """Return the options of a check: the editor wins over the project's file, as options do."""
    model = settings.model
    if model and not is_detector_name(model, root):
        # A relative folder in the settings is relative to the workspace.
        model = str((root or Path()) / Path(model).expanduser())
    return project.options(
        model=model,
        lang=settings.lang,
        only=settings.only,
        thresholds=settings.thresholds,
        least=settings.least,
        frames=settings.frames,
        explanations=settings.explanations,
        report_lang=settings.report_lang,
    )


def _refused(name: str, value: object, expected: str) -> UsageError:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:59] + "…"
    found = f"found {shown} as '{name}'; expected {expected}"
    return UsageError(f"The settings of the editor: {found}.")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _refused(name, value, "a text")
    return value


def _address(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.startswith(("https://", "http://", "file://")):
        raise _refused(name, value, "an address such as https://example.org/ids.html#{id}")
    return value


def _one_of(allowed: tuple[str, ...]) -> Callable[[str, object], str]:
    def read(name: str, value: object) -> str:
        if value not in allowed:
            raise _refused(name, value, f"one of {', '.join(allowed)}")
        return str(value)

    return read


def _ids(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise _refused(name, value, 'a list of ids, such as ["pcl"]')
    return tuple(value)


def _truth(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _refused(name, value, "true or false")
    return value


def _is_number(value: object, most: float) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and 0 <= value <= most
    )


def _probability(name: str, value: Any) -> float:
    if not _is_number(value, 1):
        raise _refused(name, value, "a number from 0 to 1")
    return float(value)


def _thresholds(name: str, value: object) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise _refused(name, value, 'ids with numbers, such as {"pcl": 0.6}')
    return {str(each): _probability(f"{name}.{each}", number) for each, number in value.items()}


def _milliseconds(name: str, value: Any) -> int:
    if not _is_number(value, MOST_DELAY_MS):
        raise _refused(name, value, f"milliseconds from 0 to {MOST_DELAY_MS:,}")
    return int(value)


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "model": _text,
    "lang": _one_of(LANGUAGES),
    "only": _ids,
    "least": _probability,
    "thresholds": _thresholds,
    "frames": _one_of(FRAMES),
    "explanations": _truth,
    "report_lang": _one_of(REPORT_LANGUAGES),
    "delay": _milliseconds,
    "docs": _address,
}
