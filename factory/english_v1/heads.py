"""Refitting the last layer of a trained student to the teachers' answers.

A body that has learnt from few labelled comments fits these too well, and so do its heads. On the
many comments that nobody labelled, the best linear reading of its states has a closed form.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from factory.english_v1.batches import TEXT_OUTPUTS, batches
from factory.english_v1.distil import Logits
from factory.learning import Lessons
from factory.network import Network

Floats = NDArray[np.float64]
STRENGTH = 3000.0
_BATCH = 64


def pooled_states(model: Network, data: Lessons, rows: Sequence[int]) -> Floats:
    """Return what the heads read of each of the rows."""
    model.eval()
    found = np.zeros((len(data.tokens), model.text_head.in_features))
    with torch.inference_mode():
        for chosen, batch in batches(data, rows, _BATCH, None):
            found[chosen] = model.pooled(batch.tokens, batch.mask)[0].numpy()
    return found[list(rows)]


def refit_heads(
    model: Network,
    data: Lessons,
    rows: Sequence[int],
    answers: Logits,
    ids: Sequence[str],
) -> None:
    """Replace the heads of some ids by the ridge regression of the teachers' log-odds."""
    states = pooled_states(model, data, rows)
    mean, spread = states.mean(axis=0), np.maximum(states.std(axis=0), 1e-6)
    scaled = (states - mean) / spread
    wanted = np.stack([np.asarray(answers[name])[list(rows)] for name in ids], axis=1)
    level = wanted.mean(axis=0)
    gram = scaled.T @ scaled + STRENGTH * np.eye(scaled.shape[1])
    weights = np.linalg.solve(gram, scaled.T @ (wanted - level)) / spread[:, None]
    bias = level - mean @ weights
    with torch.no_grad():
        for at, name in enumerate(ids):
            column = TEXT_OUTPUTS.index(name)
            model.text_head.weight[column] = torch.from_numpy(weights[:, at])
            model.text_head.bias[column] = float(bias[at])
