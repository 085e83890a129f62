"""The formats by name, and the two things one does with them: write a project, read a file."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tactful.annotation.formats.annotated import Imported, Source, source_of
from tactful.annotation.formats.cells import NEUTRALISED
from tactful.annotation.formats.log import ABOUT, VERSION
from tactful.annotation.formats.losses import Loss
from tactful.annotation.protocol.records import Protocol
from tactful.errors import OutputError, UsageError
from tactful.files import atomic_folder
from tactful.registry import Registry

if TYPE_CHECKING:
    from tactful.annotation.project.project import Project

Writer = Callable[[Source, Path], list[Loss]]
"""Writes into a folder that is there and empty; says what it could not write."""
Reader = Callable[..., Imported]
"""Reads a path by a protocol; Label Studio's also takes the name of the field with the text."""

_HERE = "tactful.annotation.formats"
EXPORTS: Registry[Writer] = Registry(
    "export format",
    {
        "jsonl": f"{_HERE}.jsonl:write_jsonl",
        "parquet": f"{_HERE}.parquet:write_parquet",
        "csv": f"{_HERE}.sheet:write_sheet",
        "dpm": f"{_HERE}.dpm:write_dpm",
        "ucc": f"{_HERE}.ucc:write_ucc",
        "sbic": f"{_HERE}.sbic:write_sbic",
        "detests": f"{_HERE}.detests:write_detests",
        "brat": f"{_HERE}.brat:write_brat",
        "label-studio": f"{_HERE}.label_studio:write_label_studio",
        "doccano": f"{_HERE}.doccano:write_doccano",
        "conll": f"{_HERE}.conll:write_conll",
        "crowd-kit": f"{_HERE}.crowd_kit:write_crowd_kit",
    },
)
_TABLES = ("ucc", "sbic", "detests", "crowd-kit")
"""Formats of others that are tables, whose cells are neutralised when asked for."""
IMPORTS: Registry[Reader] = Registry(
    "import format",
    {
        "csv": f"{_HERE}.sheet:read_sheet",
        "jsonl": f"{_HERE}.jsonl:read_jsonl",
        "parquet": f"{_HERE}.jsonl:read_jsonl",
        "brat": f"{_HERE}.brat:read_brat",
        "label-studio": f"{_HERE}.label_studio:read_label_studio",
        "doccano": f"{_HERE}.doccano:read_doccano",
    },
)


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written, and what is missing in it."""

    folder: Path
    files: int
    losses: tuple[Loss, ...]


def export(
    project: "Project",
    name: str,
    output: Path,
    *,
    spreadsheet: bool = False,
    unfinished: bool = False,
    force: bool = False,
) -> Exported:
    """Write a project in a format to a new folder, whole or not at all.

    ``spreadsheet`` neutralises cells that a spreadsheet would run in the papers' CSV files and
    crowd-kit's, too. ``unfinished`` lets the papers' formats give labels that may still change. The
    log is read while nobody can add to it.
    """
    write = EXPORTS.get(name)
    with project.lock:
        source = source_of(project, spreadsheet, unfinished)
        return export_source(source, name, write, output, force=force)


def export_source(
    source: Source, name: str, write: Writer, output: Path, *, force: bool = False
) -> Exported:
    """Write what an export reads with one writer."""
    _refuse_foreign(output, force)
    with atomic_folder(output, force) as folder:
        try:
            losses = write(source, folder)
        except UnicodeEncodeError:
            raise OutputError(
                f"{output}: a text holds half a letter (a lone surrogate), which no file in UTF-8 "
                "can hold; nothing was written; correct the text and import it again."
            ) from None
        _write_about(folder, source, name, losses)
        files = sum(path.is_file() for path in folder.rglob("*"))
    return Exported(output, files, tuple(losses))


def _refuse_foreign(output: Path, force: bool) -> None:
    """Refuse to replace a folder that is no export: it might be anybody's work."""
    if force and output.is_dir() and any(output.iterdir()) and not (output / ABOUT).is_file():
        raise UsageError(
            f"{output}: found a folder that is no export; --force replaces exports only; name "
            "another place."
        )


def _write_about(folder: Path, source: Source, name: str, losses: list[Loss]) -> None:
    """Write what the folder is; a format may have put names of its own there."""
    path = folder / ABOUT
    own = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    about = {
        "format": name,
        "version": VERSION,
        "project": source.name,
        "protocol": source.protocol.id,
        "lost": [asdict(loss) for loss in losses],
        **own,
    }
    if name == "csv" or (name in _TABLES and source.spreadsheet):
        about[NEUTRALISED] = True
    text = json.dumps(about, ensure_ascii=False, indent=1) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def read_annotations(path: Path, name: str, protocol: Protocol, **options: str) -> Imported:
    """Read a file or folder of a format as what a project can add; ``options`` are its reader's."""
    read = IMPORTS.get(name)
    if not path.exists():
        raise UsageError(f"{path}: it is not there; name the file or folder to import.")
    return read(path, protocol, **options)
