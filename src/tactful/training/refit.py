"""Refitting a detector on judged texts: its heads where there are many, else its calibration only.

The encoder stays as it is. For each id a logistic regression starts from what the detector says:
``slope * (its log-odds) + weights * (the encoder's vector) + intercept``. How far the weights may
move is chosen by cross-validation, and "not at all" is one of the choices, so that few labels
change the calibration only. A held-out part, which nothing is fitted to, shows before and after.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import LogitsDetector, sigmoid
from tactful.detectors.card import CARD_FILE, Card, write_card
from tactful.detectors.models.blend import BlendDetector
from tactful.detectors.models.encoder import CORRECTION_FILE, HEADS_FILE, EncoderDetector
from tactful.errors import InputError, UsageError
from tactful.files import atomic_folder
from tactful.libraries import needed
from tactful.metrics.calibration import brier_loss
from tactful.metrics.detection import f1_score, precision_score, recall_score
from tactful.metrics.ranking import roc_auc_score

Floats = NDArray[np.float64]
LEAST_LABELS, LEAST_OF_EACH = 40, 8
"""An id with fewer labels in the training part stays as it is."""
LEAST_FOR_HEADS = 100
HELD_OUT = 0.3
FOLDS = 5
PENALTIES = (None, 3000.0, 1000.0, 300.0, 100.0)
"""How hard the weights are held at 0, the hardest first; None for calibration only."""
_PRIOR_SLOPE = 2.0
_EDGE = 1e-7


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judged text."""

    item: str
    """Says which part the text belongs to: the same text is never in both."""
    labels: Mapping[str, float]
    text: str | None = None
    scores: Mapping[str, float] | None = None
    """The detector's probabilities, where the text is not known."""


@dataclass(frozen=True, slots=True)
class Measured:
    """How well probabilities fit the held-out labels; None where that cannot be said."""

    auc: float | None
    brier: float | None
    f1: float | None
    precision: float | None
    recall: float | None
    threshold: float


@dataclass(frozen=True, slots=True)
class Refit:
    """What became of one id."""

    id: str
    what: str
    """``heads``, ``calibration`` or ``unchanged``."""
    reason: str
    fitted_on: int
    positive: int
    held_out: int
    before: Measured | None = None
    after: Measured | None = None


@dataclass(frozen=True, slots=True)
class _Fit:
    slope: float
    intercept: float
    weights: Floats | None = None

    def logits(self, base: Floats, vectors: Floats | None) -> Floats:
        found: Floats = self.slope * base + self.intercept
        return found if self.weights is None or vectors is None else found + vectors @ self.weights


def is_held_out(item: str, seed: int, share: float = HELD_OUT) -> bool:
    """Say whether a text is in the held-out part; that depends on nothing but its item."""
    digest = hashlib.sha256(f"{seed}\0{item}".encode()).digest()
    return int.from_bytes(digest[:4], "big") < share * 2**32


