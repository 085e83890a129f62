"""The import paths of version 0.1 still work, and say what to write instead."""

import subprocess
import sys
from importlib import import_module

import pytest

from tactful.moved import MOVED


def python(*args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *args], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_name_is_the_new_module(old: str, new: str) -> None:
    sys.modules.pop(f"tactful.{old}", None)
    with pytest.warns(DeprecationWarning, match=f"'tactful.{old}' is now 'tactful.{new}'"):
        found = import_module(f"tactful.{old}")
    assert found is import_module(f"tactful.{new}")


def test_old_names_are_the_modules_of_the_lab() -> None:
    script = (
        "import warnings\n"
        "from importlib import import_module\n"
        "from tactful.moved import MOVED_TO_LAB\n"
        "for old, new in MOVED_TO_LAB.items():\n"
        "    with warnings.catch_warnings(record=True) as said:\n"
        "        warnings.simplefilter('always')\n"
        "        found = import_module(f'tactful.{old}')\n"
        "    assert found.__doc__ == import_module(f'tactful_lab.{new}').__doc__, old\n"
        "    now = f\"'tactful.{old}' is now 'tactful_lab.{new}'\"\n"
        "    assert any(now in str(each.message) for each in said), old\n"
        "import tactful, tactful_lab.evaluation.reproduce.papers as new\n"
        "from tactful.evaluation.reproduce.papers import Reproduction\n"
        "assert Reproduction is new.Reproduction\n"
        "assert tactful.evaluation.reproduce.papers is new\n"
    )
    done = python("-c", script)
    assert done.returncode == 0, done.stderr


def test_without_the_lab_an_old_name_says_what_to_install() -> None:
    line = "import sys; sys.modules['tactful_lab'] = None; import tactful.evaluation.tasks"
    done = python("-c", line)
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: 'tactful.evaluation' is now 'tactful_lab.evaluation'; install it "
        'with: pip install "tactful[lab]"'
    )


def test_what_the_documentation_of_0_1_imports() -> None:
    lines = (
        "from tactful.detectors.adapters import pipeline",
        "from tactful.detectors.documents import document_of, read_document",
        "from tactful.annotation.load import load_protocol",
        "from tactful.annotation.project import NewItem, Project",
        "from tactful.annotation.state import State",
        "from tactful.audit.probes import load_probe",
        "from tactful.scale import TableScorer",
    )
    done = python("-c", "\n".join(lines))
    assert done.returncode == 0, done.stderr


def test_another_name_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("tactful.detectors.nothing_of_this_name")
