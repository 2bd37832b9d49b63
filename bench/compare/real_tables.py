"""The real tables on which quality is judged: where they are, how they are split, what is tried on them.

Everything that is tried was fixed beforehand; choices (a learning rate, C) are made on training rows.
"""

import bisect
import dataclasses
import gzip
import math
import pathlib

import schemas


@dataclasses.dataclass
class RealTable:
    name: str
    schema: pathlib.Path
    epochs: int
    cross: list  # the fields of the only cross that is tried
    cross_cardinality: int
    scales: list  # factors on the cardinalities, for the curves over sizes
    heads: list  # max_values of the exact heads
    train: pathlib.Path | None = None  # text; None: not available
    test: pathlib.Path | None = None


def open_text(path):
    return gzip.open(path, "rt") if path.suffix == ".gz" else open(path)


def copy_lines(source, target, keep):
    """Copies the lines of `source` for which keep(number, line) holds; blank lines are not rows."""
    with open_text(source) as text, open(target, "w") as out:
        out.writelines(line for number, line in enumerate(text) if line.strip() and keep(number, line))
    return target


def everything(number, line):
    return True


def find(data, work):
    """The tables; those that are available are copied to `work` as plain text."""
    examples = pathlib.Path("examples/schemas")
    scales = [1 / 16, 1 / 4, 1, 4, 16]
    flights = RealTable("flights", examples / "flights.toml", 10, ["month", "day"], 366, [*scales, 64, 256], [16, 64, 256, 1024])
    adult = RealTable("adult", examples / "adult.toml", 10, ["occupation", "education"], 240, [1, 16, 64, 256, 1024], [4, 16])
    criteo = RealTable("criteo", examples / "criteo.toml", 1, ["c17", "c23"], 150, [1 / 256, 1 / 64, *scales], [4, 16, 64])

    for folder in (data / "flights", pathlib.Path("examples/flights")):
        if (folder / "train.tsv.gz").exists() and not flights.train:
            flights.train = copy_lines(folder / "train.tsv.gz", work / "flights-train.txt", everything)
            flights.test = copy_lines(folder / "test.tsv.gz", work / "flights-test.txt", everything)
    if (data / "adult/adult.data.gz").exists():
        adult.train = copy_lines(data / "adult/adult.data.gz", work / "adult-train.txt", everything)
        adult.test = copy_lines(data / "adult/adult.test.gz", work / "adult-test.txt", everything)
    sample = data / "criteo_sample/sample.train.tsv.gz"
    if sample.exists():
        criteo.train = copy_lines(sample, work / "criteo-train.txt", lambda number, line: number % 10 < 8)
        criteo.test = copy_lines(sample, work / "criteo-test.txt", lambda number, line: number % 10 >= 8)
    return [flights, adult, criteo]


class Rows:
    """A table read in Python according to its schema, for peers with a format of their own and for the labels."""

    def __init__(self, schema_path, text):
        self.schema, self.text = schemas.load(schema_path), text
        self.delimiter = "," if self.schema.get("format") == "csv" else "\t"
        label = self.schema["label"]
        self.label = label["field"] if isinstance(label, dict) else label
        self.positive = set(label["positive"]) if isinstance(label, dict) else {"1"}
        self.missing = {"", *self.schema.get("missing_values", [])}

    def __iter__(self):
        """(label, {field: value}) for each row."""
        names = self.schema.get("fields")
        trim = str.strip if self.schema.get("trim") else str
        with open(self.text) as text:
            lines = (line.rstrip("\n").split(self.delimiter) for line in text)
            if self.schema.get("header", True):
                names = next(lines)
            for fields in lines:
                row = dict(zip(names, map(trim, fields), strict=True))
                yield row[self.label] in self.positive, row

    def labels(self):
        return [label for label, _ in self]

    def write_vw(self, path, keep=everything):
        """Vowpal Wabbit's format: one namespace per feature; numbers as our schema has them. Returns the labels written."""
        features = [feature for feature in self.schema["feature"] if feature.get("encoding") != "ignore"]
        written = []
        with open(path, "w") as out:
            for number, (label, row) in enumerate(self):
                if keep(number, row):
                    parts = [f"|{feature['field']} {self.vw_value(feature, row[feature['field']])}" for feature in features]
                    out.write(f"{'1' if label else '-1'} {' '.join(parts)}\n")
                    written.append(label)
        return written

    def vw_value(self, feature, value):
        missing = value in self.missing
        if feature.get("encoding") != "numeric":
            return "missing" if missing else value.translate(VW_ESCAPES)
        if feature.get("transform") == "bucketize":
            return "missing" if missing else f"from{bisect.bisect_right(feature['boundaries'], float(value))}"
        number = 0.0 if missing else float(value)
        return f"value:{math.copysign(math.log1p(abs(number)), number) if feature.get('transform') == 'log1p' else number:g}"


VW_ESCAPES = str.maketrans(" :|\t", "____")
