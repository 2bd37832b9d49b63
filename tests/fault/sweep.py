"""Disturbs every run of jobs.py at every file call it makes, and starts it again.

    python3 tests/fault/sweep.py --full        every call, every fault, hundreds of kills: the figures of docs/reliability.md
    python3 tests/fault/sweep.py               a seeded sample of them, for every change

Needs WIDEHASH (the program), WIDEHASH_SOURCE_DIR, WIDEHASH_SHARED_DIR and WIDEHASH_FILE_FAULTS (the library made of
file_faults.cpp) in the environment; ctest sets them.
"""

import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from jobs import WIDEHASH, all_jobs, contents, make_inputs

# What each fault can befall. Reads and maps do not meet a full disk; only reads and writes are short.
FILLED = {"open-new", "write", "fsync", "ftruncate", "rename", "mkdir", "close"}
FAULTS = {
    "no space": ("ENOSPC", FILLED, {}),
    "no space from there on": ("ENOSPC", FILLED, {"ON": 1}),
    "I/O error": ("EIO", FILLED | {"open", "read", "mmap", "unlink"}, {}),
    "short": ("short", {"write", "read"}, {}),
    "kill": ("kill", None, {}),
    "kill in a write": ("torn", {"write"}, {}),
}
REASONS = (b"No space left on device", b"Input/output error")
# Where nothing depends on a call, its failure may pass: closing what was read, removing what is done with, the lock.
PASSABLE = {"close", "unlink"}


class Failure(Exception):
    pass


class Sweep:
    def __init__(self, root, seed):
        self.root = root
        self.random = random.Random(seed)
        self.inputs = root / "inputs"
        self.num_trials = 0
        make_inputs(self.inputs)

    def new_folder(self):
        self.num_trials += 1
        out = self.root / ("trial%d" % self.num_trials)
        out.mkdir()
        return out

    def undisturbed(self, job):
        """Contents of an undisturbed run, and its calls as (what, path)."""
        out = self.new_folder()
        log = self.root / "calls"
        log.unlink(missing_ok=True)
        started = time.monotonic()
        done = job.run(out, faults={"FOLDER": self.root, "LOG": log})
        job.seconds = time.monotonic() - started
        if done.returncode != 0:
            raise Failure("%s fails undisturbed: %s" % (job.name, done.stderr))
        job.expected = contents(out)
        # The calls that the number of a folder does not change, so that they can be compared.
        job.calls = [tuple(line.split(" ", 2)[1:]) for line in log.read_text().splitlines()]
        shutil.rmtree(out)

    def check_names(self, job, out, what):
        """Nothing half written stands under a final name."""
        for name, digest in contents(out).items():
            if name.endswith((".tmp", "progress.jsonl")):
                continue
            if job.expected.get(name) == digest:
                continue
            # A model of an earlier epoch and a checkpoint are whole, though not the last word.
            if name.endswith((".model", ".checkpoint")):
                sound = subprocess.run([WIDEHASH, "verify", str(out / name), "--quiet"], stderr=subprocess.PIPE,
                                       check=False)
                if sound.returncode == 0:
                    continue
            raise Failure("%s: %s stands there and is not whole" % (what, name))

    def check_restart(self, job, out, what):
        again = job.run(out, again=True, threads=self.random.choice([1, 3]))
        if again.returncode != 0:
            raise Failure("%s: started again it ends with %d: %s" % (what, again.returncode, again.stderr))
        found = contents(out)
        if found != job.expected:
            names = {name for name in set(found) | set(job.expected) if found.get(name) != job.expected.get(name)}
            raise Failure("%s: started again it wrote other bytes: %s" % (what, sorted(names)))
        shutil.rmtree(out)

    def fault(self, job, number, name):
        """One fault at one call (from 1) of a run on one thread."""
        kind, _, more = FAULTS[name]
        call = job.calls[number - 1]
        what = "%s, %s at call %d (%s %s)" % (job.name, name, number, *call)
        out = self.new_folder()
        done = job.run(out, faults={"FOLDER": self.root, "AT": number, "KIND": kind, **more})
        if kind in ("kill", "torn"):
            if done.returncode != -signal.SIGKILL:
                raise Failure("%s: was not killed but ended with %d" % (what, done.returncode))
        elif kind == "short":
            if done.returncode != 0:
                raise Failure("%s: ends with %d: %s" % (what, done.returncode, done.stderr))
        elif done.returncode == 0:
            # Later calls fail too, so only what is passed over everywhere may end well.
            if call[0] not in PASSABLE and not call[1].endswith(".lock"):
                raise Failure("%s: passed unnoticed" % what)
            if {n: d for n, d in contents(out).items() if n in job.expected} != job.expected:
                raise Failure("%s: ended well with other bytes" % what)
        else:
            self.check_message(done, what)
        self.check_names(job, out, what)
        self.check_restart(job, out, what)

    def check_message(self, done, what):
        message = done.stderr
        if done.returncode != 1:
            raise Failure("%s: ends with %d: %s" % (what, done.returncode, message))
        if not message.startswith(b"widehash: ") or str(self.root).encode() not in message:
            raise Failure("%s: the message names no file: %s" % (what, message))
        if not any(reason in message for reason in REASONS):
            raise Failure("%s: the message names no reason: %s" % (what, message))

    def random_kill(self, job):
        """Kills after a random time, again and again, until a run gets through."""
        out = self.new_folder()
        kills = 0
        while True:
            threads = self.random.choice([1, 2, 3])
            process = subprocess.Popen(job.command(out, again=kills > 0, threads=threads), stderr=subprocess.DEVNULL)
            try:
                process.wait(self.random.uniform(0, job.seconds))
                if process.returncode != 0:
                    raise Failure("%s, killed %d times: ends with %d" % (job.name, kills, process.returncode))
                break
            except subprocess.TimeoutExpired:
                process.kill()
                kills += process.wait() == -signal.SIGKILL
                self.check_names(job, out, "%s, killed %d times" % (job.name, kills))
        self.check_restart(job, out, "%s, killed %d times" % (job.name, kills))
        return kills

    def crowded_fault(self, job):
        """A fault at a random call of a run on several threads, where numbers differ from run to run."""
        number = self.random.randint(1, len(job.calls))
        kind = self.random.choice(["ENOSPC", "EIO"])
        what = "%s on 3 threads, %s from call %d on" % (job.name, kind, number)
        out = self.new_folder()
        done = job.run(out, threads=3, faults={"FOLDER": self.root, "AT": number, "KIND": kind, "ON": 1})
        if done.returncode != 0:
            self.check_message(done, what)
        self.check_names(job, out, what)
        self.check_restart(job, out, what)


