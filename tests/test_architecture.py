"""The rules of the house, read from the source itself: who may import whom, and what nobody may."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "tactful"
LAB = ROOT / "lab" / "src" / "tactful_lab"
"""Above all levels: it may import every room, and no room imports it (docs/decisions/0011)."""

LEVELS = {
    "cli": 6,
    "service": 5,  # docs/decisions/0005: commands start it
    **dict.fromkeys(("annotation", "audit"), 4),
    **dict.fromkeys(("checking", "training"), 3),
    "frames": 2.5,  # docs/decisions/0004: a framer reads with a detector
    **dict.fromkeys(("detectors", "corpora", "terms"), 2),
    "documents": 1.5,  # docs/decisions/0008: a document names ids of the taxonomies
    **dict.fromkeys(("taxonomies", "metrics", "agreement", "aggregation", "scale"), 1),
    **dict.fromkeys(("types", "errors", "registry", "settings", "files", "figures"), 0),
    **dict.fromkeys(
        ("json_errors", "libraries", "moved", "pages", "posting", "ratings", "resampling"), 0
    ),
    **dict.fromkeys(("tables", "value_or_reason", "webhooks", "words", "yaml_data"), 0),
}
UPWARD = {("detectors/base.py", "tactful.checking.placing")}
"""``detector.check(text)`` is older than the room ``checking`` (docs/decisions/0008)."""
# The public API and ``python -m tactful`` are above the levels; nothing imports them.
ENTRANCES = {"__init__", "__main__"}
HEAVY = {
    "datasets",
    "fastapi",
    "matplotlib",
    "onnx",
    "onnxruntime",
    "pyspark",
    "ray",
    "scipy",
    "sklearn",
    "safetensors",
    "spacy",
    "tokenizers",
    "torch",
    "transformers",
    "alembic",
    "jinja2",
    "sqlalchemy",
    "starlette",
    "uvicorn",
    "lsprotocol",
    "prometheus_client",
    "pygls",
}
OF_TRAINING = {"onnx", "safetensors", "tokenizers", "torch", "transformers"}
"""The room ``training`` is behind an extra of the same name: its models are classes of torch."""
OF_ANNOTATION = {"alembic", "jinja2", "sqlalchemy", "starlette", "uvicorn"}
"""Behind the extra ``annotate``: only the store and the pages may import them at once."""
OF_SERVICE = {"fastapi", "jinja2", "prometheus_client", "starlette", "uvicorn"}
"""Behind the extra ``serve``; what other rooms and commands need without it is elsewhere."""
OF_EDITORS = {"lsprotocol", "pygls"}
"""Behind the extra ``lsp``."""
STORE_AND_PAGES = re.compile(r"annotation/(web/|migrations/|store|tables)|service/feedback/store")
PICKLES = {"cloudpickle", "dill", "joblib", "marshal", "pickle", "shelve"}
SHAPELESS_NAMES = {"utils.py", "helpers.py", "common.py"}

ENTRY_POINTS = {"tactful.commands", "tactful.weights"}
"""Groups of entry points: named like modules, but nothing is imported by these names."""

_TARGET = re.compile(r"tactful(_lab)?(\.\w+)+(:\w+)?")


@dataclass(frozen=True)
class Import:
    module: str
    line: int
    runs_at_import: bool


def imports(tree: ast.Module, package: str) -> list[Import]:
    """Return every import of a module, also those in functions and for type checkers."""
    return list(_imports_under(tree, package, runs_at_import=True))


def _imports_under(node: ast.AST, package: str, *, runs_at_import: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, child.lineno, runs_at_import)
        elif isinstance(child, ast.ImportFrom):
            base = _absolute(child, package)
            for alias in child.names:
                yield Import(f"{base}.{alias.name}", child.lineno, runs_at_import)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for statement in child.body:
                block = ast.Module([statement], [])
                yield from _imports_under(block, package, runs_at_import=False)
            for statement in child.orelse:
                block = ast.Module([statement], [])
                yield from _imports_under(block, package, runs_at_import=runs_at_import)
        else:
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            at_import = runs_at_import and not is_function
            yield from _imports_under(child, package, runs_at_import=at_import)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parents = package.split(".")
    base = parents[: len(parents) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)


def named_targets(tree: ast.Module) -> list[Import]:
    """Return the modules named in registries and in ``import_module``: lazy, but imports too."""
    return [
        Import(node.value.partition(":")[0], node.lineno, runs_at_import=False)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value not in ENTRY_POINTS
        and _TARGET.fullmatch(node.value)
    ]


def violations(source: str, relative: str) -> list[str]:
    """Check one module, given its text and its path below ``tactful``, or from ``tactful_lab``."""
    path = Path(relative)
    tree = ast.parse(source)
    of_lab = path.parts[0] == LAB.name
    if of_lab:
        path = path.relative_to(LAB.name)
    room = path.parts[0] if len(path.parts) > 1 else path.stem
    package = ".".join((LAB.name if of_lab else SOURCE.name, *path.parts[:-1]))
    found = imports(tree, package)
    messages = []
    if not of_lab:
        messages += [
            f"{relative}:{item.line}: imports the lab"
            for item in [*found, *named_targets(tree)]
            if item.module.split(".")[0] == LAB.name
        ]
    if room not in ENTRANCES and not of_lab:
        if room not in LEVELS:
            messages.append(f"{relative}: '{room}' has no level; add it to LEVELS and the design")
        else:
            messages += _wrong_directions([*found, *named_targets(tree)], room, relative)
    heavy = HEAVY - OF_TRAINING if room == "training" else HEAVY
    if STORE_AND_PAGES.search(relative):
        heavy = heavy - OF_ANNOTATION
    if room == "service":
        heavy = heavy - OF_SERVICE
    if relative.startswith("service/lsp/"):
        heavy = heavy - OF_EDITORS
    messages += [
        f"{relative}:{item.line}: imports {item.module} when it is itself imported"
        for item in found
        if item.runs_at_import and item.module.split(".")[0] in heavy
    ]
    messages += [
        f"{relative}:{item.line}: {item.module} is a pickle"
        for item in found
        if item.module.split(".")[0] in PICKLES
    ]
    messages += _dangerous_calls(tree, found, relative)
    if path.name in SHAPELESS_NAMES:
        messages.append(f"{relative}: the name says nothing about what is inside")
    return messages


def _wrong_directions(found: list[Import], room: str, relative: str) -> list[str]:
    messages = []
    for item in found:
        parts = item.module.split(".")
        if parts[0] != "tactful" or parts == ["tactful", "__version__"]:
            continue
        target = parts[1] if len(parts) > 1 else ""
        where = f"{relative}:{item.line}"
        if target not in LEVELS:
            messages.append(f"{where}: imports {item.module}; import it from its own room")
            continue
        down = LEVELS[target] < LEVELS[room] or LEVELS[target] == LEVELS[room] == 0
        allowed = any(relative == who and item.module.startswith(what) for who, what in UPWARD)
        if target != room and not down and not allowed:
            messages.append(
                f"{where}: {room} (level {LEVELS[room]}) imports {target} (level {LEVELS[target]})"
            )
    return messages


def _dangerous_calls(tree: ast.Module, found: list[Import], relative: str) -> list[str]:
    messages = [
        f"{relative}:{item.line}: os.system" for item in found if item.module == "os.system"
    ]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        if called in {"eval", "exec", "os.system", "builtins.eval", "builtins.exec"}:
            messages.append(f"{relative}:{node.lineno}: calls {called}")
        for keyword in node.keywords:
            is_true = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
            if is_true and keyword.arg in {"shell", "allow_pickle"}:
                messages.append(f"{relative}:{node.lineno}: {keyword.arg}=True")
    return messages


MODULES = {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}
MODULES |= {path.relative_to(LAB.parent).as_posix(): path for path in sorted(LAB.rglob("*.py"))}


def test_modules_keep_the_rules() -> None:
    found = (
        violations(path.read_text(encoding="utf-8"), relative) for relative, path in MODULES.items()
    )
    assert [message for messages in found for message in messages] == []


def test_the_source_was_found() -> None:
    assert {"__init__.py", "errors.py", "cli/main.py"} <= set(MODULES)
    assert {"tactful_lab/__init__.py", "tactful_lab/evaluation/tasks.py"} <= set(MODULES)


@pytest.mark.parametrize(
    ("relative", "source", "message"),
    [
        ("metrics/icm.py", "from tactful.corpora import load", "metrics (level 1) imports corpora"),
        ("metrics/icm.py", "import tactful.agreement.pi", "metrics (level 1) imports agreement"),
        ("aggregation/mace.py", "from tactful import taxonomies", "imports taxonomies (level 1)"),
        ("corpora/dpm.py", "from tactful.detectors.base import X", "corpora (level 2) imports"),
        ("corpora/dpm.py", "def f():\n    import tactful.cli.main", "corpora (level 2) imports"),
        (
            "types.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import tactful.scale",
            "types (level 0) imports scale",
        ),
        ("corpora/dpm.py", "from ..audit import probe", "imports audit (level 4)"),
        (
            "corpora/dpm.py",
            "TABLE = {'x': 'tactful.audit.notes:X'}",
            "imports audit (level 4)",
        ),
        ("corpora/dpm.py", "from tactful import load_taxonomy", "import it from its own room"),
        ("corpora/dpm.py", "import tactful", "import it from its own room"),
        ("cli/main.py", "import tactful_lab.evaluation", "imports the lab"),
        ("cli/main.py", "def f():\n    from tactful_lab import evaluation", "imports the lab"),
        ("cli/main.py", "TABLE = {'x': 'tactful_lab.cli.evaluate:x'}", "imports the lab"),
        ("tactful_lab/evaluation/x.py", "import torch", "imports torch when it is"),
        ("tactful_lab/evaluation/x.py", "import pickle", "pickle is a pickle"),
        ("gadgets/new.py", "", "'gadgets' has no level"),
        ("training/fit.py", "import sklearn", "imports sklearn when it is"),
        ("detectors/fit.py", "import torch.nn as nn", "imports torch.nn when it is"),
        ("detectors/fit.py", "try:\n    from torch import nn\nexcept ImportError: ...", "torch.nn"),
        ("detectors/fit.py", "class A:\n    import torch", "imports torch when it is"),
        ("scale/local/engine.py", "def f():\n    import pickle", "pickle is a pickle"),
        ("scale/local/engine.py", "from joblib import load", "joblib.load is a pickle"),
        ("scale/local/engine.py", "numpy.load(path, allow_pickle=True)", "allow_pickle=True"),
        ("scale/local/engine.py", "eval('1')", "calls eval"),
        ("scale/local/engine.py", "exec('1')", "calls exec"),
        ("scale/local/engine.py", "import os\nos.system('ls')", "calls os.system"),
        ("scale/local/engine.py", "from os import system", "os.system"),
        ("scale/local/engine.py", "subprocess.run('ls', shell=True)", "shell=True"),
        ("scale/utils.py", "", "the name says nothing"),
    ],
)
def test_the_checker_sees_a_violation(relative: str, source: str, message: str) -> None:
    found = violations(source, relative)
    assert len(found) == 1
    assert message in found[0]


@pytest.mark.parametrize(
    ("relative", "source"),
    [
        ("cli/main.py", "from tactful import __version__\nfrom tactful.errors import TactfulError"),
        ("cli/main.py", "COMMANDS = {'corpus': 'tactful.cli.corpus.command:corpus_cli'}"),
        ("registry.py", "from tactful.errors import UnknownNameError"),
        ("corpora/dpm.py", "from tactful.taxonomies import load\nfrom .base import Corpus"),
        ("corpora/dpm.py", "from tactful.corpora.base import Corpus"),
        ("training/fit.py", "import torch"),
        ("tactful_lab/training/fit.py", "import torch\nfrom tactful.cli.main import LAB"),
        ("tactful_lab/cli/x.py", "from tactful_lab.evaluation import tasks"),
        ("detectors/fit.py", "def fit():\n    import torch\n    model.eval()"),
        (
            "detectors/fit.py",
            "import typing\nif typing.TYPE_CHECKING:\n    import torch\nelse:\n    import json",
        ),
        ("__init__.py", "from tactful.corpora import load_corpus"),
        (
            "scale/local/engine.py",
            "text = 'see tactful.audit.notes for more'\nrun(shell=False)",
        ),
    ],
)
def test_the_checker_allows_what_is_allowed(relative: str, source: str) -> None:
    assert violations(source, relative) == []


def test_contributing_quotes_the_levels() -> None:
    text = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    quoted = {
        room: float(level)
        for level, rooms in re.findall(r"^(\d(?:\.5)?) +(\w+(?:  \w+)*)", text, re.MULTILINE)
        for room in rooms.split("  ")
    }
    assert quoted == LEVELS
