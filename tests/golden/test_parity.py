"""A text has the same findings wherever it is checked: library, commands, service and editors.

The command ``tactful check --format json`` is what the others are compared with. A mark in
:data:`DIFFERENT` says where a front end differs, and why; it must go when that is mended.
"""

import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import signature
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import tactful
from tactful.cli.main import main
from tactful.detectors.base import found_ids
from tactful.detectors.configuration import LEAST as LEAST_PROBABILITY
from tactful.detectors.protocol import Detector
from tactful.service.app import create_app
from tactful.service.settings import ServiceSettings

PATRONIZING = (
    "With a little help from people like us, even these poor souls can learn to hope again."
)
RUDE = "Only an idiot would believe such nonsense."
SPANISH = (
    "Esta gente no se integra ni quiere integrarse: tienen otra cultura y viven de las ayudas."
)


@dataclass(frozen=True, slots=True)
class Text:
    """A text of ours, and what kind of document it is."""

    text: str
    kind: str = "plain"

    @property
    def ending(self) -> str:
        """The ending of a file with it."""
        return {"plain": "txt", "markdown": "md", "html": "html"}[self.kind]


TEXTS = {
    "empty": Text(""),
    "blank": Text("  \n\n"),
    "bus": Text("The bus leaves at ten."),
    "thanks": Text("Thank you, that was a helpful answer."),
    "library": Text("The library lends umbrellas when it rains."),
    "women": Text("Women"),
    "muslims": Text("Muslims"),
    "refugees": Text("Refugees"),
    "older-people": Text("Older people"),
    "choir": Text("The choir has twelve women and nine men."),
    "mosque": Text("The mosque and the church share a car park."),
    "migrants-work": Text("Many migrants work at the hospital of our town."),
    "deaf": Text("The deaf actor plays the king."),
    "gay-couple": Text("A gay couple runs the bakery next to the school."),
    "wheelchair": Text("She uses a wheelchair and teaches physics."),
    "black-history": Text("The museum shows the history of Black sailors."),
    "jewish-holiday": Text("Our Jewish neighbours celebrate the new year in autumn."),
    "quotation": Text('The mayor said: "Only an idiot would believe such nonsense."'),
    "objection": Text('Please do not write "poor souls" when you mean people without a home.'),
    "patronizing": Text(PATRONIZING),
    "hope": Text("With our help even they can learn to hope again."),
    "voice": Text("We must give these people a voice, because they have none of their own."),
    "smile": Text("They have nothing, and still these little ones smile so bravely."),
    "right": Text("They also have the right to love."),
    "inspire": Text("The homeless teach all of us how little one needs to be happy."),
    "rude": Text(RUDE),
    "shut-up": Text("Shut up, nobody asked for your silly opinion."),
    "sarcasm": Text("Oh great, another genius who knows it all."),
    "dismissive": Text("You clearly have no idea, so leave this to the grown-ups."),
    "generalisation": Text("All engineers are the same: they never listen to anybody."),
    "standards": Text("We should not lower our standards to hire more women."),
    "computer": Text("Old people cannot learn how to use a computer."),
    "drivers": Text("Women cannot drive, everybody knows that."),
    "immigrants": Text("Immigrants only come here to live on our money."),
    "spanish": Text(SPANISH),
    "spanish-fine": Text("La biblioteca abre a las nueve de la mañana y cierra a las ocho."),
    "paragraphs": Text(f"{PATRONIZING}\n\n{RUDE}\n"),
    "mixed-paragraphs": Text(f"The bus leaves at ten.\n\n{RUDE}\n\nThank you all.\n"),
    "markdown": Text(f"# Women\n\n{PATRONIZING}\n\nThe *bus* leaves at ten.\n", "markdown"),
    "markdown-list": Text(f"- The bus leaves at ten.\n- {RUDE}\n", "markdown"),
    "markdown-ignored": Text(
        f"<!-- tactful: ignore-next pcl -->\n\n{PATRONIZING}\n\n{RUDE}\n", "markdown"
    ),
    "html": Text(f"<h1>Women</h1><p>{RUDE}</p><p>The bus leaves at ten.</p>", "html"),
}


@dataclass(frozen=True, order=True, slots=True)
class Found:
    """A finding: what, how sure, and the words that carry it, or else the passage."""

    id: str
    probability: float
    start: int
    end: int


