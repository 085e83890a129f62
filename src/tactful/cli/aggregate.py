"""``tactful aggregate``: turn judgements into labels, each with its reason."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.aggregation import METHODS, aggregate, method_options
from tactful.cli.judgements import Columns, all_judgements_option, column_options, read_judgements
from tactful.cli.options import NOT_NEGATIVE, PATH, complete, flag, force_option, option, several
from tactful.cli.output import echo_sentence
from tactful.errors import InputError, UsageError
from tactful.files import atomic_path
from tactful.tables import read_table, require_columns, split_questions
from tactful.words import counted

if TYPE_CHECKING:
    import polars as pl

    from tactful.aggregation import Aggregated

WRITERS = {".csv": "write_csv", ".jsonl": "write_ndjson", ".parquet": "write_parquet"}
"""How polars writes a table, by the ending of the file."""
TIES = ("error", "first", "lowest", "highest", "random", "none")
_OWN_OPTIONS = ("ties", "seed", "gold", "trust")


@click.command("aggregate")
@click.argument("file", type=PATH)
@option(
    "--method NAME",
    f"Aggregation method: {', '.join(METHODS)}.",
    default="majority",
    shell_complete=complete(METHODS),
)
@option(
    "--output -o",
    "The file to write; its ending, .csv, .jsonl or .parquet, chooses the format.",
    PATH,
    required=True,
)
@column_options
@option(
    "--trust COLUMN",
    "The column with each annotator's trust, from 0 to 1, for trust_weighted.  [default: trust]",
)
@option("--ties", "What to do with ties.  [default: none; highest for mean_threshold]", TIES)
@option("--gold FILE", "A table of items with known labels, which the models keep fixed.", PATH)
@flag("--soft", "Also write the probability of each label.")
@option("--skill FILE", "Also write a report on each annotator to this file.", PATH)
@flag("--why", "Write the reason for every label, not only for missing ones.")
@option("--seed", "Random seed.  [default: 0]", NOT_NEGATIVE)
@several(
    "--set settings NAME=VALUE",
    "An option of the method, such as referee=ann3 or iterations=50; repeatable.",
)
@all_judgements_option
@force_option
def aggregate_cli(
    file: Path,
    method: str,
    output: Path,
    columns: Columns,
    trust: str | None,
    ties: str | None,
    gold: Path | None,
    soft: bool,
    skill: Path | None,
    why: bool,
    seed: int | None,
    settings: tuple[str, ...],
    all_judgements: bool,
    force: bool,
) -> None:
    """Turn the judgements of several annotators into one label per item.

    FILE is a table with a row per judgement: item, annotator, label. If it has a column
    'question', as 'tactful corpus convert --table judgements' writes it, each question is
    aggregated separately. It may be judgements.parquet, annotations.jsonl or judgements.csv of
    'tactful annotate export'.

    \b
    tactful aggregate judgements.parquet --method trust_weighted --why -o labels.csv
    """
    import polars as pl

    METHODS.get(method)
    for path in (output, *([skill] if skill else [])):
        check_ending(path)
    if skill is not None and skill.resolve() == output.resolve():
        raise UsageError("--output and --skill name the same file; name two.")
    options = read_options(method, ties, seed, settings)
    found = read_judgements(file, columns, everything=all_judgements)
    known = read_gold(gold, columns) if gold else {}
    columns = replace(columns, label=found.label)
    if known and "gold" not in method_options(method) and skill is None:
        raise UsageError(
            f"The method '{method}' uses no gold; use dawid_skene, one_coin, mace or glad, or ask "
            "with --skill for a report that compares annotators with it."
        )
    labels: list[pl.DataFrame] = []
    skills: list[pl.DataFrame] = []
    for name, part in found.parts.items():
        rows = judgement_rows(part, file, columns, trust, method)
        result, report = aggregate_question(
            rows, name, method, options, _gold_of(known, name), soft, skill is not None, seed or 0
        )
        labels.append(_with_question(result.table(soft, why), name))
        skills += [] if report is None else [_with_question(report, name)]
        for note in result.notes:
            echo_sentence(note if name is None else f"{name}: {note}", err=True)
    table = _joined(labels)
    # Both files are made ready before one is put in its place: an existing skill file is refused
    # before the labels are written.
    with ExitStack() as writing:
        write_table(table, writing.enter_context(atomic_path(output, force)), output)
        if skill is not None:
            skill_part = writing.enter_context(atomic_path(skill, force))
            write_table(pl.concat(skills), skill_part, skill)
    found.say_left_out()
    _say(table, len(found.parts), method, output, skill)


def read_options(
    method: str, ties: str | None, seed: int | None, settings: Sequence[str]
) -> dict[str, Any]:
    """Collect the options of a method; one that it does not take is a usage error."""
    known = method_options(method)
    options: dict[str, Any] = {}
    if ties is not None:
        options["ties"] = ties
    if seed is not None and "seed" in known:
        options["seed"] = seed
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"Found --set {setting}; expected NAME=VALUE.")
        if name in _OWN_OPTIONS:
            raise UsageError(f"Found --set {setting}; it has an option of its own: --{name}.")
        options[name] = _value(name, value, known.get(name))
    for name in options:
        if name not in known:
            own = [option for option in known if option not in _OWN_OPTIONS]
            raise UsageError(
                f"The method '{method}' takes no '{name}'; it takes {', '.join(own) or 'none'}."
            )
    return options


def _value(name: str, text: str, default: Any) -> Any:
    """Read a value as the method's default is; words stay words."""
    if name == "positive":
        return tuple(text.split(","))
    if text.casefold() == "none":
        return None
    try:
        return type(default)(text) if isinstance(default, int | float) else text
    except ValueError:
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise UsageError(f"Found --set {name}={text}; expected {kind}.") from None


