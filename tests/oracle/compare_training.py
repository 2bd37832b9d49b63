"""compare_training.py WIDEHASH: models that `train` makes, with every optimizer, loss and way of sharing the work, make the
same predictions as linear_model.py and had the same losses during training. Exit code 77: scipy is not installed."""

import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}; install python3-scipy")
    sys.exit(77)

from linear_model import LinearModel

NUM_ROWS = 1500
LABELS = {"logistic": '{ field = "y", positive = ["a"], negative = ["b", "c"] }', "mse": '"x"',
          "poisson": '"n"', "softmax": '{ field = "y", classes = ["a", "b", "c"] }'}
FEATURES = """
weight = "w"
[[feature]]
field = "user"
cardinality = 200
missing = "skip"
[[feature]]
field = "tags"
encoding = "one_hot"
cardinality = 10
separator = "|"
[[feature]]
field = "x"
name = "interval"
encoding = "numeric"
transform = "bucketize"
boundaries = [-1, 0, 1]
"""
OWN_SETTINGS = {"sgd": {}, "adagrad": {"epsilon": 1e-4}, "rmsprop": {"rho": 0.9, "epsilon": 1e-4},
                "adam": {"beta1": 0.8, "beta2": 0.99, "epsilon": 1e-4}, "ftrl": {"beta": 0.5}}
WAYS = {"one device": (1, []), "data": (1, ["--devices", "cpu,cpu,cpu", "--parallel", "data"]),
        "model": (1, ["--devices", "cpu,cpu", "--parallel", "model"]),
        "towers": (2, ["--devices", "cpu,cpu", "--parallel", "tower", "--mix", "gradients"])}


def table(draw):
    lines = ["y\tx\tw\tuser\ttags\tn"]
    for _ in range(NUM_ROWS):
        user = draw.randrange(150)
        odds = [1 + user % 7, 4, 1 + user % 3]
        name = "u%d" % user if user else ""
        tags = "|".join("t%d" % draw.randrange(9) for _ in range(draw.randrange(4)))
        lines.append("\t".join([draw.choices("abc", odds)[0], "%.3f" % draw.gauss(user % 5 - 2, 1),
                                draw.choice(["0", "1", "2.5", "0.125"]), name, tags,
                                draw.choice(["0", "0", "%g" % (user % 3 + 0.5), "4"])]))
    return "\n".join(lines) + "\n"


class Training:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        (folder / "rows.tsv").write_text(table(random.Random(1)))

    def run(self, *command):
        finished = subprocess.run([str(self.program), *map(str, command)], capture_output=True, text=True, check=False)
        if finished.returncode != 0:
            raise AssertionError(f"{command}: exit code {finished.returncode}: {finished.stderr}")
        return finished.stdout

    def encode(self, loss):
        """The matrix, the targets as the network has them, the weights, and the units of the targets."""
        schema, data = self.folder / (loss + ".toml"), self.folder / loss
        features = FEATURES.replace('field = "x"', 'field = "w"') if loss == "mse" else FEATURES
        schema.write_text(f"label = {LABELS[loss]}\n{features}")
        self.run("transform", "--schema", schema, self.folder / "rows.tsv", "-o", data, "--block-bytes", 9000, "--quiet")
        self.run("export", data, "--format", "npz", "-o", self.folder / "matrix.npz", "--quiet")
        rows = scipy.sparse.load_npz(self.folder / "matrix.npz").astype(numpy.float64)
        arrays = numpy.load(self.folder / "matrix.npz")
        targets, weights = (arrays[name].astype(numpy.float64) for name in ("targets", "weights"))
        if loss == "softmax":
            return rows, numpy.eye(3)[targets.astype(int)], weights, (0, 1)
        units = (0, 1)
        if loss == "mse":
            mean = numpy.average(targets, weights=weights)
            units = mean, numpy.sqrt(numpy.average((targets - mean) ** 2, weights=weights))
        return rows, ((targets - units[0]) / units[1])[:, None], weights, units

    def compare(self, loss, optimizer, way, encoded, regularised, falls):
        rows, targets, weights, (shift, scale) = encoded
        towers, words = WAYS[way]
        settings = {"l1": 1e-4, "l2": 1e-3} if regularised else {"l1": 0, "l2": 0}
        model = LinearModel(rows.shape[1], targets.shape[1], {"optimizer": optimizer, "loss": loss, "learning_rate": 0.05,
                                                              **settings, **OWN_SETTINGS[optimizer]})
        options = [word for name, value in {**settings, **OWN_SETTINGS[optimizer]}.items() for word in ("--" + name, value)]
        report = json.loads(self.run(
            "train", self.folder / loss, "-o", self.folder / "model", "--overwrite", "--json", "--no-shuffle", "--epochs", 2,
            "--batch-size", 128, "--optimizer", optimizer, "--loss", loss, "--lr", 0.05, "--lr-decay",
            "linear" if falls else "none", *options, *words))
        model.start_biases(targets, weights)
        losses = model.train(rows, targets, weights, 128 * towers, 2, falls)
        lines = self.run("predict", self.folder / "model", self.folder / loss).splitlines()
        predictions = numpy.array([list(map(float, line.split("\t"))) for line in lines])
        what = f"{loss}, {optimizer}, {way}"
        # Single precision, over two dozen steps.
        if not numpy.allclose(predictions, shift + scale * model.predict(rows), rtol=1e-3, atol=1e-4):
            raise AssertionError(f"{what}: {predictions[:3]}, expected {(shift + scale * model.predict(rows))[:3]}")
        if not numpy.allclose([epoch["train_loss"] for epoch in report["epochs"]], numpy.array(losses) * scale**2, rtol=1e-4):
            raise AssertionError(f"{what}: losses {report['epochs']}, expected {losses}")
        print(f"{what}: equal")


def main(program):
    with tempfile.TemporaryDirectory(prefix="widehash-training-") as folder:
        training = Training(program, pathlib.Path(folder))
        for loss in LABELS:
            encoded = training.encode(loss)
            for number, (optimizer, way) in enumerate(itertools.product(OWN_SETTINGS, WAYS)):
                # FTRL has no learning rate decay.
                falls = number % 3 != 0 and optimizer != "ftrl"
                training.compare(loss, optimizer, way, encoded, (number + number // len(WAYS)) % 2 == 0, falls)


if __name__ == "__main__":
    main(sys.argv[1])
