"""Makes a set of golden files with the program that WIDEHASH names:

    WIDEHASH=$PWD/build/dev/widehash WIDEHASH_FILE_FAULTS=$PWD/build/dev/tests/fault/libwidehash_file_faults.so \
        python3 tests/golden/make.py tests/golden/0.2

Do this for every version whose files differ from those of earlier versions, and keep the set in git. A set is never made
again: it is the output of that version.
"""

import json
import os
import pathlib
import random
import subprocess
import sys

from golden import (MODELS, RESUMED, SCHEMA, TRAINING, WIDEHASH, codes, matrix, metrics, predictions, transform, widehash)

NUM_ROWS = 80


def rows():
    source = random.Random(1)
    lines = ["click\tworth\tuser\tshop\tdevice\ttags\tprice"]
    for _ in range(NUM_ROWS):
        tags = ",".join("t%d" % source.randrange(15) for _ in range(source.randrange(3)))
        price = "" if source.random() < 0.1 else str(source.randrange(100))
        lines.append("\t".join([str(source.randrange(2)), str(1 + source.randrange(2)), "user%d" % source.randrange(50),
                                "shop%d" % source.randrange(8), "d%d" % source.randrange(5), tags, price]))
    lines[40] = "maybe" + lines[40]
    return "\n".join(lines) + "\n"


def leave_a_checkpoint(folder):
    """Trains, killed after the second checkpoint by the library of tests/fault."""
    words = [WIDEHASH, "train", "set", "-o", str(folder / "resumed.model"), *RESUMED, "--threads", "1", "--quiet"]
    faults = {"LD_PRELOAD": os.environ["WIDEHASH_FILE_FAULTS"], "FAULT_FOLDER": str(folder),
              "FAULT_LOG": str(folder / "calls")}
    subprocess.run(words, cwd=folder, env={**os.environ, **faults}, check=True)
    calls = (folder / "calls").read_text().splitlines()
    renames = [number for number, call in enumerate(calls, 1) if "rename" in call and call.endswith(".checkpoint")]
    (folder / "resumed.model").unlink()
    (folder / "calls").unlink()
    faults.update({"FAULT_KIND": "kill", "FAULT_AT": str(renames[1] + 1), "FAULT_LOG": ""})
    subprocess.run(words, cwd=folder, env={**os.environ, **faults}, check=False)
    (folder / "resumed.model.lock").unlink(missing_ok=True)


def main():
    folder = pathlib.Path(sys.argv[1]).absolute()
    folder.mkdir(parents=True)
    expected = folder / "expected"
    expected.mkdir()
    (folder / "rows.tsv").write_text(rows())
    (folder / "schema.toml").write_text(SCHEMA)
    widehash(folder, "fit", "--schema", "schema.toml", "rows.tsv", "-o", "tables", "--max-bad-rows", 2, "--quiet")
    transform(folder, "set")
    # The bad row in the middle ends a run that allows none; the run continues once one is allowed.
    transform(folder, "stopped", max_bad_rows=0, check=False)

    (expected / "codes.txt").write_text(codes(folder))
    (expected / "matrix.vw").write_text(matrix(folder, "set"))
    numbers = {}
    for name, words in MODELS.items():
        widehash(folder, "train", "set", "-o", name + ".model", *TRAINING, *words, "--quiet")
        (expected / (name + ".predictions")).write_text(predictions(folder, name + ".model", "set"))
        numbers[name] = metrics(folder, name + ".model")
    widehash(folder, "train", "set", "-o", "resumed.model", *RESUMED, "--quiet")
    (expected / "resumed.predictions").write_text(predictions(folder, "resumed.model", "set"))
    (folder / "resumed.model").unlink()
    leave_a_checkpoint(folder)
    (expected / "metrics.json").write_text(json.dumps(numbers, indent=1) + "\n")


if __name__ == "__main__":
    main()
