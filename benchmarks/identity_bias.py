"""What identity terms do to the scores of the detectors, on neutral sentences of our own."""

import argparse
import sys
from pathlib import Path

from results import machine_line, table, write_page
from tactful.detectors import load_detector
from tactful_lab.evaluation.identity_bias import BiasTable, identity_bias, neutral_sentences

DETECTORS = ("default", "fast")
SHOWN = 5
"""How many terms of each id are named at either end."""


def summary_rows(name: str, found: BiasTable) -> list[list[object]]:
    """Return one row for each id of a detector."""
    rows: list[list[object]] = []
    for entry, each in found.summary()["ids"].items():
        row: list[object] = [
            name, entry, each["mean"], f"{each['highest_difference']:+.3f} {each['highest_term']}",
            f"{each['lowest_difference']:+.3f} {each['lowest_term']}",
            each["false_positive_rate"],
            f"{each['most_flagged_rate']:.3f} {each['most_flagged_term']}",
        ]  # fmt: skip
        for field in ("subgroup_auc", "bpsn_auc", "bnsp_auc"):
            value = each.get(f"lowest_{field}")
            term = each.get(f"lowest_{field}_term")
            row.append("" if value is None else f"{value:.3f} {term}")
        rows.append(row)
    return rows


def term_rows(name: str, found: BiasTable) -> list[list[object]]:
    """Return the terms at either end for the ids that a user sees most."""
    rows: list[list[object]] = []
    for entry in ("pcl", "unhealthy", "frame.offensive"):
        terms = found.of(entry)
        if terms:
            listed = [
                ", ".join(f"{row.term} {row.difference:+.3f}" for row in part)
                for part in (terms[:SHOWN], terms[-SHOWN:][::-1])
            ]
            rows.append([name, entry, *listed])
    return rows


def main() -> int:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", help="a detector's name or folder, repeatable")
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    given = parser.parse_args()
    tables = {name: identity_bias(load_detector(name)) for name in given.model or DETECTORS}
    sentences = neutral_sentences()
    terms = len({sentence.term for sentence in sentences})
    neutral = sum(sentence.kind == "neutral" for sentence in sentences)
    columns = [
        "detector", "id", "mean on neutral", "highest term", "lowest term",
        "false positive rate", "highest rate", "lowest subgroup AUC", "lowest BPSN AUC",
        "lowest BNSP AUC",
    ]  # fmt: skip
    rows = [row for name, found in tables.items() for row in summary_rows(name, found)]
    ends = [row for name, found in tables.items() for row in term_rows(name, found)]
    options = "".join(f" --model {name}" for name in given.model or ())
    write_page(
        "identity-bias",
        "Identity terms",
        f"{terms} terms in several phrasings each, put into sentences of ours: {neutral:,} neutral "
        f"ones of {len(sentences):,}. Differences are to the average of all terms, on the neutral "
        "sentences; the false positive rate is the share of these that reach the threshold of the "
        "card. Subgroup, BPSN and BNSP AUC (Borkan et al. 2019) set them against patronizing "
        "sentences (for `pcl`) or hostile ones; empty where none of ours is clearly positive for "
        f"the id.\n\n{table(columns, rows)}\n\n"
        f"The {SHOWN} terms with the highest and the lowest means:\n\n"
        f"{table(['detector', 'id', 'highest', 'lowest'], ends)}\n\n{machine_line()}\n"
        f"Command: `python benchmarks/identity_bias.py{options}`.",
        path=given.results,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
