"""The user's own chat endpoint, which has the chat completions of OpenAI's API.

llama.cpp, vLLM, Ollama and others serve them on the user's machine. Nothing is sent unless an
address is configured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any
from urllib.parse import urlsplit

from tactful.errors import InputError
from tactful.posting import (
    PASSING,
    RETRIED,
    Advice,
    Poster,
    checked_timeout,
    read_address,
    read_token,
    refuse_plain_http,
)

PATH = "/chat/completions"
PLAIN_PATH = "/completions"
EXAMPLE = "http://127.0.0.1:8080/v1"
TIMEOUT = 60.0
"""Seconds for one answer."""
MOST_BYTES = 1 << 20
TRIES = 3
_NAME_THE_KEY = "name the variable that holds the API key"
_ADVICE = Advice(
    size="expected a chat completion",
    by_status={
        400: "check the name of the chat model",
        401: _NAME_THE_KEY,
        403: _NAME_THE_KEY,
        404: "check the address, which may need /v1 at its end, and the name of the chat model",
        422: "check the name of the chat model",
    },
    later="try again later",
)

Message = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How answers are sampled; None means the default of the endpoint."""

    temperature: float = 0.0
    n: int = 1
    """How many answers to one question."""
    seed: int | None = None
    top_p: float | None = None
    top_logprobs: int | None = None
    """How many of the most probable first tokens to ask for."""

    def as_json(self) -> dict[str, Any]:
        """Return the fields of a request."""
        asked: dict[str, Any] = {"temperature": self.temperature}
        if self.n != 1:
            asked["n"] = self.n
        if self.seed is not None:
            asked["seed"] = self.seed
        if self.top_p is not None:
            asked["top_p"] = self.top_p
        if self.top_logprobs is not None:
            asked |= {"logprobs": True, "top_logprobs": self.top_logprobs}
        return asked


GREEDY = Sampling()


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer as it came."""

    text: str
    refused: bool = False
    """Whether the endpoint itself says that the model refused, or that a filter held it back."""
    first: tuple[tuple[str, float], ...] = ()
    """The most probable first tokens and their log-probabilities, where these were asked for."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The answers to one question, and what they cost."""

    choices: tuple[Choice, ...]
    tokens_in: int | None = None
    tokens_out: int | None = None


