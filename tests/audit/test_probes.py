"""The built-in probes: what they hold, and how they are found."""

from pathlib import Path

import pytest

from tactful.audit.probes.load import (
    EXAMPLES,
    PROBES,
    example_files,
    load_additions,
    load_probe,
)
from tactful.audit.probes.schema import Probe
from tactful.errors import TaxonomyError, UnknownNameError
from tactful.taxonomies import conditions, load_social_distance, load_taxonomy


def test_the_probe_of_the_study_has_all_conditions_and_forms() -> None:
    """Sections 3.1 and 4.1: 93 + 29 conditions; the authors' files: 108 + 30 rows."""
    probe = load_probe("social_distance")
    assert probe.label == "social_distance 1.0"
    table = probe.condition_table()
    assert table.height == 122
    assert table["stigmatized"].sum() == 93
    assert sum(len(condition.forms) for condition in probe.conditions) == 138
    names = {family.name for family in load_taxonomy("stigma").families}
    assert set(table["category"]) == names
    assert len(names) == 12


def test_both_wordings_of_the_first_template_are_there_by_name() -> None:
    """Section 4.2 prints "unlikely and likely", the published prompts "likely and unlikely"."""
    probe = load_probe("social_distance")
    assert probe.wordings == ("published", "paper")
    text = probe.templates[0].text
    assert isinstance(text, dict)
    assert text["paper"].startswith("Choosing between unlikely and likely")
    assert text["published"].startswith("Choosing between likely and unlikely")


def test_causal_templates_are_parallel_to_those_of_the_study() -> None:
    probe = load_probe("social_distance")
    assert [t.id for t in probe.causal_templates] == [f"causal_{n}" for n in range(1, 5)]
    pairs = probe.pairs()
    assert pairs["template_1"] == pairs["causal_1"] == (("unlikely", "likely"),)
    for number in (2, 3, 4):
        assert pairs[f"template_{number}"] == pairs[f"causal_{number}"]
        assert len(pairs[f"causal_{number}"]) == 6


def test_the_sentence_that_is_not_the_papers_is_off_by_default() -> None:
    """Appendix A has two sentences; the published files a third."""
    sentences = load_probe("social_distance").sentiment_templates
    assert [s.id for s in sentences if s.default] == ["they", "these"]
    assert [s.id for s in sentences if not s.default] == ["we"]


def test_each_condition_has_its_identity_phrases_or_is_named_as_having_none() -> None:
    ours = load_additions()
    entries = {entry.id: entry for entry in conditions()}
    assert set(ours.identity) | set(ours.person_first_only) == set(entries)
    assert not set(ours.identity) & set(ours.person_first_only)
    for name, phrases in ours.identity.items():
        assert len(phrases) == len(entries[name].forms), name
    assert set(ours.sentiment_identity) == {
        template.id for template in load_social_distance().sentiment_templates
    }
    assert set(ours.pairs) <= {template.id for template in load_social_distance().templates}


@pytest.mark.parametrize("language", EXAMPLES)
def test_the_examples_are_small_whole_and_rated(language: str) -> None:
    probe = load_probe(EXAMPLES[language])
    assert probe.language == language
    assert (len(probe.conditions), len(probe.questions)) == (6, 3)
    assert probe.templates
    assert probe.causal_templates
    assert probe.sentiment_templates
    file, words = example_files(language)
    assert (probe.ratings_file, file.is_file()) == (words, True)
    header, *rows = words.read_text(encoding="utf-8").splitlines()
    assert header == "word,attitude"
    rated = dict(row.split(",") for row in rows)
    assert len(rated) == len(rows) >= 60
    assert set(rated.values()) == {"positive", "negative", "neutral", "irrelevant"}
    for pair in probe.scale:
        assert rated[pair.negative] == "negative"
        assert rated[pair.positive] == "positive"


@pytest.mark.parametrize("name", PROBES.built_in)
def test_a_built_in_probe_is_named_as_its_file(name: str) -> None:
    assert load_probe(name).id == name


def test_probes_are_found_by_name_and_by_path(tmp_path: Path) -> None:
    assert PROBES.built_in[0] == "social_distance"
    assert {"example_en", "example_es", "social_distance_es"} <= {*PROBES.built_in}
    assert load_probe("social_distance") is load_probe("social_distance")
    file, words = example_files("es")
    copy = tmp_path / "copy.yaml"
    copy.write_bytes(file.read_bytes())
    (tmp_path / words.name).write_bytes(words.read_bytes())
    assert load_probe(copy).digest == load_probe(str(copy)).digest == load_probe(file).digest
    assert load_probe(copy).ratings_file == tmp_path / words.name


def test_what_cannot_be_found_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'social_distance'"):
        load_probe("social_distanc")
    with pytest.raises(UnknownNameError, match="Known: en, es"):
        example_files("fr")
    with pytest.raises(TaxonomyError, match="There is no file"):
        load_probe(tmp_path / "none.yaml")
    file, words = example_files("en")
    copy = tmp_path / "copy.yaml"
    copy.write_bytes(file.read_bytes())
    lines = file.read_text(encoding="utf-8").splitlines()
    line = lines.index(f"ratings: {words.name}") + 1
    with pytest.raises(TaxonomyError, match=f"copy.yaml, line {line}: found no file"):
        load_probe(copy)


@pytest.mark.parametrize("name", ["social_distance", "example_en", "example_es"])
def test_a_probe_survives_being_written_and_read(name: str) -> None:
    probe = load_probe(name)
    again = Probe.model_validate(probe.model_dump(mode="json"))
    assert again.digest == probe.digest
