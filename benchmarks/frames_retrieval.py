"""Frames by retrieval on the user's copy of the corpus, by cross-validation, against the bars."""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from results import machine_line, table, write_page
from tactful.frames.embedding import ENCODER, load_embedding
from tactful.frames.index import Index, index_of_parts, indexed
from tactful.frames.posts import FOLDS, SEED, Post, read_posts, with_references
from tactful.frames.retrieval import RetrievalFramer
from tactful.types import Frame
from tactful_lab.evaluation.frame_measures import evaluate_frames

MEASURES = (
    "target_group.exact_match",
    "target_group.best_reference_bleu_2",
    "target_group.mean_sentence_bleu_2",
    "target_group.bleu_2",
    "target_group.rouge_l",
    "implied_statement.best_reference_bleu_2",
    "implied_statement.mean_sentence_bleu_2",
    "implied_statement.bleu_2",
    "implied_statement.rouge_l",
)
COLUMNS = (
    "group exact", "BLEU-2 best", "BLEU-2 sentence", "BLEU-2 corpus", "ROUGE-L",
    "statement BLEU-2 best", "BLEU-2 sentence", "BLEU-2 corpus", "ROUGE-L",
)  # fmt: skip
BARS: tuple[float | str, ...] = (0.72, 0.74, 0.74, 0.74, 0.78, 0.35, 0.35, 0.35, 0.49)
VARIABLES = ("offensive", "intent", "lewd", "group.all", "in_group")
EVERYWHERE, ALONE = f"all {FOLDS} folds", "held-out posts"


def majority(index: Index) -> Frame:
    """Return the frame with the group and the statement that most posts of the index have."""
    groups = Counter(group for post in index.posts for group in post.groups)
    said = Counter(text for post in index.posts for text in {text for _, text in post.pairs})
    answers = {"frame.offensive": "yes", "frame.group": "yes"}
    return Frame({}, (groups.most_common(1)[0][0],), (said.most_common(1)[0][0],), answers)


def cross_validated(
    posts: Sequence[Post], name: str
) -> tuple[dict[str, list[tuple[Post, Frame]]], dict[str, float]]:
    """Return each way's frames of all posts, each by an index without its fold; and the speeds."""
    embedding = load_embedding(name)
    began = time.process_time()
    parts = embedding.vectors([post.text for post in posts])
    embedded = time.process_time() - began
    found: dict[str, list[tuple[Post, Frame]]] = {"answers": [], "always": [], "majority": []}
    searched = built = 0.0
    for fold in sorted({post.fold for post in posts}):
        own = np.array([at for at, post in enumerate(posts) if post.fold == fold])
        rest = np.array([at for at, post in enumerate(posts) if post.fold != fold])
        began = time.process_time()
        known = [indexed(posts[at]) for at in rest]
        index = index_of_parts(known, [part[rest] for part in parts], embedding, "corpus")
        built += time.process_time() - began
        framer = RetrievalFramer(index, embedding)
        queries = index.space.place([part[own] for part in parts])
        began = time.process_time()
        answers = framer.frames_at(queries)
        searched += time.process_time() - began
        usual = majority(index)
        for at, answer in zip(own, answers, strict=True):
            found["answers"].append((posts[at], answer))
            found["majority"].append((posts[at], usual))
        with_some = [at for at, place in enumerate(own) if posts[place].frame.implied_statements]
        forced = framer.frames_at(queries[with_some], always=True)
        for at, answer in zip(own[with_some], forced, strict=True):
            found["always"].append((posts[at], answer))
    speeds = {
        "embedding": len(posts) / embedded,
        "search": len(posts) / searched,
        "learning a space, seconds": built / FOLDS,
    }
    return found, speeds


def text_row(pairs: Sequence[tuple[Post, Frame]]) -> list[float]:
    """Measure groups and statements on the posts that have references."""
    wanted = {post.id for post in with_references([post for post, _ in pairs])}
    kept = [(post, frame) for post, frame in pairs if post.id in wanted]
    measures = evaluate_frames([post.frame for post, _ in kept], [frame for _, frame in kept])
    return [float(measures[name]) for name in MEASURES]


def answer_row(pairs: Sequence[tuple[Post, Frame]]) -> list[float]:
    """Measure the F1 of the categorical variables on all posts."""
    measures = evaluate_frames([post.frame for post, _ in pairs], [frame for _, frame in pairs])
    return [float(measures[f"{name}.f1"]) for name in VARIABLES]


def main() -> int:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder with the corpora")
    parser.add_argument("--embedding", action="append", help="repeatable; encoder if left out")
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    given = parser.parse_args()
    if given.data is None and not os.environ.get("TACTFUL_DATA"):
        print("TACTFUL_DATA is not set: frames by retrieval were not measured.")
        return 0
    posts = read_posts(given.data)
    texts: list[list[object]] = [["the bars", "", *BARS]]
    answers: list[list[object]] = []
    notes = []
    for name in given.embedding or [ENCODER]:
        found, speeds = cross_validated(posts, name)
        for part, alone in ((EVERYWHERE, False), (ALONE, True)):
            chosen = {
                way: [pair for pair in pairs if not alone or pair[0].held_out]
                for way, pairs in found.items()
            }
            if len(texts) < 3:
                texts.append(["majority answer", part, *text_row(chosen["majority"])])
            texts.append([f"{name}, always", part, *text_row(chosen["always"])])
            texts.append([f"{name}, as it answers", part, *text_row(chosen["answers"])])
            answers.append([name, part, *answer_row(chosen["answers"])])
        notes.append(
            f"`{name}`: {speeds['embedding']:.0f} texts embedded and {speeds['search']:.0f} "
            "searched for and answered per CPU second; an index of seven folds is learnt in "
            f"{speeds['learning a space, seconds']:.1f} s once its posts are embedded."
        )
    held = [post for post in posts if post.held_out]
    options = "".join(f" --embedding {name}" for name in given.embedding or ())
    write_page(
        "frames-retrieval",
        "Frames by retrieval",
        f"{len(posts):,} posts of the developer files of the Social Bias Inference Corpus, "
        f"{len(with_references(posts)):,} with references; {FOLDS} folds (seed {SEED}), each "
        f"answered by an index of the other {FOLDS - 1}. {len(held):,} posts are held out, "
        f"{len(with_references(held)):,} of them with references. The embedded encoder learnt the "
        "categorical answers, but no group and no statement, of the other posts: its vectors know "
        "more of those than they should. The settings were chosen by cross-validation among all "
        "posts. *always*: a group is named for every post; *as it answers*: a "
        "blank is wrong. Best over references, lower-cased; BLEU-2 with the best single reference "
        "(nothing smoothed), with all references of a post, and over the corpus. The bars do not "
        "say which BLEU-2 they are; each column has the same one.\n\n"
        f"{table(['who', 'part', *COLUMNS], texts)}\n\n"
        "F1 of the categorical answers, on all posts of the part (`group` on all posts; "
        "`in_group` where it was asked):\n\n"
        f"{table(['embedding', 'part', *(v.removesuffix('.all') for v in VARIABLES)], answers)}\n\n"
        f"{' '.join(notes)}\n\n{machine_line()}\n"
        f"Command: `python benchmarks/frames_retrieval.py{options}`.",
        path=given.results,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
