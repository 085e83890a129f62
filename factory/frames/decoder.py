"""The small decoder of implied statements, as torch sees it.

It reads the states of the embedded encoder (which stays as it is) by cross-attention, and writes
``group [SEP] statement [END]`` piece by piece. Its layers start as layers of the pretrained encoder
(Rothe et al. 2020: a decoder can be warm-started from BERT), whose attention over the text also
starts the cross-attention. It also points at the text's own words: what it points at becomes more
likely to be written (See et al. 2017 copy words in a similar way).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS = 384, 12
MOST_PIECES = 32
"""As long a line may get: start, group, separator, statement."""
_CROSS = 0.3
"""How much of the copied attention's output the cross-attention starts with."""
_COPIED = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """What the decoder is built of."""

    pieces: int
    layers: tuple[int, ...] = (1, 4)
    """Which layers of the pretrained encoder its own start as."""
    dropout: float = 0.1


class Attention(nn.Module):
    """Attention whose keys and values may come from elsewhere, or from earlier steps."""

    def __init__(self, dropout: float):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.dropout = dropout

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        """Attend from ``x`` to keys and values that are split into heads already."""
        drop = self.dropout if self.training else 0.0
        found = functional.scaled_dot_product_attention(
            split_heads(self.query(x)), keys, values, attn_mask=mask, dropout_p=drop
        )
        joined: Tensor = self.out(found.transpose(1, 2).reshape(x.shape))
        return joined


