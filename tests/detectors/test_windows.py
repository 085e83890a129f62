"""Windows in batches: every window once, each in its own width, in any batch."""

import random

import numpy as np
import pytest

from tactful.detectors.models.encoder import (
    BATCH_TOKENS,
    MAX_TOKENS,
    OVERLAP,
    batches,
    cut,
    most_tokens,
    open_tokenizer,
    padded,
    width_of,
)
from tactful.detectors.weights import weights_folder


@pytest.mark.parametrize(
    ("length", "width"), [(0, 8), (1, 8), (8, 8), (9, 16), (120, 120), (121, 128), (128, 128)]
)
def test_a_width_is_the_next_multiple_of_eight(length: int, width: int) -> None:
    assert width_of([1] * length, MAX_TOKENS) == width


def test_no_window_is_wider_than_the_encoder_reads() -> None:
    assert width_of([1] * 98, 100) == 100
    tokens, mask = padded([[1] * 98], 100)
    assert tokens.shape == mask.shape == (1, 100)


def test_batches_hold_every_window_once_and_one_width_each() -> None:
    rng = random.Random(1)
    windows = [[1] * rng.randint(1, MAX_TOKENS) for _ in range(500)]
    found = batches(windows, MAX_TOKENS)
    assert sorted(row for rows in found for row in rows) == list(range(500))
    for rows in found:
        (width,) = {width_of(windows[row], MAX_TOKENS) for row in rows}
        assert len(rows) * width <= BATCH_TOKENS
        assert padded([windows[row] for row in rows], MAX_TOKENS)[0].shape == (len(rows), width)


def test_nothing_makes_no_batch() -> None:
    assert batches([], MAX_TOKENS) == []


def test_padding_is_masked() -> None:
    tokens, mask = padded([[5, 6, 7], [8]], MAX_TOKENS)
    assert tokens.tolist() == [[5, 6, 7, 0, 0, 0, 0, 0], [8, 0, 0, 0, 0, 0, 0, 0]]
    np.testing.assert_array_equal(mask, tokens > 0)


def test_a_long_text_has_windows_that_overlap() -> None:
    tokenizer = open_tokenizer(weights_folder("encoder-en"))
    windows, owners = cut(tokenizer, ["short", "a long walk home " * 60, ""])
    assert owners == [0, 1, 1, 1, 2]
    assert most_tokens(tokenizer) == MAX_TOKENS
    assert max(map(len, windows)) == MAX_TOKENS
    # The marks at both ends of a window are not of the text.
    assert windows[1][-1 - OVERLAP : -1] == windows[2][1 : 1 + OVERLAP]
