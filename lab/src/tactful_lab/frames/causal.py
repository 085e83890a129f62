"""A causal language model that writes Social Bias Frames (Sap et al. 2020, section 4)."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tactful.detectors.card import Card, read_card
from tactful.errors import FileFormatError, MissingExtraError, UsageError
from tactful.frames.schema import CATEGORICAL, most_probable
from tactful.types import Frame, Implication
from tactful_lab.frames.causal_decoding import (
    Decoded,
    draws_for,
    weigh,
    write_greedily,
    write_samples,
)
from tactful_lab.frames.causal_tokens import LineTokenizer
from tactful_lab.frames.linearise import LAST

DECODINGS = ("greedy", "sample")
POST_TOKENS = 64
_MOST_TOKENS = 64
"""A line that has not come to its end by then is cut off."""


class CausalFramer:
    """A fine-tuned causal model as a framer.

    decoding: ``greedy``, or ``sample`` for the most probable of ``samples`` lines.
    constrained: weigh the categorical variables once more and take the most probable assignment
    that keeps the constraints; without it a frame is what the model wrote, right or wrong, which is
    for measuring only. seed: for sampling; the same text gives the same frame in any company.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        card: Card,
        *,
        decoding: str = "greedy",
        constrained: bool = True,
        samples: int = 10,
        seed: int = 1,
        batch: int = 16,
        most_tokens: int = _MOST_TOKENS,
    ):
        if decoding not in DECODINGS:
            raise UsageError(f"Found decoding={decoding!r}; expected {' or '.join(DECODINGS)}.")
        for name, number in (("samples", samples), ("batch", batch), ("most_tokens", most_tokens)):
            if number < 1:
                raise UsageError(f"Found {name}={number}; expected at least 1.")
        self._model, self.card = model.eval(), card
        self._tokenizer = LineTokenizer(tokenizer)
        self.decoding, self.constrained = decoding, constrained
        self.samples, self.seed, self.batch, self.most_tokens = samples, seed, batch, most_tokens
        self._post_tokens = int(card.training.get("post tokens", POST_TOKENS))

    def frame(self, texts: Sequence[str]) -> list[Frame]:
        """Return one frame per text, in the order of ``texts``."""
        make = constrained_frame if self.constrained else frame_as_written
        return [make(decoded) for decoded in self.decode(texts)]

    def decode(self, texts: Sequence[str]) -> list[Decoded]:
        """Return what the model wrote for each text, before any search, and its probabilities."""
        if isinstance(texts, str):
            raise UsageError("Found one text; expected a list of texts.")
        prompts = [self._tokenizer.encode_prompt(text, self._post_tokens) for text in texts]
        found: dict[int, Decoded] = {}
        for rows in self._batches(prompts):
            starts = [prompts[row] for row in rows]
            written = self._write(starts, [texts[row] for row in rows])
            decoded = weigh(self._model, self._tokenizer, starts, written)
            found |= dict(zip(rows, decoded, strict=True))
        return [found[row] for row in range(len(prompts))]

    def _write(self, prompts: list[list[int]], texts: list[str]) -> Any:
        if self.decoding == "greedy":
            return write_greedily(self._model, self._tokenizer, prompts, self.most_tokens)
        draws = draws_for(texts, self.samples, self.most_tokens, self.seed)
        return write_samples(self._model, self._tokenizer, prompts, self.most_tokens, draws)

    def _batches(self, prompts: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        # Texts of like length together, so that little is padding.
        order = sorted(range(len(prompts)), key=lambda row: len(prompts[row]))
        for start in range(0, len(order), self.batch):
            yield order[start : start + self.batch]


def constrained_frame(decoded: Decoded) -> Frame:
    """Return the most probable frame that keeps the constraints, given the words as written.

    Where the model named a group, the frame has one; where it named none, it has none.
    """
    parsed = decoded.parsed
    values = most_probable(decoded.probabilities, bool(parsed.group))
    return _frame(decoded, values)


def frame_as_written(decoded: Decoded) -> Frame:
    """Return what the model wrote, right or wrong."""
    return _frame(decoded, dict(decoded.parsed.values))


def _frame(decoded: Decoded, values: dict[str, int]) -> Frame:
    group, statement = decoded.parsed.group, decoded.parsed.statement
    answers = {name: "yes" if values[name] else "no" for name in CATEGORICAL if name in values}
    if not values.get("frame.group") and not values.get(LAST):
        # Whether the author belongs to the group is asked only if there is one.
        answers.pop(LAST, None)
    statements = (statement,) if group and statement else ()
    implications = (
        Implication(
            group,
            statement or None,
            decoded.probabilities["frame.group"] * decoded.group_probability,
            decoded.statement_probability if statement else None,
        ),
    )
    return Frame(
        dict(decoded.probabilities),
        (group,) if group else (),
        statements,
        answers,
        implications if group else (),
    )


def load_causal_framer(folder: Path, **options: Any) -> CausalFramer:
    """Open a folder that training wrote; options are those of :class:`CausalFramer`."""
    card = read_card(folder)
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer, logging
    except ImportError as error:
        raise MissingExtraError("train", "A causal framer") from error
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        model = AutoModelForCausalLM.from_pretrained(
            str(folder), local_files_only=True, use_safetensors=True
        )
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except Exception as error:
        # Each library that reads the files has exceptions of its own.
        reason = (str(error).strip().splitlines() or ["it cannot be read"])[0]
        raise FileFormatError(
            f"{folder}: found no complete causal framer ({reason}); expected the folder that "
            "'tactful train frames-lm' wrote; restore it."
        ) from None
    finally:
        if shown:
            logging.enable_progress_bar()
    return CausalFramer(model.float(), tokenizer, card, **options)
