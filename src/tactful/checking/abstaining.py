"""``tactful check --abstain``: findings that are too unsure are left out.

The limits of an id come from texts with known answers: of the next texts without the id, at most a
share of ``error`` has a higher probability than ``no_up_to`` (conformal prediction,
:mod:`tactful.metrics.selective`). ``tactful evaluate corpus --limits`` writes the file.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tactful.checking.report import Kind, Outcome, PlacedFinding, Unread
from tactful.detectors.base import GATES
from tactful.detectors.card import Card
from tactful.errors import FileFormatError, UsageError
from tactful.files import atomic_path

SCHEMA = "tactful/limits/1"
MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Limit:
    """From where on an answer to one id can be ruled out.

    Parameters
    ----------
    no_up_to, yes_from
        The answers "no" and "yes" cannot be ruled out up to and from these probabilities.
    items
        How many texts with the answer no, and with yes, the limits come from.

    """

    no_up_to: float
    yes_from: float
    items: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one detector.

    Parameters
    ----------
    detector, lang
        The detector's name with its version, and its language.
    source
        Where the texts come from.
    error
        The share of right answers that may be ruled out.
    by_id
        The limits of each id.

    """

    detector: str
    lang: str
    source: str
    error: float
    by_id: dict[str, Limit]

    def write(self, path: Path, force: bool = False) -> None:
        """Write the limits as JSON."""
        ids = {
            name: {"no_up_to": each.no_up_to, "yes_from": each.yes_from, "items": each.items}
            for name, each in self.by_id.items()
        }
        about = {"detector": self.detector, "lang": self.lang, "source": self.source}
        data = {"schema": SCHEMA, **about, "error": self.error, "ids": ids}
        with atomic_path(path, force) as target:
            target.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


class Abstaining:
    """Leaves unsure kinds of findings out of reports.

    Parameters
    ----------
    paths
        Files of limits; two of one language and id are refused.
    cards
        The cards of the detectors that may be used: the limits must be theirs.

    """

    def __init__(self, paths: Sequence[Path], cards: Sequence[Card]):
        self._limits: dict[tuple[str, str], Limit] = {}
        models = {card.lang: card.model for card in cards}
        for path in paths:
            found = read_limits(path)
            if models.get(found.lang) != found.detector:
                raise UsageError(
                    f"{path}: found limits of the detector '{found.detector}'; expected those of "
                    f"{', '.join(models.values())}; write them with "
                    "'tactful evaluate corpus --limits', or choose its --model."
                )
            for name, limit in found.by_id.items():
                if (found.lang, name) in self._limits:
                    raise UsageError(
                        f"{path}: found limits of '{name}', which another --abstain file has, "
                        "too; give each id once."
                    )
                self._limits[found.lang, name] = limit

    def filter(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Yield the outcomes without the kinds that are unsure."""
        for outcome in outcomes:
            if isinstance(outcome, Unread):
                yield outcome
                continue
            left = outcome.keeping(self._is_sure)
            yield replace(left, unsure=len(outcome.findings) - len(left.findings))

    def _is_sure(self, finding: PlacedFinding, kind: Kind) -> bool:
        limit = self._limits.get((finding.passage.lang, kind.id))
        if limit is not None and kind.probability <= limit.no_up_to:
            return False
        # A category of PCL is not reported without PCL.
        gates = (each for each in finding.kinds if each.id == kind.parent and each.id in GATES)
        return all(self._is_sure(finding, gate) for gate in gates)


def read_limits(path: Path) -> Limits:
    """Read a file of limits; anything else is a :class:`FileFormatError`."""
    if not path.is_file():
        raise UsageError(
            f"There is no file '{path}' for --abstain; write one with "
            "'tactful evaluate corpus --limits'."
        )
    if path.stat().st_size > MOST_BYTES:
        raise _no_limits(path, f"more than {MOST_BYTES:,} bytes")
    try:
        data: Any = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise _no_limits(path, f"something that is not JSON ({error})") from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise _no_limits(path, f"the schema {str(schema)[:60]!r}")
    try:
        by_id = {str(name): _limit(each) for name, each in data["ids"].items()}
        detector, lang, source = (data[name] for name in ("detector", "lang", "source"))
        if not all(isinstance(each, str) for each in (detector, lang, source)):
            raise ValueError("a detector, language or source that is not a text")
        return Limits(detector, lang, source, _share(data["error"]), by_id)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _no_limits(path, f"unusable limits ({error})") from None


def _limit(each: Any) -> Limit:
    no, yes = (int(number) for number in each["items"])
    return Limit(_share(each["no_up_to"]), _share(each["yes_from"]), (no, yes))


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{value!r} is not a number from 0 to 1")
    return float(value)


def _no_limits(path: Path, found: str) -> FileFormatError:
    return FileFormatError(
        f"{path}: found {found}; expected the limits of a detector with the schema '{SCHEMA}'; "
        "write them with 'tactful evaluate corpus --limits'."
    )
