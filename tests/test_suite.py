"""Rules that the tests keep, so that a run says the same on every machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# Collects in a process with another clock, and writes the ids to the file named first.
COLLECT_TOMORROW = """
import json, sys, time
from pathlib import Path
import pytest

now = time.time
time.time = lambda: now() + 86_400

class Ids:
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items):
        Path(sys.argv[1]).write_text(json.dumps([item.nodeid for item in items]))

options = ["--collect-only", "--quiet", "--assert=plain", "-p", "no:cacheprovider"]
sys.exit(pytest.main([*options, *sys.argv[2:]], plugins=[Ids()]))
"""


def test_the_same_tests_are_collected_in_another_process_at_another_time(
    collected: list[str], pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    """pytest-xdist refuses to start when its workers collect different ids."""
    ids = tmp_path / "ids.json"
    done = subprocess.run(
        [sys.executable, "-c", COLLECT_TOMORROW, str(ids), *pytestconfig.args],
        cwd=pytestconfig.invocation_params.dir,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    there = json.loads(ids.read_text())
    assert sorted({*collected} ^ {*there}) == []
    assert collected == there
