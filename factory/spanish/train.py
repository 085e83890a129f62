"""One network learns all Spanish corpora and some English ones together.

``python -m factory spanish train`` trains it: first on everything, then again with more weight on
our texts and on the ordinary prose with the most false positives. Run it again and it resumes. At
the end it writes, as ``figures.json``, the area under the curve of each output on the validation
part.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from factory.english.sources import Row
from factory.learning import Lessons, Settings, predict, train
from factory.network import load_weights, save_weights
from factory.spanish import transfer
from factory.spanish.sources import (
    HARD,
    HARMS,
    OURS,
    OUTPUTS,
    PROSE,
    ROOTS,
    SHIPPED,
    SOURCES,
    provenance,
    read_sources,
)
from factory.stages import Say
from factory.use.classifier import MEAN, SEEN, SENTENCE, UseClassifier
from factory.use.load import load_use
from factory.use.network import UseNetwork
from tactful.detectors.models.encoder import TOKENIZER_FILE
from tactful.detectors.weights import weights_folder
from tactful.documents.normalise import normalise
from tactful.files import atomic_path

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WEIGHTS, FIGURES = "network.safetensors", "figures.json"
READS = (SENTENCE, MEAN, SEEN)
MAX_TOKENS = 64
MAIN = Settings(epochs=1, batch=64, max_tokens=MAX_TOKENS, rate=3e-4, head_rate=3e-3, bfloat16=True)
FINISH = replace(MAIN, epochs=1, rate=1e-4, head_rate=5e-4)
FINISH_SHARE = 0.25
"""The finish sees this share of the corpora that are not ours."""
FINISH_TIMES = {"lessons": 2, "paragraphs": 1, "sentences": 1, HARD: 1}
FINISH_WEIGHT = 2.0
"""The weight of our texts, and of ordinary prose without findings, in that stage."""
MOST_PROSE = 20_000
HARD_ROWS = 4_000
"""How much ordinary prose is read for what the network is least quiet on, and how much is kept."""
TRANSFER_SHARE = 3_000
TWICE = ("stereotype", "rioplatense.racism", "pcl", "toxicity.threat", "toxicity.severe")
"""Rows of corpora with these are seen twice: they are rare."""
FREQUENT = (*OURS, "speeches", "datathon")
"""Corpora in which nothing is rare, or that an epoch sees more than once anyway."""
ROOT_WEIGHT, BELOW_WEIGHT, TEACHING_WEIGHT = 1.0, 0.25, 0.4
_TOKEN_DROPOUT = 0.05


class TextNetwork(nn.Module):
    """The classifier as the training expects it: logits of texts, and none of tokens."""

    def __init__(self, classifier: UseClassifier):
        super().__init__()
        self.classifier = classifier

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits; in training, some tokens are unknown ones."""
        if self.training:
            dropped = (torch.rand(tokens.shape) < _TOKEN_DROPOUT) & (mask == 1)
            tokens = tokens.masked_fill(dropped, 0)
        logits = self.classifier(tokens, mask)[0]
        return logits, logits[:, :0]


def parameter_groups(
    network: TextNetwork, rate: float, head_rate: float, layer_decay: float, weight_decay: float
) -> list[dict[str, object]]:
    """Give the heads a higher rate; word vectors stay as they are, and their int8 file too."""
    del layer_decay
    body, head = network.classifier.network, network.classifier.text_head
    body.freeze_vectors()
    return [
        {
            "params": [each for each in body.parameters() if each.requires_grad],
            "lr": rate,
            "weight_decay": weight_decay,
        },
        {"params": list(head.parameters()), "lr": head_rate, "weight_decay": weight_decay},
    ]


