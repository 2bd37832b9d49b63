"""A program that has started MPI itself and also uses the library: tests/parallel/mpi_host.cpp."""

import os
import subprocess
import unittest

from mpirun import ENVIRONMENT, MPIRUN, main


class Host(unittest.TestCase):
    def start(self, what):
        words = [MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", "2", os.environ["WIDEHASH_MPI_HOST"], what]
        done = subprocess.run(words, env=ENVIRONMENT, timeout=120, capture_output=True, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_its_messages_and_the_librarys_do_not_meet(self):
        code, said, errors = self.start("together")
        self.assertEqual((code, said), (0, "sum 3, message 11, ended by the library: 0\n"), errors)

    def test_a_process_that_does_not_come_is_reported(self):
        code, _, errors = self.start("late")
        self.assertEqual(code, 1, errors)
        self.assertIn("a message did not arrive within 1 s", errors)

    def test_fewer_numbers_than_expected_are_reported(self):
        code, _, errors = self.start("unequal")
        self.assertEqual(code, 1, errors)
        self.assertIn("process 1 sent 40 bytes, but process 0 expected 80: the processes are out of step", errors)

    def test_mpi_without_threads_is_refused(self):
        code, _, errors = self.start("single")
        self.assertEqual(code, 1, errors)
        self.assertIn("start it with MPI_Init_thread and at least MPI_THREAD_SERIALIZED", errors)


if __name__ == "__main__":
    main()
