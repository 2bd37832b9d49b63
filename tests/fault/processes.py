"""Ends processes of a run that has several, and waits until none is left."""

import os
import pathlib
import signal
import time


def find(words):
    """The ids of the processes whose command line contains the text, except zombies."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and str(words).encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def kill(process_ids):
    for process_id in process_ids:
        try:
            os.kill(process_id, signal.SIGKILL)
        except ProcessLookupError:
            pass


def kill_some_of(job, ranks, source):
    """Kills one rank of a running mpirun, or mpirun itself, or all of them at once. Returns which."""
    choice = source.choice(["rank", "mpirun", "all"]) if ranks else "mpirun"
    if choice == "rank":
        kill([source.choice(ranks)])
    else:
        kill([job.pid] + (ranks if choice == "all" else []))
    return choice


def wait_until_gone(words, seconds):
    """Returns False if some of them are still there after that time."""
    deadline = time.monotonic() + seconds
    while find(words):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
