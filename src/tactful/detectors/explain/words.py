"""Which words carry a score: leave each out and see how far the score drops (occlusion).

It works with anything that scores text, and it says what the detector itself does: the value of a
word is the drop of the log-odds when it is left out. Long texts would need one scoring for each
word, so there pieces are left out first, and single words only inside the strongest pieces.
"""

import re
from collections.abc import Mapping, Sequence
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import Contribution
from tactful.documents.normalise import Normalised, normalise
from tactful.documents.segments import sentences
from tactful.types import Span

GAP = 3
"""Marked tokens with at most so many unmarked ones between them are one span."""
LONG_TOKENS = 16
"""From as many tokens on, at most a third of a text is marked."""
LEAST_TOKENS = 2
"""A single marked token is noise: no annotator marks less than a phrase."""


def token_spans(
    text: str,
    clean: Normalised,
    offsets: Sequence[tuple[int, int]],
    logits: NDArray[np.floating],
    name: str,
    threshold: float,
) -> list[Span]:
    """Return the marked places in code points of ``text``, whole words only."""
    runs = marked_runs(logits, threshold)
    spans = []
    for first, last in runs:
        places = [place for place in offsets[first:last] if place[0] < place[1]]
        if not places:
            continue
        start, end = clean.to_source(places[0][0], places[-1][1])
        start, end = _whole_words(text, start, end)
        if not _only_function_words(text[start:end]):
            spans.append(Span(start, end, name))
    return spans


def is_too_much(windows: Sequence[NDArray[np.floating]], threshold: float) -> bool:
    """Say whether more than a third of the tokens of a long text would be marked."""
    tokens = sum(len(logits) for logits in windows)
    runs = [run for logits in windows for run in marked_runs(logits, threshold)]
    return tokens >= LONG_TOKENS and 3 * sum(last - first for first, last in runs) > tokens


def marked_runs(logits: NDArray[np.floating], threshold: float) -> list[tuple[int, int]]:
    """Return half-open runs of tokens whose probability reaches the threshold."""
    probability = 1 / (1 + np.exp(-logits.astype(np.float64)))
    marked = np.flatnonzero(probability >= threshold)
    runs: list[tuple[int, int]] = []
    for at in marked.tolist():
        if runs and at - runs[-1][1] <= GAP:
            runs[-1] = (runs[-1][0], at + 1)
        else:
            runs.append((at, at + 1))
    long = [run for run in runs if run[1] - run[0] >= LEAST_TOKENS]
    return long or runs


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    return start, end


_MARKS = r"\s!-/:-@\[-`{-~¡¦§«¶·»¿\u2000-\u200b\u200e-\u206f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20"
_ALONE = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_LETTER = rf"[^{_MARKS}{_ALONE}]"
WORD = re.compile(rf"{_LETTER}+(?:['\u2019\-_]{_LETTER}+)*|[{_ALONE}]")
"""A run of anything but spaces and punctuation: letters with their marks, digits, emoji. Chinese
and Japanese characters stand alone, as no space divides their words."""
MOST_SPANS = 3
_CLEAR_SHARE = 0.5
"""A word is shown beside the strongest if it adds at least this share of what that adds, beyond
what the usual word of the text adds."""
# Pronouns and modal verbs are not among them: "us", "they" and "must" are typical of PCL.
_FUNCTION_WORDS = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "did", "do", "does",
        "for", "from", "had", "has", "have", "how", "if", "in", "into", "is", "it", "its",
        "nor", "of", "on", "or", "so", "than", "that", "the", "then", "there", "this", "to",
        "too", "was", "were", "what", "when", "which", "who", "with",
        "al", "como", "con", "cuando", "cuya", "cuyas", "cuyo", "cuyos", "de", "del", "desde",
        "donde", "e", "el", "en", "entre", "es", "está", "están", "esté", "estén", "fue", "fueron",
        "ha", "hacia", "han", "hasta", "hay", "había", "habían", "la", "las", "lo", "los", "o",
        "para", "pero", "por", "porque", "pues", "que", "quien", "quienes", "qué", "se", "según",
        "si", "u", "un", "una", "unas", "uno", "unos", "y",
    }
)  # fmt: skip
"""In both languages; a Spanish word that means much in English, such as "son", is not here."""
_MAY_BEGIN = frozenset(
    {
        "all", "any", "can", "could", "may", "might", "must", "no", "not", "shall", "should",
        "these", "those", "will", "would",
        "aquellas", "aquellos", "cada", "debe", "deben", "esa", "esas", "ese", "esos", "esta",
        "estas", "este", "estos", "le", "les", "ni", "nos", "os", "puede", "pueden", "se", "te",
        "toda", "todas", "todo", "todos",
    }
)  # fmt: skip
"""Light words with which a mark may begin: "can learn", "not fit", "esa gente", "nos quitan"."""
_MAY_END = frozenset(
    {
        "again", "away", "back", "down", "here", "him", "me", "off", "out", "them", "up", "us",
        "you",
    }
)  # fmt: skip
"""Light words with which a mark may end: "live off", "asked you"."""
_LIGHT_WORDS = (
    _FUNCTION_WORDS
    | _MAY_BEGIN
    | _MAY_END
    | frozenset(
        {
            "about", "also", "am", "because", "being", "don't", "even", "having", "haven't", "he",
            "her", "his", "i", "i'm", "i've", "isn't", "it's", "just", "let's", "my", "oh", "our",
            "over", "she", "some", "such", "that's", "their", "they", "they're", "through", "very",
            "we", "we're", "well", "where", "while", "yet", "you're", "you've", "your",
            "aunque", "además", "ella", "ellas", "ellos", "eres", "eso", "esto", "estoy", "hemos",
            "incluso", "mi", "mientras", "mis", "más", "muy", "nosotras",
            "nosotros", "nuestra", "nuestras", "nuestro", "nuestros", "sois", "somos", "soy",
            "su", "sus", "sí", "también", "ti", "tu", "tus", "tú", "usted", "ustedes",
            "vosotras", "vosotros", "vuestra", "vuestras", "vuestro", "vuestros", "ya", "yo", "él",
        }
    )
)  # fmt: skip
"""Words that carry something only together with others."""
_STOP = re.compile(r"[.!?,:;\n]")
"""What no mark runs across to the next."""
MOST_BETWEEN = 2
"""Marks with at most so many light words between them are one mark."""


