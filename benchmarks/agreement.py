"""What agreement costs on a set of the Unhealthy Comment Corpus' size, beside two peers.

The peers, ``krippendorff`` and ``statsmodels``, are installed into a throw-away environment each;
where the package index cannot be reached, they are skipped, saying so. The second part needs the
authors' files in ``$TACTFUL_DATA``: the agreement of their annotators beside the papers' figures.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from results import best, machine_line, table, write_page

RUNS = 15
SEED = 1
# Price et al. (2020), section 3: comments, annotators and judgements.
ITEMS, ANNOTATORS, JUDGEMENTS = 44_355, 588, 244_468
ALPHA_BAR, BOOTSTRAP_BAR, SAMPLES = 0.10, 5.0, 1_000

# Every program prints the CPU seconds of the computation alone, the best of several, and the value.
TIMING = """
import json, sys, time
def best(compute):
    seconds = []
    for _ in range({runs}):
        began = time.process_time()
        value = compute()
        seconds.append(time.process_time() - began)
    return min(seconds), float(value)
"""
OURS = """
import polars as pl
from tactful.agreement import fleiss_kappa, krippendorff_alpha
from tactful.ratings import read_ratings
table = pl.read_parquet({file!r})
ratings = read_ratings(table)
json.dump([
    best(lambda: krippendorff_alpha(table)),
    best(lambda: krippendorff_alpha(ratings)),
    best(lambda: krippendorff_alpha(table, bootstrap={samples}, seed={seed})),
    best(lambda: fleiss_kappa(ratings)),
    krippendorff_alpha(table, bootstrap={samples}, seed={seed}).interval,
], sys.stdout)
"""
PEER_ALPHA = """
import numpy, krippendorff
import polars as pl
table = pl.read_parquet({file!r})
def from_table():
    pairs = table.group_by("item", "label").len()
    counts = pairs.pivot("label", index="item", values="len").fill_null(0).drop("item").to_numpy()
    return krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
def from_sums():
    sums = [(pl.col("label") == name).sum().alias(name) for name in ("0", "1")]
    counts = table.group_by("item").agg(sums).drop("item").to_numpy()
    return krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
counts = numpy.load({counts!r})
def from_judgements():
    data = numpy.full(({annotators}, {items}), numpy.nan)
    rows = numpy.load({rows!r})
    data[rows[1], rows[0]] = rows[2]
    return krippendorff.alpha(reliability_data=data, level_of_measurement="nominal")
json.dump([
    best(lambda: krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")),
    best(from_judgements),
    best(from_table),
    best(from_sums),
], sys.stdout)
"""
PEER_FLEISS = """
import numpy
from statsmodels.stats.inter_rater import fleiss_kappa
even = numpy.load({even!r})
json.dump([best(lambda: fleiss_kappa(even))], sys.stdout)
"""
EVEN = """
import polars as pl
from tactful.agreement import fleiss_kappa
from tactful.ratings import read_ratings
ratings = read_ratings(pl.read_parquet({file!r}))
json.dump([best(lambda: fleiss_kappa(ratings))], sys.stdout)
"""


def synthetic(even: bool = False) -> pl.DataFrame:
    """Return judgements of UCC's size: two to ten a comment, or five each where ``even``."""
    rng = np.random.default_rng(SEED)
    if even:
        raters = np.full(ITEMS, 5)
    else:
        raters = np.full(ITEMS, 2)
        extra = rng.choice(ITEMS * 8, JUDGEMENTS - 2 * ITEMS, replace=False) % ITEMS
        raters += np.bincount(extra, minlength=ITEMS)
    item = np.repeat(np.arange(ITEMS), raters)
    first = np.repeat(rng.integers(0, ANNOTATORS, ITEMS), raters)
    place = np.arange(item.size) - np.repeat(np.cumsum(raters) - raters, raters)
    # A stride that shares no divisor with 588 gives each comment different annotators.
    annotator = (first + 101 * place) % ANNOTATORS
    leaning = rng.beta(0.3, 2.5, ITEMS)
    label = (rng.random(item.size) < leaning[item]).astype(np.int64)
    order = rng.permutation(item.size)
    return pl.DataFrame(
        {
            "item": pl.Series(item[order]).cast(pl.String),
            "annotator": pl.Series(annotator[order]).cast(pl.String),
            "label": pl.Series(label[order]).cast(pl.String),
        }
    )


def run(python: str, code: str, **values: object) -> list[list[float]]:
    """Run a program and return what it printed."""
    text = TIMING.format(runs=RUNS) + code.format(**values)
    return list(json.loads(best([python, "-c", text], 1).stdout))


def environment(folder: Path, package: str, *others: str) -> str | None:
    """Make a throw-away environment with packages; None where they cannot be fetched."""
    place = folder / f"env-{package}"
    try:
        subprocess.run([sys.executable, "-m", "venv", place], check=True, capture_output=True)
        python = str(place / "bin" / "python")
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", package, *others],
            check=True, capture_output=True, timeout=600,
        )  # fmt: skip
    except (subprocess.SubprocessError, OSError) as error:
        print(f"{package} cannot be installed, so it is skipped: {error}", file=sys.stderr)
        return None
    return python


