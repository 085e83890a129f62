"""Starting stays fast because nothing heavy is loaded (times: benchmarks/results/startup.md)."""

import json
import subprocess
import sys
from functools import cache

LIBRARIES = ("polars", "numpy", "pydantic", "yaml", "rich", "matplotlib", "python_calamine")
MOST_MODULES = 41
"""How many modules of Tactful a check may load."""
HELP = """
from tactful.cli.main import main
try:
    main(["--help"])
except SystemExit as end:
    assert end.code == 0
"""


@cache
def modules_after(code: str) -> set[str]:
    """Run ``code`` in a fresh interpreter and return the names of all loaded modules."""
    script = f"{code}\nimport json, sys\nprint()\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=600
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_tactful_loads_no_library() -> None:
    assert modules_after("import tactful").isdisjoint({*LIBRARIES, "click"})


def test_help_loads_no_library() -> None:
    loaded = modules_after(HELP)
    assert "click" in loaded
    assert loaded.isdisjoint(LIBRARIES)


def test_help_loads_no_command() -> None:
    commands = {name for name in modules_after(HELP) if name.startswith("tactful.cli.")}
    assert commands == {"tactful.cli.main"}


def test_neither_searches_for_weights() -> None:
    for code in ("import tactful", HELP):
        assert "tactful.detectors.weights" not in modules_after(code)


def test_a_check_loads_few_modules() -> None:
    code = HELP.replace('"--help"', '"check", "--no-config", "--text", "The bridge opens today."')
    own = {name for name in modules_after(code) if name.startswith("tactful.")}
    assert "tactful.checking.checker" in own
    assert not {name for name in own if name.startswith(("tactful.metrics", "tactful.taxonomies"))}
    assert len(own) <= MOST_MODULES


def test_the_check_itself_sees_a_library() -> None:
    assert "yaml" in modules_after("import yaml")
