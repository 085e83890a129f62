"""What to write instead, in a true browser: replacements and rewrites, used only when chosen."""

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from tests.local_server import Reply, Server, serving
from tests.service.web.conftest import OpenPage, running
from tests.service.web.test_browser_access import overflows, serious
from tests.service.web.test_browser_write import settled, told

from tactful.service.settings import ServiceSettings

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

CALM = "The library in Mill Street opens again on Monday."
TERM = "My neighbour is wheelchair-bound."
USER = "My neighbour is a wheelchair user."
PITY = "Even these poor souls can learn to hope again."
PLAIN = "The families wait at the stop."
ASK = ".rewrite > .button"
NEW = ".rewrite-versions dd:last-child"


@pytest.fixture(scope="module")
def chat() -> Iterator[Server]:
    with serving("/v1") as found:
        yield found


@pytest.fixture(scope="module")
def rewriting(chat: Server) -> Iterator[str]:
    settings = ServiceSettings(model="fast", langs=("en",), rewrite_endpoint=chat.url)
    with running(settings) as address:
        yield address


@pytest.fixture(autouse=True)
def fresh(chat: Server) -> None:
    chat.asked.clear()
    chat.replies = [completion(PLAIN)]


def completion(text: str) -> Reply:
    return Reply({"choices": [{"message": {"role": "assistant", "content": text}}]})


def press(page: "Page", selector: str) -> None:
    """Press a button with the keyboard."""
    page.locator(selector).first.focus()
    page.keyboard.press("Enter")


def has_focus(page: "Page") -> bool:
    return bool(page.evaluate("document.activeElement.id === 'text'"))


def open_first(page: "Page", text: str) -> None:
    """Write a text, wait for its finding, and open it."""
    page.fill("#text", text)
    settled(page, 1)
    press(page, ".finding-head")


def test_a_key_uses_the_first_replacement_and_undo_takes_it_back(
    open_page: OpenPage, rewriting: str
) -> None:
    page = open_page(address=rewriting)
    text = f"{CALM} {TERM}"
    page.fill("#text", text)
    settled(page, 1)
    assert "Ctrl ↵ use the first replacement" in page.inner_text(".keys-hint")
    page.focus("#text")
    page.keyboard.press("F8")
    page.keyboard.press("Control+Enter")
    assert page.input_value("#text") == f"{CALM} My neighbour is using a wheelchair."
    told(page, "Replaced “wheelchair-bound” with “using a wheelchair”.")
    assert page.get_attribute("#notice", "role") == "status"
    assert has_focus(page)
    settled(page, 0)
    page.keyboard.press("Control+z")
    assert page.input_value("#text") == text
    settled(page, 1)


def test_a_button_uses_any_replacement_and_another_takes_it_back(
    open_page: OpenPage, rewriting: str
) -> None:
    page = open_page(address=rewriting)
    open_first(page, TERM)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.input_value("#text") == USER
    assert has_focus(page)
    settled(page, 0)
    press(page, "#notice button")
    assert page.input_value("#text") == TERM
    told(page, "Undone.")
    assert has_focus(page)
    settled(page, 1)


def test_after_a_replacement_the_next_finding_is_one_key_away(
    open_page: OpenPage, rewriting: str
) -> None:
    page = open_page(address=rewriting)
    page.fill("#text", f"{TERM}\n\n{CALM}\n\n{TERM}")
    settled(page, 2)
    page.focus("#text")
    page.keyboard.press("Control+Home")
    for left in (1, 0):
        page.keyboard.press("F8")
        page.keyboard.press("Control+Enter")
        settled(page, left)
    assert "bound" not in page.input_value("#text")


def test_the_words_are_replaced_where_they_are_now(open_page: OpenPage, rewriting: str) -> None:
    """Somebody writes on while the finding is open, and the check is not through yet."""
    page = open_page(address=rewriting)
    open_first(page, TERM)
    page.route("**/v1/check", lambda route: route.abort())
    page.focus("#text")
    page.keyboard.press("Control+Home")
    page.keyboard.type("Listen: ")
    press(page, ".choices .button")
    assert page.input_value("#text") == "Listen: My neighbour is using a wheelchair."


@pytest.mark.parametrize(
    ("text", "kind"),
    [(PITY, "plain"), ("He is **wheelchair**-bound, they say.", "markdown")],
    ids=["only advice", "markup between the words"],
)
def test_where_nothing_can_be_replaced_the_key_says_so(
    open_page: OpenPage, rewriting: str, text: str, kind: str
) -> None:
    page = open_page(address=rewriting)
    page.select_option("#kind", kind)
    open_first(page, text)
    assert page.locator(".choices").count() == 0
    assert page.inner_text(".details .instead")
    page.keyboard.press("Control+Enter")
    told(page, "no replacement")
    assert page.input_value("#text") == text


def test_without_an_endpoint_no_rewrite_is_offered(open_page: OpenPage) -> None:
    page = open_page()
    open_first(page, PITY)
    assert page.locator(".details").count() == 1
    assert page.locator(".rewrite").count() == 0
    assert "rewrite" not in page.inner_text("footer")


def test_a_rewrite_is_shown_with_both_scores_and_used_only_when_chosen(
    open_page: OpenPage, rewriting: str, chat: Server
) -> None:
    page = open_page(address=rewriting)
    text = f"😀 {CALM}\n\n😀 {CALM} {PITY} {CALM}"
    open_first(page, text)
    assert "Suggest a rewrite" in page.inner_text("footer")
    assert chat.asked == []
    press(page, ASK)
    page.wait_for_selector(NEW)
    assert page.locator(".rewrite-versions dd").all_inner_texts() == [PITY, PLAIN]
    scores = page.locator(".rewrite-versions dt").all_inner_texts()
    before, after = (int(each.rstrip("%").split()[-1]) for each in scores)
    assert before > after
    assert "lower score" in page.inner_text(".rewrite-status")
    assert page.input_value("#text") == text
    assert "library" not in str(chat.asked[0][2])
    press(page, ".rewrite > div .button")
    assert page.input_value("#text") == text.replace(PITY, PLAIN)
    told(page, "Replaced the sentence with its rewrite.")
    assert has_focus(page)
    page.keyboard.press("Control+z")
    assert page.input_value("#text") == text


