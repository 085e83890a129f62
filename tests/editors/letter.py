"""A letter with one term in it, which every editor opens."""

from pathlib import Path

from tactful.terms import find_terms

CALM_LINE = 3
MARKED_LINE = 5
TERM = "wheelchair-bound"
MARKED = f"Our neighbour is {TERM} and takes the side entrance."
LETTER = f"# A letter\n\nThe library in Mill Street opens again on Monday.\n\n{MARKED}\n"


def write_letter(folder: Path, name: str = "letter.md") -> Path:
    """Write the letter and the configuration of its project, with the model that opens fastest."""
    (folder / "tactful.toml").write_text('model = "fast"\n', encoding="utf-8")
    path = folder / name
    path.write_text(LETTER, encoding="utf-8")
    return path


def repaired() -> str:
    """Return the letter with the first replacement of the term."""
    (match,) = find_terms(LETTER)
    return LETTER.replace(TERM, match.replacements[0])
