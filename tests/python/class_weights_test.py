"""Compares class_weights= of train() with the program's --class-weights and scikit-learn's "balanced"."""

import pickle
import unittest

import numpy as np

try:
    from sklearn.utils.class_weight import compute_class_weight
except ImportError:
    compute_class_weight = None

import widehash
from flights_kit import JobCase, contents, flights, with_program


class ClassWeights(JobCase):
    @with_program
    def test_the_same_model_as_the_programs(self):
        for given, words in [("balanced", "balanced"), ([1, 4.5], "1,4.5"), ({1: 4.5}, "1=4.5"), ({"0": 0.5, np.int64(1): 2}, "0=0.5,1=2"),
                             ({True: 3.0, False: 0.5}, "1=3,0=0.5"), (np.array([0.25, 2]), "0.25,2")]:
            told = self.program_json("train", self.data, "-o", self.folder / "theirs", "--overwrite", "--class-weights", words)
            report = widehash.train(self.data, self.folder / "ours", overwrite=True, class_weights=given)
            self.assertEqual(contents(self.folder / "ours"), contents(self.folder / "theirs"))
            self.assertEqual(report.class_weights, told["class_weights"])
            self.assertEqual(widehash.Model(self.folder / "ours").class_weights, told["class_weights"])
        goes_on = widehash.train(self.data, self.folder / "next", from_model=self.folder / "ours")
        self.assertEqual(goes_on.class_weights, [0.25, 2])
        self.assertIsNone(widehash.Model(self.model).class_weights)
        self.assertIsNone(widehash.train(self.data, self.folder / "ours", overwrite=True).class_weights)

    @unittest.skipIf(compute_class_weight is None, "no scikit-learn for this Python")
    def test_balanced_is_what_scikit_learn_calls_so(self):
        labels = np.array(flights("train")["late"])
        expected = compute_class_weight("balanced", classes=np.array(["0", "1"]), y=labels)
        report = widehash.train(self.data, self.folder / "ours", class_weights="balanced")
        np.testing.assert_allclose(report.class_weights, expected, rtol=1e-12)

    @with_program
    def test_undone_they_are_probabilities_of_the_rows(self):
        widehash.train(self.data, self.folder / "ours", class_weights={1: 6}, epochs=3)
        rows = flights("test")
        weighted = widehash.Model(self.folder / "ours").predict(rows)
        model = widehash.Model(self.folder / "ours", undo_class_weights=True)
        plain = model.predict(rows)
        odds = weighted.astype(np.float64) / (1 - weighted.astype(np.float64)) / 6
        np.testing.assert_allclose(plain, odds / (1 + odds), rtol=1e-4)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(rows), plain)
        np.testing.assert_array_equal(widehash.predict(self.folder / "ours", self.data, undo_class_weights=True),
                                      np.loadtxt(self.program("predict", self.folder / "ours", self.data, "--undo-class-weights").splitlines(), dtype=np.float32))
        told = self.program_json("evaluate", self.folder / "ours", self.data, "--undo-class-weights")
        found = widehash.evaluate(self.folder / "ours", self.data, undo_class_weights=True)
        self.assertEqual(found.log_loss, told["log_loss"])
        self.assertLess(found.log_loss, widehash.evaluate(self.folder / "ours", self.data).log_loss)
        with self.assertRaisesRegex(TypeError, "True or False"):
            widehash.Model(self.folder / "ours", undo_class_weights="no")

    def test_without_class_weights_there_is_nothing_to_undo(self):
        for job in (lambda: widehash.Model(self.model, undo_class_weights=True),
                    lambda: widehash.predict(self.model, self.data, undo_class_weights=True),
                    lambda: widehash.evaluate(self.model, self.data, undo_class_weights=True)):
            with self.assertWarnsRegex(UserWarning, "was trained without class weights, so undo_class_weights changes nothing") as caught:
                job()
            self.assertEqual(caught.filename, __file__)

    def test_what_is_none_is_refused(self):
        for given, error, words in [("even", widehash.ConfigError, "balanced"), ([], widehash.ConfigError, "there are none"), ([1], widehash.ConfigError, "negative, positive"),
                                    ([1, -1], widehash.ConfigError, "numbers from 0 to"), (3, TypeError, "int"), ({}, widehash.ConfigError, "there are none"), ({2: 1}, widehash.ConfigError, "has no class '2'"), ({None: 1}, TypeError, "NoneType"), ({1: "a"}, TypeError, "number"),
                                    ({1: 2, True: 3, 1.5: 2}, TypeError, "float"), ({1: 2, "true": 3}, widehash.ConfigError, "already"), (["a", "b"], TypeError, "number")]:
            with self.subTest(given), self.assertRaisesRegex(error, words):
                widehash.train(self.data, self.folder / "m", class_weights=given)
        self.assertFalse((self.folder / "m").exists())


if __name__ == "__main__":
    unittest.main()
