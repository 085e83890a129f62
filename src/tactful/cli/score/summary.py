"""What ``tactful score`` prints at the end: the rows, what was found, and what was written."""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import click

from tactful.cli.output import echo, echo_sentence, table
from tactful.cli.progress import spoken

if TYPE_CHECKING:
    from tactful.scale.job import Job
    from tactful.scale.options import ScoreOptions
    from tactful.scale.report.share import Share
    from tactful.scale.summary import Outcome, Summary

_BLOCKS = "▁▂▃▄▅▆▇█"
_PLAIN_BLOCKS = ".:-=+*#@"
_MOST_REASONS = 10


def echo_outcome(outcome: "Outcome", job: "Job", options: "ScoreOptions", seconds: float) -> None:
    """Print on standard error what was found and what was written."""
    from tactful.scale.summary import summary_as_data

    if options.quiet:
        return
    summary, written = outcome.summary, outcome.written
    if options.progress == "json":
        data = {
            "event": "summary",
            "written": list(written),
            "rejects": outcome.rejects,
            "renamed_columns": dict(outcome.renamed),
            **summary_as_data(summary),
        }
        click.echo(json.dumps(data), err=True)
        return
    if outcome.was_complete:
        click.echo(
            f"{options.output} is already complete; pass --restart to score it again.", err=True
        )
    echo_summary(summary, job.scorer.model, seconds)
    if outcome.rejects is not None:
        echo_sentence(f"The rows that could not be read are listed in {outcome.rejects}.", err=True)
    elif summary.skipped:
        echo_sentence("Pass --rejects FILE to list the rows that could not be read.", err=True)
    for name, given in outcome.renamed.items():
        echo_sentence(
            f"The input has a column '{name}' of its own, so the added one is '{given}'.", err=True
        )
    report = [str(options.report)] if options.report else []
    if written or report:
        click.echo(f"Wrote {', '.join([*written, *report])}.", err=True)


def echo_summary(summary: "Summary", model: str, seconds: float | None = None) -> None:
    """Print the summary on standard error, as the rows themselves may go to standard output."""
    from tactful.scale.summary import CAVEAT

    for sentence in _sentences(summary, model, seconds):
        echo_sentence(sentence, err=True)
    blocks = _blocks(sys.stderr.encoding)
    # Tables are always printed to standard output.
    with redirect_stdout(sys.stderr):
        if summary.errors:
            echo(table(("not scored because", "rows"), _reasons(summary.errors)))
        if summary.ids:
            columns = ("id", "found", "share", "probabilities 0 to 1")
            echo(table(columns, _rows(summary, blocks), whole=columns[2:]))
    if summary.ids:
        echo_sentence(
            "Each mark is one of 20 equal steps; higher ones hold more texts, by powers of ten. "
            f"{CAVEAT}",
            err=True,
        )


def _sentences(summary: "Summary", model: str, seconds: float | None) -> list[str]:
    from tactful.scale.report.share import Share
    from tactful.words import counted, visible

    said = f"{counted(summary.rows, 'row')}, {summary.scored:,} scored with {visible(model)}"
    if seconds is not None and seconds > 0:
        took = f"{seconds:.1f} s" if seconds < 60 else spoken(seconds)
        said += f" in {took} ({summary.rows / seconds:,.0f} rows per second)"
    sentences = [f"{said}."]
    if summary.fresh < summary.rows:
        saved = summary.rows - summary.fresh
        sentences.append(f"{counted(saved, 'row')} reused the scores of equal texts.")
    if summary.skipped:
        were = "was" if summary.skipped == 1 else "were"
        sentences.append(
            f"{counted(summary.skipped, 'row')} could not be read and {were} left out."
        )
    if summary.found:
        share = _plain(Share(summary.rows_with_any, summary.scored))
        sentences.append(f"{counted(summary.rows_with_any, 'row')} with any finding ({share}).")
    return sentences


def _reasons(errors: Mapping[str, int]) -> list[tuple[str, int]]:
    from tactful.words import visible

    ordered = sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    shown = [(visible(reason), count) for reason, count in ordered[:_MOST_REASONS]]
    rest = ordered[_MOST_REASONS:]
    if rest:
        shown.append((f"({len(rest):,} more reasons)", sum(count for _, count in rest)))
    return shown


def _rows(summary: "Summary", blocks: str) -> list[tuple[str, int | None, str, str]]:
    from tactful.scale.report.share import Share

    rows: list[tuple[str, int | None, str, str]] = []
    for name in summary.ids:
        drawn = f"|{histogram_line(summary.histogram[name], blocks)}|"
        found = summary.found.get(name)
        share = "no threshold" if found is None else _plain(Share(found, summary.values(name)))
        rows.append((name, found, share, drawn))
    return rows


def _plain(share: "Share") -> str:
    """Write a share for terminals that have no no-break space."""
    return str(share).replace("\N{NO-BREAK SPACE}", " ")


def histogram_line(counts: Sequence[int], blocks: str = _BLOCKS) -> str:
    """Draw counts in one line; a bin with anything in it is never empty.

    >>> histogram_line([1000, 30, 0, 1], ".:-=+*#@")
    '@= .'
    """
    from math import log

    most = log(max(*counts, 2))
    last = len(blocks) - 1
    return "".join(blocks[round(last * log(count) / most)] if count else " " for count in counts)


def _blocks(encoding: str | None) -> str:
    try:
        _BLOCKS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return _PLAIN_BLOCKS
    return _BLOCKS
