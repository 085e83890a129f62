"""How fast the detectors are beside BERT-base, on the same texts, in one thread, in one run.

BERT is the ordinary one of 110 million parameters in 32-bit floats with random weights, which cost
as much as trained ones; it needs torch and transformers, perhaps in another environment
(``--peer-python``). Every detector runs in a process of its own; the seconds are CPU seconds of
scoring alone, after a warm-up, best of some runs.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from detector_texts import WORDS_EACH, made_texts, real_texts
from results import Measurement, machine_line, measure, table, write_page
from tactful.detectors.load import EMBEDDED
from tactful.detectors.weights import find_weights, weights_folder

RUNS = 3
TEXTS = 2000
PEER_TEXTS = 256
PEER_BATCH = 32
PEER_MOST_TOKENS = 512
FAST_BAR = 5000
RATIO_BARS = {"default": 12, "cascade": 60}
TOKENIZER = weights_folder("encoder-en") / "tokenizer.json"
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}

OURS = """
import json, sys, time
from pathlib import Path
from tactful.detectors import load_detector
texts = json.loads(Path(sys.argv[2]).read_text())
detector = load_detector(sys.argv[1])
detector.score(texts[:8])
began = time.process_time()
detector.score(texts)
seconds = time.process_time() - began
share = None
if hasattr(detector, "open_texts"):
    share = float(detector.open_texts(detector.first.score(texts)).mean())
print(json.dumps([seconds, share]))
"""
PEER = """
import json, sys, time
from pathlib import Path
import torch
from transformers import BertConfig, BertModel
torch.set_num_threads(1)
torch.manual_seed(1)
model = BertModel(BertConfig()).eval()
batches = [
    (torch.tensor(ids), torch.tensor(mask))
    for ids, mask in json.loads(Path(sys.argv[1]).read_text())
]
with torch.inference_mode():
    model(input_ids=batches[0][0][:2], attention_mask=batches[0][1][:2])
    began = time.process_time()
    for ids, mask in batches:
        model(input_ids=ids, attention_mask=mask)
    print(json.dumps([time.process_time() - began, None]))
