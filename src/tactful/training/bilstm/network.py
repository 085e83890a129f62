"""The bidirectional LSTM as torch sees it."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence


class BiLstmNetwork(nn.Module):
    """Word vectors, one LSTM in each direction, and a linear head over their last states."""

    def __init__(self, vectors: Tensor, units: int, ids: int, dropout: float, tuned: bool):
        super().__init__()
        self.vectors = nn.Embedding.from_pretrained(vectors, freeze=not tuned)
        self.lstm = nn.LSTM(vectors.shape[1], units, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(2 * units, ids)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return the logits of each text; padding is not read."""
        packed = pack_padded_sequence(
            self.dropout(self.vectors(tokens)),
            mask.sum(1).cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        _, (last, _) = self.lstm(packed)
        logits: Tensor = self.head(self.dropout(torch.cat([last[0], last[1]], dim=-1)))
        return logits
