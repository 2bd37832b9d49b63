"""A second, plain implementation of the codes of docs/design.md and docs/schema.md, on other libraries (xxhash, csv, tomllib,
scipy), to compare the program with. Small and slow on purpose; shares nothing with the C++ sources."""

import collections
import csv
import gzip
import io
import itertools
import math
import struct
import tomllib

import numpy
import scipy.sparse
import xxhash


def read_rows(paths, schema):
    """All rows of the files as lists of bytes, and the names of their fields."""
    delimiter = schema.get("delimiter", "," if schema.get("format") == "csv" else "\t").encode()
    names, rows = schema.get("fields"), []
    for path in paths:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if schema.get("format") == "csv":
            # Latin-1 maps bytes to characters one to one, so that the csv module can parse bytes.
            text = io.StringIO(raw.decode("latin-1"), newline="")
            table = [[value.encode("latin-1") for value in row]
                     for row in csv.reader(text, delimiter=delimiter.decode(), quotechar='"') if row]
        else:
            lines = raw.split(b"\n")
            table = [line.removesuffix(b"\r").split(delimiter) for line in lines if line.removesuffix(b"\r")]
        if schema.get("trim"):
            table = [[value.strip(b" ") for value in row] for row in table]
        if schema.get("header", True):
            names = [name.decode() for name in table[0]]
            table = table[1:]
        rows += table
    return names, rows


def split_width(cardinality):
    root = math.isqrt(cardinality)
    return max(8, root + (root * root < cardinality))


def hash_of(value, schema):
    """The hash of a value, and its number of bits."""
    if schema.get("hash") == "xxh3_128":
        return xxhash.xxh3_128_intdigest(value, schema.get("seed", 0)), 128
    return xxhash.xxh64_intdigest(value, schema.get("seed", 0)), 64


class Feature:
    """One block of columns. `columns(row)` gives (column within the block, value) pairs, possibly repeated."""

    def __init__(self, schema, entry, names):
        self.schema, self.entry = schema, entry
        self.fields = [names.index(name) for name in entry.get("cross", [entry.get("field")])]
        self.encoding = entry.get("encoding", "four_split")
        self.missing_texts = {b"", *(text.encode() for text in entry.get("missing_values", schema.get("missing_values", [])))}
        self.skips_missing = entry.get("missing", schema.get("missing", "value")) == "skip"
        self.width = split_width(entry["cardinality"]) if "cardinality" in entry else 0
        self.buckets = entry.get("buckets", 4 * self.width)
        self.head = {}

    def num_columns(self):
        if self.encoding == "numeric":
            return len(self.entry["boundaries"]) + 2 if self.entry.get("transform") == "bucketize" else 1
        if self.encoding == "one_hot":
            return self.buckets
        return len(self.head) + 4 * self.width

    def items(self, field):
        separator = self.entry.get("separator", "").encode()
        parts = field.split(separator) if separator and field not in self.missing_texts else [field]
        parts = [b"" if part in self.missing_texts else part for part in parts]
        return [part for part in parts if part or not self.skips_missing]

    def values(self, row):
        choices = [self.items(row[field]) for field in self.fields]
        if len(choices) == 1:
            return choices[0]
        return [b"".join(struct.pack("<I", len(part)) + part for part in parts)
                for parts in itertools.product(*choices)]

    def learn(self, rows):
        """Learns what `fit` does: the head of an exact feature, the moments of a standardized one."""
        if self.encoding == "exact":
            counts = collections.Counter(value for row in rows for value in self.values(row))
            head = [value for value in counts if counts[value] >= self.entry.get("min_count", 1)]
            head.sort(key=lambda value: (-counts[value], hash_of(value, self.schema), value))
            head = head[: self.entry.get("max_values") or None]
            self.head = {value: column for column, value in enumerate(head)}
        if self.entry.get("transform") == "standardize":
            numbers = [float(row[self.fields[0]]) for row in rows if row[self.fields[0]] not in self.missing_texts]
            self.mean, self.deviation = (numpy.mean(numbers), numpy.std(numbers)) if numbers else (0.0, 0.0)

    def columns(self, row):
        if self.encoding == "numeric":
            return self.numeric_columns(row[self.fields[0]])
        return [(column, 1.0) for value in self.values(row) for column in self.value_columns(value)]

    def code(self, value):
        whole, bits = hash_of(value, self.schema)
        return [(whole >> (bits // 4 * (3 - k))) % 2 ** (bits // 4) % self.width for k in range(4)]

    def value_columns(self, value):
        if value in self.head:
            return [self.head[value]]
        if self.encoding == "one_hot":
            return [hash_of(value, self.schema)[0] % 2**64 % self.buckets]
        return [len(self.head) + k * self.width + bucket for k, bucket in enumerate(self.code(value))]

    def numeric_columns(self, text):
        transform = self.entry.get("transform", "none")
        if text in self.missing_texts:
            missing_column = self.num_columns() - 1
            return [(missing_column, 1.0)] if transform == "bucketize" and not self.skips_missing else []
        number = float(text)
        if transform == "bucketize":
            return [(sum(boundary <= number for boundary in self.entry["boundaries"]), 1.0)]
        if transform == "log1p":
            number = math.copysign(math.log1p(abs(number)), number)
        if transform == "standardize":
            number = (number - self.mean) / self.deviation if self.deviation else 0.0
        return [(0, number)] if number else []


def encode(paths, schema_path):
    """The matrix (scipy CSR, float32), and the texts of the label."""
    schema = tomllib.loads(schema_path.read_text())
    names, rows = read_rows(paths, schema)
    features = [Feature(schema, entry, names) for entry in schema["feature"] if entry.get("encoding") != "ignore"]
    row_numbers, columns, values, offset = [], [], [], 0
    for feature in features:
        feature.learn(rows)
        for number, row in enumerate(rows):
            for column, value in feature.columns(row):
                row_numbers.append(number)
                columns.append(offset + column)
                values.append(value)
        offset += feature.num_columns()
    matrix = scipy.sparse.coo_matrix((values, (row_numbers, columns)), shape=(len(rows), offset), dtype=numpy.float32)
    label = schema["label"]["field"] if isinstance(schema["label"], dict) else schema["label"]
    return matrix.tocsr(), [row[names.index(label)] for row in rows]
