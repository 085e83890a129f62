"""Frames as values: checked against the constraints, binarised, and combined over annotators.

The variables, their answers and what each requires are data: :mod:`tactful.taxonomies`. Reading
these takes longer than opening a framer, so they are read when a function first needs them.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tactful.errors import InputError
from tactful.types import Example, Frame

Assignment = dict[str, int]
_SURE = 1e-6
"""Probabilities are kept this far from 0 and 1: no answer of a model is certain."""


@cache
def consistent_assignments() -> tuple[tuple[int, ...], ...]:
    """Return every assignment (in the order of ``CATEGORICAL``) that breaks no constraint."""
    from tactful.taxonomies.frame_constraints import check_frame_values

    found = []
    for values in product((0, 1), repeat=len(CATEGORICAL)):
        answers = {
            name: "yes" if value else "no" for name, value in zip(CATEGORICAL, values, strict=True)
        }
        if not check_frame_values({**answers, GROUPS: ("somebody",) if values[3] else ()}):
            found.append(values)
    return tuple(found)


def most_probable(probabilities: Mapping[str, float], group: bool | None = None) -> Assignment:
    """Return the best consistent assignment.

    ``group`` says that a group was generated (True) or that none was (False): the assignment must
    then agree with the text, as the paper searches "given the generated text candidate".

    >>> best = most_probable({"frame.lewd": .1, "frame.offensive": .4, "frame.intent": .3,
    ...                       "frame.group": .8, "frame.in_group": .1})
    >>> best["frame.offensive"], best["frame.group"]
    (1, 1)
    """
    chances = np.array([[probabilities[name] for name in CATEGORICAL]])
    best = most_probable_rows(chances, None if group is None else np.array([group]))
    return dict(zip(CATEGORICAL, map(int, best[0]), strict=True))


def most_probable_rows(
    probabilities: NDArray[np.floating], groups: NDArray[np.bool_] | None = None
) -> NDArray[np.int8]:
    """Search for many texts at a time: one row each, in the order of ``CATEGORICAL``."""
    chances = np.clip(np.asarray(probabilities, dtype=np.float64), _SURE, 1 - _SURE)
    options = np.array(consistent_assignments(), dtype=np.int8)
    scores = np.log(chances) @ options.T + np.log1p(-chances) @ (1 - options.T)
    if groups is not None:
        agrees = options[:, 3][None, :] == np.asarray(groups, dtype=np.int8)[:, None]
        scores = np.where(agrees, scores, -np.inf)
    found: NDArray[np.int8] = options[scores.argmax(axis=1)]
    return found


def at_thresholds(
    probabilities: NDArray[np.floating], thresholds: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Return probabilities moved so that each threshold becomes a half.

    The search weighs a yes against a no; so a variable can be claimed from another probability on.
    """
    odds = _log_odds(np.asarray(probabilities)) - _log_odds(np.asarray(thresholds))
    found: NDArray[np.float64] = 1 / (1 + np.exp(-odds))
    return found


def _log_odds(chances: NDArray[np.floating]) -> NDArray[np.float64]:
    clipped = np.clip(chances.astype(np.float64), _SURE, 1 - _SURE)
    found: NDArray[np.float64] = np.log(clipped) - np.log1p(-clipped)
    return found


