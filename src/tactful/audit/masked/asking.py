"""Masked language models: the words that they put in the place of a mask (sections 4.2 and 4.3).

Where a fill-mask pipeline of transformers gives the most probable *tokens*, this gives the most
probable *words*, of the same softmax over the whole vocabulary. See
:mod:`tactful.audit.masked.words` for what a word is. Prompts of the same length are asked together,
so that nothing is padded, and an answer does not depend on its neighbours.

For words that need several tokens the prompt is asked again with as many masks in a row, which are
filled from left to right. The most probable beginnings of a word are kept (a beam), each is put in
its place, and the model is asked for the next piece. A word's probability is the product of its
pieces' probabilities, given that the word has this number of pieces: the model is never asked how
many there are, so these are comparable with each other, and with whole tokens only roughly.
"""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256

from tactful.audit.hub import Opened, longest_input
from tactful.audit.masked.model import PlaceModel
from tactful.audit.masked.words import UNFINISHED, Token, Vocabulary, Words
from tactful.audit.protocol import Answer, Kind
from tactful.errors import UsageError
from tactful.taxonomies.prompts import DEFAULT_MASK, Prompt

BEAM = 10
MOST_PIECES = 3
_SPELLED = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")

Row = tuple[dict[str, list[int]], int]
"""What the tokenizer gave for a prompt, and the place of its mask."""
TOP = 50
"""Section 4.3 looks at the 50 most probable words."""
BATCH = 64
_RULES = 1
"""Counts up when the same model would give other answers, so that kept answers are not reused."""
_AT_A_TIME = 8
"""Batches that are sorted by length together."""
_SHOWN, _SHOWN_TEXT = 8, 100


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


