"""How fast terms are found: words per CPU second, and what loading the terms costs.

The texts are the unlabelled news and speeches in $TACTFUL_DATA, read sentence by sentence, in
passages of 90 words, and as one text.
"""

import csv
import sys
import time
from pathlib import Path

from results import machine_line, measure, table, write_page
from tactful.settings import load_settings
from tactful.terms import find_terms

FILES = {"en": "en_news_unlabelled.csv", "es": "es_unlabelled.csv"}
PASSAGE = 90
"""The words of a passage, as a check cuts them."""
WORDS = 1_000_000
BAR = 1_000_000
RUNS = 3
LOADING = "from tactful.terms import find_terms; find_terms('one', {lang!r})"


def texts_of(folder: Path, lang: str) -> dict[str, list[str]]:
    """Return the same words as sentences, as passages and as one text."""
    with (folder / "more" / FILES[lang]).open(encoding="utf-8", newline="") as file:
        sentences = [row["text"] for row in csv.DictReader(file)]
    words: list[str] = []
    kept = 0
    for kept, sentence in enumerate(sentences, 1):  # noqa: B007 (used behind the loop)
        words += sentence.split()
        if len(words) >= WORDS:
            break
    starts = range(0, len(words), PASSAGE)
    return {
        "sentences": sentences[:kept],
        "passages": [" ".join(words[at : at + PASSAGE]) for at in starts],
        "one text": [" ".join(words)],
    }


def words_per_second(texts: list[str], lang: str, level: str) -> float:
    """Return the best of some runs."""
    number = sum(len(text.split()) for text in texts)
    best = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        for text in texts:
            find_terms(text, lang, level=level)
        best = min(best, time.process_time() - start)
    return number / best


def main() -> int:
    """Measure, and write the page."""
    folder = load_settings().data
    if folder is None:
        raise SystemExit("TACTFUL_DATA is not set; set it to the folder of the corpora.")
    rows: list[list[object]] = []
    slow = False
    for lang in FILES:
        for name, texts in texts_of(folder, lang).items():
            for level, said in (("avoid", "default"), ("advice", "all")):
                find_terms("one", lang, level=level)
                speed = words_per_second(texts, lang, level)
                slow = slow or speed < BAR
                rows.append([lang, name, said, f"{speed / 1e6:.2f}"])
    bare = measure([sys.executable, "-c", "import tactful.terms"])
    loads = [
        [lang, round(1000 * (measure([sys.executable, "-c", LOADING.format(lang=lang)]).cpu_seconds
                             - bare.cpu_seconds))]
        for lang in FILES
    ]  # fmt: skip
    write_page(
        "terms-speed",
        "Terms: speed",
        f"A million words of each language, best of {RUNS} runs. Bar: {BAR / 1e6:.0f} million "
        f"words per CPU second: {'missed' if slow else 'met'}.\n\n"
        + table(["language", "texts", "terms", "million words per CPU second"], rows)
        + "\n\nLoading the terms once in a process:\n\n"
        + table(["language", "CPU ms"], loads)
        + f"\n\n{machine_line()}\nCommand: `python benchmarks/terms_speed.py`.",
    )
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
