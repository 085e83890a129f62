"""A chat endpoint of the user's own: the chat completions that OpenAI's API made common.

llama.cpp, vLLM, Ollama and others serve them on the user's machine. Nothing is sent unless an
address is configured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tactful.errors import InputError
from tactful.posting import (
    Advice,
    Poster,
    checked_timeout,
    read_address,
    read_token,
    refuse_plain_http,
)

PATH = "/chat/completions"
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
class ChatEndpoint:
    """Asks one chat model, always with temperature 0.

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

    def complete(self, messages: Sequence[Message], max_tokens: int) -> str:
        """Return what the model answers to messages.

        Parameters
        ----------
        messages
            The messages, each with ``role`` and ``content``.
        max_tokens
            How many tokens the answer may have.

        Returns
        -------
        str
            The answer as it came: check it before you show it.

        """
        asked: dict[str, Any] = {
            "messages": list(messages),
            "temperature": 0,
            "max_tokens": max_tokens,
            "stream": False,
        }
        said = self.poster.post(asked if self.model is None else {"model": self.model, **asked})
        try:
            content = said["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            content = None
        if not isinstance(content, str):
            raise InputError(
                f"{self.place}: found JSON of another shape; expected a chat completion with "
                "choices[0].message.content; is this an OpenAI-compatible endpoint?"
            )
        return content


def open_chat(
    url: str,
    *,
    model: str | None = None,
    key_variable: str | None = None,
    allow_plain_http: bool = False,
    timeout: float = TIMEOUT,
    tries: int = TRIES,
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
    )
    return ChatEndpoint(poster, model)
