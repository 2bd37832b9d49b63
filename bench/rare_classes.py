"""Log loss with a rare class, by optimizer: why the bias of an output starts near the log odds of its class (docs/benchmarks.md).

    python3 bench/rare_classes.py [--work /dev/shm/rare-classes] [--widehash build/release/widehash]

Generates tables of 3,000 users and 200 sites whose effects add up, in which few or many rows are 1. One table is thinned out as in
docs/training.md: it keeps one in fifty of the rows that are 0, with weight 50. Judged by as many rows of another seed, all of them kept.
"""

import json
import math
import random

import table_runs

ROWS = 200_000
SHIFTS = (-7.3, -6.3, -5.1, -3.8, -2.4)
THINNED = 50
SCHEMA = """label = "y"
{weight}
[[feature]]
field = "user"
encoding = "{encoding}"
cardinality = 3000
[[feature]]
field = "site"
encoding = "{encoding}"
cardinality = 200
"""
WAYS = ("", "--epochs 5", "--optimizer ftrl", "--optimizer adam", "--optimizer rmsprop", "--optimizer sgd", "--hidden 16")


def rows(shift, seed, kept_of_zeros=1):
    """Lines of y, user, site and weight."""
    source = random.Random(7)
    users = [source.gauss(0, 1) for _ in range(3000)]
    sites = [source.gauss(0, 0.7) for _ in range(200)]
    source = random.Random(seed)
    lines, ones = [], 0
    for _ in range(ROWS):
        user, site = source.randrange(3000), source.randrange(200)
        y = int(source.random() < 1 / (1 + math.exp(-users[user] - sites[site] - shift)))
        ones += y
        if y or source.random() * kept_of_zeros < 1:
            lines.append(f"{y}\tu{user}\ts{site}\t{1 if y else kept_of_zeros}")
    return lines, ones / ROWS


def main():
    options = table_runs.parser(__doc__, "/dev/shm/rare-classes").parse_args()
    run = table_runs.runner(options)

    def encode(encoding, weight, learnt, judged):
        (options.work / "schema.toml").write_text(SCHEMA.format(encoding=encoding, weight=weight))
        for name, lines in (("learnt", learnt), ("judged", judged)):
            (options.work / f"{name}.tsv").write_text("y\tuser\tsite\tw\n" + "\n".join(lines) + "\n")
        run("fit", "--schema", "schema.toml", "learnt.tsv", "-o", "tables", "--overwrite", "--quiet")
        for name in ("learnt", "judged"):
            run("transform", "--schema", "schema.toml", "--tables", "tables", f"{name}.tsv", "-o", name, "--overwrite", "--quiet")

    print("| share of 1 | encoding | best constant | " + " | ".join(f"`{way}`" if way else "defaults" for way in WAYS) + " |")
    print("|" + "---|" * (len(WAYS) + 3))
    for shift in SHIFTS:
        thinnings = (1, THINNED) if shift == SHIFTS[0] else (1,)
        for thinned in thinnings:
            learnt, _ = rows(shift, 1, thinned)
            judged, share = rows(shift, 2)
            for encoding in ("exact", "four_split"):
                encode(encoding, 'weight = "w"' if thinned > 1 else "", learnt, judged)
                cells = []
                for way in WAYS:
                    run("train", "learnt", "-o", "model", "--overwrite", "--quiet", *way.split())
                    metrics = json.loads(run("evaluate", "model", "judged", "--json"))
                    cells.append(f"{metrics['log_loss']:.5f}")
                note = ", thinned out" if thinned > 1 else ""
                print(f"| {100 * share:.2f} %{note} | {encoding} | {metrics['constant_log_loss']:.5f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
