"""The rows of a reproduced table: each model by the name that users type, and how it is built.

Models that need torch are named here and imported only when their row is run; without the extra
the row says so and does not stop the others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from tactful.detectors.load import DETECTORS
from tactful.errors import MissingExtraError, UsageError
from tactful.registry import unknown_name
from tactful_lab.evaluation.reproduce.chat_rows import CHAT
from tactful_lab.evaluation.reproduce.cross_validation import Model

if TYPE_CHECKING:
    from tactful.metrics.word_vectors import WordVectors

ANY_ENCODER = "encoder"
NO_VECTORS = "needs word vectors: pass --vectors FILE"
NO_ENCODER = "needs a model: pass --encoder NAME or PATH"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SystemSettings:
    """What the user chose; all systems get the same."""

    seed: int = 1
    vectors: "WordVectors | None" = field(default=None, repr=False)
    """The vectors of all words of the corpus, read once for all systems and folds."""
    encoder: str | None = None
    download: bool = False
    """Whether an encoder that is not here may be fetched from the Hugging Face hub."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """What the user changed of the recipes: epochs, batch, rate, max_tokens, device, accumulate."""


@dataclass(frozen=True, slots=True)
class RowSettings(SystemSettings):
    """What the user chose for a table; all rows get the same."""

    table: str = field(kw_only=True)
    grid: bool = False
    vectors_file: Path | None = None
    shots: int = 0
    """How many examples chat models see before a question."""
    limit: int | None = None
    """How many texts chat models are asked about; None is :data:`chat_rows.LIMIT`."""
    key_variable: str | None = None
    """The environment variable with the API key of a chat endpoint."""
    answers: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What each annotator said, for models that learn from it."""
    labels: tuple[str, ...] = ()
    """The ids of the columns that the row is asked for, for models that know ids."""


Settings = TypeVar("Settings", bound=SystemSettings)


def with_vectors(settings: Settings, path: Path, texts: Sequence[str]) -> tuple[Settings, str]:
    """Read the vectors of the texts' words, and say how much of the texts they know."""
    from tactful.detectors.models.vectors import coverage, read_vectors

    read = read_vectors(path, texts)
    return replace(settings, vectors=read), f"Vectors: {path.name}, {coverage(read, texts)}."


def with_extra(purpose: str, build: Callable[[], T]) -> T:
    """Build a model; a library of the extra that is not installed is a MissingExtraError."""
    try:
        return build()
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tactful"):
            raise
        raise MissingExtraError("train", purpose) from None


