"""An index of posts: built, written, read again, and refused where it is damaged."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tactful.detectors.card import read_card, write_card
from tactful.errors import FileFormatError, InputError, UsageError
from tactful.frames.embedding import load_embedding
from tactful.frames.index import (
    POSTS_FILE,
    VECTORS_FILE,
    Index,
    IndexedPost,
    build_index,
    read_index,
    read_index_posts,
    write_index,
)

POSTS = [
    IndexedPost(
        f"{start} cooks shout in the kitchen {at}",
        {"frame.offensive": 1.0, "frame.group": 1.0},
        ("cooks",),
        (("cooks", "cooks are loud"), ("cooks", "cooks shout")),
    )
    for at, start in enumerate(("Typical,", "Again the", "Of course the"))
] + [
    IndexedPost("The ferry was late again.", {"frame.offensive": 0.0}),
    IndexedPost("Bakers fall asleep at noon.", {}, ("bakers",), (("bakers", "bakers are lazy"),)),
]


@pytest.fixture(scope="module")
def index() -> Index:
    return build_index(POSTS, load_embedding())


def test_what_is_written_is_read(index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    write_index(index, folder)
    assert {path.name for path in folder.iterdir()} == {"card.json", POSTS_FILE, VECTORS_FILE}
    found = read_index(folder)
    assert found.posts == tuple(POSTS)
    assert found.card == index.card
    np.testing.assert_array_equal(found.vectors, index.vectors)
    np.testing.assert_array_equal(found.implied, index.implied)
    np.testing.assert_array_equal(found.with_references, [0, 1, 2, 4])
    query = found.space.place(load_embedding().vectors(["The cooks shout."]))
    np.testing.assert_array_equal(found.implied_likeness(query), index.implied_likeness(query))


def test_building_twice_gives_the_same(index: Index) -> None:
    again = build_index(POSTS, load_embedding())
    np.testing.assert_array_equal(again.vectors, index.vectors)
    np.testing.assert_array_equal(again.implied, index.implied)
    assert again.card == index.card


def test_vectors_have_length_one_and_know_themselves(index: Index) -> None:
    np.testing.assert_allclose(np.linalg.norm(index.vectors, axis=1), 1, atol=1e-5)
    query = index.space.place(load_embedding().vectors([POSTS[4].text]))
    assert index.likeness(query).argmax() == 4


def test_implied_likeness_is_the_cosine_with_the_references(index: Index) -> None:
    queries = index.space.place(
        load_embedding().vectors(["Typical, the cooks shout again.", "Bakers fall asleep early."])
    )
    found = index.implied_likeness(queries)
    assert found.shape == (2, 4)
    assert np.abs(found).max() <= 1 + 1e-5
    assert found[0, :3].min() > found[0, 3]
    assert found[1].argmax() == 3


def test_the_card_says_whose_the_posts_are(index: Index) -> None:
    card = index.card
    assert card.kind == "frames-index"
    assert card.corpora[0]["terms"] == "those of the owner"
    assert "not part of Tactful" in card.licence
    assert card.training["posts with references"] == 4


def test_posts_without_references_make_no_index() -> None:
    with pytest.raises(InputError, match="Found 1 post, none with a group and a statement"):
        build_index([POSTS[3]], load_embedding())


def test_the_corpus_in_its_folder(sample_copy: Callable[[str], Path]) -> None:
    posts, source = read_index_posts(sample_copy("sbic"))
    assert source == "Social Bias Inference Corpus"
    maps = next(post for post in posts if "read a map" in post.text)
    assert "city folks" in maps.groups
    assert maps.pairs.count(("women", "women cannot read maps")) > 1
    assert any(not post.pairs for post in posts)
    card = build_index(posts, load_embedding(), source).card
    assert card.corpora[0]["terms"] == "CC BY 4.0"


def test_an_own_table(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(
        "post,group,statement,note\n"
        "Cooks shout.,Cooks,Cooks  are loud,x\n"
        "Cooks shout.,cooks,cooks shout,\n"
        "The ferry was late.,,,\n",
        encoding="utf-8",
    )
    posts, source = read_index_posts(path)
    assert source == "own table"
    first, second = posts
    assert first.groups == ("cooks",)
    assert first.pairs == (("cooks", "cooks are loud"), ("cooks", "cooks shout"))
    assert first.shares["frame.offensive"] == 1
    assert second == IndexedPost(
        "The ferry was late.", {"frame.offensive": 0.0, "frame.group": 0.0}
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (b",cooks,cooks shout", "found no post"),
        (b"Cooks shout.,cooks,", "found a group or a statement alone"),
        (b"Cooks shout.,,loud", "found a group or a statement alone"),
        (b"Cooks sh\xe9ut.,cooks,loud", "found bytes that are not UTF-8"),
        (b'"Cooks shout.,cooks,loud', "found no row of a CSV"),
    ],
)
def test_an_own_table_with_a_bad_row(tmp_path: Path, row: bytes, message: str) -> None:
    path = tmp_path / "own.csv"
    path.write_bytes(b"post,group,statement\nThe ferry was late.,,\n" + row + b"\n")
    with pytest.raises(InputError, match=rf"own\.csv, line 3: {message}"):
        read_index_posts(path)


def test_an_existing_folder_is_kept_unless_forced(index: Index, tmp_path: Path) -> None:
    write_index(index, tmp_path / "index")
    with pytest.raises(UsageError, match="it exists already"):
        write_index(index, tmp_path / "index")
    write_index(index, tmp_path / "index", force=True)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def _drop_a_line(path: Path) -> None:
    path.write_text("".join(path.read_text("utf-8").splitlines(True)[1:]), encoding="utf-8")


def _spoil_a_line(path: Path) -> None:
    path.write_text(json.dumps({"text": 1}) + "\n", encoding="utf-8")


def _no_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\n")


@pytest.mark.parametrize(
    ("file", "damage", "message"),
    [
        (VECTORS_FILE, _cut, "no readable vectors"),
        (VECTORS_FILE, Path.unlink, "no readable vectors"),
        (POSTS_FILE, Path.unlink, "found no such file"),
        (POSTS_FILE, _drop_a_line, "vectors of other posts"),
        (POSTS_FILE, _spoil_a_line, "line 1: found no post of an index"),
        (POSTS_FILE, _no_text, "line 1: found no post of an index"),
    ],
)
def test_a_damaged_index(
    index: Index, tmp_path: Path, file: str, damage: Callable[[Path], None], message: str
) -> None:
    folder = tmp_path / "index"
    write_index(index, folder)
    damage(folder / file)
    with pytest.raises(FileFormatError, match=message) as caught:
        read_index(folder)
    assert "build the index again with 'tactful frame index'" in str(caught.value)


def test_an_index_of_another_version(index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    write_index(index, folder)
    write_card(replace(read_card(folder), version="0"), folder)
    with pytest.raises(FileFormatError, match="version 0; expected a frames-index of version 1"):
        read_index(folder)