@dataclass(frozen=True, slots=True)
class Corpora:
    """All rows, and how many of each corpus an epoch sees."""

    rows: Mapping[str, Sequence[Row]]
    about: Sequence[Mapping[str, object]]
    shares: Mapping[str, int | None]

    @classmethod
    def read(cls, data: Path, work: Path, say: Say) -> "Corpora":
        """Read the corpora, and the translations with the English detector's answers."""
        found = read_sources(data)
        answers = list(transfer.transfer_rows(data, work, say))
        about = [
            *provenance(data, found),
            {"name": transfer.TITLE, "terms": transfer.TERMS, "rows": len(answers)},
        ]
        shares = {source.name: source.share for source in SOURCES}
        return cls(
            {**found, transfer.NAME: answers}, about, {**shares, transfer.NAME: TRANSFER_SHARE}
        )

    def part(self, part: str) -> list[Row]:
        """Return the rows of one part."""
        return [row for rows in self.rows.values() for row in rows if row.part == part]

    def taught(self, epochs: int, seed: int) -> list[Row]:
        """Return the training rows that a number of epochs see."""
        rng = np.random.default_rng([seed, 24])
        found: list[Row] = []
        for name, rows in self.rows.items():
            own = [row for row in rows if row.part == "train"]
            most = (self.shares.get(name) or len(own)) * epochs
            if len(own) > most:
                own = [own[at] for at in sorted(rng.choice(len(own), most, replace=False).tolist())]
            found += own
        return found


