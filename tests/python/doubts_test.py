"""What train() warns about, and what it does not warn about."""

import random
import tempfile
import unittest
import warnings
from pathlib import Path

import widehash

SCHEMA = 'label = "y"\n[[feature]]\nfield = "x"\ncardinality = 20\n[[feature]]\nfield = "n"\nencoding = "numeric"\n'


class Doubts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.encoder = widehash.Encoder(widehash.parse_schema(SCHEMA))

    def dataset(self, name, label, scale=1.0):
        draw = random.Random(name)
        x = [draw.randrange(20) for _ in range(2000)]
        with widehash.DatasetWriter(self.encoder, self.folder / name) as writer:
            writer.append({"x": x, "n": [draw.random() * scale for _ in x], "y": [label(value, draw) for value in x]})
        return self.folder / name

    def train(self, data, **options):
        return widehash.train(data, self.folder / "m", overwrite=True, **options)

    def test_nothing_is_said_of_a_model_better_than_a_constant(self):
        data = self.dataset("even", lambda x, draw: int(x % 2 == 0) if draw.random() < 0.9 else draw.randrange(2))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.train(data, epochs=2)
            self.train(data, valid=data, epochs=2)

    def test_rows_of_one_target_teach_nothing(self):
        with self.assertWarnsRegex(UserWarning, "all rows with any weight have the target 1") as caught:
            self.train(self.dataset("ones", lambda x, draw: 1))
        self.assertEqual(caught.filename, __file__)

    def test_what_is_worse_than_a_constant_is_reported(self):
        data = self.dataset("even", lambda x, draw: int(x % 2 == 0))
        other = self.dataset("odd", lambda x, draw: int(x % 2 == 1))
        with self.assertWarnsRegex(UserWarning, "worse than a constant on the rows of `valid`"):
            self.train(data, valid=other, epochs=3)

    def test_a_training_that_has_gone_astray_is_reported(self):
        data = self.dataset("large", lambda x, draw: draw.randrange(2), scale=1e6)
        with self.assertWarnsRegex(UserWarning, "has diverged: its loss is .*, while guessing gives 0.69"):
            self.train(data, learning_rate=5.0)


if __name__ == "__main__":
    unittest.main()
