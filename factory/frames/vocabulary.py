"""The pieces that the embedded decoder writes: collected from its lessons, and kept in a file."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Tokenizer

from tactful.files import atomic_path
from tactful.frames.decoder import VOCABULARY_FILE, Vocabulary

MOST_PIECES = 3_700
"""More pieces would make the decoder larger, and rarer ones are seldom written."""


def vocabulary_of(
    texts: Iterable[str], always: Iterable[str], tokenizer: Tokenizer, most: int = MOST_PIECES
) -> Vocabulary:
    """Collect the most frequent pieces of texts, and all pieces of those that are always needed."""
    needed = set(_counted(always, tokenizer))
    counts = _counted(texts, tokenizer)
    found = sorted({*counts, *needed}, key=lambda piece: (-counts[piece], piece))
    kept = needed | set([piece for piece in found if piece not in needed][: most - len(needed)])
    return Vocabulary(tuple(piece for piece in found if piece in kept))


def _counted(texts: Iterable[str], tokenizer: Tokenizer) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(tokenizer.encode(text.lower(), add_special_tokens=False).tokens)
    # The marks of the tokenizer itself are no words.
    return Counter({piece: count for piece, count in counts.items() if piece[0] != "["})


def write_vocabulary(vocabulary: Vocabulary, folder: Path) -> None:
    """Write the pieces into a folder with weights."""
    with atomic_path(folder / VOCABULARY_FILE, force=True) as target:
        target.write_text(
            json.dumps(vocabulary.pieces, ensure_ascii=False) + "\n", encoding="utf-8"
        )
