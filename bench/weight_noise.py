"""What prior on weights a rare class with heavy rows needs: probabilities for later rows with the default of `--l2`, which depends on
the noise of the weights, and with the default for rows of equal weight (docs/benchmarks.md). Rows are generated: a class of six rows in
a thousand, predicted from customers, shops, hours and an amount. Probabilities are converted back to those for unweighted rows.

    PYTHONPATH=build/release/python python3 bench/weight_noise.py

Needs numpy and scikit-learn.
"""

import warnings

import numpy as np
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score
from widehash.scikit import WideClassifier

ROWS, TEST_ROWS = 150_000, 50_000
WEIGHTS = (2, 5, 20, "balanced")


def made(num_rows):
    draw = np.random.default_rng(1)
    sizes = {"customer": 20_000, "shop": 2_000, "hour": 24, "kind": 40, "country": 30}
    fields = {name: (size * draw.random(num_rows) ** 2).astype(int) for name, size in sizes.items()}
    effects = {name: draw.normal(scale=0.6, size=size) for name, size in sizes.items()}
    amount = np.exp(draw.normal(3, 1, num_rows))
    odds = sum(effects[name][values] for name, values in fields.items()) + 0.5 * np.log(amount) - 7.3
    fraud = draw.random(num_rows) < 1 / (1 + np.exp(-odds))
    return {**{name: values.astype(str) for name, values in fields.items()}, "amount": amount.round(2)}, fraud.astype(int)


def noise_of(share, of_positive, of_negative):
    """The formula of src/pipeline/train/weight_noise.hpp."""
    mean = share * of_positive / (share * of_positive + (1 - share) * of_negative)
    noise = share * of_positive ** 2 * (1 - mean) ** 2 + (1 - share) * of_negative ** 2 * mean ** 2
    curvature = share * of_positive * (1 - mean) ** 2 + (1 - share) * of_negative * mean ** 2
    return noise / curvature / (share * of_positive + (1 - share) * of_negative)


def main():
    warnings.simplefilter("ignore")
    columns, targets = made(ROWS + TEST_ROWS)
    train = {name: values[:ROWS] for name, values in columns.items()}
    test = {name: values[ROWS:] for name, values in columns.items()}
    share = targets[:ROWS].mean()

    def judged(of_positive, of_negative, **settings):
        model = WideClassifier(class_weight={0: of_negative, 1: of_positive}, **settings).fit(train, targets[:ROWS])
        probabilities = model.predict_proba(test)[:, 1].astype(float)
        probabilities = probabilities / of_positive / (probabilities / of_positive + (1 - probabilities) / of_negative)
        wanted = targets[ROWS:]
        cells = f"{log_loss(wanted, probabilities):.5f} | {roc_auc_score(wanted, probabilities):.4f} | {average_precision_score(wanted, probabilities):.4f}"
        return model.report_.optimizer.l2, cells

    print("| weight of the rare class | noise | log loss, default | AUC | precision | log loss, l2 of rows that weigh alike | AUC | precision |")
    print("|" + "---|" * 8)
    for weight in WEIGHTS:
        pair = (1 / (2 * share), 1 / (2 * (1 - share))) if weight == "balanced" else (weight, 1)
        noise = noise_of(share, *pair)
        l2, default = judged(*pair)
        print(f"| {weight} | {noise:.1f} | {default} | {judged(*pair, l2=l2 / max(noise, 1))[1]} |", flush=True)


if __name__ == "__main__":
    main()
