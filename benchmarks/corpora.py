"""What reading, checking, aggregating and converting corpora costs, and whether it is right.

The first part needs the authors' files in ``$TACTFUL_DATA`` and says so where they are absent. The
second makes a million synthetic rows and measures the largest memory while they are converted.
"""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from results import best, machine_line, measure, table, write_page

RUNS = 5
MILLION = 1_000_000
LARGE_ROWS = 10_500_000
SEED = 1
MEMORY_BAR_MB = 600

COMMENT = "the town library opens early and our readers like the quiet rooms"
POST = "my cousin from the coast says that city people never learn to park"

READ_DPM = """
from tactful.corpora import load_corpus
corpus = load_corpus("dpm", {folder!r})
paragraphs, spans = corpus.read("paragraphs"), corpus.read("spans")
assert corpus.log.rows_left_out == 0
"""
READ_SBIC = """
from tactful.corpora import load_corpus
from tactful.corpora.sbic import aggregate_posts
corpus = load_corpus("sbic", {file!r})
posts = aggregate_posts(corpus.read("annotations"))
assert corpus.log.rows_left_out == 0
"""
ONLY_IMPORT = """
import tactful.corpora.{name}
"""
PEER_DPM = """
import pandas
pandas.read_csv({pcl!r}, sep="\\t", header=None, skiprows=4, quoting=3)
pandas.read_csv({categories!r}, sep="\\t", header=None, skiprows=4, quoting=3)
"""
PEER_SBIC = """
import pandas
rows = pandas.read_csv({file!r})
columns = ["whoTarget", "intentYN", "sexYN", "offensiveYN"]
lists = {{"targetStereotype": lambda values: sorted(set(values.dropna()))}}
rows.groupby("post").agg({{**dict.fromkeys(columns, "mean"), **lists}})
"""


def python(code: str) -> list[str]:
    """Return the command that runs a piece of Python."""
    return [sys.executable, "-c", code]


def reading(data: Path) -> str:
    """Measure reading the real files, with pandas reading the same ones as the peer."""
    dpm, sbic = data / "dont_patronize_me", data / "social_bias"
    rows_file = sbic / "SBIC.v2.dev.csv"
    pcl, categories = dpm / "dontpatronizeme_pcl.tsv", dpm / "dontpatronizeme_categories.tsv"
    cases = [
        (
            "Don't Patronize Me!: paragraphs and spans, read, checked, spans aligned", "dpm", 0.5,
            READ_DPM.format(folder=str(dpm)),
            PEER_DPM.format(pcl=str(pcl), categories=str(categories)),
        ),
        (
            "SBIC.v2.dev.csv: read, checked, aggregated to posts", "sbic", 1.0,
            READ_SBIC.format(file=str(rows_file)), PEER_SBIC.format(file=str(rows_file)),
        ),
    ]  # fmt: skip
    rows = []
    for title, name, bar, ours, peer in cases:
        whole = best(python(ours), RUNS)
        imports = best(python(ONLY_IMPORT.format(name=name)), RUNS)
        other = best(python(peer), RUNS)
        rows.append(
            [
                title, whole.cpu_seconds, whole.cpu_seconds - imports.cpu_seconds, bar,
                "yes" if whole.cpu_seconds <= bar else "NO", round(whole.peak_mb),
                other.cpu_seconds, f"{other.cpu_seconds / whole.cpu_seconds:.2f}",
            ]
        )  # fmt: skip
    columns = [
        "what", "CPU s, whole process", "of these after imports", "bar (CPU s)", "met",
        "peak MB", "peer: pandas, reading only (CPU s)", "peer / ours",
    ]  # fmt: skip
    return (
        f"Best of {RUNS} runs, each a process of its own, start and imports included. The peer "
        "reads the same files (and, for SBIC, takes means and one list per post) without checking "
        f"anything.\n\n{table(columns, rows)}"
    )


def aggregation(data: Path) -> str:
    """Compare our aggregation of SBIC with the authors' on every post and field."""
    from tactful.corpora import load_corpus
    from tactful.corpora.sbic import aggregate_posts

    folder = data / "social_bias"
    ours = aggregate_posts(load_corpus("sbic", folder / "SBIC.v2.dev.csv").read("annotations"))
    theirs = load_corpus("sbic", folder / "SBIC.v2.agg.dev.csv").read("posts")
    fields = [name for name in theirs.columns if name not in ("line", "split", "")]
    same_posts = ours["post"].equals(theirs["post"])
    rows: list[list[object]] = []
    for name in fields:
        equal = int(ours[name].eq_missing(theirs[name]).sum()) if same_posts else 0
        rows.append([name, theirs.height, equal, theirs.height - equal])
    return (
        "`aggregate_posts(SBIC.v2.dev.csv)` against SBIC.v2.agg.dev.csv; numbers must be equal to "
        "the last bit, lists in every entry, and `hasBiasedImplication` inverted as published.\n\n"
        + table(["field", "posts", "equal", "different"], rows)
    )


