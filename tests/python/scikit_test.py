"""The transformer within scikit-learn's own machinery."""

import pickle
import unittest

import numpy as np

try:
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from widehash.scikit import FourSplitTransformer
except ImportError as error:
    FourSplitTransformer = None
    reason = str(error)

import widehash
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
        chances = pipeline.predict_proba(test)[:, 1]
        self.assertGreater(roc_auc_score(test_late, chances), 0.68)
        again = pickle.loads(pickle.dumps(pipeline))
        np.testing.assert_array_equal(again.predict_proba(test)[:, 1], chances)

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
        # A value that was not there has columns too.
        self.assertEqual(transformer.transform({"a": [5000], "b": [None]}).nnz, 8)

    def test_columns_of_lists_have_to_be_described(self):
        columns = {"a": ["x", "y"], "tags": [["p", "q"], ["p"]]}
        with self.assertRaisesRegex(widehash.ConfigError, "column 'tags' cannot be made a feature .* give `features`"):
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

    def test_what_has_no_names_is_refused(self):
        with self.assertRaisesRegex(TypeError, "named columns"):
            FourSplitTransformer().fit(np.zeros((2, 2)))


if __name__ == "__main__":
    unittest.main()
