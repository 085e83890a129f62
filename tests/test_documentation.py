"""What exists is documented: rooms, commands, settings, dependencies; and links lead somewhere."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

import tactful
from tactful.cli.main import COMMANDS, cli
from tactful.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
ROOMS = sorted(path.parent.name for path in (ROOT / "src" / "tactful").glob("*/__init__.py"))
FOUNDATIONS = ("errors", "types", "registry", "settings", "files")
MARKDOWN = [*sorted(ROOT.glob("*.md")), *PAGES, *sorted((ROOT / "benchmarks").rglob("*.md"))]

_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def all_pages() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def command_paths(command: click.Command, path: str) -> Iterator[str]:
    """Yield ``tactful corpus stats`` and all other commands of the click tree."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None, f"{path} lists {name} and does not have it"
            yield from command_paths(child, f"{path} {name}")


def nav_pages(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        value = next(iter(entry.values())) if isinstance(entry, dict) else entry
        if isinstance(value, list):
            yield from nav_pages(value)
        else:
            yield value


def requirement_names() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    matches = [re.match(r"[A-Za-z0-9._-]+", line) for line in lines]
    return sorted({match[0] for match in matches if match} - {"tactful"})


NAMED_AFTER_COMMANDS = {"checking": "check"}
"""The pages that are named after the command, not after the room."""


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_has_a_page(room: str) -> None:
    page = NAMED_AFTER_COMMANDS.get(room, room)
    assert (DOCS / f"{page}.md").is_file(), f"write docs/{page}.md"


@pytest.mark.parametrize("room", sorted(set(tactful.__all__) & set(ROOMS)))
def test_each_public_room_has_a_page_of_the_api(room: str) -> None:
    page = DOCS / "api" / f"{room}.md"
    assert page.is_file(), f"write docs/api/{room}.md"
    assert f"::: tactful.{room}" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("module", FOUNDATIONS)
def test_each_foundation_is_on_a_page(module: str) -> None:
    assert (ROOT / "src" / "tactful" / f"{module}.py").is_file()
    assert f"tactful.{module}" in all_pages()


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_on_a_page(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    pages = all_pages()
    undocumented = [path for path in command_paths(command, f"tactful {name}") if path not in pages]
    assert undocumented == []


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_and_option_has_help(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    for path, each in _with_commands(command, f"tactful {name}"):
        assert each.help, f"{path} has no help"
        for option in each.params:
            if isinstance(option, click.Option):
                assert option.help, f"{path} {option.opts[0]} has no help"


def _with_commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from _with_commands(child, f"{path} {name}")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_each_setting_is_on_its_page(setting: Any) -> None:
    rows = [
        line
        for line in (DOCS / "settings.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("|") and f"`{setting.env}`" in line
    ]
    assert len(rows) == 1, f"docs/settings.md needs one row for {setting.env}"
    assert f"`{setting.name}`" in rows[0]
    assert setting.default in rows[0]


@pytest.mark.parametrize("name", requirement_names())
def test_each_dependency_is_explained(name: str) -> None:
    page = (DOCS / "dependencies.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.lower().startswith(f"| `{name.lower()}` |")]
    assert len(rows) == 1, f"docs/dependencies.md needs one row for {name}"


def own_code() -> list[tuple[str, int]]:
    """Return what docs/dependencies.md lists as written by us, and how many lines it says."""
    page = (DOCS / "dependencies.md").read_text(encoding="utf-8")
    listed = page.partition("## What we wrote ourselves")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in listed.splitlines() if line.startswith("| ")]
    return [(row[1].strip(), int(row[2])) for row in rows if row[2].strip().isdigit()]


@pytest.mark.parametrize(("code", "said"), own_code())
def test_our_own_code_has_the_lines_that_are_listed(code: str, said: int) -> None:
    names = re.findall(r"`([\w/.]+)`", code)
    folder, lines = Path(), 0
    for name in (name for name in names if name.endswith(".py")):
        folder = Path(name).parent if "/" in name else folder
        file = next(
            root / folder / Path(name).name
            for root in (ROOT / "src" / "tactful", ROOT)
            if (root / folder / Path(name).name).is_file()
        )
        text = file.read_text(encoding="utf-8")
        parts = [each for each in ast.parse(text).body if getattr(each, "name", None) in names]
        spans = [(part.end_lineno or 0) - part.lineno + 1 for part in parts]
        lines += sum(spans) if parts else len(text.splitlines())
    assert lines == pytest.approx(said, rel=0.05), f"{code} has {lines} lines"


def test_the_list_of_our_own_code_is_read() -> None:
    assert len(own_code()) > 10


def test_the_navigation_and_the_pages_agree() -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    in_nav = sorted(nav_pages(config["nav"]))
    assert in_nav == sorted(page.relative_to(DOCS).as_posix() for page in PAGES)


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_the_readme_shows_how_to_start(command: str) -> None:
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/deploy.md", "docs/from-perspective.md"])
def test_who_runs_it_for_others_reads_the_licence_of_the_weights(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert re.search(r"weights\s+are\s+for\s+research\s+and\s+non-commercial\s+use", text)


@pytest.mark.parametrize("page", MARKDOWN, ids=relative)
def test_links_lead_somewhere(page: Path) -> None:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = []
    for target in _LINK.findall(text):
        path = target.partition("#")[0]
        is_outside = re.match(r"[a-z][a-z+.-]*:", target) is not None
        if path and not is_outside and not (page.parent / path).exists():
            broken.append(target)
    assert broken == []
