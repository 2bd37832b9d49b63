"""Saving and pickling estimators."""

import copy
import os
import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np

try:
    from sklearn.exceptions import NotFittedError
    from widehash.scikit import WideClassifier, WideRegressor
except ImportError:
    WideClassifier = None

import widehash
from columns_kit import pd
from flights_kit import FEATURES, columns_and_label


@unittest.skipIf(WideClassifier is None, "scikit-learn is not installed")
class Saved(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_what_the_encoding_counts_goes_with_it(self):
        features = {"a": {"encoding": "exact", "cardinality": 10}, "n": {"encoding": "numeric", "transform": "standardize"}}
        x = {"a": ["x", "y", "x", "z"] * 50, "n": list(range(200))}
        y = np.arange(200) % 2
        found = WideClassifier(features).fit(x, y)
        expected = found.predict_proba(x)
        for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found), pickle.loads(pickle.dumps(copy.copy(found)))):
            np.testing.assert_array_equal(again.predict_proba(x), expected)
        with self.assertRaisesRegex(widehash.ConfigError, "needs its tables next to the model"):
            found.save(self.folder / "m")
        found.save(self.folder / "m", self.folder / "tables")
        np.testing.assert_array_equal(widehash.Model(self.folder / "m", self.folder / "tables").predict(x), expected[:, 1])
        found.save(self.folder / "of bytes", os.fsencode(self.folder) + b"/\xff")
        np.testing.assert_array_equal(widehash.Model(self.folder / "of bytes", os.fsencode(self.folder) + b"/\xff").predict(x), expected[:, 1])
        with self.assertRaisesRegex(widehash.FileError, "tables: cannot create a folder"):
            found.save(self.folder / "m", self.folder / "tables")
        with self.assertRaises(widehash.FileError):
            found.save(self.folder / "nowhere" / "m", self.folder / "others")
        self.assertFalse((self.folder / "others").exists())

    def test_one_script_saves_models_with_and_without_tables(self):
        y = np.arange(200) % 2
        for name, features in (("hashed", {"a": 10}), ("exact", {"a": {"encoding": "exact", "cardinality": 10}})):
            x = {"a": ["x", "y", "x", "z"] * 50}
            found = WideClassifier(features).fit(x, y)
            model, tables = self.folder / name, self.folder / (name + " tables")
            found.save(model, tables=tables)
            np.testing.assert_array_equal(widehash.Model(model, tables).predict(x), found.predict_proba(x)[:, 1])
            self.assertEqual(tables.exists(), name == "exact")

    def test_the_label_has_the_name_of_y(self):
        frame = pd.DataFrame({"a": ["x", "y"] * 50, "clicked": [0, 1] * 50})
        found = WideClassifier({"a": 10}).fit(frame[["a"]], frame["clicked"])
        self.assertEqual(found.model_.schema.label, "clicked")
        found.save(self.folder / "clicks.model")
        frame.to_csv(self.folder / "clicks.csv", index=False)
        judged = widehash.evaluate(self.folder / "clicks.model", self.folder / "clicks.csv", delimiter=",")
        self.assertEqual(judged.accuracy, 1)
        for y in (frame["clicked"].rename("a"), frame["clicked"].rename(None), frame["clicked"].rename(7), frame["clicked"].to_numpy()):
            found = WideRegressor({"a": 10}).fit(frame[["a"]], y)
            self.assertIn(found.model_.schema.label, ("a_", "y"))

    def test_the_saved_model_is_one_of_files(self):
        train, late = columns_and_label("train")
        found = WideClassifier(FEATURES, epochs=2).fit(train, late)
        found.save(self.folder / "late.model")
        found.save(str(self.folder / "late.model"))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["late.model"])
        self.assertEqual(widehash.verify(self.folder / "late.model").kind, "model")
        np.testing.assert_array_equal(widehash.Model(self.folder / "late.model").predict(train), found.predict_proba(train)[:, 1])
        (self.folder / "link").symlink_to("behind.model")
        found.save(self.folder / "link")
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertEqual(widehash.verify(self.folder / "behind.model").kind, "model")
        with self.assertRaisesRegex(widehash.FileError, "nowhere"):
            found.save(self.folder / "nowhere" / "late.model")
        with self.assertRaisesRegex(widehash.ConfigError, "folder"):
            found.save(self.folder)
        with self.assertRaises(NotFittedError):
            WideClassifier(FEATURES).save(self.folder / "other.model")


if __name__ == "__main__":
    unittest.main()
