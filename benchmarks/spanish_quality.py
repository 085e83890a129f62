"""The embedded Spanish detector: what it finds in texts held out, against peers, and how fast.

Folds are trained anew unless ``--work`` holds them (``python -m factory spanish`` leaves those by
article and speech in ``OUTPUT.training``).
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from factory.sentence_vectors import find_sentence_model, sentence_vectors
from factory.spanish.card import fitted_experts, mixed_logits
from factory.spanish.default import open_lesson, outside_logits
from factory.spanish.figures import disputed, five_categories, held_out
from factory.spanish.lessons import pcl_examples
from factory.spanish.sources import (
    COLUMNS,
    COMMENT,
    COMMENTS,
    FOLDS,
    SPEECH,
    SPEECHES,
    STEREOTYPE,
    HoldOut,
    SpanishSources,
    read_spanish,
)
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from results import machine_line, table, write_page
from tactful.detectors.load import load_detector
from tactful.detectors.models.experts import mixed_scores
from tactful.metrics.detection import f1_score
from tactful.metrics.ranking import roc_auc_score
from tactful.metrics.significance import bootstrap_interval
from tactful.settings import load_settings

SPEED_TEXTS = 2_000
SPEED_RUNS = 3
NAMES = {COMMENTS: "comments", SPEECHES: "speeches"}
Numbers = NDArray[np.float64]


def say(sentence: str) -> None:
    """Tell what is going on."""
    sys.stderr.write(f"  {sentence}\n")


def usual() -> Pipeline:
    """Return the usual baseline."""
    return make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, strip_accents="unicode"),
        LogisticRegression(C=10, class_weight="balanced", max_iter=1000),
    )


def tfidf(sources: SpanishSources, corpus: str) -> Numbers:
    """Return the held-out log-odds of the usual baseline, taught within one corpus."""
    column = {COMMENTS: COMMENT, SPEECHES: SPEECH}[corpus]
    rows = sources.rows(corpus)
    texts = [sources.texts[row] for row in rows]
    found = np.full((len(sources.texts), len(COLUMNS)), np.nan)
    for fold in range(FOLDS):
        taught = [text for text in texts if text.fold != fold]
        held = [row for row in rows if sources.texts[row].fold == fold]
        model = usual()
        model.fit([text.text for text in taught], [int(text.targets[column]) for text in taught])
        answers = model.decision_function([sources.texts[row].text for row in held])
        found[held, COLUMNS.index(column)] = answers
    return found


def rows_of(sources: SpanishSources, systems: dict[str, Numbers], corpus: str) -> list[list[str]]:
    """Return one row for each system: AUC over all folds, by fold, F1 and accuracy."""
    found = []
    for name, logits in systems.items():
        held = held_out(sources, logits, corpus)
        auc = bootstrap_interval(roc_auc_score, held.gold, held.chances, repetitions=1000, seed=1)
        folds = [
            roc_auc_score(held.gold[held.folds == fold], held.chances[held.folds == fold]).value
            for fold in range(FOLDS)
        ]
        chosen = [each for each in folds if each is not None]
        right = float(np.mean((held.chances >= 0.5) == held.gold))
        found.append(
            [
                name,
                f"{auc.measure.value:.3f} [{auc.low:.3f}, {auc.high:.3f}]",
                f"{np.mean(chosen):.3f} ({min(chosen):.3f} to {max(chosen):.3f})",
                f"{f1_score(held.gold, held.found).value:.3f}",
                f"{right:.3f}",
            ]
        )
    return found


def gated(sources: SpanishSources, logits: Numbers) -> Numbers:
    """Return log-odds as the whole detector gives them, with its gate, in both experts' columns."""
    experts = replace(fitted_experts(sources, logits), rest=None)
    card = replace(load_detector(lang="es").card, ids=(STEREOTYPE,))
    rows = sources.rows(COMMENTS, SPEECHES)
    chances = mixed_scores(logits[rows], COLUMNS, experts, card)[STEREOTYPE].astype(np.float64)
    found = np.full((len(sources.texts), len(COLUMNS)), np.nan)
    odds = np.log(chances / (1 - chances))
    for column in (COMMENT, SPEECH):
        found[rows, COLUMNS.index(column)] = odds
    return found


