"""``tactful annotate import``: add texts, hidden tests and judgements to a project."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tactful.annotation.formats.table import Columns, items_of_table, tests_of_table
from tactful.cli.annotate.writing import writing
from tactful.cli.options import PATH, POSITIVE, flag, option, several
from tactful.cli.output import echo_sentence
from tactful.errors import InputError, UsageError
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.annotation.formats.losses import Loss
    from tactful.annotation.project.exchange import NewItem
    from tactful.annotation.project.importing import Added
    from tactful.annotation.protocol.records import Protocol

_WITH_TEXT = "label-studio"
"""The format whose texts may have another name."""
_COLUMNS = (
    "text_column", "id_column", "context_column", "meta_column", "gold_column", "priority_column",
)  # fmt: skip


@click.command("import")
@click.argument("folder", type=PATH)
@click.argument("files", nargs=-1, type=PATH, metavar="[FILE]...")
@option(
    "--text-column",
    "Column with the texts, in a table or in the data of Label Studio's tasks.",
    default="text",
)
@option("--id-column", "Column with the ids.  [default: id, or the file name and row]")
@several("--context-column COLUMN[=NAME]", "Column to show beside the text, as NAME; repeatable.")
@several(
    "--meta-column", "Column to store without showing it; repeatable.  [default: all other columns]"
)
@several(
    "--gold-column COLUMN[=QUESTION]",
    "Column with the right answer to a question; rows that have one become hidden tests; "
    "repeatable.",
)
@option("--priority-column", "Column with numbers; items with higher numbers are judged first.")
@several(
    "--tests", "Table of hidden tests, with columns named after the questions; repeatable.", PATH
)
@option("--corpus", "Import the texts of this corpus; FILE can be its path.")
@flag("--sample", "With --corpus: use the sample that comes with Tactful.")
@flag(
    "--judgements",
    "With --corpus: also import the judgements of its annotators, if its files have them.",
)
@option(
    "--format file_format",
    "Format of existing annotations: brat, doccano, label-studio, or a Tactful export (csv, "
    "jsonl, parquet).",
)
@flag("--skip-existing", "Skip rows whose id the project already has, even if the text differs.")
@option("--limit", "Import at most this number of texts.", POSITIVE)
@option(
    "--uncertain-first DETECTOR",
    "Judge first the texts that this detector is least sure about, such as 'default'.",
)
@several("--only ID", "With --uncertain-first: use only this finding; repeatable.")
@click.pass_context
def import_cli(
    context: click.Context,
    /,
    folder: Path,
    files: tuple[Path, ...],
    tests: tuple[Path, ...],
    corpus: str | None,
    sample: bool,
    judgements: bool,
    file_format: str | None,
    skip_existing: bool,
    limit: int | None,
    uncertain_first: str | None,
    only: tuple[str, ...],
    **columns_given: Any,
) -> None:
    """Add texts, hidden tests or judgements to the project in FOLDER, all or none.

    FILE is a table (.csv, .tsv, .jsonl, .parquet). The right answer of a test is the value of an
    option; for several choices, texts or spans it is a JSON list. A text whose id the project
    already has stays as it is; judgements by people who have not judged it yet are added.

    \b
    tactful annotate import my-project comments.csv --text-column comment
    tactful annotate import my-project --tests tests.csv
    tactful annotate import my-project --corpus dpm data/dpm --limit 500
    tactful annotate import my-project --corpus sbic data/sbic --judgements
    tactful annotate import my-project brat-folder --format brat
    """
    from tactful.annotation.project.files import load_plan_protocol, read_plan
    from tactful.annotation.state.project_state import paused_collection

    columns = Columns(**{name.removesuffix("_column"): columns_given[name] for name in _COLUMNS})
    _check_sources(files, tests, corpus, sample or judgements, file_format)
    _check_columns(context, corpus, file_format, has_tables=bool(tests))
    losses: Sequence[Loss] = ()
    protocol = load_plan_protocol(folder, read_plan(folder))
    if corpus is not None:
        new, losses = _of_corpus(corpus, files, sample, protocol if judgements else None)
    elif file_format is not None:
        options = {"text": columns.text} if file_format == _WITH_TEXT else {}
        new, losses = _of_format(files, file_format, protocol, options)
    else:
        with paused_collection():
            new = [item for file in files for item in items_of_table(file, columns, protocol)]
    new = new[:limit]
    if uncertain_first is not None:
        new = _ordered(new, uncertain_first, only, protocol.lang)
    for file in tests:
        new += tests_of_table(file, columns, protocol)
    with writing(folder) as project, paused_collection():
        _say_added(project.import_items(new, skip_existing=skip_existing))
    if any(item.suggestions for item in new):
        _say_suggestions(folder, new)
    if file_format is not None or judgements:
        from tactful.cli.annotate.export import echo_losses

        echo_losses(tuple(losses))


def _say_added(added: "Added") -> None:
    """Print how many items are new and how many the project already had."""
    said = f"Added {counted(added.items, 'item')} and {counted(added.tests, 'hidden test')}"
    new = f", with {counted(added.judgements, 'judgement')}." if added.judgements else "."
    echo_sentence(said + new)
    if added.known or added.skipped:
        left = f" ({added.skipped:,} skipped)" if added.skipped else ""
        there = counted(added.known + added.skipped, "item")
        echo_sentence(f"Already in the project: {there}{left}.")
    if added.again:
        other = f"; {added.differing:,} of them differ in the file, and the project's own stay"
        echo_sentence(
            f"Not added: {counted(added.again, 'judgement')} by people who have already judged the "
            f"same text{other if added.differing else ''}."
        )


def _say_suggestions(folder: Path, new: "list[NewItem]") -> None:
    from tactful.annotation.learning.suggest import without_suggestion
    from tactful.annotation.project.project import Project
    from tactful.cli.annotate.learning import say_missing

    count = sum(len(item.suggestions) for item in new)
    echo_sentence(f"Kept {counted(count, 'prediction')} of the file as suggestions.")
    with Project.open(folder, read_only=True) as project:
        say_missing(without_suggestion(project))


def _check_sources(
    files: Sequence[Path],
    tests: Sequence[Path],
    corpus: str | None,
    sample: bool,
    file_format: str | None,
) -> None:
    if corpus is not None and file_format is not None:
        raise UsageError("Found --corpus and --format; use one of them.")
    if corpus is None and sample:
        raise UsageError("--sample and --judgements need a corpus; name one with --corpus.")
    if corpus is None and not files and not tests:
        raise UsageError("There is nothing to import; give a FILE, --tests or --corpus.")
    if corpus is not None and len(files) > 1:
        raise UsageError(f"Found {len(files)} paths for one corpus; expected one folder or file.")


def _check_columns(
    context: click.Context, corpus: str | None, file_format: str | None, *, has_tables: bool
) -> None:
    """Refuse column options where no table is read: they would have no effect."""
    if has_tables or (corpus is None and file_format is None):
        return
    source = "--corpus" if corpus is not None else f"--format {file_format}"
    for name in _COLUMNS:
        given = context.get_parameter_source(name) is not ParameterSource.DEFAULT
        if given and not (name == "text_column" and file_format == _WITH_TEXT):
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"Found {option} with {source}; it works with tables only; remove it.")


def _of_corpus(
    name: str, files: Sequence[Path], sample: bool, protocol: "Protocol | None"
) -> "tuple[list[NewItem], list[Loss]]":
    """Return the texts of a corpus; with a protocol, also the judgements of its annotators."""
    from tactful.annotation.answers.corpus import CorpusAnswers
    from tactful.annotation.formats.cells import was_neutralised
    from tactful.annotation.project.intake import items_of_corpus
    from tactful.cli.problems import say_briefly
    from tactful.cli.progress import reading
    from tactful.corpora import load_corpus

    corpus = load_corpus(name, files[0] if files else None, sample=sample)
    if was_neutralised(corpus.path):
        raise InputError(
            f"{corpus.path}: found an export for spreadsheets, whose cells were changed; expected "
            "unchanged texts; export without --spreadsheet."
        )
    answers = None if protocol is None else CorpusAnswers(protocol)
    with reading(corpus):
        items = items_of_corpus(corpus.examples(), corpus.title, answers)
    say_briefly(corpus.log, f"tactful corpus validate {name}")
    texts = [item for item in items if item.text.strip()]
    if len(texts) < len(items):
        echo_sentence(f"Skipped {len(items) - len(texts):,} without a text.", err=True)
        items = texts
    if answers is None or protocol is None:
        return items, []
    if not any(item.answers for item in items):
        raise InputError(
            f"{corpus.path}: found no judgement of single annotators that answers a question of "
            f"the protocol '{protocol.id}'; expected some; import without --judgements."
        )
    return items, answers.losses()


def _of_format(
    files: Sequence[Path], name: str, protocol: "Protocol", options: dict[str, str]
) -> "tuple[list[NewItem], list[Loss]]":
    from tactful.annotation.formats.annotated import new_items
    from tactful.annotation.formats.load import read_annotations

    items: list[NewItem] = []
    losses: list[Loss] = []
    for file in files:
        found = read_annotations(file, name, protocol, **options)
        items += new_items(found.items)
        losses += found.losses
    return items, losses


def _ordered(
    items: "list[NewItem]", detector: str, only: Sequence[str], lang: str
) -> "list[NewItem]":
    from tactful.annotation.project.intake import uncertain_first
    from tactful.detectors.load import load_detector

    return uncertain_first(items, load_detector(detector, lang=lang), only)
