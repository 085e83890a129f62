"""A masked language model whose head works: a subject for the audit, which is not shipped.

No package carries an English masked language model with its head. ``python -m factory masked``
continues the pre-training of a sentence encoder on ordinary text. The head is tied to the encoder's
word embeddings, which stay as they are, and so do the lower layers: there is little text, and the
encoder knows most of it already. Run the same command again to resume from the last checkpoint.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import cross_entropy

from factory.learning import load_tokenizer
from tactful.corpora.split import hashed_part
from tactful.errors import UsageError
from tactful.files import atomic_folder
from tactful.training.loop import (
    CHECKPOINT_FILE,
    Checkpoint,
    OnStep,
    Steps,
    length_batches,
    padded,
    run_steps,
    silent,
)

TEXTS = (("more/en_news_unlabelled.csv", "text"), ("more/es_en_parallel.csv", "en"))
"""Ordinary text of the corpora: file and column."""
ENOUGH = 0.30
"""The share of hidden words of other texts that the finished model has to find."""
HELD_OUT = 1000
CHECKPOINT_STEPS = 25
_FEWEST_WORDS = 5
BASE, MASK = "all-mpnet-base-v2", "<mask>"


@dataclass(frozen=True, slots=True)
class MaskedSettings:
    """The settings of a run."""

    steps: int = 300
    seed: int = 1
    batch: int = 32
    max_tokens: int = 48
    layers: int = 4
    """How many of the upper layers learn."""
    rate: float = 3e-4
    hidden: float = 0.25
    """The share of the tokens that the model has to guess while it learns."""
    warm_up: float = 0.06
    weight_decay: float = 0.01
    clip: float = 1.0
    bfloat16: bool = False


@dataclass(frozen=True, slots=True)
class Guesses:
    """What a model guesses right in texts it never saw, each with 15 % of its words hidden."""

    words: float
    """The share of whole words; a word of several tokens is right where all of them are."""
    tokens: float
    """The share of tokens, punctuation included."""
    hidden: int
    """How many words were hidden."""


def read_texts(data: Path) -> tuple[list[str], list[str]]:
    """Return the texts to learn from, and those held out by their hash."""
    found: dict[str, None] = {}
    for name, column in TEXTS:
        for text in pl.read_csv(data / name, columns=[column], infer_schema=False)[column]:
            if text and len(text.split()) >= _FEWEST_WORDS:
                found[text.strip()] = None
    parts: dict[bool, list[str]] = {True: [], False: []}
    for text in found:
        parts[hashed_part(text) == "train"].append(text)
    return parts[True], parts[False][:HELD_OUT]


def open_masked(folder: Path, seed: int, layers: int) -> Any:
    """Open a pretrained encoder with a new head that is tied to its word embeddings."""
    from transformers import AutoConfig, AutoModelForMaskedLM
    from transformers.utils import logging

    torch.manual_seed(seed)
    logging.set_verbosity_error()
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    model = AutoModelForMaskedLM.from_pretrained(folder, config=config, local_files_only=True)
    model.requires_grad_(False)
    for layer in model.base_model.encoder.layer[-layers:]:
        layer.requires_grad_(True)
    head = _head(model)
    # The states are close to the vectors of the words that belong there: begin with them.
    with torch.no_grad():
        head.dense.weight.copy_(torch.eye(len(head.dense.weight)))
        head.dense.bias.zero_()
    for name, weight in head.named_parameters():
        weight.requires_grad_(name != "decoder.weight")
    return model


def _head(model: Any) -> Any:
    found = model.lm_head
    # A library's version may keep the bias twice; one of them is added.
    found.decoder.bias = found.bias
    return found


def train_masked(
    model: Any,
    tokens: Sequence[Sequence[int]],
    tokenizer: Tokenizer,
    settings: MaskedSettings,
    folder: Path,
    on_step: OnStep = silent,
) -> None:
    """Train in place; the folder keeps the checkpoint."""
    # A tied weight is named once.
    weights = {name: v for name, v in model.named_parameters() if v.requires_grad}
    decay = settings.weight_decay
    groups = [
        {"params": [v for v in weights.values() if v.ndim > 1], "weight_decay": decay},
        {"params": [v for v in weights.values() if v.ndim < 2], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=settings.rate, betas=(0.9, 0.98), eps=1e-6)
    digest = sha256(b"".join(np.array([len(r), *r], dtype=np.int32).tobytes() for r in tokens))
    checkpoint = Checkpoint(
        folder / CHECKPOINT_FILE,
        {"settings": asdict(settings), "data": digest.hexdigest()},
        weights,
        optimiser,
        every=CHECKPOINT_STEPS,
    )
    done, *_ = checkpoint.resume()
    rows = np.resize(np.arange(len(tokens)), settings.steps * settings.batch)
    lengths = [len(row) for row in tokens]
    run_steps(
        model,
        checkpoint,
        range(1),
        lambda _: length_batches(
            lengths, rows, settings.batch, np.random.default_rng(settings.seed)
        ),
        lambda batch: _loss(model, [tokens[row] for row in batch], tokenizer, settings),
        Steps(settings.seed, settings.steps, settings.warm_up, settings.clip),
        done=done,
        on_step=on_step,
    )
    if done < settings.steps and settings.steps % CHECKPOINT_STEPS:
        checkpoint.save(settings.steps)


def _loss(
    model: Any, rows: Sequence[Sequence[int]], tokenizer: Tokenizer, settings: MaskedSettings
) -> Tensor:
    tokens, mask = padded(rows)
    ordinary = (mask == 1) & ~torch.isin(tokens, torch.tensor(_special(tokenizer)))
    hidden = ordinary & (torch.rand(tokens.shape) < settings.hidden)
    if not hidden.any():
        hidden = ordinary
    with torch.autocast("cpu", torch.bfloat16, enabled=settings.bfloat16):
        logits = _guessed(model, tokens, mask, hidden, tokenizer)
    return cross_entropy(logits.float(), tokens[hidden])


def _guessed(
    model: Any, tokens: Tensor, mask: Tensor, hidden: Tensor, tokenizer: Tokenizer
) -> Tensor:
    """Return the logits of the hidden tokens; the head works on them alone."""
    shown = tokens.masked_fill(hidden, tokenizer.token_to_id(MASK))
    states = model.base_model(input_ids=shown, attention_mask=mask).last_hidden_state
    found: Tensor = model.lm_head(states[hidden])
    return found


def _special(tokenizer: Tokenizer) -> list[int]:
    return list(tokenizer.get_added_tokens_decoder())


def guesses(model: Any, texts: Sequence[str], tokenizer: Tokenizer, share: float = 0.15) -> Guesses:
    """Hide whole words of texts and count what the model finds."""
    model.eval()
    encodings = tokenizer.encode_batch(list(texts))
    rng = np.random.default_rng(0)
    right_words = words = right_tokens = tokens = 0
    for encoding, text in zip(encodings, texts, strict=True):
        places = _words_of(encoding.word_ids)
        chosen = [place for place in places if rng.random() < share]
        if not chosen:
            continue
        row, mask = padded([encoding.ids])
        hidden = torch.zeros(row.shape, dtype=torch.bool)
        hidden[0, [at for place in chosen for at in place]] = True
        with torch.inference_mode():
            best = _guessed(model, row, mask, hidden, tokenizer).argmax(dim=-1)
        found = torch.zeros_like(row)
        found[hidden] = best
        equal = (found == row)[0].tolist()
        for place in chosen:
            start, end = encoding.offsets[place[0]][0], encoding.offsets[place[-1]][1]
            tokens += len(place)
            right_tokens += sum(equal[at] for at in place)
            if any(letter.isalnum() for letter in text[start:end]):
                words += 1
                right_words += all(equal[at] for at in place)
    return Guesses(right_words / max(words, 1), right_tokens / max(tokens, 1), words)


def _words_of(word_ids: Sequence[int | None]) -> list[list[int]]:
    """Return the places of each word's tokens."""
    found: dict[int, list[int]] = {}
    for at, word in enumerate(word_ids):
        if word is not None:
            found.setdefault(word, []).append(at)
    return list(found.values())


