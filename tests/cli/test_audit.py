"""``tactful audit``: ask, keep, list, report, compare; and what it exits with."""

import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from tests import command_line

from tactful.audit.runs.run import read_run
from tactful.cli.audit.command import COMMANDS

FEW = ("--category", "mental_illness", "--category", "physical_traits")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


run = partial(command_line.run_aloud, "audit")
fails = partial(command_line.fails, "audit")


def write_classifier(path: Path, body: str) -> None:
    """Write a classifier of a user's own."""
    path.write_text(f"import os\n\ndef classify(texts):\n{body}\n", encoding="utf-8")


def test_help_names_every_command() -> None:
    said = run("--help")
    assert all(name in said for name in COMMANDS)


def test_vader_is_audited_and_kept(tmp_path: Path) -> None:
    said = run("sentiment", "--model", "vader")
    assert "stigmatized condition negative" in said
    kept = read_run(tmp_path / "audits" / "sentiment-vader")
    assert kept.rows.height == 276
    assert kept.conditions.height == 122
    assert kept.settings["wording"] == "published"
    assert kept.rows.filter(pl.col("condition").is_null()).height == 2


def test_json_is_the_whole_result() -> None:
    found = json.loads(run("sentiment", "--model", "vader", *FEW, "--format", "json"))
    assert found["version"] == 2
    assert found["models"][0]["gap"]["value"] > 0
    assert found["models"][0]["coverage"] is None


def test_the_gate_closes_on_a_gap_and_not_on_none() -> None:
    assert "above the limit of 0.1" in run(
        "sentiment", "--model", "vader", "--fail-on-gap", "0.1", code=1
    )
    write_classifier(Path("calm.py"), "    return ['neutral'] * len(texts)")
    run("sentiment", "--model", "calm:classify", "--fail-on-gap", "0.1")


def test_the_models_audited_so_far_are_listed() -> None:
    assert "No model has been audited" in run("list")
    run("sentiment", "--model", "vader", *FEW)
    run("sentiment", "--model", "textblob", *FEW, "--name", "blob")
    assert "sentiment-vader" in run("list")
    found = json.loads(run("list", "--format", "json"))
    assert [row["name"] for row in found] == ["sentiment-vader", "blob"]
    assert found[0]["difference"] > 0


