"""``tactful taxonomy``: show what Tactful knows how to find, and check a taxonomy of your own."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.output import echo, echo_answer, echo_json, echo_rows, format_option
from tactful.errors import EXIT_FAILURE, TaxonomyError
from tactful.taxonomies import (
    ConditionEntry,
    Taxonomy,
    VariableEntry,
    find_entry,
    find_taxonomy_of,
    load_taxonomy,
    taxonomy_names,
    taxonomy_problems,
)
from tactful.taxonomies.load import is_taxonomy_path
from tactful.taxonomies.schema import AnyEntry, GuidedEntry

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text
    from rich.tree import Tree


@click.group("taxonomy")
def taxonomy_cli() -> None:
    """Show what Tactful knows how to find."""


@taxonomy_cli.command("list")
@format_option
def list_cli(output_format: str) -> None:
    """List the built-in taxonomies."""
    columns = ("id", "name", "entries", "families", "languages", "version")
    echo_rows(output_format, list_taxonomies(), *columns)


@taxonomy_cli.command("show")
@click.argument("name", metavar="ID")
@format_option
def show_cli(name: str, output_format: str) -> None:
    """Show a taxonomy or one of its entries, by its id (or a taxonomy by its file).

    \b
    tactful taxonomy show pcl
    tactful taxonomy show pcl.metaphor
    """
    found = find(name)
    if output_format == "json":
        echo_json(found.model_dump(mode="json", exclude_none=True))
    else:
        echo(_grid(describe(found)))


@taxonomy_cli.command("tree")
@click.argument("name", metavar="[ID]", required=False)
@format_option
def tree_cli(name: str | None, output_format: str) -> None:
    """Draw the entries of all taxonomies, of one, or below one entry."""
    echo_answer(output_format, tree(name), lambda branches: echo(*map(_drawn, branches)))


@taxonomy_cli.command("validate")
@click.argument("file", type=click.Path())
@format_option
@click.pass_context
def validate_cli(ctx: click.Context, file: str, output_format: str) -> None:
    """Check a taxonomy file and report everything that is wrong, with its line."""
    if output_format == "text":
        taxonomy = load_taxonomy(Path(file))
        size = len(taxonomy.entries)
        noun = "entry" if size == 1 else "entries"
        click.echo(f"{file} is a valid taxonomy: '{taxonomy.id}', {size} {noun}.")
        return
    answer = validation_report(file)
    echo_json(answer)
    if not answer["valid"]:
        ctx.exit(EXIT_FAILURE)


def list_taxonomies() -> list[dict[str, Any]]:
    """Return one row per built-in taxonomy."""
    return [
        {
            "id": taxonomy.id,
            "name": taxonomy.name,
            "entries": len(taxonomy.entries),
            "families": len(taxonomy.families),
            "languages": list(taxonomy.languages),
            "version": taxonomy.version,
        }
        for taxonomy in map(load_taxonomy, taxonomy_names())
    ]


def find(name: str) -> Taxonomy | AnyEntry:
    """Return the taxonomy or the entry that a name or a path means.

    Where a taxonomy has an entry of its own name (``pcl``), the taxonomy is meant.
    """
    if name in taxonomy_names() or is_taxonomy_path(name):
        return load_taxonomy(name)
    return find_entry(name)


def tree(name: str | None) -> list[dict[str, Any]]:
    """Return the entries as nested ``{id, name, children}``."""
    if name is None:
        return [_taxonomy_branch(load_taxonomy(known)) for known in taxonomy_names()]
    found = find(name)
    if isinstance(found, Taxonomy):
        return [_taxonomy_branch(found)]
    return [_branch(find_taxonomy_of(name), found)]


def validation_report(file: str) -> dict[str, Any]:
    """Return whether a file is a valid taxonomy, and all problems as data."""
    try:
        problems = [asdict(problem) for problem in taxonomy_problems(file)]
        error = None
    except TaxonomyError as unreadable:
        problems, error = [], str(unreadable)
    valid = not problems and error is None
    return {"file": file, "valid": valid, "error": error, "problems": problems}


def describe(found: Taxonomy | AnyEntry) -> list[tuple[str, str]]:
    """Return what there is to say about a taxonomy or an entry, as labels and texts."""
    rows = _describe_taxonomy(found) if isinstance(found, Taxonomy) else _describe_entry(found)
    return [(label, " ".join(text.split())) for label, text in rows if text]


def _describe_taxonomy(taxonomy: Taxonomy) -> list[tuple[str, str]]:
    source = taxonomy.citation
    cited = f"{', '.join(source.authors)} ({source.year}): {source.title}. {source.venue}."
    rows = [
        ("id", taxonomy.id),
        ("name", taxonomy.name),
        ("definition", taxonomy.definition),
        ("version", taxonomy.version),
        ("languages", ", ".join(taxonomy.languages)),
        ("source", cited),
        ("licence", taxonomy.licence),
        *((f"family {family.id}", family.definition) for family in taxonomy.families),
        ("written as", " | ".join(" ".join(part) for part in taxonomy.linearisation)),
        *(("not this", text) for text in taxonomy.not_this),
        *(("note", text) for text in taxonomy.notes),
    ]
    return [*rows, *((entry.id, entry.definition) for entry in taxonomy.entries)]


def _describe_entry(entry: AnyEntry) -> list[tuple[str, str]]:
    rows = [
        ("id", entry.id),
        ("name", entry.name),
        ("kind", entry.kind),
        ("definition", entry.definition),
        ("parent", entry.parent or ""),
        ("family", entry.family or ""),
        ("question", entry.question),
        ("example", entry.example),
        ("in English", entry.example_gloss or ""),
    ]
    if isinstance(entry, GuidedEntry):
        rows.extend(("ask yourself", question) for question in entry.ask)
        rows.extend(("not when", clause) for clause in entry.not_when)
    if isinstance(entry, VariableEntry):
        answers = (f"{a.value} ({a.number:g} in the corpus, {a.binary})" for a in entry.answers)
        rows.append(("answers", ", ".join(answers) or "a list of texts"))
        for rule in entry.requires:
            wanted = " or ".join(rule.values) if rule.values else "any text"
            rows.append(("requires", f"{rule.variable}: {wanted}"))
    if isinstance(entry, ConditionEntry):
        rows.append(("stigmatized", "yes" if entry.stigmatized else "no"))
        rows.append(("published as", f"{entry.published_name} ({entry.published_category})"))
        rows.extend(("form", f"someone who {f.verb} {f.singular}") for f in entry.forms)
    rows.append(("source", entry.source_section))
    rows.append(("in corpora", ", ".join(entry.source_names)))
    return [*rows, *(("note", text) for text in entry.notes)]


def _taxonomy_branch(taxonomy: Taxonomy) -> dict[str, Any]:
    top = [_branch(taxonomy, entry) for entry in taxonomy.children(None)]
    if top and top[0]["id"] == taxonomy.id:
        # The root entry is the taxonomy itself: the other top entries are its children, too.
        return {**top[0], "name": taxonomy.name, "children": [*top[0]["children"], *top[1:]]}
    return {"id": taxonomy.id, "name": taxonomy.name, "children": top}


def _branch(taxonomy: Taxonomy, entry: AnyEntry) -> dict[str, Any]:
    below = [_branch(taxonomy, child) for child in taxonomy.children(entry.id)]
    family = {"family": entry.family} if entry.family else {}
    return {"id": entry.id, "name": entry.name, **family, "children": below}


def _drawn(branch: dict[str, Any]) -> "Tree":
    from rich.tree import Tree

    drawn = Tree(_label(branch), highlight=False)
    for child in branch["children"]:
        drawn.children.append(_drawn(child))
    return drawn


def _label(branch: dict[str, Any]) -> "Text":
    from rich.text import Text

    family = f" [{branch['family']}]" if "family" in branch else ""
    return Text.assemble((branch["id"], "bold"), f"  {branch['name']}", (family, "dim"))


def _grid(rows: list[tuple[str, str]]) -> "RenderableType":
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", overflow="fold")
    grid.add_column(overflow="fold")
    for label, text in rows:
        grid.add_row(Text(label), Text(text))
    return grid
