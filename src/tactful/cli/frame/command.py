"""``tactful frame``: which group a text may be about, and what it may imply about it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.cli.delegating import DelegatingCommand
from tactful.cli.output import force_option
from tactful.errors import EXIT_USAGE, UsageError
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.cli.frame.texts import Found

FORMATS = ("text", "json", "jsonl")
_ENDINGS = {".json": "json", ".jsonl": "jsonl", ".txt": "text"}


@click.command(
    "frame", cls=DelegatingCommand, delegates={"index": "tactful.cli.frame.index:index_cli"}
)
@click.argument("paths", nargs=-1, metavar="[FILE|FOLDER|-]...", type=click.Path(path_type=Path))
@click.option("--text", metavar="TEXT", help="Read this text.")
@click.option(
    "--model",
    default="default",
    show_default=True,
    metavar="NAME|FOLDER",
    help="The framer: default, the folder of an index, or that of a model of your own.",
)
@click.option("--lines", is_flag=True, help="Read each line of a file as a text.")
@click.option(
    "--text-column",
    default="text",
    show_default=True,
    metavar="COLUMN",
    help="The column with the texts of a table (csv, tsv, jsonl, parquet).",
)
@click.option("--id-column", metavar="COLUMN", help="The column with the ids of a table's rows.")
@click.option(
    "--least",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="P",
    help="Name a group only with at least this probability.",
)
@click.option("--no-statements", is_flag=True, help="Name groups, but hide implied statements.")
@click.option("--all", "show_all", is_flag=True, help="Also show texts in which nothing was found.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    help="Format of the report.  [default: by the ending of --output, else text]",
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="The file to write the frames to."
)
@force_option
@click.pass_context
def frame_cli(
    ctx: click.Context,
    paths: tuple[Path, ...],
    text: str | None,
    model: str,
    lines: bool,
    text_column: str,
    id_column: str | None,
    least: float,
    no_statements: bool,
    show_all: bool,
    output_format: str | None,
    output: Path | None,
    force: bool,
) -> None:
    """Say which group a text may be about, and what it may imply about that group.

    Documents are read passage by passage, tables row by row; without files the text comes from
    standard input. JSON Lines hold every text, the other formats those that may offend.
    'tactful frame index DIR' builds a framer from your own copy of the corpus.

    \b
    tactful frame --text "We shouldn't lower our standards to hire more women."
    tactful frame posts.csv --text-column post -o frames.jsonl
    tactful frame index corpora -o my-index
    """
    if text is None and not paths and sys.stdin.isatty():
        click.echo(ctx.get_usage(), err=True)
        click.echo('For example: tactful frame letter.md, or tactful frame --text "…"', err=True)
        ctx.exit(EXIT_USAGE)
    if text is not None and paths:
        raise UsageError("Give files or --text, not both.")
    from tactful.cli.documents import over_files, show_on_stdout
    from tactful.cli.frame.report import render
    from tactful.cli.frame.texts import framed, in_batches, read_texts
    from tactful.files import atomic_path
    from tactful.frames.load import load_framer
    from tactful.settings import load_settings

    framer = load_framer(model, statements=not no_statements, least=least)
    texts = read_texts(paths, text, lines=lines, text_column=text_column, id_column=id_column)
    by_ending = _ENDINGS.get(output.suffix.lower()) if output is not None else None
    chosen = output_format or by_ending or "text"
    found: list[Found] = []
    batches = in_batches(texts)
    with over_files(batches, load_settings(), show_on_stdout, "Reading", "batches") as given:
        each, show, _ = given
        pieces = render(chosen, framed(framer, each, found), framer.card, show_all)
        if output is None:
            for piece in pieces:
                show(piece if chosen == "text" else piece.encode("utf-8"))
            return
        with atomic_path(output, force) as temporary, temporary.open("w", encoding="utf-8") as file:
            for piece in pieces:
                file.write(piece)
    groups = sum(bool(one.frame.target_groups) for one in found)
    click.echo(f"Wrote {output}: {counted(len(found), 'text')}, {groups:,} of them with a group.")
