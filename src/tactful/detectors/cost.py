"""What reading a text costs, in tokens, before it is read; and where a long one is worth reading.

Nearly all the time of a detector goes into its encoder, and grows with the tokens that the encoder
is given: about a fourth of the characters of prose, but one for each character of a row of marks.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import BaseDetector, Detector
from tactful.detectors.models.encoder import EncoderDetector, cut, most_tokens, width_of

_PARTS = ("members", "first", "second")
"""Where detectors that are made of others keep them."""
_CHEAP = 10
"""A detector without an encoder reads ten tokens in the time that an encoder takes for one."""
_CHARACTERS = 4
"""Characters of a token in ordinary prose."""
_IN_WORDS = bytes(
    byte for byte in range(128) if chr(byte).isalnum() or chr(byte).isspace() or chr(byte) == "'"
)


def rough_tokens(text: str) -> int:
    """Estimate the tokens of a text by its letters, spaces and marks, in no time.

    >>> rough_tokens("The library opens on Monday."), rough_tokens("`" * 28)
    (9, 37)
    """
    marks = len(text.encode("utf-8", "surrogatepass").translate(None, _IN_WORDS))
    return max(len(text) // _CHARACTERS, text.count(" ")) + marks + 2


def tokens_of(detector: object, texts: Sequence[str]) -> list[int]:
    """Return how many tokens an encoder is given to read each of the texts, with their padding."""
    encoder = next(encoders_in(detector), None)
    if encoder is None:
        return [rough_tokens(text) // _CHEAP + 1 for text in texts]
    found = [0] * len(texts)
    most = most_tokens(encoder.tokenizer)
    windows, owners = cut(encoder.tokenizer, texts)
    for window, owner in zip(windows, owners, strict=True):
        found[owner] += width_of(window, most)
    return found


def suspicion(detector: object, texts: Sequence[str]) -> NDArray[np.float32]:
    """Say how much there may be in each text, by a part of the detector that reads fast.

    It is the sum of its probabilities, less their thresholds. Without such a part, all texts are
    the same.
    """
    fast = next(_fast_parts(detector), None)
    if fast is None:
        return np.zeros(len(texts), dtype=np.float32)
    scores = fast.score(texts)
    leads = [scores[name] - np.float32(fast.card.threshold(name)) for name in fast.card.ids]
    found: NDArray[np.float32] = np.sum(leads, axis=0)
    return found


def span_factor(detector: object) -> float:
    """Return how many times a text is read to find the words that carry a finding in it."""
    encoder = next(encoders_in(detector), None)
    # Where the encoder has no heads of its own, each word is left out once.
    return 2.0 if encoder is None or encoder.marks_words else 20.0


def encoders_in(detector: object) -> Iterator[EncoderDetector]:
    """Yield the encoders that a detector consists of."""
    return (part for part in parts_in(detector) if isinstance(part, EncoderDetector))


def parts_in(detector: object) -> Iterator[object]:
    """Yield a detector and all the detectors that it consists of."""
    yield detector
    for part in _parts(detector):
        yield from parts_in(part)


def _fast_parts(detector: object) -> Iterator[Detector]:
    for part in _parts(detector):
        if isinstance(part, BaseDetector) and next(encoders_in(part), None) is None:
            yield part
        else:
            yield from _fast_parts(part)


def _parts(detector: object) -> Iterator[object]:
    for name in _PARTS:
        found = getattr(detector, name, ())
        yield from found if isinstance(found, tuple | list) else (found,)
