"""Lookup tables: the values of each feature, their counts and their codes."""

import operator
from collections.abc import Mapping
from typing import Any, Iterator, List, Optional, Sequence, SupportsIndex, Tuple, Union

import numpy
from numpy.typing import NDArray

from . import _core
from .arguments import FilePath, count, fixed_path
from .errors import ConfigError

Part = Union[str, bytes, SupportsIndex]
Value = Union[Part, Sequence[Part]]


class LookupTable:
    """All values of a feature that `fit()` saw, ordered by hash. The arrays are views of the mapped file."""

    def __init__(self, table: _core.LookupTable, tables: "LookupTables") -> None:
        self._table = table
        self._tables = tables

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickle the path of the folder and the name of the feature."""
        return operator.getitem, (self._tables, self.feature)

    def __len__(self) -> int:
        """Number of distinct values."""
        return len(self._table)

    @property
    def feature(self) -> str:
        """Name of the feature."""
        return self._table.feature

    @property
    def cardinality(self) -> int:
        """Cardinality in the schema; 0 if the schema gives only buckets."""
        return self._table.cardinality

    @property
    def width(self) -> int:
        """Number of buckets of a split: every bucket in `codes` is below it."""
        return self._table.width

    @property
    def total_count(self) -> int:
        """Total count of all values."""
        return self._table.total_count

    @property
    def hashes(self) -> NDArray[numpy.uint64]:
        """uint64[n], ascending."""
        return self._table.hashes

    @property
    def counts(self) -> NDArray[numpy.uint64]:
        """uint64[n]: how often each value was seen."""
        return self._table.counts

    @property
    def codes(self) -> NDArray[numpy.uint32]:
        """uint32[n, 4]: the buckets of each value's four-split code."""
        return self._table.codes

    def value(self, index: SupportsIndex) -> str:
        """Return the value at `index` as text. For a cross, see `cross_parts()`.

        Bytes that are not UTF-8 become surrogates, which an Encoder converts back.
        """
        return self.value_bytes(index).decode("utf-8", "surrogateescape")

    def value_bytes(self, index: SupportsIndex) -> bytes:
        """Return the bytes that were hashed.

        For a cross, these are the length of each part in four bytes, followed by the
        part.
        """
        return self._table.bytes_of(count("index", index))

    def cross_parts(self, index: SupportsIndex) -> List[str]:
        """Return the parts of the cross value at `index` as texts.

        Raises ConfigError if the value is not that of a cross.
        """
        return self._table.parts_of(count("index", index))

    def find(self, value: Value) -> Optional[int]:
        """Return the index of a value, or None if `fit()` did not see it.

        A value is a str, bytes, a whole number or, for a cross, a tuple of these.
        """
        return self._table.find(_bytes_of(value))

    def count(self, value: Value) -> int:
        """Return how often `fit()` saw a value; 0 if never. See `find()` for what a value may be."""
        index = self.find(value)
        return 0 if index is None else int(self.counts[index])

    def values(self) -> List[str]:
        """Return all values as texts, in the order of the arrays.

        Values of a cross are as returned by `value()`.
        """
        return [self.value(index) for index in range(len(self))]

    def most_common(self, most: SupportsIndex = 10) -> List[Tuple[str, int]]:
        """Return the `most` most frequent values, as (value, count).

        Of equally frequent values, the first in the table comes first. Values of a
        cross are as returned by `value()`; `cross_parts(find(value))` gives their
        parts.
        """
        counts = self.counts
        heaviest = numpy.argsort(~counts, kind="stable")[: count("most", most)]
        return [(self.value(int(index)), int(counts[index])) for index in heaviest]

    def __repr__(self) -> str:
        return f"<widehash.LookupTable of {self.feature!r}: {len(self)} values>"


def _bytes_of(value: Value) -> bytes:
    if isinstance(value, (tuple, list)):
        parts = [_bytes_of(part) for part in value]
        return b"".join(len(part).to_bytes(4, "little") + part for part in parts)
    if isinstance(value, bytes):
        return value
    if isinstance(value, SupportsIndex) and not isinstance(value, (bool, numpy.bool_)):
        value = str(operator.index(value))
    if not isinstance(value, str):
        raise TypeError(f"value = {value!r}: must be a text, bytes, a whole number or a tuple of these, not {type(value).__name__}")
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ConfigError(f"value = {value!r}: has no text: {error.reason}") from None


class LookupTables(Mapping[str, LookupTable]):
    """The lookup tables that `fit()` wrote, as a mapping of feature to LookupTable.

    Numeric features have no table. `directory` may also be that of a dataset.
    """

    def __init__(self, directory: FilePath) -> None:
        self._set = _core.TableSet(fixed_path("directory", directory))
        self._features = dict.fromkeys(self._set.features)

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self._set.directory,)

    def __fspath__(self) -> str:
        return self._set.directory

    @property
    def rows(self) -> int:
        """Number of rows that were counted."""
        return self._set.rows

    def __getitem__(self, feature: str) -> LookupTable:
        if feature not in self._features:
            raise KeyError(feature)
        return LookupTable(self._set.open(feature), self)

    def __contains__(self, feature: object) -> bool:
        # The inherited method would open the table and check every byte of it.
        return feature in self._features

    def __iter__(self) -> Iterator[str]:
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._features)

    def __repr__(self) -> str:
        return f"<widehash.LookupTables {self._set.directory!r} of {len(self)} features>"
