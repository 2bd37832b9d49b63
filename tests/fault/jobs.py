"""The runs that are disturbed: their inputs, what they write, and how they are restarted."""

import gzip
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import mpirun  # noqa: E402
from program import WIDEHASH, contents, table  # noqa: E402

SCHEMA = """
version = 1
label = { field = "clicked", positive = ["1"], negative = ["0"] }
[[feature]]
field = "site"
cardinality = 100
[[feature]]
field = "device"
encoding = "exact"
cardinality = 10
[[feature]]
cross = ["site", "device"]
name = "both"
cardinality = 200
encoding = "one_hot"
[[feature]]
field = "age"
encoding = "numeric"
transform = "standardize"
"""


class Job:
    """A command that writes below a folder of its own, `{out}` in its arguments."""

    def __init__(self, name, words, again=(), threads=1, processes=1, per_process=(), alone=(), before=()):
        self.name = name
        self.words = list(words)
        self.again = list(again)  # added when it is restarted
        self.threads = threads
        self.processes = processes  # more than one: under mpirun
        self.per_process = list(per_process)  # added if there are several processes
        self.alone = list(alone)  # added if one process does what several began
        self.before = list(before)  # run first, undisturbed: its output is to be replaced

    def command(self, out, again=False, threads=None, processes=None):
        processes = processes or self.processes
        words = self.words + (self.again if again else [])
        if self.processes > 1:
            words += self.per_process if processes > 1 else self.alone
        words = [word.replace("{out}", str(out)) for word in words]
        words += ["--quiet", "--threads", str(threads or self.threads)]
        return mpirun.command(processes, [], *words) if processes > 1 else [WIDEHASH, *words]

    def prepare(self, out):
        """Makes the output that is to be replaced. Returns its contents."""
        if self.before:
            subprocess.run([WIDEHASH, *[word.replace("{out}", str(out)) for word in self.before], "--quiet"], check=True)
        return contents(out)

    def environment(self):
        return dict(mpirun.ENVIRONMENT if self.processes > 1 else os.environ)

    def run(self, out, again=False, threads=None, processes=None, faults=None, timeout=120):
        """Starts the job and waits. `faults` are the variables of file_faults.cpp without the prefix FAULT_."""
        environment = self.environment()
        if faults is not None:
            environment.update({"FAULT_" + name: str(value) for name, value in faults.items()})
            environment["LD_PRELOAD"] = os.environ["WIDEHASH_FILE_FAULTS"]
        return subprocess.run(self.command(out, again, threads, processes), env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=timeout, check=False)


class RepairedTransform(Job):
    """A transform that finds what an earlier one finished before it met bad rows in its last input, which is now fixed."""

    def __init__(self, inputs, words, **more):
        super().__init__("transform mended", words, **more)
        self.mended = inputs / "mended.tsv"

    def prepare(self, out):
        good = table(120, seed=3)
        self.mended.write_text(good + "bad\n" * 20)
        words = [word.replace("{out}", str(out)) for word in self.words]
        stopped = subprocess.run([WIDEHASH, *words, "--quiet", "--threads", "1"], stderr=subprocess.PIPE, check=False)
        if stopped.returncode != 1:
            raise RuntimeError("the bad rows pass: %s" % stopped.stderr)
        self.mended.write_text(good)
        return contents(out)


def make_inputs(folder, rows=400):
    """Tables, schema, lookup tables, dataset and model that the jobs read."""
    folder.mkdir()
    lines = table(rows).splitlines(True)
    for line in range(50, len(lines), 150):
        lines[line] = "abc" + lines[line]  # bad labels: the list of rejected rows is an output like any other
    (folder / "a.tsv").write_text("".join(lines).removesuffix("\n"))  # the file's end is looked for after the last row
    with open(folder / "b.tsv.gz", "wb") as file:
        file.write(gzip.compress(table(rows // 4, seed=2).encode(), mtime=0))
    (folder / "schema.toml").write_text(SCHEMA)

    def widehash(*words):
        subprocess.run([WIDEHASH, *map(str, words), "--quiet"], check=True)

    widehash("fit", "--schema", folder / "schema.toml", folder / "a.tsv", "-o", folder / "tables", "--max-bad-rows", 9)
    for name, source in [("day", "a.tsv"), ("valid", "b.tsv.gz")]:
        widehash("transform", "--schema", folder / "schema.toml", folder / source, "-o", folder / name, "--tables",
                 folder / "tables", "--max-bad-rows", 9, "--block-bytes", 4000)
    widehash("train", folder / "day", "-o", folder / "day.model", "--hidden", 4, "--batch-size", 64)


def ingest_jobs(inputs, **more):
    schema = ["--schema", str(inputs / "schema.toml")]
    both = [str(inputs / "a.tsv"), str(inputs / "b.tsv.gz"), "--max-bad-rows", "9"]
    return [
        Job("transform", ["transform", *schema, *both, "--tables", str(inputs / "tables"), "-o", "{out}/set",
                          "--block-bytes", "2000"], **more),
        RepairedTransform(inputs, ["transform", *schema, str(inputs / "a.tsv"), str(inputs / "mended.tsv"), "--max-bad-rows",
                                 "9", "--tables", str(inputs / "tables"), "-o", "{out}/set", "--block-bytes", "2000"],
                        **more),
        Job("transform again", ["transform", *schema, *both, "--tables", str(inputs / "tables"), "-o", "{out}/set",
                                "--block-bytes", "2000", "--overwrite"],
            before=["transform", *schema, str(inputs / "b.tsv.gz"), "--tables", str(inputs / "tables"), "-o", "{out}/set"],
            **more),
        Job("fit", ["fit", *schema, *both, "-o", "{out}/tables"], **more),
        Job("fit again", ["fit", *schema, *both, "-o", "{out}/tables", "--overwrite"],
            before=["fit", *schema, str(inputs / "b.tsv.gz"), "-o", "{out}/tables"], **more),
        Job("fit a day more", ["fit", *schema, both[0], *both[2:], "--add", "{out}/tables", "-o", "{out}/tables"],
            before=["fit", *schema, str(inputs / "b.tsv.gz"), "-o", "{out}/tables"], **more),
    ]


def training_job(inputs, **more):
    words = ["train", str(inputs / "day"), "-o", "{out}/m.model", "--hidden", "4", "--batch-size", "64", "--epochs", "2",
             "--checkpoint-every", "2", "--valid", str(inputs / "valid")]
    return Job("train", words, again=["--resume"], **more)


def all_jobs(inputs):
    day, model = str(inputs / "day"), str(inputs / "day.model")
    return [
        *ingest_jobs(inputs),
        training_job(inputs),
        Job("predict", ["predict", model, str(inputs / "b.tsv.gz"), "--tables", str(inputs / "tables"), "-o",
                        "{out}/predictions.txt"]),
        Job("export npz", ["export", day, "--format", "npz", "-o", "{out}/day.npz"]),
        Job("export vw", ["export", day, "--format", "vw", "-o", "{out}/day.vw"]),
        Job("inspect", ["inspect", str(inputs / "a.tsv"), "-o", "{out}/schema.toml"], again=["--overwrite"]),
    ]


def jobs_of_two_processes(inputs):
    """Jobs that processes under mpirun can share. A training has two devices, wherever it continues."""
    return [*ingest_jobs(inputs, processes=2),
            training_job(inputs, processes=2, per_process=["--devices", "cpu"], alone=["--devices", "cpu,cpu"])]


__all__ = ["WIDEHASH", "Job", "all_jobs", "contents", "jobs_of_two_processes", "make_inputs"]
