"""Models that know nothing about people: the same prompts, scored by random numbers.

Prompts about different conditions are not independent. They share words ("who has a", "disorder"),
and stigmatized conditions have longer names than the others. A model without any training reacts
to both, so its groups differ more than shuffled labels suggest. Random models show how much more.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from tactful.audit.estimates.method import Method
from tactful.resampling import Numbers

_WORD = re.compile(r"\w+")

Scores = Mapping[str, Numbers]
"""Kind of random model -> scores: one row for each condition and a last one for the prompts that
name none, one column for each random model."""


HEAVY = 4
"""Degrees of freedom of Student's t, from which the weights of heavy-tailed random models come."""


def draw(rng: np.random.Generator, rows: int, method: Method, heavy: bool = False) -> Numbers:
    """Return random weights: one row for each thing that has a weight, one column for each model.

    Untrained networks react to some rare words much more strongly than to others, so that single
    conditions are further away than normal weights would have them. ``heavy`` weights are, too.
    """
    size = (rows, method.repetitions)
    return rng.standard_t(HEAVY, size=size) if heavy else rng.normal(size=size)


def null_scores(
    rows: pl.DataFrame, conditions: Sequence[str], method: Method, *, heavy: bool = False
) -> Scores:
    """Return what random models say to the prompts of a run.

    - ``words``: every word has a random weight, and a prompt's score is the mean weight of its
      words. Conditions that share words get similar scores.
    - ``lengths``: every number of words has a random score. Conditions of the same length get the
      same score.

    ``heavy`` models are for tests of single conditions (:func:`draw`), which means of groups hide.
    Prompts without a text, as in runs that were only replayed, have no random models.
    """
    asked = rows.filter(pl.col("negative").is_not_null() & pl.col("prompt").is_not_null())
    place = {name: at for at, name in enumerate([*conditions, None])}
    words: dict[str, int] = {}
    lengths: dict[int, int] = {}
    parts: dict[str, list[tuple[int, int, float]]] = {"words": [], "lengths": []}
    prompts = np.zeros(len(place))
    for condition, text in asked.select("condition", "prompt").sort("prompt").iter_rows():
        at = place[condition]
        found = _WORD.findall(text.casefold())
        if not found:
            continue
        prompts[at] += 1
        parts["lengths"].append((at, lengths.setdefault(len(found), len(lengths)), 1.0))
        for word, times in Counter(found).items():
            parts["words"].append((at, words.setdefault(word, len(words)), times / len(found)))
    if not words:
        return {}
    scores: dict[str, Numbers] = {}
    for stream, (name, size) in enumerate((("words", len(words)), ("lengths", len(lengths)))):
        table = np.zeros((len(place), size))
        rows_at, columns, weights = (np.array(each) for each in zip(*parts[name], strict=True))
        np.add.at(table, (rows_at, columns), weights)
        rng = np.random.default_rng([method.seed, stream, len(place)])
        means = table / np.where(prompts > 0, prompts, np.nan)[:, None]
        scores[name] = means @ draw(rng, size, method, heavy)
    return scores
