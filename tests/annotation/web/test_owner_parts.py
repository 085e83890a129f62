"""The parts that the owner's pages are made of: charts, forms, comparisons, kept figures."""

import gc
import threading
import time
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from tactful.annotation.analysis.overview import StepProgress
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Option, Question, Step
from tactful.annotation.state.items import Answer
from tactful.annotation.state.people import Person
from tactful.annotation.web import charts, figures
from tactful.annotation.web.answer_form import fields, gold_fields, read_answers, read_gold
from tactful.annotation.web.figures import Figures
from tactful.annotation.web.side_by_side import compare
from tactful.errors import InputError

NASTY = "<b onload='x'>&\"</b>"
KINDS = (Option("praise", "Praise"), Option("pity", "Pity"))
STEP = Step(
    "look",
    "A look",
    (
        Question("tone", "choice", "Kind?", options=KINDS, open=True),
        Question("which", "choices", "Which?", options=KINDS),
        Question("places", "spans", "Where?", options=KINDS),
        Question("notes", "texts", "Notes?", per="which"),
        Question("why", "text", "Why?"),
    ),
)
TEXT = "How kind 🌍 of you."


def parse(svg: object) -> ElementTree.Element:
    return ElementTree.fromstring(str(svg))  # noqa: S314 (our own, made a line above)


# Charts


def test_a_bar_shares_its_width_among_the_items() -> None:
    bar = parse(charts.progress_bar(StepProgress("s", NASTY, open=1, done=3)))
    assert [float(rect.get("width", "")) for rect in bar] == [480, 160]
    assert bar.get("aria-label") == f"{NASTY}: 3 done, 0 disputed, 1 open, 0 waiting"
    assert charts.progress_bar(StepProgress("s", "S")) == ""


def test_intervals_stay_inside_the_chart() -> None:
    rows = [
        charts.Interval(NASTY, 0.5, -3.0, 1.0),
        charts.Interval("none", None),
        charts.Interval("low", -0.4),
    ]
    chart = parse(charts.interval_chart(rows, NASTY))
    places = [float(node.get(name, "0")) for node in chart for name in ("x", "x1", "x2", "cx")]
    assert 0 <= min(places) <= max(places) <= 640
    said = "".join(chart.itertext())
    assert NASTY in said
    assert "undefined" in said
    assert charts.interval_chart([], "") == ""


def test_trust_is_drawn_and_the_limit_too() -> None:
    lines = [
        Person("a", NASTY, "annotator", status="removed", history=[(0.0, 1.0), (1.0, 0.5)]),
        Person("b", "B", "annotator", history=[(0.0, 1.0)]),
    ]
    chart = parse(charts.trust_chart(lines, 0.78, "Trust"))
    kinds = [node.get("class") for node in chart]
    assert kinds[-2:] == ["trust active", "trust removed"]
    assert "limit" in kinds
    assert f"{NASTY}: 50%" in "".join(chart.itertext())
    assert "limit" not in [node.get("class") for node in parse(charts.trust_chart(lines, None, ""))]
    assert charts.trust_chart([], 0.78, "") == ""


def test_days_without_answers_draw_nothing() -> None:
    days = [("2024-05-01", 0), ("2024-05-02", 4)]
    chart = parse(charts.day_chart(days, ""))
    bars = [node for node in chart if node.get("class") == "day"]
    assert [float(bar.get("height", "")) for bar in bars] == [0, 82]
    ticks = [node for node in chart if node.get("class") == "tick"]
    assert [node.text for node in ticks] == ["1 May", "2"]
    middles = [float(bar.get("x", "")) + float(bar.get("width", "")) / 2 for bar in bars]
    assert middles == [float(node.get("x", "")) for node in ticks]
    assert charts.day_chart([("2024-05-01", 0)], "") == ""


def test_heat_is_from_0_to_9() -> None:
    assert [charts.heat(count, 90) for count in (0, 1, 45, 90)] == [0, 1, 4, 9]
    assert charts.heat(0, 0) == 0


# Forms


