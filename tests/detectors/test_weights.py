"""Weights are found by entry point, and their absence is one sentence."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from tactful.detectors import weights
from tactful.detectors.load import embedded_cards, load_detector
from tactful.detectors.weights import find_weights, weights_folder, weights_roots
from tactful.errors import UsageError
from tactful.frames.embedded import framer_folder

WITHOUT_WEIGHTS = """
import sys
from importlib import metadata
from tactful.cli.main import main

every = metadata.entry_points
metadata.entry_points = lambda **wanted: every(**wanted, module="none")
main(sys.argv[1:])
"""
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
    table = tmp_path / "table.csv"
    table.write_text("comment,TOXICITY\nhello,0.4\n", encoding="utf-8")
    words = [str(table) if word == "TABLE" else word for word in command.split()]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_WEIGHTS, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", MISSING)
