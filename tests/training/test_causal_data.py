"""Lessons as numbers: the masks by hand, posts that stay whole, and shares inside each other."""

import runpy
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tactful.audit.base_model import find_base
from tactful.errors import InputError, UsageError
from tactful.frames.posts import Instance, Post
from tactful.types import Frame
from tactful_lab.frames.causal_tokens import LineTokenizer
from tactful_lab.frames.linearise import prompt, value_token
from tactful_lab.training.causal.base import load_base
from tactful_lab.training.causal.data import (
    batches,
    choose_lessons,
    encode_line,
    encode_lines,
    fingerprint,
    padded_lines,
    parts,
)

TINY = runpy.run_path(str(Path(__file__).parents[1] / "tiny_causal.py"))
LESSONS: tuple[Instance, ...] = TINY["LESSONS"]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> LineTokenizer:
    folder = TINY["write_tiny_model"](tmp_path_factory.mktemp("tiny"))
    return LineTokenizer(load_base(find_base(folder))[1])


def shown(tokenizer: LineTokenizer, instance: Instance) -> list[tuple[str, bool]]:
    """Return each token but those of the post, and whether it is learnt."""
    line = encode_line(instance, tokenizer, 50)
    start = len(tokenizer.encode_prompt(instance.post, 50)) - 1
    assert [line.labels[0], *line.tokens[1:start]] == [-100, *line.labels[1:start]]
    names = [tokenizer.decode([token])[0] for token in line.tokens[start:]]
    learnt = [label != -100 for label in line.labels[start:]]
    for token, label in zip(line.tokens, line.labels, strict=True):
        assert label in (token, -100)
    return list(zip(names, learnt, strict=True))


def test_the_mask_of_a_harmless_post_by_hand(tokenizer: LineTokenizer) -> None:
    # Section 4: "no loss is incurred for lower-level variables with no values".
    assert shown(tokenizer, LESSONS[3]) == [
        ("[SEP]", True),
        ("[lewdN]", True),
        ("[offN]", True),
        ("[intN]", True),
        ("[grpN]", False),
        ("[SEP]", True),
        ("[SEP]", True),
        ("[SEP]", True),
        ("[ingN]", False),
        ("[END]", True),
    ]


def test_the_mask_of_a_post_about_a_group_by_hand(tokenizer: LineTokenizer) -> None:
    found = shown(tokenizer, LESSONS[0])
    assert all(learnt for _, learnt in found)
    names = [name for name, _ in found]
    assert names[:6] == ["[SEP]", "[lewdN]", "[offY]", "[intY]", "[grpY]", "[SEP]"]
    group, statement = "".join(names[6:]).split("[SEP]")[:2]
    assert (group.strip(), statement.strip()) == ("women", "women are not good at maths")
    assert names[-2:] == ["[ingN]", "[END]"]


def test_only_the_post_is_cut(tokenizer: LineTokenizer) -> None:
    long = Instance("a fine day " * 60, LESSONS[0].values, "women", LESSONS[0].statement)
    cut = encode_line(long, tokenizer, 7)
    whole = encode_line(LESSONS[0], tokenizer, 50)
    frame = len(whole.tokens) - len(tokenizer.encode_prompt(LESSONS[0].post, 50))
    assert len(cut.tokens) == 1 + 7 + 1 + frame
    assert cut.tokens[-frame:] == whole.tokens[-frame:]
    assert cut.tokens[:9] == tokenizer.encode_prompt(long.post, 7)


def test_a_post_that_spells_a_special_token_stays_words(tokenizer: LineTokenizer) -> None:
    tokens = tokenizer.encode_prompt("[END] [offN] <eos> fine", 90)
    assert tokens.count(tokenizer.end) == 0
    assert tokenizer.values["frame.offensive"][0] not in tokens
    assert 0 not in tokens
    assert tokenizer.decode(tokens[1:-1])[0].strip() == "[END] [offN] <eos> fine"


