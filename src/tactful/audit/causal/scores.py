"""Log-probabilities of continuations under a causal language model.

:func:`score` reads what texts share only once, on the model's own cache. Prompts of a probe begin
alike ("For me to rent a room in my home to someone who has …"). Rows that share a beginning form a
group: the beginning is read once, the rest of the rows in batches of similar length. All costs are
counted in tokens.

:func:`score_plainly` reads every text from its beginning. It needs nothing of a model but logits,
and is what the other one is checked against before it is used (:func:`reads_in_steps`).
"""

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import chain, groupby
from typing import Any

from tactful.audit.causal.tokens import Tokens, Unit, shared
from tactful.errors import UsageError

PASS = 40
"""What starting the model once costs, in tokens read: measured with a small model on two cores."""
_LEAST_SHARED = 6
"""Rows that begin with this many equal tokens form a group."""
_LOGITS_AT_ONCE = 64_000_000
"""How many logits one pass may give: some hundred megabytes."""
_TOKENS_AT_ONCE = 1024
_CACHED_AT_ONCE = 4096
"""How many tokens the cache may hold when tails are read."""
_CLOSE = 1e-3
Scores = list[list[float]]
"""Of each unit one number for each tail."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows with a common beginning of ``stem`` tokens, and the batches for what comes after it."""

    stem: int
    batches: tuple[tuple[int, ...], ...]


def plan_rows(rows: Sequence[Tokens], most: int) -> list[Group]:
    """Return groups that hold each row once; ``most`` limits the tokens of a batch.

    Every row keeps at least one token after the stem. A group without a stem has batches of equal
    length only: they need no padding, and padding with nothing before it would see nothing.
    """
    order = sorted(range(len(rows)), key=rows.__getitem__)
    groups: list[Group] = []
    for _, each in groupby(order, key=lambda row: rows[row][:_LEAST_SHARED]):
        members = list(each)
        # One row alone shares nothing; reading it in two steps would only cost a step.
        stem = 0
        if len(members) > 1:
            lines = [rows[row] for row in members]
            stem = min(shared(lines), min(map(len, lines)) - 1)
        together = [Group(stem, _planned_batches(rows, members, stem, most))]
        alone = [Group(0, _planned_batches(rows, members, 0, most))]
        # Padding can eat up what sharing saves.
        groups += min(together, alone, key=lambda some: cost(rows, some))
    return groups


def _planned_batches(
    rows: Sequence[Tokens], members: Sequence[int], stem: int, most: int
) -> tuple[tuple[int, ...], ...]:
    lengths = {row: len(rows[row]) - stem for row in members}
    order = sorted(members, key=lengths.__getitem__)
    equal = [list(each) for _, each in groupby(order, key=lengths.__getitem__)]
    parts = [order] if stem else equal
    return tuple(tuple(batch) for each in parts for batch in _batches(each, lengths, most))


def cost(rows: Sequence[Tokens], groups: Iterable[Group]) -> int:
    """Return what the groups cost, padding included."""
    total = 0
    for group in groups:
        total += group.stem + PASS * bool(group.stem)
        for batch in group.batches:
            total += PASS + len(batch) * (max(len(rows[row]) for row in batch) - group.stem)
    return total


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """What the model knows after some rows of tokens."""

    cache: Any
    mask: Any
    """Which places of the cache are tokens, and which are padding."""
    last: Any
    """Log-probabilities of the next token: rows x vocabulary."""
    scores: Any
    """The summed log-probability of each row's tokens, where they count."""


def reads_in_steps(model: Any, tokens: Sequence[int]) -> bool:
    """Say whether :func:`score` gives what :func:`score_plainly` gives, on a small sample.

    A model that looks ahead is refused: it is no causal one. ``tokens`` are any that it knows.
    """
    import torch

    a, b, c = (tokens[at % len(tokens)] for at in range(3))
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([[a, b], [a, (b + 1) % 2]], device=_device(model)))
    logits = getattr(logits, "logits", None)
    if logits is None or logits.dim() != 3:
        raise UsageError(
            "The model gives no probabilities of words; expected a causal language model with its "
            "head."
        )
    if not torch.allclose(logits[0, 0], logits[1, 0], atol=_CLOSE):
        raise UsageError(
            "The model looks at the words that come after; expected a causal language model; a "
            "masked one is for 'tactful audit fill-mask'."
        )
    # Rows and tails of unequal lengths, so that everything is padded somewhere.
    sample = [
        Unit((a, b, c, a), ((b,), (c, a, b))),
        Unit((a, b, b), ((c, b), (a, c, c))),
        Unit((a, b, a, a, b, c), ((c,), (b, b))),
    ]
    for whole in (True, False):
        try:
            found = _score(model, sample, whole)
        except Exception:
            # Whatever an unusual architecture raises here: the plain way does without it.
            return False
        wanted = score_plainly(model, sample, whole)
        pairs = zip(chain.from_iterable(found), chain.from_iterable(wanted), strict=True)
        # Written so that NaN is not close to anything.
        if not all(abs(one - other) < _CLOSE for one, other in pairs):
            return False
    return True


