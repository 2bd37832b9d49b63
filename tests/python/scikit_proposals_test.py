"""The features that estimators propose where no mapping gives them."""

import datetime
import decimal
import unittest
import warnings

import numpy as np

try:
    from sklearn.base import clone
    from sklearn.metrics import log_loss
    from widehash.scikit import WideClassifier, WideRegressor
except ImportError as error:
    WideClassifier = None
    reason = str(error)

import widehash
from columns_kit import pa, pd, pl
from flights_kit import columns_and_label


@unittest.skipIf(WideClassifier is None, "scikit-learn is not installed")
class Proposals(unittest.TestCase):
    def test_features_are_proposed_where_none_are_given(self):
        train, late = columns_and_label("train")
        test, test_late = columns_and_label("test")
        found = WideClassifier().fit(train, late)
        self.assertLess(log_loss(test_late, found.predict_proba(test)), 0.49)
        self.assertEqual(found.model_.schema.features, list(widehash.inspect(train).schema.features))
        seeded = WideClassifier(settings={"seed": 9}).fit(train, late)
        self.assertIn("seed = 9", seeded.model_.schema.to_toml())

    def test_a_list_chooses_columns(self):
        train, late = columns_and_label("train")
        some = ["carrier", "dest", "hour"]
        found = WideClassifier(some).fit(train, late)
        of_some = WideClassifier().fit({name: train[name] for name in some}, late)
        self.assertEqual(found.model_.schema.features, [*some, "hour interval"])
        np.testing.assert_array_equal(found.predict_proba(train), of_some.predict_proba(train))
        self.assertEqual(clone(found).fit(train, late).model_.schema.features, [*some, "hour interval"])
        with self.assertRaisesRegex(widehash.ConfigError, "X has no column 'tail'; its columns are: month"):
            WideClassifier(["tail"]).fit(train, late)
        with self.assertRaisesRegex(TypeError, "a list of column names"):
            WideClassifier([3]).fit(train, late)
        with self.assertRaisesRegex(widehash.ConfigError, "give `features` as a mapping"):
            WideClassifier(some).partial_fit(train, late, classes=[0, 1])

    def test_columns_that_name_their_rows_are_left_out(self):
        x = {"order": [f"order {i}" for i in range(3000)], "shop": [f"s{i % 7}" for i in range(3000)]}
        y = np.arange(3000) % 7 % 2
        with self.assertWarnsRegex(UserWarning, "column 'order' has a different text in nearly every row") as caught:
            found = WideClassifier().fit(x, y)
        self.assertEqual(caught.filename, __file__)
        np.testing.assert_array_equal(found.predict_proba({**x, "order": ["new"] * 3000}), found.predict_proba(x))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            chosen = [WideClassifier(["order", "shop"]).fit(x, y), WideClassifier().fit({"order": x["order"]}, y)]
            few = WideClassifier().fit({name: column[:900] for name, column in x.items()}, y[:900])
        for used in [*chosen, few]:
            known = {name: column[:2] for name, column in x.items()}
            self.assertFalse(np.array_equal(used.predict_proba({**known, "order": ["new"] * 2}), used.predict_proba(known)))

    def test_numbers_with_fractions_are_measures(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(2000, 3))
        y = (x[:, 0] - 2 * x[:, 1] + rng.normal(size=2000) / 4 > 0).astype(int)
        found = WideClassifier(epochs=20).fit(x[:1000], y[:1000])
        self.assertGreater(found.score(x[1000:], y[1000:]), 0.9)
        self.assertEqual(found.model_.schema.to_toml().count('transform = "standardize"'), 3)
        self.assertEqual(found.model_.schema.features, ["x0", "x0 interval", "x1", "x1 interval", "x2", "x2 interval"])
        self.assertGreater(WideRegressor(epochs=20).fit(x[:1000], x[:1000] @ [1, 2, 3]).score(x[1000:], x[1000:] @ [1, 2, 3]), 0.9)
        missing = x.copy()
        missing[::7, 0] = np.nan
        self.assertGreater(WideClassifier(epochs=20).fit(missing, y).score(missing, y), 0.8)

    def test_measures_need_not_act_evenly(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(2000, 2))
        y = (np.abs(x[:, 0]) > 0.7).astype(int)
        self.assertGreater(WideClassifier(epochs=20).fit(x[:1000], y[:1000]).score(x[1000:], y[1000:]), 0.9)
        whole = {"v": (100 * x[:, 0]).astype(int), "v interval": x[:, 1].astype(str)}
        found = WideClassifier(epochs=20).fit(whole, y)
        self.assertEqual(found.model_.schema.features, ["v", "v interval_", "v interval", "v interval interval"])
        self.assertGreater(found.score(whole, y), 0.9)
        often = {"v": np.round(x[:, 0])*1.5}
        # Numbers that take few values are hashed as values, too.
        self.assertEqual(WideClassifier().fit(often, y).model_.schema.features, ["v", "v value"])

    def test_few_numbers_with_fractions_are_values_and_can_be_missing(self):
        values = np.array([np.nan, 0.5, np.nan, 1.5] * 500)
        found = WideClassifier().fit({"v": values}, np.isnan(values))
        self.assertEqual(found.score({"v": values}, np.isnan(values)), 1)
        versions = np.array(["4.1", "4.10", "4.2", "5.0"] * 500)
        for column in (versions, versions.astype(object), pd and pd.Series(versions, dtype="category")):
            if column is not None:
                self.assertEqual(WideClassifier().fit({"v": column}, versions == "4.10").score({"v": column}, versions == "4.10"), 1)

    @unittest.skipIf(pd is None or pl is None or pa is None, "needs pandas, Polars and pyarrow")
    def test_categories_are_hashed_also_where_they_are_numbers(self):
        rng = np.random.default_rng(0)
        whole, parts = rng.integers(100, 140, 2000).astype(str), rng.normal(size=2000).astype(str)
        y = rng.integers(0, 2, 2000)
        for values in (whole, parts):
            number = WideClassifier().fit({"v": values}, y).model_.schema.to_toml()
            self.assertIn("boundaries", number)
            for column in (pd.Series(values, dtype="category"), pl.Series(values, dtype=pl.Categorical),
                           pl.Series(values, dtype=pl.Enum(sorted(set(values)))), pa.array(values).dictionary_encode(),
                           pa.chunked_array([pa.array(values).dictionary_encode()])):
                for name in ("v", 'the "v"'):
                    found = WideClassifier().fit({name: column, "u": y}, y)
                    self.assertEqual(found.model_.schema.features, [name, "u"])
                    self.assertNotIn("numeric", found.model_.schema.to_toml())
                    self.assertEqual(found.predict_proba({name: ["101", "A12"], "u": [0, 1]}).shape, (2, 2))

    def test_a_column_without_a_name_is_refused(self):
        with self.assertRaisesRegex(widehash.ConfigError, "a column of X has no name"):
            WideClassifier().fit({"": [1, 2] * 50, "z": [1] * 100}, [0, 1] * 50)

    def test_a_column_of_numbers_that_is_none_for_a_text_or_two_is_reported(self):
        x = np.random.default_rng(0).normal(size=2000)
        y = (x > 0).astype(int)
        texts = x.astype(str).astype(object)
        texts[7] = "unknown"
        with self.assertWarnsRegex(UserWarning, "column 'x' holds numbers but also 'unknown'.*missing_values"):
            WideClassifier().fit({"x": texts}, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mended = WideClassifier(settings={"missing_values": ["unknown"]}).fit({"x": texts}, y)
        self.assertIn('transform = "standardize"', mended.model_.schema.to_toml())
        x[9] = np.inf
        with self.assertRaisesRegex(widehash.DataError, "numeric feature 'x' is 'inf'"):
            WideClassifier().fit({"x": x}, y)

    def test_however_many_rows_are_no_number_is_reported(self):
        draw = np.random.default_rng(1)
        x, y = draw.normal(size=2000), draw.integers(0, 2, 2000)
        for share in (0.06, 0.3, 0.7):
            texts = np.where(draw.random(2000) < share, "unknown", x.astype(str)).astype(object)
            with self.assertWarnsRegex(UserWarning, "column 'x' holds numbers but also 'unknown'"):
                WideClassifier().fit({"x": texts}, y)
            with self.assertRaisesRegex(widehash.DataError, "numeric feature 'x' is 'inf'"):
                WideClassifier().fit({"x": np.where(draw.random(2000) < share, np.inf, x)}, y)

    def test_numbers_in_another_writing_are_reported(self):
        draw = np.random.default_rng(2)
        y = draw.integers(0, 2, 500)
        prices = [f"{value:.2f}".replace(".", ",") for value in draw.uniform(1, 500, 500)]
        with self.assertWarnsRegex(UserWarning, "column 'x' holds numbers with a decimal comma, such as .*convert the column first"):
            WideClassifier().fit({"x": prices}, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            WideClassifier().fit({"x": pd.Series(prices, dtype="category")}, y)

    def test_proposed_features_keep_what_is_missing(self):
        values = np.where(np.arange(400) % 20 > 2, np.arange(400) % 20, -1).astype(str)
        values[values == "-1"] = "NA"
        found = WideClassifier().fit({"v": values}, np.arange(400) % 2)
        probabilities = found.predict_proba({"v": ["NA", None]})
        self.assertEqual(probabilities[0].tolist(), probabilities[1].tolist())
        own = WideClassifier(settings={"missing_values": ["7"]}).fit({"v": values}, np.arange(400) % 2)
        self.assertIn('missing_values = ["7"]', own.model_.schema.to_toml())

    def test_markers_that_the_settings_take_as_values_are_hashed(self):
        draw = np.random.default_rng(3)
        y = draw.integers(0, 2, 2000)
        times = np.array(["2026-01-02 03:04:05", "2026-03-04 05:06:07"])[draw.integers(0, 2, 2000)]
        for values in (draw.integers(0, 1000, 2000).astype(str), draw.normal(size=2000).round(3).astype(str), times):
            for column in (np.where(draw.random(2000) < 0.1, "NA", values), pd.Series(np.where(draw.random(2000) < 0.1, "NA", values))):
                for missing_values in (["-"], []):
                    found = WideClassifier(settings={"missing_values": missing_values}).fit({"c": column, "whole": draw.normal(size=2000)}, y)
                    _, *features = found.model_.schema.to_toml().split("[[feature]]\n")
                    self.assertEqual(sum('field = "c"' in keys for keys in features), 1)
                    self.assertNotIn("numeric", features[0])
                    self.assertTrue(any('field = "whole"' in keys and "standardize" in keys for keys in features))

    def test_columns_without_a_text_are_refused(self):
        y = np.arange(4) % 2
        for column in (np.array([7] * 4, dtype="timedelta64[D]"), [decimal.Decimal(1), "x", "y", "z"], [1j] * 4,
                       [datetime.time(12)] * 4):
            for kind in (WideClassifier, WideRegressor):
                with self.subTest(column), self.assertRaisesRegex(widehash.ConfigError, "column 'a' .*leave the column out of X"):
                    kind().fit({"a": column, "b": [1, 2, 3, 4]}, y)


if __name__ == "__main__":
    unittest.main()
