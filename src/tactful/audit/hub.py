"""Opens models of the library transformers from a folder, or by their name on the hub.

Nothing is downloaded unless you ask for it; a name finds what an earlier download left in the
library's cache. Only safetensors (and, for causal models, gguf) are opened: pickled weights could
run code. Code that comes with a model is never run, for the same reason.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from tactful.audit.base_model import PACKAGED
from tactful.errors import MissingExtraError, UsageError
from tactful.files import sha256 as sha256_of_file

ModelKind = Literal["masked", "causal", "classifier"]

_WHAT: Mapping[str, str] = {
    "masked": "masked language model",
    "causal": "causal language model",
    "classifier": "text classifier",
}
_CLASSES: Mapping[str, str] = {
    "masked": "AutoModelForMaskedLM",
    "causal": "AutoModelForCausalLM",
    "classifier": "AutoModelForSequenceClassification",
}
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)
_PARTS = (".json", ".safetensors", ".gguf", ".txt", ".model", ".codes")
"""How the files end that make a model what it is: settings, weights, tokenizer."""


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A model in float32 that is ready to be asked, with its tokenizer."""

    model: Any
    tokenizer: Any
    name: str
    """The name in reports: that of the folder, or that on the hub."""
    fingerprint: str
    """The SHA-256 of its files, or the commit of the hub that they came from."""


def open_model(kind: ModelKind, place: str, download: bool = False) -> Opened:
    """Open the model of a folder or of a name; every problem is reported in one sentence.

    ``place`` is a folder, a name on the hub or, for a causal model, ``smollm2``, a gguf file or a
    folder with one.
    """
    if any(find_spec(name) is None for name in ("torch", "transformers", "safetensors")):
        raise MissingExtraError("audit", "Auditing a language model")
    folder = Path(place).expanduser()
    if kind == "causal" and (place == PACKAGED or _is_gguf(folder)):
        return _open_gguf(place)
    if folder.is_dir():
        _check_folder(kind, folder)
        model, tokenizer = _load(kind, str(folder), {"local_files_only": True})
        return Opened(model, tokenizer, folder.resolve().name, fingerprint_of(folder))
    if folder.exists():
        raise UsageError(f"{folder}: found a file; expected the folder of a {_WHAT[kind]}.")
    if not _HUB_NAME.fullmatch(place):
        raise UsageError(
            f"There is no folder '{place}'; expected the folder of a {_WHAT[kind]}, or its name on "
            "the hub, such as 'owner/model'."
        )
    if download:
        model, tokenizer = _load(kind, place, {"local_files_only": False})
        fetched = _fetched(kind, place)
    else:
        # Opened as a folder: a name would let the library look for converted weights on the hub.
        fetched = _fetched(kind, place)
        _check_folder(kind, fetched)
        model, tokenizer = _load(kind, str(fetched), {"local_files_only": True})
    return Opened(model, tokenizer, place, f"{place}@{fetched.name}")


def longest_input(opened: Opened) -> int | None:
    """Return how many tokens a model can read; None if there is no limit."""
    limits = [int(opened.tokenizer.model_max_length)]
    if opened.model.config.model_type != "xlnet":  # its positions are relative: there is no limit
        places = getattr(opened.model.config, "max_position_embeddings", None)
        table = getattr(opened.model.base_model, "embeddings", None)
        padding = getattr(getattr(table, "position_embeddings", None), "padding_idx", None)
        if places is not None and places > 0:
            # RoBERTa's positions begin after that of the padding.
            limits.append(int(places) - (0 if padding is None else int(padding) + 1))
    least = min(limits)
    return least if least < 1_000_000 else None  # tokenizers without a limit have a huge number


def _fetched(kind: ModelKind, place: str) -> Path:
    """Return the folder of the library's cache that holds a model; its name is the commit."""
    from transformers.utils import cached_file

    with _as_one_sentence(kind, place, offline=True):
        return Path(str(cached_file(place, "config.json", local_files_only=True))).parent


def fingerprint_of(folder: Path) -> str:
    """Return one SHA-256 of the settings, weights and tokenizer files of a folder."""
    found = sha256()
    for file in sorted(folder.iterdir()):
        if file.is_file() and file.suffix in _PARTS:
            found.update(f"{file.name}\0{sha256_of_file(file)}\n".encode())
    return found.hexdigest()


def _is_gguf(place: Path) -> bool:
    if place.is_file():
        return place.suffix.casefold() == ".gguf"
    return any(place.glob("*.gguf")) and not any(place.glob("*.safetensors"))


