"""scikit-learn's way from text to a model when the data does not fit in memory: FeatureHasher, then SGDClassifier.partial_fit.

    hasher_sgd.py codes TEXT ROWS BITS                                   makes "field=value" texts and hashes them
    hasher_sgd.py choose TEXT ROWS BITS                                  settings: trained on nine tenths, judged on one
    hasher_sgd.py train TEXT ROWS BITS ALPHA AVERAGE MODEL               hashes in pieces and trains once on each
    hasher_sgd.py predict TEXT ROWS BITS MODEL PREDICTIONS               probabilities, one line per row

Prints how long making the input, hashing it and training (or predicting) took; `seconds` is the total.
"""

import itertools
import json
import pickle
import sys
import time

import numpy
import scipy.sparse
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss

from criteo_fields import CATEGORIES, FIRST_CATEGORY

ROWS_PER_PIECE = 10_000
ALPHAS = ["1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6"]
PREFIXES = [f"{name}=" for name in CATEGORIES]


def pieces(path, rows):
    """Lists of rows as "field=value" texts, with their labels."""
    with open(path) as text:
        lines = itertools.islice(text, rows)
        while piece := list(itertools.islice(lines, ROWS_PER_PIECE)):
            fields = [line.rstrip("\n").split("\t") for line in piece]
            values = [[prefix + value for prefix, value in zip(PREFIXES, row[FIRST_CATEGORY:])] for row in fields]
            yield values, numpy.array([int(row[0]) for row in fields])


class Clock:
    """Adds up the seconds between marks, by name."""

    def __init__(self):
        self.seconds = {}
        self.last = time.perf_counter()

    def mark(self, name):
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self.last
        self.last = now


def classifier(alpha, average):
    return SGDClassifier(loss="log_loss", alpha=float(alpha), average=average == "yes", random_state=1)


def choose(path, rows, bits):
    """The best of the grid that the documentation gives for alpha, with and without averaged weights."""
    hasher = FeatureHasher(2**bits, input_type="string")
    hashed = [(hasher.transform(values), labels) for values, labels in pieces(path, rows)]
    matrix = scipy.sparse.vstack([piece for piece, _ in hashed]).tocsr()
    labels = numpy.concatenate([labels for _, labels in hashed])
    learn = len(labels) * 9 // 10
    losses = {}
    for alpha, average in itertools.product(ALPHAS, ["yes", "no"]):
        model = classifier(alpha, average)
        for begin in range(0, learn, ROWS_PER_PIECE):
            end = min(begin + ROWS_PER_PIECE, learn)
            model.partial_fit(matrix[begin:end], labels[begin:end], classes=[0, 1])
        losses[alpha, average] = log_loss(labels[learn:], model.predict_proba(matrix[learn:])[:, 1])
    alpha, average = min(losses, key=losses.get)
    print(json.dumps({"alpha": alpha, "average": average, "log_loss": losses[alpha, average]}))


def main():
    if sys.argv[1] == "choose":
        choose(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        return
    what, path, bits = sys.argv[1], sys.argv[2], int(sys.argv[4])
    hasher = FeatureHasher(2**bits, input_type="string")
    model = predictions = None
    if what == "train":
        model = classifier(sys.argv[5], sys.argv[6])
    if what == "predict":
        with open(sys.argv[5], "rb") as file:
            model = pickle.load(file)
        predictions = []
    clock = Clock()
    rows = 0
    for values, labels in pieces(path, int(sys.argv[3])):
        clock.mark("input")
        matrix = hasher.transform(values)
        clock.mark("hash")
        if what == "train":
            model.partial_fit(matrix, labels, classes=[0, 1])
            clock.mark("learn")
        if what == "predict":
            predictions.append(model.predict_proba(matrix)[:, 1])
            clock.mark("predict")
        rows += len(labels)
    if what == "train":
        with open(sys.argv[7], "wb") as file:
            pickle.dump(model, file)
    if what == "predict":
        numpy.savetxt(sys.argv[6], numpy.concatenate(predictions), fmt="%.7g")
        clock.mark("predict")
    print(json.dumps({"seconds": sum(clock.seconds.values()), "parts": clock.seconds, "rows": rows}))


if __name__ == "__main__":
    main()
