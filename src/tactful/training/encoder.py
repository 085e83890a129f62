"""The multi-task encoder as torch sees it: one body, one head for the text, one for its tokens."""

from pathlib import Path

import torch
from torch import Tensor, nn

from tactful.training.records import AUXILIARY, IDS, PCL_IDS

TEXT_OUTPUTS = (*IDS, AUXILIARY)
TOKEN_OUTPUTS = PCL_IDS
"""What the token head marks: any PCL, and each category."""


class MultiTaskEncoder(nn.Module):
    """A pretrained encoder whose mean and greatest states feed one linear head per id."""

    def __init__(self, body: nn.Module, width: int, dropout: float = 0.1):
        super().__init__()
        self.body = body
        self.dropout = nn.Dropout(dropout)
        self.text_head = nn.Linear(2 * width, len(TEXT_OUTPUTS))
        self.token_head = nn.Linear(width, len(TOKEN_OUTPUTS))
        for head in (self.text_head, self.token_head):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.constant_(head.bias, -1.5)

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of each text and of each token."""
        pooled, states = self.pooled(tokens, mask)
        return self.text_head(self.dropout(pooled)), self.token_head(self.dropout(states))

    def pooled(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the heads read: of each text, and of each token."""
        states = self.body(input_ids=tokens, attention_mask=mask).last_hidden_state
        inside = mask.unsqueeze(-1).to(states.dtype)
        mean = (states * inside).sum(1) / inside.sum(1)
        greatest = (states - 1e4 * (1 - inside)).amax(1)
        return torch.cat([mean, greatest], dim=-1), states


def load_encoder(folder: Path) -> MultiTaskEncoder:
    """Build the model from a folder with a pretrained encoder."""
    from transformers import AutoModel

    body = AutoModel.from_pretrained(folder, attn_implementation="sdpa", local_files_only=True)
    return MultiTaskEncoder(body, int(body.config.hidden_size))
