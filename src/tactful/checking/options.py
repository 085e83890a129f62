"""The options of a check, and the file of a project that sets them.

That is ``tactful.toml``, or ``[tool.tactful]`` in pyproject.toml.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.checking.reports import RENDERERS
from tactful.detectors.load import is_detector_name
from tactful.errors import UsageError
from tactful.registry import Registry, unknown_name

if TYPE_CHECKING:
    from tactful.checking.models import Model

DEFAULT_MODEL = "default"
AUTO = "auto"
LANGUAGES = (AUTO, "en", "es")
FRAMES = ("statements", "groups", "off")
"""What to say about a passage that targets a group: the groups and what is implied about them, the
groups only, or nothing."""
TERMS = ("default", "all", "off")
"""Which terms to report: those that practically every style guide advises against, also those that
are a matter of context, or none."""
QUOTES = ("skip", "label", "check")
"""What to do with harm that is only quoted: leave it out, report it as quoted, or report it as
any other."""
PRESETS = ("newsroom", "charity", "docs", "comments")
"""The tables of ``presets.toml``."""
SERVE = "serve"
"""The table of the same file that ``tactful serve`` reads."""
LEAST = 0.5
"""The least confidence that is reported by default: each id from its own threshold on."""


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of a check.

    Parameters
    ----------
    model
        The name of an embedded detector (``default``, ``fast``, ``cascade``) or of a plug-in, the
        folder of a detector, or an open detector.
    lang
        The language of the texts: ``en``, ``es``, or ``auto`` to detect it for each document.
    only
        Look only for these ids and the ids below them; ``pcl`` includes ``pcl.metaphor``.
    thresholds
        Report an id from this probability on, instead of the threshold in the model's card.
    least
        Report findings with at least this confidence; 0.5 is the threshold of each id. An id that
        has a value in ``thresholds`` is reported from that probability on.
    explanations
        Whether findings have an explanation.
    frames
        What to say about passages that target a group: ``statements``, ``groups`` or ``off``.
    terms
        Which terms of style guides to report: ``default`` for those that practically every guide
        advises against, ``all``, or ``off``.
    quotes
        What to do with findings that only a quotation carries: ``skip``, ``label`` or ``check``.
    all_scores
        Whether passages keep all their scores.
    report_lang
        The language of names and explanations: ``en``, ``es``, or ``auto`` for that of the text.
    configuration
        The project's file that some of the values come from; error messages name its lines.

    """

    model: "Model" = DEFAULT_MODEL
    lang: str = AUTO
    only: tuple[str, ...] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    least: float = LEAST
    explanations: bool = True
    frames: str = FRAMES[0]
    terms: str = TERMS[0]
    quotes: str = QUOTES[0]
    all_scores: bool = False
    report_lang: str = AUTO
    configuration: "Configuration | None" = None


TOOL = "tactful"
"""The name of the file, and of the table in pyproject.toml."""
CONFIG_FILE = f"{TOOL}.toml"
PROJECT_FILE = "pyproject.toml"

_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class ProjectTerms:
    """The table ``[terms]`` of a project's file."""

    level: str | None = None
    """Which terms to report, one of ``TERMS``."""
    add: str = "[]"
    """The project's own terms, as JSON: a value that can be compared and remembered."""
    allow: tuple[str, ...] = ()
    """Words that are never reported."""

    def tables(self) -> list[dict[str, Any]]:
        """Return the project's own terms, one table each."""
        found: list[dict[str, Any]] = json.loads(self.add)
        return found


@dataclass(frozen=True, slots=True)
class ProjectRewrite:
    """The table ``[rewrite]`` of a project's file: the endpoint that ``tactful rewrite`` uses."""

    endpoint: str | None = None
    chat_model: str | None = None
    key_variable: str | None = None