def chosen_names(
    kind: str, names: Sequence[str], known: Mapping[str, T], groups: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return what names and groups stand for, each once, in the order of the list."""
    folded = {name.casefold(): name for name in (*groups, *known)}
    wanted: set[str] = set()
    for each in names:
        name = folded.get(each.casefold())
        if name is None:
            raise unknown_name(kind, each, [*known, *groups])
        wanted.update(groups.get(name, (name,)))
    return [name for name in known if name in wanted]


@dataclass(frozen=True, slots=True)
class Row:
    """One model of the ladder."""

    name: str
    title: str
    make: Callable[[RowSettings], Model]
    heavy: bool = False
    """Takes hours without a graphics card: run only when named."""
    needs: str = ""
    """What it needs beside Tactful itself; empty for nothing."""
    embedded: bool = False
    """Trained already on most texts of these corpora: measured on the others."""
    ready: bool = False
    """Trained already: one measurement, without folds."""
    chat: bool = False
    """Asked through an endpoint: one measurement, on some of the texts."""
    asks_each: bool = False
    """Learns from what each annotator said."""
    learns_from: int | None = None
    """How many texts of the training part it learns from; None for all. Of a learning curve."""

    @property
    def model(self) -> str:
        """The name without the number of texts."""
        return self.name.partition(SIZE)[0] if self.learns_from else self.name

    def reason_not_to_run(self, settings: RowSettings) -> str | None:
        """Say what the user has to give before this row can run."""
        if self.model == "svm-wv" and settings.vectors_file is None:
            return NO_VECTORS
        if self.model == ANY_ENCODER and settings.encoder is None:
            return NO_ENCODER
        return None


# ---- how each is built ------------------------------------------------------------------------

_BOW = {"dpm-task1": "DPM_TASK_1", "dpm-task2": "DPM_TASK_2"}
_RECIPES = {
    "bert-base": {"ucc-auc": "ucc-bert", "": "dpm-bert-base"},
    "bert-large": {"": "dpm-bert-large"},
    "roberta": {"sbic-classes": "sbic", "": "dpm-roberta"},
    "distilbert": {"": "dpm-distilbert"},
    ANY_ENCODER: {"ucc-auc": "ucc-bert", "sbic-classes": "sbic", "": "dpm-bert-base"},
}


def _baseline(name: str) -> Callable[[RowSettings], Model]:
    def make(settings: RowSettings) -> Model:
        from tactful.detectors.models.baselines import STRATEGIES

        kind = STRATEGIES[name]
        return kind(random_state=settings.seed) if "random" in name else kind()  # type: ignore[call-arg]

    return make


def _bag_of_words(settings: RowSettings) -> Model:
    from tactful.detectors.models import tfidf

    # The papers of UCC and SBIC have no such row; DETESTS' settings are the strongest published.
    chosen: dict[str, Any] = getattr(tfidf, _BOW.get(settings.table, "DETESTS"))
    return tfidf.TfidfSvm(**chosen, grid=settings.grid, random_state=settings.seed)


def _mean_vectors(settings: RowSettings) -> Model:
    from tactful.detectors.models import vectors

    given = settings.vectors if settings.vectors is not None else settings.vectors_file
    if given is None:
        raise UsageError("The row svm-wv needs word vectors; pass --vectors FILE.")
    chosen: dict[str, Any] = getattr(vectors, _BOW.get(settings.table, "DETESTS"))
    return vectors.VectorsSvm(given, **chosen, grid=settings.grid, random_state=settings.seed)


def _bilstm(settings: RowSettings) -> Model:
    def build() -> Model:
        from tactful.training.bilstm.train import BiLstm

        changed = {name: each for name, each in settings.training.items() if name != "max_tokens"}
        return BiLstm(vectors=settings.vectors, random_state=settings.seed, **changed)

    return with_extra("The row bilstm", build)


def _fine_tuned(name: str) -> Callable[[RowSettings], Model]:
    def make(settings: RowSettings) -> Model:
        def build() -> Model:
            from tactful.training.finetune import FineTuned
            from tactful.training.recipes import find_recipe

            recipes = _RECIPES[name]
            recipe = find_recipe(recipes.get(settings.table, recipes[""]))
            chosen = {
                **recipe.settings(),
                "random_state": settings.seed,
                "download": settings.download,
                **settings.training,
            }
            encoder = settings.encoder if name == ANY_ENCODER else None
            return FineTuned(encoder or recipe.encoder, **chosen)

        return with_extra(f"The row {name}", build)

    return make


def _chat(name: str) -> Callable[[RowSettings], Model]:
    def make(settings: RowSettings) -> Model:
        from tactful_lab.evaluation.reproduce.chat_rows import ChatModel

        asked = (settings.labels, settings.shots, settings.seed, settings.key_variable)
        return ChatModel(name, *asked)

    return make


def _chat_title(name: str) -> str:
    url, _, model = name.removeprefix(CHAT).partition("#")
    return f"chat {model or urlsplit(url).netloc}"


def _ready(name: str) -> Callable[[RowSettings], Model]:
    def make(settings: RowSettings) -> Model:
        from tactful_lab.evaluation.reproduce.ready_rows import ReadyModel

        return ReadyModel(name, settings.labels)

    return make


def _disagreement(targets: str) -> Callable[[RowSettings], Model]:
    def make(settings: RowSettings) -> Model:
        from tactful_lab.evaluation.reproduce.disagreement_rows import DisagreementModel

        return DisagreementModel(targets, settings.labels, settings.answers, seed=settings.seed)

    return make


_TORCH = "the extra 'train'"
_JUDGEMENTS = "the single judgements of the annotators"
_ENCODER = "the extra 'train' and the model's files"
ROWS: dict[str, Row] = {
    row.name: row
    for row in (
        Row("random", "Random, 50 %", _baseline("uniform-random")),
        Row("prior-random", "Random, as frequent as in training", _baseline("prior-random")),
        Row("all-ones", "All ones", _baseline("all-ones")),
        Row("all-zeros", "All zeros", _baseline("all-zeros")),
        Row("svm-wv", "SVM-WV", _mean_vectors, needs="word vectors (--vectors)"),
        Row("svm-bow", "SVM-BoW", _bag_of_words),
        Row("logreg", "Logistic regression, majority", _disagreement("majority")),
        Row(
            "logreg-soft",
            "Logistic regression, shares",
            _disagreement("shares"),
            needs=_JUDGEMENTS,
            asks_each=True,
        ),
        Row(
            "annotators",
            "Logistic regression, annotators",
            _disagreement("annotators"),
            needs=_JUDGEMENTS,
            asks_each=True,
        ),
        Row("bilstm", "BiLSTM", _bilstm, heavy=True, needs=_TORCH),
        Row("bert-base", "BERT-base", _fine_tuned("bert-base"), heavy=True, needs=_ENCODER),
        Row("bert-large", "BERT-large", _fine_tuned("bert-large"), heavy=True, needs=_ENCODER),
        Row("roberta", "RoBERTa", _fine_tuned("roberta"), heavy=True, needs=_ENCODER),
        Row("distilbert", "DistilBERT", _fine_tuned("distilbert"), heavy=True, needs=_ENCODER),
        Row(ANY_ENCODER, "Encoder", _fine_tuned(ANY_ENCODER), heavy=True, needs=_ENCODER),
        *(
            Row(name, f"Tactful {name}", _ready(name), embedded=True, ready=True)
            for name in DETECTORS
        ),
    )
}
GROUPS = {
    "svm": ("svm-wv", "svm-bow"),
    "cheap": ("random", "prior-random", "all-ones", "svm-wv", "svm-bow", "default", "open"),
    "embedded": DETECTORS,
    "all": tuple(ROWS),
}
"""Names that stand for several rows."""
SIZE = "@"
"""What comes before the number of texts that a row learns from."""
DETECTOR = "detector:"
"""What comes before the folder of a detector."""


def chosen_rows(names: Sequence[str]) -> list[Row]:
    """Return the rows that names and groups stand for, each once, in the order of the ladder.

    ``detector:FOLDER`` and ``chat:URL#MODEL`` are rows of their own, behind the others. A name with
    ``@N`` is a row that learns from N texts.
    """
    own = [name for name in dict.fromkeys(names) if name.startswith((DETECTOR, CHAT))]
    sized = [name for name in dict.fromkeys(names) if SIZE in name and name not in own]
    known = chosen_names(
        "model", [name for name in names if name not in (*own, *sized)], ROWS, GROUPS
    )
    of_curve = [row for name in sized for row in _sized_rows(name)]
    return [*(ROWS[name] for name in known), *of_curve, *(_own_row(name) for name in own)]


def _sized_rows(name: str) -> list[Row]:
    model, _, number = name.partition(SIZE)
    rows = [ROWS[each] for each in chosen_names("model", [model], ROWS, GROUPS)]
    if not (number.isascii() and number.isdecimal() and int(number) > 1):
        raise UsageError(f"Found '{name}' in --models; expected NAME@N, as svm-bow@1000.")
    if any(row.ready for row in rows):
        raise UsageError(f"Found '{name}' in --models; an embedded detector learns from no texts.")
    size = int(number)
    return [
        replace(
            row,
            name=f"{row.name}{SIZE}{size}",
            title=f"{row.title}, {size:,} texts",
            learns_from=size,
        )
        for row in rows
    ]


def _own_row(name: str) -> Row:
    if name.startswith(CHAT):
        return Row(name, _chat_title(name), _chat(name), chat=True)
    folder = name.removeprefix(DETECTOR)
    return Row(name, Path(folder).name, _ready(folder), ready=True)
