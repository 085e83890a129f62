"""The words of the annotators' pages: whole in each language, all used, and none beside them."""

import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.annotation.web.desks import MakeProject, Visit

from tactful.annotation.project import project as project_work
from tactful.annotation.project.exchange import NewItem
from tactful.annotation.state import assignment
from tactful.annotation.web import annotator, app, crowd, security, session
from tactful.annotation.web.catalogue import LANGUAGES, Entry, catalogue
from tactful.annotation.web.pages import FOLDER, keyed

ENGLISH, SPANISH = catalogue("en"), catalogue("es")
TEMPLATES = [
    path for path in sorted((FOLDER / "templates").glob("*.html")) if "owner" not in path.name
]
SCRIPTS = [path for path in sorted((FOLDER / "static").glob("*.js")) if path.name != "owner.js"]


def entries(lang: str) -> dict[str, Entry]:
    return {
        f"{section}.{name}": entry
        for section, found in catalogue(lang).sections.items()
        for name, entry in found.items()
    }


def forms(entry: Entry) -> list[str]:
    return [entry] if isinstance(entry, str) else [entry["one"], entry["other"]]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_language_has_the_same_keys_and_placeholders(lang: str) -> None:
    found, model = entries(lang), entries("en")
    assert list(found) == list(model)
    for key, entry in found.items():
        assert isinstance(entry, str) == isinstance(model[key], str), key
        for text, other in zip(forms(entry), forms(model[key]), strict=True):
            assert text.strip(), key
            assert placeholders(text) == placeholders(other), key
            assert text.count("`") == other.count("`"), key
        if not isinstance(entry, str):
            assert set(entry) == {"one", "other"}, key
            assert "count" in placeholders(entry["other"]), key


def test_nothing_was_left_untranslated() -> None:
    same = {key for key, entry in entries("es").items() if entry == entries("en")[key]}
    # Only names of keys are the same in both languages.
    keys = {"digits", "letters", "enter", "save", "skip", "blur", "arrows", "join", "escape"}
    keys |= {"suggest"}
    assert same == {"work.close_key", "keys.guideline", *(f"keys.{name}" for name in keys)}


