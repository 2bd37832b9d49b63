"""Log loss of the linear model on tables of few rows by fractions of the full learning rate: why few rows lower it (docs/benchmarks.md).

    python3 bench/few_rows_rate.py ../shared/data [--work /dev/shm/few-rows-rate] [--widehash build/release/widehash]

Two classes and many, on real tables and on generated rows that only noise tells apart; judged by other rows.
"""

import gzip
import json
import math
import pathlib
import random
import re

import table_runs

SIZES = (100, 1000, 10000)
EPOCHS = (1, 10)
PARTS = (1, 1 / 2, 1 / 4, 1 / 8, 1 / 16)
SCHEMAS = pathlib.Path(__file__).resolve().parent.parent / "examples/schemas"


def classes(field, names):
    return 'label = { field = "%s", classes = [%s] }\n' % (field, ", ".join(f'"{name}"' for name in names))


def features(*fields):
    return "".join(f'[[feature]]\nfield = "{field}"\ncardinality = {cardinality}\n' for field, cardinality in fields)


def generated(rng, rows):
    """The probabilities of three classes depend on a field of fifty values, one of three values and a number."""
    for _ in range(rows):
        a, b, x = rng.randrange(50), rng.randrange(3), rng.gauss(0, 1)
        weights = [math.exp(1.5 * (a % 3 == k) + (b == k) + 0.8 * x * (k - 1)) for k in range(3)]
        yield f"c{rng.choices(range(3), weights)[0]}\ta{a}\tb{b}\t{x:.4f}"


def tables(data, rng):
    """Name, schema, header, rows to train on, rows to judge by."""
    def lines(path):
        return gzip.open(path, "rt").read().splitlines()

    header, *train = lines(data / "flights/train.tsv.gz")
    test = lines(data / "flights/test.tsv.gz")[1:]
    flights = (SCHEMAS / "flights.toml").read_text()
    yield "flights", flights, header, train, test
    place = header.split("\t").index("carrier")
    carriers = sorted({row.split("\t")[place] for row in train})
    others = [part for part in re.split(r"(?=\[\[feature\]\])", flights)[1:] if not re.search(r'"(carrier|flight|tailnum)"', part)]
    yield "carriers", classes("carrier", carriers) + "".join(others), header, train, test
    header, *rows = lines(next((data / "insteval").glob("*.gz")))
    rng.shuffle(rows)
    ratings = 'format = "csv"\nquote = \'"\'\n' + classes("y", "12345")
    of = features(("s", 3000), ("d", 1200), ("studage", 4), ("lectage", 6), ("service", 2), ("dept", 14))
    yield "insteval", ratings + of, header, rows[:60000], rows[60000:]
    of = features(("a", 50), ("b", 3)) + '[[feature]]\nfield = "x"\nencoding = "numeric"\n'
    rows, judged = list(generated(rng, 30000)), list(generated(rng, 20000))
    yield "three classes", classes("y", ["c0", "c1", "c2"]) + of, "y\ta\tb\tx", rows, judged
    two = 'label = { field = "y", positive = ["c1", "c2"], negative = ["c0"] }\n'
    yield "two classes", two + of, "y\ta\tb\tx", rows, judged


def main():
    parser = table_runs.parser(__doc__, "/dev/shm/few-rows-rate")
    parser.add_argument("data", type=pathlib.Path)
    options = parser.parse_args()
    run = table_runs.runner(options)
    encode = table_runs.encoder(options, run)
    print("| table, epochs | rows | " + " | ".join(f"{part:g} of the rate" for part in PARTS) + " | best constant |")
    print("|" + "---|" * (len(PARTS) + 3))
    for name, schema, header, trained, judged in tables(options.data, random.Random(5)):
        (options.work / "schema.toml").write_text(schema)
        encode("judged", [header, *judged[:20000]])
        encode("many", [header, *trained[:20000]])
        rate = json.loads(run("train", "many", "-o", "model", "--overwrite", "--json"))["optimizer"]["learning_rate"]
        for size in SIZES:
            encode("trained", [header, *trained[:size]])
            for epochs in EPOCHS:
                losses = []
                for part in PARTS:
                    run("train", "trained", "-o", "model", "--overwrite", "--quiet", "--epochs", epochs, "--lr", rate * part)
                    metrics = json.loads(run("evaluate", "model", "judged", "--json"))
                    losses.append(f"{metrics['log_loss']:.3f}")
                print(f"| {name}, {epochs} | {size:,} | " + " | ".join(losses) + f" | {metrics['constant_log_loss']:.3f} |", flush=True)


if __name__ == "__main__":
    main()
