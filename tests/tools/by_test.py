"""evaluate --by: compares the rows of each value of a field with evaluations of tables of those rows."""

import json
import unittest

from program import Case, table


class By(Case):
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
        self.text = table(4000)
        self.rows = self.write("rows.tsv", self.text)
        self.model = self.folder / "m"
        self.succeed("transform", "--schema", self.schema, self.rows, "-o", self.folder / "d", "--quiet")
        self.succeed("train", self.folder / "d", "-o", self.model, "--quiet")

    def judged(self, *arguments):
        return json.loads(self.succeed("evaluate", self.model, *arguments, "--json"))

    def test_each_value_has_the_figures_of_a_table_of_its_rows(self):
        header, *lines = self.text.splitlines(keepends=True)
        place = header.rstrip("\n").split("\t").index("device")
        by_value = {}
        for line in lines:
            by_value.setdefault(line.rstrip("\n").split("\t")[place], []).append(line)
        self.assertGreater(len(by_value), 1)
        whole = self.judged(self.rows, "--by", "device,site")
        self.assertEqual([one["field"] for one in whole["by"]], ["device", "site"])
        self.assertIsNone(whole["by"][0]["others"])
        found = {one["value"]: one for one in whole["by"][0]["values"]}
        self.assertEqual(found.keys(), by_value.keys())
        for value, rows in by_value.items():
            expected = self.judged(self.write("one.tsv", header + "".join(rows)))
            for key in found[value].keys() - {"value"}:
                self.assertEqual(found[value][key], expected[key], key)
        weights = [one["weight"] for one in whole["by"][0]["values"]]
        self.assertEqual(weights, sorted(weights, reverse=True))
        self.assertEqual(self.judged(self.rows)["by"], [])

    def test_two_models_are_distinguished_by_the_same_rows(self):
        other = self.folder / "other"
        self.succeed("train", self.folder / "d", "-o", other, "--lr", "0.001", "--quiet")
        valid = self.write("valid.tsv", table(3000, 5))
        found = self.judged(valid, "--against", other)
        alone = json.loads(self.succeed("evaluate", other, valid, "--json"))
        against = found["against"]
        self.assertEqual(against["model"], str(other))
        for key in ["log_loss", "auc", "weight", "mean_prediction"]:
            self.assertEqual(against[key], alone[key], key)
        self.assertAlmostEqual(against["loss_difference"], found["log_loss"] - alone["log_loss"], 9)
        self.assertGreater(against["loss_difference_standard_error"], 0)
        self.assertIsNone(alone["against"])
        text = self.succeed("evaluate", self.model, valid, "--against", other).decode()
        self.assertRegex(text, r"\n\S+other has on the same rows: log loss [0-9.]+, AUC [0-9.]+\n"
                               r"the difference: -[0-9.e-]+ \+-[0-9.e-]+, so the model judged here is better\n$")
        self.assertIn("so that model is better\n", self.succeed("evaluate", other, valid, "--against", self.model).decode())
        self.assertIn("the difference: +0 +-0, so these rows do not tell which is better",
                      self.succeed("evaluate", self.model, valid, "--against", self.model).decode())
        self.assertIn("cannot be read twice", self.fail_with(2, "evaluate", self.model, "-", "--against", other))

    def test_options_that_say_nothing_are_refused(self):
        for option in ["--top", "--most-values"]:
            self.assertIn(f"{option} is for the values of --by", self.fail_with(2, "evaluate", self.model, self.rows, option, 3))
        self.assertIn("--top 0 leaves no value", self.fail_with(2, "evaluate", self.model, self.rows, "--by", "site", "--top", 0))
        self.assertEqual(len(json.loads(self.succeed("evaluate", self.model, self.rows, "--by", "site", "--top", 0, "--json"))["by"]), 1)
        self.assertIn("'site' twice", self.fail_with(2, "evaluate", self.model, self.rows, "--by", "site,device,site"))
        for command in ["evaluate", "predict"]:
            self.assertIn("leave --max-bad-rows out", self.fail_with(2, command, self.model, self.folder / "d", "--max-bad-rows", 3))
            self.assertIn("--allow-empty is for inputs of text", self.fail_with(2, command, self.model, self.folder / "d", "--allow-empty"))
        ftrl = ["train", self.folder / "d", "-o", self.folder / "f", "--optimizer", "ftrl", "--quiet"]
        self.assertIn("leave --lr-decay out", self.fail_with(2, *ftrl, "--lr-decay", "linear"))
        self.succeed(*ftrl, "--lr-decay", "none")

    def test_the_table_shows_the_heaviest_and_says_what_is_left(self):
        few = self.succeed("evaluate", self.model, self.rows, "--by", "site", "--top", 2, "--most-values", 5).decode()
        lines = few.splitlines()
        start = next(number for number, line in enumerate(lines) if line.startswith("site "))
        self.assertEqual(lines[start].split(), ["site", "weight", "predicted", "observed", "+-difference", "log", "loss", "constant", "AUC", "accuracy"])
        self.assertRegex(lines[start + 1], r'^"[^"]+" +[\d,]+ +0\.\d{4}')
        self.assertRegex(lines[start + 3], r"^all others +[\d,]+ +0\.\d{4}")
        self.assertEqual(lines[start + 4], "3 values more: --top N shows the N heaviest, --json has all")

    def test_numbers_have_means_and_their_error(self):
        model = self.folder / "n"
        self.succeed("train", self.folder / "d", "-o", model, "--loss", "mse", "--quiet")
        said = self.succeed("evaluate", model, self.rows, "--by", "device").decode()
        line = next(line for line in said.splitlines() if line.startswith("device "))
        self.assertEqual(line.split(), ["device", "weight", "predicted", "observed", "+-difference", "RMSE", "constant"])

    def test_values_of_any_bytes_are_shown_and_reported(self):
        rows = self.write("odd.tsv", "clicked\tsite\tage\tname\n".encode() + b"".join(
            b"%d\ts%d\t%d\t%s\n" % (i % 2, i % 7, i % 50, [b"\x1b[31m", b"\xff", b"", "ü".encode()][i % 4]) for i in range(80)))
        by = self.judged(rows, "--by", "name")["by"][0]["values"]
        self.assertEqual({(one["value"], one.get("value_hex")) for one in by},
                         {("\x1b[31m", None), ("\ufffd", "ff"), ("", None), ("ü", None)})
        said = self.succeed("evaluate", self.model, rows, "--by", "name").decode()
        self.assertIn('"\\x1b[31m"', said)
        self.assertIn('"ü"', said)

    def test_mistakes_are_reported(self):
        self.assertIn("has no field 'devise', which rows are to be judged by; its fields are: clicked, site, device, age; did you mean 'device'",
                      self.fail_with(2, "evaluate", self.model, self.rows, "--by", "devise"))
        self.assertIn("is a dataset, which has codes but no values to judge by; name the text that it was made from",
                      self.fail_with(2, "evaluate", self.model, self.folder / "d", "--by", "device"))
        self.assertIn("--by 'device,': a name is empty", self.fail_with(2, "evaluate", self.model, self.rows, "--by", "device,"))
        self.assertIn("--by '': a name is empty", self.fail_with(2, "evaluate", self.model, self.rows, "--by", ""))


if __name__ == "__main__":
    unittest.main()
