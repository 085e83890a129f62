"""Participants whom a crowd platform sends by a link, as Prolific does.

The platform's link carries the participant's id; who has finished gets a completion code to take
back. The study may ask for countries and first languages: Sap et al. (2020, section 3) restrict
their workers to the U.S. and Canada.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import quote, urlsplit

from tactful.errors import InputError

CODE = "{code}"
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PARAMETER = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MOST = 100_000
SCREENED_SHARE = 10
"""How many times as many people as there are places may be screened out."""

_SAME_COUNTRY = (
    {"us", "usa", "unitedstates", "unitedstatesofamerica", "america", "eeuu", "estadosunidos"},
    {"gb", "uk", "unitedkingdom", "greatbritain", "britain", "reinounido"},
    {"ca", "canada"},
    {"au", "australia"},
    {"nz", "newzealand", "nuevazelanda"},
    {"ie", "ireland", "irlanda"},
    {"za", "southafrica", "sudafrica"},
    {"in", "india"},
    {"es", "spain", "espana"},
    {"mx", "mexico"},
    {"ar", "argentina"},
    {"cl", "chile"},
    {"co", "colombia"},
    {"pe", "peru"},
    {"br", "brazil", "brasil"},
    {"de", "germany", "deutschland", "alemania"},
    {"fr", "france", "francia"},
    {"it", "italy", "italia"},
    {"nl", "netherlands", "thenetherlands", "holland", "paisesbajos"},
    {"pt", "portugal"},
    {"pl", "poland", "polska", "polonia"},
)
_SAME_LANGUAGE = (
    {"en", "english", "ingles"},
    {"es", "spanish", "espanol", "castellano", "castilian"},
)
"""Names of the same country or language, as ``_plain`` returns them."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """The settings of a study on a crowd platform."""

    code: str
    """What those who have finished take back to the platform."""
    parameter: str = "PROLIFIC_PID"
    """The part of the link that has the participant's id."""
    back: str = "https://app.prolific.com/submissions/complete?cc={code}"
    """Where they go with the code; empty for nowhere."""
    screened_code: str = ""
    """What those who are screened out take back."""
    countries: tuple[str, ...] = ()
    """Accepted answers to the question for the country; all are accepted without any."""
    languages: tuple[str, ...] = ()
    """Accepted answers to the question for the first language."""
    most: int = 100
    """How many participants may take part."""

    def accepts(self, country: str, language: str) -> bool:
        """Say whether somebody may take part."""
        return _is_one(country, self.countries, _SAME_COUNTRY) and _is_one(
            language, self.languages, _SAME_LANGUAGE
        )

    def way_back(self, code: str) -> str:
        """Return the address on the platform for a code; empty if there is none."""
        return self.back.replace(CODE, quote(code)) if code else ""


def read_crowd(value: Mapping[str, Any] | None) -> Crowd | None:
    """Read the setting ``crowd``; None where no platform sends people."""
    if value is None:
        return None
    known = [each.name for each in fields(Crowd)]
    if not isinstance(value, Mapping):
        raise InputError(f"Found {value!r} for the setting 'crowd'; expected an object or null.")
    for name in value:
        if name not in known:
            raise InputError(
                f"Found '{name}' in the setting 'crowd'; expected only {', '.join(known)}."
            )
    for name in ("countries", "languages"):
        given = value.get(name, [])
        if not isinstance(given, list) or not all(isinstance(e, str) and _plain(e) for e in given):
            raise InputError(f"Found another value for '{name}'; expected a list of names.")
    made = Crowd(**{n: tuple(v) if isinstance(v, list) else v for n, v in value.items()})  # type: ignore[arg-type]
    _check(made)
    return made


def _check(crowd: Crowd) -> None:
    for name, pattern in (("parameter", _PARAMETER), ("code", _CODE), ("screened_code", _CODE)):
        given = getattr(crowd, name)
        if not isinstance(given, str) or not (
            pattern.fullmatch(given) or (name == "screened_code" and not given)
        ):
            raise InputError(f"Found {given!r} as '{name}'; expected letters, digits, '-' and '_'.")
    if type(crowd.most) is not int or not 1 <= crowd.most <= _MOST:
        raise InputError(f"Found {crowd.most!r} as 'most'; expected a number from 1 to {_MOST:,}.")
    if not isinstance(crowd.back, str) or (
        crowd.back and urlsplit(crowd.back).scheme not in ("https", "http")
    ):
        raise InputError(f"Found {crowd.back!r} as 'back'; expected an address with https.")


def is_participant(given: str) -> bool:
    """Say whether a text can be the id of a participant."""
    return _ID.fullmatch(given) is not None


def _is_one(given: str, accepted: tuple[str, ...], same: tuple[set[str], ...]) -> bool:
    if not accepted:
        return True
    plain = _plain(given)
    names = next((each for each in same if plain in each), {plain})
    return any(_plain(each) in names for each in accepted)


def _plain(text: str) -> str:
    """Return a text without case, accents, spaces and points: ``U.S.`` is ``us``."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if letter.isalnum())
