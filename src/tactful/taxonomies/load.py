"""Load built-in taxonomies by name and your own by path; errors name each flaw with its line."""

import os
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tactful.errors import Problem, TaxonomyError, UnknownNameError
from tactful.registry import unknown_name
from tactful.taxonomies.checks import Flaw, Location, cross_problems
from tactful.taxonomies.schema import AnyEntry, Taxonomy
from tactful.taxonomies.source import Source, read_source
from tactful.words import counted

_FOLDER = Path(__file__).parent
_BUILT_IN = ("pcl", "unhealthy", "toxicity", "stereotype", "frame", "term", "stigma")
_ONE_OF = {
    "causal_templates": "causal template",
    "conditions": "condition",
    "entries": "entry",
    "families": "family",
    "questions": "question",
    "templates": "template",
}

Model = TypeVar("Model", bound=BaseModel)


def taxonomy_names() -> list[str]:
    """Return the names of the built-in taxonomies."""
    return list(_BUILT_IN)


def load_taxonomy(name_or_path: str | os.PathLike[str]) -> Taxonomy:
    """Load a built-in taxonomy by name, or your own from a YAML file.

    Parameters
    ----------
    name_or_path
        ``pcl``, ``unhealthy``, ``toxicity``, ``stereotype``, ``frame``, ``term`` or ``stigma``, or
        the path of a YAML file.

    Returns
    -------
    Taxonomy
        The taxonomy with its entries.

    Raises
    ------
    UnknownNameError
        If no built-in taxonomy has this name.
    TaxonomyError
        If the file breaks the schema; the message lists every problem with its line.

    """
    if isinstance(name_or_path, str) and name_or_path in _BUILT_IN:
        return _built_in(name_or_path)
    if isinstance(name_or_path, str) and not is_taxonomy_path(name_or_path):
        raise unknown_name("taxonomy", name_or_path, taxonomy_names())
    return read_model(Path(name_or_path), Taxonomy)


def is_taxonomy_path(name: str) -> bool:
    """Return whether a user typed the path of a file instead of a name."""
    return name.lower().endswith((".yaml", ".yml")) or "/" in name or os.sep in name


def find_entry(entry_id: str) -> AnyEntry:
    """Return an entry of any built-in taxonomy.

    Parameters
    ----------
    entry_id
        The id, such as ``pcl.compassion``.

    Returns
    -------
    LabelEntry or VariableEntry or ConditionEntry
        The entry.

    """
    return find_taxonomy_of(entry_id).entry(entry_id)


def find_taxonomy_of(entry_id: str) -> Taxonomy:
    """Return the built-in taxonomy that an entry belongs to.

    Parameters
    ----------
    entry_id
        The id of the entry, such as ``pcl.compassion``.

    Returns
    -------
    Taxonomy
        The taxonomy.

    """
    prefix = entry_id.split(".", maxsplit=1)[0]
    for name in sorted(_BUILT_IN, key=lambda name: name != prefix):
        taxonomy = _built_in(name)
        if prefix in (taxonomy.prefixes or (name,)):
            return taxonomy
    # A short list helps more than all 150 ids; the nearest match is looked for among them all.
    ids = [known for name in _BUILT_IN for known in (name, *_built_in(name).ids())]
    short = {known.rpartition(".")[2]: known for known in reversed(ids)}
    close = get_close_matches(prefix.casefold(), [*short, *ids], n=1, cutoff=0.6)
    nearest = short.get(close[0], close[0]) if close else None
    raise UnknownNameError("taxonomy or entry", entry_id, taxonomy_names(), nearest)


def taxonomy_problems(path: str | os.PathLike[str]) -> list[Problem]:
    """Return all problems of a taxonomy file.

    Parameters
    ----------
    path
        The YAML file.

    Returns
    -------
    list of Problem
        The problems in the order of their lines; empty if the file is valid.

    """
    return _read(Path(path), Taxonomy)[1]


@cache
def _built_in(name: str) -> Taxonomy:
    return read_model(_FOLDER / f"{name}.yaml", Taxonomy)


def read_model(path: Path, model: type[Model]) -> Model:
    """Read a YAML file into a model; one TaxonomyError lists all problems."""
    value, problems = _read(path, model)
    if value is None or problems:
        raise listed_problems(path, [str(problem) for problem in problems])
    return value


