"""New items from a corpus, and their order by the uncertainty of a detector."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tactful.annotation.answers.corpus import CorpusAnswers
from tactful.annotation.project.exchange import NewItem
from tactful.errors import InputError
from tactful.registry import unknown_name
from tactful.types import Example

if TYPE_CHECKING:
    from tactful.detectors.base import Detector


def items_of_corpus(
    examples: Iterable[Example], place: str, answers: CorpusAnswers | None = None
) -> list[NewItem]:
    """Return the texts of a corpus with their context and without labels.

    With ``answers`` they come with the judgements of the corpus' annotators. A sentence of a
    comment has the whole comment beside it (``comment``), and the one that it answers
    (``thread``): the comments of DETESTS were presented with their thread (section 4). A post of
    SBIC has its source (``source``; Sap et al. 2020, figure 4).
    """
    items: list[NewItem] = []
    comments: dict[str, list[str]] = {}
    for example in examples:
        if "comment_id" in example.meta:
            comments.setdefault(example.group, []).append(example.text)
        meta = {name: value for name, value in example.meta.items() if name != "label"}
        meta |= {"corpus": example.corpus, "group": example.group}
        if example.split is not None:
            meta["split"] = example.split
        given = () if answers is None else answers.of(example)
        context = {"source": source} if (source := meta.get("dataSource")) else {}
        items.append(NewItem(example.id, example.text, context, meta, answers=given, place=place))
    return [_with_context(item, comments) for item in items] if comments else items


def _with_context(item: NewItem, comments: Mapping[str, Sequence[str]]) -> NewItem:
    if "comment_id" not in item.meta:
        return item
    context = {"comment": " ".join(comments[item.meta["group"]])}
    asked = item.meta.get("reply_to")
    if asked is not None and asked != item.meta["group"] and asked in comments:
        context["thread"] = " ".join(comments[asked])
    return replace(item, context=context)


def uncertain_first(
    items: Sequence[NewItem], detector: "Detector", only: Sequence[str] = ()
) -> list[NewItem]:
    """Return the items with a priority from 0 to 1: the uncertainty of a detector.

    It is 1 where the probability of a finding is one half, and 0 where all are 0 or 1. ``only``
    names the findings to use.
    """
    texts = [item.text for item in items]
    scores = detector.score(texts)
    names = list(only) or list(scores)
    for name in names:
        if name not in scores:
            raise unknown_name("finding of this detector", name, list(scores))
    if not names or not items:
        raise InputError("Found nothing to order; expected texts, and a detector that scores them.")
    table = np.stack([np.asarray(scores[name], dtype=np.float64) for name in names])
    # A missing score says nothing about the difficulty of a text: it comes last.
    unsure = np.nan_to_num(1 - np.abs(2 * table - 1), nan=0.0).max(axis=0)
    return [
        replace(item, priority=round(float(each), 6))
        for item, each in zip(items, unsure, strict=True)
    ]
