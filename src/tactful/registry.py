"""Names that users type, and the objects behind them, imported only when asked for.

A registry with a ``group`` also has the names that other packages add by entry point::

    [project.entry-points."tactful.detectors"]
    my-detector = "my_package:open_my_detector"

Entry points are read when a name is not built in or when all names are listed, never earlier.
"""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from tactful.errors import PluginError, TactfulError, UnknownNameError

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from importlib.metadata import EntryPoint
    from types import ModuleType

T = TypeVar("T")

GROUP_PREFIX = "tactful."
"""Starts the name of each group of entry points."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point of another package."""

    group: str
    name: str
    package: str
    version: str
    entry_point: "EntryPoint"

    def __str__(self) -> str:
        """Name the package and the entry point, as messages start."""
        return (
            f"The package '{self.package}' {self.version}, entry point "
            f"'{self.name} = {self.entry_point.value}' of '{self.group}'"
        )

    def run(self, function: Callable[[], T]) -> T:
        """Call a function of the plug-in; what it raises becomes one sentence.

        A plug-in is somebody else's code: it may raise anything, and may even exit.
        """
        try:
            return function()
        except (Exception, SystemExit) as error:
            known = isinstance(error, TactfulError)
            reason = f"{error}" if known else f"{type(error).__name__}: {error}"
            reason = " ".join(reason.split()).rstrip(".: ")
            raise PluginError(
                f"{self} cannot be loaded: {reason}; update or uninstall the package."
            ) from error


class Registry(Generic[T]):
    """A table of names -> ``"module:object"``, or the object itself.

    >>> greetings = Registry[str]("greeting", {"doc": "tactful.registry:__doc__"})
    >>> greetings.get("doc").split()[0]
    'Names'

    Parameters
    ----------
    kind
        What the names are names of, for messages.
    entries
        The built-in names. A plug-in cannot replace them.
    group
        The group of entry points, without ``tactful.``, through which other packages add names;
        None for no plug-ins.
    accept
        Turns the object that an entry point names into what :meth:`get` returns; raises
        ``TypeError`` with what was expected.
    reserved
        Further names that a plug-in cannot have.

    """

    def __init__(
        self,
        kind: str,
        entries: Mapping[str, str | T],
        *,
        group: str | None = None,
        accept: Callable[[Any], T] | None = None,
        reserved: Collection[str] = (),
    ):
        self.kind, self.group = kind, group
        self.built_in = tuple(entries)
        self._entries = dict(entries)
        self._accept = accept
        self._reserved = {*entries, *reserved}

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._claims()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def names(self) -> list[str]:
        """Return the built-in names in the order of the table, then those of plug-ins."""
        return [*self._entries, *self.plugin_names()]

    def plugin_names(self) -> list[str]:
        """Return the names that other packages add, in alphabetical order."""
        return sorted(self._claims())

    def get(self, name: str) -> T:
        """Import and return the object of a name; an unknown name raises an error with the list."""
        if name not in self._entries:
            return self.get_plugin(name)
        target = self._entries[name]
        if not isinstance(target, str):
            return target
        module, _, attribute = target.partition(":")
        found = getattr(_imported(module, f"The {self.kind} '{name}'"), attribute)
        return cast(T, found)

    def get_plugin(self, name: str) -> T:
        """Load what a plug-in adds under a name."""
        plugin = self.plugin(name)

        def load() -> T:
            found = plugin.entry_point.load()
            return cast(T, found) if self._accept is None else self._accept(found)

        return plugin.run(load)

    def plugin(self, name: str) -> Plugin:
        """Return the entry point of a name, without loading it; refuse a name with two owners."""
        claims = self._claims().get(name)
        if claims is None:
            raise unknown_name(self.kind, name, self.names())
        if len(claims) > 1:
            raise PluginError(_claimed_twice(self.kind, claims))
        return claims[0]

    def plugin_problems(self) -> list[str]:
        """Say which plug-ins are never used because their name is taken, without loading any."""
        return [
            *(
                f"{plugin} cannot replace the built-in {self.kind} '{plugin.name}'; rename the "
                "entry point or uninstall the package."
                for plugin in installed_plugins(self.group)
                if plugin.name in self._reserved
            ),
            *(
                _claimed_twice(self.kind, claims)
                for claims in self._claims().values()
                if len(claims) > 1
            ),
        ]

    def _claims(self) -> dict[str, list[Plugin]]:
        """Return the plug-ins by name, without those that have the name of a built-in one."""
        claims: dict[str, list[Plugin]] = {}
        for plugin in installed_plugins(self.group):
            if plugin.name not in self._reserved:
                claims.setdefault(plugin.name, []).append(plugin)
        return claims


@cache
def installed_plugins(group: str | None) -> tuple[Plugin, ...]:
    """Return the entry points of a group (without ``tactful.``), from the packages' metadata."""
    if group is None:
        return ()
    from importlib.metadata import entry_points

    found = []
    for entry in entry_points(group=f"{GROUP_PREFIX}{group}"):
        package = entry.dist.name if entry.dist is not None else "unknown"
        version = entry.dist.version if entry.dist is not None else "unknown"
        found.append(Plugin(entry.group, entry.name, package, version, entry))
    return tuple(sorted(found, key=lambda each: (each.name, each.package)))


def lazy_names(
    package: str, table: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that imports a name when it is used.

    ``table`` maps the modules below the package to their public names. A name must not be that of
    its module: importing the module would hide it.
    """
    modules = {name: module for module, names in table.items() for name in names}

    def find(name: str) -> Any:
        if name in modules:
            module = _imported(f"{package}.{modules[name]}", f"{package}.{name}")
            return getattr(module, name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, lambda: sorted(sys.modules[package].__all__)


def _imported(module: str, purpose: str) -> "ModuleType":
    """Import a module; the missing library of an extra is one sentence, which starts so."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        from tactful.libraries import missing_extra

        missing = missing_extra(error, purpose)
        if missing is None:
            raise
        raise missing from None


class _MovedNames:
    """Python asks it for modules below ``tactful`` that nothing else finds: old names."""

    @staticmethod
    def find_spec(fullname: str, path: Any, target: Any = None) -> "ModuleSpec | None":
        if not fullname.startswith("tactful."):
            return None
        from tactful.moved import find_moved

        return find_moved(fullname)


def find_moved_names() -> None:
    """Let Python find modules by the names that they had before."""
    if _MovedNames not in sys.meta_path:
        sys.meta_path.append(_MovedNames)


def data_file(found: Any) -> Path:
    """Accept the path of a data file, which is what entry points of probes and protocols name."""
    if not isinstance(found, Path):
        raise TypeError(f"found {found!r}; expected a pathlib.Path of a YAML file")
    if not found.is_file():
        raise TypeError(f"found no file '{found}'; expected a YAML file in the package")
    return found


def _claimed_twice(kind: str, claims: list[Plugin]) -> str:
    packages = " and ".join(f"'{plugin.package}' {plugin.version}" for plugin in claims)
    return (
        f"The packages {packages} both add a {kind} named '{claims[0].name}' (entry points of "
        f"'{claims[0].group}'); uninstall one of them."
    )


def unknown_name(kind: str, name: str, known: list[str]) -> UnknownNameError:
    """Build the error that names the nearest match and lists what is known."""
    by_folded_name = {candidate.casefold(): candidate for candidate in known}
    close = get_close_matches(name.casefold(), by_folded_name, n=1, cutoff=0.5)
    return UnknownNameError(kind, name, known, by_folded_name[close[0]] if close else None)
