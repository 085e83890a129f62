"""What aggregating judgements costs and how often it is right, side by side with crowd-kit.

The set is synthetic and has the size of the Unhealthy Comment Corpus: binary labels, and a planted
accuracy for each annotator. crowd-kit is installed into an environment of its own, in a temporary
folder that is removed at the end; without it, or where one of its methods fails, the table says so.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from results import machine_line, measure, table, write_page

ITEMS, ANNOTATORS, JUDGEMENTS = 44_355, 588, 244_468
SEED = 1
RUNS = 3
MEMORY_BAR_MB = 200
PEER = "crowd-kit==1.4.1"
PEER_LIMIT_SECONDS = 60

OURS = """
import json, time
import numpy.ma  # polars imports it when it first meets an array
import polars as pl
import scipy.optimize, scipy.sparse, scipy.special
from tactful.aggregation import METHODS, aggregate, read_judgements
for name in METHODS:
    METHODS.get(name)
truth = dict(pl.read_csv({truth!r}, schema_overrides={{"label": pl.String}}).iter_rows())
used, right = 0.0, 0.0
began = time.process_time()
table = pl.read_csv({file!r}, schema_overrides={{"label": pl.String}})
if {method!r}:
    result = aggregate(table, {method!r}, **{options!r})
    used = time.process_time() - began
    right = sum(truth[i] == l for i, l in zip(result.items, result.labels)) / len(truth)
else:
    read_judgements(table)
print(json.dumps([used, right]))
"""
THEIRS = """
import json, resource, time, warnings
warnings.filterwarnings("ignore")
import pandas as pd
from crowdkit.aggregation import GLAD, MACE, DawidSkene, MajorityVote, OneCoinDawidSkene
truth = pd.read_csv({truth!r}).set_index("item")["label"]
resource.setrlimit(resource.RLIMIT_CPU, ({limit}, {limit} + 10))
began = time.process_time()
table = pd.read_csv({file!r}).rename(columns={{"item": "task", "annotator": "worker"}})
labels = {call}
used = time.process_time() - began
print(json.dumps([used, float((labels.reindex(truth.index) == truth).mean())]))
"""


@dataclass(frozen=True)
class Case:
    """One method: how it is called here and there, and how much CPU time it may take."""

    title: str
    method: str
    options: dict[str, float | str]
    bar: float | None
    peer: str
    times: float | None = None
    """How many times faster than the peer it must be."""


CASES = (
    Case("majority vote", "majority", {}, None, "MajorityVote().fit_predict(table)", 3),
    Case(
        "majority vote, ties to the highest", "majority", {"ties": "highest"}, None,
        "MajorityVote().fit_predict(table)", 3,
    ),
    Case(
        "Dawid-Skene, 100 iterations", "dawid_skene", {"iterations": 100, "tolerance": 0.0}, 3,
        "DawidSkene(n_iter=100, tol=-1).fit_predict(table)", 25,
    ),
    Case(
        "one-coin, 100 iterations", "one_coin", {"iterations": 100, "tolerance": 0.0}, None,
        "OneCoinDawidSkene(n_iter=100, tol=-1).fit(table).labels_",
    ),
    Case(
        "MACE, 10 starts of 50 iterations", "mace",
        {"restarts": 10, "iterations": 50, "tolerance": 0.0, "seed": SEED}, 15,
        f"MACE(n_restarts=10, n_iter=50, random_state={SEED}).fit_predict(table)",
    ),
    Case("GLAD, until it converges", "glad", {}, 60, "GLAD(n_iter=100).fit_predict(table)"),
)  # fmt: skip


def write_synthetic(file: Path, truth_file: Path) -> None:
    """Write judgements of a planted truth by annotators of a planted accuracy."""
    rng = np.random.default_rng(SEED)
    truth = (rng.random(ITEMS) < 0.2).astype(np.int64)
    accuracy = rng.beta(8, 2, ANNOTATORS)
    number = np.full(ITEMS, JUDGEMENTS // ITEMS)
    number[: JUDGEMENTS - number.sum()] += 1
    item = np.repeat(np.arange(ITEMS), number)
    turn = np.arange(JUDGEMENTS) - np.repeat(np.cumsum(number) - number, number)
    first, step = rng.integers(0, ANNOTATORS, ITEMS), rng.integers(1, 91, ITEMS)
    annotator = (first[item] + turn * step[item]) % ANNOTATORS
    right = rng.random(JUDGEMENTS) < accuracy[annotator]
    label = np.where(right, truth[item], 1 - truth[item])
    names = pl.Series([f"item{at:05}" for at in range(ITEMS)])
    people = pl.Series([f"annotator{at:03}" for at in range(ANNOTATORS)])
    pl.DataFrame({"item": names[item], "annotator": people[annotator], "label": label}).write_csv(
        file
    )
    pl.DataFrame({"item": names, "label": truth}).write_csv(truth_file)


def install_peer(folder: Path) -> str | None:
    """Install crowd-kit into a new environment; return its Python, or None, saying why."""
    try:
        venv.create(folder, with_pip=True)
        python = str(folder / "bin" / "python")
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PEER],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    except (subprocess.SubprocessError, OSError) as error:
        reason = (getattr(error, "stderr", None) or str(error)).strip().splitlines()[-1:]
        print(f"{PEER} cannot be installed: {' '.join(reason)}", file=sys.stderr)
        return None
    return python


def run_ours(case: Case | None, file: Path, truth: Path, runs: int) -> tuple[float, float, float]:
    """Return the best CPU seconds of the fit, the accuracy and the peak memory."""
    method, options = (case.method, case.options) if case else ("", {})
    code = OURS.format(file=str(file), truth=str(truth), method=method, options=options)
    done = [measure([sys.executable, "-c", code]) for _ in range(runs)]
    seconds, right = min(json.loads(run.stdout) for run in done)
    return seconds, right, min(run.peak_mb for run in done)


def run_peer(case: Case, python: str, file: Path, truth: Path) -> tuple[float | str, float | str]:
    """Return the peer's CPU seconds and accuracy, or words where it fails."""
    code = THEIRS.format(file=str(file), truth=str(truth), call=case.peer, limit=PEER_LIMIT_SECONDS)
    done: list[tuple[float, float]] = []
    try:
        while len(done) < RUNS and all(seconds < 1 for seconds, _ in done):
            done.append(tuple(json.loads(measure([python, "-c", code]).stdout.splitlines()[-1])))
    except RuntimeError as error:
        words = str(error).strip().splitlines()[-1][:100]
        late = f"ended with {-signal.SIGXCPU}" in str(error)
        print(f"crowd-kit, {case.title}: {words}", file=sys.stderr)
        return (f"> {PEER_LIMIT_SECONDS} s (stopped)" if late else f"failed: {words}"), ""
    return min(done)


