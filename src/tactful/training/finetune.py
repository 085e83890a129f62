"""Fine-tuning of any pretrained encoder: BERT, RoBERTa, DistilBERT and others of transformers.

The head is the encoder's own for sequence classification, with one logit for each label. Weights
are read and written as safetensors only, and downloaded only on request.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from torch import Tensor, nn

from tactful.detectors.card import Card, write_card
from tactful.detectors.models.encoder import MAX_TOKENS, MODEL_FILE, OVERLAP, TOKENIZER_FILE
from tactful.documents.normalise import normalise
from tactful.errors import MissingExtraError, UsageError
from tactful.files import atomic_folder
from tactful.training.fixed_scales import examples, fix_scales
from tactful.training.network_classifier import Flags, NetworkClassifier
from tactful.training.onnx_export import export_onnx, quantise_onnx
from tactful.training.pretrained import quiet

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VERSION = "1"
PRECISIONS = ("int8", "fp32")


class Classifier(nn.Module):
    """An encoder with its own head, as a module of ``tokens`` and ``mask``."""

    def __init__(self, body: nn.Module):
        super().__init__()
        self.body = body

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return the logits of each text."""
        logits: Tensor = self.body(input_ids=tokens, attention_mask=mask).logits
        return logits


@dataclass(eq=False, repr=False)
class FineTuned(NetworkClassifier):
    """A fine-tuned encoder behind ``fit`` and ``predict_proba``.

    encoder: a folder, or a name on the Hugging Face hub; ``download`` allows to fetch it, otherwise
    it must be in the local cache. warm_up: the share of steps in which the rate grows before it
    falls. device: ``auto``, ``cpu``, ``cuda`` or ``mps``. accumulate: compute each batch in this
    many pieces. max_tokens: more than an exported detector reads (128) is for measuring only.
    patience: stop after this many epochs in which the loss on held-out texts (a share of
    ``validation``) has not fallen. The papers' settings are in :mod:`tactful.training.recipes`.
    """

    encoder: str | Path
    epochs: int = 10
    batch: int = 32
    rate: float = 2e-5
    warm_up: float | None = 0.06
    weight_decay: float = 0.01
    max_tokens: int = MAX_TOKENS
    patience: int | None = None
    validation: float = 0.1
    class_weight: str | None = None
    sampling: str | None = None
    download: bool = False
    random_state: int = 1
    device: str = "auto"
    accumulate: int = 1
    clip: ClassVar[float | None] = 1.0

    def _prepared(self, texts: Sequence[str], table: Flags) -> tuple[nn.Module, Flags]:
        if self.max_tokens <= OVERLAP:
            raise UsageError(
                f"Found max_tokens={self.max_tokens}; expected more than {OVERLAP}: longer texts "
                "are read through windows."
            )
        labels = self._learnt_labels(table)
        classifier, self.tokenizer_ = load_classifier(
            self.encoder, labels.shape[1], self.max_tokens, self.download
        )
        return self._network(classifier, labels.shape[1]), labels

    def _learnt_labels(self, table: Flags) -> Flags:
        """Return the columns that the network learns."""
        return table

    def _network(self, classifier: Classifier, labels: int) -> nn.Module:
        """Return the network to train."""
        return classifier

    def _finished(self, network: nn.Module, texts: Sequence[str]) -> nn.Module:
        self.examples_ = examples(texts, self.random_state)
        return network

    def _windows(self, texts: Sequence[str]) -> Iterator[list[list[int]]]:
        for encoding in self.tokenizer_.encode_batch([normalise(text).text for text in texts]):
            yield [window.ids for window in (encoding, *encoding.overflowing)]

    def export(
        self,
        folder: Path,
        ids: Sequence[str],
        *,
        precision: str = "int8",
        force: bool = False,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """Write a folder that ``load_detector`` opens; ``about`` are further fields of its card."""
        self.require_fitted("ids_")
        if precision not in PRECISIONS:
            raise UsageError(f"Found the precision {precision!r}; expected int8 or fp32.")
        if self.max_tokens > MAX_TOKENS:
            raise UsageError(
                f"Found max_tokens={self.max_tokens}; exported detectors read at most {MAX_TOKENS} "
                "tokens at a time; train with fewer."
            )
        about = about or {}
        base = Path(self.encoder).name
        training = {
            "base": base,
            "settings": self.get_params() | {"encoder": base},
            "epochs run": len(self.history_),
            "precision": precision,
        }
        with atomic_folder(folder, force) as target:
            model = target / MODEL_FILE
            export_onnx(self.network_, model)
            if precision == "int8":
                quantise_onnx(model, model, force=True)
            self.tokenizer_.save(str(target / TOKENIZER_FILE))
            training |= fix_scales(target, self.examples_, self.random_state)
            card = Card(
                **{
                    "name": "encoder",
                    "version": VERSION,
                    "summary": f"{base}, fine-tuned.",
                    **about,
                    "ids": tuple(ids),
                    "kind": "encoder",
                    "training": {**training, **about.get("training", {})},
                }
            )
            write_card(card, target)

    def save_pretrained(self, folder: Path, ids: Sequence[str], *, force: bool = False) -> None:
        """Write a folder that ``from_pretrained`` of transformers opens, or its hub takes.

        Its probabilities are not calibrated, and its users cut long texts and :func:`normalise`
        themselves: an exported detector does both.
        """
        self.require_fitted("ids_")
        network = self.network_
        if not isinstance(network, Classifier):
            raise UsageError("Found a network with heads of its own, which transformers lacks.")
        body: Any = network.body
        body.config.id2label = dict(enumerate(ids))
        body.config.label2id = {name: at for at, name in enumerate(ids)}
        tokenizer = open_tokenizer(self.encoder, self.download)
        tokenizer.model_max_length = self.max_tokens
        with atomic_folder(folder, force) as target, quiet():
            body.save_pretrained(target)
            tokenizer.save_pretrained(target)


def open_tokenizer(encoder: str | Path, download: bool) -> Any:
    """Open the tokenizer of an encoder as transformers does."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(encoder), local_files_only=not download)


def load_classifier(
    encoder: str | Path, ids: int, max_tokens: int, download: bool
) -> tuple[Classifier, "Tokenizer"]:
    """Open a pretrained encoder with a new head for ``ids`` labels, and its tokenizer."""
    try:
        from transformers import AutoModelForSequenceClassification
    except ImportError as error:
        raise MissingExtraError("train", "Fine-tuning an encoder") from error
    try:
        # transformers warns that the head is new, which fine-tuning always has.
        with quiet():
            body = AutoModelForSequenceClassification.from_pretrained(
                str(encoder),
                num_labels=ids,
                problem_type="multi_label_classification",
                local_files_only=not download,
                use_safetensors=True,
                ignore_mismatched_sizes=True,
            )
            wrapped = open_tokenizer(encoder, download)
    except (OSError, ValueError, KeyError) as error:
        reason = (str(error).strip().splitlines() or ["it cannot be read"])[0]
        advice = "name its folder" if download else "name its folder, or allow --download"
        raise UsageError(
            f"Found no encoder at '{encoder}' ({reason}); expected a folder with config.json, "
            f"model.safetensors and a tokenizer; {advice}."
        ) from None
    tokenizer = getattr(wrapped, "backend_tokenizer", None)
    if tokenizer is None:
        raise UsageError(
            f"'{encoder}' has no fast tokenizer, which the exported detector needs; use another."
        )
    places = getattr(body.config, "max_position_embeddings", None)
    if places is not None and places < max_tokens:
        raise UsageError(
            f"'{encoder}' reads at most {places} tokens; expected at least {max_tokens}."
        )
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens, stride=OVERLAP)
    return Classifier(body), tokenizer
