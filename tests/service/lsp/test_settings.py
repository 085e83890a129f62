from pathlib import Path

import pytest

from tactful.checking.options import Configuration
from tactful.errors import UsageError
from tactful.service.lsp.settings import EditorSettings, options_of, read_settings


def test_settings_come_as_they_are_or_in_their_section() -> None:
    expected = EditorSettings(model="fast", only=("pcl",), thresholds={"pcl": 0.6}, delay=50)
    given = {"model": "fast", "only": ["pcl"], "thresholds": {"pcl": 0.6}, "delay": 50}
    assert read_settings(given) == read_settings({"tactful": given}) == expected


def test_null_is_not_set_and_the_base_stays() -> None:
    base = EditorSettings(model="fast", least=0.5)
    assert read_settings({"model": None, "lang": "es"}, base) == EditorSettings(
        model="fast", least=0.5, lang="es"
    )
    assert read_settings(None, base) == base
    assert read_settings({"tactful": None}, base) == base


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ({"modl": "fast"}, "Did you mean 'model'?"),
        ({"lang": "fr"}, "found 'fr' as 'lang'; expected one of auto, en, es"),
        ({"least": 2}, "found 2 as 'least'; expected a number from 0 to 1"),
        ({"least": True}, "found True as 'least'"),
        ({"least": float("nan")}, "found nan"),
        ({"thresholds": {"pcl": "x"}}, "'thresholds.pcl'"),
        ({"thresholds": [1]}, 'such as {"pcl": 0.6}'),
        ({"only": "pcl"}, 'a list of ids, such as ["pcl"]'),
        ({"delay": -1}, "milliseconds from 0 to 60,000"),
        ({"docs": "javascript:alert(1)"}, "expected an address"),
        ({"explanations": "yes"}, "true or false"),
        ({"model": " "}, "expected a text"),
        (["x"], "expected names and values"),
        ({"tactful": 3}, "expected names and values"),
    ],
)
def test_wrong_settings_are_told_in_one_sentence(raw: object, says: str) -> None:
    with pytest.raises(UsageError) as error:
        read_settings(raw)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_long_values_are_shortened() -> None:
    with pytest.raises(UsageError) as error:
        read_settings({"lang": "x" * 1000})
    assert len(str(error.value)) < 200


def test_the_editor_wins_over_the_project() -> None:
    project = Configuration(
        model="cascade", least=0.4, only=("pcl",), thresholds={"pcl": 0.6, "unhealthy": 0.5}
    )
    options = options_of(EditorSettings(least=0.0, thresholds={"pcl": 0.9}), project, None)
    assert (options.model, options.least, options.only) == ("cascade", 0.0, ("pcl",))
    assert options.thresholds == {"pcl": 0.9, "unhealthy": 0.5}


def test_a_folder_in_the_settings_is_meant_from_the_workspace() -> None:
    options = options_of(EditorSettings(model="models/own"), Configuration(), Path("/texts"))
    assert options.model == str(Path("/texts/models/own"))
    of_project = options_of(EditorSettings(), Configuration(model="/p/own"), Path("/texts"))
    assert of_project.model == "/p/own"
