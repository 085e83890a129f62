"""Opening a detector by name or by the folder of its weights."""

from collections.abc import Callable
from pathlib import Path

from tactful.detectors.base import Detector
from tactful.detectors.card import Card, read_card
from tactful.detectors.weights import find_weights, weights_folder
from tactful.errors import UsageError
from tactful.registry import Registry, unknown_name

EMBEDDED: dict[str, dict[str, str]] = {
    "en": {"default": "default-en", "fast": "fast-en", "cascade": "cascade-en"},
    "es": {"default": "default-es"},
}
"""Language -> name -> folder of the weights."""

DETECTORS = tuple(dict.fromkeys(name for names in EMBEDDED.values() for name in names))
"""The names of all embedded detectors."""

KINDS: Registry[Callable[[Path], Detector]] = Registry(
    "kind of detector",
    {
        "encoder": "tactful.detectors.models.encoder:load_encoder_detector",
        "baseline": "tactful.detectors.models.baselines:load_baseline_detector",
        "blend": "tactful.detectors.models.blend:load_blend_detector",
        "cascade": "tactful.detectors.models.cascade:load_cascade_detector",
        "experts": "tactful.detectors.models.experts:load_experts_detector",
        "linear": "tactful.detectors.models.linear:load_linear_detector",
        "ngrams": "tactful.detectors.models.ngrams:load_ngram_detector",
        "rules": "tactful.detectors.models.rules:load_rule_detector",
        "tfidf": "tactful.detectors.models.tfidf:load_tfidf_detector",
        "vectors": "tactful.detectors.models.vectors:load_vectors_detector",
        "bilstm": "tactful.detectors.models.bilstm:load_bilstm_detector",
    },
)
"""The ``kind`` of a card.json -> the function that opens its folder."""


def embedded_cards() -> list[Card]:
    """Return the cards of the installed default detectors of all languages."""
    folders = [find_weights(names["default"]) for names in EMBEDDED.values()]
    return [read_card(folder) for folder in folders if folder]


def load_detector(name: str | Path = "default", *, lang: str = "en") -> Detector:
    """Open an embedded detector by name, or any detector by its folder; never uses the network.

    Parameters
    ----------
    name
        ``default`` (the multi-task encoder), ``fast`` (a linear model), ``cascade`` (``default``
        only where ``fast`` is unsure), or the folder of a detector that ``tactful train`` wrote.
    lang
        The language of an embedded detector: ``en`` or ``es``. Folders have their own.

    Returns
    -------
    Detector
        An open detector. Its scores lack the second reading that :func:`tactful.check` adds.

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
        raise UsageError(
            f"There is no embedded detector '{name}' for the language '{lang}'; expected "
            f"{' or '.join(EMBEDDED[lang])}."
        )
    folder = weights_folder(embedded) if embedded else Path(name).expanduser()
    if not embedded and not folder.is_dir():
        if folder.name == str(name):
            raise unknown_name("detector", str(name), list(DETECTORS))
        raise UsageError(
            f"There is no folder '{folder}'; expected a detector's name ({', '.join(DETECTORS)}) "
            "or the folder of its weights."
        )
    return KINDS.get(read_card(folder).kind)(folder)