def refit(
    detector: LogitsDetector,
    judged: Sequence[Judgement],
    output: Path,
    *,
    seed: int = 1,
    heads: bool = True,
    force: bool = False,
) -> list[Refit]:
    """Refit a detector on judged texts, and write the folder of the new one.

    Parameters
    ----------
    detector
        A detector that knows log-odds: an encoder, a linear one, or a blend of them.
    judged
        The texts and their labels; labels of 0.5 are left out.
    output
        The folder to write; it holds all that the new detector needs.
    seed
        Which texts are held out, and the folds.
    heads
        Whether heads may be refitted; without it only calibration and thresholds are.
    force
        Whether a folder that is there is replaced.

    Returns
    -------
    list of Refit
        What became of each id that has labels, with measures on the held-out part.

    """
    folder = getattr(detector, "folder", None)
    if not isinstance(detector, LogitsDetector) or folder is None:
        raise UsageError(
            "This detector cannot be refitted, because it is no sum of log-odds; expected an "
            "encoder, a linear detector or a blend of them, such as 'default' in English."
        )
    card = detector.card
    used = [each for each in judged if set(each.labels) & set(card.ids)]
    if not used:
        raise InputError(
            "Found no text with a label for this detector; expected decisions on texts; review "
            "some at /review first."
        )
    encoder = (
        _encoder_of(detector) if heads and all(each.text is not None for each in used) else None
    )
    base, vectors = _read_all(detector, encoder, used)
    parts = np.array([is_held_out(each.item, seed) for each in used])
    found, fits, thresholds = [], {}, {}
    for at, name in enumerate(card.ids):
        values = np.array([each.labels.get(name, 0.5) for each in used])
        rows = np.flatnonzero((values != 0.5) & np.isfinite(base[:, at]))
        if not len(rows):
            continue
        gold, held = values[rows] > 0.5, parts[rows]
        own = None if vectors is None else vectors.of(rows, at)
        result, fit, threshold = _refit_id(name, card, base[rows, at], own, gold, held, seed)
        found.append(result)
        if fit is not None:
            fits[name], thresholds[name] = fit, threshold
    if not fits:
        short = "; ".join(f"{each.id} has {each.reason}" for each in found)
        raise InputError(
            f"No id has labels enough to be refitted, so nothing was written: {short}."
            if found
            else "All labels are undecided (0.5), so nothing was written; expected yes or no."
        )
    _write(detector, folder, encoder, fits, thresholds, found, used, output, seed, force)
    return found


def _refit_id(
    name: str,
    card: Card,
    base: Floats,
    vectors: Floats | None,
    gold: NDArray[np.bool_],
    held: NDArray[np.bool_],
    seed: int,
) -> tuple[Refit, _Fit | None, float]:
    train, old = ~held, card.report_threshold(name)
    counts = (int(train.sum()), int(gold[train].sum()), int(held.sum()))
    few = min(counts[1], counts[0] - counts[1])
    if counts[0] < LEAST_LABELS or few < LEAST_OF_EACH:
        why = (
            f"{counts[0]} labels beside the {counts[2]} held out, of which {counts[1]} say yes; "
            f"expected at least {LEAST_LABELS}, {LEAST_OF_EACH} of each kind"
        )
        return Refit(name, "unchanged", why, *counts), None, old
    scale = None
    if vectors is not None and counts[0] >= LEAST_FOR_HEADS:
        mean, spread = vectors[train].mean(axis=0), vectors[train].std(axis=0) + 1e-3
        scale = mean, spread
    inputs = None if scale is None or vectors is None else (vectors - scale[0]) / scale[1]
    chosen, outside = _choose(
        base[train], None if inputs is None else inputs[train], gold[train], seed
    )
    fit = _fit(base[train], None if inputs is None else inputs[train], gold[train], chosen)
    threshold = _best_f1(outside, gold[train])
    after = sigmoid(fit.logits(base, inputs))
    result = Refit(
        name,
        "calibration" if fit.weights is None else "heads",
        "chosen by cross-validation" if inputs is not None else "too few labels for heads",
        *counts,
        _measured(gold[held], sigmoid(base[held]), old),
        _measured(gold[held], after[held], threshold),
    )
    if fit.weights is not None and scale is not None:
        weights = fit.weights / scale[1]
        fit = _Fit(fit.slope, fit.intercept - float(weights @ scale[0]), weights)
    return result, fit, threshold


def _choose(
    base: Floats, vectors: Floats | None, gold: NDArray[np.bool_], seed: int
) -> tuple[float | None, Floats]:
    """Return the penalty with the least loss outside the folds, and the probabilities there.

    A softer penalty must win by more than one standard error.
    """
    folds = np.random.default_rng(seed).permutation(len(gold)) % FOLDS
    best: tuple[float | None, Floats, float, float] | None = None
    for penalty in PENALTIES if vectors is not None else PENALTIES[:1]:
        outside = np.empty(len(gold))
        for fold in range(FOLDS):
            inside, out = folds != fold, folds == fold
            own = None if vectors is None else vectors[inside]
            fit = _fit(base[inside], own, gold[inside], penalty)
            outside[out] = fit.logits(base[out], None if vectors is None else vectors[out])
        losses = np.logaddexp(0, outside) - gold * outside
        mean, error = float(losses.mean()), float(losses.std() / np.sqrt(len(losses)))
        if best is None or mean < best[2] - best[3]:
            best = penalty, sigmoid(outside), mean, error
    if best is None:
        raise ValueError("there is always a first penalty")
    return best[0], best[1]