def score(model: Any, units: Sequence[Unit], whole: bool) -> Scores:
    """Return the log-probability of each tail, given the context of its unit.

    ``whole`` adds that of the context, from its second token on. Then a tail may be long and begin
    like those of other units (a masked word early in a sentence), so that whole lines share more
    than contexts do: what is less to read is chosen.
    """
    if whole:
        lines = [
            Unit((*unit.context, *tail[:-1]), (tail[-1:],)) for unit in units for tail in unit.tails
        ]
        if _cost(model, lines) < _cost(model, units):
            found = iter(_score(model, lines, whole))
            return [[next(found)[0] for _ in unit.tails] for unit in units]
    return _score(model, units, whole)


def next_tokens(
    model: Any, contexts: Sequence[Tokens], top: int, in_steps: bool = True
) -> list[list[tuple[int, float]]]:
    """Return the most probable tokens after each context, with their log-probabilities.

    ``in_steps`` says whether what contexts share may be read once (:func:`reads_in_steps`).
    """
    import torch

    found: list[list[tuple[int, float]]] = [[] for _ in contexts]

    def keep(rows: Sequence[int], last: Any) -> None:
        values, tokens = last.topk(min(top, last.shape[-1]), dim=-1)
        for row, some, of_row in zip(rows, tokens.tolist(), values.tolist(), strict=True):
            found[row] = list(zip(some, of_row, strict=True))

    with torch.inference_mode():
        if not in_steps:
            for row, context in enumerate(contexts):
                tokens = torch.tensor([list(context)], device=_device(model))
                keep([row], model(input_ids=tokens).logits[:, -1].float().log_softmax(dim=-1))
            return found
        for group in plan_rows(contexts, _most_tokens(model)):
            stem = None
            if group.stem:
                stem = _read(model, None, [contexts[group.batches[0][0]][: group.stem]], False)
            for batch in group.batches:
                before = None if stem is None else _chosen(stem, [0] * len(batch))
                rest = [contexts[row][group.stem :] for row in batch]
                keep(batch, _read(model, before, rest, False).last)
    return found


def score_plainly(model: Any, units: Sequence[Unit], whole: bool) -> Scores:
    """Return what :func:`score` returns, line by line, without a cache or a mask."""
    import torch

    lines = [(*unit.context, *tail) for unit in units for tail in unit.tails]
    starts = [1 if whole else len(unit.context) for unit in units for _ in unit.tails]
    found = [0.0] * len(lines)
    order = sorted(range(len(lines)), key=lambda row: len(lines[row]))
    with torch.inference_mode():
        for rows in _batches(order, [len(line) for line in lines], _most_tokens(model)):
            width = len(lines[rows[-1]])
            # What comes after a token does not change what a causal model makes of it.
            padded = [[*lines[row], *[0] * (width - len(lines[row]))] for row in rows]
            tokens = torch.tensor(padded, device=_device(model))
            logits = model(input_ids=tokens).logits.float()
            gained = _gained(logits[:, :-1], tokens[:, 1:]).double().cpu()
            for at, row in enumerate(rows):
                found[row] = float(gained[at, starts[row] - 1 : len(lines[row]) - 1].sum())
    each = iter(found)
    return [[next(each) for _ in unit.tails] for unit in units]


def _score(model: Any, units: Sequence[Unit], whole: bool) -> Scores:
    import torch

    contexts = [unit.context for unit in units]
    found: Scores = [[] for _ in units]
    with torch.inference_mode():
        for group in plan_rows(contexts, _most_tokens(model)):
            stem = None
            if group.stem:
                stem = _read(model, None, [contexts[group.batches[0][0]][: group.stem]], whole)
            for batch in group.batches:
                before = None if stem is None else _chosen(stem, [0] * len(batch))
                read = _read(model, before, [contexts[row][group.stem :] for row in batch], whole)
                scores = _score_tails(model, read, [units[row].tails for row in batch])
                for row, values in zip(batch, scores, strict=True):
                    found[row] = values
    return found