class MaskedAsker:
    """Asks a masked language model; an :class:`~tactful.audit.protocol.Asker`.

    ``pieces`` is the largest number of tokens of a word; ``wanted`` are words that the notes check:
    those that are rated, for example. An answer has the keys ``words`` (the ``top`` most probable,
    each with its probability to six digits), ``seen`` (the probability of these words together) and
    ``pieces`` (that of tokens that are no words).
    """

    kind: Kind = "fill-mask"

    def __init__(
        self,
        opened: Opened,
        top: int = TOP,
        batch: int = BATCH,
        pieces: int = 1,
        wanted: Sequence[str] = (),
    ) -> None:
        for name, value in (("top", top), ("batch", batch)):
            if value < 1:
                raise UsageError(f"Found {name} {value}; expected 1 or more.")
        if not 1 <= pieces <= MOST_PIECES:
            raise UsageError(f"Found words of {pieces} pieces; expected 1 to {MOST_PIECES}.")
        self.name = opened.name
        self._tokenizer = opened.tokenizer
        mask_id = opened.tokenizer.mask_token_id
        if mask_id is None:
            raise UsageError(
                f"'{opened.name}' has no mask token; expected a masked language model; "
                "'tactful audit causal' may be what is wanted."
            )
        self._mask_id = int(mask_id)
        self._model = PlaceModel(opened.model, self._mask_id)
        self._vocabulary = Vocabulary(opened.tokenizer, _rows_of_head(opened))
        self._longest = longest_input(opened)
        self._top, self._batch = top, batch
        self._searches = [
            PieceSearch(self._model, self._vocabulary, count) for count in range(2, pieces + 1)
        ]
        options = {"rules": _RULES, "top": top, "pieces": pieces, "beam": BEAM if pieces > 1 else 0}
        text = json.dumps([opened.fingerprint, self.kind, options], sort_keys=True)
        self.fingerprint = sha256(text.encode()).hexdigest()
        self.notes = self._notes(pieces, wanted)

    @property
    def batch(self) -> int:
        """How many prompts to ask at a time: several batches, to sort them by length."""
        return self._batch * _AT_A_TIME

    @property
    def way(self) -> str:
        """How much of the model is computed: see :mod:`tactful.audit.masked.model`."""
        return self._model.way

    def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        """Return one answer for each prompt, in their order."""
        rows = self._read(prompts)
        groups: dict[tuple[int, bool], list[int]] = defaultdict(list)
        for at, (inputs, place) in enumerate(rows):
            free = self._follows_space(prompts[at].text, inputs["input_ids"], place)
            groups[len(inputs["input_ids"]), free].append(at)
        answers: dict[int, Answer] = {}
        for (_, free), members in sorted(groups.items()):
            words = self._vocabulary.after_space if free else self._vocabulary.attached
            for start in range(0, len(members), self._batch):
                chosen = members[start : start + self._batch]
                found = self._answers([rows[at] for at in chosen], words)
                answers.update(zip(chosen, found, strict=True))
        return [answers[at] for at in range(len(rows))]

    def _read(self, prompts: Sequence[Prompt]) -> list[Row]:
        if not prompts:
            return []
        for prompt in prompts:
            count = prompt.text.count(DEFAULT_MASK)
            if count != 1:
                raise UsageError(
                    f"Found {count or 'no'} {DEFAULT_MASK} in the prompt {_shown(prompt.text)}; "
                    "expected exactly one."
                )
        mask = str(self._tokenizer.mask_token)
        texts = [prompt.text.replace(DEFAULT_MASK, mask) for prompt in prompts]
        # Prompts that are too long are refused below; the library would only print a warning.
        encoded = self._tokenizer(texts, return_attention_mask=False, verbose=False)
        rows: list[Row] = []
        room = len(self._searches)
        for at, prompt in enumerate(prompts):
            inputs = {name: list(values[at]) for name, values in encoded.items()}
            ids = inputs["input_ids"]
            masks = ids.count(self._mask_id)
            if masks != 1:
                raise UsageError(
                    f"The prompt {_shown(prompt.text)} has {masks} masks for the model "
                    f"{self.name}, whose own mask is {mask!r}; expected exactly one."
                )
            if self._longest is not None and len(ids) + room > self._longest:
                raise UsageError(
                    f"The prompt {_shown(prompt.text)} has {len(ids) + room} tokens for the model "
                    f"{self.name}; expected at most {self._longest}; make it shorter."
                )
            rows.append((inputs, ids.index(self._mask_id)))
        return rows

    def _follows_space(self, text: str, ids: Sequence[int], place: int) -> bool:
        before = text[: text.index(DEFAULT_MASK)]
        # Some tokenizers make the space before the mask a separate token.
        blank = place > 0 and ids[place - 1] in self._vocabulary.blanks
        return before[-1:].isspace() and not blank

    def _answers(self, rows: Sequence[Row], words: Words) -> list[Answer]:
        import torch

        device = self._model.model.device
        inputs = {
            name: torch.tensor([row[0][name] for row in rows], device=device) for name in rows[0][0]
        }
        places = torch.tensor([place for _, place in rows], device=device)
        chances = self._model.logits(inputs, places).softmax(dim=1)
        found = words.top(chances, self._top)
        more: list[dict[str, float]] = [{} for _ in rows]
        for search in self._searches:
            for mine, new in zip(more, search.words(rows), strict=True):
                mine.update(new)
        return [
            self._answer(dict(pairs) | extra, total)
            for (pairs, total), extra in zip(found, more, strict=True)
        ]

    def _answer(self, chances: dict[str, float], words: float) -> Answer:
        ranked = sorted(chances.items(), key=lambda pair: (-pair[1], pair[0]))[: self._top]
        return {
            "words": [[word, _rounded(chance)] for word, chance in ranked],
            "seen": _rounded(sum(chance for _, chance in ranked)),
            "pieces": _rounded(max(0.0, 1.0 - words)),
        }

    def _notes(self, pieces: int, wanted: Sequence[str]) -> tuple[str, ...]:
        notes = []
        missing = self._vocabulary.missing(wanted)
        if missing:
            shown = ", ".join(missing[:_SHOWN]) + (", …" if len(missing) > _SHOWN else "")
            cannot = "it cannot give any of them" if pieces == 1 else "it gives them in pieces only"
            notes.append(
                f"{len(missing):,} of {len(set(wanted)):,} rated words are not a single token of "
                f"{self.name}, so {cannot}: {shown}."
            )
        if pieces > 1:
            notes.append(
                f"Words of up to {pieces} tokens were asked for with as many masks in a row, the "
                f"{BEAM} most probable from left to right; their probability is a product that "
                "takes the number of tokens as given, an approximation: all words together can "
                "exceed 1."
            )
        if self._model.permutes:
            notes.append(
                "XLNet was asked with a permutation mask: nothing sees the masked place, and no "
                "text was put before the prompt."
            )
        return tuple(notes)


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_TEXT else text[: _SHOWN_TEXT - 1] + "…")


def _rounded(chance: float) -> float:
    """Keep six digits, however small the number is: more is noise, and the answers are stored."""
    return float(f"{chance:.6g}")


def _rows_of_head(opened: Opened) -> int:
    head = opened.model.get_output_embeddings()
    return int(opened.model.config.vocab_size if head is None else head.weight.shape[0])
