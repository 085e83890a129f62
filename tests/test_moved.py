"""The import paths of version 0.1 still work, and say what to write instead."""

import subprocess
import sys
from importlib import import_module

import pytest

from tactful.moved import MOVED


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_name_is_the_new_module(old: str, new: str) -> None:
    if new.startswith("training"):
        pytest.importorskip("torch")
    sys.modules.pop(f"tactful.{old}", None)
    with pytest.warns(DeprecationWarning, match=f"'tactful.{old}' is now 'tactful.{new}'"):
        found = import_module(f"tactful.{old}")
    assert found is import_module(f"tactful.{new}")


@pytest.mark.parametrize(
    "line",
    [
        "from tactful.detectors.adapters import pipeline",
        "from tactful.detectors.documents import document_of, read_document",
        "from tactful.annotation.load import load_protocol",
        "from tactful.annotation.project import NewItem, Project",
        "from tactful.annotation.state import State",
        "from tactful.audit.probes import load_probe",
        "from tactful.scale import TableScorer",
    ],
)
def test_what_the_documentation_of_0_1_imports(line: str) -> None:
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_another_name_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("tactful.detectors.nothing_of_this_name")
