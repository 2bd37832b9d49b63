#!/usr/bin/env python3
"""The speed of `transform` and `fit` with schemas of every kind, next to the plain one: Criteo-shaped rows of 39
features, text and shards in the work folder. With --against, both programs run in turn and must make the same shards and
tables; the table has the median, the least and the greatest of the ratios of their times.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "release"


def split(name):
    """The head of a schema of examples/schemas, and its features."""
    head, *features = (ROOT / "examples" / "schemas" / name).read_text().split("[[feature]]")
    return head, ["[[feature]]" + feature.rstrip() + "\n" for feature in features]


def cardinality(feature):
    return int(re.search(r"cardinality = (\d+)", feature).group(1))


def schemas():
    """The name of each schema, its text, and the kind of text that it reads."""
    head, features = split("criteo.toml")
    shuffled = random.Random(1).sample(features, len(features))
    one_hot = [feature + 'encoding = "one_hot"\n' for feature in features]
    exact = [feature + 'encoding = "exact"\n' * (cardinality(feature) < 2000) for feature in features]
    multi = [*features[:-1], features[-1] + 'separator = "|"\n']
    crosses = ['[[feature]]\ncross = ["c1", "c2"]\ncardinality = 100000\n',
               '[[feature]]\ncross = ["c5", "c9"]\ncardinality = 10000\n']
    number_head, numbers = split("criteo_numeric.toml")
    missing = 'missing_values = ["NA", "-"]\n'
    yield "four-split, side by side", head + "".join(features), "lf"
    yield "rows end in CR LF", head + "".join(features), "crlf"
    yield "LF and CR LF in turn", head + "".join(features), "turns"
    yield "two missing texts", missing + head + "".join(features), "lf"
    yield "two long missing texts", 'missing_values = ["not available", "(not set)"]\n' + head + "".join(features), "lf"
    yield "missing values skipped", 'missing = "skip"\n' + head + "".join(features), "lf"
    yield "missing texts skipped", missing + 'missing = "skip"\n' + head + "".join(features), "lf"
    yield "fields in another order", head + "".join(shuffled), "lf"
    yield "two crosses", head + "".join(features + crosses), "lf"
    yield "one field of several values", head + "".join(multi), "lf"
    yield "one-hot", head + "".join(one_hot), "lf"
    yield "exact below 2,000 values", head + "".join(exact), "lf"
    yield "13 numbers", number_head + "".join(numbers), "lf"
    yield "13 numbers, two missing texts", missing + number_head + "".join(numbers), "lf"
    yield "CSV without quotes", 'format = "csv"\n' + head + "".join(features), "csv"
    yield "CSV, a quote in 1,000 rows", 'format = "csv"\n' + head + "".join(features), "rare"
    yield "CSV, every value quoted", 'format = "csv"\n' + head + "".join(features), "quoted"


def write_texts(work, rows):
    lines = subprocess.run([BIN / "bench" / "criteo_rows", str(rows), "--seed", "1"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    forms = {
        "lf": lambda i, line: line,
        "crlf": lambda i, line: line + "\r",
        "turns": lambda i, line: line + "\r" * (i % 2),
        "csv": lambda i, line: line.replace("\t", ","),
        "rare": lambda i, line: f'"{line[0]}"{line[1:]}'.replace("\t", ",") if i % 1000 == 0 else line.replace("\t", ","),
        "quoted": lambda i, line: line.replace("\t", ',"', 1).replace("\t", '","') + '"',
    }
    for name, form in forms.items():
        with open(work / f"rows.{name}", "w") as out:
            out.writelines(form(i, line) + "\n" for i, line in enumerate(lines))


def run(program, command, schema, text, out, threads, tables):
    shutil.rmtree(out, ignore_errors=True)
    arguments = [program, command, "--schema", schema, text, "-o", out, "--threads", str(threads), "--json", "--quiet"]
    if tables:
        arguments += ["--tables", tables]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    report = json.loads(done.stdout)
    if command == "fit":
        return report["rows_per_second"], report["tables_fingerprint"]
    manifest = json.loads((out / "manifest.json").read_text())
    return report["rows_per_second"], [(shard["file"], shard["checksum"]) for shard in manifest["shards"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=pathlib.Path, help="another build of the program, the older one")
    parser.add_argument("--only", default="", help="the schemas whose names hold this")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=7, help="runs of each program (default: 7)")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "schemas", help="on tmpfs, for its rates")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    write_texts(options.work, options.rows)
    programs = [BIN / "widehash"] + ([options.against] if options.against else [])
    out, tables = options.work / "out", options.work / "tables"

    print("| schema | command | M rows/s |" + (" before | times |" if options.against else ""))
    print("|---|---|---|" + ("---|---|" if options.against else ""))
    for name, schema, kind in schemas():
        if options.only not in name:
            continue
        path = options.work / "schema.toml"
        path.write_text(schema)
        text = options.work / f"rows.{kind}"
        needs_tables = 'encoding = "exact"' in schema
        if needs_tables:
            run(programs[0], "fit", path, text, tables, os.cpu_count(), None)
        for command in ("transform", "fit"):
            given = tables if needs_tables and command == "transform" else None
            rates = {program: [] for program in programs}
            made = None
            for turn in range(options.pairs):
                for program in programs if turn % 2 == 0 else reversed(programs):
                    rate, result = run(program, command, path, text, out, options.threads, given)
                    if result != (made := made or result):
                        sys.exit(f"{command}, {name}: the programs do not make the same")
                    rates[program].append(rate)
            line = f"| {name} | `{command}` | {statistics.median(rates[programs[0]]) / 1e6:.2f} |"
            if options.against:
                ratios = [now / before for now, before in zip(*rates.values())]
                line += (f" {statistics.median(rates[options.against]) / 1e6:.2f} | {statistics.median(ratios):.2f}"
                         f" ({min(ratios):.2f} to {max(ratios):.2f}) |")
            print(line, flush=True)
        shutil.rmtree(tables, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)


if __name__ == "__main__":
    main()
