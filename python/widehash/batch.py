"""Encoded rows in memory."""

from typing import TYPE_CHECKING, Any, ClassVar, List, NoReturn, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import NDArray

from . import _core
from .arguments import text
from .wording import kind_of

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Rows = Union[slice, Sequence[int], Sequence[bool], NDArray[Any]]


class Batch:
    """Encoded rows, as returned by `Encoder.encode()` and by the shards and batches of a Dataset.

    A Batch is immutable. Indexing it gives another Batch:

        batch[100:200]               # rows 100 to 199, not copied: keeps the whole batch in memory
        batch[mask], batch[[3, 1]]   # the rows that numpy would select, copied
    """

    __iter__: ClassVar[None] = None  # not iterable, although it has __getitem__

    def __init__(self, rows: _core.Batch) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        """Refuse to be taken for an array, which numpy would otherwise try without saying what to do instead."""
        raise TypeError("a Batch is not an array: batch.csr() is its sparse matrix, and batch.csr().toarray() a dense one")

    def __getitem__(self, rows: Rows) -> "Batch":
        """Return the selected rows as a Batch, whose `rejected` is empty."""
        if not isinstance(rows, slice):
            return Batch(self._rows.numbered_rows(_row_numbers(rows, len(self))))
        begin, end, step = rows.indices(len(self))
        if step == 1:
            return Batch(self._rows.rows(begin, max(end - begin, 0)))
        return Batch(self._rows.numbered_rows(numpy.arange(begin, end, step).astype(numpy.uint64)))

    @property
    def num_columns(self) -> int:
        """Number of columns of `csr()`."""
        return self._rows.num_columns

    @property
    def targets(self) -> Optional[NDArray[numpy.float32]]:
        """The labels as the model sees them, as float32[rows]; for a label of classes, the class numbers.

        None if the rows have no label.
        """
        return self._rows.targets

    @property
    def weights(self) -> Optional[NDArray[numpy.float32]]:
        """The row weights, as float32[rows]. None if the rows have none; each then weighs 1."""
        return self._rows.weights

    @property
    def rejected(self) -> List[Tuple[int, str]]:
        """Rows that were left out, as (row, reason). Rows are counted from 0."""
        return self._rows.rejected

    def csr(self) -> "csr_matrix":
        """Return the rows as a float32 `scipy.sparse.csr_matrix` of shape (rows, num_columns).

        Each of the columns of a value holds 1, and repeated values add up. The column
        of a number holds the number as it is encoded. Indices are 32-bit if they can
        count all entries, as scipy and scikit-learn prefer, and 64-bit otherwise.

        The matrix fits a `torch.nn.EmbeddingBag` with `mode="sum"`: pass its `indices`
        as the input, `indptr[:-1]` as the offsets and `data` as the per_sample_weights.
        """
        from scipy.sparse import csr_matrix

        data, indices, indptr, shape = self._rows.csr_parts()
        matrix = csr_matrix((data, indices, indptr), shape=shape, copy=False)
        # Known from the construction. scipy would inspect every entry to find out.
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
        return matrix

    def codes(self, feature: str) -> NDArray[numpy.int64]:
        """Return the buckets of one feature, for use with embedding tables.

        Parameters
        ----------
        feature : str
            Name of the feature.

        Returns
        -------
        numpy.ndarray
            int64[rows, 4], one column for each split; int64[rows, 1] for `one_hot` and
            `bucketize`. The buckets of a missing value that the schema skips are -1.

        Raises
        ------
        ConfigError
            If the number of buckets varies by row (multi-valued and `exact` features).
            Use the feature's columns of `csr()` instead.
        """
        return self._rows.codes(text("feature", feature))

    def numbers(self, feature: str) -> NDArray[numpy.float32]:
        """Return the encoded values of a numeric feature, as float32[rows]; 0 where missing."""
        return self._rows.numbers(text("feature", feature))

    def __repr__(self) -> str:
        return f"<widehash.Batch of {len(self)} rows, {self.num_columns} columns>"


def _row_numbers(rows: Any, num_rows: int) -> NDArray[numpy.uint64]:
    numbers = numpy.asarray(rows)
    if numbers.ndim != 1 or numbers.size > 0 and numbers.dtype.kind not in "biu":
        kind = f"an array of {numbers.dtype}" if isinstance(rows, numpy.ndarray) else kind_of(rows)
        raise TypeError(f"select rows of a Batch with batch[i:j], or with batch[rows] and a mask or whole row numbers, not {kind}")
    if numbers.dtype.kind == "b":
        if len(numbers) != num_rows:
            raise IndexError(f"a mask of {len(numbers)} rows for a Batch of {num_rows}")
        return numpy.flatnonzero(numbers).astype(numpy.uint64)
    if numbers.size == 0:  # of any dtype: numpy gives [] floats
        return numpy.zeros(0, dtype=numpy.uint64)
    outside = (numbers < -num_rows) | (numbers >= num_rows)
    if outside.any():
        raise IndexError(f"a Batch of {num_rows} rows has no row {numbers[outside][0]}")
    return numpy.where(numbers < 0, numbers.astype(numpy.int64) + num_rows, numbers).astype(numpy.uint64)
