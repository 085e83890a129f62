"""The scale of the Perspective routes: how it is made, and what thresholds on it find.

Perspective calibrated its scores on comments of which half had the attribute and half had not
("Score normalization", conversationai/perspectiveapi). The same is done here, on the comments of
Civil Comments, and of Spanish corpora, that our models did not learn from: a logistic curve, whose
part below 0.7 is moved so that 0.5 is the most cautious of the thresholds that decide best (see
``middle``). Run it again for each new version of a model.
"""

import argparse
import math
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from factory.english.sources import SOURCES, Row
from factory.lessons.load import Lesson, read_lessons
from factory.spanish.sources import read_sources
from numpy.typing import NDArray

from results import machine_line, table, write_page
from tactful.detectors import load_detector
from tactful.service.perspective.scale import SHIPPED, Points, Scale, read_scale, write_scale

SPANISH = "default-es"
MODELS = ("default", "fast", "cascade", "open", "open-fast", "open-cascade", SPANISH)
SPANISH_CORPORA = ("detoxis", "offendes", "rioplatense")
DOUBTFUL = (0.2, 0.5)
"""Between these a Spanish label is left out: the corpora's mildest level, or words alone."""
LEAST = 30
"""Of comments with an attribute, and of those without: with fewer it has no scale."""
THRESHOLDS = (0.5, 0.7, 0.8, 0.9)
KEPT = 0.7
"""From this score on the fitted curve is kept: clients mostly have thresholds from here on."""
MIDDLE = (0.5, 0.65)
"""Where 0.5 may be on the fitted curve: no looser than there, and still well below ``KEPT``."""
UNMOVED = ("toxicity.threat",)
"""Kinds that keep the whole fitted curve: to miss one costs more than to look at one too many."""
SCORES = (0.01, 0.02, 0.05, *np.round(np.arange(0.1, 0.91, 0.05), 2).tolist(), 0.95, 0.98, 0.99)
"""The scores for which the probability is written down."""
DOCUMENTED = {
    "what kind of idiot name is foo?": 0.90,
    "friendly greetings from python": 0.01,
    "Jiminy cricket! Well gosh durned it! Oh damn it all!": 0.44,
}
"""Texts of Perspective's own documentation, with the TOXICITY that it shows for them."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Labelled:
    """The scores of the comments that have a label, with weights of a half for each class."""

    scores: Numbers
    labels: Numbers

    @property
    def weights(self) -> Numbers:
        """Half of the weight is on the comments with the attribute, half on the others."""
        yes = float(self.labels.sum())
        return np.where(self.labels == 1, 0.5 / yes, 0.5 / (len(self.labels) - yes))


def civil_comments(data: Path) -> list[Row]:
    """Return the comments that our models did not learn from."""
    (source,) = (each for each in SOURCES if each.name == "civil")
    return [row for row in source.read(data / source.file) if row.part == "validation"]


def spanish_comments(data: Path) -> list[Row]:
    """Return the Spanish comments that our model did not learn from, with labels of 0 and 1."""
    found = [row for rows in read_sources(data, SPANISH_CORPORA).values() for row in rows]
    low, high = DOUBTFUL
    return [
        replace(
            row,
            targets={
                name: float(value > high)
                for name, value in row.targets.items()
                if not low < value <= high
            },
        )
        for row in found
        if row.part == "validation"
    ]


def labelled(rows: Sequence[Row], name: str, scores: Numbers) -> Labelled:
    """Return the scores of the rows that people judged for an id."""
    judged = [at for at, row in enumerate(rows) if row.targets.get(name) in (0.0, 1.0)]
    return Labelled(scores[judged], np.array([rows[at].targets[name] for at in judged]))


def log_odds(values: Numbers) -> Numbers:
    """Return the log odds of probabilities, which must not be 0 or 1."""
    kept = np.clip(values, 1e-7, 1 - 1e-7)
    found: Numbers = np.log(kept) - np.log1p(-kept)
    return found


def fitted(found: Labelled) -> tuple[float, float]:
    """Return slope and intercept of a logistic regression on the log odds (Platt 1999)."""
    yes = float(found.labels.sum())
    no = len(found.labels) - yes
    # Platt's targets: as if one more comment of each class had been seen.
    wanted = np.where(found.labels == 1, (yes + 1) / (yes + 2), 1 / (no + 2))
    odds, weights = log_odds(found.scores), found.weights

    def loss(point: Numbers) -> float:
        at = point[0] * odds + point[1]
        return float((weights * (np.logaddexp(0, at) - wanted * at)).sum())

    point = np.array([1.0, 0.0])
    for _ in range(100):
        guess = 1 / (1 + np.exp(-(point[0] * odds + point[1])))
        off, spread = weights * (guess - wanted), weights * guess * (1 - guess)
        slope = np.array([(off * odds).sum(), off.sum()])
        bend = np.array([[(spread * odds**2).sum(), (spread * odds).sum()],
                         [(spread * odds).sum(), spread.sum()]])  # fmt: skip
        step = np.linalg.solve(bend + 1e-9 * np.eye(2), slope)
        size = 1.0
        while loss(point - size * step) > loss(point) and size > 1e-6:
            size /= 2
        point = point - size * step
    return float(point[0]), float(point[1])


def middle(found: Labelled) -> float:
    """Return the highest probability that decides as well as the best one, within an error.

    That is a threshold whose mean of recall and specificity is at most one standard error below
    the best. On a half-and-half sample this mean is the share of right decisions, and a score of
    0.5 is by its meaning the threshold with most of them.
    """
    yes, no = (np.sort(found.scores[found.labels == label]) for label in (1, 0))
    cuts = np.unique(found.scores)
    recall = 1 - np.searchsorted(yes, cuts) / len(yes)
    alarms = 1 - np.searchsorted(no, cuts) / len(no)
    right = (recall + 1 - alarms) / 2
    best = int(right.argmax())
    spread = recall * (1 - recall) / len(yes) + alarms * (1 - alarms) / len(no)
    return float(cuts[right >= right[best] - math.sqrt(spread[best]) / 2].max())


def points_of(slope: float, intercept: float, half: float) -> Points:
    """Return the points of the map, from the score that each probability has.

    Below ``KEPT`` the fitted curve is moved, in log odds, so that ``half`` has the score 0.5.
    """
    low, high, kept = (math.log(each / (1 - each)) for each in (*MIDDLE, KEPT))
    moved = min(max(slope * float(log_odds(np.array(half))) + intercept, low), high)
    found = [(0.0, 0.0)]
    for score in SCORES:
        wanted = math.log(score / (1 - score))
        if wanted < kept:
            wanted = moved + (wanted if wanted < 0 else wanted * (kept - moved) / kept)
        probability = 1 / (1 + math.exp(-((wanted - intercept) / slope)))
        rounded = float(f"{probability:.6g}")
        if found[-1][0] < rounded < 1:
            found.append((rounded, score))
    return (*found, (1.0, 1.0))


def precision_and_recall(found: Labelled, scores: Numbers, threshold: float) -> tuple[str, str]:
    """Return both for a half that has the attribute and a half that has not."""
    flagged = scores >= threshold
    hits = float((found.weights * found.labels)[flagged].sum())
    share = float(found.weights[flagged].sum())
    return (f"{hits / share:.2f}" if share else "none"), f"{2 * hits:.2f}"


def is_enough(labels: Numbers) -> bool:
    """Say whether there are enough comments with and without an attribute."""
    yes = int(labels.sum())
    return min(yes, len(labels) - yes) >= LEAST


def on_scale(scale: Scale, model: str, name: str, values: Numbers) -> Numbers:
    """Return the scores of probabilities of an id."""
    return np.array([scale.score(model, name, value) for value in values.tolist()])


def harmless(lessons: Sequence[Lesson], name: str, scores: Numbers) -> str:
    """Return how many of the lessons without an attribute reach 0.5."""
    kept = [at for at, lesson in enumerate(lessons) if lesson.labels.get(name) == 0]
    return f"{int((scores[kept] >= THRESHOLDS[0]).sum())} of {len(kept):,}"


def main() -> int:
    """Fit, write the scale, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    data = os.environ.get("TACTFUL_DATA")
    parser.add_argument(
        "--data", type=Path, default=data, required=not data, help="the folder of the corpora"
    )
    parser.add_argument("--model", action="append", help="fit only this detector, repeatable")
    parser.add_argument("--scale", type=Path, default=SHIPPED, help="the file to write")
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    given = parser.parse_args()
    corpora = {"en": civil_comments(given.data), "es": spanish_comments(given.data)}
    harmless_of = {
        "en": [each for each in read_lessons("english") if each.part == "validation"],
        "es": [each for each in read_lessons("spanish") if each.part == "validation"],
    }
    models = dict(read_scale(given.scale).models) if given.scale.exists() else {}
    found, shown = [], []
    for name in given.model or MODELS:
        lang = "es" if name == SPANISH else "en"
        detector = load_detector("default" if name == SPANISH else name, lang=lang)
        rows, lessons, model = corpora[lang], harmless_of[lang], detector.card.model
        scores = detector.score([row.text for row in rows])
        beside = detector.score([each.text for each in lessons])
        judged = {
            each: labelled(rows, each, scores[each].astype(np.float64))
            for each in detector.card.ids
            if each.split(".")[0] == "toxicity"
        }
        judged = {each: part for each, part in judged.items() if is_enough(part.labels)}
        # An older version of the same model is not shipped any more.
        models = {old: kept for old, kept in models.items() if old.split()[0] != model.split()[0]}
        models[model] = {
            each: points_of(*fitted(part), 0.0 if each in UNMOVED else middle(part))
            for each, part in judged.items()
        }
        scale = Scale(models)
        for each in judged:
            new = on_scale(scale, model, each, judged[each].scores)
            cells = [
                " / ".join(precision_and_recall(judged[each], values, threshold))
                for values in (judged[each].scores, new)
                for threshold in THRESHOLDS
            ]
            scores_of = beside[each].astype(np.float64)
            quiet = harmless(lessons, each, on_scale(scale, model, each, scores_of))
            number = int(judged[each].labels.sum())
            found.append([model, each, len(new), number, *cells, quiet])
        documented = DOCUMENTED if lang == "en" else {}
        texts = detector.score(list(documented))["toxicity"].tolist()
        for (text, theirs), probability in zip(documented.items(), texts, strict=True):
            ours = scale.score(model, "toxicity", probability)
            shown.append([model, f"“{text}”", f"{theirs:.2f}", f"{ours:.2f}", f"{probability:.2f}"])
    write_scale(given.scale, models)
    columns = ["model", "id", "comments", "with it"]
    columns += [f"probability {each}" for each in THRESHOLDS]
    columns += [f"scale {each}" for each in THRESHOLDS]
    columns += ["harmless lessons at 0.5 on the scale"]
    options = "".join(f" --model {name}" for name in given.model or ())
    write_page(
        "perspective-scale",
        "The scale of the Perspective routes",
        f"Precision / recall at thresholds, on {len(corpora['en']):,} comments of Civil Comments, "
        f"and {len(corpora['es']):,} Spanish ones of DETOXIS, OffendES and news of Argentina, that "
        "our models did not learn from (each was judged for some attributes), weighed so that half "
        "of them have the attribute: as the probabilities are, and on the scale that clients of "
        "the Perspective API get. The last column counts short texts of ours that were written to "
        "be harmless, on which no model learnt, and which the scale was not chosen on.\n\n"
        f"{table(columns, found)}\n\n"
        "The TOXICITY of texts in Perspective's documentation, as it shows it, on our scale, and "
        f"as a probability:\n\n{table(['model', 'text', 'theirs', 'scale', 'probability'], shown)}"
        f"\n\n{machine_line()}\n"
        f"Command: `python benchmarks/perspective_scale.py --data DATA{options}`.",
        path=given.results,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
