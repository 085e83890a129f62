"""A text has the same findings wherever it is checked: library, commands, service and editors.

The command ``tactful check --format json`` is what the others are compared with.
"""

import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import tactful
from tactful.checking.confidence import confidence, thresholds_in_force
from tactful.checking.findings import likeliest
from tactful.checking.options import CheckOptions
from tactful.cli.main import main
from tactful.detectors.base import found_ids
from tactful.documents.document import Kind
from tactful.documents.segments import quotations
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
    kind: Kind = "plain"

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
    "terms": Text("An addict committed suicide.\n\nShe is **wheelchair**-bound.\n", "markdown"),
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
    "one-bad-sentence": Text(f"The bus leaves at ten. {RUDE} The library opens at nine."),
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
    """A kind of a finding: what, how sure, and words that carry it; 0 to 0 where none do."""

    finding: str
    """The id of the finding, which is that of its main kind."""
    id: str
    probability: float
    confidence: float
    start: int = 0
    end: int = 0


def rounded(probability: float) -> float:
    """Round to three digits; reports write four, and rounding twice must not differ."""
    return round(round(probability, 4), 3)


def of_json(report: Mapping[str, Any]) -> list[Found]:
    """Return the kinds of the findings of a document in the report of ``tactful check``."""
    return sorted(
        Found(
            each["id"],
            kind["id"],
            rounded(kind["probability"]),
            rounded(kind["confidence"]),
            *spot,
        )
        for each in report["findings"]
        for kind in each["kinds"]
        for spot in [(span["start"], span["end"]) for span in kind["spans"]] or [(0, 0)]
    )


def of_findings(findings: Iterable[Any]) -> list[Found]:
    """Return the kinds of findings of the library."""
    found = []
    for each in findings:
        for kind in each.kinds:
            places = [getattr(span, "place", span) for span in kind.spans]
            sure = rounded(kind.probability), rounded(kind.confidence)
            found += [
                Found(each.id, kind.id, *sure, *spot)
                for spot in [(place.start, place.end) for place in places] or [(0, 0)]
            ]
    return sorted(found)


def places_of(report: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return where the findings of a document are."""
    return [(each["start"], each["end"]) for each in report["findings"]]


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
def limits() -> Mapping[str, float]:
    """Return from which probability on the command reports each id."""
    return thresholds_in_force(tactful.load_detector().card, {})


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
    from tactful.service.lsp.settings import DOCS

    reader = Reader()

    def check(name: str) -> list[Found]:
        each = TEXTS[name]
        language = {"plain": "plaintext"}.get(each.kind, each.kind)
        snapshot = Snapshot(f"file:///home/{name}.{each.ending}", language, 1, each.text)
        document = snapshot.read()
        reading = reader.read(document, CheckOptions(), Slice(math.inf, Event()))
        checked = Checked(snapshot, document, Places(each.text, "utf-32"), reading)
        # A diagnostic has the main kind, and a range from the first to the last marked word.
        shown = diagnostics_of(checked, DOCS)
        for diagnostic, finding in zip(shown, reading.report.findings, strict=True):
            places = [span.place for span in finding.spans] or [finding.place]
            assert offsets(each.text, diagnostic.range) == (places[0].start, places[-1].end)
            assert diagnostic.code == finding.id
            assert checked.wording.how_sure(finding.confidence) in diagnostic.message
        return of_findings(reading.report.findings)

    return check


@pytest.fixture(scope="module")
def spacy_pipeline() -> Any:
    spacy = pytest.importorskip("spacy")
    from tactful.checking.adapters import TactfulComponent

    component = TactfulComponent()
    blank = spacy.blank("en")
    return lambda text: component(blank.make_doc(text))


@pytest.fixture(scope="module")
def transformer() -> Any:
    pytest.importorskip("sklearn")
    from tactful.checking.adapters import TactfulTransformer

    return TactfulTransformer()


def offsets(text: str, spot: Any) -> tuple[int, int]:
    """Return a range of an editor as offsets."""
    lines = text.splitlines(keepends=True)
    start, end = (
        sum(map(len, lines[: place.line])) + place.character for place in (spot.start, spot.end)
    )
    return start, end


PLAIN = [name for name, each in TEXTS.items() if each.kind == "plain"]
"""A Doc of spaCy, and a row of scikit-learn, has no markup."""
SEVERAL = {"spanish", "paragraphs", "mixed-paragraphs", "one-bad-sentence"}
ONE_PASSAGE = [name for name in PLAIN if name not in SEVERAL]
"""The columns of scikit-learn are those of one detector, for texts as a whole."""


@pytest.mark.parametrize("name", TEXTS)
def test_the_library(name: str) -> None:
    each = TEXTS[name]
    found = tactful.check(each.text, each.kind).findings
    assert of_findings(found) == by_command(name)
    places = [(finding.place.start, finding.place.end) for finding in found]
    assert places == places_of(documents()[name])


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "letter.md"
    path.write_text(TEXTS["markdown"].text, encoding="utf-8")
    found = tactful.Checker().check_file(path).findings
    assert of_findings(found) == by_command("markdown")


@pytest.mark.parametrize("name", [name for name, each in TEXTS.items() if each.text.strip()])
def test_the_service(name: str, client: TestClient) -> None:
    each = TEXTS[name]
    answer = client.post("/v1/check", json={"text": each.text, "kind": each.kind})
    assert answer.status_code == 200, answer.text
    (report,) = answer.json()["documents"]
    assert of_json(report) == by_command(name)
    assert places_of(report) == places_of(documents()[name])


@pytest.mark.parametrize("name", ["empty", "blank"])
def test_a_text_to_check_must_not_be_empty(name: str, client: TestClient) -> None:
    # The command refuses it as --text too; an empty file among others is no mistake.
    text = TEXTS[name].text
    assert client.post("/v1/check", json={"text": text}).status_code == 400
    with pytest.raises(SystemExit) as ended:
        main(["check", "--text", text])
    assert ended.value.code == 2


@pytest.mark.parametrize("name", TEXTS)
def test_the_language_server(name: str, in_editor: Callable[[str], list[Found]]) -> None:
    assert in_editor(name) == by_command(name)


@pytest.mark.parametrize("name", PLAIN)
def test_the_component_of_spacy(name: str, spacy_pipeline: Any) -> None:
    text = TEXTS[name].text
    assert of_findings(spacy_pipeline(text)._.tactful.findings) == by_command(name)


@pytest.mark.parametrize("name", ONE_PASSAGE)
def test_the_transformer_of_scikit_learn(name: str, transformer: Any) -> None:
    # It gives probabilities only: those that the command would report are its findings.
    (row,) = transformer.transform([TEXTS[name].text])
    scores = dict(zip(transformer.get_feature_names_out(), map(float, row), strict=True))
    sure = {each: confidence(value, limits()[each]) for each, value in scores.items()}
    reported = likeliest(found_ids(scores, limits()), scores, ())
    found = {(each, rounded(scores[each]), rounded(sure[each])) for each in reported}
    expected = {
        (each.id, each.probability, each.confidence)
        for each in by_command(name)
        if not each.id.startswith("term")
    }
    # It scores whole texts, and so cannot leave out what is only quoted.
    assert expected <= found if quotations(TEXTS[name].text) else expected == found
