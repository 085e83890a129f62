"""How soon the web app shows what it finds, in Chromium, with the default detector.

A sentence is typed letter by letter; the clock runs from the last letter to the picture that holds
the first finding. Then letters are typed into the middle of a text of 100 kB.

    python benchmarks/web_app.py
"""

import os
import shutil
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from results import machine_line, table, write_page

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from web_screenshot import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOST_MILLISECONDS = 400
TURNS = 20
SENTENCE = "With a little help from us, even these poor families can learn to dream again."
LINE = "The library in Mill Street opens again on Monday. "

_WATCH = """() => {
  window.times = {};
  const field = document.getElementById('text');
  field.addEventListener('input', () => { times.key = performance.now(); });
  new MutationObserver(() => {
    if (!document.querySelector('#findings li') || times.shown) return;
    const painted = () => { times.shown ??= performance.now(); };
    requestAnimationFrame(() => requestAnimationFrame(painted));
  }).observe(document.getElementById('findings'), { childList: true });
}"""
_TYPE = """text => {
  const field = document.getElementById('text');
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.focus();
  field.setSelectionRange(50_000, 50_000);
  const times = [];
  for (let at = 0; at < 20; at += 1) {
    const began = performance.now();
    document.execCommand('insertText', false, 'x');
    document.querySelector('.mirror').offsetHeight;
    times.push(performance.now() - began);
  }
  return times;
}"""


def first_findings(browser: "Browser", where: str) -> list[float]:
    """Return the milliseconds from the last letter to the first finding, turn by turn."""
    found = []
    for _ in range(TURNS):
        page = browser.new_page()
        page.goto(where)
        page.evaluate(_WATCH)
        page.click("#text")
        page.keyboard.type(SENTENCE, delay=4)
        page.wait_for_function("() => window.times.shown")
        times = page.evaluate("window.times")
        found.append(float(times["shown"] - times["key"]))
        page.close()
    return found


def keys_in_a_long_text(browser: "Browser", where: str) -> list[float]:
    """Return the milliseconds that a letter takes in a text of 100 kB."""
    page = browser.new_page()
    page.route("**/v1/check", lambda route: route.abort())
    page.goto(where)
    text = "\n".join(f"{number} {LINE * 2}" for number in range(1000))
    found = [float(each) for each in page.evaluate(_TYPE, text)]
    page.close()
    return found


def main() -> None:
    """Measure, and write the page."""
    from playwright.sync_api import sync_playwright

    with serving() as where, sync_playwright() as playwright:
        path = os.environ.get("TACTFUL_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        rows = [
            ("the first finding after the last letter", first_findings(browser, where)),
            ("a letter in a text of 100 kB", keys_in_a_long_text(browser, where)),
        ]
        browser.close()
    columns = ("what", "median, ms", "least, ms", "most, ms")
    figures = [
        (name, round(median(each)), round(min(each)), round(max(each))) for name, each in rows
    ]
    body = f"""{machine_line()}

`python benchmarks/web_app.py`: Chromium and the service on one machine, default detector,
{TURNS} turns. Bar: the first finding within {MOST_MILLISECONDS} ms after typing stops.

{table(columns, figures)}
"""
    write_page("web-app", "Web app: findings while typing", body)
    print(body)


if __name__ == "__main__":
    main()
