"""Where the weights of the embedded models are.

Weights whose licence is that of the code are in ``tactful/weights``. Others come in packages of
their own, each of which names its folder as an entry point in the group ``tactful.weights``.
"""

from functools import cache
from pathlib import Path

from tactful.errors import UsageError

ENTRY_POINTS = "tactful.weights"
OWN_FOLDER = Path(__file__).parents[1] / "weights"
INSTALL = "pip install tactful-weights-research (non-commercial)"


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
    """Return the folder of an embedded model, such as ``default-en``; None if not installed."""
    return next((root / name for root in weights_roots() if (root / name).is_dir()), None)


def weights_folder(name: str, root: Path | None = None) -> Path:
    """Return the folder of an embedded model, such as ``default-en``.

    With a ``root``, the model is in that folder, and nothing is searched.
    """
    found = root / name if root else find_weights(name)
    if found is None:
        what = f"The model '{name}' is not" if weights_roots() else "No model is"
        raise UsageError(f"{what} installed; run: {INSTALL}, or pass --model FOLDER.")
    return found
