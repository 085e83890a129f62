"""The Information Contrast Model: its cost, and whether it equals PyEvALL, its authors' own tool.

PyEvALL is installed into an environment of its own, made here and thrown away; where no package
index can be reached, the comparison is left out, and the page says so. ``--golden`` also writes
the numbers that the tests compare with.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from icm_cases import DETESTS as DETESTS_NESTED
from icm_cases import Case, cases, detests_sets, parents
from results import best, machine_line, measure, table, write_page

RUNS = 3
ITEMS = 100_000
PEER_ITEMS = 1_812
BAR_SECONDS = 1.0
TOLERANCE = 1e-9
PEER = "PyEvALL==0.2.11"
FOLDER = Path(__file__).resolve().parent
GOLDEN = FOLDER.parent / "tests" / "golden" / "icm_pyevall.json"

# Making the items is no part of what is measured: the clock starts after it.
OURS = """
import sys, time
sys.path.insert(0, {folder!r})
from icm_cases import DETESTS, detests_sets, parents
from tactful.metrics import icm_score
gold, predicted = detests_sets({items}, 1), detests_sets({items}, 2)
hierarchy = parents(DETESTS)
began = time.process_time()
value = float(icm_score(gold, predicted, hierarchy=hierarchy))
print(time.process_time() - began, value)
"""
THEIRS = """
import json, logging, sys, tempfile, time, warnings
from pathlib import Path
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
from pyevall.evaluation import PyEvALLEvaluation
folder = Path(tempfile.mkdtemp())
answers = {}
for name, case in json.load(open(sys.argv[1])).items():
    for side in ("gold", "predicted"):
        rows = [{"test_case": "T", "id": str(i), "value": v} for i, v in enumerate(case[side])]
        (folder / side).with_suffix(".json").write_text(json.dumps(rows))
    answers[name] = {}
    for metric in case["metrics"]:
        options = {"hierarchy": case["nested"]} if case["nested"] else {}
        began = time.process_time()
        report = PyEvALLEvaluation().evaluate(
            str(folder / "predicted.json"), str(folder / "gold.json"), [metric], **options
        )
        seconds = time.process_time() - began
        value = report.report["metrics"][metric]["results"]["average_per_test_case"]
        answers[name][metric] = [value, seconds]
