"""How fast a masked language model is audited, next to a fill-mask pipeline of transformers.

Two models of six layers are made on the spot with random weights: in the shape of DistilBERT (66
million weights) and in that of MiniLM. They take the time that trained ones take, and nothing is
fetched. All Social Distance prompts go through ``MaskedAsker``; a sample of them goes
through the pipeline one by one, as its users call it, in the same run.
"""

import argparse
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from results import machine_line, table, write_page
from tactful.audit.hub import Opened, open_model
from tactful.audit.masked.asking import BATCH, TOP, MaskedAsker
from tactful.taxonomies.prompts import Prompt
from tactful_lab.evaluation.reproduce.stigma_prompts import fill_mask_prompts

SEED = 1
VOCABULARY = 30_522
"""Rows of BERT's vocabulary, and of the head that an answer is read from."""
SHAPES = {"DistilBERT": (768, 12, 3072), "MiniLM": (384, 12, 1536)}
"""Width, heads and inner width; both have six layers."""
MOST_SECONDS = 240.0
LEAST_RATIO = 3.0


@dataclass(frozen=True)
class Cost:
    """What it took to ask some prompts."""

    prompts: int
    wall: float
    cpu: float

    @property
    def wall_ms(self) -> float:
        """Milliseconds on the wall for one prompt."""
        return 1000 * self.wall / self.prompts

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds for one prompt."""
        return 1000 * self.cpu / self.prompts


@dataclass(frozen=True)
class Row:
    """One model, asked in both ways."""

    name: str
    weights: int
    way: str
    audit: Cost
    pipeline: Cost

    @property
    def wall_ratio(self) -> float:
        """How many times faster the audit is, by the clock on the wall."""
        return self.pipeline.wall_ms / self.audit.wall_ms

    @property
    def cpu_ratio(self) -> float:
        """How many times less CPU time the audit takes."""
        return self.pipeline.cpu_ms / self.audit.cpu_ms


def write_model(folder: Path, name: str, prompts: Sequence[Prompt]) -> int:
    """Write a model of random weights whose vocabulary knows the prompts; return its size."""
    import torch
    import transformers

    width, heads, inner = SHAPES[name]
    text = " ".join(prompt.text for prompt in prompts).replace("[MASK]", "").lower()
    words = dict.fromkeys(
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *re.findall(r"\w+|[^\w\s]", text)]
    )
    filler = (f"word{number}" for number in range(VOCABULARY - len(words)))
    vocabulary = {word: at for at, word in enumerate([*words, *filler])}
    torch.manual_seed(SEED)
    config: Any
    if name == "DistilBERT":
        config = transformers.DistilBertConfig(
            vocab_size=VOCABULARY, dim=width, n_layers=6, n_heads=heads, hidden_dim=inner
        )
    else:
        config = transformers.BertConfig(
            vocab_size=VOCABULARY,
            hidden_size=width,
            num_hidden_layers=6,
            num_attention_heads=heads,
            intermediate_size=inner,
        )
    model = transformers.AutoModelForMaskedLM.from_config(config)
    model.save_pretrained(folder)
    transformers.BertTokenizer(vocab=vocabulary, model_max_length=512).save_pretrained(folder)
    return int(sum(weights.numel() for weights in model.parameters()))


def timed(prompts: int, work: Callable[[], object]) -> Cost:
    """Do the work and return what it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost(prompts, time.perf_counter() - wall, time.process_time() - cpu)


def audit(asker: MaskedAsker, prompts: Sequence[Prompt]) -> None:
    """Ask all prompts, as many at a time as the model likes."""
    for start in range(0, len(prompts), asker.batch):
        asker.ask(prompts[start : start + asker.batch])


def one_by_one(opened: Opened, texts: Sequence[str]) -> None:
    """Call a fill-mask pipeline once for each text."""
    from transformers import pipeline

    filler = pipeline("fill-mask", model=opened.model, tokenizer=opened.tokenizer, top_k=TOP)
    for text in texts:
        filler(text)


