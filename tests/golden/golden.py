"""The golden files of each version of the formats: how they are made and read. A set is a folder named after the version of
the program that wrote it:

    rows.tsv, schema.toml         the input
    tables/, set/                 the output of `fit` and `transform`
    stopped/                      a transform that was stopped midway
    <name>.model                  a model of each kind in MODELS
    <name>.checkpoint             a checkpoint of the model `resumed`, from the middle of its training
    expected/                     codes, rows of the matrix, predictions and metrics of that version
"""

import json
import os
import pathlib
import subprocess

WIDEHASH = os.environ.get("WIDEHASH", "widehash")

SCHEMA = """version = 1
label = { field = "click", positive = ["1"], negative = ["0"] }
weight = "worth"
[[feature]]
field = "user"
cardinality = 100
[[feature]]
field = "user"
name = "user of many buckets"
cardinality = 100000
[[feature]]
field = "price"
name = "price of many buckets"
cardinality = 65536
missing = "skip"
[[feature]]
field = "shop"
encoding = "one_hot"
buckets = 7
[[feature]]
field = "device"
encoding = "exact"
cardinality = 9
min_count = 3
[[feature]]
cross = ["shop", "device"]
name = "both"
cardinality = 40
[[feature]]
field = "tags"
separator = ","
cardinality = 20
missing = "skip"
[[feature]]
field = "price"
encoding = "numeric"
transform = "standardize"
[[feature]]
field = "price"
name = "price range"
encoding = "numeric"
transform = "bucketize"
boundaries = [10, 50]
"""

# Every optimizer, hidden layers, other losses, and towers, whose files have a version of their own.
MODELS = {
    "ftrl": ["--optimizer", "ftrl", "--l1", "0.01"],
    "adagrad": ["--optimizer", "adagrad"],
    "adam": ["--optimizer", "adam"],
    "rmsprop": ["--optimizer", "rmsprop"],
    "sgd": ["--optimizer", "sgd"],
    "hidden": ["--hidden", "3,2", "--activation", "tanh"],
    "squares": ["--loss", "mse"],
    "towers": ["--parallel", "tower", "--mix", "predictions", "--devices", "cpu,cpu"],
}
TRAINING = ["--epochs", "2", "--batch-size", "16"]
RESUMED = ["--epochs", "3", "--batch-size", "8", "--checkpoint-every", "3"]

# Values whose codes never change: empty, text, numbers, bytes that are not UTF-8, and one longer than a block of the hash.
VALUES = [b"", b"a", b"ada", b"0", b"-17", b"3.5", b"true", "Zürich".encode(), b"\x00", b"\xff\xfe", b"x" * 257]
CARDINALITIES = [1, 64, 1000, 1000003, 2 ** 32]


def widehash(folder, *words, check=True):
    done = subprocess.run([WIDEHASH, *map(str, words)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if check and done.returncode != 0:
        raise RuntimeError("widehash %s: %s" % (" ".join(map(str, words)), done.stderr.decode()))
    return done


def sets(folder=pathlib.Path(__file__).resolve().parent):
    return sorted(path for path in folder.iterdir() if (path / "expected").is_dir())


def codes(folder):
    text = []
    for encoding in ["four_split", "one_hot"]:
        for cardinality in CARDINALITIES:
            found = widehash(folder, "hash", "--encoding", encoding, "--cardinality", cardinality, "--hex",
                             *(value.hex() for value in VALUES)).stdout.decode()
            text += ["%s %d %s" % (encoding, cardinality, line) for line in found.splitlines()]
    return "\n".join(text) + "\n"


def version(dataset):
    return json.loads((dataset / "manifest.json").read_text())["widehash_manifest"]


def matrix(folder, dataset):
    return widehash(folder, "export", dataset, "--format", "vw", "-o", "-").stdout.decode()


def predictions(folder, model, *source):
    return widehash(folder, "predict", model, *source).stdout.decode()


def metrics(folder, model, dataset="set"):
    found = json.loads(widehash(folder, "evaluate", model, dataset, "--json").stdout)
    return {key: value for key, value in found.items()
            if key in ("rows", "log_loss", "auc", "accuracy", "rmse") and value is not None}


def transform(folder, output, max_bad_rows=2, check=True):
    return widehash(folder, "transform", "--schema", "schema.toml", "rows.tsv", "--tables", "tables", "--block-bytes",
                    "700", "--max-bad-rows", max_bad_rows, "--threads", "1", "--quiet", "-o", output, check=check)
