"""``tactful frame``: which group a text may be about, and what it may imply about it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.cli.delegating import DelegatingCommand
from tactful.cli.options import (
    PATH,
    SHARE,
    flag,
    force_option,
    option,
    require_texts,
    texts_argument,
)
from tactful.errors import UsageError
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.cli.frame.texts import Found

FORMATS = ("text", "json", "jsonl")
_ENDINGS = {".json": "json", ".jsonl": "jsonl", ".txt": "text"}


@click.command(
    "frame", cls=DelegatingCommand, delegates={"index": "tactful.cli.frame.index:index_cli"}
)
@texts_argument
@option("--text TEXT", "Read this text.")
@option(
    "--model NAME|FOLDER",
    "The framer: default, the folder of an index, or that of a model of your own.",
    default="default",
)
@option(
    "--endpoint URL",
    "Ask this chat endpoint instead, which must be compatible with OpenAI's, such as "
    "http://127.0.0.1:8080/v1; every text is sent to it.",
)
@option("--chat-model NAME", "The model to ask, if the endpoint has several.")
@option("--key-variable NAME", "The environment variable that holds the API key.")
@flag("--allow-plain-http", "Allow http to an endpoint on another machine.")
@flag("--lines", "Read each line of a file as a text.")
@option(
    "--text-column COLUMN",
    "The column with the texts of a table (csv, tsv, jsonl, parquet).",
    default="text",
)
@option("--id-column COLUMN", "The column with the ids of a table's rows.")
@option(
    "--least P", "Name a group only with at least this probability.", SHARE, 0.0, show_default=False
)
@flag("--no-statements", "Name groups, but hide implied statements.")
@flag("--all show_all", "Also show texts in which nothing was found.")
@option(
    "--format output_format",
    "Format of the report.  [default: by the ending of --output, else text]",
    FORMATS,
)
@option("--output -o", "The file to write the frames to.", PATH)
@force_option
@click.pass_context
def frame_cli(
    ctx: click.Context,
    paths: tuple[Path, ...],
    text: str | None,
    model: str,
    endpoint: str | None,
    chat_model: str | None,
    key_variable: str | None,
    allow_plain_http: bool,
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
    require_texts(ctx, paths, text)
    from tactful.cli.documents import deliver, over_files
    from tactful.cli.frame.report import render
    from tactful.cli.frame.texts import framed, in_batches, read_texts
    from tactful.frames.load import Shown, load_framer
    from tactful.settings import load_settings

    if endpoint is None:
        if chat_model or key_variable or allow_plain_http:
            raise UsageError(
                "Found an option of a chat endpoint without its address; give --endpoint URL, or "
                "leave the option out."
            )
        framer = load_framer(model, statements=not no_statements, least=least)
    else:
        from tactful.checking.chat import open_chat
        from tactful.checking.chat_frames import ChatFramer

        chat = open_chat(
            endpoint, model=chat_model, key_variable=key_variable, allow_plain_http=allow_plain_http
        )
        framer = Shown(ChatFramer(chat), statements=not no_statements, least=least)
    texts = read_texts(paths, text, lines=lines, text_column=text_column, id_column=id_column)
    by_ending = _ENDINGS.get(output.suffix.lower()) if output is not None else None
    chosen = output_format or by_ending or "text"
    found: list[Found] = []
    batches = in_batches(texts)
    with over_files(batches, load_settings(), "Reading", "batches") as (each, show, _):
        pieces = render(chosen, framed(framer, each, found), framer.card, show_all)
        deliver(pieces, chosen, output, force, show)
    if output is not None:
        groups = sum(bool(one.frame.target_groups) for one in found)
        texts_read = counted(len(found), "text")
        click.echo(f"Wrote {output}: {texts_read}, {groups:,} of them with a group.")
