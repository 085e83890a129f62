"""The multilingual Universal Sentence Encoder in torch, to be trained further.

Three towers read windows of two, three and five tokens; a tower projects the word vectors,
normalises them and adds two convolutions to them, one after the other. What they say is put beside
the word vectors, normalised and projected: these are the states of the tokens. Their sum, over the
root of their number, goes through four layers to the vector of the text, whose length is 1.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH = 512
"""Numbers in a word vector, in the state of a token and in the vector of a text."""
ORDERS = (2, 3, 5)
_TOWER = 256
SEEN_WIDTH = WIDTH + len(ORDERS) * _TOWER
"""Numbers that the state of a token is projected from: its word vector and the towers' answers."""
_HIDDEN = 320
_SMALL = 1e-12


class Tower(nn.Module):
    """Reads windows of one length; beyond the text there are zeros.

    A window of two tokens is a token and the one after it; the longer ones have the token in their
    middle.
    """

    def __init__(self, order: int) -> None:
        super().__init__()
        self.order = order
        self.projection = nn.Linear(WIDTH, _TOWER)
        self.norm = nn.LayerNorm(_TOWER, eps=_SMALL)
        self.convolutions = nn.ModuleList(nn.Linear(order * _TOWER, _TOWER) for _ in range(2))

    def forward(self, vectors: Tensor, present: Tensor) -> Tensor:
        """Return 256 numbers for each token; ``present`` is 0 where there is none."""
        states: Tensor = self.norm(self.projection(vectors))
        for convolution in self.convolutions:
            states = states * present
            states = states + functional.relu(convolution(self._windows(states)))
        return states

    def _windows(self, states: Tensor) -> Tensor:
        before = (self.order - 1) // 2
        after = self.order - 1 - before
        padded = functional.pad(states, (0, 0, before, after))
        length = states.shape[1]
        return torch.cat([padded[:, at : at + length] for at in range(self.order)], dim=2)


class UseNetwork(nn.Module):
    """Word vectors, towers and the layers behind them."""

    def __init__(self, pieces: int) -> None:
        super().__init__()
        self.vectors = nn.Embedding(pieces, WIDTH)
        self.towers = nn.ModuleList(Tower(order) for order in ORDERS)
        self.norm = nn.LayerNorm(SEEN_WIDTH, eps=_SMALL)
        self.dense = nn.Linear(SEEN_WIDTH, WIDTH)
        self.first = nn.Linear(WIDTH, _HIDDEN, bias=False)
        self.second = nn.Linear(_HIDDEN, _HIDDEN, bias=False)
        self.around_second = nn.Linear(WIDTH, _HIDDEN, bias=False)
        self.third = nn.Linear(_HIDDEN, WIDTH, bias=False)
        self.fourth = nn.Linear(WIDTH, WIDTH, bias=False)
        self.around_fourth = nn.Linear(_HIDDEN, WIDTH, bias=False)

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the vector of each text, of length 1, and the states of its tokens."""
        states = self.states(tokens, mask)
        return self.sentence(states, mask), states

    def states(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return 512 numbers for each token, and zeros where there is none."""
        return self.projected(self.seen(tokens, mask), mask)

    def seen(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return what is projected to the states: 1,280 numbers, and zeros where no token is."""
        present = _present(mask)
        vectors = self.vectors(tokens)
        parts = [vectors, *(tower(vectors, present) for tower in self.towers)]
        seen: Tensor = self.norm(torch.cat(parts, dim=2)) * present
        return seen

    def projected(self, seen: Tensor, mask: Tensor) -> Tensor:
        """Return the states of what was seen."""
        states: Tensor = self.dense(seen) * _present(mask)
        return states

    def sentence(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the vector of each text, of length 1."""
        return functional.normalize(self.pooled(states, mask), dim=1)

    def pooled(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the vector of each text before its length is made 1."""
        return self.deep(states.sum(dim=1) / lengths(mask).sqrt())

    def deep(self, total: Tensor) -> Tensor:
        """Return the vector of a text from the sum of its states over the root of their number."""
        hidden = functional.relu(self.first(total))
        hidden = functional.relu(self.second(hidden) + self.around_second(total))
        out = functional.relu(self.third(hidden))
        return torch.tanh(self.fourth(out) + self.around_fourth(hidden))

    def freeze_vectors(self) -> None:
        """Keep the word vectors as they are while the rest learns."""
        self.vectors.weight.requires_grad_(False)


def lengths(mask: Tensor) -> Tensor:
    """Return how many tokens each text has; 1 where there is none, as it is divided by."""
    return mask.sum(dim=1, keepdim=True).clamp(min=1).to(torch.float32)


def _present(mask: Tensor) -> Tensor:
    return mask.unsqueeze(2).to(torch.float32)
