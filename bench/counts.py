"""Poisson deviance on unseen rows by the learning rate: how the defaults of the loss `poisson` were chosen (docs/benchmarks.md).
Compared with a generalized linear model of scikit-learn on one-hot columns, a constant and, for generated tables, the rates that
they were drawn from.

    PYTHONPATH=build/release/python python3 bench/counts.py ../shared/data

Needs numpy, scipy and scikit-learn.
"""

import csv
import gzip
import pathlib
import sys
import warnings

import numpy as np
from sklearn.linear_model import PoissonRegressor
from sklearn.metrics import mean_poisson_deviance
from sklearn.preprocessing import OneHotEncoder
from widehash import DataError
from widehash.scikit import WideRegressor

EPOCHS = 5
SHARES = (0.25, 0.5, 1, 2, 4, 8)  # of the learning rate, over the columns that a row sets
WAYS = [("linear", {}), ("`--hidden 8`", {"hidden": [8]}), ("`--hidden 64,32`", {"hidden": [64, 32]}), ("ftrl", {"optimizer": "ftrl"}), ("exact", {})]


class Table:
    def __init__(self, columns, counts, rates=None):
        self.columns, self.counts, self.rates = columns, counts, rates

    def part(self, rows):
        return Table({name: values[rows] for name, values in self.columns.items()}, self.counts[rows],
                     None if self.rates is None else self.rates[rows])


def drawn(num_rows, rate, sizes, seed=1):
    """Counts for two fields whose effects multiply, with rates around `rate`."""
    draw = np.random.default_rng(seed)
    fields = [draw.integers(0, size, num_rows) for size in sizes]
    rates = rate * np.exp(2 * fields[0] / sizes[0] - 2.3 * fields[1] / sizes[1])
    return Table({"a": fields[0].astype(str), "b": fields[1].astype(str)}, draw.poisson(rates).astype(float), rates)


def late_flights(data):
    """The number of late flights for each carrier, route, hour and month."""
    names = ["carrier", "origin", "dest", "hour", "month"]
    late = {}
    with gzip.open(data / "flights/train.tsv.gz", "rt") as text:
        for row in csv.DictReader(text, delimiter="\t"):
            key = tuple(row[name] for name in names)
            late[key] = late.get(key, 0) + int(row["late"])
    columns = {name: np.array(values) for name, values in zip(names, zip(*late))}
    return Table(columns, np.array(list(late.values()), dtype=float))


def judged(table, predicted):
    return mean_poisson_deviance(table.counts, np.maximum(predicted.astype(float), 1e-30))


def generalized_linear(trained, table):
    encoder = OneHotEncoder(handle_unknown="ignore").fit(np.column_stack(list(trained.columns.values())))
    model = PoissonRegressor(alpha=1e-4, max_iter=300)
    model.fit(encoder.transform(np.column_stack(list(trained.columns.values()))), trained.counts)
    return judged(table, model.predict(encoder.transform(np.column_stack(list(table.columns.values())))))


def main():
    warnings.simplefilter("ignore")
    data = pathlib.Path(sys.argv[1])
    tables = {f"10 x 7 values, {rate:g} a row": drawn(12_000, rate, (10, 7)) for rate in (0.05, 1, 400)}
    tables["300 x 100 values, 1 a row"] = drawn(26_000, 1, (300, 100))
    tables["late flights"] = late_flights(data)
    print("| table | rates | constant | GLM | network | default | " + " | ".join(f"{share:g} / A" for share in SHARES) + " |")
    print("|" + "---|" * (len(SHARES) + 6))
    for name, table in tables.items():
        order = np.random.default_rng(0).permutation(len(table.counts))
        trained, test = table.part(order[len(order) // 4:]), table.part(order[:len(order) // 4])
        known = "" if test.rates is None else f"{judged(test, test.rates):.4f}"
        constant = judged(test, np.full(len(test.counts), trained.counts.mean()))
        linear = generalized_linear(trained, test)
        sizes = {field: max(2, len(set(values))) for field, values in table.columns.items()}
        for way, options in WAYS:
            encoding = "exact" if way == "exact" else "four_split"
            features = {field: {"encoding": encoding, "cardinality": size} for field, size in sizes.items()}
            active = (1 if way == "exact" else 4) * len(features)

            def loss(**rate):
                model = WideRegressor(features, loss="poisson", epochs=EPOCHS, **options, **rate)
                try:
                    return f"{judged(test, model.fit(trained.columns, trained.counts).predict(test.columns)):.4f}"
                except DataError:
                    return "astray"  # parameters are no longer finite
            losses = [loss(), *(loss(learning_rate=share / active) for share in SHARES)]
            print(f"| {name} | {known} | {constant:.4f} | {linear:.4f} | {way} | " + " | ".join(losses) + " |", flush=True)


if __name__ == "__main__":
    main()
