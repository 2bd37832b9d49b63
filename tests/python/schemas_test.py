"""Schemas made in code and read from files, and values hashed without a schema."""

import io
import pathlib
import pickle
import types
import unittest

import numpy as np
import widehash
from flights_kit import TRAIN


class Schemas(unittest.TestCase):
    def test_a_schema_made_in_code_is_that_of_a_file(self):
        toml = 'label = {field = "y", positive = ["a\\tb"], negative = ["\\""]}\nmissing_values = ["NA"]\n' \
            '[[feature]]\nfield = "x"\ncardinality = 5\n[[feature]]\nname = "xy"\ncross = ["x", "z"]\ncardinality = 7\n'
        made = widehash.make_schema(
            {"x": 5, "xy": {"cross": ["x", "z"], "cardinality": np.int64(7)}},
            label={"field": "y", "positive": ["a\tb"], "negative": ['"']}, missing_values=["NA"])
        self.assertEqual(made, widehash.parse_schema(toml))
        self.assertEqual(hash(made), hash(widehash.parse_schema(toml)))
        self.assertNotEqual(made, widehash.make_schema({"x": 6}))
        self.assertFalse(made == 3)
        self.assertNotIn(made, [1, None])
        bounds = {"n": {"encoding": "numeric", "transform": "bucketize", "boundaries": np.array([1.5])}}
        self.assertEqual(widehash.make_schema(bounds, label=None), widehash.parse_schema(
            '[[feature]]\nfield = "n"\nencoding = "numeric"\ntransform = "bucketize"\nboundaries = [1.5]\n'))
        bounds["n"]["boundaries"] = [np.float64(1.5)]  # its repr is np.float64(1.5) in numpy 2
        self.assertEqual(widehash.make_schema(bounds).to_toml().count("boundaries = [1.5]"), 1)
        bounds["n"]["boundaries"] = [np.int64(1), np.float32(1.5)]
        self.assertEqual(widehash.make_schema(bounds).to_toml().count("boundaries = [1.0, 1.5]"), 1)
        self.assertEqual(widehash.make_schema({"n": "numeric"}), widehash.make_schema({"n": {"encoding": "numeric"}}))
        self.assertEqual(made.features, ["x", "xy"])
        self.assertEqual(made.label, "y")
        self.assertEqual(widehash.parse_schema(made.to_toml()), made)

    def test_what_is_wrong_with_a_feature_is_reported_by_its_name(self):
        fine = {"first": 10, "a'b": {"cross": ["first", "x"], "cardinality": 9}}
        for features, settings, words in [
            ({**fine, "bad": 3.5}, {"seed": 4}, "make_schema(), feature 'bad': 'cardinality' must be an integer"),
            ({"bad": {"encodin": "x"}, **fine}, {}, "make_schema(), feature 'bad': unknown key 'encodin'; did you mean 'encoding'?"),
            ({**fine, "bad": {"cross": ["x"], "cardinality": 5}}, {}, "make_schema(), feature 'bad': a cross needs at least two fields"),
            (fine, {"label": "y", "seed": "x"}, "make_schema(): 'seed' must be an integer"),
        ]:
            with self.assertRaises(widehash.ConfigError) as raised:
                widehash.make_schema(features, **settings)
            self.assertIn(words, str(raised.exception))

    def test_wrong_keys_and_files_are_named(self):
        with self.assertRaisesRegex(widehash.ConfigError, "cardinalty"):
            widehash.make_schema({"x": {"cardinalty": 5}})
        with self.assertRaisesRegex(TypeError, "set"):
            widehash.make_schema({"x": {"cardinality": {5}}})
        with self.assertRaises(OSError) as raised:
            widehash.load_schema("nowhere/schema.toml")
        for read in (widehash.load_schema, widehash.Encoder, lambda text: widehash.fit(text, str(TRAIN), "nowhere")):
            with self.assertRaisesRegex(widehash.ConfigError, "a text of several lines, but a path is needed; parse_schema"):
                read("label = 'late'\n[[feature]]\n")
        self.assertEqual(raised.exception.filename, "nowhere/schema.toml")
        self.assertIn("check the path", str(raised.exception))
        self.assertIsInstance(raised.exception, FileNotFoundError)
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((type(again), str(again), again.errno, again.filename, again.strerror),
                         (widehash.MissingFileError, str(raised.exception), raised.exception.errno, "nowhere/schema.toml",
                          "No such file or directory"))
        again = pickle.loads(pickle.dumps(widehash.DataError("text", "a.tsv", 3)))
        self.assertEqual((str(again), again.path, again.row), ("text", "a.tsv", 3))
        with self.assertRaisesRegex(widehash.ConfigError, "NUL"):
            widehash.load_schema("a\0.toml")
        with self.assertRaisesRegex(TypeError, "path must be a path, not None"):
            widehash.load_schema(None)
        with self.assertRaisesRegex(TypeError, "features must be a mapping"):
            widehash.make_schema(["x"])
        with self.assertRaisesRegex(TypeError, "feature 'x', cardinality: .*NoneType"):
            widehash.make_schema({"x": None})
        with self.assertRaisesRegex(TypeError, "label: a schema cannot hold values of type set"):
            widehash.make_schema({"x": 5}, label={"y"})
        label = types.MappingProxyType({"field": "y", "classes": ["a", "b"]})
        self.assertEqual(widehash.make_schema({"x": 5}, label=label).classes, ["a", "b"])

    def test_what_is_no_schema_is_refused_by_its_kind(self):
        for wrong, words in ((None, "schema must be a Schema or the path of one, not None"), ({"x": 5}, r"schema must be .*, not a dict; .*make_schema\(\)"),
                             (5, "schema must be a Schema or the path of one, not an int")):
            for take in (widehash.Encoder, lambda schema: widehash.LookupTablesWriter(schema, "nowhere"),
                         lambda schema: widehash.fit(schema, str(TRAIN), "nowhere")):
                with self.subTest(wrong), self.assertRaisesRegex(TypeError, words):
                    take(wrong)
        with self.assertRaisesRegex(TypeError, "path must be a path, not a Schema"):
            widehash.load_schema(widehash.make_schema({"x": 5}))

    def test_what_is_no_text_of_a_schema_is_refused_by_its_kind(self):
        for wrong, words in ((None, "toml must be the text of a schema, not None"), (5, "toml must be the text of a schema, not an int"),
                             (pathlib.Path("a.toml"), r"toml must be .*, not a .*Path; .*load_schema\(\)"),
                             (io.StringIO(), r"toml must be .*, not a StringIO; .*load_schema\(\)")):
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, words):
                widehash.parse_schema(wrong)
        with self.assertRaisesRegex(TypeError, "name = 5: must be a str"):
            widehash.parse_schema("x = 1", name=5)
        with self.assertRaisesRegex(widehash.ConfigError, r"'a/schema.toml': this is a path, .*load_schema\(\)"):
            widehash.parse_schema("a/schema.toml")
        with self.assertRaisesRegex(widehash.ConfigError, "toml has surrogates"):
            widehash.parse_schema("# \ud800")
        text = widehash.make_schema({"x": 5}).to_toml()
        self.assertEqual(widehash.parse_schema(text.encode()), widehash.parse_schema(toml=text, name="mine"))
        with self.assertRaisesRegex(widehash.ConfigError, "mine:1"):
            widehash.parse_schema("x = 1", "mine")

    def test_hash_values_refuses_what_does_not_fit(self):
        for wrong in ({}, {"cardinality": 5, "buckets": 5}, {"encoding": "one_hot"}, {"encoding": "exact", "cardinality": 5}):
            with self.assertRaises(TypeError):
                widehash.hash_values(["x"], **wrong)
        for cardinality in (0, 2**32 + 1):
            with self.assertRaises(widehash.ConfigError):
                widehash.hash_values(["x"], cardinality=cardinality)
            with self.assertRaises(widehash.ConfigError):
                widehash.hash_values(["x"], cardinality=cardinality, encoding="one_hot")
        with self.assertRaisesRegex(widehash.ConfigError, "more needs hash = .xxh3_128"):
            widehash.hash_values(["x"], cardinality=2**33)
        with self.assertRaisesRegex(widehash.ConfigError, "hash = 'md5': must be 'xxh64' or 'xxh3_128'"):
            widehash.hash_values(["x"], cardinality=2, hash="md5")
        hashes, buckets = widehash.hash_values(["x"], cardinality=1000, encoding="one_hot")
        x = int(hashes[0])
        self.assertEqual(buckets[0], x % 128)
        self.assertEqual(widehash.hash_values(["x"], buckets=7, encoding="one_hot")[1][0], x % 7)
        self.assertNotEqual(widehash.hash_values(["x"], buckets=7, encoding="one_hot", seed=1)[0][0], x)


if __name__ == "__main__":
    unittest.main()
