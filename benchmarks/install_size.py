"""What ``pip install tactful`` puts on the disk: the wheel of this folder in a new environment.

Everything in ``site-packages`` counts, with the modules that pip compiles, but not pip itself.
"""

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from results import machine_line, table, write_page

ROOT = Path(__file__).resolve().parents[1]
BAR_MB = 300
SHOWN_MB = 1.0
OF_HUB = {"huggingface-hub", "hf-xet", "fsspec", "filelock", "tqdm", "httpx2", "httpcore2"}
"""What comes because ``tokenizers`` requires ``huggingface-hub``; no code of Tactful calls it."""
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
# The version and the size of each distribution.
SIZES = """
import json
from importlib.metadata import distributions
found = {}
for each in distributions():
    paths = {path.locate() for path in each.files or []}
    size = sum(path.stat().st_size for path in paths if path.is_file())
    found[each.name.lower().replace("_", "-")] = [each.version, size]
print(json.dumps(found))
"""


def install(folder: Path) -> Path:
    """Build the wheel, install it into a new environment, and return its Python."""
    wheels = folder / "wheels"
    subprocess.run([sys.executable, *PIP, "wheel", "--no-deps", "-w", wheels, ROOT], check=True)
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    limits = ("-c", str(ROOT / "constraints.txt"))
    subprocess.run([python, *PIP, "install", *limits, next(wheels.glob("*.whl"))], check=True)
    return python


def main() -> int:
    """Measure, write the page, and fail when the bar is missed."""
    with tempfile.TemporaryDirectory(prefix="tactful-bench-") as name:
        python = install(Path(name))
        done = subprocess.run([python, "-c", SIZES], check=True, capture_output=True, text=True)
    found: dict[str, tuple[str, int]] = json.loads(done.stdout)
    for tool in ("pip", "setuptools"):
        found.pop(tool, None)
    sizes = {name: size / 1e6 for name, (_, size) in found.items()}
    total = sum(sizes.values())
    large = sorted((name for name in sizes if sizes[name] >= SHOWN_MB), key=sizes.__getitem__)
    rows: list[list[object]] = [
        [name, found[name][0], f"{sizes[name]:.1f}"] for name in reversed(large)
    ]
    rest = [size for size in sizes.values() if size < SHOWN_MB]
    rows.append([f"{len(rest)} smaller ones", "", f"{sum(rest):.1f}"])
    hub = {name: sizes[name] for name in sorted(OF_HUB & sizes.keys())}
    write_page(
        "install-size",
        "The bare installation on disk",
        f"`pip install tactful` takes {total:.0f} MB (bar: at most {BAR_MB} MB; "
        f"{'met' if total <= BAR_MB else 'MISSED'}), compiled modules included and pip itself "
        "not.\n\n"
        f"{table(['distribution', 'version', 'MB'], rows)}\n\n"
        f"{sum(hub.values()):.0f} MB of it ({', '.join(hub)}) come with `huggingface-hub`, which "
        "`tokenizers` requires and nothing of Tactful calls.\n\n"
        f"{machine_line()}\nCommand: `python benchmarks/install_size.py`.",
    )
    return 0 if total <= BAR_MB else 1


if __name__ == "__main__":
    sys.exit(main())
