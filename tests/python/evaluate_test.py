"""Compares evaluate() with the program, for datasets and for text."""

import dataclasses
import gzip
import unittest

import numpy

import widehash
from columns_kit import pa, pd, pl
from flights_kit import JobCase, TEST, flights, with_program


class Evaluate(JobCase):
    @with_program
    def test_it_finds_the_same_as_the_program(self):
        told = self.program_json("evaluate", self.model, self.test)
        metrics = widehash.evaluate(self.model, self.test)
        shared = self.assert_within(metrics, told)
        self.assertEqual(shared, metrics.to_dict().keys() - {"is_worse_than_constant"})
        self.assertEqual(len(metrics.calibration), 10)

    def test_that_of_text_is_that_of_its_dataset(self):
        expected = widehash.evaluate(self.model, self.test)
        self.assertEqual(widehash.evaluate(self.model, TEST), expected)
        lines = gzip.decompress(TEST.read_bytes()).decode().splitlines(keepends=True)
        table = self.folder / "bad.csv"
        table.write_text("".join(lines).replace("\t", ",") + "no row\n")
        with self.assertRaisesRegex(widehash.DataError, "bad.csv:5002: "):
            widehash.evaluate(self.model, table, delimiter=",")
        found = widehash.evaluate(self.model, table, delimiter=",", max_bad_rows=1)
        self.assertEqual((found.rejected_rows, found.log_loss), (1, expected.log_loss))
        with self.assertRaisesRegex(widehash.ConfigError, "delimiter, quote and header are for text"):
            widehash.evaluate(self.model, self.test, delimiter=",")

    @with_program
    def test_by_the_values_of_fields_it_finds_the_same_as_the_program(self):
        told = self.program_json("evaluate", self.model, TEST, "--by", "carrier,dest", "--most-values", 12)
        metrics = widehash.evaluate(self.model, TEST, by=["carrier", "dest"], most_values=12)
        self.assertEqual(metrics.to_dict()["by"], told["by"])
        carrier, dest = metrics.by
        self.assertEqual((carrier.field, len(carrier.values), len(dest.values)), ("carrier", 12, 12))
        self.assertEqual(sum(one.rows for one in dest.values) + dest.others.rows, metrics.rows)
        self.assertEqual(widehash.evaluate(self.model, TEST, by="carrier", most_values=12).by, [carrier])

    def test_that_of_rows_in_memory_is_that_of_their_text(self):
        expected = widehash.evaluate(self.model, TEST, by=["carrier", "dest"], most_values=12)
        model = widehash.Model(self.model)
        columns = flights("test")
        tables = [columns, [dict(zip(columns, row)) for row in zip(*columns.values())]]
        tables += [pd.DataFrame(columns)] if pd else []
        tables += [pa.table(columns), pa.table(columns).to_reader(1000)] if pa else []
        tables += [pl.DataFrame(columns)] if pl else []
        for table in tables:
            with self.subTest(type(table).__name__):
                self.assertEqual(model.evaluate(table, by=["carrier", "dest"], most_values=12), expected)
        short = {name: [*column[:100], "x"] for name, column in columns.items()}
        with self.assertRaisesRegex(widehash.DataError, "row 101|:101"):
            model.evaluate(short)
        self.assertEqual(model.evaluate(short, max_bad_rows=1).rejected_rows, 1)
        with self.assertRaisesRegex(widehash.ConfigError, "no field 'late'"):
            model.evaluate({name: column for name, column in columns.items() if name != "late"})
        with self.assertRaisesRegex(widehash.ConfigError, "column 'tags' holds lists"):
            model.evaluate({**columns, "tags": [["x"]] * len(columns["late"])}, by="tags")
        with self.assertRaisesRegex(TypeError, "Model.evaluate"):
            widehash.evaluate(self.model, columns)

    @with_program
    def test_beside_another_model_it_finds_the_same_as_the_program(self):
        other = self.folder / "other.model"
        widehash.train(self.data, other, learning_rate=0.01, overwrite=True)
        told = self.program_json("evaluate", self.model, TEST, "--against", other)["against"]
        found = widehash.evaluate(self.model, TEST, against=other).against
        self.assertEqual((found.difference, found.standard_error), (told["loss_difference"], told["loss_difference_standard_error"]))
        self.assertEqual(found.metrics, dataclasses.replace(widehash.evaluate(other, TEST), rejected_rows=None))
        self.assertLess(found.difference + 2 * found.standard_error, 0)

    def test_points_and_standard_errors_are_those_of_other_packages(self):
        found = widehash.evaluate(self.model, TEST)
        targets = numpy.array([float(late) for late in flights("test")["late"]])
        probabilities = widehash.predict(self.model, TEST).astype(float)
        costs = -numpy.log(numpy.where(targets == 1, probabilities, 1 - probabilities))
        self.assertAlmostEqual(found.loss_standard_error, costs.std(ddof=1) / len(costs) ** 0.5, 9)
        self.assertAlmostEqual(found.bias_standard_error, (probabilities - targets).std(ddof=1) / len(costs) ** 0.5, 9)
        self.assertEqual(len(found.points), 7)
        for point, share in zip(found.points, [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]):
            taken = probabilities >= point.threshold
            self.assertGreaterEqual(point.taken_share, share - 1e-12)
            self.assertLess((probabilities.astype(numpy.float32) > numpy.float32(point.threshold)).mean(), share)
            self.assertEqual((point.taken, point.positive), (taken.sum(), targets[taken].sum()))
            # Reading the probabilities back from the texts that predict writes makes no difference.
            texts = numpy.array([float(str(probability)) for probability in probabilities.astype(numpy.float32)])
            self.assertEqual(point.taken, (texts >= point.threshold).sum())
            self.assertAlmostEqual(point.precision, targets[taken].mean())
            self.assertAlmostEqual(point.recall, targets[taken].sum() / targets.sum())
            self.assertAlmostEqual(point.lift, targets[taken].mean() / targets.mean())

    def test_fields_are_texts(self):
        for wrong, error in ((5, TypeError), ([5], TypeError), (b"carrier", TypeError), ({"carrier": 1}, TypeError), ("", widehash.ConfigError)):
            with self.subTest(wrong), self.assertRaisesRegex(error, "by"):
                widehash.evaluate(self.model, TEST, by=wrong)
        with self.assertRaisesRegex(widehash.ConfigError, "has codes but no values to judge by"):
            widehash.evaluate(self.model, self.test, by="carrier")


if __name__ == "__main__":
    unittest.main()
