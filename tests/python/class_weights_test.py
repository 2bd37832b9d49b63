"""class_weights= of train(), beside --class-weights of the program and scikit-learn's "balanced"."""

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
        for given, words in [("balanced", "balanced"), ([1, 4.5], "1,4.5"), (np.array([0.25, 2]), "0.25,2")]:
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

    def test_what_is_none_is_refused(self):
        for given, error, words in [("even", widehash.ConfigError, "balanced"), ([], widehash.ConfigError, "there are none"), ([1], widehash.ConfigError, "negative, positive"),
                                    ([1, -1], widehash.ConfigError, "numbers from 0 to"), (3, TypeError, "int"), ({0: 1, 1: 2}, TypeError, "dict"), (["a", "b"], TypeError, "number")]:
            with self.subTest(given), self.assertRaisesRegex(error, words):
                widehash.train(self.data, self.folder / "m", class_weights=given)
        self.assertFalse((self.folder / "m").exists())


if __name__ == "__main__":
    unittest.main()
