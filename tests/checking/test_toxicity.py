"""Findings of toxicity: on their own or below the root, and in every report and both languages."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.toxicity_detector import ToxicPhrases

from tactful.checking.checker import Checker
from tactful.checking.explanation import gravest_first
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


GRAVE = "The clown over sixty will not walk home. Damn, just crawl away."


def test_the_gravest_kind_leads() -> None:
    (finding,) = check(GRAVE).findings
    assert [kind.id for kind in finding.kinds] == [
        "toxicity.threat",  # 0.85
        "toxicity.identity_attack",  # 0.75
        "toxicity.profanity",  # 0.95, and from here on the surest first
        "toxicity",
        "toxicity.insult",
        "toxicity.severe",
    ]
    assert (finding.id, finding.name) == ("toxicity.threat", "Threat")
    assert finding.confidence == pytest.approx(0.85)
    assert finding.highest_confidence == pytest.approx(0.95)


def test_what_is_too_unsure_to_be_reported_by_default_does_not_lead() -> None:
    sure = {"toxicity.threat": 0.49, "toxicity": 0.8, "toxicity.insult": 0.9}
    assert gravest_first(sure) == ["toxicity.insult", "toxicity", "toxicity.threat"]
    assert gravest_first({**sure, "toxicity.threat": 0.5})[0] == "toxicity.threat"
    assert gravest_first({"own": 0.6, "pcl": 0.7}) == ["pcl", "own"]


def test_severe_toxicity_leads_only_where_no_kind_of_toxicity_is_surer() -> None:
    insult = {"toxicity": 0.95, "toxicity.insult": 0.9, "toxicity.severe": 0.77}
    assert gravest_first(insult)[0] == "toxicity"
    severe = {"unhealthy.hostile": 0.98, "toxicity": 0.8, "toxicity.severe": 0.8}
    assert gravest_first(severe)[0] == "toxicity.severe"
    attacked = {**severe, "toxicity.identity_attack": 0.9}
    assert gravest_first(attacked)[0] == "toxicity.identity_attack"
    attacked["toxicity.severe"] = 0.9
    assert gravest_first(attacked)[:2] == ["toxicity.severe", "toxicity.identity_attack"]
    assert gravest_first({**attacked, "toxicity.threat": 0.6})[0] == "toxicity.threat"


def test_every_report_leads_with_the_threat() -> None:
    def page(name: str) -> str:
        run = Run(ToxicPhrases.card, ToxicPhrases.card.ids)
        return "".join(render(name, [check(GRAVE)], run))

    # Before, a polite word for the same sentence came first: "toxic: profanity, threat, …".
    headline = "toxic: threat, identity attack, profanity, insult, severely toxic"
    assert headline in page("text")
    assert headline in page("github").replace("%3A", ":").replace("%2C", ",")
    (result,) = json.loads(page("sarif"))["runs"][0]["results"]
    assert result["ruleId"] == "toxicity.threat"
    assert headline in result["message"]["text"]
    assert result["level"] == "warning"  # the surest kind decides that
    (document,) = json.loads(page("json"))["documents"]
    assert [each["id"] for each in document["findings"]] == ["toxicity.threat"]
    assert document["findings"][0]["kinds"][0]["id"] == "toxicity.threat"
    html = page("html")
    codes = [f"<code>toxicity.{name}</code>" for name in ("threat", "identity_attack", "insult")]
    assert [html.index(code) for code in codes] == sorted(html.index(code) for code in codes)


def test_a_check_fails_by_the_surest_kind(toxic_folder: Path) -> None:
    asked = ["check", "--model", str(toxic_folder), "--text", GRAVE, "--fail-on"]
    failed = CliRunner().invoke(cli, [*asked, "0.9"])
    assert failed.exit_code == 1
    assert "toxic: threat" in failed.stderr
    assert "[toxicity.threat]: very likely, 0.95" in failed.stderr
    assert CliRunner().invoke(cli, [*asked, "0.96"]).exit_code == 0


@pytest.mark.parametrize("text", ["I will find you and kill you.", "We will hunt you down."])
def test_the_default_model_names_a_threat_first(text: str) -> None:
    (finding,) = Checker().check(text).findings
    assert finding.id == "toxicity.threat"
    assert finding.highest_confidence > finding.confidence  # it is surer of hostility
    assert re.search("plan|threat", finding.explanation)


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
