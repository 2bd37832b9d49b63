"""Where results go: full disks, closed pipes, terminals and --quiet."""

import contextlib
import os
import pty
import signal
import subprocess
import tempfile
import unittest

from program import SCHEMA, WIDEHASH, Case, run, table


class Output(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.data = self.write("data.tsv", table(300))

    def train(self):
        self.succeed("transform", "--schema", self.schema, self.data, "-o", self.folder / "day", "--quiet")
        self.succeed("train", self.folder / "day", "-o", self.folder / "model", "--quiet")

    def test_full_disk_under_the_standard_output_is_an_error(self):
        for arguments in [["--help"], ["devices"], ["hash", "--cardinality", "9", "a"], ["inspect", self.data]]:
            with self.subTest(arguments[0]), open("/dev/full", "wb") as full:
                done = run(*arguments, stdout=full)
                self.assertEqual(done.returncode, 1)
                state = "what was written so far is incomplete" if arguments[0] == "hash" else \
                    "the printed output is incomplete, but files that the command made are whole"
                self.assertEqual(done.stderr.decode(), "widehash: standard output: cannot write: No space left on device; free some "
                                                       "space and start again; %s\n" % state)

    def test_full_disk_under_predictions_is_an_error(self):
        self.train()
        message = self.fail_with(1, "predict", self.folder / "model", self.data, "-o", "/dev/full")
        self.assertIn("/dev/full: cannot write: No space left on device", message)
        with open("/dev/full", "wb") as full:
            done = run("predict", self.folder / "model", self.data, stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)
        message = self.fail_with(1, "export", self.folder / "day", "--format", "vw", "-o", "/dev/full")
        self.assertIn("/dev/full", message)
        self.assertTrue(os.path.exists("/dev/full") and not os.path.isfile("/dev/full"))

    def test_a_full_disk_is_reported_to_keep_work_only_where_there_is_a_checkpoint(self):
        lost = "; free some space and start again"
        day, model = self.folder / "day", self.folder / "model"

        def fill(path):
            """Sends the temporary file of `path` to a full disk."""
            path.with_name(path.name + ".tmp").symlink_to("/dev/full")

        self.succeed("transform", "--schema", self.schema, self.data, "-o", day, "--quiet")
        train = ["train", day, "-o", model, "--batch-size", 32, "--checkpoint-every", 2]
        fill(self.folder / "model.checkpoint")
        self.assertTrue(self.fail_with(1, *train).endswith(lost))
        fill(model)
        message = self.fail_with(1, *train)
        self.assertTrue(message.endswith("%s.checkpoint is kept, and the same command with --resume continues from it"
                                         % model), message)
        self.succeed(*train, "--resume", "--quiet")
        fill(self.folder / "first.checkpoint")
        first = ["train", day, "-o", self.folder / "first", "--epochs", 2]
        message = self.fail_with(1, *first)
        self.assertTrue(message.endswith("%s is kept, and the same command with --resume continues from it" % first[3]), message)
        self.succeed(*first, "--resume", "--quiet")
        fill(model)
        self.assertTrue(self.fail_with(1, "train", day, "-o", model, "--overwrite").endswith(lost))
        for arguments in [["export", day, "--format", "npz"], ["export", day, "--format", "vw"],
                          ["predict", model, self.data], ["inspect", self.data]]:
            if not model.exists():
                self.succeed("train", day, "-o", model, "--quiet")
            fill(self.folder / "out")
            with self.subTest(arguments):
                self.assertTrue(self.fail_with(1, *arguments, "-o", self.folder / "out").endswith(lost))

    def test_dev_stdout_is_the_standard_output_wherever_that_goes(self):
        self.train()
        predict = ["predict", self.folder / "model", self.data, "-o"]
        wanted = run(*predict, "-").stdout
        self.assertEqual(wanted.count(b"\n"), 300)
        link, out = self.folder / "link", self.folder / "out"
        link.symlink_to("/dev/stdout")
        for place in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", link]:
            with self.subTest(place), open(out, "wb") as file:
                file.write(b"before\n")
                file.flush()
                self.assertEqual(run(*predict, place, stdout=file).returncode, 0)
                self.assertEqual(out.read_bytes(), b"before\n" + wanted)
                self.assertTrue(link.is_symlink())
        self.assertIn("needs a file", self.fail_with(2, "export", self.folder / "day", "--format", "npz", "-o", link))

    def test_another_descriptor_is_written_to_from_where_it_is(self):
        self.train()
        out = self.folder / "out"
        with open(out, "wb") as file:
            file.write(b"before\n")
            file.flush()
            done = subprocess.run([WIDEHASH, "predict", self.folder / "model", self.data, "--quiet", "-o",
                                   "/dev/fd/%d" % file.fileno()], pass_fds=[file.fileno()])
        self.assertEqual(done.returncode, 0)
        self.assertTrue(out.read_bytes().startswith(b"before\n0."), out.read_bytes()[:40])
        self.assertEqual(out.read_bytes().count(b"\n"), 301)

    def test_links_stay_and_lead_to_what_is_written(self):
        self.train()
        link = self.folder / "latest"
        link.symlink_to("day-2.model")
        self.succeed("train", self.folder / "day", "-o", link, "--quiet")
        self.assertTrue(link.is_symlink())
        self.assertEqual((self.folder / "day-2.model").read_bytes(), (self.folder / "model").read_bytes())

    def test_closed_pipe_ends_quietly(self):
        command = [WIDEHASH, "hash", "--cardinality", "1000"]
        for restore in [True, False]:  # a parent may have ignored the signal
            with self.subTest(restore), tempfile.TemporaryFile() as errors:
                process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                                           restore_signals=restore)
                process.stdout.close()
                with contextlib.suppress(BrokenPipeError), process.stdin:
                    process.stdin.write(b"value\n" * 200000)
                self.assertEqual(process.wait(timeout=60), -signal.SIGPIPE)
                errors.seek(0)
                self.assertEqual(errors.read(), b"")

    def test_quiet_commands_that_write_files_say_nothing(self):
        day = self.folder / "day"
        commands = [["transform", "--schema", self.schema, self.data, "-o", day],
                    ["fit", "--schema", self.schema, self.data, "-o", self.folder / "tables"],
                    ["verify", day],
                    ["train", day, "-o", self.folder / "model"],
                    ["predict", self.folder / "model", day, "-o", self.folder / "predictions"],
                    ["export", day, "--format", "libsvm", "-o", self.folder / "day.svm"],
                    ["inspect", self.data, "-o", self.folder / "proposal.toml"]]
        for command in commands:
            with self.subTest(command[0]):
                self.assertEqual(self.succeed(*command, "--quiet"), b"")

    def test_predictions_and_json_cannot_share_the_standard_output(self):
        self.train()
        self.assertIn("-o", self.fail_with(2, "predict", self.folder / "model", self.data, "--json"))
        day = self.folder / "day"
        self.assertIn("-o", self.fail_with(2, "export", day, "--format", "vw", "-o", "-", "--json"))
        self.assertIn("needs a file", self.fail_with(2, "export", day, "--format", "npz", "-o", "-"))

    def test_a_model_that_is_worse_than_a_constant_is_called_that(self):
        schema = self.write("raw.toml", SCHEMA.replace('transform = "log1p"\n', ""))
        # Ages in tiny units, which nobody rescaled.
        lines = [line.split("\t") for line in table(400).splitlines()]
        text = "\n".join("\t".join([*line[:3], line[3] + "0000000" * line[3].isdigit()]) for line in lines) + "\n"
        day = self.folder / "raw"
        self.succeed("transform", "--schema", schema, self.write("raw.tsv", text), "-o", day)
        said = self.succeed("train", day, "-o", self.folder / "raw.model", "--valid", day).decode()
        self.assertIn("The model is worse than a constant: log loss ", said)
        self.assertIn('transform = "standardize"', said)
        self.assertIn("worse than a constant", self.succeed("evaluate", self.folder / "raw.model", day).decode())
        judged = self.succeed_json("evaluate", self.folder / "raw.model", day)
        self.assertGreater(judged["log_loss"], judged["constant_log_loss"])

    def drawn(self, *extra, environment=None):
        """What is drawn on a terminal while many rows are read."""
        big = self.folder / "big.tsv"
        if not big.exists():
            big.write_text("clicked\tsite\tdevice\tage\n" + "".join(table(2000).splitlines(True)[1:]) * 200)
        main, terminal = pty.openpty()
        process = subprocess.Popen([WIDEHASH, "inspect", str(big), *extra], stdout=subprocess.DEVNULL, stderr=terminal,
                                   env={**os.environ, "TERM": "xterm", **(environment or {})})
        os.close(terminal)
        text = b""
        while True:
            try:
                piece = os.read(main, 4096)
            except OSError:  # Linux: the other end is closed
                break
            if not piece:
                break
            text += piece
        os.close(main)
        self.assertEqual(process.wait(timeout=60), 0)
        return text

    def test_a_file_beyond_the_limit_of_the_shell_is_named(self):
        schema = self.write("limit.toml", 'label = "y"\n[[feature]]\nfield = "a"\ncardinality = 100\n')
        table = self.write("limit.tsv", "y\ta\n" + "1\tv\n" * 20000)
        done = subprocess.run(["bash", "-c", 'ulimit -f 16; exec "$@"', "bash", WIDEHASH, "transform", "--schema", schema, table,
                               "-o", self.folder / "limited", "--quiet"], capture_output=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r"^widehash: .*part-00000-000000\.shard.*: File too large")

    def test_progress_is_drawn_on_a_terminal_only_and_erased(self):
        text = self.drawn()
        self.assertIn(b"rows", text)
        self.assertTrue(text.endswith(b"\r\x1b[K"), text[-80:])
        self.assertEqual(self.drawn("--quiet"), b"")
        self.assertEqual(self.drawn(environment={"TERM": "dumb"}), b"")


if __name__ == "__main__":
    unittest.main()
