"""Load protocols: built-in ones by name, your own by path, with the line of every problem."""

import os
import re
from functools import cache
from pathlib import Path

from tactful.annotation.protocol.questions import read_questions
from tactful.annotation.protocol.records import Protocol, Quality, Question, WellBeing
from tactful.annotation.protocol.schema import Part, open_protocol, shown
from tactful.annotation.protocol.steps import read_steps
from tactful.errors import FileFormatError
from tactful.files import atomic_path
from tactful.registry import unknown_name

PROTOCOLS: tuple[str, ...] = ("pcl", "unhealthy", "frames", "stereotypes")

_FOLDER = Path(__file__).parents[1] / "protocols"
_LANG = re.compile(r"[a-z]{2,3}(-[A-Z]{2})?")
_GUIDELINE_FILE = re.compile(r"[\w-][\w.-]*\.md")
_MOST_GUIDELINE = 200_000
_LEASE = (1.0, 7 * 24 * 60.0)
"""Minimum and maximum in minutes."""


def load_protocol(name_or_path: str | os.PathLike[str]) -> Protocol:
    """Load a built-in protocol by its name, or your own from a YAML file."""
    if isinstance(name_or_path, str):
        if name_or_path in PROTOCOLS:
            return _built_in(name_or_path)
        if not _is_path(name_or_path):
            raise unknown_name("protocol", name_or_path, list(PROTOCOLS))
    return read_protocol(Path(name_or_path))


def read_protocol(path: Path) -> Protocol:
    """Read a protocol from a YAML file; all problems are one error."""
    part = open_protocol(path)
    part.allow(Protocol)
    lang = part.text("lang", None)
    if lang and not _LANG.fullmatch(lang):
        part.problem(
            "lang", f"{shown(lang)} as 'lang'", "a language such as 'en' or 'es'", "correct it"
        )
    protocol = Protocol(
        id=part.id(),
        name=part.text("name", None),
        version=part.text("version", None),
        lang=lang,
        summary=part.text("summary", None),
        source=part.text("source", None),
        steps=read_steps(part, lang),
        guideline=_guideline(part, path),
        quality=_quality(part),
        wellbeing=_wellbeing(part),
        traits=_traits(part, lang),
        lease_minutes=part.number("lease_minutes", 30.0, *_LEASE) or 30.0,
        data=part.data,
    )
    part.notes.raise_if_any()
    return protocol


def copy_protocol(name_or_path: str | os.PathLike[str], path: Path) -> Path:
    """Copy a protocol to ``path``, with its guideline beside it, and return ``path``.

    A file with problems is not copied.
    """
    load_protocol(name_or_path)
    source = _FOLDER / f"{name_or_path}.yaml" if name_or_path in PROTOCOLS else Path(name_or_path)
    guideline = open_protocol(source).data.get("guideline", "")
    if _GUIDELINE_FILE.fullmatch(str(guideline).strip()):
        name = str(guideline).strip()
        with atomic_path(path.parent / name) as temporary:
            temporary.write_bytes((source.parent / name).read_bytes())
    with atomic_path(path) as temporary:
        temporary.write_bytes(source.read_bytes())
    return path


@cache
def _built_in(name: str) -> Protocol:
    return read_protocol(_FOLDER / f"{name}.yaml")


def _is_path(name: str) -> bool:
    return name.lower().endswith((".yaml", ".yml")) or "/" in name or os.sep in name


def _guideline(part: Part, path: Path) -> str:
    """Return the guideline as Markdown, from the file itself or one beside it."""
    text = part.text("guideline")
    if "\n" in text or not text.endswith(".md"):
        return text
    beside = path.parent / text
    try:
        if not _GUIDELINE_FILE.fullmatch(text):
            raise FileNotFoundError
        with beside.open(encoding="utf-8-sig") as file:
            found = file.read(_MOST_GUIDELINE + 1)
    except (OSError, UnicodeDecodeError):
        part.problem(
            "guideline",
            f"the guideline {shown(text)}",
            "the name of a file with UTF-8 text in the folder of the protocol",
            "put it there or correct the name",
        )
        return ""
    if len(found) > _MOST_GUIDELINE:
        raise FileFormatError(
            f"{beside}: found more than {_MOST_GUIDELINE:,} characters; expected a "
            "readable page; shorten it."
        )
    return found


def _quality(part: Part) -> Quality:
    given = part.part("quality")
    if given is None:
        return Quality()
    given.allow(Quality)
    quality = Quality(
        page=given.whole("page", 1, 1, 100) or 1,
        tests=given.whole("tests", 0, 0, 99) or 0,
        least_trust=given.number("least_trust", None, 0.0, 1.0),
        least_tests=given.whole("least_tests", 5, 1, 1000) or 5,
        rows_remain_finalized=given.flag("rows_remain_finalized", False),
    )
    page_is_known = isinstance(given.data.get("page", 1), int)
    if page_is_known and 0 < quality.tests >= quality.page:
        given.problem(
            "tests",
            f"{quality.tests} tests on a page of {quality.page}",
            "fewer tests than items on a page",
            "correct one of them",
        )
    if quality.least_trust is not None and not quality.tests:
        given.problem(
            "least_trust",
            "'least_trust' without tests",
            "hidden tests that trust is measured by",
            "add 'tests' or remove it",
        )
    return quality


def _wellbeing(part: Part) -> WellBeing:
    given = part.part("wellbeing")
    if given is None:
        return WellBeing()
    given.allow(WellBeing)
    return WellBeing(
        consent=given.text("consent"),
        blur=given.flag("blur", True),
        most_per_day=given.whole("most_per_day", None, 1),
        break_after=given.whole("break_after", None, 1, 24 * 60),
        help=given.text("help"),
    )


def _traits(part: Part, lang: str) -> tuple[Question, ...]:
    traits = read_questions(part, "traits", lang, required=False)
    for place, trait in enumerate(traits):
        if trait.required:
            part.notes.add(
                ("traits", place, "required"),
                f"the trait '{trait.id}' as required",
                "an optional trait",
                "remove 'required'",
            )
        if trait.kind == "spans":
            part.notes.add(
                ("traits", place, "kind"),
                f"spans for the trait '{trait.id}'",
                "a question about a person",
                "choose another kind",
            )
    return traits