def quality(data: Path, work: Path, hold_out: HoldOut) -> str:
    """Measure the members, the experts and the whole on one way to hold out."""
    sources = read_spanish(data, hold_out=hold_out)
    outside = outside_logits(open_lesson(sources, say), work, say)
    mixed = mixed_logits(sources, outside)
    apart = {COMMENTS: tfidf(sources, COMMENTS), SPEECHES: tfidf(sources, SPEECHES)}
    whole = gated(sources, mixed)
    parts = []
    for corpus in (COMMENTS, SPEECHES):
        systems = {
            "TF-IDF + logistic regression (peer)": apart[corpus],
            "our encoder": outside[:, 0],
            "our sums over words": outside[:, 1],
            "both and the rules: the expert": mixed,
            "the detector, register guessed": whole,
        }
        group = "whole articles" if corpus == COMMENTS else "whole speeches"
        what = group if hold_out == "group" else "single texts"
        positives = sum(
            sources.texts[row].targets[COMMENT if corpus == COMMENTS else SPEECH] >= 0.5
            for row in sources.rows(corpus)
        )
        parts += [
            f"`stereotype` in {NAMES[corpus]} ({len(sources.rows(corpus)):,}, {positives:,} with "
            f"one), {what} held out:",
            table(
                ["system", "AUC", "mean of folds", "F1", "accuracy"],
                rows_of(sources, systems, corpus),
            ),
        ]
    left_out = disputed(replace(load_settings(), data=data))
    truth, answered = five_categories(sources, mixed, left_out)
    frequent = float(np.mean(truth == np.bincount(truth).argmax()))
    parts.append(
        f"Five categories of StereoImmigrants on the {len(truth):,} sentences that at least three "
        f"of five annotators agree on, from ours by the mapping: accuracy "
        f"{float(np.mean(truth == answered)):.3f} (the most frequent one: {frequent:.3f})."
    )
    return "\n\n".join(parts)


def across(data: Path) -> str:
    """Say what a model of speeches alone knows about comments."""
    sources = read_spanish(data)
    speeches = [sources.texts[row] for row in sources.rows(SPEECHES)]
    comments = [sources.texts[row] for row in sources.rows(COMMENTS)]
    model = usual()
    model.fit([text.text for text in speeches], [int(text.targets[SPEECH]) for text in speeches])
    gold = np.array([int(text.targets[COMMENT]) for text in comments])
    found = roc_auc_score(gold, model.decision_function([text.text for text in comments])).value
    return f"TF-IDF and logistic regression taught on speeches alone: AUC {found:.3f} on comments."


def pcl(data: Path) -> str:
    """Say how the head for ``pcl``, learnt in English, does in Spanish."""
    detector = load_detector(lang="es")
    examples = pcl_examples()
    gold = np.array([int(each.category is not None) for each in examples])
    scores = detector.score([each.text for each in examples])["pcl"].astype(np.float64)
    auc = bootstrap_interval(roc_auc_score, gold, scores, repetitions=1000, seed=1)
    reached = scores >= detector.card.threshold("pcl")
    comments = [text for text in read_spanish(data).texts if text.corpus in (COMMENTS, SPEECHES)]
    alarms = detector.score([text.text for text in comments])["pcl"]
    rate = float(np.mean(alarms >= detector.card.threshold("pcl")))
    return (
        f"`pcl`, learnt in English alone, on {len(examples)} Spanish sentences of ours (half of "
        f"them patronizing, none trained on): AUC {auc.measure.value:.3f} [{auc.low:.3f}, "
        f"{auc.high:.3f}], F1 {f1_score(gold, reached.astype(int)).value:.3f} at the threshold. It "
        f"is reported in {100 * rate:.1f} % of the comments and speeches, of which nobody knows "
        "whether they patronize."
    )


