"""The embedded framer on held-out posts: quality against the bars, constraints, care, speed."""

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from results import machine_line, table, write_page
from tactful.frames.embedded import EmbeddedFramer, pool
from tactful.frames.load import load_framer
from tactful.frames.posts import Post, read_posts, with_references
from tactful.frames.schema import CATEGORICAL, breaks, frame_problems
from tactful.metrics.significance import bootstrap_interval
from tactful.types import Frame
from tactful_lab.evaluation.frame_measures import evaluate_frames, frame_measures
from tactful_lab.evaluation.identity_bias import NEUTRAL, neutral_sentences

GROUP, OFFENSIVE = "frame.group", "frame.offensive"
BARS = {
    "target_group.exact_match": 0.75,
    "target_group.rouge_l": 0.80,
    "target_group.best_reference_bleu_2": None,
    "target_group.mean_sentence_bleu_2": None,
    "implied_statement.rouge_l": 0.50,
    "implied_statement.best_reference_bleu_2": 0.37,
    "implied_statement.mean_sentence_bleu_2": 0.37,
}
PAPER = {"offensive": 0.788, "intent": 0.786, "lewd": 0.807, "group": 0.699, "in_group": None}
"""Table 4, SBF-GPT2-gdy on test."""
COMMAND = "python benchmarks/frames_embedded.py --data CORPORA"
REPEATS = 3
REPETITIONS = 100


def always(framer: EmbeddedFramer, texts: Sequence[str]) -> list[Frame]:
    """Return frames that name a group whatever the answers say: what the text alone is worth."""
    readings = framer.encoder.readings(texts, GROUP)
    told = framer.implications(texts, readings, pool(readings), [1.0] * len(texts))
    return [
        Frame(
            {},
            tuple(dict.fromkeys(each.group for each in implications)),
            tuple(dict.fromkeys(each.statement for each in implications if each.statement)),
            {"frame.offensive": "yes", GROUP: "yes"},
        )
        for implications in told
    ]


def shown(value: float | None) -> str:
    """Write a number, or a dash."""
    return "—" if value is None else f"{value:.3f}"


def quality(posts: Sequence[Post], frames: Sequence[Frame], forced: Sequence[Frame]) -> str:
    """Compare groups and statements with the bars, as the framer answers and always."""
    gold = [post.frame for post in posts]
    answers, told = evaluate_frames(gold, frames), evaluate_frames(gold, forced)
    rows = []
    for name, bar in BARS.items():
        low, high = interval(name, gold, frames)
        rows.append(
            [
                name,
                shown(bar),
                shown(answers[name].value),
                f"{low:.3f} to {high:.3f}",
                shown(told[name].value),
            ]
        )
    return table(["measure", "bar", "as it answers", "95 % interval", "always answering"], rows)


def interval(name: str, gold: Sequence[Frame], frames: Sequence[Frame]) -> tuple[float, float]:
    """Return the bootstrap interval of a measure."""
    measure = frame_measures()[name]
    found = bootstrap_interval(measure, list(gold), list(frames), repetitions=REPETITIONS, seed=1)
    return float(found.low or 0.0), float(found.high or 0.0)


def variables(posts: Sequence[Post], frames: Sequence[Frame]) -> str:
    """Give P/R/F1 of each variable beside the paper's F1."""
    measures = evaluate_frames([post.frame for post in posts], frames)
    rows = []
    for name, paper in PAPER.items():
        for where in ("", ".all") if "group" in name else ("",):
            values = [
                measures[f"{name}{where}.{what}"].value for what in ("precision", "recall", "f1")
            ]
            part = "all posts" if where else ("asked" if "group" in name else "answered")
            rows.append([name, part, *map(shown, values), shown(None if where else paper)])
    return table(["variable", "posts", "P", "R", "F1", "GPT-2's F1 on test (paper)"], rows)


def constraints(framer: EmbeddedFramer, texts: Sequence[str], frames: Sequence[Frame]) -> list[str]:
    """Count broken constraints before and after the search."""
    readings = framer.encoder.readings(texts, GROUP)
    chances = framer.probabilities(texts, readings, pool(readings))
    limits = np.array([framer.card.threshold(name) for name in CATEGORICAL])
    said = (chances >= limits).astype(np.int8)
    said[said[:, 3] == 0, 4] = 0
    after = sum(bool(frame_problems(frame)) for frame in frames)
    return [
        f"Frames that break a constraint before the search: {100 * breaks(said).mean():.2f} % "
        f"(bar: at most 1 %); after it: {after} of {len(frames):,} (bar: none)."
    ]


