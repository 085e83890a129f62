"""Writing in a true browser: findings while typing, and texts of all kinds."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.service.web.conftest import OpenPage

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

POOR = "With a little help from us, even these poor families can learn to dream again."
RUDE = "Grow up, you fool, and stop wasting our time with this nonsense."
"""Dismissive and an insult: one finding with kinds of two families."""
CALM = "The library in Mill Street opens again on Monday."


def marks(page: "Page") -> list[str]:
    return page.locator(".mirror .mark").all_inner_texts()


def settled(page: "Page", count: int) -> None:
    page.wait_for_function(
        "count => document.querySelectorAll('#findings > li').length === count", arg=count
    )


def write(page: "Page", text: str) -> None:
    """Set a long text at once, as pasting does; the browser's own way to fill takes minutes."""
    page.evaluate(
        """text => {
          const field = document.getElementById('text');
          field.value = text;
          field.dispatchEvent(new Event('input', { bubbles: true }));
        }""",
        text,
    )


def told(page: "Page", words: str) -> None:
    page.wait_for_function(
        "words => document.getElementById('notice').textContent.includes(words)", arg=words
    )


def slide(page: "Page", value: int) -> None:
    page.locator("#least").fill(str(value))


def test_a_finding_is_shown_when_typing_stops(open_page: OpenPage) -> None:
    """How soon is measured by benchmarks/web_app.py."""
    page = open_page()
    page.click("#text")
    page.keyboard.type(POOR, delay=4)
    settled(page, 1)
    assert marks(page)


def test_a_finding_is_shown_soon_in_a_long_text_too(open_page: OpenPage) -> None:
    page = open_page()
    calm = "\n\n".join(f"{CALM} It has {number} shelves." for number in range(400))
    write(page, calm)
    page.wait_for_function(
        "() => /finding/.test(document.getElementById('status').textContent)", timeout=90_000
    )
    before = page.locator("#findings > li").count()
    page.click("#text")
    page.keyboard.press("Control+End")
    page.keyboard.type("\n\n")
    page.evaluate(
        """() => {
          window.sent = [];
          const old = window.fetch;
          window.fetch = (path, init) => {
            sent.push(JSON.parse(init.body).text);
            return old(path, init);
          };
        }"""
    )
    page.keyboard.type(POOR)
    settled(page, before + 1)
    sent = page.evaluate("window.sent")
    # Only the paragraph that changed goes to the service.
    assert sent[-1].strip() == POOR
    assert sum(map(len, sent)) < 5 * len(POOR)


def test_words_are_marked_and_told_with_a_question(open_page: OpenPage) -> None:
    page = open_page()
    page.fill("#text", f"{POOR}\n\n{CALM}\n\n{RUDE}")
    settled(page, 2)
    names = page.locator("#findings .name").all_inner_texts()
    assert names == ["Patronizing or condescending", "Dismissive"]
    others = page.locator("#findings .more").all_inner_texts()
    assert "Presupposition" in others[0]
    assert "Antagonistic" in others[1]
    assert "Insult" in others[1]
    assert page.locator(".mark.m-pcl").count()
    assert page.locator(".mark.m-unhealthy").count()
    assert not any("library" in mark for mark in marks(page))
    page.locator(".finding-head").first.click()
    shown = page.inner_text(".details")
    assert "recognise themselves" in shown
    assert "What you can do" in shown
    page.click(".details > div .taxonomy summary")
    assert "Pérez-Almendros" in page.inner_text(".details")
    page.wait_for_function("() => document.getElementById('live').textContent === '2 findings'")


def test_a_click_on_marked_words_opens_their_finding(open_page: OpenPage) -> None:
    page = open_page()
    page.fill("#text", f"{CALM}\n\n{RUDE}")
    settled(page, 1)
    box = page.locator(".mirror .mark", has_text="fool").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector(".finding-head[aria-expanded=true]")
    assert page.locator(".mirror .mark.current").count()


