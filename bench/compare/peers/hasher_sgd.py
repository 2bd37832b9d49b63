"""scikit-learn's way from text to a model that does not fit memory: FeatureHasher, then SGDClassifier.partial_fit.

    hasher_sgd.py codes TEXT ROWS BITS                                   "field=value" texts made, then hashed
    hasher_sgd.py train TEXT ROWS BITS ALPHA MODEL                       the same in pieces, each learnt from once
    hasher_sgd.py predict TEXT ROWS BITS MODEL PREDICTIONS               probabilities, a line a row

Prints how long making the input, hashing it and learning (or predicting) took; `seconds` is all of it.
"""

import itertools
import json
import pickle
import sys
import time

import numpy
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import SGDClassifier

from criteo_fields import CATEGORIES, FIRST_CATEGORY

ROWS_PER_PIECE = 10_000
PREFIXES = [f"{name}=" for name in CATEGORIES]


def pieces(path, rows):
    """Lists of rows of "field=value", with their labels."""
    with open(path) as text:
        lines = itertools.islice(text, rows)
        while piece := list(itertools.islice(lines, ROWS_PER_PIECE)):
            fields = [line.rstrip("\n").split("\t") for line in piece]
            values = [[prefix + value for prefix, value in zip(PREFIXES, row[FIRST_CATEGORY:])] for row in fields]
            yield values, numpy.array([int(row[0]) for row in fields])


class Clock:
    """Adds up the seconds between marks by name."""

    def __init__(self):
        self.seconds = {}
        self.last = time.perf_counter()

    def mark(self, name):
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self.last
        self.last = now


def main():
    what, path, bits = sys.argv[1], sys.argv[2], int(sys.argv[4])
    hasher = FeatureHasher(2**bits, input_type="string")
    model = predictions = None
    if what == "train":
        model = SGDClassifier(loss="log_loss", alpha=float(sys.argv[5]), random_state=1)
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
        with open(sys.argv[6], "wb") as file:
            pickle.dump(model, file)
    if what == "predict":
        numpy.savetxt(sys.argv[6], numpy.concatenate(predictions), fmt="%.7g")
        clock.mark("predict")
    print(json.dumps({"seconds": sum(clock.seconds.values()), "parts": clock.seconds, "rows": rows}))


if __name__ == "__main__":
    main()