"""


@dataclass(frozen=True)
class Speed:
    """What one detector needed for one set of texts."""

    texts: int
    seconds: float
    peak_mb: float
    share: float | None
    """The part of the texts that a cascade sent on."""

    @property
    def per_second(self) -> float:
        """Texts per CPU second."""
        return self.texts / self.seconds


def peer_batches(texts: Sequence[str], tokenizer: Path) -> list[list[list[list[int]]]]:
    """Return batches of tokens and masks: texts of all lengths, each beside those of its length.

    Cutting into tokens is left out of BERT's time, and sorting by length spares it most of the
    padding: both are in its favour.
    """
    from tokenizers import Tokenizer

    cutter = Tokenizer.from_file(str(tokenizer))
    cutter.no_padding()
    cutter.enable_truncation(PEER_MOST_TOKENS)
    rows = sorted((encoding.ids for encoding in cutter.encode_batch(list(texts))), key=len)
    rows = [rows[at * len(rows) // PEER_TEXTS] for at in range(PEER_TEXTS)]
    batches = []
    for at in range(0, len(rows), PEER_BATCH):
        batch = rows[at : at + PEER_BATCH]
        width = len(batch[-1])
        batches.append(
            [
                [ids + [0] * (width - len(ids)) for ids in batch],
                [[1] * len(ids) + [0] * (width - len(ids)) for ids in batch],
            ]
        )
    return batches


def has_torch(python: str) -> bool:
    """Say whether an interpreter can run the peer."""
    command = [python, "-c", "import torch, transformers"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def speeds(
    texts: Sequence[str], models: Sequence[str], peer_python: str | None, tokenizer: Path
) -> dict[str, Speed]:
    """Measure all in turn, several times over, so that a slow minute of the machine meets all."""
    with tempfile.TemporaryDirectory(prefix="tactful-bench-") as name:
        file, peer_file = Path(name) / "texts.json", Path(name) / "tokens.json"
        file.write_text(json.dumps(list(texts)), encoding="utf-8")
        commands = {
            model: ([sys.executable, "-c", OURS, model, str(file)], len(texts)) for model in models
        }
        if peer_python:
            peer_file.write_text(json.dumps(peer_batches(texts, tokenizer)), encoding="utf-8")
            commands["BERT-base"] = ([peer_python, "-c", PEER, str(peer_file)], PEER_TEXTS)
        found: dict[str, Speed] = {}
        for _ in range(RUNS):
            for model, (command, count) in commands.items():
                speed = _speed(measure(command, env=ONE_THREAD), count)
                if model not in found or speed.seconds < found[model].seconds:
                    found[model] = speed
    return found


def _speed(run: Measurement, count: int) -> Speed:
    seconds, share = json.loads(run.stdout.splitlines()[-1])
    return Speed(count, seconds, run.peak_mb, share)


def rows_of(found: dict[str, Speed], judged: Sequence[str]) -> list[list[object]]:
    """Return the rows of one table; bars are beside the detectors that are ``judged`` by it."""
    peer = found.get("BERT-base")
    rows: list[list[object]] = []
    for model, speed in found.items():
        ratio = speed.per_second / peer.per_second if peer else None
        bar, met = "", ""
        if model == "fast" and model in judged:
            bar, met = f"{FAST_BAR:,} texts", _verdict(speed.per_second >= FAST_BAR)
        elif model in RATIO_BARS and model in judged and ratio is not None:
            bar, met = f"{RATIO_BARS[model]} times", _verdict(ratio >= RATIO_BARS[model])
        rows.append(
            [
                model,
                speed.texts,
                f"{speed.per_second:,.1f}",
                "" if ratio is None else f"{ratio:,.1f}",
                bar,
                met,
                "" if speed.share is None else f"{100 * speed.share:.1f} %",
                round(speed.peak_mb),
            ]
        )
    return rows


def _is_here(model: str) -> bool:
    folder = EMBEDDED["en"].get(model)
    if folder is None or find_weights(folder):
        return True
    print(f"the weights of '{model}' are not here: it is left out", file=sys.stderr)
    return False


def _verdict(good: bool) -> str:
    return "yes" if good else "NO"


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--peer-python", default=sys.executable, help="an interpreter with torch and transformers"
    )
    parser.add_argument(
        "--models", nargs="+", default=["default", "fast", "cascade"], help="names or folders"
    )
    parser.add_argument(
        "--tokenizer", type=Path, default=TOKENIZER, help="the tokenizer.json of a BERT"
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Measure, write the page, and fail when a bar is missed."""
    options = parse(arguments)
    if not options.tokenizer.is_file():
        print(f"{options.tokenizer} is not here: nothing was measured", file=sys.stderr)
        return 0
    peer = options.peer_python if has_torch(options.peer_python) else None
    if peer is None:
        print(
            f"{options.peer_python} has no torch and transformers: BERT-base is left out "
            "(name another interpreter with --peer-python)",
            file=sys.stderr,
        )
    models = [model for model in options.models if _is_here(model)]
    real = real_texts(TEXTS)
    # Made texts are nobody's idea of what is surely harmless: a cascade is judged by real ones.
    sets = [
        (f"Made texts of {WORDS_EACH} words", made_texts(TEXTS),
         ["default", "fast", *([] if real else ["cascade"])]),
    ]  # fmt: skip
    if real:
        words = mean(len(text.split()) for text in real)
        title = (
            f"Real texts, {words:.0f} words on average (UCC comments and DPM paragraphs, half each)"
        )
        sets.append((title, real, ["default", "cascade"]))
    else:
        print("TACTFUL_DATA has no UCC and DPM: real texts are not measured", file=sys.stderr)
    columns = [
        "detector", "texts", "texts per CPU second", "times BERT-base", "bar", "met",
        "sent to the encoder", "peak MB",
    ]  # fmt: skip
    parts = []
    for title, texts, judged in sets:
        found = speeds(texts, models, peer, options.tokenizer)
        parts.append(f"{title}:\n\n{table(columns, rows_of(found, judged))}")
    body = "\n\n".join(parts)
    write_page(
        "detectors-speed",
        "Speed of the detectors",
        "One thread; CPU seconds of scoring, each in a process of its own after a warm-up, best of "
        f"{RUNS} runs, all in one run of the script. BERT-base is fp32 with random weights in "
        f"torch, batches of {PEER_BATCH} sorted by length, cutting into tokens not counted; it "
        f"reads {PEER_TEXTS} of the same texts, evenly spread over their lengths. Ours start from "
        f"plain text.\n\n{body}\n\n{machine_line()}\n"
        "Command: `TACTFUL_DATA=… python benchmarks/detectors_speed.py --peer-python …`.",
    )
    return 1 if "| NO |" in body else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