def test_keys_lead_from_finding_to_finding_and_back(open_page: OpenPage) -> None:
    page = open_page()
    page.fill("#text", f"{POOR}\n\n{RUDE}")
    settled(page, 2)
    page.focus("#text")
    opened = ".finding-head[aria-expanded=true] .name"
    page.keyboard.press("F8")
    assert page.inner_text(opened) == "Patronizing or condescending"
    page.keyboard.press("F8")
    assert page.inner_text(opened) == "Dismissive"
    page.keyboard.press("Shift+F8")
    assert page.inner_text(opened) == "Patronizing or condescending"
    page.keyboard.press("Escape")
    assert page.locator(opened).count() == 0
    assert page.evaluate("document.activeElement.id") == "text"
    page.locator(".finding-head").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.inner_text(opened) == "Dismissive"


def test_stale_work_is_called_off(open_page: OpenPage) -> None:
    page = open_page()
    # The first answer would come late, after that to what was written next.
    page.evaluate(
        """() => {
          const old = window.fetch;
          window.aborted = 0;
          let first = true;
          window.fetch = async (path, init) => {
            init.signal.addEventListener('abort', () => { aborted += 1; });
            if (first) {
              first = false;
              await new Promise((done) => setTimeout(done, 700));
              if (init.signal.aborted) throw init.signal.reason;
            }
            return old(path, init);
          };
        }"""
    )
    page.fill("#text", POOR)
    page.wait_for_timeout(300)
    page.fill("#text", RUDE)
    settled(page, 1)
    page.wait_for_timeout(900)
    assert page.locator("#findings .name").first.inner_text() == "Dismissive"
    assert page.evaluate("window.aborted") == 1


@pytest.mark.parametrize(
    "before",
    [
        "👩‍👩‍👧‍👦 🇪🇸 😀 ",
        "e\u0301a\u0308\u0323 n\u0303 ",
        "مرحبا بكم في المكتبة. ",
        "שלום עולם! ",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ",
    ],
    ids=["emoji", "combining", "arabic", "hebrew", "astral"],
)
def test_marks_lie_on_their_words_whatever_stands_before(open_page: OpenPage, before: str) -> None:
    page = open_page()
    page.select_option("#lang", "en")
    page.fill("#text", f"{before}{CALM}\n\n{before}\n\n{RUDE}")
    page.wait_for_selector(".mirror .mark")
    assert any("fool" in mark for mark in marks(page))
    # The mirror says the same, in lines of the same height, as the field in front of it.
    same = page.evaluate(
        """() => {
          const field = document.getElementById('text');
          const mirror = document.querySelector('.mirror');
          const lines = [...mirror.children].map((line) => line.textContent);
          field.style.blockSize = '0';
          const height = field.scrollHeight;
          field.style.blockSize = '';
          mirror.style.alignSelf = 'start';
          const drawn = mirror.scrollHeight;
          mirror.style.alignSelf = '';
          return [lines.join('\\n') === field.value, height, drawn];
        }"""
    )
    assert same[0]
    assert abs(same[1] - same[2]) <= 1


def test_a_composed_syllable_is_not_read_before_it_is_whole(open_page: OpenPage) -> None:
    page = open_page()
    page.fill("#text", RUDE)
    settled(page, 1)
    page.evaluate(
        """() => {
          window.sent = 0;
          const old = window.fetch;
          window.fetch = (...given) => { sent += 1; return old(...given); };
        }"""
    )
    page.focus("#text")
    page.keyboard.press("Control+End")
    session = page.context.new_cdp_session(page)
    for part in ("n", "ni", "にほん"):
        session.send(
            "Input.imeSetComposition",
            {"text": part, "selectionStart": len(part), "selectionEnd": len(part)},
        )
    page.wait_for_timeout(500)
    assert page.evaluate("window.sent") == 0
    assert page.evaluate("document.querySelector('.mirror').textContent") == f"{RUDE}にほん"
    session.send("Input.insertText", {"text": "日本"})
    page.wait_for_function("() => window.sent > 0")
    assert page.input_value("#text") == f"{RUDE}日本"


def test_undo_is_the_fields_own(open_page: OpenPage) -> None:
    page = open_page()
    page.click("#text")
    page.keyboard.type(CALM)
    page.click("#clear")
    assert page.input_value("#text") == ""
    page.keyboard.press("Control+z")
    assert page.input_value("#text") == CALM
    assert page.evaluate("document.querySelector('.mirror').textContent") == CALM


