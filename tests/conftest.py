"""What the tests of several rooms share: the authors' own files, and copies of the samples."""

import os
import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from tactful.corpora import CORPORA


@pytest.fixture
def data_folder() -> Callable[[str], Path]:
    """Return the folder of a corpus in $TACTFUL_DATA, or skip the test, saying so."""

    def find(corpus: str) -> Path:
        root = os.environ.get("TACTFUL_DATA")
        if not root:
            pytest.skip("TACTFUL_DATA is unset: the authors' own files are not here")
        folder = Path(root) / CORPORA.get(corpus).folder
        if not folder.is_dir():
            pytest.skip(f"TACTFUL_DATA has no folder '{folder.name}'")
        return folder

    return find


@pytest.fixture
def sample_copy(tmp_path: Path) -> Callable[[str], Path]:
    """Return a copy of a corpus' sample that a test may change."""

    def copy(corpus: str) -> Path:
        source = Path(str(resources.files("tactful.corpora") / "samples" / corpus))
        return Path(shutil.copytree(source, tmp_path / corpus))

    return copy
