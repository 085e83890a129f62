"""Weights are found by entry point, and their absence is one sentence."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from tactful.detectors import weights
from tactful.detectors.load import embedded_cards, embedded_folders, load_detector
from tactful.detectors.weights import find_weights, weights_folder, weights_roots
from tactful.errors import UsageError
from tactful.frames.embedded import framer_folder

OPEN_ONLY = """
import sys
from importlib import metadata
from pathlib import Path
from tactful.cli.main import main
from tactful.detectors import weights

every = metadata.entry_points
metadata.entry_points = lambda **wanted: every(**wanted, module="none")
"""
RUN = "main(sys.argv[1:])"
WITHOUT_WEIGHTS = f"{OPEN_ONLY}weights.OWN_FOLDER = Path('none')\n{RUN}"
INSULT = "You-are-a-fool."
MISSING = (
    "Error: No model is installed; run: pip install tactful-weights-research (non-commercial), "
    "or pass --model FOLDER.\n"
)


@pytest.fixture
def announce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder of packages that is the only one on the path."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(weights, "OWN_FOLDER", tmp_path / "own")
    monkeypatch.setattr(weights, "weights_roots", weights_roots.__wrapped__)
    return tmp_path


def install(folder: Path, name: str, target: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        f"[tactful.weights]\n{name} = {target}\n", encoding="utf-8"
    )


def test_the_research_weights_announce_themselves() -> None:
    (entry,) = metadata.entry_points(group="tactful.weights", name="research")
    assert entry.load() in weights_roots()
    assert (weights_folder("default-en") / "card.json").is_file()


def test_a_package_can_bring_weights_and_our_own_come_first(announce: Path) -> None:
    (announce / "their_weights.py").write_text(
        "from pathlib import Path\nFOLDER = Path(__file__).parent / 'theirs'\n", encoding="utf-8"
    )
    install(announce, "theirs", "their_weights:FOLDER")
    for place in ("own/a", "theirs/a", "theirs/b"):
        (announce / place).mkdir(parents=True)
    assert find_weights("a") == announce / "own" / "a"
    assert weights_folder("b") == announce / "theirs" / "b"
    assert weights_folder("c", Path("shared")) == Path("shared/c")
    with pytest.raises(UsageError, match=r"^The model 'c' is not installed; run: pip install"):
        weights_folder("c")


def test_a_package_that_cannot_be_imported_is_named(announce: Path) -> None:
    install(announce, "broken", "no_such_module_of_weights:FOLDER")
    with pytest.raises(UsageError, match=r"'broken' cannot be imported .* reinstall it"):
        find_weights("a")


def test_without_weights_nothing_is_listed(announce: Path) -> None:
    assert embedded_cards() == []
    assert framer_folder("en") is None
    with pytest.raises(UsageError, match=r"^No model is installed; run: pip install"):
        load_detector("fast")


def test_an_open_model_is_used_instead(announce: Path) -> None:
    for name in ("open-en", "open-fast-en"):
        (announce / "own" / name).mkdir(parents=True)
    assert find_weights("default-en") == announce / "own" / "open-en"
    assert find_weights("cascade-en") is None
    assert embedded_folders("fast") == {"en": announce / "own" / "open-fast-en"}
    shared = announce / "shared"
    (shared / "open-en").mkdir(parents=True)
    assert weights_folder("default-en", shared) == shared / "open-en"


def test_the_research_models_come_first() -> None:
    assert weights_folder("default-en").name == "default-en"
    assert set(embedded_folders("default")) == set(embedded_folders("fast")) == {"en", "es"}
    assert {lang: each.name for lang, each in embedded_folders("open").items()} == {"en": "open-en"}
    with pytest.raises(UsageError, match="no embedded detector 'open' for the language 'es'"):
        embedded_folders("open", ["en", "es"])


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"check --text {INSULT} --format json", '"model": "open-en'),
        (f"check --model fast --text {INSULT} --format json", '"model": "open-fast-en'),
        ("score TABLE -o scored.csv -t comment", ""),
        ("doctor", "open-en"),
    ],
)
def test_the_open_models_are_enough(command: str, said: str, tmp_path: Path) -> None:
    done = run(OPEN_ONLY + RUN, command, tmp_path)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
    assert "research" not in done.stderr


def test_spanish_needs_the_research_models(tmp_path: Path) -> None:
    done = run(OPEN_ONLY + RUN, "check --text hola --lang es", tmp_path)
    assert done.returncode == 2
    assert done.stderr == MISSING.replace("No model is", "The model 'default-es' is not")


def run(code: str, command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    table = folder / "table.csv"
    table.write_text("comment,TOXICITY\nhello,0.4\n", encoding="utf-8")
    words = [str(table) if word == "TABLE" else word for word in command.split()]
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    "command",
    [
        "check --text hello",
        "check --text hola --lang es",
        "check --model fast TABLE",
        "score TABLE -o scored.csv -t comment",
        "frame --text hello",
        "serve --port 0",
        "audit sentiment --model tactful:default",
        "calibrate TABLE --attribute TOXICITY --old-threshold 0.8",
    ],
)
def test_a_command_without_a_model_says_how_to_get_one(command: str, tmp_path: Path) -> None:
    done = run(WITHOUT_WEIGHTS, command, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", MISSING)
