"""Runs the program and makes small tables for it. Shared by the tests in this folder."""

import hashlib
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

WIDEHASH = os.environ["WIDEHASH"]
SOURCE_DIR = pathlib.Path(os.environ["WIDEHASH_SOURCE_DIR"])
SHARED_DIR = pathlib.Path(os.environ["WIDEHASH_SHARED_DIR"])

COMMANDS = ["inspect", "fit", "transform", "verify", "audit", "compare", "export", "train", "evaluate", "predict", "explain", "values", "describe",
            "hash", "devices"]

SCHEMA = """
version = 1
label = { field = "clicked", positive = ["1"], negative = ["0"] }
[[feature]]
field = "site"
cardinality = 100
[[feature]]
field = "device"
cardinality = 10
encoding = "one_hot"
[[feature]]
field = "age"
encoding = "numeric"
transform = "log1p"
"""


def run(*arguments, stdin=b"", stdout=subprocess.PIPE, timeout=240):
    """Runs `widehash arguments...`; stdout and stderr of the result are bytes."""
    return subprocess.run([WIDEHASH, *map(str, arguments)], input=stdin, stdout=stdout, stderr=subprocess.PIPE,
                          timeout=timeout, check=False)


def rows(count, seed=1):
    """Rows of site, device and age whose label depends on site and device."""
    source = random.Random(seed)
    weight = {"site%d" % i: random.Random(i).gauss(0, 1.5) for i in range(60)}
    lines = []
    for _ in range(count):
        site = "site%d" % min(int(source.expovariate(0.08)), 59)
        device = source.choice(["phone", "desk", "tablet", ""])
        age = str(source.randint(0, 90))
        logit = weight[site] + (0.8 if device == "phone" else -0.4)
        clicked = "1" if source.random() < 1 / (1 + math.exp(-logit)) else "0"
        lines.append("\t".join([clicked, site, device, age]))
    return lines


def table(count, seed=1):
    return "\n".join(["clicked\tsite\tdevice\tage"] + rows(count, seed)) + "\n"


def contents(folder):
    """Name and digest of every file in the folder and its subfolders, except locks."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file() and "lock" not in path.name}


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def succeed(self, *arguments, stdin=b""):
        """Runs the program; requires success and an empty standard error. Returns the standard output."""
        done = run(*arguments, stdin=stdin)
        self.assertEqual((done.returncode, done.stderr), (0, b""), "widehash " + " ".join(map(str, arguments)))
        return done.stdout

    def succeed_json(self, *arguments, stdin=b""):
        return json.loads(self.succeed(*arguments, "--json", stdin=stdin))

    def fail_with(self, code, *arguments, stdin=b""):
        """Runs the program; requires this exit code, one error line and an empty standard output. Returns the error line."""
        done = run(*arguments, stdin=stdin)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, code, message)
        self.assertEqual(done.stdout, b"")
        self.assertTrue(message.startswith("widehash: "), message)
        lines = message.splitlines()
        self.assertTrue(len(lines) == 1 or (len(lines) == 2 and lines[1].startswith("see widehash ")), message)
        return lines[0]


class FlightsCase(Case):
    """A test on datasets of the sample of real flights."""

    def setUp(self):
        super().setUp()
        for name in ["train", "test"]:
            self.succeed("transform", "--schema", SOURCE_DIR / "examples/schemas/flights.toml",
                         SOURCE_DIR / "examples/flights" / (name + ".tsv.gz"), "-o", self.folder / name, "--quiet")
        self.data = self.folder / "train"
        self.test = self.folder / "test"
