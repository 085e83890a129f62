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
from tactful.frames.decoder import END, FREE_START, SEPARATOR, START, Vocabulary
from tactful.frames.groups import group_named, load_groups, normalise_group
from tactful.frames.posts import Post
from tactful.training.loop import length_batches

MOST_OF_GROUP, MOST_OF_STATEMENT = 14, 15
NEUTRAL_FILE = Path(__file__).with_name("neutral_lessons.yaml")
_MENTIONS = 2
_JOINED = re.compile(r",|/|&|\band\b")
_PLURAL = re.compile(r"(s|people|men|children)$")
_MOST_LINES = 4
"""The lines of a post that are learnt, the most frequent ones: a few posts have very many."""
OTHER = ""
"""The name of the class for groups that are not in the list."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One line to learn: pieces of a group and of a statement about a post."""

    post: int
    group: tuple[int, ...]
    statement: tuple[int, ...]
    weight: float
    start: int = START
    """The first piece of the line, which says in which corpus' style it is written."""


@dataclass(frozen=True, slots=True)
class States:
    """The encoder's states of many texts, one after the other."""

    numbers: NDArray[np.float16]
    pieces: NDArray[np.int64]
    """The number of each token in the decoder's vocabulary; 0 where it has none."""
    starts: NDArray[np.int64]

    def of(self, rows: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
        """Return the states of some texts, padded, where they are real, and their pieces."""
        lengths = [int(self.starts[row + 1] - self.starts[row]) for row in rows]
        states = torch.zeros(len(rows), max(lengths), WIDTH)
        mask = torch.zeros(len(rows), max(lengths), dtype=torch.long)
        source = torch.zeros_like(mask)
        for at, (row, length) in enumerate(zip(rows, lengths, strict=True)):
            start = self.starts[row]
            found = self.numbers[start : start + length].astype(np.float32)
            states[at, :length] = torch.from_numpy(found)
            mask[at, :length] = 1
            source[at, :length] = torch.from_numpy(self.pieces[start : start + length])
        return states, mask, source

    def length(self, row: int) -> int:
        """Return how many tokens a text has."""
        return int(self.starts[row + 1] - self.starts[row])


def joined_states(
    each: Sequence[NDArray[np.float32]], pieces: Sequence[NDArray[np.int64]]
) -> States:
    """Put the states of single texts one after the other."""
    starts = np.cumsum([0, *(len(states) for states in each)])
    return States(np.concatenate(each).astype(np.float16), np.concatenate(pieces), starts)


def lines(post: Post) -> Counter[tuple[str, str]]:
    """Count what annotators wrote about a post: group and statement, in lower case.

    A group of the list has its name there.
    """
    return Counter(
        (
            group_named(lesson.group) or normalise_group(lesson.group),
            normalise_group(lesson.statement).rstrip(" ."),
        )
        for lesson in post.lessons
        if lesson.group is not None and lesson.statement is not None
    )


def decoder_lessons(
    posts: Sequence[Post], vocabulary: Vocabulary, tokenizer: Tokenizer
) -> list[Lesson]:
    """Return the lines of all posts; a post with many of them counts less than their number.

    Annotators of Implicit Hate wrote more freely than those of the Social Bias Inference Corpus,
    who followed a pattern: the start of a line says which manner it is in.
    """
    lessons = []
    for row, post in enumerate(posts):
        found = lines(post)
        for (group, statement), count in found.most_common(_MOST_LINES):
            pieces = [vocabulary.numbers(text, tokenizer) for text in (group, statement)]
            # A line with a piece that cannot be written would teach half a word.
            if all(pieces) and all(
                len(cut) == len(tokenizer.encode(text, add_special_tokens=False).ids)
                for cut, text in zip(pieces, (group, statement), strict=True)
            ):
                lessons.append(
                    Lesson(
                        row,
                        tuple(pieces[0][:MOST_OF_GROUP]),
                        tuple(pieces[1][:MOST_OF_STATEMENT]),
                        count / math.sqrt(found.total()),
                        FREE_START if is_free(post) else START,
                    )
                )
    return lessons


def is_free(post: Post) -> bool:
    """Say whether a post's statements were written without a pattern."""
    return post.id.startswith("implicit-")


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines of about equally long posts."""

    pieces: Tensor
    weights: Tensor
    states: Tensor
    mask: Tensor
    source: Tensor


def of_epoch(lessons: Sequence[Lesson], epoch: int, every: int) -> list[Lesson]:
    """Return the lessons of an epoch: all that follow the pattern, and each time other free ones.

    >>> free = [Lesson(at, (), (), 1.0, FREE_START) for at in range(4)]
    >>> [each.post for each in of_epoch(free, 1, 2)]
    [1, 3]
    """
    free = [each for each in lessons if each.start == FREE_START]
    return [each for each in lessons if each.start == START] + free[epoch % every :: every]


def batches(
    lessons: Sequence[Lesson],
    states: States,
    size: int,
    rng: np.random.Generator,
    blind: float = 0.0,
) -> Iterator[Batch]:
    """Yield all lessons once, in an order that keeps padding small.

    The share ``blind`` of them is without its text: one state of zeros.
    """
    lengths = [states.length(lesson.post) for lesson in lessons]
    for rows in length_batches(lengths, range(len(lessons)), size, rng, pool_size=16):
        batch = make_batch([lessons[row] for row in rows], states)
        unread = torch.from_numpy(rng.random(len(rows)) < blind)
        batch.states[unread] = 0
        batch.source[unread] = 0
        batch.mask[unread, 1:] = 0
        yield batch


def make_batch(lessons: Sequence[Lesson], states: States) -> Batch:
    """Pad lines: the pieces of the group weigh half, for most groups come from the list."""
    written = [(each.start, *each.group, SEPARATOR, *each.statement, END) for each in lessons]
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
    """Return the classes of the group head: the list, and one class for everything else."""
    return [*(group.name for group in load_groups()), OTHER]


def group_targets(posts: Sequence[Post]) -> NDArray[np.float64]:
    """Return each post's shares of the groups, by how many rows name them; 0 where none does."""
    names = {name: at for at, name in enumerate(group_names())}
    found = np.zeros((len(posts), len(names)))
    for row, post in enumerate(posts):
        for lesson in post.lessons:
            if lesson.group is not None:
                for name in _named(lesson.group):
                    found[row, names[name]] += 1
    total = found.sum(axis=1, keepdims=True)
    np.divide(found, total, out=found, where=total > 0)
    return found


def _named(group: str) -> list[str]:
    """Return the groups of the list that a text names: all of it, or its parts ("a and b")."""
    name = group_named(group)
    parts = [group_named(part) for part in _JOINED.split(group)] if name is None else [name]
    return list(dict.fromkeys(part for part in parts if part)) or [OTHER]


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
        for sentence in _sentences()["mentions"][:_MENTIONS]
    )


@cache
def _sentences() -> dict[str, list[str]]:
    import yaml

    data: dict[str, list[str]] = yaml.safe_load(NEUTRAL_FILE.read_text(encoding="utf-8"))
    return data


def _filled(sentence: str, people: str) -> str:
    return sentence.replace("{people}", people).replace("{People}", people[0].upper() + people[1:])
