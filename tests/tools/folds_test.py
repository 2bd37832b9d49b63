"""--folds: compares the chosen rows with xxhash in Python, for every way in which rows are read."""

import csv
import gzip
import io
import json
import random
import unittest

try:
    import xxhash
except ImportError:
    xxhash = None

from program import Case, run

SEED = 0x666F6C6473
SCHEMA = """
version = 1
%s
label = { field = "y", positive = ["1"], negative = ["0"] }
[[feature]]
field = "id"
encoding = "numeric"
[[feature]]
field = "site"
cardinality = 50
"""


def fold(values, count):
    return 1 + xxhash.xxh64_intdigest("\t".join(values).encode(), seed=SEED) % count


@unittest.skipIf(xxhash is None, "no xxhash module for this Python")
class Folds(Case):
    def make_rows(self, count, wild):
        source = random.Random(11)
        sites = ["a", "b", "", "long " * 20, "ü"] + (["x,y", 'say "hi"', "two\nlines", "\tz"] if wild else [])
        return [[str(source.randint(0, 1)), "u%d" % source.randint(1, 200), str(i), source.choice(sites)]
                for i in range(1, count + 1)]

    def ids(self, dataset):
        """The ids of the rows of a dataset, in their order. The id is the only number of a row; codes have the value 1."""
        text = self.succeed("export", dataset, "--format", "libsvm", "-o", "-").decode()
        return [int(line.split(" ")[1].split(":")[1]) for line in text.splitlines()]

    def check(self, name, schema, content, rows):
        schema = self.write(name + ".toml", SCHEMA % schema)
        path = self.write(name, content)
        for by, key in ([], lambda row: row), (["--fold-by", "user"], lambda row: row[1:2]):
            for folds, taken in ("1-3,5/5", {1, 2, 3, 5}), ("4/5", {4}):
                output = self.folder / (name + "-%d-%s" % (len(by), folds.replace("/", "of")))
                report = self.succeed_json("transform", "--schema", schema, path, "-o", output, "--folds", folds, *by,
                                           "--block-bytes", "20000")
                expected = [int(row[2]) for row in rows if fold(key(row), 5) in taken]
                self.assertEqual(self.ids(output), expected)
                self.assertEqual(report["rows"], len(expected))
                self.assertEqual(report["other_fold_rows"], len(rows) - len(expected))
                self.assertIn(b"%d of other folds" % report["other_fold_rows"] if report["other_fold_rows"] < 1000
                              else b" of other folds", self.succeed("verify", output))

    def test_bare_rows(self):
        rows = self.make_rows(3000, False)
        lines = ["y\tuser\tid\tsite"] + ["\t".join(row) for row in rows]
        for name, end in ("lf.tsv", "\n"), ("crlf.tsv", "\r\n"):
            text = "".join(line + end for line in lines)
            self.check(name, "", text, rows)
        self.check("rows.gz", "", gzip.compress(text.encode()), rows)
        self.check("commas.csv", 'delimiter = ","', "\n".join(lines).replace("\t", ","), rows)

    def test_quoted_rows(self):
        rows = self.make_rows(3000, True)
        for name, quoting in ("some.csv", csv.QUOTE_MINIMAL), ("all.csv", csv.QUOTE_ALL):
            text = io.StringIO()
            writer = csv.writer(text, quoting=quoting, lineterminator="\n")
            writer.writerow(["y", "user", "id", "site"])
            writer.writerows(rows)
            self.check(name, 'format = "csv"\nquote = "\\""', text.getvalue(), rows)

    def test_values_that_are_trimmed(self):
        rows = self.make_rows(500, False)
        text = "y\tuser\tid\tsite\n" + "".join("\t".join(value + " " for value in row) + "\n" for row in rows)
        self.check("spaces.tsv", "trim = true", text, [[value.strip(" ") for value in row] for row in rows])

    def test_fit_counts_the_rows_that_are_taken(self):
        rows = self.make_rows(2000, False)
        schema = self.write("s.toml", SCHEMA % "")
        path = self.write("rows.tsv", "y\tuser\tid\tsite\n" + "".join("\t".join(row) + "\n" for row in rows))
        report = self.succeed_json("fit", "--schema", schema, path, "-o", self.folder / "tables", "--folds", "2-10/10")
        taken = [row for row in rows if fold(row, 10) != 1]
        self.assertEqual((report["rows"], report["other_fold_rows"]), (len(taken), 2000 - len(taken)))
        mean = sum(int(row[2]) for row in taken) / len(taken)
        self.assertAlmostEqual(report["features"][0]["mean"], mean, places=6)
        found = dict(reversed(line.split("\t")) for line in
                     self.succeed("values", self.folder / "tables", "site").decode().splitlines())
        for site in {row[3] for row in rows}:
            self.assertEqual(int(found[site]), sum(row[3] == site for row in taken))


    def test_training_warns_of_folds_that_overlap(self):
        rows = self.make_rows(500, False)
        schema = self.write("s.toml", SCHEMA % "")
        path = self.write("rows.tsv", "y\tuser\tid\tsite\n" + "".join("\t".join(row) + "\n" for row in rows))
        datasets = {}
        for name, *folds in (("most", "1-3/4"), ("last", "4/4"), ("by user", "4/4", "--fold-by", "user")):
            datasets[name] = self.folder / name
            self.succeed("transform", "--schema", schema, path, "-o", datasets[name], "--folds", *folds)
        model = self.folder / "m.model"
        for valid, own in ("last", None), ("by user", str(path)):
            done = run("train", datasets["most"], "--valid", datasets[valid], "-o", model, "--overwrite", "--json",
                       "--lr", "0.0001")
            self.assertEqual(json.loads(done.stdout)["own_rows"], own)
            self.assertEqual(b"--fold-by" in done.stderr, own is not None, done.stderr)


class Refused(Case):
    def test_in_words(self):
        schema = self.write("s.toml", SCHEMA % "")
        path = self.write("rows.tsv", "y\tuser\tid\tsite\n1\tu\t1\ta\n")
        for given, said in ((["--folds", "0/10"], "numbered from 1"), (["--folds", "11/10"], "fold 11, but there are only 10"),
                            (["--folds", "ten"], "1-9/10"), (["--fold-by", "user"], "--folds 1-9/10"),
                            (["--folds", "1/2", "--fold-by", "usr"], "did you mean 'user'")):
            for command in "transform", "fit":
                message = self.fail_with(2, command, "--schema", schema, path, "-o", self.folder / "out", *given)
                self.assertIn(said, message)
                self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
