"""Rules that the tests keep, so that a run says the same on every machine."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

TESTS = Path(__file__).resolve().parent
CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time"}

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


def broken_rules(source: str) -> list[str]:
    """Return what depends on the speed of the machine, with its line."""
    found: list[str] = []
    if not any(word in source for word in ("deadline", *CLOCKS)):
        return found
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.keyword) and node.arg == "deadline":
            found.append(f"line {node.value.lineno}: a deadline; tests/conftest.py sets none")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and _is_clock(node.left):
            found.append(f"line {node.lineno}: elapsed time; wait for an event instead")
    return found


def _is_clock(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in CLOCKS


def test_no_test_depends_on_the_speed_of_the_machine() -> None:
    # The first has the one profile, the second measures load for a benchmark, and the third, a slow
    # one, searches for the requests that take most CPU time.
    exempt = {
        TESTS / "conftest.py",
        TESTS / "annotation" / "web" / "load.py",
        TESTS / "service" / "test_worst_bodies.py",
    }
    modules = {*TESTS.rglob("*.py")} - exempt
    assert len(modules) > 400
    found = {
        path.relative_to(TESTS).as_posix(): broken_rules(path.read_text(encoding="utf-8"))
        for path in modules
    }
    assert {module: broken for module, broken in found.items() if broken} == {}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("@settings(max_examples=5, deadline=200)\ndef test(): ...", "line 1: a deadline"),
        ("assert time.monotonic() - began < 2", "line 1: elapsed time"),
        ("took = perf_counter() - began", "line 1: elapsed time"),
    ],
)
def test_a_broken_rule_is_found(source: str, message: str) -> None:
    assert [found.split(";")[0] for found in broken_rules(source)] == [message]


def test_a_limit_against_hanging_is_allowed() -> None:
    source = "left = end - time.monotonic()\nassert time.monotonic() < end, 'it hangs'"
    assert broken_rules(source) == []


def test_property_tests_have_no_deadline_and_are_reproducible() -> None:
    assert settings().deadline is None
    assert settings().derandomize


def test_numpy_computes_in_one_thread_unless_the_caller_wishes_more() -> None:
    """NumPy reads the number when it is imported: conftest.py must set it before."""
    import numpy as np  # noqa: F401 (in a run of this file alone, nothing else imports it)

    found = {
        each["num_threads"] for each in threadpool_info() if each["internal_api"] == "openblas"
    }
    assert found <= {int(os.environ["OMP_NUM_THREADS"])}


def test_a_child_hears_ctrl_c() -> None:
    script = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.strip() == b"True"


def test_a_child_hears_ctrl_c_although_the_tests_run_in_the_background() -> None:
    """A shell without job control ignores SIGINT for ``make test &``, and so do its children."""
    script = (
        "import signal, sys, pytest\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', sys.argv[1]]))\n"
    )
    test = f"{__file__}::{test_a_child_hears_ctrl_c.__name__}"
    done = subprocess.run(
        [sys.executable, "-c", script, test], cwd=TESTS.parent, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout.decode()[-2000:]


@pytest.mark.slow
def test_the_same_tests_are_collected_in_another_process_at_another_time(
    collected: list[str], pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    """pytest-xdist refuses to start when its workers collect different ids.

    Its workers have other hash seeds in each fast run; this one also has another day.
    """
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
