"""Encoding of rows in memory."""

import os
import tempfile
from typing import Any, Dict, Iterable, List, Optional, Tuple, Type

import numpy
from numpy.typing import NDArray

from . import _core
from .arguments import FilePath, SchemaLike, count, fixed_path, path_bytes, text, thread_count
from .batch import Batch
from .columns import Table, column_of, tables_of
from .errors import ConfigError
from .schema import schema_of


class Encoder:
    """Encodes rows in memory exactly as `widehash transform` encodes rows of files.

    Training and serving therefore use the same codes. An Encoder is immutable, and
    threads may share one.

    Parameters
    ----------
    schema : Schema or path
        The schema, or the path of its file.
    tables : path, optional
        Folder that `fit()` wrote. Required if an encoding needs lookup tables (`exact`,
        `standardize`).

    Examples
    --------
    >>> encoder = widehash.Encoder("schema.toml")
    >>> x = encoder.encode(frame).csr()
    """

    def __init__(self, schema: SchemaLike, tables: Optional[FilePath] = None) -> None:
        self._encoder = _core.Encoder(schema_of(schema), path_bytes("tables", tables))
        self._tables = None if tables is None else os.fsdecode(fixed_path("tables", tables))
        self._files: Optional[Dict[str, bytes]] = None  # the argument of encoder_of_files()

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickle the schema and the path of the tables, or the tables themselves if they are not on disk.

        Tables on disk must be unchanged where the Encoder is unpickled.
        """
        if self._files is not None:
            return encoder_of_files, (self.schema, self._files, type(self))
        return _same_encoder, (type(self), self.schema, self._tables, self._encoder.tables_fingerprint)

    def __copy__(self) -> "Encoder":
        return self

    def __deepcopy__(self, memo: object) -> "Encoder":
        """Return the encoder itself, since it is immutable and its tables on disk may have changed since."""
        return self

    @property
    def schema(self) -> _core.Schema:
        """The schema that rows are encoded with."""
        return self._encoder.schema

    @property
    def fields(self) -> List[str]:
        """Names of the fields that the schema mentions."""
        return self._encoder.fields

    @property
    def num_columns(self) -> int:
        """Number of columns of the matrix, which has the columns of all features side by side."""
        return self._encoder.num_columns

    def columns_of(self, feature: str) -> range:
        """Return the columns of one feature, as a range."""
        return self._encoder.columns_of(text("feature", feature))

    def encode(self, data: Table, *, max_bad_rows: int = 0, threads: Optional[int] = None) -> Batch:
        """Encode a table. Columns are found by the names of the schema's fields; others are not read.

        Parameters
        ----------
        data : table
            A pandas or Polars data frame; an Arrow or DuckDB table, or any other object
            with Arrow's C data interface, which is read without copying; a mapping of
            field name to column (arrays, lists); or a list of mappings, one for each
            row.
        max_bad_rows : int, default 0
            Number of bad rows to leave out before raising DataError. A row is bad if
            its label or a number cannot be read. `rejected` of the result lists them.
        threads : int, optional
            Number of threads; None for all.

        Returns
        -------
        Batch
            The encoded rows, with labels and weights if the table has them.

        Raises
        ------
        DataError
            At the first bad row beyond `max_bad_rows`.

        Notes
        -----
        A value is hashed as its text. Integers are written in decimal, integral floats
        as that integer, other floats as the shortest text that reads back, and booleans
        as `true` and `false`. None, NaN and NA are missing. Columns of lists hold the
        values of multi-valued features.

        Text is hashed as it is, except that `trim` in the schema strips the spaces
        around it. `delimiter`, `quote` and `max_field_bytes` apply to files only.

        Times without a zone or in UTC are hashed as `2026-11-28 18:30:00`, and dates as
        `2026-11-28`. Durations, times of day and times of another zone have no single
        text: convert them to the text that your files have.
        """
        return Batch(self._encoder.encode(tables_of(data, self.fields), count("max_bad_rows", max_bad_rows), thread_count(threads)))

    def __repr__(self) -> str:
        return f"<widehash.Encoder of {len(self.schema.features)} features, {self.num_columns} columns>"


def _same_encoder(kind: Type[Encoder], schema: _core.Schema, tables: Optional[str], fingerprint: str) -> Encoder:
    encoder = kind(schema, tables)
    if encoder._encoder.tables_fingerprint != fingerprint:
        raise ConfigError(f"{tables}: the tables are not those the encoder was made with")
    return encoder


def encoder_of_files(schema: _core.Schema, files: Dict[str, bytes], kind: Type[Encoder] = Encoder) -> Encoder:
    """Make an Encoder from lookup tables that are not on disk.

    `files` maps file names to contents. The Encoder keeps them for pickling.
    """
    with tempfile.TemporaryDirectory(prefix="widehash-") as folder:
        for name, content in files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        encoder = kind(schema, folder)
    encoder._tables = None
    encoder._files = files
    return encoder


def hash_values(values: Iterable[Any], *, cardinality: Optional[int] = None, encoding: str = "four_split",
                buckets: Optional[int] = None, seed: int = 0, hash: str = "xxh64") -> Tuple[NDArray[numpy.uint64], NDArray[numpy.uint32]]:
    """Hash values with XXH64 and return their hashes and buckets.

    Parameters
    ----------
    values : column
        Any column that `Encoder.encode()` takes.
    cardinality : int, optional
        Number of distinct values that the feature can take. Determines the width.
        Required for `four_split`.
    encoding : {"four_split", "one_hot"}, default "four_split"
        How buckets are derived from a hash.
    buckets : int, optional
        Number of buckets, for `one_hot` only, instead of `cardinality`.
    seed : int, default 0
        Seed of the hash.
    hash : {"xxh64", "xxh3_128"}, default "xxh64"
        Hash function. Use "xxh3_128" for more than 2^32 values.

    Returns
    -------
    hashes : numpy.ndarray
        uint64[n]; with "xxh3_128" uint64[n, 2], the high half before the low half.
    buckets : numpy.ndarray
        uint32[n, 4]; with "one_hot" uint32[n].
    """
    column = column_of(values)
    seed = count("seed", seed)
    if hash not in ("xxh64", "xxh3_128"):
        raise ConfigError(f"hash = {hash!r}: must be 'xxh64' or 'xxh3_128'")
    is_wide = hash == "xxh3_128"
    cardinality = None if cardinality is None else count("cardinality", cardinality)
    buckets = None if buckets is None else count("buckets", buckets)
    if encoding == "four_split":
        if cardinality is None or buckets is not None:
            raise TypeError("four_split takes its width from `cardinality`; `buckets` is only for one_hot")
        return _core.hash_four_split(column, cardinality, seed, is_wide)
    if encoding != "one_hot":
        raise TypeError(f"encoding must be four_split or one_hot, not {encoding!r}")
    if buckets is None and cardinality is not None:
        buckets = 4 * _core.split_width(cardinality, is_wide)
    elif buckets is None or cardinality is not None:
        raise TypeError("one_hot takes either `buckets` or a `cardinality`")
    return _core.hash_one_hot(column, buckets, seed, is_wide)


def folds_of(values: Iterable[Any], num_folds: int) -> NDArray[numpy.uint32]:
    """Assign rows to folds by one of their values, as `--fold-by` does for rows of text.

    The fold depends only on the value: all rows of a user land in one fold, today and tomorrow, here and in
    `transform`.

    Parameters
    ----------
    values : column
        Any column that `Encoder.encode()` takes. A missing value counts as empty text.
        If the schema has `trim = true`, strip texts first, as `transform` does.
    num_folds : int
        Number of folds, for example 10.

    Returns
    -------
    numpy.ndarray
        uint32[n]: the fold of each row, from 1 to `num_folds`.

    Examples
    --------
    Nine folds of ten to train on, the tenth to judge by:

    >>> is_valid = widehash.folds_of(frame["user"], 10) == 10
    >>> train, valid = frame[~is_valid], frame[is_valid]
    """
    num_folds = count("num_folds", num_folds)
    if not 1 <= num_folds < 2**32:
        raise ConfigError(f"num_folds = {num_folds}: must be a whole number from 1 to {2**32 - 1}")
    return _core.folds_of(column_of(values), num_folds)
