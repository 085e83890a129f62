"""``tactful evaluate corpus``: how well detectors find what the annotators of a corpus found."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.annotation.formats.cells import write_csv
from tactful.checking.abstaining import Limit, Limits
from tactful.corpora.corpus import Corpus
from tactful.corpora.dpm import LABEL_ORDER
from tactful.detectors.base import Detector
from tactful.detectors.load import load_detector
from tactful.errors import InputError, UsageError
from tactful.files import atomic_folder, atomic_path, refuse_existing
from tactful.metrics.selective import fit_conformal
from tactful.metrics.significance import Decomposition, bootstrap_interval
from tactful.metrics.soft import cross_entropy_loss, jensen_shannon_divergence
from tactful.registry import unknown_name
from tactful.types import Example
from tactful.words import counted
from tactful_lab.evaluation.reproduce.ready_rows import score_texts
from tactful_lab.evaluation.tasks import Metric, binary_metrics, score_metrics
from tactful_lab.evaluation.unseen import can_tell, unseen_note, unseen_places

SCHEMA_VERSION = 1
POSITIVE_FROM = 0.5
TEXTS = ("unseen", "all")
MEASURES = ("precision", "recall", "f1", "roc_auc", "average_precision", "ece")
"""The first three at the threshold of the card, the others over all thresholds."""
_AT_THRESHOLD = 3

MISTAKES = (
    "model", "label", "mistake", "probability", "threshold", "annotators", "id", "text",
)  # fmt: skip

Numbers = NDArray[np.float64]
OnProgress = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Scored:
    """A detector, the texts it was measured on, and its probabilities."""

    corpus: str
    model: str
    detector: Detector
    examples: Sequence[Example]
    scores: dict[str, NDArray[np.float32]]


def evaluate_corpus(
    corpus: Corpus,
    models: Sequence[str],
    *,
    texts: str | None = None,
    split: str | None = None,
    correlate: str | None = None,
    bootstrap: int | None = None,
    seed: int = 0,
    submission: Path | None = None,
    mistakes: Path | None = None,
    limits: Path | None = None,
    wrong: float = 0.1,
    force: bool = False,
    on_progress: OnProgress = lambda *_: None,
) -> dict[str, Any]:
    """Score a corpus with detectors, and return the measures of each label as plain data.

    Parameters
    ----------
    corpus
        The corpus.
    models
        Names of embedded detectors, or folders of detectors.
    texts
        ``unseen`` measures embedded detectors on the texts that none of them learnt from, ``all``
        on all texts. None is ``unseen`` where that is known.
    split
        The official part to measure on; None for all parts.
    correlate
        The id whose probability is correlated with each label.
    bootstrap
        How many samples the 95 % intervals come from; None for no intervals.
    seed
        The seed of the samples.
    submission
        The folder for the files of SemEval-2022 task 4 (corpus ``dpm``, one detector).
    mistakes
        The file for the texts where a detector and the annotators differ.
    limits
        The file for the limits from which on an answer can be ruled out (one detector).
    wrong
        The share of right answers that the limits may rule out.
    force
        Whether to replace these.
    on_progress
        Called with the number of texts that are scored, of all, and ``title``, the detector.

    Returns
    -------
    dict
        The answer as ``--format json`` prints it.

    """
    if submission is not None and (corpus.name != "dpm" or len(models) != 1):
        raise UsageError("--submission is for the corpus 'dpm' and one --model.")
    if limits is not None and len(models) != 1:
        raise UsageError("--limits is for one --model.")
    for path in (mistakes, limits):
        if path is not None:
            refuse_existing(path, force)
    examples = _of_split(list(corpus.examples()), split)
    correlations: list[dict[str, Any]] = []
    differing: list[tuple[object, ...]] = []
    rows: list[dict[str, Any]] = []
    notes = [f"Data: {' '.join(map(str.strip, corpus.verify().lines()))}"]
    for model in models:
        on_texts = partial(on_progress, title=model)
        scored, note = _score(model, corpus, examples, texts, submission is not None, on_texts)
        notes += [note] if note and note not in notes else []
        found = [
            {"model": model, "detector": scored.detector.card.model, **row}
            for row in _measured(scored, bootstrap, seed)
        ]
        correlations += _correlations(scored, correlate) if correlate is not None else ()
        if submission is not None:
            with atomic_folder(submission, force) as folder:
                write_submission(folder, scored)
        differing += _mistakes(scored) if mistakes is not None else ()
        if limits is not None and found:
            _add_limits(scored, found, wrong).write(limits, force)
        if not found and submission is None:
            raise _no_label(scored)
        rows += found
    if not rows:
        notes.append("There are no gold labels: the submission is written, nothing is measured.")
    if mistakes is not None:
        with atomic_path(mistakes, force) as target:
            # Safe: texts of a corpus must not run as formulas where a spreadsheet opens them.
            write_csv(target, MISTAKES, differing, safe=True)
    return {
        "schema_version": SCHEMA_VERSION,
        "corpus": corpus.name,
        "split": split,
        "models": list(models),
        "seed": seed,
        "rows": rows,
        "correlations": correlations,
        "notes": notes,
    }


def _of_split(examples: list[Example], split: str | None) -> list[Example]:
    parts = sorted({each.split for each in examples if each.split})
    if split is None:
        return examples
    if split not in parts:
        found = f"the parts {', '.join(parts)}" if parts else "no official parts"
        raise UsageError(f"Found {found} in these files; expected '{split}' among them.")
    return [each for each in examples if each.split == split]


def _score(
    model: str,
    corpus: Corpus,
    examples: list[Example],
    texts: str | None,
    whole: bool,
    on_texts: OnProgress,
) -> tuple[Scored, str | None]:
    detector = load_detector(model, lang=corpus.lang)
    if detector.card.lang != corpus.lang:
        raise UsageError(
            f"The detector {detector.card.model} reads '{detector.card.lang}', and the corpus "
            f"'{corpus.name}' is in '{corpus.lang}'; name another detector."
        )
    known = can_tell(model, corpus.lang)
    if texts == "unseen" and not known:
        raise UsageError(
            f"It is not known which texts of '{corpus.name}' the detector '{model}' did not learn "
            "from; measure it with --texts all."
        )
    note = None
    if known and texts != "all" and not whole:
        places = unseen_places([each.text for each in examples])
        if not places:
            raise InputError(
                "Found no text that the embedded detectors did not learn from; add --texts all."
            )
        note = unseen_note([model], len(places), len(examples))
        examples = [examples[at] for at in places]
    elif known:
        note = f"{model} may have learnt from most of these texts: the figures flatter it."
    elif corpus.lang != "en":
        note = f"Which of these texts {model} learnt from is not known: the figures may flatter it."
    scores = score_texts(detector, _texts(examples), on_texts)
    return Scored(corpus.name, model, detector, examples, scores), note


def _texts(examples: Sequence[Example]) -> list[str]:
    return [each.text for each in examples]


def _measured(scored: Scored, bootstrap: int | None, seed: int) -> Iterator[dict[str, Any]]:
    metrics = {**binary_metrics(None), **score_metrics()}
    for label, places, gold, scores in _known(scored):
        limit = scored.detector.card.threshold(label)
        row: dict[str, Any] = {
            "label": label,
            "texts": len(places),
            "positive": int(gold.sum()),
            "threshold": limit,
            "measures": {},
        }
        for at, name in enumerate(MEASURES):
            answers = scores >= limit if at < _AT_THRESHOLD else scores
            row["measures"][name] = _measure(
                metrics[name], gold.astype(int), answers, bootstrap, seed
            )
        shares = np.array([scored.examples[at].labels[label] for at in places])
        if ((shares > 0) & (shares < 1)).any():
            row["soft"] = soft_measures(shares, scores)
        yield row


def soft_measures(shares: NDArray[np.float64], scores: NDArray[np.float64]) -> dict[str, Any]:
    """Compare probabilities with the shares of annotators, as LeWiDi does (Leonardelli 2023)."""
    gold, guess = (np.stack([1 - side, side], axis=1) for side in (shares, scores))
    found = {
        "cross_entropy": cross_entropy_loss(gold, guess, base=np.e),
        "jensen_shannon_divergence": jensen_shannon_divergence(gold, guess),
    }
    return {name: {"value": each.value, "reason": each.reason} for name, each in found.items()}


def _known(scored: Scored) -> Iterator[tuple[str, list[int], NDArray[np.bool_], Numbers]]:
    """Yield each label that the corpus has, with the places, the gold and the probabilities."""
    for label in scored.detector.card.ids:
        places = [at for at, each in enumerate(scored.examples) if label in each.labels]
        if places:
            values = [scored.examples[at].labels[label] for at in places]
            gold = np.array(values) >= POSITIVE_FROM
            yield label, places, gold, scored.scores[label][places].astype(np.float64)


def _correlations(scored: Scored, name: str) -> Iterator[dict[str, Any]]:
    """Correlate an id's probability with each label, as figure 4 of Price et al. does toxicity.

    Over the texts with at least one label below a root, such as one of UCC's six attributes.
    """
    if name not in scored.detector.card.ids:
        raise unknown_name("id to correlate", name, list(scored.detector.card.ids))
    labels = list(dict.fromkeys(label for each in scored.examples for label in each.labels))
    below = [label for label in labels if "." in label] or labels
    places = [
        at
        for at, each in enumerate(scored.examples)
        if any(each.labels.get(label, 0.0) >= POSITIVE_FROM for label in below)
    ]
    scores = scored.scores[name][places].astype(np.float64)
    for label in labels:
        gold = np.array([scored.examples[at].labels.get(label, 0.0) for at in places])
        both = (gold >= POSITIVE_FROM).astype(np.float64)
        value = None
        if len(places) > 1 and scores.std() > 0 and both.std() > 0:
            value = float(np.corrcoef(scores, both)[0, 1])
        yield {
            "model": scored.model,
            "id": name,
            "label": label,
            "texts": len(places),
            "value": value,
        }


def _mistakes(scored: Scored) -> Iterator[tuple[object, ...]]:
    """Yield the texts where detector and annotators differ, by label, the surest answers first."""
    for label, places, gold, scores in _known(scored):
        limit = scored.detector.card.threshold(label)
        found = scores >= limit
        room = np.where(found, 1 - limit, limit)
        sure = np.abs(scores - limit) / np.maximum(room, 1e-9)
        for at in np.argsort(-sure, kind="stable"):
            if found[at] == gold[at]:
                continue
            example = scored.examples[places[at]]
            yield (
                scored.model,
                label,
                "false alarm" if found[at] else "missed",
                f"{scores[at]:.4f}",
                f"{limit:.4f}",
                f"{example.labels[label]:.4g}",
                example.id,
                example.text,
            )


def _add_limits(scored: Scored, rows: list[dict[str, Any]], wrong: float) -> Limits:
    """Find from where on answers can be ruled out, and add it to the rows of the labels."""
    by_label = {row["label"]: row for row in rows}
    by_id = {}
    for label, _, gold, scores in _known(scored):
        sets = fit_conformal(gold.astype(int), scores, error=wrong)
        by_id[label] = Limit(sets.no_up_to, sets.yes_from, sets.items)
        by_label[label]["limits"] = {
            "no_up_to": sets.no_up_to,
            "yes_from": sets.yes_from,
            "unsure": float(sets.unsure(scores).mean()),
        }
    card = scored.detector.card
    return Limits(card.model, card.lang, scored.corpus, wrong, by_id)


def _no_label(scored: Scored) -> InputError:
    labels = sorted({label for each in scored.examples for label in each.labels})
    return InputError(
        f"The detector {scored.detector.card.model} scores none of the labels of this corpus "
        f"({', '.join(labels) or 'which has none'})."
    )


def _measure(
    metric: Metric, gold: Any, answers: Any, bootstrap: int | None, seed: int
) -> dict[str, Any]:
    whole = metric.measure(gold, answers)
    row: dict[str, Any] = {"value": whole.value, "reason": whole.reason}
    if bootstrap is not None:
        asked: tuple[Any, ...] = (metric.measure, gold, answers)
        if metric.decompose is not None:
            parts: Decomposition = metric.decompose(gold, answers)
            asked = (parts,)
        interval = bootstrap_interval(*asked, repetitions=bootstrap, seed=seed)
        row |= {"low": interval.low, "high": interval.high}
    return row


def write_submission(folder: Path, scored: Scored) -> None:
    """Write ``task1.txt`` and ``task2.txt`` of SemEval-2022 task 4, a line for each paragraph.

    Categories are given to paragraphs that are found to be patronizing, as the gold labels are.
    """
    limits = {label: scored.detector.card.threshold(label) for label in ("pcl", *LABEL_ORDER)}
    found = {label: scored.scores[label] >= limit for label, limit in limits.items()}
    first, second = [], []
    for at in range(len(scored.examples)):
        yes = bool(found["pcl"][at])
        first.append(f"{int(yes)}\n")
        second.append(",".join(str(int(yes and found[name][at])) for name in LABEL_ORDER) + "\n")
    (folder / "task1.txt").write_text("".join(first), encoding="utf-8")
    (folder / "task2.txt").write_text("".join(second), encoding="utf-8")
    ids = "".join(f"{each.id}\n" for each in scored.examples)
    (folder / "paragraphs.txt").write_text(ids, encoding="utf-8")


def describe(answer: dict[str, Any]) -> str:
    """Say in a line what was measured."""
    texts = max((row["texts"] for row in answer["rows"]), default=0)
    part = f", part {answer['split']}" if answer["split"] else ""
    return f"{answer['corpus']}{part}: {counted(texts, 'labelled text')}"
