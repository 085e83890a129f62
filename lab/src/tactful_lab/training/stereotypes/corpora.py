"""Training data from three Spanish corpora, with their annotators' shares, hints and contexts."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from tactful.corpora import load_corpus
from tactful.corpora.corpus import Corpus
from tactful.corpora.detests import CATEGORIES as DETESTS_CATEGORIES
from tactful.corpora.stereoimmigrants import CATEGORIES as STEREOIMMIGRANTS_CATEGORIES
from tactful.errors import InputError
from tactful.registry import unknown_name
from tactful.types import Example
from tactful_lab.training.stereotypes.data import (
    Context,
    StereotypeLesson,
    contexts_of,
    make_lesson,
    place_of,
)

ROOT = "stereotype"
DETESTS_IDS = (ROOT, *(f"stereotype.{name}" for name in DETESTS_CATEGORIES))
STEREOIMMIGRANTS_IDS = tuple(
    f"stereoimmigrants.{name}" for name in STEREOIMMIGRANTS_CATEGORIES.values()
)
DETESTS_HINTS = ("stereotype.implicit", "stereotype.racial_target")
DETOXIS_HINTS = ("detoxis.sarcasm", "detoxis.target_group", "detoxis.intolerance")
"""What comes nearest to implicitness and a target in this corpus."""
_ANTI = 2
"""StereoImmigrants' code of a sentence against immigrants."""


def read_lesson(name: str, data: Path | None) -> StereotypeLesson:
    """Read a corpus by name, from the data folder or from its own folder."""
    if name not in READERS:
        raise unknown_name("corpus of stereotypes", name, list(READERS))
    corpus = load_corpus(name, data)
    examples = [each for each in corpus.examples() if each.text.strip()]
    if not examples:
        raise InputError(f"{corpus.path}: found no text; expected those of {corpus.title}.")
    return READERS[name](corpus, examples)


def stereoimmigrants_lesson(corpus: Corpus, examples: Sequence[Example]) -> StereotypeLesson:
    """Return the sentences that the authors keep: the label, five categories and their shares."""
    kept = [each for each in examples if str(each.meta.get("left_out_by_authors")) != "1"]
    shares = []
    for each in kept:
        chosen = [j.value for j in each.judgements if j.question == "stereoimmigrants.category"]
        root = each.labels[ROOT]
        parts = [
            sum(value == number for value in chosen) / len(chosen)
            if chosen
            else each.labels[f"stereoimmigrants.{category}"]
            for number, category in STEREOIMMIGRANTS_CATEGORIES.items()
        ]
        shares.append([root, *parts])
    around = contexts_of(
        [each.text for each in kept],
        [each.group for each in kept],
        [place_of(str(each.meta.get("sentence_code", ""))) for each in kept],
        [each.id for each in kept],
        [None] * len(kept),
    )
    hints = {"stereoimmigrants.against": [_attitude(each) for each in kept]}
    about = _about(corpus, len(kept))
    return _lesson(kept, (ROOT, *STEREOIMMIGRANTS_IDS), around, hints, about, shares)


def detoxis_lesson(corpus: Corpus, examples: Sequence[Example]) -> StereotypeLesson:
    """Return the comments, by article; the context is the thread and what is replied to."""
    around = contexts_of(
        [each.text for each in examples],
        [str(each.meta.get("thread_id")) for each in examples],
        [(0, "")] * len(examples),
        [each.id for each in examples],
        [_text(each.meta.get("reply_to")) for each in examples],
    )
    hints, about = _hints(examples, DETOXIS_HINTS), _about(corpus, len(examples))
    return _lesson(examples, (ROOT,), around, hints, about)


def detests_lesson(corpus: Corpus, examples: Sequence[Example]) -> StereotypeLesson:
    """Return the labelled sentences of the training part, by comment."""
    kept = [each for each in examples if each.split != "test"]
    try:
        return detests_examples(kept, _about(corpus, len(kept)))
    except InputError as error:
        raise InputError(f"{corpus.path}: {error}") from None


def detests_examples(
    examples: Sequence[Example], about: Sequence[Mapping[str, object]] = ()
) -> StereotypeLesson:
    """Return the labelled ones of these sentences; all of them are context."""
    around = detests_contexts(examples)
    rows = [
        row for row, each in enumerate(examples) if all(name in each.labels for name in DETESTS_IDS)
    ]
    if not rows:
        raise InputError(
            "Found no labelled sentence to learn from; expected train.csv with the label and the "
            "ten categories."
        )
    kept = [examples[row] for row in rows]
    shares = [[_share(each, name) for name in DETESTS_IDS] for each in kept]
    contexts = [around[row] for row in rows]
    return _lesson(kept, DETESTS_IDS, contexts, _hints(kept, DETESTS_HINTS), about, shares)


def _lesson(
    examples: Sequence[Example],
    labels: Sequence[str],
    contexts: Sequence[Context],
    hints: Mapping[str, Sequence[float]],
    about: Sequence[Mapping[str, object]],
    shares: Sequence[Sequence[float]] | None = None,
) -> StereotypeLesson:
    return make_lesson(
        [each.text for each in examples],
        [[each.labels[name] for name in labels] for each in examples],
        labels,
        groups=[each.group for each in examples],
        shares=shares,
        contexts=contexts,
        hints=hints,
        about=about,
    )


def detests_contexts(examples: Sequence[Example]) -> tuple[Context, ...]:
    """Return the context of each sentence: its comment, and the comment replied to."""
    comments = [str(each.meta.get("comment_id")) for each in examples]
    return contexts_of(
        [each.text for each in examples],
        comments,
        [place_of(_text(each.meta.get("sentence_pos"))) for each in examples],
        comments,
        [_text(each.meta.get("reply_to")) for each in examples],
    )


READERS: dict[str, Callable[[Corpus, Sequence[Example]], StereotypeLesson]] = {
    "stereoimmigrants": stereoimmigrants_lesson,
    "detoxis": detoxis_lesson,
    "detests": detests_lesson,
}


def _share(each: Example, name: str) -> float:
    said = [j.value for j in each.judgements if j.question == name and j.value is not None]
    return sum(said) / len(said) if said else each.labels[name]


def _attitude(each: Example) -> float:
    said = [j.value for j in each.judgements if j.question == "stereoimmigrants.attitude"]
    return float(sum(value == _ANTI for value in said) * 2 > len(said)) if said else np.nan


def _hints(examples: Sequence[Example], names: Sequence[str]) -> dict[str, list[float]]:
    return {name: [each.labels.get(name, np.nan) for each in examples] for name in names}


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _about(corpus: Corpus, texts: int) -> list[dict[str, object]]:
    return [{"name": corpus.title, "terms": corpus.licence, "texts": texts}]
