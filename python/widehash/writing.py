"""Writers for rows in memory: datasets to train on, and lookup tables."""

import os
import threading
from types import TracebackType
from typing import Callable, Iterable, Optional, Type, TypeVar, Union

from . import _core
from .arguments import FilePath, SchemaLike, count, fixed_path, flag, thread_count
from .batch import Batch
from .columns import Table, each_table
from .dataset import Dataset
from .encoding import Encoder
from .errors import ConfigError
from .schema import schema_of
from .tables import LookupTables

_Part = TypeVar("_Part", _core.ColumnTable, _core.Batch)


class _Writer:
    """Base class of both writers. `with` finishes one, or discards what it wrote if the body raises."""

    _kind: str
    _writer: Union[_core.DatasetWriter, _core.TableSetWriter]

    def __init__(self, directory: FilePath) -> None:
        self._place = fixed_path("directory", directory)
        self._directory = os.fsdecode(directory)
        self._state = "open"
        # Keeps the batches of one call together when several threads append.
        self._lock = threading.RLock()

    def discard(self) -> None:
        """Remove what was written. Does nothing after `finish()`."""
        if self._state != "finished":
            self._state = "discarded"
        self._writer.discard()

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        if error is not None:
            self._fail(error)
        elif self._state not in ("finished", "discarded"):
            self._finish()

    def _append_each(self, parts: Iterable[_Part], append: Callable[[_Part], None]) -> None:
        """Append parts one by one, because a stream may be larger than memory.

        If a part other than the first fails, those before it are useless, and the
        output is discarded.
        """
        with self._lock:
            self._require_open()
            has_begun = False
            try:
                for part in parts:
                    append(part)
                    has_begun = True
            except BaseException as error:
                if has_begun or not self._writer.is_open:
                    self._fail(error)
                raise

    def _finish(self) -> None:
        with self._lock:
            self._require_open()
            try:
                self._writer.finish()
            except BaseException as error:
                self._fail(error)
                raise
            self._state = "finished"

    def _fail(self, error: BaseException) -> None:
        if self._state == "open":
            self._state = f"discarded because of {type(error).__name__}: {error}".rstrip(": ")
        self._writer.discard()

    def _require_open(self) -> None:
        if self._state != "open":
            raise ConfigError(f"{self._directory}: {self._kind} {self._state}; make another writer")

    def __repr__(self) -> str:
        return f"<widehash.{type(self).__name__} {self._directory!r}, {self._state}>"


