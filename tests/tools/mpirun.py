"""Runs the program under mpirun. Shared by the tests that need several processes."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import WIDEHASH, run

SECONDS_TO_NOTICE = 60

MPIRUN = shutil.which("mpirun")
# Removed when the tests end, with the files of 4 MiB that killed ranks leave. Sockets lie in it too, so its path must be short.
SCRATCH = tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None,
                                      prefix="widehash-mpi-", ignore_cleanup_errors=True)
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none",
                   OMPI_MCA_btl_vader_backing_directory=SCRATCH.name, TMPDIR=SCRATCH.name)


def why_not():
    """Why these tests cannot be run here; empty if they can."""
    if MPIRUN is None:
        return "there is no mpirun"
    if b"built without MPI" in run("devices").stdout:
        return "widehash was built without MPI"
    try:
        done = subprocess.run([MPIRUN, "--oversubscribe", "-n", "4", "true"], env=ENVIRONMENT, timeout=60,
                              capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return "mpirun hangs"
    return "" if done.returncode == 0 else "mpirun does not start processes here: " + done.stderr.decode()[:300]


def command(processes, options, *arguments):
    return [MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", str(processes), *options, WIDEHASH,
            *map(str, arguments)]


def processes_of(job):
    """The process ids of a running mpirun, by rank."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if parent != job.pid:
                continue
            for item in (folder / "environ").read_bytes().split(b"\0"):
                if item.startswith(b"OMPI_COMM_WORLD_RANK="):
                    found[int(item.split(b"=")[1])] = int(folder.name)
        except (OSError, ValueError):
            continue
    return found


def run_mpi(processes, *arguments, options=(), timeout=240):
    return subprocess.run(command(processes, options, *arguments), env=ENVIRONMENT, timeout=timeout,
                          capture_output=True, check=False)


def main():
    reason = why_not()
    if reason:
        print("SKIPPED: " + reason)
        sys.exit(77)
    unittest.main()