def spread_over_words(
    clean: Normalised, offsets: Sequence[tuple[int, int]], parts: NDArray[np.floating]
) -> list[Contribution]:
    """Add the parts of the tokens up over the words that they lie in; places are of the source.

    Tokens outside all words (punctuation) stand for themselves; what has no place in the text (a
    model's own marks) is spread evenly.
    """
    words = [match.span() for match in WORD.finditer(clean.text)]
    values = dict.fromkeys(words, 0.0)
    nowhere = 0.0
    at = 0
    for (start, end), part in zip(offsets, parts, strict=True):
        if start >= end:
            nowhere += float(part)
            continue
        while at < len(words) and words[at][1] <= start:
            at += 1
        inside = at < len(words) and words[at][0] < end
        place = words[at] if inside else (start, end)
        values[place] = values.get(place, 0.0) + float(part)
    share = nowhere / len(values) if values else 0.0
    return [
        Contribution(*clean.to_source(*place), value + share)
        for place, value in sorted(values.items())
    ]


def carrying_spans(
    text: str,
    contributions: Sequence[Contribution],
    name: str | None,
    most: int = MOST_SPANS,
    least: float = 0.0,
) -> tuple[Span, ...]:
    """Return the few places that speak most for an id: neighbouring words joined, edges trimmed.

    They are in the sentence of the strongest word. A word is chosen if it adds clearly more than
    the usual word of the text, and at least ``least``. Content words come first: a marked "and"
    helps nobody.
    """
    speaking = [each for each in contributions if each.value > 0 and each.value >= least]
    content = [each for each in speaking if not is_light(text[each.start : each.end])]
    chosen = content or [
        each for each in speaking if not _only_function_words(text[each.start : each.end])
    ]
    if not chosen:
        return ()
    strongest = max(chosen, key=lambda each: each.value)
    largest = strongest.value
    start, end = next(
        (at for at in sentences(text) if at[0] <= strongest.start < at[1]), (0, len(text))
    )
    usual = min(max(float(np.median([each.value for each in contributions])), 0.0), largest)
    enough = usual + _CLEAR_SHARE * (largest - usual)
    runs: list[list[Contribution]] = []
    for each in chosen:
        if each.value < enough or not start <= each.start < end:
            continue
        if runs and not WORD.search(text[runs[-1][-1].end : each.start]):
            runs[-1].append(each)
        else:
            runs.append([each])
    runs.sort(key=lambda run: -sum(each.value - usual for each in run))
    places = sorted((run[0].start, run[-1].end) for run in runs[:most])
    spans = tuple(Span(start, end, name) for start, end in places)
    return narrowed(text, spans, contributions)


MOST_SHARE = 0.4
"""The most of a sentence that is marked: a marked sentence does not say which words to look at."""
FEW_CHARACTERS = 24
"""As many characters of a sentence of any length may be marked."""
SHORT_WORDS = 5
"""Sentences with at most this many words may be marked as a whole."""


def room_in(sentence: str, words: int | None = None) -> float:
    """Return how many characters of a sentence (of so many words) may be marked."""
    if (len(words_of(sentence)) if words is None else words) <= SHORT_WORDS:
        return len(sentence)
    return max(MOST_SHARE * len(sentence), FEW_CHARACTERS)


