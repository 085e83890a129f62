"""Identity terms in sentences of our own: enough of them, filled in well, and summed up rightly."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import yaml

from tactful.detectors.base import Scores
from tactful.detectors.card import Card
from tactful.errors import UnknownNameError, UsageError
from tactful.taxonomies import find_entry
from tactful.types import Report
from tactful_lab.evaluation.identity_bias import TEMPLATES, identity_bias, neutral_sentences

IDS = ("pcl", "unhealthy.hostile", "unhealthy.sarcastic")
KINDS = {sentence.text: sentence.kind for sentence in neutral_sentences()}
BAD = ("stand", "lazy", "fool", "shut up", "useless", "stupid", "fault", "liars", "despise")


class Planted:
    """Finds our harmful sentences by their words, and dislikes one word for no reason."""

    card = Card("planted", "1", IDS, thresholds={"pcl": 0.3, "unhealthy.hostile": 0.5})

    def __init__(self, disliked: str = "nobody at all", by: float = 0.4):
        self.disliked, self.by = disliked, by
        self.largest = 0

    def score(self, texts: Sequence[str]) -> Scores:
        self.largest = max(self.largest, len(texts))
        extra = np.array([self.by * (self.disliked in text.lower()) for text in texts])
        patronizing = np.array([KINDS[text] == "patronizing" for text in texts])
        hostile = np.array([any(word in text.lower() for word in BAD) for text in texts])
        return {
            "pcl": (0.1 + 0.3 * patronizing + extra).astype(np.float32),
            "unhealthy.hostile": (0.1 + 0.8 * hostile).astype(np.float32),
            "unhealthy.sarcastic": np.full(len(texts), 0.2, dtype=np.float32),
        }

    def check(self, text: str) -> Report:
        return Report(text)


@pytest.fixture(scope="module")
def templates() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(TEMPLATES.read_text(encoding="utf-8"))
    return found


def test_there_are_enough_terms_groups_and_sentences(templates: dict[str, Any]) -> None:
    terms = templates["terms"]
    assert len(terms) >= 40
    assert len({term["id"] for term in terms}) == len(terms)
    assert {term["group"] for term in terms} >= {
        *("gender", "age", "religion", "ethnicity", "disability"),
        *("sexuality", "class", "migration", "health"),
    }
    assert all(len(term["phrasings"]) >= 2 for term in terms)
    sentences = templates["sentences"]
    assert len(sentences["neutral"]) >= 25
    assert len(sentences["patronizing"]) >= 10
    assert len(sentences["hostile"]) >= 10


def test_every_sentence_has_one_place_for_people(templates: dict[str, Any]) -> None:
    for sentences in templates["sentences"].values():
        for sentence in sentences:
            assert len(re.findall(r"\{[Pp]eople\}", sentence)) == 1, sentence
            assert sentence.startswith("{People}") or "{People}" not in sentence, sentence
            assert sentence[0].isupper() or sentence.startswith("{People}"), sentence


def test_the_templates_are_filled_and_all_different() -> None:
    sentences = neutral_sentences()
    texts = [sentence.text for sentence in sentences]
    assert [text for text, times in Counter(texts).items() if times > 1] == []
    assert not any("{" in text or "  " in text for text in texts)
    assert all(text[0].isupper() for text in texts)
    assert "Wheelchair users bought tickets for the concert last week." in texts


def test_every_id_with_positive_sentences_is_in_a_taxonomy(templates: dict[str, Any]) -> None:
    assert set(templates["positive"]) == {"patronizing", "hostile"}
    for ids in templates["positive"].values():
        assert all(find_entry(name) for name in ids)


def test_a_fair_detector_shows_no_difference() -> None:
    table = identity_bias(Planted())
    assert {row.id for row in table.rows} == set(IDS)
    for row in table.rows:
        assert row.difference == pytest.approx(0, abs=1e-6)
        assert row.false_positive_rate == 0
    aucs = {
        (row.id, row.subgroup_auc, row.bpsn_auc, row.bnsp_auc)
        for row in table.rows
        if row.id != "unhealthy.sarcastic"
    }
    assert aucs == {("pcl", 1, 1, 1), ("unhealthy.hostile", 1, 1, 1)}


def test_a_disliked_term_is_found() -> None:
    worst, second, *_ = (table := identity_bias(Planted("wheelchair"), ["pcl"])).of("pcl")
    assert (worst.term, worst.group) == ("wheelchair", "disability")
    terms = len(table.rows)
    assert worst.mean == pytest.approx(0.5, abs=1e-6)
    assert worst.difference == pytest.approx(0.4 * (1 - 1 / terms), abs=1e-6)
    assert second.difference == pytest.approx(-0.4 / terms, abs=1e-6)
    assert (worst.false_positive_rate, second.false_positive_rate) == (1, 0)
    # Within the term the order holds; its harmless sentences outrank the others' harmful ones.
    assert (worst.subgroup_auc, worst.bpsn_auc, worst.bnsp_auc) == (1, 0, 1)
    assert second.bpsn_auc == 1
    assert second.bnsp_auc is not None
    assert second.bnsp_auc < 1


def test_a_phrasing_counts_as_its_share_of_the_term() -> None:
    [row] = [
        row
        for row in identity_bias(Planted("pensioners", 0.3), ["pcl"]).rows
        if row.term == "old"  # one of three phrasings
    ]
    assert row.mean == pytest.approx(0.1 + 0.3 / 3, abs=1e-6)
    assert row.false_positive_rate == pytest.approx(1 / 3)


def test_where_no_sentence_is_positive_there_is_no_auc() -> None:
    rows = identity_bias(Planted(), ["unhealthy.sarcastic"]).rows
    assert {(row.subgroup_auc, row.bpsn_auc, row.bnsp_auc) for row in rows} == {(None, None, None)}
    assert "lowest_bpsn_auc" not in identity_bias(Planted()).summary()["ids"]["unhealthy.sarcastic"]


def test_the_summary_for_a_card_is_small_and_plain() -> None:
    summary = identity_bias(Planted("wheelchair")).summary()
    assert summary["templates"] == "1.0"
    pcl = summary["ids"]["pcl"]
    assert (pcl["highest_term"], pcl["most_flagged_term"], pcl["most_flagged_rate"]) == (
        *("wheelchair", "wheelchair"),
        1.0,
    )
    assert (pcl["lowest_bpsn_auc"], pcl["lowest_bpsn_auc_term"]) == (0.0, "wheelchair")
    assert len(json.dumps(summary)) < 400 * len(IDS) + 400


def test_sentences_are_scored_in_batches_that_fit_the_memory() -> None:
    detector = Planted()
    identity_bias(detector, ["pcl"])
    assert detector.largest <= 256


def test_an_unknown_id_answers_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'pcl'"):
        identity_bias(Planted(), ["pcll"])
    with pytest.raises(UsageError, match="at least one"):
        identity_bias(Planted(), [])
