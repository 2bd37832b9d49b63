"""The machine and the versions that a table of figures was measured with."""

import datetime
import os
import pathlib
import platform
import subprocess
from importlib import metadata

PEERS = ["vowpalwabbit", "scikit-learn", "pyarrow", "polars", "duckdb", "xgboost-cpu"]


def threads():
    return len(os.sched_getaffinity(0))


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def memory_bytes():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def commit():
    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False).stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" and changes" if changed else "")


def versions():
    found = {}
    for name in PEERS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def describe():
    return {
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "threads": threads(),
        "memory_bytes": memory_bytes(),
        "load_at_start": os.getloadavg()[0],
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "commit": commit(),
        "peers": versions(),
    }


def sentence(machine):
    peers = ", ".join(f"{name} {version}" for name, version in machine["peers"].items())
    return (f"{machine['date']}, {machine['threads']} threads of {machine['processor']}, "
            f"{machine['memory_bytes'] / 2**30:.0f} GiB, commit {machine['commit']}; {peers}.")