def write_comments(path: Path, rows: int = MILLION) -> None:
    """Write comments in the format of the Unhealthy Comment Corpus."""
    rng, words = random.Random(SEED), COMMENT.split()
    names = ["antagonize", "condescending", "dismissive", "generalisation",
             "generalisation_unfair", "healthy", "hostile", "sarcastic"]  # fmt: skip
    with path.open("w", encoding="utf-8", newline="") as out:
        head = ",".join(f"{name},{name}:confidence" for name in names)
        out.write(f"_unit_id,_trusted_judgments,comment,{head}\n")
        for unit in range(rows):
            text = " ".join(rng.choices(words, k=20))
            labels = ",".join(f"{rng.randint(0, 1)},{rng.uniform(0.5, 1):.4f}" for _ in names)
            out.write(f'{unit},{rng.randint(3, 5)},"{text} {unit}",{labels}\n')


def write_annotations(path: Path) -> None:
    """Write a million annotation rows in the format of SBIC, three a post, thoroughly shuffled."""
    rng, words = random.Random(SEED), POST.split()
    order = list(range(MILLION))
    rng.shuffle(order)
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(
            "whoTarget,intentYN,sexYN,sexReason,offensiveYN,annotatorGender,annotatorMinority,"
            "sexPhrase,speakerMinorityYN,WorkerId,HITId,annotatorPolitics,annotatorRace,"
            "annotatorAge,post,targetMinority,targetCategory,targetStereotype,dataSource\n"
        )
        for number in order:
            post = number // 3
            text = " ".join(words[(post * 7 + i) % len(words)] for i in range(18))
            out.write(
                f"1.0,0.66,0.0,,{rng.choice(['0.0', '0.5', '1.0'])},woman,,,0.0,W{number % 900},"
                f'H{post},liberal,white,{20 + number % 40}.0,"{text}, {post}",city people,social,'
                f"cannot park {number % 50},Gab\n"
            )


def converting() -> tuple[str, bool]:
    """Convert a million synthetic rows of two corpora to both formats."""
    command = str(Path(sys.executable).with_name("tactful"))
    rows: list[list[object]] = []
    good = True
    with tempfile.TemporaryDirectory(prefix="tactful-bench-") as name:
        folder = Path(name)
        for corpus, file, make in (
            ("ucc", "train.csv", write_comments),
            ("sbic", "SBIC.v2.trn.csv", write_annotations),
        ):
            source = folder / file
            make(source)
            for ending in ("jsonl", "parquet"):
                output = folder / f"out.{ending}"
                run = measure(
                    [command, "corpus", "convert", corpus, str(source), "--output", str(output)]
                )
                met = run.peak_mb <= MEMORY_BAR_MB
                good = good and met
                rows.append(
                    [
                        corpus, ending, round(source.stat().st_size / 1e6), round(run.peak_mb),
                        MEMORY_BAR_MB, "yes" if met else "NO", run.cpu_seconds, run.wall_seconds,
                    ]
                )  # fmt: skip
                output.unlink()
            source.unlink()
    columns = ["corpus", "to", "input MB", "peak MB", "bar (MB)", "met", "CPU s", "wall s"]
    return (
        f"`tactful corpus convert` of {MILLION:,} synthetic rows (seed {SEED}): comments as they "
        "stand, and annotations in random order, which have to be brought together by post.\n\n"
        + table(columns, rows),
        good,
    )


def large() -> int:
    """Validate a file of more than 2 GB, and write that page."""
    command = str(Path(sys.executable).with_name("tactful"))
    with tempfile.TemporaryDirectory(prefix="tactful-bench-") as name:
        source = Path(name) / "train.csv"
        write_comments(source, LARGE_ROWS)
        size = source.stat().st_size
        run = measure([command, "corpus", "validate", "ucc", str(source)])
    row = [LARGE_ROWS, f"{size / 1e9:.2f}", round(run.peak_mb), run.cpu_seconds, run.wall_seconds]
    write_page(
        "corpora-large",
        "A file of 2 GB",
        "`tactful corpus validate` of synthetic comments (it reads the file twice: once to check "
        "every row, once to count).\n\n"
        + table(["rows", "input GB", "peak MB", "CPU s", "wall s"], [row])
        + f"\n\n{machine_line()}\nCommand: `python benchmarks/corpora.py --large`.",
    )
    return 0


def main() -> int:
    """Measure, write the pages, and fail when a bar is missed."""
    if "--large" in sys.argv[1:]:
        return large()
    data = Path(os.environ.get("TACTFUL_DATA", ""))
    parts = []
    if os.environ.get("TACTFUL_DATA") and data.is_dir():
        parts += [reading(data), aggregation(data)]
    else:
        print("TACTFUL_DATA names no folder: the real files are not measured", file=sys.stderr)
    body, good = converting()
    parts.append(body)
    ending = f"{machine_line()}\nCommand: `TACTFUL_DATA=… python benchmarks/corpora.py`."
    write_page("corpora", "Corpora", "\n\n".join([*parts, ending]))
    return 0 if good and "| NO |" not in "\n".join(parts) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.SubprocessError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
