"""Open a classifier by its name."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

from tactful.audit.classifiers.callable import NAME as CALLABLE_NAME
from tactful.audit.classifiers.callable import load_callable
from tactful.audit.classifiers.detector import PREFIX, load_detector_classifier
from tactful.audit.classifiers.endpoint import load_endpoint
from tactful.audit.classifiers.hub_model import HubClassifier
from tactful.audit.classifiers.labels import check_labels
from tactful.audit.classifiers.lexicons import textblob, vader
from tactful.audit.hub import Opened, open_model
from tactful.audit.protocol import Asker
from tactful.detectors.load import DETECTORS
from tactful.errors import UnknownNameError, UsageError

BUILT_IN = ("vader", "textblob", *(f"{PREFIX}{name}" for name in DETECTORS))
"""What works without a hub and without a network."""
OTHER_WAYS = (
    f"{PREFIX}FOLDER (a detector of your own)",
    "the folder or hub name of a transformers classifier",
    "module:function",
    "https://… (with --allow-network)",
)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_NEAR = 0.75


def load_classifier(
    name: str,
    *,
    labels: Mapping[str, str] | None = None,
    download: bool = False,
    allow_network: bool = False,
    endpoint_shape: str = "texts",
    token_env: str | None = None,
    allow_plain_http: bool = False,
    timeout: float | None = None,
    batch: int | None = None,
    language: str = "en",
) -> Asker:
    """Open a sentiment classifier; nothing uses a network unless you allow it.

    ``name`` is ``vader``, ``textblob``, ``tactful:NAME`` (with ``#ID`` for one finding), the
    folder or the hub name of a transformers sequence classifier, ``module:function`` or the
    address of an endpoint. ``labels`` says what the classes stand for where their names do not.
    ``download`` lets a model be fetched from the hub; ``allow_network`` lets texts be sent to an
    endpoint, and ``endpoint_shape``, ``token_env`` (the name of the environment variable that
    holds its token), ``allow_plain_http`` and ``timeout`` are about that endpoint. ``language`` is
    that of the texts; ``tactful:default`` is the detector for it.
    """
    if batch is not None and batch < 1:
        raise UsageError(f"The batch size is {batch}; expected 1 or more.")
    name = name.strip()
    known = check_labels(labels)
    if _URL.match(name):
        return load_endpoint(
            name,
            known,
            allow_network=allow_network,
            shape=endpoint_shape,
            token_env=token_env,
            allow_plain_http=allow_plain_http,
            timeout=timeout,
            batch=batch,
        )
    if token_env is not None:
        raise UsageError(f"A token is for an endpoint; '{name}' is not one; leave --token-env out.")
    if name.casefold() in ("vader", "textblob") or name.startswith(PREFIX):
        return _load_built_in(name, language.split("-", maxsplit=1)[0], labelled=bool(labels))
    folder = Path(name).expanduser()
    if not folder.exists() and CALLABLE_NAME.fullmatch(name):
        return load_callable(name, known, batch=batch)
    if name and folder.is_dir():
        _refuse_detector(folder)
    elif "/" not in name:
        _refuse_slip(name)
    return HubClassifier(_open(name, download), known, batch)


def _load_built_in(name: str, language: str, *, labelled: bool) -> Asker:
    if labelled:
        raise UsageError(f"The classes of '{name}' are known; leave --labels out.")
    if name.startswith(PREFIX):
        return load_detector_classifier(name, language)
    return vader() if name.casefold() == "vader" else textblob()


def _open(name: str, download: bool) -> Opened:
    try:
        return open_model("classifier", name, download)
    except UsageError as error:
        if "/" in name or Path(name).is_dir():
            raise
        ways = ", ".join([*BUILT_IN, *OTHER_WAYS])
        raise UsageError(f"{error} Known without a model: {ways}.") from None


def _refuse_detector(folder: Path) -> None:
    if (folder / "card.json").is_file() and not (folder / "config.json").is_file():
        raise UsageError(
            f"{folder}: found a detector of Tactful; expected a transformers classifier; name it "
            f"as {PREFIX}{folder}."
        )


def _refuse_slip(name: str) -> None:
    """Refuse a name without an owner that is most likely a mistyped built-in one.

    Some models of the hub have no owner in their names, so what is not near is left to the hub.
    """
    meant = {each.casefold(): each for each in BUILT_IN}
    meant |= {each: f"{PREFIX}{each}" for each in DETECTORS}
    near = get_close_matches(name.casefold(), meant, n=1, cutoff=_NEAR)
    if near or not name or find_spec("transformers") is None:
        nearest = meant[near[0]] if near else None
        raise UnknownNameError("classifier", name, [*BUILT_IN, *OTHER_WAYS], nearest)