def _fit(
    base: Floats, vectors: Floats | None, gold: NDArray[np.bool_], penalty: float | None
) -> _Fit:
    with needed("Fitting a detector again"):
        from scipy.optimize import minimize

    truth = gold.astype(np.float64)
    width = 0 if vectors is None or penalty is None else vectors.shape[1]

    def loss(theta: Floats) -> tuple[float, Floats]:
        slope = np.exp(theta[0])
        scaled = slope * base + theta[1]
        if width and vectors is not None:
            scaled = scaled + vectors @ theta[2:]
        gap = sigmoid(scaled) - truth
        held = _PRIOR_SLOPE * theta[0] ** 2
        value = float((np.logaddexp(0, scaled) - truth * scaled).sum() + held)
        steps = np.empty_like(theta)
        steps[0] = (gap * base).sum() * slope + 2 * _PRIOR_SLOPE * theta[0]
        steps[1] = gap.sum()
        if width and vectors is not None and penalty is not None:
            value += float(penalty / 2 * (theta[2:] ** 2).sum())
            steps[2:] = gap @ vectors + penalty * theta[2:]
        return value, steps

    theta = minimize(loss, np.zeros(2 + width), jac=True, method="L-BFGS-B").x
    return _Fit(float(np.exp(theta[0])), float(theta[1]), theta[2:] if width else None)


def _best_f1(probabilities: Floats, gold: NDArray[np.bool_]) -> float:
    """Return the threshold with the highest F1."""
    order = np.argsort(-probabilities)
    values, hits = probabilities[order], np.cumsum(gold[order])
    f1 = 2 * hits / (np.arange(1, len(gold) + 1) + gold.sum())
    last = np.append(values[1:] < values[:-1], True)
    best = int(np.argmax(np.where(last, f1, -1)))
    below = values[best + 1] if best + 1 < len(values) else 0.0
    return round(float((values[best] + below) / 2), 4)


def _measured(gold: NDArray[np.bool_], probabilities: Floats, threshold: float) -> Measured:
    chosen = probabilities >= threshold
    truth = gold.astype(int)
    if not len(truth):
        return Measured(None, None, None, None, None, threshold)
    return Measured(
        roc_auc_score(truth, probabilities).value,
        brier_loss(truth, probabilities).value,
        f1_score(truth, chosen.astype(int)).value,
        precision_score(truth, chosen.astype(int)).value,
        recall_score(truth, chosen.astype(int)).value,
        threshold,
    )


