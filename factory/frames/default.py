"""The embedded framer, from the corpora to its folder in ``weights/``.

It belongs to the open tier: it reads with the open encoder, which stays as it is, and learns from
corpora whose terms allow commercial use. Stages, each kept in the work folder and made again only
when its data or settings change: the encoder's states of all texts; a head over the list of groups,
and the correction for mere mention; the decoder; its export as int8; then thresholds, figures and
the card.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from factory.bases import WEIGHTS as MODEL_FILE
from factory.bases import base_folder
from factory.english.detectors import LICENCE, VERSION
from factory.frames.corpora import (
    CORPORA,
    FILES,
    IMPLICIT_HATE,
    Judged,
    check_files,
    judged_texts,
    labelled_groups,
    names_of_category,
)
from factory.frames.decoder import FrameDecoder, Shape, warm_started
from factory.frames.figures import calibrated, frame_figures
from factory.frames.fitting import DecoderSettings, fit_decoder, write_decoder
from factory.frames.heads import fit_correction, teach_groups
from factory.frames.lessons import (
    OTHER,
    States,
    decoder_lessons,
    group_names,
    group_targets,
    joined_states,
    lines,
    mention_lessons,
)
from factory.frames.vocabulary import vocabulary_of, write_vocabulary
from factory.network import load_weights, save_weights
from factory.stages import Say, Stage, hash_of, saved
from tactful.detectors.card import Card, write_card
from tactful.detectors.card_page import write_card_page
from tactful.detectors.models.encoder import MODEL_FILE as ENCODER_FILE
from tactful.detectors.models.encoder import TOKENIZER_FILE
from tactful.errors import UsageError
from tactful.files import atomic_path, sha256
from tactful.frames.decoder import Vocabulary
from tactful.frames.embedded import HEADS_FILE, EmbeddedFramer, frame_logits, pool
from tactful.frames.posts import Post, read_implicit_hate, read_posts, with_references
from tactful.frames.schema import CATEGORICAL
from tactful.training.loop import hash_of_weights

ENCODER = "open-encoder-en"
"""What the framer reads with."""
READ_WITH = (ENCODER_FILE, TOKENIZER_FILE)
"""The files of the encoder that its states depend on."""
NAME = "frames-en"
BASE = "all-MiniLM-L6-v2"
"""What the decoder starts from."""
TEXTS_AT_A_TIME = 2_000
RECIPE = DecoderSettings()
CORRECTED = ("frame.offensive", "frame.group")
"""The variables that a mention must not raise; lewdness, intent and in-group are unchanged."""
LIMITS = (
    "English only, and of one country: most annotators live in the United States, and what they "
    "read between the lines is what people there know.",
    "It learnt statements from about 6,600 posts: rare groups and rare stereotypes are missed, or "
    "replaced by common ones about the same group.",
    "A statement is what a text may suggest to readers. It is not what the author believes, not "
    "what Tactful holds to be true, and often only one of several readings.",
    "Whether an author belongs to the group is a guess that people, too, hardly agree on.",
    "Texts about prejudice, quotations and reclaimed words are sometimes taken for prejudice.",
)


def train_frames(
    data: Path,
    output: Path,
    work: Path,
    base: Path | None = None,
    say: Say = lambda _: None,
    command: str = "python -m factory frames --data CORPORA --output WEIGHTS --work WORK",
    recipe: DecoderSettings = RECIPE,
) -> None:
    """Train, export and measure the embedded framer beside the open encoder."""
    if not (output / ENCODER).is_dir():
        raise UsageError(
            f"{output}: found no '{ENCODER}' in it; expected the folder of the open encoder, which "
            "this framer reads with; make it with 'python -m factory english detectors --tier "
            "open'."
        )
    check_files(data)
    posts = read_posts(data)
    implicit = read_implicit_hate(data / IMPLICIT_HATE)
    folder = output / NAME
    folder.mkdir(parents=True, exist_ok=True)
    base = base or base_folder(BASE, work / "models")
    made_from = {
        "data sha256": fingerprint([*posts, *implicit]),
        "corpora sha256": hash_of(sha256(data / name) for name in FILES),
        "base sha256": sha256(base / MODEL_FILE),
        "encoder sha256": hash_of(sha256(output / ENCODER / name) for name in READ_WITH),
    }
    empty = _card(posts, implicit, command, made_from, recipe)
    write_card(empty, folder)
    threads = torch.get_num_threads()
    framer = EmbeddedFramer(folder, empty, threads=threads)
    taught = [each for each in [*with_references(posts), *implicit] if not each.held_out]
    vocabulary = _vocabulary(framer, taught)
    write_vocabulary(vocabulary, folder)
    everything = [*posts, *implicit]
    others = [
        *(each.text for each in everything if not each.held_out),
        *(text for text, _ in [*labelled_groups(data), *mention_lessons()]),
        *(each.text for each in judged_texts(data, everything)),
    ]
    read = _read(framer, [each.text for each in taught], others, vocabulary, made_from, work, say)
    say("frames: groups, and whether anything is implied")
    _write_heads(data, everything, read, folder)
    decoder = train_decoder(taught, read, vocabulary, framer, base, work, say, recipe)
    say("frames: writing the decoder as int8")
    write_decoder(decoder, folder)
    say("frames: measuring")
    finished = EmbeddedFramer(folder, empty, threads=threads)
    finished = EmbeddedFramer(folder, calibrated(finished, posts), threads=threads)
    card = frame_figures(finished, posts, implicit)
    write_card(card, folder)
    write_card_page(card, folder)


def _card(
    posts: Sequence[Post],
    implicit: Sequence[Post],
    command: str,
    made_from: dict[str, str],
    recipe: DecoderSettings,
) -> Card:
    learnt, further = ([p for p in each if not p.held_out] for each in (posts, implicit))
    return Card(
        NAME,
        VERSION,
        CATEGORICAL,
        kind="frames",
        summary="Social Bias Frames: what a text may imply about which group. It reads with the "
        "open encoder, names groups from a list, and writes statements with a small decoder.",
        licence=LICENCE["open"],
        corpora=CORPORA,
        training={
            "command": command,
            "tier": "open",
            "encoder": ENCODER,
            "base": BASE,
            **made_from,
            "posts": len(learnt),
            "posts with statements": len(with_references(learnt)),
            "posts of Implicit Hate with statements": len(further),
            "decoder": asdict(recipe),
            "layers": list(Shape(0).layers),
            "groups": [name for name in group_names() if name != OTHER],
        },
        limits=LIMITS,
    )


def fingerprint(posts: Sequence[Post]) -> str:
    """Return a hash of all that is learnt from: equal data, equal hash."""
    return hash_of((post.id, post.text, post.fold, sorted(lines(post).items())) for post in posts)


@dataclass(frozen=True)
class _Read:
    """The encoder's states of texts: kept in the work folder, so that each text is read once."""

    stage: Stage
    rows: Mapping[str, int]

    def states(self) -> States:
        """Return the states of the texts that teach the decoder."""
        kept = self.stage.arrays()
        return States(kept["numbers"], kept["pieces"], kept["starts"])

    def pooled(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the pooled states of texts, and the encoder's log-odds."""
        kept = self.stage.arrays()
        rows = [self.rows[text] for text in texts]
        return kept["pooled"][rows].astype(np.float64), kept["logits"][rows]


def _read(
    framer: EmbeddedFramer,
    taught: Sequence[str],
    others: Sequence[str],
    vocabulary: Vocabulary,
    made_from: Mapping[str, str],
    work: Path,
    say: Say,
) -> _Read:
    """Read texts with the encoder; of those that teach the decoder all states are kept."""
    encoder = framer.encoder
    texts = [*taught, *dict.fromkeys(text for text in others if text not in set(taught))]

    def make() -> dict[str, np.ndarray]:
        states, pieces, pooled, logits = [], [], [], []
        for start in range(0, len(texts), TEXTS_AT_A_TIME):
            readings = encoder.readings(texts[start : start + TEXTS_AT_A_TIME], "frame.group")
            pooled.append(pool(readings).astype(np.float16))
            logits.append(frame_logits(encoder, readings))
            for each in readings[: max(len(taught) - start, 0)]:
                states.append(each.states)
                pieces.append(vocabulary.places(each.tokens))
            say(
                f"frames: read {min(start + TEXTS_AT_A_TIME, len(texts)):,} of {len(texts):,} texts"
            )
        found = joined_states(states, pieces)
        return {
            "numbers": found.numbers,
            "pieces": found.pieces,
            "starts": found.starts,
            "pooled": np.concatenate(pooled),
            "logits": np.concatenate(logits),
        }

    inputs = {
        "texts": hash_of(texts, taught),
        "encoder": made_from["encoder sha256"],
        "vocabulary": hash_of(vocabulary.pieces),
    }
    stage = Stage(work / "read.npz", inputs, saved(make), say)
    return _Read(stage, {text: at for at, text in enumerate(texts)})


def _write_heads(data: Path, posts: Sequence[Post], read: _Read, folder: Path) -> None:
    """Fit and write the head of groups, and the correction."""
    targets = group_targets(posts)
    rows = [at for at, post in enumerate(posts) if not post.held_out and targets[at].any()]
    names = group_names()
    labelled, mentions = labelled_groups(data), mention_lessons()
    groups = teach_groups(
        (read.pooled([posts[at].text for at in rows])[0], targets[rows]),
        (
            read.pooled([text for text, _ in labelled])[0],
            [names_of_category(label, names) for _, label in labelled],
        ),
        (
            read.pooled([text for text, _ in mentions])[0],
            np.eye(len(names))[[names.index(name) for _, name in mentions]],
        ),
    )
    judged = judged_texts(data, posts)
    states, odds = read.pooled([each.text for each in judged])
    columns = [CATEGORICAL.index(name) for name in CORRECTED]
    correction = np.zeros((states.shape[1] + 1, len(CATEGORICAL)))
    correction[:, columns] = fit_correction(
        states, odds[:, columns], _targets(judged), np.array([each.weight for each in judged])
    )
    with atomic_path(folder / HEADS_FILE, force=True) as target, target.open("wb") as file:
        np.savez_compressed(
            file, groups=groups.astype(np.float16), correction=correction.astype(np.float32)
        )


def _targets(judged: Sequence[Judged]) -> np.ndarray:
    values = [(each.offensive, each.group) for each in judged]
    return np.array([[np.nan if v is None else v for v in row] for row in values])


def _vocabulary(framer: EmbeddedFramer, posts: Sequence[Post]) -> Vocabulary:
    texts = [text for post in posts for line, count in lines(post).items() for text in line * count]
    return vocabulary_of(texts, group_names(), framer.encoder.tokenizer)


def train_decoder(
    posts: Sequence[Post],
    read: _Read,
    vocabulary: Vocabulary,
    framer: EmbeddedFramer,
    base: Path,
    work: Path,
    say: Say,
    recipe: DecoderSettings = RECIPE,
) -> FrameDecoder:
    """Train the decoder on what annotators wrote about posts, which are not held out."""
    tokenizer = framer.encoder.tokenizer
    lessons = decoder_lessons(posts, vocabulary, tokenizer)
    known = tokenizer.get_vocab()
    own = [known[piece] for piece in ("[CLS]", "[SEP]", "[MASK]", "[PAD]", *vocabulary.pieces)]
    torch.manual_seed(recipe.seed)
    decoder = warm_started(Shape(len(vocabulary)), load_file(base / MODEL_FILE), own)

    def on_step(step: int, total: int, loss: float) -> None:
        if step % 25 == 0 or step == total:
            say(f"frames: step {step:,} of {total:,}, loss {loss:.4f}")

    def make(path: Path) -> None:
        fit_decoder(decoder, lessons, read.states(), recipe, path.parent, on_step)
        save_weights(decoder, path)

    made_from = {
        "lessons": hash_of(lessons),
        "states": read.stage.digest,
        "vocabulary": hash_of(vocabulary.pieces),
        "start": hash_of_weights(decoder.state_dict()),
        "recipe": asdict(recipe),
    }
    load_weights(decoder, Stage(work / "decoder" / MODEL_FILE, made_from, make, say).file())
    return decoder
