"""How messages write a number with its noun."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun, in the singular or the plural.

    >>> counted(1, "label"), counted(2_000, "row"), counted(0, "category", "categories")
    ('1 label', '2,000 rows', '0 categories')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
