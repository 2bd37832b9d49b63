"""The transformer within scikit-learn's own machinery."""

import copy
import pickle
import tempfile
import types
import unittest
import warnings
from unittest import SkipTest

import numpy as np
import scipy.sparse

try:
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.utils import estimator_checks
    from widehash.scikit import FourSplitTransformer
except ImportError as error:
    FourSplitTransformer = None
    reason = str(error)

import widehash
from columns_kit import pa, pd
from flights_kit import flights


def columns_and_label(name):
    columns = {field: np.array(texts) for field, texts in flights(name).items()}
    return columns, columns.pop("late").astype(int)


@unittest.skipIf(FourSplitTransformer is None, "scikit-learn is not installed")
class Scikit(unittest.TestCase):
    def test_a_pipeline_learns_from_columns(self):
        train, late = columns_and_label("train")
        test, test_late = columns_and_label("test")
        pipeline = make_pipeline(FourSplitTransformer(), LogisticRegression(max_iter=300)).fit(train, late)
        probabilities = pipeline.predict_proba(test)[:, 1]
        self.assertGreater(roc_auc_score(test_late, probabilities), 0.68)
        again = pickle.loads(pickle.dumps(pipeline))
        np.testing.assert_array_equal(again.predict_proba(test)[:, 1], probabilities)

    def test_columns_are_those_of_the_encoder_and_have_names(self):
        features = {"a": 100, "ab": {"cross": ["a", "b"], "cardinality": 1000}}
        table = {"a": ["x", "y"], "b": [1, 2]}
        transformer = FourSplitTransformer(features, {"seed": 3}).fit(table)
        expected = widehash.Encoder(widehash.make_schema(features, seed=3)).encode(table).csr()
        self.assertEqual((transformer.transform(table) != expected).nnz, 0)
        names = transformer.get_feature_names_out()
        self.assertEqual(len(names), expected.shape[1])
        self.assertEqual((names[0], names[40], names[-1]), ("a_0", "ab_0", "ab_127"))
        self.assertEqual(transformer.feature_names_in_.tolist(), ["a", "b"])

    def test_cardinalities_are_counted_where_none_are_given(self):
        table = {"a": np.arange(1000) % 400, "b": ["x"] * 1000}
        transformer = FourSplitTransformer().fit(table)
        self.assertEqual(transformer.encoder_.schema, widehash.make_schema({"a": 400, "b": 1}))
        # An unseen value has columns too.
        self.assertEqual(transformer.transform({"a": [5000], "b": [None]}).nnz, 8)

    def test_columns_of_lists_have_to_be_described(self):
        columns = {"a": ["x", "y"], "tags": [["p", "q"], ["p"]]}
        with self.assertRaisesRegex(widehash.ConfigError, "column 'tags' cannot become a feature on its own; say how in `features`"):
            FourSplitTransformer().fit(columns)
        told = FourSplitTransformer({"a": 2, "tags": {"cardinality": 2, "separator": ","}})
        self.assertEqual(told.fit_transform(columns).sum(), 2 * 4 + 3 * 4)

    def test_it_is_cloned_and_searched_over(self):
        train, late = columns_and_label("train")
        few = {name: column[:2000] for name, column in train.items()}
        rows = [dict(zip(few, row)) for row in zip(*few.values())]
        pipeline = make_pipeline(FourSplitTransformer({"carrier": 20}), LogisticRegression())
        search = GridSearchCV(pipeline, {"foursplittransformer__features": [{"carrier": 20}, {"carrier": 20, "hour": 24}]}, cv=2)
        search.fit(rows, late[:2000])
        self.assertEqual(search.best_params_["foursplittransformer__features"], {"carrier": 20, "hour": 24})
        self.assertFalse(hasattr(clone(pipeline[0].fit(few)), "encoder_"))

    def test_columns_of_an_array_are_named_by_their_places(self):
        values = np.array([["x", 1], ["y", 2], ["x", 3]], dtype=object)
        transformer = FourSplitTransformer().fit(values)
        named = {"x0": ["x", "y", "x"], "x1": [1, 2, 3]}
        self.assertEqual(transformer.encoder_.schema, widehash.make_schema({"x0": 2, "x1": 3}))
        self.assertEqual((transformer.transform(values) != transformer.encoder_.encode(named).csr()).nnz, 0)
        self.assertFalse(hasattr(transformer, "feature_names_in_"))
        self.assertEqual((transformer.n_features_in_, transformer.get_feature_names_out(["x0", "x1"])[0]), (2, "x0_0"))
        with self.assertRaisesRegex(ValueError, "X has 1 features, but FourSplitTransformer is expecting 2"):
            transformer.transform(values[:, :1])
        transformer.fit(named)
        self.assertEqual(transformer.feature_names_in_.tolist(), ["x0", "x1"])
        self.assertFalse(hasattr(transformer.fit(values), "feature_names_in_"))
        rows = [["x", 1], ("y", 2), ["x", 3]]
        self.assertEqual((transformer.fit_transform(rows) != transformer.encoder_.encode(named).csr()).nnz, 0)
        self.assertFalse(hasattr(transformer, "feature_names_in_"))

    def test_what_is_no_table_is_refused(self):
        for wrong, error, words in ((np.zeros(3), ValueError, "Expected 2D array, got 1D"), (np.zeros((3, 0)), ValueError, r"0 feature\(s\)"),
                                    (scipy.sparse.eye(3), TypeError, "sparse input is not supported"), ("a.tsv", TypeError, "not str"),
                                    ([1, 2], TypeError, "named columns"), ([[1, 2], [3]], ValueError, "rows of different lengths"), (None, TypeError, "not NoneType"),
                                    ({"a": []}, ValueError, "column 'a' has no rows")):
            for features in (None, {"a": 10}):
                if features and isinstance(wrong, dict):
                    continue
                with self.subTest(type(wrong)), self.assertRaisesRegex(error, words):
                    FourSplitTransformer(features).fit(wrong)

    def test_fields_that_are_not_there_are_named_at_fit(self):
        rows = [{"Carrier": "UA"}, {"month": 1}]
        for table in ({"Carrier": ["UA"], "month": [1]}, rows, np.array([("UA", 1)], dtype=[("Carrier", "U2"), ("month", "i4")])):
            for features in ({"carrier": 20}, {"carrier": {"encoding": "exact", "cardinality": 20}}):
                with self.assertRaisesRegex(widehash.ConfigError, "no field 'carrier', .*its fields are: Carrier, month; did you mean 'Carrier'"):
                    FourSplitTransformer(features).fit(table)

    def test_lists_of_rows_are_counted_too(self):
        transformer = FourSplitTransformer().fit([{"a": 1, "b": "x"}, {"a": 2}])
        self.assertEqual(transformer.encoder_.schema, widehash.make_schema({"a": 2, "b": 2}))

    def test_a_table_of_nothing_but_ignored_columns_has_rows(self):
        for table in ({"a": [1, 2]}, [{"a": 1}, {"a": 2}], pd.DataFrame({"a": [1, 2]}), pa.table({"a": [1, 2]})):
            transformer = FourSplitTransformer({"a": "ignore"}).fit(table)
            self.assertEqual(transformer.transform(table).shape, (2, 0))

    def test_bad_rows_are_to_be_repaired(self):
        bad = {"n": ["1", "q"]}
        with self.assertRaisesRegex(widehash.DataError, "not a finite number; fix the row$"):
            FourSplitTransformer({"n": {"encoding": "numeric", "transform": "standardize"}}).fit(bad)
        with self.assertRaisesRegex(widehash.DataError, "not a finite number; fix the row$"):
            FourSplitTransformer({"n": "numeric"}).fit({"n": [1]}).transform(bad)

    def test_labels_are_for_the_step_behind(self):
        for key in ("label", "weight"):
            with self.assertRaisesRegex(widehash.ConfigError, f"settings: {key} does not belong here"):
                FourSplitTransformer({"a": 1}, {key: "y"}).fit({"a": [1], "y": [1]})

    def test_what_an_encoding_has_to_know_of_the_rows_is_counted_at_fit(self):
        features = {"a": {"encoding": "exact", "cardinality": 10}, "n": {"encoding": "numeric", "transform": "standardize"}}
        table = {"a": ["x", "y", "x", "x"], "n": [1, 2, 3, 6]}
        transformer = FourSplitTransformer(features)
        x = transformer.fit_transform(table)
        with tempfile.TemporaryDirectory() as folder:
            with widehash.LookupTablesWriter(transformer.encoder_.schema, folder + "/tables") as writer:
                writer.append(table)
            expected = widehash.Encoder(transformer.encoder_.schema, folder + "/tables").encode(table).csr()
            given = FourSplitTransformer(features, tables=folder + "/tables").fit(table)
            self.assertEqual((given.transform(table) != expected).nnz, 0)
            self.assertEqual(given.get_params()["tables"], folder + "/tables")
        self.assertEqual((x != expected).nnz, 0)
        self.assertAlmostEqual(float(x[:, -1].sum()), 0, places=5)
        for again in (pickle.loads(pickle.dumps(transformer)), copy.deepcopy(transformer), pickle.loads(pickle.dumps(copy.copy(transformer)))):
            self.assertEqual((again.transform(table) != expected).nnz, 0)
        with self.assertRaises(widehash.FileError):
            FourSplitTransformer(features, tables="nowhere").fit(table)

    def test_an_encoder_alone_takes_along_what_was_counted_at_fit(self):
        table = {"a": ["x", "y", "x", "x"], "n": [1, 2, 3, 6]}
        features = {"a": {"encoding": "exact", "cardinality": 10}, "n": {"encoding": "numeric", "transform": "standardize"}}
        transformer = FourSplitTransformer(features).fit(table)
        expected = transformer.transform(table)
        encoder = transformer.encoder_
        again = pickle.loads(pickle.dumps(encoder))
        for same in (again, pickle.loads(pickle.dumps(again)), copy.copy(encoder), copy.deepcopy(encoder)):
            self.assertEqual((same.encode(table).csr() != expected).nnz, 0)
        simple = FourSplitTransformer({"a": 10}).fit(table).encoder_
        self.assertEqual(pickle.loads(pickle.dumps(simple)).schema, simple.schema)

    def test_settings_are_keys_of_a_schema(self):
        for wrong in (5, "seed", "", [], [("seed", 3)], b"seed", widehash.make_schema({"a": 1})):
            transformer = FourSplitTransformer({"a": 1}, wrong)  # as scikit-learn requires, __init__ checks nothing
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, "settings must be a mapping of .*make_schema.*, not a " + type(wrong).__name__):
                transformer.fit({"a": [1]})
        with self.assertRaisesRegex(TypeError, "settings: 1 is not a key"):
            FourSplitTransformer({"a": 1}, {1: 2}).fit({"a": [1]})
        with self.assertRaisesRegex(widehash.ConfigError, "settings: `features` is a separate argument"):
            FourSplitTransformer({"a": 1}, {"features": {"a": 1}}).fit({"a": [1]})
        for empty in (None, {}, types.MappingProxyType({})):
            FourSplitTransformer({"a": 1}, empty).fit({"a": [1]})

    def test_tables_whose_columns_cannot_be_counted_are_refused_at_fit(self):
        for wrong, error, words in (({}, widehash.ConfigError, "no columns to make features from"), ([], widehash.ConfigError, "no columns"),
                                    ({"a": 5}, TypeError, "column 'a' is an int, not a sequence"),
                                    ({"a": [1j]}, widehash.ConfigError, "say how in `features`. column 'a', row 1: .*complex"),
                                    ({1: ["x"], "1": ["y"]}, widehash.ShapeError, "two columns named '1'"),
                                    ([{"a": 1}, None], TypeError, "named columns, .*, not list")):
            with self.subTest(wrong), self.assertRaisesRegex(error, words):
                FourSplitTransformer().fit(wrong)

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    def test_arrow_that_is_no_table_of_columns_is_refused_at_fit(self):
        column = pa.array(["x", "y"])
        table = pa.table({"a": column})
        for features in (None, {"a": 10}):
            with self.assertRaisesRegex(TypeError, "named columns, .*, not StringArray"):
                FourSplitTransformer(features).fit(column)
        for twice in (pa.table([column, column], names=["a", "a"]), pa.record_batch([column, column], names=["a", "a"])):
            with self.assertRaisesRegex(widehash.ShapeError, "two columns named 'a'"):
                FourSplitTransformer().fit(twice)
        with self.assertRaisesRegex(TypeError, "RecordBatchReader can be read only once, .* or `features`"):
            FourSplitTransformer().fit(table.to_reader())
        self.assertEqual(FourSplitTransformer({"a": 10}).fit(table.to_reader()).transform(table.to_reader()).nnz, 8)

    def test_rows_are_found_by_the_names_of_their_columns_whatever_these_are(self):
        rows = [{0: "x", "b": 1}, {0: "y", "b": 2}]
        transformer = FourSplitTransformer().fit(rows)
        self.assertEqual((transformer.transform(rows) != transformer.transform({0: ["x", "y"], "b": [1, 2]})).nnz, 0)

    def test_names_are_asked_for_by_those_that_came_in(self):
        transformer = FourSplitTransformer({"a": 1}).fit({"a": [1]})
        self.assertEqual(len(transformer.get_feature_names_out(["a"])), 32)
        with self.assertRaisesRegex(ValueError, "not equal to feature_names_in_"):
            transformer.get_feature_names_out(["b"])
        with self.assertRaises(NotFittedError):
            FourSplitTransformer().transform({"a": [1]})

    @unittest.skipIf(pd is None, "pandas is not installed")
    def test_frames_of_sparse_columns_are_refused_by_scikit_learn(self):
        frame = pd.DataFrame({"a": ["x", "y"], 5: [1, 2]})
        transformer = FourSplitTransformer().set_output(transform="pandas")
        with self.assertRaisesRegex(ValueError, "sparse"):
            transformer.fit_transform(frame)
        self.assertEqual(FourSplitTransformer().fit(frame).feature_names_in_.tolist(), ["a", "5"])

    def test_it_keeps_the_conventions_of_estimators(self):
        if not hasattr(estimator_checks, "estimator_checks_generator"):
            self.skipTest("this scikit-learn gives no checks one by one")
        exempt = ("check_complex_data",)  # refused with another message
        checked = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for estimator, check in estimator_checks.estimator_checks_generator(FourSplitTransformer(), legacy=True):
                name = check.func.__name__
                if name in exempt or "array_api" in name:
                    continue
                with self.subTest(name):
                    try:
                        check(estimator)
                    except SkipTest:
                        continue
                    checked += 1
        self.assertGreater(checked, 20)


if __name__ == "__main__":
    unittest.main()
