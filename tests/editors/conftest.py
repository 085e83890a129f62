"""The editors that the tests start, and the VS Code extension, built once for all tests."""

import os
import shutil
from pathlib import Path

import pytest
from tests.editors.neovim import Neovim
from tests.editors.npm import run_with_npm

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def vsix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the extension as ``make vscode`` does, outside the clone."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    folder = tmp_path_factory.mktemp("vscode")
    built = folder / "tactful.vsix"
    said = run_with_npm(
        ["make", "vscode", f"VSCODE_BUILD={folder / 'build' / 'vscode'}", f"VSIX={built}"], cwd=ROOT
    )
    if said.startswith("Skipped:"):
        pytest.skip(said.strip())
    return built


@pytest.fixture
def neovim(tmp_path: Path) -> Neovim:
    """Return the Neovim of $TACTFUL_NVIM or of the path, or skip the test, saying so."""
    program = os.environ.get("TACTFUL_NVIM") or shutil.which("nvim")
    if program is None:
        pytest.skip("Neovim is not installed")
    return Neovim(tmp_path, program)
