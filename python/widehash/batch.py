"""Encoded rows."""

from typing import TYPE_CHECKING, Any, ClassVar, List, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import NDArray

from . import _core
from .arguments import text

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Rows = Union[slice, Sequence[int], Sequence[bool], NDArray[Any]]


class Batch:
    """Encoded rows: what Encoder.encode(), the shards of a Dataset and its batches() give. Immutable.

        batch[100:200]               rows 100 to 199, where they lie: the whole stays in memory with them
        batch[mask], batch[[3, 1]]   the rows that numpy would take, copied
    """

    __iter__: ClassVar[None] = None  # rows come together or not at all

    def __init__(self, rows: _core.Batch) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, rows: Rows) -> "Batch":
        """Some of the rows as a Batch. What was `rejected` is told of the whole only."""
        if not isinstance(rows, slice):
            return Batch(self._rows.numbered_rows(_row_numbers(rows, len(self))))
        begin, end, step = rows.indices(len(self))
        if step == 1:
            return Batch(self._rows.rows(begin, max(end - begin, 0)))
        return Batch(self._rows.numbered_rows(numpy.arange(begin, end, step).astype(numpy.uint64)))

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
        value of its column. Indices have 32 bits where the entries can be counted with them, as scipy and scikit-learn like it, else 64.

        Its indices, indptr[:-1] and data are the input, offsets and per_sample_weights of a torch.nn.EmbeddingBag with mode="sum"."""
        from scipy.sparse import csr_matrix

        data, indices, indptr, shape = self._rows.csr_parts()
        matrix = csr_matrix((data, indices, indptr), shape=shape, copy=False)
        # Known of how they were made; scipy would look at every entry to find out.
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
        return matrix

    def codes(self, feature: str) -> NDArray[numpy.int64]:
        """int64[rows, 4]: the buckets of one feature's codes, for an embedding table of each split; [rows, 1] of one_hot and bucketize. Where a
        missing value is skipped they are -1.

        Raises ConfigError for a feature whose rows have more or fewer of them (multi-valued, exact): its columns are in csr()."""
        return self._rows.codes(text("feature", feature))

    def numbers(self, feature: str) -> NDArray[numpy.float32]:
        """float32[rows]: the values of a numeric feature as they are encoded, 0 where missing."""
        return self._rows.numbers(text("feature", feature))

    def __repr__(self) -> str:
        return f"<widehash.Batch of {len(self)} rows, {self.num_columns} columns>"


def _row_numbers(rows: Any, num_rows: int) -> NDArray[numpy.uint64]:
    numbers = numpy.asarray(rows)
    if numbers.ndim != 1 or numbers.size > 0 and numbers.dtype.kind not in "biu":
        raise TypeError(f"rows of a Batch are batch[i:j], or batch[rows] with a mask or the numbers of rows, not {type(rows).__name__}")
    if numbers.dtype.kind == "b":
        if len(numbers) != num_rows:
            raise IndexError(f"a mask of {len(numbers)} rows for a Batch of {num_rows}")
        return numpy.flatnonzero(numbers).astype(numpy.uint64)
    if numbers.size == 0:  # of whatever type: numpy makes floats of []
        return numpy.zeros(0, dtype=numpy.uint64)
    outside = (numbers < -num_rows) | (numbers >= num_rows)
    if outside.any():
        raise IndexError(f"a Batch of {num_rows} rows has no row {numbers[outside][0]}")
    return numpy.where(numbers < 0, numbers.astype(numpy.int64) + num_rows, numbers).astype(numpy.uint64)
