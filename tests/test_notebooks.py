"""The notebooks under ``examples/``: every cell runs, in order, in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.ipynb"))
SAYS = {
    "corpora": ["comments,", "alpha ", "AUC ", "are unsure", "SVM-BoW", " rows"],
    "detectors": ["pcl ", "The bus was late."],
}
"""What a notebook prints, among other things."""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    book = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] for cell in cells), "clear the outputs before a commit"
    script = tmp_path / "cells.py"
    script.write_text("\n\n".join("".join(cell["source"]) for cell in cells), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script], check=False, capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    for words in SAYS[path.stem]:
        assert words in done.stdout


def test_there_are_notebooks() -> None:
    assert {path.stem for path in NOTEBOOKS} == set(SAYS)
