"""What the adapters share: opening detectors, choosing ids, refusing what is no text."""

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tactful.checking.adapters.reader import Reader, require_texts
from tactful.detectors.card import Card
from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.types import Finding, Report

BOTH = "Help these people, the poor souls."


class OnlyTheProtocol:
    """A detector of somebody who does not know BaseDetector."""

    card = Card("own", "2", ("pcl", "unhealthy"))

    def score(self, texts: Sequence[str]) -> Any:
        high = np.full(len(texts), 0.75, dtype=np.float32)
        return {"pcl": high, "unhealthy": high - 0.5}

    def check(self, text: str) -> Report:
        return Report(text, (Finding("pcl", 0.75, explanation="Mine."),), "own 2")


def test_an_unknown_name_answers_with_the_list() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'default'"):
        Reader("defaultt")


def test_only_takes_ids_and_what_they_begin_with(detector: Any) -> None:
    assert Reader(detector).ids == ("pcl", "pcl.compassion", "unhealthy.sarcastic")
    assert Reader(detector, ["pcl"]).ids == ("pcl", "pcl.compassion")
    assert Reader(detector, ["unhealthy", "pcl.compassion"]).ids == (
        "pcl.compassion",
        "unhealthy.sarcastic",
    )
    with pytest.raises(UnknownNameError, match=r"Did you mean 'pcl\.compassion'"):
        Reader(detector, ["pcl.compasion"])


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [({"pcll": 0.5}, "Did you mean 'pcl'"), ({"pcl": 1.5}, "expected 0 to 1")],
)
def test_a_wrong_threshold_is_refused(
    detector: Any, thresholds: dict[str, float], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        Reader(detector, thresholds=thresholds)


def test_a_category_is_judged_with_its_parent(detector: Any) -> None:
    reader = Reader(detector, ["pcl.compassion"])
    alone, both = reader.read(["You poor souls.", BOTH])
    assert alone.report.findings == ()
    assert alone.probabilities == {"pcl.compassion": pytest.approx(0.8)}
    assert [finding.id for finding in both.report.findings] == ["pcl.compassion"]
    assert both.report.findings[0].spans[0].cut(BOTH) == "poor souls"
    assert detector.calls == [2]


def test_thresholds_replace_those_of_the_card(detector: Any) -> None:
    (reading,) = Reader(detector, ["pcl"], {"pcl": 0.95}).read([BOTH])
    assert reading.report.findings == ()
    (reading,) = Reader(detector, ["unhealthy"], {"unhealthy.sarcastic": 0.1}).read([BOTH])
    assert [finding.id for finding in reading.report.findings] == ["unhealthy.sarcastic"]


def test_a_detector_with_only_the_protocol_keeps_its_words() -> None:
    (reading,) = Reader(OnlyTheProtocol(), thresholds={"unhealthy": 0.2}).read(["Hello."])
    (finding,) = reading.report.findings
    own, more = sorted(finding.kinds, key=lambda kind: kind.id)
    assert own == Finding("pcl", 0.75, explanation="Mine.", confidence=0.75)
    assert (more.id, more.probability, more.spans) == ("unhealthy", 0.25, ())
    # Odds of 1/3 against those of the threshold, 1/4.
    assert more.confidence == pytest.approx(4 / 7)
    assert "57 %" in more.explanation
    assert reading.report.model == "own 2"


def test_no_text_gives_no_reading(detector: Any) -> None:
    assert Reader(detector).read([]) == []


def test_a_reader_of_a_folder_can_be_sent_to_another_process(folder: str) -> None:
    copy = pickle.loads(pickle.dumps(Reader(folder, ["pcl"])))  # noqa: S301
    assert copy.read([BOTH])[0].probabilities["pcl"] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, r"nothing \(None\)"),
        (float("nan"), r"nothing \(NaN\)"),
        (np.float64("nan"), r"nothing \(NaN\)"),
        (7, "a value of type int"),
        (b"bytes", "a value of type bytes"),
        (["a"], "a value of type list"),
    ],
)
def test_what_is_no_text_is_named_with_its_row(value: object, shown: str) -> None:
    with pytest.raises(InputError, match=f"Row 11: found {shown}; expected a text"):
        require_texts(["", value], first=10)
    assert require_texts(["", np.str_("b")]) == ["", "b"]
