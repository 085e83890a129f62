"""The wheel alone, in a new environment: every core command runs, and the rest names its extra."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest
from tests.core_commands import CORE_COMMANDS, MISSING_EXTRAS, files

from tactful.libraries import EXTRAS

ROOT = Path(__file__).parents[1]
MOST_BYTES = 300_000_000
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


def run(*command: str | Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


@pytest.mark.slow
def test_the_bare_wheel_runs_every_core_command(tmp_path: Path) -> None:
    wheels, work, place = tmp_path / "wheels", tmp_path / "work", tmp_path / "venv"
    work.mkdir()
    for name, text in files().items():
        (work / name).write_text(text, encoding="utf-8")
    built = run(sys.executable, *PIP, "wheel", "--no-deps", "-w", wheels, ROOT, folder=tmp_path)
    assert built.returncode == 0, built.stderr
    (wheel,) = wheels.glob("tactful-*.whl")
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    limits = ("-c", ROOT / "constraints.txt")
    done = run(python, *PIP, "install", *limits, wheel, folder=work)
    assert done.returncode == 0, done.stderr

    for name in EXTRAS:
        assert run(python, "-c", f"import {name}", folder=work).returncode == 1
    site = next((place / "lib").glob("python*/site-packages"))
    files_of_pip = {*site.glob("pip/**/*"), *site.glob("pip-*/**/*")}
    parts = [path for path in site.rglob("*") if path.is_file() and path not in files_of_pip]
    assert sum(path.stat().st_size for path in parts) <= MOST_BYTES

    for args, expected in CORE_COMMANDS:
        done = run(place / "bin" / "tactful", *args, folder=work)
        assert done.returncode in (0, 1), (args, done.stderr)
        assert expected in done.stdout + done.stderr, args
        assert "Error" not in done.stderr, (args, done.stderr)
    for args, extra in [*MISSING_EXTRAS, (("serve",), "serve"), (("lsp",), "lsp")]:
        done = run(place / "bin" / "tactful", *args, folder=work)
        assert done.returncode == 2, args
        assert f'pip install "tactful[{extra}]"' in done.stderr, args