def narrowed(text: str, spans: Sequence[Span], weights: Sequence[Contribution]) -> tuple[Span, ...]:
    """Make marks readable: few words, none of little meaning at their edges.

    Parameters
    ----------
    text
        The text.
    spans
        Its marks.
    weights
        What its pieces add to the id.

    Returns
    -------
    tuple of Span
        The marks without light words at their edges; those with at most two light words between
        them are one. They cover at most 40 % of each sentence of more than five words; of more,
        the strongest content words stay. Light words alone are marked where nothing else is.

    """
    if not spans:
        return ()
    marks = bytearray(len(text))
    for span in spans:
        marks[span.start : span.end] = b"\1" * (span.end - span.start)
    words = words_of(text)
    value = _word_values(words, weights)
    found: list[Span] = []
    first = 0
    for start, end in sentences(text):
        last = first
        while last < len(words) and words[last][0] < end:
            last += 1
        here = [at for at in range(first, last) if marks.count(1, *words[at])]
        room = room_in(text[start:end], last - first)
        if marks.count(1, start, end) > room:
            here = _strongest_words(text, [words[at] for at in here], here, value, room)
        found += [Span(*place, spans[0].id) for place in _marks_of(text, words, here, room)]
        first = last
    return tuple(span for span in found if not is_light(text[span.start : span.end])) or (
        tuple(found) or tuple(spans)
    )


def _marks_of(
    text: str, words: Sequence[tuple[int, int]], here: Sequence[int], room: float
) -> list[tuple[int, int]]:
    """Return the marks of a sentence from the numbers of its words."""
    runs: list[tuple[int, int]] = []
    for at in sorted(here):
        if runs and at == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], at)
        else:
            runs.append((at, at))
    trimmed = [run for run in (_trimmed(text, words, *run) for run in runs) if run]
    left = room - sum(words[last][1] - words[first][0] for first, last in trimmed)
    joined: list[tuple[int, int]] = []
    for first, last in trimmed:
        if joined and first - joined[-1][1] - 1 <= MOST_BETWEEN:
            between = text[words[joined[-1][1]][1] : words[first][0]]
            if len(between) <= left and is_light(between) and not _STOP.search(between):
                left -= len(between)
                joined[-1] = (joined[-1][0], last)
                continue
        joined.append((first, last))
    return [(words[first][0], words[last][1]) for first, last in joined or runs]


def _trimmed(
    text: str, words: Sequence[tuple[int, int]], first: int, last: int
) -> tuple[int, int] | None:
    """Return a run of words without light ones at its edges; None where it has no others."""
    content = [at for at in range(first, last + 1) if not is_light(text[slice(*words[at])])]
    if not content:
        return None
    begin, end = content[0], content[-1]
    if begin > first and text[slice(*words[begin - 1])].casefold() in _MAY_BEGIN:
        begin -= 1
    if end < last and text[slice(*words[end + 1])].casefold() in _MAY_END:
        end += 1
    return begin, end


def _strongest_words(
    text: str,
    places: Sequence[tuple[int, int]],
    numbers: Sequence[int],
    value: Mapping[tuple[int, int], float],
    left: float,
) -> list[int]:
    """Return the numbers of the strongest content words, as far as there is room."""
    content = [
        (value[place], number, place)
        for place, number in zip(places, numbers, strict=True)
        if not _only_function_words(text[slice(*place)])
    ]
    kept: list[int] = []
    for _, number, (start, end) in sorted(content, key=lambda each: -each[0]):
        left -= end - start + 1
        if kept and left < 0:
            break
        kept.append(number)
    return kept


def _word_values(
    words: Sequence[tuple[int, int]], weights: Sequence[Contribution]
) -> dict[tuple[int, int], float]:
    """Return the greatest weight that lies on each word."""
    values = dict.fromkeys(words, -inf)
    at = 0
    for each in sorted(weights, key=lambda weight: weight.start):
        while at < len(words) and words[at][1] <= each.start:
            at += 1
        place = at
        while place < len(words) and words[place][0] < each.end:
            values[words[place]] = max(values[words[place]], each.value)
            place += 1
    return values


def is_light(text: str) -> bool:
    """Say whether a text has only pronouns, auxiliary verbs and other words of little meaning."""
    found = WORD.findall(text.replace("\u2019", "'"))
    return all(word.casefold() in _LIGHT_WORDS for word in found)


def _only_function_words(text: str) -> bool:
    return all(word.casefold() in _FUNCTION_WORDS for word in WORD.findall(text))


MOST_WORDS = 128
"""Texts with more words are occluded by chunks first."""
CHUNK_WORDS = 16
STRONGEST_CHUNKS = 4
"""How many chunks of a long text are looked into, for each id."""

