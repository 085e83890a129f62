"""Change the source in small ways, one at a time, and see whether a test notices.

A change that no test notices (a survivor) shows code that could break unseen. The work happens on a
copy of the tree; a sample of the places is drawn with a seed, in turn from every room.

    python scripts/mutants.py --places 100 --seed 1
    python scripts/mutants.py --room metrics --places 20
"""

import ast
import copy
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "site")
MARKS = "not slow and not browser and not editors and not engines"
SWAPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip
SHORTEST_SECONDS = 120.0
"""A run of tests has at least this time, and five times what it takes without a change."""
LONGEST_SECONDS = 120.0
"""Tests that take longer without a change are not run."""


@dataclass(frozen=True)
class Place:
    """A change: the number of a node, counted as ``ast.walk`` does, and which of its changes."""

    path: str
    node: int
    change: int
    line: int
    before: str
    after: str

    @property
    def room(self) -> str:
        """The sub-package of ``tactful`` that it is in; the modules at its top are one."""
        parts = Path(self.path).parts
        return parts[2] if len(parts) > 3 else parts[1]


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a node could be changed into."""
    match node:
        case ast.Compare(left, [op], right) if type(op) in SWAPS:
            yield ast.Compare(left, [SWAPS[type(op)]()], right)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield from values[1:]
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.IfExp(test, body, otherwise):
            yield ast.IfExp(test, otherwise, body)
        case ast.If(test, body, otherwise):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, otherwise)
        case ast.BinOp(left, op, right) if type(op) in ARITHMETIC and not _is_text(node):
            yield ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.Return(ast.expr() as value) if not _is_none(value):
            yield ast.Return(ast.Constant(None))
        case ast.Continue():
            yield ast.Break()


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.AST) -> bool:
    """Say whether text is put together, or formatted."""
    return any(
        isinstance(each, ast.JoinedStr)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str))
        for each in ast.walk(node)
    )


def places(path: Path) -> list[Place]:
    """Return every change of a module; what only types see is left alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unseen = {id(each) for part in _for_types_only(tree) for each in ast.walk(part)}
    return [
        Place(
            path.relative_to(ROOT).as_posix(),
            number,
            which,
            getattr(node, "lineno", 0),
            _shown(node),
            _shown(changed),
        )
        for number, node in enumerate(ast.walk(tree))
        if id(node) not in unseen
        for which, changed in enumerate(changes(node))
    ]


def _for_types_only(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield node
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield node.returns


def _shown(node: ast.AST) -> str:
    lines = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).splitlines()
    return lines[0] if lines else ""


