"""The annotators' pages: consent, work, well-being, and that nothing tells a test from an item."""

import json
import time
from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, Visit, Visitor

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.protocol.load import load_protocol
from tactful.annotation.web.annotator import read_traits

ALL_NO = dict.fromkeys(
    [question.id for question in load_protocol("unhealthy").steps[0].questions],
    "no",
)


def page(ann: Visitor) -> dict[str, Any]:
    answer = ann.client.get("/api/page")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def body(handle: str, answers: dict[str, Any], key: str = "a-key-of-its-own") -> dict[str, Any]:
    return {"handle": handle, "answers": answers, "seconds": 2.5, "key": key}


def test_consent_comes_first(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("frames", ["A text."])
    ann = visit(project, agree=False)
    assert ann.client.get("/work", follow_redirects=False).headers["location"] == "/consent"
    assert ann.client.get("/api/page").status_code == 403
    form = ann.client.get("/consent").text
    assert "Content warning" in form
    csrf = form.split('name="csrf" value="')[1].split('"')[0]
    assert ann.client.post("/consent", data={"csrf": csrf}).status_code == 400
    sent = {"csrf": csrf, "agree": "yes", "age": "25-34", "gender:own": "mine", "politics": "x"}
    answer = ann.client.post("/consent", data=sent, follow_redirects=False)
    assert answer.headers["location"] == "/work"
    person = project.state.people[ann.person]
    assert person.consented is not None
    # An answer that was not offered is left out; own words count where the question is open.
    assert person.traits == {"age": "25-34", "gender": "mine"}
    assert page(ann)["items"]


def test_an_owner_can_judge_too(make_project: MakeProject, visit: Visit) -> None:
    """From the owner's pages to the first text by links and forms alone."""
    project = make_project("pcl", ["A text."])
    owner = visit(project, role="owner", agree=False)
    for address in ("/owner", "/owner/people", "/owner/disputed", "/owner/export"):
        assert '<a href="/work">Judge</a>' in owner.client.get(address).text
    for address in ("/work", "/done"):
        # The content warning is for everybody who reads the texts.
        asked = owner.client.get(address, follow_redirects=False)
        assert asked.headers["location"] == "/consent"
    assert owner.client.get("/api/page").status_code == 403
    form = owner.client.get("/consent").text
    assert '<form class="card reading" method="post" action="/consent">' in form
    csrf = form.split('name="csrf" value="')[1].split('"')[0]
    answer = owner.client.post("/consent", data={"csrf": csrf, "agree": "yes"})
    assert str(answer.url).endswith("/work")
    (item,) = page(owner)["items"]
    assert owner.post("/api/answer", body(item["handle"], {"pcl": "1"}))[0] == 200
    assert project.state.people[owner.person].answered == 1
    # And back again: an annotator is shown no such way.
    for address in ("/work", "/consent", "/stopped", "/guideline", "/done"):
        assert 'href="/owner"' in owner.client.get(address).text
        assert 'href="/owner"' not in visit(project).client.get(address).text


def test_traits_are_never_required() -> None:
    traits = load_protocol("frames").traits
    assert read_traits(traits, {}) == {}
    assert read_traits(traits, {"minority": [" "], "unknown": ["x"]}) == {}
    assert read_traits(traits, {"minority": [" cyclists "]}) == {"minority": "cyclists"}


def test_an_answer_is_taken_and_kept(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("pcl", ["A text."])
    ann = visit(project)
    (item,) = page(ann)["items"]
    assert set(item) == {"handle", "step", "text", "context", "others", "again", "suggestion"}
    assert ann.post("/api/answer", body(item["handle"], {"pcl": "1"})) == (200, b'{"saved":true}')
    kept = project.state.items["item-0"].steps["paragraph"].answers[ann.person]
    assert (kept.answers, kept.seconds) == ({"pcl": "1"}, 2.5)
    # The same key again, as after a lost receipt: nothing more happens.
    before = project.store.last
    assert ann.post("/api/answer", body(item["handle"], {"pcl": "1"}))[0] == 200
    assert project.store.last == before
    # Another key is a change of mind.
    again = body(item["handle"], {"pcl": "2"}, "another-key-of-it")
    assert ann.post("/api/answer", again)[0] == 200
    kept = project.state.items["item-0"].steps["paragraph"].answers[ann.person]
    assert kept.answers == {"pcl": "2"}


def test_nobody_uses_up_the_key_of_another(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("pcl", ["A text."])
    for ann in (visit(project), visit(project)):
        (item,) = page(ann)["items"]
        assert ann.post("/api/answer", body(item["handle"], {"pcl": "1"}))[0] == 200
    assert len(project.state.items["item-0"].steps["paragraph"].answers) == 2


def test_a_handle_belongs_to_one_person(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("pcl", ["A text."])
    ann, bob = visit(project), visit(project)
    (item,) = page(ann)["items"]
    status, said = bob.post("/api/answer", body(item["handle"], {"pcl": "1"}))
    assert status == 409
    assert b"not given to you" in said


def test_a_wrong_answer_is_refused_with_a_sentence(make_project: MakeProject, visit: Visit) -> None:
    ann = visit(make_project("pcl", ["A text."]))
    (item,) = page(ann)["items"]
    status, said = ann.post("/api/answer", body(item["handle"], {"pcl": "9"}))
    assert status == 409
    assert "expected one of '0', '1', '2'" in json.loads(said)["error"]["message"]


def test_nothing_tells_a_test_from_an_item(make_project: MakeProject, visit: Visit) -> None:
    """Not the ids, not the bytes of an answer, not what is counted (Price et al., section 3)."""
    items = [NewItem(f"item-{n}", f"Comment {n}.") for n in range(12)]
    tests = [NewItem(f"gold-{n}", f"Comment {n + 12}.", gold={"unhealthy": "yes"}) for n in (0, 1)]
    project = make_project("unhealthy", [*items, *tests])
    ann = visit(project)
    first = page(ann)
    assert len(first["items"]) == 7
    sent = json.dumps(first)
    assert "gold" not in sent
    assert "item-" not in sent
    assert len({len(each["handle"]) for each in first["items"]}) == 1
    answers = set()
    for number, each in enumerate(first["items"]):
        # Right or wrong, test or not.
        answers.add(ann.post("/api/answer", body(each["handle"], ALL_NO, f"key-number-{number}")))
        left = page(ann)
        assert left["left"] == first["left"] - number - 1
    assert answers == {(200, b'{"saved":true}')}
    assert project.state.people[ann.person].tests == 1
    # To change one's mind is possible for each of them alike, also where the item is done.
    again = {
        ann.post("/api/answer", body(each["handle"], ALL_NO, f"second-key-{number}"))
        for number, each in enumerate(first["items"])
    }
    assert again == {(200, b'{"saved":true}')}


def test_the_cap_of_a_day_is_kept_by_the_server(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("pcl", ["One.", "Two."])
    project.change({"most_per_day": 1})
    ann = visit(project)
    (item,) = page(ann)["items"]
    assert ann.post("/api/answer", body(item["handle"], {"pcl": "0"}))[0] == 200
    after = page(ann)
    assert (after["items"], after["left"]) == ([], 0)
    done = ann.client.get("/done")
    assert done.status_code == 200
    assert after["why"] in done.text


def test_done_sends_back_who_has_work(make_project: MakeProject, visit: Visit) -> None:
    ann = visit(make_project("pcl", ["One."]))
    assert ann.client.get("/done", follow_redirects=False).headers["location"] == "/work"


def test_skip_and_stop_give_back(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("pcl", ["One.", "Two."])
    ann = visit(project)
    (item,) = page(ann)["items"]
    assert ann.post("/api/skip", {"handle": item["handle"]}) == (200, b'{"saved":true}')
    assert project.state.people[ann.person].skipped == 1
    (second,) = page(ann)["items"]
    assert second["text"] == "Two."
    answer = ann.client.post("/api/stop", data={"csrf": ann.csrf}, follow_redirects=False)
    assert answer.headers["location"] == "/stopped"
    assert project.state.leased(ann.person, time.time()) == []
    assert "You have stopped" in ann.client.get("/stopped").text


def test_help_is_markdown_of_the_owner_without_html(
    make_project: MakeProject, visit: Visit
) -> None:
    project = make_project("pcl", ["One."])
    ann = visit(project)
    assert "has not written where to find help" in ann.client.get("/help").text
    project.change({"help": "**Call us** <script>alert(1)</script> [x](javascript:alert(1))"})
    for path in ("/help", "/stopped"):
        text = ann.client.get(path).text
        assert "<strong>Call us</strong>" in text
        assert "<script>alert" not in text
        assert 'href="javascript' not in text


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "{{ 7 * 7 }}", "{% raw %}"])
def test_names_and_texts_are_escaped(make_project: MakeProject, visit: Visit, text: str) -> None:
    project = make_project("pcl", [text])
    project.name = text
    ann = visit(project)
    assert page(ann)["items"][0]["text"] == text
    shown = ann.client.get("/work").text
    assert "<script>alert" not in shown
    assert "49" not in shown.split("<title>")[1].split("</title>")[0]


def test_guideline_and_keys_are_on_the_work_page(make_project: MakeProject, visit: Visit) -> None:
    ann = visit(make_project("unhealthy", ["One."]))
    for path in ("/work", "/guideline"):
        assert "<h2" in ann.client.get(path).text
    assert "aria-keyshortcuts" in ann.client.get("/work").text
