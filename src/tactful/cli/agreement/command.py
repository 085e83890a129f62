"""``tactful agreement``: how far annotators agree, with intervals and reasons."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.agreement import LEVELS, MEASURES
from tactful.cli.agreement.report import echo_as_json, echo_as_text
from tactful.cli.agreement.span_files import SpanColumns
from tactful.cli.agreement.spans import agreement_spans, check_span_options, span_options
from tactful.cli.judgements import Columns, all_judgements_option, column_options, read_judgements
from tactful.cli.options import (
    NOT_NEGATIVE,
    PATH,
    POSITIVE,
    complete,
    flag,
    force_option,
    option,
    several,
)
from tactful.cli.output import format_option
from tactful.errors import InputError, UsageError
from tactful.registry import unknown_name

if TYPE_CHECKING:
    from tactful.agreement.report import Block, Request


def split_labels(text: str | None) -> tuple[str, ...]:
    """Return the labels in an option, which are separated by commas."""
    return tuple(part.strip() for part in text.split(",")) if text else ()


@click.command("agreement", context_settings={"show_default": True})
@click.argument("file", type=PATH)
@column_options
@several(
    "--measure measures NAME",
    f"Only this measure; repeatable: {', '.join(MEASURES)}.",
    shell_complete=complete(MEASURES),
)
@option(
    "--level",
    "Level of measurement of the labels; kappa has linear weights for ordinal and quadratic "
    "weights for interval labels.",
    LEVELS,
    "nominal",
)
@option(
    "--labels A,B,…",
    "All labels that can be given, in their order.",
    callback=lambda context, parameter, text: split_labels(text),
)
@flag("--per-label", "Also measure each label against all others.")
@several(
    "--leave-out LABEL",
    "Also measure without the items that any annotator gave this label; repeatable.",
)
@option("--trust COLUMN", "The column with each annotator's trust, from 0 to 1.", default="trust")
@option("--min-trust T", "Use only judgements with at least this trust.", float)
@flag("--trust-curve", "Also measure the agreement at rising thresholds of trust.")
@option(
    "--overlap N", "Items that two annotators must share to count in Cohen's kappa.", POSITIVE, 2
)
@flag("--pairs", "Also print Cohen's kappa of each pair of annotators.")
@option(
    "--repeated",
    "What to do if an annotator judged an item several times.",
    ["error", "first", "last", "drop"],
    "error",
)
@option(
    "--bootstrap N",
    "Make intervals from this many samples of the items.",
    NOT_NEGATIVE,
    0,
    show_default=False,
)
@option("--seed S", "Seed of the bootstrap.", NOT_NEGATIVE, 0)
@option("--confidence P", "Confidence level of the intervals.", default=0.95)
@option(
    "--plot FILE", "Also draw the coefficients, or the trust curves, to a .png or .svg file.", PATH
)
@all_judgements_option
@force_option
@span_options
@format_option
@click.pass_context
def agreement_cli(
    context: click.Context,
    /,
    file: Path,
    columns: Columns,
    trust: str,
    min_trust: float | None,
    repeated: Any,
    plot: Path | None,
    all_judgements: bool,
    force: bool,
    spans: bool,
    texts: Path | None,
    unit: str,
    start_column: str,
    end_column: str,
    id_column: str,
    output_format: str,
    **wanted: Any,
) -> None:
    """Measure how far annotators agree.

    FILE is a table (.csv, .tsv, .jsonl, .parquet) with a row per judgement, such as 'tactful
    corpus convert --table judgements' writes, or judgements.parquet, annotations.jsonl or
    judgements.csv of 'tactful annotate export'. Where it has a column with questions, each is
    measured by itself. With --spans it has a row per marked span, and --texts names the texts.
    """
    from tactful.agreement.curve import at_least
    from tactful.agreement.report import Block, Request, measure_block
    from tactful.agreement.weights import WEIGHTS_OF_LEVEL
    from tactful.ratings import read_ratings

    check_span_options(context, spans)
    request = Request(**{**wanted, "measures": _chosen(wanted["measures"], wanted["level"])})
    if not 0 < request.confidence < 1:
        raise UsageError(f"Found --confidence {request.confidence:g}; expected between 0 and 1.")
    if plot is not None:
        from tactful.figures import check_figure

        check_figure(plot)
    if request.pairs and request.level not in ("nominal", *WEIGHTS_OF_LEVEL):
        raise UsageError(
            f"Found --pairs with {request.level} labels, for which Cohen's kappa has no weights."
        )
    if spans and texts is not None:
        named = SpanColumns(columns.item, columns.annotator, start_column, end_column, id_column)
        agreement_spans(file, texts, named, unit, request, output_format == "json")
        return
    trusted = [trust] if request.trust_curve or min_trust is not None else []
    found = read_judgements(file, columns, *trusted, everything=all_judgements)
    blocks = []
    for name, rows in found.parts.items():
        try:
            ratings = read_ratings(
                rows,
                item=columns.item,
                annotator=columns.annotator,
                label=found.label,
                repeated=repeated,
                trust=trust if trusted else None,
            )
            if min_trust is not None:
                ratings = at_least(ratings, min_trust)
            blocks.append(measure_block(name, ratings, request))
        except InputError as error:
            blocks.append(Block(name, str(error)))
    _refuse_if_all_failed(file, blocks)
    known = list(dict.fromkeys(name for block in blocks for name in block.labels))
    for name in request.leave_out:
        if name not in known:
            raise unknown_name("label", name, known)
    if plot is not None:
        _draw(blocks, plot, force, request)
    if output_format == "json":
        echo_as_json(file, blocks, request, found.as_dict())
    else:
        found.say_left_out()
        echo_as_text(blocks, request)


def _chosen(measures: Sequence[str], level: str) -> tuple[str, ...]:
    """Return the measures that were named, or all that fit the level."""
    for name in measures:
        MEASURES.get(name)
    fitting = (name for name in MEASURES if level in MEASURES.get(name).levels or name == "percent")
    return tuple(measures) or tuple(fitting)


def _refuse_if_all_failed(file: Path, blocks: "Sequence[Block]") -> None:
    """Fail if no question could be measured; otherwise the report says which ones failed."""
    problems = [block for block in blocks if block.problem is not None]
    if len(problems) == len(blocks):
        first = problems[0]
        where = "" if first.question is None else f", question '{first.question}'"
        more = f" ({len(problems) - 1} more questions fail.)" if len(problems) > 1 else ""
        raise InputError(f"{file}{where}: {first.problem}{more}")


def _draw(blocks: "Sequence[Block]", path: Path, force: bool, request: "Request") -> None:
    from tactful.agreement.plots import draw_bars, draw_curves

    measured = [block for block in blocks if block.problem is None]
    if request.trust_curve:
        several = len(request.measures) > 1
        curves = {
            f"{block.name}, {curve.answers[0].name}" if several else block.name: curve
            for block in measured
            for curve in block.curves
            if curve.answers
        }
        if not curves:
            raise InputError(f"{path}: there is no trust to draw a curve for.")
        draw_curves(curves, path, force)
    else:
        draw_bars({block.name: block.measures for block in measured}, path, force)
    click.echo(f"Drawn: {path}", err=True)