def changed_source(path: Path, place: Place) -> str:
    """Return a module with one change."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    target = list(ast.walk(tree))[place.node]
    replacement = list(changes(target))[place.change]

    class Change(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return replacement if node is target else self.generic_visit(node)

    return ast.unparse(ast.fix_missing_locations(Change().visit(tree)))


def draw(rooms: tuple[str, ...], count: int, seed: int) -> list[Place]:
    """Draw places from every room in turn."""
    rng = random.Random(seed)  # noqa: S311 (a sample)
    by_room: dict[str, list[Place]] = defaultdict(list)
    for path in sorted((ROOT / "src" / "tactful").rglob("*.py")):
        for place in places(path):
            if not rooms or place.room in rooms:
                by_room[place.room].append(place)
    for found in by_room.values():
        rng.shuffle(found)
    chosen: list[Place] = []
    while len(chosen) < count and any(by_room.values()):
        chosen += [found.pop() for found in by_room.values() if found]
    return chosen[:count]


@cache
def tests_of(path: str) -> list[tuple[str, ...]]:
    """Return the runs that may notice a change: its own test, then those that import it or have a
    name like it; where there is none, all of its folder.
    """
    parts = Path(path).with_suffix("").parts[2:]
    if parts[-1] == "__init__":
        parts = parts[:-1]
    if not parts:
        return [("tests/test_public_api.py",)]
    folder, name = Path("tests", *parts[:-1]), parts[-1]
    own, stem = folder / f"test_{name}.py", name.split("_")[0]
    dotted = re.escape(".".join(("tactful", *parts)))
    wanted = re.compile(rf"\b{dotted}\b|from {dotted.rpartition('.')[0]} import .*\b{name}\b")
    importing = [
        file.relative_to(ROOT)
        for file in sorted((ROOT / "tests").rglob("test_*.py"))
        if wanted.search(file.read_text(encoding="utf-8"))
    ]
    alike = (file.relative_to(ROOT) for file in (ROOT / folder).glob(f"test_{stem}*.py"))
    near = {file for file in importing if file.parts[1] in ("cli", parts[0])} | {*alike}
    runs: list[tuple[str, ...]] = [(str(own),)] if own in near else []
    if near - {own}:
        runs.append(tuple(sorted(map(str, near - {own}))))
    if not runs and (ROOT / folder).is_dir():
        return [(str(folder),)]
    # A folder may have its tests in one file, which has its name.
    return runs or tests_of(str(Path(path).parent.with_suffix(".py")))


class Tree:
    """A copy of the project, whose tests can be run."""

    def __init__(self, root: Path):
        self.root = root
        shutil.copytree(ROOT, root, ignore=LEFT_OUT)
        self._seconds: dict[tuple[str, ...], float | None] = {}
        self._writes = 0

    def notices(self, place: Place) -> bool | None:
        """Say whether a test fails because of a change; None where no test can say so."""
        path = self.root / place.path
        source = path.read_text(encoding="utf-8")
        changed = changed_source(path, place)
        is_tested = False
        for run in tests_of(place.path):
            usual = self._usual_seconds(run)
            if usual is None:
                continue
            is_tested = True
            self._write(path, changed)
            passes = self._passes(run, 5 * usual)
            self._write(path, source)
            if not passes:
                return True
        return False if is_tested else None

    def _write(self, path: Path, source: str) -> None:
        """Write a module with a time that it never had: Python knows old bytecode by the time."""
        path.write_text(source, encoding="utf-8")
        self._writes += 1
        os.utime(path, (self._writes, self._writes))

    def _usual_seconds(self, run: tuple[str, ...]) -> float | None:
        """Return what a run takes without a change; None where it does not pass."""
        if run not in self._seconds:
            began = time.monotonic()
            passes = self._passes(run, LONGEST_SECONDS)
            self._seconds[run] = time.monotonic() - began if passes else None
        return self._seconds[run]

    def _passes(self, run: tuple[str, ...], seconds: float) -> bool:
        options = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-m", MARKS]
        # Fewer plugins and kept bytecode: most of the time of a short run is its start.
        env = {**os.environ, "PYTHONPATH": str(self.root / "src"), "PYTHONDONTWRITEBYTECODE": "",
               "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # fmt: skip
        try:
            done = subprocess.run(  # noqa: S603 (the project's own tests)
                [sys.executable, "-m", "pytest", *options, *run],
                cwd=self.root,
                env=env,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=max(SHORTEST_SECONDS, seconds),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


@click.command()
@click.option("--places", "count", default=100, show_default=True, help="How many changes to try.")
@click.option("--seed", default=1, show_default=True, help="Which ones are drawn.")
@click.option("--room", "rooms", multiple=True, help="Only in this room; repeatable.")
@click.option("--minutes", default=30.0, show_default=True, help="Stop after this time.")
def main(count: int, seed: int, rooms: tuple[str, ...], minutes: float) -> None:
    """Change the source in small ways, and list the changes that no test notices."""
    os.nice(10)
    end = time.monotonic() + minutes * 60
    noticed = 0
    survivors: list[Place] = []
    untested: list[Place] = []
    with tempfile.TemporaryDirectory(prefix="tactful-mutants-") as name:
        tree = Tree(Path(name) / "tree")
        for place in draw(rooms, count, seed):
            if time.monotonic() > end:
                click.echo("The time is over.")
                break
            found = tree.notices(place)
            noticed += found is True
            if found is not True:
                (survivors if found is False else untested).append(place)
            state = {True: "noticed", False: "SURVIVED", None: "no tests"}[found]
            click.echo(f"{state:9}{place.path}:{place.line}: {place.before}  ->  {place.after}")
    tried = noticed + len(survivors)
    click.echo(f"{noticed} of {tried} changes were noticed ({noticed / max(tried, 1):.0%}); "
               f"{len(untested)} could not be tried; seed {seed}.")  # fmt: skip
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
