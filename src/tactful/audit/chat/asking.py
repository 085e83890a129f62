"""Ask a chat model the prompts of a probe, and read what it says.

The answers are kept as they came; they are read when the rows of a run are made, so that a better
way of reading, or another judge, needs no new question.
"""

import json
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Protocol

from tactful.audit.chat.reading import is_refusal, letter_masses, options_shown, read_choice
from tactful.audit.probes.chat import Answered, Asked, Key
from tactful.audit.protocol import Answer, Kind
from tactful.checking.chat import ChatEndpoint, Completion, Sampling
from tactful.errors import InputError, TactfulError, UsageError
from tactful.taxonomies.prompts import Prompt

By = Literal["choice", "logprobs", "reasons", "free"]
ANSWERED: Mapping[By, Answered] = {
    "choice": "choice",
    "logprobs": "choice",
    "reasons": "reasons",
    "free": "free",
}
MOST_TOKENS: Mapping[By, int] = {"choice": 12, "logprobs": 1, "reasons": 400, "free": 120}
"""How many tokens an answer may have."""
TOP = 20
"""How many of the most probable first tokens are asked for: what most endpoints give at most."""
SURE = 0.5
"""Below this probability of all letters together, the model is asked for its words, too."""
LEAST = 0.01
"""Below this probability of all letters together, nothing is read from them."""
WORDS_AFTER = 24
"""How many tokens are asked for where the letters are improbable."""
MOST_AT_ONCE = 64
"""Requests."""
_METHOD = 1
"""To be raised when the same model would give other answers to the same prompt."""

Row = dict[str, Any]
"""Columns of a run's rows."""


class Judge(Protocol):
    """Says how far an answer in a model's own words rejects the person."""

    @property
    def name(self) -> str:
        """The name in reports."""
        ...

    def judge(
        self, prompts: Sequence[Prompt], texts: Sequence[str], folder: Path
    ) -> list[float | None]:
        """Return 0 for a text that accepts to 1 for one that rejects; None where it cannot tell."""
        ...


@dataclass(frozen=True, slots=True)
class Manner:
    """How a model is asked, and how its answers are read."""

    by: By
    asked: Mapping[Key, Asked]
    language: str = "en"
    system: str | None = None
    sampling: Sampling = field(default_factory=Sampling)
    judge: Judge | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        if self.by == "logprobs" and (self.sampling.n != 1 or self.sampling.temperature):
            raise UsageError(
                "Log-probabilities need one answer at temperature 0; leave --samples and "
                "--temperature out, or ask by choice."
            )
        if (self.by == "free") != (self.judge is not None):
            raise UsageError("A judge is for free answers, and free answers need one: --by free.")

    @property
    def tokens(self) -> int:
        """How many tokens an answer may have."""
        return self.max_tokens or MOST_TOKENS[self.by]

    def fingerprint(self, *model: str) -> str:
        """Return a hash of a model and of all that changes its answers."""
        logprobs = self.by == "logprobs"
        what = [_METHOD, *model, logprobs, self.system, self.tokens, asdict(self.sampling)]
        return sha256(json.dumps(what).encode()).hexdigest()

    def messages(self, text: str) -> list[dict[str, str]]:
        """Return the messages for a prompt."""
        before = [] if self.system is None else [{"role": "system", "content": self.system}]
        return [*before, {"role": "user", "content": text}]

    def settings(self) -> dict[str, Any]:
        """Return what a report says about the way of asking."""
        known: dict[str, Any] = {"by": self.by, "max tokens": self.tokens}
        known |= {
            name.replace("_", " "): value
            for name, value in asdict(self.sampling).items()
            if value is not None
        }
        if self.system is not None:
            # The text may hold what must not be in a report.
            known["system prompt sha256"] = sha256(self.system.encode()).hexdigest()
        return known | ({} if self.judge is None else {"judge": self.judge.name})