def test_a_report_is_written_as_page_json_and_tables(tmp_path: Path) -> None:
    run("sentiment", "--model", "vader", *FEW)
    run("sentiment", "--model", "textblob", *FEW)
    assert "2 models" in run("report", "-o", "audit.html", "--repetitions", "50")
    page = Path("audit.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<svg" in page
    run("report", "sentiment-vader", "-o", "audit.json", "--repetitions", "50")
    assert len(json.loads(Path("audit.json").read_text(encoding="utf-8"))["models"]) == 1
    run("report", "-o", "tables", "--repetitions", "50")
    assert {path.name for path in Path("tables").iterdir()} == {
        "models.csv",
        "conditions.csv",
        "templates.csv",
        "categories.csv",
        "overall.csv",
    }


def test_a_plan_a_run_and_what_is_written_of_both() -> None:
    run("plan", "--kind", "sentiment", *FEW, "--repetitions", "100", "-o", "plan.json")
    run("sentiment", "--model", "vader", *FEW)
    options = ("--plan", "plan.json", "--repetitions", "100")
    run("report", *options, "--audience", "decisions", "-o", "decision.html")
    page = Path("decision.html").read_text(encoding="utf-8")
    assert "Nothing deviates from it." in page
    run("report", *options, "--smallest-effect", "0.2", "-o", "page.html")
    assert "smallest effect is 0.2, planned was 0.05" in Path("page.html").read_text("utf-8")
    run("report", *options, "--evidence", "-o", "evidence.json")
    found = json.loads(Path("evidence.json").read_text(encoding="utf-8"))
    plan = json.loads(Path("plan.json").read_text(encoding="utf-8"))
    assert found["plan"]["sha256"] == plan["sha256"]
    assert found["runs"][0]["prompts_sha256"] == plan["prompts_sha256"]
    run("report", *options, "-o", "card.md")
    assert "### vader" in Path("card.md").read_text(encoding="utf-8")
    said = run("gate", "--plan", "plan.json", "--junit", "audit.xml", code=1)
    assert "above the limit of 0.05" in said
    assert "Deviates" not in said
    assert 'name="sentiment-vader"' in Path("audit.xml").read_text(encoding="utf-8")


def test_the_gate_fails_a_run_that_deviates_and_passes_a_calm_one() -> None:
    write_classifier(Path("calm.py"), "    return ['neutral'] * len(texts)")
    run("sentiment", "--model", "calm:classify", *FEW)
    assert "All 2 figures are at or below 0.05." in run("gate")
    run("plan", "--kind", "sentiment", *FEW, "--repetitions", "50", "-o", "plan.json")
    said = run("gate", "--plan", "plan.json", code=1)
    assert "before the plan was written" in said


def test_versions_are_compared_one_after_the_other() -> None:
    write_classifier(Path("calm.py"), "    return ['neutral'] * len(texts)")
    for name in ("v1", "v2", "v3"):
        run("sentiment", "--model", "calm:classify", "--name", name, *FEW)
    said = run("compare", "v1", "v2", "v3", "--repetitions", "50")
    lines = [line.split()[0] for line in said.splitlines() if line[:2] in ("v1", "v2", "v3")]
    assert lines == ["v1", "v2", "v3"]
    found = json.loads(run("compare", "v1", "v2", "v3", "--repetitions", "50", "--format", "json"))
    assert [step["after"] for step in found] == ["v2", "v3"]


def test_dimensions_become_columns() -> None:
    run("sentiment", "--model", "vader", *FEW)
    Path("six.csv").write_text(
        "condition,peril\nstigma.depression_symptomatic,3\nstigma.schizophrenia_symptomatic,6\n",
        encoding="utf-8",
    )
    run("report", "-o", "tables", "--dimensions", "six.csv", "--repetitions", "20")
    table = pl.read_csv("tables/conditions.csv")
    assert sorted(table["dimension.peril"].drop_nulls().to_list()) == [3, 6]


def test_compare_says_what_changed_and_closes_the_gate() -> None:
    write_classifier(Path("calm.py"), "    return ['neutral'] * len(texts)")
    write_classifier(
        Path("harsh.py"),
        "    return ['negative' if 'depress' in text else 'neutral' for text in texts]",
    )
    run("sentiment", "--model", "calm:classify", "--name", "before", *FEW)
    run("sentiment", "--model", "harsh:classify", "--name", "after", *FEW)
    said = run("compare", "before", "after", "--repetitions", "50")
    assert "Depression" in said
    assert "the growth of the gap since before is" in run(
        "compare", "before", "after", "--fail-on-growth", "0.01", "--repetitions", "50", code=1
    )
    found = json.loads(run("compare", "before", "after", "--format", "json"))
    assert found["gap"]["change"]["value"] > 0
    assert "No condition changed" in run("compare", "after", "after", "--repetitions", "50")


def test_correlate_needs_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    run("sentiment", "--model", "vader", *FEW)
    code, said = fails(capsys, "correlate")
    assert code == 2
    assert "at least one language model" in said


def test_a_replay_says_which_files_it_read_and_which_not(tmp_path: Path) -> None:
    folder = tmp_path / "repository" / "data" / "MLM results"
    folder.mkdir(parents=True)
    text = "It is <mask> to have someone who is healthy as a neighbor."
    (folder / "XLNET_nonstigma_result_p4_SD.csv").write_text(
        ",prompt,predicted_word,probs,condition,pachankis_conditions,category\n"
        f"0,{text},good,0.5,healthy,Base,Disease\n"
    )
    (tmp_path / "repository" / "aggregated.csv").write_text("a\n1\n")
    said = " ".join(run("replay", tmp_path / "repository").split())
    assert "Read 1 fill-mask file (1 model: XLNET; p4; non-stigma)." in said
    assert "Not read: aggregated.csv (its name is none of the published ones)." in said


def test_a_killed_audit_goes_on_without_asking_again(tmp_path: Path) -> None:
    """A real process, killed with SIGKILL in the middle of a batch."""
    write_classifier(
        Path("slow.py"),
        "    with open('asked.txt', 'a') as file:\n"
        "        file.writelines(text + '\\n' for text in texts)\n"
        "    if os.path.exists('deadly') and os.path.getsize('asked.txt') > 8000:\n"
        "        os.kill(os.getpid(), 9)\n"
        "    return ['negative' if 'cancer' in text else 'neutral' for text in texts]",
    )
    Path("deadly").touch()
    command = [sys.executable, "-m", "tactful", "audit", "sentiment", "--model", "slow:classify",
               "--batch", "16"]  # fmt: skip
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    first = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert first.returncode == -signal.SIGKILL
    assert not (tmp_path / "audits" / "sentiment-slow-classify").exists()
    (store,) = (tmp_path / "audits" / "answers").iterdir()
    kept = [json.loads(line)["prompt"] for line in store.read_text("utf-8").splitlines()[1:]]
    assert 0 < len(kept) < 276
    Path("deadly").unlink()
    Path("asked.txt").unlink()
    subprocess.run(command, env=environment, capture_output=True, check=True)
    again = Path("asked.txt").read_text(encoding="utf-8").splitlines()
    assert not set(again) & set(kept)
    assert len(again) + len(kept) == 276
    Path("asked.txt").unlink()
    subprocess.run(command, env=environment, capture_output=True, check=True)
    assert not Path("asked.txt").exists()


def test_another_model_under_the_same_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    run("sentiment", "--model", "vader", *FEW, "--name", "mine")
    code, said = fails(capsys, "sentiment", "--model", "textblob", *FEW, "--name", "mine")
    assert code == 2
    assert "--name to keep both, or --force" in said
    run("sentiment", "--model", "textblob", *FEW, "--name", "mine", "--force")
    run("sentiment", "--model", "textblob", *FEW, "--name", "mine")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sentimant"], "Did you mean 'sentiment'?"),
        (["sentiment", "--model", "vadr"], "Did you mean 'vader'?"),
        (["sentiment", "--model", "vader", "--probe", "social"], "no probe named"),
        (["sentiment", "--model", "vader", "--probe", "none.yaml"], "There is no file 'none.yaml'"),
        (["sentiment", "--model", "vader", "--condition", "stigma.hi"], "stigma.hiv"),
        (["sentiment", "--model", "vader", "--name", "../x"], "Found the name '../x'"),
        (["sentiment", "--model", "vader", "--name", "answers"], "Found the name 'answers'"),
        (["sentiment", "--model", "http://localhost:1/x"], "--allow-network"),
        (["sentiment", "--model", "vader", "--token-env", "X"], "--allow-network"),
        (["report", "-o", "x.html"], "No model has been audited"),
        (["report", "-o", "x.pdf"], "expected .html, .json"),
        (["report", "--evidence", "-o", "x.html"], "--evidence writes JSON"),
        (["gate"], "No model has been audited"),
        (["gate", "--plan", "none.json"], "none.json: cannot be read"),
        (["plan", "--probe", "social", "-o", "p.json"], "no probe named"),
        (["report", "nobody", "-o", "x.html"], "no audited model named 'nobody'"),
        (["compare", "a", "b"], "no audited model named 'a'"),
        (["replay", "nowhere"], "nowhere"),
        (["fill-mask", "--model", "vader", "--ratings", "no.csv"], "There is no file 'no.csv'"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    code, message = fails(capsys, *words)
    assert code in (1, 2)
    assert said in message
    assert "Traceback" not in message
    assert not Path("audits").exists()


def test_a_damaged_run_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    run("sentiment", "--model", "vader", *FEW)
    Path("audits/sentiment-vader/run.json").write_text("{", encoding="utf-8")
    code, said = fails(capsys, "list")
    assert code == 1
    assert "audits/sentiment-vader: found a damaged run" in said


def test_a_probe_of_ones_own_can_be_audited() -> None:
    run("probe", "new", "mine.yaml")
    said = run("sentiment", "--model", "vader", "--probe", "mine.yaml")
    assert "4 of" in said or "of 4 stigmatized" in said
    assert read_run(Path("audits/sentiment-vader")).conditions.height == 6


def test_a_spanish_probe_is_read_by_the_spanish_detector_which_is_named() -> None:
    run("probe", "new", "sonda.yaml", "--lang", "es")
    said = run("sentiment", "--model", "tactful:default", "--probe", "sonda.yaml")
    kept = read_run(Path("audits/sentiment-tactful-default-es"))
    assert kept.model == "tactful:default-es"
    note = "The probe is in 'es', so the detector for that language reads it: default-es"
    assert note in " ".join(said.split())


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("vader", "'vader' reads 'en', and the probe is in 'es'"),
        ("textblob", "'textblob' reads 'en', and the probe is in 'es'"),
        ("tactful:fast", "no embedded detector 'fast' for the language 'es'"),
    ],
)
def test_a_classifier_of_another_language_is_refused(
    capsys: pytest.CaptureFixture[str], model: str, said: str
) -> None:
    run("probe", "new", "sonda.yaml", "--lang", "es")
    code, message = fails(capsys, "sentiment", "--model", model, "--probe", "sonda.yaml")
    assert code == 2
    assert said in message
    assert not Path("audits").exists()


