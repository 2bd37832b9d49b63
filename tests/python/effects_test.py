"""Model.effects: what a prediction for rows in memory is made of."""

import unittest

import numpy

import widehash
from columns_kit import pa, pd, pl
from flights_kit import JobCase, TEST, flights, with_program


def raw_outputs(probabilities):
    """Log odds for one output; for several outputs, each minus the mean of all."""
    probabilities = probabilities.astype(float)
    if probabilities.ndim == 1:
        return numpy.log(probabilities / (1 - probabilities))
    logs = numpy.log(probabilities)
    return logs - logs.mean(axis=1, keepdims=True)


class Effects(JobCase):
    def test_those_of_a_linear_model_add_up_to_what_it_says(self):
        columns = flights("test")
        model = widehash.Model(self.model)
        found = model.effects(columns)
        rows = len(columns["carrier"])
        self.assertEqual(found.features, ["month", "day", "weekday", "hour", "carrier", "flight", "tailnum", "origin", "dest", "distance"])
        self.assertEqual((found.effects.shape, found.effects.dtype), ((rows, 10), numpy.float32))
        numpy.testing.assert_array_equal(found.predictions, model.predict(columns))
        numpy.testing.assert_array_equal(found.outputs, numpy.zeros(rows))
        numpy.testing.assert_allclose(found.base[0] + found.effects.sum(axis=1), raw_outputs(found.predictions), atol=1e-4)
        # The base is the mean output over the training rows, and the test rows are similar.
        self.assertLess(abs(found.effects.mean(axis=0)).max(), 0.05)
        # The effect of a value is the same in every row that has it.
        carrier = numpy.asarray(columns["carrier"])
        of_one = found.effects[carrier == carrier[0], 4]
        self.assertEqual(of_one.min(), of_one.max())

    def test_every_kind_of_table_has_the_same(self):
        columns = flights("test")
        model = widehash.Model(self.model)
        expected = model.effects(columns).effects
        tables = [pd.DataFrame(columns)] if pd else []
        tables += [pa.table(columns).to_reader(1000)] if pa else []
        tables += [pl.DataFrame(columns)] if pl else []
        for table in tables:
            with self.subTest(type(table).__name__):
                numpy.testing.assert_array_equal(model.effects(table, threads=1).effects, expected)

    @with_program
    def test_they_are_those_of_the_program(self):
        found = widehash.Model(self.model).effects(flights("test"))
        lines = self.program("predict", self.model, TEST, "--effects", 1).decode().splitlines()
        self.assertEqual(len(lines), len(found.effects))
        for line, effects in zip(lines, found.effects):
            largest = int(abs(effects).argmax())
            _, name, _, effect = line.split("\t")
            self.assertEqual((name, effect), (found.features[largest], "%.4g" % effects[largest]))

    def test_of_classes_they_are_on_the_likeliest_or_on_the_one_asked_for(self):
        columns = {"x": ["a", "b", "c", "a", "b"] * 40, "n": [1.0, 2.0, None, 4.0, 0.5] * 40, "y": ["r", "s", "t", "r", "r"] * 40}
        schema = widehash.parse_schema('label = { field = "y", classes = ["r", "s", "t"] }\n[[feature]]\nfield = "x"\ncardinality = 9\n'
                                       '[[feature]]\nfield = "n"\nencoding = "numeric"\n')
        with widehash.DatasetWriter(widehash.Encoder(schema), self.folder / "d") as writer:
            writer.append(columns)
        widehash.train(self.folder / "d", self.folder / "m", epochs=3)
        model = widehash.Model(self.folder / "m")
        rows = {**columns, "n": [*columns["n"][:-1], "none"]}
        found = model.effects(rows, max_bad_rows=1)
        numpy.testing.assert_array_equal(found.outputs[:-1], found.predictions[:-1].argmax(axis=1))
        for asked in (None, 0, 1, 2):
            part = model.effects(rows, output=asked, max_bad_rows=1)
            self.assertTrue(numpy.isnan(part.effects[-1]).all() and numpy.isnan(part.predictions[-1]).all())
            raw = numpy.take_along_axis(raw_outputs(part.predictions[:-1]), part.outputs[:-1, None].astype(int), axis=1)[:, 0]
            numpy.testing.assert_allclose(part.base[part.outputs[:-1]] + part.effects[:-1].sum(axis=1), raw, atol=1e-4)
        with self.assertRaisesRegex(widehash.DataError, "row 200|:200"):
            model.effects(rows)
        with self.assertRaisesRegex(widehash.ConfigError, "output: 3 is out of range; the model has 3"):
            model.effects(columns, output=3)
        self.assertEqual(set(found.to_dict()), {"features", "effects", "outputs", "base", "predictions"})


if __name__ == "__main__":
    unittest.main()
