"""The import paths of version 0.1 still work, and say what to write instead."""

import subprocess
import sys
from importlib import import_module

import pytest

from tactful.moved import MOVED, MOVED_TO_LAB


def python(*args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *args], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_name_is_the_new_module(old: str, new: str) -> None:
    sys.modules.pop(f"tactful.{old}", None)
    with pytest.warns(DeprecationWarning, match=f"'tactful.{old}' is now 'tactful.{new}'"):
        found = import_module(f"tactful.{old}")
    assert found is import_module(f"tactful.{new}")


@pytest.mark.parametrize(("old", "new"), MOVED_TO_LAB.items())
def test_an_old_name_is_the_module_of_the_lab(old: str, new: str) -> None:
    line = (
        f"import tactful.{old} as old, tactful_lab.{new} as new; assert old.__doc__ == new.__doc__"
    )
    done = python("-W", "always", "-c", line)
    assert done.returncode == 0, done.stderr
    assert f"DeprecationWarning: 'tactful.{old}' is now 'tactful_lab.{new}'" in done.stderr


def test_a_module_in_a_moved_package_is_loaded_once() -> None:
    line = (
        "import tactful, tactful_lab.evaluation.reproduce.papers as new; "
        "from tactful.evaluation.reproduce.papers import Reproduction; "
        "assert Reproduction is new.Reproduction; "
        "assert tactful.evaluation.reproduce.papers is new"
    )
    done = python("-c", line)
    assert done.returncode == 0, done.stderr


def test_without_the_lab_an_old_name_says_what_to_install() -> None:
    line = "import sys; sys.modules['tactful_lab'] = None; import tactful.evaluation.tasks"
    done = python("-c", line)
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: 'tactful.evaluation' is now 'tactful_lab.evaluation'; install it "
        'with: pip install "tactful[lab]"'
    )


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
    done = python("-c", line)
    assert done.returncode == 0, done.stderr


def test_another_name_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("tactful.detectors.nothing_of_this_name")
