"""A causal language model that writes frames: its decodings compared, and its learning curve.

Takes the folders that ``tactful train frames-lm`` wrote, the one that learnt from all posts first,
and the authors' files in ``$TACTFUL_DATA``. Only numbers are written: no text of the corpus and
none of the models. ``--kept`` names a folder where what the models wrote stays for the next run.
"""

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from results import machine_line, table, write_page
from tactful.frames import frame_problems
from tactful.frames.posts import Post, read_posts, with_references
from tactful.frames.schema import CATEGORICAL
from tactful.types import Frame
from tactful_lab.evaluation.frame_measures import evaluate_frames
from tactful_lab.evaluation.reproduce.paper_tables import load_frame_tables
from tactful_lab.frames.causal import constrained_frame, frame_as_written, load_causal_framer
from tactful_lab.frames.causal_decoding import Decoded
from tactful_lab.frames.linearise import LAST, Parsed

SEED = 1
QUESTIONS = ("offensive", "intent", "lewd", "group", "in_group")
TEXTS = ("target_group", "implied_statement")
TEXT_MEASURES = ("bleu_2", "rouge_l", "exact_match")
DECODINGS = {"greedy": "greedy", "sample": "most probable of 10 samples"}


@dataclass(frozen=True)
class Run:
    """What one model wrote with one decoding, and how long that took."""

    folder: Path
    card: Any
    decoding: str
    decoded: list[Decoded]
    seconds: float


def chosen_posts(count: int) -> list[Post]:
    """Return posts of the held-out eighth, drawn by seed."""
    posts = [post for post in read_posts() if post.held_out]
    random.Random(SEED).shuffle(posts)
    return posts[:count]


def run(folder: Path, decoding: str, posts: Sequence[Post], kept: Path | None) -> Run:
    """Let a model write the frames of the posts, or read what it wrote before."""
    framer = load_causal_framer(folder, decoding=decoding, seed=SEED)
    said = framer.card.training["data sha256"], framer.card.training["plan"]
    key = json.dumps([*said, decoding, SEED, [post.id for post in posts]])
    file = None if kept is None else kept / f"{folder.name}-{decoding}.json"
    if file is not None and file.is_file():
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["key"] == key:
            decoded = [
                Decoded(**{**each, "parsed": Parsed(**each["parsed"])}) for each in found["decoded"]
            ]
            return Run(folder, framer.card, decoding, decoded, found["seconds"])
    began = time.process_time()
    decoded = framer.decode([post.text for post in posts])
    seconds = time.process_time() - began
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [asdict(each) for each in decoded]
        content = json.dumps({"key": key, "seconds": seconds, "decoded": lines})
        file.write_text(content, encoding="utf-8")
    return Run(folder, framer.card, decoding, decoded, seconds)


def answered(frame: Frame) -> Frame:
    """Return the frame with a no for each question that the model did not answer in its place."""
    answers = {name: frame.answers.get(name, "no") for name in CATEGORICAL}
    return Frame(frame.probabilities, frame.target_groups, frame.implied_statements, answers)


def measures(posts: Sequence[Post], frames: Sequence[Frame]) -> dict[str, float | None]:
    """Return the measures of the answers over all posts, of the texts on those with references."""
    gold = [post.frame for post in posts]
    found = {name: each.value for name, each in evaluate_frames(gold, frames).items()}
    kept = {post.id for post in with_references(posts)}
    rows = [row for row, post in enumerate(posts) if post.id in kept]
    texts = evaluate_frames([gold[row] for row in rows], [frames[row] for row in rows])
    return found | {
        f"{text}.{name}": texts[f"{text}.{name}"].value for text in TEXTS for name in TEXT_MEASURES
    }


def rows_of(each: Run, posts: Sequence[Post], constrained: bool) -> dict[str, float | None]:
    """Return the measures of a run, searched or as written."""
    make = constrained_frame if constrained else frame_as_written
    frames = [make(decoded) for decoded in each.decoded]
    broken = sum(bool(frame_problems(frame)) for frame in frames)
    found = measures(posts, [answered(frame) for frame in frames])
    return found | {"broken": broken / len(frames)}


