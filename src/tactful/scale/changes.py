"""What changed since an earlier run: only an unchanged run is resumed."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tactful.errors import InputError, UsageError

BAD_ROWS = "bad rows skipped"
_REJECTS = "rejects"
_MODEL, _FINGERPRINT, _COLUMNS, _WANTED = "model", "scorer", "ids", "wanted"
_SAID = {
    "engine": "--engine",
    "input": "the input",
    _REJECTS: "--rejects",
    "format": "the format of the input (--input-format)",
    "written as": "the format of the output (--format)",
    _MODEL: "the model (--model or --lang)",
    "rows of a part": "the rows in a part (--part-rows)",
    "bytes of a part": "the bytes in a part",
    "worst rows": "--top",
    "worst by": "--top-by",
    "only the worst": "--only-top",
    "one file": "the output as one file (--output)",
    "texts for the report": "the texts that are kept for --report",
    BAD_ROWS: "--bad-rows skip",
    "text_column": "--text-column",
    "where": "--where",
    "dedupe": "--dedupe",
    "prefix": "--prefix",
    "by": "--by",
}
"""The names of a job's terms in messages, with the options that set them."""
WHAT_TO_DO = (
    "Undo the change to resume it, pass --restart to score everything again, or name another "
    "--output."
)
_MOST, _LONGEST = 5, 200


def refuse_changes(
    place: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    old_inputs: Sequence[Mapping[str, Any]] = (),
    new_inputs: Sequence[Mapping[str, Any]] = (),
    *,
    exact: bool = False,
) -> None:
    """Refuse to resume a run whose terms or input have changed, and say what changed.

    ``exact``: a file that was written again has changed, even if its size is the same.
    """
    terms = changed_terms(old, new)
    inputs = changed_inputs(old_inputs, new_inputs, exact=exact)
    if not terms and not inputs:
        return
    said = [*inputs[:_MOST], *([f"{len(inputs) - _MOST:,} more files"] if inputs[_MOST:] else [])]
    kind = UsageError if terms else InputError
    raise kind(
        f"{place}: found an earlier run that cannot be resumed, as something has changed since: "
        f"{'; '.join([*terms, *said])}. {WHAT_TO_DO}"
    )


def changed_terms(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Say which terms of a job have changed, and from what to what.

    A term that the earlier run does not name is one that its version did not have. Where bad rows
    stopped the run so far there were none, so they may be skipped from now on.
    """
    one, two = _flat(old), _flat(new)
    may_change = () if one.get(BAD_ROWS) else (BAD_ROWS, _REJECTS)
    changed = [name for name in one if one[name] != two.get(name) and name not in may_change]
    said = [
        f"{_SAID.get(name, name)}: {_value(one[name])} then, {_value(two.get(name))} now"
        for name in changed
        if name not in (_FINGERPRINT, _COLUMNS)
    ]
    if _COLUMNS in changed:
        said.append(_columns(one[_COLUMNS], two.get(_COLUMNS) or []))
    elif _FINGERPRINT in changed and _MODEL not in changed:
        said.append(
            f"the weights or settings of the model {_value(one.get(_MODEL))}, though its name and "
            "version are the same"
        )
    return said


def _flat(terms: Mapping[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in terms.items() if name != _WANTED}
    return {**rest, **terms.get(_WANTED, {})}


def _columns(old: Sequence[str], new: Sequence[str]) -> str:
    gone = [name for name in old if name not in new]
    more = [name for name in new if name not in old]
    said = [
        f"{', '.join(names[:_MOST])}{' and more' if names[_MOST:] else ''} {what}"
        for names, what in ((gone, "then only"), (more, "now only"))
        if names
    ]
    return f"the added columns (--only, --lang or --spans): {', '.join(said) or 'another order'}"


def _value(value: Any) -> str:
    if value is None or value in ([], ""):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def changed_inputs(
    old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]], *, exact: bool = False
) -> list[str]:
    """Say which files of the input are new, gone or changed."""
    before = {each["file"]: each for each in old}
    now = {each["file"]: each for each in new}
    said = []
    for name in {**before, **now}:
        if name not in before:
            said.append(f"the file {name} is new")
        elif name not in now:
            said.append(f"the file {name} is gone")
        else:
            change = _change(before[name], now[name], exact)
            said += [f"the file {name} {change}"] if change else []
    if not said and list(before) != list(now):
        said.append("the order of the files")
    return said


def _change(old: Mapping[str, Any], new: Mapping[str, Any], exact: bool) -> str | None:
    if old["size"] != new["size"]:
        return f"has changed ({old['size']:,} bytes then, {new['size']:,} now)"
    if old.get("head", new.get("head")) != new.get("head"):
        return "has other columns, or other types in them"
    if exact and old.get("changed") != new.get("changed"):
        return "was written again"
    return None