def read_gold(path: Path, columns: Columns) -> dict[str | None, dict[str, str]]:
    """Read the known labels, by question where the table has questions."""
    import polars as pl

    frame = read_table(path)
    require_columns(frame, [columns.item, columns.label], path)
    known: dict[str | None, dict[str, str]] = {}
    for name, part in split_questions(frame, path, columns.question_column).items():
        pairs = (
            part.select(
                pl.col(columns.item).cast(pl.String).alias("item"),
                pl.col(columns.label).cast(pl.String).alias("label"),
            )
            .drop_nulls()
            .unique(maintain_order=True)
        )
        twice = pairs.filter(pl.col("item").is_duplicated())
        if twice.height:
            raise InputError(
                f"{path}: found several labels for {twice['item'][0]!r}; expected one per item."
            )
        known[name] = dict(pairs.iter_rows())
    return known


def _gold_of(
    known: Mapping[str | None, Mapping[str, str]], question: str | None
) -> Mapping[str, str]:
    """Return the gold of a question; gold without questions is for tables without them."""
    if question is not None and None in known:
        raise UsageError(
            "The table has several questions and the gold has none; add the column 'question' to "
            "the gold, or choose one question and leave its column out."
        )
    return known.get(question, {})


def judgement_rows(
    frame: "pl.DataFrame", path: Path, columns: Columns, trust: str | None, method: str
) -> "pl.DataFrame":
    """Return the columns item, annotator, label and, if wanted, trust."""
    import polars as pl

    wanted = {"item": columns.item, "annotator": columns.annotator, "label": columns.label}
    if "trust" in method_options(method):
        wanted["trust"] = trust or "trust"
    elif trust is not None:
        raise UsageError(f"The method '{method}' uses no trust; use trust_weighted.")
    require_columns(frame, list(wanted.values()), path)
    return frame.select(pl.col(name).alias(role) for role, name in wanted.items())


def aggregate_question(
    rows: "pl.DataFrame",
    question: str | None,
    method: str,
    options: Mapping[str, Any],
    gold: Mapping[str, str],
    soft: bool,
    skill: bool,
    seed: int,
) -> "tuple[Aggregated, pl.DataFrame | None]":
    """Aggregate one question and report on its annotators; an error names the question."""
    from tactful.aggregation import skill_report, soft_labels

    anchored = {"gold": gold} if gold and "gold" in method_options(method) else {}
    try:
        result = aggregate(rows, method, **options, **anchored)
        if soft:
            soft_labels(result)
        report = skill_report(rows, result, gold=gold, seed=seed).table() if skill else None
    except InputError as error:
        if question is None:
            raise
        raise InputError(
            f"Question '{question}': {error} Choose other questions with --question."
        ) from error
    return result, report


def check_ending(path: Path) -> None:
    """Refuse an output whose ending is no known format."""
    if path.suffix.lower() not in WRITERS:
        raise UsageError(
            f"{path}: found the ending '{path.suffix}'; expected {', '.join(WRITERS)}."
        )


def write_table(table: "pl.DataFrame", file: Path, named: Path) -> None:
    """Write a table to ``file`` in the format that the ending of ``named`` asks for."""
    getattr(table, WRITERS[named.suffix.lower()])(file)


def _with_question(table: "pl.DataFrame", question: str | None) -> "pl.DataFrame":
    import polars as pl

    if question is None:
        return table
    first, *others = table.columns
    return table.select(pl.col(first), pl.lit(question).alias("question"), *map(pl.col, others))


def _joined(labels: "Sequence[pl.DataFrame]") -> "pl.DataFrame":
    """Put questions below each other; a label that a question does not have is null there."""
    import polars as pl

    table = pl.concat(labels, how="diagonal")
    return table.select(pl.exclude("why"), pl.col("why"))


def _say(
    table: "pl.DataFrame", questions: int, method: str, output: Path, skill: Path | None
) -> None:
    missing = table["label"].null_count()
    asked = f" to {questions} questions" if questions > 1 else ""
    click.echo(
        f"Wrote {counted(table.height - missing, 'label')} of "
        f"{counted(table['item'].n_unique(), 'item')}{asked} "
        f"by {method} to {output}"
    )
    if missing:
        noun = "1 label is" if missing == 1 else f"{missing:,} labels are"
        click.echo(f"{noun} missing: the column 'why' has the reasons", err=True)
    if skill is not None:
        click.echo(f"Wrote the annotators' skills to {skill}")
