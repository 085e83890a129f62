"""The multilingual sentence encoder with linear heads: one for the text, one for its tokens."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from factory.use.network import SEEN_WIDTH, WIDTH, UseNetwork, lengths
from tactful.errors import UsageError

SENTENCE, POOLED, MEAN, GREATEST = "sentence", "pooled", "mean", "greatest"
SEEN = "seen"
READS = (SENTENCE, POOLED, MEAN, GREATEST, SEEN)
"""What the head of the text can read: its vector, the same before its length is made 1, the mean of
the states of its tokens, the greatest of each number among them, and the greatest of each number of
what the states are projected from, which costs no product of matrices."""
STATES = (MEAN, GREATEST)
"""With these, what each token adds to a logit is known exactly."""
_BEGIN_BIAS = -1.5
_FAR = 1e4
_SEEN_SCALE = 0.1
"""It makes the greatest numbers about as large as those of the other vectors."""


class UseClassifier(nn.Module):
    """A network whose vectors feed one linear head per id."""

    def __init__(
        self,
        network: UseNetwork,
        ids: int,
        marked: int = 0,
        reads: Sequence[str] = (SENTENCE,),
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        wrong = [each for each in reads if each not in READS]
        if wrong or not reads or ids < 1:
            raise UsageError(
                f"A head for {ids} ids cannot read {', '.join(wrong) or 'nothing'}; expected at "
                f"least one id, and some of {', '.join(READS)}."
            )
        self.network = network
        self.reads = tuple(reads)
        self.dropout = nn.Dropout(dropout)
        width = sum(SEEN_WIDTH if each == SEEN else WIDTH for each in self.reads)
        self.text_head = _head(width, ids)
        self.token_head = _head(WIDTH, marked) if marked else None

    @property
    def needs_states(self) -> bool:
        """Say whether each token is projected on its own: a fourth of the work."""
        return self.token_head is not None or GREATEST in self.reads

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Return the logits of each text and of each token, and the states of the tokens.

        Tokens have no logits without a head for them, and no states where nothing reads them.
        """
        vectors, states = self._vectors(tokens, mask)
        logits = self.text_head(self.dropout(vectors))
        marks = None
        if self.token_head is not None and states is not None:
            marks = self.token_head(self.dropout(states))
        return logits, marks, states

    def vectors(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return what the head of the text reads."""
        return self._vectors(tokens, mask)[0]

    def _vectors(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor | None]:
        seen = self.network.seen(tokens, mask)
        states = self.network.projected(seen, mask) if self.needs_states else None
        return self._read(seen, states, mask), states

    def _read(self, seen: Tensor, states: Tensor | None, mask: Tensor) -> Tensor:
        number = lengths(mask)
        if states is None:
            # The mean of projections is the projection of the mean: one for the whole text.
            mean = self.network.dense(seen.sum(dim=1) / number)
        else:
            mean = states.sum(dim=1) / number
        found: list[Tensor] = []
        for each in self.reads:
            if each == MEAN:
                found.append(mean)
            elif each == GREATEST and states is not None:
                found.append(_greatest(states, mask))
            elif each == SEEN:
                found.append(_SEEN_SCALE * _greatest(seen, mask))
            else:
                pooled = self.network.deep(mean * number.sqrt())
                found.append(functional.normalize(pooled, dim=1) if each == SENTENCE else pooled)
        return torch.cat(found, dim=1)


def _greatest(numbers: Tensor, mask: Tensor) -> Tensor:
    """Return the greatest of each number over the tokens that are there."""
    absent = (1 - mask).unsqueeze(2).to(numbers.dtype)
    return (numbers - _FAR * absent).amax(dim=1)


def _head(width: int, outputs: int) -> nn.Linear:
    head = nn.Linear(width, outputs)
    nn.init.normal_(head.weight, std=0.02)
    nn.init.constant_(head.bias, _BEGIN_BIAS)
    return head
