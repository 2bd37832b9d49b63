"""SIGINT and SIGTERM end a run at a point from which it can continue, and no two runs write the same output."""

import fcntl
import os
import signal
import subprocess
import time
import unittest

from program import SCHEMA, WIDEHASH, Case, contents, rows, run, table

WAIT_SECONDS = 60


def start(*arguments, ignored=False):
    """Starts a run that reads its standard input. Signals are as from a terminal, whatever the parent ignores."""
    def settle_signals():
        signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return subprocess.Popen([WIDEHASH, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, preexec_fn=settle_signals)


class Stop(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.text = table(3000).encode()

    def wait_for(self, condition):
        end = time.monotonic() + WAIT_SECONDS
        while not condition():
            self.assertLess(time.monotonic(), end, "it never came to it")
            time.sleep(0.005)

    def has_lines(self, path, count):
        return path.exists() and path.read_bytes().count(b"\n") >= count

    def transform(self, output):
        return ["transform", "--schema", self.schema, "-", "-o", output, "--block-bytes", "4000", "--quiet"]

    def begin_transform(self, output, **more):
        """Starts a run that has finished some shards and waits for input."""
        process = start(*self.transform(output), **more)
        process.stdin.write(self.text[:40000])
        process.stdin.flush()
        self.wait_for(lambda: self.has_lines(output / "progress.jsonl", 7))
        time.sleep(0.3)  # for the last whole blocks
        return process

    def begin_predict(self, *more):
        """Starts a run that has predicted some rows and waits for input."""
        self.succeed("transform", "--schema", self.schema, self.write("day.tsv", self.text), "-o", self.folder / "day",
                     "--quiet")
        self.succeed("train", self.folder / "day", "-o", self.folder / "m", "--quiet")
        process = start("predict", self.folder / "m", "-", "--quiet", *more)
        process.stdin.write(self.text[:self.text.rindex(b"\n", 0, 40000) + 1])
        process.stdin.flush()
        return process

    def end_silently(self, process):
        """Waits for the end of a run whose input stays open and silent."""
        process.wait(WAIT_SECONDS)
        return self.end(process)

    def end(self, process, stdin=b""):
        stdout, stderr = process.communicate(stdin, timeout=WAIT_SECONDS)
        self.assertEqual(stdout, b"")
        return process.returncode, stderr.decode()

    def test_transform_leaves_a_journal_and_goes_on(self):
        self.succeed(*self.transform(self.folder / "straight"), stdin=self.text)
        for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            output = self.folder / ("stopped%d" % code)
            process = self.begin_transform(output)
            process.send_signal(number)
            found, message = self.end_silently(process)
            self.assertEqual(found, code, message)
            self.assertIn("%s: stopped as asked with " % output, message)
            self.assertIn("the same command continues", message)
            self.assertTrue((output / "progress.jsonl").exists())
            self.assertFalse((output / "manifest.json").exists())
            self.assertEqual(list(output.glob("*.tmp")), [])
            self.succeed(*self.transform(output), stdin=self.text)
            self.assertEqual(contents(output), contents(self.folder / "straight"))

    def test_an_input_that_the_same_signal_has_ended_is_not_whole(self):
        for close_first in False, True:
            process = self.begin_transform(self.folder / "day")
            os.kill(process.pid, signal.SIGSTOP)
            process.send_signal(signal.SIGINT)
            if close_first:
                process.stdin.close()
                process.stdin = None
            os.kill(process.pid, signal.SIGCONT)
            found, message = self.end(process)
            self.assertEqual(found, 130, message)
            self.assertFalse((self.folder / "day" / "manifest.json").exists())
        self.succeed(*self.transform(self.folder / "day"), stdin=self.text)
        self.succeed(*self.transform(self.folder / "straight"), stdin=self.text)
        self.assertEqual(contents(self.folder / "day"), contents(self.folder / "straight"))

    def test_a_named_pipe_that_nobody_writes_to(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        commands = {
            "tables": ["fit", "--schema", self.schema, pipe, "-o", self.folder / "tables"],
            "day": ["transform", "--schema", self.schema, pipe, "-o", self.folder / "day"],
            "found.toml": ["inspect", pipe, "-o", self.folder / "found.toml"],
        }
        for name, command in commands.items():
            with self.subTest(name):
                process = start(*command, "--quiet")
                self.wait_for(lambda: list(self.folder.glob(name + "*")))
                time.sleep(0.1)
                process.send_signal(signal.SIGTERM)
                code, message = self.end_silently(process)
                self.assertEqual(code, 143, message)
                self.assertIn("stopped as asked", message)
        self.assertEqual(list(self.folder.glob("found*")), [])

    def test_the_second_signal_ends_at_once(self):
        process = self.begin_predict()
        # More lines than the pipe of the predictions takes.
        process.stdin.write(self.text[self.text.index(b"\n") + 1:] * 40)
        process.stdin.close()
        process.stdin = None
        time.sleep(0.3)
        # Two signals that arrive before the first is handled count as one.
        end = time.monotonic() + WAIT_SECONDS
        while process.poll() is None and time.monotonic() < end:
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
        self.assertEqual(process.wait(0), -signal.SIGINT)
        process.communicate()

    def test_a_signal_that_the_parent_ignores_stays_ignored(self):
        process = self.begin_transform(self.folder / "day", ignored=True)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        self.assertEqual(self.end(process, self.text[40000:]), (0, ""))

    def test_fit_writes_no_tables(self):
        process = start("fit", "--schema", self.schema, "-", "-o", self.folder / "tables")
        process.stdin.write(self.text[:40000])
        process.stdin.flush()
        self.wait_for((self.folder / "tables" / ".lock").exists)
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        code, message = self.end_silently(process)
        self.assertEqual(code, 143, message)
        self.assertIn("start it again", message)
        self.assertFalse((self.folder / "tables").exists())

    def train(self, model, *more):
        return ["train", self.folder / "day", "-o", model, "--batch-size", "64", "--epochs", "60", "--quiet", *more]

    def test_train_leaves_a_checkpoint_and_goes_on(self):
        self.succeed("transform", "--schema", self.schema, self.write("day.tsv", self.text), "-o", self.folder / "day",
                     "--quiet")
        straight = self.folder / "straight.model"
        self.succeed(*self.train(straight))
        for threads, devices in [("1", "cpu"), ("2", "cpu,cpu")]:
            model = self.folder / ("stopped%s.model" % threads)
            how = ["--checkpoint-every", "1000", "--threads", threads, "--devices", devices]
            process = start(*self.train(model, *how))
            self.wait_for((self.folder / (model.name + ".checkpoint")).exists)
            process.send_signal(signal.SIGINT)
            code, message = self.end(process)
            self.assertEqual(code, 130, message)
            self.assertIn("%s: stopped as asked " % model, message)
            self.assertIn("--resume continues", message)
            self.succeed("verify", str(model) + ".checkpoint", "--quiet")
            self.succeed(*self.train(model, *how, "--resume"))
            if devices == "cpu":
                self.assertEqual(model.read_bytes(), straight.read_bytes())

    def test_train_without_checkpoints_says_what_is_kept(self):
        self.succeed("transform", "--schema", self.schema, self.write("day.tsv", table(20000)), "-o",
                     self.folder / "day", "--quiet")
        process = start("train", self.folder / "day", "-o", self.folder / "m", "--batch-size", "1", "--hidden", "64",
                        "--quiet")
        self.wait_for((self.folder / "m.lock").exists)
        process.send_signal(signal.SIGTERM)
        code, message = self.end(process)
        self.assertEqual(code, 143, message)
        self.assertIn("nothing was written; start it again", message)
        self.assertFalse((self.folder / "m").exists())

    def test_predict_puts_no_part_of_the_lines_in_place(self):
        process = self.begin_predict("-o", self.folder / "lines.txt")
        self.wait_for((self.folder / "lines.txt.tmp").exists)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        code, message = self.end_silently(process)
        self.assertEqual(code, 130, message)
        self.assertIn("start it again", message)
        self.assertEqual(list(self.folder.glob("lines.txt*")), [])


class SecondRun(Case):
    """Every command that writes keeps a second run out, and names the process that holds the output."""

    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.data = self.write("day.tsv", table(300))
        self.succeed("transform", "--schema", self.schema, self.data, "-o", self.folder / "day", "--quiet")
        self.succeed("train", self.folder / "day", "-o", self.folder / "m", "--quiet")

    def test_is_refused_by_the_number_of_the_first(self):
        day, model = self.folder / "day", self.folder / "m"
        commands = {
            "out/.lock": ["transform", "--schema", self.schema, self.data, "-o", self.folder / "out"],
            "tables/.lock": ["fit", "--schema", self.schema, self.data, "-o", self.folder / "tables"],
            "new.model.lock": ["train", day, "-o", self.folder / "new.model"],
            "lines.txt.lock": ["predict", model, day, "-o", self.folder / "lines.txt"],
            "day.npz.lock": ["export", day, "--format", "npz", "-o", self.folder / "day.npz"],
            "day.vw.lock": ["export", day, "--format", "vw", "-o", self.folder / "day.vw"],
            "found.toml.lock": ["inspect", self.data, "-o", self.folder / "found.toml"],
        }
        for name, command in commands.items():
            with self.subTest(name):
                lock = self.folder / name
                lock.parent.mkdir(exist_ok=True)
                with open(lock, "w+", encoding="ascii") as held:
                    fcntl.flock(held, fcntl.LOCK_EX)
                    held.write(str(os.getpid()))
                    held.flush()
                    message = self.fail_with(2, *command)
                    self.assertIn("process %d" % os.getpid(), message)
                    self.assertIn(str(lock).removesuffix(".lock").removesuffix("/"), message)
                # What a killed run leaves behind keeps no other run out.
                self.succeed(*command, "--quiet")
                self.assertFalse(lock.exists())

    def test_of_a_running_transform_is_refused_and_the_first_ends_well(self):
        first = start("transform", "--schema", self.schema, "-", "-o", self.folder / "out", "--quiet")
        lines = "\n".join(rows(10)).encode()
        first.stdin.write(b"clicked\tsite\tdevice\tage\n" + lines)
        first.stdin.flush()
        end = time.monotonic() + WAIT_SECONDS
        while not (self.folder / "out" / "schema.toml").exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.005)
        second = run("transform", "--schema", self.schema, self.data, "-o", self.folder / "out")
        self.assertEqual(second.returncode, 2)
        self.assertIn("process %d" % first.pid, second.stderr.decode())
        first.communicate(b"\n", timeout=WAIT_SECONDS)
        self.assertEqual(first.returncode, 0)
        self.succeed("verify", self.folder / "out", "--quiet")


if __name__ == "__main__":
    unittest.main()