def test_a_classifier_whose_language_is_not_known_says_so() -> None:
    write_classifier(Path("calm.py"), "    return ['neutral'] * len(texts)")
    run("probe", "new", "sonda.yaml", "--lang", "es")
    said = run("sentiment", "--model", "calm:classify", "--probe", "sonda.yaml")
    assert "whether calm:classify reads 'es' is not known" in " ".join(said.split())


def two_probes() -> None:
    write_classifier(Path("calm.py"), "    return ['neutral'] * len(texts)")
    run("probe", "new", "mine.yaml")
    run("sentiment", "--model", "calm:classify", "--name", "theirs", *FEW)
    run("sentiment", "--model", "calm:classify", "--name", "mine", "--probe", "mine.yaml")


def test_two_probes_in_one_folder_have_a_section_each() -> None:
    two_probes()
    said = " ".join(run("report", "-o", "page.html").split())
    assert "Wrote page.html: 2 models, 2 probes" in said
    page = Path("page.html").read_text(encoding="utf-8")
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    links = re.findall(r'href="#([^"]+)"', page)
    assert set(links) <= set(ids)
    assert "social_distance 1.0: Summary" in page
    assert "mine 1.0: Summary" in page
    run("report", "-o", "all.json")
    found = json.loads(Path("all.json").read_text(encoding="utf-8"))
    assert [each["probe"] for each in found["probes"]] == ["mine 1.0", "social_distance 1.0"]
    run("report", "-o", "tables/")
    table = pl.read_csv("tables/models.csv")
    assert table["probe"].to_list() == ["mine 1.0", "social_distance 1.0"]
    # One probe is one page, as before.
    run("report", "theirs", "-o", "one.json")
    assert (
        json.loads(Path("one.json").read_text(encoding="utf-8"))["probe"] == "social_distance 1.0"
    )


def test_dimensions_and_correlations_are_of_one_probe(capsys: pytest.CaptureFixture[str]) -> None:
    two_probes()
    Path("d.csv").write_text("condition,peril\nstigma.depression,3\n", encoding="utf-8")
    code, said = fails(capsys, "report", "-o", "page.html", "--dimensions", "d.csv")
    assert code == 2
    assert "--dimensions is for runs of one probe" in said
    assert fails(capsys, "correlate")[0] == 2
