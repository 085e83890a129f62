"""Sums over words: each column from the texts that know it."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from factory.spanish.sources import (
    COLUMNS,
    COMMENT,
    COMMENTS,
    LESSONS,
    REGISTER,
    SPEECH,
    SPEECHES,
    TARGET_GROUP,
    SpanishSources,
    Text,
)
from factory.spanish.words import fit_words

HEALTH = "stereotype.health"


def sources() -> SpanishSources:
    texts = []
    for at in range(12):
        yes = float(at % 2)
        word = "vagos" if yes else "amables"
        targets = {COMMENT: yes, TARGET_GROUP: float(at % 4 == 1), REGISTER: 0.0}
        texts.append(Text(f"todos son {word} aquí", COMMENTS, 0, targets))
        word = "carga" if yes else "ayuda"
        known = {SPEECH: yes, REGISTER: 1.0} | ({HEALTH: float(at % 4 == 1)} if yes else {})
        place = "hospital" if at % 4 == 1 else "puerto"
        texts.append(Text(f"señorías, una {word} del {place}", SPEECHES, 0, known))
        texts.append(Text("contagian enfermedades", LESSONS, None, {HEALTH: 1.0}))
        texts.append(Text("los vagos del poema", LESSONS, None, {COMMENT: 0.0, SPEECH: 0.0}))
    return SpanishSources(tuple(texts), (*COLUMNS, TARGET_GROUP))


def test_each_register_has_its_own_words() -> None:
    found = sources()
    words = fit_words(found, range(len(found.texts)))
    decisions = words.decisions(["son vagos", "son amables", "una carga", "una ayuda"])
    comment, speech, register = (COLUMNS.index(name) for name in (COMMENT, SPEECH, REGISTER))
    assert decisions[0, comment] > decisions[1, comment] + 1
    assert decisions[2, speech] > decisions[3, speech] + 1
    assert decisions[2:, register].min() > decisions[:2, register].max()
    health = words.decisions(["contagian del hospital", "del puerto"])[:, COLUMNS.index(HEALTH)]
    assert health[0] > health[1]


def test_words_know_nothing_of_pcl() -> None:
    found = sources()
    decisions = fit_words(found, range(len(found.texts))).decisions(["todos son vagos", ""])
    assert np.array_equal(decisions[:, COLUMNS.index("pcl")], [0.0, 0.0])


def test_rows_left_out_teach_nothing() -> None:
    found = sources()
    rows = [at for at, text in enumerate(found.texts) if "vagos" not in text.text or at > 8]
    some = fit_words(found, rows[:20])
    assert "puerto" in some.ngrams.words
    assert fit_words(found, rows[:20]).ngrams.words == some.ngrams.words
    assert len(some.ngrams) < len(fit_words(found, range(len(found.texts))).ngrams)
