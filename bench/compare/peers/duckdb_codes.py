"""duckdb_codes.py TEXT THREADS: DuckDB's reader with the types of columns declared, and one 64-bit hash for each of the 26
categories, kept as a table in memory. The order of rows is not preserved, as DuckDB's guide for loading much data recommends."""

import json
import sys
import time

import duckdb

from criteo_fields import CATEGORIES, FIELDS


def main():
    path, threads = sys.argv[1], int(sys.argv[2])
    columns = ", ".join(f"'{name}': '{'TINYINT' if name == 'label' else 'VARCHAR'}'" for name in FIELDS)
    hashes = ", ".join(f"hash({name}) AS {name}" for name in CATEGORIES)
    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    connection.execute("SET preserve_insertion_order = false")
    start = time.perf_counter()
    connection.execute(
        f"CREATE TABLE codes AS SELECT label, {hashes} FROM read_csv(?, delim = '\t', header = false, quote = '', "
        f"escape = '', auto_detect = false, columns = {{{columns}}})", [path])
    seconds = time.perf_counter() - start
    rows = connection.execute("SELECT count(*) FROM codes").fetchone()[0]
    print(json.dumps({"seconds": seconds, "rows": rows}))


if __name__ == "__main__":
    main()