def _score_tails(model: Any, read: _Read, tails: Sequence[Sequence[Tokens]]) -> Scores:
    """Continue from the rows that were read; the last token of a tail need not be read."""
    first = read.last.double().cpu()
    before = read.scores.tolist()
    found = [
        [before[row] + float(first[row, tail[0]]) for tail in of_row]
        for row, of_row in enumerate(tails)
    ]
    longer = [
        (row, at)
        for row, of_row in enumerate(tails)
        for at, tail in enumerate(of_row)
        if len(tail) > 1
    ]
    longer.sort(key=lambda place: len(tails[place[0]][place[1]]))
    lengths = {(row, at): len(tails[row][at]) - 1 for row, at in longer}
    past = read.mask.shape[1]
    for places in _batches(longer, lengths, _most_tokens(model), past):
        chosen = _chosen(read, [row for row, _ in places])
        gone = _read(model, chosen, [tails[row][at][:-1] for row, at in places], whole=True)
        ends = [tails[row][at][-1] for row, at in places]
        for line, (row, at) in enumerate(places):
            found[row][at] = float(gone.scores[line]) + float(gone.last[line, ends[line]])
    return found


def _read(model: Any, before: _Read | None, rows: Sequence[Tokens], whole: bool) -> _Read:
    """Read the next tokens of each row; ``whole`` adds their log-probability to the scores.

    Rows are padded on the left, so that all end in the same place. That is safe where something was
    read before, or where all rows are equally long: no place then sees nothing at all.
    """
    import torch

    width = max(map(len, rows))
    padded = [[*[0] * (width - len(row)), *row] for row in rows]
    real = [[*[0] * (width - len(row)), *[1] * len(row)] for row in rows]
    tokens, real = (torch.tensor(table, device=_device(model)) for table in (padded, real))
    mask = real if before is None else torch.cat([before.mask, real], dim=1)
    inputs: dict[str, Any] = {"input_ids": tokens, "attention_mask": mask, "use_cache": True}
    takes = signature(model.forward).parameters
    if before is not None:
        inputs["past_key_values"] = before.cache
    if "position_ids" in takes:
        inputs["position_ids"] = (mask.cumsum(dim=1) - 1).clamp(min=0)[:, -width:]
    if "logits_to_keep" in takes:
        inputs["logits_to_keep"] = width if whole else 1
    answer = model(**inputs)
    logits = answer.logits.float()
    scores = torch.zeros(len(rows), dtype=torch.float64) if before is None else before.scores
    if whole:
        gained = _gained(logits[:, :-1], tokens[:, 1:])
        inside = (real[:, :-1] * real[:, 1:]).bool()
        scores = scores + torch.where(inside, gained, 0.0).double().sum(dim=1).cpu()
        if before is not None:
            first = torch.tensor([row[0] for row in rows], device=_device(model))
            scores = scores + before.last.gather(1, first[:, None])[:, 0].double().cpu()
    return _Read(answer.past_key_values, mask, logits[:, -1].log_softmax(dim=-1), scores)


def _gained(logits: Any, tokens: Any) -> Any:
    """Return the log-probabilities of tokens; the logits of a place speak of the next one."""
    return logits.gather(2, tokens[:, :, None])[:, :, 0] - logits.logsumexp(dim=-1)


def _chosen(read: _Read, rows: Sequence[int]) -> _Read:
    """Return what was read of some rows, any of them several times; ``read`` stays as it is."""
    import torch

    index = torch.tensor(rows, device=read.mask.device)
    cache = copy.deepcopy(read.cache)
    cache.batch_select_indices(index)
    return _Read(cache, read.mask[index], read.last[index], read.scores[index.cpu()])


def _batches(order: Sequence[Any], lengths: Any, most: int, past: int = 0) -> Iterator[list[Any]]:
    """Cut an order of ascending lengths; what was read before it takes room, too."""
    batch: list[Any] = []
    for each in order:
        size = len(batch) + 1
        wide = size * lengths[each] > most or size * (past + lengths[each]) > _CACHED_AT_ONCE
        if batch and wide:
            yield batch
            batch = []
        batch.append(each)
    if batch:
        yield batch


def _cost(model: Any, units: Sequence[Unit]) -> int:
    contexts = [unit.context for unit in units]
    tails = sum(len(tail) - 1 for unit in units for tail in unit.tails)
    return tails + cost(contexts, plan_rows(contexts, _most_tokens(model)))


def _most_tokens(model: Any) -> int:
    size = int(model.get_input_embeddings().weight.shape[0])
    return max(1, min(_TOKENS_AT_ONCE, _LOGITS_AT_ONCE // size))


def _device(model: Any) -> Any:
    return model.get_input_embeddings().weight.device
