"""The files of DETESTS 2022: a row per sentence with its labels, and one per annotator.

Labels are in ``train.csv``, what each annotator said is in ``train_annotators.csv``. No row
contradicts the hierarchy of the paper (section 4.1.1): a category implies a stereotype, and a
stereotype has at least one category. Changes that this needs are counted as losses.
"""

from collections import Counter
from pathlib import Path

from tactful.annotation.formats.annotated import Judged, Source
from tactful.annotation.formats.cells import write_table
from tactful.annotation.formats.complete_items import YesNo, complete_items, lost_unfinished
from tactful.annotation.formats.losses import NO_PLACE, Loss, Lost, losses
from tactful.corpora.detests import CATEGORIES, LABELS, label_id
from tactful.detectors.stereotype_labels import consistent
from tactful.errors import UsageError

SENTENCES = "train.csv"
ANNOTATORS = "train_annotators.csv"
_PLACE = ("comment_id", "sentence_pos", "reply_to")
_ROOT = "stereotype"
_ORPHAN = "a category and without a stereotype"
_BARE = "a stereotype and without a category"
_VOID = "implicitness and without a stereotype"
_UNSEEN = "categories by people who saw no stereotype"
_UNCLEAR = ("sentences without a clear label", "their cells are empty")
_WHY = {
    _ORPHAN: "a category implies it: 'stereotype' became 1",
    _BARE: "it has at least one: 'others' became 1",
    _VOID: "'implicitness' became 0",
    _UNSEEN: "they had to choose one in the second stage; written as 0",
}

Cells = dict[str, int | None]


def write_detests(source: Source, folder: Path) -> list[Loss]:
    """Write the sentences with their labels, and all judgements that count."""
    flags = YesNo(source.protocol)
    if not flags.knows(_ROOT):
        raise UsageError(
            f"The protocol '{source.protocol.id}' does not ask for a stereotype, which the format "
            "'detests' needs; choose another format."
        )
    sentences: list[list[object]] = []
    annotators: list[list[object]] = []
    unfinished = lost_unfinished(source, "sentences", "labels that may still change are empty")
    lost: Lost = Counter({unfinished: 0, _UNCLEAR: 0})
    for item in complete_items(source):
        place = [item.meta.get(name) for name in _PLACE]
        lost[unfinished] += item.unfinished
        lost["sentences without 'comment_id'", "their own id is used"] += not place[0]
        lost["further columns", NO_PLACE] += len(set(item.meta) - set(_PLACE))
        labels: Cells = {name: flags.label(label_id(name), item.labelled).value for name in LABELS}
        labels = _closed(labels, "labels of sentences with ", lost)
        lost[_UNCLEAR] += labels[_ROOT] is None and not item.unfinished
        sentences.append([item.id, place[0] or item.id, *place[1:], item.text, *labels.values()])
        for person, judged in item.people.items():
            annotators.append([item.id, person, *_given(flags, judged, lost).values()])
    header = ["sentence_id", *_PLACE, "sentence", *LABELS]
    write_table(source, folder / SENTENCES, header, sentences, lost)
    header = ["sentence_id", "annotator", *LABELS]
    write_table(source, folder / ANNOTATORS, header, annotators, lost)
    known = {label_id(name) for name in LABELS}
    carried = ("people", "labels", "decisions", "meta")
    return losses(source, carried, lambda _step, asked: bool(flags.asks(asked) & known), lost)


def _given(flags: YesNo, judged: list[Judged], lost: Lost) -> Cells:
    """Return what one person said.

    Who saw no stereotype in the first stage may have met the sentence again in the second, where a
    category must be chosen: that is no change of mind.
    """
    cells: Cells = {name: flags.given(label_id(name), judged) for name in LABELS}
    if cells[_ROOT] is None:
        return cells  # they were asked in the second stage only
    if cells[_ROOT] == 0:
        first = [each for each in judged if flags.given(_ROOT, [each]) is not None]
        own: Cells = {name: flags.given(label_id(name), first) for name in LABELS}
        unseen = any(cells[name] == 1 and own[name] is None for name in CATEGORIES)
        lost[_UNSEEN, _WHY[_UNSEEN]] += unseen
        cells = own
    return _closed(cells, "answers of people with ", lost)


def _closed(cells: Cells, whose: str, lost: Lost) -> Cells:
    """Return the same cells, or what follows from them by the hierarchy; count what changes.

    Where there is no stereotype, what was not asked is 0, as the authors write it.
    """
    chosen = [cells[name] for name in CATEGORIES]
    has_category = 1 in chosen
    if not has_category and (cells[_ROOT] is None or (cells[_ROOT] == 1 and None in chosen)):
        return cells  # too little is known for a contradiction
    given = {label_id(name) for name, value in cells.items() if value == 1}
    right = consistent(given)
    if right != given:
        what = _ORPHAN if has_category else _BARE if cells[_ROOT] else _VOID
        lost[whose + what, _WHY[what]] += 1
    fills = label_id(_ROOT) not in right
    return {
        name: 1 if label_id(name) in right else 0 if fills or value is not None else None
        for name, value in cells.items()
    }
