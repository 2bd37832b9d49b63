"""Outputs in places where they cannot be written."""

import os
import stat
import unittest

from bad_input_test import HEADER, BadInput
from program import table


class Places(BadInput):
    """Root may write anywhere, so these tests use places that even root cannot write to."""

    def setUp(self):
        super().setUp()
        self.data = self.write("day.tsv", table(50))
        if not os.path.isdir("/proc/self"):
            self.skipTest("no /proc, which stands for a place that cannot be written")

    def test_output_folder_that_cannot_be_made(self):
        for place in ["/proc/widehash/out", self.data / "out"]:
            with self.subTest(str(place)):
                for command in ["transform", "fit"]:
                    message = self.fail_with(1, command, "--schema", self.schema, self.data, "-o", place)
                    self.assert_says(message, "/proc/widehash" if str(place).startswith("/proc") else self.data)

    def test_model_in_the_place_of_a_folder_or_a_device(self):
        day = self.folder / "day"
        self.succeed("transform", "--schema", self.schema, self.data, "-o", day, "--quiet")
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for place in [day, pipe]:
            self.assert_says(self.fail_with(2, "train", day, "-o", place), place, "not a file")
        self.assert_says(self.fail_with(2, "export", day, "--format", "npz", "-o", pipe), pipe)
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))

    def test_output_file_below_a_file(self):
        day, below = self.folder / "day", self.data / "out"
        self.succeed("transform", "--schema", self.schema, self.data, "-o", day, "--quiet")
        for command in [["train", day, "-o"], ["train", day, "-o", self.folder / "model", "--profile"],
                        ["export", day, "--format", "npz", "-o"], ["export", day, "--format", "vw", "-o"]]:
            self.assert_says(self.fail_with(1, *command, below), below, "is a file and not a folder")

    def test_place_of_a_model_is_looked_at_before_the_data(self):
        self.assert_says(self.fail_with(2, "train", self.folder / "none", "-o", "-"), "rewritten after each epoch")

    def test_output_file_in_the_place_of_a_folder(self):
        """Reported before the work is done: the bad row of the input is not reported."""
        day, there = self.folder / "day", self.folder / "there"
        there.mkdir()
        self.succeed("transform", "--schema", self.schema, self.data, "-o", day, "--quiet")
        self.succeed("train", day, "-o", self.folder / "model", "--quiet")
        bad = self.write("bad.tsv", HEADER + "bad\n")
        for place in [there, "%s/" % there]:
            for command in [["export", day, "--format", "vw"], ["export", day, "--format", "libsvm"],
                            ["predict", self.folder / "model", bad]]:
                self.assert_says(self.fail_with(2, *command, "-o", place), "%s: is a folder; give the path of a file" % place)
        self.assertEqual(list(there.iterdir()), [])

    def test_output_file_that_cannot_be_made(self):
        day = self.folder / "day"
        self.succeed("transform", "--schema", self.schema, self.data, "-o", day, "--quiet")
        for place in ["/proc/widehash.out", self.data / "out", self.folder / "none" / "out"]:
            with self.subTest(str(place)):
                self.assert_says(self.fail_with(1, "train", day, "-o", place), place)
                self.assert_says(self.fail_with(1, "inspect", self.data, "-o", place), place)
                self.assert_says(self.fail_with(1, "export", day, "--format", "npz", "-o", place), place)


if __name__ == "__main__":
    unittest.main()
