"""What a masked language model predicts at one place of each text, and nothing else.

A model's head turns every place into one number for each word of the vocabulary; an audit needs
one place. Hooks keep that place only: after the attention of the last layer where its blocks are
known, and after the last layer for every other model. The model's own code computes the rest. The
first texts are also computed in full, and where the answers differ the hooks are taken off again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

Hook = Callable[..., Any]

AFTER_ATTENTION = ("attention.output", "sa_layer_norm", "attention.LayerNorm")
"""In a layer: BERT, RoBERTa and DeBERTa; DistilBERT; MPNet. After it, no place sees another."""
_CLOSE = 1e-4
"""How far two ways to compute the same logits may be apart, relative to the largest."""


class PlaceModel:
    """Asks a model about one place of each text."""

    def __init__(self, model: Any, mask_id: int, hooks: bool = True) -> None:
        self.model = model
        self.mask_id = mask_id
        self.permutes = model.config.model_type == "xlnet"
        self.way = "full"
        """``trimmed`` after the last attention, ``gathered`` before the head, or ``full``."""
        self._ways = ["trimmed", "gathered"] if hooks and not self.permutes else []

    def logits(self, inputs: Mapping[str, Any], places: Any) -> Any:
        """Return (texts x vocabulary) for texts of one length, of which none is padded.

        ``inputs`` is what the tokenizer gave, as tensors; ``places`` has one index for each text.
        """
        import torch

        with torch.inference_mode():
            if self.permutes:
                return self._permuted(inputs, places)
            if self._ways:
                self._choose({name: rows[:2] for name, rows in inputs.items()}, places[:2])
            return self._asked(inputs, places, self.way)

    def _choose(self, inputs: Mapping[str, Any], places: Any) -> None:
        """Take the first way that gives what the full computation gives."""
        whole = self._asked(inputs, places, "full")
        ways, self._ways = self._ways, []
        for way in ways:
            try:
                found = self._asked(inputs, places, way)
            except (RuntimeError, ValueError, TypeError, IndexError, AttributeError):
                continue  # a model that cannot work on one place alone
            if found.shape == whole.shape and _same(found, whole):
                self.way = way
                break

    def _asked(self, inputs: Mapping[str, Any], places: Any, way: str) -> Any:
        if way == "full":
            return _at(self.model(**inputs).logits, places)
        with self._hooked(places, trim=way == "trimmed"):
            found = self.model(**inputs).logits
        return found[:, 0]

    @contextmanager
    def _hooked(self, places: Any, trim: bool) -> Iterator[None]:
        base = self.model.base_model
        block = _last_block(base) if trim else base
        if block is None:
            raise ValueError("the blocks of its layers are not known")
        handle = block.register_forward_hook(_keep(places))
        try:
            yield
        finally:
            handle.remove()

    def _permuted(self, inputs: Mapping[str, Any], places: Any) -> Any:
        """Ask XLNet: no place sees what is masked, and only the asked place is predicted.

        This is how it was trained: the last words of a permutation are predicted from all others.
        A plain forward pass would let every place look at itself.
        """
        import torch

        ids = inputs["input_ids"]
        texts, length = ids.shape
        hidden = (ids == self.mask_id).float()
        target = torch.zeros(texts, 1, length)
        target[torch.arange(texts), 0, places] = 1.0
        found = self.model(
            **inputs,
            perm_mask=hidden[:, None, :].expand(texts, length, length),
            target_mapping=target,
            use_mems=False,
        )
        return found.logits[:, 0]


def _last_block(base: Any) -> Any:
    """Return the module of the last layer after which no place sees another, if it is known."""
    layers = [
        module
        for module in base.modules()
        if type(module).__name__ == "ModuleList" and len(module) > 0
    ]
    for stack in layers:
        for name in AFTER_ATTENTION:
            block: Any = stack[-1]
            for part in name.split("."):
                block = getattr(block, part, None)
            if block is not None:
                return block
    return None


def _keep(places: Any) -> Hook:
    def hook(module: Any, given: Sequence[Any], output: Any) -> Any:
        if hasattr(output, "last_hidden_state"):
            output.last_hidden_state = _at(output.last_hidden_state, places).unsqueeze(1)
            return output
        if isinstance(output, tuple):
            return (_at(output[0], places).unsqueeze(1), *output[1:])
        return _at(output, places).unsqueeze(1)

    return hook


def _at(rows: Any, places: Any) -> Any:
    """Return, for each text, its row at its place."""
    import torch

    return rows[torch.arange(rows.shape[0]), places]


def _same(one: Any, other: Any) -> bool:
    largest = float(other.abs().max())
    return bool((one - other).abs().max() <= _CLOSE * max(largest, 1.0))
