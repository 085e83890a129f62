"""Disguises are undone, ordinary text is left alone, and offsets always lead back."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tactful.documents.normalise import normalise

ORDINARY = [
    "They also have the right to love.",
    "Él niño ¿qué? “quoted” – dash… 10 € ½ 2² 1º 1ª ™ ©",
    "Большая страна и её люди",
    "Η Ελλάδα είναι εδώ",
    "مرحبا بالعالم",
    "می\u200cخواهم",
    "你好，世界。",
    "a\tb\r\nc",
    "👩\u200d👩\u200d👧 ❤\ufe0f 👍🏽 1\ufe0f\u20e3",
    "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "Δt and μm and π",
    "Tiếng Việt",
]


@pytest.mark.parametrize("text", [text for text in ORDINARY if "，" not in text])
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert normalise(text).text == text
    assert normalise(text).to_source(0, len(text)) == (0, len(text))


def test_untouched_text_is_the_same_object() -> None:
    for text in ("They also have the right to love.", "El niño dijo “sí”."):
        found = normalise(text)
        assert found.text is text
        assert found.maps == ()


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("p\u200bi\u200ct\u200dy\ufeff", "pity"),
        ("pi\u00adty", "pity"),
        ("pi\u2060t\u034fy\u180e", "pity"),
        ("\u202epity\u202c \u2066x\u2069", "pity x"),
        ("pity\U000e0041\U000e0042", "pity"),
        ("poor", "poor"),
        ("рооr", "poor"),
        ("ΡΟΟR", "POOR"),
        ("h\u0435lр th\u0435m", "help them"),
        ("ｆｕｌｌ ｗｉｄｔｈ！", "full width!"),
        ("𝓯𝓪𝓷𝓬𝔂 𝐛𝐨𝐥𝐝 𝟙𝟚", "fancy bold 12"),
        ("ⓟⓘⓣⓨ 🅿🅸🆃🆈 🅟🅘🅣🅨 🄿🄸🅃🅈", "pity PITY PITY PITY"),
        ("ᵗʰᵉ ﬁrst oﬃce Ⅳ", "the first office IV"),
        ("ᴘɪᴛʏ ᴛʜɪs", "pity this"),
        ("p\u0336i\u0336t\u0336y\u0336", "pity"),
        ("p\u0332i\u0332t\u0332y\u0332", "pity"),
        ("p\u0300\u0301\u0302\u0303\u0304i\u0316\u0317\u0318ty", "pity"),
        ("cafe\u0301 n\u0303", "café ñ"),
        ("it\x00is\x07so\x1bon\x85it\x7fgo", "it is so on it go"),
        ("\x00pity\x00", " pity "),
        ("it\u00a0is\u2009so\u3000on\u2028it", "it is so on it"),
        ("a\ud800b\udfff", "a\ufffdb\ufffd"),
        ("ก็็็็็็็็", "ก็็็็"),
        ("a\ufe0f", "a"),
        ("№ ℃ ™", "№ ℃ ™"),
    ],
)
def test_disguises_are_undone(text: str, clean: str) -> None:
    assert normalise(text).text == clean


def test_words_of_another_alphabet_stay_beside_folded_ones() -> None:
    assert normalise("сорока р\u043eor сорока").text == "сорока poor сорока"


def test_offsets_lead_back_to_the_disguise() -> None:
    text = "the p\u200bo\u200bor ﬁnd 🙂 𝓱𝓮𝓵𝓹"
    found = normalise(text)
    assert found.text == "the poor find 🙂 help"
    for word, source in [
        ("poor", "p\u200bo\u200bor"),
        ("find", "ﬁnd"),
        ("help", "𝓱𝓮𝓵𝓹"),
        ("🙂", "🙂"),
    ]:
        start = found.text.index(word)
        assert text[slice(*found.to_source(start, start + len(word)))] == source
    assert found.to_source(9, 10) == found.to_source(10, 11) == (11, 12)


_DISGUISES = [
    *"ab1 \n.é",
    *"\u200b\u200c\u200d\ufe0f\u20e3\u034f\xad\u2066\ud800\udc00\x00\xa0",
    *"\u0301\u0308\u0316\u0336\u0338\u0344\u0345\u1fbe\u212b\u2126\ufb01\uff21\u1d00\u029c\u026a",
    *"аеяйё\u03c9\u03b9ɑ\u0e47\u0e01\u064b\u0627\uac00\u1100\u1161\u2122",
    *"\U0001d4ea\U0001f600\U0001f3fb\U0001f3f4\U0001f170\U000e0067\U000e007f",
]


@settings(max_examples=500)
@given(st.text(st.one_of(st.sampled_from(_DISGUISES), st.characters()), max_size=30))
@example("a\u1fbe\u0316")
@example("ʙ\u0336ʜ\u0336")
@example("\u0e47\u0e47\u0e47\u200b\u0e47\u0e47\u0e47")
@example("a\ufe0f\u200d\U0001f600")
def test_offsets_are_right_and_twice_is_once(text: str) -> None:
    found = normalise(text)
    assert normalise(found.text).text == found.text
    before = (0, 0)
    for place in range(len(found.text)):
        start, end = found.to_source(place, place + 1)
        assert 0 <= start < end <= len(text)
        assert start >= before[0]
        assert end >= before[1]
        before = (start, end)
    if found.text:
        start, end = found.to_source(0, len(found.text))
        assert 0 <= start < end <= len(text)


@pytest.mark.parametrize(
    "text",
    ["\u0301" * 300_000, "a" + "1" * 300_000 + "\u0430", "😀\u200d" * 100_000, "\u200b" * 300_000],
)
def test_a_long_text_takes_linear_time(text: str) -> None:
    assert len(normalise(text).text) <= len(text)


def test_the_result_is_composed() -> None:
    clean = normalise(unicodedata.normalize("NFD", "El niño llegó a São Paulo")).text
    assert clean == "El niño llegó a São Paulo"
