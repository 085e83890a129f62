"""Change the source in small ways, one at a time, and see whether a test notices.

A change that no test notices (a survivor) shows code that could break unseen. The work happens on a
copy of the tree; a sample of the places is drawn with a seed, in turn from every room. A busy
machine changes no verdict: limits are of CPU time, and a test notices a change only if it passes
without it.

    python scripts/mutants.py --places 100 --seed 1
    python scripts/mutants.py --room metrics --places 20
    python scripts/mutants.py --seed 2 --results verdicts.jsonl

With ``--results``, each verdict is added to a file as it comes, and the same command goes on where
it was stopped. ``--again`` tries those that no test noticed once more, after tests were added, and
``--page`` writes benchmarks/results/mutants.md, with the reasons in ``unnoticed_changes.yaml``.
"""

import ast
import copy
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import click
import yaml

ROOT = Path(__file__).resolve().parents[1]
REASONS = Path(__file__).with_name("unnoticed_changes.yaml")
"""Why no test need notice a change: it changes nothing that anybody could see, or only looks."""
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
_FULL_NAME = re.compile(r"\btactful(?:\.\w+)+")
_IMPORT = re.compile(r"from (tactful[\w.]*) import (\([^)]*|.*)")
CPU_SECONDS = 60
"""A file of tests is given up after this CPU time: a change may loop for ever."""
MOST_FILES = 8
"""How many files of tests that are not a module's own are run for it."""
WAITING_SECONDS = 1800.0
"""A run ends after this time even if it uses no CPU: a change may wait for ever."""


@dataclass(frozen=True)
class Place:
    """A change: the number of a node, counted as ``ast.walk`` does, and which of its changes."""

    path: str
    node: int
    change: int
    line: int
    before: str
    after: str


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


def numbers(path: Path) -> list[tuple[int, int]]:
    """Return every change of a module, as numbers; what only types see is left alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unseen = {id(each) for part in _for_types_only(tree) for each in ast.walk(part)}
    return [
        (number, which)
        for number, node in enumerate(ast.walk(tree))
        if id(node) not in unseen
        for which, _ in enumerate(changes(node))
    ]


def place_of(root: Path, path: str, number: int, which: int) -> Place:
    """Return a change that is given by its numbers."""
    node = list(ast.walk(ast.parse((root / path).read_text(encoding="utf-8"))))[number]
    return Place(
        path,
        number,
        which,
        getattr(node, "lineno", 0),
        _shown(node),
        _shown(list(changes(node))[which]),
    )


def room_of(path: str) -> str:
    """Return the sub-package of ``tactful`` that a module is in; those at its top are one."""
    parts = Path(path).parts
    return parts[2] if len(parts) > 3 else parts[1]


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


def draw(root: Path, rooms: tuple[str, ...], count: int, seed: int) -> list[Place]:
    """Draw places from every room in turn."""
    rng = random.Random(seed)  # noqa: S311 (a sample)
    by_room: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for file in sorted((root / "src" / "tactful").rglob("*.py")):
        path = file.relative_to(root).as_posix()
        if not rooms or room_of(path) in rooms:
            by_room[room_of(path)] += [(path, *each) for each in numbers(file)]
    for found in by_room.values():
        rng.shuffle(found)
    chosen: list[tuple[str, int, int]] = []
    while len(chosen) < count and any(by_room.values()):
        chosen += [found.pop() for found in by_room.values() if found]
    return [place_of(root, *each) for each in chosen[:count]]


@cache
def tests_of(path: str) -> list[tuple[str, ...]]:
    """Return the runs that may notice a change: its own test, then those that import it or have a
    name like it, then the own tests of the modules that import it; where there is none, all of its
    folder.
    """
    parts, name = _names(path)
    if not parts:
        return [("tests/test_public_api.py",)]
    runs = list(_near(path))
    known = {file for run in runs for file in run}
    users = sorted(_files_with("src/tactful", "*.py", name))
    first = (run for user in users if str(user) != path for run in _near(str(user))[:1])
    more = [file for file in dict.fromkeys(file for run in first for file in run)
            if file not in known]  # fmt: skip
    if more:
        runs.append(tuple(more[:MOST_FILES]))
    folder = Path("tests", *parts[:-1])
    if not runs and folder != Path("tests") and (ROOT / folder).is_dir():
        return [(str(folder),)]
    if not runs and len(parts) > 1:  # a folder may have its tests in one file, with its name
        return tests_of(str(Path(path).parent.with_suffix(".py")))
    return runs


def _names(path: str) -> tuple[tuple[str, ...], str]:
    """Return the parts of a module's name, and the whole name."""
    parts = Path(path).with_suffix("").parts[2:]
    if parts[-1:] == ("__init__",):
        parts = parts[:-1]
    return parts, ".".join(("tactful", *parts))


