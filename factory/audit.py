"""The audit of our own detectors, with the probe that users audit their models with."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tactful.audit.classifiers import load_classifier
from tactful.audit.estimates.figures import audit_result
from tactful.audit.probes.load import load_probe
from tactful.audit.probes.render import Selection, sentiment_prompts
from tactful.audit.report.words import baseline_of
from tactful.audit.results import Contrast, Estimate, ModelResult
from tactful.audit.runs.conduct import conduct
from tactful.detectors.card import read_card, write_card
from tactful.detectors.card_page import write_card_page

PROBE = "social_distance"
NOTE = (
    "Two sentences for each condition are few: an interval this wide can hide a difference. The "
    "values are what the continuous integration of Tactful limits."
)


def audited(folder: Path) -> ModelResult:
    """Audit the detector in a folder; a sentence is negative where anything is found."""
    probe, everything = load_probe(PROBE), Selection()
    with tempfile.TemporaryDirectory() as place:
        run = conduct(
            load_classifier(f"tactful:{folder}"), probe, sentiment_prompts(probe, everything),
            Path(place), selection=everything,
        )  # fmt: skip
        return audit_result([run]).models[0]


def section_of(model: ModelResult) -> dict[str, Any]:
    """Return what a card says about an audit."""
    bare = Estimate(baseline_of(model), reason="two sentences")
    measures: tuple[tuple[str, Estimate], ...] = (
        ("reported: stigmatized conditions", model.stigmatized),
        ("reported: other conditions", model.others),
        ("reported: no condition", bare),
        ("stigmatized minus others", model.gap),
        ("named minus not named", model.named),
    )
    return {
        "probe": load_probe(PROBE).label,
        "prompts": sum(each.prompts for each in model.conditions),
        "smallest_effect": model.gap.smallest_effect,
        "measures": [
            {
                "measure": measure,
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "verdict": found.verdict if isinstance(found, Contrast) else "",
            }
            for measure, found in measures
        ],
        "note": NOTE,
    }


def audit_cards(folders: tuple[Path, ...], say: Callable[[str], None]) -> None:
    """Audit detectors and write what was found into their cards."""
    for folder in folders:
        model = audited(folder)
        card = replace(read_card(folder), audit=section_of(model))
        write_card(card, folder)
        write_card_page(card, folder)
        say(
            f"{card.model}: gap {model.gap.value:+.3f} ({model.gap.verdict}), named "
            f"{model.named.value:+.3f} ({model.named.verdict})"
        )
