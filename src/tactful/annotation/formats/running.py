"""What is said about cells that a spreadsheet would run, in formats that keep them as they are."""

from tactful.annotation.formats.annotated import Source
from tactful.annotation.formats.losses import Loss


def warn_running(source: Source, cells: int) -> list[Loss]:
    """Count the cells that were left as they are, or that were changed to be harmless."""
    if not cells:
        return []
    if source.spreadsheet:
        return [Loss("cells changed", cells, "they got an apostrophe in front, to be harmless")]
    why = "do not open the file in one, or export with --spreadsheet"
    return [Loss("cells that a spreadsheet would run", cells, why)]
