"""Weights laid out so that processes share them: large arrays in files that the kernel maps once.

onnxruntime copies the arrays of an ordinary ``model.onnx`` into each process. Arrays in a file
beside the model are mapped instead, so all processes read the same pages of memory. The layout is
written when several of them start, into a folder that goes away with them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from tactful.detectors.card import Card, part_folder, read_card
from tactful.detectors.models.encoder import MODEL_FILE
from tactful.detectors.models.onnx_session import SHARED_FILE, share_arrays

ARRAYS_FILE = "model.weights"
_LEAST_BYTES = 1024
"""Smaller arrays stay in the model: a page of memory is larger."""


def lay_out(folders: Iterable[Path], target: Path) -> None:
    """Write the layout of detectors, and of those that they are made of, under their names."""
    for folder in dict.fromkeys(each for one in folders for each in with_parts(one)):
        _lay_out(folder, target / folder.name)


def with_parts(folder: Path) -> Iterator[Path]:
    """Yield a folder and those of the detectors that it is made of."""
    yield folder
    for name in _parts(read_card(folder)):
        yield from with_parts(part_folder(folder, name))


def _parts(card: Card) -> list[str]:
    made_of = card.training
    single = made_of.get("encoder")
    return [
        *made_of.get("members", {}),
        *made_of.get("detectors", ()),
        *([str(single)] if single else ()),
    ]


def _lay_out(folder: Path, target: Path) -> None:
    target.mkdir(parents=True)
    model = folder / MODEL_FILE
    # What is written then holds all arrays, also those that the model left out.
    replaced = {MODEL_FILE, SHARED_FILE} if model.exists() and _split(model, target) else set()
    for file in folder.iterdir():
        if file.name not in replaced:
            (target / file.name).symlink_to(file.resolve())


def _split(model: Path, folder: Path) -> bool:
    """Write a model into a folder, its arrays in a file beside it; say whether that was possible.

    A full disk is no reason to stop: each process can read the model by itself.
    """
    import onnxruntime

    target = folder / MODEL_FILE
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    _kept = share_arrays(model.parent, options)  # until this returns
    options.optimized_model_filepath = str(target)
    prefix = "session.optimized_model_external_initializers"
    options.add_session_config_entry(f"{prefix}_file_name", ARRAYS_FILE)
    options.add_session_config_entry(f"{prefix}_min_size_in_bytes", str(_LEAST_BYTES))
    try:
        onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception:  # its errors have no class of their own
        for file in (target, target.with_name(ARRAYS_FILE)):
            file.unlink(missing_ok=True)
        return False
    return True
