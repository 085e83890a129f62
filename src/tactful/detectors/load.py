"""Opening a detector by name or by the folder of its weights."""

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tactful.detectors.base import Detector
from tactful.detectors.card import CARD_FILE, Card, read_card
from tactful.detectors.weights import OPEN, find_weights, weights_folder
from tactful.errors import UsageError
from tactful.registry import Registry, unknown_name

EMBEDDED: dict[str, dict[str, str]] = {
    "en": {
        "default": "default-en",
        "fast": "fast-en",
        "cascade": "cascade-en",
        "open": "open-en",
        "open-fast": "open-fast-en",
        "open-cascade": "open-cascade-en",
    },
    "es": {"default": "default-es"},
}
"""Language -> name -> folder of the weights; see ``INSTEAD`` for those that are not installed."""

DETECTORS = tuple(dict.fromkeys(name for names in EMBEDDED.values() for name in names))
"""The names of all embedded detectors."""


def _opener(found: Any) -> Callable[..., Detector]:
    if not callable(found):
        raise TypeError(f"found {found!r}; expected a function that opens a detector")
    return found  # type: ignore[no-any-return]


KINDS: Registry[Callable[..., Detector]] = Registry(
    "kind of detector",
    {
        "encoder": "tactful.detectors.models.encoder:load_encoder_detector",
        "blend": "tactful.detectors.models.blend:load_blend_detector",
        "cascade": "tactful.detectors.models.cascade:load_cascade_detector",
        "hierarchy": "tactful.detectors.models.hierarchy:load_hierarchy_detector",
        "linear": "tactful.detectors.models.linear:load_linear_detector",
        "ngrams": "tactful.detectors.models.ngrams:load_ngram_detector",
        "rules": "tactful.detectors.models.rules:load_rule_detector",
        "tfidf": "tactful.detectors.models.tfidf:load_tfidf_detector",
        "vectors": "tactful.detectors.models.vectors:load_vectors_detector",
        "bilstm": "tactful.detectors.models.bilstm:load_bilstm_detector",
    },
    group="detectors",
    accept=_opener,
    reserved=DETECTORS,
)
"""The ``kind`` of a card.json -> the function that opens its folder.

The function of a plug-in is called without a folder when users name the plug-in as the detector.
"""


def embedded_cards(name: str = "default") -> list[Card]:
    """Return the cards of the installed detectors that a name stands for, of all languages."""
    return [read_card(folder) for folder in embedded_folders(name).values()]


def embedded_folders(
    name: str, langs: Sequence[str] = (), root: Path | None = None
) -> dict[str, Path]:
    """Return the folders of the installed detectors that a name stands for, by language.

    Parameters
    ----------
    name
        The name of an embedded detector.
    langs
        The languages that must be there; without any, those that are installed.
    root
        The folder of the weights, if they are not searched.

    Returns
    -------
    dict
        A language without a detector of that name has its default, but not beside an open
        detector: users who name one want no weights with other terms.

    """
    found = {}
    for lang in langs or EMBEDDED:
        if lang not in EMBEDDED:
            raise unknown_name("language", lang, list(EMBEDDED))
        folder = EMBEDDED[lang].get(name)
        if folder is None and not name.startswith(OPEN):
            folder = EMBEDDED[lang]["default"]
        if langs and folder is None:
            raise _not_for(name, lang)
        if folder and (langs or root or find_weights(folder)):
            found[lang] = weights_folder(folder, root)
    return found


def detector_names() -> list[str]:
    """Return the names of the embedded detectors, then those of plug-ins."""
    return [*DETECTORS, *KINDS.plugin_names()]


def is_detector_name(name: str, folder: Path | None = None) -> bool:
    """Say whether ``name`` is a detector's name, and not its folder (relative to ``folder``)."""
    if name in DETECTORS:
        return True
    here = Path(name).expanduser() if folder is None else folder / name
    is_bare = Path(name).name == name
    return is_bare and not (here / CARD_FILE).is_file() and name in KINDS.plugin_names()


def own_folder(name: str) -> Path:
    """Return the folder of the user's own detector; refuse a plug-in that is named without one."""
    if is_detector_name(name):
        raise UsageError(
            f"The detector '{name}' is a plug-in without a folder, which only 'tactful check', the "
            "editor and the library can use; name the folder of a detector."
        )
    return Path(name).expanduser()


def load_detector(name: str | Path = "default", *, lang: str = "en") -> Detector:
    """Open an embedded detector by name, or any detector by its folder; never uses the network.

    Parameters
    ----------
    name
        ``default`` (the multi-task encoder), ``fast`` (a linear model), ``cascade`` (``default``
        only where ``fast`` is unsure), their counterparts for any use (``open``, ``open-fast``,
        ``open-cascade``), the name of a plug-in, or the folder of a detector that ``tactful train``
        wrote.
    lang
        The language of an embedded detector: ``en`` or ``es``. Folders have their own.

    Returns
    -------
    Detector
        An open detector.

    Examples
    --------
    >>> import tactful
    >>> scores = tactful.load_detector("fast").score(["The bridge opens on Monday."])
    >>> bool(scores["pcl"][0] < 0.5)
    True

    """
    if lang not in EMBEDDED:
        raise unknown_name("language", lang, list(EMBEDDED))
    embedded = EMBEDDED[lang].get(str(name))
    if embedded is None and name in DETECTORS:
        raise _not_for(str(name), lang)
    if not embedded and isinstance(name, str) and is_detector_name(name):
        return _open_plugin(name)
    folder = weights_folder(embedded) if embedded else Path(name).expanduser()
    if not embedded and not folder.is_dir():
        if folder.name == str(name):
            raise unknown_name("detector", str(name), detector_names())
        raise UsageError(
            f"There is no folder '{folder}'; expected a detector's name "
            f"({', '.join(detector_names())}) or the folder of its weights."
        )
    kind = read_card(folder).kind
    opener = KINDS.get(kind)
    if kind in KINDS.built_in:
        return opener(folder)
    return KINDS.plugin(kind).run(lambda: _detector(opener(folder)))


def _not_for(name: str, lang: str) -> UsageError:
    return UsageError(
        f"There is no embedded detector '{name}' for the language '{lang}'; expected "
        f"{' or '.join(EMBEDDED[lang])}."
    )


def _open_plugin(name: str) -> Detector:
    opener = KINDS.get_plugin(name)
    plugin = KINDS.plugin(name)
    try:
        inspect.signature(opener).bind()
    except TypeError:
        raise UsageError(
            f"{plugin} opens folders of weights only; name the folder of such a detector."
        ) from None
    return plugin.run(lambda: _detector(opener()))


def _detector(found: object) -> Detector:
    if not isinstance(found, Detector):
        raise TypeError(f"it returned {found!r}; expected a detector")
    return found
