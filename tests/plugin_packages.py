"""Writes installed packages with entry points: a module and its metadata, as pip leaves them."""

from collections.abc import Mapping
from pathlib import Path


def write_package(
    site: Path,
    name: str,
    entry_points: Mapping[str, Mapping[str, str]],
    source: str = "",
    version: str = "1.0",
) -> None:
    """Write a package into a folder of installed packages.

    Parameters
    ----------
    site
        The folder, which is or will be on ``sys.path``.
    name
        The package's name; its module has underscores for hyphens.
    entry_points
        Group -> name -> target.
    source
        The module's code.
    version
        The package's version.

    """
    module = name.replace("-", "_")
    (site / f"{module}.py").write_text(source, encoding="utf-8")
    info = site / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
    )
    lines: list[str] = []
    for group, entries in entry_points.items():
        lines += [f"[{group}]", *(f"{each} = {target}" for each, target in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
