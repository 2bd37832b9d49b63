"""bench/gpu/run.sh and its table on a machine without a GPU."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
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
    def test_wrong_options_are_reported_and_end_with_2(self):
        for arguments in (["--what"], ["--rows"], ["--rows", "many"], ["--rows", "0"], ["--build-only", "--prebuilt"],
                          ["--only", "everything"], ["--limit", "0"], ["--total", "soon"],
                          ["--copy-to", "/no/such/folder"]):
            self.assertEqual(run(*arguments).returncode, 2, arguments)

    def test_help_names_every_option(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        for option in ("--rows", "--work", "--markdown", "--build-only", "--prebuilt", "--only", "--limit", "--total",
                       "--copy-to"):
            self.assertIn(option, result.stdout)

    def test_without_a_gpu_it_says_so_and_ends_with_1(self):
        with tempfile.TemporaryDirectory() as tools:
            for name in ("dirname", "grep"):
                os.symlink(f"/usr/bin/{name}", os.path.join(tools, name))
            result = run(path=tools)  # a path without nvidia-smi
        self.assertEqual(result.returncode, 1)
        self.assertIn("no GPU", result.stderr)


class Prebuilt(unittest.TestCase):
    """The steps with stub programs that only report that they ran, in a folder as it arrives on a machine with a GPU."""

    SUITES = 'if [ $1 = --gtest_list_tests ]; then printf "One.\n  Test\n"; exit; fi; '

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        os.makedirs(os.path.join(self.root, "bench", "gpu"))
        for name in ("run.sh", "reports.py", "table.py", "embedding_bag.py", "flights.py"):
            shutil.copy(os.path.join(FOLDER, name), os.path.join(self.root, "bench", "gpu", name))
        self.program("tools/nvidia-smi", "echo 'GPU 0: a device'")

    def program(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\n" + text + "\n")
        os.chmod(path, 0o755)

    def bundle(self, **texts):
        programs = {"widehash": 'if [ $1 = devices ]; then echo "cuda:0 a device"; exit 0; fi; for word; do if [ "$last" = -o ]; then case $1 in train | predict) echo 0.5 >"$word" ;; '
                                '*) mkdir -p "$word"; echo {} >"$word/manifest.json" ;; esac; fi; last=$word; done; echo \'{"rows_per_second": 2e6, "log_loss": 0.5}\'',
                    "cuda_tests": 'if [ $1 = --gtest_list_tests ]; then printf "One.\n  Test\nTwo/0.  # type\n  Test\n"; else echo "ran $2"; fi',
                    "criteo_rows": "true",
                    "device_bench": 'for word; do case $word in --benchmark_out=*) echo \'{"context": {"device": "A device"}, '
                                    '"benchmarks": []}\' >"${word#*=}" ;; esac; done'}
        for name, text in (programs | texts).items():
            self.program(f"build/gpu-bundle/bin/{name}", text)
        with open(os.path.join(self.root, "build/gpu-bundle/needs.txt"), "w", encoding="utf-8") as file:
            file.write("glibc 2.1\nlibrary libnosuch.so.1\n")

    def run_it(self, *arguments):
        environment = dict(os.environ, PATH=os.path.join(self.root, "tools") + ":/usr/bin:/bin", CUDA_HOME=self.root)
        return subprocess.run(["/bin/bash", os.path.join(self.root, "bench/gpu/run.sh"), "--prebuilt", "--rows", "10",
                               *arguments], capture_output=True, text=True, env=environment, check=False)

    def test_without_a_bundle_it_says_how_to_make_one(self):
        result = self.run_it()
        self.assertEqual(result.returncode, 1)
        self.assertIn("--build-only", result.stderr)

    def test_every_step_says_how_it_ended_and_the_table_is_printed(self):
        self.bundle()
        result = self.run_it()
        self.assertEqual(result.returncode, 0, result.stderr)
        for line in ("Tests on the device: done", "compute-sanitizer memcheck: SKIPPED", "Operations and limits: done",
                     "Flights, trained on processor and GPU: done", "Training, --hidden 32, 10 rows: done",
                     "MISSING: libnosuch.so.1"):
            self.assertIn(line, result.stderr)
        self.assertTrue(result.stdout.startswith("A device"), result.stdout)
        self.assertIn("2.0 M rows/s", result.stdout)

    def test_a_step_that_fails_is_named_and_the_next_one_runs(self):
        self.bundle(cuda_tests=self.SUITES + "exit 3", criteo_rows="exit 4")
        result = self.run_it()
        self.assertEqual(result.returncode, 1)
        self.assertIn("Tests on the device: FAILED with exit code 3", result.stderr)
        self.assertIn("Training, --hidden none, 10 rows: FAILED with exit code 4", result.stderr)
        self.assertIn("Operations and limits: done", result.stderr)
        self.assertTrue(result.stdout.startswith("A device"), result.stdout)

    def test_programs_that_do_not_start_are_reported_with_what_they_want(self):
        self.bundle(widehash="echo 'no such library' >&2; exit 127")
        result = self.run_it()
        self.assertEqual(result.returncode, 1)
        self.assertIn("glibc 2.1 or later", result.stderr)

    def test_programs_that_see_no_gpu_are_not_run(self):
        self.bundle(widehash="echo cpu")
        result = self.run_it()
        self.assertEqual(result.returncode, 1)
        self.assertIn("the programs see none", result.stderr)
        self.assertNotIn("done", result.stderr)

    def test_steps_in_several_runs_keep_what_is_measured(self):
        self.bundle(cuda_tests=self.SUITES + "exit 3")
        result = self.run_it("--only", "operations,training")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("Tests on the device", result.stderr)
        result = self.run_it("--only", "flights")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(result.stdout.startswith("A device"), result.stdout)
        self.assertIn("2.0 M rows/s", result.stdout)
        with open(os.path.join(self.root, "build/gpu/outcomes.txt"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 4)

    def test_tests_that_fail_leave_those_of_other_suites_alone(self):
        self.bundle(cuda_tests='if [ $1 = --gtest_list_tests ]; then printf "Running main() from a.cc\nOne.\n  Test\nTwo/0.  # type\n  Test\nThree.\n"; exit; fi; '
                               'echo "ran $2"; [[ $2 != *Two/0.* ]]')
        result = self.run_it("--only", "tests")
        self.assertEqual(result.returncode, 1)
        for suite in ("One.", "Two/0.", "Three."):
            self.assertIn(f"ran --gtest_filter={suite}*", result.stderr)
        self.assertIn("FAILED: the tests of Two/0.", result.stderr)
        self.assertIn("Tests on the device: FAILED with exit code 1", result.stderr)

    def test_a_sanitizer_has_every_suite_by_itself(self):
        self.bundle(cuda_tests='if [ $1 = --gtest_list_tests ]; then printf "One.\n  Test\nTwo.\n  Test\n"; exit; fi; '
                               'echo "ran $* on $CUDA_VISIBLE_DEVICES"; [[ $* != *One.* ]]')
        self.program("bin/compute-sanitizer", 'echo "tool $2"; shift 4; exec "$@"')
        result = self.run_it("--only", "memcheck")
        self.assertEqual(result.returncode, 1)
        for suite in ("One.", "Two."):
            self.assertIn(f"tool memcheck\nran --gtest_brief=1 --gtest_filter={suite}*-*ADeviceThatIsNotThereIsNamed on 0\n", result.stderr)
        self.assertIn("FAILED: the tests of One.", result.stderr)
        self.assertNotIn("FAILED: the tests of Two.", result.stderr)
        self.assertIn("compute-sanitizer memcheck: FAILED with exit code 1", result.stderr)

    def test_the_time_of_all_steps_has_an_end_and_what_is_measured_is_packed(self):
        # The tests come first; then the last group of operations never ends.
        self.bundle(device_bench='for word; do case $word in --benchmark_filter=*cusparse*) sleep 60 ;; --benchmark_out=*) '
                                 'echo \'{"context": {"device": "A device"}, "benchmarks": []}\' >"${word#*=}" ;; esac; done')
        result = self.run_it("--only", "operations,training,tests,flights", "--total", "3")
        self.assertEqual(result.returncode, 1)
        self.assertIn("Tests on the device: done", result.stderr)
        self.assertIn("Operations and limits: FAILED: it took more than 540 s, or --total was over", result.stderr)
        self.assertIn("Flights, trained on processor and GPU: FAILED: --total was over", result.stderr)
        with tarfile.open(os.path.join(self.root, "build/gpu/results.tgz")) as results:
            self.assertIn("device_bench-first.json", results.getnames())
            self.assertIn("outcomes.txt", results.getnames())

    def test_what_is_measured_is_brought_away_after_every_step(self):
        self.bundle()
        place = os.path.join(self.root, "place")
        os.makedirs(place)
        # The second step: a machine that is taken away may not reach the end.
        self.program("bin/compute-sanitizer", f"tar -tzf {place}/results.tgz")
        result = self.run_it("--only", "operations,memcheck", "--copy-to", place)
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ("table.txt", "device_bench-first.json"):
            self.assertIn(f"\n{name}\n", result.stderr)

    def test_pytorch_is_looked_for_once_and_within_the_time_of_all_steps(self):
        self.bundle()
        self.program("tools/python3", 'case "$*" in *"import torch"*) echo looked >>"$0.log"; exit 1 ;; esac; '
                                      'exec /usr/bin/python3 "$@"')
        result = self.run_it("--only", "torch")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.count("in the memory of the host: SKIPPED"), 2, result.stderr)
        with open(os.path.join(self.root, "tools/python3.log"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "looked\n")
        self.program("tools/python3", 'case "$*" in *"import torch"*) sleep 60 ;; esac; exec /usr/bin/python3 "$@"')
        result = self.run_it("--only", "torch", "--total", "2")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.count("FAILED: --total was over"), 4, result.stderr)

    def test_counters_that_may_not_be_read_are_skipped_aloud(self):
        self.bundle()
        result = self.run_it("--only", "counters")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("ncu is neither on the path nor under", result.stderr)
        self.program("bin/ncu", 'echo "==ERROR== ERR_NVGPUCTRPERM - no permission"; exit 1')
        result = self.run_it("--only", "counters")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Counters of the kernels of a step: SKIPPED", result.stderr)
        self.program("bin/ncu", 'echo "counted $*"')
        result = self.run_it("--only", "counters")
        self.assertIn("Counters of the kernels of a step: done", result.stderr)
        with open(os.path.join(self.root, "build/gpu/counters-32.txt"), encoding="utf-8") as file:
            self.assertIn("device_bench --benchmark_filter=^train/device/32/", file.read())

    def test_a_step_without_an_end_is_ended(self):
        self.bundle(cuda_tests=self.SUITES + "sleep 60")
        result = self.run_it("--only", "tests,operations", "--limit", "1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("Tests on the device: FAILED: it took more than 1 s", result.stderr)
        self.assertIn("Operations and limits: done", result.stderr)


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

    def test_what_is_missing_is_reported(self):
        text, section = self.table({})
        self.assertIn("not measured", text)
        self.assertIn("not measured", section)

    def test_the_repetition_in_the_middle_counts_beside_its_limit_and_the_slowest_is_reported(self):
        def entry(name, seconds, rate):
            return {"name": f"{name}/manual_time", "run_type": "iteration", "real_time": seconds,
                    "items_per_second": rate, "bytes_per_second": 8 * rate}

        text, section = self.table({
            "device_bench-first.json": {"context": {"device": "A device"}, "benchmarks": [
                entry("limit/memory_copy", 1, 1e11), entry("hash/text8", 3, 1e10), entry("hash/text8", 1.5, 3e10),
                entry("hash/text8", 2, 2e10)]},
            "train-host-none-1.json": {"rows_per_second": 1, "log_loss": 0.4567, "epochs": [{"rows_per_second": 1}]},
            "train-host-none-20.json": {"rows_per_second": 1, "log_loss": 0.4,
                                        "epochs": [{"rows_per_second": rate} for rate in (1, 2.5e7, 2e7, 3e7)]}})
        self.assertIn("| XXH64 of 8-byte texts | 20.0 G values/s, least 10.0 | 20 % of the copy |", section)
        self.assertIn("| 25.0 M rows/s, least 20.0 |  | 0.4567 |", section)
        self.assertTrue(text.startswith("A device"))

    def test_the_way_of_pytorch_is_reported_with_those_that_failed(self):
        _, section = self.table({"torch-device-none.json": {
            "rows_per_second": 2e7, "log_loss": 0.45, "way": "graph", "failed": {"compiled": "no compiler"},
            "epochs": [{"rows_per_second": rate} for rate in (1e7, 2e7, 2e7)]}})
        self.assertIn("linear, rows in device memory | 20.0 M rows/s (graph; compiled FAILED) |", section)

    def test_kernels_are_held_against_additions_and_a_wrong_result_is_no_figure(self):
        def entry(name, rate, **more):
            return {"name": f"{name}/manual_time/repeats:3", "run_type": "iteration", "real_time": 1,
                    "items_per_second": rate, "bytes_per_second": 0, "additions_per_row": 104, **more}

        _, section = self.table({"device_bench-first.json": {"context": {"device": "A device"}, "benchmarks": [
            entry("limit/shared_add", 4.16e11), entry("first/gradient/1", 1e9), entry("first/linear", 2e9),
            {"name": "first/sorted/manual_time/repeats:3", "error_occurred": True, "error_message": "value 3 is 1, not 2"}]}})
        self.assertIn("| first layer, gradient in fixed point, 1 unit | 1,000.0 M rows/s | 25 % of the additions |", section)
        self.assertIn("| first layer, sums, loss and deltas in one, 1 unit | 2,000.0 M rows/s |  |", section)
        self.assertIn("| WRONG: value 3 is 1, not 2 |", section)


    def test_of_a_run_that_was_cut_what_was_finished_is_there(self):
        whole = json.dumps({"context": {"device": "A device"}, "benchmarks": [
            {"name": f"hash/{kind}/manual_time", "run_type": "iteration", "real_time": 1, "items_per_second": 2e10,
             "bytes_per_second": 1} for kind in ("text8", "uint32")]}, indent=1)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "device_bench-first.json"), "w", encoding="utf-8") as file:
                file.write(whole[:whole.index("hash/uint32") + 20])
            result = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, "table.py"), folder], capture_output=True,
                                    text=True, check=True)
        self.assertTrue(result.stdout.startswith("A device"), result.stdout)
        self.assertIn("20.0 G values/s", result.stdout)


if __name__ == "__main__":
    unittest.main()
