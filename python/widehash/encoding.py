"""Rows in memory to codes."""

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
    """Encodes rows in memory as `widehash transform` encodes those of files: the same codes in training and serving.

        encoder = widehash.Encoder("schema.toml")
        x = encoder.encode(frame).csr()

    `schema` is a path or a Schema, `tables` the folder that fit() wrote, where an encoding needs it (exact, standardize). Immutable;
    threads may share one.
    """

    def __init__(self, schema: SchemaLike, tables: Optional[FilePath] = None) -> None:
        self._encoder = _core.Encoder(schema_of(schema), path_bytes("tables", tables))
        self._tables = None if tables is None else os.fsdecode(fixed_path("tables", tables))
        self._files: Optional[Dict[str, bytes]] = None  # what encoder_of_files() was given

    def __reduce__(self) -> Tuple[Any, ...]:
        """To other processes: the schema, and where the tables are, which have to be the same there; of tables
        that are on no disk, themselves."""
        if self._files is not None:
            return encoder_of_files, (self.schema, self._files, type(self))
        return _same_encoder, (type(self), self.schema, self._tables, self._encoder.tables_fingerprint)

    def __copy__(self) -> "Encoder":
        return self

    def __deepcopy__(self, memo: object) -> "Encoder":
        """Itself, as of all that cannot change: its tables may be others by now."""
        return self

    @property
    def schema(self) -> _core.Schema:
        return self._encoder.schema

    @property
    def fields(self) -> List[str]:
        """Names of the fields that the schema speaks of."""
        return self._encoder.fields

    @property
    def num_columns(self) -> int:
        """Columns of the matrix: those of all features side by side."""
        return self._encoder.num_columns

    def columns_of(self, feature: str) -> range:
        """The columns of one feature, as a range."""
        return self._encoder.columns_of(text("feature", feature))

    def encode(self, data: Table, *, max_bad_rows: int = 0, threads: Optional[int] = None) -> Batch:
        """Encodes a table, whose columns are found by the names of the schema's fields; others are not looked at.

        `data` is a pandas or Polars data frame, an Arrow or DuckDB table (all that speaks Arrow's C data interface, which costs no
        copy), a mapping of field name to column (arrays, lists), or a list of mappings, a row each.

        A value is hashed as its text: integers in decimal, integral floats as that integer, other floats as the shortest text that
        reads back, booleans as true and false; None, NaN and NA are missing. Columns of lists hold the values of multi-valued
        features. Text is taken as it is, but for the spaces around it where the schema has `trim`: `delimiter`, `quote` and
        `max_field_bytes` are about files. Times have no one text: convert them to what your files have.

        A label or a weight is read where the table has it. The first row with a label or a number that cannot be read raises DataError;
        up to `max_bad_rows` of them are left out instead and listed by `rejected`.
        """
        return Batch(self._encoder.encode(tables_of(data, self.fields), count("max_bad_rows", max_bad_rows), thread_count(threads)))

    def __repr__(self) -> str:
        return f"<widehash.Encoder of {len(self.schema.features)} features, {self.num_columns} columns>"


def _same_encoder(kind: Type[Encoder], schema: _core.Schema, tables: Optional[str], fingerprint: str) -> Encoder:
    encoder = kind(schema, tables)
    if encoder._encoder.tables_fingerprint != fingerprint:
        raise ConfigError(f"{tables}: the tables are not those that the encoder was made with")
    return encoder


def encoder_of_files(schema: _core.Schema, files: Dict[str, bytes], kind: Type[Encoder] = Encoder) -> Encoder:
    """An Encoder of tables that are on no disk, given as the contents of each file by its name. It keeps them
    for whoever pickles it."""
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
    """Hashes and buckets of values, by XXH64: (uint64[n], uint32[n, 4]), or with encoding="one_hot" (uint64[n], uint32[n]).

    `values` is a column as Encoder.encode() takes it. `cardinality` says how many values the feature can take; one_hot may
    be given its number of `buckets` instead. With hash="xxh3_128", for more than 2^32 values, hashes are uint64[n, 2]: the high half, then
    the low one.
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
            raise TypeError("four_split takes its width from `cardinality`; `buckets` are of one_hot")
        return _core.hash_four_split(column, cardinality, seed, is_wide)
    if encoding != "one_hot":
        raise TypeError(f"encoding is four_split or one_hot, not {encoding!r}")
    if buckets is None and cardinality is not None:
        buckets = 4 * _core.split_width(cardinality, is_wide)
    elif buckets is None or cardinality is not None:
        raise TypeError("one_hot takes either `buckets` or a `cardinality`")
    return _core.hash_one_hot(column, buckets, seed, is_wide)