def make_masked(
    base: Path,
    texts: tuple[Sequence[str], Sequence[str]],
    work: Path,
    output: Path,
    settings: MaskedSettings,
    say: Callable[[str], None],
    enough: float = ENOUGH,
) -> Guesses:
    """Train, measure on the texts held out, and write a folder that the audit opens.

    A model that guesses too little is not written.
    """
    from transformers import MPNetTokenizerFast

    tokenizer = load_tokenizer(base, settings.max_tokens)
    model = open_masked(base, settings.seed, settings.layers)
    learn, held_out = texts
    rows = [encoding.ids for encoding in tokenizer.encode_batch(list(learn))]

    def tell(step: int, steps: int, loss: float) -> None:
        if step % CHECKPOINT_STEPS == 0 or step == steps:
            say(f"step {step:,} of {steps:,}: loss {loss:.2f}")

    train_masked(model, rows, tokenizer, settings, work, tell)
    found = guesses(model, held_out, tokenizer)
    say(
        f"{len(held_out):,} texts held out, {found.hidden:,} words hidden: {found.words:.1%} of "
        f"the words guessed, {found.tokens:.1%} of the tokens with punctuation"
    )
    if found.words < enough:
        raise UsageError(
            f"The model guesses {found.words:.1%} of the hidden words; expected {enough:.0%} or "
            "more; train with more --steps."
        )
    with atomic_folder(output) as made:
        model.save_pretrained(made)
        MPNetTokenizerFast(
            tokenizer_file=str(base / "tokenizer.json"), model_max_length=512
        ).save_pretrained(made)
    say(f"Wrote {output}.")
    return found
