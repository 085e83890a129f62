"""What ``tactful agreement`` answers: its records, and how they are printed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.output import echo, echo_json, echo_sentence, table
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.agreement import Agreement, Curve, PairAgreement
    from tactful.agreement.report import Block, Request

JSON_VERSION = 1
_MOST_PAIRS = 20


def echo_as_json(
    file: Path, blocks: "Sequence[Block]", request: "Request", left_out: dict[str, int]
) -> None:
    """Print all blocks as one JSON object."""
    from tactful.agreement import CAVEAT

    echo_json(
        {
            "schema_version": JSON_VERSION,
            "file": str(file),
            "level": request.level,
            "left_out": left_out,
            "questions": [block.as_dict(request) for block in blocks],
            "caveat": CAVEAT,
        }
    )


def echo_as_text(blocks: "Sequence[Block]", request: "Request") -> None:
    """Print a heading and tables for each block."""
    from tactful.agreement import CAVEAT

    for number, block in enumerate(blocks):
        if number:
            click.echo()
        if block.problem is not None:
            echo_sentence(f"{block.name}: not measured. {block.problem}")
            continue
        echo_sentence(
            f"{block.name}: {counted(block.judgements, 'judgement')} of "
            f"{counted(block.items, 'item')} by "
            f"{counted(block.annotators, 'annotator')}" + _aside(block)
        )
        echo(answer_table(block.measures, request))
        echo_notes(block.measures)
        if request.leave_out:
            names = ", ".join(request.leave_out)
            click.echo(
                f"\nWithout the {counted(block.left_out, 'item')} that an annotator called {names}:"
            )
            echo(answer_table(block.without, request))
        if request.per_label and block.per_label:
            click.echo("\nEach label against all others:")
            echo(answer_table(block.per_label, request))
        if request.pairs:
            _echo_pairs(block.pairs)
        for curve in block.curves:
            _echo_curve(curve, request)
    click.echo()
    echo_sentence(CAVEAT)


def _aside(block: "Block") -> str:
    parts = []
    single = block.measures[0].single_items if block.measures else 0
    if single:
        says = "says" if single == 1 else "say"
        parts.append(f"{counted(single, 'item')} with one judgement {says} nothing about agreement")
    if block.missing:
        verb = "is not a judgement" if block.missing == 1 else "are not judgements"
        parts.append(f"{counted(block.missing, 'row')} without a label {verb}")
    return f" ({'; '.join(parts)})" if parts else ""


def answer_table(
    answers: "Sequence[Agreement]", request: "Request", spans: Mapping[str, int] | None = None
) -> Any:
    """Return answers as a table; ``spans`` counts the spans of each label, where there are any."""
    from tactful.agreement import landis_koch

    columns, rows = ["measure", "value"], []
    labelled = any(answer.label is not None for answer in answers)
    if labelled:
        columns = ["label", *columns] if spans is None else ["id", "spans", *columns]
    if request.bootstrap:
        columns.append(f"{request.confidence:.0%} interval")
    columns += ["items", *([] if spans is None else ["annotators"]), "reading"]
    for answer in answers:
        row: list[Any] = [answer.label] if labelled else []
        if labelled and spans is not None:
            row.append(spans[answer.label or ""])
        row += [answer.name, _number(answer.value)]
        if request.bootstrap:
            row.append(" to ".join(map(_number, answer.interval)) if answer.interval else "")
        row += [answer.items, *([] if spans is None else [answer.annotators])]
        undefined = None if answer.reason is None else f"undefined: {answer.reason}"
        rows.append([*row, undefined or landis_koch(answer)])
    return table(columns, rows, whole=columns[:-1])


def echo_notes(answers: "Sequence[Agreement]") -> None:
    """Print the notes of each answer."""
    for answer in answers:
        if answer.notes:
            echo_sentence(f"{answer.name}: {'; '.join(answer.notes)}.", "  ", "    ")


def _echo_pairs(pairs: "Sequence[PairAgreement]") -> None:
    if not pairs:
        click.echo("\nNo two annotators share an item.")
        return
    click.echo("\nCohen's κ of every two annotators, those who share most items first:")
    most = sorted(pairs, key=lambda pair: -pair.items)[:_MOST_PAIRS]
    columns = ["first", "second", "items", "value", ""]
    rows = [[p.first, p.second, p.items, _number(p.value), p.reason] for p in most]
    echo(table(columns, rows, whole=columns[:-1]))
    if len(pairs) > len(most):
        click.echo(f"… and {len(pairs) - len(most):,} more; --format json has them all")


def _echo_curve(curve: "Curve", request: "Request") -> None:
    if not curve.answers:
        return
    click.echo(f"\n{curve.answers[0].name} by trust:")
    columns = ["trust at least", "value", "items", "annotators", "judgements", ""]
    rows = [
        [f"{step:g}", _number(a.value), a.items, a.annotators, a.judgements, a.reason]
        for step, a in zip(curve.thresholds, curve.answers, strict=True)
    ]
    echo(table(columns, rows, whole=columns[:-1]))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:z.3f}"