def test_long_texts_can_be_written_in(open_page: OpenPage) -> None:
    page = open_page()
    page.route("**/v1/check", lambda route: route.abort())
    text = "\n".join(f"{number} {CALM} {CALM}" for number in range(1000))
    assert len(text) > 100_000
    write(page, text)
    page.evaluate(
        """() => {
          const field = document.getElementById('text');
          field.focus();
          field.setSelectionRange(50_000, 50_000);
          for (let at = 0; at < 20; at += 1) document.execCommand('insertText', false, 'x');
        }"""
    )
    assert page.evaluate(
        "[...document.querySelector('.mirror').children].map((e) => e.textContent).join('\\n')"
        " === document.getElementById('text').value"
    )


def test_the_slider_and_the_families_choose_what_is_shown(open_page: OpenPage) -> None:
    page = open_page()
    assert page.inner_text("#least-value") == "50%"
    page.fill("#text", f"{CALM}\n\n{RUDE}")
    settled(page, 1)
    slide(page, 95)
    settled(page, 0)
    assert page.inner_text("#least-value") == "95%"
    assert "1 less sure finding" in page.inner_text("#hidden-count")
    slide(page, 50)
    settled(page, 1)
    # A finding stays as long as kinds of a wanted family are left.
    page.click(".family[data-family=unhealthy]")
    settled(page, 1)
    assert page.locator(".finding.f-toxicity").count() == 1
    assert "Dismissive" not in page.inner_text("#findings")
    page.click(".family[data-family=toxicity]")
    settled(page, 0)
    assert page.get_attribute(".family[data-family=toxicity]", "aria-pressed") == "false"
    assert not marks(page)


def test_less_likely_findings_are_asked_for_when_wanted(open_page: OpenPage) -> None:
    page = open_page()
    page.fill("#text", "Maybe read the article first.")
    page.wait_for_selector("#status:not(:empty)")
    page.wait_for_function(
        "() => document.getElementById('status').textContent.includes('No findings')"
    )
    slide(page, 10)
    page.wait_for_selector("#findings > li")


def test_the_text_survives_a_change_of_page_and_language(open_page: OpenPage) -> None:
    page = open_page()
    page.fill("#text", POOR)
    settled(page, 1)
    page.click("nav a[hreflang=es]")
    assert page.get_attribute("html", "lang") == "es"
    page.wait_for_selector("#findings > li")
    assert page.input_value("#text") == POOR
    assert "1 hallazgo" in page.inner_text("#status")
    page.locator(".finding-head").click()
    assert "se reconocería" in page.inner_text(".details")
    page.click("nav a[href='/table']")
    assert page.get_attribute("html", "lang") == "es"
    # Nothing of it is kept when the tab is closed.
    other = page.context.new_page()
    other.goto(page.url.replace("/table", "/"), wait_until="networkidle")
    assert other.input_value("#text") == ""
    assert other.evaluate("localStorage.length") == 0


def test_the_browser_chooses_the_first_language(open_page: OpenPage) -> None:
    assert open_page(locale="es-MX").get_attribute("html", "lang") == "es"


def drop(page: "Page", name: str, content: str) -> None:
    page.evaluate(
        """([name, content]) => {
          const data = new DataTransfer();
          data.items.add(new File([content], name));
          for (const kind of ['dragenter', 'dragover', 'drop']) {
            document.body.dispatchEvent(
              new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
          }
        }""",
        [name, content],
    )


