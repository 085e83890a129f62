"""Which texts of a corpus the embedded detectors did not learn from.

The makers of the English weights held out 8 texts in 100, by a hash of the letters, from every
corpus. Those of the Spanish weights held out whole articles and speeches of other corpora, which
cannot be recognised from a text alone.
"""

from collections.abc import Sequence

from tactful.corpora.split import HASHED, hashed_part
from tactful.detectors.load import DETECTORS
from tactful.words import counted

LANGS = ("en",)


def can_tell(model: str, lang: str) -> bool:
    """Say whether it is known which texts a detector did not learn from."""
    return model in DETECTORS and lang in LANGS


def unseen_places(texts: Sequence[str]) -> list[int]:
    """Return the places of the texts that no embedded detector learnt from."""
    return [at for at, text in enumerate(texts) if hashed_part(text) == "validation"]


def unseen_note(models: Sequence[str], kept: int, texts: int) -> str:
    """Say what rows that are trained already were measured on."""
    return (
        f"Embedded ({', '.join(models)}): trained already, so measured on the "
        f"{counted(kept, 'text')} of {texts:,} that no embedded detector learnt from "
        f"({HASHED} in 100, by a hash of the text); their thresholds and calibration were "
        "chosen on these."
    )
