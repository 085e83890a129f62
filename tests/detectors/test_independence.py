"""A text's score is the same to the last bit: alone, in any order, beside any others."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tactful.detectors.base import Detector
from tactful.detectors.load import EMBEDDED, load_detector
from tactful.detectors.models.encoder import load_encoder_detector
from tactful.detectors.weights import weights_folder
from tactful.documents.normalise import normalise

ENGLISH = [
    "",
    " \n\t ",
    "🙂🙃👨‍👩‍👧‍👦 🎈",
    "Yes.",
    "The library opens at nine on weekdays and closes at six.",
    "These poor souls have so little, yet with our help they can learn to smile again.",
    "What a silly comment. Only a fool would believe such nonsense.",
    "People like them never arrive on time; everybody knows that.",
    "Le marché ouvre demain. Il mercato apre domani mattina.",
    "e\u0301" * 60 + "\x00\ud800",
    "Neighbours met in the garden, shared soup, and talked about the new bus line. " * 4,
    "w" * 2_000,
    " ".join(f"The train {number} leaves late, and nobody helps them." for number in range(375)),
]
SPANISH = [
    "",
    " \n\t ",
    "🙂🙃👨‍👩‍👧‍👦 🎈",
    "Sí.",
    "La biblioteca abre a las nueve y cierra a las seis.",
    "Vienen de fuera, no quieren trabajar y viven de las ayudas.",
    "Pobrecitos, con nuestra ayuda aprenderán a sonreír otra vez.",
    "Esa gente nunca llega a tiempo; todo el mundo lo sabe.",
    "The market opens on Monday. Le marché ouvre demain.",
    "n\u0303" * 60 + "\x00\ud800",
    "Los vecinos hablaron en el jardín sobre la nueva línea de autobús. " * 4,
    "w" * 2_000,
    " ".join(f"El tren {number} sale tarde y nadie ayuda a esa gente." for number in range(300)),
]
TEXTS = {"en": ENGLISH, "es": SPANISH}
CASES = {
    f"{name}-{lang}": (name, lang, TEXTS[lang])
    for lang, names in EMBEDDED.items()
    for name in names
}


def table(detector: Detector, texts: Sequence[str]) -> NDArray[np.uint32]:
    """Return the bits of the scores, texts x ids."""
    scores = detector.score(texts)
    return np.stack([scores[name] for name in detector.card.ids], axis=1).view(np.uint32)


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Detector, list[str], NDArray[np.uint32]]:
    name, lang, texts = CASES[request.param]
    detector = load_detector(name, lang=lang)
    return detector, texts, table(detector, texts)


Case = tuple[Detector, list[str], NDArray[np.uint32]]


def test_scores_are_probabilities(case: Case) -> None:
    _, _, together = case
    values = together.view(np.float32)
    assert ((values >= 0) & (values <= 1)).all()


def test_alone_and_together_are_the_same(case: Case) -> None:
    detector, texts, together = case
    for at, text in enumerate(texts):
        np.testing.assert_array_equal(table(detector, [text])[0], together[at])


@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_order_and_size_of_the_batch_do_not_matter(case: Case, size: int) -> None:
    detector, texts, together = case
    rows = list(range(len(texts)))
    random.Random(size).shuffle(rows)
    for start in range(0, len(rows), size):
        chosen = rows[start : start + size]
        np.testing.assert_array_equal(
            table(detector, [texts[row] for row in chosen]), together[chosen]
        )


def test_many_equal_neighbours_do_not_matter(case: Case) -> None:
    """The largest batches, and texts of one width in several of them."""
    detector, texts, together = case
    found = table(detector, [*texts[:-1] * 24, texts[-1]])
    np.testing.assert_array_equal(found[-1], together[-1])
    for at in range(len(texts) - 1):
        assert (found[at : -1 : len(texts) - 1] == together[at]).all()


@pytest.mark.parametrize("lang", ["en", "es"])
def test_threads_do_not_matter(lang: str) -> None:
    texts = TEXTS[lang]
    one, two = (load_encoder_detector(weights_folder(f"encoder-{lang}")) for _ in range(2))
    two.threads = 2
    expected = table(one, texts)
    np.testing.assert_array_equal(table(two, texts), expected)
    np.testing.assert_array_equal(table(two, texts[6:7])[0], expected[6])


def test_what_explains_a_text_is_that_of_its_score() -> None:
    """Readings of many texts, and marks and states of one, come from the same numbers."""
    detector = load_encoder_detector(weights_folder("encoder-en"))
    texts = [text for text in ENGLISH if len(detector.marks(normalise(text))) == 1]
    assert len(texts) > 5
    logits = detector.logits(texts)
    for at, reading in enumerate(detector.readings(texts, "pcl")):
        np.testing.assert_array_equal(reading.logits, logits[at])
        alone = detector.readings([texts[at]], "pcl")[0]
        np.testing.assert_array_equal(reading.states, alone.states)
        assert len(reading.states) == len(reading.offsets)
        ((offsets, marks),) = detector.marks(normalise(texts[at]))
        assert len(offsets) == len(marks) == len(reading.states)
