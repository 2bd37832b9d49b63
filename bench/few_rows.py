"""Log loss of the linear model on tables of few rows by batch size: why few rows make six steps (docs/benchmarks.md).

    python3 bench/few_rows.py ../shared/data [--work /dev/shm/few-rows] [--widehash build/release/widehash]

Trains on the first rows of flights, adult and Criteo's sample in a seeded random order, and judges by other rows.
"""

import gzip
import json
import pathlib
import random

import table_runs

SIZES = (50, 100, 300, 1000, 3000, 10000)
BATCHES = (16, 32, 64, 128, 256, 512, None)


def tables(data):
    """Name, header, rows, options of inspect."""
    flights = gzip.open(data / "flights/train.tsv.gz", "rt").read().splitlines()
    yield "flights", flights[:1], flights[1:], ["--label", "late"]
    adult = [line for line in gzip.open(data / "adult/adult.data.gz", "rt").read().splitlines() if line.strip()]
    yield "adult", [], adult, ["--header", "no", "--label", "f14"]
    for path in sorted((data / "criteo_sample").glob("*.gz")):
        yield "Criteo's sample", [], gzip.open(path, "rt").read().splitlines(), ["--header", "no", "--label", "f0"]


def main():
    parser = table_runs.parser(__doc__, "/dev/shm/few-rows")
    parser.add_argument("data", type=pathlib.Path)
    options = parser.parse_args()
    run = table_runs.runner(options)
    encode = table_runs.encoder(options, run)
    print("| table, epochs | rows | " + " | ".join(str(batch or "default") for batch in BATCHES) + " | best constant |")
    print("|" + "---|" * (len(BATCHES) + 3))
    for name, header, rows, how in tables(options.data):
        random.Random(5).shuffle(rows)
        judged, trained = rows[:3000], rows[3000:]
        (options.work / "all.txt").write_text("\n".join(header + trained[:20000]) + "\n")
        run("inspect", "all.txt", *how, "-o", "schema.toml", "--overwrite", "--quiet")
        encode("judged", header + judged)
        for size in (size for size in SIZES if size <= len(trained)):
            encode("trained", header + trained[:size])
            for epochs in (1, 5):
                losses = []
                for batch in BATCHES:
                    chosen = [] if batch is None else ["--batch-size", batch]
                    run("train", "trained", "-o", "model", "--overwrite", "--quiet", "--epochs", epochs, *chosen)
                    metrics = json.loads(run("evaluate", "model", "judged", "--json"))
                    losses.append(f"{metrics['log_loss']:.3f}")
                print(f"| {name}, {epochs} | {size:,} | " + " | ".join(losses) + f" | {metrics['constant_log_loss']:.3f} |", flush=True)


if __name__ == "__main__":
    main()
