"""Loss of the linear model on flights whose month, day and hour are one time, by the features made from that time: what parts of
times are worth (docs/benchmarks.md).

    python3 bench/times.py ../shared/data [--work /dev/shm/times] [--widehash build/release/widehash]

Judged by a fifth of the rows in a seeded random order, and by the days after the tenth month, as a model is used.
"""

import gzip
import json
import pathlib
import random
import re

import table_runs

EPOCHS = (1, 5)
TIME = re.compile(r"^# time: .*?(?=^# (?!the whole time)|\Z)", flags=re.MULTILINE | re.DOTALL)  # the features of the time


def flights(data):
    """Header and rows with a time in place of month, day, weekday and hour; the month of each row."""
    header, *lines = gzip.open(data / "flights/train.tsv.gz", "rt").read().splitlines()
    fields = header.split("\t")
    rows = []
    for line in lines:
        row = dict(zip(fields, line.split("\t")))
        time = f"2013-{int(row['month']):02}-{int(row['day']):02} {int(row['hour']) % 24:02}:00:00"
        rest = [row[field] for field in fields if field not in ("month", "day", "weekday", "hour", "late")]
        rows.append((int(row["month"]), "\t".join([row["late"], time, *rest])))
    return "\t".join(["late", "time", *(field for field in fields if field not in ("month", "day", "weekday", "hour", "late"))]), rows


def main():
    parser = table_runs.parser(__doc__, "/dev/shm/times")
    parser.add_argument("data", type=pathlib.Path)
    options = parser.parse_args()
    run = table_runs.runner(options)
    encode = table_runs.encoder(options, run)
    header, rows = flights(options.data)
    shuffled = rows.copy()
    random.Random(5).shuffle(shuffled)
    fifth = len(rows) // 5
    splits = {"a fifth of the rows": (shuffled[fifth:], shuffled[:fifth]),
              "the days behind": ([row for row in rows if row[0] <= 10], [row for row in rows if row[0] > 10])}
    print("| judged by | time | columns | " + " | ".join(f"{epochs} epoch{'s' if epochs > 1 else ''}" for epochs in EPOCHS) + " |")
    print("|" + "---|" * (len(EPOCHS) + 3))
    for judge, (trained, judged) in splits.items():
        trained, judged = ([header, *(line for _, line in part)] for part in (trained, judged))
        (options.work / "all.txt").write_text("\n".join(trained) + "\n")
        report = json.loads(run("inspect", "all.txt", "--label", "late", "--json"))
        proposal = report["schema"]
        distinct = next(round(field["distinct"]) for field in report["fields"] if field["name"] == "time")
        whole = f'# time\n[[feature]]\nfield = "time"\ncardinality = {distinct}\n\n'
        assert len(TIME.findall(proposal)) == 1
        for kind, schema in (("left out", TIME.sub("", proposal)), ("hashed", TIME.sub(whole, proposal)), ("as proposed", proposal)):
            (options.work / "schema.toml").write_text(schema)
            encode("trained", trained)
            encode("judged", judged)
            losses = []
            for epochs in EPOCHS:
                run("train", "trained", "-o", "model", "--overwrite", "--quiet", "--epochs", epochs)
                losses.append(f"{json.loads(run('evaluate', 'model', 'judged', '--json'))['log_loss']:.4f}")
            width = json.loads(run("describe", "trained", "--json"))["num_columns"]
            print(f"| {judge} | {kind} | {width:,} | " + " | ".join(losses) + " |", flush=True)


if __name__ == "__main__":
    main()