def lacks_what_cannot_be(line: Decoded) -> bool:
    """Say whether a line lacks in-group language alone, and names no group to speak from.

    That place is not learnt where there is no group, so anything may be there.
    """
    missing = set(CATEGORICAL) - set(line.parsed.values)
    return missing == {LAST} and not line.parsed.group


def percent(value: float | None) -> str:
    """Write a share as the paper does."""
    return "-" if value is None else f"{100 * value:.1f}"


def named(each: Run, constrained: bool) -> str:
    """Return the name of a row."""
    return DECODINGS[each.decoding] + (", constrained" if constrained else "")


def learnt(each: Run) -> str:
    """Return what a model learnt from, in a few words."""
    training = each.card.training
    lines, rate = training["lines learnt from"], training["plan"]["rate"]
    return f"{lines:,} lines, rate {rate:g}"


def class_cells(found: dict[str, float | None]) -> list[str]:
    """Return F1, precision and recall of each question."""
    return [
        " / ".join(percent(found[f"{name}.{kind}"]) for kind in ("f1", "precision", "recall"))
        for name in QUESTIONS
    ]


def text_cells(found: dict[str, float | None]) -> list[str]:
    """Return BLEU-2, ROUGE-L and exact match of each text."""
    return [percent(found[f"{text}.{name}"]) for text in TEXTS for name in TEXT_MEASURES]


def paper_rows() -> tuple[list[list[str]], list[list[str]]]:
    """Return the rows of GPT-2 in tables 7 and 5."""
    tables = load_frame_tables()

    def cells(row: Any, variable: str, order: Sequence[int]) -> list[str]:
        found = row.values.get(f"frame.{variable}")
        return ["-" if found is None else f"{found[at]:.1f}" for at in order]

    # The tables hold precision, recall and F1; and BLEU, ROUGE-L and a distance.
    classes = [
        [
            f"paper, {row.part}: {row.name}",
            *(" / ".join(cells(row, q, (2, 0, 1))) for q in QUESTIONS),
        ]
        for row in tables.table_7()
        if "GPT2" in row.name
    ]
    texts = [
        [
            f"paper, {row.part}: {row.name}",
            *(cell for text in TEXTS for cell in [*cells(row, text, (0, 1)), "-"]),
        ]
        for row in tables.texts
        if "GPT2" in row.name
    ]
    return classes, texts


