"""An HTTP endpoint as a classifier; off unless the user allows the network.

It gets ``{"texts": [...]}`` or, in the shape of Hugging Face's inference servers,
``{"inputs": [...]}``. It answers with a list of sayings (see
:mod:`tactful.audit.classifiers.labels`), one for each text, or with ``{"labels": [...]}``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tactful.audit.classifiers.labels import (
    EXPECTED,
    Classifier,
    Sentiment,
    fingerprint,
    is_labelled,
    read_sayings,
)
from tactful.audit.protocol import Answer
from tactful.errors import InputError, UsageError
from tactful.posting import (
    Advice,
    Poster,
    checked_timeout,
    read_address,
    read_token,
    refuse_plain_http,
)
from tactful.registry import unknown_name

SHAPES = ("texts", "inputs")
"""The key under which an endpoint wants the texts."""
_BATCH = 32
_VARIABLE = "--token-env"
_NAME_THE_TOKEN = f"name the variable that holds its token with {_VARIABLE}"
ADVICE = Advice(
    size="expected one label for each text",
    by_status={
        400: "check --endpoint-shape",
        401: _NAME_THE_TOKEN,
        403: _NAME_THE_TOKEN,
        413: "pass a smaller --batch",
        422: "check --endpoint-shape",
    },
    later="run the same command again later: the answers so far are saved",
)


class EndpointClassifier(Classifier):
    """A classifier behind an address."""

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

    def answers(self, texts: list[str]) -> list[Answer]:
        """Return one answer for each text of a batch."""
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
    parts = read_address(url, option=_VARIABLE, example="https://example.org/classify")
    if not allow_network:
        raise UsageError(
            f"'{parts.scheme}://{parts.hostname}' is on a network, and Tactful uses none by "
            "default; pass --allow-network to send it the prompts."
        )
    if not allow_plain_http:
        refuse_plain_http(parts, "the prompts", "--allow-plain-http")
    token = read_token(token_env, parts, _VARIABLE)
    if shape not in SHAPES:
        raise unknown_name("endpoint shape", shape, list(SHAPES))
    poster = Poster(url, token=token, advice=ADVICE)
    if timeout is not None:
        poster = replace(poster, timeout=checked_timeout(timeout))
    return EndpointClassifier(poster, labels, shape, batch or _BATCH)
