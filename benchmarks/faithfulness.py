"""Whether explanations name the words that the detectors use: deletion and insertion of words.

Needs the authors' files in ``$TACTFUL_DATA`` for the validation texts, and says so where they are
absent. Only numbers are written; no text of a corpus is printed.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from results import machine_line, table, write_page
from tactful.corpora import load_corpus
from tactful.corpora.split import hashed_part
from tactful.detectors import Detector, load_detector
from tactful.detectors.explain.words import word_contributions, words_of
from tactful.training.task_data import PCL_IDS, UNHEALTHY_IDS
from tactful_lab.evaluation.faithfulness import (
    BINS,
    LEAST_WORDS,
    RATIONALE,
    Explainer,
    faithfulness,
)

DETECTORS = ("default", "fast")
IDS_OF = {"dpm": PCL_IDS, "ucc": UNHEALTHY_IDS}
TEXTS = 40
REPEATS = 3
MOST_WORDS = 100
SEED = 1


def _occlusion(detector: Detector, text: str, name: str) -> Sequence[Any]:
    return word_contributions(detector, text, [name])[name]


def _contributions(detector: Any, text: str, name: str) -> Sequence[Any]:
    found: Sequence[Any] = detector.contributions(text, [name])[name]
    return found


def explainers(detector: Detector) -> dict[str, Explainer]:
    """Return what can explain a detector: occlusion always, its own contributions if it has any."""
    found: dict[str, Callable[[str, str], Sequence[Any]]] = {
        "occlusion": partial(_occlusion, detector)
    }
    if hasattr(detector, "contributions"):
        found["contributions"] = partial(_contributions, detector)
    return found


def validation_texts(seed: int) -> dict[str, list[str]]:
    """Return the validation texts of each corpus, shuffled, that are neither tiny nor huge."""
    texts: dict[str, list[str]] = {name: [] for name in IDS_OF}
    for name, found in texts.items():
        for text in (example.text for example in load_corpus(name).examples()):
            is_asked = text.strip() and hashed_part(text) == "validation"
            if is_asked and LEAST_WORDS <= len(words_of(text)) <= MOST_WORDS:
                found.append(text)
    for found in texts.values():
        random.Random(seed).shuffle(found)
    return texts


def reported(detector: Detector, texts: Sequence[str], name: str, most: int) -> list[str]:
    """Return the first texts for which the detector reports an id."""
    chosen: list[str] = []
    for at in range(0, len(texts), 64):
        batch = texts[at : at + 64]
        scores = detector.score(batch)[name]
        least = detector.card.threshold(name)
        chosen += [text for text, score in zip(batch, scores, strict=True) if score >= least]
        if len(chosen) >= most:
            break
    return chosen[:most]


def rows_of(
    name: str, texts: dict[str, list[str]], most: int, repeats: int, seed: int
) -> list[list[object]]:
    """Measure one detector on all ids of the corpora."""
    detector = load_detector(name)
    rows: list[list[object]] = []
    for corpus, ids in IDS_OF.items():
        for found in (each for each in ids if each in detector.card.ids):
            chosen = reported(detector, texts[corpus], found, most)
            if not chosen:
                print(f"{name}, {found}: no validation text is reported; left out", file=sys.stderr)
                continue
            began = time.process_time()
            answers = faithfulness(
                detector, chosen, found, explainers(detector), seed=seed, repeats=repeats
            )
            used = time.process_time() - began
            print(f"{name}, {found}: {len(chosen)} texts, {used:.0f} CPU s", file=sys.stderr)
            rows += [
                [
                    name, found, each.explainer, each.texts,
                    each.comprehensiveness, each.sufficiency,
                    each.aopc_comprehensiveness, each.aopc_sufficiency,
                    each.deletion_area, each.insertion_area,
                    "" if each.better_than_random is None else f"{each.better_than_random:.0%}",
                ]
                for each in answers
            ]  # fmt: skip
    return rows


def main() -> int:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", help="a detector's name or folder, repeatable")
    parser.add_argument("--texts", type=int, default=TEXTS, help="at most this many for each id")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="random orders of each text")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    given = parser.parse_args()
    if not os.environ.get("TACTFUL_DATA"):
        print("TACTFUL_DATA is unset: the validation texts are not here", file=sys.stderr)
        return 0
    texts = validation_texts(given.seed)
    models = given.model or DETECTORS
    rows = [
        row
        for name in models
        for row in rows_of(name, texts, given.texts, given.repeats, given.seed)
    ]
    columns = [
        "detector", "id", "explainer", "texts", "comprehensiveness", "sufficiency",
        "AOPC compr.", "AOPC suff.", "area under deletion", "area under insertion",
        "better than random",
    ]  # fmt: skip
    shares = ", ".join(f"{share:.0%}" for share in BINS)
    options = "".join(f" --model {name}" for name in given.model or ())
    options += f" --texts {given.texts} --repeats {given.repeats} --seed {given.seed}"
    write_page(
        "faithfulness",
        "Faithfulness of explanations",
        "Words are removed, or shown alone, in the order that an explanation gives them, against "
        f"{given.repeats} random orders of the same words (seed {given.seed}). Validation texts of "
        f"DPM and UCC with {LEAST_WORDS} to {MOST_WORDS} words for which the id is reported, at "
        f"most {given.texts} for each id. Comprehensiveness (higher is better) and sufficiency "
        f"(lower is better) are losses of probability with rationales of {RATIONALE:.0%} of the "
        f"words; the AOPC is their mean over {shares} (DeYoung et al. 2020, without the empty "
        "rationale: no text without words is scored). Areas under the deletion curve (lower is "
        "better) and the insertion curve (higher is better) as in Petsiuk et al. 2018, over 0 to "
        "90 % removed and 10 to 100 % shown. 'Better than random' is the share of texts whose "
        "deletion area is smaller than that of the random orders.\n\n"
        f"{table(columns, rows)}\n\n{machine_line()}\n"
        f"Command: `python benchmarks/faithfulness.py{options}`.",
        path=given.results,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