def test_a_form_comes_back_as_the_answers_it_shows() -> None:
    answers = {
        "tone": "own words",
        "which": ["pity", "praise"],
        "places": [{"start": 9, "end": 10, "value": "pity"}],
        "notes": {"pity": ["one", "two"], "praise": ["three"]},
        "why": "because",
    }
    form: dict[str, list[str]] = {}
    for field in fields(STEP, answers, {}, TEXT):
        form[f"q:{field.name}"] = [*field.chosen, *(m.field for m in field.marks if m.chosen)]
        if field.question.kind in ("text", "texts"):
            form[f"q:{field.name}"] = [field.own]
        else:
            form[f"own:{field.name}"] = [field.own]
    assert read_answers(STEP, form) == answers


def test_spans_of_everyone_are_offered_once_with_who_marked_them() -> None:
    span = {"start": 9, "end": 10, "value": "pity"}
    other = {"start": 0, "end": 3, "value": "praise"}
    given = {"Ann": {"places": [span]}, "Ben": {"places": [span, other]}}
    field = fields(STEP, {"places": [other]}, given, TEXT)[2]
    assert [(m.words, m.by, m.chosen) for m in field.marks] == [
        ("How", ("Ben",), True),
        ("🌍", ("Ann", "Ben"), False),
    ]


def test_a_question_for_each_group_is_asked_for_what_anybody_chose() -> None:
    given = {"Ann": {"which": ["pity"]}, "Ben": {"which": ["pity", "praise"]}}
    assert [f.key for f in fields(STEP, {}, given, TEXT) if f.question.id == "notes"] == [
        "pity",
        "praise",
    ]


def test_nothing_chosen_is_an_empty_set_where_it_was_asked() -> None:
    form = {"asked:which": ["yes"], "asked:places": ["yes"]}
    assert read_answers(STEP, form) == {"which": [], "places": []}
    assert read_answers(STEP, {}) == {}


@pytest.mark.parametrize("line", ["x", "1", "5-", "-5", "1-2-3 pity", "1 2 pity"])
def test_a_span_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(InputError, match="expected its start, its end and its category"):
        read_answers(STEP, {"add:places": [line]})


@pytest.mark.parametrize(
    "gold",
    [
        {"tone": "praise"},
        {"tone": {"any": ["praise", "pity"]}},
        {"tone": "own words", "why": "because"},
        {"which": []},
        {"which": ["praise"], "places": [{"start": 0, "end": 3, "value": "pity"}]},
        {"places": []},
    ],
)
def test_a_test_comes_back_as_the_form_shows_it(gold: dict[str, Any]) -> None:
    form: dict[str, list[str]] = {}
    for field in gold_fields(STEP, gold):
        name = field.question.id
        form[f"gold:{name}"] = list(field.chosen)
        form[f"gold:{name}:lines"] = [field.lines]
        if field.tested and field.question.kind not in ("choice", "scale"):
            form[f"tested:{name}"] = ["yes"]
    assert read_gold(STEP, form, {}) == gold


def test_what_is_not_tested_is_empty_in_the_form() -> None:
    fields = gold_fields(STEP, {})
    assert fields
    for each in fields:
        assert (each.tested, each.chosen, each.lines) == (False, (), "")
        assert (each.not_asked, each.shortened, each.kept) == (False, False, ())


def test_a_question_may_rightly_not_be_asked() -> None:
    form = {"none:tone": ["not-asked"], "gold:tone": ["pity"]}
    assert read_gold(STEP, form, {}) == {"tone": {"any": ["pity", None]}}
    field = gold_fields(STEP, {"tone": {"any": ["pity", None]}})[0]
    assert (field.chosen, field.not_asked) == (("pity",), True)


def filled_in(gold: dict[str, Any]) -> dict[str, list[str]]:
    """Return the form of a test as the page shows it."""
    form: dict[str, list[str]] = {}
    for field in gold_fields(STEP, gold):
        name = field.question.id
        form[f"gold:{name}"] = list(field.chosen)
        form[f"gold:{name}:lines"] = [field.lines]
        if field.tested and field.question.kind not in ("choice", "scale"):
            form[f"tested:{name}"] = ["yes"]
    return form