CLEAR_DROP = 0.1
"""The log-odds that a word must move at least; below, it is noise of the detector."""
_EDGE = 1e-6


class Scorer(Protocol):
    """All that occlusion needs of a detector."""

    def score(self, texts: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return one probability per text for each id."""
        ...


def words_of(text: str) -> list[tuple[int, int]]:
    """Return where the words of a text stand; a word in disguise is one word, as detectors read it.

    >>> words_of("Don't stop!"), words_of("an i d i o t")
    ([(0, 5), (6, 10)], [(0, 2), (3, 12)])
    """
    clean = normalise(text)
    words: list[tuple[int, int]] = []
    for match in WORD.finditer(clean.text):
        start, end = clean.to_source(*match.span())
        # One emoji may stand for two words.
        if words and start < words[-1][1]:
            words[-1] = (words[-1][0], max(end, words[-1][1]))
        else:
            words.append((start, end))
    return words


def keep_words(text: str, words: Sequence[tuple[int, int]], kept: Sequence[bool]) -> str:
    """Return the text without some of its words; the space after a word goes with it."""
    parts, last = [], 0
    for (start, end), is_kept in zip(words, kept, strict=True):
        if not is_kept:
            parts.append(text[last:start])
            last = end + text[end : end + 1].isspace()
    return "".join([*parts, text[last:]])


def log_odds(probabilities: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the log-odds; 0 and 1 stand for the nearest probabilities that have some."""
    safe = np.clip(np.asarray(probabilities, dtype=np.float64), _EDGE, 1 - _EDGE)
    return np.asarray(np.log(safe / (1 - safe)))


def word_contributions(
    detector: Scorer, text: str, ids: Sequence[str]
) -> dict[str, list[Contribution]]:
    """Return the value of every word for each id, in the order of the text.

    The only word of a text has nothing left to be compared with: its value is the whole log-odds.
    In texts over :data:`MOST_WORDS` words, those of the weaker chunks share the chunk's value.
    """
    words = words_of(text)
    if not words or not ids:
        return {name: [] for name in ids}
    if len(words) == 1:
        whole = detector.score([text])
        return {name: [Contribution(*words[0], float(log_odds(whole[name])[0]))] for name in ids}
    if len(words) <= MOST_WORDS:
        single = [[at] for at in range(len(words))]
        drops = _drops(detector, text, words, single, ids)
        return {name: _contributions(words, drops[name]) for name in ids}
    return _by_chunks(detector, text, words, ids)


def _by_chunks(
    detector: Scorer, text: str, words: Sequence[tuple[int, int]], ids: Sequence[str]
) -> dict[str, list[Contribution]]:
    numbers = list(range(len(words)))
    chunks = [numbers[at : at + CHUNK_WORDS] for at in range(0, len(words), CHUNK_WORDS)]
    coarse = _drops(detector, text, words, chunks, ids)
    strongest = {name: np.argsort(-coarse[name])[:STRONGEST_CHUNKS].tolist() for name in ids}
    inside = sorted({word for found in strongest.values() for at in found for word in chunks[at]})
    fine = _drops(detector, text, words, [[word] for word in inside], ids)
    answers = {}
    for name in ids:
        values = np.repeat(coarse[name] / [len(c) for c in chunks], [len(c) for c in chunks])
        values[inside] = fine[name]
        answers[name] = _contributions(words, values)
    return answers


def _drops(
    detector: Scorer,
    text: str,
    words: Sequence[tuple[int, int]],
    left_out: Sequence[Sequence[int]],
    ids: Sequence[str],
) -> dict[str, NDArray[np.float64]]:
    """Score the text and all its variants in one batch."""
    variants = [text]
    for gone in left_out:
        kept = [True] * len(words)
        for word in gone:
            kept[word] = False
        variants.append(keep_words(text, words, kept))
    scores = detector.score(variants)
    odds = {name: log_odds(scores[name]) for name in ids}
    return {name: values[0] - values[1:] for name, values in odds.items()}


def _contributions(
    words: Sequence[tuple[int, int]], values: NDArray[np.float64]
) -> list[Contribution]:
    return [
        Contribution(start, end, float(value))
        for (start, end), value in zip(words, values, strict=True)
    ]


def occlusion_spans(
    detector: Scorer, text: str, ids: Sequence[str], most: int = 3
) -> dict[str, tuple[Span, ...]]:
    """Return the few pieces of a text whose words carry each id; none where no word stands out."""
    found = word_contributions(detector, text, ids)
    return {name: _spans(text, found[name], name, most) for name in ids}


def _spans(
    text: str, contributions: Sequence[Contribution], name: str, most: int
) -> tuple[Span, ...]:
    if len(contributions) == 1:
        return (Span(contributions[0].start, contributions[0].end, name),)
    return carrying_spans(text, contributions, name, most, CLEAR_DROP)
