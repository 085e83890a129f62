"""A protocol in Spanish, from the invitation to the last page, with the words of the app."""

import re
from pathlib import Path

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab, Tab
from tests.annotation.web.test_browser_protocols import begin

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.protocol.load import copy_protocol
from tactful.annotation.web.catalogue import catalogue

pytestmark = pytest.mark.browser

ENGLISH = [
    form
    for section in catalogue("en").sections.values()
    for entry in section.values()
    for form in ([entry] if isinstance(entry, str) else entry.values())
]
SAME = {"Esc", "`Enter`", "`s`", "`b`", "`+`", "`Esc`", "`g`, `?`"}


def english(tab: Tab) -> list[str]:
    """Return which words of the English pages a person can see or hear on this one."""
    page = tab.page
    spoken = page.evaluate(
        """() => [...document.querySelectorAll('[aria-label], [alt], [title]')]
          .map((each) => each.ariaLabel ?? each.title).join('\\n')"""
    )
    text = f"{page.title()}\n{page.inner_text('body')}\n{spoken}"
    found = []
    for form in ENGLISH:
        # Only what is long enough to be no word of Spanish by chance.
        pieces = [piece.strip() for piece in re.split(r"\{\w+\}|`[^`]*`", form)]
        words = max(pieces, key=len)
        if len(words) > 4 and form not in SAME and re.search(rf"\b{re.escape(words)}(?!\w)", text):
            found.append(form)
    return found


def test_english_would_be_found(make_project: MakeProject, open_tab: OpenTab) -> None:
    tab = open_tab(make_project("pcl", ["A text."]))
    tab.show()
    assert "Guideline" in english(tab)
    assert "Text {number} today" in english(tab)


def test_the_whole_way_in_spanish(
    make_project: MakeProject, open_tab: OpenTab, tmp_path: Path
) -> None:
    path = copy_protocol("stereotypes", tmp_path / "frases.yaml")
    context = {"comment": "El comentario entero. Los panaderos madrugan siempre."}
    items = [
        NewItem("item-0", "Los panaderos madrugan siempre.", context=context),
        NewItem("item-1", "Otra frase."),
    ]
    project = make_project(path, items)
    project.change({"most_per_day": 2, "help": "Llama a **quien quieras**."})
    tab = open_tab(project, agree=False)
    page = tab.page
    assert page.get_attribute("html", "lang") == "es"
    assert english(tab) == []
    assert "Puedes valorar como máximo 2 textos al día" in page.inner_text("main")
    begin(tab)
    assert english(tab) == []
    assert page.inner_text("#place") == "Texto 1 de hoy"
    assert page.inner_text("#pace") == "quedan 2 para hoy"
    assert page.inner_text("#context h3") == "Comentario"
    # What is missing, what is kept, what is undone.
    tab.press("Control+Enter")
    assert page.inner_text(".problem >> nth=0") == "Falta una respuesta; si no, salta el texto."
    tab.press("1", "u")
    page.wait_for_selector("#live:has-text('Deshecho.')", state="attached")
    tab.press("1", "2", "1", "2")
    assert page.inner_text("#draft") == "Borrador guardado"
    tab.press("g")
    assert "Teclas" in page.inner_text("#guideline")
    assert english(tab) == []
    tab.press("Escape")
    page.context.set_offline(True)
    page.focus("#save")
    tab.press("Enter")
    page.wait_for_selector("#net:has-text('1 respuesta se conserva aquí')")
    page.wait_for_selector("#text:has-text('Otra frase.')")
    page.context.set_offline(False)
    assert tab.wait_for("item-0", "presence") == {
        "stereotype": "yes",
        "stereotype.implicit": "no",
        "stereotype.racial_target": "yes",
        "stereotype.other_target": "no",
    }
    tab.show()
    page.wait_for_selector("#pace:has-text('1 texto hecho en esta sesión · unos ')")
    assert page.inner_text("#pace").endswith("queda 1 para hoy")
    page.context.set_offline(True)
    tab.press("2", "2", "2", "Enter")
    page.wait_for_selector("#notice:has-text('No hay conexión.')")
    page.context.set_offline(False)
    page.wait_for_url("**/done")
    assert "Hoy has hecho 2 textos, el máximo de un día. Vuelve mañana." in page.inner_text("main")
    for name in ("done", "help", "stopped", "guideline", "consent", "nowhere"):
        page.goto(f"{tab.address}/{name}")
        assert page.get_attribute("html", "lang") == "es", name
        assert english(tab) == [], name
    page.context.clear_cookies()
    page.goto(f"{tab.address}/work")
    assert "Tu invitación" in page.inner_text("main")
    assert english(tab) == []