def care(framer: EmbeddedFramer, posts: Sequence[Post], frames: Sequence[Frame]) -> list[str]:
    """Say how often neutral sentences get a group, and how many statements were seen before."""
    neutral = [each for each in neutral_sentences() if each.kind == NEUTRAL]
    told = framer.frame([each.text for each in neutral])
    named = np.array([bool(frame.target_groups) for frame in told])
    terms = np.array([each.term for each in neutral])
    rates = {term: float(named[terms == term].mean()) for term in dict.fromkeys(terms)}
    worst = max(rates, key=lambda term: rates[term])
    detector = framer.detector
    scored = detector.score([each.text for each in neutral])
    scores, limit = scored[GROUP], framer.card.threshold(GROUP)
    offence = scored[OFFENSIVE] >= detector.card.threshold(OFFENSIVE)
    offences = {term: float(offence[terms == term].mean()) for term in rates}
    most = max(offences, key=lambda term: offences[term])
    seen = {
        (lesson.statement or "").lower().strip()
        for post in posts
        if not post.held_out
        for lesson in post.lessons
    }
    said = [text for frame in frames for text in frame.implied_statements]
    groups = [(each.group, each.statement or "") for frame in frames for each in frame.implications]
    form = np.mean(
        [statement.split()[0] in group.replace("/", " ").split() for group, statement in groups]
    )
    return [
        f"Neutral sentences about people ({len(neutral):,}, other ones than those learnt from) for "
        f"which a group is named: {100 * named.mean():.1f} %, most for '{worst}' "
        f"({100 * rates[worst]:.0f} %). The detector's own probability, without the correction, "
        f"reaches the same threshold for {100 * float((scores >= limit).mean()):.1f} %.",
        f"The default detector finds {100 * offence.mean():.1f} % of them offensive (most: "
        f"'{most}', {100 * offences[most]:.0f} %).",
        f"Statements written for the held-out posts: {len(said):,}; word for word also among "
        f"those of the posts learnt from: {100 * np.mean([text in seen for text in said]):.0f} %. "
        "They are short and typical; no list of sentences is shipped.",
        f"Statements that begin with a word of the group's name: {100 * float(form):.0f} %.",
    ]


def speed(framer: EmbeddedFramer, texts: Sequence[str], what: str) -> list[str]:
    """Return posts per CPU second, framed, and scored by the default detector alone."""
    framer.frame(texts[:32])
    rates = []
    for work in (lambda: framer.frame(texts), lambda: framer.detector.score(texts)):
        best = 0.0
        for _ in range(REPEATS):
            began = time.process_time()
            work()
            best = max(best, len(texts) / (time.process_time() - began))
        rates.append(best)
    return [what, f"{rates[0]:.1f}", f"{rates[1]:.1f}", f"{rates[0] / rates[1]:.3f}"]


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("TACTFUL_DATA"))
    options = parser.parse_args()
    if options.data is None:
        print("TACTFUL_DATA is not set: the embedded framer was not measured.")
        return
    framer = load_framer()
    if not isinstance(framer, EmbeddedFramer):
        raise TypeError("the default framer is not the embedded one")
    posts = read_posts(Path(options.data))
    held = [post for post in posts if post.held_out]
    texts = [post.text for post in held]
    frames = framer.frame(texts)
    forced = always(framer, texts)
    referenced = [post.text for post in with_references(held)]
    speeds = [
        speed(framer, referenced, f"{len(referenced)} posts with references"),
        speed(framer, texts, f"all {len(texts)} held-out posts"),
    ]
    write_page(
        "frames-embedded",
        "The embedded framer",
        "\n\n".join(
            [
                f"{framer.card.model} on the held-out posts of SBIC v2 dev ({len(held)} posts, "
                f"{len(referenced)} with references), which nothing was trained on. Calibration "
                "and thresholds of the categories were chosen on it; what the decoder's names of "
                "groups and a mention in the text count beside the head, and the strength of the "
                "correction, were looked at on it; all else was chosen on other folds. Expect a "
                "little less elsewhere. The bars are for the test part. "
                "As it answers, a post for which no group is named counts as blank and scores 0; "
                "'always answering' shows what the texts alone are worth. best_reference BLEU is "
                "not smoothed; the other is, with all references together.",
                quality(held, frames, forced),
                variables(held, frames),
                *constraints(framer, texts, frames),
                *care(framer, posts, frames),
                f"Speed in one thread, posts per CPU second, the best of {REPEATS} runs (bar: 15):",
                table(["posts", "framed", "default detector alone", "ratio"], speeds),
                f"{machine_line()}\nCommand: `{COMMAND}`.",
            ]
        ),
    )


if __name__ == "__main__":
    main()
