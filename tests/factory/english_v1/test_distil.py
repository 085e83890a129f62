import numpy as np
import pytest
from factory.english_v1.distil import (
    SENTENCE_STRENGTH,
    labelled_by,
    linear_teacher,
    mixed_logits,
    word_features,
)
from factory.records import IDS_OF, Record

from tactful.detectors.base import sigmoid
from tactful.training.task_data import FRAME_IDS, UNHEALTHY_IDS

SHARES = {"pcl": 0.4, "unhealthy": 0.75, "frame": 0.0}


def test_teachers_are_mixed_by_family_and_by_who_read_the_text() -> None:
    first = {"pcl": np.array([1.0, 1.0]), "unhealthy.hostile": np.array([2.0, 2.0])}
    second = {"pcl": np.array([3.0, np.nan]), "unhealthy.hostile": np.array([4.0, np.nan])}
    linear = {"pcl": np.array([5.0, 5.0]), "unhealthy.hostile": np.array([6.0, 6.0])}
    mixed = mixed_logits([first, second], [linear], SHARES)
    assert mixed["pcl"] == pytest.approx([0.6 * 2 + 0.4 * 5, 0.6 * 1 + 0.4 * 5])
    assert mixed["unhealthy.hostile"] == pytest.approx([0.25 * 3 + 0.75 * 6, 0.25 * 2 + 0.75 * 6])


def test_an_id_without_linear_teacher_is_left_to_the_encoders() -> None:
    mixed = mixed_logits([{"auxiliary.offensive": np.array([1.5])}], [{}], SHARES)
    assert mixed["auxiliary.offensive"] == pytest.approx([1.5])


def test_students_hear_people_and_teachers() -> None:
    ids = [*UNHEALTHY_IDS, *FRAME_IDS]
    mixed = {name: np.full(4, 1.0) for name in ids}
    likely = float(sigmoid(np.array([1.0]))[0])
    records = [
        Record("said", "a", "ucc", "train", {"unhealthy": 0.2}),
        Record("silent", "b", "comment", "train"),
        Record("noisy", "c", "post", "train", {"auxiliary.offensive": 0.0}),
        Record("held out", "d", "ucc", "validation", {"unhealthy": 0.2}),
    ]
    said, silent, noisy, held = labelled_by(mixed, records, {"unhealthy": 0.5, "frame": 0.7})
    assert said.targets == {"unhealthy": pytest.approx((0.2 + likely) / 2)}
    assert set(silent.targets) == set(UNHEALTHY_IDS)
    assert silent.targets["unhealthy"] == pytest.approx(likely)
    assert noisy.targets["frame.offensive"] == pytest.approx(likely / 2)
    assert noisy.targets["frame.lewd"] == pytest.approx(likely)
    assert noisy.targets["auxiliary.offensive"] == 0.0
    assert held == records[3]


def test_a_linear_teacher_learns_from_the_training_part_only() -> None:
    kinds = ["rude words here", "calm words here"] * 10
    records = [
        Record(str(number), text, corpus, "train", dict.fromkeys(ids, 0.9 - 0.8 * (number % 2)))
        for corpus, ids in IDS_OF.items()
        for number, text in enumerate(kinds)
    ]
    # Held out, and labelled the other way round: it would confuse the teacher if it were read.
    records += [
        Record("held out", "rude words here", corpus, "validation", dict.fromkeys(ids, 0.0))
        for corpus, ids in IDS_OF.items()
        for _ in range(40)
    ]
    texts = [record.text for record in records]
    features = word_features(texts, len(texts))
    found = linear_teacher(features, records, SENTENCE_STRENGTH)
    assert set(found) == {name for ids in IDS_OF.values() for name in ids}
    for logits in found.values():
        assert (logits[0:20:2] > 0).all()
        assert (logits[1:20:2] < 0).all()


def test_words_are_counted_in_whole_texts_only() -> None:
    texts = ["plain words again and again"] * 6
    known = word_features(texts, 6)
    more = word_features([*texts, "new terms new terms", "new terms", "new terms"], 6)
    assert more.shape[1] == known.shape[1]  # type: ignore[attr-defined]
    assert (more[:6] != known).nnz == 0  # type: ignore[index]
