#!/usr/bin/env python3
"""Flights trained on the CPU and on a GPU: both give the same test log loss, and each model predicts the same on both."""

import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LARGEST_LOSS_DIFFERENCE = 1e-4
LARGEST_PREDICTION_DIFFERENCE = 1e-5  # the output layer adds in another order


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="widehash, or what starts it")
    parser.add_argument("folder", help="where datasets, models and predictions go")
    parser.add_argument("--device", default="cuda:0", help="the GPU (default: %(default)s)")
    parser.add_argument("--epochs", default="5", help="default: %(default)s")
    parser.add_argument("--hidden", nargs="+", default=["none", "8"], help="networks to train (default: none 8)")
    return parser.parse_args()


def run(program, *words):
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"widehash {' '.join(words)} ended with exit code {done.returncode}.")
    return done.stdout


def encoded(given, part):
    folder = os.path.join(given.folder, f"flights-{part}")
    text = os.path.join(ROOT, "examples", "flights", f"{part}.tsv.gz")
    schema = os.path.join(ROOT, "examples", "schemas", "flights.toml")
    run(given.program, "transform", "--schema", schema, text, "-o", folder, "--quiet")
    return folder, text


def predictions(given, model, text, device):
    path = os.path.join(given.folder, "flights-predictions.txt")
    run(given.program, "predict", model, text, "-o", path, "--devices", device, "--quiet")
    with open(path, encoding="utf-8") as lines:
        return [float(line) for line in lines]


def main():
    given = arguments()
    os.makedirs(given.folder, exist_ok=True)
    train, _ = encoded(given, "train")
    test, text = encoded(given, "test")
    is_same = True
    print("| hidden | trained on | test log loss | predictions, processor and GPU, differ by at most |")
    print("|---|---|---|---|")
    for hidden in given.hidden:
        losses = []
        for device in ("cpu", given.device):
            model = os.path.join(given.folder, "flights.model")
            if os.path.exists(model):
                os.remove(model)
            run(given.program, "train", train, "-o", model, "--hidden", hidden, "--epochs", given.epochs,
                "--devices", device, "--quiet")
            losses.append(json.loads(run(given.program, "evaluate", model, test, "--json"))["log_loss"])
            here, there = (predictions(given, model, text, where) for where in ("cpu", given.device))
            if len(here) != len(there) or not here:
                sys.exit(f"{len(here)} predictions on the processor and {len(there)} on {given.device}.")
            difference = max(abs(a - b) for a, b in zip(here, there))
            print(f"| {hidden} | {device} | {losses[-1]:.6f} | {difference:.1e} |", flush=True)
            is_same = is_same and difference <= LARGEST_PREDICTION_DIFFERENCE
        is_same = is_same and abs(losses[0] - losses[1]) <= LARGEST_LOSS_DIFFERENCE
    if not is_same:
        sys.exit(f"They differ: losses may by {LARGEST_LOSS_DIFFERENCE}, predictions by {LARGEST_PREDICTION_DIFFERENCE}.")


if __name__ == "__main__":
    main()