def _check_folder(kind: ModelKind, folder: Path) -> None:
    if not (folder / "config.json").is_file():
        raise UsageError(
            f"{folder}: found no config.json; expected the folder of a {_WHAT[kind]} as "
            "'save_pretrained' of transformers writes it."
        )
    if not any(folder.glob("*.safetensors")):
        raise UsageError(
            f"{folder}: found no safetensors; expected the weights of a {_WHAT[kind]}; pickled "
            "weights are not opened: save them as safetensors."
        )


def _load(kind: ModelKind, place: str, how: Mapping[str, Any]) -> tuple[Any, Any]:
    import transformers

    # Without the last one, the library asks at the keyboard whether to run a model's own code.
    how = {**how, "trust_remote_code": False}
    with _as_one_sentence(kind, place, offline=bool(how["local_files_only"])):
        config = transformers.AutoConfig.from_pretrained(place, **how)
        _check_architecture(kind, place, config)
        opener: Any = getattr(transformers, _CLASSES[kind])
        if kind == "masked" and config.model_type == "xlnet":
            # Its head for language models fills masks too, but the library calls it causal.
            opener = transformers.XLNetLMHeadModel
        model, loading = opener.from_pretrained(
            place, config=config, use_safetensors=True, output_loading_info=True, **how
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, **how)
    missing = sorted(loading["missing_keys"])
    if missing:
        # The library fills missing weights with random numbers, which are not worth an audit.
        raise UsageError(
            f"'{place}' is no {_WHAT[kind]}: it has no weights for '{missing[0]}'"
            + (f" and {len(missing) - 1} more" if len(missing) > 1 else "")
            + "; expected a model that was trained for this."
        )
    return model.float().eval(), tokenizer  # torch's mode for inference: no dropout


def _check_architecture(kind: ModelKind, place: str, config: Any) -> None:
    """Refuse a model that the library would open, or fail to, as something that it is not."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED

    found = str(config.model_type)
    masked = found == "xlnet" or any("ForMaskedLM" in each for each in config.architectures or ())
    if kind == "causal" and masked:
        raise UsageError(
            f"'{place}' is a masked language model ({found}); expected a causal one; "
            "'tactful audit fill-mask' may be what is wanted."
        )
    if kind == "masked" and found != "xlnet" and found not in MASKED and found in CAUSAL:
        raise UsageError(
            f"'{place}' is a causal language model ({found}); expected a masked one; "
            "'tactful audit causal' may be what is wanted."
        )


def _open_gguf(place: str) -> Opened:
    from tactful.audit.base_model import find_base

    base = find_base(place)
    if any(find_spec(name) is None for name in ("gguf", "accelerate")):
        raise UsageError(
            "Opening a gguf file needs two more libraries; install them with: "
            "pip install gguf accelerate"
        )
    from transformers import AutoModelForCausalLM, AutoTokenizer

    how: dict[str, Any] = {"local_files_only": True, "gguf_file": base.gguf}
    with _as_one_sentence("causal", base.place, offline=True):
        model = AutoModelForCausalLM.from_pretrained(base.place, **how)
        tokenizer = AutoTokenizer.from_pretrained(base.place, **how)
    if hasattr(model.config, "quantization_config"):
        # The weights were unpacked to plain numbers; the library would still not let them be used.
        del model.config.quantization_config
        model.hf_quantizer, model.is_quantized = None, False
    # torch's mode for inference: no dropout
    return Opened(model.float().eval(), tokenizer, base.name, str(base.sha256))


@contextmanager
def _as_one_sentence(kind: ModelKind, place: str, *, offline: bool) -> Iterator[None]:
    """Turn any error of the library about a model into one sentence."""
    from safetensors import SafetensorError

    from tactful.training.pretrained import quiet

    try:
        with quiet():
            yield
    except (
        OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError,
        SafetensorError,
    ) as error:  # fmt: skip
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(". ")
        what = _WHAT[kind]
        if Path(place).expanduser().is_dir():
            todo = "a whole folder as 'save_pretrained' of transformers writes it"
        elif offline:
            todo = (
                "a folder, or a name that was fetched before; pass --download to fetch it from the "
                "hub"
            )
        else:
            todo = "a name on the hub whose weights are safetensors, and a network"
        raise UsageError(
            f"'{place}' cannot be opened as a {what} ({reason}); expected {todo}."
        ) from None
