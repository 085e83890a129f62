import numpy as np

from tactful.detectors.explain.words import marked_runs, token_spans
from tactful.documents.normalise import normalise


def test_small_gaps_are_closed_and_single_tokens_dropped() -> None:
    logits = np.array([-9, 2, 2, -9, 2, -9, -9, -9, -9, -9, 2.0])
    assert marked_runs(logits, 0.5) == [(1, 5)]


def test_a_lone_token_stays_when_it_is_all_there_is() -> None:
    assert marked_runs(np.array([-9, 2.0, -9]), 0.5) == [(1, 2)]


def test_nothing_marked_nothing_found() -> None:
    assert marked_runs(np.full(4, -3.0), 0.5) == []


def test_spans_cover_whole_words_of_the_source() -> None:
    text = "The un\u200bfortunate ones"
    clean = normalise(text)
    assert clean.text == "The unfortunate ones"
    offsets = [(0, 0), (0, 3), (4, 6), (6, 15), (16, 20), (0, 0)]
    logits = np.array([-9, -9, -9, 3.0, 3.0, -9])
    (span,) = token_spans(text, clean, offsets, logits, "pcl", 0.5)
    assert span.cut(text).endswith("ones")
    assert span.end == len(text)
    assert span.id == "pcl"
