"""arrow_codes.py TEXT THREADS: pyarrow's reader, the 26 categories dictionary-encoded while reading.

Arrow offers no hash of values; its documentation encodes categories by giving their columns a dictionary type. Each block
of the file gets dictionaries of its own, so the indices are not yet codes of the whole table: this is less work than ours.
"""

import json
import sys
import time

import pyarrow
from pyarrow import csv

from criteo_fields import CATEGORIES, FIELDS


def main():
    path, threads = sys.argv[1], int(sys.argv[2])
    pyarrow.set_cpu_count(threads)
    types = {"label": pyarrow.int8(), **{name: pyarrow.dictionary(pyarrow.int32(), pyarrow.string()) for name in CATEGORIES}}
    start = time.perf_counter()
    table = csv.read_csv(
        path,
        read_options=csv.ReadOptions(column_names=FIELDS, use_threads=threads > 1),
        parse_options=csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=csv.ConvertOptions(include_columns=["label", *CATEGORIES], column_types=types))
    print(json.dumps({"seconds": time.perf_counter() - start, "rows": table.num_rows}))


if __name__ == "__main__":
    main()
