"""How a causal model writes the frame of a post, and how sure it is of each part.

Greedy, or by sampling several lines and taking the most probable (Sap et al. 2020, section 4,
"Inference"). The categorical variables are then weighed once more, given the line as written.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.frames.schema import CATEGORICAL, GROUPS, STATEMENTS
from tactful.taxonomies.frame_constraints import check_frame_values
from tactful_lab.frames.causal_tokens import LineTokenizer
from tactful_lab.frames.linearise import FIRST_FOUR, LAST, Parsed, parse


@dataclass(frozen=True, slots=True)
class Written:
    """The tokens that a model wrote after a prompt, and their log-probability."""

    tokens: list[int]
    score: float


@dataclass(frozen=True, slots=True)
class Decoded:
    """A line as the model wrote it, nothing repaired, and what it gave each variable."""

    parsed: Parsed
    probabilities: Mapping[str, float]
    """Of the yes of each categorical variable against its no, in its place in the line."""
    score: float
    """The log-probability of the line, given the post."""
    group_probability: float
    """Of the words of the group, given the post and the four variables before them."""
    statement_probability: float
    """Of the words of the statement, given all before them."""

    @property
    def malformed(self) -> bool:
        """Whether a part of equation 1 is missing or out of place."""
        return not self.parsed.whole

    @property
    def inconsistent(self) -> bool:
        """Whether what the line says breaks a constraint of the frame."""
        answers = {name: "yes" if value else "no" for name, value in self.parsed.values.items()}
        texts = {GROUPS: self.parsed.group, STATEMENTS: self.parsed.statement}
        given = {name: (text,) for name, text in texts.items() if text}
        return bool(check_frame_values({**answers, **given}))


def write_greedily(
    model: Any, tokenizer: LineTokenizer, prompts: Sequence[list[int]], most: int
) -> list[Written]:
    """Continue each prompt with the most probable tokens, up to ``most`` of them."""
    return [found[0] for found in _write(model, prompts, tokenizer.end, most, None)]


def write_samples(
    model: Any,
    tokenizer: LineTokenizer,
    prompts: Sequence[list[int]],
    most: int,
    draws: NDArray[np.float64],
) -> list[Written]:
    """Continue each prompt with sampled tokens; return the most probable of the lines.

    ``draws`` (prompts x samples x most) are the random numbers from 0 to 1.
    """
    return [
        max(found, key=lambda each: each.score)
        for found in _write(model, prompts, tokenizer.end, most, draws)
    ]


def draws_for(texts: Sequence[str], samples: int, most: int, seed: int) -> NDArray[np.float64]:
    """Return the random numbers of each text; they depend only on the seed and the text."""
    return np.stack(
        [
            np.random.default_rng([seed, zlib.crc32(text.encode("utf-8", "surrogatepass"))]).random(
                (samples, most)
            )
            for text in texts
        ]
    )


def _write(
    model: Any,
    prompts: Sequence[list[int]],
    end: int,
    most: int,
    draws: NDArray[np.float64] | None,
) -> list[list[Written]]:
    import torch

    copies = 1 if draws is None else draws.shape[1]
    dice = None if draws is None else torch.from_numpy(draws.reshape(-1, most))
    rows = len(prompts) * copies
    lines: list[list[int]] = [[] for _ in range(rows)]
    scores = np.zeros(rows)
    alive = torch.arange(rows)
    with torch.inference_mode():
        tokens, mask = _left_padded(prompts)
        answer = model(**_inputs(model, tokens, mask, 1), use_cache=True)
        cache, logits = answer.past_key_values, answer.logits[:, -1]
        if copies > 1:
            # The post is read once for all of its samples.
            cache.batch_repeat_interleave(copies)
            logits = logits.repeat_interleave(copies, dim=0)
            mask = mask.repeat_interleave(copies, dim=0)
        for step in range(most):
            chances = logits.float().log_softmax(dim=-1)
            chosen = chances.argmax(dim=-1) if dice is None else _roll(chances, dice[alive, step])
            gained = chances.gather(1, chosen[:, None])[:, 0]
            for at, row in enumerate(alive.tolist()):
                lines[row].append(int(chosen[at]))
                scores[row] += float(gained[at])
            going = (chosen != end).nonzero()[:, 0]
            if not len(going) or step == most - 1:
                break
            if len(going) < len(alive):
                alive, chosen, mask = alive[going], chosen[going], mask[going]
                cache.batch_select_indices(going)
            mask = torch.cat([mask, mask.new_ones((len(mask), 1))], dim=1)
            inputs = _inputs(model, chosen[:, None], mask, 1)
            answer = model(**inputs, past_key_values=cache, use_cache=True)
            cache, logits = answer.past_key_values, answer.logits[:, -1]
    written = [Written(line, float(score)) for line, score in zip(lines, scores, strict=True)]
    return [written[at : at + copies] for at in range(0, rows, copies)]


def _roll(chances: Any, dice: Any) -> Any:
    """Draw a token for each row: the first whose cumulative probability exceeds the number."""
    import torch

    sums = chances.double().exp().cumsum(dim=-1)
    found = torch.searchsorted(sums, (dice * sums[:, -1])[:, None], right=True)[:, 0]
    return found.clamp(max=chances.shape[-1] - 1)


def weigh(
    model: Any,
    tokenizer: LineTokenizer,
    prompts: Sequence[list[int]],
    written: Sequence[Written],
) -> list[Decoded]:
    """Read the generated lines, and score each part with the model again.

    Incomplete lines are completed first: a missing value counts as no.
    """
    import torch

    parsed = [parse(tokenizer.decode(each.tokens)) for each in written]
    lines = [
        each.tokens if found.whole else _in_form(found, tokenizer)
        for each, found in zip(written, parsed, strict=True)
    ]
    longest = max(map(len, lines))
    with torch.inference_mode():
        whole = [[*start, *line] for start, line in zip(prompts, lines, strict=True)]
        tokens, mask = _left_padded(whole)
        logits = model(**_inputs(model, tokens, mask, longest + 1), use_cache=False).logits
        # The logits of a place are those of the token before it; the last one predicts nothing.
        logits = logits[:, -longest - 1 : -1].float()
        return [
            _decoded(
                tokenizer,
                line,
                logits[at, longest - len(line) :].log_softmax(dim=-1),
                parsed[at],
                written[at].score,
            )
            for at, line in enumerate(lines)
        ]


def _decoded(
    tokenizer: LineTokenizer, line: list[int], chances: Any, parsed: Parsed, score: float
) -> Decoded:
    import torch

    first, second, third = (
        place for place, token in enumerate(line) if token == tokenizer.separator
    )
    places = {name: place for place, name in enumerate(FIRST_FOUR)} | {LAST: third + 1}
    yes = {
        name: float(chances[place, list(tokenizer.values[name])].softmax(dim=0)[1])
        for name, place in places.items()
    }
    each = chances.gather(1, torch.tensor(line)[:, None])[:, 0]
    group, statement = each[first + 1 : second + 1], each[second + 1 : third + 1]
    return Decoded(parsed, yes, score, float(group.sum().exp()), float(statement.sum().exp()))


def _in_form(parsed: Parsed, tokenizer: LineTokenizer) -> list[int]:
    values = {name: tokenizer.values[name][parsed.values.get(name, 0)] for name in CATEGORICAL}
    return [
        *(values[name] for name in FIRST_FOUR),
        tokenizer.separator,
        *tokenizer.encode_words(parsed.group),
        tokenizer.separator,
        *tokenizer.encode_words(parsed.statement),
        tokenizer.separator,
        values[LAST],
        tokenizer.end,
    ]


def _left_padded(rows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    import torch

    width = max(len(row) for row in rows)
    tokens = torch.zeros((len(rows), width), dtype=torch.int64)
    mask = torch.zeros_like(tokens)
    for at, row in enumerate(rows):
        tokens[at, width - len(row) :] = torch.tensor(row)
        mask[at, width - len(row) :] = 1
    return tokens, mask


def _inputs(model: Any, tokens: Any, mask: Any, kept: int) -> dict[str, Any]:
    """Return the inputs of a model: not all take positions, or the number of logits."""
    takes = signature(model.forward).parameters
    inputs = {"input_ids": tokens, "attention_mask": mask}
    if "position_ids" in takes:
        places = (mask.cumsum(dim=-1) - 1).clamp(min=0)
        inputs["position_ids"] = places[:, -tokens.shape[1] :]
    if "logits_to_keep" in takes:
        inputs["logits_to_keep"] = kept
    return inputs
