"""The GitHub Action and the GitLab template: their scripts run here, with a real check."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from tactful.cli.main import cli

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GITLAB: dict[str, Any] = yaml.safe_load(
    (ROOT / "ci-templates" / "gitlab.yml").read_text(encoding="utf-8")
)
CHECK = ACTION["runs"]["steps"][-1]
PHRASES = ROOT / "tests" / "phrase_detector.py"
BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with two files, and a ``tactful`` that knows the phrases of the tests."""
    commands = tmp_path / "bin"
    commands.mkdir()
    program = commands / "tactful"
    program.write_text(
        f"#!{sys.executable}\nimport runpy, sys\nimport tactful.checking.checker as room\n"
        f"detector = runpy.run_path({str(PHRASES)!r})['PhraseDetector']\n"
        "room.opened_detector = lambda *_, **__: detector()\n"
        "from tactful.cli.main import main\nmain(sys.argv[1:])\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    folder = tmp_path / "project"
    (folder / "my docs").mkdir(parents=True)
    (folder / "my docs" / "a.md").write_text("Even they hope.\n", encoding="utf-8")
    (folder / "b.md").write_text("Poor souls.\n", encoding="utf-8")
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    for step in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *step], cwd=folder, check=True, timeout=600)
    return folder


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    assert BASH is not None
    return subprocess.run(
        [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip


def act(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the last step of the action, with its inputs as GitHub fills them in."""
    given = {name: str(each["default"]) for name, each in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    variables = {}
    for name, value in CHECK["env"].items():
        found = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)
        variables[name] = given[found[1]] if found else given.get("base", "")
    return run(CHECK["run"], folder, GITHUB_WORKSPACE=str(folder), **variables)


def test_annotations_of_the_whole_project(project: Path) -> None:
    done = act(project)
    assert done.returncode == 0, done.stderr
    assert "::warning file=b.md,line=1," in done.stdout
    assert "::warning file=my docs/a.md,line=1," in done.stdout


def test_paths_are_lines(project: Path) -> None:
    done = act(project, paths="my docs\n\n", fail_on="0.8")
    assert done.returncode == 1
    assert "b.md" not in done.stdout
    assert "Failed: 1 finding has at least the confidence 0.8." in done.stderr


def test_inputs_are_no_script(project: Path) -> None:
    act(project, paths='$(touch stolen)"; touch stolen; "', only="`touch stolen`")
    act(project, diff="--output=stolen")
    act(project, baseline="$(touch stolen)")
    assert not (project / "stolen").exists()
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_only_what_a_pull_request_changes(project: Path) -> None:
    base = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=project, check=True, capture_output=True, text=True
    ).stdout.strip()
    (project / "b.md").write_text("Poor souls.\n\nLog off.\n", encoding="utf-8")
    done = act(project, diff="pull-request", base=base)
    assert done.returncode == 0, done.stderr
    assert "line=3" in done.stdout
    assert "line=1" not in done.stdout
    assert act(project, diff="pull-request", base="").returncode == 0


def test_a_commit_that_cannot_be_fetched_fails(project: Path) -> None:
    done = act(project, diff="0" * 40)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr


def test_a_report_in_a_file(project: Path) -> None:
    assert act(project, format="sarif", output="tactful.sarif").returncode == 0
    assert (project / "tactful.sarif").is_file()


def test_gitlab(project: Path) -> None:
    job = GITLAB["tactful"]
    variables = {name: str(value) for name, value in job["variables"].items()}
    (script,) = job["script"]
    done = run(script, project, **variables)
    assert done.returncode == 0, done.stderr
    assert (project / job["artifacts"]["paths"][0]).is_file()
    done = run(script, project, **{**variables, "CHECK_PATHS": "b.md *.md", "CHECK_FAIL_ON": "0.8"})
    assert "There is no file or folder '*.md'" in done.stderr
    done = run(script, project, **{**variables, "CHECK_PATHS": "b.md", "CHECK_FAIL_ON": "0.8"})
    assert done.returncode == 1
    assert "b.md:1:1: patronizing: compassion [pcl]: very likely, 0.88" in done.stderr
    (project / "tactful.html").unlink()  # Git does not know it, so it would be new
    done = run(script, project, **variables, CI_MERGE_REQUEST_DIFF_BASE_SHA="HEAD")
    assert "No findings" in done.stdout


def test_every_option_exists() -> None:
    command = cli.get_command(click.Context(cli), "check")
    assert command is not None
    known = {name for each in command.params for name in each.opts}
    for script in (CHECK["run"], GITLAB["tactful"]["script"][0]):
        check = script.replace("--verify --quiet --end-of-options", "")
        used = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", check)) - {
            "--quiet",
            "--no-tags",
            "--depth",
        }
        assert used <= known


def test_every_input_is_described() -> None:
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    assert all(each["description"] for each in ACTION["inputs"].values())
    assert "ci-templates/gitlab.yml" in page
