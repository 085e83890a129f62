"""Findings of toxicity: on their own or below the root, and in every report and both languages."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.toxicity_detector import ToxicPhrases

from tactful.checking.findings import check_document
from tactful.checking.report import DocumentReport
from tactful.checking.reports import RENDERERS
from tactful.checking.reports.run import Run, render
from tactful.cli.main import cli
from tactful.documents.document import document_of
from tactful.taxonomies import load_taxonomy
from tactful.taxonomies.translations import load_translated

POLITE_THREAT = "With all due respect, you will not walk home on Sunday."
INSULT = "Anyone who believes this is a clown."
IDS = load_taxonomy("toxicity").ids()


def check(text: str, **options: object) -> DocumentReport:
    return check_document(ToxicPhrases(), document_of(text), **options)  # type: ignore[arg-type]


def found(report: DocumentReport) -> list[tuple[str, str | None]]:
    return [(kind.id, kind.parent) for each in report.findings for kind in each.kinds]


def test_a_polite_threat_is_reported_without_toxicity() -> None:
    """Toxicity is no gate (base.GATES)."""
    assert found(check(POLITE_THREAT)) == [("toxicity.threat", None)]
    assert found(check("Damn, the printer again.")) == [("toxicity.profanity", None)]


def test_what_is_found_with_toxicity_is_below_it() -> None:
    assert found(check(INSULT)) == [("toxicity", None), ("toxicity.insult", "toxicity")]
    # Where the root does not reach its threshold, its category is still reported.
    assert found(check(INSULT, thresholds={"toxicity": 0.95})) == [("toxicity.insult", None)]


def test_only_takes_the_family_or_one_id() -> None:
    both = f"{INSULT} You will not walk home."
    assert len(found(check(both, only=["toxicity"]))) == 3
    assert found(check(both, only=["toxicity.threat"])) == [("toxicity.threat", None)]


def test_a_directive_silences_the_family() -> None:
    report = check(f"# tactful: ignore toxicity\n{POLITE_THREAT}")
    assert (report.findings, report.silenced, report.problems) == ((), 1, ())


def rendered(name: str, lang: str) -> str:
    text = f"{INSULT}\n\n{POLITE_THREAT}"
    run = Run(ToxicPhrases.card, ToxicPhrases.card.ids, lang=lang, explain=True)
    return "".join(render(name, [check(text)], run))


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("name", RENDERERS.built_in)
def test_every_report_has_the_words_of_the_taxonomy(name: str, lang: str) -> None:
    page = rendered(name, lang)
    entries = load_translated("toxicity", lang)
    # An annotation names the kinds, and says what the text does.
    is_short = name == "github"
    for entry_id in ("toxicity", "toxicity.threat", *(() if is_short else ("toxicity.insult",))):
        entry = entries.entry(entry_id)
        assert entry_id in page
        assert entry.name in page
        assert is_short or entry.definition in " ".join(page.split())


def test_the_page_gives_toxicity_its_name_and_colour() -> None:
    page = rendered("html", "es")
    assert re.search(r'<mark class="g-toxicity"', page)
    assert re.search(r"--toxicity: #[0-9a-f]{6}; --on-toxicity: ", page)
    assert "Toxicidad" in page


def test_a_rule_of_sarif_says_what_it_is_not_and_where_it_comes_from() -> None:
    rules = json.loads(rendered("sarif", "en"))["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == IDS
    for rule in rules:
        assert "A swear word at an object" in rule["help"]["text"]
        assert "Borkan et al. 2019" in rule["help"]["text"]
        assert "Civil Comments" in rule["help"]["text"]


def test_the_command_reads_thresholds_from_the_projects_file(
    toxic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = tmp_path / "tactful.toml"
    settings.write_text(
        f'model = "{toxic_folder}"\nonly = ["toxicity"]\n[thresholds]\n"toxicity.threat" = 0.9\n',
        encoding="utf-8",
    )
    asked = ["check", "--text", f"{INSULT} You will not walk home.", "--format", "json"]
    assert command(*asked) == ["toxicity", "toxicity.insult"]
    assert command(*asked, "--only", "toxicity.threat", "--threshold", "toxicity.threat=0.8") == [
        "toxicity.threat"
    ]


def command(*args: str) -> list[str]:
    done = CliRunner().invoke(cli, list(args))
    report = json.loads(done.stdout)
    return sorted(report["summary"]["by_id"])
