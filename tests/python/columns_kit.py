"""Columns for the tests of the package, and the data frame libraries (None for one that is not installed)."""

import widehash
import xxhash

try:
    import pandas as pd
except ImportError:
    pd = None
try:
    import pyarrow as pa
except ImportError:
    pa = None
try:
    import polars as pl
except ImportError:
    pl = None


def hashes(values):
    return widehash.hash_values(values, cardinality=1000)[0].tolist()


def text_hashes(texts):
    return [xxhash.xxh64_intdigest(text if isinstance(text, bytes) else text.encode()) for text in texts]


def rows_of(table):
    """The codes of a table with the fields a, b, c."""
    encoder = widehash.Encoder(widehash.make_schema({"a": 1000, "b": 1000, "c": 1000}))
    return encoder.encode(table).csr().toarray().tolist()


TEXTS = {
    "a": ["x", "", "a text of more than twelve bytes", "é"],
    "b": ["1", "", "-5000000000", "7"],
    "c": ["0.5", "true", "", "x"],
}


def rows_of_lists(tags, text=False):
    """The codes of a multi-valued feature. As text, values are separated by a byte that none of them contains."""
    separator = "\x1f" if text else "|"
    encoder = widehash.Encoder(widehash.make_schema({"tags": {"cardinality": 5000, "separator": separator}, "n": 10}))
    return encoder.encode({"tags": tags, "n": ["1"] * len(tags)} if isinstance(tags, list) else tags).csr().toarray().tolist()
