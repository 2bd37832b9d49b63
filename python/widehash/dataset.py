"""Encoded rows on disk."""

from typing import Any, Iterator, Optional, SupportsIndex, Tuple

from . import _core
from .arguments import FilePath, count, fixed_path, flag, whole_number
from .batch import Batch
from .errors import ConfigError


class Dataset:
    """What transform() or `widehash transform` wrote. Iterating gives a Batch for each shard, which stays on disk until it is read; see
    batches() for mini-batches.

    for batch in widehash.Dataset("train"):
        classifier.partial_fit(batch.csr(), batch.targets, classes=[0, 1])
    """

    def __init__(self, directory: FilePath) -> None:
        self._dataset = _core.Dataset(fixed_path("directory", directory))

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.directory,)

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
        index = whole_number("index", index)
        if not 0 <= index < self.num_shards:
            raise IndexError(f"{self.directory}: has {self.num_shards} shards, and no shard {index}")
        return Batch(self._dataset.shard(index, flag("verify", verify)))

    def __iter__(self) -> Iterator[Batch]:
        return (self.shard(index) for index in range(self.num_shards))

    def batches(self, rows: int = 65536, *, shuffle: bool = False, seed: int = 1, epoch: int = 1) -> "Batches":
        """Every row once, in batches of `rows`, of which the last may be smaller.

            for epoch in range(10):
                for batch in dataset.batches(4096, shuffle=True, epoch=epoch):
                    ...

        rows     of a batch
        shuffle  whether rows come in an order of the seed's, and not in that of the dataset
        seed     of the order
        epoch    any number; each has an order of its own

        Shuffled as train() does it: shards in random order, and rows among those of up to 256 MiB of shards, which is what memory has to
        hold; in batches of 1024 rows and more, up to 32 rows that are neighbours in the dataset stay together. The first epoch of train()
        is epoch=0 here, for the same seed and as many `rows` as it takes to a step; its steps are cut even, while these batches are full
        but for the last one. Shards are checked as they are opened: DataError names a damaged one."""
        size = count("rows", rows)
        if size == 0:
            raise ConfigError("rows = 0: a batch has at least 1")
        order = count("seed", seed)
        return Batches(self, size, order if flag("shuffle", shuffle) else None, count("epoch", epoch))

    def __repr__(self) -> str:
        return f"<widehash.Dataset {self.directory!r} of {len(self)} rows in {self.num_shards} shards>"


class Batches:
    """What Dataset.batches() gives: len() of it are the batches, and each time that it is iterated over they are the same."""

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
