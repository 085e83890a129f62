"""The migration guide tells what the table does: every attribute, and how it is scored."""

import re
from pathlib import Path

import pytest

from tactful.detectors.card import read_card
from tactful.detectors.load import EMBEDDED
from tactful.detectors.weights import find_weights
from tactful.service.perspective.mapping import attributes

GUIDE = Path(__file__).parents[3] / "docs" / "from-perspective.md"


def test_every_attribute_is_in_the_guide_as_the_table_has_it() -> None:
    rows: dict[str, str] = {}
    text = GUIDE.read_text(encoding="utf-8")
    for line in text[text.index("## Toxicity and its kinds") :].splitlines():
        if line.startswith("| `"):
            rows.setdefault(line.split("|")[1].strip(" `"), line)
    for name, row in attributes().items():
        if row.same_as and row.reason == attributes()["TOXICITY_EXPERIMENTAL"].reason:
            continue  # one sentence is about all of them
        assert f"`{row.same_as or row.id or row.nearest}`" in rows[name], name
        if row.id is None:
            assert row.reason in rows[name]


def test_the_guide_has_the_figures_of_the_models() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `[A-Z_]+` \| `(toxicity[\w.]*)` \| ([\d.]+) \| ([\d.]+) \|$", text, re.M
    )
    assert len(rows) == 7
    for column, model in enumerate(("default", "open"), 1):
        folder = find_weights(EMBEDDED["en"][model])
        if folder is None:
            pytest.skip(f"the weights of '{model}' are not installed")
        known = {
            each["id"]: each["value"]
            for each in read_card(folder).figures
            if each["metric"] == "auc"
        }
        for row in rows:
            assert row[column] == f"{known[row[0]]:.3f}", row
