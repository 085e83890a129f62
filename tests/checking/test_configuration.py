"""``tactful.toml`` and ``[tool.tactful]``: where they are found, and what is refused."""

import re
from pathlib import Path

import pytest

from tactful.checking.options import (
    KEYS,
    Configuration,
    ProjectRewrite,
    find_configuration,
    read_configuration,
)
from tactful.errors import UsageError

WHOLE = """\
preset = "docs"
model = "fast"
lang = "en"
only = ["pcl", "unhealthy"]
least = 0.3
fail_on = 0.8
format = "json"
exclude = ["drafts/**"]
include = [".adoc"]
explain = true
explanations = false
frames = "groups"
quotes = "label"
baseline = "known.json"

[thresholds]
pcl = 1
"pcl.metaphor" = 0.6
[terms]
level = "all"
allow = ["the elderly"]
[[terms.add]]
forms = ["cab~/s"]
kind = "jargon"
replacements = ["taxi~/s"]
reason = "Most readers say taxi."
[rewrite]
endpoint = "http://127.0.0.1:8080/v1"
chat_model = "small"
key_variable = "TACTFUL_REWRITE_KEY"
"""


def write(folder: Path, text: str, name: str = "tactful.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_is_read(tmp_path: Path) -> None:
    found = read_configuration(write(tmp_path, WHOLE))
    assert found.preset == "docs"
    assert found.model == "fast"
    assert found.lang == "en"
    assert found.only == ("pcl", "unhealthy")
    assert found.least == 0.3
    assert found.fail_on == 0.8
    assert found.format == "json"
    assert found.exclude == ("drafts/**",)
    assert found.include == (".adoc",)
    assert found.rewrite == ProjectRewrite(
        "http://127.0.0.1:8080/v1", "small", "TACTFUL_REWRITE_KEY"
    )
    assert found.explanations is False
    assert found.explain is True
    assert found.frames == "groups"
    assert found.quotes == "label"
    assert found.baseline == tmp_path / "known.json"
    assert found.thresholds == {"pcl": 1.0, "pcl.metaphor": 0.6}
    assert (found.terms.level, found.terms.allow) == ("all", ("the elderly",))
    assert [term["forms"] for term in found.terms.tables()] == [["cab~/s"]]
    assert found.place("only").endswith("tactful.toml, line 4")
    assert found.place("thresholds.pcl.metaphor").endswith("line 18")
    assert all(f"{key} " in WHOLE or f"[{key}]" in WHOLE for key in KEYS)


def test_the_same_below_tool_in_pyproject(tmp_path: Path) -> None:
    text = (
        '[project]\nname = "x"\n[tool.tactful]\nonly = ["pcl"]\n[tool.tactful.thresholds]\npcl=0.7'
    )
    found = read_configuration(write(tmp_path, text, "pyproject.toml"))
    assert (found.only, found.thresholds) == (("pcl",), {"pcl": 0.7})


def test_dotted_ids_need_no_quotes_where_toml_can_read_them(tmp_path: Path) -> None:
    found = read_configuration(write(tmp_path, "[thresholds]\npcl.metaphor = 0.6\n"))
    assert found.thresholds == {"pcl.metaphor": 0.6}


def test_the_nearest_file_upwards_is_found(tmp_path: Path) -> None:
    write(tmp_path, "fail_on = 0.5")
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_configuration(deep).fail_on == 0.5
    write(tmp_path / "a", "[tool.tactful]\nfail_on = 0.6", "pyproject.toml")
    assert find_configuration(deep).fail_on == 0.6
    write(tmp_path / "a", "fail_on = 0.7")
    assert find_configuration(deep).fail_on == 0.7


def test_a_pyproject_of_something_else_is_stepped_over(tmp_path: Path) -> None:
    write(tmp_path, "fail_on = 0.5")
    write(tmp_path / "a", "[tool.other]\nx = 1", "pyproject.toml")
    assert find_configuration(tmp_path / "a").fail_on == 0.5


def test_the_search_ends_with_the_repository(tmp_path: Path) -> None:
    write(tmp_path, "fail_on = 0.5")
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    assert find_configuration(tmp_path / "repository") == Configuration()


def test_a_model_is_meant_from_the_file(tmp_path: Path) -> None:
    found = read_configuration(write(tmp_path, 'model = "models/mine"'))
    assert found.model == str(tmp_path / "models" / "mine")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('\nmodle = "fast"', 2, "no key named 'modle'. Did you mean 'model'?"),
        ("[thresholdz]\npcl = 0.5", 1, "Did you mean 'thresholds'?"),
        ("lang = 'fr'", 1, "found 'fr' as 'lang'; expected one of auto, en, es"),
        ("\n\nformat = 'xml'", 3, "expected one of text, json"),
        ("only = 'pcl'", 1, "expected a list of texts"),
        ("only = [1]", 1, "expected a list of texts"),
        ("fail_on = 2", 1, "found 2 as 'fail_on'; expected a number from 0 to 1"),
        ("fail_on = true", 1, "found True as 'fail_on'"),
        ("fail_on = nan", 1, "found nan as 'fail_on'"),
        ("model = 3", 1, "found 3 as 'model'; expected a text"),
        ("model = ' '", 1, "expected a text"),
        ("include = ['adoc']", 1, "endings that start with a dot"),
        ("explanations = 1", 1, "expected true or false"),
        ("thresholds = 0.5", 1, "ids with numbers"),
        ("[thresholds]\n'pcl' = 'high'", 2, "found 'high' as 'thresholds.pcl'"),
        ("[thresholds]\npcl.metaphor = 7", 2, "found 7 as 'thresholds.pcl.metaphor'"),
        ("[thresholds.pcl]\nmetaphor = 7", 2, "found 7 as 'thresholds.pcl.metaphor'"),
        ("thresholds = {pcl = -1}", 1, "found -1 as 'thresholds.pcl'"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(UsageError) as refused:
        read_configuration(path)
    assert str(refused.value).startswith(f"{path}, line {line}: ")
    assert message in str(refused.value)


def test_broken_toml_has_the_line_and_a_hint(tmp_path: Path) -> None:
    path = write(tmp_path, "[thresholds]\npcl = 0.5\npcl.metaphor = 0.6\n")
    with pytest.raises(UsageError, match=r'line 3.*"pcl.metaphor" = 0.6'):
        read_configuration(path)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tactful.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_configuration(path)


def test_a_wrong_tool_table_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "[tool]\ntactful = 3", "pyproject.toml")
    with pytest.raises(UsageError, match=r"tool\.tactful"):
        read_configuration(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rewrite = 1", "line 1: found 1 as 'rewrite'; expected a table"),
        ("[rewrite]\nurl = 'x'", "line 2: There is no key of 'rewrite' named 'url'"),
        ("[rewrite]\nendpoint = 1", "line 2: found 1 as 'rewrite.endpoint'; expected a text"),
        (
            "[rewrite]\nkey_variable = 'AWS_SECRET'",
            "line 2: found 'AWS_SECRET' as 'rewrite.key_variable'; expected a name that begins",
        ),
    ],
    ids=["table", "key", "text", "secret"],
)
def test_a_table_of_rewrites_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        read_configuration(write(tmp_path, text))
