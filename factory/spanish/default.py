"""The embedded Spanish detector: taught, measured on what was held out, written.

An encoder (the multilingual one, pruned and taught further) and sums over words are blended, with
one expert for comments and one for speeches. All figures, thresholds and calibrations come from
folds that hold whole articles and speeches out; the weights that are written then learn from
everything.
"""

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from factory import stages
from factory.spanish.card import SpanishParts, write_spanish
from factory.spanish.network import (
    SPANISH_STAGE,
    Say,
    Tokens,
    logits_of,
    teach,
    tokenised,
    vectors_of,
)
from factory.spanish.sources import (
    COLUMNS,
    COMMENT,
    COMMENTS,
    ENGLISH,
    FOLDS,
    LESSONS,
    PCL,
    REGISTER,
    SPEECHES,
    TARGET_GROUP,
    SpanishSources,
    read_spanish,
)
from factory.spanish.words import STRENGTH, fit_words
from factory.use.classifier import MEAN, SENTENCE, UseClassifier
from factory.use.load import load_use
from tactful.detectors.card import Card
from tactful.files import atomic_path
from tactful.training.loop import hash_of_weights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

KEEP = 24_000
"""Pieces of the encoder's vocabulary: those of Spanish and English texts."""
READS = (SENTENCE, MEAN)
LESSON_WEIGHT = 0.5
REGISTER_WEIGHT = 0.3
"""It is easy to learn, and must not take the network for itself."""
HELPER_SHARE = 0.5
"""What the head for comments aimed at a group adds to that for stereotypes in comments."""
_PCL_STRENGTH = 1.0
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lesson:
    """All that is learnt from, as arrays, and the network that learns it."""

    sources: SpanishSources
    model: UseClassifier
    tokenizer: "Tokenizer"
    tokens: Tokens
    begin: dict[str, torch.Tensor]

    def spanish(self, without: int | None = None) -> list[int]:
        """Return the Spanish rows, without those of one fold."""
        rows = self.sources.rows(COMMENTS, SPEECHES, LESSONS)
        if without is None:
            return rows
        return [row for row in rows if self.sources.texts[row].fold != without]

    def held(self, fold: int) -> list[int]:
        """Return the Spanish rows that a fold holds out."""
        rows = self.sources.rows(COMMENTS, SPEECHES)
        return [row for row in rows if self.sources.texts[row].fold == fold]

    def made_from(self) -> dict[str, object]:
        """Return the hashes and settings that every stage depends on."""
        return {
            "texts": self.sources.fingerprint(),
            "heads": list(self.sources.heads),
            "start": hash_of_weights(self.begin),
            "settings": asdict(SPANISH_STAGE),
            "weights": [LESSON_WEIGHT, REGISTER_WEIGHT, HELPER_SHARE],
        }


def train_spanish(
    data: Path | None,
    output: Path,
    work: Path,
    say: Say = lambda _: None,
    command: str = "python -m factory spanish --data CORPORA --output WEIGHTS --work WORK",
) -> Card:
    """Train, measure and write the Spanish detectors.

    ``work`` keeps the finished stages; one whose data or settings changed is made again.
    """
    lesson = open_lesson(read_spanish(data), say)
    outside = outside_logits(lesson, work, say)
    _learn_everything(lesson, work, say)
    pcl = _fit_pcl(lesson)
    words = fit_words(lesson.sources, lesson.spanish())
    parts = SpanishParts(
        _only_columns(lesson), lesson.tokenizer, words, lesson.sources, outside, pcl
    )
    return write_spanish(output, parts, command)


def open_lesson(sources: SpanishSources, say: Say = lambda _: None) -> Lesson:
    """Open the multilingual encoder and cut all texts into its tokens."""
    say("opening the multilingual encoder, and pruning its vocabulary")
    spanish = [text.text for text in sources.texts if text.corpus != ENGLISH]
    english = [text.text for text in sources.texts if text.corpus == ENGLISH]
    network, tokenizer = load_use(KEEP, (spanish, english))
    torch.manual_seed(1)
    model = UseClassifier(network, len(sources.heads), reads=READS)
    tokens = tokenised(tokenizer, [text.text for text in sources.texts])
    begin = {name: value.clone() for name, value in model.state_dict().items()}
    return Lesson(sources, model, tokenizer, tokens, begin)