@cache
def _near(path: str) -> list[tuple[str, ...]]:
    parts, whole = _names(path)
    if not parts:
        return []
    folder, name = Path("tests", *parts[:-1]), parts[-1]
    own, stem = folder / f"test_{name}.py", name.strip("_").split("_")[0]
    rooms = (parts[0], "cli") if len(parts) > 1 else ()
    importing = _files_with("tests", "test_*.py", whole)
    alike = (file.relative_to(ROOT) for file in (ROOT / folder).glob(f"test_{stem}*.py"))
    near = {*alike, *(each for each in importing if not rooms or each.parts[1] in rooms)}
    runs: list[tuple[str, ...]] = [(str(own),)] if own in near else []
    # The tests of a module's own room come first, and those that speak of it most.
    order = sorted(near - {own}, key=lambda each: (parts[0] not in each.parts,
                                                   -importing.get(each, 0), each))  # fmt: skip
    if order:
        runs.append(tuple(map(str, order[:MOST_FILES])))
    return runs


def _files_with(folder: str, pattern: str, name: str) -> dict[Path, int]:
    """Return the files that speak of a module, and how often they do."""
    found = {file: names[name] for file, names in _names_in(folder, pattern).items()}
    return {file: count for file, count in found.items() if count}


@cache
def _names_in(folder: str, pattern: str) -> dict[Path, Counter[str]]:
    """Return how often each file names each module, and what is below it."""
    found: dict[Path, Counter[str]] = {}
    for file in sorted((ROOT / folder).rglob(pattern)):
        text = file.read_text(encoding="utf-8")
        names = found[file.relative_to(ROOT)] = Counter()
        for full in _FULL_NAME.findall(text):
            parts = full.split(".")
            names.update(".".join(parts[:size]) for size in range(1, len(parts) + 1))
        for package, imported in _IMPORT.findall(text):
            names.update(f"{package}.{name}" for name in re.findall(r"\w+", imported))
    return found


@dataclass(frozen=True)
class Run:
    """How a run of tests ended: it passed, tests failed, or it did not come to its end."""

    passed: bool
    failed: tuple[str, ...] = ()


class Tree:
    """A copy of the project, whose tests can be run."""

    def __init__(self, root: Path):
        self.root = root
        shutil.copytree(ROOT, root, ignore=LEFT_OUT)
        self._passing: dict[tuple[str, ...], bool] = {}
        self._broken: list[str] = []
        self._writes = 0

    def notices(self, place: Place, seconds: float) -> tuple[bool | None, str]:
        """Say whether a test fails because of a change, and which; None where none can say so.

        Files of tests are run one after the other, the nearest first, until they have taken so many
        CPU seconds.
        """
        path = self.root / place.path
        source = path.read_text(encoding="utf-8")
        changed = changed_source(path, place)
        is_tested = False
        began = _cpu_of_children()
        for file in dict.fromkeys(file for run in tests_of(place.path) for file in run):
            tests: tuple[str, ...] = (file,)
            if is_tested and _cpu_of_children() - began > seconds:
                break
            while True:
                self._write(path, changed)
                try:
                    run = self._run(tests)
                finally:
                    self._write(path, source)
                if run.passed:
                    is_tested = True
                    break
                # Without the change the same tests must pass: it is the change that they notice.
                blamed = run.failed or tests
                if self._passes(blamed):
                    return True, ", ".join(blamed if run.failed else ["the run broke off"])
                if not run.failed or set(run.failed) <= set(self._broken):
                    break
                self._broken += run.failed
        return (False if is_tested else None), ""

    def _passes(self, tests: tuple[str, ...]) -> bool:
        if tests not in self._passing:
            self._passing[tests] = self._run(tests).passed
        return self._passing[tests]

    def _write(self, path: Path, source: str) -> None:
        """Write a module with a time that it never had: Python knows old bytecode by the time."""
        path.write_text(source, encoding="utf-8")
        self._writes += 1
        os.utime(path, (self._writes, self._writes))

    def _run(self, tests: tuple[str, ...]) -> Run:
        cache = self.root / ".mutants_cache"
        shutil.rmtree(cache, ignore_errors=True)
        options = ["-x", "-q", "--assert=plain", "-o", f"cache_dir={cache}", "-m", MARKS]
        options += [f"--deselect={each}" for each in self._broken if each not in tests]
        path = os.pathsep.join(
            str(self.root / part) for part in ("src", "lab/src", "", "weights-research/src")
        )
        # Fewer plugins and kept bytecode: most of the time of a short run is its start.
        env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "",
               "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # fmt: skip
        process = subprocess.Popen(  # noqa: S603 (the project's own tests)
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=self.root,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_limit_cpu,  # noqa: PLW1509 (this program has one thread)
        )
        try:
            code = process.wait(WAITING_SECONDS)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end_all_of(process)
        failed = cache / "v/cache/lastfailed"
        if code == 0 or not failed.exists():
            return Run(code == 0)
        return Run(passed=False, failed=tuple(json.loads(failed.read_text(encoding="utf-8"))))


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _limit_cpu() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))


