"""``tactful agreement --spans``: how far annotators mark the same parts of the same texts."""

from pathlib import Path
from typing import Any

import click

from tactful.agreement.report import Request, answer_as_dict
from tactful.agreement.span_report import PAIR_MEAN, SpanAnswers, measure_spans
from tactful.cli.agreement.report import answer_table, echo_notes
from tactful.cli.agreement.span_files import SpanColumns, read_span_files
from tactful.cli.options import PATH, flag, given_options, option, together
from tactful.cli.output import echo, echo_json, echo_sentence
from tactful.errors import UsageError
from tactful.words import counted

JSON_VERSION = 1
UNITS = ("character", "token")
_OWN = ("spans", "texts", "unit", "start_column", "end_column", "id_column")
_SHARED = (
    "file", "item", "annotator", "measures", "per_label", "bootstrap", "seed", "confidence",
    "output_format",
)  # fmt: skip

span_options = together(
    flag("--spans", "FILE has a row per marked span."),
    option(
        "--texts TEXTS", "With --spans: a table of the texts; columns item (or id) and text.", PATH
    ),
    option("--unit", "With --spans: the unit that is marked or not.", UNITS, UNITS[0]),
    option(
        "--start start_column COLUMN",
        "With --spans: the column with the first character of a span, counted from 0.",
        default="start",
    ),
    option(
        "--end end_column COLUMN",
        "With --spans: the column with the offset after its last character.",
        default="end",
    ),
    option(
        "--id id_column COLUMN",
        "With --spans: the column with what it was marked as.",
        default="id",
    ),
)


def check_span_options(context: click.Context, spans: bool) -> None:
    """Refuse options that say nothing about spans, or nothing without them."""
    given = given_options(context)
    if not spans:
        if own := [given[name] for name in _OWN if name in given]:
            raise UsageError(f"Found {', '.join(own)} without --spans; expected them together.")
        return
    if others := [word for name, word in given.items() if name not in (*_OWN, *_SHARED)]:
        raise UsageError(
            f"Found {', '.join(others)} with --spans; expected only what spans have: see 'tactful "
            "agreement --help'."
        )
    if "texts" not in given:
        raise UsageError(
            "Found --spans without --texts; expected a table with the columns item and text, "
            "because unmarked text counts as well."
        )


def agreement_spans(
    file: Path, texts: Path, columns: SpanColumns, unit: Any, request: Request, as_json: bool
) -> None:
    """Read, measure and print."""
    answers = measure_spans(read_span_files(file, texts, columns), unit, request)
    if as_json:
        _echo_as_json(file, texts, unit, answers, request)
    else:
        _echo_as_text(texts, answers, request)


def _echo_as_json(
    file: Path, texts: Path, unit: str, answers: SpanAnswers, request: Request
) -> None:
    from tactful.agreement import CAVEAT

    read = answers.read
    data: dict[str, Any] = {
        "schema_version": JSON_VERSION,
        "file": str(file),
        "texts": str(texts),
        "unit": unit,
        "spans": read.spans.height,
        "ids": read.ids,
        "items": len(read.texts),
        "annotators": read.readings["annotator"].n_unique(),
        "pairs": answers.pairs,
        "readings": read.readings.height,
        "readings_without_spans": read.unmarked,
        "texts_without_rows": read.unread,
        "measures": list(map(answer_as_dict, answers.measures)),
    }
    if request.per_label:
        data["per_label"] = list(map(answer_as_dict, answers.per_label))
    echo_json({**data, "caveat": CAVEAT})


def _echo_as_text(texts: Path, answers: SpanAnswers, request: Request) -> None:
    from tactful.agreement import CAVEAT

    read = answers.read
    echo_sentence(
        f"all spans: {counted(read.spans.height, 'span')} in {counted(len(read.texts), 'text')} by "
        f"{counted(read.readings['annotator'].n_unique(), 'annotator')}" + _aside(texts, answers)
    )
    # With one pair of annotators the mean over pairs is the pooled F1, and is not said twice.
    shown, per_label = (
        [a for a in several if answers.pairs > 1 or not a.measure.endswith(PAIR_MEAN)]
        for several in (answers.measures, answers.per_label)
    )
    echo(answer_table(shown, request, read.ids))
    echo_notes(shown)
    if not read.unmarked:
        echo_sentence(
            "Every reader of every text marked something. If some marked nothing, give each of "
            "them a row without start, end and id: who has no row counts as not having read.",
            "  ",
            "    ",
        )
    if per_label:
        click.echo("\nThe spans of each id by themselves:")
        echo(answer_table(per_label, request, read.ids))
    click.echo()
    echo_sentence(CAVEAT)


def _aside(texts: Path, answers: SpanAnswers) -> str:
    parts = []
    if single := answers.measures[0].single_items:
        say = "says" if single == 1 else "say"
        parts.append(f"{counted(single, 'text')} with one reader {say} nothing about agreement")
    if unread := answers.read.unread:
        have = "has" if unread == 1 else "have"
        parts.append(f"{counted(unread, 'text')} of {texts.name} {have} no row")
    return f" ({'; '.join(parts)})" if parts else ""
