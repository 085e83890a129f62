"""The owner's pages for items: search, answers, decisions and hidden tests."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tactful.annotation.formats.annotated import annotated
from tactful.annotation.formats.jsonl import as_dict
from tactful.annotation.project.importing import check_test
from tactful.annotation.project.project import MOST_AT_ONCE, MOST_MORE
from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.state.project_state import Answer, Item, ItemStep
from tactful.annotation.state.roles import may
from tactful.annotation.web.answer_form import Field, fields, gold_fields, read_answers, read_gold
from tactful.annotation.web.item_search import STATUSES, Search, label_choices
from tactful.annotation.web.owner.site import (
    Form,
    OwnerPages,
    OwnerSite,
    back,
    download,
    now,
    number_of,
    one,
    shown,
)
from tactful.annotation.web.session import Session
from tactful.annotation.web.side_by_side import Comparison, compare, in_words
from tactful.errors import InputError, TactfulError

PER_PAGE = 50
_BULK_SECONDS = 10.0
_LONGEST_NOTE = 2000


@dataclass(frozen=True, slots=True)
class StepShown:
    """One step of an item as its page shows it."""

    step: Step
    here: ItemStep
    table: Comparison
    form: list[Field] | None
    """The form of a decision; None if there is nothing to decide."""
    decided_by: str | None
    labels: dict[str, tuple[tuple[str, ...], float | None]]
    """The labels by question: in words, with their confidence."""


def routes(site: OwnerSite) -> list[Route]:
    """Return the routes of the pages about items."""
    pages = _Pages(site)
    shown = site.page(pages.item, "decide")
    return [
        Route("/owner/items", site.page(pages.items, "items"), methods=["GET"]),
        Route("/owner/items", site.action(pages.change_items), methods=["POST"]),
        Route("/owner/disputed", site.page(pages.disputed, "decide")),
        Route("/owner/disputed.csv", site.page(pages.disputed_file, "decide")),
        Route("/owner/item", shown),
        Route("/owner/item/{id:path}", shown),
        Route("/owner/adjudicate", site.action(pages.adjudicate, "decide"), methods=["POST"]),
        Route("/owner/gold", site.action(pages.gold, "tests"), methods=["POST"]),
    ]


class _Pages(OwnerPages):
    def items(
        self,
        request: Request,
        session: Session,
        *,
        search: Search | None = None,
        problem: str = "",
    ) -> Response:
        search = search or Search.read(request.query_params)
        page = number_of(request, "page")
        state = self._project.state
        start = number_of(request, "from", 1) - 1
        found = self._figures.find(search.filter(state), page * PER_PAGE + 1, start)
        with self._project.lock:
            rows = [_row(item) for item in found.items[(page - 1) * PER_PAGE : page * PER_PAGE]]
            people = sorted(
                (person for person in state.people.values() if person.answered),
                key=lambda person: person.name.casefold(),
            )
        return self._show(
            request,
            session,
            "owner_items.html",
            status=409 if problem else 200,
            rows=rows,
            steps=self._project.protocol.steps,
            statuses=STATUSES,
            labels=label_choices(self._project.protocol.steps),
            people=people,
            search=search,
            found=found,
            start=start,
            page=page,
            more=len(found.items) > page * PER_PAGE,
            most_more=MOST_MORE,
            most_at_once=MOST_AT_ONCE,
            problem=problem,
        )

    def change_items(self, request: Request, session: Session, form: Form) -> Response:
        """Close, reopen, extend or export the ticked items, or all that were found."""
        search = Search.read({name: one(form, name) for name in form})
        names = form.get("item", [])
        try:
            if "all" in form:
                names = self._all_found(search)
            if not names:
                raise InputError("No item is ticked; tick some, or choose all that were found.")
            match one(form, "action"):
                case "close":
                    count, done = self._project.close_items(names), "closed"
                case "reopen":
                    count, done = self._project.reopen_items(names), "reopened"
                case "more":
                    wanted = one(form, "more")
                    more = int(wanted) if wanted.isascii() and wanted.isdigit() else 0
                    count = self._project.ask_for_more(names, more)
                    done = f"asked for {more} more"
                case "export":
                    return self._export(names)
                case other:
                    raise HTTPException(400, f"There is no action '{other}'.")
        except TactfulError as error:
            return self.items(request, session, search=search, problem=str(error))
        said = f"{count:,} of {len(names):,}: {done}."
        if count < len(names):
            said += " The others stay as they are."
        query = dict(parse_qsl(search.query))
        return back("/owner/items", said, **query, **shown(request))

    def _all_found(self, search: Search) -> list[str]:
        found = self._figures.find(
            search.filter(self._project.state), MOST_AT_ONCE + 1, seconds=_BULK_SECONDS
        )
        if len(found.items) > MOST_AT_ONCE or found.next is not None:
            raise InputError(
                f"More than {MOST_AT_ONCE:,} items were found; narrow the search, or tick items."
            )
        return [item.id for item in found.items]

    def _export(self, names: Sequence[str]) -> Response:
        """Return the items with their judgements and labels, as the export ``jsonl`` has them."""
        lines = []
        with self._project.lock:
            state = self._project.state
            wanted = [state.items[name] for name in names[:MOST_AT_ONCE] if name in state.items]
            for record in annotated(state, self._project.protocol, wanted):
                lines.append(json.dumps(as_dict(record), ensure_ascii=False))
        return Response(
            "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"),
            media_type="application/jsonl",
            headers={"Content-Disposition": 'attachment; filename="selection.jsonl"'},
        )

    def disputed(self, request: Request, session: Session) -> Response:
        found = self._figures.disputes()
        page = number_of(request, "page")
        steps = {step.id: step.title for step in self._project.protocol.steps}
        return self._show(
            request,
            session,
            "owner_disputed.html",
            disputes=found[(page - 1) * PER_PAGE : page * PER_PAGE],
            total=len(found),
            titles=steps,
            page=page,
            more=len(found) > page * PER_PAGE,
        )

    def disputed_file(self, request: Request, session: Session) -> Response:
        rows = ((one.item, one.step, one.why, one.text) for one in self._figures.disputes())
        return download("disputed.csv", ("item", "step", "why", "text"), rows)

    def item(self, request: Request, session: Session) -> Response:
        wanted = request.path_params.get("id") or request.query_params.get("id", "")
        return self._item(request, session, wanted)

    def adjudicate(self, request: Request, session: Session, form: Form) -> Response:
        item, step = self._item_of(form), self._step_of(form)
        with self._project.lock:
            if not self._may_see(session, item):
                raise HTTPException(404)
        try:
            answers = read_answers(step, form)
        except TactfulError as error:
            return self._item(request, session, item.id, problem=str(error), wrong=step.id)
        try:
            self._project.adjudicate(
                session.person.id, item.id, step.id, answers, one(form, "note")[:_LONGEST_NOTE]
            )
        except TactfulError as error:
            return self._item(
                request, session, item.id, problem=str(error), wrong=step.id, draft=answers
            )
        said, following = "Decided.", item.id
        if one(form, "then") == "next":
            self._figures.forget()
            others = (each.item for each in self._figures.disputes() if each.item != item.id)
            following = next(others, item.id)
            said += " This is the next disputed item." if following != item.id else ""
        return back("/owner/item", said, id=following, **shown(request))

    def gold(self, request: Request, session: Session, form: Form) -> Response:
        """Show what a new right answer would change, and store it when that is confirmed."""
        item = self._item_of(form)
        try:
            gold = self._gold_of(form, item.gold or {})
            if one(form, "action") == "confirm":
                self._project.edit_gold(item.id, gold)
                said = "The hidden test was changed."
                return back("/owner/item", said, id=item.id, **shown(request))
            rules = self._project.state.protocol
            gold = None if gold is None else check_test(rules, gold, item.text)
            change = self._figures.gold_change(item.id, gold)
        except TactfulError as error:
            return self._item(request, session, item.id, problem=str(error), wrong="gold")
        return self._show(
            request,
            session,
            "owner_gold.html",
            item=item,
            gold=gold,
            gold_json=json.dumps(gold, ensure_ascii=False),
            told=_told(gold),
            before=_told(item.gold),
            change=change,
        )

    def _gold_of(self, form: Form, before: Mapping[str, Any]) -> Mapping[str, Any] | None:
        match one(form, "action"):
            case "ordinary":
                return None
            case "confirm":
                # Store what was shown; it is checked again like any input.
                return _confirmed(one(form, "gold"))
            case _:
                gold: dict[str, Any] = {}
                for step in self._project.protocol.steps:
                    gold |= read_gold(step, form, before)
                return gold or None

    def _item(
        self,
        request: Request,
        session: Session,
        name: str,
        *,
        problem: str = "",
        wrong: str = "",
        draft: Mapping[str, Any] | None = None,
    ) -> Response:
        with self._project.lock:
            item = self._project.state.items.get(name)
            if item is None or not self._may_see(session, item):
                raise HTTPException(404)
            names = {person.id: person.name for person in self._project.state.people.values()}
            steps = [
                self._step(step, item, names, draft if wrong == step.id else None)
                for step in self._project.protocol.steps
                if step.id in item.steps
            ]
            mine = may(session.person.role, "tests")
            gold = [
                (step, gold_fields(step, item.gold or {}))
                for step in self._project.protocol.steps
                if mine
            ]
        return self._show(
            request,
            session,
            "owner_item.html",
            status=409 if problem else 200,
            item=item,
            steps=steps,
            gold=gold,
            is_owner=mine,
            problem=problem,
            wrong=wrong,
            at=now(),
        )

    def _may_see(self, session: Session, item: Item) -> bool:
        """Say whether a person may open an item; referees see disputed and decided ones."""
        if may(session.person.role, "items"):
            return True
        return item.gold is None and any(
            here.status == "disputed" or here.decision is not None for here in item.steps.values()
        )

    def _step(
        self, step: Step, item: Item, names: Mapping[str, str], draft: Mapping[str, Any] | None
    ) -> StepShown:
        state = self._project.state
        here = item.steps[step.id]
        counted = {answer.annotator for answer in state.counted(item.id, step.id)}
        if item.gold is not None:
            counted = {name for name in here.answers if state.people[name].counts}
        given = sorted(here.answers.values(), key=lambda answer: answer.at)
        decision: Answer | None = here.decision
        form = None
        # A skipped item may never become disputed or done.
        is_skipped = here.status == "open" and bool(here.skipped)
        if item.gold is None and (here.status in ("disputed", "done") or is_skipped):
            current = draft if draft is not None else decision.answers if decision else {}
            said = {names.get(a.annotator, a.annotator): a.answers for a in given}
            form = fields(step, current, said, item.text)
        by = None if decision is None else names.get(decision.annotator, decision.annotator)
        table = compare(step, item.text, given, counted, names, decision, item.gold)
        return StepShown(step, here, table, form, by, self._labels(step, item))

    def _labels(self, step: Step, item: Item) -> dict[str, tuple[tuple[str, ...], float | None]]:
        """Return the clear labels of a finished item; hidden tests have none."""
        here = item.steps[step.id]
        if item.gold is not None or here.status not in ("done", "disputed"):
            return {}
        found = self._project.state.labels(item.id, step.id)
        return {
            question.id: (_label_words(step, question, label.value), label.confidence)
            for question in step.questions
            if (label := found.get(question.id)) is not None
            and question.kind in ("choice", "scale", "choices")
            and question.per is None
            and label.value is not None
        }

    def _item_of(self, form: Form) -> Item:
        with self._project.lock:
            item = self._project.state.items.get(one(form, "item"))
        if item is None:
            raise HTTPException(404)
        return item

    def _step_of(self, form: Form) -> Step:
        wanted = one(form, "step")
        for step in self._project.protocol.steps:
            if step.id == wanted:
                return step
        raise HTTPException(404)


def _label_words(step: Step, question: Question, value: Any) -> tuple[str, ...]:
    if step.combine == "dpm_scale":
        return (f"{value} of 4",)  # the sum of two answers is not an option
    return in_words(question, list(value) if isinstance(value, tuple) else value)


def _row(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "text": item.text,
        "is_test": item.gold is not None,
        "steps": [
            (name, "closed" if here.closed else here.status, len(here.answers))
            for name, here in item.steps.items()
        ],
    }


def _confirmed(text: str) -> Mapping[str, Any] | None:
    try:
        gold = json.loads(text)
    except ValueError:
        gold = text
    if gold is not None and not isinstance(gold, dict):
        raise HTTPException(400, "The confirmation is invalid; start again.")
    return gold


def _told(gold: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    return [(name, json.dumps(value, ensure_ascii=False)) for name, value in (gold or {}).items()]