def _end_all_of(process: "subprocess.Popen[bytes]") -> None:
    """End a process and what it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


STATES: dict[bool | None, str] = {True: "noticed", False: "SURVIVED", None: "no tests"}


def read_verdicts(results: Path | None) -> dict[Place, list[str]]:
    """Return the verdicts that earlier runs wrote, all of each place, the first one first."""
    found: dict[Place, list[str]] = {}
    if results is not None and results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found.setdefault(Place(**row["place"]), []).append(row["state"])
    return found


def still_there(root: Path, places: Iterable[Place]) -> Iterator[Place]:
    """Yield the places that the source still has."""
    for place in places:
        with suppress(IndexError):
            if place_of(root, place.path, place.node, place.change) == place:
                yield place


def page(verdicts: Mapping[Place, Sequence[str]], seed: int, note: str) -> str:
    """Write what came out: by room, and the changes that nothing notices, with the reason.

    ``note`` says how the verdicts came about, where that was not by this script alone.
    """
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from results import table

    reasons = {(each["path"], each["before"], each["after"]): each["reason"]
               for each in yaml.safe_load(REASONS.read_text(encoding="utf-8"))}  # fmt: skip
    tried = {place: states for place, states in verdicts.items() if states[0] != STATES[None]}
    rows: list[list[object]] = []
    for room in [*sorted({room_of(place.path) for place in tried}), "all"]:
        here = [states for place, states in tried.items() if room in (room_of(place.path), "all")]
        first, last = (sum(states[at] == STATES[True] for states in here) for at in (0, -1))
        rows.append([room, len(here), first, last])
    left = [
        [f"`{place.path}`", f"`{place.before}` → `{place.after}`",
         reasons.get((place.path, place.before, place.after), "not judged yet")]
        for place, states in tried.items() if states[-1] == STATES[False]
    ]  # fmt: skip
    total, before, now = rows[-1][1:]
    return (
        f"Small changes of the source, drawn with seed {seed} from every room in turn, and whether "
        f"a test notices each: {before} of {total} before tests were added for them, {now} of "
        f"{total} now.\n\n{table(['room', 'changes', 'noticed before', 'noticed now'], rows)}"
        f"\n\nWhat no test notices now:\n\n{table(['module', 'change', 'why it stays'], left)}\n\n"
        f"{len(verdicts) - len(tried)} more could not be tried, because the tests of their module "
        "fail without the change, too.\n\nCommand: `python scripts/mutants.py --seed "
        f"{seed} --results FILE --page`, after `--again` for those that no test had noticed."
        + (f"\n\n{note}" if note else "")
    )


@click.command()
@click.option("--places", "count", default=100, show_default=True, help="How many changes to try.")
@click.option("--seed", default=1, show_default=True, help="Which ones are drawn.")
@click.option("--room", "rooms", multiple=True, help="Only in this room; repeatable.")
@click.option("--minutes", default=30.0, show_default=True, help="Stop after this time.")
@click.option(
    "--seconds",
    default=40.0,
    show_default=True,
    help="Run no further tests for a change after this CPU time.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Add each verdict to this file, and leave out the changes that it has.",
)
@click.option(
    "--again", is_flag=True, help="Try what no test noticed again, with the tests of now."
)
@click.option("--page", "is_page", is_flag=True, help="Only write the page of results.")
@click.option("--note", default="", help="A sentence for the end of the page.")
def main(
    count: int,
    seed: int,
    rooms: tuple[str, ...],
    minutes: float,
    seconds: float,
    results: Path | None,
    again: bool,
    is_page: bool,
    note: str,
) -> None:
    """Change the source in small ways, and list the changes that no test notices."""
    known = read_verdicts(results)
    if is_page:
        body = page(known, seed, note)
        from results import write_page

        write_page("mutants", "Changes that tests notice", body)
        return
    os.nice(15)
    end = time.monotonic() + minutes * 60
    states: list[str] = []
    with tempfile.TemporaryDirectory(prefix="tactful-mutants-") as name:
        tree = Tree(Path(name) / "tree")
        survivors = [place for place, found in known.items() if found[-1] == STATES[False]]
        places = still_there(tree.root, survivors) if again else draw(tree.root, rooms, count, seed)
        for place in places:
            if again or place not in known:
                if time.monotonic() > end:
                    click.echo("The time is over.")
                    break
                found, by = tree.notices(place, seconds)
                known.setdefault(place, []).append(STATES[found])
                if results is not None:
                    row = {"state": STATES[found], "place": asdict(place), "by": by}
                    with results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
            states.append(known[place][-1])
            change = f"{place.path}:{place.line}: {place.before}  ->  {place.after}"
            click.echo(f"{states[-1]:9}{change}")
    noticed, survived = states.count(STATES[True]), states.count(STATES[False])
    click.echo(f"{noticed} of {noticed + survived} changes were noticed "
               f"({noticed / max(noticed + survived, 1):.0%}); "
               f"{states.count(STATES[None])} could not be tried; seed {seed}.")  # fmt: skip
    sys.exit(1 if survived else 0)


if __name__ == "__main__":
    main()
