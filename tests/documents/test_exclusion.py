from pathlib import Path

import pytest

from tactful.documents.document import Exclusion

CASES = {
    "drafts/**": {"drafts/one.md", "drafts/deep/two.md"},
    "CHANGELOG.md": {"CHANGELOG.md", "docs/CHANGELOG.md"},
    "*.tmp.md": {"x.tmp.md"},
    "a/*/c.md": {"a/b/c.md"},
    "**/old": {"p/old/q.md"},
    "./x/y.md": {"x/y.md"},
    "node?": {"nodes/a.md"},
}
PATHS = {
    "drafts/one.md", "drafts/deep/two.md", "other/drafts/one.md", "CHANGELOG.md",
    "docs/CHANGELOG.md", "x.tmp.md", "a/b/c.md", "a/b/d/c.md", "p/old/q.md", "x/y.md",
    "nodes/a.md", "letter.md",
}  # fmt: skip


@pytest.mark.parametrize(("glob", "left_out"), CASES.items())
def test_globs(tmp_path: Path, glob: str, left_out: set[str]) -> None:
    base = tmp_path.resolve()
    excluded = Exclusion([glob], base)
    assert {path for path in PATHS if excluded(base / path)} == left_out


def test_a_file_elsewhere_is_known_by_its_name(tmp_path: Path) -> None:
    assert Exclusion(["CHANGELOG.md"], tmp_path)(Path("/elsewhere/CHANGELOG.md"))
    assert not Exclusion(["elsewhere/**"], tmp_path)(Path("/elsewhere/a.md"))
