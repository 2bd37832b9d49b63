"""Several datasets as one of all their inputs: train, its --valid, evaluate, predict and export."""

import json
import unittest

from program import Case, SCHEMA, run, table


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
        judge = self.folder / "judge"
        self.succeed("transform", "--schema", self.schema, self.write("day9.tsv", table(400, 1)), "-o", judge, "--quiet")
        for more in ([], ["--hidden", "4", "--devices", "cpu,cpu"], ["--no-shuffle", "--valid", judge]):
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

    def test_they_are_judged_predicted_and_exported_as_one(self):
        self.succeed("transform", "--schema", self.schema, *self.texts[1:], "-o", self.folder / "both", "--quiet")
        model = self.folder / "m"
        days = self.days[1:]
        judged = [self.succeed_json("train", self.days[0], "-o", model, "--overwrite", "--quiet", *valid)
                  for valid in (["--valid", self.folder / "both"], ["--valid", days[0], "--valid=%s" % days[1]])]
        metrics = [self.succeed_json("evaluate", model, *sets) for sets in ([self.folder / "both"], days, self.texts[1:])]
        for key in metrics[0].keys() - {"seconds", "rows_per_second"}:
            self.assertEqual(metrics[0][key], metrics[1][key], key)
            self.assertEqual(metrics[0][key], metrics[2][key], key)
        self.assertEqual(metrics[1]["rows"], 501 + 502)
        for key in ("log_loss", "auc", "rmse"):
            self.assertEqual([told[key] for told in judged], [metrics[1][key]] * 2, key)
        lines = self.succeed("predict", model, self.folder / "both")
        self.assertEqual(self.succeed("predict", model, *days), lines)
        self.assertNotEqual(self.succeed("predict", model, *reversed(days)), lines)
        for format in ("libsvm", "vw", "npz"):
            for name, sets in (("one", [self.folder / "both"]), ("several", days)):
                self.succeed("export", *sets, "--format", format, "-o", self.folder / name)
            self.assertEqual((self.folder / "several").read_bytes(), (self.folder / "one").read_bytes(), format)

    def test_lists_of_bad_rows_are_those_of_each(self):
        bad = []
        for day in range(2):
            text = self.write("bad%d.tsv" % day, table(20, day) + "1\n" * day)
            bad.append(self.folder / ("bad%d" % day))
            self.succeed("transform", "--schema", self.schema, text, "-o", bad[-1], "--max-bad-rows", 1, "--quiet")
        self.train(self.days[0])
        done = run("predict", self.folder / "m", *bad, "-o", self.folder / "p", "--json")
        self.assertIn(b"bad rows: 1 were left out", done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual(told["rejected_rows"], 1)
        self.assertEqual(told["rejected_file"], str(bad[1] / "rejected.tsv"))

    def test_what_does_not_go_together_is_refused(self):
        other = self.write("other.toml", SCHEMA.replace("cardinality = 100", "cardinality = 200"))
        self.succeed("transform", "--schema", other, self.texts[0], "-o", self.folder / "other", "--quiet")
        self.assertIn("feature 'site': cardinality",
                      self.fail_with(2, "train", self.days[0], self.folder / "other", "-o", self.folder / "m"))
        self.assertIn("is given twice", self.fail_with(2, "train", self.days[0], self.days[0], "-o", self.folder / "m"))
        self.assertIn("nowhere: cannot open",
                      self.fail_with(1, "train", self.days[0], self.folder / "nowhere", "-o", self.folder / "m"))
        self.assertIn("day1", self.fail_with(2, "train", *self.days, "-o", self.days[1] / "m"))
        self.assertFalse((self.folder / "m").exists())
        self.train(self.days[0])
        judged = ["-o", self.folder / "n", "--valid", self.days[1], "--valid"]
        self.assertIn("is given twice", self.fail_with(2, "train", self.days[0], *judged, self.days[1]))
        self.assertIn("is empty", self.fail_with(2, "train", self.days[0], *judged, ""))
        self.assertIn("day1", self.fail_with(2, "train", self.days[0], "-o", self.days[1] / "m",
                                             "--valid", self.days[2], "--valid", self.days[1]))
        for command in (["evaluate", self.folder / "m"], ["predict", self.folder / "m"],
                        ["export", "--format", "vw", "-o", self.folder / "x"]):
            with self.subTest(command=command[0]):
                self.assertIn("feature 'site': cardinality", self.fail_with(2, *command, self.days[0], self.folder / "other"))
                self.assertIn("is given twice", self.fail_with(2, *command, self.days[0], self.days[0]))
        self.assertIn("day1", self.fail_with(2, "export", *self.days, "--format", "vw", "-o", self.days[1] / "x"))
        self.assertIn("is a folder but", self.fail_with(2, "predict", self.folder / "m", self.days[0], self.texts[0]))
        self.assertFalse((self.folder / "x").exists())


if __name__ == "__main__":
    unittest.main()
