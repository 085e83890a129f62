"""Baselines: what is known stays known when lines move, and no text is written."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.phrase_detector import PHRASES, PhraseDetector

from tactful.checking.baseline import SCHEMA, Baseline, read_baseline
from tactful.checking.findings import check_document
from tactful.checking.report import DocumentReport, Unread
from tactful.documents.document import document_of
from tactful.errors import FileFormatError, UsageError

LETTER = "Dear friends,\n\nPoor souls! Even they hope.\n\nNobody asked you.\n"
IDS = tuple(PHRASES)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def checked(text: str, path: str | None = "letter.md") -> DocumentReport:
    if path is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")
    name = None if path is None else Path(path)
    return check_document(PhraseDetector(), document_of(text, path=name))


def written(*reports: DocumentReport, name: str = "base.json") -> Path:
    baseline = read_baseline(Path(name), update=True)
    assert all(not each.findings for each in baseline.filter(reports))  # type: ignore[union-attr]
    baseline.write(IDS)
    return Path(name)


def new_in(baseline: Baseline, report: DocumentReport) -> list[str]:
    (left,) = baseline.filter([report])
    assert isinstance(left, DocumentReport)
    assert left.known == len(report.findings) - len(left.findings)
    return [kind.id for finding in left.findings for kind in finding.kinds]


def test_known_findings_are_left_out_wherever_their_lines_move() -> None:
    path = written(checked(LETTER))
    moved = "A new start.\n\n" + LETTER.replace("souls! Even", "souls!\n  Even")
    assert new_in(read_baseline(path), checked(moved)) == []
    assert new_in(read_baseline(path), checked(LETTER + "\nLog off.\n")) == [
        "unhealthy.dismissive",
        "unhealthy",
    ]


def test_changed_words_and_another_file_are_new() -> None:
    path = written(checked(LETTER))
    assert new_in(read_baseline(path), checked(LETTER.replace("hope", "hoped"))) != []
    assert len(new_in(read_baseline(path), checked(LETTER, "other.md"))) == 3


def test_the_same_passage_once_more_is_new() -> None:
    path = written(checked("Even they.\n"))
    assert new_in(read_baseline(path), checked("Even they.\n\nEven they.\n")) == ["pcl"]


def test_a_new_finding_below_a_known_one_is_shown_without_it() -> None:
    report = checked("Poor souls.\n")
    assert [kind.id for kind in report.findings[0].kinds] == ["pcl", "pcl.compassion"]
    known = report.keeping(lambda _, kind: kind.id == "pcl")
    (left,) = read_baseline(written(known)).filter([report])
    assert isinstance(left, DocumentReport)
    (finding,) = left.findings
    assert [(kind.id, kind.parent) for kind in finding.kinds] == [("pcl.compassion", None)]
    assert left.known == 0
    assert finding.name == "Compassion"


def test_a_file_from_before_findings_had_kinds_is_still_read() -> None:
    """Version 0.2 wrote one entry for each id; the hash is that of the words "Poor souls."."""
    passage = sha256(b"Poor souls.").hexdigest()[:32]
    entries = [
        {"path": "letter.md", "id": name, "passage": passage, "count": 1}
        for name in ("pcl", "pcl.compassion")
    ]
    content = {"schema": "tactful/baseline/1", "findings": entries}
    Path("base.json").write_text(json.dumps(content), encoding="utf-8")
    baseline = read_baseline(Path("base.json"))
    assert new_in(baseline, checked("Poor souls.\n")) == []
    assert baseline.note(IDS) is None


def test_the_file_is_sorted_and_holds_no_text() -> None:
    path = written(checked(LETTER, "b/two.md"), checked(LETTER, "a.md"))
    text = path.read_text(encoding="utf-8")
    entries = json.loads(text)["findings"]
    assert [entry["path"] for entry in entries] == ["a.md"] * 3 + ["b/two.md"] * 3
    assert "souls" not in text
    before = path.read_bytes()
    written(checked(LETTER, "a.md"), checked(LETTER, "b/two.md"))
    assert path.read_bytes() == before


def test_paths_are_relative_to_the_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(checked(LETTER, "docs/a.md")).resolve()
    monkeypatch.chdir("docs")
    assert new_in(read_baseline(path), checked(LETTER, "a.md")) == []


def test_a_text_without_a_file() -> None:
    path = written(checked(LETTER, None))
    assert new_in(read_baseline(path), checked(LETTER, None)) == []
    assert read_baseline(path).note(IDS) is None


def test_stale_entries_are_counted_in_one_line() -> None:
    path = written(checked(LETTER), checked(LETTER, "other.md"))
    baseline = read_baseline(path)
    new_in(baseline, checked("Dear friends,\n"))
    assert baseline.note(IDS) == (
        "base.json: 3 entries were not found in this run; use --update-baseline to remove them."
    )
    assert baseline.not_found(["pcl"]) == 1
    Path("other.md").unlink()
    assert baseline.not_found(IDS) == 6


def test_an_update_keeps_what_was_not_looked_for() -> None:
    path = written(checked(LETTER), checked(LETTER, "other.md"), checked(LETTER, "gone.md"))
    Path("gone.md").unlink()
    baseline = read_baseline(path, update=True)
    list(baseline.filter([checked("Nothing.\n"), Unread("other.md", "it cannot be read.")]))
    assert baseline.write(["pcl"]) == "Wrote base.json: 5 entries."
    left = {(each["path"], each["id"]) for each in json.loads(path.read_bytes())["findings"]}
    assert ("letter.md", "pcl") not in left
    assert ("letter.md", "pcl.compassion") in left
    assert ("other.md", "pcl") in left


def test_names_that_are_no_text_can_be_written() -> None:
    report = replace(checked(LETTER), path="a\udc80.md")
    path = written(report)
    assert new_in(read_baseline(path), report) == []


ENTRY = {"path": "a.md", "id": "pcl", "passage": "00", "count": 1}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[",
        "[]",
        "\udc80",
        "[" * 100_000,
        {"schema": "tactful/baseline/9", "findings": []},
        {"schema": SCHEMA},
        {"schema": SCHEMA, "findings": {}},
        {"schema": SCHEMA, "findings": ["a"]},
        {"schema": SCHEMA, "findings": [{**ENTRY, "count": 0}]},
        {"schema": SCHEMA, "findings": [{**ENTRY, "count": True}]},
        {"schema": SCHEMA, "findings": [{**ENTRY, "id": 3}]},
        {"schema": SCHEMA, "findings": [{**ENTRY, "text": "x"}]},
        {"schema": SCHEMA, "findings": [{"path": "a.md", "id": "pcl"}]},
    ],
    ids=[
        "empty", "cut", "list", "bytes", "deep", "schema", "no list", "object", "no entry",
        "no count", "true", "number", "other key", "missing key",
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_with_one_sentence(content: Any) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    Path("base.json").write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(FileFormatError, match=r"base\.json: found .*expected a baseline"):
        read_baseline(Path("base.json"))


def test_a_missing_file() -> None:
    with pytest.raises(UsageError, match=r"There is no baseline 'base\.json'"):
        read_baseline(Path("base.json"))
    assert new_in(read_baseline(Path("base.json"), update=True), checked(LETTER)) == []
