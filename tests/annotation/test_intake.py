"""Texts of a corpus as items, and those that a detector is unsure of first."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.intake import items_of_corpus, uncertain_first
from tactful.annotation.protocol.load import load_protocol
from tactful.errors import InputError, UnknownNameError
from tactful.types import Example


class Scores:
    """A detector whose scores are given."""

    def __init__(self, scores: Mapping[str, Sequence[float]]):
        self._scores = scores

    def score(self, texts: Sequence[str]) -> dict[str, Any]:
        return {name: np.array(values) for name, values in self._scores.items()}


ITEMS = [NewItem(name, name) for name in "abc"]


def test_the_least_sure_comes_first() -> None:
    detector = Scores({"pcl": [0.0, 0.5, 0.9], "unhealthy": [0.25, 1.0, float("nan")]})
    found = uncertain_first(ITEMS, detector)  # type: ignore[arg-type]
    assert [item.priority for item in found] == [0.5, 1.0, pytest.approx(0.2)]
    found = uncertain_first(ITEMS, detector, ["unhealthy"])  # type: ignore[arg-type]
    assert [item.priority for item in found] == [0.5, 0.0, 0.0]


def test_what_a_detector_does_not_find_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'pcl'"):
        uncertain_first(ITEMS, Scores({"pcl": [0, 0, 0]}), ["pc"])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="nothing to order"):
        uncertain_first([], Scores({"pcl": []}))  # type: ignore[arg-type]


def example(name: str, text: str, group: str, **meta: str) -> Example:
    return Example(name, text, "detests", "es", group, split="train", meta=meta)


def test_a_sentence_has_its_comment_and_the_one_before() -> None:
    """DETESTS, section 4: comments came with the conversational thread, cut into sentences."""
    found = items_of_corpus(
        [
            example("1", "Hola.", "c1", comment_id="c1", reply_to="c1", label="1"),
            example("2", "¿Qué tal?", "c1", comment_id="c1", reply_to="c1"),
            example("3", "Bien.", "c2", comment_id="c2", reply_to="c1"),
        ],
        "DETESTS",
    )
    assert found[0].context == {"comment": "Hola. ¿Qué tal?"}
    assert found[2].context == {"comment": "Bien.", "thread": "Hola. ¿Qué tal?"}
    assert "label" not in found[0].meta
    assert found[0].meta["split"] == "train"
    assert all(item.gold is None for item in found)


def test_a_post_has_its_source() -> None:
    """Sap et al. 2020, figure 4: the form names the source of a post."""
    (found,) = items_of_corpus([example("1", "One.", "p1", dataSource="Gab")], "SBIC")
    assert found.context == {"source": "Gab"}
    assert "source" in load_protocol("frames").steps[0].context


def test_a_paragraph_has_no_context() -> None:
    found = items_of_corpus([example("1", "One.", "a1", keyword="refugee")], "DPM")
    assert found[0].context == {}
    assert found[0].meta == {
        "keyword": "refugee",
        "corpus": "detests",
        "group": "a1",
        "split": "train",
    }
