"""Fewer pieces for the multilingual sentence encoder: those that some languages use.

Of 128,000 pieces for 16 languages, texts in two of them need a third. A piece that is gone costs
little: the tokenizer cuts what it covered into shorter ones.
"""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from factory.use.network import UseNetwork
from factory.use.tokens import SPACE, SPECIAL_IDS
from tactful.errors import UsageError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BATCH = 1024


def prune(
    tokenizer: "Tokenizer", network: UseNetwork, texts: Sequence[Iterable[str]], keep: int
) -> "tuple[Tokenizer, UseNetwork]":
    """Return tokenizer and network with ``keep`` pieces; the given ones stay as they are.

    ``texts`` holds one collection for each language. The order in which pieces stay: those that
    stand for no text, single characters of Latin texts, pieces by their share in the language that
    uses them most, and other pieces of Latin letters by their probability.
    """
    described = json.loads(tokenizer.to_str())
    ids = kept_pieces(described["model"]["vocab"], shares(tokenizer, texts), keep)
    smaller = UseNetwork(len(ids))
    weights = {**network.state_dict(), "vectors.weight": network.vectors.weight.detach()[ids]}
    smaller.load_state_dict(weights)
    smaller.vectors.weight.requires_grad_(network.vectors.weight.requires_grad)
    return _with_pieces(described, ids), smaller.train(network.training)


def shares(tokenizer: "Tokenizer", texts: Sequence[Iterable[str]]) -> dict[int, float]:
    """Return for each piece used its share of the pieces of a language, where that is greatest."""
    found: dict[int, float] = {}
    for language in texts:
        counts: Counter[int] = Counter()
        rest = iter(language)
        while batch := list(islice(rest, _BATCH)):
            for encoding in tokenizer.encode_batch_fast(batch, add_special_tokens=False):
                counts.update(encoding.ids)
        total = counts.total()
        for piece, count in counts.items():
            found[piece] = max(found.get(piece, 0.0), count / total)
    return found


def kept_pieces(
    pieces: Sequence[tuple[str, float]], used: dict[int, float], keep: int
) -> list[int]:
    """Return the ids of the pieces that stay, in their old order."""
    latin = [at for at in range(len(SPECIAL_IDS), len(pieces)) if _latin(pieces[at][0])]
    letters = [at for at in latin if len(pieces[at][0].removeprefix(SPACE)) < 2]
    first = [*SPECIAL_IDS, *letters]
    if keep < len(first):
        raise UsageError(
            f"Found {keep} pieces to keep; expected at least {len(first)}, one for every "
            "character; keep more."
        )
    by_share = sorted(used, key=lambda at: (-used[at], at))
    by_score = sorted(latin, key=lambda at: (-pieces[at][1], at))
    order = dict.fromkeys([*first, *by_share, *by_score])
    return sorted(islice(order, keep))


def _latin(piece: str) -> bool:
    return all(_latin_character(each) for each in piece)


@cache
def _latin_character(character: str) -> bool:
    """Say whether a character is no letter, or a Latin one."""
    return not character.isalpha() or unicodedata.name(character, "").startswith("LATIN")


def _with_pieces(described: dict[str, Any], ids: Sequence[int]) -> "Tokenizer":
    from tokenizers import Tokenizer

    vocabulary = described["model"]["vocab"]
    model = {**described["model"], "vocab": [vocabulary[at] for at in ids]}
    return Tokenizer.from_str(json.dumps({**described, "model": model}))