class DatasetWriter(_Writer):
    """Writes rows in memory as a dataset, batch by batch, as `transform()` does with files.

    The dataset is in place when `finish()` returns, which is called at the end of a
    `with` block. If the block raises, what was written is removed, and so is the folder
    if the writer made it. A dataset that was to be replaced is left as it was. The
    shards depend neither on how the rows are divided into batches nor on threads.

    Parameters
    ----------
    encoder : Encoder
        Encodes the rows.
    directory : path
        Folder for the dataset.
    max_bad_rows : int, default 0
        Number of bad rows to leave out and list before giving up.
    shard_bytes : int
        Approximate bytes of encoded rows in a shard.
    overwrite : bool, default False
        Replace a dataset, or the remains of an unfinished run. A dataset is kept until
        the new one is complete.

    Raises
    ------
    ConfigError
        If the folder holds something else.
    FileError
        If a file cannot be written.

    Examples
    --------
    >>> with widehash.DatasetWriter(encoder, "train") as writer:
    ...     for rows in pyarrow.parquet.ParquetFile("clicks.parquet").iter_batches():
    ...         writer.append(rows)
    >>> widehash.train("train", "clicks.model")
    """

    _kind = "the dataset was"
    _writer: _core.DatasetWriter

    def __init__(self, encoder: Encoder, directory: FilePath, *, max_bad_rows: int = 0,
                 shard_bytes: int = _core.default_shard_bytes, overwrite: bool = False) -> None:
        if not isinstance(encoder, Encoder):
            raise TypeError(f"encoder = {encoder!r}: must be an Encoder, not {type(encoder).__name__}")
        super().__init__(directory)
        self._writer = _core.DatasetWriter(encoder._encoder, self._place,
                                           count("max_bad_rows", max_bad_rows), count("shard_bytes", shard_bytes),
                                           flag("overwrite", overwrite))
        self._encoder = encoder

    def append(self, data: Union[Table, Batch], *, threads: Optional[int] = None) -> None:
        """Append the rows of a table or of a Batch.

        Parameters
        ----------
        data : table or Batch
            A table, as `Encoder.encode()` takes it, with the label and the weight that
            the schema has; or a Batch with the same schema, whose `rejected` rows count
            as bad. A stream (a `pyarrow.RecordBatchReader`, a DuckDB relation) is read
            batch by batch.
        threads : int, optional
            Number of threads; None for all.

        Raises
        ------
        DataError
            If there are too many bad rows. `row` counts the rows of all tables.
        FileError
            If a file cannot be written.
        ConfigError
            If a value has no text, a field is missing, or the rows have another schema.

        Notes
        -----
        A missing field or another schema changes nothing. The other errors discard the
        dataset, as does any exception that a stream raises after its first batch.
        """
        if isinstance(data, Batch):
            self._append_each([data._rows], self._writer.append_batch)
        else:
            most = thread_count(threads)
            self._append_each(each_table(data, self._encoder.fields), lambda table: self._writer.append_tables([table], most))

    def finish(self) -> Dataset:
        """Put the dataset in place and open it."""
        self._finish()
        return Dataset(self._place)

    def __enter__(self) -> "DatasetWriter":
        return self


class LookupTablesWriter(_Writer):
    """Writes lookup tables of rows in memory, counted batch by batch, as `fit()` does with files.

    Parameters
    ----------
    schema : Schema or path
        The schema, or the path of its file.
    directory : path
        Folder for the tables.
    max_bad_rows : int, default 0
        Number of bad rows to leave out and list before giving up.
    memory_bytes : int
        Memory for counting, in bytes. If the values need more, they are spilled to
        disk.
    overwrite : bool, default False
        Replace existing tables, which are kept until the new ones are complete.

    Raises
    ------
    ConfigError
        If the folder holds something else.
    FileError
        If a file cannot be written.

    Examples
    --------
    >>> with widehash.LookupTablesWriter(schema, "tables") as writer:
    ...     for rows in batches:
    ...         writer.append(rows)
    >>> encoder = widehash.Encoder(schema, "tables")
    """

    _kind = "the tables were"
    _writer: _core.TableSetWriter

    def __init__(self, schema: SchemaLike, directory: FilePath, *, max_bad_rows: int = 0,
                 memory_bytes: int = _core.default_memory_bytes, overwrite: bool = False) -> None:
        known = schema_of(schema)
        super().__init__(directory)
        self._writer = _core.TableSetWriter(known, self._place, count("max_bad_rows", max_bad_rows),
                                            count("memory_bytes", memory_bytes), flag("overwrite", overwrite))
        self._fields = self._writer.fields

    def append(self, data: Table, *, threads: Optional[int] = None) -> None:
        """Count the values of a table's rows.

        Parameters
        ----------
        data : table
            A table, as `Encoder.encode()` takes it, with the label and the weight that
            the schema has. A stream is read batch by batch.
        threads : int, optional
            Number of threads; None for all.

        Raises
        ------
        DataError
            If there are too many bad rows. `row` counts the rows of all tables.
        FileError
            If a file cannot be written.
        ConfigError
            If a column cannot be read, or if a field is missing.

        Notes
        -----
        A missing field changes nothing. After any of the other errors, and after an
        exception that a stream raises after its first batch, no tables are written.
        """
        most = thread_count(threads)
        self._append_each(each_table(data, self._fields), lambda table: self._writer.append_tables([table], most))

    def finish(self) -> LookupTables:
        """Write the tables, put them in place and open them."""
        self._finish()
        return LookupTables(self._place)

    def __enter__(self) -> "LookupTablesWriter":
        return self
