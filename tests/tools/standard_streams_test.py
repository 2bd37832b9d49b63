"""A program started without a standard input, output or error must not mistake one of its own files for it."""

import os
import subprocess
import unittest

from program import SCHEMA, WIDEHASH, Case, contents, table


class ClosedStreams(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.data = self.write("day.tsv", table(300))
        self.transform = ["transform", "--schema", self.schema, self.data, "-o"]
        self.succeed(*self.transform, self.folder / "expected", "--quiet")

    def run_without(self, descriptors, *arguments):
        def close():
            for descriptor in descriptors:
                os.close(descriptor)

        return subprocess.run([WIDEHASH, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=close, timeout=60, check=False)

    def test_without_an_input_it_cannot_be_read(self):
        for command in [["transform", "--schema", self.schema, "-", "-o", self.folder / "day"],
                        ["fit", "--schema", self.schema, "-", "-o", self.folder / "tables"], ["inspect", "-"]]:
            done = self.run_without([0], *command)
            self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
            self.assertIn(b"the input '-' (standard input) is closed", done.stderr)
        self.assertFalse((self.folder / "day").exists())
        done = self.run_without([0], "hash", "--cardinality", 9)
        self.assertEqual((done.returncode, done.stderr), (1, b"widehash: standard input: cannot read\n"))

    def test_without_an_output_results_are_an_error(self):
        done = self.run_without([1], "hash", "--cardinality", 9, "a")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output: cannot write", done.stderr)

    def test_without_any_the_files_are_those_of_other_runs(self):
        for closed in [[0], [1], [2], [0, 1], [1, 2], [0, 1, 2]]:
            place = self.folder / "".join(map(str, closed))
            done = self.run_without(closed, *self.transform, place, "--quiet")
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(contents(place), contents(self.folder / "expected"))
        # The error message is lost, and no file contains it.
        self.assertEqual(self.run_without([1, 2], *self.transform, self.data).returncode, 1)
        self.assertEqual(self.data.read_text(), table(300))


if __name__ == "__main__":
    unittest.main()
