"""Tells of items that were closed, of people who were removed, and of the end of a project."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tactful.annotation.formats.annotated import plain
from tactful.annotation.project.project import Project
from tactful.annotation.state.items import Item
from tactful.annotation.store.events import Event

ITEM_CLOSED = "item.closed"
PROJECT_FINISHED = "project.finished"
PERSON_REMOVED = "person.removed"
_ABOUT_ITEMS = ("answered", "adjudicated", "closed", "reopened", "extended")


class Watcher:
    """Watches a project from now on; ``tell`` gets the kind of what happened, and its data.

    An item is closed when none of its steps is open or disputed any more. It can be opened again,
    when somebody is removed, and closed again. Changed settings and right answers are not reported.
    """

    def __init__(self, project: Project, tell: Callable[[str, Mapping[str, Any]], None]):
        self._project, self._tell = project, tell
        with project.lock:
            self._look()
            project.listeners.append(self._hear)

    def _look(self) -> None:
        items = self._project.state.touched_items()
        self._closed = {item.id for item in items if _is_closed(item)}
        self._finished = self._is_finished()

    def _hear(self, events: Sequence[Event]) -> None:
        state, touched = self._project.state, dict[str, None]()
        for event in events:
            if event.kind in ("settings-changed", "gold-edited", "tested"):
                self._look()
            elif event.kind in _ABOUT_ITEMS:
                touched[event.item or ""] = None
            elif event.kind in ("removed", "re-admitted"):
                touched |= dict.fromkeys(
                    item for item, _ in state.answered_by(event.annotator or "")
                )
                if event.kind == "removed":
                    why = event.data.get("why")
                    self._say(PERSON_REMOVED, {"person": event.annotator, "why": why})
        for name in touched:
            item = state.items[name]
            was, is_ = name in self._closed, _is_closed(item)
            if is_ and not was:
                self._closed.add(name)
                self._say(ITEM_CLOSED, {"item": name, "labels": self._labels(item)})
            elif was and not is_:
                self._closed.discard(name)
        finished = self._is_finished()
        if finished and not self._finished:
            self._say(PROJECT_FINISHED, {"items": len(self._closed)})
        self._finished = finished

    def _is_finished(self) -> bool:
        return bool(self._closed) and self._project.state.finished()

    def _labels(self, item: Item) -> dict[str, dict[str, Any]]:
        return {
            step: {
                question: plain(label.value)
                for question, label in self._project.state.labels(item.id, step).items()
                if label.applies
            }
            for step, part in item.steps.items()
            if part.status == "done"
        }

    def _say(self, kind: str, data: Mapping[str, Any]) -> None:
        self._tell(kind, {"project": self._project.name, **data})


def _is_closed(item: Item) -> bool:
    """Say whether no step of an item waits for anybody."""
    if item.gold is not None:
        return False
    statuses = {part.status for part in item.steps.values()}
    return "done" in statuses and not statuses & {"open", "disputed"}
