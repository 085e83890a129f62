"""``tactful doctor``: what is installed, what is missing, and how to get it.

Versions come from the packages' metadata: no library and no plug-in is imported, so the answer is
fast and a broken library cannot stop it.
"""

import os
import platform
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import click

from tactful import __version__
from tactful.cli.main import LAB
from tactful.cli.options import flag, option
from tactful.cli.output import echo_answer
from tactful.detectors.weights import INSTALL, weights_roots
from tactful.errors import SettingError, TactfulError
from tactful.registry import Registry, installed_plugins
from tactful.settings import SETTINGS, Setting, load_settings

SCHEMA_VERSION = 2
PACKAGE = "tactful"
PLUGIN_GROUPS = {
    "detectors": "tactful.detectors.load:KINDS",
    "framers": "tactful.frames.load:KINDS",
    "corpora": "tactful.corpora:CORPORA",
    "metrics": "tactful.metrics:SPECS",
    "probes": "tactful.audit.probes.load:PROBES",
    "protocols": "tactful.annotation.protocol.load:PROTOCOLS",
    "reports": "tactful.checking.reports:RENDERERS",
    "commands": "tactful.cli.added:ADDED",
}
"""Each group of entry points, without ``tactful.``, and the registry that reads it."""

_BYTES_PER_MB = 1_000_000
_REQUIREMENT = re.compile(
    r"^\s*(?P<name>[A-Za-z0-9][\w.-]*)[^;]*?(?:>=\s*(?P<minimum>[\w.]+))?\s*$"
)
_BELOW = re.compile(r"python_version\s*<\s*['\"](?P<version>[\d.]+)['\"]")
_EXTRA = re.compile(r"extra\s*==\s*['\"](?P<extra>[\w.-]+)['\"]")

Lookup = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line of the package's own metadata: a library, its oldest version, and its extra."""

    name: str
    minimum: str | None = None
    extra: str | None = None

    @classmethod
    def parse(cls, line: str) -> "Requirement":
        """Read a ``Requires-Dist`` line; Tactful's own use no operator but ``>=``."""
        library, _, marker = line.partition(";")
        match = _REQUIREMENT.match(library)
        if match is None:
            raise TactfulError(f"The metadata of {PACKAGE} has a requirement {line!r}; reinstall.")
        extra = _EXTRA.search(marker)
        return cls(match["name"], match["minimum"], extra["extra"] if extra else None)

    def problem(self, installed: str | None) -> str | None:
        """Say what is wrong with the installed version, if anything is."""
        need = self.name if self.minimum is None else f"{self.name}>={self.minimum}"
        if installed is None:
            return f'{self.name} is not installed; install it with: pip install "{need}"'
        if self.minimum is not None and _release(installed) < _release(self.minimum):
            return (
                f"{self.name} {installed} is older than {self.minimum}; "
                f'update it with: pip install --upgrade "{need}"'
            )
        return None


def doctor(
    environ: Mapping[str, str] | None = None,
    requirements: list[Requirement] | None = None,
    version_of: Lookup | None = None,
    weights: Sequence[Path] | None = None,
) -> dict[str, Any]:
    """Examine this installation; the answer can be written as JSON as it is."""
    environ = os.environ if environ is None else environ
    requirements = read_requirements() if requirements is None else requirements
    version_of = installed_version if version_of is None else version_of
    core: list[dict[str, Any]] = []
    extras: dict[str, list[dict[str, Any]]] = {}
    for need in requirements:
        listed = core if need.extra is None else extras.setdefault(need.extra, [])
        listed.append(_library(need, version_of))
    settings = _settings(environ)
    return {
        "schema_version": SCHEMA_VERSION,
        "tactful": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "dependencies": core,
        "extras": [_extra(name, extras[name]) for name in sorted(extras)],
        "plugins": _plugins(),
        "weights": _weights(weights_roots() if weights is None else weights),
        "data": _data(settings),
        "settings": settings,
        "problems": [
            *(item["problem"] for item in [*core, *settings] if item["problem"]),
            *_plugin_problems(),
        ],
    }


