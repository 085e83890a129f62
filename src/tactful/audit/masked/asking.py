"""Masked language models: the words that they put in the place of a mask (sections 4.2 and 4.3).

Where a fill-mask pipeline of transformers gives the most probable *tokens*, this gives the most
probable *words*, of the same softmax over the whole vocabulary. See
:mod:`tactful.audit.masked.words` for what a word is. Prompts of the same length are asked together,
so that nothing is padded, and an answer does not depend on its neighbours.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256

from tactful.audit.hub import Opened, longest_input
from tactful.audit.masked.model import PlaceModel
from tactful.audit.masked.pieces import BEAM, MOST_PIECES, PieceSearch, Row
from tactful.audit.masked.words import Vocabulary, Words
from tactful.audit.protocol import Answer, Kind
from tactful.errors import UsageError
from tactful.taxonomies.prompts import DEFAULT_MASK, Prompt

TOP = 50
"""Section 4.3 looks at the 50 most probable words."""
BATCH = 64
_RULES = 1
"""Counts up when the same model would give other answers, so that kept answers are not reused."""
_AT_A_TIME = 8
"""Batches that are sorted by length together."""
_SHOWN, _SHOWN_TEXT = 8, 100


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
