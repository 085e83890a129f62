"""What each format says that it loses: exactly that, counted."""

from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.formats.load import EXPORTS, export_source
from tactful.annotation.formats.losses import ASPECTS, losses

_NONE = "the format has no place for them"
_TEST = "hidden tests: 1 (they are not data; keep the project, or export as jsonl)"
_LEFT = "items without a judgement that counts: 1 (the format lists what was judged)"
_SHORT = "doccano's categories are labels, not sentences"


def _lost(name: str, full: Any, folder: Path) -> list[str]:
    return [str(loss) for loss in EXPORTS.get(name)(full.source(), folder)]


def test_label_studio(full: Any, folder: Path) -> None:
    assert _lost("label-studio", full, folder) == [
        _TEST,
        _LEFT,
        f"soft labels: 9 ({_NONE})",
        f"people's trust: 1 ({_NONE})",
        f"people's traits: 2 ({_NONE})",
        f"skips: 1 ({_NONE})",
        f"events of the log: {len(full.events)} ({_NONE})",
    ]


def test_doccano(full: Any, folder: Path) -> None:
    assert _lost("doccano", full, folder) == [
        f"answers to 'remark' (step 'all'): 1 ({_SHORT})",
        f"answers to 'reasons' (step 'all'): 1 ({_SHORT})",
        _TEST,
        _LEFT,
        f"combined labels: 10 ({_NONE})",
        f"soft labels: 9 ({_NONE})",
        f"confidences of labels: 3 ({_NONE})",
        f"decisions of referees: 1 ({_NONE})",
        f"people's trust: 1 ({_NONE})",
        f"times of judgements: 3 ({_NONE})",
        f"people's traits: 2 ({_NONE})",
        f"items' contexts: 1 ({_NONE})",
        f"skips: 1 ({_NONE})",
        f"events of the log: {len(full.events)} ({_NONE})",
    ]


def test_brat(full: Any, folder: Path) -> None:
    found = _lost("brat", full, folder)
    assert [line for line in found if "answers to" in line] == [
        f"answers to 'tone' (step 'all'): 3 ({_NONE})",
        f"answers to 'grade' (step 'all'): 3 ({_NONE})",
        f"answers to 'topics' (step 'all'): 3 ({_NONE})",
        f"answers to 'remark' (step 'all'): 1 ({_NONE})",
        f"answers to 'reasons' (step 'all'): 1 ({_NONE})",
    ]
    assert f"combined labels of other questions: 8 ({_NONE})" in found
    assert not any("decisions" in line or "spans" in line for line in found)


def test_conll_says_what_overlap_loses(full: Any, folder: Path) -> None:
    found = _lost("conll", full, folder)
    # The longer of two spans that start together keeps the token they share.
    why = "others cover all their tokens, and a token has one tag"
    assert f"spans: 1 ({why})" in found
    assert f"spans of combined labels: 1 ({why})" in found
    assert "spans widened: 1 (they start or end within a token)" in found


def test_crowd_kit(full: Any, folder: Path) -> None:
    found = _lost("crowd-kit", full, folder)
    word = "the format holds one label per item"
    assert found[:3] == [
        f"answers to 'marks' (step 'all'): 3 ({word})",
        f"answers to 'remark' (step 'all'): 1 ({word})",
        f"answers to 'reasons' (step 'all'): 1 ({word})",
    ]
    assert "answers in people's own words: 1 (each table is about one option)" in found
    assert found[-1] == (
        "cells that a spreadsheet would run: 2 (do not open the file in a spreadsheet, or "
        "export with --spreadsheet)"
    )


def test_the_sheet_keeps_all_but_the_soft_labels(full: Any, folder: Path) -> None:
    assert [line.partition(" (")[0] for line in _lost("csv", full, folder)] == [
        "soft labels: 9",
        "people's traits: 2",
        "skips: 1",
        f"events of the log: {len(full.events)}",
    ]


def test_judgements_of_the_removed_are_counted(full: Any, folder: Path) -> None:
    full.add("removed", annotator="ann", data={"why": "owner"})
    found = _lost("label-studio", full, folder)
    assert (
        "judgements that do not count: 2 (they are by removed people, or came after there were "
        "enough)" in found
    )
    assert "items without a judgement that counts: 2 (the format lists what was judged)" in found


def test_the_report_stands_beside_the_data(full: Any, tmp_path: Path) -> None:
    import json

    done = export_source(full.source(), "brat", EXPORTS.get("brat"), tmp_path / "out")
    about = json.loads((tmp_path / "out" / "export.json").read_text(encoding="utf-8"))
    assert (about["format"], about["project"], about["protocol"]) == ("brat", "Our test", "mixed")
    assert [each["count"] for each in about["lost"]] == [loss.count for loss in done.losses]


def test_an_aspect_must_be_known(full: Any) -> None:
    with pytest.raises(ValueError, match="no such aspect: colour"):
        losses(full.source(), ("colour",), lambda _step, _question: True)
    assert len(ASPECTS) == 15
