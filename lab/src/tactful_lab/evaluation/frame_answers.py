"""Frames of the annotators and predicted ones, for ``tactful evaluate frames``."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tactful.cli.answers import Answers, Faults, refuse_repeated, show_cell
from tactful.corpora.sbic_examples import post_id
from tactful.errors import FileFormatError, InputError, TactfulError, UsageError
from tactful.files import has_bad_bytes, open_text
from tactful.frames.frame_json import frame_from_json
from tactful.frames.posts import read_references
from tactful.frames.schema import GROUPS, STATEMENTS, frame_problems
from tactful.metrics import read_word_vectors
from tactful.metrics.significance import Decomposition
from tactful.metrics.word_movers import words_of
from tactful.types import Frame
from tactful.words import counted
from tactful_lab.evaluation.answers import match
from tactful_lab.evaluation.frame_measures import (
    QUESTIONS,
    FrameMeasure,
    frame_measures,
    frame_texts,
    missing_answers,
)
from tactful_lab.evaluation.generated_texts import bleu_sums
from tactful_lab.evaluation.tasks import (
    EvaluationData,
    Metric,
    Options,
    binary_metrics,
    mean_metric,
)

_JSON_LINES = (".jsonl", ".ndjson")
_PACKED = (".gz", ".zip")
_LINE = "an object with a frame and the id or the text of its post"
_FRAME = "the frame that 'tactful frame --format jsonl' writes"
_NO_VECTORS = (
    "it needs word vectors: --vectors FILE (the paper took GloVe of Common Crawl, footnote 11)"
)


@dataclass
class FrameFile:
    """The frames of one file, with what says whose they are."""

    path: Path
    ids: list[str | None] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """None of them where the frames come from the corpus."""

    def answers(self, by_text: bool) -> Answers:
        """Return a frame for each id; ``by_text`` the id is made of the post's own words."""
        found = [
            (post_id(text.strip()) if by_text and text is not None else name) or ""
            for name, text in zip(self.ids, self.texts, strict=True)
        ]
        answers = Answers(self.path, found, self.frames, self._line)
        refuse_repeated(answers)
        return answers

    def _line(self, at: int) -> int | None:
        return self.lines[at] if self.lines else None


def frames(gold: Path, systems: Sequence[Path], options: Options) -> EvaluationData:
    """Read gold frames (the corpus' own files, or JSON Lines) and predicted ones (JSON Lines)."""
    truth, *guesses = (_gold(gold), *(read_frame_lines(path) for path in systems))
    by_text = _by_text(truth, guesses)
    expected = truth.answers(by_text)
    answers = [match(expected, guess.answers(by_text)) for guess in guesses]
    vectors = None
    if options.vectors is not None:
        everything = [*truth.frames, *(frame for side in answers for frame in side)]
        texts = [
            t for f in everything for name in (GROUPS, STATEMENTS) for t in frame_texts(f, name)
        ]
        vectors = read_word_vectors(options.vectors, words_of(texts))
    found = {
        name: _metric(each, options.undefined)
        for name, each in frame_measures(vectors, _NO_VECTORS).items()
    }
    notes = [*_notes(truth, by_text), *(note for each in guesses for note in _others(truth, each))]
    return EvaluationData(truth.frames, answers, found, notes=notes)


def matched_frames(
    gold: Path, systems: Sequence[Path]
) -> tuple[list[str], list[Frame], list[list[Frame]]]:
    """Return the posts' texts, their gold frames, and each system's frames in the same order."""
    truth, *guesses = (_gold(gold), *(read_frame_lines(path) for path in systems))
    by_text = _by_text(truth, guesses)
    expected = truth.answers(by_text)
    texts = [text or "" for text in truth.texts]
    if not all(texts):
        raise InputError(f"{gold}: found a post without its text; expected one to show to raters.")
    frames = [list(match(expected, guess.answers(by_text))) for guess in guesses]
    return texts, truth.frames, frames


def read_frame_lines(path: Path) -> FrameFile:
    """Read a frame from each line; it may break a constraint, which is measured, not refused."""
    found, faults = FrameFile(path), Faults(path)
    with open_text(path) as handle:
        for number, line in enumerate(handle, 1):
            if line.strip():
                _read_line(found, faults, number, line)
    faults.raise_any()
    if not found.frames:
        raise FileFormatError(f"{path}: found no line; expected a frame on each.")
    return found


def _read_line(found: FrameFile, faults: Faults, number: int, line: str) -> None:
    if has_bad_bytes(line):
        faults.add(number, "bytes that are not UTF-8 text", "UTF-8")
        return
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        faults.add(number, "what is no JSON", _LINE)
        return
    if not isinstance(data, dict) or "frame" not in data:
        faults.add(number, "no frame", _LINE)
        return
    name, text = _id(data.get("id")), data.get("text")
    if text is not None and not isinstance(text, str):
        faults.add(number, f"a {type(text).__name__}", "the text of the post", "text")
        return
    if name is None and text is None:
        faults.add(number, "neither id nor text", _LINE)
        return
    try:
        frame = frame_from_json(data["frame"], constraints=False)
    except TactfulError as error:
        faults.add(number, f"no frame ({str(error).rstrip('.')})", _FRAME, "frame")
        return
    found.ids.append(name)
    found.texts.append(text)
    found.frames.append(frame)
    found.lines.append(number)


