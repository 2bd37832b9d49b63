"""Data on its way from text to predictions, over generated tables, and the reports about it."""

import gzip
import json
import unittest

from program import SCHEMA, Case, contents, table

MEASURES = {"seconds", "rows_per_second"}


class Pipeline(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.data = self.write("day1.tsv", table(4000, seed=1))
        self.next = self.write("day2.tsv", table(1000, seed=2))

    def transform(self, data, name, *extra):
        return self.succeed_json("transform", "--schema", self.schema, data, "-o", self.folder / name, *extra)

    def train(self, *extra):
        self.transform(self.data, "day1")
        return self.succeed_json("train", self.folder / "day1", "-o", self.folder / "model", "--overwrite", "--batch-size", 64, *extra)

    def test_whole_way_with_the_schema_that_inspect_proposes(self):
        schema = self.folder / "proposed.toml"
        report = self.succeed_json("inspect", self.data, "--label", "clicked", "-o", schema)
        self.assertEqual((report["rows"], report["rejected_rows"], report["header"]), (4000, 0, True))
        self.assertEqual([field["name"] for field in report["fields"]], ["clicked", "site", "device", "age"])
        self.assertEqual([field["type"] for field in report["fields"]], ["integer", "text", "text", "integer"])
        self.assertEqual(report["fields"][2]["distinct"], 3)  # without the missing value
        self.assertGreater(report["fields"][2]["missing"], 500)
        self.assertEqual(report["schema"], schema.read_text())

        day1, day2, tables, model = (self.folder / name for name in ["day1", "day2", "tables", "model"])
        fitted = self.succeed_json("fit", "--schema", schema, self.data, "-o", tables)
        self.assertEqual((fitted["rows"], fitted["rejected_rows"]), (4000, 0))
        values = {feature["feature"]: feature["num_values"] for feature in fitted["features"]}
        self.assertEqual((values["device"], values["site"]), (4, 60))

        for data, folder, count in [(self.data, day1, 4000), (self.next, day2, 1000)]:
            report = self.succeed_json("transform", "--schema", schema, data, "-o", folder)
            self.assertEqual((report["rows"], report["rejected_rows"]), (count, 0))
            self.assertLessEqual(MEASURES | {"megabytes_per_second", "peak_memory_bytes", "shards"}, report.keys())
            checked = self.succeed_json("verify", folder)
            self.assertEqual((checked["rows"], checked["shards"]), (count, report["shards"]))

        audit = self.succeed_json("audit", tables)
        self.assertEqual({f["feature"]: f["num_values"] for f in audit["features"]}["site"], 60)
        self.assertEqual([f["verdict"] for f in audit["features"]], ["as expected"] * len(audit["features"]))

        report = self.succeed_json("train", day1, "-o", model, "--valid", day2, "--epochs", 2, "--batch-size", 64)
        self.assertEqual((report["rows"], len(report["epochs"])), (8000, 2))
        for epoch in report["epochs"]:
            self.assertLessEqual(MEASURES | {"train_loss", "valid_log_loss", "valid_auc"}, epoch.keys())
        self.assertIn(report["best_epoch"], [1, 2])

        judged = self.succeed_json("evaluate", model, day2)
        self.assertEqual(judged["rows"], 1000)
        by_text = self.succeed_json("evaluate", model, self.next)
        for key in judged.keys() - {"seconds", "rows_per_second"}:
            self.assertEqual(by_text[key], judged[key], key)
        self.assertGreater(judged["auc"], 0.7)
        self.assertLess(judged["log_loss"], 0.65)
        self.assertLess(judged["log_loss"], judged["constant_log_loss"])
        self.assertAlmostEqual(judged["auc"], report["auc"], places=9)
        self.assertAlmostEqual(sum(bin["weight"] for bin in judged["calibration"]), 1000)
        self.assertLessEqual({"accuracy", "rmse", "calibration_ratio"} | MEASURES, judged.keys())

        lines = self.succeed("predict", model, self.next).decode().splitlines()
        self.assertEqual(len(lines), 1000)
        self.assertTrue(all(0 < float(line) < 1 for line in lines))
        self.assertEqual(lines, self.succeed("predict", model, day2).decode().splitlines())
        report = self.succeed_json("predict", model, self.next, "-o", self.folder / "predictions")
        self.assertEqual((report["rows"], report["outputs"]), (1000, 1))
        self.assertEqual((self.folder / "predictions").read_text().splitlines(), lines)

        explained = self.succeed_json("explain", model, "--tables", tables, "--top", 3)
        by_name = {feature["feature"]: feature for feature in explained["features"]}
        self.assertEqual(by_name["device"]["highest"][0]["value"], "phone")
        self.assertEqual(len(by_name["site"]["highest"]), 3)

    def test_inspect_says_what_it_took_the_label_for(self):
        data = self.write("y.tsv", "city\ty\n" + "a\tclicked\n" * 9 + "b\tnot clicked\n" + "a\tNA\n" * 2)
        report = self.succeed_json("inspect", data, "--label", "y")
        self.assertEqual(report["label"], {"kind": "binary", "field": "y", "negative": ["not clicked"],
                                           "positive": ["clicked"], "classes": []})
        self.assertEqual(len(report["notes"]), 2)
        text = self.succeed("inspect", data, "--label", "y").decode()
        self.assertIn("note: label 'y': positive is \"clicked\" (9 rows), negative is \"not clicked\" (1 rows)", text)
        self.assertIn("2 rows have no value (\"NA\" taken as missing)", text)
        self.assertIsNone(self.succeed_json("inspect", data)["label"])

    def test_labels_of_two_numbers_are_proposed_as_training_takes_them(self):
        for low, high in [("-1", "1"), ("1", "2")]:
            data = self.write("y.tsv", "city\ty\n" + "a\t%s\nb\t%s\n" % (low, high) * 30)
            schema = self.folder / ("s%s.toml" % low)
            report = self.succeed_json("inspect", data, "--label", "y", "-o", schema)
            self.assertEqual((report["label"]["negative"], report["label"]["positive"]), ([low], [high]))
            self.succeed("transform", "--schema", schema, data, "-o", self.folder / low, "--quiet")
            self.succeed("train", self.folder / low, "-o", self.folder / "m", "--overwrite", "--quiet")

    def test_a_table_that_pandas_wrote_with_its_row_numbers(self):
        data = self.write("pandas.csv", ",city,price,y\n" + "".join("%d,c%d,%d.5,%d\n" % (i, i % 3, i, i % 2)
                                                                    for i in range(60)))
        schema = self.folder / "s.toml"
        text = self.succeed("inspect", data, "--label", "y", "-o", schema).decode()
        self.assertIn("(no name)", text)
        self.assertIn("note: field 1 has no name in the header", text)
        self.succeed("transform", "--schema", schema, data, "-o", self.folder / "day", "--quiet")
        self.succeed("train", self.folder / "day", "-o", self.folder / "m", "--quiet")
        self.assertEqual(self.succeed("predict", self.folder / "m", data).count(b"\n"), 60)
        twice = self.write("twice.csv", "city,city,y\nrome,oslo,1\nparis,rome,0\n")
        self.assertIn("%s:1: the header names 'city' twice" % twice, self.fail_with(1, "inspect", twice, "--label", "y"))

    def test_inspect_finds_the_delimiter_that_header_and_rows_agree_on(self):
        data = self.write("movies.csv", "movie,genres,rating,clicked\n" + "1,A|B|C,4.5,1\n2,B|C|D,3.5,0\n" * 50)
        schema = self.folder / "movies.toml"
        report = self.succeed_json("inspect", data, "--label", "clicked", "-o", schema)
        self.assertEqual((report["delimiter"], report["quote"], report["header"]), (",", '"', True))
        self.assertEqual([field["name"] for field in report["fields"]], ["movie", "genres", "rating", "clicked"])
        self.succeed("transform", "--schema", schema, data, "-o", self.folder / "movies", "--quiet")

    def test_a_wrong_guess_is_corrected_by_options(self):
        data = self.write("odd.txt", "id!note\n" + "1!it's, 5\n2!so, 6\n" * 20)
        self.assertEqual(self.succeed_json("inspect", data, "--delimiter", "!")["delimiter"], "!")
        tabs = self.write("tabs.tsv", "a\tb\n" + '1\t"x\n' * 9)
        for word in ["tab", "\\t", "\t"]:
            report = self.succeed_json("inspect", tabs, "--delimiter", word, "--quote", "none")
            self.assertEqual((report["delimiter"], report["quote"], report["rows"]), ("\t", "", 9))
        self.assertEqual(self.succeed_json("inspect", tabs, "--quote", "")["quote"], "")
        self.assertEqual(self.succeed_json("inspect", tabs, "--delimiter", "space")["delimiter"], " ")
        self.assertEqual(self.succeed_json("inspect", tabs, "--delimiter", "-")["delimiter"], "-")

    def test_texts_for_missing_among_numbers_are_proposed(self):
        data = self.write("na.csv", "age,city,y\n" + "31,rome,1\nNA,oslo,0\n" * 30)
        schema = self.folder / "na.toml"
        report = self.succeed_json("inspect", data, "--label", "y", "-o", schema)
        self.assertEqual((report["fields"][0]["type"], report["fields"][0]["missing"]), ("integer", 30))
        self.assertIn('missing_values = ["NA"]', schema.read_text())
        self.assertTrue(any(note.startswith('missing_values has "NA"') for note in report["notes"]))
        text = schema.read_text().replace('encoding = "four_split"\ncardinality = 2\n', 'encoding = "numeric"\n', 1)
        self.assertIn("numeric", text)
        self.succeed("transform", "--schema", self.write("n.toml", text), data, "-o", self.folder / "na", "--quiet")
        message = self.fail_with(1, "transform", "--schema", self.write("m.toml", text.replace('["NA"]', "[]")), data,
                                 "-o", self.folder / "none")
        self.assertIn("is 'NA', not a finite number; if that means missing", message)
        self.assertIn("missing_values", message)

    def test_human_reports_say_the_same_figures(self):
        day1, model, tables = (self.folder / name for name in ["day1", "model", "tables"])
        self.assertIn("4,000 rows of 4 fields", self.succeed("inspect", self.data).decode())
        text = self.succeed("transform", "--schema", self.schema, self.data, "-o", day1).decode()
        self.assertRegex(text, r"rows +4,000\n")
        text = self.succeed("transform", "--schema", self.schema, self.data, "-o", day1).decode()
        self.assertIn("already complete", text)
        self.assertIn("sound; 4,000 rows", self.succeed("verify", day1).decode())
        self.assertRegex(self.succeed("fit", "--schema", self.schema, self.data, "-o", tables).decode(), r"site +60 ")
        self.assertIn("are as expected", self.succeed("audit", tables).decode())
        text = self.succeed("train", day1, "-o", model, "--valid", day1, "--epochs", 2).decode()
        self.assertIn("day1 is used both to train and to judge", text)
        self.assertRegex(text, r"\Aepoch 1/2  train loss \d\.\d+  valid log loss 0\.\d+  AUC 0\.\d+ ")
        self.assertIn("\nepoch 2/2  ", text)
        text = self.succeed("evaluate", model, day1).decode()
        self.assertRegex(text, r"(?m)^AUC +0\.\d+")
        self.assertRegex(text, r"(?m)^ *predicted +observed +weight$")
        text = self.succeed("explain", model, "--tables", tables, "--top", 1).decode()
        self.assertIn('"phone"', text)
        self.assertIn("(missing)", self.succeed("explain", model, "--tables", tables).decode())
        self.assertRegex(text, r"\nage  a number\n  [+-]\S+ for each unit of sign\(x\) ln\(1 \+ \|x\|\)\n")
        self.assertRegex(self.succeed("devices").decode(), r"\Acpu .* threads\n")

    def test_dataset_is_the_same_for_any_number_of_threads(self):
        base = ["transform", "--schema", self.schema, self.data, "--block-bytes", 4096, "--quiet"]
        for threads in [1, 2, 7]:
            self.succeed(*base, "-o", self.folder / str(threads), "--threads", threads)
        first = contents(self.folder / "1")
        self.assertGreater(len(first), 10)
        self.assertEqual(first, contents(self.folder / "2"))
        self.assertEqual(first, contents(self.folder / "7"))

    def test_model_is_the_same_for_any_number_of_threads(self):
        self.transform(self.data, "day1", "--block-bytes", 8192)
        models = set()
        for threads in [1, 2, 7]:
            model = self.folder / ("model%d" % threads)
            self.succeed("train", self.folder / "day1", "-o", model, "--hidden", "8", "--threads", threads, "--quiet")
            models.add(model.read_bytes())
        self.assertEqual(len(models), 1)

    def test_compressed_and_piped_inputs_give_the_same_rows(self):
        packed = self.folder / "day1.tsv.gz"
        packed.write_bytes(gzip.compress(self.data.read_bytes()))
        self.transform(self.data, "plain")
        self.transform(packed, "packed")
        self.succeed("transform", "--schema", self.schema, "-", "-o", self.folder / "piped", "--quiet",
                     stdin=self.data.read_bytes())
        exports = {self.succeed("export", self.folder / name, "--format", "libsvm", "-o", "-")
                   for name in ["plain", "packed", "piped"]}
        self.assertEqual(len(exports), 1)
        self.assertEqual(exports.pop().count(b"\n"), 4000)

    def test_exports_to_files_and_to_the_standard_output_agree(self):
        self.transform(self.data, "day1")
        for kind in ["libsvm", "vw"]:
            report = self.succeed_json("export", self.folder / "day1", "--format", kind, "-o", self.folder / kind)
            self.assertEqual(report["rows"], 4000)
            text = self.succeed("export", self.folder / "day1", "--format", kind, "-o", "-")
            self.assertEqual((self.folder / kind).read_bytes(), text)
        self.succeed("export", self.folder / "day1", "--format", "npz", "-o", self.folder / "day1.npz")
        self.assertEqual((self.folder / "day1.npz").read_bytes()[:2], b"PK")

    def test_labels_that_are_0_or_1_are_exported_as_vw_and_libsvm_take_them(self):
        schema = self.write("numbers.toml", 'label = "y"\n[[feature]]\nfield = "a"\ncardinality = 9\n')
        for labels, vw in [("01", ["-1", "1"]), ("12", ["1", "2"])]:
            data = self.write("y.tsv", "y\ta\n" + "".join(label + "\tx\n" for label in labels))
            day = self.folder / labels
            self.succeed("transform", "--schema", schema, data, "-o", day, "--quiet")
            for kind, expected in [("vw", vw), ("libsvm", list(labels))]:
                lines = self.succeed("export", day, "--format", kind, "-o", "-").decode().splitlines()
                self.assertEqual([line.split()[0] for line in lines], expected)

    def test_explain_shows_numbers_and_names_the_class(self):
        schema = self.write("classes.toml", """
label = { field = "device", classes = ["phone", "desk", "tablet", ""] }
[[feature]]
field = "site"
cardinality = 100
[[feature]]
field = "age"
encoding = "numeric"
transform = "standardize"
[[feature]]
field = "age"
name = "years"
encoding = "numeric"
transform = "bucketize"
boundaries = [20, 40.5]
""")
        day, tables, model = (self.folder / name for name in ["day", "tables", "model"])
        self.succeed("fit", "--schema", schema, self.data, "-o", tables, "--quiet")
        self.succeed("transform", "--schema", schema, "--tables", tables, self.data, "-o", day, "--quiet")
        self.succeed("train", day, "-o", model, "--loss", "softmax", "--quiet")
        report = self.succeed_json("explain", model, "--tables", tables, "--output", 2)
        self.assertEqual((report["output"], report["class"]), (2, "tablet"))
        by_name = {feature["feature"]: feature for feature in report["features"]}
        self.assertEqual({name: feature["kind"] for name, feature in by_name.items()},
                         {"site": "values", "age": "number", "years": "intervals"})
        self.assertEqual(by_name["age"]["transform"], "standardize")
        self.assertAlmostEqual(by_name["age"]["spread"], abs(by_name["age"]["per_unit"]))
        self.assertGreater(by_name["years"]["spread"], 0)
        self.assertEqual(sorted(value["value"] for value in by_name["years"]["highest"]),
                         ["20 to below 40.5", "below 20", "from 40.5"])
        text = self.succeed("explain", model, "--tables", tables, "--output", 2).decode()
        self.assertIn('raw output of class "tablet" (output 2)', text)
        self.assertIn("20 to below 40.5", text)

    def test_tables_alone_are_added(self):
        schema = self.write("added.toml", 'label = "clicked"\n[[feature]]\nfield = "site"\ncardinality = 100\n')
        first, both = self.folder / "first", self.folder / "both"
        self.succeed("fit", "--schema", schema, self.data, "-o", first, "--quiet")
        self.succeed("fit", "--schema", schema, "--add", first, "-o", both, "--quiet")
        self.assertEqual(self.succeed("values", both, "site"), self.succeed("values", first, "site"))

    def test_training_can_be_resumed(self):
        self.transform(self.data, "day1")
        # With a learning rate that decays over all epochs, the first of three epochs would differ from a single one.
        base = ["train", self.folder / "day1", "--batch-size", 64, "--lr-decay", "none", "--quiet"]
        self.succeed(*base, "-o", self.folder / "straight", "--epochs", 3)
        self.succeed(*base, "-o", self.folder / "resumed", "--epochs", 1)
        self.succeed(*base, "-o", self.folder / "resumed", "--epochs", 3, "--resume")
        self.assertEqual((self.folder / "straight").read_bytes(), (self.folder / "resumed").read_bytes())

    def test_rates_are_of_the_rows_of_this_run(self):
        self.train("--epochs", 2)
        report = self.succeed_json("train", self.folder / "day1", "-o", self.folder / "again", "--epochs", 2)
        self.assertEqual([epoch["rows_this_run"] for epoch in report["epochs"]], [4000, 4000])
        for epoch in report["epochs"]:
            self.assertAlmostEqual(epoch["rows_per_second"] * epoch["seconds"] / epoch["rows_this_run"], 1)

    def test_an_auc_that_is_not_there_is_not_exact_either(self):
        self.train()
        self.write("ones.tsv", "clicked\tsite\tdevice\tage\n" + "1\ta\tphone\t1\n" * 9)
        self.transform(self.folder / "ones.tsv", "ones")
        report = self.succeed_json("evaluate", self.folder / "model", self.folder / "ones")
        self.assertEqual((report["auc"], report["auc_is_exact"], report["auc_error_bound"]), (None, None, None))
        self.transform(self.next, "day2")
        self.assertIs(self.succeed_json("evaluate", self.folder / "model", self.folder / "day2")["auc_is_exact"], True)

    def test_numbers_may_have_a_plus(self):
        schema = self.write("plus.toml", 'label = "y"\n[[feature]]\nfield = "x"\nencoding = "numeric"\n')
        self.write("plus.tsv", "y\tx\n+3\t+2.5\n-1\t+1e2\n")
        self.succeed("transform", "--schema", schema, self.folder / "plus.tsv", "-o", self.folder / "plus", "--quiet")
        self.assertEqual(self.succeed("export", self.folder / "plus", "--format", "libsvm", "-o", "-"),
                         b"3 1:2.5\n-1 1:100\n")
        for bad, why in [*((bad, "not a finite number") for bad in ["+", "++1", "+-1", "+x", "+inf", "inf", "nan", "1e400"]),
                         ("1e39", "beyond the largest float32"), ("-1e39", "beyond the largest float32")]:
            self.write("bad.tsv", "y\tx\n1\t%s\n" % bad)
            message = self.fail_with(1, "transform", "--schema", schema, self.folder / "bad.tsv", "-o",
                                     self.folder / "bad", "--overwrite")
            self.assertIn("is '%s', %s" % (bad, why), message)

    def test_every_optimizer_trains(self):
        self.transform(self.data, "day1")
        for optimizer in ["ftrl", "adagrad", "adam", "rmsprop", "sgd"]:
            with self.subTest(optimizer):
                report = self.succeed_json("train", self.folder / "day1", "-o", self.folder / "model", "--overwrite", "--optimizer",
                                           optimizer, "--epochs", 3, "--batch-size", 32, "--lr", 0.05)
                self.assertEqual(report["optimizer"]["learning_rate"], 0.05)
                self.assertLess(report["epochs"][2]["train_loss"], 0.68)

    def test_rejected_rows_are_counted_and_written(self):
        self.data.write_text(self.data.read_text() + "1\tonly\n" + "abc\tsite\tphone\t3\n")
        report = self.transform(self.data, "day1", "--max-bad-rows", 2)
        self.assertEqual((report["rows"], report["rejected_rows"]), (4000, 2))
        rejected = (self.folder / "day1" / "rejected.tsv").read_text()
        self.assertIn("day1.tsv", rejected)
        self.assertIn("4002", rejected)
        self.assertIn("4003", rejected)
        self.assertEqual(self.succeed_json("verify", self.folder / "day1")["rejected_rows"], 2)

    def test_values_with_control_bytes_cannot_steer_a_terminal(self):
        self.write("hostile.tsv", b"clicked\tsite\tdevice\tage\n" + b"1\t\x1b[31mred\xff\tphone\t1\n0\tx\tdesk\t2\n" * 50)
        hostile, tables = self.folder / "hostile.tsv", self.folder / "tables"
        self.succeed("transform", "--schema", self.schema, hostile, "-o", self.folder / "day", "--quiet")
        self.succeed("fit", "--schema", self.schema, hostile, "-o", tables, "--quiet")
        self.succeed("train", self.folder / "day", "-o", self.folder / "model", "--quiet")
        text = self.succeed("explain", self.folder / "model", "--tables", tables)
        self.assertNotIn(b"\x1b", text)
        self.assertIn(b'"\\x1b[31mred\\xff"', text)
        self.assertNotIn(b"\x1b", self.succeed("inspect", hostile))
        report = json.loads(self.succeed("explain", self.folder / "model", "--tables", tables, "--json"))
        site = next(feature for feature in report["features"] if feature["feature"] == "site")
        self.assertIn(b"\x1b[31mred\xff".hex(), [value.get("value_hex") for value in site["highest"]])


if __name__ == "__main__":
    unittest.main()
