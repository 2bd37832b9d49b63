"""Checks that runs refused because of existing files stay refused and touch nothing, whichever of their calls fails.

    python3 tests/fault/refusals.py

Needs the same environment as sweep.py. A failed look at a file must not be taken for "nothing is there".
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from jobs import Job, WIDEHASH, contents, make_inputs


def refused_jobs(inputs):
    """Jobs whose output already exists, made from other inputs or settings."""
    schema = ["--schema", str(inputs / "schema.toml")]
    tables = ["--tables", str(inputs / "tables")]
    other, ours = str(inputs / "b.tsv.gz"), str(inputs / "a.tsv")
    train = ["train", str(inputs / "day"), "-o", "{out}/m", "--batch-size", "64"]
    return [
        Job("train", train + ["--epochs", "2"], before=train),
        Job("train again with other settings", train + ["--resume", "--l1", "0.5"], before=train + ["--checkpoint-every", "2"]),
        Job("fit", ["fit", *schema, ours, "-o", "{out}/t", "--max-bad-rows", "9"], before=["fit", *schema, other, "-o", "{out}/t"]),
        Job("fit into a dataset", ["fit", *schema, ours, "-o", "{out}/d", "--max-bad-rows", "9"],
            before=["transform", *schema, *tables, other, "-o", "{out}/d"]),
        Job("transform", ["transform", *schema, *tables, ours, "-o", "{out}/d", "--max-bad-rows", "9"],
            before=["transform", *schema, *tables, other, "-o", "{out}/d"]),
        Job("transform into tables", ["transform", *schema, *tables, ours, "-o", "{out}/t", "--max-bad-rows", "9"],
            before=["fit", *schema, other, "-o", "{out}/t"]),
        Job("inspect", ["inspect", ours, "-o", "{out}/s.toml"], before=["inspect", other, "-o", "{out}/s.toml"]),
        Job("predict", ["predict", str(inputs / "day.model"), *tables, other, "-o", "{out}/m"], before=train),
    ]


def refuse(root, job):
    """Returns the number of calls that were disturbed."""
    out = root / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    before = job.prepare(out)
    log = root / "calls"

    def run(**faults):
        log.unlink(missing_ok=True)
        done = job.run(out, faults={"FOLDER": root, "LOG": log, **faults})
        what = "%s with %s: ends with %d: %s" % (job.name, faults, done.returncode, done.stderr.decode())
        if done.returncode not in (1, 2) or not done.stderr.startswith(b"widehash: "):
            sys.exit(what + "; it was to be refused")
        if contents(out) != before:
            sys.exit(what + "; what was there is another now")
        return len(log.read_text().splitlines())

    calls = run()
    for call in range(1, calls + 1):
        run(AT=call, KIND="EIO")
        run(AT=call, KIND="EIO", ON=1)
    return 2 * calls


def main():
    with tempfile.TemporaryDirectory(prefix="widehash-refusals-", dir="/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None) as place:
        root = pathlib.Path(place)
        make_inputs(root / "inputs")
        total = 0
        for job in refused_jobs(root / "inputs"):
            disturbed = refuse(root, job)
            total += disturbed
            print("%-34s %5d faults" % (job.name, disturbed), flush=True)
        print("all: %d faults, and every run was refused" % total)


if __name__ == "__main__":
    subprocess.run([WIDEHASH, "--version"], check=True, stdout=subprocess.DEVNULL)
    main()
