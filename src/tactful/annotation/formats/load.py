"""The formats by name, and how to export a project and read annotations with them."""

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
from tactful.annotation.state.project_state import paused_collection
from tactful.errors import OutputError, UsageError
from tactful.files import atomic_folder
from tactful.registry import Registry

if TYPE_CHECKING:
    from tactful.annotation.project.project import Project

Writer = Callable[[Source, Path], list[Loss]]
"""Writes into an existing, empty folder and returns what it could not write."""
Reader = Callable[..., Imported]
"""Reads a path with a protocol; Label Studio's also takes the name of the text field."""

_HERE = "tactful.annotation.formats"


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, title, description and group."""

    name: str
    title: str
    about: str
    group: str
    is_read: bool = False
    people: bool = True
    """Whether it says who judged what."""


_ALL, _PAPERS, _TOOLS = "Everything", "The papers' own formats", "For other tools"
FORMATS: tuple[Format, ...] = (
    Format("jsonl", "JSON Lines", "lossless, with the log to rebuild the project", _ALL, True),
    Format("parquet", "Parquet", "the same as tables", _ALL, True),
    Format("csv", "CSV", "one table for a spreadsheet", _ALL, True),
    Format("labels", "Labels", "finished texts with their labels, and nothing about people", _ALL,
           people=False),
    Format("dpm", "Don't Patronize Me!", "two TSV files, paragraphs and categories", _PAPERS,
           people=False),
    Format("ucc", "Unhealthy Comment Corpus", "comments and judgements", _PAPERS),
    Format("sbic", "Social Bias Inference Corpus", "a row for each annotation", _PAPERS),
    Format("detests", "DETESTS 2022", "sentences and annotators", _PAPERS),
    Format("brat", "brat", ".txt and .ann files with annotation.conf", _TOOLS, True),
    Format("label-studio", "Label Studio", "tasks as JSON, with the labelling interface", _TOOLS,
           True),
    Format("doccano", "doccano", "JSON Lines with categories and spans", _TOOLS, True),
    Format("conll", "CoNLL", "tokens with BIO tags; overlapping spans lose something", _TOOLS),
    Format("crowd-kit", "crowd-kit", "task, worker, label", _TOOLS),
)  # fmt: skip


def _functions(verb: str, modules: dict[str, str]) -> dict[str, str]:
    """Return the function of each format; ``modules`` are those with another name."""
    plain = {each.name: each.name.replace("-", "_") for each in FORMATS} | modules
    return {name: f"{_HERE}.{module}:{verb}_{module}" for name, module in plain.items()}


_READERS = _functions("read", {"csv": "sheet", "parquet": "jsonl"})
EXPORTS: Registry[Writer] = Registry("export format", _functions("write", {"csv": "sheet"}))
IMPORTS: Registry[Reader] = Registry(
    "import format", {each.name: _READERS[each.name] for each in FORMATS if each.is_read}
)
_TABLES = ("ucc", "sbic", "detests", "crowd-kit")
"""Formats of others whose CSV cells are neutralised on request."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export."""

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
    """Export a project to a new folder, completely or not at all.

    ``spreadsheet`` neutralises cells that a spreadsheet would run in the papers' CSV files and
    crowd-kit's, too. ``unfinished`` includes labels that may still change in the papers' formats.
    The project is locked meanwhile.
    """
    write = EXPORTS.get(name)
    with project.lock, paused_collection():
        source = source_of(project, spreadsheet, unfinished)
        return export_source(source, name, write, output, force=force)


def export_source(
    source: Source, name: str, write: Writer, output: Path, *, force: bool = False
) -> Exported:
    """Export a source with one writer."""
    _refuse_foreign(output, force)
    with atomic_folder(output, force) as folder:
        try:
            losses = write(source, folder)
        except UnicodeEncodeError:
            raise OutputError(
                f"{output}: found half a character (a lone surrogate) in a text, which UTF-8 "
                "cannot hold; nothing was written; correct the text and import it again."
            ) from None
        _write_about(folder, source, name, losses)
        files = sum(path.is_file() for path in folder.rglob("*"))
    return Exported(output, files, tuple(losses))


def _refuse_foreign(output: Path, force: bool) -> None:
    """Refuse to replace a folder that is not an export: it may hold other work."""
    if force and output.is_dir() and any(output.iterdir()) and not (output / ABOUT).is_file():
        raise UsageError(
            f"{output}: found a folder that is not an export; --force replaces exports only; "
            "choose another folder."
        )


def _write_about(folder: Path, source: Source, name: str, losses: list[Loss]) -> None:
    """Write ``export.json``, keeping the fields that a format wrote there."""
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
        raise UsageError(f"{path}: not found; name the file or folder to import.")
    return read(path, protocol, **options)