def measure(name: str, folder: Path, sample: int, batch: int) -> Row:
    """Measure one model in both ways."""
    prompts = list(fill_mask_prompts(baseline=True))
    weights = write_model(folder, name, prompts)
    opened = open_model("masked", str(folder))
    asker = MaskedAsker(opened, batch=batch)
    chosen = random.Random(SEED).sample(prompts, sample)
    # What happens once (buffers, the choice of the way to compute) is paid before either is timed.
    asker.ask(chosen[:2])
    one_by_one(opened, [prompt.text for prompt in chosen[:2]])
    texts = [prompt.text for prompt in chosen]
    half = len(texts) // 2
    before = timed(half, lambda: one_by_one(opened, texts[:half]))
    audited = timed(len(prompts), lambda: audit(asker, prompts))
    after = timed(len(texts) - half, lambda: one_by_one(opened, texts[half:]))
    alone = Cost(len(texts), before.wall + after.wall, before.cpu + after.cpu)
    return Row(name, weights, asker.way, audited, alone)


def report(rows: Sequence[Row], sample: int, batch: int) -> str:
    """Write the page of results."""
    import torch
    import transformers

    columns = (
        "shape", "weights", "prompts", "wall s", "CPU s", "wall ms each", "CPU ms each",
        "pipeline: wall ms each", "CPU ms each", "times faster: wall", "CPU",
    )  # fmt: skip
    lines = [
        (
            row.name, f"{row.weights / 1e6:.0f} M", row.audit.prompts, round(row.audit.wall, 1),
            round(row.audit.cpu, 1), round(row.audit.wall_ms, 2), round(row.audit.cpu_ms, 2),
            round(row.pipeline.wall_ms, 2), round(row.pipeline.cpu_ms, 2),
            round(row.wall_ratio, 2), round(row.cpu_ratio, 2),
        )
        for row in rows
    ]  # fmt: skip
    passed = all(
        row.audit.wall <= MOST_SECONDS and min(row.wall_ratio, row.cpu_ratio) >= LEAST_RATIO
        for row in rows
    )
    return "\n\n".join(
        [
            "All Social Distance prompts (the 93 + 29 conditions and the baselines, each with its "
            "sub-conditions, 4 templates x 7 questions) through masked language models of six "
            f"layers, the {TOP} most probable words of each; {batch} prompts of one length at a "
            f"time, {torch.get_num_threads()} threads. The pipeline of transformers "
            f"{transformers.__version__} (torch {torch.__version__}) gives as many tokens for each "
            f"of {sample} of the same prompts, called one by one, half of them before the audit "
            "and half of them after it. The weights are random, which takes the same time.",
            table(columns, lines),
            "The model's head is computed at the masked place only, and so is the last layer after "
            f"its attention (way: {', '.join(sorted({row.way for row in rows}))}); nothing is "
            f"padded. Bars: at most {MOST_SECONDS:.0f} s for all prompts, and at least "
            f"{LEAST_RATIO:.0f} times faster than the pipeline by wall and by CPU: "
            f"**{'met' if passed else 'not met'}**.",
            machine_line(),
            "Command: `python benchmarks/audit_speed.py`.",
        ]
    )


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=200, help="prompts for the pipeline")
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--shape", choices=sorted(SHAPES), action="append")
    parser.add_argument("--dry", action="store_true", help="print only; write no page")
    options = parser.parse_args()
    if any(find_spec(name) is None for name in ("torch", "transformers")):
        print("skipped: needs the extra 'audit' (pip install \"tactful[audit]\")")
        return 0
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with tempfile.TemporaryDirectory() as place:
        rows = [
            measure(name, Path(place) / name.lower(), options.sample, options.batch)
            for name in options.shape or SHAPES
        ]
    body = report(rows, options.sample, options.batch)
    print(body)
    if not options.dry:
        write_page("audit-speed", "Audit: speed of masked language models", body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
