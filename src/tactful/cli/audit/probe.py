"""``tactful audit probe``: show, check and create probes, the prompts of an audit as data."""

import csv
import io
import json
import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, get_args

import click

from tactful.audit.attitudes import read_attitudes
from tactful.audit.probes.load import EXAMPLES, PROBES, example_files, load_probe
from tactful.audit.probes.render import Selection, fallbacks, prompts_of
from tactful.audit.probes.schema import Probe
from tactful.audit.protocol import Kind
from tactful.cli.audit.selection import selection_options
from tactful.cli.options import PATH, complete, force_option, option
from tactful.cli.output import echo_rows, echo_sentence, format_option, loadable
from tactful.errors import UsageError
from tactful.files import atomic_path
from tactful.taxonomies.prompts import Prompt
from tactful.words import counted

_ENDINGS = (".yaml", ".yml")
_COLUMNS = [field.name for field in fields(Prompt)]


@click.group("probe")
def probe_cli() -> None:
    """Show, check and create probes: what an audit asks, as data."""


@probe_cli.command("list")
@format_option
def list_cli(output_format: str) -> None:
    """List the built-in probes and those of plug-ins."""
    columns = ("id", "name", "language", "conditions", "questions", "wordings", "version")
    echo_rows(output_format, list_probes(), *columns)


@probe_cli.command("new")
@click.argument("file", type=PATH)
@option("--lang", "The language of the example.", list(EXAMPLES), "en")
@force_option
def new_cli(file: Path, lang: str, force: bool) -> None:
    """Write a probe to start from, and its rated words beside it.

    \b
    tactful audit probe new my_probe.yaml --lang es
    """
    words = new_probe(file, lang, force)
    click.echo(f"Wrote {file} and {words}.")
    click.echo(f"Change them, then: tactful audit probe check {file}")


@probe_cli.command("check")
@click.argument("file", type=PATH)
def check_cli(file: Path) -> None:
    """Check a probe file and its ratings; report what is wrong, with the line."""
    for sentence in check_probe(file):
        echo_sentence(sentence)


@probe_cli.command("show")
@click.argument("name", metavar="NAME|FILE", shell_complete=complete(PROBES))
@option("--kind", "The kind of model to show prompts for.", get_args(Kind), "fill-mask")
@selection_options
@option(
    "--format output_format",
    "Print a prompt per line (text), or all fields of each prompt.",
    ["text", "csv", "jsonl"],
    "text",
)
@option("--output -o", "Write to this file instead of printing.", PATH)
@force_option
def show_cli(
    name: str,
    kind: Kind,
    selection: Selection,
    output_format: str,
    output: Path | None,
    force: bool,
) -> None:
    """Print the prompts of a probe.

    \b
    tactful audit probe show social_distance --condition stigma.hiv
    tactful audit probe show my_probe.yaml --kind sentiment --format csv -o prompts.csv
    """
    probe = load_probe(name)
    prompts = prompts_of(probe, kind, selection)
    text = written(prompts, output_format)
    if output is None:
        click.echo(text, nl=False)
    else:
        with atomic_path(output, force) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="")
        click.echo(f"Wrote {len(prompts):,} {kind} prompts of {probe.label} to {output}.")
    alone = fallbacks(probe, selection) if selection.phrasing == "identity-first" else ()
    if alone:
        echo_sentence(f"Asked person-first, whole or partly: {', '.join(alone)}.", err=True)


def list_probes() -> list[dict[str, Any]]:
    """Return one row per probe that has a name; warn about plug-ins that cannot be loaded."""
    return [
        {
            "id": probe.id,
            "name": probe.name,
            "language": probe.language,
            "conditions": len(probe.conditions),
            "stigmatized": sum(condition.stigmatized for condition in probe.conditions),
            "questions": len(probe.questions),
            "wordings": list(probe.wordings),
            "version": probe.version,
            "digest": probe.digest,
        }
        for _, probe in loadable(PROBES, load_probe)
    ]


def new_probe(file: Path, lang: str, force: bool = False) -> Path:
    """Copy the example of a language under a new name; return where its rated words are."""
    if file.suffix.lower() not in _ENDINGS:
        raise UsageError(
            f"{file}: found the ending '{file.suffix}'; expected {' or '.join(_ENDINGS)}."
        )
    example, example_words = example_files(lang)
    words = file.with_name(f"{file.stem}_words.csv")
    text = example.read_text(encoding="utf-8")
    text = text.replace(f"id: {example.stem}", f"id: {_as_id(file.stem)}", 1)
    # A name can hold what YAML would read as something else; JSON's quotes are YAML's, too.
    quoted = json.dumps(words.name, ensure_ascii=False)
    text = text.replace(f"ratings: {example_words.name}", f"ratings: {quoted}", 1)
    # Both are prepared before either is moved into place: an error leaves neither written.
    with ExitStack() as writing:
        for path, content in (
            (file, text),
            (words, example_words.read_text(encoding="utf-8")),
        ):
            temporary = writing.enter_context(atomic_path(path, force))
            temporary.write_text(content, encoding="utf-8")
    return words


def _as_id(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return plain if plain[:1].isalpha() else f"probe_{plain}".rstrip("_")


def check_probe(file: Path) -> list[str]:
    """Read a probe and its ratings and describe them; problems are errors."""
    probe = load_probe(file)
    stigmatized = sum(condition.stigmatized for condition in probe.conditions)
    said = [
        f"{file} is a valid probe: {probe.label}, {stigmatized} stigmatized and "
        f"{len(probe.conditions) - stigmatized} other conditions, "
        f"{counted(len(probe.questions), 'question')}, language {probe.language}.",
        f"Prompts: {_counts(probe)}.",
    ]
    phrases = [form.identity for condition in probe.conditions for form in condition.forms]
    if any(phrases) and fallbacks(probe):
        said.append(
            f"Identity-first phrasing asks these person-first, whole or partly: "
            f"{', '.join(fallbacks(probe))}."
        )
    if probe.ratings_file is None:
        said.append("It has no ratings of its own; those of Tactful are for English.")
    else:
        rated = len(read_attitudes(probe.ratings_file))
        said.append(f"Ratings: {rated} words in {probe.ratings_file}.")
    return said


def _counts(probe: Probe) -> str:
    parts: dict[Kind, Sequence[object]] = {
        "fill-mask": probe.templates,
        "causal": probe.causal_templates,
        "sentiment": probe.sentiment_templates,
        "chat": probe.chat_templates,
    }
    return ", ".join(
        f"{len(prompts_of(probe, kind)):,} {kind}" if templates else f"no {kind}"
        for kind, templates in parts.items()
    )


def written(prompts: Sequence[Prompt], output_format: str) -> str:
    """Write prompts as lines of text, as CSV or as JSON Lines."""
    if output_format == "text":
        return "".join(f"{prompt.text}\n" for prompt in prompts)
    if output_format == "jsonl":
        rows = (json.dumps(asdict(prompt), ensure_ascii=False) for prompt in prompts)
        return "".join(f"{row}\n" for row in rows)
    file = io.StringIO()
    writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(prompt) for prompt in prompts)
    return file.getvalue()
