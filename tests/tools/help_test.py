"""Help, mistakes on the command line, and the pages generated from the program."""

import subprocess
import unittest

from program import COMMANDS, SOURCE_DIR, WIDEHASH, Case, run


class Help(Case):
    def test_top_help_names_every_command_and_the_exit_codes(self):
        text = self.succeed("--help").decode()
        for command in COMMANDS:
            self.assertIn("\n  %s " % command, text)
        self.assertIn("Exit codes", text)
        self.assertNotIn("reference", text)

    def test_every_command_has_help_with_examples(self):
        for command in COMMANDS:
            with self.subTest(command):
                text = self.succeed(command, "--help").decode()
                self.assertEqual(text, self.succeed("help", command).decode())
                self.assertEqual(text, self.succeed(command, "-h").decode())
                self.assertIn("usage: widehash %s" % command, text)
                self.assertIn("--json", text)
                self.assertIn("--quiet", text)
                self.assertGreaterEqual(text.split("examples:")[1].count("widehash %s" % command), 2)
                self.assertLessEqual(max(map(len, text.split("\nexamples:")[0].splitlines())), 110)

    def test_version_is_one_line(self):
        self.assertRegex(self.succeed("--version").decode(), r"\Awidehash \d+\.\d+\.\d+\n\Z")


class Mistakes(Case):
    def test_no_command_shows_the_help_on_the_standard_error(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"commands:", done.stderr)

    def test_unknown_command_is_met_with_the_nearest(self):
        self.assertEqual(self.fail_with(2, "trian"), "widehash: unknown command 'trian'; did you mean 'train'?")
        self.assertEqual(self.fail_with(2, "qqqqqq"), "widehash: unknown command 'qqqqqq'")
        self.fail_with(2, "help", "trian")

    def test_unknown_option_is_met_with_the_nearest_even_when_others_are_missing(self):
        done = run("train", "day", "--epoch", "3")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.decode(),
                         "widehash: unknown option '--epoch'; did you mean '--epochs'?\nsee widehash train --help\n")
        self.assertIn("--version", self.fail_with(2, "--versoin"))
        self.assertIn("unknown option '-x'", self.fail_with(2, "verify", "-x"))

    def test_missing_and_surplus_arguments(self):
        self.assertIn("--schema is required", self.fail_with(2, "transform", "in.tsv", "-o", "out"))
        self.assertIn("PATH is required", self.fail_with(2, "verify"))
        self.assertIn("'b'", self.fail_with(2, "verify", "a", "b"))
        self.assertIn("'--label' needs an argument", self.fail_with(2, "inspect", "a", "--label"))
        # As left by a shell variable that is not set.
        for option, rest in [("-o", ["--overwrite"]), ("--output", ["--shard-bytes=4M"]), ("--label", ["-o", "s.toml"])]:
            command = ["inspect", "a"] if option == "--label" else ["transform", "--schema", "s", "a"]
            message = self.fail_with(2, *command, option, *rest)
            self.assertIn("option '%s' needs an argument" % option, message)
            self.assertIn("but '%s' is an option; if it is meant as the argument, write --" % rest[0], message)
        self.assertIn("--frobnicate: cannot open", self.fail_with(1, "verify", "--quiet", "--", "--frobnicate"))
        self.assertIn("takes no argument", self.fail_with(2, "devices", "--json=yes"))
        self.assertIn("option '-o' is given twice", self.fail_with(2, "export", "day", "--output", "a", "-o", "b"))
        self.write("-dash.tsv", "")
        done = subprocess.run([WIDEHASH, "predict", "m", "-dash.tsv"], cwd=self.folder, stderr=subprocess.PIPE, check=False)
        self.assertIn(b"unknown option '-dash.tsv'; for the file of that name, write ./-dash.tsv", done.stderr)

    def test_values_that_an_option_cannot_take(self):
        base = ["train", "day", "-o", "m"]
        self.assertIn("--epochs 'many': not a whole number", self.fail_with(2, *base, "--epochs", "many"))
        self.assertIn("--epochs '-1'", self.fail_with(2, *base, "--epochs", "-1"))
        self.assertIn("--epochs '18446744073709551616'", self.fail_with(2, *base, "--epochs", 2 ** 64))
        self.assertIn("--lr 'nan'", self.fail_with(2, *base, "--lr", "nan"))
        self.assertIn("did you mean 'logistic'", self.fail_with(2, *base, "--loss", "logistics"))
        self.assertIn("--threads '100000'", self.fail_with(2, *base, "--threads", 100000))
        for size in ["lots", "", "-1", "0", "12XB", "1e30", "2GiBB"]:
            message = self.fail_with(2, "fit", "--schema", "s", "in", "-o", "out", "--memory", size)
            self.assertIn("--memory '%s': not a size" % size, message)

    def test_training_on_devices_that_cannot_be_is_refused(self):
        for extra in [["--devices", "gpu"], ["--devices", "cpu,cuda"], ["--mix", "parameters"]]:
            self.fail_with(2, "train", "day", "-o", "m", *extra)
        self.assertIn("no CUDA device", self.fail_with(1, "train", "day", "-o", "m", "--devices", "cuda"))


class GeneratedPages(Case):
    def check(self, path, *arguments):
        committed = (SOURCE_DIR / path).read_bytes()
        self.assertEqual(self.succeed(*arguments), committed,
                         "%s is out of date: widehash %s > %s" % (path, " ".join(arguments), path))

    def test_command_reference_is_what_the_program_says(self):
        self.check("docs/commands.md", "reference")

    def test_bash_completion_is_what_the_program_says(self):
        self.check("tools/completion/widehash.bash", "completion", "bash")
        self.assertIn("fish", self.fail_with(2, "completion", "fish"))

    def complete(self, *words):
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _widehash; echo "${COMPREPLY[@]}"'
        completion = SOURCE_DIR / "tools/completion/widehash.bash"
        done = subprocess.run(["bash", "-c", script, "bash", completion, "widehash", *words], capture_output=True,
                              check=True)
        return done.stdout.decode().split()

    def test_bash_completes_commands_options_and_choices(self):
        self.assertEqual(self.complete("tr"), ["transform", "train"])
        self.assertEqual(self.complete("train", "--ep"), ["--epsilon", "--epochs"])
        self.assertEqual(self.complete("train", "--loss", "s"), ["softmax"])
        self.assertEqual(self.complete("train", "x"), [])
        self.assertEqual(self.complete("help", "tr"), ["transform", "train"])

    def test_man_page_has_every_command(self):
        text = self.succeed("reference", "--man").decode()
        self.assertTrue(text.startswith(".TH WIDEHASH 1"))
        for command in COMMANDS:
            self.assertIn(".SS widehash %s " % command, text)
        headings = [line[4:] for line in text.splitlines() if line.startswith(".SH ")]
        self.assertEqual(headings, ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXAMPLES", "EXIT STATUS"])


if __name__ == "__main__":
    unittest.main()
