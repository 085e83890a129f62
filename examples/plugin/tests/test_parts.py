"""Each part of the example alone; Tactful's own tests install it and use the names."""

from pathlib import Path

import pytest

pytest.importorskip("tactful_example", reason="install it: pip install ./examples/plugin")

from click.testing import CliRunner
from tactful_example.command import count_phrases_cli
from tactful_example.corpus import Letters
from tactful_example.data import PROBE, PROTOCOL
from tactful_example.detector import open_mild_words
from tactful_example.metric import balanced_accuracy_score

from tactful.annotation.protocol.load import load_protocol
from tactful.audit.probes.load import load_probe

SAMPLE = Path(__file__).parents[1] / "src" / "tactful_example" / "samples" / "letters"


def test_the_detector_says_where() -> None:
    text = "They tried, bless them."
    (finding,) = open_mild_words().check(text).findings
    assert finding.spans[0].cut(text) == "bless them"


def test_the_corpus_reads_its_sample() -> None:
    assert Letters(SAMPLE).counts() == {"letters": 4}


def test_the_metric_is_undefined_with_one_class() -> None:
    assert float(balanced_accuracy_score([1, 0], [1, 1])) == 0.5
    assert balanced_accuracy_score([1, 1], [1, 1]).value is None


def test_the_data_files_are_valid() -> None:
    assert load_probe(PROBE).id == "hobbies"
    assert load_protocol(PROTOCOL).id == "tone"


def test_the_command_counts(tmp_path: Path) -> None:
    file = tmp_path / "letter.md"
    file.write_text("They tried, bless them. Good for them!", encoding="utf-8")
    done = CliRunner().invoke(count_phrases_cli, [str(file)])
    assert done.output == f"{file}: 2\n"
