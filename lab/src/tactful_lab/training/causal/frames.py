"""From a corpus to the folder of a causal framer: read, learnt, written with its card."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tactful.audit.base_model import PACKAGED, Base, find_base
from tactful.corpora import CORPORA
from tactful.detectors.card import Card, write_card
from tactful.errors import UsageError
from tactful.files import atomic_folder
from tactful.frames.posts import Post, read_posts
from tactful.frames.schema import CATEGORICAL, GROUPS, STATEMENTS
from tactful.settings import load_settings
from tactful.training.loop import OnStep, silent
from tactful.training.pretrained import quiet
from tactful.training.task_training import NOT_FOR, clear_work
from tactful_lab.frames.causal_tokens import LineTokenizer
from tactful_lab.training.causal.base import load_base
from tactful_lab.training.causal.data import (
    choose_lessons,
    encode_lines,
    fingerprint,
    parts,
    places_of,
)
from tactful_lab.training.causal.language_model import CausalPlan, mean_loss, train_causal

VERSION = "1"
POST_TOKENS = 64
VALIDATION_POSTS = 100
LIMITS = (
    "English posts of social media only; it tends to write generic stereotypes about a group "
    "rather than what this post implies (Sap et al. 2020, section 5).",
    "Its training texts are offensive, and so can be what it writes.",
    "What a post may imply is no statement about what its writer believes.",
    "In-group language is rare in the corpus; a yes or a no to it is uncertain.",
)


@dataclass(frozen=True, slots=True)
class CausalOptions:
    """The base model, the settings of the run, and which posts it learns from."""

    base: str | Path = PACKAGED
    download: bool = False
    plan: CausalPlan = field(default_factory=CausalPlan)
    share: float = 1.0
    """Of the posts to learn from; posts stay whole and are drawn by the plan's seed."""
    per_post: int | None = None
    most_posts: int | None = None
    post_tokens: int = POST_TOKENS
    command: str = ""


def train_causal_framer(
    posts: Sequence[Post],
    chosen: CausalOptions,
    output: Path,
    work: Path,
    *,
    force: bool = False,
    on_step: OnStep = silent,
    say: Callable[[str], None] = lambda _: None,
) -> Card:
    """Train a causal framer and write its folder; return its card.

    ``work`` keeps the checkpoint of an interrupted run, and is removed when the run is complete.
    """
    learnt, validated = parts(posts)
    seed = chosen.plan.seed
    lessons = choose_lessons(
        learnt,
        share=chosen.share,
        seed=seed,
        per_post=chosen.per_post,
        most_posts=chosen.most_posts,
    )
    base = find_base(chosen.base, download=chosen.download)
    say(f"Opening {base.name}")
    model, wrapped = load_base(base)
    tokenizer, places = LineTokenizer(wrapped), places_of(model)
    lines = encode_lines(lessons, tokenizer, chosen.post_tokens, places)
    say(f"Learning from {len(lines):,} lines of {len({each.post for each in lessons}):,} posts")
    model = train_causal(model, wrapped, lines, chosen.plan, work, on_step)
    training: dict[str, Any] = {
        "command": chosen.command,
        "seed": seed,
        "plan": asdict(chosen.plan),
        "base": base.name,
        "base sha256": base.sha256,
        "data sha256": fingerprint(lines),
        "lines learnt from": len(lines),
        "posts learnt from": len({each.post for each in lessons}),
        "share": chosen.share,
        "lines per post": chosen.per_post,
        "post tokens": chosen.post_tokens,
        "left out": "the held-out posts, and fold2 for validation",
    }
    if validated:
        watched = choose_lessons(validated, seed=seed, per_post=1, most_posts=VALIDATION_POSTS)
        loss = mean_loss(model, encode_lines(watched, tokenizer, chosen.post_tokens, places))
        training["validation loss"] = round(loss, 4)
        training["validation lines"] = len(watched)
    card = _card(base, training)
    write_causal_framer(model, wrapped, card, output, force=force)
    clear_work(work)
    return card


def write_causal_framer(
    model: Any, wrapped: Any, card: Card, output: Path, *, force: bool = False
) -> None:
    """Write a folder that ``load_framer`` opens: safetensors, tokenizer and card."""
    with atomic_folder(output, force) as target:
        with quiet():
            model.save_pretrained(target)
            wrapped.save_pretrained(target)
        write_card(card, target)


def read_frame_posts(data: Path | None) -> list[Post]:
    """Read the posts of the corpus in ``data``, or where the settings say."""
    if data is None and load_settings().data is None:
        raise UsageError("Where is the corpus? Name its folder with --data or TACTFUL_DATA.")
    return read_posts(data)


def _card(base: Base, training: dict[str, Any]) -> Card:
    terms = CORPORA.get("sbic").licence
    return Card(
        name="frames-causal",
        version=VERSION,
        ids=(*CATEGORICAL, GROUPS, STATEMENTS),
        kind="frames-causal",
        summary=f"{base.name}, fine-tuned to write Social Bias Frames.",
        licence="that of its base and of its corpus",
        corpora=({"name": "sbic", "terms": terms, "texts": training["posts learnt from"]},),
        training=training,
        limits=LIMITS,
        not_for=NOT_FOR,
    )
