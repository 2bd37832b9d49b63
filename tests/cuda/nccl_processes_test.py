"""One process per GPU under mpirun, on simulated devices: NCCL carries the numbers between processes and gives the bits that
threads give, and a failure in one process is reported with its rank and ends all processes."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from mpirun import ENVIRONMENT, MPIRUN, SECONDS_TO_NOTICE, main, processes_of
from program import SCHEMA, WIDEHASH, Case, table

# Every call of NCCL fails, so whatever succeeds does without NCCL.
NO_NCCL = "nccl:0"


class Processes(Case):
    def setUp(self):
        super().setUp()
        schema = self.write("schema.toml", SCHEMA)
        self.data = self.folder / "data"
        self.succeed("transform", "--schema", schema, self.write("rows.tsv", table(301)), "-o", self.data, "--quiet")
        # Communicators meet in folders below it.
        self.meetings = tempfile.TemporaryDirectory()
        self.addCleanup(self.meetings.cleanup)
        self.environment = dict(ENVIRONMENT, TMPDIR=self.meetings.name)

    def arguments(self, name, devices, *options):
        return [WIDEHASH, "train", str(self.data), "-o", str(self.folder / name), "--overwrite", "--devices", devices, "--batch-size", "60",
                "--threads", "1", "--quiet", *options]

    def job(self, name, devices_of_each, options, failures=None):
        """The command of one process per list of devices; `failures` plans a failure in the process of that number."""
        words = [MPIRUN, "--oversubscribe", "--bind-to", "none"]
        for process, devices in enumerate(devices_of_each):
            plan = (failures or {}).get(process)
            words += [":"] if process else []
            words += ["-n", "1", *(["env", "WIDEHASH_SIMULATOR_FAIL=" + plan] if plan else [])]
            words += self.arguments(name, devices, *options)
        return words

    def together(self, name, devices_of_each, options, failures=None):
        return subprocess.run(self.job(name, devices_of_each, options, failures), env=self.environment, timeout=240,
                              capture_output=True, check=False)

    def model(self, name):
        return (self.folder / name).read_bytes()

    def expect_the_bits_of_threads(self, devices_of_each, options, failures=None):
        every = ",".join(devices_of_each)
        # One process, in which only threads communicate.
        alone = subprocess.run(self.arguments("threads", every, *options), env=self.environment, timeout=240,
                               capture_output=True, check=False)
        self.assertEqual(alone.returncode, 0, alone.stderr.decode())
        done = self.together("processes", devices_of_each, options, failures)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertTrue(self.model("processes") == self.model("threads"), (devices_of_each, options))
        self.assertEqual(list(pathlib.Path(self.meetings.name).glob("simulated-nccl-*")), [], "communicators were left")

    def test_processes_with_a_gpu_each_give_the_bits_of_threads(self):
        for options in [["--parallel", "data", "--hidden", "5"], ["--parallel", "model", "--hidden", "5"],
                        ["--parallel", "tower"],
                        ["--parallel", "tower", "--mix", "parameters", "--mix-every", "2", "--optimizer", "ftrl"]]:
            self.expect_the_bits_of_threads(["cuda:0", "cuda:1", "cuda:2"], options)

    def test_processes_and_threads_together_are_one_world(self):
        self.expect_the_bits_of_threads(["cuda:2,cuda:0", "cuda:1"], ["--parallel", "model"])

    def test_a_trace_has_the_collectives_by_the_clocks_of_the_gpus(self):
        trace = self.folder / "trace.json"
        done = self.together("profiled", ["cuda:0", "cuda:1"], ["--parallel", "data", "--profile", str(trace), "--json"])
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        events = json.loads(trace.read_text())["traceEvents"]
        tracks = {event["args"]["name"]: event["tid"] for event in events if event["ph"] == "M"}
        devices = json.loads(done.stdout)["parallel"]["devices"]
        for rank, device in enumerate(devices):
            track = tracks["rank %d, cuda:%d, between GPUs" % (rank, rank)]
            spans = [event for event in events if event["ph"] == "X" and event["tid"] == track]
            # 301 rows in batches of 60 make 6 steps. In each, the gradient is summed, its tail too, and
            # weights are gathered.
            self.assertEqual(len(spans), 18)
            sent = sum(span["args"]["bytes_sent"] for span in spans)
            self.assertGreater(sent, 0)
            self.assertLess(sent, device["bytes_sent"])  # excludes what goes through the host
            ends = [span["ts"] + span["dur"] for span in spans]
            self.assertEqual(ends, sorted(ends))
            self.assertLess(ends[-1], 1e6 * device["seconds"] + 1)
            self.assertGreater(spans[0]["ts"], 0)

    def test_processes_that_share_a_gpu_do_without_nccl(self):
        self.expect_the_bits_of_threads(["cuda:1", "cuda:1"], ["--parallel", "data"], {0: NO_NCCL, 1: NO_NCCL})

    def expect_failure_of(self, rank, what, devices_of_each, failures):
        start = time.monotonic()
        done = self.together("failed", devices_of_each, ["--parallel", "data"], failures)
        said = done.stderr.decode()
        self.assertNotEqual(done.returncode, 0, "NCCL was not asked")
        self.assertIn(what, said)
        self.assertIn("rank %d" % rank, said)
        self.assertLess(time.monotonic() - start, SECONDS_TO_NOTICE)
        self.assertFalse((self.folder / "failed").exists())

    def test_a_failure_of_nccl_names_the_call_and_the_rank_and_ends_all(self):
        devices = ["cuda:0", "cuda:1", "cuda:2"]
        self.expect_failure_of(1, "ncclCommInitRank failed on rank 1", devices, {1: NO_NCCL})
        # The first call is the one in ncclCommInitRank.
        self.expect_failure_of(2, "ncclGroupEnd failed on rank 2", devices, {2: "nccl:3"})

    def test_without_an_id_nobody_waits_for_it(self):
        self.expect_failure_of(0, "ncclGetUniqueId failed on rank 0", ["cuda:0", "cuda:1"], {0: "ncclGetUniqueId:0"})

    def test_a_rank_that_is_killed_is_named(self):
        words = self.job("killed", ["cuda:0", "cuda:1", "cuda:2"],
                         ["--parallel", "data", "--epochs", "2000", "--checkpoint-every", "2"])
        # With this option, mpirun does not end the other processes: they must notice themselves.
        words.insert(1, "--enable-recovery")
        job = subprocess.Popen(words, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 120
        while not (self.folder / "killed.checkpoint").exists():
            self.assertIsNone(job.poll(), "it ended before it was killed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        os.kill(processes_of(job)[1], signal.SIGKILL)
        _, said = job.communicate(timeout=SECONDS_TO_NOTICE)
        # Between the meeting on the host and the call of NCCL, there is a moment in which only NCCL can notice.
        noticed = said.count(b"rank 1 is gone") + said.count(b"remote process exited")
        self.assertGreaterEqual(noticed, 2, said.decode())


if __name__ == "__main__":
    main()
