"""Training data of a causal language model: posts drawn by seed, and lines as token ids.

What a line is and which of its parts are learnt is in :mod:`tactful_lab.frames.linearise`. The
loss is over the whole line, the words of the post included (Sap et al. 2020, section 4).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from torch import Tensor

from tactful.errors import InputError, UsageError
from tactful.frames.posts import Instance, Post
from tactful.training.loop import length_batches, padded
from tactful_lab.frames.causal_tokens import LineTokenizer
from tactful_lab.frames.linearise import linearise

VALIDATION = "fold2"
"""An eighth of the posts, as in section 4.2."""
UNLEARNT = -100


@dataclass(frozen=True, slots=True)
class Line:
    """One instance as numbers: its tokens, and what each place should be predicted as."""

    tokens: list[int]
    labels: list[int]
    """The tokens themselves, or -100 where nothing is learnt."""


def encode_line(instance: Instance, tokenizer: LineTokenizer, post_tokens: int) -> Line:
    """Return an instance as numbers; only the post is ever cut, the frame always stays whole."""
    tokens: list[int] = []
    labels: list[int] = []
    for piece in linearise(instance):
        cut = tokenizer.encode(piece)
        # The post is the one piece of words that follows the start token alone.
        if not piece.special and len(tokens) == 1:
            cut = cut[:post_tokens]
        tokens += cut
        labels += cut if piece.learn else [UNLEARNT] * len(cut)
    return Line(tokens, labels)


def encode_lines(
    instances: Sequence[Instance], tokenizer: LineTokenizer, post_tokens: int, places: int | None
) -> list[Line]:
    """Return all instances as numbers; one that the model cannot hold is an error."""
    if post_tokens < 1:
        raise UsageError(f"Found post_tokens={post_tokens}; expected at least 1.")
    lines = [encode_line(instance, tokenizer, post_tokens) for instance in instances]
    longest = max((len(line.tokens) for line in lines), default=0)
    if places is not None and longest > places:
        raise InputError(
            f"Found a line of {longest} tokens; the model reads at most {places}; cut posts to "
            "fewer tokens."
        )
    return lines


def choose_lessons(
    posts: Sequence[Post],
    *,
    share: float = 1.0,
    seed: int = 1,
    per_post: int | None = None,
    most_posts: int | None = None,
) -> list[Instance]:
    """Draw lessons by seed: whole posts, the smaller shares inside the larger ones.

    per_post: at most this many different lessons of a post. most_posts: at most this many posts, of
    which ``share`` is a share.
    """
    if not 0 < share <= 1:
        raise UsageError(f"Found a share of {share:g}; expected more than 0 and at most 1.")
    order = [int(at) for at in np.random.default_rng(seed).permutation(len(posts))][:most_posts]
    chosen = order[: math.ceil(len(order) * share)]
    lessons = [lesson for at in chosen for lesson in _some(posts[at], at, seed, per_post)]
    if not lessons:
        raise InputError("Found no lesson to learn from; expected posts with annotations.")
    return lessons


def _some(post: Post, at: int, seed: int, per_post: int | None) -> list[Instance]:
    # What several annotators said is the likelier to be drawn, but drawn once.
    order = np.random.default_rng([seed, at]).permutation(len(post.lessons))
    kept: dict[object, Instance] = {}
    for row in order:
        lesson = post.lessons[int(row)]
        key = (tuple(sorted(lesson.values.items())), lesson.group, lesson.statement)
        kept.setdefault(key, lesson)
    return list(kept.values())[:per_post]


def parts(posts: Sequence[Post]) -> tuple[list[Post], list[Post]]:
    """Return the posts to learn from and those to validate on; the held-out ones are neither."""
    rest = [post for post in posts if not post.held_out]
    return (
        [post for post in rest if post.fold != VALIDATION],
        [post for post in rest if post.fold == VALIDATION],
    )


def fingerprint(lines: Sequence[Line]) -> str:
    """Return a hash: equal lines, equal hash."""
    digest = sha256()
    for line in lines:
        digest.update(np.array([len(line.tokens), *line.tokens, *line.labels]).tobytes())
    return digest.hexdigest()


def batches(
    lines: Sequence[Line], size: int, rng: np.random.Generator | None
) -> Iterator[list[int]]:
    """Yield rows of lines of similar length, in random order with ``rng``."""
    return length_batches([len(line.tokens) for line in lines], range(len(lines)), size, rng)


def padded_lines(lines: Sequence[Line]) -> dict[str, Tensor]:
    """Return lines as tables: tokens, mask and labels."""
    tokens, mask = padded([line.tokens for line in lines])
    labels, _ = padded([line.labels for line in lines], UNLEARNT)
    return {"tokens": tokens, "mask": mask, "labels": labels}


def places_of(model: Any) -> int | None:
    """Return how many tokens the model can read, where it says so."""
    places = getattr(model.config, "max_position_embeddings", None)
    return None if places is None else int(places)
