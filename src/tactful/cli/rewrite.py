"""``tactful rewrite``: what to write instead, and rewrites by a chat endpoint of the user's own."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful import __version__
from tactful.checking.options import LEAST, CheckOptions
from tactful.checking.wording import REPORT_LANGUAGES
from tactful.cli.check import (
    config_option,
    detector_options,
    kind_option,
    no_config_option,
    project_of,
)
from tactful.cli.options import POSITIVE, SHARE, flag, option, require_texts, texts_argument
from tactful.cli.output import echo_json, echo_sentence, format_option
from tactful.documents.document import Kind
from tactful.errors import EXIT_FAILURE, InputError, UsageError
from tactful.words import counted, visible

if TYPE_CHECKING:
    from tactful.checking.chat import ChatEndpoint
    from tactful.checking.report import DocumentReport
    from tactful.checking.rewriting import Rewrite, Sentence
    from tactful.cli.documents import Files

SCHEMA = "tactful/rewrite/1"
_TIMEOUT = 60.0
_MOST = 20


@click.command("rewrite")
@texts_argument
@option("--text TEXT", "Use this text.")
@option(
    "--endpoint URL",
    "Send each sentence with a finding to this chat endpoint, which must be compatible with "
    "OpenAI's, such as http://127.0.0.1:8080/v1.  [default: 'endpoint' in [rewrite] of "
    "tactful.toml, else none]",
)
@option("--chat-model NAME", "The model to ask, if the endpoint has several.")
@option("--key-variable NAME", "The environment variable that holds the API key.")
@flag("--allow-plain-http", "Allow http to an endpoint on another machine.")
@flag("--offline", "Ask no endpoint, even if tactful.toml names one.")
@option("--most N", "Ask for at most this many rewrites.", POSITIVE, _MOST)
@option(
    "--timeout SECONDS", "How long to wait for one rewrite.", click.FloatRange(0.1, 3600), _TIMEOUT
)
@detector_options
@option("--least P", f"Use only findings with at least this confidence.  [default: {LEAST}]", SHARE)
@kind_option
@config_option
@no_config_option
@option(
    "--report-lang",
    "The language of the suggestions; auto is that of the text.",
    REPORT_LANGUAGES,
    REPORT_LANGUAGES[0],
)
@format_option
@click.pass_context
def rewrite_cli(
    ctx: click.Context,
    /,
    paths: tuple[Path, ...],
    text: str | None,
    endpoint: str | None,
    chat_model: str | None,
    key_variable: str | None,
    allow_plain_http: bool,
    offline: bool,
    most: int,
    timeout: float,
    kind: Kind | None,
    config: Path | None,
    no_config: bool,
    output_format: str,
    **given: Any,
) -> None:
    """Suggest what to write instead of each sentence in which something is found.

    Without an endpoint nothing leaves this machine. With one, each of these sentences is sent to
    it, and its rewrite is checked in the same way and shown with both scores. No file is changed.

    \b
    tactful rewrite letter.md
    tactful rewrite --text "With our help even they can learn to hope again."
    tactful rewrite letter.md --endpoint http://127.0.0.1:8080/v1
    """
    require_texts(ctx, paths, text)
    if endpoint is not None and offline:
        raise UsageError("Give --endpoint or --offline, not both.")
    project = project_of(config, no_config)
    options = project.options(**given, explanations=False, frames="off")
    named = project.rewrite
    url = None if offline else endpoint or named.endpoint
    chat = None
    if url is not None:
        from tactful.checking.chat import open_chat

        # A key belongs to one endpoint: that of the file is not sent to another address.
        key = key_variable or (named.key_variable if endpoint is None else None)
        chat = open_chat(
            url,
            model=chat_model or (named.chat_model if endpoint is None else None),
            key_variable=key,
            allow_plain_http=allow_plain_http,
            timeout=timeout,
        )
        whose = "" if endpoint is not None else f", which {project.path} names"
        echo_sentence(f"Sentences with findings are sent to {chat.place}{whose}.", err=True)
    elif chat_model or key_variable or allow_plain_http:
        raise UsageError("Give --endpoint URL: without one, no chat model is asked.")
    from tactful.cli.documents import Files

    files = Files(paths, text, kind, project.exclude, project)
    done = rewrite(files, options, chat, most, output_format)
    if done.failure is not None:
        echo_sentence(f"Error: {done.failure}", err=True)
    if done.failure is not None or done.unread:
        ctx.exit(EXIT_FAILURE)


@dataclass(slots=True)
class Done:
    """What a run did."""

    sentences: int = 0
    asked: int = 0
    better: int = 0
    unasked: int = 0
    unread: int = 0
    failure: str | None = None
    """Why the endpoint is asked no more."""

    def line(self, chat: "ChatEndpoint | None") -> str:
        """Say it in one line."""
        if not self.sentences:
            return "Nothing to suggest. Nothing was sent anywhere, and no file was changed."
        found = counted(self.sentences, "sentence") + " with suggestions"
        if chat is None:
            return f"{found}. Nothing was sent anywhere, and no file was changed."
        rewrites = f"{counted(self.asked, 'rewrite')} asked for, {self.better} better"
        left = f", {self.unasked} not asked for (see --most)" if self.unasked else ""
        return f"{found}: {rewrites}{left}. No file was changed."


def rewrite(
    files: "Files",
    options: CheckOptions,
    chat: "ChatEndpoint | None",
    most: int = _MOST,
    output_format: str = "text",
) -> Done:
    """Check files or a text, and print suggestions and rewrites; return what was done."""
    from tactful.checking.checker import Checker
    from tactful.checking.report import Unread
    from tactful.cli.documents import outcomes, sources

    checker = Checker(options)
    done = Done()
    documents: list[dict[str, Any]] = []
    errors: list[dict[str, str]] = []
    for outcome in outcomes(checker, sources(files), files.kind):
        if isinstance(outcome, Unread):
            done.unread += 1
            errors.append({"path": outcome.path, "message": outcome.message})
            continue
        pairs = _rewrites(outcome, options, chat, most, done)
        if output_format == "json":
            documents.append(_as_json(outcome, pairs))
        else:
            for sentence, found in pairs:
                _print(outcome, sentence, found)
    if output_format == "json":
        card = checker.detector.card
        echo_json(
            {
                "schema": SCHEMA,
                "tool": {"name": "tactful", "version": __version__},
                "model": {"name": card.name, "version": card.version, "lang": card.lang},
                "endpoint": None if chat is None else chat.place,
                "documents": documents,
                "errors": errors,
                "failure": done.failure,
            }
        )
    else:
        echo_sentence(done.line(chat))
    return done


def _rewrites(
    report: "DocumentReport",
    options: CheckOptions,
    chat: "ChatEndpoint | None",
    most: int,
    done: Done,
) -> "Iterator[tuple[Sentence, Rewrite | None]]":
    from tactful.checking.rewriting import (
        find_sentences,
        language_of,
        rewrite_sentence,
        sentence_check,
    )

    check = None
    for sentence in find_sentences(report, options.report_lang):
        done.sentences += 1
        found = None
        if chat is not None and done.failure is None and done.asked < most:
            check = check or sentence_check(options, language_of(report))
            try:
                found = rewrite_sentence(chat, sentence, check)
            except InputError as error:
                # The suggestions of the other sentences are worth printing all the same.
                done.failure = str(error)
            else:
                done.asked += 1
                done.better += found.better
        elif chat is not None and done.failure is None:
            done.unasked += 1
        yield sentence, found


def _as_json(
    report: "DocumentReport", pairs: "Iterator[tuple[Sentence, Rewrite | None]]"
) -> dict[str, Any]:
    from tactful.checking.rewriting import sentence_as_json

    sentences = [sentence_as_json(sentence, found) for sentence, found in pairs]
    return {"path": report.path, "kind": report.kind, "sentences": sentences}


def _print(report: "DocumentReport", sentence: "Sentence", found: "Rewrite | None") -> None:
    from tactful.checking.reports.run import what_is_found
    from tactful.checking.reports.text import where
    from tactful.checking.wording import wording

    words = wording(sentence.lang)
    found_there = "; ".join(
        f"{what_is_found(each, words)} ({words.how_sure(each.confidence)})"
        for each in sentence.findings
    )
    click.echo(f"{where(report, sentence.findings[0], words)}: {found_there}")
    if found is None or found.text is None:
        _line("  ", sentence.text)
    for each in sentence.suggestions:
        _line("  - ", each)
    if found is not None:
        _print_rewrite(sentence, found)
    click.echo()


def _print_rewrite(sentence: "Sentence", found: "Rewrite") -> None:
    if found.text is None:
        _line("  ", f"No rewrite: {found.problem}")
        return
    _line(f"  before ({found.before:.2f}): ", sentence.text)
    _line(f"  after  ({found.after:.2f}): ", found.text)
    from tactful.checking.explanation import name_in
    from tactful.checking.wording import wording

    words = wording()
    kinds = ", ".join(
        f"{words.short(name, name_in(name))} {value:.2f}" for name, value in found.found.items()
    )
    if not found.better:
        _line("  ", "The rewrite is no better" + (f": found {kinds}." if kinds else "."))
    elif kinds:
        _line("  ", f"The rewrite is better, but still has {kinds}.")
    if found.changes:
        _line("  ", f"The rewrite changes names or numbers: {'; '.join(found.changes)}.")


def _line(first: str, text: str) -> None:
    echo_sentence(visible(text), first, " " * len(first))