def trials_of(job, source, limit):
    trials = [(number, name) for name, (_, suits, _) in FAULTS.items()
              for number, call in enumerate(job.calls, 1) if suits is None or call[0] in suits]
    if limit is not None and len(trials) > limit:
        trials = source.sample(trials, limit)
    return trials


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="every call and every fault")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--kills", type=int, help="kills at random times of each job (default 300 in full, else 5)")
    parser.add_argument("--faults", type=int, help="faults at calls of each job (default all in full, else 20)")
    parser.add_argument("--jobs", default="", help="names of jobs, by commas")
    options = parser.parse_args()
    limit = options.faults if options.faults is not None else None if options.full else 20
    kills_wanted = options.kills if options.kills is not None else 300 if options.full else 5
    crowded = 100 if options.full else 3

    # In memory where there is such a place: thousands of flushes would wait for a disk, and prove no more.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    failures = 0
    with tempfile.TemporaryDirectory(dir=place, prefix="widehash-fault-") as folder:
        sweep = Sweep(pathlib.Path(folder), options.seed)
        print("%-12s %6s %8s %8s %8s" % ("job", "calls", "faults", "kills", "at once"))
        totals = collections.Counter()
        for job in all_jobs(sweep.inputs):
            if options.jobs and job.name not in options.jobs.split(","):
                continue
            done = collections.Counter()
            sweep.undisturbed(job)

            def attempt(trial, *arguments):
                nonlocal failures
                try:
                    return trial(job, *arguments)
                except (Failure, subprocess.TimeoutExpired) as problem:
                    failures += 1
                    print("FAILED: %s" % problem, flush=True)
                    return 1

            for number, name in trials_of(job, sweep.random, limit):
                attempt(sweep.fault, number, name)
                done["kills" if name.startswith("kill") else "faults"] += 1
            random_kills = 0
            while random_kills < kills_wanted:
                random_kills += max(attempt(sweep.random_kill), 1)
            done["kills"] += random_kills
            for _ in range(crowded):
                attempt(sweep.crowded_fault)
            done["faults"] += crowded
            print("%-12s %6d %8d %8d %8d" % (job.name, len(job.calls), done["faults"], done["kills"], crowded),
                  flush=True)
            totals.update(done)
        print("all: %d faults, %d kills, %d not survived" % (totals["faults"], totals["kills"], failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
