"""Presets: options that fit a kind of text. They are data, in ``presets.toml``."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tactful.checking.options import CheckOptions, Configuration
from tactful.detectors.card import Card

FILE = Path(__file__).with_name("presets.toml")


def load_presets() -> dict[str, dict[str, Any]]:
    """Return the presets: their names, and the keys of ``tactful.toml`` with a reason."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def with_preset(project: Configuration, name: str | None = None) -> Configuration:
    """Return what a project sets, on top of a preset.

    Parameters
    ----------
    project
        What the project sets. Its values come first; globs to exclude are joined.
    name
        The preset; without it, the one that the project names, if any.

    """
    name = name or project.preset
    if name is None:
        return project
    found = load_presets()[name]
    return replace(
        project,
        preset=name,
        only=project.only or tuple(found.get("only", ())),
        least=found.get("least") if project.least is None else project.least,
        fail_on=found.get("fail_on") if project.fail_on is None else project.fail_on,
        frames=project.frames or found.get("frames"),
        exclude=(*found.get("exclude", ()), *project.exclude),
    )


def fitting(options: CheckOptions, cards: Sequence[Card]) -> CheckOptions:
    """Return the options without those ids of a preset that no detector of the run can find."""
    project = options.configuration
    if project is None or project.preset is None or options.only != project.only:
        return options
    from tactful.checking.findings import ids_below
    from tactful.terms.lexicon import IDS

    if options.only != tuple(load_presets()[project.preset].get("only", ())):
        return options  # the project's own ids, in which a mistake must be named
    known = {*IDS, *(each for card in cards for each in card.ids)}
    left = tuple(name for name in options.only if ids_below(name, known))
    return replace(options, only=left) if left else options
