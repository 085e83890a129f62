"""The crowd protocol of the Unhealthy Comment Corpus, simulated at its own size.

44,355 comments and 588 annotators (Price et al. 2020, section 3), 15 % of whom do not read. All
rules are those of a real project; the plain majority that it is compared with spends as many
judgements of the same people.
"""

import argparse
import sys
import time
from collections.abc import Sequence

from results import machine_line, table, write_page
from tactful.annotation.protocol.load import load_protocol
from tactful_lab.simulation.report import QuestionResult
from tactful_lab.simulation.simulate import Crowd, Plan, Simulation, simulate

COMMENTS, ANNOTATORS, SPAMMERS = 44_355, 588, 0.15
PUBLISHED_JUDGEMENTS = 244_468
LEAST_CAUGHT = 0.95
MEASURES = ("accuracy", "f1", "balanced_accuracy")


def better(answer: Simulation) -> bool:
    """Say whether the labels beat the plain majority of equal cost by every measure."""
    return all(
        (answer.mean(measure) or 0.0) > (answer.mean(measure, "equal_cost") or 1.0)
        for measure in MEASURES
    )


def report(answers: Sequence[tuple[Simulation, float]], command: str) -> str:
    """Write the page of results."""
    first = answers[0][0]
    runs = table(
        (
            "seed", "judgements", "of them tests", "discarded", "reopened", "spammers removed",
            "after judgements", "readers removed", "F1", "majority, equal cost",
            "majority, 3 votes", "CPU s",
        ),
        [_run(answer, seconds) for answer, seconds in answers],
    )  # fmt: skip
    questions = table(
        ("question", "accuracy", "equal cost", "F1", "equal cost", "balanced accuracy",
         "equal cost", "alpha"),
        [_question(result) for result in first.questions],
    )  # fmt: skip
    sure = table(
        ("confidence", "labels", "right"),
        [
            (f"{each.low:.1f} to {each.high:.1f}", each.labels, f"{each.right:.1%}")
            for each in first.confidence
        ],
    )
    caught = all(answer.caught >= LEAST_CAUGHT * answer.spammers for answer, _ in answers)
    met = caught and all(better(answer) for answer, _ in answers)
    return "\n\n".join(
        [
            f"Protocol `unhealthy`, {first.items:,} comments with the rates of table 1, "
            f"{first.annotators} annotators of whom {first.spammers} do not read (a third each "
            "picks anything, has one answer for all, takes the first option), "
            f"{first.tests} hidden tests. The paper collected {PUBLISHED_JUDGEMENTS:,} judgements.",
            runs,
            f"Seed {first.seed}, question by question (F1 and balanced accuracy of 'yes'; alpha is "
            "Krippendorff's, of the judgements that count; the paper has 0.26 to 0.39):",
            questions,
            "How often labels of a confidence are right:",
            sure,
            f"Bars: at least {LEAST_CAUGHT:.0%} of the spammers removed, and labels better than a "
            "plain majority of as many judgements (mean accuracy, F1 and balanced accuracy): "
            f"**{'met' if met else 'not met'}**.",
            machine_line(),
            f"Command: `{command}`.",
        ]
    )


def _run(answer: Simulation, seconds: float) -> tuple[object, ...]:
    before = [kind.judgements_before for kind in answer.kinds if kind.kind != "careful"]
    known = [each for each in before if each is not None]
    readers = answer.annotators - answer.spammers
    return (
        answer.seed, answer.judgements, answer.on_tests, answer.discarded, answer.reopened,
        f"{answer.caught} of {answer.spammers} ({answer.caught / answer.spammers:.1%})",
        round(max(known)) if known else "none",
        f"{answer.wrongly_removed} of {readers} ({answer.wrongly_removed / readers:.1%})",
        _decimal(answer.mean("f1")), _decimal(answer.mean("f1", "equal_cost")),
        _decimal(answer.mean("f1", "three_votes")), round(seconds, 1),
    )  # fmt: skip


def _question(result: QuestionResult) -> tuple[object, ...]:
    pairs = [
        _decimal(getattr(score, measure))
        for measure in MEASURES
        for score in (result.protocol, result.equal_cost)
    ]
    return (result.question, *pairs, _decimal(result.alpha))


def _decimal(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def main() -> int:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=COMMENTS)
    parser.add_argument("--annotators", type=int, default=ANNOTATORS)
    parser.add_argument("--seed", type=int, action="append", help="several times for several runs")
    parser.add_argument("--dry", action="store_true", help="print only; write no page")
    options = parser.parse_args()
    protocol = load_protocol("unhealthy")
    crowd = Crowd(annotators=options.annotators, spammers=SPAMMERS)
    answers = []
    for seed in options.seed or [0, 1, 2]:
        began = time.process_time()
        answer = simulate(protocol, Plan(items=options.items, crowd=crowd, seed=seed))
        answers.append((answer, time.process_time() - began))
    body = report(answers, "python benchmarks/annotation_simulator.py")
    print(body)
    if not options.dry:
        write_page("annotation-simulator", "Annotation: the crowd protocol, simulated", body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
