"""Which classifier a name opens."""

import shutil
from pathlib import Path

import pytest

import tactful.audit.classifiers.load as load_module
from tactful.audit.classifiers import load_classifier
from tactful.detectors.weights import weights_folder
from tactful.errors import UnknownNameError, UsageError


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("vadr", "vader"),
        ("Text-Blob", "textblob"),
        ("default", "tactful:default"),
        ("fast", "tactful:fast"),
    ],
)
def test_a_slip_answers_with_the_nearest_and_all_ways(name: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_classifier(name)
    said = str(caught.value)
    assert f"There is no classifier named '{name}'. Did you mean '{nearest}'?" in said
    for way in ("vader, textblob, tactful:default, tactful:fast", "module:function", "https://…"):
        assert way in said
    assert "hub name of a transformers classifier" in said


def test_no_name_is_no_classifier() -> None:
    for name in ("", "  "):
        with pytest.raises(UnknownNameError, match="Known: vader"):
            load_classifier(name)


def test_an_unknown_name_lists_the_ways_without_the_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(load_module, "find_spec", lambda name: None)
    with pytest.raises(UnknownNameError, match=r"no classifier named 'zzz'\. Known: vader"):
        load_classifier("zzz")


def test_a_detectors_folder_is_told_its_prefix(tmp_path: Path) -> None:
    folder = shutil.copytree(weights_folder("fast-en"), tmp_path / "mine")
    with pytest.raises(UsageError, match=f"name it as tactful:{folder}"):
        load_classifier(str(folder))


@pytest.mark.parametrize("name", ["vader", "textblob", "tactful:fast"])
def test_labels_are_refused_where_the_classes_are_known(name: str) -> None:
    with pytest.raises(UsageError, match="leave --labels out"):
        load_classifier(name, labels={"A": "negative"})


def test_options_that_make_no_sense() -> None:
    with pytest.raises(UsageError, match="leave --token-env out"):
        load_classifier("vader", token_env="TOKEN")  # noqa: S106 - the name of a variable
    with pytest.raises(UsageError, match="batch size is 0; expected 1 or more"):
        load_classifier("vader", batch=0)
    with pytest.raises(UsageError, match="to 'sad'; expected one of"):
        load_classifier("m:f", labels={"A": "sad"})
