"""Lines for people who want to talk: on the pages about help and about stopping."""

import re

import pytest
from tests.annotation.web.desks import MakeProject, Visit

from tactful.annotation.web.catalogue import LANGUAGES
from tactful.annotation.web.helplines import directory, helplines


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_line_can_be_called(lang: str) -> None:
    lines = helplines(lang)
    assert len({line.country for line in lines}) == len(lines) >= 20
    for line in lines:
        assert re.fullmatch(r"[A-Z]{2}", line.country)
        assert re.fullmatch(r"\*?\d{3,12}", line.dial), line
        assert line.name
        assert line.service
    # Spain's line begins with a zero, which YAML takes for a number where it is not in quotes.
    assert {line.country: line.call for line in lines}["ES"] == "024"
    assert directory().startswith("https://")


def test_the_region_of_the_browser_comes_first() -> None:
    assert [line.country for line in helplines("es", "es-MX,es;q=0.9,en-us;q=0.8")[:2]] == [
        "MX",
        "US",
    ]
    by_name = [line.name for line in helplines("en", "fr,*;q=0.5")]
    assert by_name == sorted(by_name)
    assert helplines("en", "en-ZZ")[0].country == "AR"


@pytest.mark.parametrize("path", ["/help", "/stopped"])
def test_they_are_shown_with_and_without_the_words_of_the_owner(
    path: str, make_project: MakeProject, visit: Visit
) -> None:
    project = make_project("stereotypes", ["Los panaderos madrugan."])
    visitor = visit(project)
    page = visitor.client.get(path, headers={"Accept-Language": "es-ES"}).text
    assert page.index("España") < page.index("Argentina")
    assert '<a href="tel:024">024</a>' in page
    assert "<details open>" in page
    project.change({"help": "Llama a Eva."})
    page = visitor.client.get(path).text
    assert "Llama a Eva." in page
    assert "<details>" in page
    assert 'href="tel:024"' in page
