"""The embedded framer on held-out posts: quality against the bars, constraints, care, speed."""

import argparse
import csv
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import yaml

from results import machine_line, table, write_page
from tactful.frames.embedded import EmbeddedFramer, pool
from tactful.frames.groups import group_named
from tactful.frames.load import load_framer
from tactful.frames.posts import Post, read_implicit_hate, read_posts, with_references
from tactful.frames.schema import CATEGORICAL, breaks, frame_problems
from tactful.metrics.significance import bootstrap_interval
from tactful.types import Frame
from tactful_lab.evaluation.frame_measures import evaluate_frames, frame_measures
from tactful_lab.evaluation.identity_bias import NEUTRAL, neutral_sentences
from tactful_lab.evaluation.variety import distinct_share, specificity

GROUP = "frame.group"
IMPLICIT_HATE = "more/implicit_hate_stage3.csv"
TRUST = Path(__file__).with_name("trust_texts.yaml")
LEAST_OF_GROUP = 8
MANY = 1_000
EXAMPLES = {
    "We shouldn't lower our standards to hire more women.": "women are less qualified",
    "Of course the new neighbours have six kids, we pay for them.": "immigrants live on welfare",
    "Ask the old man at the desk, if he remembers where he is.": "old folks are forgetful",
    "He can't be a real Muslim, he never blew anything up.": "muslim folks are terrorists",
    "My autistic cousin could do your job, that is how easy it is.": "autistic people are stupid",
    "Another shop closed since they moved in. Coincidence?": "immigrants ruin neighbourhoods",
    "Gay men should not be left alone with a school class.": "gay men are a danger to children",
    "The Roma family next door has lived here for forty years.": "nothing",
    "She said that Jews control the banks, and I left the table.": "nothing",
    "Nobody should be called a burden because of their age.": "nothing",
}
"""Texts of ours, and what a person would say that they imply."""
BARS = {
    "target_group.exact_match": 0.80,
    "target_group.rouge_l": 0.83,
    "target_group.best_reference_bleu_2": None,
    "target_group.mean_sentence_bleu_2": None,
    "implied_statement.rouge_l": 0.54,
    "implied_statement.best_reference_bleu_2": None,
    "implied_statement.mean_sentence_bleu_2": 0.42,
    "implied_statement.distinct": 0.25,
    "implied_statement.distinct_1": None,
    "implied_statement.distinct_2": None,
    "implied_statement.specificity": None,
}
IMPLICIT_BARS = {
    **dict.fromkeys(BARS),
    "target_group.exact_match": 0.60,
    "implied_statement.rouge_l": 0.35,
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


def quality(
    posts: Sequence[Post],
    frames: Sequence[Frame],
    forced: Sequence[Frame],
    bars: Mapping[str, float | None] = BARS,
) -> str:
    """Compare groups and statements with the bars, as the framer answers and always."""
    gold = [post.frame for post in posts]
    answers, told = evaluate_frames(gold, frames), evaluate_frames(gold, forced)
    rows = []
    for name, bar in bars.items():
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
    chances = framer.probabilities(readings, pool(readings))
    limits = np.array([framer.card.threshold(name) for name in CATEGORICAL])
    said = (chances >= limits).astype(np.int8)
    said[said[:, 3] == 0, 4] = 0
    after = sum(bool(frame_problems(frame)) for frame in frames)
    return [
        f"Frames that break a constraint before the search: {100 * breaks(said).mean():.2f} %; "
        f"after it: {after} of {len(frames):,} (bar: none)."
    ]


def care(framer: EmbeddedFramer) -> str:
    """Say how often texts that imply nothing get a group or a statement."""
    own = yaml.safe_load(TRUST.read_text(encoding="utf-8"))
    templates = [each.text for each in neutral_sentences() if each.kind == NEUTRAL]
    parts = {
        "neutral mentions of ours (bar: 1 %)": [
            t for each in own["neutral"].values() for t in each
        ],
        "headings of ours, mere names among them": own["headings"],
        "quotations and criticism of ours": own["quotations"],
        "ordinary sentences of ours": [t for each in own["ordinary"].values() for t in each],
        "identity terms in neutral sentences": templates,
    }
    rows = []
    for what, texts in parts.items():
        frames = framer.frame(texts)
        named, said = (
            sum(bool(getattr(frame, name)) for frame in frames)
            for name in ("target_groups", "implied_statements")
        )
        rows.append(
            [what, f"{len(texts):,}"]
            + [f"{number:,} ({100 * number / len(texts):.1f} %)" for number in (named, said)]
        )
    return table(["texts that imply nothing", "texts", "get a group", "get a statement"], rows)


def novelty(posts: Sequence[Post], frames: Sequence[Frame]) -> list[str]:
    """Say how many statements were seen before, and how many begin with their group."""
    seen = {
        (lesson.statement or "").lower().strip(" .")
        for post in posts
        if not post.held_out
        for lesson in post.lessons
    }
    said = [text for frame in frames for text in frame.implied_statements]
    groups = [(each.group, each.statement or "") for frame in frames for each in frame.implications]
    form = np.mean([statement.startswith(group) for group, statement in groups])
    return [
        f"Statements written for the held-out posts: {len(said):,}; word for word also among "
        f"those of the posts learnt from: {100 * np.mean([text in seen for text in said]):.0f} %. "
        "They are short and typical; no list of sentences is shipped. "
        f"Statements that begin with the group's name: {100 * float(form):.0f} %."
    ]


def by_group(posts: Sequence[Post], frames: Sequence[Frame]) -> str:
    """Compare groups and statements for each frequent group of the held-out posts."""
    rows = []
    of_group: dict[str, list[int]] = {}
    for at, post in enumerate(posts):
        names = Counter(group_named(lesson.group) for lesson in post.lessons if lesson.group)
        if names and (most := names.most_common(1)[0][0]):
            of_group.setdefault(most, []).append(at)
    for name, places in sorted(of_group.items(), key=lambda each: (-len(each[1]), each[0])):
        if len(places) >= LEAST_OF_GROUP:
            found = evaluate_frames(
                [posts[at].frame for at in places], [frames[at] for at in places]
            )
            values = [
                found[measure].value
                for measure in (
                    "target_group.exact_match",
                    "implied_statement.rouge_l",
                    "implied_statement.distinct",
                    "implied_statement.blank",
                )
            ]
            rows.append([name, str(len(places)), *map(shown, values)])
    columns = ["group", "posts", "group exact", "statement ROUGE-L", "distinct", "no statement"]
    return table(columns, rows)


def errors(framer: EmbeddedFramer) -> str:
    """Show what is said of sentences of ours, as the paper's table 6 does."""
    rows = []
    for text, frame in zip(EXAMPLES, framer.frame(list(EXAMPLES)), strict=True):
        first = frame.implications[0] if frame.implications else None
        said = "nothing" if first is None else f"{first.group}: {first.statement}"
        rows.append([text, EXAMPLES[text], said])
    return table(["text (ours)", "a person would say", "the framer says"], rows)


def speed(framer: EmbeddedFramer, texts: Sequence[str], what: str) -> list[str]:
    """Return posts per CPU second, framed and only read by the encoder."""
    framer.frame(texts[:32])
    rates = []
    for work in (lambda: framer.frame(texts), lambda: framer.encoder.score(texts)):
        best = 0.0
        for _ in range(REPEATS):
            began = time.process_time()
            work()
            best = max(best, len(texts) / (time.process_time() - began))
        rates.append(best)
    return [what, f"{rates[0]:.1f}", f"{rates[1]:.1f}", f"{rates[0] / rates[1]:.3f}"]


def spread(framer: EmbeddedFramer, data: Path) -> str:
    """Measure variety on many posts: shares of distinct texts fall with their number."""
    rows = list(csv.DictReader((data / "more" / "sbic_train_targets.csv").open(encoding="utf-8")))
    texts = [row["post"] for row in rows if row["target_minority"]][:MANY]
    said = [text for frame in framer.frame(texts) for text in frame.implied_statements[:1]]
    return (
        f"On {len(texts):,} posts of the corpus' training part (about six groups; statements about "
        f"them were not learnt from), {len(said):,} get a statement: "
        f"{shown(distinct_share(said).value)} of these are distinct, and the "
        f"specificity is {shown(specificity(said).value)}."
    )


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
    data = Path(options.data)
    posts, implicit = read_posts(data), read_implicit_hate(data / IMPLICIT_HATE)
    held, further = ([each for each in part if each.held_out] for part in (posts, implicit))
    texts, other_texts = ([post.text for post in part] for part in (held, further))
    frames, other_frames = framer.frame(texts), framer.frame(other_texts)
    referenced = [post.text for post in with_references(held)]
    speeds = [
        speed(framer, referenced, f"{len(referenced)} posts with references"),
        speed(framer, texts, f"all {len(texts)} held-out posts"),
    ]
    size = sum(file.stat().st_size for file in framer.folder.iterdir()) / 1e6
    write_page(
        "frames-embedded",
        "The embedded framer",
        "\n\n".join(
            [
                f"{framer.card.model} on the held-out posts of SBIC v2 dev ({len(held)} posts, "
                f"{len(referenced)} with references); neither it nor its encoder learnt from them. "
                "Calibration and thresholds of the categories were chosen on them, and what the "
                "decoder's names, a mention in the text and a generic statement count was looked "
                "at on them: expect a little less elsewhere. The bars are for the test part. "
                "As it answers, a post for which no group is named counts as blank and scores 0; "
                "'always answering' shows what the texts alone are worth. best_reference BLEU is "
                "not smoothed; the other is, with all references together.",
                quality(held, frames, always(framer, texts)),
                variables(held, frames),
                "In-group language is answered with 'maybe' at most. Its figures above are poor, "
                "and people hardly agree on it either: take it for a hint.",
                f"Implicit Hate, {len(further)} held-out posts, all with references. Groups have "
                "their names in the list and statements begin with them, on both sides:",
                quality(further, other_frames, always(framer, other_texts), IMPLICIT_BARS),
                *constraints(framer, texts, frames),
                care(framer),
                *novelty([*posts, *implicit], [*frames, *other_frames]),
                spread(framer, data),
                f"By group, both corpora, groups with at least {LEAST_OF_GROUP} held-out posts:",
                by_group([*held, *further], [*frames, *other_frames]),
                "Sentences of ours, as in the paper's table 6; they show kinds of mistakes, not "
                "how frequent these are:",
                errors(framer),
                f"Speed in one thread, posts per CPU second, the best of {REPEATS} runs (bar: 15); "
                f"the framer's folder has {size:.1f} MB (bar: 15):",
                table(["posts", "framed", "encoder alone", "ratio"], speeds),
                f"{machine_line()}\nCommand: `{COMMAND}`.",
            ]
        ),
    )


if __name__ == "__main__":
    main()
