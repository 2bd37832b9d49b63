"""The runs that are disturbed: what each is given, what it writes, and how it is started again."""

import gzip
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
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
    """A command that writes below a folder of its own, `{out}` in its words."""

    def __init__(self, name, words, again=(), threads=1, launcher=()):
        self.name = name
        self.words = list(words)
        self.again = list(again)  # added when it is started again
        self.threads = threads
        self.launcher = list(launcher)  # such as ["mpirun", "-n", "2"]

    def command(self, out, again=False, threads=None):
        words = [word.replace("{out}", str(out)) for word in self.words + (self.again if again else [])]
        return self.launcher + [WIDEHASH, *words, "--quiet", "--threads", str(threads or self.threads)]

    def run(self, out, again=False, threads=None, faults=None, timeout=120):
        """Starts it and waits. `faults` are the variables of file_faults.cpp, without their FAULT_."""
        environment = dict(os.environ)
        if faults is not None:
            environment.update({"FAULT_" + name: str(value) for name, value in faults.items()})
            environment["LD_PRELOAD"] = os.environ["WIDEHASH_FILE_FAULTS"]
        return subprocess.run(self.command(out, again, threads), env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=timeout, check=False)


def make_inputs(folder, rows=400):
    """Tables, schema, lookup tables, dataset and model that the jobs read."""
    folder.mkdir()
    lines = table(rows).splitlines(True)
    for line in range(50, len(lines), 150):
        lines[line] = "abc" + lines[line]  # bad labels: the list of rejected rows is an output like any other
    (folder / "a.tsv").write_text("".join(lines))
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


def all_jobs(inputs):
    schema = ["--schema", str(inputs / "schema.toml")]
    both = [str(inputs / "a.tsv"), str(inputs / "b.tsv.gz"), "--max-bad-rows", "9"]
    day, model = str(inputs / "day"), str(inputs / "day.model")
    train = ["train", day, "-o", "{out}/m.model", "--hidden", "4", "--batch-size", "64", "--epochs", "2",
             "--checkpoint-every", "2", "--valid", str(inputs / "valid")]
    return [
        Job("transform", ["transform", *schema, *both, "--tables", str(inputs / "tables"), "-o", "{out}/set",
                          "--block-bytes", "2000"]),
        Job("fit", ["fit", *schema, *both, "-o", "{out}/tables"]),
        Job("train", train, again=["--resume"]),
        Job("predict", ["predict", model, str(inputs / "b.tsv.gz"), "--tables", str(inputs / "tables"), "-o",
                        "{out}/predictions.txt"]),
        Job("export npz", ["export", day, "--format", "npz", "-o", "{out}/day.npz"]),
        Job("export vw", ["export", day, "--format", "vw", "-o", "{out}/day.vw"]),
        Job("inspect", ["inspect", str(inputs / "a.tsv"), "-o", "{out}/schema.toml"]),
    ]


__all__ = ["WIDEHASH", "Job", "all_jobs", "contents", "make_inputs"]
