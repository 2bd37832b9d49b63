"""Rows per second from the shards of a dataset to what other libraries train on: CSR matrices, rows by their numbers, codes.

    PYTHONPATH=build/release/python python3 bench/batches.py DATASET [--repeats N]

The checksum is of the first matrix: programs that are compared must print the same one.
"""

import argparse
import time
import zlib

import numpy as np
import widehash


def rate(rows, repeats, work):
    """Million rows per second, the best of `repeats` runs."""
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return f"{rows / min(seconds) / 1e6:.2f}"


def for_each(batches, use):
    for batch in batches:
        use(batch)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    dataset = widehash.Dataset(given.dataset)
    rows = sum(len(batch) for batch in dataset.batches(65536))
    whole = next(iter(dataset.batches(65536)))
    order = np.random.default_rng(1).permutation(len(whole))
    first = whole.csr()
    checksum = zlib.crc32(first.data.tobytes(), zlib.crc32(first.indices.tobytes()))
    print(f"{rows:,} rows, {first.nnz / len(whole):.0f} entries a row, checksum {checksum:08x}; M rows/s\n")
    print("| what | M rows/s |\n|---|---|")
    print(f"| `batch.csr()` of {len(whole):,} rows | {rate(len(whole), 5 * given.repeats, whole.csr)} |")
    print(f"| `batch[order]` of as many | {rate(len(whole), 5 * given.repeats, lambda: whole[order])} |")
    for size, shuffle in ((65536, False), (4096, True)):
        batches = lambda: dataset.batches(size, shuffle=shuffle, seed=1)
        kind = f"{'shuffled ' if shuffle else ''}batches of {size:,}"
        print(f"| {kind} | {rate(rows, given.repeats, lambda: for_each(batches(), len))} |")
        print(f"| {kind}, and `csr()` | {rate(rows, given.repeats, lambda: for_each(batches(), widehash.Batch.csr))} |")


if __name__ == "__main__":
    main()
