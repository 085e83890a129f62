"""The files of the Unhealthy Comment Corpus: one row per comment, and one per judgement.

Labels and confidences are in ``train.csv``, every judgement is in ``unhealthy_full.csv``.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from tactful.annotation.formats.annotated import Source
from tactful.annotation.formats.cells import write_table
from tactful.annotation.formats.complete_items import (
    CompleteItem,
    YesNo,
    complete_items,
    lost_unfinished,
)
from tactful.annotation.formats.losses import Loss, Lost, losses
from tactful.corpora.ucc import ATTRIBUTES
from tactful.errors import UsageError

COMMENTS = "train.csv"
JUDGEMENTS = "unhealthy_full.csv"
_ELSEWHERE = f"they are in {JUDGEMENTS} only"
_UNCLEAR = ("comments without a clear label", _ELSEWHERE)
_UNSURE = ("labels without a confidence", "1.0 is written")
_UNTESTED = ("judgements of people without a test", "1.0 is written as their trust")
_UNFAIR = "generalisation_unfair"


def write_ucc(source: Source, folder: Path) -> list[Loss]:
    """Write the comments that are finished and whose labels are clear, and all judgements."""
    flags = YesNo(source.protocol)
    if not flags.knows("unhealthy") and not flags.knows("healthy"):
        raise UsageError(
            f"The protocol '{source.protocol.id}' does not ask whether a comment is healthy, which "
            "the format 'ucc' needs; choose another format."
        )
    comments: list[list[object]] = []
    judgements: list[list[object]] = []
    unfinished = lost_unfinished(source, "comments", _ELSEWHERE)
    lost: Lost = Counter(dict.fromkeys((unfinished, _UNCLEAR, _UNSURE, _UNTESTED), 0))
    for item in complete_items(source):
        lost[unfinished] += item.unfinished
        row = _comment(flags, item, lost) if source.unfinished or not item.unfinished else None
        if row is not None:
            comments.append(row)
        judgements += _judgements(flags, item, lost)
    names = [_spelt(name, "antagonize") for name in ATTRIBUTES]
    header = ["_unit_id", "_trusted_judgments", "comment"]
    header += [cell for name in names for cell in (name, f"{name}:confidence")]
    write_table(source, folder / COMMENTS, header, comments, lost)
    names = [_spelt(name, "antagonise") for name in ATTRIBUTES]
    header = ["_unit_id", "_created_at", "_started_at", "_trust", "_worker_id", *names, "comment"]
    write_table(source, folder / JUDGEMENTS, header, judgements, lost)
    carried = ("people", "labels", "confidence", "trust", "times")
    known = {_id(flags, name) for name in ATTRIBUTES}
    return losses(source, carried, lambda _step, asked: bool(flags.asks(asked) & known), lost)


def _id(flags: YesNo, name: str) -> str:
    """Return the id of an attribute; 'healthy' is asked as it is or as its opposite."""
    if name == "healthy":
        return "healthy" if flags.knows("healthy") else "unhealthy"
    return f"unhealthy.{name}"


def _spelt(name: str, antagonistic: str) -> str:
    return antagonistic if name == "antagonistic" else name


def _comment(flags: YesNo, item: CompleteItem, lost: Lost) -> list[object] | None:
    """Return the row of a comment; None where a label is unclear."""
    cells: list[object] = []
    votes = unsure = 0
    harmless = False
    for name in ATTRIBUTES:
        flag = flags.label(_id(flags, name), item.labelled)
        value, sure = flag.value, flag.confidence
        if name == "generalisation":
            harmless = value == 0
        if value is None and name == _UNFAIR and harmless:
            value, sure = 0, 1.0  # not asked; the authors write 0
        elif value is not None and sure is None:
            sure, unsure = 1.0, unsure + 1
        if value is None:
            lost[_UNCLEAR] += 1
            return None
        votes = max(votes, flag.votes)
        cells += [_turned(flags, name, value), sure]
    lost[_UNSURE] += unsure
    return [item.id, max(votes, 1), item.text, *cells]


def _judgements(flags: YesNo, item: CompleteItem, lost: Lost) -> Iterator[list[object]]:
    """Yield a row for each person."""
    for person, judged in item.people.items():
        at, seconds, trust = judged[-1].at, judged[-1].seconds, judged[-1].trust
        lost[_UNTESTED] += trust is None
        values = [
            _turned(flags, name, flags.given(_id(flags, name), judged)) for name in ATTRIBUTES
        ]
        started = None if at is None or seconds is None else at - seconds
        shown = 1.0 if trust is None else trust
        yield [item.id, _time(at), _time(started), shown, person, *values, item.text]


def _turned(flags: YesNo, name: str, value: int | None) -> int | None:
    turned = name == "healthy" and not flags.knows("healthy")
    return 1 - value if turned and value is not None else value


def _time(at: float | None) -> str | None:
    if at is None:
        return None
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment.month}/{moment.day}/{moment.year} {moment:%H:%M:%S}"