class Layer(nn.Module):
    """Self-attention, attention to the encoder's states, and two dense layers."""

    def __init__(self, dropout: float):
        super().__init__()
        self.own, self.cross = Attention(dropout), Attention(dropout)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH, eps=1e-12) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def own_keys(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return the keys and values for later pieces."""
        return split_heads(self.own.key(x)), split_heads(self.own.value(x))

    def cross_keys(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is looked up in the encoder's states, the same in every step."""
        return split_heads(self.cross.key(states)), split_heads(self.cross.value(states))

    def forward(
        self,
        x: Tensor,
        own: tuple[Tensor, Tensor],
        own_mask: Tensor,
        cross: tuple[Tensor, Tensor],
        cross_mask: Tensor,
    ) -> Tensor:
        """Return the layer's output for ``x``."""
        x = self.norms[0](x + self.dropout(self.own(x, *own, own_mask)))
        x = self.norms[1](x + self.dropout(self.cross(x, *cross, cross_mask)))
        dense = self.narrow(functional.gelu(self.wide(x)))
        found: Tensor = self.norms[2](x + self.dropout(dense))
        return found


class FrameDecoder(nn.Module):
    """Pieces so far and the encoder's states in, log-odds of the next piece out."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.pieces = nn.Embedding(shape.pieces, WIDTH)
        self.places = nn.Embedding(MOST_PIECES, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer(shape.dropout) for _ in shape.layers)
        self.turn, self.turn_norm = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.bias = nn.Parameter(torch.zeros(shape.pieces))
        self.pointer = nn.Linear(WIDTH, WIDTH)
        nn.init.zeros_(self.pointer.weight)
        nn.init.zeros_(self.pointer.bias)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, pieces: Tensor, states: Tensor, mask: Tensor, source: Tensor) -> Tensor:
        """Return the log-odds after every piece, for whole lines at a time.

        ``source`` has the number of each of the text's tokens; 0 is one that cannot be written.
        """
        length = pieces.shape[1]
        x = self.dropout(self.norm(self.pieces(pieces) + self.places.weight[:length]))
        before = torch.ones(length, length, dtype=torch.bool).tril()
        inside = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, layer.own_keys(x), before, layer.cross_keys(states), inside)
        turned = self.turned(x)
        # What is written is compared with the same vectors that are read.
        odds = functional.linear(turned, self.pieces.weight, self.bias)
        places = source[:, None, :].expand(-1, length, -1)
        return odds.scatter_add(2, places, self.pointed(turned, states) * (places > 0))

    def turned(self, x: Tensor) -> Tensor:
        """Project the last layer's output, to compare it with the vectors of all pieces."""
        found: Tensor = self.turn_norm(functional.gelu(self.turn(x)))
        return found

    def pointed(self, turned: Tensor, states: Tensor) -> Tensor:
        """Return how much is added to the log-odds of each of the text's tokens."""
        found: Tensor = self.pointer(turned) @ states.transpose(1, 2) / WIDTH**0.5
        return found


def split_heads(x: Tensor) -> Tensor:
    """Cut vectors into heads: batch, heads, length, width of a head."""
    return x.view(x.shape[0], -1, HEADS, WIDTH // HEADS).transpose(1, 2)


class Memory(nn.Module):
    """The first of the two exported graphs: the encoder's states, prepared for all steps."""

    INPUTS, OUTPUTS = ("states",), ("cross",)

    def __init__(self, decoder: FrameDecoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, states: Tensor) -> Tensor:
        """Return keys and values of every layer: layers, 2, batch, heads, length, width."""
        pairs = [torch.stack(layer.cross_keys(states)) for layer in self.decoder.layers]
        return torch.stack(pairs)


class Step(nn.Module):
    """The second exported graph: one more piece for every line, looking back at what is kept."""

    INPUTS = ("pieces", "place", "own", "own_mask", "cross", "mask", "states")
    OUTPUTS = ("logits", "copied", "kept")

    def __init__(self, decoder: FrameDecoder):
        super().__init__()
        self.decoder = decoder
        # A matrix of its own: the quantiser cannot handle one that is also looked up in.
        self.output = nn.Parameter(decoder.pieces.weight.detach().T.contiguous())

    def forward(
        self,
        pieces: Tensor,
        place: Tensor,
        own: Tensor,
        own_mask: Tensor,
        cross: Tensor,
        mask: Tensor,
        states: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the log-odds of the next piece, and what later steps look back at.

        Beside the log-odds is what the text's own tokens add to them.
        ``own_mask`` is over what was kept and the new piece: lines that began later have padding.
        """
        decoder = self.decoder
        x = decoder.norm(decoder.pieces(pieces)[:, None] + decoder.places(place)[:, None])
        before, inside = (each[:, None, None, :].bool() for each in (own_mask, mask))
        kept = []
        for at, layer in enumerate(decoder.layers):
            new = torch.stack(layer.own_keys(x))
            both = torch.cat([own[at], new], dim=3)
            kept.append(both)
            x = layer(x, (both[0], both[1]), before, (cross[at, 0], cross[at, 1]), inside)
        turned = decoder.turned(x)
        logits = turned[:, 0] @ self.output + decoder.bias
        return logits, decoder.pointed(turned, states)[:, 0], torch.stack(kept)


def warm_started(
    shape: Shape, pretrained: Mapping[str, Tensor], pieces: Sequence[int]
) -> FrameDecoder:
    """Build a decoder from the weights of the pretrained encoder; ``pieces`` are its own ids."""
    decoder = FrameDecoder(shape)
    with torch.no_grad():
        decoder.pieces.weight.copy_(pretrained["embeddings.word_embeddings.weight"][list(pieces)])
        decoder.places.weight.copy_(
            pretrained["embeddings.position_embeddings.weight"][:MOST_PIECES]
        )
        _copy(decoder.norm, pretrained, "embeddings.LayerNorm")
        for layer, number in zip(decoder.layers, shape.layers, strict=True):
            prefix = f"encoder.layer.{number}."
            for name, source in _COPIED.items():
                _copy(getattr(layer.own, name), pretrained, prefix + source)
                _copy(getattr(layer.cross, name), pretrained, prefix + source)
            layer.cross.out.weight.mul_(_CROSS)
            _copy(layer.norms[0], pretrained, prefix + "attention.output.LayerNorm")
            _copy(layer.wide, pretrained, prefix + "intermediate.dense")
            _copy(layer.narrow, pretrained, prefix + "output.dense")
            _copy(layer.norms[2], pretrained, prefix + "output.LayerNorm")
    return decoder


def _copy(module: nn.Module, pretrained: Mapping[str, Tensor], name: str) -> None:
    for part in ("weight", "bias"):
        getattr(module, part).copy_(pretrained[f"{name}.{part}"])
