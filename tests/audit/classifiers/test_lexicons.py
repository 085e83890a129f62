"""VADER and TextBlob, as they are installed."""

import subprocess
import sys
from typing import Any

import pytest

from tactful.audit.classifiers import load_classifier
from tactful.errors import MissingExtraError
from tactful.taxonomies.prompts import Prompt
from tactful_lab.evaluation.reproduce.stigma_prompts import sentiment_prompts


def prompt(text: str) -> Prompt:
    return Prompt(None, None, None, "T", text)


def labels(name: str, *texts: str) -> list[str]:
    return [each["label"] for each in load_classifier(name).ask([prompt(t) for t in texts])]


NEEDS = {"vader": "vaderSentiment", "textblob": "textblob"}


@pytest.mark.parametrize("name", NEEDS)
class TestBoth:
    @pytest.fixture(autouse=True)
    def _installed(self, name: str) -> None:
        pytest.importorskip(NEEDS[name])

    def test_it_tells_good_from_bad(self, name: str) -> None:
        texts = ("What a lovely day.", "This is a terrible day.", "This is a table.", "")
        assert labels(name, *texts) == ["positive", "negative", "neutral", "neutral"]

    def test_the_baselines_are_not_negative(self, name: str) -> None:
        """As those of the classifiers of the study (section 5.2, table 2)."""
        baselines = [each for each in sentiment_prompts(baseline=True) if not each.condition]
        assert baselines
        assert {each["label"] for each in load_classifier(name).ask(baselines)} <= {
            "neutral",
            "positive",
        }

    def test_nothing_asked_nothing_answered(self, name: str) -> None:
        assert load_classifier(name).ask([]) == []

    def test_it_says_who_it_is(self, name: str) -> None:
        one, other = load_classifier(name), load_classifier(name.upper())
        assert (one.name, one.kind) == (name, "sentiment")
        assert one.fingerprint == other.fingerprint
        assert len(one.fingerprint) == 64
        assert one.batch > 0
        assert all(note.endswith(".") for note in one.notes)


def test_they_are_not_the_same() -> None:
    pytest.importorskip("vaderSentiment")
    pytest.importorskip("textblob")
    assert load_classifier("vader").fingerprint != load_classifier("textblob").fingerprint


@pytest.mark.parametrize(
    ("compound", "label"),
    [(-0.05, "negative"), (-0.0499, "neutral"), (0.0499, "neutral"), (0.05, "positive")],
)
def test_vaders_thresholds_are_those_of_its_authors(compound: float, label: str) -> None:
    pytest.importorskip("vaderSentiment")
    classifier: Any = load_classifier("vader")
    classifier._score = lambda text: compound
    assert classifier.ask([prompt("")])[0]["label"] == label


@pytest.mark.parametrize(
    ("polarity", "label"),
    [(-0.01, "negative"), (0.0, "neutral"), (0.1 + 0.2 - 0.3, "neutral"), (0.01, "positive")],
)
def test_textblob_is_neutral_at_zero_only(polarity: float, label: str) -> None:
    pytest.importorskip("textblob")
    classifier: Any = load_classifier("textblob")
    classifier._score = lambda text: polarity
    assert classifier.ask([prompt("")])[0]["label"] == label


def test_vader_gives_the_compound_score() -> None:
    """The example is on the page of VADER's authors: 'VADER is smart, handsome, and funny.'"""
    pytest.importorskip("vaderSentiment")
    found = load_classifier("vader").ask([prompt("VADER is smart, handsome, and funny.")])
    assert found == [{"label": "positive", "score": 0.8316, "said": "compound 0.8316"}]


def test_textblob_gives_the_polarity() -> None:
    pytest.importorskip("textblob")
    found = load_classifier("textblob").ask([prompt("It is ugly.")])
    assert found == [{"label": "negative", "score": -0.7, "said": "polarity -0.7000"}]


def test_textblob_needs_none_of_nltks_corpora(tmp_path: Any) -> None:
    pytest.importorskip("textblob")
    code = (
        "import nltk.data; nltk.data.path[:] = []\n"
        "from tactful.audit.classifiers import load_classifier\n"
        "from tactful.taxonomies.prompts import Prompt\n"
        "p = Prompt(None, None, None, 'T', 'They are happy.')\n"
        "print(load_classifier('textblob').ask([p])[0]['label'])"
    )
    environment = {"HOME": str(tmp_path), "NLTK_DATA": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("positive\n", 0), done.stderr


@pytest.mark.parametrize(
    ("name", "module"), [("vader", "vaderSentiment"), ("textblob", "textblob")]
)
def test_a_missing_library_answers_with_the_command(
    name: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loaded in [each for each in sys.modules if each.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r'pip install "tactful\[sentiment\]"'):
        load_classifier(name)
