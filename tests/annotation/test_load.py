"""Protocol files are read completely: every problem is reported, with its line and a fix."""

from pathlib import Path

import pytest

from tactful.annotation.protocol.load import PROTOCOLS, copy_protocol, load_protocol, read_protocol
from tactful.annotation.protocol.records import Condition, Entry, Protocol
from tactful.errors import FileFormatError, OutputError, UnknownNameError, UsageError

GOOD = """\
id: tone
version: "1"
lang: en
name: Tone
summary: How a letter sounds.
source: Us.
steps:
  - id: first
    title: First
    questions:
      - id: tone
        kind: choice
        text: How does it sound?
        options:
          - {value: warm, name: Warm}
          - {value: cold, name: Cold, key: z}
      - id: why
        kind: text
        text: Why?
        required: false
        when:
          - {question: tone, values: [cold]}
  - id: second
    title: Second
    role: referee
    judgements: 1
    combine: referee
    entry: {step: first, rule: disputed, question: tone, values: ["warm,cold"]}
    context: [reply]
    questions:
      - id: tone
        kind: choice
        text: How does it sound?
        options: [warm, cold]
quality: {page: 5, tests: 1, least_trust: 0.7, least_tests: 4, rows_remain_finalized: true}
wellbeing: {consent: Read this., blur: false, most_per_day: 10, break_after: 20, help: Call us.}
traits:
  - {id: age, kind: text, text: How old are you?}
guideline: |
  # Tone

  Read the letter.
lease_minutes: 12.5
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "tone.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def problems(folder: Path, text: str | bytes) -> str:
    with pytest.raises(FileFormatError) as error:
        read_protocol(write(folder, text))
    return str(error.value)


def test_a_protocol_of_ones_own(tmp_path: Path) -> None:
    protocol = load_protocol(str(write(tmp_path, GOOD)))
    first, second = protocol.steps
    assert first.judgements == 3
    assert first.combine == "majority"
    assert [(each.value, each.name, each.key) for each in first.question("tone").options] == [
        ("warm", "Warm", "a"),
        ("cold", "Cold", "z"),
    ]
    assert first.question("why").when == (Condition("tone", ("cold",)),)
    assert not first.question("why").required
    assert second.entry == Entry("first", "disputed", "tone", ("warm,cold",))
    assert (second.role, second.context) == ("referee", ("reply",))
    assert protocol.quality.least_trust == 0.7
    assert protocol.quality.rows_remain_finalized
    assert protocol.wellbeing.most_per_day == 10
    assert not protocol.wellbeing.blur
    assert not protocol.traits[0].required
    assert protocol.guideline.startswith("# Tone")
    assert protocol.lease_minutes == 12.5
    assert protocol.data["id"] == "tone"


def test_the_least_that_a_protocol_needs(tmp_path: Path) -> None:
    small = GOOD[: GOOD.index("      - id: why")]
    protocol = load_protocol(write(tmp_path, small))
    assert protocol.quality.tests == 0
    assert protocol.wellbeing.blur
    assert (protocol.guideline, protocol.traits, protocol.lease_minutes) == ("", (), 30.0)


# a piece of the file -> its replacement, the line of the problem, words of the message
FLAWS: list[tuple[str, str, int, str]] = [
    (
        "id: tone\nversion",
        "version",
        1,
        "found no 'id' in the protocol; expected every required field; add it",
    ),
    (
        "id: tone\n",
        "id: My Tone\n",
        1,
        "found 'My Tone' as 'id' in the protocol; expected lower-case letters",
    ),
    (
        'version: "1"',
        "version: 1",
        2,
        "found 1 as 'version' in the protocol; expected text; put it in quotes",
    ),
    ("lang: en", "lang: English", 3, "expected a language such as 'en'"),
    ("name: Tone", 'name: " "', 4, "expected text; fill it in"),
    ("name: Tone", 'name: "a\\x1bb"', 4, "expected text without control characters"),
    (
        "name: Tone",
        "name: [Tone]",
        4,
        "found ['Tone'] as 'name' in the protocol; expected text; write it",
    ),
    (
        "summary: How",
        "summaryy: How",
        5,
        "found the field 'summaryy' in the protocol; expected only",
    ),
    ("summary: How", "summaryy: How", 5, "rename it to 'summary'"),
    ("source: Us.", "source: Us.\nname: Twice", 7, "the key 'name' a second time"),
    ("  - id: first", "  - id: first\n    colour: red", 9, "the field 'colour' in step 'first'"),
    (
        "kind: choice",
        "kind: choicee",
        12,
        "'choicee' as 'kind' in question 'tone' of step 'first'; expected one of",
    ),
    (
        "text: Why?",
        "",
        17,
        "found no 'text' in question 'why' of step 'first'; expected a question; no taxonomy",
    ),
    ("      - id: why", "      - id: tone", 17, "the id 'tone' a second time"),
    ("  - id: second", "  - id: first", 23, "found the id 'first' a second time"),
    (
        "{value: cold, name: Cold, key: z}",
        "{value: warm, name: Cold}",
        16,
        "the option 'warm' a second time",
    ),
    ("{value: cold, name: Cold, key: z}", "{value: no, name: Cold}", 16, "found False as 'value'"),
    (
        "{value: cold, name: Cold, key: z}",
        "{name: Cold}",
        16,
        "found no 'value' in option 2 of question 'tone'",
    ),
    (
        "key: z",
        "key: z, colour: red",
        16,
        "the field 'colour' in option 'cold' of question 'tone' of step 'first'",
    ),
    ("key: z", "key: u", 16, "a key that the app does not use; it uses this one for 'undo'"),
    (
        "key: z",
        "key: Z",
        16,
        "found the key 'Z' of 'cold' in question 'tone'; expected a digit or a small letter",
    ),
    (
        "name: Warm}",
        "name: Warm, key: z}",
        16,
        "a key for one option of a step; 'warm' in question 'tone' has it",
    ),
    ("key: z", "score: .nan", 16, "found nan as 'score'"),
    (
        "          - {value: cold, name: Cold, key: z}\n",
        "",
        14,
        "found one option in question 'tone'",
    ),
    ("        kind: text\n", "        kind: choice\n", 17, "found no options in question 'why'"),
    (
        "        kind: text\n",
        "        kind: scale\n        options: [a, b]\n",
        19,
        "expected a number, in quotes",
    ),
    (
        "        text: Why?",
        "        text: Why?\n        options: [a, b]",
        20,
        "found options for a 'text'",
    ),
    (
        "options: [warm, cold]",
        "options: warm",
        34,
        "the list 'warm' in question 'tone' of step 'second'; expected options",
    ),
    ("options: [warm, cold]", "options: [warm, 3]", 34, "found 3 as 'options'"),
    ("options: [warm, cold]", "options: {a: b}", 34, "expected a list of options"),
    ("        text: Why?", "        text: Why?\n        least: 1", 20, "'least' for a 'text'"),
    ("        text: Why?", "        text: Why?\n        open: true", 20, "'open' for a 'text'"),
    ("        text: Why?", "        text: Why?\n        gaps: false", 20, "'gaps' for a 'text'"),
    ("        text: Why?", "        text: Why?\n        begins: [It]", 20, "'begins' for a 'text'"),
    (
        "        kind: text\n",
        "        kind: texts\n        least: 3\n        most: 2\n",
        19,
        "at most 2, as 'most' says",
    ),
    ("        required: false", "        required: maybe", 20, "expected true or false"),
    (
        "{question: tone, values: [cold]}",
        "{question: tome, values: [cold]}",
        22,
        "found a condition on 'tome'",
    ),
    (
        "{question: tone, values: [cold]}",
        "{question: why, values: [cold]}",
        22,
        "a question before this one in the step: 'tone'",
    ),
    (
        "{question: tone, values: [cold]}",
        "{question: tone, values: [icy]}",
        22,
        "found the value 'icy' for 'tone'",
    ),
    ("{question: tone, values: [cold]}", "{question: tone, values: []}", 22, "no 'values'"),
    ("{question: tone, values: [cold]}", "tone", 22, "expected a condition with fields"),
    (
        "        text: Why?",
        "        text: Why?\n        per: tone",
        20,
        "found 'tone' as 'per' in question 'why'",
    ),
    (
        "step: first, rule",
        "step: zeroth, rule",
        28,
        "the step 'zeroth' in 'entry' of step 'second'; expected a step before this one: 'first'",
    ),
    ("step: first, rule", "step: second, rule", 28, "the step 'second'"),
    (
        "rule: disputed, question: tone",
        "rule: disputed, question: tune",
        28,
        "one of the step 'first': 'tone', 'why'",
    ),
    (
        "rule: disputed, question: tone",
        "rule: disputed, question: why",
        28,
        "expected a question with options",
    ),
    ("rule: disputed", "rule: fought", 28, "found 'fought' as 'rule'"),
    ('"warm,cold"', '"warm,hot"', 28, "two different answers such as 'warm,cold'"),
    ('"warm,cold"', '"warm,warm"', 28, "two different answers"),
    (
        'question: tone, values: ["warm,cold"]',
        'question: tone, also: [mood], values: ["warm,cold"]',
        28,
        "questions of 'first' in an entry of rule 'disputed'",
    ),
    (
        'rule: disputed, question: tone, values: ["warm,cold"]',
        "rule: label, question: tone",
        28,
        "the labels that enter this step",
    ),
    (
        'rule: disputed, question: tone, values: ["warm,cold"]',
        "rule: label, question: tone, values: [hot]",
        28,
        "one of the labels 'warm', 'cold'",
    ),
    ("    role: referee", "    role: boss", 25, "expected one of 'annotator', 'referee', 'owner'"),
    ("    judgements: 1", "    judgements: 0", 26, "expected a whole number from 1 to 100"),
    ("    judgements: 1", "    judgements: true", 26, "found True as 'judgements'"),
    ("    judgements: 1", "    judgements: 2", 27, "'referee' with 2 judgements"),
    ("    combine: referee", "    combine: average", 27, "found 'average' as 'combine'"),
    ("    combine: referee", "    combine: union", 27, "'union' in a step that asks for spans"),
    ("    combine: referee", "    combine: dpm_scale", 27, "two judgements of a scale"),
    (
        "    combine: referee",
        "    combine: mean_threshold",
        27,
        "scores from 0.5 on that count as 1",
    ),
    (
        "    title: First",
        "    title: First\n    most: 2\n    confidence: 0.5",
        10,
        "at least 3, as 'judgements' says",
    ),
    ("    title: First", "    title: First\n    most: 5", 10, "'most' without 'confidence'"),
    (
        "    title: First",
        "    title: First\n    confidence: 1.5",
        10,
        "expected a number from 0 to 1",
    ),
    ("context: [reply]", "context: [reply, reply]", 29, "'reply' a second time as 'context'"),
    ("context: [reply]", "context: reply", 29, "write one item a line"),
    ("tests: 1", "tests: 5", 35, "5 tests on a page of 5"),
    ("tests: 1, ", "", 35, "'least_trust' without tests"),
    ("least_trust: 0.7", "least_trust: 70", 35, "expected a number from 0 to 1"),
    ("quality: {page: 5", "quality: {paeg: 5", 35, "rename it to 'page'"),
    ("blur: false", 'blur: "false"', 36, "expected true or false"),
    ("most_per_day: 10", "most_per_day: -1", 36, "found -1 as 'most_per_day'"),
    (
        "text: How old are you?}",
        "text: How old are you?, required: true}",
        38,
        "an optional trait",
    ),
    (
        "kind: text, text: How old",
        "kind: spans, options: [a], text: How old",
        38,
        "expected a question about a person",
    ),
    ("lease_minutes: 12.5", "lease_minutes: .inf", 43, "found inf as 'lease_minutes'"),
    ("lease_minutes: 12.5", "lease_minutes: 0", 43, "expected a number from 1 to 10080"),
    (
        "wellbeing: {consent: Read this., blur: false, most_per_day: 10,",
        "wellbeing: none # {",
        36,
        "expected fields with names",
    ),
]


@pytest.mark.parametrize(("there", "instead", "line", "message"), FLAWS)
def test_a_flaw_is_told_with_its_line(
    tmp_path: Path, there: str, instead: str, line: int, message: str
) -> None:
    assert there in GOOD
    said = problems(tmp_path, GOOD.replace(there, instead, 1))
    told = [each for each in said.splitlines() if message in each]
    assert told, said
    assert f"tone.yaml, line {line}: found " in told[0]


def test_several_flaws_come_together_in_the_order_of_their_lines(tmp_path: Path) -> None:
    bad = (
        GOOD.replace("key: z", "key: s")
        .replace("lang: en", "lang: 1")
        .replace("page: 5", "page: x")
    )
    said = problems(tmp_path, bad).splitlines()
    assert said[0].endswith("tone.yaml has 3 problems:")
    assert [each.split("line ")[1].split(":")[0] for each in said[1:]] == ["3", "16", "35"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; expected a protocol"),
        ("- a\n- b\n", "expected fields such as 'id', 'version' and 'steps'"),
        ("id: [", "not valid YAML"),
        (b"id: caf\xe9", "line 1: found the byte 0xe9"),
        ("id: tone\nsteps: " + "[" * 60 + "]" * 60, "nested too deeply to be a protocol"),
        ("id: !!python/object/apply:os.system [ls]", "not valid YAML"),
        ("steps: &a [*a]\n", "expected a step with fields"),
        ("steps: []\n", "expected at least one step"),
        ("steps: none\n", "expected a list of steps"),
        ("1: 2\n", "the field 1"),
    ],
)
def test_what_is_no_protocol_at_all(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert message in problems(tmp_path, text)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="There is no file"):
        load_protocol(tmp_path / "none.yaml")
    with pytest.raises(FileFormatError, match="is a folder"):
        load_protocol(tmp_path)
    with pytest.raises(UnknownNameError, match="Did you mean 'frames'") as error:
        load_protocol("frame")
    assert isinstance(error.value, UsageError)


def test_a_question_for_each_answer(tmp_path: Path) -> None:
    text = GOOD.replace("kind: choice", "kind: choices", 1).replace(
        "        kind: text\n", "        kind: texts\n        per: tone\n", 1
    )
    assert read_protocol(write(tmp_path, text)).steps[0].question("why").per == "tone"
    spans = text.replace("kind: texts", "kind: spans\n        options: [a]", 1)
    assert "spans that are marked once" in problems(tmp_path, spans)


def test_words_come_from_the_taxonomy(tmp_path: Path) -> None:
    text = GOOD.replace(
        "id: why\n        kind: text\n        text: Why?",
        "id: pcl.metaphor\n        kind: choices\n        options: pcl.categories",
    )
    question = read_protocol(write(tmp_path, text)).steps[0].question("pcl.metaphor")
    assert (
        question.text
        == "Does a metaphor or euphemism dress up the situation of the people described?"
    )
    assert question.help.startswith("A figure of speech")
    assert len(question.options) == 7
    assert question.options[0].name == "Unbalanced power relations"
    spanish = read_protocol(write(tmp_path, text.replace("lang: en", "lang: es")))
    assert spanish.steps[0].question("pcl.metaphor").options[4].name == "Metáfora"
    # Nothing is asked in a language that the annotators did not choose.
    assert "no taxonomy has one for 'pcl.metaphor' in 'fr'" in problems(
        tmp_path, text.replace("lang: en", "lang: fr")
    )


def test_the_file_has_the_last_word(tmp_path: Path) -> None:
    text = GOOD.replace("id: why\n        kind: text", "id: pcl.metaphor\n        kind: text")
    assert read_protocol(write(tmp_path, text)).steps[0].question("pcl.metaphor").text == "Why?"


def test_a_guideline_beside_the_file(tmp_path: Path) -> None:
    text = GOOD[: GOOD.index("guideline")] + "guideline: tone.md\n"
    (tmp_path / "tone.md").write_text("# Read\n", encoding="utf-8")
    assert read_protocol(write(tmp_path, text)).guideline == "# Read\n"
    (tmp_path / "tone.md").write_bytes(b"\xff")
    assert "UTF-8 text in the folder of the protocol" in problems(tmp_path, text)
    (tmp_path / "tone.md").write_text("x" * 200_001, encoding="utf-8")
    assert "more than 200,000 characters" in problems(tmp_path, text)
    (tmp_path / "tone.md").unlink()
    assert "put it there or correct the name" in problems(tmp_path, text)


@pytest.mark.parametrize("name", ["../tone.md", "/etc/motd.md", "a/b.md", ".hidden.md"])
def test_a_guideline_elsewhere_is_not_read(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "a"
    inside.mkdir()
    for place in (tmp_path / "tone.md", inside / "b.md", inside / ".hidden.md"):
        place.write_text("secret", encoding="utf-8")
    text = GOOD[: GOOD.index("guideline")] + f"guideline: {name}\n"
    assert "in the folder of the protocol" in problems(inside, text)


def test_the_example_of_the_page_is_one_and_its_errors_are_real(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "annotation-protocols.md").read_text("utf-8")
    example = page.split("```yaml\n")[1].split("```")[0]
    assert read_protocol(write(tmp_path, example)).steps[0].id == "letter"
    bad = example.replace("name: Warm}", "name: Warm, key: s}").replace("s: [cold]", "s: [icy]")
    said = problems(tmp_path, bad).replace(f"{tmp_path}/", "")
    assert said == page.split("```text\n")[1].split("\n```")[0]


def bare(protocol: Protocol) -> tuple[object, ...]:
    return protocol.steps, protocol.guideline, protocol.quality, protocol.traits


@pytest.mark.parametrize("name", PROTOCOLS.built_in)
def test_a_copy_says_the_same(tmp_path: Path, name: str) -> None:
    path = copy_protocol(name, tmp_path / "protocol.yaml")
    assert bare(read_protocol(path)) == bare(load_protocol(name))
    assert {each.name for each in tmp_path.iterdir()} == {f"{name}.md", "protocol.yaml"}


def test_a_copy_is_made_of_what_is_whole_only(tmp_path: Path) -> None:
    bad = write(tmp_path, GOOD.replace("key: z", "key: s"))
    target = tmp_path / "new" / "protocol.yaml"
    with pytest.raises(FileFormatError):
        copy_protocol(bad, target)
    assert not target.parent.exists()
    good = write(tmp_path, GOOD)
    copy_protocol(good, target)
    assert target.read_bytes() == good.read_bytes()
    with pytest.raises((UsageError, OutputError), match="exists already"):
        copy_protocol(good, target)
