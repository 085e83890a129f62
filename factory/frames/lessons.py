"""What the embedded framer learns from: encoder states, groups, statements, neutral sentences."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from factory.frames.decoder import MOST_PIECES, WIDTH
from tactful.frames.groups import group_named, load_groups, normalise_group
from tactful.frames.posts import Post
from tactful.frames.vocabulary import END, SEPARATOR, START, Vocabulary
from tactful.training.loop import length_batches

MOST_OF_GROUP, MOST_OF_STATEMENT = 14, 15
NEUTRAL_FILE = Path(__file__).with_name("neutral_lessons.yaml")
_PLURAL = re.compile(r"(s|people|men|children)$")
OTHER = ""
"""The name of the class for groups that are not in the list."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One line to learn: pieces of a group and of a statement about a post."""

    post: int
    group: tuple[int, ...]
    statement: tuple[int, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class States:
    """The encoder's states of many texts, one after the other."""

    numbers: NDArray[np.float16]
    starts: NDArray[np.int64]

    def of(self, rows: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Return the states of some texts, padded, and where they are real."""
        lengths = [int(self.starts[row + 1] - self.starts[row]) for row in rows]
        states = torch.zeros(len(rows), max(lengths), WIDTH)
        mask = torch.zeros(len(rows), max(lengths), dtype=torch.long)
        for at, (row, length) in enumerate(zip(rows, lengths, strict=True)):
            start = self.starts[row]
            found = self.numbers[start : start + length].astype(np.float32)
            states[at, :length] = torch.from_numpy(found)
            mask[at, :length] = 1
        return states, mask

    def length(self, row: int) -> int:
        """Return how many tokens a text has."""
        return int(self.starts[row + 1] - self.starts[row])


def joined_states(each: Sequence[NDArray[np.float32]]) -> States:
    """Put the states of single texts one after the other."""
    starts = np.cumsum([0, *(len(states) for states in each)])
    return States(np.concatenate(each).astype(np.float16), starts)


def lines(post: Post) -> Counter[tuple[str, str]]:
    """Count what annotators wrote about a post: group and statement, in lower case."""
    return Counter(
        (normalise_group(lesson.group), normalise_group(lesson.statement))
        for lesson in post.lessons
        if lesson.group is not None and lesson.statement is not None
    )


def decoder_lessons(
    posts: Sequence[Post], vocabulary: Vocabulary, tokenizer: Tokenizer
) -> list[Lesson]:
    """Return the lines of all posts; a post with many of them counts less than their number."""
    lessons = []
    for row, post in enumerate(posts):
        found = lines(post)
        for (group, statement), count in found.items():
            pieces = [vocabulary.numbers(text, tokenizer) for text in (group, statement)]
            if all(pieces):
                lessons.append(
                    Lesson(
                        row,
                        tuple(pieces[0][:MOST_OF_GROUP]),
                        tuple(pieces[1][:MOST_OF_STATEMENT]),
                        count / math.sqrt(found.total()),
                    )
                )
    return lessons


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines of about equally long posts."""

    pieces: Tensor
    weights: Tensor
    states: Tensor
    mask: Tensor


def batches(
    lessons: Sequence[Lesson], states: States, size: int, rng: np.random.Generator
) -> Iterator[Batch]:
    """Yield all lessons once, in an order that keeps padding small."""
    lengths = [states.length(lesson.post) for lesson in lessons]
    for rows in length_batches(lengths, range(len(lessons)), size, rng, pool_size=16):
        yield make_batch([lessons[row] for row in rows], states)


def make_batch(lessons: Sequence[Lesson], states: States) -> Batch:
    """Pad lines: the pieces of the group weigh half, for most groups come from the list."""
    written = [(START, *each.group, SEPARATOR, *each.statement, END) for each in lessons]
    length = min(max(map(len, written)), MOST_PIECES)
    pieces = torch.full((len(written), length), END)
    weights = torch.zeros(len(written), length)
    for at, (line, lesson) in enumerate(zip(written, lessons, strict=True)):
        kept = line[:length]
        pieces[at, : len(kept)] = torch.tensor(kept)
        weights[at, 1 : len(kept)] = lesson.weight
        weights[at, 1 : len(lesson.group) + 2] *= 0.5
    return Batch(pieces, weights, *states.of([lesson.post for lesson in lessons]))


def group_names() -> list[str]:
    """Return the classes of the group head: the list, and whatever else there is."""
    return [*(group.name for group in load_groups()), OTHER]


def group_targets(posts: Sequence[Post]) -> NDArray[np.float64]:
    """Return each post's shares of the groups, by how many rows name them; 0 where none does."""
    names = {name: at for at, name in enumerate(group_names())}
    found = np.zeros((len(posts), len(names)))
    for row, post in enumerate(posts):
        for lesson in post.lessons:
            if lesson.group is not None:
                found[row, names[group_named(lesson.group) or OTHER]] += 1
    total = found.sum(axis=1, keepdims=True)
    np.divide(found, total, out=found, where=total > 0)
    return found


@cache
def neutral_lessons() -> tuple[str, ...]:
    """Return sentences of ours that mention people and imply nothing about them.

    Their wordings are not those that identity bias is measured with.
    """
    data = _sentences()
    return tuple(
        _filled(sentence, people) for people in data["people"] for sentence in data["sentences"]
    )


@cache
def mention_lessons() -> tuple[tuple[str, str], ...]:
    """Return sentences of ours about groups of the list, and the name of the group of each."""
    return tuple(
        (_filled(sentence, spelling), group.name)
        for group in load_groups()
        for spelling in (group.name, *group.spellings)
        if _PLURAL.search(spelling) and "," not in spelling and "/" not in spelling
        for sentence in _sentences()["mentions"]
    )


@cache
def _sentences() -> dict[str, list[str]]:
    import yaml

    data: dict[str, list[str]] = yaml.safe_load(NEUTRAL_FILE.read_text(encoding="utf-8"))
    return data


def _filled(sentence: str, people: str) -> str:
    return sentence.replace("{people}", people).replace("{People}", people[0].upper() + people[1:])
