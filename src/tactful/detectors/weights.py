"""Where the weights of the embedded models are.

Weights whose licence is that of the code, the open ones, are in ``tactful/weights``. Others come
in packages of their own, each of which names its folder as an entry point in the group
``tactful.weights``. Where such a model is not installed, an open one takes its place.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tactful.errors import UsageError

ENTRY_POINTS = "tactful.weights"
OWN_FOLDER = Path(__file__).parents[1] / "weights"
INSTALL = "pip install tactful-weights-research (non-commercial)"
OPEN = "open"
"""What the names of open models begin with."""
INSTEAD = {
    "default-en": "open-en",
    "fast-en": "open-fast-en",
    "cascade-en": "open-cascade-en",
    "encoder-en": "open-encoder-en",
}
"""A model -> the open one that is used where it is not installed."""


@cache
def weights_roots() -> tuple[Path, ...]:
    """Return the folders that hold the installed models: Tactful's own first, then by name."""
    from importlib.metadata import entry_points

    found = [OWN_FOLDER] if OWN_FOLDER.is_dir() else []
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda each: each.name):
        try:
            found.append(Path(entry.load()))
        except (ImportError, AttributeError) as error:
            package = entry.dist.name if entry.dist else entry.module
            raise UsageError(
                f"The package '{package}' cannot be imported ({error}); reinstall it or remove it."
            ) from None
    return tuple(found)


def find_weights(name: str) -> Path | None:
    """Return the folder of an embedded model, such as ``default-en``, or of the open one instead.

    None where neither is installed.
    """
    return _find(name, weights_roots())


def _find(name: str, roots: Iterable[Path]) -> Path | None:
    names = [name, *([INSTEAD[name]] if name in INSTEAD else [])]
    folders = [root / each for each in names for root in roots]
    return next((folder for folder in folders if folder.is_dir()), None)


def weights_folder(name: str, root: Path | None = None) -> Path:
    """Return the folder of an embedded model, such as ``default-en``.

    With a ``root``, the model is in that folder, and nothing is searched.
    """
    found = _find(name, [root]) or root / name if root else find_weights(name)
    if found is None:
        what = f"The model '{name}' is not" if weights_roots() else "No model is"
        raise UsageError(f"{what} installed; run: {INSTALL}, or pass --model FOLDER.")
    return found
