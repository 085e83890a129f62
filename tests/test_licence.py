"""The package says under which terms its code and its weights come."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
import yaml

from tactful.detectors.card import read_card

ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = ROOT / "src" / "tactful" / "weights"
EXPRESSION = "Apache-2.0 AND LicenseRef-Tactful-Research-Weights"
FILES = ["LICENSE", "src/tactful/weights/LICENSE"]
FOLDERS = sorted(card.parent for card in WEIGHTS.glob("*/card.json"))


def test_the_metadata_names_both_licences() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == EXPRESSION
    assert project["license-files"] == FILES
    assert all((ROOT / file).is_file() for file in FILES)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_licence_of_the_weights_names_what_each_model_learnt_from(folder: Path) -> None:
    text = (WEIGHTS / "LICENSE").read_text(encoding="utf-8")
    card = read_card(folder)
    sections = [part for part in text.split("\n\n") if folder.name in part.splitlines()[0]]
    assert len(sections) == 1, f"name {folder.name} once in src/tactful/weights/LICENSE"
    named = [f"- {corpus['name']}: {corpus['terms']}" for corpus in card.corpora]
    assert [line for line in named if line not in sections[0].splitlines()] == []
    if not card.corpora:
        assert card.licence in sections[0]


@pytest.mark.parametrize("page", ["README.md", "docs/model-cards.md", "docs/detectors.md"])
def test_the_pages_say_so_too(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "weights/LICENSE" in text
    assert "research and non-commercial" in " ".join(text.split())


def test_the_citation_says_so_too() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert yaml.safe_load(text)["license"] == "Apache-2.0"
    assert "src/tactful/weights/LICENSE" in text


@pytest.mark.slow
def test_the_wheel_says_so(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    # Built as a user's pip builds it: in an environment of its own, with hatchling from the index.
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "-w",
        str(tmp_path / "dist"),
        str(source),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        (place,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(file.read(place).decode("utf-8"))
    assert metadata["License-Expression"] == EXPRESSION
    assert metadata.get_all("License-File") == FILES
    info = place.removesuffix("METADATA")
    assert {f"{info}licenses/{file}" for file in FILES} <= set(names)
    assert "tactful/weights/LICENSE" in names
