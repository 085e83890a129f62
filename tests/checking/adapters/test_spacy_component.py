"""The spaCy component, in a real spaCy."""

import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from tactful.checking.adapters import TactfulComponent, spacy_component
from tactful.errors import MissingExtraError, UnknownNameError, UsageError
from tactful.types import Report

ROOT = Path(__file__).resolve().parents[3]
BOTH = "Help these people 🙂, the poor souls."


@pytest.fixture
def spacy() -> Any:
    found = pytest.importorskip("spacy")
    spacy_component.register()
    return found


@pytest.fixture
def nlp(spacy: Any, folder: str) -> Any:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("tactful", config={"model": folder})
    return pipeline


def test_a_doc_gets_spans_cats_and_the_report(nlp: Any) -> None:
    doc = nlp(BOTH)
    assert [(span.label_, span.text) for span in doc.spans["tactful"]] == [
        ("pcl", "these people"),
        ("pcl.compassion", "poor souls"),
    ]
    assert doc.spans["tactful"].attrs["scores"].tolist() == pytest.approx([0.857, 0.8], abs=1e-3)
    assert doc.cats == pytest.approx(
        {"pcl": 0.9, "pcl.compassion": 0.8, "unhealthy.sarcastic": 0.125}
    )
    report = doc._.tactful
    assert isinstance(report, Report)
    assert (report.text, report.model) == (BOTH, "phrases 1")
    (finding,) = report.findings
    assert [kind.id for kind in finding.kinds] == ["pcl", "pcl.compassion"]
    assert [span.cut(BOTH) for span in finding.spans] == ["these people", "poor souls"]
    # 0.9 against a threshold of 0.6: odds of 9 against 1.5.
    assert finding.id == "pcl"
    assert finding.confidence == pytest.approx(6 / 7)
    assert all(kind.explanation for kind in finding.kinds)


def test_a_doc_without_findings_says_so(nlp: Any) -> None:
    doc = nlp("Hello.")
    assert list(doc.spans["tactful"]) == []
    assert doc._.tactful.findings == ()
    assert max(doc.cats.values()) == 0.125


def test_an_empty_doc_is_read(nlp: Any) -> None:
    assert nlp("")._.tactful.findings == ()


def test_a_doc_that_was_not_read_has_no_report(spacy: Any) -> None:
    assert spacy.blank("en")("Hello.")._.tactful is None


def test_spans_are_widened_to_tokens_and_the_report_stays_exact(nlp: Any) -> None:
    text = "Is xthese peoplex one word?"
    doc = nlp(text)
    assert [span.text for span in doc.spans["tactful"]] == ["xthese peoplex"]
    assert doc._.tactful.findings[0].spans[0].cut(text) == "these people"


def test_spans_that_become_one_are_kept_once(spacy: Any, detector: Any) -> None:
    from tactful.types import Span

    detector.spans = lambda text, ids: {"pcl": (Span(0, 2, "pcl"), Span(3, 5, "pcl"))}
    doc = TactfulComponent(detector)(spacy.blank("en")("these people"))
    assert [span.text for span in doc.spans["tactful"]] == ["these"]


def test_a_batch_is_one_call_of_the_detector(spacy: Any, detector: Any) -> None:
    component = TactfulComponent(detector)
    docs = [spacy.blank("en").make_doc(text) for text in [BOTH, "Hello.", BOTH, "Bye.", ""]]
    read = list(component.pipe(iter(docs), batch_size=2))
    assert [doc is other for doc, other in zip(read, docs, strict=True)] == [True] * 5
    assert detector.calls == [2, 2, 1]
    assert [len(doc._.tactful.findings) for doc in read] == [1, 0, 1, 0, 0]


def test_a_pipe_keeps_the_order(nlp: Any) -> None:
    texts = [f"{BOTH} {number}" if number % 3 else str(number) for number in range(20)]
    docs = list(nlp.pipe(texts, batch_size=7))
    assert [doc.text for doc in docs] == texts
    assert [bool(doc._.tactful.findings) for doc in docs] == [bool(n % 3) for n in range(20)]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_worker_processes_send_reports_back(nlp: Any) -> None:
    docs = list(nlp.pipe([BOTH, "Hello.", BOTH], n_process=2, batch_size=1))
    assert [len(doc._.tactful.findings) for doc in docs] == [1, 0, 1]
    assert [span.label_ for span in docs[0].spans["tactful"]] == ["pcl", "pcl.compassion"]


