"""What a check looks for, and how it reports it: the same options for every front end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tactful.checking.configuration import Configuration
    from tactful.checking.opened import Model

DEFAULT_MODEL = "default"
AUTO = "auto"
LANGUAGES = (AUTO, "en", "es")
FRAMES = ("statements", "groups", "off")
"""What to say about a passage that targets a group: the groups and what is implied about them, the
groups only, or nothing."""
LEAST = 0.2
"""The least probability that is reported by default. Rare ids have thresholds far below it, where
most findings are wrong."""


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of a check.

    Parameters
    ----------
    model
        The name of an embedded detector (``default``, ``fast``, ``cascade``), the folder of one, or
        an open detector.
    lang
        The language of the texts: ``en``, ``es``, or ``auto`` to detect it for each document.
    only
        Look only for these ids and the ids below them; ``pcl`` includes ``pcl.metaphor``.
    thresholds
        Report an id from this probability on, instead of the threshold in the model's card.
    least
        Report nothing less likely, except ids that have a value in ``thresholds``.
    explanations
        Whether findings have an explanation.
    frames
        What to say about passages that target a group: ``statements``, ``groups`` or ``off``.
    all_scores
        Whether passages keep all their scores.
    report_lang
        The language of names and explanations: ``en``, ``es``, or ``auto`` for that of the text.
    configuration
        The project's file that some of the values come from; error messages name its lines.

    """

    model: "Model" = DEFAULT_MODEL
    lang: str = AUTO
    only: tuple[str, ...] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    least: float = LEAST
    explanations: bool = True
    frames: str = FRAMES[0]
    all_scores: bool = False
    report_lang: str = AUTO
    configuration: "Configuration | None" = None
