"""polars_codes.py TEXT: Polars' lazy reader on its streaming engine, one 64-bit hash of each of the 26 categories.

Threads: set by the environment variable POLARS_MAX_THREADS, which Polars reads when it is imported.
"""

import json
import sys
import time

import polars

from criteo_fields import CATEGORIES, FIELDS


def main():
    schema = {name: polars.Int8 if name == "label" else polars.String for name in FIELDS}
    start = time.perf_counter()
    frame = (
        polars.scan_csv(sys.argv[1], separator="\t", has_header=False, schema=schema, quote_char=None)
        .select("label", *(polars.col(name).hash() for name in CATEGORIES))
        .collect(engine="streaming"))
    print(json.dumps({"seconds": time.perf_counter() - start, "rows": frame.height}))


if __name__ == "__main__":
    main()
