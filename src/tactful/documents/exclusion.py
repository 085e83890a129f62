"""Which files a project leaves out, by the globs of ``tactful.toml`` or the command line."""

import os
import re
from collections.abc import Sequence
from pathlib import Path


class Exclusion:
    """Decides which paths are left out, by globs.

    A glob without a slash matches any file or folder of that name; one with a slash matches the
    path from ``base``. ``**`` stands for any number of folders.
    """

    def __init__(self, globs: Sequence[str], base: Path):
        self._base = base.resolve()
        self._names = [_as_regex(glob) for glob in globs if "/" not in glob.strip("/")]
        self._paths = [_as_regex(glob) for glob in globs if "/" in glob.strip("/")]

    def __call__(self, path: Path) -> bool:
        """Tell whether the file or folder, or a folder that it stands in, is left out."""
        # Not resolved: a link is known by its own name, not by that of what it leads to.
        whole = Path(os.path.normpath(Path.cwd() / path))
        inside = whole.is_relative_to(self._base)
        parts = whole.relative_to(self._base).parts if inside else (path.name,)
        if any(name.fullmatch(part) for part in parts for name in self._names):
            return True
        heads = ("/".join(parts[:size]) for size in range(1, len(parts) + 1))
        return inside and any(glob.fullmatch(head) for head in heads for glob in self._paths)


def _as_regex(glob: str) -> re.Pattern[str]:
    """Turn a glob into a pattern: ``*`` and ``?`` stay within a folder, ``**`` does not."""
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob.strip("/").removeprefix("./"))
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(piece) or re.escape(piece) for piece in pieces))
