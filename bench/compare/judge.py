"""Log loss and AUC of a file of predictions, one probability per line: the same few lines judge every model."""

import itertools
import math


def read_labels(path, field=0, delimiter="\t", positive=("1",)):
    with open(path) as text:
        return [line.rstrip("\n").split(delimiter)[field] in positive for line in text]


def read_predictions(path, rows=None):
    """The first number of each line (Vowpal Wabbit appends a tag), for the first `rows` lines or all."""
    with open(path) as text:
        return [float(line.split()[0]) for line in itertools.islice(text, rows)]


def log_loss(labels, predictions):
    """Mean of -ln p(label), with p kept 1e-15 away from 0 and 1."""
    total = 0.0
    for label, probability in zip(labels, predictions, strict=True):
        probability = min(max(probability, 1e-15), 1.0 - 1e-15)
        total -= math.log(probability if label else 1.0 - probability)
    return total / len(labels)


def auc(labels, predictions):
    """The share of (positive, negative) pairs in the right order, ties counting half."""
    order = sorted(zip(predictions, labels, strict=True))
    rank_sum, positives, at = 0.0, 0, 0
    while at < len(order):
        end, tied_positives = at, 0
        while end < len(order) and order[end][0] == order[at][0]:
            tied_positives += order[end][1]
            end += 1
        rank_sum += tied_positives * (at + 1 + end) / 2.0
        positives += tied_positives
        at = end
    negatives = len(order) - positives
    return (rank_sum - positives * (positives + 1) / 2.0) / (positives * negatives) if positives and negatives else None


def judge(labels, predictions_path):
    predictions = read_predictions(predictions_path, len(labels))
    return {"log_loss": log_loss(labels, predictions), "auc": auc(labels, predictions)}
