"""The files of the Unhealthy Comment Corpus: one row per comment, and one per judgement.

Labels and confidences are in ``train.csv``, every judgement is in ``unhealthy_full.csv``.
"""

from datetime import UTC, datetime
from pathlib import Path

from tactful.annotation.formats.annotated import Source
from tactful.annotation.formats.cells import warn_running, write_csv
from tactful.annotation.formats.complete_items import (
    CompleteItem,
    YesNo,
    complete_items,
    lost_unfinished,
)
from tactful.annotation.formats.losses import Loss, losses
from tactful.corpora.ucc import ATTRIBUTES
from tactful.errors import UsageError

COMMENTS = "train.csv"
JUDGEMENTS = "unhealthy_full.csv"
_UNFAIR = "generalisation_unfair"


def write_ucc(source: Source, folder: Path) -> list[Loss]:
    """Write the comments that are finished and whose labels are clear, and all judgements."""
    flags = YesNo(source.protocol)
    if not flags.knows("unhealthy") and not flags.knows("healthy"):
        raise UsageError(
            f"The protocol '{source.protocol.id}' does not ask whether a comment is healthy, which "
            "the format 'ucc' needs; choose another format."
        )
    writing = _Writing(flags)
    comments, judgements = [], []
    unfinished = 0
    for item in complete_items(source):
        unfinished += item.unfinished
        row = writing.comment(item) if source.unfinished or not item.unfinished else None
        if row is not None:
            comments.append(row)
        judgements += writing.judgements(item)
    header = [cell for name in ATTRIBUTES for cell in (_spelt(name, "antagonize"),
              f"{_spelt(name, 'antagonize')}:confidence")]  # fmt: skip
    running = write_csv(
        folder / COMMENTS,
        ["_unit_id", "_trusted_judgments", "comment", *header],
        comments,
        source.spreadsheet,
    )
    names = [_spelt(name, "antagonise") for name in ATTRIBUTES]
    running += write_csv(
        folder / JUDGEMENTS,
        ["_unit_id", "_created_at", "_started_at", "_trust", "_worker_id", *names, "comment"],
        judgements,
        source.spreadsheet,
    )
    carried = ("people", "labels", "confidence", "trust", "times")
    known = {_id(flags, name) for name in ATTRIBUTES}
    found = losses(source, carried, lambda _step, question: bool(flags.asks(question) & known))
    found += lost_unfinished(source, "comments", unfinished, f"they are in {JUDGEMENTS} only")
    return found + writing.lost() + warn_running(source, running)


def _id(flags: YesNo, name: str) -> str:
    """Return the id of an attribute; 'healthy' is asked as it is or as its opposite."""
    if name == "healthy":
        return "healthy" if flags.knows("healthy") else "unhealthy"
    return f"unhealthy.{name}"


def _spelt(name: str, antagonistic: str) -> str:
    return antagonistic if name == "antagonistic" else name


class _Writing:
    def __init__(self, flags: YesNo):
        self.flags = flags
        self.unclear = self.unsure = self.untested = 0

    def comment(self, item: CompleteItem) -> list[object] | None:
        """Return the row of a comment; None where a label is unclear."""
        cells: list[object] = []
        votes = unsure = 0
        harmless = False
        for name in ATTRIBUTES:
            flag = self.flags.label(_id(self.flags, name), item.labelled)
            value, sure = flag.value, flag.confidence
            if name == "generalisation":
                harmless = value == 0
            if value is None and name == _UNFAIR and harmless:
                value, sure = 0, 1.0  # not asked; the authors write 0
            elif value is not None and sure is None:
                sure, unsure = 1.0, unsure + 1
            if value is None:
                self.unclear += 1
                return None
            votes = max(votes, flag.votes)
            cells += [self._turned(name, value), sure]
        self.unsure += unsure
        return [item.id, max(votes, 1), item.text, *cells]

    def judgements(self, item: CompleteItem) -> list[list[object]]:
        """Return a row for each person."""
        rows: list[list[object]] = []
        for person, judged in item.people().items():
            trust = judged[-1].trust
            self.untested += trust is None
            values = [
                self._turned(name, self.flags.given(_id(self.flags, name), judged))
                for name in ATTRIBUTES
            ]
            at, seconds = judged[-1].at, judged[-1].seconds
            started = None if at is None or seconds is None else at - seconds
            rows.append(
                [item.id, _time(at), _time(started), 1.0 if trust is None else trust, person,
                 *values, item.text]
            )  # fmt: skip
        return rows

    def _turned(self, name: str, value: int | None) -> int | None:
        turned = name == "healthy" and not self.flags.knows("healthy")
        return 1 - value if turned and value is not None else value

    def lost(self) -> list[Loss]:
        """Report what was left out or filled in."""
        said: list[tuple[str, int, str]] = [
            ("comments without a clear label", self.unclear, f"they are in {JUDGEMENTS} only"),
            ("labels without a confidence", self.unsure, "1.0 is written"),
            ("judgements of people without a test", self.untested, "1.0 is written as their trust"),
        ]
        return [Loss(*each) for each in said if each[1]]


def _time(at: float | None) -> str | None:
    if at is None:
        return None
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment.month}/{moment.day}/{moment.year} {moment:%H:%M:%S}"