def main() -> int:
    """Measure, write the page, and fail when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-peer", action="store_true", help="do not install crowd-kit")
    parser.add_argument("--peer", metavar="PYTHON", help=f"a Python that has {PEER} already")
    parser.add_argument(
        "--only", nargs="+", choices=sorted({case.method for case in CASES}), metavar="METHOD",
        help="measure these methods only, and print the table instead of writing the page",
    )  # fmt: skip
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tactful-bench-") as name:
        folder = Path(name)
        file, truth = folder / "judgements.csv", folder / "truth.csv"
        write_synthetic(file, truth)
        python = arguments.peer
        if python is None and not arguments.without_peer:
            python = install_peer(folder / "peer")
        _, _, empty_mb = run_ours(None, file, truth, RUNS)
        rows: list[list[object]] = []
        good = True
        for case in CASES:
            if arguments.only and case.method not in arguments.only:
                continue
            seconds, right, peak = run_ours(case, file, truth, RUNS)
            extra = peak - empty_mb
            met = case.bar is None or seconds <= case.bar
            if case.method == "dawid_skene":
                met = met and extra <= MEMORY_BAR_MB
            good = good and met
            theirs: tuple[float | str, float | str] = ("not installed", "")
            if python is not None:
                theirs = run_peer(case, python, file, truth)
            times = theirs[0] / seconds if isinstance(theirs[0], float) else None
            if case.times is not None and times is not None:
                good = good and times >= case.times
            rows.append(
                [
                    case.title, seconds, "" if case.bar is None else f"{case.bar:g}",
                    "" if case.bar is None else "yes" if met else "NO", round(extra),
                    f"{right:.4f}",
                    theirs[0], f"{theirs[1]:.4f}" if isinstance(theirs[1], float) else theirs[1],
                    "" if times is None else f"{times:.1f}",
                    "" if case.times is None else f"{case.times:g}",
                ]
            )  # fmt: skip
    columns = [
        "method", "CPU s", "bar (CPU s)", "met", "MB beyond the table", "right",
        "crowd-kit: CPU s", "crowd-kit: right", "times faster", "bar (times)",
    ]  # fmt: skip
    if arguments.only:
        print(table(columns, rows))
        return 0 if good else 1
    write_page(
        "aggregation",
        "Aggregation",
        f"A synthetic set of {ITEMS:,} items, {ANNOTATORS} annotators and {JUDGEMENTS:,} "
        f"judgements (seed {SEED}): one label in five is 1, and annotators are right with "
        "probabilities drawn from Beta(8, 2). CPU seconds from the CSV file to the labels, imports "
        f"not counted; the best of {RUNS} runs ({PEER}: of one where it takes more than a second), "
        "in the same run of the script. 'Right' is the share of items with the planted label; "
        "without a tie policy a tie is no label and so never right. Dawid-Skene may also take "
        f"{MEMORY_BAR_MB} MB. The two GLADs end by rules of their own.\n\n"
        f"{table(columns, rows)}\n\n{machine_line()}\nCommand: `python benchmarks/aggregation.py`.",
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