def listed_problems(path: Path, sentences: list[str]) -> TaxonomyError:
    """Return the error that lists what is wrong with a file."""
    listing = "\n  ".join(sentences)
    return TaxonomyError(f"{path} has {counted(len(sentences), 'problem')}:\n  {listing}")


def _read(path: Path, model: type[Model]) -> tuple[Model | None, list[Problem]]:
    source = read_source(path)
    flaws = list(source.repeated_keys())
    value = None
    try:
        value = model.model_validate(source.data)
    except ValidationError as error:
        details = error.errors(include_url=False)
        flaws.extend(_placed(source, (_flaw(source, detail, model) for detail in details)))
    if model is Taxonomy:
        flaws.extend(_placed(source, cross_problems(source.data)))
    flaws.sort(key=lambda placed: placed[0])
    problems = [
        Problem(source.file, line, flaw.code, flaw.found, flaw.expected, flaw.action)
        for line, flaw in flaws
    ]
    return value, problems


def _placed(source: Source, flaws: Iterator[Flaw | None]) -> Iterator[tuple[int, Flaw]]:
    return ((source.line(flaw.location), flaw) for flaw in flaws if flaw is not None)


def _flaw(source: Source, detail: ErrorDetails, model: type[BaseModel]) -> Flaw | None:
    kind, location = detail["type"], detail["loc"]
    if kind == "cross_checks":  # reported one by one, with lines, by cross_problems
        return None
    name = str(location[-1]) if location else ""
    place = _place(source, location)
    if kind in ("missing", "union_tag_not_found"):
        name = "kind" if kind == "union_tag_not_found" else name
        found = f"no '{name}'{place}"
        return Flaw(location, "missing-field", found, "every required field", "add it")
    if kind == "extra_forbidden":
        close = get_close_matches(name, _field_names(model), n=1)
        action = f"rename it to '{close[0]}'" if close else "remove it"
        known = "only fields that the schema knows"
        return Flaw(location, "unknown-field", f"the field '{name}'{place}", known, action)
    if kind == "union_tag_invalid":
        context = detail.get("ctx", {})
        found = f"the kind {context.get('tag')!r}{place}"
        expected = f"one of {context.get('expected_tags')}"
        return Flaw((*location, "kind"), "wrong-value", found, expected, "correct it")
    return _wrong_value(detail, name, place)


def _wrong_value(detail: ErrorDetails, name: str, place: str) -> Flaw:
    kind, location, given = detail["type"], detail["loc"], detail["input"]
    numbered = bool(location) and isinstance(location[-1], int)
    found = _shown(given) + ("" if numbered else f" as '{name}'") + place
    if kind in ("string_type", "invalid_key"):
        # YAML reads yes, no, 1.0 and 2024-01-01 as truth values, numbers and dates.
        quotable = given is not None and not isinstance(given, dict | list)
        action = "put it in quotes" if quotable else "write a text"
        return Flaw(location, "wrong-type", found, "text", action)
    if kind == "string_too_short":
        return Flaw(location, "blank-text", f"a blank '{name}'{place}", "text", "fill it in")
    if kind == "string_pattern_mismatch":
        shape = "lower-case letters, digits and underscores, joined by dots"
        return Flaw(location, "wrong-id", found, shape, "rename it")
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return Flaw(location, "wrong-type", found, "fields with names", "write 'name: value'")
    if kind == "answers":
        found = f"answers that do not fit the type{place}"
        return Flaw(location, "wrong-answers", found, detail["msg"], "add or remove answers")
    message = detail["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    return Flaw(location, "wrong-value", found, message[:1].lower() + message[1:], "correct it")


def _place(source: Source, location: Location) -> str:
    if len(location) < 2 or not isinstance(location[1], int):
        return ""
    part = str(location[0])
    items = source.data.get(part)
    item: Any = items[location[1]] if isinstance(items, list) else None
    name = item.get("id") if isinstance(item, dict) else None
    where = f"'{name}'" if isinstance(name, str) else f"number {location[1] + 1}"
    return f" in {_ONE_OF.get(part, part)} {where}"


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


@cache
def _field_names(model: type[BaseModel]) -> list[str]:
    schema = model.model_json_schema()
    parts = [schema, *schema.get("$defs", {}).values()]
    return sorted({name for part in parts for name in part.get("properties", {})})
