"""An HTTP endpoint as a classifier; off unless the user allows the network.

It gets ``{"texts": [...]}`` or, in the shape of Hugging Face's inference servers,
``{"inputs": [...]}``. It answers with a list of sayings (see
:mod:`tactful.audit.classifiers.sayings`), one for each text, or with ``{"labels": [...]}``.
"""

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

from tactful.audit.classifiers.labels import Sentiment, fingerprint
from tactful.audit.classifiers.sayings import EXPECTED, is_labelled, read_sayings
from tactful.audit.classifiers.transport import Poster, is_local
from tactful.audit.protocol import Answer, Kind
from tactful.errors import InputError, UsageError
from tactful.registry import unknown_name
from tactful.taxonomies.prompts import Prompt

SHAPES = ("texts", "inputs")
"""The key under which an endpoint wants the texts."""
_BATCH = 32


class EndpointClassifier:
    """A classifier behind an address."""

    kind: Kind = "sentiment"

    def __init__(
        self,
        poster: Poster,
        labels: Mapping[str, Sentiment],
        shape: str = "texts",
        batch: int = _BATCH,
    ):
        self.name, self.batch = poster.place, batch
        self._poster, self._labels, self._shape = poster, labels, shape
        self.fingerprint = fingerprint("endpoint", poster.url, shape, labels=labels)

    @property
    def notes(self) -> Sequence[str]:
        """What the fingerprint does not see."""
        return (
            f"{self.name} is known by its address only: the model behind it may change unnoticed; "
            "audit it again after such a change.",
        )

    def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        """Return one answer for each prompt, in their order."""
        answers: list[Answer] = []
        for start in range(0, len(prompts), self.batch):
            answers += self._answers([p.text for p in prompts[start : start + self.batch]])
        return answers

    def _answers(self, texts: list[str]) -> list[Answer]:
        said = self._poster.post({self._shape: texts})
        if isinstance(said, Mapping) and "labels" in said:
            said = said["labels"]
        if not isinstance(said, list):
            raise InputError(
                f"{self.name}: found JSON of another shape; expected a list, or a mapping with "
                f"'labels', that has, for each text, {EXPECTED}."
            )
        if len(texts) == 1 and len(said) > 1 and all(map(is_labelled, said)):
            # Asked about one text, some servers drop the outer list.
            said = [said]
        return read_sayings(said, len(texts), self._labels, self.name)


def load_endpoint(
    url: str,
    labels: Mapping[str, Sentiment],
    *,
    allow_network: bool = False,
    shape: str = "texts",
    token_env: str | None = None,
    allow_plain_http: bool = False,
    timeout: float | None = None,
    batch: int | None = None,
) -> EndpointClassifier:
    """Check an address; nothing is sent before the first prompt."""
    parts = _checked(url)
    if not allow_network:
        raise UsageError(
            f"'{parts.scheme}://{parts.hostname}' is on a network, and Tactful uses none by "
            "default; pass --allow-network to send it the prompts."
        )
    local = is_local(parts.hostname or "")
    if parts.scheme == "http" and not local:
        if not allow_plain_http:
            raise UsageError(
                f"'http://{parts.hostname}' would get the prompts unencrypted; expected https, or "
                "http on this machine; pass --allow-plain-http to allow it."
            )
        if token_env is not None:
            raise UsageError(
                f"'http://{parts.hostname}' would get the token unencrypted; expected https; "
                "leave --token-env out."
            )
    if shape not in SHAPES:
        raise unknown_name("endpoint shape", shape, list(SHAPES))
    limit: dict[str, Any] = {}
    if timeout is not None:
        if not (math.isfinite(timeout) and timeout > 0):
            raise UsageError(f"The timeout is {timeout:g}; expected seconds above 0.")
        limit["timeout"] = timeout
    poster = Poster(url, token=_token(token_env), **limit)
    return EndpointClassifier(poster, labels, shape, batch or _BATCH)


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or not url.isascii() or any(letter <= " " or letter == "\x7f" for letter in url):
        raise UsageError(
            "The address of the endpoint cannot be read; expected one such as "
            "https://example.org/classify, without spaces and other letters than ASCII."
        )
    if parts.scheme not in ("http", "https"):
        raise UsageError(f"The address begins with '{parts.scheme}:'; expected https or http.")
    if parts.username is not None or parts.password is not None:
        # It would stand in the name of the run, and so in reports.
        raise UsageError(
            "The address of the endpoint holds a user's name or password; expected none; put a "
            "token into an environment variable and name that with --token-env."
        )
    return parts


def _token(variable: str | None) -> str | None:
    if variable is None:
        return None
    token = os.environ.get(variable, "").strip()
    if not token:
        raise UsageError(
            f"The environment variable '{variable}' is unset or empty; expected the endpoint's "
            "token."
        )
    if not token.isascii() or not token.isprintable():
        raise UsageError(
            f"The environment variable '{variable}' holds letters that no token has; expected "
            "printable ASCII."
        )
    return token
