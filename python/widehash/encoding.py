"""Rows in memory to codes and sparse matrices."""

import operator
import os
from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Optional, SupportsIndex, Tuple, Type, Union

import numpy
from numpy.typing import NDArray

from . import _core
from .arguments import FilePath, SchemaLike, count, needed_path, path_bytes, text, thread_count
from .columns import Table, column_of, tables_of
from .errors import ConfigError
from .schema import schema_of

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Batch:
    """Encoded rows: what Encoder.encode() and the shards of a Dataset give. Immutable."""

    def __init__(self, rows: _core.Batch) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def num_columns(self) -> int:
        """Columns of csr()."""
        return self._rows.num_columns

    @property
    def targets(self) -> Optional[NDArray[numpy.float32]]:
        """float32, one a row: the label as the model sees it (of classes their number); None where the rows had none."""
        return self._rows.targets

    @property
    def weights(self) -> Optional[NDArray[numpy.float32]]:
        """float32, one a row; None where the rows had none, and each weighs 1."""
        return self._rows.weights

    @property
    def rejected(self) -> List[Tuple[int, str]]:
        """Rows that were left out, as (row from 0, reason)."""
        return self._rows.rejected

    def csr(self) -> "csr_matrix":
        """The rows as a scipy.sparse.csr_matrix of float32. Each of a value's columns holds 1, repeated ones add up, a number is the
        value of its column. Indices have 32 bits where the entries can be counted with them, as scipy and scikit-learn like it, else 64."""
        from scipy.sparse import csr_matrix

        data, indices, indptr, shape = self._rows.csr_parts()
        matrix = csr_matrix((data, indices, indptr), shape=shape, copy=False)
        # Known of how they were made; scipy would look at every entry to find out.
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
        return matrix

    def __repr__(self) -> str:
        return f"<widehash.Batch of {len(self)} rows, {self.num_columns} columns>"


class Encoder:
    """Encodes rows in memory as `widehash transform` encodes those of files: the same codes in training and serving.

        encoder = widehash.Encoder("schema.toml")
        x = encoder.encode(frame).csr()

    `schema` is a path or a Schema, `tables` the folder that fit() wrote, where an encoding needs it (exact, standardize). Immutable;
    threads may share one.
    """

    def __init__(self, schema: SchemaLike, tables: Optional[FilePath] = None) -> None:
        self._encoder = _core.Encoder(schema_of(schema), path_bytes(tables))
        self._tables = None if tables is None else os.path.abspath(os.fsdecode(tables))

    def __reduce__(self) -> Tuple[Any, ...]:
        """To other processes: the schema, and where the tables are, which have to be the same there."""
        return _same_encoder, (type(self), self.schema, self._tables, self._encoder.tables_fingerprint)

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
        features. Text is taken as it is: `delimiter`, `quote` and `trim` of the schema are about files. Times have no one text:
        convert them to what your files have.

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


class Dataset:
    """What transform() or `widehash transform` wrote. Iterating gives a Batch for each shard, which stays on disk until it is read.

    for batch in widehash.Dataset("train"):
        classifier.partial_fit(batch.csr(), batch.targets, classes=[0, 1])
    """

    def __init__(self, directory: FilePath) -> None:
        self._dataset = _core.Dataset(needed_path("directory", directory))

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (os.path.abspath(self.directory),)

    def __fspath__(self) -> str:
        return self.directory

    @property
    def directory(self) -> str:
        return self._dataset.directory

    @property
    def schema(self) -> _core.Schema:
        return self._dataset.schema

    @property
    def num_shards(self) -> int:
        return self._dataset.num_shards

    @property
    def num_columns(self) -> int:
        return self._dataset.num_columns

    @property
    def rejected_rows(self) -> int:
        """Rows of the inputs that are not in it, since they were bad."""
        return self._dataset.rejected_rows

    def __len__(self) -> int:
        """Rows of all shards."""
        return len(self._dataset)

    def shard(self, index: SupportsIndex, *, verify: bool = True) -> Batch:
        """The rows of one shard. Every byte is checked first, and DataError names a damaged file; `verify=False` saves that for a shard
        that was checked before."""
        index = operator.index(index)
        if not 0 <= index < self.num_shards:
            raise IndexError(f"{self.directory}: has {self.num_shards} shards, and no shard {index}")
        return Batch(self._dataset.shard(index, verify))

    def __iter__(self) -> Iterator[Batch]:
        return (self.shard(index) for index in range(self.num_shards))

    def __repr__(self) -> str:
        return f"<widehash.Dataset {self.directory!r} of {len(self)} rows in {self.num_shards} shards>"


def hash_values(values: Iterable[Any], *, cardinality: Optional[int] = None, encoding: str = "four_split",
                buckets: Optional[int] = None, seed: int = 0) -> Tuple[NDArray[numpy.uint64], NDArray[numpy.uint32]]:
    """Hashes and buckets of values, by XXH64: (uint64[n], uint32[n, 4]), or with encoding="one_hot" (uint64[n], uint32[n]).

    `values` is a column as Encoder.encode() takes it. `cardinality` says how many values the feature can take; one_hot may
    be given its number of `buckets` instead.
    """
    column = column_of(values)
    seed = count("seed", seed)
    cardinality = None if cardinality is None else count("cardinality", cardinality)
    buckets = None if buckets is None else count("buckets", buckets)
    if encoding == "four_split":
        if cardinality is None or buckets is not None:
            raise TypeError("four_split takes its width from `cardinality`; `buckets` are of one_hot")
        return _core.hash_four_split(column, cardinality, seed)
    if encoding != "one_hot":
        raise TypeError(f"encoding is four_split or one_hot, not {encoding!r}")
    if buckets is None and cardinality is not None:
        buckets = 4 * _core.split_width(cardinality)
    elif buckets is None or cardinality is not None:
        raise TypeError("one_hot takes either `buckets` or a `cardinality`")
    return _core.hash_one_hot(column, buckets, seed)
