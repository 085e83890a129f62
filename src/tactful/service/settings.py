"""The settings of a service, which ``tactful serve`` sets."""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tactful.errors import UsageError
from tactful.scale.environment import cores

LogFormat = Literal["text", "json"]
Unsupported = Literal["refuse", "omit", "null"]

_PUBLIC_URL = re.compile(
    r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?(?P<path>(/[\w.~-]+)*)/?", re.ASCII
)
_HOST_NAME = re.compile(r"[A-Za-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Every setting of the service; ``create_app(settings)`` reads no others."""

    model: str = "default"
    """The detector: default, fast, cascade, or a folder."""
    langs: tuple[str, ...] = ("en", "es")
    """The languages that are served; the first one reads what has no clear language."""
    host: str = "127.0.0.1"
    """The address that is listened on."""
    port: int = 8000
    """The port that is listened on; 0 takes a free one."""
    workers: int = 1
    """How many processes share the port."""
    max_queue: int = 256
    """The most texts that wait in a process; further requests are answered with 429."""
    max_batch: int = 32
    """The most texts of different requests that are read in one call."""
    batch_wait_ms: float = 3.0
    """How long a small batch waits for more right after a larger one; never when idle."""
    micro_batching: bool = True
    """Whether texts of different requests are read together."""
    max_body_bytes: int = 2_000_000
    """A longer request is refused with 413 before it is read to its end."""
    max_texts: int = 256
    """The most texts in one request."""
    max_text_chars: int = 50_000
    """The most characters of a text; all texts of a request may have twice as many."""
    max_tokens: int = 4_096
    """The most tokens of a document, which are about three quarters as many words; all texts that
    are only scored may have three times as many."""
    timeout_seconds: float = 30.0
    """A request that takes longer is cancelled and answered with 504."""
    receive_seconds: float = 10.0
    """The head of a request, and then its body, must arrive within this time (408)."""
    keys_file: Path | None = None
    """The file with the API keys; without one, no key is asked for."""
    cors_origins: tuple[str, ...] = ()
    """The web sites whose pages may call the API from a browser; none by default."""
    rate_per_minute: int | None = None
    """The most requests a minute per key, or per address without keys; None for no limit."""
    tokens_per_minute: int | None = None
    """The most tokens a minute that are read per key, or per address; None for no limit."""
    log_format: LogFormat = "text"
    """How the log is written: lines for people, or one JSON object a line."""
    root_path: str = ""
    """The path under which a proxy shows the service, such as /tactful; that of the public URL."""
    public_url: str = ""
    """The address by which clients reach the service, such as https://tactful.example.org."""
    allowed_hosts: tuple[str, ...] = ()
    """Names of hosts that may be given to clients as our address, where there is no public URL."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses or networks of proxies whose X-Forwarded-For, -Proto and -Host are trusted."""
    web: bool = True
    """Whether the web app is served beside the API."""
    unsupported: Unsupported = "null"
    """What the Perspective routes do with attributes they cannot score: refuse the request, leave
    them out, or answer them with null."""
    scale: str = "perspective"
    """What the scores of the Perspective routes mean: perspective, probability, or a file."""
    fail_closed: bool = False
    """Whether the Perspective routes and /v1/moderations answer what they cannot judge as "needs
    review", instead of with an error that a client may ignore."""
    annotation: str | None = None
    """Where ``tactful annotate serve`` shows its pages; /annotate leads there."""
    audits: Path | None = None
    """A folder with reports of audits, which the web app lists."""
    rewrite_endpoint: str | None = None
    """The chat endpoint of /v1/rewrite, which gets sentences of users; none by default."""
    rewrite_chat_model: str | None = None
    """The model that the endpoint is asked for."""
    rewrite_key_variable: str | None = None
    """The environment variable that holds the endpoint's API key."""
    rewrite_allow_plain_http: bool = False
    """Whether an endpoint on another machine may get sentences unencrypted."""
    feedback: str | None = None
    """Where feedback is stored, as sqlite:///feedback.db; none by default."""
    feedback_texts: Literal["keep", "hash"] = "keep"
    """Whether the feedback store keeps texts, or only a keyed hash of each."""
    feedback_days: int = 90
    """Feedback that is older is deleted."""
    shadow: str | None = None
    """A second detector that reads a sample of the same texts, to compare both."""
    shadow_share: float = 0.1
    """The share of the scored texts that the second detector reads."""
    webhook: str | None = None
    """The address that gets scores above thresholds and decisions; none by default."""
    webhook_thresholds: tuple[str, ...] = ()
    """From which probability on, as toxicity=0.8; without any, as a check reports."""
    webhook_texts: bool = False
    """Whether events hold the text."""
    weights: Path | None = None
    """Where workers find weights that are laid out to be shared; made by ``tactful serve``."""

    def __post_init__(self) -> None:
        for name in ("workers", "max_queue", "max_batch", "max_body_bytes", "max_texts",
                     "max_text_chars", "max_tokens", "timeout_seconds",
                     "receive_seconds", "feedback_days"):  # fmt: skip
            if getattr(self, name) <= 0:
                raise UsageError(f"Found {name} {getattr(self, name):g}; expected more than 0.")
        for name in ("rate_per_minute", "tokens_per_minute"):
            if getattr(self, name) is not None and getattr(self, name) <= 0:
                raise UsageError(
                    f"Found {name} {getattr(self, name)}; expected more than 0, or none."
                )
        if not 0 < self.shadow_share <= 1:
            raise UsageError(
                f"Found shadow_share {self.shadow_share:g}; expected more than 0 and at most 1."
            )
        if not self.langs:
            raise UsageError("Found no language to serve; expected at least one of en and es.")
        if self.annotation is not None and not self.annotation.startswith(("http://", "https://")):
            raise UsageError(
                f"Found '{self.annotation}' as the address of the annotation pages; expected one "
                "like http://127.0.0.1:8100, which 'tactful annotate serve' prints."
            )
        self._check_addresses()
        if self.root_path and (not self.root_path.startswith("/") or self.root_path.endswith("/")):
            raise UsageError(
                f"Found the root path '{self.root_path}'; expected one like /tactful, with a slash "
                "before and none behind."
            )

    def _check_addresses(self) -> None:
        if self.public_url:
            match = _PUBLIC_URL.fullmatch(self.public_url)
            if match is None:
                raise UsageError(
                    f"Found the public URL '{self.public_url}'; expected one like "
                    "https://tactful.example.org or https://example.org/tactful."
                )
            if self.root_path not in ("", match["path"]):
                raise UsageError(
                    f"Found the root path '{self.root_path}' and the public URL "
                    f"'{self.public_url}'; expected the same path in both, or no --root-path."
                )
            object.__setattr__(self, "public_url", self.public_url.rstrip("/"))
            object.__setattr__(self, "root_path", match["path"])
        for host in self.allowed_hosts:
            if not _HOST_NAME.fullmatch(host) and not _is_network(f"{host}/128"):
                raise UsageError(
                    f"Found the allowed host '{host}'; expected a name or an address without a "
                    "port, such as tactful.example.org."
                )
        object.__setattr__(self, "allowed_hosts", tuple(map(str.lower, self.allowed_hosts)))
        for proxy in self.trusted_proxies:
            if not _is_network(proxy):
                raise UsageError(
                    f"Found the trusted proxy '{proxy}'; expected an address such as 127.0.0.1 or "
                    "a network such as 10.0.0.0/8."
                )

    @property
    def threads(self) -> int:
        """How many threads a detector of one process computes with: its share of the cores."""
        return max(1, cores() // self.workers)


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True