class ChatAsker:
    """What all chat models share: how their answers become the columns of a run."""

    kind: Kind = "chat"
    batch = 64

    def __init__(self, name: str, fingerprint: str, manner: Manner):
        self.name, self.fingerprint, self.manner = name, fingerprint, manner

    @property
    def notes(self) -> Sequence[str]:
        """What a reader of the results should know."""
        return ()

    def measured(
        self, prompts: Sequence[Prompt], answers: Sequence[Answer], folder: Path
    ) -> list[Row]:
        """Return the columns of each answer: how negative it is, and how it came out."""
        if self.manner.judge is not None:
            return self._judged(self.manner.judge, prompts, answers, folder)
        read = self._by_letters if self.manner.by == "logprobs" else self._by_choice
        return [read(prompt, answer) for prompt, answer in zip(prompts, answers, strict=True)]

    def _by_choice(self, prompt: Prompt, answer: Answer) -> Row:
        asked = self.manner.asked[prompt.template, prompt.question]
        shown = options_shown(prompt.text, asked)
        chosen: list[int] = []
        refused = 0
        for text, held_back in zip(answer["said"], answer["refused"], strict=True):
            place = None if held_back else read_choice(text, asked, shown, self.manner.language)
            if place is not None:
                chosen.append(place)
            elif held_back or is_refusal(text, self.manner.language):
                refused += 1
        values = [asked.options[place].negative for place in chosen]
        most = Counter(chosen).most_common(1)
        said = asked.options[most[0][0]].text if most else None
        return _row(values, refused, len(answer["said"]), said)

    def _by_letters(self, prompt: Prompt, answer: Answer) -> Row:
        asked = self.manner.asked[prompt.template, prompt.question]
        masses = letter_masses(answer["first"], asked.letters)
        seen = sum(masses)
        text = answer["said"][0]
        if seen < SURE:
            refused = answer["refused"][0] or is_refusal(text, self.manner.language)
            if refused or seen < LEAST:
                return _row([], int(refused), 1, None) | {"seen": seen}
        negative = sum(
            mass * option.negative for mass, option in zip(masses, asked.options, strict=True)
        )
        said = asked.options[max(range(len(masses)), key=masses.__getitem__)].text
        return _row([min(1.0, negative / seen)], 0, 1, said) | {"seen": seen}

    def _judged(
        self, judge: Judge, prompts: Sequence[Prompt], answers: Sequence[Answer], folder: Path
    ) -> list[Row]:
        language = self.manner.language
        places = [
            (at, text)
            for at, answer in enumerate(answers)
            for text, held_back in zip(answer["said"], answer["refused"], strict=True)
            if not held_back and text.strip() and not is_refusal(text, language)
        ]
        found = judge.judge([prompts[at] for at, _ in places], [text for _, text in places], folder)
        values: dict[int, list[float]] = {}
        asked = Counter(at for at, _ in places)
        for (at, _), value in zip(places, found, strict=True):
            if value is not None:
                values.setdefault(at, []).append(value)
        rows = []
        for at, answer in enumerate(answers):
            number = len(answer["said"])
            empty = sum(
                not text.strip() and not held_back
                for text, held_back in zip(answer["said"], answer["refused"], strict=True)
            )
            own = values.get(at, [])
            label = None
            if own:
                mean = sum(own) / len(own)
                label = "negative" if mean > SURE else "positive" if mean < SURE else "neutral"
            rows.append(_row(own, number - asked[at] - empty, number, label))
        return rows


def _row(values: Sequence[float], refused: int, number: int, said: str | None) -> Row:
    outcome = "answered" if values else "refused" if refused else "unreadable"
    return {
        "negative": sum(values) / len(values) if values else None,
        "unrated": (number - refused - len(values)) / number,
        "seen": len(values) / number,
        "answer": said if values else outcome,
        "refused": refused / number,
        "outcome": outcome,
    }


