"""What a process may do while it uses the package: change its working directory, and fork."""

import copy
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import widehash

SCHEMA = widehash.make_schema({"a": 1000}, label="y")
ROWS = {"a": np.arange(2000), "y": np.arange(2000) % 2}
FEW = {name: values[:100] for name, values in ROWS.items()}


def files(folder):
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).rglob("*") if path.is_file()}


class Place(unittest.TestCase):
    """Two folders, one of which is the working directory."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        self.one, self.two = pathlib.Path(place.name, "one"), pathlib.Path(place.name, "two")
        self.one.mkdir()
        self.two.mkdir()
        self.encoder = widehash.Encoder(SCHEMA)
        os.chdir(self.two)

    def write(self, rows=FEW, **more):
        with widehash.DatasetWriter(self.encoder, "d", shard_bytes=4000, **more) as writer:
            writer.append(rows)

    def count(self, rows=FEW):
        with widehash.LookupTablesWriter(SCHEMA, "t") as writer:
            writer.append(rows)


class OtherFolders(Place):
    def test_a_writer_that_fails_elsewhere_removes_what_it_has_written(self):
        self.write()
        finished = files("d")
        os.chdir(self.one)
        with self.assertRaises(KeyError):
            with widehash.DatasetWriter(self.encoder, "d", shard_bytes=4000) as writer:
                writer.append(ROWS)
                os.chdir(self.two)
                raise KeyError
        self.assertEqual(files(self.two / "d"), finished)
        self.assertEqual(list(self.one.iterdir()), [])

    def test_writers_finish_where_they_began(self):
        os.chdir(self.one)
        with widehash.DatasetWriter(self.encoder, "d") as writer, widehash.LookupTablesWriter(SCHEMA, "t") as tables:
            writer.append(ROWS)
            tables.append(ROWS)
            os.chdir(self.two)
        self.assertEqual(len(widehash.Dataset(self.one / "d")), 2000)
        self.assertEqual(widehash.LookupTables(self.one / "t").rows, 2000)
        self.assertEqual(list(self.two.iterdir()), [])

    def test_datasets_and_tables_are_those_that_were_opened(self):
        self.write()
        self.count()
        os.chdir(self.one)
        self.write(ROWS)
        self.count(ROWS)
        dataset, tables = widehash.Dataset("d"), widehash.LookupTables("t")
        os.chdir(self.two)
        for same in (dataset, copy.copy(dataset), pickle.loads(pickle.dumps(dataset))):
            self.assertEqual((len(same), sum(len(batch) for batch in same)), (2000, 2000))
        for same in (tables, copy.copy(tables), pickle.loads(pickle.dumps(tables))):
            self.assertEqual((same.rows, len(same["a"])), (2000, 2000))
        self.assertEqual(widehash.verify(dataset).rows, 2000)

    def test_an_empty_path_is_still_none(self):
        for make in (widehash.Dataset, widehash.LookupTables, lambda path: widehash.DatasetWriter(self.encoder, path)):
            with self.assertRaises((widehash.ConfigError, widehash.FileError)):
                make("")


FORK = """
import os, signal, sys, threading
import numpy as np, widehash
encoder = widehash.Encoder(widehash.make_schema({"a": 1000}, label="y"))
rows = {"a": np.arange(2000), "y": np.arange(2000) % 2}

def fork(work):
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)  # of one that hangs
        work()
        sys.exit(0)
    assert os.waitpid(pid, 0)[1] == 0
"""

# sys.exit() in the child runs the end of `with`.
WRITERS = FORK + """
def be_refused():
    for writer in (datasets, tables):
        try:
            writer.append(rows)
        except widehash.ConfigError as error:
            assert "fork" in str(error), error
        else:
            sys.exit(1)

with widehash.DatasetWriter(encoder, "d") as datasets, widehash.LookupTablesWriter(encoder.schema, "t") as tables:
    for work in (lambda: None, be_refused):
        datasets.append(rows)
        tables.append(rows)
        fork(work)
print(len(widehash.Dataset("d")), widehash.LookupTables("t").rows)
"""

THREADS = FORK + """
stop = threading.Event()
began = threading.Event()
table = {"a": np.arange(200_000), "y": np.zeros(200_000)}
def work():
    while not stop.is_set():
        encoder.encode(table)
        began.set()
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
began.wait()
for _ in range(8):
    fork(lambda: None)
fork(lambda: encoder.encode(rows))
stop.set()
print("done")
"""


class Forks(Place):
    def run_program(self, program):
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return ended.stdout

    def test_a_fork_leaves_the_writers_of_its_parent_alone(self):
        self.assertEqual(self.run_program(WRITERS), "4000 4000\n")

    def test_a_fork_ends_whatever_the_threads_of_its_parent_do(self):
        self.assertEqual(self.run_program(THREADS), "done\n")


if __name__ == "__main__":
    unittest.main()