def test_every_word_is_used_and_every_used_word_is_there() -> None:
    sections = ENGLISH.sections
    used = set()
    for path in [*TEMPLATES, *FOLDER.glob("*.py")]:
        named = re.findall(r'"(\w+)\.(\w+)"', _read(path))
        used |= {f"{one}.{two}" for one, two in named if one in sections and two != "html"}
    listed = re.search(r"for key in \((.+?)\)", _read(FOLDER / "templates" / "work.html"))
    assert listed
    for name in re.findall(r'"(\w+)"', listed[1]):
        used |= {f"keys.{name}", f"keys.{name}_do"}
    for path in SCRIPTS:
        used |= {f"script.{name}" for name in re.findall(r"\b(?:word|said)\('(\w+)'", _read(path))}
        for one, other in re.findall(r"word\(\w+ \? '(\w+)' : '(\w+)'\)", _read(path)):
            used |= {f"script.{one}", f"script.{other}"}
    known = {key for key in entries("en") if not key.startswith(("said.", "context."))}
    assert used == known


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def literal_words(text: str) -> Iterator[str]:
    """Yield the words of a template itself: between tags, and in labels for screen readers."""
    text = re.sub(r"\{#.*?#\}|<kbd[^>]*>\w+</kbd>|body_class %\}\w+", "", text, flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", " ", text, flags=re.DOTALL)
    for spoken in re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', text):
        yield from re.findall(r"[^\W\d_]{2,}", spoken)
    yield from re.findall(r"[^\W\d_]{2,}", re.sub(r"<[^>]*>", " ", text))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_has_words_of_its_own(path: Path) -> None:
    assert set(literal_words(_read(path))) == set()


def test_words_in_a_template_would_be_found() -> None:
    assert list(literal_words('<p>{{ word("a.b") }} Go on</p>')) == ["Go", "on"]
    assert list(literal_words('<b aria-label="Close it">x</b>')) == ["Close", "it"]


SAID = re.compile(r"[A-Za-z]{2,}[,;:]? [a-z]{2,}")
SELECTOR = re.compile(r"^[.#]|[\[\]#=>()]|, ?\w+$|^(?=.*-)[a-z -]+$")


def sentences(script: str) -> list[str]:
    """Return the strings of a script that look like something said to a person."""
    code = re.sub(r"/\*.*?\*/|(?<![:'\"])//[^\n]*", "", script, flags=re.DOTALL)
    found = re.findall(r"'([^'\n]*)'|`([^`]*)`|\"([^\"\n]*)\"", code)
    texts = [re.sub(r"\$\{.*?\}", "", "".join(each)).strip() for each in found]
    return [text for text in texts if SAID.search(text) and not SELECTOR.search(text)]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_has_sentences_of_its_own(path: Path) -> None:
    assert sentences(_read(path)) == []


def test_sentences_in_a_script_would_be_found() -> None:
    assert sentences("say('Go on now.');") == ["Go on now."]
    assert sentences("say(`Remove ${name} from it`); // not this one") == ["Remove  from it"]
    assert sentences("find('input[type=text] button')") == []


def test_plurals_and_numbers() -> None:
    assert ENGLISH("consent.cap", count=1).startswith("You can judge at most 1 text a day")
    assert ENGLISH("consent.cap", count=1200).startswith("You can judge at most 1,200 texts a day")
    assert SPANISH("consent.cap", count=1).startswith("Puedes valorar como máximo 1 texto al día")
    assert "2 textos" in SPANISH("consent.cap", count=2)
    assert "1200 textos" in SPANISH("consent.cap", count=1200)
    assert "12\u202f000 textos" in SPANISH("consent.cap", count=12_000)


def test_what_is_put_in_is_not_read_again() -> None:
    assert ENGLISH("guideline.source", source="{count} <b>") == "From: {count} <b>"


def test_languages_that_are_not_there_are_english() -> None:
    assert catalogue("es-MX") is SPANISH
    assert catalogue("fr") is ENGLISH


def test_keys_among_words_are_shown_and_the_rest_escaped() -> None:
    assert keyed("`Ctrl` & <b>") == "<kbd>Ctrl</kbd> &amp; &lt;b&gt;"


def test_a_sentence_that_nobody_knows_stays() -> None:
    said = "unhealthy: found 'x'; expected one of 'yes', 'no'; choose one of them."
    assert SPANISH.say(said) == said


SOURCES = (assignment, project_work, annotator, app, crowd, security, session)


def test_the_sentences_are_those_that_the_server_says() -> None:
    """Each is in the code exactly as it is here, so that the server can translate it."""
    code = " ".join(_read(Path(module.__file__ or "")) for module in SOURCES)
    code = re.sub(r'"\s*\n\s*f?"', "", code)
    missing = []
    for name, entry in ENGLISH.sections["said"].items():
        text = forms(entry)[-1]
        if not all(piece in code for piece in re.split(r"\{\w+\}| (?=Come back)", text)):
            missing.append(name)
    assert missing == []
    assert all(SPANISH.say(forms(each)[-1].replace("{count}", "1,234")) != forms(each)[-1]
               for each in ENGLISH.sections["said"].values())  # fmt: skip


def test_spanish_pages_say_in_spanish_why_there_is_nothing(
    make_project: MakeProject, visit: Visit
) -> None:
    project = make_project("stereotypes", ["Una frase.", "Otra frase."])
    project.change({"most_per_day": 1})
    ann = visit(project)
    (item,) = ann.client.get("/api/page").json()["items"]
    answers = {
        "stereotype": "no",
        "stereotype.racial_target": "no",
        "stereotype.other_target": "no",
    }
    body = {"handle": item["handle"], "answers": answers, "seconds": 1, "key": "a-key-of-its-own"}
    assert ann.post("/api/answer", body)[0] == 200
    cap = "Hoy has hecho 1 texto, el máximo de un día. Vuelve mañana."
    assert ann.client.get("/api/page").json()["why"] == cap
    done = ann.client.get("/done").text
    assert cap in done
    assert '<html lang="es">' in done
    # Removed, and asking for what was never given.
    status, said = ann.post("/api/answer", {**body, "handle": "0" * 40, "key": "another-key-1"})
    assert (status, "nunca se te dio" in said.decode()) == (409, True)
    project.remove(ann.person)
    assert "ha terminado" in ann.client.get("/done").text
    assert "No existe esa página." in ann.client.get("/nowhere").text
    ann.client.cookies.clear()
    assert "enlace personal" in ann.client.get("/work").text


def test_a_cap_of_one_is_right_in_english(make_project: MakeProject, visit: Visit) -> None:
    project = make_project("pcl", ["One.", "Two."])
    project.change({"most_per_day": 1})
    ann = visit(project)
    (item,) = project.page(ann.person).items
    project.answer(ann.person, item.item, item.step, {"pcl": "0"})
    assert "You have done 1 item today" in ann.client.get("/done").text


def test_the_owners_pages_stay_english(make_project: MakeProject, visit: Visit) -> None:
    owner = visit(make_project("stereotypes", ["Una frase."]), "owner")
    page = owner.client.get("/owner").text
    assert '<html lang="en">' in page
    assert "To the content" in page
    assert '<html lang="es">' in owner.client.get("/work").text
    assert "There is no such page." in owner.client.get("/owner/nowhere").text


def test_the_words_of_scripts_are_data(make_project: MakeProject, visit: Visit) -> None:
    ann = visit(make_project("stereotypes", [NewItem("a", "Una frase.", {"comment": "Un texto."})]))
    page = ann.client.get("/work").text
    block = page.split('<script type="application/json" id="words">')[1].split("</script>")[0]
    assert "Borrador guardado" in block
    (item,) = ann.client.get("/api/page").json()["items"]
    assert item["context"] == {"Comentario": "Un texto."}


def test_an_unknown_word_is_an_error() -> None:
    with pytest.raises(KeyError):
        ENGLISH("work.nothing")
