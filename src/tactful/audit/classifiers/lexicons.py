"""VADER and TextBlob: classifiers that look words up in a lexicon.

VADER (Hutto and Gilbert 2014) has rules and a lexicon of 7,500 rated words. TextBlob's default
analyser takes the mean polarity of rated adjectives; a text without any rated word gets 0. Its
other analyser, which learns from NLTK's corpora, is not used, so nothing has to be downloaded.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from tactful.audit.classifiers.labels import Classifier, Sentiment, answer, fingerprint
from tactful.audit.protocol import Answer
from tactful.errors import MissingExtraError
from tactful.files import sha256

NEGATIVE_TO, POSITIVE_FROM = -0.05, 0.05
"""The compound score up to and from which a text has a sentiment, as VADER's authors advise."""
_DIGITS = 9
"""A sum of ratings that cancel out may miss 0 by the last bit of a float."""


class LexiconClassifier(Classifier):
    """Turns a score from -1 to 1 into a class.

    ``limits`` are the score up to which a text is negative and from which it is positive.
    """

    language: str | None = "en"
    batch = 1024

    def __init__(
        self,
        name: str,
        score: Callable[[str], float],
        what: str,
        limits: tuple[float, float],
        fingerprint: str,
        note: str,
    ) -> None:
        self.name, self.fingerprint, self.notes = name, fingerprint, (note,)
        self._score, self._what, self._limits = score, what, limits

    def answers(self, texts: list[str]) -> list[Answer]:
        """Return one answer for each text of a batch."""
        return [self._answer(text) for text in texts]

    def _answer(self, text: str) -> Answer:
        score = round(self._score(text), _DIGITS)
        sentiment: Sentiment = "neutral"
        if score <= self._limits[0]:
            sentiment = "negative"
        elif score >= self._limits[1]:
            sentiment = "positive"
        return answer(sentiment, score, f"{self._what} {score:.4f}")


def vader() -> LexiconClassifier:
    """Return VADER; ``score`` is its compound score."""
    try:
        from vaderSentiment import vaderSentiment
    except ImportError:
        raise MissingExtraError("sentiment", "The classifier VADER") from None
    scores = vaderSentiment.SentimentIntensityAnalyzer().polarity_scores
    files = ("vader_lexicon.txt", "emoji_utf8_lexicon.txt", "vaderSentiment.py")
    limits = NEGATIVE_TO, POSITIVE_FROM
    return LexiconClassifier(
        "vader",
        lambda text: float(scores(text)["compound"]),
        "compound",
        limits,
        fingerprint(
            "vader",
            version("vaderSentiment"),
            *_hashes(vaderSentiment, files),
            f"{NEGATIVE_TO} {POSITIVE_FROM}",
        ),
        "VADER looks words up in a lexicon: a condition is negative where its name contains a word "
        "with a negative rating, whatever the sentence says.",
    )


def textblob() -> LexiconClassifier:
    """Return TextBlob; ``score`` is the polarity."""
    try:
        import textblob.en
    except ImportError:
        raise MissingExtraError("sentiment", "The classifier TextBlob") from None
    sentiment = textblob.en.sentiment
    files = ("en-sentiment.xml", "__init__.py", "../_text.py")
    least = 10.0**-_DIGITS
    return LexiconClassifier(
        "textblob",
        lambda text: float(sentiment(text)[0]),
        "polarity",
        (-least, least),
        fingerprint("textblob", version("textblob"), *_hashes(textblob.en, files)),
        "TextBlob averages rated words, mostly adjectives: a sentence without any is neutral.",
    )


def _hashes(module: ModuleType, files: Sequence[str]) -> list[str]:
    folder = Path(str(module.__file__)).parent
    return [sha256(folder / name) for name in files]
