"""N-grams and their weights are those of scikit-learn, and each is known by its place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from tactful.detectors.models.weighted_ngrams import fit_terms, simplified
from tactful.errors import InputError

TEXTS = [
    "They help the people of the town.",
    "The town helps THEM, they say; İstanbul and Straße and ΟΔΟΣ.",
    "Café, naïve and ﬁne: el niño pidió más ayuda más.",
    "",
    "a b c !!",
]
TRICKY = st.text(alphabet="aİßΣ\u03c3ς éñﬁÅ日本\u0301\u200bX'-_.\ud800", max_size=40)


@pytest.mark.parametrize("strip", [False, True])
@pytest.mark.parametrize("longest", [1, 3])
@pytest.mark.parametrize("most", [None, 8])
def test_rows_are_those_of_scikit_learn(strip: bool, longest: int, most: int | None) -> None:
    reference = TfidfVectorizer(
        ngram_range=(1, longest), max_features=most, strip_accents="unicode" if strip else None
    )
    expected = reference.fit_transform(TEXTS).toarray()
    terms = fit_terms(TEXTS, longest=longest, most=most, strip_accents=strip)
    np.testing.assert_allclose(terms.rows(TEXTS).toarray(), expected, atol=1e-12)
    other = ["The café of the town, Más", "ΣΑΣ İİ helps them they say"]
    found = terms.rows(other).toarray()
    np.testing.assert_allclose(found, reference.transform(other).toarray(), atol=1e-12)


@given(TRICKY, st.booleans())
def test_any_text_is_simplified_as_scikit_learn_does_and_places_fit(text: str, strip: bool) -> None:
    reference = TfidfVectorizer(strip_accents="unicode" if strip else None)
    changed, source = simplified(text, strip)
    assert changed == reference.build_preprocessor()(text)
    if source is not None:
        assert len(source) == len(changed)
        assert source == sorted(source)
        assert all(0 <= at < len(text) for at in source)


def test_places_are_those_of_the_text_as_it_came() -> None:
    text = "İİ Café, MÁS ayuda"
    terms = fit_terms([text], strip_accents=True, longest=2)
    words = {text[start:end] for _, places in terms.found(text) for start, end in places}
    assert words == {"İİ", "Café", "MÁS", "ayuda"}


def test_no_texts_give_no_rows() -> None:
    assert fit_terms(TEXTS).rows([]).shape[0] == 0


def test_texts_without_words_teach_nothing() -> None:
    with pytest.raises(InputError, match="no word of two letters in 2 texts"):
        fit_terms(["", "a !"])
