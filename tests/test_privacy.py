"""Nothing is noted about a user, and nothing is sent: also not by the libraries that we load."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def files_after(home: Path, program: str, **environment: str) -> list[str]:
    """Run a program with a home of its own; return what it left there."""
    home.mkdir()
    known = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    known.pop("ORT_DISABLE_TELEMETRY", None)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**known, "HOME": str(home), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ["default", "cascade"])
def test_reading_a_text_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    program = (
        "import tactful\n"
        f"tactful.load_detector({name!r}).check('They also have the right to love.')\n"
    )
    assert files_after(tmp_path / "home", program) == []


def test_whoever_wants_the_telemetry_of_onnxruntime_can_have_it(tmp_path: Path) -> None:
    program = "import os, tactful; assert os.environ['ORT_DISABLE_TELEMETRY'] == '0'"
    files_after(tmp_path / "home", program, ORT_DISABLE_TELEMETRY="0")
