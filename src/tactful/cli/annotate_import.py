"""``tactful annotate import``: texts, hidden tests and judgements come into a project."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.output import echo_sentence
from tactful.errors import InputError, UsageError
from tactful.registry import unknown_name

if TYPE_CHECKING:
    from tactful.annotation.exchange import NewItem
    from tactful.annotation.formats.losses import Loss
    from tactful.annotation.protocol import Protocol, Question

_FROM_JSON = ("choices", "texts", "spans")
"""Kinds of questions whose answer does not fit into a plain cell."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table hold what."""

    text: str
    id: str | None
    context: tuple[str, ...]
    meta: tuple[str, ...]
    gold: tuple[str, ...]
    priority: str | None


@click.command("import")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option("--text-column", default="text", show_default=True, help="The texts to judge.")
@click.option("--id-column", help="Their ids; without it 'id' if there is one, else file and row.")
@click.option(
    "--context-column",
    multiple=True,
    metavar="COLUMN[=NAME]",
    help="Shown beside the text, as NAME; repeatable.",
)
@click.option(
    "--meta-column", multiple=True, help="Kept and not shown; without it all other columns."
)
@click.option(
    "--gold-column",
    multiple=True,
    metavar="COLUMN[=QUESTION]",
    help="The right answer to a question: rows that have one are hidden tests; repeatable.",
)
@click.option("--priority-column", help="Numbers: items with a higher one are judged first.")
@click.option(
    "--tests",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A table of hidden tests, whose columns are named like the questions; repeatable.",
)
@click.option("--corpus", help="Take the texts of this corpus (its path may stand as FILE).")
@click.option("--sample", is_flag=True, help="With --corpus: the few lines that come with Tactful.")
@click.option(
    "--format",
    "file_format",
    help="Annotations of another tool, or an export of ours: brat, doccano, label-studio …",
)
@click.option("--limit", type=click.IntRange(min=1), help="Only so many texts.")
@click.option(
    "--uncertain-first",
    metavar="DETECTOR",
    help="Judge first what this detector is least sure of, such as 'default' or 'fast'.",
)
@click.option("--only", multiple=True, metavar="ID", help="With it: look at this finding only.")
def import_cli(
    folder: Path,
    files: tuple[Path, ...],
    text_column: str,
    id_column: str | None,
    context_column: tuple[str, ...],
    meta_column: tuple[str, ...],
    gold_column: tuple[str, ...],
    priority_column: str | None,
    tests: tuple[Path, ...],
    corpus: str | None,
    sample: bool,
    file_format: str | None,
    limit: int | None,
    uncertain_first: str | None,
    only: tuple[str, ...],
) -> None:
    """Add texts, hidden tests or judgements to the project in FOLDER: all of them, or none.

    FILE is a table (.csv, .tsv, .jsonl, .parquet). A cell with the right answer of a test is the
    value of an option; of several choices, texts or spans it is a list as JSON.

    \b
    tactful annotate import my-project comments.csv --text-column comment
    tactful annotate import my-project --tests tests.csv
    tactful annotate import my-project --corpus dpm data/dpm --limit 500
    tactful annotate import my-project brat-folder --format brat
    """
    from tactful.annotation.project import Project

    columns = Columns(
        text_column, id_column, context_column, meta_column, gold_column, priority_column
    )
    _check_sources(files, tests, corpus, sample, file_format)
    losses: Sequence[Loss] = ()
    with Project.open(folder) as project:
        protocol = project.protocol
        if corpus is not None:
            new = _of_corpus(corpus, files, sample)
        elif file_format is not None:
            new, losses = _of_format(files, file_format, protocol)
        else:
            new = [item for file in files for item in items_of_table(file, columns, protocol)]
        new = new[:limit]
        if uncertain_first is not None:
            new = _ordered(new, uncertain_first, only, protocol.lang)
        for file in tests:
            new += tests_of_table(file, columns, protocol)
        project.add_items(new)
    hidden = sum(item.gold is not None for item in new)
    answers = sum(len(item.answers) for item in new)
    said = f"{len(new) - hidden:,} items and {hidden:,} hidden tests came in"
    echo_sentence(said + (f", with {answers:,} judgements." if answers else "."))
    if file_format is not None:
        from tactful.cli.annotate_export import echo_losses

        echo_losses(tuple(losses))


def items_of_table(
    path: Path, columns: Columns, protocol: "Protocol", *, all_tests: bool = False
) -> "list[NewItem]":
    """Return the rows of a table as items; what is wrong in a cell says its line."""
    from tactful.annotation.exchange import NewItem
    from tactful.cli.answers import Table, as_ids
    from tactful.cli.tables import require_columns

    table = Table(path)
    context, gold = _named(columns.context), _named(columns.gold)
    plain = [columns.text, *context, *gold, *columns.meta]
    plain += [name for name in (columns.id, columns.priority) if name is not None]
    require_columns(table.frame, plain, path)
    id_column = columns.id or ("id" if "id" in table.frame.columns else None)
    used = {columns.text, id_column, columns.priority, *context, *gold}
    meta = columns.meta or tuple(name for name in table.frame.columns if name not in used)
    ids = as_ids(table.frame[id_column]).to_list() if id_column else None
    items = []
    for at, row in enumerate(table.frame.iter_rows(named=True)):
        line = table.line(at)
        place = f"{path}, row {at + 1}" if line is None else f"{path}, line {line}"
        answers = _gold(row, gold, protocol, place)
        if all_tests and answers is None:
            raise InputError(f"{place}: found no right answer; expected one for a hidden test.")
        items.append(
            NewItem(
                id=(ids[at] or "") if ids is not None else f"{path.stem}-{at + 1}",
                text=_text(row[columns.text]),
                context={shown: _text(row[name]) for name, shown in context.items() if row[name]},
                meta={name: _text(row[name]) for name in meta if row[name] is not None},
                gold=answers,
                priority=_priority(row, columns.priority, place),
                place=place,
            )
        )
    return items


