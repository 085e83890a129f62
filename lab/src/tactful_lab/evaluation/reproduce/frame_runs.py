"""Runs framers, and the majority baseline, on the posts of a reproduced table."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import process_time

from tactful.detectors.card import Card
from tactful.errors import UsageError
from tactful.frames.load import Framer, load_framer
from tactful.frames.posts import Post
from tactful.types import Frame
from tactful_lab.evaluation.frame_measures import QUESTIONS
from tactful_lab.evaluation.reproduce.chat_rows import CHAT, opened_chat

MAJORITY = "majority"
_BATCH = 64

OnProgress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class FramerRun:
    """The answers of one framer about the measured posts."""

    model: str
    frames: list[Frame]
    alone: list[Frame] | None = None
    """Its answers before the constraints, where it says how likely each is."""
    speed: float | None = None
    """Posts a second of processor time."""


def measured_part(posts: Sequence[Post]) -> tuple[str, list[Post]]:
    """Return the posts to measure on: the official test part, or else those held out."""
    test = [post for post in posts if post.split == "test"]
    if test:
        return "test", test
    held_out = [post for post in posts if post.held_out]
    if not held_out:
        raise UsageError("Found no post to measure on; expected those of SBIC.v2.dev.csv.")
    return "held out", held_out


def _majority(posts: Sequence[Post]) -> Frame:
    """Return the majority frame: predicted for every post, it is the baseline."""
    if not posts:
        raise UsageError("Found no other post; the majority needs some that are not measured.")
    groups = Counter(text for post in posts for text in post.frame.target_groups)
    statements = Counter(text for post in posts for text in post.frame.implied_statements)
    counted = {
        name: Counter(post.frame.answers.get(name, "no") for post in posts) for name in QUESTIONS
    }
    answers = {name: counts.most_common(1)[0][0] for name, counts in counted.items()}
    # Every post is offensive and about the group named most: else there is no text to compare.
    answers |= {"frame.offensive": "yes", "frame.group": "yes", "frame.in_group": "no"}
    return Frame({}, _first(groups), _first(statements), answers)


def _first(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(text for text, _ in counts.most_common(1))


def run_framer(
    name: str,
    posts: Sequence[Post],
    rest: Sequence[Post],
    on_progress: OnProgress = lambda *_: None,
    key_variable: str | None = None,
) -> FramerRun:
    """Frame the posts, in batches; ``majority`` learns from ``rest``, the posts not measured.

    ``key_variable`` is the environment variable with the API key of a chat model.
    """
    if name == MAJORITY:
        on_progress(name, len(posts), len(posts))
        return FramerRun(name, [_majority(rest)] * len(posts))
    framer = _opened(name, key_variable)
    found: list[Frame] = []
    start = process_time()
    for at in range(0, len(posts), _BATCH):
        on_progress(name, at, len(posts))
        found += framer.frame([post.text for post in posts[at : at + _BATCH]])
    used = process_time() - start
    on_progress(name, len(posts), len(posts))
    alone = None
    if all(set(QUESTIONS) <= set(frame.probabilities) for frame in found):
        alone = [_each_alone(frame, framer.card) for frame in found]
    # A chat model computes elsewhere: the time used here says nothing about it.
    is_ours = used and not name.startswith(CHAT)
    return FramerRun(name, found, alone, len(posts) / used if is_ours else None)


def _opened(name: str, key_variable: str | None) -> Framer:
    """Open a framer by its name or folder, or ask a chat model (``chat:URL#MODEL``)."""
    if not name.startswith(CHAT):
        return load_framer(name)
    from tactful.checking.chat_frames import ChatFramer

    return ChatFramer(opened_chat(name, key_variable))


def _each_alone(frame: Frame, card: Card) -> Frame:
    answers = {
        name: "yes" if frame.probabilities[name] >= card.threshold(name) else "no"
        for name in QUESTIONS
    }
    return replace(frame, answers=answers, target_groups=(), implied_statements=(), implications=())