def breaks(values: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Say of each row of answers whether it breaks a constraint."""
    allowed = set(consistent_assignments())
    return np.array([tuple(map(int, row)) not in allowed for row in values], dtype=bool)


CATEGORICAL = (
    "frame.lewd",
    "frame.offensive",
    "frame.intent",
    "frame.group",
    "frame.in_group",
)
"""In the order of equation 1."""
GROUPS, STATEMENTS = "frame.target_group", "frame.implied_statement"
THRESHOLD = 0.5
"""Section 4.2: the binarised answers are averaged and binarised again."""


def make_frame(
    answers: Mapping[str, str | float | bool],
    target_groups: Iterable[str] = (),
    implied_statements: Iterable[str] = (),
) -> Frame:
    """Return the frame of one annotator, checked; names may be short (``group``).

    An answer is given as the questionnaire says it ("probably"), as the corpus writes it (0.66) or
    as yes or no (True). The probabilities are the binarised answers.

    >>> make_frame({"offensive": "maybe", "group": "yes"}, ["women"]).probabilities["frame.group"]
    1.0
    """
    from tactful.taxonomies.frame_constraints import binarise, frame_variable

    said = {}
    for name, value in answers.items():
        entry = frame_variable(name)
        answer = entry.answer(value if isinstance(value, str) else float(value))
        if answer is None:
            binarise(entry.id, value)  # It raises, and says which answers there are.
        else:
            said[entry.id] = answer.value
    frame = Frame(
        {name: float(binarise(name, said[name])) for name in CATEGORICAL if name in said},
        tuple(target_groups),
        tuple(implied_statements),
        {name: said[name] for name in CATEGORICAL if name in said},
    )
    validate_frame(frame)
    return frame


def frame_problems(frame: Frame) -> list[str]:
    """Return a sentence for each constraint that the frame breaks; none means that it holds."""
    from tactful.taxonomies.frame_constraints import check_frame_values

    sentences = [
        f"{name} has the probability {value!r}; expected a number from 0 to 1."
        for name, value in frame.probabilities.items()
        if not 0 <= value <= 1
    ]
    sentences += [
        f"{name} is not a categorical variable of a frame; expected {', '.join(CATEGORICAL)}."
        for name in dict.fromkeys((*frame.probabilities, *frame.answers))
        if name not in CATEGORICAL
    ]
    if sentences:
        return sentences
    texts = {GROUPS: frame.target_groups, STATEMENTS: frame.implied_statements}
    sentences = check_frame_values({**frame.answers, **texts})
    for each in frame.implications:
        if each.group not in frame.target_groups:
            sentences.append("An implication is about a group that is not a target group.")
        if each.statement is not None and each.statement not in frame.implied_statements:
            sentences.append("An implication has a statement that is not an implied statement.")
    return sentences


def validate_frame(frame: Frame) -> None:
    """Raise an error with all problems if the frame breaks a constraint."""
    sentences = frame_problems(frame)
    if sentences:
        raise InputError("This is not a valid Social Bias Frame: " + " ".join(sentences))


def binarised(frame: Frame) -> dict[str, int]:
    """Return the answers as 0 and 1 (footnote 8); a variable without an answer is absent."""
    from tactful.taxonomies.frame_constraints import binarise

    return {name: binarise(name, answer) for name, answer in frame.answers.items()}


def aggregate_frames(frames: Sequence[Frame]) -> Frame:
    """Combine the frames of several annotators as section 4.2 does.

    The binarised answers are averaged and binarised again; who was not asked does not count. All
    groups and statements stay, in the order in which they came: they are the references. Values
    that the majority's answers rule out are dropped, so the result satisfies the constraints.
    """
    if not frames:
        raise InputError("There is no frame to combine; expected the frame of one annotator.")
    values = [binarised(frame) for frame in frames]
    shares = {}
    for name in CATEGORICAL:
        said = [value[name] for value in values if name in value]
        if said:
            shares[name] = sum(said) / len(said)
    answers = {name: "yes" if share >= THRESHOLD else "no" for name, share in shares.items()}
    if answers.get("frame.offensive") != "yes" and "frame.group" in answers:
        answers["frame.group"] = "no"
    if answers.get("frame.group") != "yes":
        answers.pop("frame.in_group", None)
        return Frame(shares, answers=answers)
    return Frame(
        shares,
        _distinct(text for frame in frames for text in frame.target_groups),
        _distinct(text for frame in frames for text in frame.implied_statements),
        answers,
        tuple(dict.fromkeys(each for frame in frames for each in frame.implications)),
    )


def frame_of_example(example: Example) -> Frame:
    """Return the combined frame that a corpus records for a text: its means and its references."""
    shares = {name: example.labels[name] for name in CATEGORICAL if name in example.labels}
    answers = {name: "yes" if share >= THRESHOLD else "no" for name, share in shares.items()}
    texts = (example.texts.get(GROUPS, ()), example.texts.get(STATEMENTS, ()))
    return Frame(shares, texts[0], texts[1], answers)


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text.strip()))
