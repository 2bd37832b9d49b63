"""Encoded rows on disk."""

from typing import Any, Iterable, Iterator, List, Optional, SupportsIndex, Tuple, Union

from . import _core
from .arguments import FilePath, count, fixed_path, flag, paths_of, whole_number
from .batch import Batch
from .errors import ConfigError


class Dataset:
    """A dataset on disk, as written by `transform()`, a DatasetWriter or `widehash transform`.

    Iterating yields a Batch for each shard. A shard stays on disk until it is read. See
    `batches()` for mini-batches.

    Parameters
    ----------
    directory : path, or iterable of paths
        Folder of the dataset, or folders of datasets of one encoding, whose rows follow
        each other as those of one dataset.

    Examples
    --------
    >>> for batch in widehash.Dataset("train"):
    ...     classifier.partial_fit(batch.csr(), batch.targets, classes=[0, 1])
    """

    def __init__(self, directory: Union[FilePath, Iterable[FilePath]]) -> None:
        self._dataset = _core.Dataset([fixed_path("directory", one) for one in paths_of("directory", directory)])

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.directories,)

    def __fspath__(self) -> str:
        return self.directory

    @property
    def directory(self) -> str:
        """Absolute path of the folder. Raises ConfigError if there are several."""
        if len(self.directories) > 1:
            raise ConfigError("a joined dataset has several folders: see its directories")
        return self.directories[0]

    @property
    def directories(self) -> List[str]:
        """Absolute paths of the folders."""
        return self._dataset.directories

    @property
    def inputs(self) -> List[str]:
        """The inputs that the rows come from, as given to `transform()`."""
        return self._dataset.inputs

    @property
    def schema(self) -> _core.Schema:
        """The schema that the rows were encoded with."""
        return self._dataset.schema

    @property
    def num_shards(self) -> int:
        """Number of shards."""
        return self._dataset.num_shards

    @property
    def num_columns(self) -> int:
        """Number of columns of the matrix."""
        return self._dataset.num_columns

    @property
    def rejected_rows(self) -> int:
        """Number of bad input rows that were left out."""
        return self._dataset.rejected_rows

    def __len__(self) -> int:
        """Number of rows in all shards."""
        return len(self._dataset)

    def shard(self, index: SupportsIndex, *, verify: bool = True) -> Batch:
        """Return the rows of one shard.

        Parameters
        ----------
        index : int
            Number of the shard, from 0.
        verify : bool, default True
            Check every byte first. Pass False for a shard that was checked before.

        Raises
        ------
        DataError
            If the shard is damaged; names the file.
        IndexError
            If there is no such shard.
        """
        index = whole_number("index", index)
        if not 0 <= index < self.num_shards:
            raise IndexError(f"{self.directory}: has {self.num_shards} shards, but no shard {index}")
        return Batch(self._dataset.shard(index, flag("verify", verify)))

    def __iter__(self) -> Iterator[Batch]:
        return (self.shard(index) for index in range(self.num_shards))

    def batches(self, rows: int = 65536, *, shuffle: bool = False, seed: int = 1, epoch: int = 1) -> "Batches":
        """Return an iterable over all rows, in batches of `rows`; the last one may be smaller.

        Parameters
        ----------
        rows : int, default 65536
            Rows in a batch.
        shuffle : bool, default False
            Whether to shuffle the rows. Otherwise they keep the order of the dataset.
        seed : int, default 1
            Seed of the shuffling.
        epoch : int, default 1
            Number of the epoch, from 0. Every epoch has an order of its own.

        Returns
        -------
        Batches

        Raises
        ------
        DataError
            While iterating, if a shard is damaged; names the file. Each shard is
            checked as it is opened.

        Notes
        -----
        Rows are shuffled as `train()` shuffles them. Shards come in random order, and
        rows are shuffled within groups of shards of up to 256 MiB, which have to fit in
        memory. In batches of 1024 rows or more, up to 32 neighbouring rows of the
        dataset stay together.

        The first epoch of `train()` corresponds to `epoch=0` with the same seed and
        with as many `rows` as `train()` takes to a step. The steps of `train()` have
        even sizes, while these batches are all full except the last.

        Examples
        --------
        >>> for epoch in range(10):
        ...     for batch in dataset.batches(4096, shuffle=True, epoch=epoch):
        ...         ...
        """
        size = count("rows", rows)
        if size == 0:
            raise ConfigError("rows = 0: a batch has at least 1")
        order = count("seed", seed)
        return Batches(self, size, order if flag("shuffle", shuffle) else None, count("epoch", epoch))

    def __repr__(self) -> str:
        return f"<widehash.Dataset {self.directory!r} of {len(self)} rows in {self.num_shards} shards>"


class Batches:
    """The batches returned by `Dataset.batches()`.

    `len()` gives their number. Every iteration yields the same batches.
    """

    def __init__(self, dataset: Dataset, rows: int, seed: Optional[int], epoch: int) -> None:
        self._dataset = dataset
        self._rows = rows
        self._order = seed, epoch

    def __len__(self) -> int:
        return -(-len(self._dataset) // self._rows)

    def __iter__(self) -> Iterator[Batch]:
        reader = _core.BatchReader(self._dataset._dataset, self._rows, *self._order)
        while (rows := reader.next()) is not None:
            yield Batch(rows)

    def __repr__(self) -> str:
        return f"<widehash.Batches of {self._rows} rows, {len(self)} of them, of {self._dataset!r}>"
