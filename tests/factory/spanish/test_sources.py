"""What the Spanish detector learns from: folds without leaks, targets where they are known."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from factory.spanish.sources import (
    CATEGORY_IDS,
    COLUMNS,
    COMMENT,
    COMMENTS,
    ENGLISH,
    FOLDS,
    LESSONS,
    REGISTER,
    SPEECH,
    SPEECHES,
    HoldOut,
    SpanishSources,
    Text,
    corpora_of,
    read_spanish,
)

from tactful.corpora import load_corpus


def test_a_table_knows_what_is_not_known() -> None:
    sources = SpanishSources(
        (Text("a", COMMENTS, 0, {COMMENT: 1.0}), Text("b", ENGLISH, None, {"pcl": 0.5})), COLUMNS
    )
    table = sources.table()
    assert table[0, 0] == 1
    assert np.isnan(table[1, 0])
    assert table[1, COLUMNS.index("pcl")] == 0.5
    assert sources.rows(ENGLISH) == [1]


def test_the_hash_sees_texts_folds_and_targets() -> None:
    def digest(*texts: Text) -> str:
        return SpanishSources(texts, COLUMNS).fingerprint()

    one = Text("a", COMMENTS, 0, {COMMENT: 1.0})
    others = (
        Text("b", COMMENTS, 0, {COMMENT: 1.0}),
        Text("a", COMMENTS, 1, {COMMENT: 1.0}),
        Text("a", COMMENTS, 0, {COMMENT: 0.0}),
    )
    assert digest(one) == digest(one)
    assert len({digest(one), *(digest(each) for each in others)}) == 4


def test_the_corpora_of_the_real_files(data_folder: Callable[[str], Path]) -> None:
    root = data_folder("detoxis").parent
    sources = read_spanish(root)
    assert {text.corpus for text in sources.texts} == {COMMENTS, SPEECHES, LESSONS, ENGLISH}
    assert sources.heads[: len(COLUMNS)] == COLUMNS
    for corpus in (COMMENTS, SPEECHES):
        rows = sources.rows(corpus)
        assert {sources.texts[row].fold for row in rows} == set(range(FOLDS))
    for text in sources.texts:
        known = text.targets.keys()
        assert (COMMENT in known) <= (text.corpus in (COMMENTS, LESSONS))
        assert (SPEECH in known) <= (text.corpus in (SPEECHES, LESSONS))
        assert (REGISTER in known) == (text.corpus in (COMMENTS, SPEECHES))
        assert ("pcl" in known) == (text.corpus == ENGLISH)
        if text.targets.get(COMMENT) == 0 or text.targets.get(SPEECH) == 0:
            assert not known & set(CATEGORY_IDS)
        if text.corpus == LESSONS:
            assert text.fold is None
    assert sum(int(each["texts"]) for each in corpora_of(sources)) == len(sources.texts)


def test_articles_and_speeches_stay_whole_unless_texts_are_asked_for(
    data_folder: Callable[[str], Path],
) -> None:
    root = data_folder("detoxis").parent
    frame = load_corpus("detoxis", root / "detoxis").examples()
    articles = [str(each.meta["thread_id"]).split("_", maxsplit=1)[0] for each in frame]

    def folds_of_articles(hold_out: HoldOut) -> set[int]:
        sources = read_spanish(root, hold_out=hold_out)
        found: dict[str, set[int | None]] = {}
        for article, row in zip(articles, sources.rows(COMMENTS), strict=True):
            found.setdefault(article, set()).add(sources.texts[row].fold)
        return {len(folds) for folds in found.values()}

    assert folds_of_articles("group") == {1}
    assert folds_of_articles("text") == {FOLDS}
