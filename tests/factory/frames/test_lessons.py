"""What the framer learns from: lines, shares of groups, neutral sentences that are not measured."""

import numpy as np
import pytest

pytest.importorskip("torch")

from factory.frames.decoder import WIDTH
from factory.frames.figures import quiet_threshold, recall_threshold
from factory.frames.lessons import (
    OTHER,
    Lesson,
    group_names,
    group_targets,
    joined_states,
    lines,
    make_batch,
    mention_lessons,
    neutral_lessons,
)

from tactful.frames.groups import group_named
from tactful.frames.posts import Instance, Post
from tactful.types import Frame
from tactful_lab.evaluation.identity_bias import neutral_sentences


def post(*pairs: tuple[str | None, str | None]) -> Post:
    return Post("1", "text", Frame(), tuple(Instance("text", {}, *pair) for pair in pairs))


def test_lines_are_counted_in_lower_case() -> None:
    found = lines(
        post(("Women", "Women  cook"), ("women", "women cook"), ("women", None), (None, None))
    )
    assert found == {("women", "women cook"): 2}
    # A group of the list has its name there, and a full stop adds nothing.
    assert lines(post(("Blacks", "blacks sing."))) == {("black folks", "blacks sing"): 1}


def test_shares_of_groups_count_rows_and_merge_spellings() -> None:
    names = group_names()
    shares = group_targets(
        [
            post(("muslims", "x"), ("Muslim folks", "y"), ("stamp collectors", "z")),
            post((None, None)),
        ]
    )
    assert shares[0, names.index("muslim folks")] == pytest.approx(2 / 3)
    assert shares[0, names.index(OTHER)] == pytest.approx(1 / 3)
    assert not shares[1].any()
    both = group_targets([post(("jews and gays", "x"))])[0]
    assert both[names.index("jewish folks")] == both[names.index("gay men")] == 0.5


def test_what_is_learnt_is_not_what_is_measured() -> None:
    measured = {each.text for each in neutral_sentences()}
    assert not measured & set(neutral_lessons())
    assert len(neutral_lessons()) > 1_000
    assert not any("{" in text for text in neutral_lessons())


def test_a_threshold_for_recall_reaches_its_share() -> None:
    import numpy as np

    chances = np.array([0.9, 0.8, 0.2, 0.1])
    assert recall_threshold(chances, 0.8) == 0.8
    assert recall_threshold(chances, 0.9) == 0.2
    assert recall_threshold(chances, 1.0) == 0.1


def test_a_threshold_for_quiet_texts_lets_at_most_its_share_pass() -> None:
    chances = np.linspace(0.01, 0.99, 99)
    for share in (0.0, 0.05, 0.1):
        assert (chances >= quiet_threshold(chances, share)).mean() <= share


def test_mentions_name_a_group_of_the_list() -> None:
    found = mention_lessons()
    assert {name for _, name in found} <= set(group_names())
    assert all(group_named(name) == name for _, name in found)
    assert ("What do you expect from old people?", "old folks") in found


def test_the_start_of_a_line_weighs_nothing_and_its_group_half() -> None:
    states = joined_states([np.ones((2, WIDTH), dtype=np.float32)], [np.array([5, 0])])
    batch = make_batch([Lesson(0, (7,), (8, 9), 2.0), Lesson(0, (7,), (8,), 1.0)], states)
    # The start, the group, the separator, the statement, the end; the second line is padded.
    assert batch.weights.tolist() == [[0, 1, 1, 2, 2, 2], [0, 0.5, 0.5, 1, 1, 0]]
    assert batch.pieces[0, 1].item() == 7
    assert batch.pieces[0, 3:5].tolist() == [8, 9]
    assert batch.mask.tolist() == [[1, 1], [1, 1]]
    assert batch.source.tolist() == [[5, 0], [5, 0]]
