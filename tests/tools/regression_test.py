"""Numbers of any size as labels: train --loss mse, evaluate, predict and explain."""

import random
import statistics
import unittest

from program import Case

SCHEMA = """label = "price"
[[feature]]
field = "shop"
encoding = "one_hot"
buckets = 5000
[[feature]]
field = "kind"
encoding = "one_hot"
buckets = 1000
"""


def prices(rows, seed, unit=1, shift=0):
    """Prices by shop and kind, with noise of deviation 100; the shops and kinds are the same for every seed."""
    taste = random.Random(1)
    shops = [taste.gauss(0, 300) for _ in range(40)]
    kinds = [taste.gauss(0, 200) for _ in range(12)]
    rng = random.Random(seed)
    lines = ["price\tshop\tkind"]
    for _ in range(rows):
        shop, kind = rng.randrange(40), rng.randrange(12)
        price = 1000 + shops[shop] + kinds[kind] + rng.gauss(0, 100)
        lines.append("%r\tshop%d\tkind%d" % (shift + unit * price, shop, kind))
    return "\n".join(lines) + "\n"


class Regression(Case):
    def transform(self, name, text):
        schema = self.write("schema.toml", SCHEMA)
        self.succeed("transform", "--schema", schema, self.write(name + ".tsv", text), "-o", self.folder / name, "--quiet")
        return self.folder / name

    def test_prices_are_learnt_at_any_scale(self):
        model = self.folder / "m"
        for i, (unit, shift) in enumerate([(1, 0), (1e-6, 0), (1e6, 0), (1, 1e6)]):
            train = self.transform("train%d" % i, prices(10000, 1, unit, shift))
            valid = self.transform("valid%d" % i, prices(3000, 2, unit, shift))
            for hidden, epochs in [("none", 3), ("32", 12)]:
                with self.subTest(unit=unit, shift=shift, hidden=hidden):
                    said = self.succeed("train", train, "-o", model, "--overwrite", "--loss", "mse", "--hidden", hidden, "--epochs", epochs,
                                        "--valid", valid).decode()
                    self.assertNotIn("worse than a constant", said)
                    judged = self.succeed_json("evaluate", model, valid)
                    self.assertLess(judged["rmse"], 120 * unit)
                    self.assertGreater(judged["constant_rmse"], 250 * unit)
                    self.assertAlmostEqual(judged["r2"], 1 - (judged["rmse"] / judged["constant_rmse"]) ** 2, places=9)
                    self.assertLess(judged["mae"], judged["rmse"])
                    self.assertEqual(len(judged["calibration"]), 10)
                    self.assertLess(judged["expected_calibration_error"], 30 * unit)
                    lines = [float(line) for line in self.succeed("predict", model, valid).decode().splitlines()]
                    self.assertLess(abs(statistics.mean(lines) - shift - 1000 * unit), 200 * unit)

    def test_labels_in_other_units_are_seen(self):
        train = self.transform("train", prices(3000, 1))
        self.succeed("train", train, "-o", self.folder / "m", "--loss", "mse", "--epochs", 3)
        said = self.succeed("evaluate", self.folder / "m", self.transform("cents", prices(3000, 2, 100))).decode()
        self.assertRegex(said, r"mean prediction +[0-9.]+ +\+-[0-9.e+]+ +of the targets [0-9.e+]+")
        self.assertIn("worse than a constant", said)
        self.assertIn("the units of the label", said)
        self.assertNotIn("--lr", said)

    def test_the_loss_of_an_epoch_is_in_the_units_of_the_label(self):
        train = self.transform("train", prices(8000, 1, 1e-6))
        report = self.succeed_json("train", train, "-o", self.folder / "m", "--loss", "mse", "--epochs", 4)
        self.assertLess(report["epochs"][-1]["train_loss"], 120e-6 ** 2)
        self.assertGreater(report["epochs"][-1]["train_loss"], 90e-6 ** 2)

    def test_effects_are_in_the_units_of_the_label_and_can_be_read(self):
        schema = self.write("schema.toml", SCHEMA)
        for unit in [1e-6, 1e6]:
            text = self.write("in.tsv", prices(5000, 1, unit))
            train = self.transform("train%g" % unit, prices(5000, 1, unit))
            tables = self.folder / ("tables%g" % unit)
            self.succeed("fit", "--schema", schema, text, "-o", tables, "--quiet")
            self.succeed("train", train, "-o", self.folder / "m", "--overwrite", "--loss", "mse", "--quiet")
            explained = self.succeed_json("explain", self.folder / "m", "--tables", tables)
            self.assertEqual([feature["feature"] for feature in explained["features"]], ["shop", "kind"])
            self.assertAlmostEqual(explained["features"][0]["spread"] / unit, 300, delta=150)
            text = self.succeed("explain", self.folder / "m", "--tables", tables).decode()
            self.assertIn("e-0" if unit < 1 else "e+08", text)
            self.assertNotIn("0.0000", text)


if __name__ == "__main__":
    unittest.main()
