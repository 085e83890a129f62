"""The files of DETESTS 2022: a row per sentence with its labels, and one per annotator.

Labels are in ``train.csv``, what each annotator said is in ``train_annotators.csv``.
"""

from pathlib import Path

from tactful.annotation.formats.annotated import Judged, Source
from tactful.annotation.formats.cells import write_csv
from tactful.annotation.formats.losses import Loss, losses
from tactful.annotation.formats.running import warn_running
from tactful.annotation.formats.whole import YesNo, whole_items
from tactful.corpora.detests import LABELS, label_id
from tactful.errors import UsageError

SENTENCES = "train.csv"
ANNOTATORS = "train_annotators.csv"
_PLACE = ("comment_id", "sentence_pos", "reply_to")


def write_detests(source: Source, folder: Path) -> list[Loss]:
    """Write the sentences with their labels, and all judgements that count."""
    flags = YesNo(source.protocol)
    if not flags.knows("stereotype"):
        raise UsageError(
            f"The protocol '{source.protocol.id}' does not ask for a stereotype, which the format "
            "'detests' is about; choose another format."
        )
    sentences: list[list[object]] = []
    annotators: list[list[object]] = []
    unclear = alone = others = 0
    for item in whole_items(source):
        labels = _filled([flags.label(label_id(name), item.steps).value for name in LABELS])
        unclear += labels[0] is None
        place = [item.meta.get(name) for name in _PLACE]
        alone += not place[0]
        others += len(set(item.meta) - set(_PLACE))
        sentences.append([item.id, place[0] or item.id, *place[1:], item.text, *labels])
        for person, judged in item.people().items():
            annotators.append([item.id, person, *_filled(_given(flags, judged))])
    header = ["sentence_id", *_PLACE, "sentence", *LABELS]
    running = write_csv(folder / SENTENCES, header, sentences, source.spreadsheet)
    running += write_csv(
        folder / ANNOTATORS, ["sentence_id", "annotator", *LABELS], annotators, source.spreadsheet
    )
    known = {label_id(name) for name in LABELS}
    carried = ("people", "labels", "decisions", "meta")
    found = losses(source, carried, lambda _step, question: bool(flags.asks(question) & known))
    said = [
        ("sentences without a clear label", unclear, "their cells are empty"),
        ("sentences without 'comment_id'", alone, "their own id stands there"),
        ("further columns", others, "the format has no place for them"),
    ]
    return found + [Loss(*each) for each in said if each[1]] + warn_running(source, running)


def _given(flags: YesNo, judged: list[Judged]) -> list[int | None]:
    return [flags.given(label_id(name), judged) for name in LABELS]


def _filled(values: list[int | None]) -> list[int | None]:
    """Where there is no stereotype, what was not asked is 0, as the authors write it."""
    return [0 if value is None else value for value in values] if values[0] == 0 else values
