"""Tactful's own detectors as classifiers."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tactful import Checker
from tactful.audit.classifiers import load_classifier
from tactful.audit.classifiers.detector import DetectorClassifier
from tactful.detectors.base import BaseDetector, Scores
from tactful.detectors.card import Card
from tactful.detectors.load import load_detector
from tactful.detectors.weights import weights_folder
from tactful.errors import FileFormatError, UnknownNameError, UsageError
from tactful.taxonomies.prompts import Prompt
from tactful_lab.evaluation.reproduce.stigma_prompts import sentiment_prompts


def prompts(*texts: str) -> list[Prompt]:
    return [Prompt(None, None, None, "T", text) for text in texts]


INSULT = "You are a stupid idiot, shut up."
PLAIN = "The train leaves at nine."


def test_fast_is_negative_where_check_finds_something() -> None:
    checker = Checker(model="fast", lang="en", terms="off", frames="off", quotes="check")
    asked = list(sentiment_prompts())[:40] + prompts(INSULT, PLAIN)
    answers = load_classifier("tactful:fast").ask(asked)
    for each, answer in zip(asked, answers, strict=True):
        found = bool(checker.check(each.text).findings)
        assert answer["label"] == ("negative" if found else "neutral"), each.text
    assert [each["label"] for each in answers[-2:]] == ["negative", "neutral"]


def test_one_id_decides_by_its_own_threshold() -> None:
    classifier = load_classifier("tactful:fast#toxicity.insult")
    threshold = load_detector("fast").card.report_threshold("toxicity.insult")
    negative, neutral = classifier.ask(prompts(INSULT, PLAIN))
    assert classifier.name == "tactful:fast#toxicity.insult"
    assert (negative["label"], neutral["label"]) == ("negative", "neutral")
    assert neutral["score"] < threshold <= negative["score"]
    assert negative["said"].startswith("toxicity.insult ")
    assert f"(reported from {threshold:.4f})" in neutral["said"]


def test_nothing_asked_nothing_answered() -> None:
    assert load_classifier("tactful:fast").ask([]) == []


def test_a_folder_is_the_same_detector_and_its_hash_sees_the_weights(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(weights_folder("fast-en"), tmp_path / "fast-en"))
    named, copied = load_classifier("tactful:fast"), load_classifier(f"tactful:{folder}")
    assert copied.name == "tactful:fast-en"
    assert copied.fingerprint == named.fingerprint
    assert copied.ask(prompts(INSULT)) == named.ask(prompts(INSULT))
    assert load_classifier(f"tactful:{folder}#pcl").fingerprint != named.fingerprint
    with (folder / "words.txt").open("a", encoding="utf-8") as words:
        words.write("\nzyzzyva")
    assert load_classifier(f"tactful:{folder}").fingerprint != named.fingerprint


def test_a_blends_hash_sees_its_members(tmp_path: Path) -> None:
    for name in ("cascade-en", "default-en", "fast-en", "encoder-en"):
        shutil.copytree(weights_folder(name), tmp_path / name)
    named = load_classifier("tactful:cascade").fingerprint
    place = f"tactful:{tmp_path / 'cascade-en'}"
    assert load_classifier(place).fingerprint == named
    (tmp_path / "encoder-en" / "heads.npz").write_bytes(b"others")
    assert load_classifier(place).fingerprint != named


class _Gated(BaseDetector):
    """Reaches the threshold of an id whose gate is closed."""

    card = Card("gated", "1", ("frame.offensive", "frame.group"), thresholds={"frame.group": 0.3})

    def score(self, texts: Sequence[str]) -> Scores:
        values = {"frame.offensive": 0.2, "frame.group": 0.9}
        return {name: np.full(len(texts), p, dtype=np.float32) for name, p in values.items()}


@pytest.mark.parametrize(
    ("only", "said"), [(None, "frame.offensive 0.2"), ("frame.group", "frame.group 0.9")]
)
def test_what_check_does_not_report_is_not_negative(
    only: str | None, said: str, tmp_path: Path
) -> None:
    [answer] = DetectorClassifier("gated", tmp_path, _Gated(), only).ask(prompts("A text."))
    assert answer["label"] == "neutral"
    assert answer["said"].startswith(said)


def test_notes_say_that_nothing_is_positive() -> None:
    assert "none is positive" in load_classifier("tactful:fast").notes[0]
    assert "'pcl'" in load_classifier("tactful:fast#pcl").notes[0]


def test_unknown_names_answer_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'fast'"):
        load_classifier("tactful:fsat")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'frame\.offensive'"):
        load_classifier("tactful:fast#frame.ofensive")
    for name in ("tactful:", "tactful:#pcl"):
        with pytest.raises(UnknownNameError, match="Known: default, fast"):
            load_classifier(name)
    with pytest.raises(UnknownNameError, match="Known: pcl"):
        load_classifier("tactful:fast#")


def test_a_folder_without_a_detector_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"found no card\.json"):
        load_classifier(f"tactful:{tmp_path}")
    with pytest.raises(UsageError, match="There is no folder"):
        load_classifier(f"tactful:{tmp_path / 'none'}")


def test_a_folder_with_a_hash_sign_is_found(tmp_path: Path) -> None:
    folder = shutil.copytree(weights_folder("fast-en"), tmp_path / "mine#2")
    assert load_classifier(f"tactful:{folder}").name == "tactful:mine#2"
    assert load_classifier(f"tactful:{folder}#pcl").name == "tactful:mine#2#pcl"
