"""What spans several entries of a taxonomy: ids, parents, families, requirements, counts.

The checks read plain data and step over what has the wrong type (the schema reports that), so
that one reading of a file reports every flaw at once.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

LABEL_KINDS = ("root", "category", "fallback")
"""The kinds of entries that make up the hierarchy."""

Location = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that does not fit: where in the data, what was found, what was expected."""

    location: Location
    code: str
    found: str
    expected: str
    action: str


def cross_problems(data: Mapping[str, Any]) -> Iterator[Flaw]:
    """Yield every flaw that spans more than one entry of the taxonomy."""
    entries = _items(data, "entries")
    families = _items(data, "families")
    yield from _unique("entries", entries)
    yield from _unique("families", families)
    yield from _prefixes(data, entries)
    yield from _exist(entries, "family", _ids(families), "one of the families", "family")
    yield from _exist(entries, "parent", _ids(entries), "the id of an entry", "entry")
    yield from _no_cycles(entries)
    yield from _requirements(entries)
    yield from _linearisation(data, entries)
    yield from _counts(data, entries, families)


Items = list[tuple[int, Mapping[str, Any]]]


def _items(data: Mapping[str, Any], key: str) -> Items:
    values = data.get(key)
    if not _is_list(values):
        return []
    return [(index, value) for index, value in enumerate(values) if isinstance(value, Mapping)]


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _ids(items: Items) -> list[str]:
    return [item["id"] for _, item in items if isinstance(item.get("id"), str)]


def _listing(names: Sequence[str]) -> str:
    shown = [f"'{name}'" for name in names[:12]]
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return ", ".join(shown) + more if names else "none (there are none)"


def _unique(key: str, items: Items) -> Iterator[Flaw]:
    seen: set[str] = set()
    for index, item in items:
        name = item.get("id")
        if not isinstance(name, str):
            continue
        if name in seen:
            yield Flaw(
                (key, index, "id"),
                "repeated-id",
                f"the id '{name}' a second time",
                "every id once",
                "rename or remove one of them",
            )
        seen.add(name)


def _prefixes(data: Mapping[str, Any], entries: Items) -> Iterator[Flaw]:
    declared = data.get("prefixes")
    allowed = [name for name in declared if isinstance(name, str)] if _is_list(declared) else []
    allowed = allowed or [name for name in [data.get("id")] if isinstance(name, str)]
    if not allowed:
        return
    for index, entry in entries:
        name = entry.get("id")
        if isinstance(name, str) and name.split(".")[0] not in allowed:
            yield Flaw(
                ("entries", index, "id"),
                "wrong-prefix",
                f"the id '{name}'",
                "an id that begins with " + " or ".join(f"'{prefix}'" for prefix in allowed),
                "rename it",
            )


def _exist(entries: Items, field: str, known: list[str], what: str, one: str) -> Iterator[Flaw]:
    """Yield the entries whose ``field`` names none of the known ones."""
    for index, entry in entries:
        name = entry.get(field)
        if isinstance(name, str) and name not in known:
            yield Flaw(
                ("entries", index, field),
                f"unknown-{field}",
                f"the {field} '{name}'",
                f"{what}: {_listing(known)}",
                f"add the {one} or correct the name",
            )


def _no_cycles(entries: Items) -> Iterator[Flaw]:
    parents = {entry.get("id"): entry.get("parent") for _, entry in entries}
    for index, entry in entries:
        start = entry.get("id")
        above, steps = entry.get("parent"), 0
        # Only members of the cycle report it, not every entry that hangs below one.
        while isinstance(above, str) and above != start and steps <= len(parents):
            above, steps = parents.get(above), steps + 1
        if isinstance(start, str) and above == start:
            yield Flaw(
                ("entries", index, "parent"),
                "cycle",
                f"'{start}' above itself",
                "parents that lead to the top",
                "change one of the parents",
            )


def _requirements(entries: Items) -> Iterator[Flaw]:
    variables = {
        entry["id"]: entry
        for _, entry in entries
        if isinstance(entry.get("id"), str) and entry.get("kind") == "variable"
    }
    for index, entry in entries:
        for place, rule in _items(entry, "requires"):
            where: Location = ("entries", index, "requires", place)
            name = rule.get("variable")
            if not isinstance(name, str):
                continue
            if name not in variables or name == entry.get("id"):
                yield Flaw(
                    (*where, "variable"),
                    "unknown-variable",
                    f"a requirement on '{name}'",
                    f"another variable: {_listing([v for v in variables if v != entry.get('id')])}",
                    "correct the name",
                )
                continue
            known = [answer.get("value") for _, answer in _items(variables[name], "answers")]
            values = rule.get("values")
            for value in values if _is_list(values) else ():
                if isinstance(value, str) and value not in known:
                    yield Flaw(
                        (*where, "values"),
                        "unknown-value",
                        f"the value '{value}' for '{name}'",
                        f"one of its answers: {_listing([str(answer) for answer in known])}",
                        "correct the value",
                    )


def _linearisation(data: Mapping[str, Any], entries: Items) -> Iterator[Flaw]:
    order = data.get("linearisation")
    if not _is_list(order) or not order:
        return
    known = [e["id"] for _, e in entries if e.get("kind") == "variable" and "id" in e]
    named = [name for part in order if _is_list(part) for name in part]
    if sorted(map(str, named)) != sorted(map(str, known)):
        yield Flaw(
            ("linearisation",),
            "linearisation",
            f"an order of {_listing([str(name) for name in named])}",
            f"every variable once: {_listing(known)}",
            "add, remove or correct names",
        )


def _counts(data: Mapping[str, Any], entries: Items, families: Items) -> Iterator[Flaw]:
    declared = data.get("counts")
    if not isinstance(declared, Mapping):
        return
    actual = Counter(str(entry.get("kind")) for _, entry in entries)
    actual["stigmatized"] = sum(entry.get("stigmatized") is True for _, entry in entries)
    actual["non_stigmatized"] = sum(entry.get("stigmatized") is False for _, entry in entries)
    actual["forms"] = sum(len(_items(entry, "forms")) for _, entry in entries)
    actual["families"] = len(families)
    for name, number in declared.items():
        if isinstance(number, int) and actual[str(name)] != number:
            yield Flaw(
                ("counts", str(name)),
                "wrong-count",
                f"{actual[str(name)]} of '{name}'",
                f"{number}, as the file declares",
                "add or remove entries, or correct the number",
            )
