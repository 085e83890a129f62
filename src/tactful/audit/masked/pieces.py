"""Words that need several tokens: the prompt is asked again with as many masks in a row.

The masks are filled from left to right. The most probable beginnings of a word are kept (a beam),
each is put in its place, and the model is asked for the next piece. A word's probability is the
product of its pieces' probabilities, given that the word has this number of pieces: the model is
never asked how many there are, so these are comparable with each other, and with whole tokens only
roughly.
"""

import re
from collections.abc import Sequence

from tactful.audit.masked.model import PlaceModel
from tactful.audit.masked.words import UNFINISHED, Token, Vocabulary

BEAM = 10
MOST_PIECES = 3
_SPELLED = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")

Row = tuple[dict[str, list[int]], int]
"""What the tokenizer gave for a prompt, and the place of its mask."""


class PieceSearch:
    """Finds words of a given number of pieces."""

    def __init__(self, model: PlaceModel, vocabulary: Vocabulary, pieces: int) -> None:
        import torch

        self.model, self.vocabulary, self.pieces = model, vocabulary, pieces
        rows = range(pieces)
        size = 1 + max(vocabulary.tokens, default=0)
        self._allowed = torch.zeros(pieces, size, dtype=torch.bool)
        for at, token in vocabulary.tokens.items():
            for place in rows:
                if self._fits(token, place):
                    self._allowed[place, at] = True

    def _fits(self, token: Token, place: int) -> bool:
        """Say whether a token can be the piece at this place of a word."""
        if not token.text:
            return False
        first, last = place == 0, place == self.pieces - 1
        if self.vocabulary.mark in (UNFINISHED, "</w>"):
            return token.ends == last
        # ``##`` and the marks of spaces both say which token begins a word.
        return token.begins == first

    def words(self, rows: Sequence[Row]) -> list[dict[str, float]]:
        """Return the words of each prompt and their probabilities; all prompts are of one length.

        A word that is one token of the vocabulary is left out: it is in the other answer.
        """
        import torch

        wide = [_widen(row, self.pieces) for row in rows]
        beams: list[list[tuple[tuple[int, ...], float]]] = [[((), 0.0)] for _ in rows]
        for step in range(self.pieces):
            asked = [
                (at, tokens, score)
                for at, beam in enumerate(beams)
                for tokens, score in beam
            ]  # fmt: skip
            inputs = {
                name: torch.tensor([wide[at][0][name] for at, _, _ in asked])
                for name in wide[0][0]
            }  # fmt: skip
            places = torch.tensor([wide[at][1] for at, _, _ in asked])
            for line, (_, tokens, _) in enumerate(asked):
                for behind, token in enumerate(tokens):
                    inputs["input_ids"][line, places[line] + behind] = token
            logits = self.model.logits(inputs, places + step)
            found = logits.log_softmax(dim=1)[:, : self._allowed.shape[1]]
            found = found.masked_fill(~self._allowed[step], float("-inf"))
            values, tokens_found = found.topk(min(BEAM, found.shape[1]))
            grown: list[list[tuple[tuple[int, ...], float]]] = [[] for _ in rows]
            for (at, tokens, score), more, ids in zip(
                asked, values.tolist(), tokens_found.tolist(), strict=True
            ):
                grown[at].extend(
                    ((*tokens, token), score + value)
                    for value, token in zip(more, ids, strict=True)
                    if value != float("-inf")
                )
            beams = [sorted(beam, key=lambda each: (-each[1], each[0]))[:BEAM] for beam in grown]
        return [self._spelled(beam) for beam in beams]

    def _spelled(self, beam: Sequence[tuple[tuple[int, ...], float]]) -> dict[str, float]:
        import math

        words: dict[str, float] = {}
        for tokens, score in beam:
            word = "".join(self.vocabulary.tokens[token].text for token in tokens)
            if _SPELLED.fullmatch(word) and word not in self.vocabulary.after_space.at:
                words[word] = words.get(word, 0.0) + math.exp(score)
        return words


def _widen(row: Row, pieces: int) -> Row:
    """Repeat the mask of a prompt; each mask has the same further inputs, such as the segment."""
    inputs, place = row
    return {
        name: [*values[:place], *[values[place]] * pieces, *values[place + 1 :]]
        for name, values in inputs.items()
    }, place
