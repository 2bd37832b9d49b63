"""Rows in memory as what the jobs make of files: datasets to train on, and lookup tables."""

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
    """What both have in common: `with` finishes them, or discards what was made where its body raises."""

    _kind: str
    _writer: Union[_core.DatasetWriter, _core.TableSetWriter]

    def __init__(self, directory: FilePath) -> None:
        self._place = fixed_path("directory", directory)
        self._directory = os.fsdecode(directory)
        self._state = "open"
        # The batches of one call stay together also where several threads append.
        self._lock = threading.RLock()

    def discard(self) -> None:
        """Removes what was made. Does nothing after finish()."""
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
        """One by one, for a stream may be larger than memory. Where one that is not the first fails, those before it are of no use."""
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
    """Writes rows in memory as a dataset, batch by batch, as `transform` writes those of files.

        with widehash.DatasetWriter(encoder, "train") as writer:
            for rows in pyarrow.parquet.ParquetFile("clicks.parquet").iter_batches():
                writer.append(rows)
        widehash.train("train", "clicks.model")

    encoder       an Encoder
    directory     folder for the dataset
    max_bad_rows  bad rows to leave out and list before giving up
    shard_bytes   of encoded rows to a shard, about
    overwrite     replace a dataset, or what an unfinished run has left; it is there until the new one is whole

    The dataset is there when finish() returns, as the end of `with` calls it. Where the body of `with` raises, what was written is removed,
    and the folder too where it was made for it; a dataset that was to be replaced stands as it was. The shards depend neither
    on how rows are cut into batches, nor on threads. Raises ConfigError (the folder holds something else), FileError.
    """

    _kind = "the dataset was"
    _writer: _core.DatasetWriter

    def __init__(self, encoder: Encoder, directory: FilePath, *, max_bad_rows: int = 0,
                 shard_bytes: int = _core.default_shard_bytes, overwrite: bool = False) -> None:
        if not isinstance(encoder, Encoder):
            raise TypeError(f"encoder = {encoder!r}: an Encoder is needed, not {type(encoder).__name__}")
        super().__init__(directory)
        self._writer = _core.DatasetWriter(encoder._encoder, self._place,
                                           count("max_bad_rows", max_bad_rows), count("shard_bytes", shard_bytes),
                                           flag("overwrite", overwrite))
        self._encoder = encoder

    def append(self, data: Union[Table, Batch], *, threads: Optional[int] = None) -> None:
        """Adds the rows of a table as Encoder.encode() takes it, with the label and the weight that the schema has, or a Batch of the
        same schema, whose `rejected` rows count among those that are bad. A stream (a pyarrow.RecordBatchReader, a relation of DuckDB) is
        read batch by batch.

        Raises DataError for the bad row that is one too many, whose `row` counts those of all tables, FileError, ConfigError for a value
        that has no text, and what a stream raises after its first batch: the dataset is discarded then. ConfigError where a field is
        missing or the rows are of another schema, which changes nothing."""
        if isinstance(data, Batch):
            self._append_each([data._rows], self._writer.append_batch)
        else:
            most = thread_count(threads)
            self._append_each(each_table(data, self._encoder.fields), lambda table: self._writer.append_tables([table], most))

    def finish(self) -> Dataset:
        """Puts the dataset in place."""
        self._finish()
        return Dataset(self._place)

    def __enter__(self) -> "DatasetWriter":
        return self


class LookupTablesWriter(_Writer):
    """Counts the values of rows in memory, batch by batch, and writes their lookup tables, as `fit` does with files.

        with widehash.LookupTablesWriter(schema, "tables") as writer:
            for rows in batches:
                writer.append(rows)
        encoder = widehash.Encoder(schema, "tables")

    schema        a Schema, or the path of one
    directory     folder for the tables
    max_bad_rows  bad rows to leave out and list before giving up
    memory_bytes  for counting; more values go through the disk
    overwrite     replace tables that are there, which stay until the new ones are whole

    Raises ConfigError (the folder holds something else), FileError.
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
        """Counts the rows of a table as Encoder.encode() takes it, with the label and the weight that the schema has. A stream is read batch
        by batch.

        Raises DataError for the bad row that is one too many, whose `row` counts those of all tables, FileError, ConfigError for a column
        that cannot be read, and what a stream raises after its first batch: nothing is written then. ConfigError where a field is missing,
        which changes nothing."""
        most = thread_count(threads)
        self._append_each(each_table(data, self._fields), lambda table: self._writer.append_tables([table], most))

    def finish(self) -> LookupTables:
        """Writes the tables and puts them in place."""
        self._finish()
        return LookupTables(self._place)

    def __enter__(self) -> "LookupTablesWriter":
        return self
