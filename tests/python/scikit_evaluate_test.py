"""Estimators evaluated on rows with labels."""

import unittest

import numpy as np

try:
    from sklearn.exceptions import NotFittedError
    from sklearn.metrics import log_loss, mean_squared_error, roc_auc_score
    from widehash.scikit import WideClassifier, WideRegressor
except ImportError:
    WideClassifier = None

import widehash
from flights_kit import FEATURES, columns_and_label


@unittest.skipIf(WideClassifier is None, "scikit-learn is not installed")
class Evaluated(unittest.TestCase):
    def test_its_figures_are_those_of_scikit_learn(self):
        columns, late = columns_and_label("train")
        test, was_late = columns_and_label("test")
        found = WideClassifier(FEATURES).fit(columns, np.where(late, "late", "in time"))
        names = np.where(was_late, "late", "in time")
        report = found.evaluate(test, names, by="carrier")
        probabilities = found.predict_proba(test)[:, list(found.classes_).index("late")]
        self.assertAlmostEqual(report.log_loss, log_loss(was_late, probabilities), 6)
        self.assertAlmostEqual(max(report.auc, 1 - report.auc), roc_auc_score(was_late, probabilities), 6)
        self.assertEqual(report.rows, len(was_late))
        self.assertEqual(sum(one.rows for one in report.by[0].values), len(was_late))
        with self.assertRaisesRegex(ValueError, "had no weights"):
            found.evaluate(test, names, np.ones(len(names)))
        with self.assertRaises(ValueError):
            found.evaluate(test, np.where(was_late, "late", "early"))

    def test_weights_and_numbers(self):
        rng = np.random.default_rng(1)
        x = {"a": rng.integers(0, 20, 600).astype(str), "b": rng.integers(0, 5, 600).astype(str)}
        y, weights = x["a"].astype(float) + rng.normal(size=600), rng.uniform(0.5, 2, 600)
        found = WideRegressor({"a": 20, "b": 5}).fit(x, y, weights)
        report = found.evaluate(x, y, weights)
        self.assertAlmostEqual(report.rmse, mean_squared_error(y, found.predict(x), sample_weight=weights) ** 0.5, 4)
        self.assertAlmostEqual(report.weight, weights.sum(), 3)
        self.assertEqual(found.evaluate(x, y).weight, 600)

    def test_a_column_with_the_name_of_the_label_is_not_taken_for_it(self):
        x, y = {"a": ["x", "y"] * 50}, np.arange(100) % 2
        found = WideClassifier({"a": 3}).fit(x, y)
        more = {**x, "y": ["p", "q"] * 50}
        with self.assertRaisesRegex(widehash.ConfigError, "also named 'y'; rename this column of X"):
            found.evaluate(more, y, by=["a", "y"])
        self.assertEqual(found.evaluate(more, y, by="a").by[0].field, "a")
        seen = WideClassifier({"a": 3}).fit(more, y).evaluate(more, y, by="y")
        self.assertEqual({one.value for one in seen.by[0].values}, {"p", "q"})

    def test_it_has_to_be_fitted(self):
        with self.assertRaises(NotFittedError):
            WideClassifier(FEATURES).evaluate({"a": ["x"]}, [1])
        with self.assertRaises(NotFittedError):
            WideRegressor(FEATURES).evaluate({"a": ["x"]}, [1])


if __name__ == "__main__":
    unittest.main()