def shipped_tokenizer() -> "Tokenizer":
    """Return the tokenizer that ships: a new network has its pieces, in their order."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(weights_folder("encoder-es") / TOKENIZER_FILE))


def open_network(seed: int = 1) -> "tuple[TextNetwork, Tokenizer]":
    """Open the multilingual encoder, pruned to the pieces that ship, with new heads."""
    body, tokenizer = load_use(like=shipped_tokenizer())
    torch.manual_seed(seed)
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return TextNetwork(UseClassifier(body, len(OUTPUTS), reads=READS)), tokenizer


def encode(rows: Sequence[Row], tokenizer: "Tokenizer", ours: float = 1.0) -> Lessons:
    """Turn rows into tokens, targets and weights; ``ours`` multiplies those of our texts."""
    column = {name: at for at, name in enumerate(OUTPUTS)}
    targets = np.zeros((len(rows), len(OUTPUTS)), dtype=np.float32)
    weights = np.zeros_like(targets)
    for at, row in enumerate(rows):
        times = row.weight * (ours if row.corpus in (*OURS, PROSE, HARD) else 1.0)
        for name, value in row.targets.items():
            targets[at, column[name]] = value
            weights[at, column[name]] = times * _weight(name)
    texts = [normalise(row.text).text for row in rows]
    tokens = [encoding.ids for encoding in tokenizer.encode_batch_fast(texts)]
    return Lessons(tokens, targets, weights, [None] * len(rows))


def _weight(name: str) -> float:
    if name in ROOTS:
        return ROOT_WEIGHT
    return BELOW_WEIGHT if name in SHIPPED else TEACHING_WEIGHT


class Sampler:
    """Deals out the rows of an epoch: a new part of each large corpus, rare harms twice."""

    def __init__(
        self, rows: Sequence[Row], shares: Mapping[str, int | None], seed: int, finish: bool = False
    ):
        by_corpus: dict[str, list[int]] = {}
        for at, row in enumerate(rows):
            by_corpus.setdefault(row.corpus, []).append(at)
        rng = np.random.default_rng([seed, 77])
        self._rows = {name: rng.permutation(found) for name, found in by_corpus.items()}
        self._shares = {}
        for name, found in by_corpus.items():
            share = shares.get(name) or len(found)
            if finish:
                times = FINISH_TIMES.get(name, FINISH_SHARE)
                share = round((len(found) if name in FINISH_TIMES else share) * times)
            self._shares[name] = share
        rare = [
            at for at, row in enumerate(rows) if row.corpus not in (*OURS, PROSE) and _rare(row)
        ]
        self._twice = [] if finish else rare

    def __call__(self, epoch: int) -> list[int]:
        """Return the rows of an epoch."""
        found = list(self._twice)
        for name, rows in self._rows.items():
            share = self._shares[name]
            found += np.resize(np.roll(rows, -share * epoch), share).tolist()
        return found


def _rare(row: Row) -> bool:
    return row.corpus not in FREQUENT and any(row.targets.get(name, 0.0) > 0.5 for name in TWICE)


def train_network(data: Path, work: Path, say: Say, seed: int = 1) -> None:
    """Train the network into ``work`` and write its figures.

    Parameters
    ----------
    data
        The folder with the corpora.
    work
        The folder that keeps checkpoints and the network.
    say
        Called with each sentence of progress.
    seed
        The seed of the heads, the order of the rows and the dropout.

    """
    corpora = Corpora.read(data, work, say)
    network, tokenizer = open_network(seed)
    taught = corpora.taught(MAIN.epochs, seed)
    prose = [row for row in corpora.rows[PROSE] if row.part == "train"]
    prose = prose[:: max(len(prose) // MOST_PROSE, 1)]

    def on_step(name: str, step: int, total: int, loss: float) -> None:
        if step % 50 == 0 or step == total:
            say(f"{name}: step {step:,} of {total:,}, loss {loss:.4f}")

    say(f"main: {len(taught):,} rows")
    sampler = Sampler(taught, corpora.shares, seed)
    settings = replace(MAIN, seed=seed)
    lessons = encode(taught, tokenizer)
    train(
        network, lessons, sampler, settings, work / "main", partial(on_step, "main"),
        parameter_groups,
    )  # fmt: skip
    say(f"finish: reading {len(prose):,} ordinary sentences")
    hard = [replace(row, corpus=HARD) for row in loudest(network, tokenizer, prose, HARD_ROWS)]
    taught += hard
    train(
        network,
        encode(taught, tokenizer, FINISH_WEIGHT),
        Sampler(taught, corpora.shares, seed, finish=True),
        replace(FINISH, seed=seed),
        work / "finish",
        partial(on_step, "finish"),
        parameter_groups,
    )
    save_weights(network, work / WEIGHTS)
    held_out = corpora.part("validation")
    about = {"figures": figures(network, held_out, tokenizer), "corpora": corpora.about}
    with atomic_path(work / FIGURES, force=True) as target:
        target.write_text(json.dumps(about, indent=1), encoding="utf-8")
    say(json.dumps(about["figures"], indent=1))


def loudest(
    network: TextNetwork, tokenizer: "Tokenizer", rows: Sequence[Row], number: int
) -> list[Row]:
    """Return the rows in which a network finds most of any harm."""
    logits = predict(network, encode(rows, tokenizer).tokens)[:, : len(HARMS)]
    ranks = logits.argsort(axis=0).argsort(axis=0).max(axis=1)
    return [rows[at] for at in np.argsort(-ranks, kind="stable")[:number].tolist()]


def figures(
    network: TextNetwork, rows: Sequence[Row], tokenizer: "Tokenizer"
) -> dict[str, dict[str, float]]:
    """Return, for each corpus and output that it judges, the area under the ROC curve."""
    from sklearn.metrics import roc_auc_score

    lessons = encode(rows, tokenizer)
    logits = predict(network, lessons.tokens)
    corpora = np.array([row.corpus for row in rows])
    found: dict[str, dict[str, float]] = {}
    for corpus in dict.fromkeys(corpora.tolist()):
        for column, name in enumerate(OUTPUTS):
            judged = (lessons.weights[:, column] > 0) & (corpora == corpus)
            gold = lessons.targets[judged, column] >= 0.5
            if 0 < gold.sum() < len(gold):
                area = float(roc_auc_score(gold, logits[judged, column]))
                found.setdefault(corpus, {})[name] = round(area, 4)
    return found


def load_network(work: Path) -> "tuple[TextNetwork, Tokenizer]":
    """Open a trained network; its file holds the word vectors, too."""
    tokenizer = shipped_tokenizer()
    body = UseNetwork(tokenizer.get_vocab_size())
    network = TextNetwork(UseClassifier(body, len(OUTPUTS), reads=READS))
    load_weights(network, work / WEIGHTS)
    return network.eval(), tokenizer
