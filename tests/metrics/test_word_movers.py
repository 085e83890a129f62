"""Word mover's distance: the properties of Kusner et al. 2015, and every file of vectors."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.errors import FileFormatError, InputError
from tactful.metrics import word_movers
from tactful.metrics.word_movers import (
    bag_distance,
    transport_cost,
    word_movers_distance,
    words_of,
)
from tactful.metrics.word_vectors import WordVectors, read_word_vectors

LINE = WordVectors.of({"a": [0, 0], "b": [1, 0], "c": [4, 0], "d": [4, 3]})
BAG = st.lists(st.sampled_from("abcd"), min_size=1, max_size=6)
TABLE = {"tea": [0.5, -1.0, 2.0], "cup": [1.0, 0.0, 0.25]}


def distance(first: list[str], second: list[str]) -> float:
    found = bag_distance(first, second, LINE)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("a", "c", 4.0),
        ("a a b", "a a b", 0.0),
        ("a b", "b c", 2.0),  # b stays and half of the mass travels 4, or 1/2 and 3/2
        ("a", "a c", 2.0),  # half of a stays, half travels 4
        ("a b", "d", (5 + np.sqrt(18)) / 2),
        ("a a b", "b", 2 / 3),
    ],
)
def test_by_hand(first: str, second: str, expected: float) -> None:
    assert distance(first.split(), second.split()) == pytest.approx(expected)


@given(BAG, BAG, BAG)
def test_it_is_a_distance(first: list[str], second: list[str], third: list[str]) -> None:
    assert distance(first, list(reversed(first))) == 0
    assert distance(first, second) == pytest.approx(distance(second, first))
    assert distance(first, third) <= distance(first, second) + distance(second, third) + 1e-9
    assert distance(first * 2, second) == pytest.approx(distance(first, second))


@settings(max_examples=40)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_both_solvers_agree(supplies: list[int], data: st.DataObject) -> None:
    demands = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    costs = np.random.default_rng(sum(supplies)).random((len(supplies), len(demands)))
    whole = transport_cost(supplies, demands, costs)
    assert word_movers._by_programme(supplies, demands, costs) == pytest.approx(whole)


def test_the_relaxed_distance_and_the_centroids_are_lower_bounds() -> None:
    # Kusner et al. 2015: word centroid distance and relaxed WMD bound WMD from below.
    rng = np.random.default_rng(7)
    words = [f"w{i}" for i in range(30)]
    vectors = WordVectors.of({word: rng.normal(size=5).tolist() for word in words})
    for _ in range(20):
        first, second = ([words[i] for i in rng.integers(30, size=17 + k)] for k in (0, 2))
        found = bag_distance(first, second, vectors)
        assert found is not None
        here, there = vectors.rows(first), vectors.rows(second)
        gaps = np.linalg.norm(here[:, None] - there[None], axis=2)
        relaxed = max(gaps.min(axis=1).mean(), gaps.min(axis=0).mean())
        centroid = np.linalg.norm(here.mean(axis=0) - there.mean(axis=0))
        assert centroid - 1e-9 <= found
        assert relaxed - 1e-9 <= found <= gaps.mean() + 1e-9


def test_the_nearest_reference_counts_and_coverage_is_said() -> None:
    found = word_movers_distance([["c", "b"], ["a zzz"]], ["a", "a"], LINE)
    assert float(found) == pytest.approx((1 + 0) / 2)
    assert float(found.parts["coverage"]) == pytest.approx(5 / 6)
    assert float(found.parts["measured"]) == 1


def test_texts_without_a_known_word_have_no_distance() -> None:
    found = word_movers_distance([["a"], ["a"], ["zzz"], []], ["a", "", "zzz", "a"], LINE)
    assert (float(found), found.items) == (0, 2)
    assert float(found.parts["measured"]) == pytest.approx(2 / 3)
    assert found.reason == (
        "items without references left out: 1; items with a text that has no known word left out: 1"
    )
    charged = word_movers_distance([["a"], ["a"]], ["a", ""], LINE, penalty=5)
    assert (float(charged), charged.items) == (2.5, 2)
    assert "counted as 5: 1" in (charged.reason or "")


def test_what_cannot_be_measured_is_undefined() -> None:
    unknown = word_movers_distance([["yyy"]], ["zzz"], LINE)
    assert unknown.value is None
    assert float(unknown.parts["coverage"]) == 0
    assert word_movers_distance([[]], ["a"], LINE).value is None
    assert float(word_movers_distance([[""]], [""], LINE)) == 0
    with pytest.raises(InputError, match="one hypothesis"):
        word_movers_distance([["a"]], [], LINE)


def test_stop_words_are_a_choice() -> None:
    assert float(word_movers_distance([["the a"]], ["b the"], LINE, stop_words=["the"])) == 1
    assert words_of(["A b!", "b"]) == {"a", "b", "!"}


def text_of(separator: str = "\n", header: bool = False, tail: str = "") -> bytes:
    lines = [" ".join([word, *map(str, row)]) + tail for word, row in TABLE.items()]
    lines.insert(1, ". . . 9 9 9" + tail)
    if header:
        lines.insert(0, "3 3")
    return separator.join(lines).encode() + separator.encode()


def binary_of(ending: bytes = b"\n", count: int = 3) -> bytes:
    rows = {"der schöne": [0, 0, 0], **TABLE}
    packed = b"".join(
        word.replace(" ", "_").encode() + b" " + np.array(row, "<f4").tobytes() + ending
        for word, row in rows.items()
    )
    return f"{count} 3\n".encode() + packed


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("glove.txt", text_of()),
        ("glove_crlf.txt", text_of("\r\n")),
        ("word2vec.txt", text_of(header=True)),
        ("fasttext.vec", text_of(header=True, tail=" ")),
        ("marked.txt", b"\xef\xbb\xbf" + text_of()),
        ("word2vec.bin", binary_of()),
        ("bare.bin", binary_of(b"")),
        ("packed.vec.gz", gzip.compress(text_of(header=True), mtime=0)),
        ("packed.bin.gz", gzip.compress(binary_of(), mtime=0)),
    ],
)
def test_every_format_gives_the_same_vectors(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    vectors = read_word_vectors(path, ["tea", "cup", "absent", "."])
    assert set(vectors.index) == {"tea", "cup"}
    for word, row in TABLE.items():
        assert vectors.rows([word])[0].tolist() == row


def test_a_binary_larger_than_a_piece_is_read_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    size, count = 300, 1_500
    rows = np.arange(count * size, dtype="<f4").reshape(count, size)
    body = b"".join(b"w%d " % at + row.tobytes() for at, row in enumerate(rows))
    path.write_bytes(b"%d %d\n" % (count, size) + body)
    vectors = read_word_vectors(path, ["w0", "w1499"])
    assert np.array_equal(vectors.rows(["w0", "w1499"]), rows[[0, -1]])


def test_of_a_word_that_stands_twice_the_first_counts(tmp_path: Path) -> None:
    path = tmp_path / "twice.txt"
    path.write_text("tea 1 2\ntea 3 4\ncup 0 0\n")
    assert read_word_vectors(path, ["tea", "cup"]).rows(["tea"]).tolist() == [[1, 2]]


def test_no_word_is_wanted_or_found(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_bytes(text_of())
    assert len(read_word_vectors(path, [])) == 0
    assert len(read_word_vectors(path, ["absent"])) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1: found nothing"),
        (b"word\n", "line 1: found one field"),
        (b"tea 1 2 3\ncup 1 2\n", "line 2: found 2 numbers; expected 3"),
        (b"tea 1 2 3\ncup 1 2 x\n", "line 2: found no number"),
        (b"tea 1 2 3\ncup 1 2 nan\n", "line 2: found NaN"),
        (b"tea 1 x 3\n", "line 1: found no number"),
        (binary_of()[:-9], "found no complete vector for word 3"),
        (binary_of(count=9), "found no complete vector for word 4"),
        (b"2 3\n" + b"\xff" * 20_000, "found no complete vector for word 1"),
        (b"1 1\ntea " + np.array([np.nan], "<f4").tobytes(), "found NaN or infinity"),
        (b"PK\x03\x04 and more", "unpack it first"),
        (gzip.compress(text_of(header=True) * 500, mtime=0)[:-50], "damaged or cut-off"),
    ],
)
def test_damage_is_one_sentence_with_its_place(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=message) as error:
        read_word_vectors(path, ["tea", "cup", "absent"])
    assert str(path) in str(error.value)


def test_vectors_must_fit_their_words() -> None:
    with pytest.raises(InputError, match="one row for each word"):
        WordVectors({"a": 0}, np.zeros((2, 3)))
    with pytest.raises(InputError, match="NaN"):
        WordVectors.of({"a": [float("nan")]})