@pytest.mark.parametrize(
    "gold",
    [
        {"notes": {"pity": ["one", "two"]}},
        {"tone": "praise", "notes": {"any": [{"pity": ["one"]}, {"praise": ["two"]}]}},
        {"which": {"any": [["praise", "pity"], []]}},
        {"why": {"any": ["because", "so"]}},
        {"places": {"any": [[{"start": 0, "end": 3, "value": "pity"}], []]}},
        {
            "places": [
                {"start": 0, "end": 12, "value": "pity", "parts": [[0, 3], [9, 12]]},
                {"start": 4, "end": 8, "value": "praise"},
            ]
        },
    ],
)
def test_what_the_form_cannot_show_is_kept(gold: dict[str, Any]) -> None:
    assert read_gold(STEP, filled_in(gold), gold) == gold


def test_what_the_form_cannot_show_is_said_and_can_be_taken_away() -> None:
    gold = {"which": {"any": [["praise"], ["pity"]]}, "notes": {"pity": ["one", "two"]}}
    which, notes = (each for each in gold_fields(STEP, gold) if each.question.id in gold)
    assert which.shortened
    assert (notes.kept, notes.not_asked, notes.shortened) == (("pity: one, two",), False, False)
    form = filled_in(gold) | {"drop:notes": ["yes"], "gold:which": ["pity"]}
    assert read_gold(STEP, form, gold) == {"which": ["pity"]}


def test_a_moved_span_replaces_all_sets() -> None:
    gold = {"places": {"any": [[{"start": 0, "end": 3, "value": "pity"}], []]}}
    form = filled_in(gold) | {"gold:places:lines": ["0-4 pity"]}
    assert read_gold(STEP, form, gold) == {"places": [{"start": 0, "end": 4, "value": "pity"}]}


def test_a_span_with_a_gap_is_offered_and_taken_over_whole() -> None:
    span = {"start": 0, "end": 10, "value": "pity", "parts": [[0, 3], [9, 10]]}
    field = fields(STEP, {}, {"Ann": {"places": [span]}}, TEXT)[2]
    (mark,) = field.marks
    assert (mark.field, mark.words) == ("0-3,9-10 pity", "How … 🌍")
    assert read_answers(STEP, {"q:places": [mark.field]}) == {"places": [span]}
    assert read_answers(STEP, {"add:places": ["9 - 10 , 0-3 pity"]}) == {"places": [span]}


# Side by side


def answer(person: str, **answers: Any) -> Answer:
    return Answer(person, answers, 0.0, 5.0)


def test_who_differs_from_most_is_marked_whatever_the_order() -> None:
    given = [
        answer("ann", tone="praise", which=["praise", "pity"]),
        answer("ben", tone="praise", which=["pity", "praise"]),
        answer("cem", tone="pity", which=[], places=[{"start": 9, "end": 10, "value": "pity"}]),
    ]
    found = compare(STEP, TEXT, given, {"ann", "ben"}, {"ann": "Ann"}, answer("ref", tone="pity"))
    assert [(c.name, c.counts, c.is_decision) for c in found.columns] == [
        ("Ann", True, False),
        ("ben", True, False),
        ("cem", False, False),
        ("ref", True, True),
    ]
    rows = {question.id: cells for question, cells, _ in found.rows}
    assert [cell.differs for cell in rows["tone"]] == [False, False, True, True]
    assert [cell.differs for cell in rows["which"]] == [False, False, True, False]
    assert rows["which"][0].lines == ("Praise", "Pity")
    assert rows["places"][2].marked == (("Pity", "🌍"),)
    assert "why" not in rows  # nobody was asked


def test_a_split_has_no_majority_to_differ_from() -> None:
    found = compare(STEP, TEXT, [answer("a", tone="praise"), answer("b", tone="pity")], (), {})
    assert not any(cell.differs for _, cells, _ in found.rows for cell in cells)


