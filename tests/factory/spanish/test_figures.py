"""Figures on held-out texts: no fold chooses what it is measured by."""

import numpy as np
import pytest

pytest.importorskip("torch")

from factory.spanish.figures import FIVE, FIVE_HEADS, five_categories, held_out
from factory.spanish.sources import (
    CATEGORY_IDS,
    COLUMNS,
    COMMENT,
    COMMENTS,
    FOLDS,
    SPEECH,
    SPEECHES,
    SpanishSources,
    Text,
)

RNG = np.random.default_rng(5)
MAPPED = ("xenophobia", "suffering", "economic", "migration", "security")


def made() -> tuple[SpanishSources, np.ndarray]:
    texts, rows = [], []
    for at in range(400):
        yes = float(RNG.random() < 0.3)
        row = np.full(len(COLUMNS), -2.0)
        row[0] = RNG.normal(loc=2 * yes)
        texts.append(Text(f"comment {at}", COMMENTS, at % FOLDS, {COMMENT: yes}))
        rows.append(row)
        kind = at % 5
        known = dict.fromkeys(CATEGORY_IDS, 0.0) | {f"stereotype.{MAPPED[kind]}": 1.0}
        known |= {SPEECH: 1.0, FIVE_HEADS[kind]: 1.0}
        row = RNG.normal(size=len(COLUMNS))
        row[COLUMNS.index(f"stereotype.{MAPPED[kind]}")] += 4.0
        texts.append(Text(f"speech {at}", SPEECHES, at // 5 % FOLDS, known))
        rows.append(row)
    return SpanishSources(tuple(texts), (*COLUMNS, *FIVE_HEADS)), np.array(rows)


def test_thresholds_of_a_fold_come_from_the_others() -> None:
    sources, logits = made()
    held = held_out(sources, logits, COMMENTS)
    assert len(held.gold) == 400
    assert abs(held.chances.mean() - held.gold.mean()) < 0.05
    # Another truth in one fold changes nothing about what is said of it.
    changed = [
        Text(text.text, text.corpus, text.fold, {COMMENT: 1 - text.targets[COMMENT]})
        if text.corpus == COMMENTS and text.fold == 0
        else text
        for text in sources.texts
    ]
    again = held_out(SpanishSources(tuple(changed), sources.heads), logits, COMMENTS)
    assert np.array_equal(held.chances[held.folds == 0], again.chances[held.folds == 0])
    assert not np.array_equal(held.chances[held.folds == 1], again.chances[held.folds == 1])


def test_categories_are_read_as_the_five_they_come_from() -> None:
    sources, logits = made()
    truth, answered = five_categories(sources, logits)
    assert len(truth) == 400
    assert np.mean(truth == answered) > 0.8
    fewer, _ = five_categories(sources, logits, {"speech 3", "speech 4"})
    assert len(fewer) == 398


def test_every_category_but_one_stands_for_one_of_five() -> None:
    names = {name.partition(".")[2] for name in CATEGORY_IDS}
    assert names - FIVE.keys() == {"dehumanisation"}
    assert set(FIVE.values()) == set(range(5))