def section(runs: Sequence[Run], posts: Sequence[Post], command: str) -> str:
    """Write the whole page."""
    first = [each for each in runs if each.folder == runs[0].folder]
    searched = (False, True)
    found = {
        (at, constrained): rows_of(each, posts, constrained)
        for at, each in enumerate(runs)
        for constrained in searched
    }
    ours = [
        (named(each, constrained), found[runs.index(each), constrained])
        for each in first
        for constrained in searched
    ]
    classes, texts = paper_rows()
    text_columns = [f"{short} {name}" for short in ("group", "statement") for name in MEASURED]
    curve = [
        [learnt(each), float(each.card.training["validation loss"]), *of]
        for at, each in enumerate(runs)
        if each.decoding == "greedy"
        for of in [curve_cells(found[at, True])]
    ]
    lines = [
        [
            f"{learnt(each)}: {DECODINGS[each.decoding]}",
            percent(sum(line.malformed for line in each.decoded) / len(posts)),
            percent(
                sum(line.malformed and not lacks_what_cannot_be(line) for line in each.decoded)
                / len(posts)
            ),
            percent(sum(line.inconsistent for line in each.decoded) / len(posts)),
            percent(sum(not line.parsed.group for line in each.decoded) / len(posts)),
            percent(found[at, True]["broken"]),
            f"{len(posts) / each.seconds:.2f}",
        ]
        for at, each in enumerate(runs)
    ]
    return "\n\n".join(
        [
            about(runs, posts),
            "Answers, in percent: F1 / precision / recall of the yes (tables 4 and 7). "
            "`group` and `in_group` are about the posts whose annotators were asked.",
            table(
                ["decoding", *QUESTIONS],
                [*([name, *class_cells(of)] for name, of in ours), *classes],
            ),
            "Words, in percent (table 5): BLEU-2 of the corpus, ROUGE-L and exact match with the "
            "best reference; a blank scores 0 (the last table says how many lines name no group).",
            table(
                ["decoding", *text_columns],
                [*([name, *text_cells(of)] for name, of in ours), *texts],
            ),
            "The learning curve (greedy, constrained; in percent). The loss is that of "
            f"{runs[0].card.training['validation lines']} lines of another eighth of the posts.",
            table(["learnt from", "loss", *(f"{q} F1" for q in QUESTIONS), *text_columns], curve),
            "Lines before the search, and frames after it, in percent of all posts. Where a line "
            "names no group, the place of in-group language is not learnt (section 4: no loss "
            "without a value), so lines lack it there; the third column does not count them.",
            table(
                [
                    "model and decoding",
                    "malformed",
                    "malformed otherwise",
                    "inconsistent",
                    "names no group",
                    "broken after the search",
                    "posts per CPU second",
                ],
                lines,
            ),
            machine_line() + f"\nCommand: `{command}`.",
        ]
    )


MEASURED = ("BLEU-2", "ROUGE-L", "exact")


def curve_cells(found: dict[str, float | None]) -> list[str]:
    """Return the F1 of each question and the measures of the texts."""
    return [*(percent(found[f"{name}.f1"]) for name in QUESTIONS), *text_cells(found)]


def about(runs: Sequence[Run], posts: Sequence[Post]) -> str:
    """Say what was trained on what, and what it is measured on."""
    training = runs[0].card.training
    plan = training["plan"]
    return (
        f"{training['base']} (sha256 {training['base sha256'][:8]}…), all weights fine-tuned on "
        f"SBIC: epochs {plan['epochs']}, batch {plan['batch']}, seed {training['seed']}, posts cut "
        f"to {training['post tokens']} tokens, lines of each post {training['lines per post']}, "
        "drawn by seed, the smaller parts inside the larger. The paper's GPT-2 learnt at rate 1e-5 "
        "from three quarters of 44,671 posts, with all their lines; the rates here stand in the "
        f"tables. Measured on {len(posts)} posts drawn by seed {SEED} from the held-out eighth "
        f"(fold1 of 8), {len(with_references(posts))} of them with references, which are those of "
        "the words. With so few posts a difference of several points can be chance. Trained with "
        "`tactful train frames-lm --share 1/4|1/2|all --most-posts 2000 --per-post 1 --rate RATE`."
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="the model of all posts first")
    parser.add_argument("--posts", type=int, default=200)
    parser.add_argument("--kept", type=Path, help="a folder for what the models wrote")
    parser.add_argument("--only-decode", action="store_true", help="write no page")
    given = parser.parse_args(arguments)
    if not os.environ.get("TACTFUL_DATA"):
        sys.exit("frames_causal.py needs the authors' files: set TACTFUL_DATA to their folder.")
    posts = chosen_posts(given.posts)
    runs = []
    for at, folder in enumerate(given.folders):
        for decoding in ("greedy", "sample") if at == 0 else ("greedy",):
            runs.append(run(folder, decoding, posts, given.kept))
            print(f"{folder.name}: {decoding}, {runs[-1].seconds:.0f} CPU seconds", flush=True)
    if not given.only_decode:
        command = f"python benchmarks/frames_causal.py ALL HALF QUARTER OTHER --posts {given.posts}"
        body = section(runs, posts, command)
        write_page("frames-causal", "Frames written by a causal language model", body)


if __name__ == "__main__":
    main()
