"""Functions of the user's own: module:function."""

import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tactful.audit.classifiers import load_classifier
from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.taxonomies.prompts import Prompt

Write = Callable[[str], str]
_numbers = count()


def prompts(*texts: str) -> list[Prompt]:
    return [Prompt(None, None, None, "T", text) for text in texts]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Write a module into the current directory and return its name."""
    monkeypatch.chdir(tmp_path)
    path, modules = list(sys.path), set(sys.modules)

    def new(source: str) -> str:
        name = f"own_classifier_{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
        return name

    yield new
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name.startswith("own_classifier_"):
            del sys.modules[name]


def test_a_function_of_the_current_directory(write: Write) -> None:
    module = write(
        "def classify(texts):\n    return ['NEG' if 'bad' in text else 'POS' for text in texts]\n"
    )
    classifier = load_classifier(f"{module}:classify")
    assert (classifier.name, classifier.kind) == (f"{module}:classify", "sentiment")
    assert classifier.ask(prompts("bad", "good")) == [
        {"label": "negative", "score": None, "said": "NEG"},
        {"label": "positive", "score": None, "said": "POS"},
    ]
    assert classifier.ask([]) == []


@pytest.mark.parametrize(
    ("returned", "labels"),
    [
        ("[-1.5, 0, 2]", ["negative", "neutral", "positive"]),
        ("(x for x in (-1, 0, 1))", ["negative", "neutral", "positive"]),
        ("[('NEG', .9), ('NEU', .8), ('POS', .7)]", ["negative", "neutral", "positive"]),
        ("[{'NEG': .9, 'POS': .1}] * 3", ["negative"] * 3),
        ("__import__('numpy').array([-1, 0, 1])", ["negative", "neutral", "positive"]),
    ],
)
def test_every_shape_of_answer(write: Write, returned: str, labels: list[str]) -> None:
    module = write(f"def classify(texts):\n    return {returned}\n")
    answers = load_classifier(f"{module}:classify").ask(prompts("a", "b", "c"))
    assert [answer["label"] for answer in answers] == labels


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("None", "found a return value of type NoneType; expected a list with, for each text"),
        ("'NEG'", "found a return value of type str"),
        ("{'NEG': 1.0}", "found a return value of type dict"),
        ("['NEG']", "found 1 answer for 2 texts"),
        ("['NEG', None]", "for text 2 of the batch, found nothing (None); expected a label"),
        ("['NEG', 'LABEL_1']", "for text 2 of the batch, found the label 'LABEL_1'"),
        ("[[1, 2, 3], 'POS']", "for text 1 of the batch, found a list of 3"),
    ],
)
def test_a_wrong_return_is_one_sentence(write: Write, returned: str, message: str) -> None:
    module = write(f"def classify(texts):\n    return {returned}\n")
    with pytest.raises(InputError) as caught:
        load_classifier(f"{module}:classify").ask(prompts("a", "b"))
    assert str(caught.value).startswith(f"{module}:classify: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_labels_are_mapped(write: Write) -> None:
    module = write("def classify(texts):\n    return ['LABEL_0' for _ in texts]\n")
    classifier = load_classifier(f"{module}:classify", labels={"LABEL_0": "negative"})
    assert classifier.ask(prompts("a"))[0] == {
        "label": "negative",
        "score": None,
        "said": "LABEL_0",
    }


@pytest.mark.parametrize("body", ["return [1 / 0]", "yield 1 / 0"])
def test_what_a_function_raises_is_told_with_its_place(write: Write, body: str) -> None:
    module = write(f"def classify(texts):\n    {body}\n")
    with pytest.raises(InputError) as caught:
        load_classifier(f"{module}:classify").ask(prompts("a"))
    said = str(caught.value)
    assert f"{module}:classify: found ZeroDivisionError (division by zero)" in said
    assert f"{module}.py, line 2" in said


def test_a_module_that_is_not_there(write: Write, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load_classifier("no_such_module_here:classify")
    assert "There is no Python module 'no_such_module_here'" in str(caught.value)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import no_such_library_here\n", "ModuleNotFoundError (No module named 'no_such_libr"),
        ("raise RuntimeError('no weights')\n", "RuntimeError (no weights) in "),
        ("def classify(\n", "SyntaxError ("),
    ],
)
def test_a_module_that_cannot_be_imported(write: Write, source: str, message: str) -> None:
    module = write(source)
    with pytest.raises(UsageError) as caught:
        load_classifier(f"{module}:classify")
    assert f"'{module}' cannot be imported: found {message}" in str(caught.value)
    assert f"{module}.py, line 1" in str(caught.value)


def test_a_function_that_is_not_there_answers_with_the_nearest(write: Write) -> None:
    module = write("SIZE = 3\ndef classify(texts):\n    return texts\n")
    with pytest.raises(UnknownNameError, match="Did you mean 'classify'"):
        load_classifier(f"{module}:classif")
    with pytest.raises(UsageError, match="is a value of type int; expected a function"):
        load_classifier(f"{module}:SIZE")


def test_objects_and_methods_can_be_called(write: Write) -> None:
    module = write(
        "class Model:\n"
        "    def __call__(self, texts): return ['neg'] * len(texts)\n"
        "    def other(self, texts): return ['pos'] * len(texts)\n"
        "model = Model()\n"
    )
    assert load_classifier(f"{module}:model").ask(prompts("a"))[0]["label"] == "negative"
    assert load_classifier(f"{module}:model.other").ask(prompts("a"))[0]["label"] == "positive"


def test_the_fingerprint_is_that_of_the_source(write: Write, tmp_path: Path) -> None:
    module = write("def classify(texts):\n    return texts\ndef other(texts):\n    return texts\n")
    first = load_classifier(f"{module}:classify")
    assert first.fingerprint == load_classifier(f"{module}:classify").fingerprint
    assert first.fingerprint != load_classifier(f"{module}:other").fingerprint
    labelled = load_classifier(f"{module}:classify", labels={"A": "neg"})
    assert first.fingerprint != labelled.fingerprint
    assert f"only '{module}.py' was hashed" in first.notes[0]
    file = tmp_path / f"{module}.py"
    file.write_text(file.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")
    assert first.fingerprint != load_classifier(f"{module}:classify").fingerprint


def test_a_function_of_another_module_is_hashed_too(write: Write, tmp_path: Path) -> None:
    inner = write("def classify(texts):\n    return ['NEG'] * len(texts)\n")
    outer = write(f"from {inner} import classify\n")
    first = load_classifier(f"{outer}:classify")
    with (tmp_path / f"{inner}.py").open("a", encoding="utf-8") as file:
        file.write("# more\n")
    assert first.fingerprint != load_classifier(f"{outer}:classify").fingerprint
    assert f"'{outer}.py' and '{inner}.py'" in first.notes[0]


def test_neighbours_are_found_when_the_function_runs(write: Write, tmp_path: Path) -> None:
    neighbour = write("LABEL = 'NEG'\n")
    module = write(
        "def classify(texts):\n"
        f"    import {neighbour}\n"
        f"    return [{neighbour}.LABEL] * len(texts)\n"
    )
    classifier = load_classifier(f"{module}:classify")
    assert sys.path[0] != str(tmp_path), "it must not come before the installed libraries"
    assert classifier.ask(prompts("a"))[0]["label"] == "negative"


def test_nothing_is_imported_that_was_not_named(write: Write) -> None:
    module = write("raise RuntimeError\n")
    with pytest.raises(UsageError):
        load_classifier(module)
    assert module not in sys.modules