def tests_of_table(path: Path, columns: Columns, protocol: "Protocol") -> "list[NewItem]":
    """Return the rows of a table of hidden tests; columns are named like the questions."""
    from tactful.cli.tables import read_table

    given = columns.gold
    if not given:
        known = [question.id for step in protocol.steps for question in step.questions]
        here = read_table(path).columns
        given = tuple(dict.fromkeys(name for name in known if name in here))
        if not given:
            raise InputError(
                f"{path}: found the columns {', '.join(here)}; expected some that are named like "
                f"the questions of the protocol: {', '.join(dict.fromkeys(known))}."
            )
    changed = Columns(columns.text, columns.id, columns.context, columns.meta, given, None)
    return items_of_table(path, changed, protocol, all_tests=True)


def _check_sources(
    files: Sequence[Path],
    tests: Sequence[Path],
    corpus: str | None,
    sample: bool,
    file_format: str | None,
) -> None:
    if corpus is not None and file_format is not None:
        raise UsageError("Name a corpus or a format, not both.")
    if corpus is None and sample:
        raise UsageError("The option --sample is for a corpus; name one with --corpus.")
    if corpus is None and not files and not tests:
        raise UsageError("There is nothing to import; name a file, --tests or --corpus.")
    if corpus is not None and len(files) > 1:
        raise UsageError(f"Found {len(files)} paths for one corpus; expected one folder or file.")


def _of_corpus(name: str, files: Sequence[Path], sample: bool) -> "list[NewItem]":
    from tactful.annotation.intake import items_of_corpus
    from tactful.cli.problems import say_briefly
    from tactful.cli.progress import reading
    from tactful.corpora import load_corpus

    corpus = load_corpus(name, files[0] if files else None, sample=sample)
    with reading(corpus):
        items = items_of_corpus(corpus.examples(), corpus.title)
    say_briefly(corpus.log, f"tactful corpus validate {name}")
    return items


def _of_format(
    files: Sequence[Path], name: str, protocol: "Protocol"
) -> "tuple[list[NewItem], list[Loss]]":
    from tactful.annotation.formats.annotated import new_items
    from tactful.annotation.formats.load import read_annotations

    items: list[NewItem] = []
    losses: list[Loss] = []
    for file in files:
        found = read_annotations(file, name, protocol)
        items += new_items(found.items)
        losses += found.losses
    return items, losses


def _ordered(
    items: "list[NewItem]", detector: str, only: Sequence[str], lang: str
) -> "list[NewItem]":
    from tactful.annotation.intake import uncertain_first
    from tactful.detectors.load import load_detector

    return uncertain_first(items, load_detector(detector, lang=lang), only)


def _named(given: Sequence[str]) -> dict[str, str]:
    """Read ``COLUMN=NAME``; without a name it is that of the column."""
    pairs = (each.partition("=") for each in given)
    return {column: name or column for column, _, name in pairs}


def _gold(
    row: dict[str, Any], columns: dict[str, str], protocol: "Protocol", place: str
) -> dict[str, Any] | None:
    kinds = {each.id: each for step in protocol.steps for each in step.questions}
    answers = {}
    for column, name in columns.items():
        if name not in kinds:
            raise unknown_name("question", name, list(kinds))
        cell = row[column]
        if cell is None:
            continue
        try:
            answers[name] = cell_answer(kinds[name], cell)
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
    return answers or None


def is_from_json(question: "Question") -> bool:
    """Say whether an answer does not fit into a plain cell."""
    return question.kind in _FROM_JSON or question.per is not None


def cell_answer(question: "Question", cell: Any) -> Any:
    """Read the answer to a question from a cell: the value of an option, a text, or JSON."""
    if not isinstance(cell, str):
        return cell if isinstance(cell, list | dict) else _text(cell)
    if not is_from_json(question) and not cell.lstrip().startswith("{"):
        return cell
    try:
        return json.loads(cell)
    except ValueError:
        raise InputError(
            f'Found {cell[:40]!r} for \'{question.id}\'; expected JSON, such as ["a", "b"].'
        ) from None


def _priority(row: dict[str, Any], column: str | None, place: str) -> float:
    from tactful.cli.answers import as_number, show_cell

    if column is None or row[column] is None:
        return 0.0
    number = as_number(row[column])
    if number is None:
        raise InputError(
            f"{place}: found {show_cell(row[column])} in the column '{column}'; expected a number."
        )
    return number


def _text(cell: Any) -> str:
    """Write a cell as text: 7.0 as 7, lists as JSON."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, list | dict):
        return json.dumps(cell, ensure_ascii=False, default=str)
    return str(cell)
