"""For the tests of jobs: the flights as a dataset, tables and a model, and the program to compare with."""

import csv
import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

import widehash

PROGRAM = os.environ.get("WIDEHASH_PROGRAM")
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SCHEMA = EXAMPLES / "schemas/flights.toml"
EXACT_SCHEMA = EXAMPLES / "schemas/flights_exact.toml"
TRAIN = EXAMPLES / "flights/train.tsv.gz"
TEST = EXAMPLES / "flights/test.tsv.gz"
# For estimators: column and cardinality.
FEATURES = {"carrier": 20, "origin": 300, "dest": 300, "hour": 24, "month": 12}
with_program = unittest.skipUnless(PROGRAM, "the program was not built")


def flights(name):
    """The table "train" or "test" as a mapping of field to texts."""
    with gzip.open(EXAMPLES / f"flights/{name}.tsv.gz", "rt", newline="") as text:
        header, *rows = csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
    return {field: list(column) for field, column in zip(header, zip(*rows))}


def columns_and_label(name):
    """The same table as arrays without the label, and the label as 0 and 1."""
    columns = {field: numpy.array(texts) for field, texts in flights(name).items()}
    return columns, columns.pop("late").astype(int)


def contents(path):
    """Name and digest of every file in a folder, except locks; for a file, its digest."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return {str(file.relative_to(path)): contents(file) for file in sorted(path.rglob("*"))
            if file.is_file() and "lock" not in file.name}


class JobCase(unittest.TestCase):
    """A test with a folder of its own, and with datasets, tables and a model of the flights that the class shares."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.common = pathlib.Path(folder.name)
        cls.data, cls.test, cls.tables = (cls.common / name for name in ["train", "test", "tables"])
        cls.model = cls.common / "model"
        widehash.transform(SCHEMA, TRAIN, cls.data)
        widehash.transform(SCHEMA, TEST, cls.test)
        widehash.fit(SCHEMA, TRAIN, cls.tables)
        widehash.train(cls.data, cls.model, epochs=2)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, *arguments, warning=None):
        """What the program prints. Requires success and no errors, except for the text `warning` where one is given."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        if warning is None:
            self.assertEqual(done.stderr, b"", arguments)
        else:
            self.assertIn(warning, done.stderr)
        return done.stdout

    def program_json(self, *arguments, warning=None):
        return json.loads(self.program(*arguments, "--json", warning=warning))

    def assert_within(self, report, told):
        """Requires that all values that both have are the same, except times."""
        found = json.loads(json.dumps(report.to_dict()))
        for key in found.keys() & told.keys() - {"seconds"}:
            self.assertEqual(found[key], told[key], key)
        return found.keys() & told.keys()

    def large_table(self, copies=60):
        """The flights many times over, which take some time to encode."""
        header, _, rows = gzip.decompress(TRAIN.read_bytes()).partition(b"\n")
        path = self.folder / "large.tsv"
        path.write_bytes(header + b"\n" + rows * copies)
        return path
