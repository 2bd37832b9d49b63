"""Compares predict(header=, delimiter=, quote=) with the same rows in the form of the model's schema."""

import gzip
import unittest

import numpy as np
import widehash
from flights_kit import SCHEMA, TEST, TRAIN, JobCase


class TextForm(JobCase):
    def test_rows_of_csv_by_a_model_of_tsv(self):
        widehash.transform(SCHEMA, TRAIN, self.folder / "data")
        model = self.folder / "m.model"
        widehash.train(self.folder / "data", model)
        expected = widehash.predict(model, TEST)
        text = gzip.decompress(TEST.read_bytes()).decode()
        plain = self.folder / "plain.csv"
        plain.write_text(text.replace("\t", ","))
        quoted = self.folder / "quoted.csv"
        quoted.write_text("\n".join('"' + line.replace("\t", '";"') + '"' for line in text.splitlines()) + "\n")
        np.testing.assert_array_equal(widehash.predict(model, plain, delimiter=","), expected)
        np.testing.assert_array_equal(widehash.predict(model, quoted, delimiter=";", quote='"', header=True), expected)
        with self.assertRaisesRegex(widehash.ConfigError, "give `predict` and `evaluate` delimiter"):
            widehash.predict(model, plain)
        with self.assertRaisesRegex(widehash.ConfigError, "header"):
            widehash.predict(model, plain, delimiter=",", header=False)
        with self.assertRaisesRegex(widehash.ConfigError, "are for text"):
            widehash.predict(model, self.folder / "data", quote="")
        self.assertRaises((TypeError, widehash.ConfigError), widehash.predict, model, plain, delimiter=",,")


if __name__ == "__main__":
    unittest.main()
