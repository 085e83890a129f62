"""How closely simulated people agree as those of each protocol's paper did.

python benchmarks/annotation_fits.py
"""

import argparse
import sys
from statistics import mean

from results import machine_line, table, write_page
from tactful.annotation.protocol.load import load_protocol
from tactful_lab.simulation.annotators import published_agreement
from tactful_lab.simulation.simulate import Crowd, Plan, simulate

ITEMS = {"unhealthy": 3_000, "frames": 1_500, "stereotypes": 2_000, "pcl": 3_000}
PEOPLE, SEEDS, MOST_APART = 40, (0, 1, 2), 0.05


def fits(protocol: str) -> list[tuple[str, str, float, float, float]]:
    """Return protocol, question, skill, the paper's agreement, and the mean of the simulated."""
    known = published_agreement()[protocol]
    found: dict[str, list[float]] = {question: [] for question in known}
    for seed in SEEDS:
        plan = Plan(ITEMS[protocol], crowd=Crowd(PEOPLE), seed=seed, fitted=True)
        for result in simulate(load_protocol(protocol), plan).questions:
            if result.question in known and result.alpha is not None:
                found[result.question].append(result.alpha)
    return [
        (protocol, name, fit["skill"], fit["agreement"], round(mean(found[name]), 3))
        for name, fit in known.items()
    ]


def main() -> int:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="print only; write no page")
    options = parser.parse_args()
    rows = [row for protocol in ITEMS for row in fits(protocol)]
    apart = max(abs(row[3] - row[4]) for row in rows)
    counts = ", ".join(f"{protocol} {count:,}" for protocol, count in ITEMS.items())
    body = "\n\n".join(
        [
            f"`tactful annotate simulate PROTOCOL --fitted`: {PEOPLE} people, seeds "
            f"{', '.join(map(str, SEEDS))}, items: {counts}. Agreement is Krippendorff's alpha of "
            "the judgements that count, in the mean of the seeds; papers with Fleiss' or Cohen's "
            "kappa are held against it, too.",
            table(("protocol", "question", "skill", "in the paper", "simulated"), rows),
            f"Bar: no question further from its paper than {MOST_APART:g}: "
            f"**{'met' if apart <= MOST_APART else 'not met'}** (largest {apart:.3f}).",
            machine_line(),
            "Command: `python benchmarks/annotation_fits.py`.",
        ]
    )
    print(body)
    if not options.dry:
        write_page("annotation-fits", "Annotation: agreement of simulated people", body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