def _id(value: Any) -> str | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None or isinstance(value, bool | dict | list):
        return None
    return str(value).strip() or None


def _gold(path: Path) -> FrameFile:
    endings = [ending.lower() for ending in path.suffixes]
    ending = next((each for each in reversed(endings) if each not in _PACKED), "")
    if ending in _JSON_LINES and not path.is_dir():
        return read_frame_lines(path)
    if ending != ".csv" and not path.is_dir():
        raise UsageError(
            f"{path}: found the ending '{ending}'; expected gold frames as .jsonl, or the .csv of "
            "the Social Bias Inference Corpus or its folder."
        )
    posts = read_references(path)
    return FrameFile(path, [p.id for p in posts], [p.text for p in posts], [p.frame for p in posts])


def _by_text(truth: FrameFile, guesses: Sequence[FrameFile]) -> bool:
    """Say whether posts are matched by their texts, because their ids do not say it."""
    if all(_share_ids(truth, guess) for guess in guesses):
        return False
    for each in (truth, *guesses):
        for at, text in enumerate(each.texts):
            if text is None:
                line = f", line {each.lines[at]}" if each.lines else ""
                raise InputError(
                    f"{each.path}{line}: found no text, and ids that are not the same in gold and "
                    f"predictions ({show_cell(each.ids[at])}); expected the same ids in both, or "
                    "the text of each post."
                )
    return True


def _others(truth: FrameFile, guess: FrameFile) -> list[str]:
    """Warn where one id has two texts: row numbers are the same in any two files."""
    texts = dict(zip(truth.ids, truth.texts, strict=True))
    other = sum(
        name is not None and text.strip() != known.strip()
        for name, text in zip(guess.ids, guess.texts, strict=True)
        if text is not None and (known := texts.get(name)) is not None
    )
    if not other:
        return []
    verb = "is" if other == 1 else "are"
    return [
        f"{guess.path.name}: {other:,} of its texts {verb} not gold's under the same id; are these "
        "the same posts?"
    ]


def _share_ids(truth: FrameFile, guess: FrameFile) -> bool:
    if None in truth.ids or None in guess.ids:
        return False
    return not set(truth.ids).isdisjoint(guess.ids)


def _metric(each: FrameMeasure, undefined: float | None) -> Metric:
    if each.kind == "whole":
        return Metric(each)
    if each.kind == "bleu":
        inner = Metric(each.measure, bleu_sums)
    elif each.kind == "mean":
        inner = mean_metric(each.measure)
    else:
        inner = binary_metrics(undefined)[each.kind]
    decomposed = inner.decompose

    def measure(gold: Any, predicted: Any) -> Any:
        pairs = each.pairs(gold, predicted)
        # Where nothing was asked, or questions have no answer, the measure itself says so.
        unanswered = not pairs[0] or _missing(pairs[1])
        return each.measure(*pairs) if unanswered else inner.measure(*pairs)

    def decompose(gold: Any, predicted: Any) -> Decomposition:
        pairs = each.pairs(gold, predicted)
        if decomposed is None or _missing(pairs[1]):
            return Decomposition.mean([np.nan] * len(pairs[1]))
        return decomposed(*pairs)

    return Metric(measure, decompose)


def _missing(predicted: list[Any]) -> bool:
    return missing_answers(predicted) is not None


def _notes(truth: FrameFile, by_text: bool) -> list[str]:
    frames = truth.frames
    groups, statements = (
        sum(bool(frame_texts(frame, name)) for frame in frames) for name in (GROUPS, STATEMENTS)
    )
    notes = [
        f"Of {counted(len(frames), 'post')}, {groups:,} with a gold group and {statements:,} "
        "with a gold statement: on these a blank prediction scores 0. Under '.all' are the posts "
        "with a text "
        "on either side: a text on one side only scores 0.",
        "group and in_group are about the posts whose annotators were asked; under '.all' a "
        "question that nobody was asked counts as a no.",
    ]
    asked = {name: sum(name in frame.answers for frame in frames) for name in QUESTIONS}
    silent = [name.removeprefix("frame.") for name, number in asked.items() if not number]
    if silent:
        notes.append(
            f"Not in the gold: {', '.join(silent)} (an aggregated file has no in_group answers)."
        )
    broken = sum(bool(frame_problems(frame)) for frame in frames)
    if broken:
        noun = "gold frame breaks" if broken == 1 else "gold frames break"
        notes.append(f"{broken:,} {noun} a constraint; what was answered there counts as it is.")
    if by_text:
        notes.append("Posts were matched by their texts: their ids are not the same.")
    return notes
