"""The notation of forms and replacements: ``addict~/s`` is "addict" and "addicts".

Alternatives are separated by slashes, and all words of a form change together: the second
alternative of one word goes with the second of the others, and with the second of a replacement.
A tilde joins a stem to each ending. A single hyphen is an alternative that does not exist.

======================================  ============================================
``wheelchair-bound``                    one variant
``addict~/s``                           "addict", "addicts"
``commit~/s/ted/ting suicide``          four variants
``illegal alien~/s``                    "illegal alien", "illegal aliens"
``-/illegals``                          only the second variant
======================================  ============================================
"""

import re

WORD = re.compile("[\\w\u0300-\u036f]+")
"""A word; underscores belong to it, so that the parts of ``an_identifier`` are none."""
PLACEHOLDER = re.compile(r"\{([1-9])\}")
"""In a replacement, a word of the text by its number in the match: "accessible {2}"."""
NEXT = "{next}"
"""In a replacement, the word behind the term, which then belongs to what is replaced."""
ABSENT = "-"
LONGEST = 10
"""The most words of a form."""


def variants(pattern: str) -> list[str | None]:
    """Return every variant of a form or a replacement; None for one that does not exist.

    Raises ``ValueError`` with what was expected where the notation is wrong.

    >>> variants("person/people who use~s/ drugs")
    ['person who uses drugs', 'people who use drugs']
    """
    parts = [_alternatives(part) for part in pattern.split()]
    numbers = {len(part) for part in parts if len(part) > 1}
    if not parts:
        raise ValueError("at least one word")
    if len(numbers) > 1:
        raise ValueError("the same number of alternatives in every word with slashes")
    number = numbers.pop() if numbers else 1
    rows = [[part[at] if len(part) > 1 else part[0] for part in parts] for at in range(number)]
    return [None if ABSENT in row else " ".join(row) for row in rows]


def _alternatives(part: str) -> list[str]:
    stem, tilde, endings = part.partition("~")
    if not tilde:
        found = part.split("/")
    elif "/" in stem:
        raise ValueError("one stem before '~', such as 'addict~/s'")
    else:
        found = [stem + ending for ending in endings.split("/")]
    if "" in found:
        raise ValueError("a word on both sides of a slash, or a stem and '~'")
    return found
