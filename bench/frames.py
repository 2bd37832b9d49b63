"""Rows per second from tables in memory to codes, to a CSR matrix and to a dataset, by the type of the table, compared with
scikit-learn's FeatureHasher.

    PYTHONPATH=build/release/python python3 bench/frames.py [--rows N] [--fields N] [--work FOLDER]

Measures pandas, pyarrow, polars and scikit-learn if they are installed. All tables hold the same values, and a checksum shows
that they gave the same matrix.
"""

import argparse
import importlib
import pathlib
import tempfile
import time
import zlib

import numpy as np
import widehash


def best_of(times, work):
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - begin)
    return min(seconds), result


def write(encoder, table, folder):
    """Writes the table as a dataset, in pieces of 65,536 rows where it can be cut without a copy."""
    with widehash.DatasetWriter(encoder, folder, overwrite=True) as writer:
        for rows in table.to_batches(max_chunksize=65536) if hasattr(table, "to_batches") else [table]:
            writer.append(rows)


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"left out: {error}")
        return None


def tables(columns, texts):
    """Each form of a table with the same values: its name and the table."""
    yield "dict of numpy integers", columns
    yield "dict of lists of str", texts
    yield "list of dicts", [dict(zip(texts, row)) for row in zip(*texts.values())]
    pandas, pyarrow, polars = module("pandas"), module("pyarrow"), module("polars")
    if pandas:
        yield "pandas, objects", pandas.DataFrame(texts)
        yield "pandas, categories", pandas.DataFrame(texts).astype("category")
    if pyarrow:
        yield "pyarrow, strings", pyarrow.table(texts)
        yield "pyarrow, dictionaries", pyarrow.table(
            {name: pyarrow.array(values).dictionary_encode() for name, values in texts.items()})
    if polars:
        yield "Polars, strings", polars.DataFrame(texts)
        yield "Polars, integers", polars.DataFrame(columns)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--fields", type=int, default=26)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--work", help="folder for a dataset; default: one for temporary files")
    given = parser.parse_args()
    generator = np.random.default_rng(1)
    # As skewed as clicks: most values in a row are frequent.
    columns = {f"f{i}": (10 ** (generator.random(given.rows) * (1 + i % 6))).astype(np.int64) for i in range(given.fields)}
    texts = {name: [str(value) for value in values.tolist()] for name, values in columns.items()}
    encoder = widehash.Encoder(widehash.make_schema({name: 10 ** (1 + i % 6) for i, name in enumerate(columns)}))
    print(f"{given.rows:,} rows of {given.fields} fields, M rows/s\n")
    print("| table | codes, one thread | codes, all | codes and csr, all | a dataset, all | checksum |\n|---|---|---|---|---|---|")
    work = tempfile.TemporaryDirectory(dir=given.work)
    for name, table in tables(columns, texts):
        one, _ = best_of(given.repeats, lambda: encoder.encode(table, threads=1))
        every, batch = best_of(given.repeats, lambda: encoder.encode(table))
        csr, matrix = best_of(given.repeats, lambda: encoder.encode(table).csr())
        dataset, _ = best_of(given.repeats, lambda: write(encoder, table, pathlib.Path(work.name) / "dataset"))
        checksum = zlib.crc32(np.asarray(matrix.indices, dtype=np.int64).tobytes())
        rates = " | ".join(f"{given.rows / seconds / 1e6:.2f}" for seconds in (one, every, csr, dataset))
        print(f"| {name} | {rates} | {checksum:08x} |", flush=True)
    sklearn = module("sklearn.feature_extraction")
    if sklearn:
        few = given.rows // 10
        rows = [[f"{name}={value}" for name, value in zip(texts, row)]
                for row in zip(*(values[:few] for values in texts.values()))]
        hasher = sklearn.FeatureHasher(n_features=encoder.num_columns, input_type="string")
        seconds, _ = best_of(given.repeats, lambda: hasher.transform(rows))
        print(f"| scikit-learn FeatureHasher, lists of str made for it, a tenth of the rows | | | {few / seconds / 1e6:.3f} | | |")


if __name__ == "__main__":
    main()
