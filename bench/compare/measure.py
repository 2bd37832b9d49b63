"""Runs one measurement alone, several times: wall time, processor time, peak memory."""

import json
import os
import pathlib
import subprocess
import time

TOO_LONG_SECONDS = 25  # longer runs are not repeated
TIME_LIMIT_SECONDS = 300


class Failed(Exception):
    """A measurement that did not finish; the message is the reason, in one line."""


def last_json(text):
    """The last line of `text` that is a JSON object, or {}."""
    for line in reversed(text.strip().splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    return {}


def run_once(command, env, log):
    """Runs one process: (seconds, cpu_seconds, peak_bytes, its JSON).

    The figures come from /usr/bin/time, a small process of its own: the peak of a child forked from Python would start at
    Python's own memory.
    """
    figures = pathlib.Path(f"{log}.time")
    start = time.perf_counter()
    try:
        done = subprocess.run(
            ["/usr/bin/time", "-q", "-f", "%U %S %M", "-o", figures, *command],
            env={**os.environ, **env}, capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT_SECONDS,
            check=False)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"not done after {TIME_LIMIT_SECONDS} s") from error
    seconds = time.perf_counter() - start
    pathlib.Path(log).write_text(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    if done.returncode != 0:
        reasons = [line for line in done.stderr.strip().splitlines() if line.strip()] or [f"exit code {done.returncode}"]
        raise Failed(reasons[-1][:200])
    user, system, peak_kib = figures.read_text().split()
    return seconds, float(user) + float(system), int(peak_kib) * 1024, last_json(done.stdout)


def measure(commands, *, repeats, log, env=None, clock=None, before=None):
    """The best of `repeats` runs of `commands`, one after another, each in a process of its own.

    `clock` returns the seconds from the JSON that the program printed, for programs that time their work themselves; without it, the
    time of the process counts. `before` removes the output of the previous run and is not timed.
    """
    runs = []
    for _ in range(repeats):
        if before:
            before()
        parts = [run_once(list(map(str, command)), env or {}, log) for command in commands]
        seconds = [clock(part[3]) if clock else part[0] for part in parts]
        runs.append({
            "seconds": sum(seconds),
            "part_seconds": seconds,
            "cpu_seconds": sum(part[1] for part in parts),
            "peak_memory_bytes": max(part[2] for part in parts),
            "answers": [part[3] for part in parts],
        })
        if runs[-1]["seconds"] > TOO_LONG_SECONDS:
            break
    best = min(runs, key=lambda run: run["seconds"])
    slowest = max(run["seconds"] for run in runs)
    return {**best, "runs": len(runs), "spread": slowest / best["seconds"] - 1.0}
