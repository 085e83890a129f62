"""Make a replacement fit its place: capitals, and the article before it."""

from collections.abc import Sequence

_AN_EXCEPTIONS = ("uni", "us", "eu", "one", "once")
"""Words that begin with the letter, but not with the sound of a vowel."""
_SILENT_H = ("hour", "honest", "honour", "honor", "heir")
_FEMININE = {
    "comunidad", "enfermedad", "gente", "mujer", "mujeres", "niña", "niñas", "persona",
    "personas", "población", "situación", "víctima", "víctimas", "relación",
}  # fmt: skip
_TO_FEMININE = {
    "el": "la",
    "un": "una",
    "los": "las",
    "unos": "unas",
    "al": "a la",
    "del": "de la",
    "este": "esta",
    "estos": "estas",
    "ese": "esa",
    "esos": "esas",
    "aquellos": "aquellas",
    "muchos": "muchas",
    "algunos": "algunas",
    "ningún": "ninguna",
    "algún": "alguna",
    "otros": "otras",
    "otro": "otra",
    "todos": "todas",
}


def fitted(
    text: str, lang: str, place: tuple[int, int, int], replacements: Sequence[str]
) -> tuple[int, tuple[str, ...]]:
    """Return where the words to replace start, and the replacements as they fit there.

    ``place`` is where the word before the term starts, where the term starts and where it ends. If
    that word is an article which a replacement changes, it becomes part of what is replaced.
    """
    before, start, end = place
    words = text[start:end]
    article = text[before:start].strip()
    if " " not in article and any(
        each and _article(article, each, lang) != article for each in replacements
    ):
        fixed = [_article(article, each, lang) + " " + each for each in replacements]
        return before, tuple(_cased(each, text[before:end]) for each in fixed)
    return start, tuple(_cased(each, words) for each in replacements)


def _article(article: str, replacement: str, lang: str) -> str:
    """Return the article that the replacement needs; any other word as it is."""
    known = article.lower()
    first = replacement.split(maxsplit=1)[0].lower().strip("“”\"'")
    if lang == "en" and known in ("a", "an"):
        wanted = "an" if _begins_with_vowel(first) else "a"
    elif lang == "es" and first in _FEMININE:
        wanted = _TO_FEMININE.get(known, known)
    else:
        return article
    return article if wanted == known else _cased(wanted, article)


def _begins_with_vowel(word: str) -> bool:
    if word.startswith(_SILENT_H):
        return True
    return word[0] in "aeiou" and not word.startswith(_AN_EXCEPTIONS)


def _cased(replacement: str, words: str) -> str:
    """Give a replacement the capitals of the words that it replaces."""
    if len(words) > 1 and words.isupper():
        return replacement.upper()
    if words[:1].isupper():
        return replacement[:1].upper() + replacement[1:]
    return replacement
