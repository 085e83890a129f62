"""The trust-weighted vote of the Unhealthy Comment Corpus (Price et al. 2020, section 4)."""

from typing import Any

from tactful.aggregation.judgements import judged, read_judgements, shares
from tactful.aggregation.result import Aggregated, settle
from tactful.aggregation.ties import Ties
from tactful.errors import UsageError

NOBODY = "nobody with trust above 0 judged it"


def trust_weighted_vote(
    table: Any, *, trust: str = "trust", ties: Ties = "none", seed: int = 0
) -> Aggregated:
    """Give each item the label whose annotators are trusted most in sum.

    ``trust`` is the column with each annotator's trust, from 0 to 1. The confidence is the trust
    of those who gave the label, divided by that of all. The paper does not say what happens when
    both sums are equal; ``ties`` does. An item whose annotators all have trust 0 has no label.
    """
    ratings = read_judgements(table, trust=trust)
    if ratings.trust is None:
        raise UsageError(
            "The trust-weighted vote needs each annotator's trust; name its column with trust=."
        )
    # Judgements of trust 0 weigh nothing, but would look like an answer.
    trusted = ratings.keep(ratings.trust > 0)
    data = judged(trusted)
    weights = shares(data.ratings.counts(data.ratings.trust))
    left_out = len(ratings) - len(trusted)
    verb = "judgement has" if left_out == 1 else "judgements have"
    note = f"{left_out:,} {verb} trust 0 and did not count."
    return Aggregated(
        "trust_weighted",
        **settle(
            ratings.items,
            data,
            weights,
            ties=ties,
            seed=seed,
            measure="share of the trust",
            weight=data.ratings.trust,
            weight_name="trust",
            nothing=NOBODY,
            notes=(note,) if left_out else (),
        ),
    )
