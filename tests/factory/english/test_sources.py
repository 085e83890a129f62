"""What each tier may learn from."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the factory needs the extra 'train'")

from factory.english.sources import SOURCES, news_rows, paragraph_rows, sources_of

ANY_USE = {"CC0", "CC BY 3.0", "CC BY 4.0", "MIT", "CDLA-Permissive 2.0"}


def test_the_open_tier_learns_from_what_allows_any_use_only() -> None:
    for source in sources_of("open"):
        terms = source.terms.partition(" (")[0].split(" and ")
        assert set(terms) <= ANY_USE, source.name
    assert {source.name for source in sources_of("research")} == {each.name for each in SOURCES}


@pytest.fixture
def news(tmp_path: Path) -> Path:
    path = tmp_path / "more" / "en_news_unlabelled.csv"
    path.parent.mkdir()
    words = "opens on Monday after months of careful work"
    rows = [f"The bridge {words},global_voices", f"The zeppelin {words},another"]
    path.write_text("\n".join(["text,source", *rows]) + "\n", encoding="utf-8")
    return path


def test_the_open_tier_reads_news_of_one_publisher(news: Path) -> None:
    read = {source.name: source.read for source in sources_of("open")}
    assert [row.text.split()[1] for row in read["news"](news)] == ["bridge"]
    assert [row.text.split()[1] for row in news_rows(news)] == ["bridge", "zeppelin"]
    assert not any("zeppelin" in row.text for row in read["paragraphs"](news))
    assert any("zeppelin" in row.text for row in paragraph_rows(news))
