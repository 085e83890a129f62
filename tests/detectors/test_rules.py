"""The lexicon as a detector: its votes, and the words they come from."""

import json
from pathlib import Path

import numpy as np
import pytest

from tactful.detectors.card import CARD_FILE, Card, write_card
from tactful.detectors.load import load_detector
from tactful.detectors.models.rules import RuleDetector
from tactful.detectors.models.stereotype_rules import label, plain_words, word_places
from tactful.detectors.stereotype_labels import CATEGORIES
from tactful.errors import FileFormatError

TEXT = "Mañana vendrán más inmigrantes a vivir de las ayudas, como siempre."
IDS = ("comment", "register", *CATEGORIES)


def detector() -> RuleDetector:
    card = Card("mine", "1", IDS, kind="rules", lang="es", calibration={"comment": (3.0, 0.0)})
    return RuleDetector(card, ["comment"])


def test_votes_are_those_of_the_rules() -> None:
    texts = [TEXT, "El tren llega tarde.", ""]
    logits = detector().logits(texts)
    votes = label(texts)
    assert np.allclose(logits[:, 2:], votes)
    assert np.allclose(logits[:, 0], votes.max(axis=1))
    assert not logits[:, 1].any()
    assert votes[0].max() > 0
    assert logits[1:].max() == 0


def test_what_words_add_makes_up_the_vote() -> None:
    found = detector().contributions(TEXT, ["comment", "stereotype.benefits", "register"])
    vote = float(label([TEXT])[0, CATEGORIES.index("stereotype.benefits")])
    assert sum(each.value for each in found["stereotype.benefits"]) == pytest.approx(vote)
    assert sum(each.value for each in found["comment"]) == pytest.approx(3.0 * vote)
    assert "ayudas" in {TEXT[each.start : each.end] for each in found["comment"]}
    assert found["register"] == []


def test_spans_are_the_words_of_the_cues() -> None:
    spans = detector().spans(TEXT, ["stereotype.benefits"])["stereotype.benefits"]
    assert any("ayudas" in span.cut(TEXT) for span in spans)


@pytest.mark.parametrize("text", [TEXT, "", "¡Año nuevo, vida nueva!", "man\u0303ana sí"])
def test_places_of_words(text: str) -> None:
    places = word_places(text)
    if places:
        assert plain_words(text) == [plain_words(text[start:end])[0] for start, end in places]
    else:
        assert text in ("", "man\u0303ana sí")


def test_moved_letters_leave_no_words_to_show() -> None:
    moved = TEXT.replace("ñ", "n\u0303")
    assert detector().contributions(moved, ["comment"]) == {"comment": []}
    assert detector().logits([moved])[0, 0] == detector().logits([TEXT])[0, 0]


def test_a_folder_opens(tmp_path: Path) -> None:
    card = detector().card
    write_card(Card("mine", "1", IDS, kind="rules", training={"whole": ["comment"]}), tmp_path)
    opened = load_detector(tmp_path)
    assert isinstance(opened, RuleDetector)
    assert opened.whole == ("comment",)
    assert set(opened.score([TEXT])) == set(card.ids)


@pytest.mark.parametrize("whole", ["comment", ["speech"]])
def test_a_broken_card(tmp_path: Path, whole: object) -> None:
    write_card(Card("mine", "1", IDS, kind="rules"), tmp_path)
    path = tmp_path / CARD_FILE
    card = json.loads(path.read_text(encoding="utf-8")) | {"training": {"whole": whole}}
    path.write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(FileFormatError, match="no list of its ids"):
        load_detector(tmp_path)


def test_cues_share_the_vote_by_their_weight() -> None:
    # "vivir de las ayudas" weighs .7 for four words, and "ayudas" .4 more.
    found = detector().contributions(TEXT, ["stereotype.benefits"])["stereotype.benefits"]
    shares = [each.value / sum(one.value for one in found) for each in found]
    assert shares == pytest.approx([0.175 / 1.1] * 3 + [0.575 / 1.1])
