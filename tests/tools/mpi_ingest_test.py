"""`transform` and `fit` by several processes under mpirun write the bytes that one process writes, whatever the inputs, the number
of processes and the moment at which they are killed."""

import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

from mpirun import ENVIRONMENT, MPIRUN, SECONDS_TO_NOTICE, command, main, processes_of, run_mpi
from program import SCHEMA, WIDEHASH, Case, contents, rows, run, table

KILLS = 8

# Every feature that needs tables, and a numeric feature whose mean depends in its last bits on the order of additions.
SCHEMA_WITH_TABLES = SCHEMA + """
[[feature]]
field = "site"
name = "exact site"
cardinality = 100
encoding = "exact"
min_count = 3
[[feature]]
field = "age"
name = "scaled age"
encoding = "numeric"
transform = "standardize"
[[feature]]
cross = ["site", "device"]
cardinality = 1000
"""


def with_bad_rows(text, every):
    lines = text.splitlines(True)
    for line in range(every // 2, len(lines), every):
        lines[line] = "abc" + lines[line]
    return "".join(lines)


class Ingest(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA_WITH_TABLES)

    def inputs(self):
        """Inputs that are hard to share: no two of similar size, some compressed, some without rows."""
        return [self.write("a.tsv", with_bad_rows(table(4000, 1), 700)),
                self.write("b.tsv.gz", gzip.compress(with_bad_rows(table(1500, 2), 900).encode(), mtime=0)),
                self.write("c.tsv", table(0)),
                self.write("d.tsv", table(1, 3)),
                self.write("e.tsv", table(700, 4).rstrip("\n")),
                self.write("f.tsv.gz", gzip.compress(table(900, 5).encode(), mtime=0)),
                self.write("g.tsv", "\ufeff" + table(300, 6).replace("\n", "\n\n")),
                self.write("h.tsv.gz", gzip.compress(table(0).encode(), mtime=0)),
                self.write("i.tsv", table(2500, 7))]

    def fit_arguments(self, inputs, output, *more):
        return ["fit", "--schema", self.schema, *inputs, "-o", self.folder / output, "--threads", 1, *more]

    def transform_arguments(self, inputs, output, *more):
        tables = self.folder / "tables"
        return ["transform", "--schema", self.schema, *(["--tables", tables] if tables.exists() else []), *inputs, "-o",
                self.folder / output, "--block-bytes", 4096, "--threads", 1, *more]

    def report(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout.count(b"\n"), 1, "one process speaks")
        report = json.loads(done.stdout)
        return {key: value for key, value in report.items() if "second" not in key and "memory" not in key}

    def check_all_numbers_of_processes(self, arguments_of, most=4):
        """Runs arguments_of(output) with one and with several processes, which all must write and print the same."""
        alone = self.report(run(*arguments_of("alone")))
        expected = contents(self.folder / "alone")
        for processes in range(1, most + 1):
            output = "by%d" % processes
            report = self.report(run_mpi(processes, *arguments_of(output)))
            self.assertEqual(contents(self.folder / output), expected, processes)
            if alone["rejected_file"]:
                alone["rejected_file"] = str(self.folder / output / "rejected.tsv")
            self.assertEqual(report, alone)
        return alone

    def test_any_number_of_processes_writes_the_dataset_of_one(self):
        inputs = self.inputs()
        fitted = self.check_all_numbers_of_processes(
            lambda output: self.fit_arguments(inputs, output, "--max-bad-rows", 20, "--json"))
        self.assertEqual(fitted["rows"] + fitted["rejected_rows"], 9901)
        self.assertEqual(fitted["rejected_rows"], 8)
        again = self.report(run_mpi(3, *self.fit_arguments(inputs, "by2", "--max-bad-rows", 20, "--json")))
        self.assertTrue(again["already_complete"])
        (self.folder / "alone").rename(self.folder / "tables")
        for processes in range(1, 5):
            shutil.rmtree(self.folder / ("by%d" % processes))
        report = self.check_all_numbers_of_processes(
            lambda output: self.transform_arguments(inputs, output, "--max-bad-rows", 20, "--json"))
        self.assertEqual((report["rows"], report["rejected_rows"]), (9893, 8))
        self.assertGreater(report["shards"], 40)
        self.succeed("verify", self.folder / "by3")
        again = self.report(run_mpi(3, *self.transform_arguments(inputs, "by2", "--max-bad-rows", 20, "--json")))
        self.assertTrue(again["already_complete"])

    def test_tables_are_added_to_by_any_number_of_processes(self):
        inputs = self.inputs()
        arguments = ["--max-bad-rows", 20, "--json"]
        self.report(run(*self.fit_arguments(inputs[:3], "first", *arguments)))
        report = self.check_all_numbers_of_processes(
            lambda output: self.fit_arguments(inputs[3:], output, "--add", self.folder / "first", *arguments))
        self.assertEqual(report["rows"] + 8, 9901)
        self.assertGreater(report["added_rows"], 5000)
        for again in False, True:
            grown = self.report(run_mpi(3, *self.fit_arguments(inputs[3:], "first", "--add", self.folder / "first", *arguments)))
            self.assertEqual(grown["already_complete"], again)
            self.assertEqual(contents(self.folder / "first"), contents(self.folder / "alone"))
        merged = self.report(run_mpi(2, *self.fit_arguments([], "merged", "--add", self.folder / "first", "--json")))
        self.assertEqual(merged["rows"], report["rows"])
        self.assertEqual(merged["features"], report["features"])

    def test_quoted_tables_are_shared_file_by_file(self):
        self.schema = self.write("schema.toml", SCHEMA.replace("version = 1", "version = 1\nquote = '\"'"))
        inputs = [self.write("q%d.tsv" % i, table(800, i).replace("\tdesk\t", "\t\"desk\n\ttop\"\t")) for i in range(3)]
        arguments = ["transform", "--schema", self.schema, *inputs, "--block-bytes", 4096, "--json", "-o"]
        self.check_all_numbers_of_processes(lambda output: [*arguments, self.folder / output], most=4)

    def test_more_processes_than_blocks_is_no_problem(self):
        self.schema = self.write("schema.toml", SCHEMA)
        tiny = self.write("tiny.tsv", table(3))
        for command_line in [["transform"], ["fit"]]:
            arguments = [*command_line, "--schema", self.schema, tiny, "--json", "-o"]
            alone = self.folder / "".join(command_line)
            self.report(run(*arguments, alone))
            self.report(run_mpi(4, *arguments, self.folder / ("four" + command_line[0])))
            self.assertEqual(contents(self.folder / ("four" + command_line[0])), contents(alone))

    def test_counts_that_do_not_fit_memory_give_the_same_tables(self):
        self.schema = self.write("schema.toml", SCHEMA.replace('field = "site"\ncardinality = 100',
                                                               'field = "site"\ncardinality = 1000000'))
        lines = ["clicked\tsite\tdevice\tage"]
        source = random.Random(8)
        for i in range(500000):
            lines.append("0\tsite-with-a-long-name-%d\tphone\t%d" % (source.randrange(400000), i % 77))
        many = self.write("many.tsv", "\n".join(lines) + "\n")
        self.report(run(*self.fit_arguments([many], "alone", "--json")))
        report = self.report(run_mpi(2, *self.fit_arguments([many], "by2", "--json", "--memory", "48MiB")))
        self.assertGreater(report["spilled_runs"], 0)
        self.assertEqual(contents(self.folder / "by2"), contents(self.folder / "alone"))

    def test_the_bad_row_that_is_one_too_many_is_the_same(self):
        self.schema = self.write("schema.toml", SCHEMA)
        inputs = [self.write("good.tsv", table(2000, 1)), self.write("bad.tsv", with_bad_rows(table(4000, 2), 300))]
        for allowed in [0, 3]:
            said = {}
            for output in ["alone", "by3"]:
                arguments = self.transform_arguments(inputs, output, "--max-bad-rows", allowed)
                done = run(*arguments) if output == "alone" else run_mpi(3, *arguments)
                self.assertEqual(done.returncode, 1)
                # Either the process that met the row or one that was informed of it may print first.
                said[output] = re.sub("rank [0-9]+ failed: ", "", next(line for line in done.stderr.decode().splitlines() if "bad.tsv" in line))
                self.assertFalse((self.folder / output / "manifest.json").exists())
            self.assertEqual(said["by3"].replace("by3", "alone"), said["alone"])
        lists = [(self.folder / output / "rejected.tsv").read_bytes() for output in ["alone", "by3"]]
        self.assertEqual(lists[0], lists[1])
        # Another number of processes continues from the finished work.
        for output, processes in [("alone", 2), ("by3", 4)]:
            arguments = self.transform_arguments(inputs, output, "--max-bad-rows", 100, "--json")
            self.assertGreater(self.report(run_mpi(processes, *arguments))["resumed_shards"], 10)
        self.assertEqual(contents(self.folder / "by3"), contents(self.folder / "alone"))

    def test_what_cannot_be_shared_is_refused(self):
        self.schema = self.write("schema.toml", SCHEMA)
        one, other = self.write("one.tsv", table(10)), self.write("other.tsv", table(20))
        for name in ["transform", "fit"]:
            start = [name, "--schema", self.schema]
            done = run_mpi(2, *start, "-", "-o", self.folder / "o")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("standard input: can be read only once, so 2 processes", done.stderr.decode())
            job = [[WIDEHASH, *map(str, start), str(path), "-o", str(self.folder / "o")] for path in [one, other]]
            done = subprocess.run([MPIRUN, "--oversubscribe", "-n", "1", *job[0], ":", "-n", "1", *job[1]],
                                  env=ENVIRONMENT, timeout=60, capture_output=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("rank 1 and rank 0 differ", done.stderr.decode())
            self.assertFalse((self.folder / "o").exists())

    def run_two(self, first, second, folders=(".", ".")):
        """Runs two processes, each with its own command and folder."""
        each = [["-n", "1", "-wdir", str(self.folder / folder), WIDEHASH, *map(str, words)]
                for folder, words in zip(folders, (first, second))]
        return subprocess.run([MPIRUN, "--oversubscribe", *each[0], ":", *each[1]], env=ENVIRONMENT, timeout=60,
                              capture_output=True, check=False)

    def test_limits_that_differ_are_refused_before_any_work(self):
        self.schema = self.write("schema.toml", SCHEMA)
        inputs = [self.write("a.tsv", with_bad_rows(table(4000, 1), 700))]
        for arguments in (self.transform_arguments(inputs, "o"), self.fit_arguments(inputs, "o")):
            done = self.run_two([*arguments, "--max-bad-rows", 100], [*arguments, "--max-bad-rows", 0])
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("--max-bad-rows must be the same for all processes", done.stderr.decode())
            self.assertFalse((self.folder / "o").exists())

    def test_inputs_of_the_same_size_and_other_bytes_are_refused(self):
        self.schema = self.write("schema.toml", SCHEMA)
        text = table(4000, 1)
        for name, content in ("a", text), ("b", text.replace("\tphone\t", "\tzhone\t")):
            (self.folder / name).mkdir()
            (self.folder / name / "in.tsv").write_text(content)
        for job in "transform", "fit":
            words = [job, "--schema", self.schema, "in.tsv", "-o", self.folder / "o"]
            done = self.run_two(words, words, ("a", "b"))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("rank 1 and rank 0 differ: the inputs", done.stderr.decode())
            self.assertFalse((self.folder / "o").exists())

    def test_a_failed_run_leaves_no_folder_that_it_made(self):
        self.schema = self.write("schema.toml", SCHEMA)
        inputs = [self.write("%s.tsv" % name, text) for name, text in
                  (("bad", with_bad_rows(table(3000, 1), 500)), ("b", table(3000, 2)), ("c", table(3000, 3)))]
        done = run_mpi(3, *self.fit_arguments(inputs, "o"))
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse((self.folder / "o").exists())

    def test_folders_that_are_not_one_are_refused_whatever_is_in_them(self):
        self.schema = self.write("schema.toml", SCHEMA)
        text = self.write("in.tsv", table(4000, 1))
        for job in (["transform", "--block-bytes", "4096"], ["fit"]):
            for name in ("a", "b"):
                (self.folder / name / job[0]).mkdir(parents=True)
            (self.folder / "b" / job[0] / ".lock").write_text("4711")  # as a killed run leaves it
            start = [WIDEHASH, *job, "--schema", str(self.schema), str(text), "-o", job[0]]
            each = [["-n", "1", "-wdir", str(self.folder / name), *start] for name in ("a", "b")]
            done = subprocess.run([MPIRUN, "--oversubscribe", *each[0], ":", *each[1]], env=ENVIRONMENT, timeout=60, capture_output=True,
                                  check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("is not the folder that the other processes of this run write to", done.stderr.decode())
            self.assertEqual(list((self.folder / "a" / job[0]).iterdir()), [])

    def test_a_header_that_cannot_be_used_ends_all_before_any_work(self):
        self.schema = self.write("schema.toml", SCHEMA)
        inputs = [self.write("a.tsv", table(2000, 1)), self.write("zz.tsv", "clicked\tsite\tgadget\tage\n")]
        for arguments in [self.transform_arguments(inputs, "o"), self.fit_arguments(inputs, "o")]:
            done = run_mpi(3, *arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("zz.tsv: has no field 'device'", done.stderr.decode())
            self.assertFalse((self.folder / "o").exists())

    def test_a_repaired_row_costs_only_its_file(self):
        self.schema = self.write("schema.toml", SCHEMA)
        inputs = [self.write("a.tsv", table(3000, 1)), self.write("zz.tsv", table(800, 2) + "bad\n")]
        self.assertEqual(run_mpi(2, *self.transform_arguments(inputs, "o")).returncode, 1)
        finished = len(list((self.folder / "o").glob("part-00000-*.shard")))
        self.write("zz.tsv", table(800, 2))
        report = self.report(run_mpi(3, *self.transform_arguments(inputs, "o", "--json")))
        self.assertGreater(finished, 5)
        self.assertLessEqual(report["resumed_shards"], finished)
        self.assertGreater(report["resumed_shards"], 0)
        self.report(run(*self.transform_arguments(inputs, "alone", "--json")))
        self.assertEqual(contents(self.folder / "o"), contents(self.folder / "alone"))

    def long_transform(self, name):
        return self.transform_arguments([self.folder / "day.tsv", self.folder / "night.tsv.gz"], name, "--max-bad-rows", 100,
                                        "--quiet")

    def prepare_long_transform(self):
        self.schema = self.write("schema.toml", SCHEMA)
        self.write("day.tsv", with_bad_rows(table(40000, 1), 3000))
        self.write("night.tsv.gz", gzip.compress(with_bad_rows(table(8000, 2), 1000).encode(), mtime=0))
        start = time.monotonic()
        self.succeed(*self.long_transform("straight"))
        self.assertGreater(len(contents(self.folder / "straight")), 150)
        return contents(self.folder / "straight"), time.monotonic() - start

    def start(self, processes, name, *options):
        return subprocess.Popen(command(processes, options, *self.long_transform(name)), env=ENVIRONMENT,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def wait_for_shards(self, job, folder, count):
        deadline = time.monotonic() + 60
        while len(list(folder.glob("*.shard"))) < count:
            self.assertIsNone(job.poll(), "it ended before it was killed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)

    def test_killing_one_of_four_ends_the_others_and_the_next_run_finishes(self):
        expected, _ = self.prepare_long_transform()
        # By default mpirun itself ends the other processes; with --enable-recovery they have to notice on their own.
        for victim in [2, 0]:
            for name, options in [("ended%d" % victim, []), ("alone%d" % victim, ["--enable-recovery"])]:
                job = self.start(4, name, *options)
                self.wait_for_shards(job, self.folder / name, 20)
                os.kill(processes_of(job)[victim], signal.SIGKILL)
                start = time.monotonic()
                _, said = job.communicate(timeout=SECONDS_TO_NOTICE)
                self.assertLess(time.monotonic() - start, SECONDS_TO_NOTICE)
                if options:
                    self.assertEqual(said.decode().count("rank %d is gone" % victim), 3, said)
                self.assertFalse((self.folder / name / "manifest.json").exists())
                done = run_mpi(3, *self.long_transform(name))
                self.assertEqual(done.returncode, 0, done.stderr.decode())
                self.assertEqual(contents(self.folder / name), expected)

    def test_a_signal_to_one_stops_all_with_its_exit_code(self):
        expected, _ = self.prepare_long_transform()
        for victim in [0, 3, 1]:
            name = "stopped%d" % victim
            job = self.start(4, name)
            self.wait_for_shards(job, self.folder / name, 20)
            os.kill(processes_of(job)[victim], signal.SIGTERM)
            _, said = job.communicate(timeout=SECONDS_TO_NOTICE)
            self.assertEqual(job.returncode, 128 + signal.SIGTERM, said)
            self.assertIn(b"the same command continues from there", said)
            # The others do not finish their shares first.
            self.assertLess(int(re.search(rb"with ([0-9]+) shards finished", said)[1]), len(expected) / 2)
            self.assertNotIn(b"failed:", said)
            done = run_mpi(2, *self.long_transform(name))
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertEqual(contents(self.folder / name), expected)

    def test_killed_at_any_moment_any_number_of_processes_carries_on(self):
        expected, duration = self.prepare_long_transform()
        source = random.Random(4)
        output = "killed"
        resumed = 0
        for kill in range(KILLS):
            processes = source.choice([2, 3, 4])
            job = self.start(processes, output)
            if source.random() < 0.7:
                self.wait_for_shards(job, self.folder / output, source.randrange(1, 60) + resumed)
            else:
                time.sleep(source.uniform(0, 1))
            pids = list(processes_of(job).values())
            job.kill()
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            job.communicate()
            resumed = min(len(list((self.folder / output).glob("*.shard"))), 100)
        done = run_mpi(2, *self.long_transform(output))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(contents(self.folder / output), expected)
        self.succeed("verify", self.folder / output)


if __name__ == "__main__":
    main()
