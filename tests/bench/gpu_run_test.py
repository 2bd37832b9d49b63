"""What bench/gpu/run.sh and its table do on a machine without a GPU."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["WIDEHASH_SOURCE_DIR"]
FOLDER = os.path.join(SOURCE, "bench", "gpu")


def run(*arguments, path=None):
    environment = dict(os.environ)
    if path is not None:
        environment["PATH"] = path
    return subprocess.run(["/bin/bash", os.path.join(FOLDER, "run.sh"), *arguments], capture_output=True, text=True,
                          env=environment, check=False)


class Run(unittest.TestCase):
    def test_wrong_options_are_told_and_end_with_2(self):
        for arguments in (["--what"], ["--rows"], ["--rows", "many"], ["--rows", "0"]):
            self.assertEqual(run(*arguments).returncode, 2, arguments)

    def test_help_names_every_option(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        for option in ("--rows", "--work", "--markdown", "--no-sanitizer", "--build-only", "--measure-only"):
            self.assertIn(option, result.stdout)

    def test_without_a_gpu_it_says_so_and_ends_with_1(self):
        with tempfile.TemporaryDirectory() as tools:
            for name in ("dirname", "grep"):
                os.symlink(f"/usr/bin/{name}", os.path.join(tools, name))
            result = run(path=tools)  # no nvidia-smi there
        self.assertEqual(result.returncode, 1)
        self.assertIn("no GPU", result.stderr)


class EmbeddingBag(unittest.TestCase):
    def test_without_torch_it_is_skipped_aloud(self):
        try:
            import torch
            if torch.cuda.is_available():
                self.skipTest("there is a PyTorch with a GPU here")
        except ImportError:
            pass
        result = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, "embedding_bag.py"), "a.npz", "b.npz"],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 77, result.stderr)
        self.assertIn("left out", result.stderr)


class Table(unittest.TestCase):
    def table(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    json.dump(content, file)
            section = os.path.join(folder, "section.md")
            result = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, "table.py"), folder, "--markdown", section],
                                    capture_output=True, text=True, check=True)
            with open(section, encoding="utf-8") as file:
                return result.stdout, file.read()

    def test_what_is_missing_is_said(self):
        text, section = self.table({})
        self.assertIn("not measured", text)
        self.assertIn("not measured", section)

    def test_the_best_repetition_counts_beside_its_limit(self):
        def entry(name, seconds, rate):
            return {"name": f"{name}/manual_time", "run_type": "iteration", "real_time": seconds,
                    "items_per_second": rate, "bytes_per_second": 8 * rate}

        text, section = self.table({
            "device_bench.json": {"context": {"device": "A device"}, "benchmarks": [
                entry("limit/memory_copy", 1, 1e11), entry("hash/text8", 3, 1e10), entry("hash/text8", 2, 2e10)]},
            "train-host-none.json": {"rows_per_second": 1, "log_loss": 0.4567, "epochs": [{"rows_per_second": 2.5e7}]}})
        self.assertIn("| XXH64 of 8-byte texts | 20.0 G values/s | 20 % |", section)
        self.assertIn("| 25.0 M rows/s |  | 0.4567 |", section)
        self.assertTrue(text.startswith("A device"))


if __name__ == "__main__":
    unittest.main()
