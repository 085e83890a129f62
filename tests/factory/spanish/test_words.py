"""The word voices of the Spanish detector: sums of sums, rounded, and nothing for other ids."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="the factory needs the extra 'train'")

from factory.english.sources import Row
from factory.spanish.ngrams import fit_ngrams
from factory.spanish.sources import ROOT, SHIPPED
from factory.spanish.words import (
    LEAST,
    MORE,
    MOST,
    STEPS,
    VOICES,
    Voice,
    fit_voice,
    fit_words,
    rounded,
)

from tactful.detectors.card import Card
from tactful_lab.training.stereotypes.linear import fit_sum

CARD = Card("words-es", "1", SHIPPED, kind="ngrams", lang="es")
RUDE, KIND = "qué bobo eres", "qué bien escribes"


def rows() -> list[Row]:
    both = [(RUDE, 1.0), (KIND, 0.0)]
    return [
        Row(f"{text} {at}", corpus, {"toxicity": rude, ROOT: 1 - rude})
        for corpus in ("offendes", "detoxis")
        for at in range(20)
        for text, rude in both
    ]


def test_a_voice_counts_by_its_share() -> None:
    one = {"toxicity": (Voice("toxicity", ("offendes",), 1.0),)}
    two = {"toxicity": (Voice("toxicity", ("offendes",), 0.5), Voice("toxicity", ("detoxis",), 1))}
    at = SHIPPED.index("toxicity")
    taught = rows()
    known = fit_ngrams([row.text for row in taught], least=LEAST, most=MOST)
    sums = []
    for corpus in ("offendes", "detoxis"):
        own = [row for row in taught if row.corpus == corpus]
        targets = np.array([row.targets["toxicity"] for row in own])
        sums.append(fit_sum(known.rows([row.text for row in own]), targets, c=3.0))
    texts = [RUDE, KIND]
    table = known.rows(texts)
    alone = fit_words(taught, CARD, one).logits(texts)[:, at]
    both = fit_words(taught, CARD, two).logits(texts)[:, at]
    assert alone == pytest.approx(sums[0].decision(table), abs=0.05)
    expected = 0.5 * sums[0].decision(table) + sums[1].decision(table)
    assert both == pytest.approx(expected, abs=0.05)
    assert alone[0] > 0 > alone[1]


def test_an_intercept_of_its_own_keeps_what_is_said_of_a_corpus_out_of_its_words() -> None:
    # "tuit" is in every text of one corpus, which judges most of them racist.
    told = [Row(f"un tuit {RUDE} {at}", "datathon", {"datathon.racist": 1.0}) for at in range(18)]
    told += [Row(f"un tuit {KIND} {at}", "datathon", {"datathon.racist": 0.0}) for at in range(2)]
    taught = told + [row for row in rows() if row.corpus == "detoxis"]
    known = fit_ngrams([row.text for row in taught], least=LEAST, most=MOST)
    table = known.rows([row.text for row in taught])
    plain = [
        Row(row.text, row.corpus, {ROOT: next(iter(row.targets.values()))}) if row in told else row
        for row in taught
    ]
    together = fit_voice(Voice(ROOT, ("detoxis", "datathon"), 1.0), plain, table)
    voice = Voice(ROOT, ("detoxis",), 1.0, own={"datathon": "datathon.racist"})
    apart = fit_voice(voice, taught, table)
    word = known.words["tuit"]
    assert len(apart.weights) == len(known)
    assert abs(apart.weights[word]) < abs(together.weights[word]) / 2


def test_a_text_that_counts_twice_is_as_two_texts() -> None:
    taught = [row for row in rows() if row.corpus == "detoxis"]
    known = fit_ngrams([row.text for row in taught], least=LEAST, most=MOST)
    table = known.rows([row.text for row in taught])
    twice = fit_voice(Voice(ROOT, ("detoxis",), 1.0, times={"detoxis": 2}), taught, table)
    doubled = [row for row in taught for _ in range(2)]
    again = known.rows([row.text for row in doubled])
    assert twice.weights == pytest.approx(
        fit_voice(Voice(ROOT, ("detoxis",), 1.0), doubled, again).weights
    )


def test_more_prose_teaches_and_adds_no_ngrams() -> None:
    voice = {ROOT: (Voice(ROOT, ("detoxis", MORE), 1.0),)}
    more = [Row(f"palabrita {KIND}", MORE, {ROOT: 0.01}) for _ in range(20)]
    alone, both = fit_words(rows(), CARD, voice), fit_words(rows() + more, CARD, voice)
    assert both.ngrams.words == alone.ngrams.words
    assert both.logits([KIND])[0, 0] < alone.logits([KIND])[0, 0]


def test_ids_without_a_voice_add_nothing() -> None:
    one = {"toxicity": (Voice("toxicity", ("offendes",), 1.0),)}
    found = fit_words(rows(), CARD, one).logits([RUDE])
    others = [at for at, name in enumerate(SHIPPED) if name != "toxicity"]
    assert not found[:, others].any()


def test_every_voice_is_of_a_shipped_id_and_the_hierarchy_keeps_its_root() -> None:
    assert set(VOICES) <= set(SHIPPED)
    assert ROOT in VOICES


def test_weights_have_few_values_and_keep_their_sign() -> None:
    weights = np.random.default_rng(1).normal(size=(5_000, 2))
    weights[:, 1] = 0
    found = rounded(weights)
    assert len(np.unique(found[:, 0])) <= 8 * STEPS + 1
    assert not found[:, 1].any()
    assert np.abs(found[:, 0] - weights[:, 0]).max() < np.abs(weights[:, 0]).max() / STEPS
    assert (np.sign(found[:, 0]) * np.sign(weights[:, 0]) >= 0).all()
