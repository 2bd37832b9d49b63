"""Counts and rates as labels: train --loss poisson, evaluate, predict, describe."""

import json
import math
import random
import unittest

from program import Case

SCHEMA = """label = "claims"
weight = "years"
[[feature]]
field = "region"
cardinality = 1000
[[feature]]
field = "car"
cardinality = 100
"""


def drawn_count(source, mean):
    count, product, end = 0, source.random(), math.exp(-mean)
    while product > end:
        count, product = count + 1, product * source.random()
    return count


def claims(rows, seed):
    """Claims per year, with the number of years over which each was counted."""
    taste = random.Random(1)
    regions = [taste.uniform(-0.8, 0.8) for _ in range(30)]
    cars = [taste.uniform(-0.6, 0.6) for _ in range(9)]
    source = random.Random(seed)
    lines = ["claims\tyears\tregion\tcar"]
    for _ in range(rows):
        region, car, years = source.randrange(30), source.randrange(9), source.choice([0.5, 1, 2])
        count = drawn_count(source, 0.3 * years * math.exp(regions[region] + cars[car]))
        lines.append("%r\t%r\tregion%d\tcar%d" % (count / years, years, region, car))
    return "\n".join(lines) + "\n"


def deviance(claimed, predicted):
    return 2 * ((claimed * math.log(claimed / predicted) if claimed > 0 else 0) - (claimed - predicted))


class Counts(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        for name, seed, rows in [("train", 1, 8000), ("valid", 2, 4000)]:
            self.write(name + ".tsv", claims(rows, seed))
            self.succeed("transform", "--schema", self.schema, self.folder / (name + ".tsv"), "-o", self.folder / name, "--quiet")
        self.model = self.folder / "m"

    def train(self, *options):
        return self.succeed("train", self.folder / "train", "-o", self.model, "--overwrite", "--loss", "poisson", *options)

    def test_rates_are_learnt_and_judged_by_their_deviance(self):
        said = self.train("--valid", self.folder / "valid", "--epochs", 10).decode()
        self.assertIn("valid Poisson deviance 0.", said)
        judged = self.succeed_json("evaluate", self.model, self.folder / "valid.tsv")
        self.assertLess(judged["poisson_deviance"], 0.95 * judged["constant_poisson_deviance"])
        self.assertIsNone(judged["log_loss"])
        self.assertAlmostEqual(judged["calibration_ratio"], 1, delta=0.1)
        lines = (self.folder / "valid.tsv").read_text().splitlines()[1:]
        predicted = [float(line) for line in self.succeed("predict", self.model, self.folder / "valid.tsv").decode().splitlines()]
        rows = [(float(line.split("\t")[0]), float(line.split("\t")[1])) for line in lines]
        total = sum(years * deviance(claimed, rate) for (claimed, years), rate in zip(rows, predicted))
        self.assertAlmostEqual(judged["poisson_deviance"], total / sum(years for _, years in rows), places=6)
        text = self.succeed("evaluate", self.model, self.folder / "valid").decode()
        self.assertRegex(text, r"Poisson deviance +0\.\d+ .*constant")

    def test_every_report_knows_the_figure(self):
        report = json.loads(self.train("--valid", self.folder / "valid", "--json"))
        judged = self.succeed_json("evaluate", self.model, self.folder / "valid")
        self.assertEqual(report["poisson_deviance"], judged["poisson_deviance"])
        self.assertEqual(report["best_valid_loss"], judged["poisson_deviance"])
        self.assertEqual(report["epochs"][-1]["valid_poisson_deviance"], judged["poisson_deviance"])
        self.assertEqual(report["constant_poisson_deviance"], judged["constant_poisson_deviance"])
        self.assertIn("; Poisson deviance 0.", self.succeed("describe", self.model).decode())
        groups = self.succeed("evaluate", self.model, self.folder / "valid.tsv", "--by", "car").decode()
        self.assertIn("deviance", groups)
        self.assertNotIn("RMSE  constant", groups)

    def test_a_model_that_is_worse_than_a_constant_is_reported(self):
        said = self.train("--valid", self.folder / "valid", "--optimizer", "adam", "--lr", 2, "--epochs", 1).decode()
        self.assertIn("worse than a constant: Poisson deviance", said)

    def test_other_labels_are_refused(self):
        self.write("bad.tsv", claims(10, 3) + "-1\t1\tregion1\tcar1\n")
        self.succeed("transform", "--schema", self.schema, self.folder / "bad.tsv", "-o", self.folder / "bad", "--quiet")
        self.assertIn("counts and rates", self.fail_with(1, "train", self.folder / "bad", "-o", self.model, "--loss", "poisson"))
        self.train("--quiet")
        self.assertIn("labels must be 0 or above", self.fail_with(1, "evaluate", self.model, self.folder / "bad.tsv"))
        schema = self.write("classes.toml", SCHEMA.replace('"claims"', '{field = "car", classes = ["car0", "car1"]}').replace(
            'field = "car"\ncardinality', 'field = "claims"\ncardinality'))
        self.write("two.tsv", "claims\tyears\tregion\tcar\n1\t1\ta\tcar0\n2\t1\tb\tcar1\n")
        self.succeed("transform", "--schema", schema, self.folder / "two.tsv", "-o", self.folder / "two", "--quiet")
        self.assertIn("poisson is for counts", self.fail_with(2, "train", self.folder / "two", "-o", self.folder / "n", "--loss", "poisson"))


if __name__ == "__main__":
    unittest.main()
