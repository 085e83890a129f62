"""The owner's page of models in the loop."""

import csv
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.annotation.learning.projects import PROTOCOL, enter, judge, text_of
from tests.annotation.web.desks import MakeProject, OpenTab, Visit
from tests.annotation.web.test_browser_access import overflows, serious

from tactful.annotation.learning import background
from tactful.annotation.learning.background import ranker_of
from tactful.annotation.project.exchange import NewItem, NewSuggestion
from tactful.annotation.project.live import announced, reach
from tactful.annotation.project.project import Project
from tactful.cli.main import cli


@pytest.fixture
def project(make_project: MakeProject, tmp_path: Path) -> Project:
    path = tmp_path / "rude.yaml"
    path.write_text(PROTOCOL, encoding="utf-8")
    items = [NewItem(f"i{number}", text_of(number)) for number in range(60)]
    made = make_project(path, items)
    said = [NewSuggestion("judge", {"my.rude": "no"}, "a model 1")]
    made.suggest(dict.fromkeys(made.state.items, said))
    made.change({"blind_share": 0.4})
    judge(made, enter(made, "Ann"), 40)
    return made


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_before_anything_happened(make_project: MakeProject, visit: Visit) -> None:
    page = plain(visit(make_project("pcl", ["One."]), "owner").client.get("/owner/learning").text)
    assert "Nothing was ranked yet." in page
    assert "There are none." in page


def test_agreement_where_shown_and_where_blind(project: Project, visit: Visit) -> None:
    client = visit(project, "owner").client
    page = plain(client.get("/owner/learning").text)
    assert "60 suggested answer forms. 40% of items and people are judged without them" in page
    assert "Agreement with the suggestion" in page
    rows = list(csv.DictReader(client.get("/owner/anchoring.csv").text.splitlines()))
    assert [row["suggestion"] for row in rows] == ["shown", "blind"]
    assert sum(int(row["judgements"]) for row in rows) == 40
    for row in rows:
        assert f"{float(row['share']):.0%} of {row['judgements']}" in page
        assert float(row["low"]) <= float(row["share"]) <= float(row["high"])


def test_settings_and_a_ranking_from_the_page(
    project: Project, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "POLITE", 0)
    owner = visit(project, "owner")
    sent = {"csrf": owner.csrf, "rank_every": "25", "rank_by": "mixed", "blind_share": "10"}
    answer = owner.client.post("/owner/learning", data=sent)
    assert "Changed: rank_every, rank_by, blind_share." in plain(answer.text)
    assert project.state.settings["blind_share"] == 0.1
    assert "Nothing changed." in plain(owner.client.post("/owner/learning", data=sent).text)
    for bad in ({"rank_by": "luck"}, {"rank_every": "x"}, {"blind_share": "300"}):
        answer = owner.client.post("/owner/learning", data={**sent, **bad})
        assert answer.status_code == 409
    assert project.state.settings["rank_by"] == "mixed"
    sent = {"csrf": owner.csrf, "action": "rank"}
    assert "Ranking has begun" in plain(owner.client.post("/owner/learning", data=sent).text)
    ranker, pause = ranker_of(project), threading.Event()
    while project.state.ranking is None and not ranker.problem:
        pause.wait(0.05)
    assert ranker.problem == ""
    page = owner.client.get("/owner/learning").text
    assert "by mixed, learnt from 40 judged items: 60 open items come first" in plain(page)
    assert page.count('class="point"') >= 2
    assert '<td class="n">40</td>' in page


def test_others_see_no_more_than_their_role_may(project: Project, visit: Visit) -> None:
    assert visit(project).client.get("/owner/learning").status_code == 404
    assert visit(project, "referee").client.get("/owner/anchoring.csv").status_code == 404
    reader = visit(project, "reader", agree=False)
    page = reader.client.get("/owner/learning").text
    assert "Learning curve" in page
    assert "Rank and measure now" not in page
    before = project.store.last
    assert reader.client.post("/owner/learning", data={"csrf": "x"}).status_code == 404
    assert project.store.last == before


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_for_everybody(project: Project, open_tab: OpenTab, scheme: str) -> None:
    curve = [[20, 0.5, 0.4, 0.6], [40, 0.7, 0.6, 0.8]]
    project.rank(["i3"], "mixed", {"labels": 40, "step": "judge", "curve": curve})
    tab = open_tab(project, "owner", color_scheme=scheme, bypass_csp=True)
    tab.page.goto(f"{tab.address}/owner/learning")
    assert serious(tab) == []
    tab.page.focus("input[name=rank_every]")
    tab.press("9", "Enter")
    tab.page.wait_for_url("**/owner/learning?said=*")  # and until its styles are there
    assert project.state.settings["rank_every"] == 9
    tab.page.set_viewport_size({"width": 320, "height": 700})
    assert not overflows(tab)


def test_commands_go_through_the_server_that_has_the_project(
    project: Project, serve: Callable[[Project], str]
) -> None:
    with announced(project.folder, serve(project)):
        ranked = CliRunner().invoke(
            cli, ["annotate", "rank", str(project.folder), "--count", "4", "--every", "30"]
        )
        assert ranked.exit_code == 0, ranked.output
        assert project.state.ranking is not None
        assert len(project.state.ranking.data["first"]) == 4
        assert project.state.settings["rank_every"] == 30
        client = reach(project.folder)
        assert client is not None
        yes = NewSuggestion("judge", {"my.rude": "yes"}, "a model 2")
        assert client.suggest({"i1": [yes], "i2": [yes]}) == 2
        found = project.state.suggestions.of("i2", "judge")
        assert found is not None
        assert found.source == "a model 2"
