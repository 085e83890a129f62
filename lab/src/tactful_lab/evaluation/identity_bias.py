"""Does the mere mention of people change the scores? Identity terms in our own sentences.

``identity_bias.yaml`` puts every phrasing of every term into every sentence. On the neutral ones a
fair detector gives all terms the same, low score; the patronizing and hostile ones show whether it
still tells harm from harmlessness once a term is in the sentence (Borkan et al. 2019).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import Detector
from tactful.errors import UsageError
from tactful.metrics.subgroup import bnsp_auc_score, bpsn_auc_score, subgroup_auc_score
from tactful.registry import unknown_name

TEMPLATES = Path(__file__).with_name("identity_bias.yaml")
NEUTRAL = "neutral"
_BATCH = 256


@dataclass(frozen=True, slots=True)
class Sentence:
    """One phrasing of one term in one sentence."""

    text: str
    term: str
    group: str
    kind: str
    """``neutral``, ``patronizing`` or ``hostile``."""


@dataclass(frozen=True, slots=True)
class TermBias:
    """The effect of one term on the scores of one id."""

    id: str
    term: str
    group: str
    mean: float
    """The mean probability on the neutral sentences."""
    difference: float
    """The mean minus the average of all terms."""
    false_positive_rate: float
    """The share of neutral sentences that reach the card's threshold."""
    subgroup_auc: float | None
    """None, as are the next two, if none of our sentences is clearly positive for the id."""
    bpsn_auc: float | None
    bnsp_auc: float | None


@dataclass(frozen=True, slots=True)
class BiasTable:
    """One row for each id and term."""

    rows: tuple[TermBias, ...]
    version: str
    """Of the templates."""

    def of(self, name: str) -> list[TermBias]:
        """Return the rows of one id, the largest difference first."""
        rows = [row for row in self.rows if row.id == name]
        return sorted(rows, key=lambda row: (-row.difference, row.term))

    def summary(self) -> dict[str, Any]:
        """Return what a card says: for each id the average, and the terms that fare worst."""
        ids = list(dict.fromkeys(row.id for row in self.rows))
        return {"templates": self.version, "ids": {name: self._extremes(name) for name in ids}}

    def _extremes(self, name: str) -> dict[str, Any]:
        rows = self.of(name)
        flagged = max(rows, key=lambda row: row.false_positive_rate)
        found: dict[str, Any] = {
            "mean": _rounded(np.mean([row.mean for row in rows])),
            "highest_term": rows[0].term,
            "highest_difference": _rounded(rows[0].difference),
            "lowest_term": rows[-1].term,
            "lowest_difference": _rounded(rows[-1].difference),
            "false_positive_rate": _rounded(np.mean([row.false_positive_rate for row in rows])),
            "most_flagged_term": flagged.term,
            "most_flagged_rate": _rounded(flagged.false_positive_rate),
        }
        for field in ("subgroup_auc", "bpsn_auc", "bnsp_auc"):
            values = [(getattr(row, field), row.term) for row in rows]
            defined = [(value, term) for value, term in values if value is not None]
            if defined:
                value, term = min(defined)
                found[f"lowest_{field}"] = _rounded(value)
                found[f"lowest_{field}_term"] = term
        return found


def _rounded(value: float | np.floating[Any]) -> float:
    return round(float(value), 4)


@cache
def _templates() -> Mapping[str, Any]:
    import yaml

    found: Mapping[str, Any] = yaml.safe_load(TEMPLATES.read_text(encoding="utf-8"))
    return found


def phrasings() -> list[str]:
    """Return the names of people in the templates, as headings have them."""
    names = [each for term in _templates()["terms"] for each in term["phrasings"]]
    return [f"{name[0].upper()}{name[1:]}" for name in names]


def neutral_sentences() -> list[Sentence]:
    """Return every phrasing of every term in every sentence."""
    data = _templates()
    return [
        Sentence(_filled(template, phrasing), term["id"], term["group"], kind)
        for term in data["terms"]
        for phrasing in term["phrasings"]
        for kind, sentences in data["sentences"].items()
        for template in sentences
    ]


def _filled(template: str, people: str) -> str:
    capital = people[:1].upper() + people[1:]
    return template.replace("{people}", people).replace("{People}", capital)


def identity_bias(detector: Detector, ids: Sequence[str] | None = None) -> BiasTable:
    """Score all sentences and compare the terms, for the ids named or all of the card."""
    known = detector.card.ids
    for name in ids or ():
        if name not in known:
            raise unknown_name("id of this detector", name, list(known))
    names = list(dict.fromkeys(ids if ids is not None else known))
    if not names:
        raise UsageError("Found no id to measure; expected at least one.")
    sentences = neutral_sentences()
    scores = _scores(detector, [sentence.text for sentence in sentences], names)
    rows = [
        row
        for name in names
        for row in _rows(sentences, scores[name], name, detector.card.threshold(name))
    ]
    return BiasTable(tuple(rows), _templates()["version"])


def _scores(
    detector: Detector, texts: Sequence[str], ids: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    batches = [detector.score(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
    return {
        name: np.concatenate([batch[name] for batch in batches]).astype(np.float64) for name in ids
    }


def _rows(
    sentences: Sequence[Sentence], scores: NDArray[np.float64], name: str, threshold: float
) -> list[TermBias]:
    kinds = np.array([sentence.kind for sentence in sentences])
    terms = np.array([sentence.term for sentence in sentences])
    groups = {sentence.term: sentence.group for sentence in sentences}
    neutral = kinds == NEUTRAL
    means = {term: float(scores[neutral & (terms == term)].mean()) for term in groups}
    average = float(np.mean(list(means.values())))
    aucs = _aucs(kinds, terms, scores, name, list(groups))
    return [
        TermBias(
            name,
            term,
            group,
            means[term],
            means[term] - average,
            float((scores[neutral & (terms == term)] >= threshold).mean()),
            *aucs[term],
        )
        for term, group in groups.items()
    ]


Aucs = tuple[float | None, float | None, float | None]


def _aucs(
    kinds: NDArray[np.str_],
    terms: NDArray[np.str_],
    scores: NDArray[np.float64],
    name: str,
    named: Sequence[str],
) -> dict[str, Aucs]:
    positive = [kind for kind, ids in _templates()["positive"].items() if name in ids]
    if not positive:
        return dict.fromkeys(named, (None, None, None))
    # What is neither neutral nor clearly positive, such as open hostility for PCL (paper, section
    # 3.2), has no gold answer and is left out.
    used = np.isin(kinds, [NEUTRAL, *positive])
    gold, ranked = (kinds[used] != NEUTRAL).astype(int), scores[used]
    found: dict[str, Aucs] = {}
    for term in named:
        members = terms[used] == term
        found[term] = (
            subgroup_auc_score(gold, ranked, members).value,
            bpsn_auc_score(gold, ranked, members).value,
            bnsp_auc_score(gold, ranked, members).value,
        )
    return found
