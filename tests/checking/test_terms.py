"""Terms in a check: which are reported, where, and what to write instead; in every format."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tactful.checking import Checker, DocumentReport
from tactful.checking.options import Configuration, read_configuration
from tactful.checking.reports.run import render
from tactful.cli.check import check_cli
from tactful.errors import UnknownNameError, UsageError

TEXT = "The bus stops here. She is wheelchair-bound, and the chairman knows it."
ADD = """
[[terms.add]]
forms = ["cab~/s"]
kind = "jargon"
replacements = ["taxi~/s"]
reason = "Most readers say taxi."
"""


def checked(text: str, **options: Any) -> DocumentReport:
    return Checker(model="fast", only=["term"], lang="en", **options).check(text, "markdown")


def project(folder: Path, text: str) -> Configuration:
    path = folder / "tactful.toml"
    path.write_text(text, encoding="utf-8")
    return read_configuration(path)


def found(report: DocumentReport) -> list[str]:
    return [span.words for finding in report.findings for span in finding.spans]


def test_a_term_is_a_finding_with_suggestions() -> None:
    (finding,) = checked(TEXT).findings
    assert (finding.id, finding.name, finding.probability) == ("term.disability", "Disability", 0.9)
    assert finding.suggestions == ("using a wheelchair", "a wheelchair user")
    assert finding.explanation == (
        "A wheelchair gives people freedom of movement; it does not bind them. "
        "(NCDJ Disability Language Style Guide)"
    )
    place = finding.spans[0].place
    assert TEXT[place.start : place.end] == "wheelchair-bound"


@pytest.mark.parametrize(
    ("terms", "words"),
    [("default", ["wheelchair-bound"]), ("all", ["wheelchair-bound", "chairman"]), ("off", [])],
)
def test_the_option_says_which_terms_are_reported(terms: str, words: list[str]) -> None:
    report = Checker(model="fast", lang="en", terms=terms).check(TEXT)
    assert [each.spans[0].words for each in report.findings if each.suggestions] == words


def test_terms_are_found_beside_what_the_detector_finds() -> None:
    text = "With our help even the wheelchair-bound can learn to hope again."
    options: dict[str, Any] = {"only": ["pcl", "term"], "thresholds": {"pcl": 0.1}}
    report = Checker(model="fast", lang="en", **options).check(text)
    assert {finding.id.partition(".")[0] for finding in report.findings} == {"pcl", "term"}


def test_ids_thresholds_and_the_least_probability_hold_for_terms() -> None:
    assert found(checked(TEXT, least=0.95)) == []
    assert found(checked(TEXT, terms="all", least=0.6)) == ["wheelchair-bound"]
    assert found(checked(TEXT, thresholds={"term": 0.95})) == []
    some = Checker(model="fast", lang="en", only=["term.gender"], terms="all").check(TEXT)
    assert found(some) == ["chairman"]
    with pytest.raises(UnknownNameError, match=r"term\.gender"):
        Checker(model="fast", only=["term.gendre"])
    with pytest.raises(UnknownNameError, match="value of 'terms'"):
        Checker(model="fast", terms="some")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("`wheelchair-bound`", id="code"),
        pytest.param("```\nwheelchair-bound\n```", id="code block"),
        pytest.param("See <https://example.org/wheelchair-bound>.", id="address"),
        pytest.param("<!-- tactful: ignore-next term -->\nHe is wheelchair-bound.", id="ignored"),
        pytest.param(
            "<!-- tactful: ignore-file term.disability -->\n\nHe is wheelchair-bound.", id="file"
        ),
    ],
)
def test_what_is_excluded_or_ignored_has_no_terms(text: str) -> None:
    assert found(checked(text)) == []


def test_a_term_with_markup_inside_has_its_place_in_the_source() -> None:
    text = "He is **wheelchair**-bound."
    (finding,) = checked(text).findings
    place = finding.spans[0].place
    assert text[place.start : place.end] == "wheelchair**-bound"


def test_spanish_texts_have_spanish_terms() -> None:
    checker = Checker(lang="es", only=["term"])
    (finding,) = checker.check("Un minusválido pidió ayuda.").findings
    assert (finding.name, finding.suggestions) == (
        "Discapacidad",
        ("Una persona con discapacidad",),
    )


def test_a_project_adds_and_allows_terms(tmp_path: Path) -> None:
    own = project(tmp_path, '[terms]\nallow = ["wheelchair-bound"]\n' + ADD)
    checker = Checker(own.options(model="fast", lang="en", only=("term",)))
    report = checker.check(f"{TEXT} Two cabs wait.")
    assert found(report) == ["cabs"]
    assert report.findings[0].suggestions == ("taxis",)
    assert report.findings[0].explanation == "Most readers say taxi. (the project's own terms)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("terms = 3", "found 3 as 'terms'", id="no table"),
        pytest.param("[terms]\ncolour = 1", "line 2: There is no key of 'terms'", id="unknown key"),
        pytest.param('[terms]\nlevel = "some"', "one of default, all, off", id="level"),
        pytest.param('[terms]\nallow = "x"', "a list of texts", id="allow"),
        pytest.param("[terms]\nadd = 3", "below [[terms.add]]", id="add"),
        pytest.param(
            ADD.replace("jargon", "cars"), "tactful.toml, line 2: cannot use 'terms.add'", id="kind"
        ),
        pytest.param(ADD.replace("reason", "reazon"), "term 1: found no 'reason'", id="field"),
    ],
)
def test_a_wrong_table_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        project(tmp_path, text)
    assert said in str(caught.value)


def test_every_format_shows_what_to_write_instead() -> None:
    checker = Checker(model="fast", lang="en", only=["term"])
    report = checker.check(TEXT)
    for name in ("text", "json", "jsonl", "sarif", "html"):
        assert "using a wheelchair" in "".join(render(name, [report], checker.run())), name


def test_sarif_has_fixes_and_a_rule_for_each_kind_that_was_found() -> None:
    checker = Checker(model="fast", lang="en", only=["term"])
    log = json.loads("".join(render("sarif", [checker.check(TEXT)], checker.run())))
    (run,) = log["runs"]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "term.disability"
    change = result["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert change["insertedContent"] == {"text": "using a wheelchair"}
    assert change["deletedRegion"]["startColumn"] == TEXT.index("wheelchair") + 1


def test_the_command_has_the_option() -> None:
    arguments = ["--no-config", "--model", "fast", "--only", "term", "--text", TEXT]
    shown = CliRunner().invoke(check_cli, [*arguments, "--terms", "all"])
    assert (
        "“chairman” — term: gender (rather likely, 0.50). Instead: chair, chairperson."
        in shown.output
    )
    assert shown.exit_code == 0
    assert CliRunner().invoke(check_cli, [*arguments, "--fail-on", "0.9"]).exit_code == 1


@pytest.mark.parametrize(
    "text",
    [
        'Avoid "wheelchair-bound"; say "uses a wheelchair".',
        "He said: “She is wheelchair-bound.”",
        "I'm an alcoholic, and I'll have the juice.",
        "We are old cripples, and proud of it.",
    ],
    ids=["spoken about", "quoted", "of oneself", "of ourselves"],
)
def test_a_quoted_term_and_one_for_oneself_are_not_reported(text: str) -> None:
    assert checked(text).findings == ()


def test_a_term_beside_a_quotation_is_reported() -> None:
    text = 'The "hero" is wheelchair-bound, says the "critic".'
    assert found(checked(text)) == ["wheelchair-bound"]
