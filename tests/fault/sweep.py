"""Disturbs every run of jobs.py at every file call it makes, and starts it again.

    python3 tests/fault/sweep.py --full        every call, every fault, hundreds of kills: the figures of docs/reliability.md
    python3 tests/fault/sweep.py               a seeded sample of these, which CI runs for every change
    python3 tests/fault/sweep.py --mpi         the same for runs of two processes under mpirun, with or without --full

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

import processes
from jobs import WIDEHASH, all_jobs, contents, jobs_of_two_processes, make_inputs, mpirun

# The calls that each fault can affect. Reads and maps do not meet a full disk; only reads and writes can be short.
FILLED = {"open-new", "write", "fsync", "ftruncate", "rename", "mkdir", "close"}
FAULTS = {
    "no space": ("ENOSPC", FILLED, {}),
    "no space from there on": ("ENOSPC", FILLED, {"ON": 1}),
    "I/O error": ("EIO", FILLED | {"open", "read", "mmap", "unlink", "stat"}, {}),
    "short": ("short", {"write", "read"}, {}),
    "kill": ("kill", None, {}),
    "kill in a write": ("torn", {"write"}, {}),
}
REASONS = (b"No space left on device", b"Input/output error")
# A failure of these calls may pass where nothing depends on it: closing what was read, removing what is no
# longer needed, the lock. Looks that decide whether something may be replaced are tested by refusals.py.
PASSABLE = {"close", "unlink", "stat"}
# mpirun exits with the code that a shell gives to a killed process, or with that of a rank that noticed first.
KILLED_UNDER_MPIRUN = {128 + signal.SIGKILL, 1}


def may_fail_unnoticed(call):
    what, path = call
    return what in PASSABLE or pathlib.Path(path).name in (".lock", ".lock-members") or path.endswith(".lock")


class Failure(Exception):
    pass


class Sweep:
    def __init__(self, root, seed):
        self.root = root
        self.random = random.Random(seed)
        self.inputs = root / "inputs"
        self.num_trials = 0
        make_inputs(self.inputs)

    def new_folder(self, job):
        self.num_trials += 1
        out = self.root / ("trial%d" % self.num_trials)
        out.mkdir()
        job.replaced = job.prepare(out)
        return out

    def undisturbed(self, job):
        """Returns the contents of an undisturbed run, and the calls of each of its processes as (what, path)."""
        job.calls, job.missed, job.longest = [], 0, 0
        for process in range(job.processes):
            out = self.new_folder(job)
            started = time.monotonic()
            done, calls = self.run(job, out, process)
            job.seconds = time.monotonic() - started
            if done.returncode != 0:
                raise Failure("%s fails undisturbed: %s" % (job.name, done.stderr))
            found = contents(out)
            job.expected = found if process == 0 else job.expected
            if found != job.expected:
                raise Failure("%s writes other bytes when it is done again" % job.name)
            job.calls.append([calls[number] for number in sorted(calls)])
            shutil.rmtree(out)

    def run(self, job, out, process, **faults):
        """Runs the job with faults in one of its processes. Returns the outcome, and the calls of that process by
        number."""
        log = self.root / "calls"
        log.unlink(missing_ok=True)
        if job.processes > 1:
            faults["RANK"] = process
        threads = faults.pop("threads", None)
        started = time.monotonic()
        done = job.run(out, threads=threads, faults={"FOLDER": self.root, "LOG": log, **faults})
        if job.processes > 1:
            self.require_gone(out)
        job.longest = max(job.longest, time.monotonic() - started)
        lines = log.read_text().splitlines() if log.exists() else []
        return done, {int(number): (what, path) for number, what, path in (line.split(" ", 2) for line in lines)}

    def require_gone(self, out):
        if not processes.wait_until_gone(out, mpirun.SECONDS_TO_NOTICE):
            raise Failure("%s: its processes go on for %d s" % (out, mpirun.SECONDS_TO_NOTICE))

    def check_names(self, job, out, what):
        """Checks that no half-written file has a final name."""
        found = contents(out)
        for name, digest in found.items():
            if name.endswith((".tmp", "progress.jsonl")) or "/fit.tmp/" in name:
                continue
            # A whole set of tables on the way to its place, and the temporary files of a dataset.
            final = name.replace("/fit.ready/", "/").replace("/dataset.tmp/", "/")
            if final.endswith(".gone") or digest in (job.expected.get(final), job.replaced.get(final)):
                continue
            # A model of an earlier epoch and a checkpoint are valid, though not final.
            if name.endswith((".model", ".checkpoint")):
                sound = subprocess.run([WIDEHASH, "verify", str(out / name), "--quiet"], stderr=subprocess.PIPE,
                                       check=False)
                if sound.returncode == 0:
                    continue
            raise Failure("%s: %s stands there and is not whole" % (what, name))
        self.check_set(job, found, what)

    def check_set(self, job, found, what):
        """Checks that tables and shards are all of the new set or all of the old one, except while they are put in place."""
        manifest = "set/manifest.json"
        is_moving = any("/fit.ready/" in name for name in found) or (manifest in job.replaced and manifest not in found)
        if not job.before or is_moving:
            return
        final = {name: digest for name, digest in found.items()
                 if not name.endswith((".tmp", "progress.jsonl")) and "/fit.tmp/" not in name and "/dataset.tmp/" not in name}
        if final not in (job.expected, job.replaced):
            raise Failure("%s: files of two sets are mixed: %s" % (what, sorted(final)))

    def check_restart(self, job, out, what):
        several = self.random.choice([1, job.processes])
        again = job.run(out, again=True, threads=self.random.choice([1, 3]), processes=several)
        if again.returncode != 0:
            raise Failure("%s: started again it ends with %d: %s" % (what, again.returncode, again.stderr))
        found = contents(out)
        if found != job.expected:
            names = {name for name in set(found) | set(job.expected) if found.get(name) != job.expected.get(name)}
            raise Failure("%s: started again it wrote other bytes: %s" % (what, sorted(names)))
        shutil.rmtree(out)

    def fault(self, job, process, number, name):
        """Tries one fault at one call (counted from 1) of a process that works on one thread."""
        kind, suits, more = FAULTS[name]
        out = self.new_folder(job)
        done, calls = self.run(job, out, process, AT=number, KIND=kind, **more)
        what = "%s, %s at call %d of process %d (%s %s)" % (job.name, name, number, process,
                                                            *calls.get(number, ("none", "")))
        hit = [call for at, call in calls.items()
               if (at == number or (more and at > number)) and (suits is None or call[0] in suits)]
        if not hit and job.processes > 1:
            # Two threads of a rank make calls in an order that differs from run to run: another call came at
            # this place.
            job.missed += 1
            if done.returncode != 0:
                raise Failure("%s: nothing was disturbed and it ends with %d: %s" % (what, done.returncode, done.stderr))
        elif not hit:
            raise Failure("%s: there is no such call this time" % what)
        elif kind in ("kill", "torn"):
            if done.returncode not in (KILLED_UNDER_MPIRUN if job.processes > 1 else {-signal.SIGKILL}):
                raise Failure("%s: was not killed but ended with %d" % (what, done.returncode))
        elif kind == "short":
            if done.returncode != 0:
                raise Failure("%s: ends with %d: %s" % (what, done.returncode, done.stderr))
        elif done.returncode == 0:
            if not all(map(may_fail_unnoticed, hit)):
                raise Failure("%s: passed unnoticed" % what)
            if {n: d for n, d in contents(out).items() if n in job.expected} != job.expected:
                raise Failure("%s: ended well with other bytes" % what)
        else:
            self.check_message(done, what)
        self.check_names(job, out, what)
        self.check_restart(job, out, what)

    def check_message(self, done, what):
        if done.returncode != 1:
            raise Failure("%s: ends with %d: %s" % (what, done.returncode, done.stderr))
        # Under mpirun, every rank prints a line, and mpirun a few.
        lines = [line for line in done.stderr.splitlines() if line.startswith(b"widehash: ")]
        lines = [line for line in lines if str(self.root).encode() in line]
        if not lines:
            raise Failure("%s: the message names no file: %s" % (what, done.stderr))
        if not any(reason in line for line in lines for reason in REASONS):
            raise Failure("%s: the message names no reason: %s" % (what, done.stderr))

    def random_kill(self, job, most):
        """Kills the run after a random time, again and again, until one finishes or `most` were killed."""
        out = self.new_folder(job)
        kills = 0
        while kills < most:
            threads = self.random.choice([1, 2, 3])
            several = self.random.choice([1, job.processes, job.processes])
            process = subprocess.Popen(job.command(out, kills > 0, threads, several), env=job.environment(),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(self.random.uniform(0, job.seconds))
            except subprocess.TimeoutExpired:
                self.kill(process, several, out)
                if process.returncode == 0:  # it finished before the signal came
                    break
                kills += 1
            else:
                if process.returncode != 0:
                    raise Failure("%s, killed %d times: ends with %d" % (job.name, kills, process.returncode))
                break
            self.check_names(job, out, "%s, killed %d times" % (job.name, kills))
        self.check_restart(job, out, "%s, killed %d times" % (job.name, kills))
        return kills

    def kill(self, process, several, out):
        if several == 1:
            process.kill()
            process.wait()
            return
        what = processes.kill_some_of(process, list(mpirun.processes_of(process).values()), self.random)
        try:
            process.wait(mpirun.SECONDS_TO_NOTICE)
        except subprocess.TimeoutExpired:
            states = [(pathlib.Path("/proc") / str(found) / "stat").read_text()[:60] for found in processes.find(out)]
            raise Failure("%s: mpirun goes on for %d s after a kill of %s; left are %s"
                          % (process.args, mpirun.SECONDS_TO_NOTICE, what, states)) from None
        if process.returncode not in KILLED_UNDER_MPIRUN | {0, -signal.SIGKILL}:
            raise Failure("%s: after a kill of %s mpirun ends with %d" % (out, what, process.returncode))
        self.require_gone(out)

    def crowded_fault(self, job):
        """Tries a fault at a random call of a run on several threads, where call numbers differ from run to run."""
        process = self.random.randrange(job.processes)
        number = self.random.randint(1, len(job.calls[process]))
        kind = self.random.choice(["ENOSPC", "EIO"])
        what = "%s on 3 threads, %s from call %d of process %d on" % (job.name, kind, number, process)
        out = self.new_folder(job)
        done, _ = self.run(job, out, process, threads=3, AT=number, KIND=kind, ON=1)
        if done.returncode != 0:
            self.check_message(done, what)
        self.check_names(job, out, what)
        self.check_restart(job, out, what)


def trials_of(job, seed, limit):
    """All trials of a job, or a sample. How often a sweep draws depends on its kills, so a generator of its own keeps the
    sample the same each time."""
    trials = [(process, number, name) for process in range(job.processes) for name, (_, suits, _) in FAULTS.items()
              for number, call in enumerate(job.calls[process], 1) if suits is None or call[0] in suits]
    if limit is not None and len(trials) > limit:
        trials = random.Random("%d %s" % (seed, job.name)).sample(trials, limit)
    return trials


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="every call and every fault")
    parser.add_argument("--mpi", action="store_true", help="runs of two processes under mpirun")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--kills", type=int,
                        help="kills at random times of each job (default 300 in full, else 5, or 2 with --mpi)")
    parser.add_argument("--faults", type=int,
                        help="faults at calls of each job (default all in full, else 20, or 6 with --mpi)")
    parser.add_argument("--crowded", type=int,
                        help="faults on 3 threads of each job (default 100 in full, else 3, or 1 with --mpi)")
    parser.add_argument("--jobs", default="", help="names of jobs, by commas")
    options = parser.parse_args()
    if options.mpi and mpirun.why_not():
        print("SKIPPED: " + mpirun.why_not())
        return 77

    def amount(given, full, sample, sample_of_mpi):
        return given if given is not None else full if options.full else sample_of_mpi if options.mpi else sample

    limit = amount(options.faults, None, 20, 6)
    kills_wanted = amount(options.kills, 300, 5, 2)
    crowded = amount(options.crowded, 100, 3, 1)

    # In memory where possible: thousands of flushes would wait for a disk, and prove no more.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    failures = 0
    with tempfile.TemporaryDirectory(dir=place, prefix="widehash-fault-") as folder:
        sweep = Sweep(pathlib.Path(folder), options.seed)
        print("%-12s %9s %8s %8s %8s %8s %10s" % ("job", "calls", "faults", "kills", "at once", "missed", "longest"))
        totals = collections.Counter()
        for job in (jobs_of_two_processes if options.mpi else all_jobs)(sweep.inputs):
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
                    processes.kill(processes.find(sweep.root))
                    return 1

            for process, number, name in trials_of(job, options.seed, limit):
                attempt(sweep.fault, process, number, name)
                done["kills" if name.startswith("kill") else "faults"] += 1
            random_kills = 0
            while random_kills < kills_wanted:
                random_kills += max(attempt(sweep.random_kill, kills_wanted - random_kills), 1)
            done["kills"] += random_kills
            for _ in range(crowded):
                attempt(sweep.crowded_fault)
            done["faults"] += crowded
            calls = "+".join(str(len(calls)) for calls in job.calls)
            print("%-12s %9s %8d %8d %8d %8d %8.1f s" % (job.name, calls, done["faults"], done["kills"], crowded,
                                                         job.missed, job.longest), flush=True)
            totals.update(done)
        print("all: %d faults, %d kills, %d not survived" % (totals["faults"], totals["kills"], failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
