"""predict --top: the likeliest classes by name."""

import unittest

from program import Case, run

CLASSES = ["plain", "tab\\there", "ü", "never"]


class Top(Case):
    def setUp(self):
        super().setUp()
        names = ", ".join('"%s"' % name.replace("\\", "\\\\") for name in CLASSES)
        schema = self.write("schema.toml", 'label = { field = "y", classes = [%s] }\n' % names +
                            '[[feature]]\nfield = "x"\ncardinality = 9\n[[feature]]\nfield = "n"\nencoding = "numeric"\n')
        lines = ["%s\tx%d\t%d\n" % (CLASSES[(row % 7) % 3], row % 7, row % 2) for row in range(900)]
        self.rows = self.write("rows.tsv", "y\tx\tn\n" + "".join(lines))
        self.data, self.model = self.folder / "d", self.folder / "m"
        self.succeed("transform", "--schema", schema, self.rows, "-o", self.data, "--quiet")
        self.succeed("train", self.data, "-o", self.model, "--epochs", 5, "--quiet")

    def lines(self, *arguments):
        return [line.split("\t") for line in self.succeed("predict", self.model, *arguments).decode().split("\n")[:-1]]

    def test_they_are_the_largest_of_all_probabilities(self):
        shown = [name.replace("\\", "\\\\") for name in CLASSES]
        for source in (self.rows, self.data):
            every = self.lines(source)
            for top in (1, 2, 4, 100):
                found = self.lines(source, "--top", top)
                self.assertEqual(len(found), len(every))
                for probabilities, line in zip(every, found):
                    best = sorted(range(4), key=lambda k: (-float(probabilities[k]), k))[:top]
                    self.assertEqual(line, [part for k in best for part in (shown[k], probabilities[k])])

    def test_kept_fields_stand_before_them_and_bad_rows_have_nan(self):
        bad = self.write("bad.tsv", "x\tn\nx1\t1\nx2\tnone\nx3\t0\n")
        done = run("predict", self.model, bad, "--keep", "x", "--top", 2, "--max-bad-rows", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split("\t") for line in done.stdout.decode().split("\n")[:-1]]
        self.assertEqual([line[0] for line in lines], ["x1", "x2", "x3"])
        self.assertEqual(lines[1], ["x2", "", "nan", "", "nan"])
        self.assertEqual([len(line) for line in lines], [5, 5, 5])

    def test_what_has_no_classes_is_refused(self):
        schema = self.write("number.toml", 'label = "n"\n[[feature]]\nfield = "x"\ncardinality = 9\n')
        self.succeed("transform", "--schema", schema, self.rows, "-o", self.folder / "numbers", "--quiet")
        self.succeed("train", self.folder / "numbers", "-o", self.folder / "n", "--quiet")
        self.assertIn("has no classes", self.fail_with(2, "predict", self.folder / "n", self.rows, "--top", 3))
        self.assertIn("--top 0", self.fail_with(2, "predict", self.model, self.rows, "--top", 0))


if __name__ == "__main__":
    unittest.main()
