"""A project of annotation to try out: half done, served on this machine until Ctrl-C.

    python scripts/annotation_demo.py
    python scripts/annotation_demo.py --folder build/annotation-demo    (kept, and opened again)

Forty mild comments under the protocol ``unhealthy``, eight hidden tests, and six simulated
annotators, of whom one does not read. It prints a link for the owner and one for an annotator.
``--check`` serves, opens both links once, and ends.
"""

import contextlib
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import click
import uvicorn

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project
from tactful.annotation.web.app import create_app
from tactful.cli.listening import address, listen, until_stopped
from tactful_lab.simulation.cases import random_for

NAME = "Comments on a town"
SEED = 8
STEP = "questionnaire"
ATTRIBUTES = (
    "sarcastic",
    "generalisation",
    "hostile",
    "antagonistic",
    "condescending",
    "dismissive",
)
UNHEALTHY = ("hostile", "antagonistic", "condescending", "dismissive")
MISREADS = 0.06
"""How often somebody who reads takes a question for the other answer."""
PEOPLE = {"Amal": 3, "Bruno": 4, "Chen": 3, "Dilek": 2, "Efua": 3}
"""How many pages of seven each has done."""
CARELESS, CARELESS_PAGES = "Finn", 6
SECONDS = 14.0
DAY = 86_400.0

COMMENTS = """
The new bus line saves me ten minutes every morning. Thank you to whoever planned it. |
Has anybody compared the two offers for the playground? I could not find the figures. |
Oh wonderful, a third bakery. Just what a street of bakeries was missing. | sarcastic
People who ride bicycles never look left or right. | generalisation
I see it differently: the library is most used in the evening, so it should stay open then. |
If you had read the article before commenting, dear, you would know that. | condescending
Nobody asked for your opinion on the fountain. | hostile dismissive
The market was lovely this year, even in the rain. |
Young people these days would not know what to do with a broom. | generalisation condescending
I was wrong about the road works; they are done a week early. |
Sure, the mayor has certainly counted every tree herself. | sarcastic
This is not worth discussing. Next topic, please. | dismissive
Could the council publish the minutes as text instead of pictures? |
Let me explain it in simple words, so that you can follow this time. | condescending
You always have to start a quarrel, and here we go again: come on, answer me. | antagonistic
The choir needs two more tenors. Rehearsal is on Tuesday. |
All landlords want is our money. | generalisation
I disagree with the plan, but the drawings are clear and honest. |
Great idea, let us also pave the river while we are at it. | sarcastic
Go and bore somebody else with your parking space. | hostile dismissive
What would it cost to light the path along the canal? |
My neighbour and I shared a snow shovel for six years and never had a cross word. |
It is sweet that you try to understand the budget. | condescending
Tourists leave nothing behind but rubbish. | generalisation
The figures in the second table do not add up to the total; is a row missing? |
Well, well, the experts have spoken again. | sarcastic dismissive
I dare you to say that at the meeting, to all our faces. | antagonistic hostile
The swimming pool was closed three days last month; once a reason was given. |
Teachers have their afternoons free anyway. | generalisation dismissive
Thank you for correcting me. I had the wrong year in mind. |
A petition? How very brave of you, from behind your keyboard. | sarcastic antagonistic
I would rather have the old benches back; they had arms to lean on. |
You people from the hill think that you own the town. | hostile generalisation
Is the street festival on the first or on the second Saturday? |
Those who complain about the bells could simply move. | dismissive
The new signs are easy to read, even without my glasses. |
Listen, little one, I built houses before you could walk. | condescending
Let us wait for the report before we blame anybody. |
Of course, it must be the cyclists again. It is always the cyclists. | sarcastic
Two of the three trees by the school have been watered; who takes the third? |
"""
TESTS = """
The concert starts at eight, and there are still seats left. |
Be quiet and go away; nobody likes you here. | hostile
You are too simple to understand how a roundabout works, so let me help you. | condescending
All dog owners are careless. | generalisation
My aunt planted the roses by the station forty years ago. |
Brilliant, another car park. How did we ever breathe without it? | sarcastic
Your point is worthless, and I will not read another word of it. | dismissive
The ferry is ten minutes late today because of the fog. |
"""


@dataclass(frozen=True, slots=True)
class Comment:
    """A text, and what is to be found in it."""

    text: str
    found: tuple[str, ...]

    def answers(self, misreads: float, rng: random.Random) -> dict[str, str]:
        """Return what somebody answers who misreads so often."""
        found = {name: (name in self.found) != (rng.random() < misreads) for name in ATTRIBUTES}
        given = {f"unhealthy.{name}": "yes" if is_so else "no" for name, is_so in found.items()}
        given["unhealthy"] = "yes" if any(found[name] for name in UNHEALTHY) else "no"
        if found["generalisation"]:
            given["unhealthy.generalisation_unfair"] = rng.choice(("yes", "no"))
        return given


