#!/usr/bin/env python3
"""Log loss and AUC by the number of parameters on real tables; see quality.sh."""

import argparse
import json
import pathlib
import sys
import traceback

import document
import machine
import real_tables
from job import remove
from quality_trials import Trials

MARK = "quality"
PAGE = "docs/benchmarks.md"
PLOT = "docs/quality.svg"
HEADING = "## Quality for the parameters: `bash bench/compare/quality.sh`"
READING = """\
Every model was trained on all training rows with the defaults of `widehash train` and judged by test rows that nothing was
chosen by. "One-hot" has as many columns as the four-split line of the same cardinalities. Vowpal Wabbit takes as many passes
as we take epochs; its learning rate, and C of L-BFGS, were chosen on a tenth of the training rows. Parameters are those that
are kept, of L-BFGS those that are not 0."""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--only", action="append", default=[])
    return parser.parse_args()


def try_all(table, options):
    """Results for one table; failures are reported and left out."""
    results = []
    for part, trials in Trials(table, options.work, options.bin, sys.executable).all():
        try:
            for result in trials:
                results.append(result)
                print(f"{table.name}: {result['title']}: {result['parameters']:,} parameters, log loss {result['log_loss']:.4f}",
                      flush=True)
        except Exception as error:  # a failure of one part must not lose the others
            traceback.print_exc()
            results.append({"table": table.name, "family": part, "title": part, "error": f"{type(error).__name__}: {error}"[:200]})
    return results


def row_cells(result):
    if "error" in result:
        return [result["title"], f"**failed: {result['error']}**", "", "", "", ""]
    auc = f"{result['auc']:.4f}" if result["auc"] is not None else ""
    return [result["title"], f"{result['columns']:,}", f"{result['parameters']:,}", result["epochs"], f"{result['log_loss']:.4f}", auc]


def page(report):
    parts = [f"On {machine.sentence(report['machine'])}", READING, "<!-- plot -->"]
    for name in report["tables"]:
        results = [result for result in report["results"] if result["table"] == name]
        parts += [f"### {name}", document.table(
            ["encoding", ">columns", ">parameters", ">epochs or iterations", ">log loss", ">AUC"], map(row_cells, results))]
    parts += [f"Not at hand, and left out: {', '.join(report['missing'])}."] if report["missing"] else []
    return "\n\n".join(parts)


def draw(report, paths):
    import plots
    points = {name: [(result["title"], result["family"], result["parameters"], result["log_loss"]) for result in report["results"]
                     if result["table"] == name and "log_loss" in result and result["family"] != "base rate"]
              for name in report["tables"]}
    plots.draw_quality(points, paths)


def main():
    options = arguments()
    (options.work / "logs").mkdir(parents=True, exist_ok=True)
    report = {"machine": machine.describe(), "tables": [], "missing": [], "results": []}
    for table in real_tables.find(options.data, options.work):
        if options.only and table.name not in options.only:
            continue
        if not table.train:
            print(f"{table.name}: not at hand in {options.data}, left out", file=sys.stderr)
            report["missing"].append(table.name)
            continue
        report["tables"].append(table.name)
        report["results"] += try_all(table, options)
        (options.work / "quality.json").write_text(json.dumps(report, indent=1))
    remove(*options.work.glob("quality-*"))
    text = page(report)
    picture = ""
    try:
        if report["tables"]:
            draw(report, [*([] if options.only else [pathlib.Path(PLOT)]), options.work / "quality.png"])
            picture = f"![Log loss against parameters]({pathlib.Path(PLOT).name})"
    except ImportError as error:
        print(f"no plot: {error}", file=sys.stderr)
    text = text.replace("<!-- plot -->", picture)
    if options.only or not report["tables"]:
        print(text)
        return
    document.replace_between(PAGE, MARK, text, HEADING)
    print(f"written: {PAGE}, {options.work / 'quality.json'}")


if __name__ == "__main__":
    main()
