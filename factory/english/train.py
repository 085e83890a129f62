"""One network learns all corpora together.

``python -m factory english train --tier research`` trains it; run it again and it resumes from its
last checkpoint. At the end it prints, and writes as ``figures.json``, the area
under the curve of each output on our own validation part.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer
from torch import Tensor

from factory.bases import base_folder
from factory.english.hard_prose import HARD, PROSE, mark_hard_prose
from factory.english.heads import MERGED, merge_heads
from factory.english.sources import (
    HARMS,
    OUTPUTS,
    ROOTS,
    TOKEN_OUTPUTS,
    Row,
    provenance,
    read_sources,
    sources_of,
)
from factory.learning import Lessons, Settings, load_tokenizer, mark_tokens, predict, train
from factory.network import (
    Network,
    load_learnt,
    load_weights,
    open_network,
    save_learnt,
    save_weights,
)
from factory.shipped import load_shipped
from tactful.errors import UsageError
from tactful.files import atomic_path

WEIGHTS, LEARNT = "network.safetensors", "learnt.safetensors"
QUIET = (*PROSE, HARD)
OURS = ("lessons", "paragraphs", *QUIET)
FINISH_SHARES, FINISH_SHARE = {"ucc": 0.75, "dpm": 1.0, "sbic": 1.0, "civil": 0.4}, 0.3
FINISH_WEIGHT, FINISH_HEAD_RATE = 4.0, 3e-4
"""The last stage of training sees these shares of the corpora; our texts, and ordinary prose that
must have no findings, weigh four times as much in it."""
_ROUNDING = 1e-6
_HARM_WEIGHT = 0.5
"""``harm`` counts half as much as all other targets of a row together."""
_PCL_WEIGHT = 0.5
"""``pcl`` counts as much as its seven categories together."""


def encode(rows: Sequence[Row], tokenizer: Tokenizer, ours: float = 1.0) -> Lessons:
    """Turn rows into tokens and targets; the weights of a row add up to the row's weight.

    That weight is multiplied by ``ours`` in texts of ours and in ordinary prose.
    """
    column = {name: at for at, name in enumerate(OUTPUTS)}
    targets = np.zeros((len(rows), len(OUTPUTS)), dtype=np.float32)
    weights = np.zeros_like(targets)
    encodings = tokenizer.encode_batch([row.text for row in rows])
    for at, row in enumerate(rows):
        weight = row.weight * (ours if row.corpus in OURS else 1.0)
        for name, value in row.targets.items():
            targets[at, column[name]] = value
            weights[at, column[name]] = weight * _weight(row.targets, name)
        harm = _harm(row)
        if harm is not None:
            targets[at, column["harm"]] = harm
            weights[at, column["harm"]] = weight * _HARM_WEIGHT
    return Lessons(
        [encoding.ids for encoding in encodings],
        targets,
        weights,
        [
            mark_tokens(row.marks, encoding.offsets, TOKEN_OUTPUTS) if row.marks else None
            for row, encoding in zip(rows, encodings, strict=True)
        ],
    )


def _harm(row: Row) -> float | None:
    """Return whether there is anything to report: in our texts by any id, elsewhere by the roots.

    None where a corpus judges none of the four roots.
    """
    judged = [name for name in (HARMS if row.corpus in OURS else ROOTS) if name in row.targets]
    return max((row.targets[name] for name in judged), default=None)


def _weight(targets: Mapping[str, float], name: str) -> float:
    if "pcl" in targets and len(targets) > 1:
        return _PCL_WEIGHT if name == "pcl" else (1 - _PCL_WEIGHT) / (len(targets) - 1)
    return 1 / len(targets)


class Sampler:
    """Deals out the rows of an epoch: a new part of each large corpus, texts with PCL twice.

    The end of a training sees only some of each corpus that is not ours.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        tier: str,
        seed: int,
        finish: bool = False,
        fraction: float = 1.0,
    ):
        by_corpus: dict[str, list[int]] = {}
        for at, row in enumerate(rows):
            by_corpus.setdefault(row.corpus, []).append(at)
        rng = np.random.default_rng([seed, 77])
        self._rows = {name: rng.permutation(found) for name, found in by_corpus.items()}
        given = {each.name: each.share for each in sources_of(tier)}
        self._shares = {
            name: round(share * FINISH_SHARES.get(name, FINISH_SHARE))
            if finish and name not in OURS
            else share
            for name, found in by_corpus.items()
            for share in [given.get(name) or len(found)]
        }
        self._shares = {
            name: share if name in OURS else round(share * fraction)
            for name, share in self._shares.items()
        }
        twice = [at for at, row in enumerate(rows) if row.targets.get("pcl", 0) > 0.5]
        self._twice = rng.permutation(twice)[: round(len(twice) * fraction)].tolist()

    def __call__(self, epoch: int) -> list[int]:
        """Return the rows of an epoch."""
        found = list(self._twice)
        for name, rows in self._rows.items():
            share = self._shares[name]
            found += np.resize(np.roll(rows, -share * epoch), share).tolist()
        return found