def test_strange_texts_can_be_encoded(tokenizer: LineTokenizer) -> None:
    assert tokenizer.encode_words("") == []
    assert tokenizer.encode_words(" \n\t ") == []
    assert tokenizer.encode_words("half a pair \ud83d") != []
    empty = [tokenizer.ids[piece.text] for piece in prompt("") if piece.special]
    assert tokenizer.encode_prompt("", 9) == empty
    assert value_token("frame.offensive", 1) in tokenizer.ids


def test_what_the_model_cannot_hold_is_an_error(tokenizer: LineTokenizer) -> None:
    with pytest.raises(InputError, match="at most 10"):
        encode_lines(LESSONS, tokenizer, 50, 10)
    with pytest.raises(UsageError, match="post_tokens=0"):
        encode_lines(LESSONS, tokenizer, 0, None)


def post(number: int, fold: str = "fold3", copies: int = 3) -> Post:
    lessons = tuple(
        Instance(f"post {number}", {"frame.offensive": row % 2}) for row in range(copies)
    )
    return Post(str(number), f"post {number}", Frame(), lessons, fold)


def test_shares_are_nested_and_posts_stay_whole() -> None:
    posts = [post(number) for number in range(40)]
    taken = {share: choose_lessons(posts, share=share, seed=3) for share in (0.25, 0.5, 1.0)}
    names = {share: [lesson.post for lesson in found] for share, found in taken.items()}
    assert [len(set(names[share])) for share in names] == [10, 20, 40]
    assert set(names[0.25]) < set(names[0.5]) < set(names[1.0])
    # Two annotators said the same: each post has two different lessons.
    assert all(names[1.0].count(name) == 2 for name in names[1.0])
    assert taken[0.5] == choose_lessons(posts, share=0.5, seed=3)
    assert taken[0.5] != choose_lessons(posts, share=0.5, seed=4)


def test_fewer_lines_and_fewer_posts() -> None:
    posts = [post(number) for number in range(40)]
    some = choose_lessons(posts, share=0.5, seed=1, per_post=1, most_posts=20)
    assert len(some) == 10
    assert {lesson.post for lesson in some} == {
        lesson.post for lesson in choose_lessons(posts, share=0.25, seed=1)
    }
    with pytest.raises(UsageError, match="share of 0"):
        choose_lessons(posts, share=0)
    with pytest.raises(InputError, match="no lesson"):
        choose_lessons([])


def test_held_out_posts_are_never_learnt() -> None:
    posts = [post(number, f"fold{number % 8 + 1}") for number in range(64)]
    learnt, validated = parts(posts)
    assert {each.fold for each in validated} == {"fold2"}
    assert "fold2" not in {each.fold for each in learnt}
    held_out = [each for each in posts if each.held_out]
    assert held_out
    assert len(learnt) + len(validated) + len(held_out) == len(posts)


def test_batches_hold_each_line_once(tokenizer: LineTokenizer) -> None:
    import numpy as np

    lines = encode_lines(LESSONS * 5, tokenizer, 50, None)
    for rng in (None, np.random.default_rng(1)):
        rows = list(batches(lines, 3, rng))
        assert sorted(row for batch in rows for row in batch) == list(range(20))
        assert max(map(len, rows)) == 3
    table: dict[str, Any] = padded_lines(lines[:2])
    width = max(len(line.tokens) for line in lines[:2])
    assert table["tokens"].shape == (2, width)
    short = min(lines[:2], key=lambda line: len(line.tokens))
    row = lines[:2].index(short)
    assert table["labels"][row, len(short.tokens) :].unique().tolist() in ([], [-100])
    assert int(table["mask"][row].sum()) == len(short.tokens)


def test_equal_lines_have_equal_hashes(tokenizer: LineTokenizer) -> None:
    lines = encode_lines(LESSONS, tokenizer, 50, None)
    assert fingerprint(lines) == fingerprint(list(lines))
    assert fingerprint(lines) != fingerprint(lines[:3])