def _encoder_of(detector: LogitsDetector) -> EncoderDetector | None:
    """Return the encoder whose heads can be refitted, if there is one."""
    parts = detector.members if isinstance(detector, BlendDetector) else (detector,)
    able = [each for each in parts if isinstance(each, EncoderDetector) and each.marks_words]
    return able[0] if able else None


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The vectors of all windows, and which window of a text is the strongest for each id."""

    windows: Floats
    strongest: NDArray[np.int64]

    def of(self, rows: NDArray[np.intp], column: int) -> Floats:
        found: Floats = self.windows[self.strongest[rows, column]]
        return found


def _read_all(
    detector: LogitsDetector, encoder: EncoderDetector | None, used: Sequence[Judgement]
) -> tuple[Floats, _Vectors | None]:
    """Return the calibrated log-odds of each text and id, and the vectors behind them."""
    card = detector.card
    texts = [each.text for each in used if each.text is not None]
    if len(texts) < len(used):
        rows = [[(each.scores or {}).get(name, np.nan) for name in card.ids] for each in used]
        known = np.clip(np.array(rows, dtype=np.float64), _EDGE, 1 - _EDGE)
        return np.log(known) - np.log1p(-known), None
    logits = detector.logits(texts).astype(np.float64)
    scaling = np.array([card.scaling(name) for name in card.ids])
    base = logits * scaling[:, 0] + scaling[:, 1]
    if encoder is None:
        return base, None
    windows, owners, strength = encoder.vectors(texts)
    strongest = np.zeros((len(texts), len(card.ids)), dtype=np.int64)
    best = np.full((len(texts), len(card.ids)), -np.inf)
    for window, owner in enumerate(owners):
        better = strength[window] > best[owner]
        strongest[owner, better], best[owner, better] = window, strength[window, better]
    return base, _Vectors(windows.astype(np.float64), strongest)


def _write(
    detector: LogitsDetector,
    source: Path,
    encoder: EncoderDetector | None,
    fits: Mapping[str, _Fit],
    thresholds: Mapping[str, float],
    found: Sequence[Refit],
    used: Sequence[Judgement],
    output: Path,
    seed: int,
    force: bool,
) -> None:
    card = detector.card
    labels = json.dumps([[each.item, dict(each.labels)] for each in used], sort_keys=True)
    digest = hashlib.sha256(labels.encode()).hexdigest()
    calibration = dict(card.calibration)
    for name, fit in fits.items():
        slope, intercept = card.scaling(name)
        calibration[name] = (fit.slope * slope, fit.slope * intercept + fit.intercept)
    training: dict[str, Any] = dict(card.training)
    training["refitted"] = {
        "base": card.model,
        "texts": len(used),
        "labels sha256": digest,
        "seed": seed,
        "ids": {each.id: each.what for each in found},
    }
    members = training.get("members")
    if isinstance(detector, BlendDetector) and isinstance(members, dict):
        training["members"] = {f"./{Path(name).name}": share for name, share in members.items()}
    changed = replace(
        card,
        version=f"{card.version}+feedback.{digest[:8]}",
        calibration=calibration,
        thresholds={**card.thresholds, **thresholds},
        report_thresholds={**card.report_thresholds, **thresholds},
        training=training,
        figures=(*(e for e in card.figures if e.get("id") not in fits), *_figures(found)),
        limits=(
            *card.limits,
            "Refitted on feedback, which is not a sample of all texts: what people report is.",
        ),
    )
    with atomic_folder(output, force) as target:
        if isinstance(detector, BlendDetector):
            for member, name in zip(detector.members, training["members"], strict=True):
                place = target / name
                shutil.copytree(member.folder, place)  # type: ignore[attr-defined]
                if member is encoder:
                    share = detector.shares[detector.members.index(member)]
                    _correct(place, detector, fits, share)
        else:
            for file in source.iterdir():
                if file.is_file() and file.name != CARD_FILE:
                    shutil.copy2(file, target / file.name)
            if encoder is not None:
                _correct(target, detector, fits, np.ones(len(card.ids), dtype=np.float32))
        write_card(changed, target)


def _correct(
    folder: Path, detector: LogitsDetector, fits: Mapping[str, _Fit], share: NDArray[np.float32]
) -> None:
    """Write what is added to the logits of an encoder, also into the heads that mark words."""
    card = detector.card
    rows = [
        at
        for at, name in enumerate(card.ids)
        if name in fits and fits[name].weights is not None and share[at]
    ]
    if not rows:
        return
    added = []
    for at in rows:
        fit = fits[card.ids[at]]
        # The blend multiplies the encoder's logits by its share and by the new slope.
        scale = fit.slope * card.scaling(card.ids[at])[0] * float(share[at])
        added.append((fit.weights if fit.weights is not None else 0) / scale)
    weights = np.array(added, dtype=np.float32)
    with np.load(folder / HEADS_FILE) as known:
        heads = {name: known[name] for name in known.files}
    heads["text_weight"][rows] += weights
    np.savez(folder / HEADS_FILE, **heads)
    np.savez(folder / CORRECTION_FILE, rows=np.array(rows, dtype=np.int64), weight=weights)


def _figures(found: Sequence[Refit]) -> list[dict[str, Any]]:
    return [
        {"id": each.id, "metric": metric, "value": value, "items": each.held_out,
         "part": "held-out feedback"}
        for each in found
        if each.after is not None
        for metric, value in asdict(each.after).items()
        if metric in ("auc", "f1") and value is not None
    ]  # fmt: skip