def is_for(line: str, python: tuple[int, ...]) -> bool:
    """Say whether a requirement holds for a version of Python; some are for older ones only."""
    below = _BELOW.search(line)
    return below is None or python < _release(below["version"])


def read_requirements() -> list[Requirement]:
    """Read what Tactful needs from the metadata of its own installation."""
    try:
        lines = metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        raise TactfulError(
            "Tactful runs from a folder that is not installed; install it with: pip install ."
        ) from None
    needs = [Requirement.parse(line) for line in lines if is_for(line, sys.version_info[:2])]
    # An extra may name another extra of Tactful; its libraries are listed under their own.
    return [need for need in needs if need.name != PACKAGE]


def installed_version(name: str) -> str | None:
    """Return the installed version of a library without importing it."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _release(version: str) -> tuple[int, ...]:
    """Return the leading numbers: ``2.0.0rc1`` counts as 2.0.0, which is right for a warning."""
    numbers: list[int] = []
    for part in version.split("."):
        digits = re.match(r"\d+", part)
        if digits is None:
            break
        numbers.append(int(digits[0]))
        if digits[0] != part:
            break
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _library(need: Requirement, version_of: Lookup) -> dict[str, Any]:
    installed = version_of(need.name)
    return {**asdict(need), "installed": installed, "problem": need.problem(installed)}


def _extra(name: str, libraries: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": name,
        "installed": not any(library["problem"] for library in libraries),
        "install": f'pip install "{PACKAGE}[{name}]"',
        "libraries": libraries,
    }


def _plugins() -> list[dict[str, str]]:
    """List the plug-ins; the lab is ours, and is listed as an extra."""
    return [
        {
            "package": plugin.package,
            "version": plugin.version,
            "group": plugin.group,
            "name": plugin.name,
            "target": plugin.entry_point.value,
        }
        for group in PLUGIN_GROUPS
        for plugin in installed_plugins(group)
        if plugin.package != LAB
    ]


def _plugin_problems() -> list[str]:
    """Say which names are taken; only a group with plug-ins costs the import of its registry."""
    problems: list[str] = []
    for target in (each for group, each in PLUGIN_GROUPS.items() if installed_plugins(group)):
        module, _, name = target.partition(":")
        try:
            registry: Registry[Any] = getattr(import_module(module), name)
        except ImportError:  # a missing library is a problem of its own
            continue
        problems += registry.plugin_problems()
    return problems


def _weights(roots: Sequence[Path]) -> list[dict[str, Any]]:
    return [
        {
            "folder": str(root),
            "models": [
                {"name": path.name, "megabytes": _megabytes(path)}
                for path in sorted(root.iterdir())
                if _is_visible_folder(path)
            ],
        }
        for root in roots
    ]


def _megabytes(folder: Path) -> float:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return round(size / _BYTES_PER_MB, 1)


def _data(settings: list[dict[str, Any]]) -> dict[str, Any]:
    value = next(entry["value"] for entry in settings if entry["name"] == "data")
    if value is None or not Path(value).is_dir():
        return {"folder": value, "exists": False, "folders": []}
    inside = sorted(path.name for path in Path(value).iterdir() if _is_visible_folder(path))
    return {"folder": value, "exists": True, "folders": inside}


def _is_visible_folder(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith((".", "__"))


def _settings(environ: Mapping[str, str]) -> list[dict[str, Any]]:
    """Read each setting alone: one wrong value must not hide the others."""
    return [_setting(setting, environ.get(setting.env)) for setting in SETTINGS]


def _setting(setting: Setting, raw: str | None) -> dict[str, Any]:
    problem = None
    try:
        value: Any = getattr(load_settings({setting.env: raw or ""}), setting.name)
    except SettingError as error:
        value, problem = raw, str(error)
    return {
        "name": setting.name,
        "env": setting.env,
        "value": str(value) if isinstance(value, Path) else value,
        "source": "environment" if raw else "default",
        "help": setting.help,
        "problem": problem,
    }


def render(report: Mapping[str, Any], verbose: bool = False) -> str:
    """Write the report as text: a few lines, or everything."""
    lines = _everything(report) if verbose else _summary(report)
    return "\n".join(_printable(line) for line in lines)


def _summary(report: Mapping[str, Any]) -> list[str]:
    models = [model for root in report["weights"] for model in root["models"]]
    names = ", ".join(model["name"] for model in models)
    size = sum(model["megabytes"] for model in models)
    missing = [extra["name"] for extra in report["extras"] if not extra["installed"]]
    install = f'; install one with: pip install "{PACKAGE}[NAME]"' if missing else ""
    plugins = ", ".join(dict.fromkeys(plugin["name"] for plugin in report["plugins"]))
    problems = report["problems"]
    return [
        f"Tactful {report['tactful']}, Python {report['python']}",
        _row("models", f"{names} ({size:.0f} MB)" if models else f"none: {INSTALL}"),
        *([_row("plug-ins", plugins)] if plugins else []),
        _row("missing extras", f"{', '.join(missing) or 'none'}{install}"),
        _row("data folder", _data_rows(report["data"])[0].strip()),
        _row("problems", f"{len(problems)}, see below" if problems else "none"),
    ]


def _everything(report: Mapping[str, Any]) -> list[str]:
    needs, extras, settings = report["dependencies"], report["extras"], report["settings"]
    parts = {
        "Dependencies": [_row(each["name"], each["installed"] or "missing") for each in needs],
        "Extras": [_row(each["name"], _extra_state(each)) for each in extras],
        "Plug-ins": _plugin_rows(report["plugins"]),
        "Weights": _weights_rows(report["weights"]),
        "Data": _data_rows(report["data"]),
        "Settings": [_row(each["env"], _setting_state(each), width=24) for each in settings],
    }
    return [
        f"Tactful {report['tactful']}",
        f"Python {report['python']} ({report['executable']})",
        f"Platform {report['platform']}",
        *(line for title, rows in parts.items() for line in ("", title, *rows)),
    ]


def _row(name: str, value: str, width: int = 16) -> str:
    return f"  {name:<{width}} {value}"


def _extra_state(extra: Mapping[str, Any]) -> str:
    if extra["installed"]:
        return "installed"
    lacking = ", ".join(item["name"] for item in extra["libraries"] if item["problem"])
    return f"not installed (lacks {lacking}): {extra['install']}"


def _setting_state(setting: Mapping[str, Any]) -> str:
    value = setting["value"]
    shown = "not set" if value is None or value in ("", ()) else value
    return f"{shown} ({setting['source']}; {setting['help']})"


def _plugin_rows(plugins: list[dict[str, str]]) -> list[str]:
    rows = [
        _row(plugin["name"], f"{plugin['group']}, from {plugin['package']} {plugin['version']}")
        for plugin in plugins
    ]
    return rows or ["  none"]


def _weights_rows(weights: list[dict[str, Any]]) -> list[str]:
    rows = []
    for root in weights:
        rows.append(f"  {root['folder']}")
        rows += [_row(model["name"], f"{model['megabytes']} MB") for model in root["models"]]
    return rows or [f"  none: {INSTALL}"]


def _data_rows(data: Mapping[str, Any]) -> list[str]:
    if data["folder"] is None:
        return ["  not set; set TACTFUL_DATA to the folder with the corpora"]
    if not data["exists"]:
        return [f"  {data['folder']} (this folder does not exist)"]
    return [f"  {data['folder']}", f"  contains: {', '.join(data['folders']) or 'no sub-folders'}"]


def _printable(line: str) -> str:
    """Escape control characters: names of folders and values come from outside."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in line)


@click.command("doctor")
@option("--format output_format", "How to write the report.", ["text", "json"], "text")
@flag("--verbose -v", "Also show all dependencies, extras and settings.")
def doctor_cli(output_format: str, verbose: bool) -> None:
    """Show the version, the models, plug-ins, missing extras, the data folder and problems.

    The exit code is 1 when a required library is missing or too old, a setting has an invalid
    value, or two plug-ins claim one name.
    """
    report = doctor()
    echo_answer(output_format, report, lambda found: click.echo(render(found, verbose)))
    if report["problems"]:
        raise TactfulError(" ".join(f"{sentence.rstrip('.')}." for sentence in report["problems"]))
