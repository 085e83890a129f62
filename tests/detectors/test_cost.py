"""What reading costs is known before anything is read."""

from pathlib import Path

import pytest
from tests.phrase_detector import PhraseDetector

from tactful.detectors.cost import encoders_in, rough_tokens, span_factor, suspicion, tokens_of
from tactful.detectors.load import load_detector
from tactful.detectors.models.linear import LinearDetector

PROSE = "The library will be open again on Monday, and everybody is welcome to come and read. "
TICKS = "".join("e" + "`" * size for size in range(1, 60))


@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_tokens_are_those_that_the_encoder_is_given(lang: str, embedded_weights: Path) -> None:
    detector = load_detector(lang=lang)
    encoder = next(encoders_in(detector))
    prose, ticks = tokens_of(detector, [PROSE * 10, TICKS])
    for text, found in ((PROSE * 10, prose), (TICKS, ticks)):
        encoding = encoder.tokenizer.encode(text)
        given = sum(len(each.ids) for each in (encoding, *encoding.overflowing))
        assert given <= found < given + 8 * (1 + len(encoding.overflowing))
    assert ticks > len(TICKS) / 2 > prose / 2


@pytest.mark.parametrize("text", [PROSE, PROSE * 20, TICKS, "", "字" * 50, "\ud800", "at " * 99])
def test_the_estimate_is_not_far_off(text: str, embedded_weights: Path) -> None:
    (exact,) = tokens_of(load_detector(), [text])
    assert exact / 2 - 10 < rough_tokens(text) < 4 * exact + 10


def test_without_an_encoder_reading_costs_little() -> None:
    fast, own = load_detector("fast"), PhraseDetector()
    assert tokens_of(fast, [PROSE * 10])[0] < rough_tokens(PROSE * 10) / 9
    assert tokens_of(own, [PROSE, ""]) == [3, 1]
    assert suspicion(own, [PROSE, ""]).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("lang", "telling"),
    [
        ("en", "Only an idiot would believe such stupid nonsense, go away."),
        ("es", "Los inmigrantes vienen a robar y no se integran."),
    ],
)
def test_a_fast_part_says_where_to_look(lang: str, telling: str, embedded_weights: Path) -> None:
    calm = PROSE if lang == "en" else "La biblioteca abre el lunes y todo el mundo puede leer."
    values = suspicion(load_detector(lang=lang), [calm, telling, calm * 3])
    assert values.argmax() == 1


def test_marking_words_costs_more_where_each_is_left_out(embedded_weights: Path) -> None:
    assert span_factor(load_detector()) < span_factor(load_detector(lang="es"))


def test_unknown_words_fill_no_memory() -> None:
    fast = load_detector("fast")
    assert isinstance(fast, LinearDetector)
    texts = [f"{number}{'x' * 1900}" for number in range(600)]
    scores = [fast.score([text])["pcl"][0] for text in texts]
    assert sum(map(len, fast._table.row_of)) < 700_000
    assert scores[:3] == [fast.score([text])["pcl"][0] for text in texts[:3]]
