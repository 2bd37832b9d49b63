"""Loss of the linear model with the schema that inspect proposes and with hashes alone: what intervals of numbers are worth
(docs/benchmarks.md).

    python3 bench/intervals.py ../shared/data [--ways] [--work /dev/shm/intervals] [--widehash build/release/widehash]

In a seeded random order, a fifth of the rows of each table judges what is learnt from the others. The last two tables are generated:
measurements, and identifiers whose numbers carry no information. With scikit-learn, its table of tumours is included. --ways tries other
numbers of intervals, with hashes and alone, for the fields that have intervals in the proposal.
"""

import gzip
import json
import math
import pathlib
import random
import tomllib

import table_runs

EPOCHS = (1, 5, 20)


def lines_of(path):
    return [line for line in gzip.open(path, "rt").read().splitlines() if line.strip()]


def tables(data):
    """Name, header, rows, options of inspect, options of train."""
    flights = lines_of(data / "flights/train.tsv.gz")
    yield "flights", flights[:1], flights[1:], ["--label", "late"], []
    yield "adult", [], lines_of(data / "adult/adult.data.gz"), ["--header", "no", "--label", "f14"], []
    for path in sorted((data / "criteo_sample").glob("*.gz")):
        yield "Criteo's sample", [], lines_of(path), ["--header", "no", "--label", "f0"], []
    ratings = lines_of(data / "insteval/InstEval.csv.gz")
    yield "InstEval, RMSE", ratings[:1], ratings[1:], ["--label", "y"], ["--loss", "mse"]
    try:
        from sklearn.datasets import load_breast_cancer  # pylint: disable=import-outside-toplevel
    except ImportError:
        pass
    else:
        found = load_breast_cancer()
        rows = [f"{y}\t" + "\t".join(map(str, row)) for y, row in zip(found.target, found.data)]
        yield "tumours, 30 measures", ["y\t" + "\t".join(f"x{i}" for i in range(30))], rows, ["--label", "y"], []
    source = random.Random(1)
    yield "made, 8 measures", *made(source, lambda: [round(source.gauss(0, 1), 4) for _ in range(8)],
                                    lambda row: row[0] - row[1] + 2 * abs(row[2]) + math.sin(3 * row[3]) - 1.5)
    effects = [source.gauss(0, 1) for _ in range(2000)]
    yield "made, 2 identifiers", *made(source, lambda: [source.randrange(2000), source.randrange(2000)],
                                       lambda row: effects[row[0]] + effects[-row[1]])


def made(source, row_of, log_odds):
    rows = []
    for _ in range(20_000):
        row = row_of()
        rows.append(f"{int(source.random() < 1 / (1 + math.exp(-log_odds(row))))}\t" + "\t".join(map(str, row)))
    return ["y\t" + "\t".join(f"x{i}" for i in range(len(row)))], rows, ["--label", "y"], []


def of_hashes(proposal, distinct):
    """The proposal with every field hashed and without intervals."""
    schema = tomllib.loads(proposal)
    head = proposal[:proposal.index("[[feature]]")]
    for feature in schema["feature"]:
        if "boundaries" in feature:
            if "name" in feature:
                continue
            feature["cardinality"] = distinct[feature["field"]]
        head += f"[[feature]]\nfield = {json.dumps(feature['field'])}\ncardinality = {feature['cardinality']}\n"
    return head


def columns_of(schema, lines, header):
    """The texts of each field."""
    rows = [line.split(schema["delimiter"]) for line in lines[len(header):]]
    strip = " " if schema.get("trim") else ""
    return {field: [row[i].strip(strip + '"') for row in rows] for i, field in enumerate(schema["fields"])}


def boundaries(numbers, count):
    """Boundaries between at most `count` intervals that have about equally many of the sorted numbers."""
    found, begin = [], 0
    for at in range(1, len(numbers)):
        if len(found) + 1 < count and numbers[at] != numbers[at - 1] and (at - begin) * (count - len(found)) >= len(numbers) - begin:
            found.append(numbers[at])
            begin = at
    return found


def of_intervals(proposal, distinct, columns, count, are_hashed):
    """The proposal with `count` intervals for each field that has any, with its hash or alone."""
    schema = tomllib.loads(proposal)
    text = proposal[:proposal.index("[[feature]]")]
    cut = [feature["field"] for feature in schema["feature"] if "boundaries" in feature]
    for field in dict.fromkeys(feature["field"] for feature in schema["feature"]):
        if field not in cut or are_hashed:
            planned = [feature["cardinality"] for feature in schema["feature"] if feature["field"] == field and "cardinality" in feature]
            text += f"[[feature]]\nfield = {json.dumps(field)}\ncardinality = {(planned or [distinct[field]])[0]}\n"
        if field in cut:
            missing = {"", *schema.get("missing_values", [])}
            numbers = sorted(float(value) for value in columns[field] if value not in missing)
            text += (f"[[feature]]\nfield = {json.dumps(field)}\nname = {json.dumps(field + ' in parts')}\nencoding = \"numeric\"\n"
                     f"transform = \"bucketize\"\nboundaries = {boundaries(numbers, count)}\n")
    return text


def main():
    parser = table_runs.parser(__doc__, "/dev/shm/intervals")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--ways", action="store_true")
    options = parser.parse_args()
    run = table_runs.runner(options)
    encode = table_runs.encoder(options, run)
    print("| table | rows | schema | columns | " + " | ".join(f"{epochs} epoch{'s' if epochs > 1 else ''}" for epochs in EPOCHS) + " |")
    print("|" + "---|" * (len(EPOCHS) + 4))
    for name, header, rows, how, training in tables(options.data):
        random.Random(5).shuffle(rows)
        judged, trained = header + rows[:len(rows) // 5], header + rows[len(rows) // 5:]
        (options.work / "all.txt").write_text("\n".join(trained) + "\n")
        report = json.loads(run("inspect", "all.txt", *how, "--json"))
        proposal = report["schema"]
        if "--loss" in training:  # grades as amounts
            begin = proposal.index("\nlabel = ") + 1
            proposal = proposal[:begin] + f'label = "{how[-1]}"' + proposal[proposal.index("\n", begin):]
        distinct = {field["name"]: max(1, round(field["distinct"])) for field in report["fields"]}
        kinds = [("hashes alone", of_hashes(proposal, distinct)), ("as proposed", proposal)]
        if options.ways:
            columns = columns_of(tomllib.loads(proposal), trained, header)
            kinds += [(f"{count} intervals {'and hashes' if hashed else 'alone'}", of_intervals(proposal, distinct, columns, count, hashed))
                      for hashed in (False, True) for count in (8, 16, 32, 64)]
        for kind, schema in kinds:
            (options.work / "schema.toml").write_text(schema)
            encode("trained", trained)
            encode("judged", judged)
            loss, losses = "rmse" if training else "log_loss", []
            for epochs in EPOCHS:
                run("train", "trained", "-o", "model", "--overwrite", "--quiet", "--epochs", epochs, *training)
                metrics = json.loads(run("evaluate", "model", "judged", "--json"))
                losses.append(f"{metrics[loss]:.4f}")
            width = json.loads(run("describe", "trained", "--json"))["num_columns"]
            print(f"| {name} | {len(trained) - len(header):,} | {kind} | {width:,} | " + " | ".join(losses) + " |", flush=True)


if __name__ == "__main__":
    main()
