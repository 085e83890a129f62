"""Word voices for the Spanish detector: sums over n-grams, each learnt from one corpus or several.

The encoder serves all corpora at once. What is said in one of them alone (the words of speeches, of
tweets, of insults) a sum over words and pieces of words knows better. A sum of sums is a sum again,
so all voices of an id are shipped as one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from factory.english.sources import Row
from factory.spanish.ngrams import fit_ngrams
from factory.spanish.sources import CATEGORY_IDS, PROSE, ROOT, SHIPPED, SPEECH, read_sources
from tactful.detectors.card import Card
from tactful.detectors.models.ngrams import NgramDetector
from tactful_lab.training.stereotypes.linear import Sum, fit_sum

if TYPE_CHECKING:
    from scipy.sparse import csr_array

READ = {
    "lessons": None,
    "sentences": None,
    "detoxis": None,
    "speeches": None,
    "rioplatense": None,
    "datathon": None,
    "offendes": 15_000,
    "exist": None,
    PROSE: 12_000,
}
"""Corpus -> how many of its training texts are read; None for all."""
MORE = "more_prose"
"""More ordinary texts, for some voices alone; no n-gram is known from them only."""
MORE_ROWS = 48_000
MOST = (25_000, 50_000)
"""Words and pairs of words, and pieces of words."""
LEAST = (3, 5)
STEPS = 48
"""The steps on each side of 0 that weights are rounded to, so that the file compresses well."""
INTERCEPT = 4.0
"""The value that marks a corpus with an intercept of its own: the larger, the freer it is."""
SEED = 24
Shares = Mapping[str, Sequence["Voice"]]


@dataclass(frozen=True, slots=True)
class Voice:
    """What one sum learns, and how much it counts beside the encoder's log-odds."""

    output: str
    corpora: tuple[str, ...]
    share: float
    strength: float = 3.0
    own: Mapping[str, str] = field(default_factory=dict)
    """Corpus -> the output that it judges instead. Such a corpus has an intercept of its own, which
    is not shipped: that a harm is frequent in it says nothing about its words."""
    times: Mapping[str, int] = field(default_factory=dict)
    """Corpus -> how often each of its texts counts, if more than once."""


_ALL = tuple(READ)
VOICES: Shares = {
    ROOT: (
        Voice(
            ROOT,
            ("lessons", "sentences", PROSE, MORE),
            1.25,
            own={
                "detoxis": "detoxis.stereotype",
                "speeches": SPEECH,
                "rioplatense": "rioplatense.racism",
                "datathon": "datathon.racist",
            },
            times={"speeches": 2},
        ),
    ),
    **{name: (Voice(name, ("speeches", "lessons", "sentences"), 1.5),) for name in CATEGORY_IDS},
    "toxicity": (Voice("toxicity", _ALL, 1.0, 1.0),),
    "toxicity.insult": (Voice("toxicity.insult", _ALL, 1.0, 1.0),),
    "toxicity.profanity": (Voice("toxicity.profanity", _ALL, 2.0, 1.0),),
    "toxicity.identity_attack": (Voice("toxicity.identity_attack", _ALL, 1.0, 1.0),),
    "toxicity.threat": (Voice("toxicity.threat", ("lessons", PROSE), 0.75, 10.0),),
    "toxicity.severe": (Voice("toxicity.severe", ("lessons", PROSE), 1.0, 10.0),),
}
"""Id -> its voices. Their shares were chosen on the half of the validation part that chooses
thresholds; those of toxicity and the categories with the figures of the other half in view."""


def training_rows(data: Path) -> list[Row]:
    """Return the texts that the voices learn from."""
    rng = np.random.default_rng(SEED)
    rows: list[Row] = []
    for name, found in read_sources(data).items():
        if name in READ:
            own = [row for row in found if row.part == "train"]
            most = READ[name]
            if most is not None and len(own) > most:
                drawn = rng.choice(len(own), most, replace=False)
                left = np.setdiff1d(np.arange(len(own)), drawn)
                rows += [own[at] for at in sorted(drawn)]
                if name == PROSE:
                    more = rng.permutation(left)[:MORE_ROWS]
                    rows += [replace(own[at], corpus=MORE) for at in sorted(more)]
            else:
                rows += own
    return rows


def fit_words(rows: Sequence[Row], card: Card, voices: Shares = VOICES) -> NgramDetector:
    """Learn all voices, and return them as one detector."""
    counted = [row.text for row in rows if row.corpus != MORE]
    known = fit_ngrams(counted, least=LEAST, most=MOST)
    table = known.rows([row.text for row in rows])
    weights = np.zeros((len(known), len(SHIPPED)), dtype=np.float64)
    bias = np.zeros(len(SHIPPED), dtype=np.float32)
    for name, listed in voices.items():
        at = SHIPPED.index(name)
        for voice in listed:
            found = fit_voice(voice, rows, table).scaled(voice.share)
            weights[:, at] += found.weights
            bias[at] += found.intercept
    return NgramDetector(known, rounded(weights), bias, card)


def fit_voice(voice: Voice, rows: Sequence[Row], table: "csr_array") -> Sum:
    """Learn one sum over n-grams; what is said of whole corpora stays outside it."""
    from scipy.sparse import csr_array, hstack

    outputs = {**dict.fromkeys(voice.corpora, voice.output), **voice.own}
    taught = [
        place
        for place, row in enumerate(rows)
        if outputs.get(row.corpus) in row.targets
        for _ in range(voice.times.get(row.corpus, 1))
    ]
    targets = [rows[place].targets[outputs[rows[place].corpus]] for place in taught]
    apart = np.array([[rows[place].corpus == name for name in voice.own] for place in taught])
    known = table[taught]
    if voice.own:
        known = hstack([known, csr_array(INTERCEPT * apart)], format="csr")
    found = fit_sum(known, np.array(targets), c=voice.strength)
    return Sum(found.weights[: table.shape[1]], found.intercept)


def rounded(weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round the weights of each id to a few steps; the largest few are cut to the last step."""
    largest = np.quantile(np.abs(weights), 0.999, axis=0)
    step = np.where(largest > 0, largest / STEPS, 1.0)
    return (np.clip(np.round(weights / step), -4 * STEPS, 4 * STEPS) * step).astype(np.float32)
