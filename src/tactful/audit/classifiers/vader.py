"""VADER (Hutto and Gilbert 2014): rules and a lexicon of 7,500 rated words."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from tactful.audit.classifiers.labels import Sentiment, answer, fingerprint
from tactful.audit.protocol import Answer, Kind
from tactful.errors import MissingExtraError
from tactful.files import sha256
from tactful.taxonomies.prompts import Prompt

NEGATIVE_TO, POSITIVE_FROM = -0.05, 0.05
"""The compound score up to and from which a text has a sentiment, as VADER's authors advise."""
_FILES = ("vader_lexicon.txt", "emoji_utf8_lexicon.txt", "vaderSentiment.py")


class Vader:
    """Sums up the ratings of the words; ``score`` is the compound score, -1 to 1."""

    name = "vader"
    kind: Kind = "sentiment"
    language: str | None = "en"
    batch = 1024
    notes: Sequence[str] = (
        "VADER looks words up in a lexicon: a condition is negative where its name holds a word "
        "that is rated so, whatever the sentence says.",
    )

    def __init__(self) -> None:
        try:
            from vaderSentiment import vaderSentiment
        except ImportError:
            raise MissingExtraError("sentiment", "The classifier VADER") from None
        self._scores = vaderSentiment.SentimentIntensityAnalyzer().polarity_scores
        folder = Path(vaderSentiment.__file__).parent
        hashes = [sha256(folder / name) for name in _FILES]
        self.fingerprint = fingerprint(
            "vader", version("vaderSentiment"), *hashes, f"{NEGATIVE_TO} {POSITIVE_FROM}"
        )

    def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        """Return one answer for each prompt, in their order."""
        return [self._answer(prompt.text) for prompt in prompts]

    def _answer(self, text: str) -> Answer:
        compound = float(self._scores(text)["compound"])
        sentiment: Sentiment = "neutral"
        if compound <= NEGATIVE_TO:
            sentiment = "negative"
        elif compound >= POSITIVE_FROM:
            sentiment = "positive"
        return answer(sentiment, compound, f"compound {compound:.4f}")