@dataclass(frozen=True, slots=True)
class ChatEndpoint:
    """Asks one chat model.

    Parameters
    ----------
    poster
        Posts to the address.
    model
        The name of the model, for servers that have several.

    """

    poster: Poster
    model: str | None = None

    @property
    def place(self) -> str:
        """The address, without what may hold a key."""
        return self.poster.place

    def complete(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        schema: Mapping[str, Any] | None = None,
    ) -> str:
        """Return what the model answers to messages.

        Parameters
        ----------
        messages
            The messages, each with ``role`` and ``content``.
        max_tokens
            How many tokens the answer may have.
        schema
            The JSON schema that the answer should keep to, for servers that can constrain it.

        Returns
        -------
        str
            The answer as it came: check it before you show it.

        """
        return self.ask(messages, max_tokens, schema=schema).choices[0].text

    def ask(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        sampling: Sampling = GREEDY,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """Return the answers of a model to messages, with what the endpoint says about them.

        Parameters
        ----------
        messages
            The messages, each with ``role`` and ``content``.
        max_tokens
            How many tokens an answer may have.
        sampling
            How answers are drawn.
        schema
            The JSON schema that answers should keep to, for servers that can constrain them.

        Returns
        -------
        Completion
            The answers.

        """
        asked: dict[str, Any] = {
            "messages": list(messages),
            **sampling.as_json(),
            "max_tokens": max_tokens,
            "stream": False,
        }
        if schema is not None:
            wanted = {"name": "answer", "strict": True, "schema": dict(schema)}
            asked["response_format"] = {"type": "json_schema", "json_schema": wanted}
        said = self.poster.post(asked if self.model is None else {"model": self.model, **asked})
        try:
            choices = tuple(map(_choice, said["choices"]))
        except (KeyError, IndexError, TypeError, ValueError):
            choices = ()
        if not choices:
            raise InputError(
                f"{self.place}: found JSON of another shape; expected a chat completion with "
                "choices[0].message.content; is this an OpenAI-compatible endpoint?"
            )
        return Completion(choices, *_usage(said))

    def read(self, text: str) -> tuple[tuple[int, float], ...]:
        """Return where each token of a text begins and its log-probability, by plain completions.

        Not every endpoint offers this: it must take ``echo`` and ``max_tokens`` 0, as vLLM does.

        Parameters
        ----------
        text
            The text, which the model reads and does not continue.

        Returns
        -------
        tuple of (int, float)
            The place in the text of each token that has a log-probability.

        """
        parts = urlsplit(self.poster.url)
        plain = parts._replace(path=parts.path.removesuffix(PATH) + PLAIN_PATH)
        asked: dict[str, Any] = {
            "prompt": text, "max_tokens": 0, "echo": True, "logprobs": 1, "temperature": 0
        }  # fmt: skip
        poster = replace(self.poster, url=plain.geturl())
        said = poster.post(asked if self.model is None else {"model": self.model, **asked})
        try:
            pairs = _placed(said["choices"][0]["logprobs"], text)
        except (KeyError, IndexError, TypeError, ValueError):
            pairs = ()
        if not pairs:
            raise InputError(
                f"{poster.place}: found no log-probabilities of the whole text; expected "
                "completions that take 'echo' with 'max_tokens' 0 and 'logprobs', as vLLM serves "
                "them; ask this endpoint by choice or by logprobs."
            )
        return pairs


def _placed(found: Any, text: str) -> tuple[tuple[int, float], ...]:
    tokens = [str(token) for token in found["tokens"]]
    whole = "".join(tokens)
    # A server may put tokens before the text that are no part of it, such as one for its beginning.
    shift = whole.index(text) if text in whole else 0
    starts = found.get("text_offset")
    if starts is None:
        if text not in whole:
            raise ValueError(text)
        ends = list(accumulate(map(len, tokens)))
        starts = [0, *ends[:-1]]
    values = found["token_logprobs"]
    return tuple(
        (int(start) - shift, float(value))
        for start, value in zip(starts, values, strict=True)
        if value is not None
    )


def _choice(found: Any) -> Choice:
    message = found["message"]
    refusal = message.get("refusal")
    refused = bool(refusal) or found.get("finish_reason") == "content_filter"
    content = message["content"]
    if content is None and refused:
        content = refusal if isinstance(refusal, str) else ""
    if not isinstance(content, str):
        raise TypeError(content)
    return Choice(content, refused, _first_token(found.get("logprobs")))


def _first_token(found: Any) -> tuple[tuple[str, float], ...]:
    places = found.get("content") if isinstance(found, Mapping) else None
    if not places:
        return ()
    return tuple((str(each["token"]), float(each["logprob"])) for each in places[0]["top_logprobs"])


def _usage(said: Any) -> tuple[int | None, int | None]:
    usage = said.get("usage")
    if not isinstance(usage, Mapping):
        return None, None
    values = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    tokens_in, tokens_out = (value if isinstance(value, int) else None for value in values)
    return tokens_in, tokens_out


def open_chat(
    url: str,
    *,
    model: str | None = None,
    key_variable: str | None = None,
    allow_plain_http: bool = False,
    timeout: float = TIMEOUT,
    tries: int = TRIES,
    patient: bool = False,
    prefix: str = "--",
) -> ChatEndpoint:
    """Check the address of a chat endpoint; nothing is sent before the first question.

    Parameters
    ----------
    url
        The address, such as ``http://127.0.0.1:8080/v1``.
    model
        The name of the model, for servers that have several.
    key_variable
        The environment variable that holds the API key.
    allow_plain_http
        Whether another machine may get texts unencrypted.
    timeout
        Seconds for one answer.
    tries
        How often to ask an endpoint that is busy.
    patient
        Whether to try again, too, where a connection was lost or the server had an error of its
        own: for those who ask thousands of times.
    prefix
        How the options begin that error messages name.

    Returns
    -------
    ChatEndpoint
        The endpoint.

    """
    option = f"{prefix}key-variable"
    parts = read_address(url, option=option, example=EXAMPLE)
    if not allow_plain_http:
        refuse_plain_http(parts, "the sentences", f"{prefix}allow-plain-http")
    token = read_token(key_variable, parts, option)
    path = parts.path.rstrip("/")
    whole = parts._replace(path=path if path.endswith(PATH) else path + PATH, fragment="")
    poster = Poster(
        whole.geturl(),
        timeout=checked_timeout(timeout),
        token=token,
        most_bytes=MOST_BYTES,
        tries=tries,
        advice=_ADVICE,
        retried=PASSING if patient else RETRIED,
        retries_lost=patient,
    )
    return ChatEndpoint(poster, model)
