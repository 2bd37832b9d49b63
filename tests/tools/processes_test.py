"""Commands that a launcher has started several times: those that cannot share their work refuse to run.

The environment imitates mpirun; mpi_train_test.py uses mpirun itself.
"""

import os
import subprocess
import unittest

from program import COMMANDS, SCHEMA, WIDEHASH, Case, table

SHARED = ["fit", "transform", "train"]
# Arguments for each command, naming files that do not exist: a refused command opens nothing.
ARGUMENTS = {"inspect": ["in.tsv"], "verify": ["day"], "audit": ["tables"], "compare": ["tables", "tables"],
             "export": ["day", "--format", "vw", "-o", "-"], "evaluate": ["model", "day"], "predict": ["model", "day"],
             "explain": ["model", "--tables", "tables"], "values": ["tables", "site"], "describe": ["day"], "hash": ["--cardinality", "9", "a"]}


def run_as_one_of(processes, *arguments, cwd=None, variable="OMPI_COMM_WORLD_SIZE"):
    return subprocess.run([WIDEHASH, *map(str, arguments)], env=dict(os.environ, **{variable: str(processes)}), cwd=cwd,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)


class SeveralProcesses(Case):
    def test_commands_that_would_each_do_all_of_the_work_are_refused(self):
        self.assertEqual(sorted([*ARGUMENTS, *SHARED, "devices"]), sorted(COMMANDS))
        for variable in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"]:
            for command, arguments in ARGUMENTS.items():
                with self.subTest(command):
                    done = run_as_one_of(2, command, *arguments, cwd=self.folder, variable=variable)
                    message = done.stderr.decode()
                    self.assertEqual((done.returncode, done.stdout), (2, b""), message)
                    self.assertIn("%s works in one process, but 2 were started together (%s)" % (command, variable),
                                  message)
                    self.assertIn("start it without mpirun", message)
                    self.assertIn(": fit, transform, train.", message)
                    self.assertEqual(message.count("\n"), 1)

    def test_one_process_of_a_launcher_works_as_without_it(self):
        done = run_as_one_of(1, "hash", "--cardinality", "9", "a")
        self.assertEqual((done.returncode, done.stdout), (0, self.succeed("hash", "--cardinality", "9", "a")))
        data = self.write("data.tsv", table(20))
        schema = self.write("schema.toml", SCHEMA)
        self.succeed("transform", "--schema", schema, data, "-o", self.folder / "day", "--quiet")
        done = run_as_one_of(1, "verify", self.folder / "day")
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_help_and_read_only_commands_answer_in_every_process(self):
        for arguments in [["--help"], ["--version"], ["devices"], ["reference"], ["completion", "bash"],
                          *[[command, "--help"] for command in COMMANDS]]:
            with self.subTest(arguments):
                done = run_as_one_of(2, *arguments)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b"unknown option", run_as_one_of(2, "verify", "-x").stderr)


if __name__ == "__main__":
    unittest.main()