def test_a_doc_survives_bytes(nlp: Any, spacy: Any) -> None:
    doc = nlp(BOTH)
    copy = spacy.tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert copy._.tactful == doc._.tactful
    assert [span.label_ for span in copy.spans["tactful"]] == ["pcl", "pcl.compassion"]
    assert copy.spans["tactful"].attrs["scores"].tolist() == pytest.approx([0.857, 0.8], abs=1e-3)


def test_only_and_thresholds(spacy: Any, folder: str) -> None:
    nlp = spacy.blank("en")
    config = {"model": folder, "only": ["pcl"], "thresholds": {"pcl.compassion": 0.85}}
    component = nlp.add_pipe("tactful", config=config)
    doc = nlp(f"{BOTH} how clever")
    assert component.labels == ("pcl", "pcl.compassion")
    assert set(doc.cats) == {"pcl", "pcl.compassion"}
    assert [finding.id for finding in doc._.tactful.findings] == ["pcl"]


def test_cats_of_others_stay(nlp: Any, spacy: Any) -> None:
    def weather(doc: Any) -> Any:
        doc.cats["rain"] = 1.0
        return doc

    spacy.Language.component("weather", func=weather)
    nlp.add_pipe("weather", first=True)
    assert nlp(BOTH).cats["rain"] == 1.0


def test_a_pipeline_survives_the_disk_and_bytes(spacy: Any, folder: str, tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    config = {"model": folder, "only": ["pcl"], "thresholds": {"pcl.compassion": 0.85, "pcl": 0.3}}
    nlp.add_pipe("tactful", config=config)
    nlp.to_disk(tmp_path / "saved")
    assert not (tmp_path / "saved" / "tactful").exists()
    for copy in (spacy.load(tmp_path / "saved"), spacy.blank("en").from_config(nlp.config)):
        copy.from_bytes(nlp.to_bytes())
        doc = copy(BOTH)
        assert [finding.id for finding in doc._.tactful.findings] == ["pcl"]
        assert set(doc.cats) == {"pcl", "pcl.compassion"}


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ({"only": ["pcl.compasion"]}, UnknownNameError, "Did you mean 'pcl.compassion'"),
        ({"thresholds": {"pcll": 0.5}}, UnknownNameError, "Did you mean 'pcl'"),
        ({"thresholds": {"pcl": 7}}, UsageError, "expected 0 to 1"),
        ({"model": "quick"}, UnknownNameError, "no detector named 'quick'"),
        ({"only": "pcl"}, ValueError, "only"),
        ({"wanted": ["pcl"]}, ValueError, "wanted"),
    ],
)
def test_a_wrong_configuration_is_refused_at_once(
    spacy: Any, folder: str, config: dict[str, Any], error: type[Exception], message: str
) -> None:
    nlp = spacy.blank("en")
    with pytest.raises(error, match=message):
        nlp.add_pipe("tactful", config={"model": folder, **config})


def test_a_failure_goes_to_the_handler_of_spacy(nlp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    component = nlp.get_pipe("tactful")
    read = component._reader.read

    def fail(texts: Sequence[str]) -> Any:
        if "broken" in texts:
            raise RuntimeError("no score")
        return read(texts)

    monkeypatch.setattr(component._reader, "read", fail)
    with pytest.raises(RuntimeError, match="no score"):
        list(nlp.pipe(["broken"]))
    failed = []
    nlp.set_error_handler(lambda name, proc, docs, error: failed.append((name, len(docs))))
    docs = list(nlp.pipe(["fine", "broken", "fine"], batch_size=1))
    assert [doc.text for doc in docs] == ["fine", "fine"]
    assert failed == [("tactful", 1)]
    assert component.get_error_handler() is not None


def test_the_entry_point_registers_the_factory(spacy: Any) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    value = project["entry-points"]["spacy_factories"]["tactful"]
    factory = EntryPoint("tactful", value, "spacy_factories").load()
    assert factory is spacy_component.make_component
    assert spacy.Language.has_factory("tactful")


def test_the_embedded_default_reads(spacy: Any, embedded_weights: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tactful", config={"model": "default"})
    doc = nlp("We must save these poor people.")
    assert 0 <= doc.cats["pcl"] <= 1


def test_the_entry_point_costs_nothing_to_those_who_do_not_use_it() -> None:
    script = (
        "import sys, tactful.checking.adapters.spacy_component; "
        "print({'spacy', 'numpy', 'yaml', 'pydantic', 'onnxruntime'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "set()"


def test_without_spacy_the_answer_is_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.setitem(sys.modules, "spacy.language", None)
    with pytest.raises(MissingExtraError, match=r'pip install "tactful\[spacy\]"'):
        TactfulComponent()


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'factory'"):
        getattr(spacy_component, "factory")  # noqa: B009
