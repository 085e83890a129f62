"""Frames by retrieval: what neighbours say, shown with them, and never against the constraints."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tactful.detectors.card import read_card, write_card
from tactful.errors import FileFormatError, UnknownNameError
from tactful.frames import Framer, load_framer, validate_frame
from tactful.frames.embedding import load_embedding
from tactful.frames.index import (
    IndexedPost,
    build_index,
    index_of_parts,
    indexed,
    read_index_posts,
    write_index,
)
from tactful.frames.load import without_statements
from tactful.frames.posts import read_posts
from tactful.frames.retrieval import RetrievalFramer, _frame, load_retrieval_framer
from tactful_lab.evaluation.frame_measures import evaluate_frames

RUDE = {"frame.offensive": 1.0, "frame.intent": 0.5, "frame.lewd": 0.0, "frame.group": 1.0,
        "frame.in_group": 0.0}  # fmt: skip
FINE = {"frame.offensive": 0.0, "frame.intent": 0.0, "frame.lewd": 0.0}
KITCHEN = ["Typical, the cooks shout again.", "Cooks shout in every kitchen.", "Loud cooks again!"]
OVENS = ["Bakers fall asleep at noon.", "No baker is awake after lunch.", "Sleepy bakers again."]
HARBOUR = ["The ferry was late again.", "The harbour opens at eight.", "We missed the last boat."]
POSTS = [
    *(
        IndexedPost(text, RUDE, ("cooks",), (("cooks", "cooks are loud"), ("cooks", "cooks shout")))
        for text in KITCHEN
    ),
    *(IndexedPost(text, RUDE, ("bakers",), (("bakers", "bakers are lazy"),)) for text in OVENS),
    *(IndexedPost(text, FINE) for text in HARBOUR),
]


@pytest.fixture(scope="module")
def framer() -> RetrievalFramer:
    return RetrievalFramer(build_index(POSTS, load_embedding()), load_embedding(), neighbours=3)


def test_neighbours_say_group_and_statement(framer: RetrievalFramer) -> None:
    cooks, bakers = framer.frame(["The cooks shout so much.", "A baker is always asleep."])
    assert cooks.target_groups[0] == "cooks"
    assert cooks.implied_statements[0] in ("cooks are loud", "cooks shout")
    assert bakers.target_groups[0] == "bakers"
    assert bakers.implied_statements[0] == "bakers are lazy"
    assert cooks.answers["offensive"] == "yes"
    assert 0 < cooks.implications[0].probability <= 1  # type: ignore[operator]


def test_neighbours_are_the_evidence(framer: RetrievalFramer) -> None:
    frame = framer.frame(["The cooks shout so much."])[0]
    evidence = frame.implications[0].evidence
    assert 1 <= len(evidence) <= 3
    assert all(any(each.startswith(text) for text in KITCHEN) for each in evidence)
    assert evidence[0].endswith(" alike)")
    nearest = framer.nearest("The cooks shout so much.")
    assert evidence[0].startswith(nearest[0].post.text)
    assert sum(each.weight for each in nearest) == pytest.approx(1)
    assert nearest == sorted(nearest, key=lambda each: -each.similarity)


def test_hiding_statements_hides_them_in_the_evidence_too(framer: RetrievalFramer) -> None:
    frame = without_statements(framer.frame(["A baker is always asleep."])[0])
    assert frame.target_groups
    assert "bakers are lazy" not in repr(frame)


def test_a_harmless_text_has_no_group_unless_one_is_asked_for(framer: RetrievalFramer) -> None:
    text = "The ferry is late."
    (plain,), (forced,) = framer.frame([text]), framer.frame([text], always=True)
    assert plain.answers["offensive"] == "no"
    assert not plain.target_groups
    assert not plain.implications
    assert "frame.in_group" not in plain.answers
    assert forced.target_groups
    assert forced.implied_statements


def test_every_frame_holds_the_constraints(framer: RetrievalFramer) -> None:
    texts = [*KITCHEN, *OVENS, *HARBOUR, "", " ", "\u200b", "?!", "loud " * 600]
    for always in (False, True):
        for frame in framer.frame(texts, always=always):
            validate_frame(frame)


def test_a_frame_does_not_depend_on_company(framer: RetrievalFramer) -> None:
    texts = [*KITCHEN, *HARBOUR]
    together = framer.frame(texts)
    assert together == [framer.frame([text])[0] for text in texts]
    assert framer.frame([]) == []


@pytest.mark.parametrize(("in_group", "said"), [(1, "maybe"), (0, "no")])
def test_whether_the_author_is_of_the_group_is_never_more_than_maybe(
    in_group: int, said: str
) -> None:
    answers = {"frame.offensive": 1, "frame.group": 1, "frame.in_group": in_group}
    frame = _frame(dict.fromkeys(answers, 0.9), answers, ())
    assert frame.answers["frame.in_group"] == said


def test_more_neighbours_than_posts() -> None:
    framer = RetrievalFramer(build_index(POSTS[:1], load_embedding()), load_embedding())
    assert framer.frame(["Anything at all."])[0].target_groups == ("cooks",)


def test_who_was_not_asked_does_not_vote() -> None:
    posts = [replace(post, shares={"frame.offensive": 1.0}) for post in POSTS[:2]]
    asked = replace(POSTS[2], shares={**RUDE, "frame.in_group": 1.0})
    framer = RetrievalFramer(build_index([*posts, asked], load_embedding()), load_embedding())
    frame = framer.frame([KITCHEN[0]])[0]
    assert frame.probabilities["in_group"] == 1
    # A post that offends nobody in particular: the group was asked for, and none was named.
    assert frame.probabilities["group"] < 1


def test_the_folder_is_a_framer(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    write_index(build_index(POSTS, load_embedding()), folder)
    opened = load_framer(folder)
    assert isinstance(opened, Framer)
    assert isinstance(opened, RetrievalFramer)
    assert opened.card.kind == "frames-index"
    assert opened.frame(["The cooks shout so much."])[0].target_groups[0] == "cooks"


def test_an_index_of_another_embedding_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    write_index(build_index(POSTS, load_embedding()), folder)
    card = read_card(folder)
    write_card(replace(card, training={**card.training, "fingerprint": "0"}), folder)
    with pytest.raises(FileFormatError, match="another version of the embedding 'encoder'"):
        load_retrieval_framer(folder)
    write_card(replace(card, training={**card.training, "embedding": "gone"}), folder)
    with pytest.raises(UnknownNameError, match="no embedding named 'gone'"):
        load_retrieval_framer(folder)


def test_the_sample_finds_itself(sample_copy: Callable[[str], Path]) -> None:
    posts, source = read_index_posts(sample_copy("sbic"))
    framer = RetrievalFramer(build_index(posts, load_embedding(), source), load_embedding())
    known = [post for post in posts if post.pairs]
    for post, frame in zip(known, framer.frame([each.text for each in known]), strict=True):
        if frame.target_groups:
            assert frame.target_groups[0] in post.groups


@pytest.mark.slow
def test_the_bars_on_the_held_out_fold(data_folder: Callable[[str], Path]) -> None:
    """The bars of a k-nearest-neighbour lookup with a sentence encoder, on a part of them."""
    posts = read_posts(data_folder("sbic"))
    rest = [indexed(post) for post in posts if not post.held_out]
    known = [post for post in rest if post.pairs]
    asked = [post for post in posts if post.held_out and indexed(post).pairs]
    embedding = load_embedding()
    parts = embedding.vectors([post.text for post in known])
    framer = RetrievalFramer(index_of_parts(known, parts, embedding, "corpus"), embedding)
    frames = framer.frame([post.text for post in asked], always=True)
    measures = evaluate_frames([post.frame for post in asked], frames)
    bars = {
        "target_group.exact_match": 0.72,
        "target_group.rouge_l": 0.78,
        "implied_statement.mean_sentence_bleu_2": 0.35,
        "implied_statement.rouge_l": 0.46,
    }
    missed = {name: float(measures[name]) for name in bars if float(measures[name]) < bars[name]}
    assert not missed
