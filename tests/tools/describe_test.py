"""Compares `widehash describe` with the output of the commands that made the files."""

import json
import unittest

from program import SCHEMA, Case, table


class Describe(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.rows = self.write("rows.tsv", table(500))
        self.tables, self.day, self.model = self.folder / "tables", self.folder / "day", self.folder / "day.model"
        self.fitted = self.succeed_json("fit", "--schema", self.schema, self.rows, "-o", self.tables)
        self.encoded = self.succeed_json("transform", "--schema", self.schema, self.rows, "-o", self.day, "--folds", "1-3/4",
                                         "--fold-by", "site")

    def test_of_a_dataset(self):
        told = self.succeed_json("describe", self.day)
        for key in "rows", "rejected_rows", "other_fold_rows", "num_columns":
            self.assertEqual(told[key], self.encoded[key])
        self.assertEqual((told["folds"], told["fold_by"], told["bytes"]), ("1-3/4", "site", self.encoded["output_bytes"]))
        self.assertEqual([(item["path"], item["rows"]) for item in told["inputs"]], [(str(self.rows), 500)])
        self.assertEqual(told["features"], ["site", "device", "age"])
        self.assertEqual(told["label"]["positive"], ["1"])
        text = self.succeed("describe", self.day).decode()
        for words in "1-3/4 by site", "clicked: positive 1; negative 0", "3: site, device, age", "none":
            self.assertIn(words, text)

    def test_names_with_commas_are_distinguished(self):
        schema = self.write("classes.toml", 'label = { field = "kind", classes = ["red", "blue, light"] }\n'
                                            '[[feature]]\nfield = "a, b"\ncardinality = 9\n[[feature]]\nfield = "c"\ncardinality = 9\n')
        rows = self.write("classes.tsv", "kind\ta, b\tc\n" + "red\tx\ty\nblue, light\tz\ty\n" * 5)
        self.succeed("transform", "--schema", schema, rows, "-o", self.folder / "classes", "--quiet")
        text = self.succeed("describe", self.folder / "classes").decode()
        self.assertIn('kind: 2 classes, red, "blue, light"', text)
        self.assertIn('2: "a, b", c', text)
        self.succeed("train", self.folder / "classes", "-o", self.model, "--quiet")
        message = self.fail_with(2, "evaluate", self.model, rows, "--by", "a, b")
        self.assertIn('its fields are: kind, "a, b", c', message)

    def test_of_tables(self):
        told = self.succeed_json("describe", self.tables)
        self.assertEqual((told["kind"], told["rows"], told["tables_fingerprint"]),
                         ("tables", 500, self.fitted["tables_fingerprint"]))
        self.assertEqual(told["values"], {item["feature"]: item["num_values"] for item in self.fitted["features"] if item["file"]})
        self.assertIn("%d of site" % told["values"]["site"], self.succeed("describe", self.tables).decode())
        self.assertEqual((told["folds"], told["fold_by"], told["other_fold_rows"]), (None, None, 0))
        part = self.succeed_json("fit", "--schema", self.schema, self.rows, "-o", self.folder / "part", "--folds", "1/4",
                                 "--fold-by", "site")
        told = self.succeed_json("describe", self.folder / "part")
        self.assertEqual((told["folds"], told["fold_by"], told["other_fold_rows"]), ("1/4", "site", 500 - part["rows"]))
        self.assertIn("1/4 by site", self.succeed("describe", self.folder / "part").decode())
        (self.tables / "schema.toml").unlink()
        self.assertIsNone(self.succeed_json("describe", self.tables)["schema"])
        self.assertIn("does not hold its schema", self.fail_with(1, "describe", self.tables, "--schema"))

    def test_of_models(self):
        trained = self.succeed_json("train", self.day, "--valid", self.day, "-o", self.model, "--hidden", "5,3", "--epochs", "4",
                                    "--batch-size", "32", "--activation", "tanh")
        told = self.succeed_json("describe", self.model)
        self.assertEqual((told["hidden"], told["outputs"], told["activation"], told["loss"]), ([5, 3], 1, "tanh", "logistic"))
        self.assertEqual(told["best_epoch"], trained["best_epoch"])
        self.assertEqual(told["epoch"], trained["best_epoch"])
        self.assertAlmostEqual(told["best_valid_loss"], trained["log_loss"], places=6)
        self.assertEqual(told["rows_seen"], told["epoch"] * self.encoded["rows"])
        self.assertEqual(told["parameters"], trained["num_parameters"])
        self.assertEqual(told["training"]["settings"]["batch_size"], 32)
        for key in "kind", "learning_rate", "l2":
            self.assertEqual(told["optimizer"][key], trained["optimizer"][key])
        text = self.succeed("describe", self.model).decode()
        self.assertIn("columns -> 5 -> 3 -> 1, tanh, logistic loss", text)
        self.assertIn("in steps of 32; log loss", text)
        self.succeed("train", self.day, "-o", self.folder / "towers", "--devices", "cpu,cpu", "--parallel", "tower", "--mix",
                     "predictions", "--quiet")
        self.assertIn("of 2 towers", self.succeed("describe", self.folder / "towers").decode())

    def test_the_schema_is_that_of_the_thing(self):
        self.succeed("train", self.day, "-o", self.model, "--quiet")
        for made in self.tables, self.day, self.model:
            self.assertEqual(self.succeed("describe", made, "--schema").decode(), SCHEMA)
            self.assertEqual(self.succeed_json("describe", made)["schema"], SCHEMA)

    def test_what_is_none_of_them(self):
        self.assertIn("nowhere: cannot open", self.fail_with(1, "describe", self.folder / "nowhere"))
        self.assertIn("is not a dataset", self.fail_with(1, "describe", self.folder))
        whole = (self.day / "manifest.json").read_bytes()
        (self.day / "manifest.json").write_bytes(whole.replace(b'"1-3/4"', b'"1-2/4"'))
        self.assertIn("manifest.json: damaged", self.fail_with(1, "describe", self.day))
        self.write("cut.model", self.schema.read_bytes())
        self.assertIn("cut.model", self.fail_with(1, "describe", self.folder / "cut.model"))


if __name__ == "__main__":
    unittest.main()
