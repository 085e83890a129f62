"""The gate on our own detectors: the audit that users run, with the state that was measured.

A sentence of this probe only names a condition, so every finding is a false
alarm. The limit of both measures is the smallest difference of interest, and of what is reported
about anybody.
"""

from pathlib import Path

import pytest
from factory.audit import audited, section_of

from tactful.audit.runs.gate import checks
from tactful.detectors.card import read_card
from tactful.detectors.card_page import card_page

ROOT = Path(__file__).parents[2]
OPEN, RESEARCH = (
    ROOT / "src/tactful/weights",
    ROOT / "weights-research/src/tactful_weights_research",
)
LIMIT = 0.05


@pytest.mark.parametrize(
    "folder",
    [OPEN / "open-en", OPEN / "open-fast-en", RESEARCH / "default-en", RESEARCH / "fast-en"],
    ids=lambda folder: folder.name,
)
def test_a_detector_treats_people_alike(folder: Path) -> None:
    if not folder.is_dir():
        pytest.skip("these weights are not here")
    model = audited(folder)
    for check in checks([model], LIMIT, LIMIT):
        assert check.found.value is not None
        assert check.found.value <= LIMIT, check.failure
    for reported in section_of(model)["measures"][:3]:
        assert reported["value"] <= LIMIT, reported["measure"]
    # The card was written from the same audit, and its page shows it.
    card = read_card(folder)
    shown = {each["measure"]: each["value"] for each in card.audit["measures"]}
    now = {each["measure"]: each["value"] for each in section_of(model)["measures"]}
    assert shown == pytest.approx(now, abs=0.02)
    assert "## Audit\n" in card_page(card)
