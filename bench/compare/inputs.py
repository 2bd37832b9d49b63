"""The text that all programs read: Criteo-shaped rows for training and held out, also in Vowpal Wabbit's format and compressed.

Made once per work folder and number of rows, and read once before any measurement, so that it is in the page cache.
"""

import gzip
import pathlib
import shutil
import subprocess

FIRST_CATEGORY = 14
NUM_CATEGORIES = 26
# One Vowpal Wabbit namespace per field, named by a letter, so that equal values of different fields are distinct.
VW_LINE = "%s " + " ".join(f"|{letter} %s" for letter in "abcdefghijklmnopqrstuvwxyz") + "\n"


def made(path, make):
    """Returns `path`, after writing it with `make(temporary path)` if it does not exist yet."""
    path = pathlib.Path(path)
    if not path.exists():
        print(f"making {path.name}", flush=True)
        aside = path.with_name(path.name + ".part")
        make(aside)
        aside.rename(path)
    return path


def touch(*paths):
    """Reads files once, into the page cache."""
    for path in paths:
        with open(path, "rb") as file:
            while file.read(1 << 24):
                pass


def criteo_text(work, criteo_rows, rows, seed):
    def make(path):
        with open(path, "wb") as file:
            subprocess.run([criteo_rows, str(rows), "--seed", str(seed)], stdout=file, check=True)
    return made(work / f"rows-{rows}-{seed}.tsv", make)


def write_vw(text, path):
    """The 26 categories in Vowpal Wabbit's format; a missing value counts as a value, as it does for the others."""
    with open(text) as source, open(path, "w") as target:
        for line in source:
            fields = line.rstrip("\n").split("\t")
            values = [value or "missing" for value in fields[FIRST_CATEGORY:]]
            target.write(VW_LINE % ("1" if fields[0] == "1" else "-1", *values))


def vw_text(text):
    return made(text.with_suffix(".vw"), lambda path: write_vw(text, path))


def first_rows(text, rows, name, skip=0):
    """`rows` lines of `text` from line `skip` on, as a separate file."""
    def make(path):
        with open(text, "rb") as source, open(path, "wb") as target:
            for number, line in enumerate(source):
                if number >= skip + rows:
                    break
                if number >= skip:
                    target.write(line)
    return made(text.with_name(f"{text.stem}-{name}{text.suffix}"), make)


def gzip_text(text):
    """(path, function that makes the file and brings it into the page cache)"""
    def write(path):
        with open(text, "rb") as source, gzip.open(path, "wb", compresslevel=6) as target:
            shutil.copyfileobj(source, target, 1 << 20)
    path = text.with_name(text.name + ".gz")
    return path, lambda: touch(made(path, write))


def zstd_text(text):
    """Like gzip_text."""
    def write(path):
        import pyarrow
        with open(text, "rb") as source, pyarrow.output_stream(str(path), compression="zstd") as target:
            shutil.copyfileobj(source, target, 1 << 20)
    path = text.with_name(text.name + ".zst")
    return path, lambda: touch(made(path, write))
