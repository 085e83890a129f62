"""Fewer pieces for the multilingual sentence encoder: those of the tokenizer that ships.

Of 128,000 pieces for 16 languages, texts in two of them need a third. A piece that is gone costs
little: the tokenizer cuts what it covered into shorter ones.
"""

import json
from typing import TYPE_CHECKING

from factory.use.network import UseNetwork
from tactful.errors import UsageError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def prune_like(
    tokenizer: "Tokenizer", network: UseNetwork, like: "Tokenizer"
) -> "tuple[Tokenizer, UseNetwork]":
    """Return tokenizer and network with exactly the pieces of another tokenizer, in its order."""
    from tokenizers import Tokenizer

    described = json.loads(tokenizer.to_str())
    vocabulary = described["model"]["vocab"]
    place = {piece: at for at, (piece, _) in enumerate(vocabulary)}
    wanted = [piece for piece, _ in json.loads(like.to_str())["model"]["vocab"]]
    absent = [piece for piece in wanted if piece not in place]
    if absent:
        raise UsageError(
            f"Found {len(absent)} pieces that the encoder does not have, such as {absent[0]!r}; "
            "expected a tokenizer that was pruned from it."
        )
    ids = [place[piece] for piece in wanted]
    model = {**described["model"], "vocab": [vocabulary[at] for at in ids]}
    smaller = UseNetwork(len(ids))
    weights = {**network.state_dict(), "vectors.weight": network.vectors.weight.detach()[ids]}
    smaller.load_state_dict(weights)
    smaller.vectors.weight.requires_grad_(network.vectors.weight.requires_grad)
    pruned = Tokenizer.from_str(json.dumps({**described, "model": model}))
    return pruned, smaller.train(network.training)
