"""predict --keep: fields of the text precede the prediction in each line."""

import gzip
import re
import unittest

from program import Case, run, table


def escaped(text):
    text = text.replace("\\", "\\\\").replace("\t", "\\t")
    return re.sub("[\x00-\x1f\x7f]", lambda match: "\\x%02x" % ord(match[0]), text)


class Keep(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", '''
label = "clicked"
[[feature]]
field = "site"
cardinality = 100
[[feature]]
field = "age"
encoding = "numeric"
transform = "log1p"
''')
        self.text = table(3000)
        self.model = self.folder / "m"
        self.train(self.schema, self.write("rows.tsv", self.text))

    def train(self, schema, *inputs):
        self.succeed("transform", "--schema", schema, *inputs, "-o", self.folder / "d", "--overwrite", "--quiet")
        self.succeed("train", self.folder / "d", "-o", self.model, "--overwrite", "--quiet")

    def predict(self, *arguments):
        return self.succeed("predict", self.model, *arguments).decode().splitlines()

    def test_each_line_has_the_fields_of_its_row_and_the_prediction_of_before(self):
        rows = [line.split("\t") for line in self.text.splitlines()[1:]]
        path = self.folder / "rows.tsv"
        expected = ["%s\t%s\t%s" % (row[2], row[0], line) for row, line in zip(rows, self.predict(path))]
        for threads in [1, 3]:
            self.assertEqual(self.predict(path, "--keep", "device,clicked", "--threads", threads), expected)

    def test_files_may_have_their_fields_in_any_order_and_line_end_and_be_compressed(self):
        rows = [line.split("\t") for line in self.text.splitlines()]
        turned = "".join("\t".join(reversed(row)) + "\r\n" for row in rows).encode()
        plain, packed = self.write("turned.tsv", turned), self.write("turned.tsv.gz", gzip.compress(turned))
        lines = self.predict(self.folder / "rows.tsv", "--keep", "site")
        self.assertEqual(self.predict(plain, packed, "--keep", "site"), 2 * lines)

    def test_names_that_hold_commas_are_quoted_as_messages_show_them(self):
        text = self.text.replace("device", "a,b", 1)
        path = self.write("comma.tsv", text)
        lines = self.predict(path, "--keep", 'site,"a,b"')
        rows = [line.split("\t") for line in text.splitlines()]
        place = rows[0].index("a,b")
        self.assertEqual([line.split("\t")[1] for line in lines], [row[place] for row in rows[1:]])
        refused = run("predict", self.model, path, "--keep", "a,b")
        self.assertEqual(refused.returncode, 2)
        self.assertIn(b'"a,b"', refused.stderr)

    def test_bad_rows_have_what_they_have(self):
        bad = self.write("bad.tsv", "age\tdevice\tsite\n1\ta\ts\nx\tb\ts\n1\tc\n1\td\ts\nx\te\n2\n"
                                    "x\tf\ts\n3\tg\ts\n")
        done = self.folder / "done.tsv"
        for threads in [1, 3]:
            with self.subTest(threads=threads):
                found = run("predict", self.model, bad, "--keep", "device", "-o", done,
                                                  "--max-bad-rows", 10, "--quiet", "--threads", threads)
                self.assertEqual(found.returncode, 0, found.stderr)
                cells = [line.split("\t") for line in done.read_text().splitlines()]
                self.assertEqual([cell[0] for cell in cells], ["a", "b", "", "d", "", "", "f", "g"])
                self.assertEqual([cell[1] == "nan" for cell in cells],
                                 [False, True, True, False, True, True, True, False])

    def test_whatever_a_field_holds_stays_on_its_line(self):
        values = ["a,b", "line\nend", "tab\tstop", "back\\slash", 'quo"te', "", "plain", "\x01"]
        text = "clicked,site,age,name\n" + "".join(
            '%d,s%d,%d,"%s"\n' % (i % 2, i % 7, i, values[i % len(values)].replace('"', '""')) for i in range(800))
        schema = self.write("quoted.toml", 'delimiter = ","\nquote = "\\""\n' + self.schema.read_text())
        rows = self.write("rows.csv", text)
        self.train(schema, rows)
        lines = self.predict(rows, "--keep", "name")
        self.assertEqual([line.split("\t")[0] for line in lines],
                         [escaped(values[i % len(values)]) for i in range(800)])
        self.assertEqual([line.split("\t")[1] for line in lines], self.predict(rows))

    def test_each_class_stands_behind_the_field(self):
        schema = self.write("classes.toml", self.schema.read_text().replace(
            'label = "clicked"', 'label = { field = "device", classes = ["phone", "desk", "tablet", ""] }'))
        rows = self.folder / "rows.tsv"
        self.train(schema, rows)
        kept = [line.split("\t", 1) for line in self.predict(rows, "--keep", "clicked")]
        self.assertEqual([rest for _, rest in kept], self.predict(rows))
        self.assertEqual({rest.count("\t") for _, rest in kept}, {3})

    def test_what_cannot_be_kept_is_reported_before_the_work(self):
        rows = self.folder / "rows.tsv"
        self.assertIn("has no field 'devise', which is to be kept; its fields are: clicked, site, device, age; did you mean "
                      "'device'", self.fail_with(2, "predict", self.model, rows, "--keep", "devise"))
        self.assertIn("is a dataset, which has no text to keep",
                      self.fail_with(2, "predict", self.model, self.folder / "d", "--keep", "device"))
        self.assertIn("--keep 'device,': a name is empty", self.fail_with(2, "predict", self.model, rows, "--keep", "device,"))
        # As from a shell variable that is not set.
        self.assertIn("--keep '': a name is empty", self.fail_with(2, "predict", self.model, rows, "--keep", ""))


if __name__ == "__main__":
    unittest.main()
