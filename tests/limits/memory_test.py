"""Peak memory of the program against --memory, on tables made to exceed it.

    memory_test.py [--full] [-v]

The short form runs with the other tests; --full uses the sizes in docs/reliability.md and prints its table. Peaks are of resident
memory as the kernel counts it, including pages of mapped files.
"""

import gzip
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

from hostile_tables import all_distinct, bomb, flood, long_fields, many_combinations, many_fields  # noqa: E402
from program import WIDEHASH, Case  # noqa: E402

FULL = "--full" in sys.argv
MIB = 1 << 20

# Memory that a command may take in addition to --memory: its code and libraries, the current row of up to 64 MiB, and a
# fixed amount per feature.
BASE = 48 * MIB
LONGEST_ROW = 64 * MIB
PER_FEATURE = 6 << 10
# Values of exact features with a column of their own are found through an index in memory over their mapped table.
PER_HEAD = 160
# Training maps at most two windows of 256 MiB of its shards; the shards of
# these tables fit in one. The kernel can reclaim the pages.
WINDOW = 256 * MIB


def schema(fields, extra=""):
    parts = ['label = "label"\n', "max_field_bytes = 2000000\n"]
    for field in fields:
        parts.append('[[feature]]\nfield = "%s"\ncardinality = 1000000\n%s' % (field, extra))
    return "".join(parts)


def measured(command):
    """Runs a command. Returns its exit code, standard output, standard error and peak resident bytes."""
    read_out, write_out = os.pipe()
    read_err, write_err = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(write_out, 1)
        os.dup2(write_err, 2)
        for end in (read_out, write_out, read_err, write_err):
            os.close(end)
        os.execv(command[0], command)
    os.close(write_out)
    os.close(write_err)
    with open(read_out, "rb") as out, open(read_err, "rb") as err:
        text, message = out.read(), err.read()
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), text.decode(), message.decode(), usage.ru_maxrss * 1024


