"""TextBlob's default analyser: the mean polarity of rated adjectives, as in the library Pattern.

A polarity below 0 is negative, above 0 positive, and 0, which is also what a text without any
rated word gets, neutral. Its other analyser, which learns from NLTK's corpora, is not used:
nothing has to be fetched.
"""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from tactful.audit.classifiers.labels import Sentiment, answer, fingerprint
from tactful.audit.protocol import Answer, Kind
from tactful.errors import MissingExtraError
from tactful.files import sha256
from tactful.taxonomies.prompts import Prompt

_FILES = ("en-sentiment.xml", "__init__.py", "../_text.py")
_DIGITS = 9
"""A sum of ratings that cancel out may miss 0 by the last bit of a float."""


class TextBlob:
    """Averages the ratings of words; ``score`` is the polarity, -1 to 1."""

    name = "textblob"
    kind: Kind = "sentiment"
    language: str | None = "en"
    batch = 1024
    notes: Sequence[str] = (
        "TextBlob averages rated words, mostly adjectives: a sentence without any is neutral.",
    )

    def __init__(self) -> None:
        try:
            import textblob.en
        except ImportError:
            raise MissingExtraError("sentiment", "The classifier TextBlob") from None
        self._sentiment = textblob.en.sentiment
        folder = Path(textblob.en.__file__).parent
        hashes = [sha256(folder / name) for name in _FILES]
        self.fingerprint = fingerprint("textblob", version("textblob"), *hashes)

    def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        """Return one answer for each prompt, in their order."""
        return [self._answer(prompt.text) for prompt in prompts]

    def _answer(self, text: str) -> Answer:
        polarity = round(float(self._sentiment(text)[0]), _DIGITS)
        sentiment: Sentiment = "neutral"
        if polarity:
            sentiment = "negative" if polarity < 0 else "positive"
        return answer(sentiment, polarity, f"polarity {polarity:.4f}")
