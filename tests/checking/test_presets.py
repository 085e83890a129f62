"""Presets: valid options with a reason; the project and the command line come first."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.phrase_detector import PhraseDetector

from tactful.checking.checker import Checker
from tactful.checking.options import (
    KEYS,
    LEAST,
    PRESETS,
    CheckOptions,
    Configuration,
    read_configuration,
)
from tactful.checking.presets import load_presets, with_preset
from tactful.detectors.load import embedded_cards
from tactful.errors import UnknownNameError
from tactful.taxonomies import taxonomy_names

PAGE = Path(__file__).parents[2] / "docs" / "check.md"


def test_the_file_has_the_presets_that_are_offered() -> None:
    assert tuple(load_presets()) == PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_valid_project_file(name: str, tmp_path: Path) -> None:
    preset = load_presets()[name]
    assert set(preset) <= {*KEYS, "reason"} - {"preset", "model"}
    lines = [
        f"{key} = {str(value) if isinstance(value, float | list) else repr(value)}"
        for key, value in preset.items()
        if key != "reason"
    ]
    path = tmp_path / "tactful.toml"
    path.write_text("\n".join(lines).replace("'", '"'), encoding="utf-8")
    own = read_configuration(path)
    found = with_preset(Configuration(), name)
    for key in set(preset) - {"reason"}:
        assert getattr(own, key) == getattr(found, key) != getattr(Configuration(), key)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_documented_with_its_reason(name: str) -> None:
    preset = load_presets()[name]
    (row,) = [
        line
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith(f"| `{name}` |")
    ]
    assert preset["reason"] in row
    shown = [*preset.get("only", ()), *preset.get("exclude", ()), preset.get("least", LEAST)]
    shown += [preset.get("fail_on", "none"), preset.get("frames", "")]
    assert all(str(each) in row for each in shown)


def test_every_id_is_known_to_a_taxonomy_or_a_detector() -> None:
    known = {*taxonomy_names(), *(each for card in embedded_cards() for each in card.ids)}
    for preset in load_presets().values():
        assert set(preset.get("only", ())) <= known


def test_the_project_comes_first() -> None:
    project = Configuration(preset="docs", least=0.1, exclude=("mine",), frames="groups")
    found = with_preset(project)
    assert (found.least, found.frames, found.fail_on) == (0.1, "groups", 0.85)
    assert found.exclude[-1] == "mine"
    assert "CHANGELOG*" in found.exclude
    assert with_preset(project, "charity").only == ("pcl", "stereotype", "term")
    assert with_preset(replace(project, preset=None)).fail_on is None


def test_ids_that_a_detector_cannot_find_are_left_out() -> None:
    project = with_preset(Configuration(), "comments")
    options = project.options(model=PhraseDetector())
    assert Checker(options).options.only == ("unhealthy", "frame")


@pytest.mark.parametrize("name", ["newsroom", "charity"])
def test_style_guides_hold_for_those_who_write_about_people(name: str) -> None:
    options = with_preset(Configuration(), name).options(model=PhraseDetector())
    (found,) = Checker(options).check("She was confined to a wheelchair.").findings
    assert found.id == "term.disability"


def test_a_mistake_in_own_ids_is_still_named() -> None:
    project = with_preset(Configuration(only=("pcl", "nothing")), "charity")
    with pytest.raises(Exception, match="nothing"):
        Checker(project.options(model=PhraseDetector()))
    with pytest.raises(UnknownNameError, match="nothing"):
        Checker(CheckOptions(model=PhraseDetector(), only=("nothing",)))
