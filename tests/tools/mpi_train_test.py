"""Training by several processes under mpirun: the same results as with threads, and what happens when a process dies."""

import os
import signal
import subprocess
import sys
import time

from mpirun import ENVIRONMENT, MPIRUN, SECONDS_TO_NOTICE, command, main, processes_of, run_mpi
from program import WIDEHASH, FlightsCase


class Mpi(FlightsCase):
    def model(self, name):
        return (self.folder / name).read_bytes()

    def test_processes_and_threads_give_the_same_bits(self):
        for options in [["--parallel", "data"], ["--parallel", "model", "--hidden", "6"],
                        ["--parallel", "tower", "--batch-size", "100"],
                        ["--parallel", "tower", "--mix", "parameters", "--mix-every", "3", "--optimizer", "ftrl"],
                        ["--parallel", "tower", "--mix", "predictions", "--hidden", "6"]]:
            common = ["--valid", self.test, "--threads", 1, *options]
            self.succeed("train", self.data, "-o", self.folder / "threads", "--overwrite", "--devices", "cpu,cpu,cpu,cpu", "--quiet",
                         *common)
            for processes, devices in [(4, "cpu"), (2, "cpu,cpu")]:
                done = run_mpi(processes, "train", self.data, "-o", self.folder / "processes", "--overwrite", "--devices", devices,
                               "--json", *common)
                self.assertEqual(done.returncode, 0, done.stderr.decode())
                self.assertEqual(done.stdout.count(b"\n"), 1, "one process speaks")
                self.assertTrue(self.model("processes") == self.model("threads"), (options, processes))

    def test_processes_may_have_different_numbers_of_devices(self):
        self.succeed("train", self.data, "-o", self.folder / "threads", "--devices", "cpu,cpu,cpu", "--quiet")
        arguments = ["train", self.data, "-o", self.folder / "processes", "--overwrite", "--quiet", "--devices"]
        one = [WIDEHASH, *map(str, arguments), "cpu,cpu"]
        other = [WIDEHASH, *map(str, arguments), "cpu"]
        done = subprocess.run([MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", "1", *one, ":", "-n", "1", *other],
                              env=ENVIRONMENT, timeout=240, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertTrue(self.model("processes") == self.model("threads"))

    def test_processes_start_from_one_model(self):
        for name, seed in [("one", 1), ("other", 2)]:
            self.succeed("train", self.data, "-o", self.folder / name, "--seed", seed, "--quiet")
        arguments = ["train", self.data, "-o", self.folder / "processes", "--overwrite", "--quiet", "--from"]
        self.succeed(*arguments[:3], self.folder / "threads", "--quiet", "--from", self.folder / "one", "--devices", "cpu,cpu")
        done = run_mpi(2, *arguments, self.folder / "one")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertTrue(self.model("processes") == self.model("threads"))
        for start in [["--from", self.folder / "other"], []]:
            done = self.run_two([*arguments, self.folder / "one"], arguments[:-1] + start)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("--from must be the same for all processes", done.stderr.decode())

    def run_two(self, *arguments_of):
        """Starts one process for each list of arguments."""
        words = []
        for arguments in arguments_of:
            words += [":", "-n", "1", WIDEHASH, *map(str, arguments)]
        return subprocess.run([MPIRUN, "--oversubscribe", "--bind-to", "none", *words[1:]], env=ENVIRONMENT, timeout=240,
                              capture_output=True, check=False)

    def test_processes_continue_from_one_file(self):
        # Both files may be continued: they differ in the last bits only.
        for name, devices in ("here", "cpu"), ("there", "cpu,cpu"):
            (self.folder / name).mkdir()
            self.succeed("train", self.data, "-o", self.folder / name / "m", "--lr-decay", "none", "--devices", devices, "--quiet")
        before = (self.folder / "here" / "m").read_bytes()
        self.assertNotEqual(before, (self.folder / "there" / "m").read_bytes())
        arguments = ["train", str(self.data), "-o", "m", "--lr-decay", "none", "--quiet", "--epochs", "2", "--resume"]
        each = [["-n", "1", "-wdir", str(self.folder / name), WIDEHASH, *arguments] for name in ("here", "there")]
        done = subprocess.run([MPIRUN, "--oversubscribe", *each[0], ":", *each[1]], env=ENVIRONMENT, timeout=240,
                              capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("m must be the same for all processes of a run; copy that of rank 0", done.stderr.decode())
        self.assertEqual((self.folder / "here" / "m").read_bytes(), before)

    def test_processes_that_are_to_train_something_else_are_reported(self):
        schema = self.folder / "s.toml"
        schema.write_text('label = "y"\n[[feature]]\nfield = "a"\ncardinality = 100\n')
        for name, flipped in [("here", 0), ("there", 1)]:
            table = self.folder / f"{name}.tsv"
            table.write_text("y\ta\n" + "".join(f"{i % 2 ^ flipped}\tv{i}\n" for i in range(200)))
            self.succeed("transform", "--schema", schema, table, "-o", self.folder / name, "--quiet")
        common = ["-o", self.folder / "two", "--quiet"]
        here = ["train", self.folder / "here", *common]
        cases = [("the dataset", ["train", self.folder / "there", *common]),
                 ("the rows of --valid", [*here, "--valid", self.folder / "there"]),
                 ("the shuffling of rows", [*here, "--no-shuffle"]),
                 ("whether a profile is written", [*here, "--profile", self.folder / "trace.json"])]
        cases += [(option, [*here, option, *value]) for option, *value in [
            ["--hidden", 4], ["--loss", "mse"],
            ["--optimizer", "ftrl"], ["--lr", 0.25], ["--l2", 1], ["--batch-size", 7], ["--epochs", 3], ["--seed", 5],
            ["--class-weights", "1,10"], ["--resume"],
            ["--lr-decay", "none"], ["--checkpoint-every", 2], ["--parallel", "model"]]]
        layers = [*here, "--hidden", 4]
        pairs = [(what, here, other) for what, other in cases] + [("--activation", layers, [*layers, "--activation", "tanh"])]
        for what, first, other in pairs:
            with self.subTest(what):
                done = self.run_two(first, other)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(f"rank 1 and rank 0 differ: {what} must be", done.stderr.decode())
                self.assertFalse((self.folder / "two").exists())

    def test_an_error_of_one_is_reported_and_ends_all(self):
        shard = next(self.data.glob("*.shard"))
        content = bytearray(shard.read_bytes())
        content[100] ^= 4
        shard.write_bytes(content)
        start = time.monotonic()
        done = run_mpi(3, "train", self.data, "-o", self.folder / "m")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(shard.name, done.stderr.decode())
        self.assertLess(time.monotonic() - start, SECONDS_TO_NOTICE)
        self.assertFalse((self.folder / "m").exists())

    def long_training(self, name, *extra):
        return ["train", self.data, "-o", self.folder / name, "--epochs", 40, "--batch-size", 64, "--checkpoint-every", 50,
                "--threads", 1, "--quiet", *extra]

    def kill_one_of_four(self, name, options):
        """Starts four processes and kills rank 2 once there is a checkpoint. Returns exit code, output and seconds taken."""
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

    def test_commands_that_cannot_share_their_work_are_refused(self):
        model = self.folder / "model"
        self.succeed("train", self.data, "-o", model, "--quiet")
        done = run_mpi(2, "predict", model, self.test)
        self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr.decode())
        self.assertIn(b"predict works in one process, but 2 were started together", done.stderr)
        done = run_mpi(1, "predict", model, self.test)
        self.assertEqual((done.returncode, done.stdout), (0, self.succeed("predict", model, self.test)))

    def test_killing_one_of_four_ends_the_others_and_resume_finishes(self):
        done = run_mpi(4, *self.long_training("undisturbed"))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        # By default mpirun itself ends the other processes; with --enable-recovery they have to notice on their own.
        for name, options in [("ended", []), ("alone", ["--enable-recovery"])]:
            code, said, seconds = self.kill_one_of_four(name, options)
            print("%s: %.2f s after the kill\n%s" % (name, seconds, said), file=sys.stderr)
            self.assertLess(seconds, SECONDS_TO_NOTICE)
            if name == "alone":
                self.assertGreaterEqual(said.count("rank 2 is gone"), 3, said)
            else:
                self.assertNotEqual(code, 0)
                self.assertIn("rank 2", said)
            # Nothing is damaged: the checkpoint can be read, and no partial file has a final name.
            self.succeed("evaluate", self.folder / (name + ".checkpoint"), self.test)
            done = run_mpi(4, *self.long_training(name, "--resume"))
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertTrue(self.model(name) == self.model("undisturbed"))


if __name__ == "__main__":
    main()
