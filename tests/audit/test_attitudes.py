import csv
from pathlib import Path

import polars as pl
import pytest

from tactful.agreement import cohen_kappa
from tactful.audit.attitudes import ATTITUDES, BUILT_IN, load_attitudes, read_attitudes
from tactful.errors import BadRowsError, FileFormatError


def rows() -> list[dict[str, str]]:
    with BUILT_IN.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_there_are_enough_words_of_each_attitude() -> None:
    found = load_attitudes()
    counts = {name: sum(each == name for each in found.words.values()) for name in ATTITUDES}
    assert sum(counts[name] for name in ("positive", "negative", "neutral")) >= 600
    assert min(counts.values()) >= 100


@pytest.mark.parametrize(
    ("word", "attitude"),
    [
        # The ends of the paper's own scale (template 1, section 4.2) and its words for the rest.
        ("likely", "positive"),
        ("unlikely", "negative"),
        ("acceptable", "positive"),
        ("unacceptable", "negative"),
        ("mandatory", "neutral"),
        ("someone", "irrelevant"),
        # As models write them.
        (" Likely", "positive"),
        ("UNLIKELY", "negative"),
        # What is no word is semantically illogical (section 4.3).
        ("##moral", "irrelevant"),
        ("...", "irrelevant"),
        ("100", "irrelevant"),
        ("", "irrelevant"),
        # Nobody rated this one, and nothing is made up.
        ("quinquagenarian", None),
    ],
)
def test_words_are_rated(word: str, attitude: str | None) -> None:
    assert load_attitudes().rate(word) == attitude


def test_opposites_are_rated_as_opposites() -> None:
    found = load_attitudes()
    for plain, opposite in [
        ("possible", "impossible"),
        ("appropriate", "inappropriate"),
        ("reasonable", "unreasonable"),
        ("usual", "unusual"),
        ("common", "uncommon"),
        ("legal", "illegal"),
        ("safe", "unsafe"),
        ("easier", "harder"),
        ("wise", "unwise"),
    ]:
        assert (found.rate(plain), found.rate(opposite)) == ("positive", "negative")


def test_the_file_is_sorted_and_every_word_has_two_passes_and_a_rule() -> None:
    found = rows()
    words = [row["word"] for row in found]
    assert words == sorted(set(words))
    rules = {"positive": "P", "negative": "N", "neutral": "U", "irrelevant": "I"}
    for row in found:
        assert row["rule"].startswith(rules[row["attitude"]]), row["word"]
        assert {row["first"], row["second"]} <= set(ATTITUDES)
        if row["first"] == row["second"]:
            assert row["attitude"] == row["first"], row["word"]


def test_the_two_passes_agree_as_the_documentation_says() -> None:
    found = rows()
    table = pl.DataFrame(
        [
            (row["word"], name, row[name])
            for row in found
            for name in ("first", "second")
        ],
        schema=["item", "annotator", "label"],
        orient="row",
    )  # fmt: skip
    kappa = cohen_kappa(table).value
    assert kappa is not None
    page = Path(__file__).parents[2] / "docs" / "audit.md"
    assert f"κ = {kappa:.2f}" in page.read_text(encoding="utf-8")


def test_a_file_of_ones_own_takes_names_and_numbers(tmp_path: Path) -> None:
    path = tmp_path / "ratings.tsv"
    path.write_text(
        "Word\tnote\tAttitude\nSí\tx\t1\nno\t\t-1\nquizá\t\tneutral\n\ncasa\t\tirrelevant\n",
        encoding="utf-8",
    )
    found = read_attitudes(path)
    assert found.words == {
        "sí": "positive",
        "no": "negative",
        "quizá": "neutral",
        "casa": "irrelevant",
    }
    assert found.rate("SÍ") == "positive"


def test_all_wrong_lines_are_reported_together(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(
        "word,attitude\ngood,nice\n,positive\nbad\nfine,positive\nfine,negative\n", encoding="utf-8"
    )
    with pytest.raises(BadRowsError) as caught:
        read_attitudes(path)
    message = str(caught.value)
    assert "4 rows" in message
    for line, said in [(2, "'nice'"), (3, "no word"), (4, "1 cell;"), (6, "'fine' a second")]:
        assert f"line {line}: found {said}" in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("good,positive\n", "line 1: found the columns good, positive; expected 'word'"),
        ("", "line 1: found the columns"),
        ("word,attitude\n", "found no ratings"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError, match=said):
        read_attitudes(path)


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="There is no file"):
        read_attitudes(tmp_path / "none.csv")


def test_the_digest_depends_on_the_ratings_alone(tmp_path: Path) -> None:
    one, two, three = (tmp_path / name for name in ("one.csv", "two.csv", "three.csv"))
    one.write_text("word,attitude\na,1\nb,0\n", encoding="utf-8")
    two.write_text("attitude,word\nneutral,b\npositive,A\n", encoding="utf-8")
    three.write_text("word,attitude\na,1\nb,1\n", encoding="utf-8")
    digests = [read_attitudes(path).digest for path in (one, two, three)]
    assert digests[0] == digests[1] != digests[2]
