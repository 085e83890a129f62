"""Items and what their answers come to: which count, what is missing, the status and the labels."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tactful.annotation.protocol.records import Protocol, Step
from tactful.annotation.state.items import STATUSES, Answer, Item, ItemStep, Status
from tactful.annotation.state.labels import Label, combine
from tactful.annotation.state.leases import Leases
from tactful.annotation.state.people import Person
from tactful.annotation.state.queue import Queue
from tactful.annotation.state.routing import enters, referee_answers
from tactful.annotation.state.stopping_rule import Sureness
from tactful.annotation.state.trust import is_tested
from tactful.annotation.state.votes import is_closed


class Board:
    """The items of a project, which events move (:mod:`tactful.annotation.state.project_state`)."""

    def __init__(self, protocol: Protocol):
        self.items: dict[str, Item] = {}
        """In the order of import."""
        self.people: dict[str, Person] = {}
        self.judgements: Counter[str] = Counter()
        """How many judgements count, by step."""
        self._ids: list[str] = []
        self._queues = {step.id: Queue() for step in protocol.steps}
        self._counts: dict[str, Counter[Status]] = {step.id: Counter() for step in protocol.steps}
        self._missed: Counter[str] = Counter()
        self._tests: dict[str, list[str]] = {step.id: [] for step in protocol.steps}
        self._leases = Leases()
        self._take_protocol(protocol)

    def counted(self, item: str, step: str) -> list[Answer]:
        """Return the judgements that count, in order.

        They are the first ones of people who were not removed: as many as the step asks for, then
        one more at a time, up to its most, while the labels are not sure. None for a hidden test.
        """
        return list(self.items[item].steps[step].counting)

    def surplus(self, item: str, step: str) -> list[Answer]:
        """Return answers that came when enough were there: kept, not counted, nobody's fault."""
        found = self.items[item]
        if found.is_test:
            return []
        part = found.steps[step]
        counting = {answer.annotator for answer in part.counting}
        return [
            answer
            for name, answer in part.answers.items()
            if name not in counting and self.people[name].counts
        ]

    def needed(self, item: str, step: str, now: float) -> int:
        """Return how many people are still to be asked; who has it before them is taken off."""
        part = self.items[item].steps[step]
        if part.status != "open":
            return 0
        live = sum(until > now for until in part.leases.values())
        return max(0, self._missing(part, self._steps[step]) - live)

    def labels(self, item: str, step: str) -> dict[str, Label]:
        """Return the label of each question, by the trust that people have now."""
        part = self.items[item].steps[step]
        weights: tuple[float, ...] = ()
        if self._steps[step].combine == "trust_weighted":
            weights = tuple(self.people[answer.annotator].weight for answer in part.counting)
        others = tuple(self.items[item].steps[other].version for other in self._referees[step])
        basis = (part.version, weights, others)
        if part.known is None or part.known[0] != basis:
            trust = {
                answer.annotator: weight
                for answer, weight in zip(part.counting, weights, strict=False)
            }
            part.known = (basis, self._labels(self.items[item], step, trust))
        return dict(part.known[1])

    def counts(self, step: str) -> dict[Status, int]:
        """Return how many items of a step are waiting, open, done and disputed; tests apart."""
        return {status: self._counts[step][status] for status in STATUSES}

    def finished(self) -> bool:
        """Say whether no item is open or disputed in any step."""
        return not any(each["open"] or each["disputed"] for each in self._counts.values())

    def ordinary(self) -> Iterator[Item]:
        """Yield the items that are no hidden tests."""
        return (item for item in self.items.values() if item.gold is None)

    def tests(self, step: str) -> Sequence[str]:
        """Return the hidden tests of a step."""
        return self._tests[step]

    def tests_left(self, person: str, step: str) -> int:
        """Return how many hidden tests of a step somebody has not answered or skipped yet."""
        return sum(not self.is_known_to(person, name, step) for name in self._tests[step])

    def is_known_to(self, person: str, item: str, step: str) -> bool:
        """Say whether somebody answered or skipped an item of a step."""
        part = self.items[item].steps[step]
        return person in part.answers or person in part.skipped

    def may_come_back(self, person: str, item: str, step: str) -> bool:
        """Say whether somebody skipped an item of a step once, and can be asked once more."""
        part = self.items[item].steps[step]
        return person in part.skipped and person not in part.declined

    def wanted(self, step: str) -> int:
        """Return how many judgements a step takes, as far as is known: those there and missing."""
        return self.judgements[step] + self._missed[step]

    def _take_protocol(self, protocol: Protocol) -> None:
        self.protocol = protocol
        """The protocol with the settings that are in force now."""
        self._steps: dict[str, Step] = {step.id: step for step in protocol.steps}
        self._sure = {step.id: Sureness(step) for step in protocol.steps}
        self._after: dict[str, list[str]] = {step.id: [] for step in protocol.steps}
        self._referees: dict[str, list[str]] = {step.id: [] for step in protocol.steps}
        for step in protocol.steps:
            if step.entry is not None:
                self._after[step.entry.step].append(step.id)
                if step.entry.rule == "disputed":
                    self._referees[step.entry.step].append(step.id)

    def _put_in(self, item: Item) -> None:
        """Let judgements of an item be collected."""
        for step, part in item.steps.items():
            part.status, part.complete, part.counting = "waiting", False, []
            self._counts[step]["waiting"] += 1
        for step in item.steps:
            self._count_again(item, step)

    def _put_in_new(self, item: Item) -> None:
        """Do what :meth:`_put_in` does for an item about which nobody has said anything."""
        for step, part in item.steps.items():
            rule = self._steps[step]
            part.status = "open" if rule.entry is None else "waiting"
            self._counts[step][part.status] += 1
            if rule.entry is None:
                self._missed[step] += rule.judgements
                self._queues[step].add(item.key)

    def _take_out(self, item: Item) -> None:
        for step, part in item.steps.items():
            self._counts[step][part.status] -= 1
            self.judgements[step] -= len(part.counting)
            self._missed[step] -= self._missing(part, self._steps[step])
            self._queues[step].discard(item.key)

    def _hide(self, item: Item) -> None:
        """Make an item that was taken out, or never put in, a hidden test."""
        for step, part in item.steps.items():
            part.status, part.complete, part.counting = "done", True, []
            part.finalized = False
            part.version += 1
            if is_tested(self._steps[step], item.gold or {}):
                self._tests[step].append(item.id)

    def _unhide(self, item: Item) -> None:
        for tests in self._tests.values():
            if item.id in tests:
                tests.remove(item.id)

    def _missing(self, part: ItemStep, rule: Step) -> int:
        """Return how many judgements are missing: all of the first ones, then one at a time."""
        if part.status == "waiting" or part.complete or part.decision is not None:
            return 0
        return max(rule.judgements - len(part.counting), 1)

    def _is_enough(self, answers: list[Answer], rule: Step) -> bool:
        count = len(answers)
        if count < rule.judgements:
            return False
        if rule.confidence is None or count >= (rule.most or rule.judgements):
            return True
        return self._sure[rule.id](answers, rule.confidence)

    def _count_too(self, item: Item, step: str, answer: Answer) -> None:
        """Let one more judgement count: what :meth:`_count_again` comes to, without the others."""
        part, rule = item.steps[step], self._steps[step]
        missing = rule.judgements - len(part.counting)
        part.counting.append(answer)
        part.version += 1
        self.judgements[step] += 1
        part.complete = missing <= 1 and self._is_enough(part.counting, rule)
        if part.complete or missing > 1:
            # Of the first ones each is one less; of the others only the last one is.
            self._missed[step] -= 1
        if part.complete:
            self._settle(item, step)
        elif part.leases:
            self._requeue(item, step)
        else:
            self._queues[step].add(item.key)

    def _count_again(self, item: Item, step: str) -> None:
        """Find anew which answers count."""
        part, rule = item.steps[step], self._steps[step]
        missed, before = self._missing(part, rule), len(part.counting)
        part.counting, part.complete = [], False
        for name, answer in part.answers.items():
            if self.people[name].counts:
                part.counting.append(answer)
                part.complete = self._is_enough(part.counting, rule)
                if part.complete:
                    break
        if part.complete:
            part.finalized = False
        elif part.finalized and part.counting:
            part.complete = True
        part.version += 1
        self.judgements[step] += len(part.counting) - before
        self._missed[step] += self._missing(part, rule) - missed
        self._settle(item, step)

    def _decide(self, item: Item, step: str, answer: Answer) -> None:
        part, rule = item.steps[step], self._steps[step]
        missed = self._missing(part, rule)
        part.decision = answer
        part.version += 1
        if item.gold is None:
            self._missed[step] += self._missing(part, rule) - missed
            self._settle(item, step)

    def _settle(self, item: Item, step: str) -> None:
        """Find the status of an item in a step, and in the steps that hang on it."""
        part, rule = item.steps[step], self._steps[step]
        status = self._status(item, step)
        moved = status != part.status
        if moved:
            missed = self._missing(part, rule)
            self._counts[step][part.status] -= 1
            self._counts[step][status] += 1
            part.status = status
            self._missed[step] += self._missing(part, rule) - missed
        self._requeue(item, step)
        for other in self._after[step]:
            self._settle(item, other)
        if moved and rule.entry is not None and rule.entry.rule == "disputed":
            # What the referee says settles the step that the dispute is about.
            self._settle(item, rule.entry.step)

    def _status(self, item: Item, step: str) -> Status:
        part, rule = item.steps[step], self._steps[step]
        if rule.entry is not None and not self._enters(item, rule):
            return "waiting"
        if part.decision is not None:
            return "done"
        if not part.complete:
            return "open"
        return "done" if self._is_clear(item, step) else "disputed"

    def _is_clear(self, item: Item, step: str) -> bool:
        part, rule = item.steps[step], self._steps[step]
        if rule.combine != "dpm_scale" and not self._referees[step]:
            if rule.confidence and len(part.counting) < (rule.most or rule.judgements):
                return True  # it is complete because it is sure
            return self._sure[step](part.counting, 0.0)
        labels = self._settled_labels(item, step)
        return all(
            labels[each.id].is_clear for each in rule.questions if each.required and is_closed(each)
        )

    def _enters(self, item: Item, rule: Step) -> bool:
        entry = rule.entry
        if entry is None:
            return True
        source = item.steps[entry.step]
        if source.status == "waiting" or not (source.complete or source.decision):
            return False
        return enters(entry, source, lambda: self._settled_labels(item, entry.step))

    def _settled_labels(self, item: Item, step: str) -> dict[str, Label]:
        """Return the labels that the way of an item follows.

        They are of the trust that people had when they answered: otherwise each new test would
        open and close items that were done long ago.
        """
        trust = {answer.annotator: answer.trust for answer in item.steps[step].counting}
        return self._labels(item, step, trust)

    def _labels(self, item: Item, step: str, trust: Mapping[str, float]) -> dict[str, Label]:
        part, rule = item.steps[step], self._steps[step]
        referee: dict[str, Any] = {}
        for other in self._referees[step]:
            referee |= referee_answers(rule, self._steps[other], item.steps[other])
        decision = part.decision.answers if part.decision else None
        return combine(rule, part.counting, trust, referee=referee, decision=decision)

    def _requeue(self, item: Item, step: str) -> None:
        part = item.steps[step]
        missing = self._missing(part, self._steps[step]) if part.status == "open" else 0
        if missing and part.leases:
            clock = self._leases.clock
            missing -= sum(until > clock for until in part.leases.values())
        if missing > 0:
            self._queues[step].add(item.key)
        else:
            self._queues[step].discard(item.key)

    def _release(self, item: Item, step: str, person: Person) -> None:
        self._leases.end(person.id, item.id, step)
        if item.steps[step].leases.pop(person.id, None) is not None:
            self._requeue(item, step)
