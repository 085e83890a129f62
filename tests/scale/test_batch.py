"""The one function: a row for each text, a reason for what is missing, and no text counts twice."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scale.made import IDS, WORDS, ReadsWords

from tactful.errors import InputError
from tactful.scale.scorer import EMPTY, NO_TEXT, NOT_A_NUMBER, Columns, score_batch

TEXTS = st.lists(
    st.none() | st.sampled_from(["", "  \n", "a", "raise", "nothing", "raise it"]) | st.text()
)


def scores(texts: Sequence[str | None]) -> pl.DataFrame:
    return score_batch(texts, ReadsWords(), WORDS)


def test_each_text_has_a_row_with_the_model_beside_it() -> None:
    found = scores(["one", "two"])
    assert found.columns == [*IDS, "model", "error"]
    assert found.schema["kind"] == pl.Float32
    assert found["model"].to_list() == ["words 1", "words 1"]
    assert found["error"].null_count() == 2


def test_what_has_no_score_is_null_and_says_why() -> None:
    found = scores([None, "", " \t\n", "well", "raise", "nothing at all"])
    reasons = [NO_TEXT, EMPTY, EMPTY, None, "ValueError: these words cannot be read", NOT_A_NUMBER]
    assert found["error"].to_list() == reasons
    assert found["kind"].is_null().to_list() == [reason is not None for reason in reasons]
    assert found["model"].is_null().to_list() == [reason is not None for reason in reasons]


def test_a_text_that_fails_does_not_disturb_the_others() -> None:
    texts = [f"text {at}" for at in range(9)]
    alone = scores(texts)
    beside = scores([*texts[:4], "raise", *texts[4:], "raise"])
    assert beside.filter(pl.col("error").is_null()).equals(alone)


def test_a_sentence_of_ours_is_told_as_it_is_and_a_long_one_is_cut() -> None:
    def refuse(texts: list[str]) -> Columns:
        raise InputError(texts[0])

    assert score_batch(["it is so"], refuse, WORDS)["error"].to_list() == ["it is so"]
    assert len(score_batch(["x" * 999], refuse, WORDS)["error"][0]) == 200


def test_an_error_without_words_still_has_a_reason() -> None:
    def refuse(texts: list[str]) -> Columns:
        raise KeyError

    assert score_batch(["a"], refuse, WORDS)["error"][0] == "KeyError: no reason was given"


def test_memory_that_ran_out_is_no_error_of_a_text() -> None:
    def out_of_memory(texts: list[str]) -> Columns:
        if len(texts) > 1 or texts == ["large"]:
            raise MemoryError
        return dict.fromkeys(IDS, np.array([0.5], dtype=np.float32))

    assert score_batch(["a", "b"], out_of_memory, WORDS)["error"].null_count() == 2
    with pytest.raises(MemoryError):
        score_batch(["a", "large"], out_of_memory, WORDS)


def test_an_interrupt_is_no_error_of_a_text() -> None:
    def interrupt(texts: list[str]) -> Columns:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score_batch(["a", "b"], interrupt, WORDS)


def test_the_function_may_tell_errors_models_and_words_of_its_own() -> None:
    def tell(texts: list[str]) -> Columns:
        numbers = np.array([0.5, np.nan, 0.25], dtype=np.float32)
        return {
            **dict.fromkeys(IDS, numbers),
            "lang": ["en", None, "es"],
            "model": ["a 1", None, "b 2"],
            "error": [None, "another language", None],
        }

    found = score_batch(["x", "y", "z"], tell, replace(WORDS, words=("lang",)))
    assert found.columns == [*IDS, "lang", "model", "error"]
    assert found["model"].to_list() == ["a 1", None, "b 2"]
    assert found["error"].to_list() == [None, "another language", None]
    assert found["kind"].to_list() == [0.5, None, 0.25]


def test_an_id_that_is_not_looked_for_is_missing_and_no_error() -> None:
    def tell(texts: list[str]) -> Columns:
        half = np.array([0.5], dtype=np.float32)
        return {"kind": half, "kind.fine": half * np.nan, "other": half}

    assert score_batch(["x"], tell, WORDS).row(0) == (0.5, None, 0.5, "words 1", None)


def test_without_texts_the_function_is_not_asked() -> None:
    def never(texts: list[str]) -> Columns:
        raise AssertionError

    assert score_batch([], never, WORDS).schema == scores(["a"]).schema
    assert score_batch([None, ""], never, WORDS)["error"].to_list() == [NO_TEXT, EMPTY]


@given(TEXTS, st.integers(1, 5))
def test_any_cut_of_the_texts_gives_the_same_bits(texts: list[str | None], size: int) -> None:
    parts = [scores(texts[at : at + size]) for at in range(0, len(texts), size)]
    whole = scores(texts)
    assert whole.schema == scores(["a"]).schema
    if parts:
        joined = pl.concat(parts)
        assert joined.equals(whole)
        bits = [frame.select(IDS).fill_null(-1).to_numpy().tobytes() for frame in (joined, whole)]
        assert bits[0] == bits[1]
