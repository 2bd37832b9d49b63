"""train DIR...: several datasets as one of all their inputs."""

import unittest

from program import Case, SCHEMA, table


class SeveralDatasets(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.texts = [self.write("day%d.tsv" % day, table(500 + day, day)) for day in range(3)]
        self.days = [self.folder / ("day%d" % day) for day in range(3)]
        for text, day in zip(self.texts, self.days):
            self.succeed("transform", "--schema", self.schema, text, "-o", day, "--quiet")

    def train(self, *arguments):
        return self.succeed_json("train", *arguments, "-o", self.folder / "m", "--overwrite", "--epochs", 2, "--quiet")

    def test_the_model_is_that_of_one_dataset(self):
        self.succeed("transform", "--schema", self.schema, *self.texts, "-o", self.folder / "all", "--quiet")
        for more in ([], ["--hidden", "4", "--devices", "cpu,cpu"], ["--no-shuffle", "--valid", self.days[1]]):
            with self.subTest(more=more):
                expected = self.train(self.folder / "all", *more)["rows"]
                model = (self.folder / "m").read_bytes()
                self.assertEqual(self.train(*self.days, *more)["rows"], expected)
                self.assertEqual((self.folder / "m").read_bytes(), model)

    def test_resume_wants_the_same_ones(self):
        self.train(*self.days, "--lr-decay", "none")
        more = ["-o", self.folder / "m", "--lr-decay", "none", "--resume", "--epochs"]
        self.succeed("train", *self.days, *more, 3, "--quiet")
        self.assertIn("rows", self.fail_with(2, "train", *self.days[:2], *more, 4))

    def test_what_does_not_go_together_is_refused(self):
        other = self.write("other.toml", SCHEMA.replace("cardinality = 100", "cardinality = 200"))
        self.succeed("transform", "--schema", other, self.texts[0], "-o", self.folder / "other", "--quiet")
        self.assertIn("feature 'site': cardinality",
                      self.fail_with(2, "train", self.days[0], self.folder / "other", "-o", self.folder / "m"))
        self.assertIn("is named twice", self.fail_with(2, "train", self.days[0], self.days[0], "-o", self.folder / "m"))
        self.assertIn("nowhere: cannot open",
                      self.fail_with(1, "train", self.days[0], self.folder / "nowhere", "-o", self.folder / "m"))
        self.assertIn("day1", self.fail_with(2, "train", *self.days, "-o", self.days[1] / "m"))
        self.assertFalse((self.folder / "m").exists())


if __name__ == "__main__":
    unittest.main()
