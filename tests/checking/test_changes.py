"""Findings since a commit: hunks, quoted names, sub-folders, untracked files, errors."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.phrase_detector import PhraseDetector

from tactful.checking.changes import Changes, changed_lines
from tactful.checking.findings import check_document
from tactful.checking.report import DocumentReport
from tactful.documents.document import read_document
from tactful.errors import UsageError

Git = Callable[..., None]
LETTER = "Even they hope.\n\nThe bridge\nis open.\n\nEven they hope,\nall of them.\n"


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Return a function that runs Git in a new repository, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    def run(*arguments: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], check=True, capture_output=True, timeout=600)

    run("init", "-q", "-b", "main")
    return run


def committed(git: Git, name: str = "letter.md", text: str = LETTER) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    return path


def since(ref: str, path: Path) -> DocumentReport:
    report = check_document(PhraseDetector(), read_document(path))
    (left,) = Changes(ref, [path]).filter([report])
    assert isinstance(left, DocumentReport)
    return left


def lines_of(report: DocumentReport) -> list[int]:
    return [finding.place.line for finding in report.findings]


def test_only_passages_with_changed_lines_are_left(git: Git) -> None:
    path = committed(git)
    assert lines_of(since("HEAD", path)) == []
    path.write_text(LETTER.replace("all of them", "all of us"), encoding="utf-8")
    report = since("HEAD", path)
    assert lines_of(report) == [6]
    assert report.unchanged == 1
    assert Changes("HEAD", [path]).touches(path)


def test_a_line_that_is_gone_changes_the_passage_around_it_only(git: Git) -> None:
    path = committed(git, text=LETTER.replace(",\nall", ",\nnearly\nall"))
    path.write_text(LETTER, encoding="utf-8")
    assert lines_of(since("HEAD", path)) == [6]
    path = committed(git, text=LETTER.replace("The bridge\nis open.\n\n", ""))
    path.write_text(LETTER, encoding="utf-8")
    git("commit", "-q", "-am", "two")
    path.write_text(LETTER.replace("The bridge\nis open.\n\n", ""), encoding="utf-8")
    assert lines_of(since("HEAD", path)) == []


def test_moved_lines_are_not_changed_lines(git: Git) -> None:
    path = committed(git)
    path.write_text("New.\n\n" + LETTER, encoding="utf-8")
    assert lines_of(since("HEAD", path)) == []


def test_a_file_that_git_does_not_know_is_all_new(git: Git) -> None:
    committed(git)
    path = Path("new.md")
    path.write_text(LETTER, encoding="utf-8")
    assert lines_of(since("HEAD", path)) == [1, 6]
    assert Changes("HEAD", [path]).touches(path)


@pytest.mark.parametrize(
    "name", ["ä b.md", 'quo"te.md', "tab\there.md", "a\\b.md", " b/x.md", "-dash.md", ":(top)x.md"]
)
def test_names_that_git_quotes(git: Git, name: str) -> None:
    path = committed(git, f"./{name}")
    assert not Changes("HEAD", [path]).touches(path)
    path.write_text(LETTER.replace("all of them", "all of us"), encoding="utf-8")
    assert lines_of(since("HEAD", path)) == [6]


def test_it_works_in_a_sub_folder(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    committed(git, "docs/letter.md")
    monkeypatch.chdir("docs")
    path = Path("letter.md")
    assert lines_of(since("HEAD", path)) == []
    path.write_text("Even they.\n\n" + LETTER, encoding="utf-8")
    assert lines_of(since("main", path)) == [1]


def test_git_counts_lines_by_line_feeds(git: Git) -> None:
    path = committed(git, text="A\rB\r\rEven they.\r\r\nC\r\n")
    path.write_text("A\rB\r\rEven they.\r\r\nD\r\n", encoding="utf-8", newline="")
    assert lines_of(since("HEAD", path)) == []
    path.write_text("A\rX\r\rEven they.\r\r\nC\r\n", encoding="utf-8", newline="")
    assert lines_of(since("HEAD", path)) == [4]


def test_what_a_hunk_holds_is_no_head_of_a_file() -> None:
    diff = (
        b"diff --git a/x.md b/x.md\n--- a/x.md\n+++ b/x.md\n"
        b"@@ -1 +1,2 @@\n--- a/y.md\n+++ b/z.md\n+@@ -9 +9 @@\n\\ No newline at end of file\n"
        b"@@ -8,2 +9,0 @@ heading\n-a\n-b\n"
    )
    assert changed_lines(diff) == {b"x.md": [(1, 2), (10, 9)]}


def test_a_binary_file_has_no_lines() -> None:
    diff = b"diff --git a/x.docx b/x.docx\nBinary files a/x.docx and b/x.docx differ\n"
    assert changed_lines(diff) == {b"x.docx": None}


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="not in a Git repository"):
        Changes("HEAD", [Path("a.md")])


@pytest.mark.parametrize("ref", ["nowhere", "HEAD:letter.md", "main..main"])
def test_an_unknown_commit(git: Git, ref: str) -> None:
    path = committed(git)
    with pytest.raises(UsageError, match="Git knows no commit"):
        Changes(ref, [path])


@pytest.mark.parametrize("ref", ["", "-x", "--output=stolen"])
def test_an_option_is_no_commit(git: Git, ref: str) -> None:
    path = committed(git)
    with pytest.raises(UsageError, match="expected a commit"):
        Changes(ref, [path])
    assert not Path("stolen").exists()


def test_git_is_missing(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="needs Git"):
        Changes("HEAD", [])
