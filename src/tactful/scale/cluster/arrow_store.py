"""The files of a run through Arrow's file systems, which Ray reads and writes with."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from tactful.errors import InputError, OutputError, TactfulError, UsageError
from tactful.scale.cluster.addresses import split_address
from tactful.scale.cluster.engine_errors import not_parquet
from tactful.scale.cluster.waves import InputFile, is_table
from tactful.scale.tables.formats import Format
from tactful.scale.tables.sources import is_remote
from tactful.scale.tables.where import first_line

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

_RENAMING = ("local", "hdfs", "abfs")
"""The file systems that rename a folder in one step; object stores copy each file instead."""


class ArrowStore:
    """Reads and writes the files of a run; input and output may lie in different places."""

    def __init__(self, wished: Format):
        self._wished = wished

    def find(self, names: Sequence[str]) -> list[InputFile]:
        """Return the files that are named, those in folders, and those that a pattern finds."""
        files: list[InputFile] = []
        for name in names:
            with _told(name, "read", InputError):
                files += self._found(name)
        return files

    def place(self, name: str) -> str:
        """Return a path or address as ``find`` returns it."""
        return _address(file_system(name)[1], name)

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; none if there is no such folder."""
        from pyarrow.fs import FileSelector

        system, path = file_system(folder)
        with _told(folder, "listed", InputError):
            found = system.get_file_info(FileSelector(path, allow_not_found=True))
        return sorted(each.base_name for each in found)

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is no such file."""
        system, inner = file_system(path)
        with _told(path, "read", InputError):
            try:
                with system.open_input_stream(inner, compression=None) as file:
                    data: bytes = file.read()
            except FileNotFoundError:
                return None
        return data

    def columns(self, path: str) -> dict[str, str]:
        """Return the columns of a Parquet file, each with its type in words."""
        from pyarrow import parquet
        from pyarrow.lib import ArrowException

        system, inner = file_system(path)
        with _told(path, "read", InputError):
            try:
                schema = parquet.read_schema(inner, filesystem=system)
            except ArrowException as error:
                raise not_parquet(path, str(error)) from None
        # Texts are the same in any of Arrow's ways to lay them out, and lists whatever the writer
        # calls what is in them.
        same = re.compile(r"large_|_view|(?<=list<)\w+: ")
        return {each.name: same.sub("", str(each.type)) for each in schema}

    def write(self, path: str, data: bytes) -> None:
        """Write a file atomically; an object store shows it when it is closed."""
        system, inner = file_system(path)
        folder, _, name = inner.rpartition("/")
        renames = self.renames(system)
        target = f"{folder}/.{name}.{uuid4().hex[:8]}.part" if renames else inner
        with _told(path, "written", OutputError):
            system.create_dir(folder)
            with system.open_output_stream(target, compression=None) as file:
                file.write(data)
            if renames:
                system.move(target, inner)

    def remove(self, name: str) -> None:
        """Remove a file, or a folder with its content, if it exists."""
        from pyarrow.fs import FileType

        system, path = file_system(name)
        with _told(name, "removed", OutputError):
            kind = system.get_file_info(path).type
            if kind == FileType.Directory:
                system.delete_dir(path)
            elif kind == FileType.File:
                system.delete_file(path)

    def can_rename(self, folder: str) -> bool:
        """Say whether a folder is renamed atomically."""
        return self.renames(file_system(folder)[0])

    @staticmethod
    def renames(system: "FileSystem") -> bool:
        """Say whether a file system gives files other names without a copy."""
        return system.type_name in _RENAMING

    def rename(self, old: str, new: str) -> None:
        """Rename a folder."""
        system, path = file_system(old)
        with _told(old, "renamed", OutputError):
            system.move(path, file_system(new)[1])

    def _found(self, name: str) -> list[InputFile]:
        from pyarrow.fs import FileSelector, FileType

        system, path = file_system(name)
        info = system.get_file_info(path)
        if info.type == FileType.File:
            return [_file(info, name, path)]
        if info.type == FileType.Directory:
            found = system.get_file_info(FileSelector(path, recursive=True))
            files = [each for each in found if each.is_file and self._is_read(each.path, path)]
            if not files:
                raise InputError(
                    f"{name}: found no table in the folder; expected files that end in "
                    f"{self._wished.ending}."
                )
            return [_file(each, name, path) for each in sorted(files, key=lambda e: e.path)]
        if not has_magic(path):
            raise UsageError(f"There is no file or folder '{name}'; check the name.")
        base = path[: re.search(r"[*?\[]", path).start()].rpartition("/")[0]  # type: ignore[union-attr]
        found = system.get_file_info(FileSelector(base, allow_not_found=True, recursive=True))
        wanted = re.compile(pattern(path))
        files = [each for each in found if each.is_file and wanted.fullmatch(each.path)]
        if not files:
            raise UsageError(f"No file matches '{name}'; check the pattern.")
        return [_file(each, name, path) for each in sorted(files, key=lambda e: e.path)]

    def _is_read(self, path: str, folder: str) -> bool:
        inside = path[len(folder) :].strip("/").split("/")
        hidden = any(part.startswith((".", "_")) for part in inside)
        return not hidden and is_table(path, self._wished)


def file_system(name: str) -> "tuple[FileSystem, str]":
    """Return the file system of a path or address, and the path in it."""
    from pyarrow.fs import FileSystem, LocalFileSystem
    from pyarrow.lib import ArrowException

    if not is_remote(name):
        return LocalFileSystem(), str(Path(name).expanduser().absolute())
    try:
        found: tuple[FileSystem, str] = FileSystem.from_uri(split_address(name).address)
    except (ArrowException, OSError, ValueError) as error:
        raise UsageError(
            f"{name}: the address cannot be opened ({first_line(error)}); expected a path, or an "
            "address of a file system that Arrow knows, such as s3://, gs://, hdfs:// or abfs://."
        ) from None
    return found


def pattern(path: str) -> str:
    """Return a pattern of file names as a regular expression; only ``**`` goes into folders."""
    found = ""
    for part in re.findall(r"\*\*/?|\*|\?|\[!?\]?[^\]]*\]|.", path, re.DOTALL):
        if part.startswith("**"):
            found += "(?:.*/)?" if part.endswith("/") else ".*"
        elif part in ("*", "?"):
            found += "[^/]*" if part == "*" else "[^/]"
        elif part.startswith("[") and len(part) > 1:
            found += _one_of(part)
        else:
            found += re.escape(part)
    return found


def _one_of(part: str) -> str:
    """Return ``[a-z]`` or ``[!a-z]`` as a regular expression; if it is none, its own letters."""
    inside = part[1:-1]
    letters = re.escape(inside.removeprefix("!")).replace(r"\-", "-")
    found = f"[^/{letters}]" if inside.startswith("!") else f"[{letters}]"
    try:
        re.compile(found)
    except re.error:
        return re.escape(part)
    return found


def _file(info: "FileInfo", name: str, path: str) -> InputFile:
    """Return a file under the address by which it can be opened again."""
    return InputFile(_address(path, name, info.path), info.size, info.mtime_ns)


def _address(inner: str, name: str, listed: str | None = None) -> str:
    """Return the address of a file that a file system lists, or of the name itself."""
    listed = inner if listed is None else listed
    return split_address(name).listed(inner, listed) if is_remote(name) else listed


@contextmanager
def _told(name: str, what: str, kind: type[TactfulError]) -> Iterator[None]:
    """Report a file system error, such as a wrong key or a missing bucket, in one sentence."""
    try:
        yield
    except OSError as error:
        raise kind(f"{name}: it cannot be {what} ({first_line(error)}).") from None