def train_network(
    base: str,
    tier: str,
    data: Path,
    work: Path,
    settings: Settings,
    start: Path | None = None,
    finish: bool = False,
    mine: str = "",
    fraction: float = 1.0,
) -> None:
    """Train one network into ``work/BASE-TIER-SEED`` and write its figures.

    Parameters
    ----------
    start
        What a network learnt before, or the ``model.onnx`` of an encoder that ships.
    finish
        Stress our own texts and ordinary prose.
    mine
        A detector; the ordinary prose that it is least quiet on is seen more often.
    fraction
        Which part of the corpora to see; texts of ours and ordinary prose are always seen.

    """
    folder = work / f"{base}-{tier}-{settings.seed}"
    corpora = read_sources(data, tier)
    rows = [row for found in corpora.values() for row in found]
    taught = [row for row in rows if row.part == "train"]
    held_out = [row for row in rows if row.part == "validation"]
    pretrained = base_folder(base, work / "models")
    tokenizer = load_tokenizer(pretrained, settings.max_tokens)
    network = open_network(pretrained, OUTPUTS, TOKEN_OUTPUTS, settings.seed)

    if start is not None:
        (load_shipped if start.suffix == ".onnx" else load_learnt)(network, start)

    def on_step(step: int, total: int, loss: float) -> None:
        if step % 25 == 0 or step == total:
            print(f"{folder.name}: step {step:,} of {total:,}, loss {loss:.4f}", flush=True)

    if mine:
        taught = mark_hard_prose(taught, mine, folder)
    sampler = Sampler(taught, tier, settings.seed, finish, fraction)
    lessons = encode(taught, tokenizer, FINISH_WEIGHT if finish else 1.0)
    if finish:
        settings = replace(settings, head_rate=FINISH_HEAD_RATE)
    train(network, lessons, sampler, settings, folder, on_step)
    save_learnt(network, folder / LEARNT)
    merge_heads(network, MERGED[tier])
    save_weights(network, folder / WEIGHTS)
    about = {
        "figures": figures(network, held_out, tokenizer),
        "corpora": provenance(data, tier, corpora),
    }
    with atomic_path(folder / "figures.json", force=True) as target:
        target.write_text(json.dumps(about, indent=1), encoding="utf-8")
    print(json.dumps(about["figures"], indent=1))


def mix_networks(base: str, parts: Mapping[Path, float], work: Path, output: Path) -> None:
    """Write the weighted mean of networks.

    What a network forgets of the corpora while it is finished comes back that way.

    Parameters
    ----------
    base
        The pretrained encoder of all of them.
    parts
        Their folders, or the ``model.onnx`` of encoders that ship; and what each counts.
    work
        The folder that keeps the pretrained encoder.
    output
        The folder to write into.

    """
    if abs(sum(parts.values()) - 1) > _ROUNDING:
        raise UsageError(f"Found shares with the sum {sum(parts.values()):g}; expected 1.")
    pretrained = base_folder(base, work / "models")
    network = open_network(pretrained, OUTPUTS, TOKEN_OUTPUTS, 1)
    mean: dict[str, Tensor] = {}
    for path, share in parts.items():
        if path.suffix == ".onnx":
            load_shipped(network, path)
        else:
            load_weights(network, path / WEIGHTS)
        for name, value in network.state_dict().items():
            if ".embeddings." not in name:  # the same in all; a mean would round them
                mean[name] = mean.get(name, 0) + share * value
    network.load_state_dict({**network.state_dict(), **mean})
    output.mkdir(parents=True, exist_ok=True)
    save_weights(network, output / WEIGHTS)


def figures(network: Network, rows: Sequence[Row], tokenizer: Tokenizer) -> dict[str, float]:
    """Return the area under the ROC curve of each output on the rows that judge it."""
    from sklearn.metrics import roc_auc_score

    lessons = encode(rows, tokenizer)
    logits = predict(network, lessons.tokens)
    found: dict[str, float] = {}
    for column, name in enumerate(OUTPUTS):
        judged = lessons.weights[:, column] > 0
        judged &= np.array([row.corpus not in QUIET for row in rows])
        gold = lessons.targets[judged, column] >= 0.5
        if 0 < gold.sum() < len(gold):
            found[name] = round(float(roc_auc_score(gold, logits[judged, column])), 4)
    return found
