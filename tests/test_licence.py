"""Each distribution states the licence of its content; Tactful's has only open models."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
import yaml

import tactful
from tactful.detectors.card import read_card

ROOT = Path(__file__).resolve().parents[1]
LAB = ROOT / "lab"
RESEARCH = ROOT / "weights-research"
WEIGHTS = RESEARCH / "src" / "tactful_weights_research"
TERMS = {
    ROOT: "Apache-2.0",
    LAB: "Apache-2.0",
    RESEARCH: "LicenseRef-Tactful-Research-Weights",
}
FILES = {ROOT: ["LICENSE"], LAB: ["LICENSE"], RESEARCH: ["LICENSE"]}
LANGUAGE_TABLE = "tactful/documents/language.npz"
"""The only learnt file in the wheel of Tactful outside the folder of weights."""
FOLDERS = sorted(card.parent for card in WEIGHTS.glob("*/card.json"))
OPEN_WEIGHTS = ROOT / "src" / "tactful" / "weights"
OPEN_FOLDERS = sorted(card.parent for card in OPEN_WEIGHTS.glob("*/card.json"))
ANY_USE = {"CC0", "CC BY 3.0", "CC BY 4.0", "MIT", "CDLA-Permissive 2.0", "public domain"}
MOST_MB = 80
"""How much all weights together may have in the tree."""
LEARNT = {".npz", ".onnx", ".safetensors"}
"""The suffixes of files that a training writes."""
LARGEST_MB = {ROOT: 35, LAB: 1, RESEARCH: 100}


@pytest.mark.parametrize("folder", TERMS, ids=lambda folder: folder.name)
def test_the_metadata_names_the_licence(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == TERMS[folder]
    assert project["license-files"] == FILES[folder]
    assert all((folder / file).is_file() for file in FILES[folder])


def test_the_lab_is_under_the_licence_of_tactful() -> None:
    assert (LAB / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_lab_has_the_version_of_tactful() -> None:
    project = tomllib.loads((LAB / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == tactful.__version__
    assert project["dependencies"] == [f"tactful[stats]=={tactful.__version__}"]


def test_the_source_archive_of_tactful_leaves_the_weights_out() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    included = tool["hatch"]["build"]["targets"]["sdist"]["include"]
    # A name without a slash matches in every folder: "src" would match weights-research/src.
    assert [name for name in included if not name.startswith("/")] == []
    assert [name for name in included if name.startswith("/weights")] == []


def test_the_weights_are_there() -> None:
    assert {"default-en", "default-es"} <= {folder.name for folder in FOLDERS}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_licence_of_the_weights_names_what_each_model_learnt_from(folder: Path) -> None:
    text = (RESEARCH / "LICENSE").read_text(encoding="utf-8")
    card = read_card(folder)
    sections = [part for part in text.split("\n\n") if folder.name in part.splitlines()[0]]
    assert len(sections) == 1, f"name {folder.name} once in weights-research/LICENSE"
    named = [f"- {corpus['name']}: {corpus['terms']}" for corpus in card.corpora]
    assert [line for line in named if line not in sections[0].splitlines()] == []
    if not card.corpora:
        assert card.licence in sections[0]


def test_the_open_weights_are_there() -> None:
    assert {"open-en", "open-fast-en", "open-cascade-en", "frames-en"} <= {
        each.name for each in OPEN_FOLDERS
    }


@pytest.mark.parametrize("folder", OPEN_FOLDERS, ids=lambda folder: folder.name)
def test_open_weights_learnt_from_what_allows_any_use(folder: Path) -> None:
    card = read_card(folder)
    page = (OPEN_WEIGHTS / "README.md").read_text(encoding="utf-8")
    assert card.licence.startswith("Apache-2.0")
    assert card.corpora
    for corpus in card.corpora:
        terms = corpus["terms"].partition(" (")[0].split(" and ")
        assert set(terms) <= ANY_USE
        assert f"- {corpus['name']}: {corpus['terms']}\n" in page


def test_the_weights_are_small_together() -> None:
    files = [*WEIGHTS.rglob("*"), *OPEN_WEIGHTS.rglob("*")]
    learnt = [path for path in files if path.is_file() and path.suffix != ".pyc"]
    assert sum(path.stat().st_size for path in learnt) / 2**20 <= MOST_MB


@pytest.mark.parametrize(
    "page", ["README.md", "docs/model-cards.md", "docs/detectors.md", "weights-research/README.md"]
)
def test_the_pages_say_so_too(page: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert "tactful[research]" in text or "tactful-weights-research" in text
    assert "research and non-commercial" in text


def test_the_citation_says_so_too() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert yaml.safe_load(text)["license"] == "Apache-2.0"
    assert "weights-research/LICENSE" in text


def built(folder: Path, target: Path) -> tuple[Message, list[str], float]:
    """Build a wheel as pip does; return its metadata, the names of its files and its megabytes."""
    source = target / "source"
    shutil.copytree(folder / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", *FILES[folder]):
        shutil.copy(folder / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    (wheel,) = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        (place,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(file.read(place).decode("utf-8"))
    return metadata, names, wheel.stat().st_size / 1e6


@pytest.mark.slow
@pytest.mark.parametrize("folder", TERMS, ids=lambda folder: folder.name)
def test_the_wheel_states_and_contains_its_licence(folder: Path, tmp_path: Path) -> None:
    metadata, names, megabytes = built(folder, tmp_path)
    assert metadata["License-Expression"] == TERMS[folder]
    assert metadata.get_all("License-File") == FILES[folder]
    for file in FILES[folder]:
        assert any(name.endswith(f".dist-info/licenses/{file}") for name in names)
    assert megabytes < LARGEST_MB[folder]
    learnt = {name for name in names if Path(name).suffix in LEARNT}
    if folder == ROOT:
        own = ("tactful/weights/open-", "tactful/weights/embeddings-", "tactful/weights/frames-")
        others = {name for name in learnt if not name.startswith(own)}
        assert others == {LANGUAGE_TABLE}
        assert "tactful/weights/open-encoder-en/model.onnx" in learnt
        assert not any(name.startswith("tactful_lab/") for name in names)
    elif folder == LAB:
        assert learnt == set()
        assert "tactful_lab/evaluation/reproduce/tables/detests.yaml" in names
        assert {f"tactful_lab/simulation/{each}.yaml" for each in ("rates", "fits")} <= set(names)
    else:
        assert {Path(name).parent.name for name in learnt} >= {"encoder-en", "encoder-es"}
        assert any(name.endswith(".dist-info/entry_points.txt") for name in names)