def version(python: str, package: str) -> str:
    """Return the version of an installed package."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return best([python, "-c", code], 1).stdout.strip()


def speed() -> tuple[str, bool]:
    """Measure ours and the peers on the same judgements."""
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory(prefix="tactful-bench-") as name:
        folder = Path(name)
        uneven, even = folder / "uneven.parquet", folder / "even.parquet"
        judgements = synthetic()
        judgements.write_parquet(uneven)
        synthetic(even=True).write_parquet(even)
        _write_peers_input(folder, judgements)
        table_run, ratings_run, bootstrap, fleiss, interval = run(
            sys.executable, OURS, file=str(uneven), samples=SAMPLES, seed=SEED
        )
        alpha = table_run[1]
        met = table_run[0] <= ALPHA_BAR, bootstrap[0] <= BOOTSTRAP_BAR
        rows += [
            ["alpha, from a table of text", "tactful", *_cells(table_run), ALPHA_BAR, _yes(met[0])],
            ["alpha, from Ratings", "tactful", *_cells(ratings_run), "", ""],
            [
                f"alpha with {SAMPLES:,} bootstrap samples, from a table of text", "tactful",
                *_cells(bootstrap), BOOTSTRAP_BAR, _yes(met[1]),
            ],
        ]  # fmt: skip
        rows += _peer_alpha(folder, alpha)
        rows.append(["Fleiss' κ, uneven, from Ratings", "tactful", *_cells(fleiss), "", ""])
        [ours] = run(sys.executable, EVEN, file=str(even))
        rows.append(
            ["Fleiss' κ, five judgements each, from Ratings", "tactful", *_cells(ours), "", ""]
        )
        rows += _peer_fleiss(folder, ours[1])
    columns = ["what", "by", "CPU s", "value", "bar (CPU s)", "met"]
    text = (
        f"Synthetic judgements of the Unhealthy Comment Corpus' size (seed {SEED}): {ITEMS:,} "
        f"items, {ANNOTATORS} annotators, {JUDGEMENTS:,} judgements, two labels. CPU seconds of "
        f"the computation without imports, best of {RUNS}, all in one run. The peers' values equal "
        "ours to 1e-9, or this script fails. The 95 % interval of alpha is "
        f"{interval[0]:.4f} to {interval[1]:.4f}.\n\n{table(columns, rows)}"
    )
    return text, all(met)


def _cells(measured: list[float]) -> list[object]:
    return [float(measured[0]), f"{measured[1]:.6f}"]


def _yes(met: bool) -> str:
    return "yes" if met else "NO"


def _write_peers_input(folder: Path, judgements: pl.DataFrame) -> None:
    """Write what the peers take: counts of items by labels, and judgements as numbers."""
    numbers = judgements.cast(pl.Int64)
    rows = numbers.select("item", "annotator", "label").to_numpy().T
    np.save(folder / "rows.npy", rows)
    flat = np.bincount(rows[0] * 2 + rows[2], minlength=ITEMS * 2)
    np.save(folder / "counts.npy", flat.reshape(ITEMS, 2))
    same = synthetic(even=True).cast(pl.Int64)
    flat = np.bincount(same["item"].to_numpy() * 2 + same["label"].to_numpy(), minlength=ITEMS * 2)
    np.save(folder / "even.npy", flat.reshape(ITEMS, 2))


def _peer_alpha(folder: Path, ours: float) -> list[list[object]]:
    python = environment(folder, "krippendorff", "polars")
    if python is None:
        return [["alpha", "krippendorff (not installed here)", "", "", "", ""]]
    counted, matrix, grouped, sums = run(
        python, PEER_ALPHA, counts=str(folder / "counts.npy"), rows=str(folder / "rows.npy"),
        items=ITEMS, annotators=ANNOTATORS, file=str(folder / "uneven.parquet"),
    )  # fmt: skip
    for measured in (counted, matrix, grouped, sums):
        assert abs(measured[1] - ours) < 1e-9, (measured, ours)
    name = f"krippendorff {version(python, 'krippendorff')}"
    return [
        ["alpha, from counts of items by labels", name, *_cells(counted), "", ""],
        ["alpha, from a matrix of annotators by items", name, *_cells(matrix), "", ""],
        ["alpha, from a table of text, polars' group_by and pivot", name, *_cells(grouped), "", ""],
        ["alpha, from a table of text, a polars sum for each label", name, *_cells(sums), "", ""],
    ]


def _peer_fleiss(folder: Path, ours: float) -> list[list[object]]:
    python = environment(folder, "statsmodels")
    if python is None:
        return [["Fleiss' κ", "statsmodels (not installed here)", "", "", "", ""]]
    [measured] = run(python, PEER_FLEISS, even=str(folder / "even.npy"))
    assert abs(measured[1] - ours) < 1e-9, (measured, ours)
    name = f"statsmodels {version(python, 'statsmodels')}"
    what = "Fleiss' κ, five judgements each, from counts of items by labels"
    return [[what, name, *_cells(measured), "", ""]]


def judgements_of(name: str, path: Path) -> pl.DataFrame:
    """Return the judgements of a corpus in a flat table."""
    from tactful.corpora import load_corpus
    from tactful.corpora.convert import flatten

    corpus = load_corpus(name, path)
    return pl.concat([flatten(batch, "judgements") for batch in corpus.example_batches()])


def social_bias(data: Path) -> str:
    """Measure SBIC per variable, as answered and as yes or no, beside Sap et al. (2020)."""
    judged = judgements_of("sbic", data / "social_bias" / "SBIC.v2.dev.csv")
    readers = judged.filter(pl.col("question") == "frame.lewd").select("item", "annotator").unique()
    paper = {
        "frame.offensive": "76 %, 0.51",
        "frame.intent": "75 %, 0.46",
        "frame.lewd": "94 %, 0.62",
        "frame.group": "74 %, 0.48",
        "frame.in_group": "94 %, 0.17",
    }
    rows = []
    for question, printed in paper.items():
        answers = judged.filter(pl.col("question") == question)
        binary = answers.with_columns((pl.col("value") >= 0.5).cast(pl.Int8).alias("label"))
        # Who found nothing offensive was not asked about groups: there, no group is implied.
        everybody = readers.join(
            binary.select("item", "annotator", "label").unique(["item", "annotator"], keep="first",
                                                               maintain_order=True),
            on=["item", "annotator"], how="left",
        ).with_columns(pl.col("label").fill_null(0))  # fmt: skip
        rows.append([question, *_two(answers), *_two(binary), *_two(everybody), printed])
    group = judged.filter(pl.col("question") == "frame.group")
    mixed = group.group_by("item").agg(pl.col("label").n_unique())["label"]
    columns = [
        "variable", "as answered: %", "alpha", "yes or no: %", "alpha ",
        "and not asked as no: %", "alpha  ", "paper: %, alpha",
    ]  # fmt: skip
    return (
        "SBIC.v2.dev.csv: pairwise agreement and nominal alpha. Sap et al. (2020, section 3.2) "
        "measure the whole corpus and do not say how they count half answers and questions "
        "that were not asked; all three ways are shown. 'Yes' is 0.5 or more. Where a worker "
        "answered twice, the first answer counts. `frame.group` cannot be compared: the published "
        f"`whoTarget` differs between workers in {int((mixed > 1).sum())} of {mixed.len():,} posts "
        "only, so it seems to have been set for the post and not by each worker.\n\n"
        + table(columns, rows)
    )


def stereoimmigrants(data: Path) -> str:
    """Measure the five annotators of StereoImmigrants."""
    from tactful.agreement import MEASURES, measure_agreement
    from tactful.ratings import read_ratings

    judged = judgements_of("stereoimmigrants", data / "stereoimmigrants")
    names = [name for name in MEASURES if "nominal" in MEASURES.get(name).levels]
    rows = []
    for question, label, what in (
        ("stereoimmigrants.category", "value", "five categories"),
        ("stereoimmigrants.category", "label", "all codes"),
        ("stereoimmigrants.attitude", "label", "attitude"),
    ):
        answers = judged.filter(pl.col("question") == question)
        ratings = read_ratings(answers, label=label, repeated="first")
        found = [float(measure_agreement(ratings, name)) for name in names]
        rows.append([what, len(ratings.items), len(ratings), *found])
    columns = ["StereoImmigrants", "items", "judgements", *names]
    return (
        "StereoImmigrants, five annotators who judged all sentences of the stereotypes file. No "
        "published coefficient is set beside them here.\n\n" + table(columns, rows)
    )


def _two(answers: pl.DataFrame) -> list[object]:
    from tactful.agreement import krippendorff_alpha, percent_agreement
    from tactful.ratings import read_ratings

    ratings = read_ratings(answers, repeated="first")
    return [f"{100 * float(percent_agreement(ratings)):.1f}", float(krippendorff_alpha(ratings))]


def main() -> int:
    """Measure, write the page, and fail when a bar is missed."""
    body, good = speed()
    parts = [body]
    data = Path(os.environ.get("TACTFUL_DATA", ""))
    if os.environ.get("TACTFUL_DATA") and data.is_dir():
        parts += [social_bias(data), stereoimmigrants(data)]
    else:
        print("TACTFUL_DATA names no folder: the real files are not measured", file=sys.stderr)
    ending = f"{machine_line()}\nCommand: `TACTFUL_DATA=… python benchmarks/agreement.py`."
    write_page("agreement", "Agreement", "\n\n".join([*parts, ending]))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