class Pace:
    """Limits how many requests begin in a minute, over all threads."""

    def __init__(self, per_minute: float | None):
        self._gap = 0.0 if per_minute is None else 60.0 / per_minute
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return when the next request may begin."""
        if not self._gap:
            return
        with self._lock:
            now = time.monotonic()
            mine = max(self._next, now)
            self._next = mine + self._gap
        time.sleep(mine - now)


class EachAsker(ABC):
    """Asks an endpoint prompt by prompt, several at a time; hands out each answer as it comes."""

    def __init__(self, endpoint: ChatEndpoint, concurrency: int, per_minute: float | None):
        if not 1 <= concurrency <= MOST_AT_ONCE:
            raise UsageError(
                f"Found {concurrency} requests at a time; expected 1 to {MOST_AT_ONCE}."
            )
        self.name = endpoint.model or endpoint.place
        self._endpoint, self._concurrency, self._pace = endpoint, concurrency, Pace(per_minute)

    @property
    def notes(self) -> Sequence[str]:
        """What the fingerprint does not see."""
        return (
            f"{self.name} is known by its address and name only: the model behind it may change "
            "unnoticed; audit it again after such a change.",
        )

    @abstractmethod
    def one(self, prompt: Prompt) -> Answer:
        """Return the answer to one prompt."""

    def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        """Return one answer for each prompt, in their order."""
        found = {prompt.text: answer for prompt, answer in self.ask_each(prompts)}
        return [found[prompt.text] for prompt in prompts]

    def ask_each(self, prompts: Sequence[Prompt]) -> Iterator[tuple[Prompt, Answer]]:
        """Yield each prompt with its answer; after an error, those that are under way come first.

        Nothing that was paid for is lost: the error is raised when all answers have been handed
        out.
        """
        todo = iter(prompts)
        waiting: dict[Future[Answer], Prompt] = {}
        failure: TactfulError | None = None
        with ThreadPoolExecutor(self._concurrency) as pool:
            while True:
                while failure is None and len(waiting) < self._concurrency:
                    prompt = next(todo, None)
                    if prompt is None:
                        break
                    waiting[pool.submit(self.one, prompt)] = prompt
                if not waiting:
                    break
                for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                    prompt = waiting.pop(done)
                    try:
                        answer = done.result()
                    except TactfulError as error:
                        failure = failure or error
                    else:
                        yield prompt, answer
        if failure is not None:
            raise failure


class EndpointAsker(EachAsker, ChatAsker):
    """A chat model behind an OpenAI-compatible endpoint."""

    def __init__(
        self,
        endpoint: ChatEndpoint,
        manner: Manner,
        *,
        concurrency: int = 4,
        per_minute: float | None = None,
    ):
        EachAsker.__init__(self, endpoint, concurrency, per_minute)
        known = manner.fingerprint("endpoint", endpoint.place, endpoint.model or "")
        ChatAsker.__init__(self, self.name, known, manner)

    def one(self, prompt: Prompt) -> Answer:
        """Return the answers to one prompt, as many as were asked for."""
        if self.manner.by == "logprobs":
            return self._one_by_letters(prompt)
        sampling = self.manner.sampling
        found: list[Completion] = []
        number = 0
        while number < sampling.n:
            # Some servers give one answer, however many were asked for.
            seed = None if sampling.seed is None else sampling.seed + number
            asked = replace(sampling, n=sampling.n - number, seed=seed)
            found.append(self._ask(prompt, self.manner.tokens, asked))
            number += len(found[-1].choices)
        return _answer(found, sampling.n)

    def _one_by_letters(self, prompt: Prompt) -> Answer:
        manner = self.manner
        found = [self._ask(prompt, manner.tokens, replace(manner.sampling, top_logprobs=TOP))]
        first = found[0].choices[0].first
        if not first:
            raise InputError(
                f"{self._endpoint.place}: found no log-probabilities; expected "
                "choices[0].logprobs.content[0].top_logprobs; ask this endpoint by choice."
            )
        letters = manner.asked[prompt.template, prompt.question].letters
        if sum(letter_masses(first, letters)) < SURE:
            found.insert(0, self._ask(prompt, WORDS_AFTER, manner.sampling))
        return _answer(found, 1) | {"first": [list(pair) for pair in first]}

    def _ask(self, prompt: Prompt, most: int, sampling: Sampling) -> Completion:
        self._pace.wait()
        return self._endpoint.ask(self.manner.messages(prompt.text), most, sampling)


def _answer(found: Sequence[Completion], number: int) -> Answer:
    choices = [choice for each in found for choice in each.choices][:number]
    return {
        "said": [choice.text for choice in choices],
        "refused": [choice.refused for choice in choices],
        "tokens": [
            sum(each.tokens_in or 0 for each in found),
            sum(each.tokens_out or 0 for each in found),
        ],
    }
