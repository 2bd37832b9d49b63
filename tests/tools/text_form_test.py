"""`predict --delimiter --quote --header`: text in another form than the schema of the model describes."""

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
        self.assertIn("give `predict` and `evaluate` --delimiter", self.fail_with(2, "predict", self.model, path))
        quoted = self.write("quoted.csv", self.text(True, quoting=csv.QUOTE_ALL))
        self.assertIn("--quote '\"'", self.fail_with(2, "predict", self.model, quoted, "--delimiter", ","))
        self.assertIn("same character", self.fail_with(2, "predict", self.model, path, "--delimiter", ",", "--quote", ","))
        self.assertIn("are for text", self.fail_with(2, "predict", self.model, self.folder / "day1", "--delimiter", ","))
        self.assertIn("--header 'maybe'", self.fail_with(2, "predict", self.model, path, "--header", "maybe"))

    def test_a_header_that_cannot_be_done_without(self):
        schema = self.write("unlisted.toml", 'format = "csv"\nlabel = "y"\n[[feature]]\nfield = "a"\ncardinality = 9\n')
        told = self.write("rows.csv", "y,a\n1,x\n0,z\n")
        self.succeed("transform", "--schema", schema, told, "-o", self.folder / "d", "--quiet")
        self.succeed("train", self.folder / "d", "-o", self.folder / "m", "--quiet")
        bare = self.write("bare.csv", "1,x\n0,z\n")
        self.assertIn("put a line of names before them: (echo NAMES; cat FILE)", self.fail_with(2, "predict", self.folder / "m", bare))
        mac = self.write("mac.csv", "y,a,more\r1,x,2\r0,z,3\r")
        self.assertIn("carriage returns alone", self.fail_with(1, "predict", self.folder / "m", mac))
        message = self.fail_with(2, "predict", self.folder / "m", bare, "--header", "no")
        self.assertIn("does not list the fields of a row", message)
        self.assertIn("(echo NAMES; cat FILE)", message)


if __name__ == "__main__":
    unittest.main()
