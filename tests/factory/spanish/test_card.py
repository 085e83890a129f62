"""Calibration of the Spanish detector: what each corpus may say about how rare things are."""

import numpy as np
import pytest

pytest.importorskip("torch")

from factory.spanish.card import SHARES, finish, fitted_experts
from factory.spanish.sources import (
    CATEGORY_IDS,
    COLUMNS,
    COMMENT,
    COMMENTS,
    ENGLISH,
    IDS,
    REGISTER,
    SPEECH,
    SPEECHES,
    SpanishSources,
    Text,
)

from tactful.detectors.base import sigmoid
from tactful.detectors.card import Card
from tactful.detectors.models.experts import mixed_scores

RNG = np.random.default_rng(3)


def made() -> tuple[SpanishSources, np.ndarray, np.ndarray]:
    """Comments of which a tenth, and speeches of which a half are positive; answers of a kind."""
    texts, rows = [], []
    for corpus, column, rate in ((COMMENTS, COMMENT, 0.1), (SPEECHES, SPEECH, 0.5)):
        for at in range(600):
            yes = float(RNG.random() < rate)
            targets = {column: yes, REGISTER: float(corpus == SPEECHES)}
            row = np.full(len(COLUMNS), -3.0)
            row[COLUMNS.index(column)] = RNG.normal(loc=1.5 * yes)
            row[COLUMNS.index(REGISTER)] = 20.0 if corpus == SPEECHES else -20.0
            if corpus == SPEECHES and yes:
                targets |= dict.fromkeys(CATEGORY_IDS, 0.0) | {CATEGORY_IDS[at % 2]: 1.0}
                row[3 + at % 2] = RNG.normal(loc=2.0)
            texts.append(Text(f"{corpus} {at}", corpus, at % 5, targets))
            rows.append(row)
    english = [
        Text(f"en {at}", ENGLISH, 0 if at < 100 else None, {"pcl": at % 2}) for at in range(200)
    ]
    pcl = np.array([RNG.normal(loc=2.0 * (at % 2)) for at in range(200)])
    sources = SpanishSources((*texts, *english), COLUMNS)
    return sources, np.concatenate([rows, np.full((200, len(COLUMNS)), np.nan)]), pcl


def test_speeches_are_scored_as_if_stereotypes_were_as_rare_as_in_comments() -> None:
    sources, logits, _ = made()
    experts = fitted_experts(sources, logits)
    for expert, corpus in ((experts.first, COMMENTS), (experts.second, SPEECHES)):
        rows = sources.rows(corpus)
        column = logits[rows, COLUMNS.index(expert.column)]
        found = sigmoid(expert.slope * column + expert.intercept)
        gold = np.array([sources.texts[row].targets[expert.column] for row in rows])
        # Weighed so that a tenth is positive, the mean of both is a tenth.
        weights = np.where(gold == 1, 0.1 / gold.mean(), 0.9 / (1 - gold.mean()))
        assert np.average(found, weights=weights) == pytest.approx(0.1, abs=0.025)


def test_the_card_has_thresholds_calibration_and_figures() -> None:
    sources, logits, pcl = made()
    card = finish(Card("x", "1", IDS, kind="experts"), sources, logits, pcl)
    assert set(card.thresholds) == set(IDS)
    threshold = card.thresholds["stereotype"]
    assert {card.thresholds[name] for name in CATEGORY_IDS} == {threshold}
    slope, intercept = card.calibration["stereotype.dehumanisation"]
    assert slope == 1.0
    assert sigmoid(np.array(intercept)) == pytest.approx(threshold, abs=1e-3)
    assert card.training["members"] == SHARES
    measured = {(each["id"], each["metric"]): each["value"] for each in card.figures}
    assert measured["stereotype", "auc"] > 0.75
    assert measured["pcl", "auc"] > 0.85
    assert ("stereotype.culture", "auc") not in measured
    experts = fitted_experts(sources, logits)
    scores = mixed_scores(logits[:1200], COLUMNS, experts, card)
    found = scores["stereotype"][:600] >= card.thresholds["stereotype"]
    assert 0.05 < found.mean() < 0.25


def test_shares_of_the_members_make_a_whole() -> None:
    for name in SHARES["encoder-es"]:
        assert SHARES["encoder-es"][name] + SHARES["words-es"][name] == pytest.approx(1.0)
