"""predict --effects: which features a prediction comes from."""

import math
import unittest

from program import Case, run


def log_odds(probability):
    return math.log(probability / (1 - probability))


class Effects(Case):
    def setUp(self):
        super().setUp()
        features = ('[[feature]]\nfield = "shop"\ncardinality = 9\n[[feature]]\nfield = "n"\nencoding = "numeric"\n'
                    '[[feature]]\nname = "tab\\there"\ncross = ["shop", "n"]\ncardinality = 30\n'
                    '[[feature]]\nfield = "y"\nname = "none"\nencoding = "ignore"\n')
        self.schema = self.write("schema.toml", 'label = "y"\n' + features)
        self.classes = self.write("classes.toml", 'label = { field = "y", classes = ["0", "1", "2"] }\n' + features)
        self.text = "y\tid\tshop\tn\n" + "".join(
            "%d\ti%d\ts%d\t%d\n" % ((row * 7 % 5 < 2) != (row % 6 == 1), row, row % 6, row % 3) for row in range(800))
        self.rows = self.write("rows.tsv", self.text)

    def trained(self, schema, *options):
        model = self.folder / "m"
        self.succeed("transform", "--schema", schema, self.rows, "-o", self.folder / "d", "--overwrite", "--quiet")
        self.succeed("train", self.folder / "d", "-o", model, "--overwrite", "--quiet", *options)
        return model

    def lines(self, *arguments):
        return [line.split("\t") for line in self.succeed("predict", *arguments).decode().split("\n")[:-1]]

    def test_those_of_a_linear_model_add_up(self):
        model = self.trained(self.schema)
        plain = self.lines(model, self.rows, "--keep", "id")
        every = self.lines(model, self.rows, "--keep", "id", "--effects", 99)
        rows = [line.split("\t") for line in self.text.splitlines()[1:]]
        bases = []
        for row, line, expected in zip(rows, every, plain):
            self.assertEqual(line[:2], expected)
            self.assertEqual(len(line), 2 + 3 * 3)
            told = {line[i]: (line[i + 1], float(line[i + 2])) for i in range(2, len(line), 3)}
            self.assertEqual({name: value for name, (value, _) in told.items()},
                             {"shop": row[2], "n": row[3], "tab\\there": "%s × %s" % (row[2], row[3])})
            sizes = [abs(float(effect)) for effect in line[4::3]]
            self.assertEqual(sizes, sorted(sizes, reverse=True))
            bases.append(log_odds(float(line[1])) - sum(effect for _, effect in told.values()))
        self.assertLess(max(bases) - min(bases), 3e-3)  # effects are printed with four digits
        for few, line in zip(self.lines(model, self.rows, "--keep", "id", "--effects", 2), every):
            self.assertEqual(few, line[:8])

    def test_parts_of_times_are_shown_as_the_feature_takes_them(self):
        schema = self.write("times.toml", 'label = "y"\n[[feature]]\nname = "hour"\nfield = "t"\ntime_part = "hour"\ncardinality = 24\n'
                            '[[feature]]\nname = "both"\ncross = ["t", "shop"]\ntime_part = ["weekday", ""]\ncardinality = 99\n')
        self.rows = self.write("times.tsv", "y\tt\tshop\n" + "".join(f"{row % 2}\t2026-11-28 {row % 24:02}:05:09\ts{row % 3}\n" for row in range(200)))
        for line, row in zip(self.lines(self.trained(schema), self.rows, "--effects", 9), range(200)):
            self.assertEqual({line[i]: line[i + 1] for i in range(1, len(line), 3)}, {"hour": str(row % 24), "both": f"6 × s{row % 3}"})

    def test_class_weights_that_do_not_exist_cannot_be_undone(self):
        model = self.trained(self.schema)
        for arguments in ["predict", model, self.rows], ["evaluate", model, self.rows]:
            plain, undone = run(*arguments), run(*arguments, "--undo-class-weights")
            self.assertEqual((undone.returncode, plain.stderr), (0, b""))
            self.assertIn(b"was trained without class weights", undone.stderr)
            if arguments[0] == "predict":
                self.assertEqual(undone.stdout, plain.stdout)

    def test_they_stand_behind_classes_and_all_probabilities(self):
        model = self.trained(self.classes)
        for options, width in ((["--top", 2], 4), ([], 3)):
            plain = self.lines(model, self.rows, *options)
            for line, expected in zip(self.lines(model, self.rows, *options, "--effects", 1), plain):
                self.assertEqual(line[:-3], expected)
                self.assertEqual(len(expected), width)
                self.assertIn(line[-3], ("shop", "n", "tab\\there"))

    def test_bad_rows_have_none(self):
        model = self.trained(self.schema)
        bad = self.write("bad.tsv", "shop\tn\ns1\t1\ns2\tnone\ntoo\tmany\tfields\ns1\t1\n")
        done = run("predict", model, bad, "--max-bad-rows", 2, "--effects", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second, third, fourth = [line.split("\t") for line in done.stdout.decode().split("\n")[:-1]]
        self.assertEqual(second, ["nan"] + ["", "", "nan"] * 2)
        self.assertEqual(third, second)
        self.assertEqual(first, fourth)

    def test_unclear_arguments_are_refused(self):
        model = self.trained(self.schema)
        self.assertIn("--effects 0", self.fail_with(2, "predict", model, self.rows, "--effects", 0))
        self.assertIn("is a dataset", self.fail_with(2, "predict", model, self.folder / "d", "--effects", 1))


if __name__ == "__main__":
    unittest.main()