def rounded(probability: float) -> float:
    """Round to three digits; reports write four, and rounding twice must not differ."""
    return round(round(probability, 4), 3)


def of_json(report: Mapping[str, Any]) -> list[Found]:
    """Return the findings of a document in the report of ``tactful check``."""
    return sorted(
        Found(each["id"], rounded(each["probability"]), spot["start"], spot["end"])
        for each in report["findings"]
        for spot in each["spans"] or [each]
    )


def of_findings(findings: Iterable[Any], text: str) -> list[Found]:
    """Return findings of the library; where no word carries one, it is about the whole text."""
    found = []
    for each in findings:
        places = [getattr(span, "place", span) for span in each.spans]
        spots = [(place.start, place.end) for place in places]
        whole = getattr(each, "place", None)
        passage = (0, len(text)) if whole is None else (whole.start, whole.end)
        found += [Found(each.id, rounded(each.probability), *spot) for spot in spots or [passage]]
    return sorted(found)


@cache
def documents() -> Mapping[str, Mapping[str, Any]]:
    """Check all texts with one command, each as a file of its own; return the reports."""
    hook = sys.unraisablehook
    with tempfile.TemporaryDirectory() as made, CliRunner().isolation() as (stdout, _, _):
        paths = [Path(made) / f"{name}.{each.ending}" for name, each in TEXTS.items()]
        for path, each in zip(paths, TEXTS.values(), strict=True):
            path.write_text(each.text, encoding="utf-8")
        options = ["--no-config", "--format", "json", "--no-explanations"]
        with pytest.raises(SystemExit) as ended:
            main(["check", *map(str, paths), *options])
        sys.unraisablehook = hook
        sys.stdout.flush()
        report = json.loads(stdout.getvalue())
    assert ended.value.code == 0
    return {Path(each["path"]).stem: each for each in report["documents"]}


def by_command(name: str) -> list[Found]:
    """Return what the command found in a text."""
    return of_json(documents()[name])


@cache
def detector() -> Detector:
    """Return the detector that the package opens without further words."""
    return tactful.load_detector()


@cache
def limits() -> Mapping[str, float]:
    """Return from which probability on the command reports each id."""
    card = detector().card
    return {each: max(card.threshold(each), LEAST_PROBABILITY) for each in card.ids}


def by_library(name: str) -> list[Found]:
    """Check a text as a program would: by ``tactful.check``, or by a detector where that is not."""
    each = TEXTS[name]
    check: Callable[..., Any] = getattr(tactful, "check", detector().check)
    # What can be told the kind of a document is told it.
    options = {"kind": each.kind} if "kind" in signature(check).parameters else {}
    return of_findings(check(each.text, **options).findings, each.text)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(ServiceSettings(web=False))) as found:
        yield found


@pytest.fixture(scope="module")
def in_editor() -> Callable[[str], list[Found]]:
    """Check a text as the language server does, and read its diagnostics."""
    pytest.importorskip("pygls")
    from tactful.service.lsp.diagnostics import Checked, diagnostics_of
    from tactful.service.lsp.documents import Snapshot
    from tactful.service.lsp.lines import Places
    from tactful.service.lsp.reader import Reader, Slice
    from tactful.service.lsp.wishes import DOCS, Wishes

    reader = Reader()

    def check(name: str) -> list[Found]:
        each = TEXTS[name]
        language = {"plain": "plaintext"}.get(each.kind, each.kind)
        snapshot = Snapshot(f"file:///home/{name}.{each.ending}", language, 1, each.text)
        document = snapshot.read()
        reading = reader.read(document, Wishes(), Slice(math.inf, Event()))
        checked = Checked(snapshot, document, Places(each.text, "utf-32"), reading)
        found = []
        # The messages of diagnostics have probabilities of two digits; the reading has them all.
        shown = diagnostics_of(checked, DOCS, related=True)
        for diagnostic, finding in zip(shown, reading.report.findings, strict=True):
            related = diagnostic.related_information or ()
            ranges = [diagnostic.range, *(other.location.range for other in related)]
            probability = rounded(finding.probability)
            found += [
                Found(str(diagnostic.code), probability, *offsets(each.text, spot))
                for spot in ranges
            ]
        return sorted(found)

    return check


