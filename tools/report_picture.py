#!/usr/bin/python3
"""Draws what a training run came to, as a PNG: the loss after each epoch, and how well predictions match what happened.

Reads what `widehash train --json` and `widehash evaluate --json` printed.
"""

import argparse
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the drawing backend is chosen before)


def draw_training(axes, train):
    epochs = [epoch["epoch"] for epoch in train["epochs"]]
    axes.plot(epochs, [epoch["train_loss"] for epoch in train["epochs"]], "o-", label="training rows")
    if all(epoch["valid_log_loss"] is not None for epoch in train["epochs"]):
        axes.plot(epochs, [epoch["valid_log_loss"] for epoch in train["epochs"]], "s-", label="rows held out")
    axes.set(title="Training", xlabel="epoch", ylabel="log loss")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend()


def draw_calibration(axes, evaluation):
    predicted = [group["mean_prediction"] for group in evaluation["calibration"]]
    observed = [group["mean_target"] for group in evaluation["calibration"]]
    limit = 1.05 * max([*predicted, *observed])
    axes.plot([0, limit], [0, limit], color="0.7", label="perfect")
    axes.plot(predicted, observed, "o-", label="model")
    axes.set(title="Calibration", xlabel="predicted share", ylabel="observed share", xlim=(0, limit), ylim=(0, limit))
    axes.legend()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", type=pathlib.Path, help="output of widehash train --json")
    parser.add_argument("evaluate", type=pathlib.Path, help="output of widehash evaluate --json")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="the PNG to write")
    options = parser.parse_args()

    evaluation = json.loads(options.evaluate.read_text())
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    draw_training(left, json.loads(options.train.read_text()))
    draw_calibration(right, evaluation)
    figure.suptitle(f"log loss {evaluation['log_loss']:.4f}, AUC {evaluation['auc']:.4f} on {evaluation['rows']:,} rows")
    figure.savefig(options.output, dpi=120)


if __name__ == "__main__":
    main()
