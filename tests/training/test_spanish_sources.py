"""What the Spanish detector learns from: folds without leaks, targets where they are known."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from tactful.training.spanish_sources import (
    CATEGORY_IDS,
    COMMENTS,
    ENGLISH,
    FOLDS,
    IDS,
    LESSONS,
    SPEECHES,
    SpanishSources,
    Text,
    corpora_of,
    read_spanish,
)


def test_a_table_knows_what_is_not_known() -> None:
    sources = SpanishSources(
        (Text("a", COMMENTS, 0, {"stereotype": 1.0}), Text("b", ENGLISH, None, {"pcl": 0.5})), IDS
    )
    table = sources.table()
    assert table[0, 0] == 1
    assert np.isnan(table[1, 0])
    assert table[1, IDS.index("pcl")] == 0.5
    assert sources.rows(ENGLISH) == [1]


def test_the_hash_sees_texts_folds_and_targets() -> None:
    def digest(*texts: Text) -> str:
        return SpanishSources(texts, IDS).fingerprint()

    one = Text("a", COMMENTS, 0, {"stereotype": 1.0})
    others = (
        Text("b", COMMENTS, 0, {"stereotype": 1.0}),
        Text("a", COMMENTS, 1, {"stereotype": 1.0}),
        Text("a", COMMENTS, 0, {"stereotype": 0.0}),
    )
    assert digest(one) == digest(one)
    assert len({digest(one), *(digest(each) for each in others)}) == 4


def test_the_corpora_of_the_real_files(data_folder: Callable[[str], Path]) -> None:
    root = data_folder("detoxis").parent
    sources = read_spanish(root)
    assert {text.corpus for text in sources.texts} == {COMMENTS, SPEECHES, LESSONS, ENGLISH}
    assert sources.heads[: len(IDS)] == IDS
    for corpus in (COMMENTS, SPEECHES):
        rows = sources.rows(corpus)
        assert {sources.texts[row].fold for row in rows} == set(range(FOLDS))
    for text in sources.texts:
        if text.corpus == COMMENTS and not text.targets["stereotype"]:
            assert not any(text.targets[name] for name in CATEGORY_IDS)
        if text.corpus in (LESSONS, ENGLISH):
            assert text.fold is None
        assert ("pcl" in text.targets) <= (text.corpus == ENGLISH)
    assert sum(int(each["texts"]) for each in corpora_of(sources)) == len(sources.texts)
