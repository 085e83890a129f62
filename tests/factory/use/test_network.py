"""The network against the formulas of its layers, its padding, and that it can learn."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from factory.use.network import ORDERS, UseNetwork  # noqa: E402

TINY = runpy.run_path(str(Path(__file__).parents[2] / "tiny_use.py"))
TEXTS = ["la casa es grande", "el tren llega tarde hoy", "the market opens"]


@pytest.fixture
def network() -> UseNetwork:
    found: UseNetwork = TINY["tiny_use"]()[0]
    return found


def by_hand(network: UseNetwork, ids: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Compute one text with loops, from the graph of the published model."""
    weights = {name: each.detach().double().numpy() for name, each in network.named_parameters()}

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        out: np.ndarray = weights[f"{name}.weight"] @ x + weights.get(f"{name}.bias", 0.0)
        return out

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        out = (x - x.mean()) / np.sqrt(x.var() + 1e-12)
        scaled: np.ndarray = out * weights[f"{name}.weight"] + weights[f"{name}.bias"]
        return scaled

    vectors = [weights["vectors.weight"][each] for each in ids]
    towers = []
    for at, order in enumerate(ORDERS):
        name = f"towers.{at}"
        states = [norm(dense(each, f"{name}.projection"), f"{name}.norm") for each in vectors]
        # Order 2 looks at a token and the next one; 3 and 5 look to both sides.
        window = {2: (0, 1), 3: (-1, 0, 1), 5: (-2, -1, 0, 1, 2)}[order]
        for layer in (0, 1):
            seen = [
                np.concatenate(
                    [
                        states[here + step] if 0 <= here + step < len(ids) else np.zeros(256)
                        for step in window
                    ]
                )
                for here in range(len(ids))
            ]
            states = [
                state + np.maximum(dense(each, f"{name}.convolutions.{layer}"), 0)
                for state, each in zip(states, seen, strict=True)
            ]
        towers.append(states)
    seen = [np.concatenate(each) for each in zip(vectors, *towers, strict=True)]
    tokens = np.stack([dense(norm(each, "norm"), "dense") for each in seen])
    total = tokens.sum(axis=0) / np.sqrt(len(ids))
    hidden = np.maximum(dense(total, "first"), 0)
    hidden = np.maximum(dense(hidden, "second") + dense(total, "around_second"), 0)
    out = np.maximum(dense(hidden, "third"), 0)
    out = np.tanh(dense(out, "fourth") + dense(hidden, "around_fourth"))
    return out / np.linalg.norm(out), tokens


def test_layers_by_hand(network: UseNetwork) -> None:
    ids = [1, 5, 9, 14, 30, 2]
    with torch.no_grad():
        sentence, states = network(torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.long))
    vector, tokens = by_hand(network, ids)
    assert np.abs(sentence[0].numpy() - vector).max() < 1e-5
    assert np.abs(states[0].numpy() - tokens).max() < 1e-4


def test_padding_changes_nothing() -> None:
    network, tokenizer = TINY["tiny_use"]()
    tokens, mask = TINY["padded"](tokenizer, TEXTS)
    with torch.no_grad():
        together, states = network(tokens, mask)
        for row, text in enumerate(TEXTS):
            alone, own = network(*TINY["padded"](tokenizer, [text]))
            assert torch.allclose(alone[0], together[row], atol=1e-6)
            assert torch.allclose(own[0], states[row, : own.shape[1]], atol=1e-5)
            assert not states[row, own.shape[1] :].any()
        # The padding is not read.
        tokens[mask == 0] = 7
        assert torch.equal(network(tokens, mask)[0], together)


def test_a_text_of_nothing_has_no_nan(network: UseNetwork) -> None:
    nothing = torch.zeros(1, 3, dtype=torch.long)
    sentence, states = network(nothing, nothing)
    assert torch.isfinite(sentence).all()
    assert not states.any()


@pytest.mark.parametrize("frozen", [True, False])
def test_it_learns(frozen: bool) -> None:
    network, tokenizer = TINY["tiny_use"]()
    if frozen:
        network.freeze_vectors()
    head = torch.nn.Linear(512, 1)
    before = network.vectors.weight.detach().clone()
    learning: list[Any] = [each for each in network.parameters() if each.requires_grad]
    optimiser = torch.optim.Adam([*learning, *head.parameters()], lr=1e-3)
    tokens, mask = TINY["padded"](tokenizer, TEXTS)
    targets = torch.tensor([[1.0], [0.0], [1.0]])
    losses = []
    for _ in range(8):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            head(network(tokens, mask)[0]), targets
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0] - 0.05
    assert torch.equal(before, network.vectors.weight) is frozen
