"""Parity: requests and answers as Perspective's public documentation shows them, field by field.

Each file of ``shapes/`` names the page it is written from; texts and numbers are ours. ``"float"``
in an answer means any number from 0 to 1; everything else must be equal, and nothing may be
missing or added.
"""

import json
from pathlib import Path
from typing import Any

import pytest

SHAPES = sorted(Path(__file__).with_name("shapes").glob("*.json"))


def differences(expected: Any, found: Any, place: str = "") -> list[str]:
    """Return where an answer is not as it should be."""
    if expected == "float":
        good = isinstance(found, float | int) and not isinstance(found, bool) and 0 <= found <= 1
        return [] if good else [f"{place}: {found!r} is no probability"]
    if isinstance(expected, dict) and isinstance(found, dict):
        wrong = [f"{place}.{name}: missing" for name in expected.keys() - found.keys()]
        wrong += [f"{place}.{name}: added" for name in found.keys() - expected.keys()]
        for name in expected.keys() & found.keys():
            wrong += differences(expected[name], found[name], f"{place}.{name}")
        return wrong
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [
            each
            for at, pair in enumerate(zip(expected, found, strict=True))
            for each in differences(*pair, f"{place}[{at}]")
        ]
    return [] if expected == found else [f"{place}: {found!r}, expected {expected!r}"]


@pytest.mark.parametrize("path", SHAPES, ids=lambda path: path.stem)
def test_a_recorded_shape(post: Any, path: Path) -> None:
    shape = json.loads(path.read_text(encoding="utf-8"))
    assert shape["source"].startswith("https://")
    code, answer = post(f"v1alpha1/comments:{shape['method']}?key=k", shape["request"])
    assert code == shape["status"]
    assert differences(shape["response"], answer) == []


def test_the_comparison_can_fail() -> None:
    assert differences({"a": "float"}, {"a": 2}) == [".a: 2 is no probability"]
    assert differences({"a": 1}, {"b": 1}) == [".a: missing", ".b: added"]
    assert differences([1], [1, 2])
    assert len(SHAPES) >= 18
