"""What ``tactful score`` says when it is done: how many rows, what was found, and what was not."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from tactful.cli.output import echo, echo_sentence, table

if TYPE_CHECKING:
    from tactful.scale.report.words import Share
    from tactful.scale.summary import Group, Summary

JSON_VERSION = 1
CAVEAT = "Counts of what a model reads: some are false alarms, and some are missed."
_BLOCKS = "▁▂▃▄▅▆▇█"
_PLAIN_BLOCKS = ".:-=+*#@"
_MOST_REASONS = 10
_NO_THRESHOLD = "the model names no threshold for it"
_NO_VALUE = "no text has a probability of it"


def echo_summary(summary: "Summary", model: str, seconds: float | None = None) -> None:
    """Print the summary on standard error, as the rows themselves may go to standard output."""
    for sentence in _sentences(summary, model, seconds):
        echo_sentence(sentence, err=True)
    blocks = _blocks(sys.stderr.encoding)
    # The printing of tables knows standard output only.
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
    from tactful.scale.report.words import Share
    from tactful.words import counted, visible

    said = f"{counted(summary.rows, 'row')}, {summary.scored:,} scored with {visible(model)}"
    if seconds is not None and seconds > 0:
        said += f" in {_duration(seconds)} ({summary.rows / seconds:,.0f} rows per second)"
    sentences = [f"{said}."]
    if summary.fresh < summary.rows:
        saved = summary.rows - summary.fresh
        sentences.append(f"{counted(saved, 'row')} needed no reading: their texts were known.")
    if summary.skipped:
        were = "was" if summary.skipped == 1 else "were"
        sentences.append(
            f"{counted(summary.skipped, 'row')} could not be read and {were} left out."
        )
    if summary.found:
        share = _plain(Share(summary.rows_with_any, summary.scored))
        sentences.append(f"{counted(summary.rows_with_any, 'row')} with any finding ({share}).")
    return sentences


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def _reasons(errors: Mapping[str, int]) -> list[tuple[str, int]]:
    from tactful.words import visible

    ordered = sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    shown = [(visible(reason), count) for reason, count in ordered[:_MOST_REASONS]]
    rest = ordered[_MOST_REASONS:]
    if rest:
        shown.append((f"({len(rest):,} more reasons)", sum(count for _, count in rest)))
    return shown


def _rows(summary: "Summary", blocks: str) -> list[tuple[str, int | None, str, str]]:
    from tactful.scale.report.words import Share

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


def summary_as_data(summary: "Summary") -> dict[str, Any]:
    """Return the summary as plain data, for JSON; what is not known is None, with its reason."""
    return {
        "schema_version": JSON_VERSION,
        "rows": summary.rows,
        "scored": summary.scored,
        "read_by_the_model": summary.fresh,
        "left_out": summary.skipped,
        "errors": summary.errors,
        "rows_with_any_finding": summary.rows_with_any,
        "ids": {name: _id_as_data(summary, name) for name in summary.ids},
        "together": [
            {"ids": [one, other], "rows": count}
            for one, others in sorted(summary.together.items())
            for other, count in sorted(others.items())
        ],
        "by": {
            column: [_group_as_data(value, groups[value], summary) for value in groups]
            for column, groups in summary.by.items()
        },
        "extremes": {
            name: [
                {
                    "probability": each.probability,
                    "text": each.text,
                    "source": each.source,
                    "times": each.times,
                }
                for each in texts
            ]
            for name, texts in summary.extremes.items()
        },
        "caveat": CAVEAT,
    }


def _id_as_data(summary: "Summary", name: str) -> dict[str, Any]:
    from tactful.scale.report.words import Share

    found = summary.found.get(name)
    share = Share(found or 0, summary.values(name))
    known = found is not None and bool(share.of)
    interval = share.interval if known else None
    return {
        "found": found,
        "of": share.of,
        "share": share.value if known else None,
        "interval_95": None if interval is None else list(interval),
        "reason": None if known else _NO_THRESHOLD if found is None else _NO_VALUE,
        "histogram": summary.histogram[name],
    }


def _group_as_data(value: str, group: "Group", summary: "Summary") -> dict[str, Any]:
    return {
        "value": value,
        "rows": group.rows,
        "found": {
            name: {"rows": group.found.get(name, 0), "of": group.values(name)}
            for name in summary.found
        },
    }
