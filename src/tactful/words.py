"""How messages write a number with its noun, and a long text shortly."""

LONGEST_EXCERPT = 400


def counted(number: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun, in the singular or the plural.

    >>> counted(1, "label"), counted(2_000, "row"), counted(0, "category", "categories")
    ('1 label', '2,000 rows', '0 categories')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def shorten(text: str, around: int = 0, longest: int = LONGEST_EXCERPT) -> str:
    """Cut a text that is longer than ``longest`` to that length, keeping what is ``around``."""
    if len(text) <= longest:
        return text
    start = 0 if around < longest // 2 else min(around - longest // 4, len(text) - longest)
    before, after = "…" if start else "", "…" if start + longest < len(text) else ""
    return before + text[start + len(before) : start + longest - len(after)] + after