def test_a_test_says_who_was_right() -> None:
    given = [answer("a", tone="praise"), answer("b", tone="pity")]
    found = compare(STEP, TEXT, given, (), {}, None, {"tone": "pity"})
    assert [column.is_right for column in found.columns] == [False, True]
    other = compare(STEP, TEXT, given, (), {}, None, {"elsewhere": "x"})
    assert [column.is_right for column in other.columns] == [None, None]


# Figures


def test_figures_are_kept_for_a_while_and_forgotten_when_asked(
    make_project: Callable[..., Project],
) -> None:
    project = make_project("pcl", ["A mild text."])
    kept = Figures(project)
    first = kept.status(None, time.time())
    assert (first.items, first.steps[0].open) == (1, 1)
    project.add_items([*_new("more")])
    assert kept.status(None, time.time()).steps[0].open == 1
    kept.forget()
    assert kept.status(None, time.time()).steps[0].open == 2


def test_others_get_the_lock_between_parts(
    make_project: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project("pcl", [f"A mild text, number {n}." for n in range(40)])
    monkeypatch.setattr(figures, "PART", 1)
    entered = threading.Event()
    parts = Figures(project)._parts(list(project.state.items.values()))
    next(parts)

    def enter() -> None:
        with project.lock:
            entered.set()

    other = threading.Thread(target=enter)
    other.start()
    assert not entered.wait(0.05)  # a part is being looked at
    seen = 1
    for _ in parts:
        seen += 1
        if entered.is_set():
            break
    rest = seen + sum(1 for _ in parts)
    other.join(5)
    assert entered.is_set()
    assert seen < rest == 40


def is_free(project: Project) -> bool:
    """Say whether somebody else could annotate at this moment."""
    entered = threading.Event()

    def enter() -> None:
        with project.lock:
            entered.set()

    other = threading.Thread(target=enter)
    other.start()
    found = entered.wait(120)
    if found:
        other.join()
    return found


@pytest.mark.parametrize(
    ("part", "ask"),
    [
        ("step_agreement", lambda one: one.agreement(one._project.protocol.steps[0])),
        ("gold_figures", lambda one: one.tests()),
        ("burdens", lambda one: one.burdens()),
        ("estimate", lambda one: one.status(None, time.time())),
    ],
)
def test_nobody_waits_while_figures_are_computed(
    make_project: Callable[..., Project],
    monkeypatch: pytest.MonkeyPatch,
    part: str,
    ask: Callable[[Figures], object],
) -> None:
    project = make_project("pcl", ["A mild text."])
    free: list[bool] = []
    real = getattr(figures, part)

    def spy(*given: Any) -> Any:
        free.append(is_free(project))
        return real(*given)

    monkeypatch.setattr(figures, part, spy)
    ask(Figures(project))
    assert free == [True]


def test_figures_are_computed_anew_only_when_something_happened(
    make_project: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project("pcl", ["A mild text."])
    monkeypatch.setattr(figures, "KEPT_SECONDS", 0.0)
    kept = Figures(project)
    first = kept.disputes()
    assert kept.disputes() is first
    project.add_items([*_new("more")])
    assert kept.disputes() is not first


def test_the_collector_rests_and_works_again_whatever_happens(
    make_project: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    was_on: list[bool] = []

    def fail(*_: object) -> None:
        was_on.append(gc.isenabled())
        raise InputError("no")

    monkeypatch.setattr(figures, "gold_figures", fail)
    with pytest.raises(InputError):
        Figures(make_project("pcl", ["A mild text."])).tests()
    assert was_on == [False]
    assert gc.isenabled()


def test_a_search_stops_when_it_has_enough(
    make_project: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project("pcl", [f"A mild text, number {n}." for n in range(40)])
    monkeypatch.setattr(figures, "FIND_PART", 5)
    seen: list[str] = []

    def is_wanted(item: Any) -> bool:
        seen.append(item.id)
        return str(item.id).endswith("1")

    found = Figures(project).find(is_wanted, 2)
    assert [item.id for item in found.items] == ["item-1", "item-11"]
    assert len(seen) == 15
    assert is_free(project)


def _new(name: str) -> Any:
    from tactful.annotation.project.exchange import NewItem

    yield NewItem(name, "Another mild text.")
