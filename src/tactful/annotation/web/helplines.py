"""Help lines by country, for the pages about getting help."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).with_name("helplines.yaml")
_REGION = re.compile(r"-([A-Za-z]{2})\b")


@dataclass(frozen=True, slots=True)
class Helpline:
    """One line, in the words of a language."""

    country: str
    """ISO 3166, two letters."""
    name: str
    """The name of the country."""
    service: str
    call: str
    also: str = ""

    @property
    def dial(self) -> str:
        """What a telephone dials."""
        return self.call.replace(" ", "")


def directory() -> str:
    """Return the address of a list for all countries."""
    return str(_read()["directory"])


def helplines(lang: str, wanted: str = "") -> list[Helpline]:
    """Return all lines by the name of their country, likely ones first.

    Parameters
    ----------
    lang
        The language of the page, ``en`` or ``es``.
    wanted
        The languages that the browser asks for (``Accept-Language``): ``es-MX`` puts Mexico first.

    """
    found = [
        Helpline(
            each["country"],
            each["names"][lang],
            each["service"],
            each["call"],
            each.get("also", {}).get(lang, ""),
        )
        for each in _read()["lines"]
    ]
    likely = [region.upper() for region in _REGION.findall(wanted)]
    return sorted(found, key=lambda line: (_place(line.country, likely), line.name))


def _place(country: str, likely: list[str]) -> int:
    return likely.index(country) if country in likely else len(likely)


@cache
def _read() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return found
