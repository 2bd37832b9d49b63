"""`predict --delimiter --quote --header`: text that is divided otherwise than the schema of the model says."""

import csv
import gzip
import io
import unittest

from program import SCHEMA, Case, rows, table


class TextForm(Case):
    def setUp(self):
        super().setUp()
        schema = self.write("schema.toml", SCHEMA.replace("version = 1", 'version = 1\nfields = ["clicked", "site", "device", "age"]'))
        data = self.write("day1.tsv", table(2000, seed=1))
        self.succeed("transform", "--schema", schema, data, "-o", self.folder / "day1", "--quiet")
        self.model = self.folder / "day.model"
        self.succeed("train", self.folder / "day1", "-o", self.model, "--quiet")
        self.rows = [line.split("\t") for line in rows(500, seed=2)]
        self.expected = self.predict(self.write("day2.tsv", table(500, seed=2)))
        self.assertEqual(self.expected.count(b"\n"), 500)

    def predict(self, path, *options):
        return self.succeed("predict", self.model, path, *options)

    def text(self, header, **dialect):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n", **dialect)
        writer.writerows(([["clicked", "site", "device", "age"]] if header else []) + self.rows)
        return text.getvalue()

    def test_predictions_are_those_of_the_same_rows(self):
        for name, content, options in (
                ("commas.csv", self.text(True), ["--delimiter", ","]),
                ("quoted.csv", self.text(True, quoting=csv.QUOTE_ALL), ["--delimiter", ",", "--quote", '"']),
                ("semicolons", self.text(False, delimiter=";"), ["--delimiter", ";", "--header", "no"]),
                ("plain.tsv", self.text(False, delimiter="\t"), ["--header", "no"]),
                ("same.tsv", self.text(True, delimiter="\t"), ["--delimiter", "tab", "--quote", "none", "--header", "yes"]),
                ("rows.gz", gzip.compress(self.text(True).encode()), ["--delimiter", ","])):
            self.assertEqual(self.predict(self.write(name, content), *options), self.expected, name)

    def test_columns_stand_in_any_order_and_delimiters_in_quotes(self):
        self.rows = [["1", "a,b", "phone", "7"], ["0", 'say "x"', "desk", "8"]]
        tabs = "site\tdevice\tage\nsay \"x\"\tdesk\t8\na,b\tphone\t7\n"
        commas = 'age,device,site\n8,desk,"say ""x"""\n7,phone,"a,b"\n'
        self.assertEqual(self.predict(self.write("new.csv", commas), "--delimiter", ",", "--quote", '"'),
                         self.predict(self.write("new.tsv", tabs)))

    def test_what_cannot_be_is_refused_in_words(self):
        path = self.write("commas.csv", self.text(True))
        self.assertIn("`predict` and `evaluate` take --delimiter", self.fail_with(2, "predict", self.model, path))
        quoted = self.write("quoted.csv", self.text(True, quoting=csv.QUOTE_ALL))
        self.assertIn("--quote '\"'", self.fail_with(2, "predict", self.model, quoted, "--delimiter", ","))
        self.assertIn("same character", self.fail_with(2, "predict", self.model, path, "--delimiter", ",", "--quote", ","))
        self.assertIn("are of text", self.fail_with(2, "predict", self.model, self.folder / "day1", "--delimiter", ","))
        self.assertIn("--header 'maybe'", self.fail_with(2, "predict", self.model, path, "--header", "maybe"))
        schema = self.write("plain.toml", SCHEMA)
        self.succeed("transform", "--schema", schema, self.folder / "day1.tsv", "-o", self.folder / "day3", "--quiet")
        self.succeed("train", self.folder / "day3", "-o", self.model, "--quiet", "--overwrite")
        self.assertIn("does not list the fields of a row", self.fail_with(2, "predict", self.model, path, "--header", "no"))


if __name__ == "__main__":
    unittest.main()
