"""``tactful annotate adjudicate``: decide disputed items, one by one or from a file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.annotation.formats.table import cell_answer, is_from_json
from tactful.cli.options import PATH, flag, option
from tactful.cli.output import echo, echo_json, echo_sentence, format_option, table
from tactful.errors import BadRowsError, InputError, TactfulError, UsageError
from tactful.words import counted, plain, shorten

if TYPE_CHECKING:
    from tactful.annotation.analysis.overview import Dispute
    from tactful.annotation.project.project import Project
    from tactful.annotation.protocol.records import Step

_SHOWN = 70
_KEPT = 20


@click.command("adjudicate")
@click.argument("folder", type=PATH)
@option(
    "--decisions",
    "Table of decisions with the columns item, step (if there are several), note, and one "
    "column for each question.",
    PATH,
)
@flag("--decide", "Decide the disputed items in the terminal.")
@option(
    "--as person PERSON",
    "Id of the person who decides.  [default: the first active referee or owner]",
)
@format_option
def adjudicate_cli(
    folder: Path,
    decisions: Path | None,
    decide: bool,
    person: str | None,
    output_format: str,
) -> None:
    """List the disputed items of the project in FOLDER, or decide them.

    \b
    tactful annotate adjudicate my-project
    tactful annotate adjudicate my-project --decide
    tactful annotate adjudicate my-project --decisions decisions.csv
    """
    from tactful.annotation.analysis.overview import disputes
    from tactful.annotation.project.project import Project

    if decide and decisions is not None:
        raise UsageError("Found --decide and --decisions; use one of them.")
    writes = decide or decisions is not None
    with Project.open(folder, read_only=not writes) as project:
        if decisions is not None:
            count = decide_from(project, decisions, person or decider(project))
            echo_sentence(f"Decided {count:,} {'item' if count == 1 else 'items'}.")
            return
        found = list(disputes(project.state))
        if decide:
            _ask_all(project, found, person or decider(project))
            return
    if output_format == "json":
        echo_json([{"item": d.item, "step": d.step, "why": d.why, "text": d.text} for d in found])
    elif not found:
        echo_sentence("No item is disputed.")
    else:
        rows = [
            [each.item, each.step, each.why, shorten(plain(each.text), longest=_SHOWN)]
            for each in found
        ]
        echo(table(["item", "step", "why", "text"], rows, whole=["item"]))


def decider(project: "Project") -> str:
    """Return the first active referee, or else the first active owner."""
    for role in ("referee", "lead", "owner"):
        for person in project.state.people.values():
            if person.role == role and person.status == "active":
                return person.id
    raise InputError(
        "The project has no active referee or owner; expected one to decide; invite one with "
        "'tactful annotate invite --role referee'."
    )


def decide_from(project: "Project", path: Path, person: str) -> int:
    """Record the decisions of a table, all or none; return how many."""
    from tactful.annotation.answers.answers import check_answers
    from tactful.annotation.project.importing import RowProblem
    from tactful.cli.answers import Table
    from tactful.tables import as_ids, require_columns

    given = Table(path)
    require_columns(given.frame, ["item"], path)
    ids = as_ids(given.frame["item"]).to_list()
    ready, problems = [], []
    for at, row in enumerate(given.frame.iter_rows(named=True)):
        try:
            item, step = ids[at] or "", _step_of(project, row)
            if item not in project.state.items:
                raise InputError(f"There is no item '{item}' in this project.")
            found = project.state.items[item]
            if found.is_test:
                raise InputError(f"The item '{item}' is a hidden test; expected an ordinary one.")
            answers = _answers(step, row)
            check_answers(step, answers, found.text)
            ready.append((item, step.id, answers, str(row.get("note") or "")))
        except TactfulError as error:
            line = given.line(at)
            place = f"{path}, row {at + 1}" if line is None else f"{path}, line {line}"
            problems.append(RowProblem(place, str(error)))
    if problems:
        raise BadRowsError(problems[:_KEPT], len(problems))
    for item, name, answers, note in ready:
        project.adjudicate(person, item, name, answers, note)
    return len(ready)


def _step_of(project: "Project", row: dict[str, Any]) -> "Step":
    steps = {step.id: step for step in project.state.protocol.steps}
    name = row.get("step") or (next(iter(steps)) if len(steps) == 1 else None)
    if name not in steps:
        found = "no step" if name is None else f"the step '{name}'"
        raise InputError(f"Found {found}; expected one of {', '.join(steps)}.")
    return steps[str(name)]


def _answers(step: "Step", row: dict[str, Any]) -> dict[str, Any]:
    return {
        question.id: cell_answer(question, row[question.id])
        for question in step.questions
        if row.get(question.id) is not None
    }


def _ask_all(project: "Project", found: "list[Dispute]", person: str) -> None:
    decided = 0
    for at, dispute in enumerate(found, 1):
        click.secho(f"\n{at} of {len(found)}: {dispute.item} ({dispute.step})", bold=True)
        _show(project, dispute)
        answers = _ask(project, dispute)
        if answers is None:
            continue
        try:
            project.adjudicate(person, dispute.item, dispute.step, answers)
        except InputError as error:
            echo_sentence(f"Not accepted: {error}", err=True)
            continue
        decided += 1
    echo_sentence(f"Decided {decided:,} of {counted(len(found), 'disputed item')}.")


def _show(project: "Project", dispute: "Dispute") -> None:
    item = project.state.items[dispute.item]
    for name, text in item.context.items():
        echo_sentence(plain(text), f"{name}: ", "  ")
    echo_sentence(plain(item.text))
    for answer in project.state.counted(dispute.item, dispute.step):
        name = project.state.people[answer.annotator].name
        said = json.dumps(dict(answer.answers), ensure_ascii=False)
        echo_sentence(plain(said), f"  {plain(name)}: ", "    ")


def _ask(project: "Project", dispute: "Dispute") -> dict[str, Any] | None:
    """Ask the questions that apply; an empty first answer skips the item."""
    from tactful.annotation.answers.answers import asked

    step = project.state.protocol.step(dispute.step)
    answers: dict[str, Any] = {}
    seen: set[str] = set()
    while True:
        question = next((q for q in asked(step, answers) if q.id not in seen), None)
        if question is None:
            return answers
        seen.add(question.id)
        options = ", ".join(f"{each.value} ({each.name})" for each in question.options)
        hint = " as JSON" if is_from_json(question) else ""
        prompt = f"{plain(question.text)} [{options or question.kind}{hint}; empty: skip]"
        said = click.prompt(prompt, default="", show_default=False).strip()
        if said:
            try:
                answers[question.id] = cell_answer(question, said)
            except InputError as error:
                echo_sentence(str(error), err=True)
                return None
        elif not answers:
            return None
