"""Frames by retrieval, from the annotations of the most similar posts of an index.

The categorical variables are those of the nearest posts, weighted by similarity, searched for the
most probable consistent assignment. The nearest posts vote on the group, and the statement is the
one that most of the neighbours' statements agree with; the neighbours are shown as evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tactful.errors import FileFormatError
from tactful.frames.consensus import consensus, vote
from tactful.frames.embedding import Embedding, Numbers, load_embedding
from tactful.frames.index import Index, IndexedPost, read_index
from tactful.frames.schema import CATEGORICAL, at_thresholds, most_probable
from tactful.types import Frame, Implication
from tactful.words import shorten

GROUP, IN_GROUP, OFFENSIVE = "frame.group", "frame.in_group", "frame.offensive"

NEIGHBOURS = 40
TEMPERATURE = 0.1
"""A post that is less similar than the nearest one by this much weighs 1/e of it."""
IMPLIED = 0.5
"""The weight of the similarity of implications; the rest is that of the texts."""
MOST_GROUPS, LEAST_SHARE = 3, 0.3
"""The most groups to name, and the least share of the vote for further ones."""
EVIDENCE = 3
LONGEST_EXCERPT = 80
_BATCH = 256


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A post of the index, its similarity (about 0 to 1), and its weight in the vote."""

    post: IndexedPost
    similarity: float
    weight: float


