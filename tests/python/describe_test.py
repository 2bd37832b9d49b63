"""Descriptions of datasets, tables and models, compared with those of `widehash describe --json`."""

import json
import os
import unittest

import widehash
from flights_kit import EXACT_SCHEMA, SCHEMA, TEST, TRAIN, JobCase, with_program


class Describe(JobCase):
    def assert_as_the_program(self, path):
        """Requires the keys of the program in their order, and the same values. Returns them."""
        found = widehash.describe(path)
        told = self.program_json("describe", path)
        self.assertEqual(list(found), list(told))
        self.assertEqual(found, told)
        self.assertEqual(json.loads(json.dumps(found)), told)
        return found

    @with_program
    def test_of_a_dataset(self):
        found = self.assert_as_the_program(self.data)
        self.assertEqual((found["kind"], found["rows"], found["folds"]), ("dataset", len(widehash.Dataset(self.data)), None))
        self.assertEqual(widehash.parse_schema(found["schema"]), widehash.Dataset(self.data).schema)
        widehash.transform(SCHEMA, [TRAIN, TEST], self.folder / "some", folds="1-3/4", fold_by="dest")
        found = self.assert_as_the_program(self.folder / "some")
        self.assertEqual((found["folds"], found["fold_by"]), ("1-3/4", "dest"))
        self.assertEqual([item["path"] for item in found["inputs"]], [str(TRAIN), str(TEST)])

    @with_program
    def test_of_tables(self):
        found = self.assert_as_the_program(self.tables)
        self.assertEqual(found["kind"], "tables")
        self.assertEqual(found["values"], {feature: len(table) for feature, table in widehash.LookupTables(self.tables).items()})
        widehash.fit(SCHEMA, TRAIN, self.folder / "some", folds="2/3")
        self.assertEqual(self.assert_as_the_program(self.folder / "some")["folds"], "2/3")
        (self.folder / "some/schema.toml").unlink()
        found = self.assert_as_the_program(self.folder / "some")
        self.assertIsNone(found["schema"])
        self.assertNotIn("features", found)

    @with_program
    def test_of_models(self):
        found = self.assert_as_the_program(self.model)
        self.assertEqual((found["kind"], found["hidden"], found["best_valid_loss"]), ("model", [], None))
        path = self.folder / "model"
        report = widehash.train(self.data, path, valid=self.test, hidden=[5, 3], epochs=3, batch_size=64, class_weights=[1, 10], optimizer="adam")
        found = self.assert_as_the_program(path)
        self.assertEqual((found["hidden"], found["class_weights"], found["parameters"]), ([5, 3], [1, 10], report.num_parameters))
        self.assertEqual(found["optimizer"]["kind"], "adam")
        self.assertEqual(found["training"]["settings"]["batch_size"], 64)
        widehash.train(self.data, path, devices="cpu,cpu", parallel="tower", mix="predictions", overwrite=True)
        self.assertEqual(self.assert_as_the_program(path)["towers"], 2)

    @with_program
    def test_every_kind_of_label(self):
        rows = {"a": [1, 2, 3], "b": [1, 2, 3], "n": [1, 2, 3], "y": [0, 1, 1], "w": [1, 2, 3]}
        labels = [None, "y", {"field": "y", "positive": ["1"], "negative": ["0"]}, {"field": "y", "classes": ["0", "1", "2"]}]
        for number, label in enumerate(labels):
            schema = widehash.make_schema({"a": 9, "b": {"encoding": "ignore"}, "n": {"encoding": "numeric"}}, label=label, weight="w")
            encoded, counted = self.folder / f"rows{number}", self.folder / f"tables{number}"
            with widehash.DatasetWriter(widehash.Encoder(schema), encoded) as writer, widehash.LookupTablesWriter(schema, counted) as counter:
                writer.append(rows)
                counter.append(rows)
            for path in (encoded, counted):
                with self.subTest(label, path=path.name):
                    found = self.assert_as_the_program(path)
                    self.assertEqual((found["rows"], found["weight"], found["features"]), (3, "w", ["a", "n"]))
        self.assertEqual(widehash.describe(counted)["values"], {"a": 3})

    def test_of_what_is_open(self):
        tables, exact = self.folder / "tables", self.folder / "exact"
        widehash.fit(EXACT_SCHEMA, TRAIN, tables)
        widehash.transform(EXACT_SCHEMA, TEST, exact, tables=tables)
        for thing in (widehash.Dataset(exact), widehash.LookupTables(tables), widehash.Model(self.model)):
            self.assertEqual(widehash.describe(thing), widehash.describe(os.fspath(thing)))
        self.assertEqual(widehash.describe(exact)["tables_fingerprint"], widehash.describe(tables)["tables_fingerprint"])

    def test_what_is_none_of_them(self):
        with self.assertRaisesRegex(widehash.FileError, "nowhere"):
            widehash.describe(self.folder / "nowhere")
        with self.assertRaisesRegex(widehash.DataError, "is not a dataset"):
            widehash.describe(self.folder)
        with self.assertRaisesRegex(widehash.DataError, "train.tsv.gz"):
            widehash.describe(TRAIN)
        for wrong in (None, 5, [self.data]):
            with self.assertRaisesRegex(TypeError, "path must be a path, not "):
                widehash.describe(wrong)


if __name__ == "__main__":
    unittest.main()