class Memory(Case):
    def peak(self, what, slack, *arguments, memory, code=0):
        """Runs a command and requires its peak to be at most `memory + slack`. Returns its output, or its errors if `code` is not 0."""
        command = [WIDEHASH, *map(str, arguments), "--memory", str(memory), "--quiet"]
        result, text, message, peak = measured(command)
        self.assertEqual(result, code, message)
        if FULL:
            print("| %s | %s | %d MiB | %.0f MiB | %.0f MiB |"
                  % (arguments[0], what, memory / MIB, (memory + slack) / MIB, peak / MIB), flush=True)
        self.assertLessEqual(peak, memory + slack, what)
        return message if code else text

    def fit_transform_train(self, what, data, fields, slack, budgets, extra=""):
        toml = self.write("schema.toml", schema(fields, extra))
        features = len(fields) * PER_FEATURE
        for memory in budgets:
            tables = self.folder / ("tables%d" % memory)
            report = json.loads(self.peak(what, BASE + slack + features, "fit", data, "--schema", toml, "-o", tables, "--json",
                                          memory=memory))
            dataset = self.folder / ("dataset%d" % memory)
            options = ["--tables", tables] if extra else []
            self.peak(what, BASE + slack + features, "transform", data, "--schema", toml, "-o", dataset, "--block-bytes",
                      "4M", *options, memory=memory)
            self.peak(what, BASE + WINDOW + features, "train", dataset, "-o", self.folder / "model", "--overwrite", memory=memory)
            self.succeed("verify", dataset)
        return report

    def test_no_value_comes_twice(self):
        rows = 4_000_000 if FULL else 200_000
        all_distinct(self.folder / "in.tsv", rows)
        report = self.fit_transform_train("%d rows of 4 distinct values" % rows, self.folder / "in.tsv", "abcd", 0,
                                          [64 * MIB, 256 * MIB] if FULL else [40 * MIB])
        self.assertEqual(report["rows"], rows)

    def test_fields_of_a_megabyte(self):
        rows = 1000 if FULL else 60
        long_fields(self.folder / "in.tsv", rows, 1_000_000)
        self.fit_transform_train("%d rows with a field of 1 MB" % rows, self.folder / "in.tsv", "abcd", 0,
                                 [64 * MIB, 256 * MIB] if FULL else [40 * MIB])

    def test_combinations_of_lists(self):
        rows = 3000 if FULL else 300
        many_combinations(self.folder / "in.tsv", rows, 200)
        toml = self.write("schema.toml", 'label = "label"\n[[feature]]\ncross = ["a", "b"]\nseparator = "|"\ncardinality = 10000\n')
        # At most 32 rows of combinations are encoded at a time.
        self.peak("%d rows of 40,000 combinations" % rows, BASE + 32 * MIB, "transform", self.folder / "in.tsv", "--schema", toml,
                  "-o", self.folder / "dataset", "--block-bytes", "4M", memory=64 * MIB)
        self.succeed("verify", self.folder / "dataset")
        self.succeed("train", self.folder / "dataset", "-o", self.folder / "model", "--batch-size", 8, "--quiet")
        for command in ("predict", "evaluate"):
            arguments = [command, self.folder / "model", self.folder / "in.tsv", "--threads", 1, "--quiet"]
            result, _, message, peak = measured([WIDEHASH, *map(str, arguments)])
            self.assertEqual(result, 0, message)
            self.assertLessEqual(peak, BASE + 64 * MIB, command)  # all rows at once are 48 MB, or ten times that in a long run

    def test_a_million_fields(self):
        many_fields(self.folder / "in.tsv", 30 if FULL else 3, 1_000_000)
        self.fit_transform_train("a million fields", self.folder / "in.tsv", ["f0", "f999999"], LONGEST_ROW,
                                 [64 * MIB, 256 * MIB] if FULL else [64 * MIB])

    def test_ten_thousand_features(self):
        features = 10_000 if FULL else 1000
        many_fields(self.folder / "in.tsv", 1000 if FULL else 100, features)
        self.fit_transform_train("%d features" % features, self.folder / "in.tsv", ["f%d" % i for i in range(features)], 0,
                                 [512 * MIB] if FULL else [64 * MIB])

    def test_values_of_one_hash(self):
        rows = 1_000_000 if FULL else 100_000
        flood(self.folder / "in.tsv", rows)
        report = self.fit_transform_train("%d values of one hash" % rows, self.folder / "in.tsv", "abcd", rows * PER_HEAD,
                                          [128 * MIB], 'encoding = "exact"\nmax_values = 2000000\n')
        found = {item["feature"]: item for item in report["features"]}
        self.assertEqual(found["a"]["num_values"], rows)

    def test_a_row_that_never_ends(self):
        toml = self.write("schema.toml", schema("abcd"))
        data = self.folder / "bomb.gz"
        bomb(data, b"x", (4 << 30) if FULL else (256 << 20))
        for command in ("fit", "transform"):
            message = self.peak("a row of 4 GiB from a gzip", BASE + LONGEST_ROW, command, data, "--schema", toml, "-o",
                                self.folder / command, memory=64 * MIB, code=1)
            self.assertIn("bomb.gz:2: the row that begins here does not end within 64 MiB", message)

    def test_nothing_but_line_ends(self):
        toml = self.write("schema.toml", schema("abcd"))
        data = self.folder / "bomb.gz"
        bomb(data, b"\n", (4 << 30) if FULL else (256 << 20))
        for command in ("fit", "transform"):
            text = self.peak("4 GiB of line ends from a gzip", BASE, command, data, "--schema", toml, "-o",
                             self.folder / command, "--json", memory=64 * MIB)
            self.assertEqual(json.loads(text)["rows"], 0)

    @unittest.skipUnless(FULL, "takes minutes: memory_test.py --full")
    def test_more_rows_than_32_bits_count(self):
        rows = (1 << 32) + 1000
        toml = self.write("schema.toml", '[[feature]]\nfield = "a"\ncardinality = 10\n')
        data = self.folder / "in.gz"
        with gzip.open(data, "wb", compresslevel=1) as out:
            out.write(b"a\n")
            for _ in range(rows >> 20):
                out.write(b"\n" * (1 << 20))
            out.write(b"x\n" * (rows % (1 << 20)))
        text = self.peak("%d rows" % rows, BASE, "fit", data, "--schema", toml, "-o", self.folder / "tables", "--json",
                         memory=64 * MIB)
        self.assertEqual(json.loads(text)["rows"], rows)
        heaviest = self.succeed_json("audit", self.folder / "tables")
        print(heaviest)

    def test_a_budget_too_small_is_refused_with_the_need(self):
        toml = self.write("schema.toml", schema("abcd"))
        all_distinct(self.folder / "in.tsv", 10)
        for command in ("fit", "transform"):
            message = self.fail_with(2, command, self.folder / "in.tsv", "--schema", toml, "-o", self.folder / command,
                                     "--memory", "1M")
            self.assertIn("raise", message)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--full"])