class RetrievalFramer:
    """Turns texts into frames by the posts of an index."""

    def __init__(
        self,
        index: Index,
        embedding: Embedding,
        *,
        neighbours: int = NEIGHBOURS,
        temperature: float = TEMPERATURE,
        implied: float = IMPLIED,
    ):
        self.index, self.embedding, self.card = index, embedding, index.card
        self.neighbours, self.temperature, self.implied = neighbours, temperature, implied

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        """One row per post: its shares, NaN if the question was not asked."""
        return np.array([[_share(post, name) for name in CATEGORICAL] for post in self.index.posts])

    def frame(self, texts: Sequence[str], *, always: bool = False) -> list[Frame]:
        """Return one frame per text, in the order of ``texts``; each holds the constraints.

        ``always`` names a group whether or not one is likely, which an evaluation of the texts
        that have one needs.
        """
        found: list[Frame] = []
        for start in range(0, len(texts), _BATCH):
            parts = self.embedding.vectors(texts[start : start + _BATCH])
            found += self.frames_at(self.index.space.place(parts), always=always)
        return found

    def frames_at(self, queries: Numbers, *, always: bool = False) -> list[Frame]:
        """Return the frames of texts whose place in the index' space is known."""
        found = []
        for likeness, mixed in zip(*self._similarities(queries), strict=True):
            chances = self._chances(likeness)
            answers = self._answers(chances, always)
            implications = (
                self._implications(self._nearest(mixed), chances[GROUP]) if answers[GROUP] else ()
            )
            found.append(_frame(chances, answers, implications))
        return found

    def _similarities(self, queries: Numbers) -> tuple[Numbers, Numbers]:
        """Return how alike queries and all posts are; and those with references, all considered."""
        likeness = self.index.likeness(queries)
        known = likeness[:, self.index.with_references]
        implied = self.index.implied_likeness(queries)
        return likeness, (1 - self.implied) * known + self.implied * implied

    def _answers(self, chances: dict[str, float], always: bool) -> dict[str, int]:
        """Return the best consistent assignment, weighed at the card's thresholds."""
        limits = np.array([self.card.threshold(name) for name in CATEGORICAL])
        moved = at_thresholds(np.array([chances[name] for name in CATEGORICAL]), limits)
        weighed = dict(zip(CATEGORICAL, map(float, moved), strict=True))
        return most_probable(weighed, group=True if always else None)

    def nearest(self, text: str) -> list[Neighbour]:
        """Return the posts with references that are most like a text, the nearest first."""
        query = self.index.space.place(self.embedding.vectors([text]))
        return self._nearest(self._similarities(query)[1][0])

    def _nearest(self, similarities: Numbers) -> list[Neighbour]:
        rows, weights = self._weighed(similarities)
        return [
            Neighbour(
                self.index.posts[int(self.index.with_references[row])],
                float(similarities[row]),
                float(weight),
            )
            for row, weight in zip(rows, weights, strict=True)
        ]

    def _weighed(self, similarities: Numbers) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the nearest rows and their weights, which add up to 1."""
        rows = np.argsort(-similarities, kind="stable")[: self.neighbours]
        near = similarities[rows].astype(np.float64)
        weights = np.exp((near - near[0]) / self.temperature)
        return rows, weights / weights.sum()

    def _chances(self, likeness: Numbers) -> dict[str, float]:
        rows, weights = self._weighed(likeness)
        shares = self._shares[rows]
        asked = ~np.isnan(shares)
        weight = (weights[:, None] * asked).sum(axis=0)
        total = (weights[:, None] * np.where(asked, shares, 0.0)).sum(axis=0)
        chances = np.clip(
            np.divide(total, weight, out=np.zeros_like(total), where=weight > 0), 0, 1
        )
        return dict(zip(CATEGORICAL, map(float, chances), strict=True))

    def _implications(
        self, neighbours: Sequence[Neighbour], chance: float
    ) -> tuple[Implication, ...]:
        weights = [each.weight for each in neighbours]
        shares = vote([each.post.groups for each in neighbours], weights)
        further = [name for name in list(shares)[1:MOST_GROUPS] if shares[name] >= LEAST_SHARE]
        pairs = [each.post.pairs for each in neighbours]
        found = []
        for group in [*list(shares)[:1], *further]:
            # A further group uses its own statements; the first group uses those of all.
            heard = {group: 1.0} if group in further else shares
            agreed = consensus(pairs, weights, heard)
            found.append(
                Implication(
                    group,
                    None if agreed is None else agreed.statement,
                    round(chance * min(shares[group], 1.0), 4),
                    None if agreed is None else round(agreed.agreement, 4),
                    tuple(_evidence(each) for each in neighbours if group in each.post.groups)[
                        :EVIDENCE
                    ],
                )
            )
        return tuple(found)


def load_retrieval_framer(folder: Path) -> RetrievalFramer:
    """Open the folder of an index, and the embedding it was built with."""
    index = read_index(folder)
    name = str(index.card.training.get("embedding", ""))
    embedding = load_embedding(name)
    if embedding.fingerprint != index.card.training.get("fingerprint"):
        raise FileFormatError(
            f"{folder}: found an index built with another version of the embedding '{name}' than "
            "the one installed; expected the same; build it again with 'tactful frame index'."
        )
    return RetrievalFramer(index, embedding)


def _share(post: IndexedPost, name: str) -> float:
    share = post.shares.get(name)
    if share is not None:
        return share
    # Annotators who find a post harmless are not asked about a group: that is a no.
    harmless = name == GROUP and post.shares.get(OFFENSIVE) is not None
    return 0.0 if harmless else float("nan")


def _frame(
    chances: dict[str, float], answers: dict[str, int], implications: tuple[Implication, ...]
) -> Frame:
    said = {name: "yes" if value else "no" for name, value in answers.items()}
    if not answers[GROUP]:
        said.pop(IN_GROUP)
    elif answers[IN_GROUP]:
        # Whether the author belongs to the group is a guess.
        said[IN_GROUP] = "maybe"
    statements = (each.statement for each in implications if each.statement is not None)
    return Frame(
        {name: round(value, 4) for name, value in chances.items()},
        tuple(each.group for each in implications),
        tuple(dict.fromkeys(statements)),
        said,
        implications,
    )


def _evidence(neighbour: Neighbour) -> str:
    """Quote a post without its implied statement, which a reader may have hidden."""
    excerpt = shorten(" ".join(neighbour.post.text.split()), longest=LONGEST_EXCERPT)
    return f"{excerpt} ({min(max(neighbour.similarity, 0.0), 1.0):.2f} alike)"
