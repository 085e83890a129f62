"""The settings of the editor, and the project's file where they say nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from tactful.checking.options import (
    FRAMES,
    LANGUAGES,
    QUOTES,
    TERMS,
    CheckOptions,
    Configuration,
    ProjectRewrite,
)
from tactful.checking.wording import REPORT_LANGUAGES
from tactful.detectors.load import is_detector_name
from tactful.errors import UsageError
from tactful.registry import unknown_name
from tactful.words import shorten

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
    """Look only for these ids and the ids below them."""
    least: float | None = None
    """The least confidence of a reported finding."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """Report an id from this probability on."""
    frames: str | None = None
    """What to say about passages that target a group: statements, groups or off."""
    terms: str | None = None
    """Which terms of style guides to report: default, all or off."""
    quotes: str | None = None
    """What to do with findings that only a quotation carries: skip, label or check."""
    explanations: bool | None = None
    """Whether the hover explains."""
    report_lang: str | None = None
    """The language of messages and explanations: auto, en or es."""
    rewrite_endpoint: str | None = None
    """A chat endpoint that can be asked for rewrites; without one, nothing is sent."""
    rewrite_chat_model: str | None = None
    """The model to ask, if the endpoint has several."""
    rewrite_key_variable: str | None = None
    """The environment variable that holds the API key of the endpoint."""
    delay: int = DELAY_MS
    """How long to wait after the last change, in milliseconds."""
    docs: str = DOCS
    """The page that an id links to; ``{id}`` is replaced by the id."""


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
        if name not in _SETTINGS:
            known = unknown_name("setting", str(name), list(_SETTINGS))
            raise UsageError(f"The settings of the editor: {known}")
        if value is not None:
            values[name] = _checked(name, value)
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
        terms=settings.terms,
        quotes=settings.quotes,
        explanations=settings.explanations,
        report_lang=settings.report_lang,
    )


def endpoint_of(settings: EditorSettings, project: Configuration) -> ProjectRewrite:
    """Return the endpoint for rewrites: a key and a model belong to the endpoint they come with."""
    if settings.rewrite_endpoint is None:
        return project.rewrite
    return ProjectRewrite(
        settings.rewrite_endpoint, settings.rewrite_chat_model, settings.rewrite_key_variable
    )


def _checked(kind: str, value: Any, name: str = "") -> Any:
    """Return a value as its kind of setting keeps it; refuse one that does not fit."""
    fits, expected, kept_as = _SETTINGS[kind]
    if not fits(value):
        shown = shorten(repr(value), longest=60)
        found = f"found {shown} as '{name or kind}'; expected {expected}"
        raise UsageError(f"The settings of the editor: {found}.")
    return kept_as(value)


def _is_number(most: float, value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= most


def _one_of(allowed: tuple[str, ...]) -> "_Setting":
    return allowed.__contains__, f"one of {', '.join(allowed)}", str


_Setting = tuple[Callable[[Any], bool], str, Callable[[Any], Any]]
"""Whether a value fits, what is expected, and how the value is kept."""
_TEXT: _Setting = (lambda value: isinstance(value, str) and bool(value.strip()), "a text", str)
_SETTINGS: dict[str, _Setting] = {
    "model": _TEXT,
    "lang": _one_of(LANGUAGES),
    "only": (
        lambda value: isinstance(value, list) and all(each and type(each) is str for each in value),
        'a list of ids, such as ["pcl"]',
        tuple,
    ),
    "least": (partial(_is_number, 1), "a number from 0 to 1", float),
    "thresholds": (
        lambda value: isinstance(value, Mapping),
        'ids with numbers, such as {"pcl": 0.6}',
        lambda value: {
            str(each): _checked("least", number, f"thresholds.{each}")
            for each, number in value.items()
        },
    ),
    "frames": _one_of(FRAMES),
    "terms": _one_of(TERMS),
    "quotes": _one_of(QUOTES),
    "explanations": (lambda value: isinstance(value, bool), "true or false", bool),
    "report_lang": _one_of(REPORT_LANGUAGES),
    "rewrite_endpoint": _TEXT,
    "rewrite_chat_model": _TEXT,
    "rewrite_key_variable": _TEXT,
    "delay": (
        partial(_is_number, MOST_DELAY_MS), f"milliseconds from 0 to {MOST_DELAY_MS:,}", int,
    ),
    "docs": (
        lambda value: str(value).startswith(("https://", "http://", "file://")),
        "an address such as https://example.org/ids.html#{id}",
        str,
    ),
}  # fmt: skip
