#!/usr/bin/env python3
"""Measures widehash and its peers on the same rows and writes the results; see run.sh."""

import argparse
import json
import pathlib
import sys
import traceback

import document
import inputs
import machine
import tables
from job import Setting, remove
from jobs import compressed, ingest, prediction, training
from measure import Failed, measure

MARK = "compare"
PAGE = "docs/benchmarks.md"
PLOT = "docs/compare.svg"
HELD_OUT_SEED = 3  # not 2: criteo26_balanced.toml was tuned on rows of that seed
HEADING = "## Beside its peers: `bash bench/compare/run.sh`"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    if options.rows < 100:
        parser.error("--rows: fewer than 100 rows say nothing")
    return options


def run(job, setting, repeats):
    """The figures of a job, or the reason why it failed."""
    row = {"name": job.name, "group": job.group, "who": job.who, "rows": job.rows, "threads": job.threads}
    try:
        if job.before:
            job.before()
        commands = job.commands
        figures = measure(commands, repeats=job.repeats or repeats, log=setting.work / "logs" / job.name, env=job.env,
                          clock=job.clock, before=lambda: remove(*job.writes))
        if job.after:
            figures |= job.after(figures)
        row |= figures
        row["rows_per_second"] = job.rows / row["seconds"]
        if job.text_bytes:
            row |= {"text_bytes": job.text_bytes, "bytes_per_second": job.text_bytes / row["seconds"]}
    except Failed as error:
        row["error"] = shown(error, setting)
    except Exception as error:  # no failure of one peer may lose the figures of the others
        traceback.print_exc()
        row["error"] = shown(f"{type(error).__name__}: {error}"[:200], setting)
    remove(*job.writes)
    row["what"] = job.what
    row["commands"] = [" ".join(shown(part, setting) for part in command) for command in job.commands]
    return row


def shown(part, setting):
    """An argument or an error message as a reader would type it: without the folders of this machine."""
    text = str(part)
    here = str(pathlib.Path.cwd()) + "/"
    for folder, name in ((setting.python, "python"), (str(setting.work), "$WORK"), (str(setting.bin), "build/release"), (here, "")):
        text = text.replace(folder, name)
    return text


def print_row(row):
    if "error" in row:
        print(f"  failed: {row['error']}", flush=True)
        return
    loss = f", log loss {row['log_loss']:.4f}" if row.get("log_loss") is not None else ""
    print(f"  {row['rows_per_second'] / 1e6:.3f} M rows/s, {row['peak_memory_bytes'] / 2**20:.0f} MiB{loss}", flush=True)


def main():
    options = arguments()
    work = options.work
    (work / "logs").mkdir(parents=True, exist_ok=True)
    valid_rows = max(options.rows // 10, 100)
    generator = options.bin / "bench/criteo_rows"
    setting = Setting(
        work=work, bin=options.bin, python=sys.executable, threads=machine.threads(), rows=options.rows, valid_rows=valid_rows,
        train=inputs.criteo_text(work, generator, options.rows, 1), valid=inputs.criteo_text(work, generator, valid_rows, HELD_OUT_SEED),
        schema=pathlib.Path("examples/schemas/criteo26.toml"), all_fields_schema=pathlib.Path("examples/schemas/criteo.toml"))
    # Left by a run with another number of rows or another version of the program.
    leftovers = ["shards-*", "*.npz", "predict.*"]
    remove(*(path for pattern in leftovers for path in work.glob(pattern)))
    inputs.touch(setting.train, setting.valid, inputs.vw_text(setting.train), inputs.vw_text(setting.valid))

    results = {"machine": machine.describe(), "rows": options.rows, "repeats": options.repeats, "results": []}
    for module in (ingest, compressed, training, prediction):
        try:
            jobs = module.jobs(setting)
        except Exception as error:
            traceback.print_exc()
            results["results"].append({"name": module.__name__, "group": module.__name__.split(".")[-1], "who": "", "what": "",
                                       "error": shown(f"{type(error).__name__}: {error}"[:200], setting), "commands": []})
            continue
        for job in jobs:
            if options.only and not any(word in job.name for word in options.only):
                continue
            print(job.name, flush=True)
            results["results"].append(run(job, setting, options.repeats))
            print_row(results["results"][-1])
            (work / "results.json").write_text(json.dumps(results, indent=1))

    remove(*(path for pattern in leftovers for path in work.glob(pattern)))
    text = tables.page(results)
    own_failures = [row["name"] for row in results["results"] if "error" in row and row["who"] in ("widehash", "")]
    if options.only or own_failures:
        print(text)
        if own_failures:
            sys.exit(f"{PAGE} is left as it is: failed were {', '.join(own_failures)}")
        return
    try:
        import plots
        plots.draw_compare(results, [pathlib.Path(PLOT), work / "compare.png"])
        text = text.replace(tables.PLOT_PLACE, f"![Rates and losses of widehash and its peers]({pathlib.Path(PLOT).name})")
    except ImportError as error:
        print(f"no plot: {error}", file=sys.stderr)
    document.replace_between(PAGE, MARK, text.replace(tables.PLOT_PLACE, ""), HEADING)
    print(f"written: {PAGE}, {work / 'results.json'}")


if __name__ == "__main__":
    main()
