"""The files of a run through Hadoop's file systems, as the Spark session has set them up."""

from collections.abc import Iterator, Sequence
from glob import has_magic
from pathlib import Path
from typing import Any

from tactful.errors import InputError, UsageError
from tactful.scale.cluster.engine_errors import not_parquet
from tactful.scale.cluster.waves import InputFile, is_table
from tactful.scale.tables.formats import Format
from tactful.scale.tables.sources import is_remote

_RENAMING = ("file", "hdfs", "abfs", "abfss", "viewfs", "webhdfs")
"""The file systems that rename a folder in one step; object stores copy each file instead."""


class HadoopStore:
    """Reads and writes the files of a run from the driver."""

    def __init__(self, spark: Any, wished: Format):
        self._jvm = spark._jvm
        self._conf = spark._jsc.hadoopConfiguration()
        self._wished = wished

    def find(self, names: Sequence[str]) -> list[InputFile]:
        """Return the files that are named, those in folders, and those that a pattern finds."""
        files = [file for name in names for file in self._matches(name)]
        for file in files:
            # Spark takes such files for its own, and leaves them out without a word.
            if file.path.rpartition("/")[2].startswith((".", "_")):
                raise UsageError(
                    f"{file.path}: found a name that begins with '.' or '_', which Spark does not "
                    "read; expected another; rename the file, or pass --engine local or ray."
                )
        return files

    def place(self, name: str) -> str:
        """Return a path or address as ``find`` returns it."""
        system, path = self._open(name)
        return str(path.makeQualified(system.getUri(), system.getWorkingDirectory()).toString())

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; none if there is no such folder."""
        system, path = self._open(folder)
        if not system.exists(path):
            return []
        return sorted(each.getPath().getName() for each in system.listStatus(path))

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is no such file."""
        system, inner = self._open(path)
        if not system.exists(inner):
            return None
        stream = system.open(inner)
        try:
            return bytes(stream.readAllBytes())
        finally:
            stream.close()

    def columns(self, path: str) -> dict[str, str]:
        """Return the columns of a Parquet file, each with its type in words."""
        from py4j.protocol import Py4JJavaError

        hadoop = self._jvm.org.apache.parquet.hadoop
        try:
            reader = hadoop.ParquetFileReader.open(
                hadoop.util.HadoopInputFile.fromPath(self._open(path)[1], self._conf)
            )
        except Py4JJavaError as error:
            raise not_parquet(path, str(error.java_exception.getMessage())) from None
        try:
            fields = list(reader.getFooter().getFileMetaData().getSchema().getFields())
        finally:
            reader.close()
        return {each.getName(): _kind(each) for each in fields}

    def write(self, path: str, data: bytes) -> None:
        """Write a file atomically; an object store shows it when it is closed."""
        system, inner = self._open(path)
        target = inner
        if self.can_rename(path):
            target = self._path(inner.getParent(), f".{inner.getName()}.part")
        stream = system.create(target, True)
        stream.write(data)
        stream.close()
        if target != inner:
            system.delete(inner, False)
            system.rename(target, inner)

    def remove(self, name: str) -> None:
        """Remove a file, or a folder with its content, if it exists."""
        system, path = self._open(name)
        system.delete(path, True)

    def can_rename(self, folder: str) -> bool:
        """Say whether a folder is renamed atomically."""
        return self._open(folder)[0].getUri().getScheme() in _RENAMING

    def rename(self, old: str, new: str) -> None:
        """Rename a folder or a file."""
        system, path = self._open(old)
        if not system.rename(path, self._open(new)[1]):
            raise InputError(
                f"{old}: it cannot be renamed to {new}; check whether another program writes there."
            )

    def _open(self, name: str) -> tuple[Any, Any]:
        from py4j.protocol import Py4JJavaError

        path = self._path(with_scheme(name))
        try:
            return path.getFileSystem(self._conf), path
        except Py4JJavaError as error:
            said = str(error.java_exception.getMessage()).splitlines()[0]
            raise UsageError(
                f"{name}: the address cannot be opened ({said}); expected a path, or an address "
                "of a file system that the Spark session knows, such as s3a://, gs://, hdfs://."
            ) from None

    def _path(self, *parts: Any) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(*parts)

    def _matches(self, name: str) -> list[InputFile]:
        system, path = self._open(name)
        if system.exists(path):
            status = system.getFileStatus(path)
            if not status.isDirectory():
                return [_file(status)]
            files = sorted(self._walk(system, path), key=lambda file: file.path)
            if not files:
                raise InputError(
                    f"{name}: found no table in the folder; expected files that end in "
                    f"{self._wished.ending}."
                )
            return files
        if not has_magic(name):
            raise UsageError(f"There is no file or folder '{name}'; check the name.")
        found = [each for each in system.globStatus(path) or [] if not each.isDirectory()]
        if not found:
            raise UsageError(f"No file matches '{name}'; check the pattern.")
        return [_file(each) for each in found]

    def _walk(self, system: Any, folder: Any) -> Iterator[InputFile]:
        for each in system.listStatus(folder):
            name = each.getPath().getName()
            if each.isDirectory() and not name.startswith((".", "_")):
                yield from self._walk(system, each.getPath())
            elif not each.isDirectory() and is_table(name, self._wished):
                yield _file(each)


def with_scheme(name: str) -> str:
    """Return a name as an address: a bare path is on this machine's disk."""
    # Hadoop does not decode addresses: a space is a space, and not %20.
    if is_remote(name) or name.startswith("file:/"):
        return name  # Hadoop writes local files with one slash
    return f"file://{Path(name).expanduser().absolute()}"


def _kind(field: Any) -> str:
    """Return the type of a column in words; of lists and objects, that they are nested."""
    if not field.isPrimitive():
        return "a nested type"
    logical = field.getLogicalTypeAnnotation()
    return str(logical or field.asPrimitiveType().getPrimitiveTypeName())


def _file(status: Any) -> InputFile:
    return InputFile(
        status.getPath().toString(), status.getLen(), status.getModificationTime() * 1_000_000
    )
