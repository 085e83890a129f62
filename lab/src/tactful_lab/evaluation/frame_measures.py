"""Predicted frames compared with the annotations (Sap et al. 2020, section 4.1).

Each measure compares pairs that are taken from the frames: 0/1 answers to a question, or the
references of a post and the one text that was predicted for it. Where it compares them is part of
its name:

- ``offensive.f1``, ``group.f1``: posts whose annotators answered the question. Annotators who
  find a post harmless are not asked about groups, so ``group`` and ``in_group`` have fewer posts;
- ``group.all.f1``, ``in_group.all.f1``: all posts, where a question that nobody was asked is a no;
- ``target_group.rouge_l``: posts for which a group was written; a blank prediction scores 0;
- ``target_group.all.rouge_l``: posts with a text on either side; a text on one side only scores 0.
  Where both are blank there is nothing to compare, so that silence earns nothing.

The predicted text is the first group (or statement) of the frame, and blank where it has none.
Texts are compared as they are, lower-cased. Corpus-level BLEU is only given on posts with
references, and so is word mover's distance, which a blank does not have. The paper does not say how
its table 5 counts blanks. How varied the statements are (``implied_statement.distinct``) is
measured on all predicted statements, also where gold has none
(:mod:`tactful_lab.evaluation.variety`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from tactful import metrics
from tactful.errors import InputError
from tactful.frames.schema import GROUPS, STATEMENTS, frame_problems
from tactful.metrics import Measure
from tactful.metrics.generation import bleu_of_counts, count_bleu, tokenise
from tactful.taxonomies.frame_constraints import frame_variable
from tactful.types import Frame
from tactful_lab.evaluation.variety import distinct_ngrams, distinct_share, specificity

if TYPE_CHECKING:
    from tactful.metrics.word_vectors import WordVectors

Frames = Sequence[Frame]
Pairs = tuple[list[Any], list[Any]]
Kind = Literal["precision", "recall", "f1", "mean", "bleu", "whole"]
"""How a measure combines the values of single posts; ``whole`` uses all posts at once."""

QUESTIONS = ("frame.offensive", "frame.intent", "frame.lewd", "frame.group", "frame.in_group")
"""In the order of table 4."""
ALL = "all"
ORDER = 2
NO_VECTORS = "there are no word vectors to measure with"
NOT_IN_GOLD = "not in the gold: none of its posts answers this question"
_SHARES: dict[Kind, Callable[..., Measure]] = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
}


@dataclass(frozen=True, slots=True)
class FrameMeasure:
    """One measure: the pairs that it takes from gold and predicted frames, and what it does."""

    pairs: Callable[[Frames, Frames], Pairs]
    measure: Callable[[Any, Any], Measure]
    kind: Kind

    def __call__(self, gold: Frames, predicted: Frames) -> Measure:
        """Measure predicted frames, given in the order of gold."""
        return self.measure(*self.pairs(gold, predicted))


def evaluate_frames(
    gold: Frames, predicted: Frames, vectors: "WordVectors | None" = None
) -> dict[str, Measure]:
    """Return every measure by its name; an undefined one says why.

    ``predicted`` has the order of ``gold``. Word mover's distance needs ``vectors``.
    """
    if len(gold) != len(predicted):
        raise InputError(
            f"Found {len(gold):,} gold frames and {len(predicted):,} predicted ones; expected one "
            "of each for every post."
        )
    return {name: each(gold, predicted) for name, each in frame_measures(vectors).items()}


def frame_measures(
    vectors: "WordVectors | None" = None, no_vectors: str = NO_VECTORS
) -> dict[str, FrameMeasure]:
    """Return what can be measured, by name; ``no_vectors`` is why there is no distance of words."""
    found: dict[str, FrameMeasure] = {}
    for variable in QUESTIONS:
        scopes = (False, True) if frame_variable(variable).requires else (False,)
        for everywhere in scopes:
            pairs = partial(answer_pairs, variable=variable, everywhere=everywhere)
            for kind, measure in _SHARES.items():
                name = measure_name(variable, kind, everywhere)
                found[name] = FrameMeasure(pairs, partial(_answered, measure=measure), kind)
    for variable in (GROUPS, STATEMENTS):
        for everywhere in (False, True):
            pairs = partial(text_pairs, variable=variable, everywhere=everywhere)
            for short, measure, kind in _text_measures(vectors, no_vectors, everywhere):
                name = measure_name(variable, short, everywhere)
                found[name] = FrameMeasure(pairs, measure, kind)
    for short, variety in _VARIETY.items():
        pairs = partial(text_pairs, variable=STATEMENTS, everywhere=True)
        found[measure_name(STATEMENTS, short)] = FrameMeasure(
            pairs, partial(_of_predicted, measure=variety), "whole"
        )
    found["broken_constraints"] = FrameMeasure(_whole_frames, broken_constraints_share, "mean")
    return found


_VARIETY: dict[str, Callable[[Sequence[str]], Measure]] = {
    "distinct": distinct_share,
    "distinct_1": partial(distinct_ngrams, order=1),
    "distinct_2": partial(distinct_ngrams, order=2),
    "specificity": specificity,
}
"""What is measured of the predicted statements alone."""


def _of_predicted(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[str],
    measure: Callable[[Sequence[str]], Measure],
) -> Measure:
    return measure(hypotheses)


def measure_name(variable: str, measure: str, everywhere: bool = False) -> str:
    """Return the name of a measure.

    >>> measure_name("frame.group", "f1", everywhere=True)
    'group.all.f1'
    """
    parts = (variable.removeprefix("frame."), *([ALL] if everywhere else []), measure)
    return ".".join(parts)


def answer_pairs(gold: Frames, predicted: Frames, variable: str, everywhere: bool = False) -> Pairs:
    """Return the answers to a question as 0 and 1.

    Posts without a gold answer are left out, or a no ``everywhere``, unless gold answers the
    question nowhere: then there are no pairs. A prediction may leave out an answer that the
    constraints leave no room for, which is a no; another that is absent is None.
    """
    everywhere = everywhere and any(variable in frame.answers for frame in gold)
    entry = frame_variable(variable)
    binary = {answer.value: answer.binary for answer in entry.answers}
    absent = 0 if entry.requires else None
    truths: list[int] = []
    guesses: list[int | None] = []
    for one, other in zip(gold, predicted, strict=True):
        truth, guess = one.answers.get(variable), other.answers.get(variable)
        if truth is None and not everywhere:
            continue
        truths.append(0 if truth is None else binary[truth])
        guesses.append(absent if guess is None else binary[guess])
    return truths, guesses


def text_pairs(gold: Frames, predicted: Frames, variable: str, everywhere: bool = False) -> Pairs:
    """Return the references of each post and the text predicted for it.

    Posts without references are left out; ``everywhere`` they have one, which is blank.
    """
    listed: list[list[str]] = []
    texts: list[str] = []
    for one, other in zip(gold, predicted, strict=True):
        references = list(frame_texts(one, variable))
        if references or everywhere:
            listed.append(references or [""])
            texts.append(next(iter(frame_texts(other, variable)), ""))
    return listed, texts


def frame_texts(frame: Frame, variable: str) -> tuple[str, ...]:
    """Return the target groups or the implied statements of a frame."""
    return frame.target_groups if variable == GROUPS else frame.implied_statements


def best_reference_bleu_score(
    references: Sequence[Sequence[str]], hypotheses: Sequence[str]
) -> Measure:
    """Return the mean BLEU-2 of each text with the one reference that suits it best.

    Range 0 to 1, higher is better. Sentence BLEU against all references at once may take words from
    several of them; here it may not. Blanks are those of
    :func:`tactful.metrics.mean_sentence_bleu_score`; nothing is smoothed, so a text that shares no
    two words in a row scores 0, unless it is one word. ``parts["smoothed"]`` is smoothed as there.

    >>> float(best_reference_bleu_score([["old people are slow", "cooks shout"]], ["cooks shout"]))
    1.0
    """
    name = f"best reference BLEU-{ORDER}"
    smoothed, plain = [], []
    for listed, text in zip(references, hypotheses, strict=True):
        written = tokenise(text)
        counted = [count_bleu([tokenise(each)], written, ORDER) for each in listed]
        if counted:
            smoothed.append(max(bleu_of_counts(counts, "epsilon") for counts in counted))
            plain.append(max(bleu_of_counts(counts, "none") for counts in counted))
    items = len(smoothed)
    if not items:
        return Measure(name, None, "no item has a reference to compare with", items=0)
    parts = {"smoothed": Measure("smoothed", sum(smoothed) / items, items=items)}
    return Measure(name, sum(plain) / items, None, parts, items)


def blank_share(references: Sequence[Sequence[str]], hypotheses: Sequence[str]) -> Measure:
    """Return the share of predicted texts that are blank, with that of the references as a part."""
    if not hypotheses:
        return Measure("blank", None, "there are no posts", items=0)
    gold = sum(not any(map(tokenise, listed)) for listed in references)
    blank = sum(not tokenise(text) for text in hypotheses)
    items = len(hypotheses)
    parts = {"gold": Measure("gold", gold / items, items=items)}
    return Measure("blank", blank / items, None, parts, items)


def broken_constraints_share(gold: Frames, predicted: Frames) -> Measure:
    """Return the share of predicted frames that break a constraint; gold is not looked at.

    A group without an offence, a text without a group: range 0 to 1, lower is better.
    """
    if not predicted:
        return Measure("broken constraints", None, "there are no frames", items=0)
    broken = sum(bool(frame_problems(frame)) for frame in predicted)
    return Measure("broken constraints", broken / len(predicted), items=len(predicted))


def missing_answers(predicted: Sequence[int | None]) -> str | None:
    """Say how many predicted frames lack an answer, if any do."""
    missing = sum(guess is None for guess in predicted)
    if not missing:
        return None
    return f"{missing:,} of {len(predicted):,} predicted frames do not answer this question"


def _answered(
    gold: Sequence[int], predicted: Sequence[int | None], measure: Callable[..., Measure]
) -> Measure:
    if not gold:
        return Measure("answers", None, NOT_IN_GOLD, items=0)
    reason = missing_answers(predicted)
    if reason is not None:
        return Measure("answers", None, reason, items=len(predicted))
    return measure(gold, predicted)


def _text_measures(
    vectors: "WordVectors | None", no_vectors: str, everywhere: bool
) -> Iterator[tuple[str, Callable[[Any, Any], Measure], Kind]]:
    if not everywhere:
        yield f"bleu_{ORDER}", partial(metrics.bleu_score, order=ORDER), "bleu"
    means: dict[str, Callable[[Any, Any], Measure]] = {
        f"mean_sentence_bleu_{ORDER}": partial(metrics.mean_sentence_bleu_score, order=ORDER),
        f"best_reference_bleu_{ORDER}": best_reference_bleu_score,
        "rouge_l": metrics.rouge_l_score,
        "exact_match": metrics.exact_match_score,
    }
    for name, measure in means.items():
        yield name, partial(_where_said, measure=measure) if everywhere else measure, "mean"
    if not everywhere:
        distance = (
            partial(_no_distance, reason=no_vectors)
            if vectors is None
            else partial(metrics.word_movers_distance, vectors=vectors)
        )
        yield "word_movers", distance, "mean"
    yield "blank", blank_share, "mean"


def _where_said(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[str],
    measure: Callable[[Any, Any], Measure],
) -> Measure:
    """Measure the items that have a text on either side."""
    pairs = [
        (listed, text)
        for listed, text in zip(references, hypotheses, strict=True)
        if tokenise(text) or any(map(tokenise, listed))
    ]
    if not pairs:
        return Measure("texts", None, "no post has a text on either side", items=0)
    return measure([listed for listed, _ in pairs], [text for _, text in pairs])


def _no_distance(references: Any, hypotheses: Any, reason: str) -> Measure:
    return Measure("word mover's distance", None, reason, items=0)


def _whole_frames(gold: Frames, predicted: Frames) -> Pairs:
    return list(gold), list(predicted)
