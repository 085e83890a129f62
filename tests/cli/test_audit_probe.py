"""``tactful audit probe``: what it prints and writes, and what it refuses."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tactful.audit.probes.load import PROBES, load_probe
from tactful.cli.audit.probe import probe_cli
from tactful.errors import TactfulError, TaxonomyError, UnknownNameError, UsageError


def run(*args: object) -> str:
    result = CliRunner().invoke(probe_cli, [*map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def error(*args: object) -> TactfulError:
    with pytest.raises(TactfulError) as refused:
        run(*args)
    return refused.value


def test_list_shows_the_built_in_probes() -> None:
    lines = run("list").splitlines()
    assert lines[1].split()[0] == "social_distance"
    assert "122" in lines[1]
    rows = json.loads(run("list", "--format", "json"))
    assert [row["id"] for row in rows] == list(PROBES.built_in)
    assert rows[0]["digest"] == load_probe("social_distance").digest


@pytest.mark.parametrize("lang", ["en", "es"])
def test_a_new_probe_is_a_valid_one_under_its_own_name(tmp_path: Path, lang: str) -> None:
    file = tmp_path / "My probe #2.yaml"
    said = run("new", file, "--lang", lang)
    words = tmp_path / "My probe #2_words.csv"
    assert f"Wrote {file} and {words}." in said
    probe = load_probe(file)
    assert (probe.id, probe.language, probe.ratings_file) == ("my_probe_2", lang, words)
    assert probe.conditions == load_probe(f"example_{lang}").conditions
    said = run("check", file)
    assert "is a valid probe: my_probe_2 1.0, 4 stigmatized and 2 other conditions" in said
    assert "48 fill-mask, 48 causal, 16 sentiment" in said
    assert "person-first, whole or partly" in said
    assert f"Ratings: 63 words in {words}." in said


def test_nothing_is_overwritten_unless_asked(tmp_path: Path) -> None:
    file, words = tmp_path / "p.yaml", tmp_path / "p_words.csv"
    words.write_text("mine")
    assert isinstance(error("new", file), UsageError)
    assert not file.exists()
    assert words.read_text() == "mine"
    run("new", file, "--force")
    assert words.read_text(encoding="utf-8").startswith("word,attitude\n")
    assert str(error("new", tmp_path / "p.txt")).endswith("expected .yaml or .yml.")


def test_check_tells_every_problem_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "p.yaml"
    run("new", file)
    text = file.read_text(encoding="utf-8").replace("pairs: [comfort, mood]", "pairs: [mod]")
    file.write_text(text, encoding="utf-8")
    found = error("check", file)
    assert isinstance(found, TaxonomyError)
    assert found.exit_code == 1
    first, *others = str(found).splitlines()
    assert first == f"{file} has 2 problems:"
    lines = [n for n, line in enumerate(text.splitlines(), 1) if "pairs: [mod]" in line]
    assert len(others) == 2
    for line, other in zip(lines, others, strict=True):
        assert other.startswith(f"  {file}, line {line}: found 'mod'")
        assert other.endswith("the id of a pair of 'scale': 'comfort', 'mood', 'calm'; correct it.")


def test_check_reads_the_ratings_too(tmp_path: Path) -> None:
    file, words = tmp_path / "p.yaml", tmp_path / "p_words.csv"
    run("new", file)
    words.write_text("word,attitude\ngood,positive\nbad,nasty\n", encoding="utf-8")
    found = error("check", file)
    assert found.exit_code == 1
    assert f"{words}, line 3: found 'nasty'; expected one of positive" in str(found)


def test_check_names_kinds_without_templates_and_missing_ratings(tmp_path: Path) -> None:
    file = tmp_path / "p.yaml"
    file.write_text(
        'id: p\nversion: "1"\nname: P\ndefinition: d\nlanguage: en\nlicence: Ours.\n'
        'person: {baseline: someone, person_first: "someone who {verb} {condition}"}\n'
        "sentiment_templates:\n"
        '  - {id: they, text: "They {verb} {condition}.", baseline: "They live."}\n'
        "conditions:\n"
        "  - {id: a, name: A, category: c, stigmatized: true, forms: "
        "[{verb: is, plural_verb: are, singular: a, plural: as}]}\n"
        "  - {id: b, name: B, category: c, stigmatized: false, forms: "
        "[{verb: is, plural_verb: are, singular: b, plural: bs}]}\n"
    )
    said = run("check", file)
    assert "no fill-mask, no causal, 3 sentiment" in said
    assert "no ratings of its own" in said
    assert "person-first" not in said


def test_show_prints_prompts_a_line_each() -> None:
    words = ("show", "social_distance", "--condition", "stigma.hiv", "--question", "neighbour")
    assert run(*words, "--template", "template_3").splitlines() == [
        "It is [MASK] for me to have someone as a neighbor.",
        "It is [MASK] for me to have someone who has HIV as a neighbor.",
    ]
    assert run(
        *words, "--kind", "causal", "--template", "causal_4", "--no-baseline",
        "--phrasing", "identity-first",
    ) == "To have an HIV-positive person as a neighbor is [MASK].\n"  # fmt: skip
    assert len(run("show", "social_distance").splitlines()) == 7 * 4 * 138


def test_show_takes_every_choice() -> None:
    words = ("show", "social_distance", "--kind", "sentiment", "--category", "drug_use")
    assert "We are people" not in run(*words)
    assert run(*words, "--all-sentiment-templates").count("We are people") == 6
    assert "smoking cigarette." in run(*words, "--grammar", "published")
    assert "smoking cigarettes." in run(*words)
    paper = run("show", "social_distance", "--wording", "paper")
    assert paper.startswith("Choosing between unlikely and likely")


def test_show_writes_csv_and_json_lines(tmp_path: Path) -> None:
    words = ("show", "example_es", "--condition", "migrante", "--kind", "sentiment")
    rows = list(csv.DictReader(run(*words, "--format", "csv").splitlines()))
    assert rows[0] == {
        "condition": "", "form": "", "question": "", "template": "son", "text": "Son personas.",
    }  # fmt: skip
    assert rows[-1]["text"] == "Estas son personas que son migrantes."
    output = tmp_path / "prompts.jsonl"
    said = run(*words, "--format", "jsonl", "-o", output)
    assert said == f"Wrote 4 sentiment prompts of example_es 1.0 to {output}.\n"
    lines = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["condition"] is None
    assert lines[-1]["text"] == "Estas son personas que son migrantes."
    assert "it exists already" in str(error(*words, "-o", output))
    run(*words, "-o", output, "--force")
    assert output.read_text(encoding="utf-8").splitlines()[0] == "Son personas."


def test_show_says_what_is_asked_person_first_all_the_same() -> None:
    words = ["show", "example_en", "--phrasing", "identity-first"]
    result = CliRunner().invoke(probe_cli, words, catch_exceptions=False)
    assert result.stderr == "Asked person-first, whole or partly: unemployed, glasses.\n"
    assert "Asked" not in result.stdout


def test_unknown_names_are_answered() -> None:
    assert isinstance(error("show", "social"), UnknownNameError)
    assert "Did you mean 'marry'" in str(error("show", "social_distance", "--question", "mary"))
