"""The recipes of CONTRIBUTING.md work as they are written.

Each test follows one recipe in a copy of the tree: it runs the recipe's commands and adds the lines
that the recipe shows, where the recipe says; then it uses the new part by its name.
"""

import doctest
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from tactful.errors import InputError

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"^ *```(sh|python)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    """A code block of a recipe: commands of the shell, or lines to add to a file."""

    kind: str
    code: str


def steps(recipe: str) -> list[Step]:
    """Return the code blocks below a heading of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split(f"\n### {recipe}\n")[1].split("\n## ")[0].split("\n### ")[0]
    return [
        Step(kind, re.sub(r"^ {3}", "", code, flags=re.MULTILINE))
        for kind, code in _BLOCK.findall(section)
    ]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of the tree that a test may change."""

    def copy(source: str, target: str) -> None:
        # Weights are read, never changed: a link is enough, and costs nothing. Other files keep
        # their times, so that Python takes what it has compiled of them.
        large = Path(source).suffix in {".onnx", ".npz"}
        Path(target).symlink_to(source) if large else shutil.copy2(source, target)

    for folder in ("src", "docs/templates", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, copy_function=copy)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def in_tree(tree: Path, code: str) -> str:
    """Run commands of the shell in a copy of the tree; return what they printed."""
    done = subprocess.run(
        ["sh", "-e", "-c", code],
        cwd=tree,
        env=os.environ
        | {
            "PYTHONPATH": str(tree / "src"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def change(tree: Path, file: str, old: str, new: str) -> None:
    """Replace what a file of the tree has once."""
    text = (tree / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} has {text.count(old)} of {old!r}"
    (tree / file).write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def follow(tree: Path) -> Callable[..., list[str]]:
    """Return what follows a recipe in a copy of the tree and gives back what its steps printed."""

    def run(recipe: str, *places: tuple[str, str]) -> list[str]:
        """Follow a recipe; ``places`` say, for each shown line, its file and the line before it."""
        found, left = [], list(places)
        for step in steps(recipe):
            if step.kind == "python":
                file, before = left.pop(0)
                change(tree, file, before, f"{before}\n{step.code.rstrip()}")
            else:
                found.append(in_tree(tree, step.code))
        assert not left, "the recipe shows fewer lines than this test expects"
        return found

    return run


def test_a_corpus(follow: Callable[..., list[str]]) -> None:
    places = ("src/tactful/corpora/__init__.py", '"stigmas": "tactful.corpora.stigmas:Stigmas",')
    *_, checked = follow("How to add a corpus", places)
    assert re.search(r"\d+ passed", checked)
    assert "This is the sample that comes with Tactful" in checked
    assert "Comments by label  (Authors YEAR, table 1)" in checked


def test_a_metric(follow: Callable[..., list[str]]) -> None:
    places = ("src/tactful/metrics/public.py", "from typing import Any\n")
    *_, checked = follow("How to add a metric", places)
    assert re.search(r"\d+ passed", checked)
    assert checked.endswith("balanced error: 0.2500\n")


def test_a_detector(follow: Callable[..., list[str]]) -> None:
    file = "src/tactful/detectors/load.py"
    *_, by_folder, by_name = follow(
        "How to add a detector",
        (file, '"encoder": "tactful.detectors.models.encoder:load_encoder_detector",'),
        (file, '"en": {'),
    )
    assert '"phrase-en 1.0"' in by_folder
    assert re.search(r"\d+ passed", by_name)
    assert '"phrase-en 1.0"' in by_name


def test_a_probe(follow: Callable[..., list[str]]) -> None:
    *_, checked = follow("How to add a probe")
    assert "is a valid probe: my_probe" in checked
    assert re.search(r"\d+ passed", checked)


def test_a_protocol(follow: Callable[..., list[str]]) -> None:
    file = "src/tactful/annotation/protocol/load.py"
    places = (file, '"stereotypes": _FOLDER / "stereotypes.yaml",')
    *_, checked = follow("How to add an annotation protocol", places)
    assert re.search(r"\d+ passed", checked)


def test_a_report_format(follow: Callable[..., list[str]]) -> None:
    html = '"html": "tactful.checking.reports.html:render_html",'
    places = ("src/tactful/checking/reports/__init__.py", html)
    *_, checked = follow("How to add a report format", places)
    assert re.search(r"^text:1:1 pcl 0\.\d\d ", checked, re.MULTILINE)
    assert re.search(r"\d+ passed", checked)


CHECK = "tactful check --no-config --frames off --no-explanations --model fast --text"
SENTENCE = '"Even these poor souls, who have so little, can learn to hope again."'


def test_the_least_confidence_has_one_place(tree: Path) -> None:
    command = f"{CHECK} {SENTENCE} --format json"
    assert json.loads(in_tree(tree, command))["summary"]["findings"]
    change(tree, "src/tactful/checking/options.py", "LEAST = 0.5\n", "LEAST = 0.9999\n")
    assert json.loads(in_tree(tree, command))["summary"]["findings"] == 0
    assert "[default: 0.9999]" in " ".join(in_tree(tree, "tactful check --help").split())


def test_the_detector_of_a_language_has_one_place(tree: Path) -> None:
    file = "src/tactful/detectors/load.py"
    change(tree, file, '"default": "default-en"', '"default": "fast-en"')
    command = f"{CHECK.replace('fast', 'default')} {SENTENCE} --format json"
    assert json.loads(in_tree(tree, command))["model"]["name"] == "fast-en"


def test_a_report_format_has_one_place(tree: Path) -> None:
    file = "src/tactful/checking/reports/__init__.py"
    change(tree, file, '        "html": ', '        "page": ')
    change(tree, file, '".html": "html"', '".html": "page"')
    assert "[text|json|jsonl|sarif|page|github]" in in_tree(tree, "tactful check --help")
    in_tree(tree, f"{CHECK} {SENTENCE} --output a.html")
    assert (tree / "a.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_sentences_of_a_language_have_one_place(tree: Path) -> None:
    """A further language of reports is one entry, the file that it names, and translations."""
    folder = tree / "src" / "tactful" / "checking" / "wording"
    english = (folder / "en.toml").read_text(encoding="utf-8")
    scots = english.replace("{n} finding", "{n} note")
    (folder / "sco.toml").write_text(scots, encoding="utf-8")
    taxonomies = tree / "src" / "tactful" / "taxonomies"
    shutil.copytree(taxonomies / "es", taxonomies / "sco")
    en = '"en": Grammar("{:,}".format, _english_share, lambda _: "and"),'
    sco = en.replace("en", "sco", 1)
    change(tree, "src/tactful/checking/wording/__init__.py", en, f"{en}\n    {sco}")
    *_, last = in_tree(tree, f"{CHECK} {SENTENCE} --report-lang sco").splitlines()
    assert re.match(r"\d+ notes? in ", last)


def test_how_a_language_is_recognised_has_one_place(tree: Path) -> None:
    """A text with too few words, and no far likelier language, is read in English."""
    source = "src/tactful/documents/language.py"
    command = "tactful check --no-config --format json --text 'La plaza es para todos.'"
    assert json.loads(in_tree(tree, command))["documents"][0]["model"].startswith("default-es")
    change(tree, source, "LEAST_WORDS = 3\n", "LEAST_WORDS = 30\n")
    change(tree, source, "FAR_LIKELIER = 3.5\n", "FAR_LIKELIER = 350\n")
    assert json.loads(in_tree(tree, command))["documents"][0]["model"].startswith("default-en")


@pytest.fixture
def template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Return what imports a template, as if it had been copied."""
    monkeypatch.setattr("tactful.metrics.result.MEASURES", {})

    def load(name: str) -> Any:
        path = tmp_path / f"{name}_template.py"
        shutil.copy(ROOT / "docs" / "templates" / f"{name}.py.txt", path)
        spec = spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def test_the_corpus_template_keeps_unknown_columns(
    template: Callable[[str], Any], tmp_path: Path
) -> None:
    file = tmp_path / "my_corpus_train.csv"
    shutil.copy(ROOT / "docs" / "templates" / "corpus_sample.csv.txt", file)
    corpus = template("corpus").MyCorpus(file)
    first, second, *_ = corpus.examples()
    assert (first.id, first.group, first.split) == ("1", "a", "train")
    assert second.labels == {"unhealthy.hostile": 1.0}
    assert second.meta == {"site": "north"}
    assert corpus.verify().matches


def test_the_metric_template_explains_what_is_undefined(template: Callable[[str], Any]) -> None:
    module = template("metric")
    assert doctest.testmod(module) == doctest.TestResults(failed=0, attempted=2)
    with pytest.raises(InputError, match="same length"):
        module.balanced_error([1, 0], [1])


def test_the_detector_template_says_where(template: Callable[[str], Any], tmp_path: Path) -> None:
    module = template("detector")
    module.write_phrase_detector(tmp_path / "phrase-en")
    detector = module.load_phrase_detector(tmp_path / "phrase-en")
    text = "We must help these people."
    assert detector.check(text).findings[0].spans[0].cut(text) == "these people"
    assert detector.check("Hello.").findings == ()
