"""Empty inputs: reported together, or taken as inputs without rows with --allow-empty, in every command that reads text. Also jobs
that no row is left for."""

import gzip
import json
import unittest

from program import SCHEMA, Case, run, table

HEADER = "clicked\tsite\tdevice\tage\n"


class EmptyInputs(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.full = [self.write("b.tsv", table(700, 1)), self.write("d.tsv", table(300, 2))]
        self.inputs = [self.write("a.tsv", ""), self.full[0], self.write("c.tsv.gz", gzip.compress(b"")), self.full[1],
                       self.write("e.tsv", b"\xef\xbb\xbf")]

    def assert_says(self, message, *parts):
        for part in parts:
            self.assertIn(part, message)

    def made(self, command, name, inputs, *more):
        return self.succeed_json(command, "--schema", self.schema, *inputs, "-o", self.folder / name, *more)

    def test_they_are_reported_together_before_any_work(self):
        model = self.folder / "m"
        self.made("transform", "day", self.full)
        self.succeed("train", self.folder / "day", "-o", model, "--quiet")
        for command in (["transform", "--schema", self.schema, "-o", self.folder / "out"],
                        ["fit", "--schema", self.schema, "-o", self.folder / "out"], ["predict", model, "-o", self.folder / "out"]):
            message = self.fail_with(1, *command, *self.inputs)
            self.assert_says(message, "a.tsv: is empty", "as are 2 more", "c.tsv.gz", "e.tsv", "--allow-empty")
            self.assertFalse((self.folder / "out").exists())
            # The first problem is reported, and nothing after it is looked at.
            self.assert_says(self.fail_with(1, *command, self.inputs[3], self.inputs[4]), "e.tsv: is empty", "make it again")

    def test_allowed_they_have_no_rows(self):
        for command in "transform", "fit":
            told = self.made(command, command + "1", self.full)
            allowed = self.made(command, command + "2", self.inputs, "--allow-empty")
            for key in "rows", "features" if command == "fit" else "num_columns":
                self.assertEqual(allowed[key], told[key])
            self.succeed("verify", self.folder / (command + "2"))
            self.assertTrue(self.made(command, command + "2", self.inputs, "--allow-empty")["already_complete"])
        inputs = json.loads((self.folder / "transform2/manifest.json").read_text())["inputs"]
        self.assertEqual([one["rows"] for one in inputs], [0, 700, 0, 300, 0])
        self.succeed("train", self.folder / "transform2", "-o", self.folder / "m", "--quiet")
        lines = self.succeed("predict", self.folder / "m", *self.inputs, "--allow-empty")
        self.assertEqual(lines, self.succeed("predict", self.folder / "m", *self.full))
        self.assertEqual(lines.count(b"\n"), 1000)

    def test_the_standard_input_too(self):
        arguments = ["transform", "--schema", self.schema, "-", "-o", self.folder / "day", "--json"]
        refused = run(*arguments, stdin=b"")
        self.assertEqual(refused.returncode, 1)
        self.assertIn(b"standard input: is empty", refused.stderr)
        done = run(*arguments, "--allow-empty", stdin=b"")
        self.assertEqual((done.returncode, json.loads(done.stdout)["rows"]), (0, 0))
        self.succeed("verify", self.folder / "day")

    def test_inspect_looks_at_the_others(self):
        one = self.succeed_json("inspect", self.inputs[1])
        more = self.succeed_json("inspect", *self.inputs[:2])
        self.assertEqual([more[key] for key in ("rows", "fields")], [one[key] for key in ("rows", "fields")])
        self.assertIn("a.tsv is empty", " ".join(more["notes"]))
        self.assertIn("and 2 more inputs are empty", " ".join(self.succeed_json("inspect", *self.inputs)["notes"]))
        self.assert_says(self.fail_with(1, "inspect", self.inputs[0]), "a.tsv: is empty: there is nothing to inspect")
        self.assert_says(self.fail_with(1, "inspect", self.inputs[0], self.inputs[4]), "as all inputs are")

    def test_work_that_leaves_no_row_says_why(self):
        def said(command, *arguments):
            finished = run(command, "--schema", self.schema, *arguments, "--quiet")
            self.assertEqual(finished.returncode, 0, finished.stderr)
            return finished.stderr.decode()
        header = self.write("header.tsv", HEADER)
        self.assertIn("transform: there are no rows: the inputs hold none", said("transform", header, "-o", self.folder / "d1"))
        self.assertIn("fit: there are no rows: the inputs hold none", said("fit", header, "-o", self.folder / "t1"))
        bad = self.write("allbad.tsv", HEADER + "7\ta\tb\t1\n8\ta\tb\t1\n")
        self.assertIn("the inputs hold 2 rows, all bad, see", said("transform", bad, "-o", self.folder / "d2", "--max-bad-rows", 9))
        self.assertIn("rejected.tsv", said("fit", bad, "-o", self.folder / "t2", "--max-bad-rows", 9))
        one = self.write("one.tsv", HEADER + "1\ta\tb\t1\n")
        texts = [said("transform", one, "-o", self.folder / ("f%d" % fold), "--folds", "%d/2" % fold) for fold in (1, 2)]
        self.assertEqual(sorted(bool(text) for text in texts), [False, True])
        self.assertIn("none of 1 row is in these folds", "".join(texts))


if __name__ == "__main__":
    unittest.main()