json.dump(answers, open(sys.argv[2], "w"))
"""


def ours(case: Case) -> dict[str, float]:
    """Return our values for one case, with empty sets treated as PyEvALL does."""
    from tactful.metrics import icm_norm_score, icm_score, icm_soft_norm_score, icm_soft_score

    if case.soft:
        soft = {"ICMSoft": icm_soft_score, "ICMSoftNorm": icm_soft_norm_score}
        return {
            name: float(function(case.gold, case.predicted, hierarchy=case.hierarchy))
            for name, function in soft.items()
        }
    gold, predicted = sets(case.gold), sets(case.predicted)
    hard = {"ICM": icm_score, "ICMNorm": icm_norm_score}
    return {
        name: float(function(gold, predicted, hierarchy=case.hierarchy, empty="drop"))
        for name, function in hard.items()
    }


def sets(rows: list[Any]) -> list[list[str]]:
    """Write single labels as sets of one."""
    return [[row] if isinstance(row, str) else row for row in rows]


def peer_python(folder: Path) -> str | None:
    """Make an environment with PyEvALL and return its Python; None where that is impossible."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    # It imports distutils, which newer Pythons only have from setuptools.
    command = [python, "-m", "pip", "install", "--quiet", PEER, "setuptools<80"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return python if done.returncode == 0 else None


def theirs(python: str, all_cases: dict[str, Case], folder: Path) -> dict[str, Any]:
    """Run PyEvALL on the cases and return its values and CPU seconds."""
    asked, answered = folder / "cases.json", folder / "answers.json"
    asked.write_text(
        json.dumps(
            {
                name: {
                    "gold": case.gold,
                    "predicted": case.predicted,
                    "nested": case.nested,
                    "metrics": ["ICMSoft", "ICMSoftNorm"] if case.soft else ["ICM", "ICMNorm"],
                }
                for name, case in all_cases.items()
            }
        )
    )
    measure([python, "-c", THEIRS, str(asked), str(answered)])
    found: dict[str, Any] = json.loads(answered.read_text())
    return found


def speed() -> tuple[str, float, float]:
    """Measure ICM on many items and on as many as the peer gets."""
    many = best([sys.executable, "-c", OURS.format(folder=str(FOLDER), items=ITEMS)], RUNS)
    few = best([sys.executable, "-c", OURS.format(folder=str(FOLDER), items=PEER_ITEMS)], RUNS)
    seconds = float(many.stdout.split()[0])
    met = "yes" if seconds <= BAR_SECONDS else "NO"
    text = (
        f"`icm_score` with the DETESTS hierarchy (root, 10 categories, and items without a "
        f"stereotype), best of {RUNS} runs, reading the sets included:\n\n"
        + table(
            ["items", "CPU s", "bar (CPU s)", "met", "peak MB of the process"],
            [[f"{ITEMS:,}", seconds, BAR_SECONDS, met, round(many.peak_mb)]],
        )
    )
    return text, seconds, float(few.stdout.split()[0])


def comparison(seconds_few: float, golden: bool) -> str:
    """Compare with PyEvALL in values and in time."""
    with tempfile.TemporaryDirectory(prefix="tactful-bench-") as name:
        folder = Path(name)
        python = peer_python(folder / "venv")
        if python is None:
            print("PyEvALL cannot be installed: the comparison is left out", file=sys.stderr)
            return "PyEvALL could not be installed on this machine; the comparison is left out."
        random_cases = cases()
        timed = Case(detests_sets(PEER_ITEMS, 1), detests_sets(PEER_ITEMS, 2), DETESTS_NESTED)
        # As often as ours, and the best of them too: otherwise the ratio would favour us.
        repeated = {f"timed {run}": timed for run in range(RUNS)}
        answers = theirs(python, {**random_cases, **repeated}, folder)
    rows: list[list[object]] = []
    for case_name, case in random_cases.items():
        for metric, value in ours(case).items():
            difference = abs(value - answers[case_name][metric][0])
            met = "yes" if difference <= TOLERANCE else "NO"
            rows.append([case_name, metric, value, f"{difference:.1e}", met])
    if golden:
        write_golden(answers)
    their_seconds = min(answers[name]["ICM"][1] for name in repeated)
    hierarchy = parents(DETESTS_NESTED)
    from tactful.metrics import icm_score

    mine = float(icm_score(timed.gold, timed.predicted, hierarchy=hierarchy, empty="drop"))
    return (
        f"Against {PEER}, each on 1,000 seeded random items (`benchmarks/icm_cases.py`); the bar "
        f"is a difference of {TOLERANCE:g}:\n\n"
        + table(["case", "measure", "ours", "difference", "met"], rows)
        + f"\n\nOn {PEER_ITEMS:,} items, the size of the DETESTS test part, best of {RUNS} runs "
        "each:\n\n"
        + table(
            ["tool", "CPU s", "ICM"],
            [
                ["tactful", f"{seconds_few:.4f}", f"{mine:.9f}"],
                [PEER, f"{their_seconds:.4f}", f"{answers['timed 0']['ICM'][0]:.9f}"],
            ],
        )
        + f"\n\nPyEvALL takes {their_seconds / seconds_few:,.0f} times as long. It also reads and "
        "validates two JSON files, which is part of its time; imports are not, on either side."
    )


def write_golden(answers: dict[str, Any]) -> None:
    """Write what PyEvALL answered, for the tests."""
    values = {
        name: {metric: pair[0] for metric, pair in metrics.items()}
        for name, metrics in answers.items()
        if not name.startswith("timed")
    }
    note = (
        f"Values of {PEER} (PyPI) on benchmarks/icm_cases.py:cases(items=1000, seed=1), written "
        "by: python benchmarks/hierarchical.py --golden"
    )
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(json.dumps({"comment": note, "values": values}, indent=2) + "\n")


def main() -> int:
    """Measure, write the page, and fail when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--golden", action="store_true", help="also write the tests' values")
    arguments = parser.parse_args()
    text, _, few = speed()
    parts = [text, comparison(few, arguments.golden)]
    ending = f"{machine_line()}\nCommand: `python benchmarks/hierarchical.py`."
    write_page("hierarchical", "Information Contrast Model", "\n\n".join([*parts, ending]))
    return 1 if "| NO |" in "\n".join(parts) else 0


if __name__ == "__main__":
    sys.exit(main())
