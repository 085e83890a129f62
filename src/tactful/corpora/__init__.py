"""The corpora, read from their authors' own files: verified, summarised, converted."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.errors import UsageError
from tactful.registry import Registry
from tactful.settings import Settings, load_settings

if TYPE_CHECKING:
    from tactful.corpora.corpus import Corpus


def _corpus_class(found: Any) -> "type[Corpus]":
    from tactful.corpora.corpus import Corpus

    if not (isinstance(found, type) and issubclass(found, Corpus)):
        raise TypeError(f"found {found!r}; expected a subclass of tactful.corpora.corpus.Corpus")
    return found


CORPORA: "Registry[type[Corpus]]" = Registry(
    "corpus",
    {
        "dpm": "tactful.corpora.dpm:DontPatronizeMe",
        "ucc": "tactful.corpora.ucc:UnhealthyComments",
        "sbic": "tactful.corpora.sbic:SocialBiasInference",
        "detests": "tactful.corpora.detests:Detests",
        "stereoimmigrants": "tactful.corpora.stereoimmigrants:StereoImmigrants",
        "detoxis": "tactful.corpora.detoxis:Detoxis",
        "stigmas": "tactful.corpora.stigmas:Stigmas",
    },
    group="corpora",
    accept=_corpus_class,
)


def load_corpus(
    name: str,
    path: Path | str | None = None,
    *,
    sample: bool = False,
    settings: Settings | None = None,
    encoding: str | None = None,
) -> "Corpus":
    """Open a corpus by name from its file, its folder, or the folder above it.

    Without a path the corpus is in the data folder (``$TACTFUL_DATA``); with ``sample`` it is a few
    lines in the authors' format that come with Tactful or with the plug-in.
    """
    kind = CORPORA.get(name)
    settings = settings or load_settings()
    return kind(corpus_path(kind, path, sample, settings), settings, encoding)


def corpus_path(
    kind: "type[Corpus]", path: Path | str | None, sample: bool, settings: Settings
) -> Path:
    """Choose where a corpus is read from."""
    if sample:
        if path is not None:
            raise UsageError("Give a path or ask for the sample, not both.")
        # The sample is beside the reader, also in the package of a plug-in.
        return Path(str(sys.modules[kind.__module__].__file__)).parent / "samples" / kind.name
    if path is not None:
        given = Path(path).expanduser()
        return given / kind.folder if (given / kind.folder).is_dir() else given
    if settings.data is None:
        raise UsageError(
            f"Where is {kind.title}? Name its file or folder, set TACTFUL_DATA to the folder that "
            f"holds '{kind.folder}', or try the sample with --sample."
        )
    return settings.data / kind.folder
