"""An interpreter that ends while threads are inside the package exits with the requested status."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

IN_MEMORY = """
import sys, threading, time
import numpy as np, widehash
encoder = widehash.Encoder(widehash.make_schema({"a": 10**6}))
table = {"a": np.arange(10**6)}
began = threading.Event()
def work():
    while True:
        encoder.encode(table).csr()
        began.set()
threading.Thread(target=work, daemon=True).start()
began.wait()
time.sleep(0.05)
sys.exit(3)
"""

TRAINING = """
import sys, threading, time
import widehash
sys.setswitchinterval(0.2)
folder = sys.argv[1]
began = threading.Event()
def work():
    widehash.train(folder + "/train", folder + "/m.model", valid=folder + "/train", epochs=100000, overwrite=True,
                   on_epoch=lambda epoch: began.set())
threading.Thread(target=work, daemon=True).start()
began.wait()
until = time.monotonic() + 0.1
while time.monotonic() < until:  # with the interpreter's lock in hand, so that an epoch waits for it
    pass
sys.exit(3)
"""


AGAIN = """
import atexit, sys, threading, time
@atexit.register  # before those of the package: it runs behind them, while threads go on
def late():
    time.sleep(0.3)
    widehash.inspect(sys.argv[1], label="y")  # of the thread that ends the interpreter
import widehash
began = threading.Event()
def work():
    while True:
        try:
            widehash.inspect(sys.argv[1], label="y")
        except widehash.Stopped:
            pass
        began.set()
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
began.wait()
sys.exit(3)
"""


class Exit(unittest.TestCase):
    def expect_3(self, program, *arguments):
        for _ in range(4):
            ended = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=120)
            self.assertEqual(ended.returncode, 3, ended.stderr)

    def test_threads_that_encode(self):
        self.expect_3(IN_MEMORY)

    def test_threads_that_train(self):
        import widehash

        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "t.tsv")
            table.write_text("a\ty\n" + "".join(f"{i % 9}\t{i % 2}\n" for i in range(2000)))
            schema = widehash.make_schema({"a": 9}, label="y")
            widehash.transform(schema, table, pathlib.Path(folder, "train"))
            self.expect_3(TRAINING, folder)

    def test_threads_that_start_jobs_again_and_again(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "t.tsv")
            table.write_text("a\ty\n" + "".join(f"{i % 9}\t{i % 2}\n" for i in range(2000)))
            self.expect_3(AGAIN, str(table))


if __name__ == "__main__":
    unittest.main()
