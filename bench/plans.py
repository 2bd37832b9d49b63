"""Loss on unseen rows by the number of columns of a hashed feature and by the prior on weights, linear and with hidden layers: how the
plan that `inspect` proposes for frequent values, and the default of `--l2`, were chosen (docs/benchmarks.md). All fields are hashed.
Means over two seeds of the hash.

    PYTHONPATH=build/release/python python3 bench/plans.py ../shared/data

Needs numpy and scikit-learn.
"""

import csv
import gzip
import math
import pathlib
import sys

import numpy as np
from sklearn.metrics import log_loss, mean_poisson_deviance
from widehash.scikit import WideClassifier, WideRegressor

SEEDS = (0, 1)
# Columns: one per so many rows, and at most so many per value.
PLANS = [("4 sqrt(N)", None), ("0.7", (1, 0.7)), ("2", (30, 2)), ("4", (30, 4)), ("8", (30, 8))]
PRIORS = (1, 8, 32)    # l2 times the number of rows
PRIOR, PLAN = 8, (30, 4)
LAYERS = ((32,), (64, 32))


class Table:
    """Columns of texts, the targets to predict, and the loss."""

    def __init__(self, columns, targets, loss):
        self.columns, self.targets, self.loss = columns, targets, loss

    def parts(self):
        """Four fifths to train on, and a fifth to judge by."""
        order = np.random.default_rng(3).permutation(len(self.targets))
        fifth = len(order) // 5
        return tuple(Table({name: values[rows] for name, values in self.columns.items()}, self.targets[rows], self.loss)
                     for rows in (order[fifth:], order[:fifth]))


def read(path, delimiter="\t", header=True):
    with gzip.open(path, "rt", newline="") as text:
        rows = [row for row in csv.reader(text, delimiter=delimiter) if len(row) > 1]
    names = rows.pop(0) if header else [f"f{i}" for i in range(len(rows[0]))]
    return {name: np.char.strip(values) for name, values in zip(names, zip(*rows))}


def tables(data):
    flights = read(data / "flights/train.tsv.gz")
    yield "flights", Table(flights, (flights.pop("late") == "1").astype(int), "log loss")
    insteval = read(data / "insteval/InstEval.csv.gz", ",")
    yield "InstEval", Table({name: insteval[name] for name in insteval if name not in ("", "rownames", "y")}, insteval["y"].astype(float), "RMSE")
    adult = read(data / "adult/adult.data.gz", ",", header=False)
    words = [name for name in adult if name in {f"f{i}" for i in (1, 3, 5, 6, 7, 8, 9, 13)}]
    yield "adult, its words", Table({name: adult[name] for name in words}, (adult["f14"] == ">50K").astype(int), "log loss")
    criteo = read(data / "criteo_sample/sample.train.tsv.gz", header=False)
    yield "Criteo sample", Table(criteo, (criteo.pop("f0") == "1").astype(int), "log loss")
    draw = np.random.default_rng(1)
    values, effects = draw.integers(0, 30, 20000), draw.normal(size=30)
    yield "one field of 30 values", Table({"x": values.astype(str)}, effects[values] + 0.2 * draw.normal(size=20000), "RMSE")
    sizes = {"store": 50, "item": 200, "day": 7}
    fields = {name: draw.integers(0, size, 40000) for name, size in sizes.items()}
    rates = 20 * np.exp(sum(0.5 * draw.normal(size=sizes[name])[values] for name, values in fields.items()))
    yield "sales, 20 a row", Table({name: values.astype(str) for name, values in fields.items()}, draw.poisson(rates).astype(float), "deviance")
    for name, strength in (("clicks of ten fields", 0.3), ("the same, nearly noise", 0.1)):
        fields = {f"f{i}": draw.integers(0, 100, 20000) for i in range(10)}
        probabilities = 1 / (1 + np.exp(2 - sum(strength * draw.normal(size=100)[values] for values in fields.values())))
        yield name, Table({name: values.astype(str) for name, values in fields.items()}, (draw.random(20000) < probabilities).astype(int), "log loss")


def cardinality(num_values, num_rows, plan):
    if plan is None or num_rows < 20 * num_values or num_values > 16000:
        return num_values
    rows_a_column, columns_a_value = plan
    columns = min(columns_a_value * num_values, num_rows / rows_a_column, 16384)
    return max(num_values, math.ceil(columns / 4) ** 2)


def lost(table, plan, prior, epochs, hidden):
    learnt, judged = table.parts()
    rows = len(learnt.targets)
    features = {name: int(cardinality(len(np.unique(values)), rows, plan)) for name, values in learnt.columns.items()}
    found = []
    for seed in SEEDS:
        settings = dict(settings={"seed": seed}, epochs=epochs, hidden=hidden, l2=prior if prior is None else prior / rows)
        if table.loss == "log loss":
            model = WideClassifier(features, **settings).fit(learnt.columns, learnt.targets)
            found.append(log_loss(judged.targets, model.predict_proba(judged.columns)[:, 1].astype(float)))
            continue
        model = WideRegressor(features, loss="mse" if table.loss == "RMSE" else "poisson", **settings).fit(learnt.columns, learnt.targets)
        predicted = model.predict(judged.columns).astype(float)
        found.append(np.sqrt(np.mean((judged.targets - predicted) ** 2)) if table.loss == "RMSE"
                     else mean_poisson_deviance(judged.targets, np.maximum(predicted, 1e-9)))
    return np.mean(found)


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if len(sys.argv) == 2 else 2
    known = dict(tables(pathlib.Path(sys.argv[1])))
    for title, epochs_of, ways in (
            ("columns a value", (1, 5), [(name, plan, PRIOR, ()) for name, plan in PLANS]),
            ("l2, over rows", (1, 5), [(str(prior), PLAN, prior, ()) for prior in PRIORS]),
            *((f"l2, over rows, hidden layers {layers}", (1, 3, 10), [(str(prior or "default"), PLAN, prior, layers) for prior in (*PRIORS, 128, None)])
              for layers in LAYERS)):
        print(f"\n| {title} | epochs | {' | '.join(way[0] for way in ways)} |\n|---|---|{'---|' * len(ways)}")
        for name, table in known.items():
            for epochs in epochs_of:
                losses = [f"{lost(table, plan, prior, epochs, hidden):.4f}" for _, plan, prior, hidden in ways]
                print(f"| {name} ({table.loss}) | {epochs} | {' | '.join(losses)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