def test_files_can_be_opened_and_dropped(open_page: OpenPage) -> None:
    page = open_page()
    drop(page, "note.md", f"# {CALM}\r\n\r\n*{POOR}*\r\n")
    settled(page, 1)
    assert page.input_value("#kind") == "markdown"
    assert "\r" not in page.input_value("#text")
    html = f"<!doctype html><p>{POOR}</p><script>alert(1)</script>"
    file: Any = {"name": "a.html", "mimeType": "text/html", "buffer": html.encode()}
    page.set_input_files("#file", file)
    page.wait_for_function("() => document.getElementById('kind').value === 'html'")
    assert page.input_value("#text") == html
    page.wait_for_selector(".mirror .mark")
    assert not any("<p>" in mark or "script" in mark for mark in marks(page))
    drop(page, "picture.png", "x")
    assert "cannot be opened" in page.inner_text("#notice")
    latin = {"name": "old.txt", "mimeType": "text/plain", "buffer": "adiós".encode("latin-1")}
    page.set_input_files("#file", latin)  # type: ignore[arg-type]
    told(page, "UTF-8")
    drop(page, "rows.csv", f"id,text\n1,{POOR}\n")
    page.wait_for_url("**/table")
    assert "rows.csv: 1 row" in page.inner_text("#name")


def test_the_report_is_saved_as_one_page(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    page.fill("#text", POOR)
    settled(page, 1)
    with page.expect_download() as waiting:
        page.click("#share")
    waiting.value.save_as(tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text()
    assert waiting.value.suggested_filename == "tactful-report.html"
    assert "Patronizing or condescending" in report
    assert "<script" not in report


def test_problems_are_told_in_words(open_page: OpenPage) -> None:
    page = open_page()
    answers: list[dict[str, Any]] = [
        {"status": 504, "type": "TIMED_OUT"},
        {"status": 400, "type": "LANGUAGE_NOT_SUPPORTED"},
    ]

    def refuse(route: Any) -> None:
        answer = answers[0]
        body = {
            "error": {
                "code": answer["status"],
                "message": "m",
                "details": [{"errorType": answer["type"]}],
            }
        }
        route.fulfill(
            status=answer["status"], body=json.dumps(body), content_type="application/json"
        )

    page.route("**/v1/check", refuse)
    page.fill("#text", POOR)
    told(page, "too long")
    answers.pop(0)
    page.fill("#text", RUDE)
    told(page, "language")
    page.unroute("**/v1/check")
    page.route("**/v1/check", lambda route: route.abort())
    page.fill("#text", CALM)
    told(page, "does not answer")
    page.unroute("**/v1/check")
    page.fill("#text", POOR)
    settled(page, 1)
    assert page.is_hidden("#notice")


def test_markup_in_a_text_is_text(open_page: OpenPage) -> None:
    page = open_page()
    page.fill("#text", f"<img src=x onerror=alert(1)> {POOR} <script>alert(1)</script>")
    settled(page, 1)
    page.keyboard.press("F8")
    assert page.locator("main img, main script").count() == 0


def test_places_are_counted_as_the_service_counts(open_page: OpenPage) -> None:
    """Code points to UTF-16 units, and what a change does to marks."""
    page = open_page()
    found = page.evaluate(
        """async () => {
          const { unitsOf, change, moved } = await import('/static/offsets.js');
          const marks = [{ start: 0, end: 2 }, { start: 3, end: 9 }, { start: 12, end: 14 }];
          return {
            units: [...unitsOf('a😀é👩‍👧b', [7, 0, 1, 2, 3, 99])],
            typed: change('abc', 'abxc'),
            emoji: change('😀', '😁'),
            all: change('', 'new'),
            none: change('same', 'same'),
            inside: moved(marks, { start: 5, removed: 0, added: 2 }),
            before: moved(marks, { start: 2, removed: 1, added: 0 }),
            over: moved(marks, { start: 8, removed: 5, added: 0 }),
          };
        }"""
    )
    assert found == {
        "units": [[0, 0], [1, 1], [2, 3], [3, 4], [7, 10], [99, 10]],
        "typed": {"start": 2, "removed": 0, "added": 1},
        "emoji": {"start": 0, "removed": 2, "added": 2},
        "all": {"start": 0, "removed": 0, "added": 3},
        "none": {"start": 4, "removed": 0, "added": 0},
        "inside": [{"start": 0, "end": 2}, {"start": 3, "end": 11}, {"start": 14, "end": 16}],
        "before": [{"start": 0, "end": 2}, {"start": 2, "end": 8}, {"start": 11, "end": 13}],
        "over": [{"start": 0, "end": 2}],
    }
