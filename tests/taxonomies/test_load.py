"""Files are read whole: every flaw is reported, each with its line."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tactful.errors import TaxonomyError, UnknownNameError
from tactful.taxonomies import (
    find_entry,
    find_taxonomy_of,
    load_taxonomy,
    taxonomy_names,
    taxonomy_problems,
)
from tactful.taxonomies import source as source_module

GOOD = """\
id: tone
version: "1"
name: Tone
definition: How a text sounds.
languages: [en]
citation: {title: T, authors: [A], year: 2020, venue: V}
licence: Ours.
entries:
  - id: tone
    kind: root
    name: Tone
    definition: d
    question: q?
    example: e
    source_section: s
  - id: tone.cold
    kind: category
    parent: tone
    name: Cold
    definition: d
    question: q?
    example: e
    source_section: s
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "tone.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def lines_and_codes(path: Path) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.code) for problem in taxonomy_problems(path)]


def test_built_ins_are_read_once() -> None:
    assert load_taxonomy("pcl") is load_taxonomy("pcl")
    assert all(load_taxonomy(name).id == name for name in taxonomy_names())


def test_ones_own_file_is_read_by_path(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    assert load_taxonomy(path).categories() == ["tone.cold"]
    assert load_taxonomy(str(path)) == load_taxonomy(path)
    assert taxonomy_problems(path) == []


def test_a_byte_order_mark_is_stepped_over(tmp_path: Path) -> None:
    assert load_taxonomy(write(tmp_path, b"\xef\xbb\xbf" + GOOD.encode())).id == "tone"


def test_the_pure_python_loader_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(source_module.__file__).with_name("pcl.yaml")
    fast = source_module.read_source(path).data
    monkeypatch.setattr(source_module, "_Loader", yaml.SafeLoader)
    assert source_module.read_source(path).data == fast


@pytest.mark.parametrize("name", ["pcll", "PCL", "unhealty"])
def test_an_unknown_taxonomy_answers_with_the_nearest(name: str) -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean '(pcl|unhealthy)'\? Known: pcl, "):
        load_taxonomy(name)


def test_entries_are_found_in_any_taxonomy() -> None:
    assert find_entry("unhealthy.hostile").name == "Hostile"
    assert find_entry("non_stigma.rich").family == "socioeconomic_status"
    assert find_taxonomy_of("non_stigma.rich").id == "stigma"


@pytest.mark.parametrize(
    ("wrong", "nearest"),
    [("pcl.metafor", "pcl.metaphor"), ("metaphor", "pcl.metaphor"), ("hostille", "hostile")],
)
def test_an_unknown_entry_answers_with_the_nearest(wrong: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError, match=nearest):
        find_entry(wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("# only a comment\n", "is empty"),
        ("- a\n- b\n", "line 1: found a list at the top"),
        ("hello\n", "found the single value 'hello' at the top"),
        ("id: [\n", "line 2: not valid YAML"),
        ("id: a\n---\nid: b\n", "line 2: not valid YAML: expected a single document"),
        ("id: !!python/object:os.system x\n", "could not determine a constructor"),
        ("? [a]\n: b\n", "unhashable key"),
        ("id: 2024-13-45\n", "cannot read: month must be in 1..12"),
        ("id: \x01\n", "is not YAML"),
        (b"id: a\nname: \xe9\n", "line 2: found the byte 0xe9, which is not UTF-8"),
        ("[" * 60_000 + "]" * 60_000, "nested too deeply"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(TaxonomyError) as caught:
        load_taxonomy(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match="There is no file"):
        load_taxonomy(tmp_path / "none.yaml")
    with pytest.raises(TaxonomyError, match="is a folder"):
        load_taxonomy(tmp_path)


def test_a_repeated_key_is_found_although_yaml_overwrites_it(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("    name: Cold\n", "    name: Cold\n    name: Icy\n"))
    assert lines_and_codes(path) == [(20, "repeated-key")]


@pytest.mark.parametrize(
    ("old", "new", "line", "code"),
    [
        ('version: "1"', "version: 1.0", 2, "wrong-type"),
        ("name: Cold", "name: no", 19, "wrong-type"),
        ("name: Cold", 'name: "  "', 19, "blank-text"),
        ("    name: Cold\n", "", 16, "missing-field"),
        ("name: Cold", "title: Cold", 19, "unknown-field"),
        ("kind: category", "kind: categry", 17, "wrong-value"),
        ("    kind: category\n", "", 16, "missing-field"),
        ("parent: tone", "parent: tune", 18, "unknown-parent"),
        ("id: tone.cold", "id: Tone.cold", 16, "wrong-id"),
        ("year: 2020", "year: MMXX", 6, "wrong-value"),
        ("    example: e\n", "    example: e\n    ask: [Is it?]\n", 23, "wrong-value"),
        ("    example: e\n", "    example: e\n    not_when: [it is.]\n", 23, "wrong-value"),
        ("languages: [en]", "languages: []", 5, "wrong-value"),
    ],
)
def test_a_flaw_has_the_line_it_stands_on(
    tmp_path: Path, old: str, new: str, line: int, code: str
) -> None:
    assert old in GOOD
    head, _, tail = GOOD.rpartition(old)
    problems = lines_and_codes(write(tmp_path, head + new + tail))
    assert (line, code) in problems


def test_all_flaws_come_together_in_the_order_of_the_lines(tmp_path: Path) -> None:
    text = GOOD.replace('version: "1"', "version: 1").replace("parent: tone", "parent: gone")
    text = text.replace("definition: How a text sounds.", "definition: ''") + "  - 17\n"
    path = write(tmp_path, text)
    with pytest.raises(TaxonomyError) as caught:
        load_taxonomy(path)
    message = str(caught.value)
    assert "has 4 problems" in message
    assert [problem.line for problem in taxonomy_problems(path)] == [2, 4, 18, 24]
    assert message.count(str(path)) == 1 + 4


def test_unquoted_yes_and_no_are_explained(tmp_path: Path) -> None:
    [problem] = taxonomy_problems(write(tmp_path, GOOD.replace("name: Cold", "name: yes")))
    assert str(problem).endswith(
        "line 19: found True as 'name' in entry 'tone.cold'; expected text; put it in quotes."
    )


def test_a_misspelt_field_is_named_with_the_right_one(tmp_path: Path) -> None:
    problems = taxonomy_problems(write(tmp_path, GOOD.replace("question: q?", "questions: q?", 1)))
    assert {(p.code, p.action) for p in problems} == {
        ("missing-field", "add it"),
        ("unknown-field", "rename it to 'question'"),
    }


def test_the_template_of_the_documentation_is_valid(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "taxonomies.md"
    block = page.read_text(encoding="utf-8").partition("```yaml\n")[2].partition("```")[0]
    assert load_taxonomy(write(tmp_path, block)).id == "tone"


def test_anchors_that_hold_themselves_are_survived(tmp_path: Path) -> None:
    path = write(tmp_path, "id: &a {x: *a}\n")
    assert any(problem.code == "wrong-type" for problem in taxonomy_problems(path))


def test_import_tactful_loads_neither_yaml_nor_pydantic() -> None:
    code = "import sys, tactful; print([m for m in ('yaml', 'pydantic') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
