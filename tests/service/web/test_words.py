import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tactful.service.web import words
from tactful.service.web.words import (
    LANGUAGES,
    Entry,
    entries_in,
    families_in,
    wanted_language,
    words_in,
)
from tactful.taxonomies import load_taxonomy

WEB = Path(words.__file__).parent
FAMILIES = ("pcl", "unhealthy", "frame", "stereotype", "toxicity", "term")


def keys(lang: str) -> Iterator[tuple[str, str, Entry]]:
    for section, entries in words_in(lang).sections.items():
        for name, entry in entries.items():
            yield section, name, entry


def placeholders(entry: Entry) -> list[set[str]]:
    forms = [entry] if isinstance(entry, str) else list(entry.values())
    return [set(re.findall(r"\{(\w+)\}", form)) for form in forms]


def test_both_languages_have_the_same_words_with_the_same_values_in_them() -> None:
    english = {(section, name): placeholders(entry) for section, name, entry in keys("en")}
    spanish = {(section, name): placeholders(entry) for section, name, entry in keys("es")}
    assert english == spanish


def test_no_word_is_the_same_in_both_languages_by_mistake() -> None:
    spanish = {(section, name): entry for section, name, entry in keys("es")}
    same = {
        name for section, name, entry in keys("en")
        if entry == spanish[section, name] and re.search("[a-z]{4}", str(entry))
    }  # fmt: skip
    assert same == {"kind_markdown", "status", "file_read"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_id_has_a_question_of_our_own(lang: str) -> None:
    known = [entry.id for name in FAMILIES for entry in load_taxonomy(name).entries]
    entries = entries_in(lang)
    assert list(entries) == known
    assert set(words_in(lang).sections["think"]) == set(known)
    questions = [entry["think"] for entry in entries.values()]
    assert len(set(questions)) == len(known)
    assert all(each.endswith("?") for each in questions)
    assert all(entry["think"] not in entry["ask"] for entry in entries.values())


def test_every_word_is_used_and_every_used_word_is_there() -> None:
    sources = [path.read_text("utf-8") for path in WEB.glob("static/*.js")]
    templates = "".join(path.read_text("utf-8") for path in WEB.glob("templates/*.html"))
    in_scripts = set(re.findall(r"\bword\('(\w+)'", "".join(sources)))
    in_scripts |= set(re.findall(r"\blist\('(\w+)'", "".join(sources)))
    in_scripts |= set(re.findall(r"new BadTable\('(\w+)'", "".join(sources)))
    made = {name for _, name, _ in keys("en") if name.startswith(("lang_", "reason_", "decision_"))}
    script = set(words_in("en").sections["script"])
    assert script - made - {"better", "worse", "same"} == in_scripts - made
    in_templates = set(re.findall(r'word\("(\w+\.\w+)"\)', templates))
    known = {f"{section}.{name}" for section, name, _ in keys("en")}
    assert in_templates <= known
    links = {
        f"page.{name}"
        for name in ("write", "compare", "table", "annotation", "audits", "review", "api")
    }
    others = {"write.sample", *(f"family.{name}" for name in FAMILIES)}
    rest = {name for name in known if not name.startswith(("script.", "think."))}
    assert rest - in_templates - links - others == set()


def test_words_that_depend_on_a_count_are_for_scripts() -> None:
    with pytest.raises(TypeError, match="depend on a count"):
        words_in("en")("script.findings")


def test_families_have_names() -> None:
    assert list(families_in("es")) == list(FAMILIES)
    assert families_in("en")["pcl"] == "Patronizing"


@pytest.mark.parametrize(
    ("wishes", "lang"),
    [
        ((), "en"),
        ((None, None, None), "en"),
        (("es", "en", "en"), "es"),
        (("xx", "es", "en"), "es"),
        ((None, None, "es-MX,es;q=0.9,en;q=0.8"), "es"),
        ((None, None, "de, es;q=0.2, en;q=0.8"), "en"),
        ((None, None, "es;q=0, en;q=0.1"), "en"),
        ((None, None, "*;q=nonsense, ;;;, =, es"), "es"),
        ((None, "../../etc/passwd", None), "en"),
        ((None, None, "," * 100_000), "en"),
    ],
)
def test_the_first_wish_that_can_be_met_wins(wishes: tuple[str | None, ...], lang: str) -> None:
    assert wanted_language(*wishes) == lang


def test_words_are_texts() -> None:
    for lang in LANGUAGES:
        for section, name, entry in keys(lang):
            forms = entry.values() if isinstance(entry, Mapping) else [entry]
            assert all(isinstance(form, str) and form for form in forms), (section, name)
