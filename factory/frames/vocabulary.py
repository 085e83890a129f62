"""The pieces that the embedded decoder writes: collected from its lessons, and kept in a file."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Tokenizer

from tactful.files import atomic_path
from tactful.frames.decoder import VOCABULARY_FILE, Vocabulary


def vocabulary_of(texts: Iterable[str], tokenizer: Tokenizer) -> Vocabulary:
    """Collect the pieces of texts, most frequent first."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(tokenizer.encode(text.lower(), add_special_tokens=False).tokens)
    # The marks of the tokeniser itself are no words.
    found = [piece for piece, _ in sorted(counts.items(), key=lambda each: (-each[1], each[0]))]
    return Vocabulary(tuple(piece for piece in found if not piece.startswith("[")))


def write_vocabulary(vocabulary: Vocabulary, folder: Path) -> None:
    """Write the pieces into a folder with weights."""
    with atomic_path(folder / VOCABULARY_FILE, force=True) as target:
        target.write_text(
            json.dumps(vocabulary.pieces, ensure_ascii=False) + "\n", encoding="utf-8"
        )
