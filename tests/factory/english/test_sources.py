"""What each tier may learn from."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the factory needs the extra 'train'")

from factory.english.sources import SOURCES, news_rows, paragraph_rows, sources_of

from factory.english import fiction

ANY_USE = {"CC0", "public domain", "CC BY 3.0", "CC BY 4.0", "MIT", "CDLA-Permissive 2.0"}


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


def test_novels_are_cut_into_passages_and_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fiction, "BOOKS", {"a": "train", "b": "validation"})
    long = " ".join(f"Sentence number {at} of a long chapter says very little." for at in range(12))
    paragraphs = [
        "The captain\nlaughed--twice. Then he left the room.",
        "He came back at once. Nobody saw him at the door.",
        "This one is not kept at all.",
        "Nor is this one, I am afraid.",
        long,
        "CHAPTER II",
    ]
    (tmp_path / "a.txt").write_text("\r\n\r\n".join(paragraphs), encoding="latin-1")
    (tmp_path / "b.txt").write_text("The end was near at last.", encoding="latin-1")
    found = list(fiction.fiction(tmp_path))
    whole = "The captain laughed \N{EM DASH} twice. Then he left the room."
    assert found[0] == (whole, "train")
    assert found[-3:] == [
        ("He came back at once.", "train"),
        ("Nobody saw him at the door.", "train"),
        ("The end was near at last.", "validation"),
    ]
    assert " ".join(text for text, _ in found[1:-3]) == long
    assert all(len(text.split()) <= 80 for text, _ in found)