KEY_PREFIX = "TACTFUL_"
"""How the variable of a key begins that a project's file names: such a file may come from
somebody else, and must not have other secrets sent to an address that it names, too."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a project sets; None and empty where it sets nothing."""

    path: Path | None = None
    preset: str | None = None
    model: str | None = None
    lang: str | None = None
    only: tuple[str, ...] = ()
    least: float | None = None
    fail_on: float | None = None
    format: str | None = None
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    """Endings of further files that a folder's check reads, such as ``.rst``."""
    explain: bool | None = None
    """Whether a text report explains its findings."""
    explanations: bool | None = None
    frames: str | None = None
    quotes: str | None = None
    terms: ProjectTerms = ProjectTerms()
    rewrite: ProjectRewrite = ProjectRewrite()
    baseline: Path | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each key in the file; thresholds as ``thresholds.ID``."""

    def place(self, key: str) -> str:
        """Return the place of a key, with which error messages begin."""
        line = self.lines.get(key)
        return f"{self.path}" if line is None else f"{self.path}, line {line}"

    def options(self, **given: Any) -> CheckOptions:
        """Return the options of a check: what was ``given``, else the project's, else the default.

        A value that is None, or empty, was not given. Thresholds are joined.
        """
        thresholds = {**self.thresholds, **(given.pop("thresholds", None) or {})}
        own: dict[str, Any] = {
            "model": self.model,
            "lang": self.lang,
            "only": self.only,
            "least": self.least,
            "explanations": self.explanations,
            "frames": self.frames,
            "terms": self.terms.level,
            "quotes": self.quotes,
        }
        chosen = {name: value for name, value in own.items() if value not in (None, ())}
        chosen |= {name: value for name, value in given.items() if value not in (None, ())}
        return CheckOptions(thresholds=thresholds, configuration=self, **chosen)


def find_configuration(folder: Path) -> Configuration:
    """Read the nearest configuration at or above a folder; an empty one where there is none.

    The search ends at the top of a repository: what lies above it belongs to somebody else.
    """
    folder = folder.resolve()
    for each in (folder, *folder.parents):
        if (each / CONFIG_FILE).is_file():
            return read_configuration(each / CONFIG_FILE)
        project = each / PROJECT_FILE
        if project.is_file() and f"[tool.{TOOL}" in _read(project):
            return read_configuration(project)
        if (each / ".git").exists():
            break
    return Configuration()


def read_configuration(path: Path) -> Configuration:
    """Read one file; a key or a value that is not known is refused with its line."""
    text = _read(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{path}: found no readable TOML ({error}); expected keys and values; correct it, "
            'and write ids with a dot in quotes, such as "pcl.metaphor" = 0.6.'
        ) from None
    if path.name == PROJECT_FILE:
        tool = data.get("tool", {})
        data = tool.get(TOOL, {}) if isinstance(tool, dict) else {}
        if not isinstance(data, dict):
            raise UsageError(f"{path}: found no table 'tool.{TOOL}'; expected keys and values.")
    lines = _Lines(path, text)
    values: dict[str, Any] = {}
    for key, value in data.items():
        if key == SERVE:
            continue
        if key not in _READERS:
            known = unknown_name("key", key, list(_READERS))
            raise UsageError(f"{lines.place(key)}: {known}")
        values[key] = _READERS[key](lines, key, value)
    if values.get("model"):
        values["model"] = _model(values["model"], path.parent)
    if values.get("baseline"):
        values["baseline"] = path.parent / Path(values["baseline"]).expanduser()
    return Configuration(path=path, lines=lines.found, **values)


class _Lines:
    """Finds the lines of keys, which tomllib does not give."""

    def __init__(self, path: Path, text: str):
        self.path = path
        self.found: dict[str, int] = {}
        self._lines = text.splitlines()

    def place(self, key: str) -> str:
        """Say where ``key`` is set; the last part of a dotted key may be in a table."""
        return f"{self.path}" if (line := self.line(key)) is None else f"{self.path}, line {line}"

    def line(self, key: str) -> int | None:
        if key not in self.found:
            wanted = [key, *([key.partition(".")[2]] if key.startswith("thresholds.") else [])]
            for number, line in enumerate(self._lines, 1):
                if any(_sets(line, name) for name in wanted):
                    self.found[key] = number
                    break
        return self.found.get(key)


def _sets(line: str, key: str) -> bool:
    bare = re.escape(key)
    last = re.escape(key.rpartition(".")[2])
    assignment = rf"""\s*(?:"{bare}"|'{bare}'|{bare}|"{last}"|'{last}'|{last})\s*="""
    table = rf"\s*\[+\s*(?:tool\.tactful\.)?{bare}\s*\]+"
    inline = rf"""[{{,]\s*(?:"{bare}"|'{bare}'|{bare})\s*="""
    return bool(re.match(assignment, line) or re.match(table, line) or re.search(inline, line))


def _refuse(lines: _Lines, key: str, found: object, expected: str) -> UsageError:
    shown = repr(found)
    shown = shown if len(shown) <= _LONGEST_SHOWN else shown[: _LONGEST_SHOWN - 1] + "…"
    return UsageError(f"{lines.place(key)}: found {shown} as '{key}'; expected {expected}.")


Reader = Callable[[_Lines, str, object], Any]
"""Reads the value of a key."""


def _value(
    fits: Callable[[Any], bool], expected: str, kept_as: Callable[[Any], Any] = lambda value: value
) -> Reader:
    def read(lines: _Lines, key: str, value: object) -> Any:
        if not fits(value):
            raise _refuse(lines, key, value, expected)
        lines.line(key)
        return kept_as(value)

    return read


def _one_of(allowed: tuple[str, ...] | Registry[Any]) -> Reader:
    def read(lines: _Lines, key: str, value: object) -> Any:
        if not isinstance(value, str) or value not in allowed:
            raise _refuse(lines, key, value, f"one of {', '.join(allowed)}")
        return value

    return read


_text = _value(lambda value: isinstance(value, str) and bool(value.strip()), "a text in quotes")
_texts = _value(
    lambda value: isinstance(value, list) and all(isinstance(each, str) and each for each in value),
    'a list of texts, such as ["one", "two"]',
    tuple,
)
_truth = _value(lambda value: isinstance(value, bool), "true or false")
_share = _value(
    lambda value: type(value) in (int, float) and 0 <= value <= 1,
    "a number from 0 to 1",
    float,
)


def _endings(lines: _Lines, key: str, value: object) -> tuple[str, ...]:
    endings: tuple[str, ...] = _texts(lines, key, value)
    for each in endings:
        if not each.startswith(".") or "/" in each:
            raise _refuse(lines, key, each, 'endings that start with a dot, such as ".rst"')
    return endings


def _table(lines: _Lines, key: str, value: object, known: Sequence[str]) -> dict[str, Any]:
    """Return the value of a key that is a table; refuse one with other keys."""
    if not isinstance(value, dict):
        named = " and ".join([", ".join(f'"{each}"' for each in known[:-1]), f'"{known[-1]}"'])
        raise _refuse(lines, key, value, f"a table with {named}")
    for name in value:
        if name not in known:
            problem = unknown_name(f"key of '{key}'", name, list(known))
            raise UsageError(f"{lines.place(f'{key}.{name}')}: {problem}")
    return value


def _thresholds(lines: _Lines, key: str, value: object, above: str = "") -> dict[str, float]:
    if not isinstance(value, dict):
        raise _refuse(lines, key, value, 'ids with numbers, such as "pcl" = 0.6')
    found: dict[str, float] = {}
    for name, inner in value.items():
        full = f"{above}.{name}" if above else name
        if isinstance(inner, dict):  # pcl.metaphor without quotes is a table in a table
            found |= _thresholds(lines, f"{key}.{name}", inner, full)
        else:
            found[full] = _share(lines, f"thresholds.{full}", inner)
    return found


def _project_terms(lines: _Lines, key: str, value: object) -> ProjectTerms:
    value = _table(lines, key, value, ("level", "add", "allow"))
    level, add, allow = value.get("level"), value.get("add", []), value.get("allow", [])
    if level is not None:
        level = _one_of(TERMS)(lines, "terms.level", level)
    allowed = _texts(lines, "terms.allow", allow) if allow != [] else ()
    if not isinstance(add, list):
        raise _refuse(lines, "terms.add", add, "tables, each below [[terms.add]]")
    if add:
        from tactful.terms.schema import term_problems

        problems = [f"term {number + 1}: {said}" for number, said in term_problems(add)]
        if problems:
            listing = "\n  ".join(problems)
            raise UsageError(f"{lines.place('terms.add')}: cannot use 'terms.add':\n  {listing}")
    return ProjectTerms(level, json.dumps(add), allowed)


def _project_rewrite(lines: _Lines, key: str, value: object) -> ProjectRewrite:
    table = _table(lines, key, value, list(ProjectRewrite.__dataclass_fields__))
    found = {name: _text(lines, f"rewrite.{name}", inner) for name, inner in table.items()}
    variable = found.get("key_variable")
    if variable is not None and not variable.startswith(KEY_PREFIX):
        expected = f"a name that begins with {KEY_PREFIX}; pass any other with --key-variable"
        raise _refuse(lines, "rewrite.key_variable", variable, expected)
    return ProjectRewrite(**found)


_READERS: dict[str, Reader] = {
    "preset": _one_of(PRESETS),
    "model": _text,
    "lang": _one_of(LANGUAGES),
    "only": _texts,
    "least": _share,
    "fail_on": _share,
    "format": _one_of(RENDERERS),
    "exclude": _texts,
    "include": _endings,
    "explain": _truth,
    "explanations": _truth,
    "frames": _one_of(FRAMES),
    "quotes": _one_of(QUOTES),
    "terms": _project_terms,
    "rewrite": _project_rewrite,
    "baseline": _text,
    "thresholds": _thresholds,
}
KEYS = tuple(_READERS)


def _model(value: str, folder: Path) -> str:
    # A path in a file is meant from that file, wherever the command is started.
    return value if is_detector_name(value, folder) else str(folder / Path(value).expanduser())


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            f"{path}: found bytes that are not UTF-8; expected TOML; save it as UTF-8."
        ) from None