@pytest.fixture(scope="module")
def spacy_pipeline() -> Any:
    spacy = pytest.importorskip("spacy")
    from tactful.detectors.adapters import TactfulComponent

    component = TactfulComponent()
    blank = spacy.blank("en")
    return lambda text: component(blank.make_doc(text))


@pytest.fixture(scope="module")
def transformer() -> Any:
    pytest.importorskip("sklearn")
    from tactful.detectors.adapters import TactfulTransformer

    return TactfulTransformer()


def offsets(text: str, spot: Any) -> tuple[int, int]:
    """Return a range of an editor as offsets."""
    lines = text.splitlines(keepends=True)
    start, end = (
        sum(map(len, lines[: place.line])) + place.character for place in (spot.start, spot.end)
    )
    return start, end


LEAST = (
    "Detector.check and the adapters report from the thresholds of the card on; the command leaves "
    "out what is less likely than 0.2"
)
SECOND = (
    "Detector.check and the adapters give the first reading; the command corrects it by a second "
    "one where a group is only mentioned or words are only quoted"
)
BOTH = f"{LEAST}. {SECOND}"
LANGUAGE = (
    "load_detector() and the adapters read everything as English; the command tells the language "
    "of a text and takes the detector for it"
)
DOCUMENT = (
    "Detector.check and the adapters read a text as one passage, with its markup and without its "
    "ignores; the command reads passage by passage"
)
REFUSED = (
    "the service refuses an empty text, as 'tactful check --text' does; in an empty file the "
    "command finds nothing"
)
SEVERAL = (
    "paragraphs", "mixed-paragraphs", "markdown", "markdown-list", "markdown-ignored", "html",
)  # fmt: skip
FIRST_READING = {
    LEAST: ("patronizing", "hope", "smile", "rude", "shut-up", "dismissive"),
    SECOND: ("deaf", "gay-couple", "standards", "drivers", "immigrants"),
    BOTH: ("women", "muslims", "jewish-holiday", "quotation", "computer"),
    LANGUAGE: ("spanish",),
    DOCUMENT: SEVERAL,
}
DIFFERENT: dict[str, dict[str, tuple[str, ...]]] = {
    "library": FIRST_READING,
    "spaCy": FIRST_READING,
    "scikit-learn": {
        SECOND: (*FIRST_READING[SECOND], *FIRST_READING[BOTH]),
        LANGUAGE: ("spanish",),
        DOCUMENT: SEVERAL,
    },
    "service": {REFUSED: ("empty", "blank")},
}
"""Front end -> what differs -> the texts in which it does."""


def cases(front_end: str) -> list[Any]:
    """Return all texts, with marks on those that differ today."""
    reasons = {
        name: reason for reason, names in DIFFERENT.get(front_end, {}).items() for name in names
    }
    return [
        pytest.param(
            name,
            id=name,
            marks=[pytest.mark.xfail(strict=True, reason=reasons[name])] if name in reasons else [],
        )
        for name in TEXTS
    ]


@pytest.mark.parametrize("name", cases("library"))
def test_the_library(name: str) -> None:
    assert by_library(name) == by_command(name)


@pytest.mark.parametrize("name", cases("service"))
def test_the_service(name: str, client: TestClient) -> None:
    each = TEXTS[name]
    answer = client.post("/v1/check", json={"text": each.text, "kind": each.kind})
    assert answer.status_code == 200, answer.text
    (report,) = answer.json()["documents"]
    assert of_json(report) == by_command(name)


@pytest.mark.parametrize("name", cases("editor"))
def test_the_language_server(name: str, in_editor: Callable[[str], list[Found]]) -> None:
    assert in_editor(name) == by_command(name)


@pytest.mark.parametrize("name", cases("spaCy"))
def test_the_component_of_spacy(name: str, spacy_pipeline: Any) -> None:
    text = TEXTS[name].text
    assert of_findings(spacy_pipeline(text)._.tactful.findings, text) == by_command(name)


@pytest.mark.parametrize("name", cases("scikit-learn"))
def test_the_transformer_of_scikit_learn(name: str, transformer: Any) -> None:
    # It gives probabilities only: those that the command would report are its findings.
    (row,) = transformer.transform([TEXTS[name].text])
    scores = dict(zip(transformer.get_feature_names_out(), map(float, row), strict=True))
    found = {(each, rounded(scores[each])) for each in found_ids(scores, limits())}
    assert found == {(each.id, each.probability) for each in by_command(name)}
