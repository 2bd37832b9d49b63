"""Log loss on unseen rows of networks with hidden layers, by the largest learning rate of adagrad, as mean and deviation over seeds of the
initial weights: how the rate for few rows was chosen (docs/benchmarks.md).

    PYTHONPATH=build/release/python python3 bench/hidden_rates.py ../shared/data

Needs numpy, pandas and scikit-learn.
"""

import pathlib
import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss
from widehash.scikit import WideClassifier

SEEDS = (1, 2, 3, 4)
EPOCHS = (1, 5)
RATES = (0.1, 0.07, 0.05, 0.035)
LAYERS = {"16": [16], "32,16": [32, 16], "64,32": [64, 32]}


def adult(data):
    names = ("age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain capital-loss "
             "hours-per-week native-country income").split()
    parts = []
    for part in ("data", "test"):
        table = pd.read_csv(data / f"adult/adult.{part}.gz", names=names, skipinitialspace=True, comment="|")
        parts += [table.drop(columns=["fnlwgt", "income"]), table["income"].str.contains(">50K").astype(int)]
    return parts


def flights(data, num_rows):
    train = pd.read_csv(data / "flights/train.tsv.gz", sep="\t")[:num_rows]
    test = pd.read_csv(data / "flights/test.tsv.gz", sep="\t")[:20_000]
    return [train.drop(columns="late"), train["late"], test.drop(columns="late"), test["late"]]


def criteo(data):
    table = pd.read_csv(data / "criteo_sample/sample.train.tsv.gz", sep="\t", header=None, dtype=str)
    columns = table.drop(columns=0).rename(columns=lambda i: f"c{i}")
    for name in columns.columns[:13]:
        columns[name] = pd.to_numeric(columns[name])
    targets, cut = table[0].astype(int), len(table) * 3 // 4
    return [columns[:cut], targets[:cut], columns[cut:], targets[cut:]]


def main():
    warnings.simplefilter("ignore")
    data = pathlib.Path(sys.argv[1])
    tables = {"adult, 32,561 rows": adult(data), "flights, 60,000 rows": flights(data, 60_000), "flights, 261,876 rows": flights(data, None),
              "Criteo sample, 7,500 rows": criteo(data)}
    print("| table | layers | epochs | " + " | ".join(f"{rate:g}" for rate in RATES) + " |")
    print("|" + "---|" * (len(RATES) + 3))
    for name, (x, y, test, wanted) in tables.items():
        for layers, hidden in LAYERS.items():
            for epochs in EPOCHS:
                cells = []
                for rate in RATES:
                    losses = [log_loss(wanted, WideClassifier(hidden=hidden, epochs=epochs, learning_rate=rate, seed=seed).fit(x, y).predict_proba(test)[:, 1])
                              for seed in SEEDS]
                    cells.append(f"{np.mean(losses):.4f} ± {np.std(losses):.4f}")
                print(f"| {name} | {layers} | {epochs} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
