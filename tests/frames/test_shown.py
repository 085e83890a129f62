"""Hiding statements, and groups that are not likely enough."""

from collections.abc import Sequence

import pytest

from tactful.detectors.card import Card
from tactful.frames.load import Shown, at_least, without_statements
from tactful.frames.schema import frame_problems
from tactful.types import Frame, Implication

FRAME = Frame(
    {"frame.offensive": 0.7, "frame.group": 0.4, "frame.in_group": 0.3},
    ("women",),
    ("women are weak", "women cry"),
    {"frame.offensive": "yes", "frame.group": "yes", "frame.in_group": "yes"},
    (
        Implication("women", "women are weak", 0.4, 0.1, ("wife",)),
        Implication("women", "women cry", 0.4, 0.05, ("wife",)),
    ),
)


class One:
    """A framer with one answer."""

    card = Card("one", "1", ())

    def frame(self, texts: Sequence[str]) -> list[Frame]:
        return [FRAME] * len(texts)


def test_without_statements_the_groups_stay() -> None:
    bare = without_statements(FRAME)
    assert bare.target_groups == ("women",)
    assert bare.implied_statements == ()
    assert bare.implications == (Implication("women", None, 0.4, None, ("wife",)),)
    assert not frame_problems(bare)


@pytest.mark.parametrize(("least", "groups"), [(0.4, ("women",)), (0.41, ())])
def test_an_unlikely_group_is_not_named(least: float, groups: tuple[str, ...]) -> None:
    cut = at_least(FRAME, least)
    assert cut.target_groups == groups
    assert bool(cut.implications) == bool(groups)
    assert cut.answers["group"] == ("yes" if groups else "no")
    assert cut.probabilities == FRAME.probabilities
    assert not frame_problems(cut)


def test_a_framer_is_cut_as_a_whole() -> None:
    assert Shown(One()).frame(["a", "b"]) == [FRAME, FRAME]
    assert Shown(One(), statements=False).frame(["a"]) == [without_statements(FRAME)]
    assert Shown(One(), least=0.5).frame(["a"])[0].target_groups == ()
    assert Shown(One()).card.name == "one"
