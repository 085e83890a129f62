"""Read a YAML file into plain data and remember the line of every part of it.

PyYAML lets a repeated key overwrite the first one silently, and a model that refuses a value does
not know where it stood; both are answered here from the composed nodes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tactful.errors import TaxonomyError
from tactful.taxonomies.checks import Flaw, Location

# The C loader reads the stigma taxonomy about ten times faster, but not every build has it.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_MAX_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Source:
    """A YAML file: its data, and the nodes that know the lines."""

    file: str
    data: dict[str, Any]
    root: yaml.MappingNode

    def line(self, location: Location) -> int:
        """Return the line (from 1) of the part of the data at the location, or of its parent."""
        node: yaml.Node = self.root
        line = node.start_mark.line
        for part in location:
            step = _step(node, part)
            if step is not None:
                line, node = step
        return line + 1

    def repeated_keys(self) -> Iterator[tuple[int, Flaw]]:
        """Yield every key that a mapping holds twice, with its line."""
        todo: list[yaml.Node] = [self.root]
        visited: set[int] = set()
        while todo:
            node = todo.pop()
            if id(node) in visited:  # an anchor can be used many times, or hold itself
                continue
            visited.add(id(node))
            if isinstance(node, yaml.SequenceNode):
                todo.extend(node.value)
            elif isinstance(node, yaml.MappingNode):
                seen: set[object] = set()
                for key, value in node.value:
                    todo.append(value)
                    if isinstance(key, yaml.ScalarNode) and key.value in seen:
                        yield key.start_mark.line + 1, _repeated(key.value)
                    seen.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))


def _step(node: yaml.Node, part: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        item = node.value[part]
        return item.start_mark.line, item
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == part:
                return key.start_mark.line, value
    return None


def _repeated(key: str) -> Flaw:
    return Flaw(
        (), "repeated-key", f"the key '{key}' a second time", "every key once", "remove one of them"
    )


def read_source(path: Path) -> Source:
    """Read one YAML file; what cannot be read at all is one clear sentence."""
    file = str(path)
    text = _read_text(path)
    loader = _Loader(text)
    try:
        _refuse_deep_nesting(file, text)
        root = loader.get_single_node()
        data = loader.construct_document(root) if root is not None else None
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(file, error) from None
    except yaml.YAMLError as error:
        raise TaxonomyError(f"{file} is not YAML: {_one_line(str(error))}.") from None
    except ValueError as error:  # such as the date 2024-13-45
        raise TaxonomyError(f"{file} holds a value that YAML cannot read: {error}.") from None
    finally:
        loader.dispose()
    if data is None:
        raise TaxonomyError(f"{file} is empty; expected a taxonomy in YAML.")
    if not isinstance(data, dict):
        raise TaxonomyError(
            f"{file}, line {root.start_mark.line + 1}: found {_kind(data)} at the top; "
            "expected fields such as 'id', 'version' and 'entries'."
        )
    return Source(file, data, root)


def _refuse_deep_nesting(file: str, text: str) -> None:
    # The C loader composes by recursion and takes the whole process down with it.
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise TaxonomyError(
                f"{file}, line {event.start_mark.line + 1}: nested too deeply to be a taxonomy."
            )


def _read_text(path: Path) -> str:
    if not path.exists():
        raise TaxonomyError(f"There is no file '{path}'.")
    if path.is_dir():
        raise TaxonomyError(f"'{path}' is a folder; expected a YAML file.")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise TaxonomyError(f"'{path}' cannot be read: {error.strerror}.") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise TaxonomyError(
            f"{path}, line {line}: found the byte 0x{raw[error.start]:02x}, which is not UTF-8; "
            "save the file as UTF-8."
        ) from None


def _syntax_error(file: str, error: yaml.MarkedYAMLError) -> TaxonomyError:
    mark = error.problem_mark or error.context_mark
    where = "" if mark is None else f", line {mark.line + 1}"
    said = " ".join(part for part in (error.context, error.problem) if part)
    return TaxonomyError(f"{file}{where}: not valid YAML: {_one_line(said)}.")


def _one_line(message: str) -> str:
    return " ".join(message.split()).rstrip(".")


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    return f"the single value {value!r}"[:80]
