"""evaluate for a model of classes: each class, the means and the confusion matrix, against predict and plain arithmetic."""

import json
import random
import unittest

from program import Case

NAMES = ["plain", "tab\\there", "ü", "rare", "never"]


def toml_list(names):
    return ", ".join('"%s"' % name.replace("\\", "\\\\").replace("\x1b", "\\u001b") for name in names)


class Classes(Case):
    def judged(self, names, lines, weight=False, epochs=2):
        """Trains on rows (class number, x, weight). Returns the evaluation as JSON and as text, and the confusion matrix of predict."""
        schema = self.write("schema.toml", 'label = { field = "y", classes = [%s] }\n%s' %
                            (toml_list(names), 'weight = "w"\n' if weight else "") +
                            '[[feature]]\nfield = "x"\ncardinality = 40\n')
        rows = self.write("rows.tsv", "y\tx\tw\n" + "".join("%s\t%s\t%s\n" % (names[k], x, w) for k, x, w in lines))
        data, model = self.folder / f"{weight}.data", self.folder / f"{weight}.model"
        self.succeed("transform", "--schema", schema, rows, "-o", data, "--quiet")
        self.succeed("train", data, "-o", model, "--epochs", epochs, "--quiet")
        probabilities = [list(map(float, line.split("\t")))
                         for line in self.succeed("predict", model, data).decode().split("\n")[:-1]]
        self.assertEqual(len(probabilities), len(lines))
        matrix = [[0.0] * len(names) for _ in names]
        for (target, _, w), row in zip(lines, probabilities):
            matrix[target][row.index(max(row))] += w if weight else 1
        return json.loads(self.succeed("evaluate", model, data, "--json")), self.succeed("evaluate", model, data).decode(), matrix

    def check(self, found, names, matrix):
        """Checks the lists and means of `found` against the matrix."""
        numbers = range(len(names))
        self.assertEqual([one["name"] for one in found["classes"]], names)
        sums = [0.0, 0.0, 0.0]
        occurring = 0
        for k, one in enumerate(found["classes"]):
            support, predicted = sum(matrix[k]), sum(matrix[other][k] for other in numbers)
            self.assertAlmostEqual(one["support"], support, 6)
            self.assertAlmostEqual(one["predicted"], predicted, 6)
            self.assertAlmostEqual(one["correct"], matrix[k][k], 6)
            wanted = [matrix[k][k] / whole if whole else None for whole in (predicted, support, (support + predicted) / 2)]
            for i, key in enumerate(["precision", "recall", "f1"]):
                if wanted[i] is None:
                    self.assertIsNone(one[key])
                else:
                    self.assertAlmostEqual(one[key], wanted[i], 9)
                sums[i] += wanted[i] or 0
            occurring += support + predicted > 0
        for key, value in zip(["macro_precision", "macro_recall", "macro_f1"], sums):
            self.assertAlmostEqual(found[key], value / occurring, 9)

    def lines(self, count, weights=False):
        source = random.Random(4)
        return [(3 if row % 100 == 0 else source.choice([0, 0, 0, 1, 2]) if source.random() < 0.4 else row % 3,
                 "x%d" % (row % 3), source.randint(0, 40) / 8 if weights else 1) for row in range(count)]

    def test_all_is_as_predicted(self):
        for weight in (False, True):
            with self.subTest(weight=weight):
                found, text, matrix = self.judged(NAMES, self.lines(1500, weight), weight=weight)
                self.check(found, NAMES, matrix)
                self.assertEqual(found["confusion"], matrix)
                self.assertEqual(sum(matrix[4]) + sum(row[3] for row in matrix), 0)  # neither occurs nor is predicted
                self.assertNotIn("nan", text)

    def test_the_text_has_the_most_frequent_first_and_the_largest_mistakes(self):
        found, text, matrix = self.judged(NAMES, self.lines(1500))
        top, classes, mistakes = text.split("\n\n")[1:]
        self.assertIn("\nmacro F1  ", top)
        self.assertRegex(top, r"accuracy +%.6g +of the most frequent class %.6g\n" %
                         (found["accuracy"], max(map(sum, matrix)) / 1500))
        self.assertEqual(classes.split("\n")[0].split(), ["class", "weight", "predicted", "precision", "recall", "F1"])
        shown = [line.split() for line in classes.split("\n")[1:]]
        order = sorted(range(5), key=lambda k: -sum(matrix[k]))
        self.assertEqual([line[0] for line in shown], ['"%s"' % NAMES[k] for k in order])
        self.assertEqual(shown[0][4], "%.4f" % (matrix[order[0]][order[0]] / sum(matrix[order[0]])))
        self.assertEqual(shown[-1][1:], ["0", "0", "-", "-", "-"])
        cells = sorted((-matrix[i][j], i, j) for i in range(5) for j in range(5) if i != j and matrix[i][j])[:5]
        wanted = [[NAMES[i], NAMES[j], "%g" % -weight, "%.4f" % (-weight / sum(matrix[i]))] for weight, i, j in cells]
        found_lines = [line.replace('"', "").replace("->", "").split() for line in mistakes.split("\n")[1:-1]]
        self.assertEqual(found_lines, wanted)

    def test_names_cannot_steer_a_terminal_and_long_ones_are_cut(self):
        names = ["a\x1b[31mred", "b" * 500]
        found, text, matrix = self.judged(names, [(row % 2, "x%d" % (row % 2), 1) for row in range(400)])
        self.check(found, names, matrix)
        self.assertNotIn("\x1b", text)
        self.assertIn('"a\\x1b[31mred"', text)
        self.assertLess(max(map(len, text.split("\n"))), 110)
        # All predictions are right: there are no mistakes to show.
        self.assertEqual((matrix[0][1], matrix[1][0]), (0, 0))
        self.assertNotIn("->", text)

    def test_of_many_classes_there_is_no_matrix_and_twenty_are_shown(self):
        names = ["class %d" % k for k in range(1001)]
        found, text, matrix = self.judged(names, [(row % 900 if row % 3 else row % 7, "x%d" % (row % 30), 1) for row in range(2700)],
                                          epochs=1)
        self.check(found, names, matrix)
        self.assertIsNone(found["confusion"])
        self.assertEqual(text.count('\n"class'), 20)
        self.assertRegex(text, r"\n981 more, of weight [\d,]+: all are in --json\n$")

    def test_a_label_of_two_values_has_none(self):
        schema = self.write("two.toml", 'label = { field = "y", positive = ["a"], negative = ["b"] }\n'
                            '[[feature]]\nfield = "x"\ncardinality = 9\n')
        rows = self.write("two.tsv", "y\tx\n" + "a\tp\nb\tq\n" * 50)
        self.succeed("transform", "--schema", schema, rows, "-o", self.folder / "two", "--quiet")
        self.succeed("train", self.folder / "two", "-o", self.folder / "two.model", "--quiet")
        found = json.loads(self.succeed("evaluate", self.folder / "two.model", self.folder / "two", "--json"))
        self.assertEqual([found[key] for key in ["classes", "confusion", "macro_f1", "macro_precision", "macro_recall"]],
                         [[], None, None, None, None])
        self.assertNotIn("macro", self.succeed("evaluate", self.folder / "two.model", self.folder / "two").decode())


if __name__ == "__main__":
    unittest.main()
