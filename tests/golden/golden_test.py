"""Files of every version are read as they were written, with the same codes, rows, predictions and metrics."""

import json
import pathlib
import shutil
import tempfile
import unittest

from golden import MODELS, RESUMED, TRAINING, codes, matrix, metrics, predictions, sets, transform, version, widehash


class Golden(unittest.TestCase):
    """Each set is copied first, because a resumed run writes into it."""

    def for_each_set(self):
        found = sets()
        self.assertTrue(found)
        for path in found:
            with self.subTest(path.name), tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder) / path.name
                shutil.copytree(path, copy)
                yield copy, copy / "expected"

    def assert_same_numbers(self, found, then, what):
        """Compares to the last few bits of a float, because mathematical libraries round exp and tanh differently."""
        self.assertEqual(len(found.split()), len(then.split()), what)
        for number, (one, other) in enumerate(zip(found.split(), then.split())):
            self.assertAlmostEqual(float(one), float(other), 6, "%s, row %d" % (what, number))

    def test_the_code_of_a_value_is_what_it_was(self):
        for folder, expected in self.for_each_set():
            self.assertEqual(codes(folder), (expected / "codes.txt").read_text())

    def test_files_are_sound(self):
        for folder, _ in self.for_each_set():
            for name in ["set", "tables", "resumed.model.checkpoint"] + [name + ".model" for name in MODELS]:
                widehash(folder, "verify", name, "--quiet")
            self.assertEqual(json.loads(widehash(folder, "verify", "set", "--json").stdout)["rejected_rows"], 1)

    def test_rows_of_a_dataset_are_what_they_were(self):
        for folder, expected in self.for_each_set():
            self.assertEqual(matrix(folder, "set"), (expected / "matrix.vw").read_text())

    def test_rows_encoded_now_are_those_encoded_then(self):
        for folder, expected in self.for_each_set():
            transform(folder, "now")
            self.assertEqual(matrix(folder, "now"), (expected / "matrix.vw").read_text())
            self.assertEqual(version(folder / "now"), 4)

    def test_datasets_of_two_versions_go_together(self):
        for folder, expected in self.for_each_set():
            transform(folder, "now")
            numbers = json.loads((expected / "metrics.json").read_text())["adagrad"]
            for key, value in metrics(folder, "adagrad.model", "now").items():
                self.assertAlmostEqual(value, numbers[key], 6, key)
            for learned, held_out in [("set", "now"), ("now", "set")]:
                widehash(folder, "train", learned, "--valid", held_out, "-o", learned + "-both.model", *TRAINING, "--quiet")
            self.assert_same_numbers(predictions(folder, "set-both.model", "now"),
                                     predictions(folder, "now-both.model", "set"), "trained on either")

    def test_a_stopped_run_is_carried_on(self):
        for folder, expected in self.for_each_set():
            self.assertTrue((folder / "stopped" / "progress.jsonl").exists())
            transform(folder, "stopped")
            self.assertEqual(version(folder / "stopped"), version(folder / "set"))
            self.assertEqual(matrix(folder, "stopped"), (expected / "matrix.vw").read_text())

    def test_models_predict_what_they_did(self):
        for folder, expected in self.for_each_set():
            numbers = json.loads((expected / "metrics.json").read_text())
            for name in MODELS:
                model = name + ".model"
                self.assert_same_numbers(predictions(folder, model, "set"),
                                         (expected / (name + ".predictions")).read_text(), model)
                found = metrics(folder, model)
                self.assertEqual(found.keys(), numbers[name].keys())
                for key, value in numbers[name].items():
                    self.assertAlmostEqual(found[key], value, 6, "%s of %s" % (key, model))
            widehash(folder, "explain", "adagrad.model", "--tables", "tables")
            widehash(folder, "audit", "tables")

    def test_a_training_goes_on_from_its_checkpoint(self):
        for folder, expected in self.for_each_set():
            widehash(folder, "train", "set", "-o", "resumed.model", *RESUMED, "--resume", "--quiet")
            self.assertFalse((folder / "resumed.model.checkpoint").exists())
            self.assert_same_numbers(predictions(folder, "resumed.model", "set"),
                                     (expected / "resumed.predictions").read_text(), "resumed.model")

    def test_a_training_starts_from_a_model(self):
        for folder, _ in self.for_each_set():
            for name, words in MODELS.items():
                devices = words if "--devices" in words else []
                # With 79 rows, an epoch is one step, which may overshoot.
                report = json.loads(widehash(folder, "train", "set", "--from", name + ".model", "-o", name + "-2.model",
                                             "--epochs", 8, "--json", *devices).stdout)
                self.assertIs(report["kept_state"], True)
                before, now = metrics(folder, name + ".model"), metrics(folder, name + "-2.model")
                key = "rmse" if name == "squares" else "log_loss"
                self.assertLess(now[key], before[key], name)


if __name__ == "__main__":
    unittest.main()