@dataclass(frozen=True, slots=True)
class Demo:
    """A project that is open, and the tokens of two people who were let in."""

    project: Project
    owner: str
    annotator: str


def read_comments(lines: str) -> list[Comment]:
    """Return the comments of a list such as the two above."""
    rows = (line.split("|") for line in lines.strip().splitlines())
    return [Comment(text.strip(), tuple(found.split())) for text, found in rows]


def make_project(folder: Path, now: float) -> Project:
    """Make the project, and let the simulated people do their share on the days before."""
    items, tests = read_comments(COMMENTS), read_comments(TESTS)
    # The same secret each time: it decides which comments each person gets.
    secret = random_for(SEED, "secret").randbytes(32)
    project = Project.create(folder, "unhealthy", name=NAME, secret=secret)
    project.rng = random_for(SEED, "pages")
    project.add_items(
        [
            *(NewItem(f"comment-{n:02d}", each.text) for n, each in enumerate(items, 1)),
            *(
                NewItem(
                    f"test-{n}",
                    each.text,
                    gold={
                        f"unhealthy.{name}": "yes" if name in each.found else "no"
                        for name in ("hostile", "condescending", "generalisation")
                    },
                )
                for n, each in enumerate(tests, 1)
            ),
        ],
        now=now - 4 * DAY,
    )
    known = {each.text: each for each in (*items, *tests)}
    begin = now - 3 * DAY
    for place, (name, pages) in enumerate([*PEOPLE.items(), (CARELESS, CARELESS_PAGES)]):
        _work(project, name, pages, known, begin + place * DAY / 2.5)
    return project


def _work(project: Project, name: str, pages: int, known: dict[str, Comment], at: float) -> None:
    """Let somebody do their pages, one comment after the other."""
    rng = random_for(SEED, name)
    person = project.invite("annotator", name, now=at).person
    project.consent(person, {}, now=at)
    for _ in range(pages):
        for each in project.page(person, now=at).items:
            seconds = SECONDS * rng.lognormvariate(0, 0.4)
            at += seconds
            misreads = 0.5 if name == CARELESS else MISREADS
            answers = known[each.text].answers(misreads, rng)
            project.answer(person, each.item, each.step, answers, seconds, now=at)
    # Whoever is no longer trusted is told so when they ask for the next page.
    project.page(person, now=at)
    project.give_back(person, now=at)


def open_demo(folder: Path, now: float) -> Demo:
    """Open the project of a folder, made new where there is none, and let two people in."""
    project = Project.open(folder) if folder.exists() else make_project(folder, now)
    return Demo(
        project,
        project.invite("owner", "You, the owner").token,
        project.invite("annotator", "You, an annotator").token,
    )


@contextlib.contextmanager
def serving(project: Project, port: int) -> Iterator[str]:
    """Serve a project in another thread; yield where."""
    with listen("127.0.0.1", port) as listening:
        config = uvicorn.Config(
            create_app(project), log_level="warning", access_log=False, timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield address("127.0.0.1", listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


def check(where: str, demo: Demo) -> None:
    """Open both links once; raise where a page is not what it should be."""
    expected = {demo.owner: "<h1>Status</h1>", demo.annotator: "content"}
    for token, words in expected.items():
        opener = build_opener(HTTPCookieProcessor(CookieJar()))
        with opener.open(f"{where}/join/{token}", timeout=20) as page:
            if words not in page.read().decode():
                raise click.ClickException(f"{page.url}: expected a page with '{words}'.")
        click.echo(f"{page.url}: good")


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), help="Where to keep the project.")
@click.option("--port", type=click.IntRange(0, 65535), default=8100, show_default=True)
@click.option("--check", "only_check", is_flag=True, help="Serve, open both links once, and end.")
def main(folder: Path | None, port: int, only_check: bool) -> None:
    """Serve a project of annotation that is half done."""
    with contextlib.ExitStack() as opened:
        if folder is None:
            place = opened.enter_context(tempfile.TemporaryDirectory(prefix="tactful-demo-"))
            folder = Path(place, "project")
        demo = open_demo(folder, time.time())
        opened.enter_context(demo.project)
        where = opened.enter_context(serving(demo.project, 0 if only_check else port))
        click.echo(f"Owner:     {where}/join/{demo.owner}")
        click.echo(f"Annotator: {where}/join/{demo.annotator}")
        if only_check:
            check(where, demo)
            return
        click.echo("Open each in a browser of its own, or in a private window. Ctrl-C stops it.")
        with until_stopped():
            threading.Event().wait()


if __name__ == "__main__":
    main()