def outside_logits(lesson: Lesson, work: Path, say: Say = lambda _: None) -> Numbers:
    """Return texts x members x columns, each text by members that never saw its fold.

    Texts that are never held out have NaN.
    """
    found = np.full((len(lesson.sources.texts), 2, len(COLUMNS)), np.nan)
    for fold in range(FOLDS):
        made_from = {**lesson.made_from(), "fold": fold, "words": STRENGTH}
        make = stages.saved(partial(_fold_logits, lesson, fold, say))
        kept = stages.Stage(work / f"fold-{fold}.npz", made_from, make, say).arrays()
        found[lesson.held(fold)] = kept["logits"]
    return found


def _fold_logits(lesson: Lesson, fold: int, say: Say) -> dict[str, np.ndarray]:
    held = lesson.held(fold)
    found = np.full((len(held), 2, len(COLUMNS)), np.nan)
    _teach(lesson, fold, say)
    logits = logits_of(lesson.model, lesson.tokens, held).astype(np.float64)
    logits[:, COLUMNS.index(COMMENT)] += HELPER_SHARE * logits[:, _helper(lesson.sources)]
    found[:, 0] = logits[:, : len(COLUMNS)]
    words = fit_words(lesson.sources, lesson.spanish(fold))
    found[:, 1] = words.decisions([lesson.sources.texts[row].text for row in held])
    return {"logits": found}


def _teach(lesson: Lesson, without: int | None, say: Say) -> None:
    lesson.model.load_state_dict(lesson.begin)
    name = "all texts" if without is None else f"fold {without + 1} of {FOLDS} held out"
    teach(
        lesson.model,
        lesson.tokens,
        lesson.sources.table(),
        lesson.spanish(without),
        SPANISH_STAGE,
        weights=weights_of(lesson.sources),
        say=lambda sentence: say(f"{name}, {sentence}"),
    )


def weights_of(sources: SpanishSources) -> NDArray[np.float32]:
    """Return what each text counts for each head."""
    found = np.ones((len(sources.texts), len(sources.heads)), dtype=np.float32)
    found[sources.rows(LESSONS)] = LESSON_WEIGHT
    found[:, sources.heads.index(REGISTER)] *= REGISTER_WEIGHT
    return found


def _fit_pcl(lesson: Lesson) -> Numbers:
    """Learn the head for ``pcl`` from English paragraphs, the network unchanged.

    The same meaning lies near in both languages. Returns the logits of all English rows.
    """
    from sklearn.linear_model import LogisticRegression

    english = lesson.sources.rows(ENGLISH)
    vectors = vectors_of(lesson.model, lesson.tokens, english)
    texts = [lesson.sources.texts[row] for row in english]
    taught = [at for at, text in enumerate(texts) if text.fold is None]
    gold = [int(texts[at].targets[PCL] >= 0.5) for at in taught]
    learner = LogisticRegression(C=_PCL_STRENGTH, class_weight="balanced", max_iter=1000)
    learner.fit(vectors[taught], gold)
    head, row = lesson.model.text_head, COLUMNS.index(PCL)
    with torch.no_grad():
        head.weight[row].copy_(torch.from_numpy(learner.coef_[0].astype(np.float32)))
        head.bias[row].fill_(float(learner.intercept_[0]))
    answers: Numbers = learner.decision_function(vectors).astype(np.float64)
    return answers


def _learn_everything(lesson: Lesson, work: Path, say: Say) -> None:
    """Teach the network all texts, or load it from a run that did."""
    from safetensors.torch import load_file, save_file

    def make(path: Path) -> None:
        _teach(lesson, None, say)
        state = {name: value.contiguous() for name, value in lesson.model.state_dict().items()}
        with atomic_path(path, force=True) as target:
            save_file(state, target)

    stage = stages.Stage(work / "spanish.safetensors", lesson.made_from(), make, say)
    lesson.model.load_state_dict(load_file(stage.file()))


def _helper(sources: SpanishSources) -> int:
    return sources.heads.index(TARGET_GROUP)


def _only_columns(lesson: Lesson) -> UseClassifier:
    """Return the classifier without the heads that only taught the network."""
    model = lesson.model
    small = UseClassifier(model.network, len(COLUMNS), reads=model.reads)
    with torch.no_grad():
        for mine, theirs in (
            (small.text_head.weight, model.text_head.weight),
            (small.text_head.bias, model.text_head.bias),
        ):
            mine.copy_(theirs[: len(COLUMNS)])
            mine[COLUMNS.index(COMMENT)] += HELPER_SHARE * theirs[_helper(lesson.sources)]
    small.eval()
    return small
