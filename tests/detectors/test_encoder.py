"""The embedded encoder: what holds for any weights."""

from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import pytest

from tactful.detectors.card import Card, write_card
from tactful.detectors.load import load_detector
from tactful.detectors.models.blend import BlendDetector
from tactful.detectors.models.encoder import MODEL_FILE, EncoderDetector, load_encoder_detector
from tactful.detectors.weights import weights_folder
from tactful.errors import FileFormatError

PATRONIZING = (
    "With a little help from people like us, even these poor souls, who have so little, can learn "
    "to smile and hope again."
)
PLAIN = "The library opens at nine on weekdays and closes at six."
RUDE = "What a stupid comment. Only an idiot would believe such nonsense, go away."
AWKWARD = [
    "",
    " ",
    "\x00\x00",
    "\ud800 half a letter",
    "e\u0301" * 50,
    "🙂🙃👨‍👩‍👧‍👦" * 20,
    "مرحبا بكم في المدينة",
    "\u202eright to left\u202c",
    "a" * 5000,
    "w" + "\u200b" + "ord " * 3,
]


@pytest.fixture(scope="module")
def detector(embedded_weights: Path) -> EncoderDetector:
    return load_encoder_detector(weights_folder("encoder-en"))


def test_scores_are_probabilities_in_the_order_of_the_texts(detector: EncoderDetector) -> None:
    scores = detector.score([PLAIN, PATRONIZING, RUDE, *AWKWARD])
    assert tuple(scores) == detector.card.ids
    for values in scores.values():
        assert values.dtype == np.float32
        assert values.shape == (3 + len(AWKWARD),)
        assert np.isfinite(values).all()
        assert ((values >= 0) & (values <= 1)).all()
    assert scores["pcl"][1] > 0.5 > scores["pcl"][0]
    assert scores["unhealthy"][2] > scores["unhealthy"][0]
    assert scores["frame.offensive"][2] > 0.5 > scores["frame.offensive"][0]


def test_no_texts_no_scores(detector: EncoderDetector) -> None:
    assert all(values.shape == (0,) for values in detector.score([]).values())


def test_a_score_does_not_depend_on_the_other_texts(detector: EncoderDetector) -> None:
    texts = [PLAIN, PATRONIZING, RUDE, PLAIN * 4]
    together = detector.score(texts)
    for at, text in enumerate(texts):
        alone = detector.score([text])
        for name in detector.card.ids:
            assert together[name][at] == alone[name][0]


def test_the_strongest_window_of_a_long_text_counts(detector: EncoderDetector) -> None:
    filler = " ".join([PLAIN] * 30)
    scores = detector.score([filler, f"{filler} {PATRONIZING}", f"{PATRONIZING} {filler}"])["pcl"]
    assert scores[0] < detector.card.threshold("pcl")
    assert scores[1] > 2 * scores[0]
    assert scores[2] > 2 * scores[0]


def test_check_marks_the_words_and_says_why(detector: EncoderDetector) -> None:
    report = detector.check(PATRONIZING)
    found = {finding.id: finding for finding in report.findings}
    assert "pcl" in found
    assert report.model == detector.card.model
    assert found["pcl"].spans
    assert found["pcl"].explanation
    for finding in report.findings:
        for span in finding.spans:
            assert 0 <= span.start < span.end <= len(PATRONIZING)
            assert span.id == finding.id


def test_disguises_do_not_move_the_offsets(detector: EncoderDetector) -> None:
    disguised = PATRONIZING.replace("poor souls", "p\u043e\u200bor s\u043euls")
    clean, hidden = detector.check(PATRONIZING), detector.check(disguised)
    assert [finding.id for finding in clean.findings] == [finding.id for finding in hidden.findings]
    for before, after in zip(clean.findings, hidden.findings, strict=True):
        assert before.probability == pytest.approx(after.probability, abs=1e-6)
        assert len(before.spans) == len(after.spans)
        for first, second in zip(before.spans, after.spans, strict=True):
            undone = second.cut(disguised).replace("\u200b", "").replace("\u043e", "o")
            assert first.cut(PATRONIZING) == undone


@pytest.mark.parametrize("text", [RUDE, PATRONIZING, "nonsense", "Unbelievable!"])
def test_contributions_add_up_to_the_log_odds(detector: EncoderDetector, text: str) -> None:
    ids = ["unhealthy", "frame.offensive", "pcl"]
    heads = detector._heads
    assert heads is not None
    logits = detector.logits([text])[0]
    for name, parts in detector.contributions(text, ids).items():
        column = detector.card.ids.index(name)
        slope = detector.card.calibration[name][0]
        expected = slope * (float(logits[column]) - float(heads["text_bias"][column]))
        # The last layer counts in eight bits; the parts are exact.
        assert sum(part.value for part in parts) == pytest.approx(expected, abs=0.05)


def test_awkward_texts_are_checked_without_a_crash(detector: EncoderDetector) -> None:
    for text in AWKWARD:
        for finding in detector.check(text).findings:
            for span in finding.spans:
                assert 0 <= span.start < span.end <= len(text)


def test_a_megabyte_in_one_line(embedded_weights: Path) -> None:
    scores = load_detector("fast").score(["so sad " * 150_000])
    assert np.isfinite(scores["pcl"]).all()


def test_a_broken_model_is_one_sentence(tmp_path: Path) -> None:
    write_card(Card("broken", "1", ("pcl",), kind="encoder"), tmp_path)
    with pytest.raises(FileFormatError, match=r"tokenizer\.json"):
        load_encoder_detector(tmp_path).score(["a"])
    if weights_folder("encoder-en").is_dir():
        copyfile(weights_folder("encoder-en") / "tokenizer.json", tmp_path / "tokenizer.json")
        (tmp_path / MODEL_FILE).write_bytes(b"not a model")
        with pytest.raises(FileFormatError, match="onnxruntime can open"):
            load_encoder_detector(tmp_path).score(["a"])


class _CountingSession:
    """Passes everything on to a session, and counts the windows that it reads."""

    def __init__(self, session: Any):
        self.session, self.windows = session, 0

    def get_outputs(self) -> Any:
        return self.session.get_outputs()

    def run(self, outputs: list[str], inputs: dict[str, Any]) -> Any:
        self.windows += len(inputs["tokens"])
        return self.session.run(outputs, inputs)


def test_all_spans_of_a_text_take_one_reading(embedded_weights: Path) -> None:
    detector = load_detector()
    assert isinstance(detector, BlendDetector)
    encoder = detector.members[0]
    assert isinstance(encoder, EncoderDetector)
    session = _CountingSession(encoder._session)
    vars(encoder)["_session"] = session
    found = detector.spans(PATRONIZING, detector.card.ids)
    assert any(found.values())
    assert session.windows == 1
