"""The rows on which an estimator is judged after each epoch: additional ones, or a held-out part of its own."""

import unittest

import numpy as np

try:
    from sklearn.base import clone
    from sklearn.metrics import log_loss
    from sklearn.model_selection import GridSearchCV
    from widehash.scikit import WideClassifier, WideRegressor
    from widehash.scikit_targets import held_out
except ImportError as error:
    WideClassifier = None
    reason = str(error)

import widehash
from columns_kit import pd
from flights_kit import FEATURES, columns_and_label


@unittest.skipIf(WideClassifier is None, "scikit-learn is not installed")
class Valid(unittest.TestCase):
    def test_rows_to_judge_by_choose_the_epoch(self):
        train, late = columns_and_label("train")
        test, test_late = columns_and_label("test")
        found = WideClassifier(FEATURES, epochs=12, early_stop=2).fit(train, late, valid=(test, test_late))
        self.assertTrue(found.report_.stopped_early)
        self.assertAlmostEqual(log_loss(test_late, found.predict_proba(test)), found.report_.kept_epoch.valid.log_loss, places=5)
        weighted = WideClassifier(FEATURES, epochs=2).fit(train, late, np.ones(len(late)), (test, test_late, np.arange(len(test_late)) % 2))
        self.assertEqual(weighted.report_.epochs[0].valid.weight, len(test_late) // 2)
        judged = WideClassifier(FEATURES, epochs=2).fit(train, late, valid=(test, test_late, np.arange(len(test_late)) % 2))
        self.assertEqual([epoch.valid for epoch in judged.report_.epochs], [epoch.valid for epoch in weighted.report_.epochs])
        judged.partial_fit(train, late)
        numbers = WideRegressor(FEATURES, epochs=2).fit(train, late, valid=[test, test_late])
        self.assertIsNotNone(numbers.report_.kept_epoch.valid.rmse)
        for valid, words in (((test, test_late + 1), r"y has a class that is not one of \[0, 1\], 2"), (test, "valid must be"), ((test,), "valid must be")):
            with self.assertRaisesRegex((ValueError, TypeError), words):
                WideClassifier(FEATURES).fit(train, late, valid=valid)
        with self.assertRaisesRegex(widehash.ConfigError, "early_stop needs .* `validation_fraction`"):
            WideClassifier(FEATURES, early_stop=1).fit(train, late)

    def test_a_fraction_of_the_rows_is_left_out_to_judge_by(self):
        train, late = columns_and_label("train")
        arrays = {name: np.asarray(column) for name, column in train.items()}
        weights = 1 + np.arange(len(late)) % 3
        for seed in (1, 2):
            found = WideClassifier(FEATURES, epochs=12, early_stop=2, validation_fraction=0.2, seed=seed).fit(arrays, late, weights)
            held = held_out(np.asarray(late), 0.2, seed, by_class=True)
            self.assertEqual(held.sum(), len(late) // 5)
            for value in (0, 1):
                self.assertLessEqual(abs(held[late == value].sum() - (late == value).sum() / 5), 1)
            parts = [({name: column[rows] for name, column in arrays.items()}, late[rows], weights[rows]) for rows in (~held, held)]
            # As if the caller had left them out.
            same = WideClassifier(FEATURES, epochs=12, early_stop=2, seed=seed).fit(*parts[0], valid=parts[1])
            self.assertEqual([epoch.valid for epoch in found.report_.epochs], [epoch.valid for epoch in same.report_.epochs])
            np.testing.assert_array_equal(found.predict_proba(arrays), same.predict_proba(arrays))
        self.assertFalse(np.array_equal(held, held_out(np.asarray(late), 0.2, 1, by_class=True)))

    @unittest.skipIf(pd is None, "needs pandas")
    def test_the_fraction_is_of_all_that_choose_an_epoch(self):
        train, late = columns_and_label("train")
        test, test_late = columns_and_label("test")
        numbers = WideRegressor(FEATURES, epochs=2, validation_fraction=0.1, loss="poisson").fit(train, late)
        self.assertEqual(numbers.report_.epochs[0].valid.weight, len(late) // 10)
        given = WideClassifier(FEATURES, epochs=2, validation_fraction=0.1).fit(train, late, valid=(test, test_late))
        self.assertEqual(given.report_.epochs[0].valid.weight, len(test_late))
        self.assertIsNone(clone(given).partial_fit(train, late, classes=[0, 1]).report_.epochs[0].valid)
        search = GridSearchCV(WideClassifier(FEATURES, epochs=3, early_stop=1), {"validation_fraction": [0.1, 0.3]}, cv=2)
        self.assertIn(search.fit(pd.DataFrame(train), late).best_params_["validation_fraction"], (0.1, 0.3))
        for wrong in (0, 1, -0.1, 10, float("nan"), "0.1", True):
            with self.assertRaisesRegex(ValueError, "validation_fraction = .*between 0 and 1"):
                WideClassifier(FEATURES, validation_fraction=wrong).fit(train, late)
        with self.assertRaisesRegex(ValueError, "less than one row"):
            WideClassifier({"a": 9}, validation_fraction=0.1).fit({"a": list(range(9))}, [0, 1, 0] * 3)

    def test_rare_classes_are_held_out_in_turn(self):
        targets = np.array([0] * 50 + list(range(1, 51)))
        held = held_out(targets, 0.1, 3, by_class=True)
        self.assertEqual((held[:50].sum(), held[50:].sum()), (5, 5))


if __name__ == "__main__":
    unittest.main()