def test_a_rewrite_that_is_no_better_or_changes_facts_is_said_to_be(
    open_page: OpenPage, rewriting: str, chat: Server
) -> None:
    chat.replies = [completion("A wheelchair-bound man and 3 cats live in Leeds.")]
    page = open_page(address=rewriting)
    open_first(page, PITY)
    press(page, ASK)
    page.wait_for_selector(NEW)
    assert "no better" in page.inner_text(".rewrite-status")
    assert "Found only in the rewrite: Disability." in page.inner_text(".rewrite")
    assert "not in both versions: 3, Leeds." in page.inner_text(".rewrite")


def test_a_rewrite_of_a_sentence_with_markup_is_only_shown(
    open_page: OpenPage, rewriting: str
) -> None:
    page = open_page(address=rewriting)
    page.select_option("#kind", "markdown")
    open_first(page, PITY.replace("souls", "*souls*"))
    press(page, ASK)
    page.wait_for_selector(NEW)
    assert page.locator(".rewrite > div .button").count() == 0
    assert "Copy the rewrite by hand" in page.inner_text(".rewrite")


BAD: dict[str, tuple[Reply, str]] = {
    "error": (Reply(status=500), "gave no answer"),
    "busy": (Reply(status=503), "gave no answer"),
    "no JSON": (Reply(raw=b"<html>"), "gave no answer"),
    "other JSON": (Reply({"choices": 3}), "gave no answer"),
    "empty": (completion(" \n"), "empty answer"),
    "unchanged": (completion(PITY), "unchanged"),
    "far too long": (completion("word " * 500), "too many for a rewrite"),
}


@pytest.mark.parametrize(("reply", "said"), BAD.values(), ids=BAD)
def test_bad_answers_are_told_in_words_and_can_be_asked_for_again(
    open_page: OpenPage, rewriting: str, chat: Server, reply: Reply, said: str
) -> None:
    chat.replies = [reply, completion(PLAIN)]
    page = open_page(address=rewriting)
    open_first(page, PITY)
    press(page, ASK)
    page.wait_for_function(
        "said => document.querySelector('.rewrite-status').textContent.includes(said)", arg=said
    )
    assert page.inner_text(".rewrite-status").startswith("There is no rewrite.")
    assert page.locator(NEW).count() == 0
    assert page.input_value("#text") == PITY
    page.keyboard.press("Enter")
    page.wait_for_selector(NEW)


def test_markup_in_an_answer_is_text(open_page: OpenPage, rewriting: str, chat: Server) -> None:
    chat.replies = [completion("<img src=x onerror=alert(1)> The families wait.")]
    page = open_page(address=rewriting)
    open_first(page, PITY)
    press(page, ASK)
    page.wait_for_selector(NEW)
    assert page.inner_text(NEW).startswith("<img")
    assert page.locator("main img").count() == 0


def test_an_endpoint_that_is_down_and_a_service_that_is_gone(
    open_page: OpenPage, rewriting: str
) -> None:
    with serving("/v1") as gone:
        nobody = gone.url
    settings = ServiceSettings(model="fast", langs=("en",), rewrite_endpoint=nobody)
    with running(settings) as address:
        page = open_page(address=address)
        open_first(page, PITY)
        press(page, ASK)
        page.wait_for_function(
            "() => document.querySelector('.rewrite-status').textContent.includes('no answer')"
        )
        page.route("**/v1/rewrite", lambda route: route.abort())
        press(page, ASK)
        page.wait_for_function(
            "() => document.querySelector('.rewrite-status').textContent.includes('running')"
        )


def test_a_slow_endpoint_is_waited_for_and_then_given_up(open_page: OpenPage, chat: Server) -> None:
    held = threading.Event()
    reply = completion(PLAIN)
    reply.hold = held
    chat.replies = [reply]
    settings = ServiceSettings(
        model="fast", langs=("en",), rewrite_endpoint=chat.url, timeout_seconds=6
    )
    try:
        with running(settings) as address:
            page = open_page(address=address)
            open_first(page, PITY)
            press(page, ASK)
            assert page.inner_text(".rewrite-status") == "Asking the chat model …"
            page.keyboard.press("Enter")  # asks no second time
            page.wait_for_function(
                "() => /took too long|no answer/.test("
                "document.querySelector('.rewrite-status').textContent)"
            )
            assert len(chat.asked) == 1
    finally:
        held.set()


@pytest.mark.parametrize(
    "options",
    [
        {"color_scheme": "light"},
        {"color_scheme": "dark"},
        {"viewport": {"width": 390, "height": 844}, "locale": "es-ES"},
    ],
    ids=["light", "dark", "phone"],
)
def test_everybody_can_use_it(open_page: OpenPage, rewriting: str, options: Any) -> None:
    page = open_page(address=rewriting, bypass_csp=True, **options)
    open_first(page, PITY)
    press(page, ASK)
    page.wait_for_selector(NEW)
    assert serious(page) == []
    assert not overflows(page)
    press(page, ".rewrite > div .button")
    assert serious(page) == []
    open_first(page, TERM)
    assert serious(page) == []
    assert not overflows(page)