GROUPS = (
    "española", "francesa", "alemana", "marroquí", "senegalesa", "rumana", "china", "colombiana",
    "venezolana", "gitana", "musulmana", "judía", "cristiana", "negra", "refugiada", "inmigrante",
)  # fmt: skip
NEUTRAL = (
    "Mi vecina {} abrió una panadería en la esquina.",
    "Una mujer {} ganó ayer la carrera popular.",
    "La profesora {} explica matemáticas en el instituto.",
    "Ayer conocí a una chica {} en la biblioteca.",
    "La familia {} del tercero tiene dos gatos.",
    "La cantante {} presenta su nuevo disco el viernes.",
    "Una arquitecta {} diseñó la estación.",
    "Mi amiga {} cocina muy bien.",
    "La directora {} de la empresa habló con la prensa.",
    "Una estudiante {} me ayudó con la mudanza.",
)
"""Sentences of ours in which nothing is said about a group but that somebody belongs to it."""


def mentions() -> str:
    """Say what the mere mention of a group does to the score."""
    detector = load_detector(lang="es")
    limit = detector.card.threshold(STEREOTYPE)
    rows = []
    for group in GROUPS:
        scores = detector.score([each.format(group) for each in NEUTRAL])[STEREOTYPE]
        mean, reported = float(scores.mean()), int((scores >= limit).sum())
        rows.append([group, f"{mean:.3f}", f"{reported} of {len(NEUTRAL)}"])
    return "The mere mention of a group, in neutral sentences of ours:\n\n" + table(
        ["group", "mean score of `stereotype`", "reported"], rows
    )


def speed(texts: Sequence[str]) -> str:
    """Measure texts per CPU second, and the peer's: the whole multilingual encoder."""
    detector = load_detector(lang="es")
    detector.score(texts[:20])
    path = find_sentence_model()
    ours, peer = 0.0, 0.0
    # In turns, so that a busy moment of the machine meets both.
    for _ in range(SPEED_RUNS):
        began = time.process_time()
        detector.score(texts)
        ours = max(ours, len(texts) / (time.process_time() - began))
        if path is not None:
            began = time.process_time()
            sentence_vectors(path, list(texts))
            peer = max(peer, len(texts) / (time.process_time() - began))
    rows = [["default, Spanish", f"{ours:,.0f}"]]
    if path is not None:
        rows.append(["the encoder it began from, vectors only (peer)", f"{peer:,.0f}"])
        rows.append(["ratio", f"{ours / peer:.2f}"])
    words = float(np.mean([len(text.split()) for text in texts]))
    return (
        f"Speed on {len(texts):,} sentences of speeches and comments ({words:.0f} words on "
        "average), one thread, best of three:\n\n"
        + table(["system", "sentences per CPU second"], rows)
    )


def main() -> None:
    """Measure all, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, help="Folds by article and speech.")
    parser.add_argument("--work-texts", type=Path, help="Folds by single text.")
    options = parser.parse_args()
    spare = Path(tempfile.mkdtemp())
    work = {"group": options.work or spare / "group", "text": options.work_texts or spare / "text"}
    data = load_settings().data
    if data is None:
        raise SystemExit("Set TACTFUL_DATA to the folder with the corpora.")
    sources = read_spanish(data)
    rows = sources.rows(COMMENTS, SPEECHES)
    step = max(len(rows) // SPEED_TEXTS, 1)
    texts = [sources.texts[row].text for row in rows[::step]][:SPEED_TEXTS]
    body = "\n\n".join(
        [
            machine_line(),
            "Command: `TACTFUL_DATA=... python benchmarks/spanish_quality.py --work FOLDER "
            "--work-texts FOLDER`.",
            "Seed 1, five folds. Calibration and threshold of a fold come from the others. The "
            "authors of the rules had seen counts of the commonest words of each code of "
            "StereoImmigrants: figures on speeches flatter them a little. The settings (learning "
            "rate, shares of the members, the gate) were chosen on the folds by article and "
            "speech, so that these figures are a little too good, too.",
            quality(data, work["group"], "group"),
            "The same with single texts held out, so that other texts of the same article or "
            "speech may have been learnt from: easier, and what others report as cross-validation.",
            quality(data, work["text"], "text"),
            across(data),
            pcl(data),
            mentions(),
            speed(texts),
        ]
    )
    write_page("spanish-quality", "The embedded Spanish detector", body)


if __name__ == "__main__":
    main()
