"""How the table of the language detector is made, on sentences of our own."""

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from factory.language import (
    CLASSES,
    LONGEST,
    SHORTEST,
    SOURCES,
    Piece,
    Text,
    common_grams,
    data_hash,
    design,
    lesson_texts,
    make,
    pieces_of,
    read_texts,
    training_pieces,
    without_accents,
)

from tactful.documents.language import CARD, OPENER, UNKNOWN, read_table, score_of
from tactful.errors import UsageError


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with the columns of all sources, and rows that none of them takes."""
    root = tmp_path_factory.mktemp("data")
    own = lesson_texts(random.Random(1))
    for file in {source.file for source in SOURCES if source.file}:
        readers = [source for source in SOURCES if source.file == file]
        (root / file).parent.mkdir(exist_ok=True)
        with (root / file).open("w", encoding="utf-8", newline="") as out:
            rows = csv.writer(out)
            rows.writerow([*dict.fromkeys(source.column for source in readers), "source"])
            columns = {source.column: own[source.lang] for source in readers}
            for kind in {source.of for source in readers}:
                rows.writerows([*texts, kind] for texts in zip(*columns.values(), strict=False))
            rows.writerow([*(["unwanted"] * len(columns)), "closed" if readers[0].of else ""])
    return root


@pytest.fixture(scope="module")
def texts(data: Path) -> list[Text]:
    return read_texts(data)


def test_every_source_is_read_and_no_other_row(texts: list[Text]) -> None:
    assert {(text.source, text.lang) for text in texts} == {(s.name, s.lang) for s in SOURCES}
    only = [source.name for source in SOURCES if source.of]
    assert not [text for text in texts if text.text == "unwanted" and text.source in only]
    assert len(set(texts)) == len(texts)


def test_every_source_allows_commercial_use() -> None:
    licences = {source.licence.partition(":")[0] for source in SOURCES}
    assert licences == {
        "CC0-1.0", "CC-BY-4.0", "CC-BY-3.0", "public domain", "European Union", "Apache-2.0 (ours)",
    }  # fmt: skip
    assert json.loads(CARD.read_text(encoding="utf-8"))["licence"] == "Apache-2.0"


def test_the_hash_is_of_the_texts_and_not_of_their_order(texts: list[Text]) -> None:
    assert data_hash(texts) == data_hash(texts[::-1])
    assert data_hash(texts) != data_hash(texts[1:])


def test_pieces_are_of_three_to_twenty_five_words_and_as_many_as_wanted() -> None:
    made = list(pieces_of(["uno dos tres cuatro " * 20, "dos"], "es", 50, random.Random(1)))
    assert len(made) == 50
    assert all(SHORTEST <= len(piece.words) <= LONGEST for piece in made)
    assert {word for piece in made for word in piece.words} == {"uno", "dos", "tres", "cuatro"}


def test_without_a_text_of_three_words_there_are_no_pieces() -> None:
    with pytest.raises(UsageError, match="Found no text of 3 words in 'es'"):
        list(pieces_of(["", "dos palabras"], "es", 5, random.Random(1)))


def test_each_class_has_as_many_pieces(texts: list[Text]) -> None:
    pieces = training_pieces(texts, each=400)
    counts = [sum(piece.lang == lang for piece in pieces) for lang in CLASSES]
    assert max(counts) <= 400
    assert min(counts) >= 380
    assert training_pieces(texts, each=400) == pieces


def test_accents_are_taken_off_and_nothing_else() -> None:
    assert without_accents("¿Qué pingüino, señor?") == "¿Que pinguino, senor?"
    assert without_accents("plain text") == "plain text"


def test_lessons_are_of_many_languages_and_never_the_sentences_of_the_tests() -> None:
    lessons = lesson_texts(random.Random(1))
    assert {"en", "es", "pt", "fr", "it", "ca", "gl", "de"} <= set(lessons)
    cases = Path(__file__).parents[1] / "documents" / "language_cases.yaml"
    tested = cases.read_text(encoding="utf-8")
    assert not [text for own in lessons.values() for text in own if text in tested]


def test_rare_grams_are_not_kept(texts: list[Text]) -> None:
    secret = Text("xqzw xqzw xqzw", "en", "edos")
    grams = common_grams([*texts, secret], most=3_000)
    assert len(grams) == 3_000
    assert not {"_xqz", "xqzw", "_xqzw_"} & set(grams)
    assert {UNKNOWN, OPENER, "_de_"} <= set(grams)


def test_the_design_counts_what_the_detector_counts() -> None:
    grams = sorted([UNKNOWN, OPENER, "_de_", "d", "e", "de"])
    weights = {gram: (at + 1, -at) for at, gram in enumerate(grams)}
    piece = Piece(("de", "de", "dedos", "xyz"), "es", opener=True)
    row = design([piece], grams).toarray()[0]
    scores = [score_of(word, weights) for word in piece.words]
    for side in (0, 1):
        expected = sum(score[side] for score in scores) + weights[OPENER][side]
        found = sum(value * weights[gram][side] for gram, value in zip(grams, row, strict=True))
        assert found == pytest.approx(expected / len(piece.words) ** 0.5)


def test_a_table_is_made_with_its_card(data: Path, tmp_path: Path) -> None:
    table, card = tmp_path / "made.npz", tmp_path / "made.json"
    make(data, table, card, each=600, most=2_500)
    made = read_table(table)
    assert len(made.weights) == 2_500
    said = json.loads(card.read_text(encoding="utf-8"))
    assert said["data_sha256"] == data_hash(read_texts(data))
    assert said["grams"] == 2_500
    english, spanish = (score_of(word, made.weights) for word in ("the", "los"))
    assert english[0] > english[1]
    assert spanish[1] > spanish[0]


@pytest.mark.data
def test_the_embedded_table_was_made_from_these_files(data_folder: Callable[[str], Path]) -> None:
    root = data_folder("sbic").parent
    if not all((root / source.file).exists() for source in SOURCES):
        pytest.skip("the further corpora are not here")
    card = json.loads(CARD.read_text(encoding="utf-8"))
    assert data_hash(read_texts(root)) == card["data_sha256"]
