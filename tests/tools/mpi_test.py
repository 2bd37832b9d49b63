"""Training by several processes under mpirun: the same results as threads give, and what happens when one dies."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import SOURCE_DIR, WIDEHASH, Case, run

SCHEMA = SOURCE_DIR / "examples/schemas/flights.toml"
FLIGHTS = SOURCE_DIR / "examples/flights"
SECONDS_TO_NOTICE = 60

MPIRUN = shutil.which("mpirun")
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")


def why_not():
    """Why these tests cannot be run here; empty where they can."""
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
    """Process id by rank of a running mpirun."""
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


class Mpi(Case):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "train"
        self.test = self.folder / "test"
        for name in ["train", "test"]:
            self.succeed("transform", "--schema", SCHEMA, FLIGHTS / (name + ".tsv.gz"), "-o", self.folder / name, "--quiet")

    def mpi(self, processes, *arguments, options=(), timeout=240):
        return subprocess.run(command(processes, options, *arguments), env=ENVIRONMENT, timeout=timeout,
                              capture_output=True, check=False)

    def model(self, name):
        return (self.folder / name).read_bytes()

    def test_processes_and_threads_give_the_same_bits(self):
        for options in [["--parallel", "data"], ["--parallel", "model", "--hidden", "6"],
                        ["--parallel", "tower", "--batch-size", "100"],
                        ["--parallel", "tower", "--mix", "parameters", "--mix-every", "3", "--optimizer", "ftrl"],
                        ["--parallel", "tower", "--mix", "predictions", "--hidden", "6"]]:
            common = ["--valid", self.test, "--threads", 1, *options]
            self.succeed("train", self.data, "-o", self.folder / "threads", "--devices", "cpu,cpu,cpu,cpu", "--quiet",
                         *common)
            for processes, devices in [(4, "cpu"), (2, "cpu,cpu")]:
                done = self.mpi(processes, "train", self.data, "-o", self.folder / "processes", "--devices", devices,
                                "--json", *common)
                self.assertEqual(done.returncode, 0, done.stderr.decode())
                self.assertEqual(done.stdout.count(b"\n"), 1, "one process speaks")
                self.assertTrue(self.model("processes") == self.model("threads"), (options, processes))

    def test_processes_may_have_different_numbers_of_devices(self):
        self.succeed("train", self.data, "-o", self.folder / "threads", "--devices", "cpu,cpu,cpu", "--quiet")
        arguments = ["train", self.data, "-o", self.folder / "processes", "--quiet", "--devices"]
        one = [WIDEHASH, *map(str, arguments), "cpu,cpu"]
        other = [WIDEHASH, *map(str, arguments), "cpu"]
        done = subprocess.run([MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", "1", *one, ":", "-n", "1", *other],
                              env=ENVIRONMENT, timeout=240, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertTrue(self.model("processes") == self.model("threads"))

    def test_an_error_of_one_is_told_and_ends_all(self):
        shard = next(self.data.glob("*.shard"))
        content = bytearray(shard.read_bytes())
        content[100] ^= 4
        shard.write_bytes(content)
        start = time.monotonic()
        done = self.mpi(3, "train", self.data, "-o", self.folder / "m")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(shard.name, done.stderr.decode())
        self.assertLess(time.monotonic() - start, SECONDS_TO_NOTICE)
        self.assertFalse((self.folder / "m").exists())

    def long_training(self, name, *extra):
        return ["train", self.data, "-o", self.folder / name, "--epochs", 40, "--batch-size", 64, "--checkpoint-every", 50,
                "--threads", 1, "--quiet", *extra]

    def kill_one_of_four(self, name, options):
        """Starts four, kills rank 2 once there is a checkpoint, and gives what was said and how long it took."""
        job = subprocess.Popen(command(4, options, *self.long_training(name)), env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
        checkpoint = self.folder / (name + ".checkpoint")
        deadline = time.monotonic() + 120
        while not checkpoint.exists():
            self.assertIsNone(job.poll(), "it ended before it was killed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        os.kill(processes_of(job)[2], signal.SIGKILL)
        start = time.monotonic()
        _, said = job.communicate(timeout=SECONDS_TO_NOTICE)
        return job.returncode, said.decode(), time.monotonic() - start

    def test_killing_one_of_four_ends_the_others_and_resume_finishes(self):
        done = self.mpi(4, *self.long_training("undisturbed"))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        # As users start it, mpirun itself ends the others; told not to, they notice on their own.
        for name, options in [("ended", []), ("alone", ["--enable-recovery"])]:
            code, said, seconds = self.kill_one_of_four(name, options)
            print("%s: %.2f s after the kill\n%s" % (name, seconds, said), file=sys.stderr)
            self.assertLess(seconds, SECONDS_TO_NOTICE)
            if name == "alone":
                self.assertGreaterEqual(said.count("rank 2 is gone"), 3, said)
            else:
                self.assertNotEqual(code, 0)
                self.assertIn("rank 2", said)
            # Nothing is damaged: the checkpoint can be read, and no half file lies about under a final name.
            self.succeed("evaluate", self.folder / (name + ".checkpoint"), self.test)
            done = self.mpi(4, *self.long_training(name, "--resume"))
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertTrue(self.model(name) == self.model("undisturbed"))


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print("SKIPPED: " + reason)
        sys.exit(77)
    unittest.main()
