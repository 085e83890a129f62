"""Small projects with judged items, for tests of models in the loop."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project

START = 1_700_000_000.0
RUDE = ("You fool, nobody asked you", "What a stupid clown", "Only an idiot says so")
CALM = ("Thank you for the article", "The council met on Tuesday", "A good point on bridges")
PLACES = ("north", "south", "east", "west", "centre", "coast", "valley")
PROTOCOL = """
id: rude
name: Rude
version: "1.0"
lang: en
summary: Is it rude?
source: ours
quality: {page: 4, tests: 1}
wellbeing: {blur: false}
steps:
  - id: judge
    title: Judge
    judgements: 2
    questions:
      - id: my.rude
        kind: choice
        text: Is it rude?
        options: [{value: "yes", name: "Yes", score: 1}, {value: "no", name: "No", score: 0}]
      - id: my.words
        kind: spans
        text: Which words?
        required: false
        options: [{value: my.insult, name: Insult}, {value: my.tone, name: Tone}]
"""


def text_of(number: int) -> str:
    """Return the text of an item; every third is rude."""
    said = RUDE if is_rude(number) else CALM
    return f"{said[number % len(said)]} in the {PLACES[number % len(PLACES)]}, part {number}."


def is_rude(number: int) -> bool:
    return number % 3 == 0


@contextmanager
def rude_project(
    folder: Path, items: int = 60, tests: Sequence[int] = (), protocol: str = PROTOCOL
) -> Iterator[Project]:
    """Make a project of numbered items."""
    file = folder / "rude.yaml"
    file.write_text(protocol, encoding="utf-8")
    with Project.create(folder / "project", file) as project:
        project.add_items(
            NewItem(
                f"i{number}",
                text_of(number),
                gold={"my.rude": "yes" if is_rude(number) else "no"} if number in tests else None,
            )
            for number in range(items)
        )
        yield project


def enter(project: Project, name: str) -> str:
    """Invite somebody, and return their id."""
    person = project.invite("annotator", name, now=START).person
    project.consent(person, {}, now=START)
    return person


def judge(project: Project, person: str, count: int) -> None:
    """Let somebody judge the next items rightly."""
    done = 0
    at = START + len(project.state.people) * 1000.0
    while done < count:
        page = project.page(person, now=at + done)
        assert page.items, page.why
        for given in page.items[: count - done]:
            rude = is_rude(int(given.item[1:]))
            answers = {"my.rude": "yes" if rude else "no"}
            project.answer(person, given.item, given.step, answers, 3.0, now=at + done)
            done += 1
