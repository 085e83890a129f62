"""``tactful corpus convert``: write a corpus in Tactful's one schema."""

from pathlib import Path
from typing import Any

import click

from tactful.cli.corpus.options import (
    source_options,
    strict_option,
    validate_command,
)
from tactful.cli.output import force_option
from tactful.cli.problems import say_briefly
from tactful.cli.progress import reading
from tactful.corpora import load_corpus
from tactful.words import counted


@click.command("convert")
@source_options
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The file to write; its ending, .jsonl or .parquet, chooses the format.",
)
@click.option(
    "--table",
    "which",
    type=click.Choice(["examples", "judgements", "spans"]),
    default="examples",
    show_default=True,
    help="A row per text with all that is known of it, or one per judgement or span.",
)
@strict_option
@force_option
def convert_cli(
    name: str,
    path: Path | None,
    sample: bool,
    encoding: str | None,
    output: Path,
    which: Any,
    strict: bool,
    force: bool,
) -> None:
    """Write a corpus in Tactful's one schema, without loss, to JSON Lines or Parquet."""
    from tactful.corpora.convert import convert, writer_for

    writer_for(output)
    corpus = load_corpus(name, path, sample=sample, encoding=encoding)
    with reading(corpus, passes=2):
        done = convert(corpus, output, which, strict, force)
    say_briefly(corpus.log, validate_command(name, path, sample, encoding))
    rows = counted(done.rows, which.removesuffix("s"), which)
    click.echo(f"Wrote {rows} of {counted(done.texts, 'text')} to {done.path}")
