"""``tactful check --baseline`` and ``--diff``: what is left out counts for nothing."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tactful.cli.main import cli, main
from tactful.cli.progress import Progress
from tactful.errors import EXIT_FAILURE, EXIT_USAGE

pytestmark = pytest.mark.usefixtures("phrases")
LETTER = "Dear friends,\n\nEven they hope.\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    Path("letter.md").write_text(LETTER, encoding="utf-8")
    return tmp_path


def check(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments])


def test_known_findings_are_silent_and_do_not_fail() -> None:
    assert check("letter.md", "--fail-on", "0").exit_code == EXIT_FAILURE
    first = check("letter.md", "--baseline", "base.json", "--update-baseline", "--fail-on", "0")
    assert first.exit_code == 0
    assert first.stderr == "Wrote base.json: 1 entry.\n"
    again = check("letter.md", "--baseline", "base.json", "--fail-on", "0")
    assert (again.exit_code, again.stderr) == (0, "")
    assert again.stdout == "No findings in 2 passages; 1 known from the baseline.\n"
    Path("letter.md").write_text(f"{LETTER}\nPoor souls.\n", encoding="utf-8")
    more = check("letter.md", "--baseline", "base.json", "--fail-on", "0", "--format", "json")
    assert more.exit_code == EXIT_FAILURE
    report = json.loads(more.stdout)
    assert report["summary"]["known"] == report["documents"][0]["known"] == 1
    assert [each["line"] for each in report["documents"][0]["findings"]] == [5]


def test_a_stale_baseline_is_said_on_standard_error() -> None:
    check("letter.md", "--baseline", "base.json", "--update-baseline")
    Path("letter.md").write_text("Dear friends,\n", encoding="utf-8")
    result = check("letter.md", "--baseline", "base.json")
    assert result.exit_code == 0
    assert result.stderr.startswith("base.json: 1 entry was not found in this run;")


def test_the_project_names_its_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tactful.toml").write_text('baseline = "base.json"\n', encoding="utf-8")
    Path("docs").mkdir()
    monkeypatch.chdir("docs")
    assert check("../letter.md", "--update-baseline").exit_code == 0
    assert Path("../base.json").is_file()
    assert "1 known" in check("../letter.md").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["letter.md", "--update-baseline"], "together with --baseline"),
        (["letter.md", "--baseline", "nowhere.json"], "no baseline"),
        (["letter.md", "--diff", "HEAD"], "not in a Git repository"),
        (["letter.md", "--diff", "--staged"], "expected a commit"),
        (["--text", "Even they", "--diff", "HEAD"], "has no history"),
        (["-", "--diff", "HEAD"], "has no history"),
    ],
    ids=["no file", "missing", "no repository", "option", "text", "stdin"],
)
def test_wrong_use_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["check", *arguments])
    assert stopped.value.code == EXIT_USAGE
    assert message in capsys.readouterr().err


def test_only_changed_lines_count() -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for step in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        subprocess.run(["git", *who, *step], check=True, capture_output=True, timeout=600)
    assert check(".", "--diff", "HEAD", "--fail-on", "0").exit_code == 0
    Path("letter.md").write_text(f"{LETTER}\nPoor souls.\n", encoding="utf-8")
    Path("new.md").write_text(LETTER, encoding="utf-8")
    result = check(".", "--diff", "HEAD", "--fail-on", "0")
    assert result.exit_code == EXIT_FAILURE
    assert "letter.md:5:1" in result.stdout
    assert "letter.md:3:1" not in result.stdout
    assert "new.md:3:1" in result.stdout
    assert "1 outside the changed lines" in result.stdout
    Path("new.md").unlink()
    Path("letter.md").write_text(LETTER, encoding="utf-8")
    assert check(".", "--diff", "HEAD").stdout == "No findings in no passages.\n"


def test_a_large_file_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("large.md").write_text("Even they hope.\n\n" * 600, encoding="utf-8")
    seen: list[tuple[float, float | None, str | None]] = []
    call = Progress.__call__

    def noted(
        self: Progress, done: float, total: float | None = None, title: str | None = None
    ) -> None:
        call(self, done, total, title)
        seen.append((self.done, self.total, self.title))

    monkeypatch.setattr(Progress, "__call__", noted)
    result = check("large.md", "letter.md")
    assert result.stdout.endswith(
        "601 findings in 602 passages (2 of 2 documents): 601 patronizing.\n"
    )
    assert seen[:3] == [
        (256, 600, "Checking large.md"),
        (512, 600, "Checking large.md"),
        (600, 600, "Checking large.md"),
    ]
    assert seen[-2:] == [(1, 2, "Checking"), (2, 2, "Checking")]
