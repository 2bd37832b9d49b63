"""Every command that reads a damaged file ends with exit code 1 and names the file; `verify` finds the damage in any output."""

import json
import os
import random
import subprocess
import time
import unittest

from program import SCHEMA, WIDEHASH, Case, run, table

# With the exact encoding, encoding needs the tables.
EXACT_SCHEMA = SCHEMA.replace('encoding = "one_hot"', 'encoding = "exact"')
FLIPS = 4


class Damage(Case):
    def setUp(self):
        super().setUp()
        schema, data = self.write("schema.toml", EXACT_SCHEMA), self.write("day.tsv", table(400))
        self.data, self.day, self.tables = data, self.folder / "day", self.folder / "tables"
        self.model = self.folder / "clicks.model"
        self.succeed("fit", "--schema", schema, data, "-o", self.tables, "--quiet")
        self.succeed("transform", "--schema", schema, data, "-o", self.day, "--tables", self.tables, "--block-bytes",
                     "4000", "--quiet")
        self.succeed("train", self.day, "-o", self.model, "--quiet")
        self.schema = schema

    def assert_refused(self, path, commands):
        whole = path.read_bytes()
        source = random.Random(len(whole))
        for trial in range(FLIPS):
            harmed = bytearray(whole)
            harmed[source.randrange(len(whole))] ^= 1 << source.randrange(8)
            path.write_bytes(harmed if trial else whole[:-1])
            for command in commands:
                message = self.fail_with(1, *command)
                self.assertIn(path.name, message, command)
                self.assertTrue("; " in message or message.endswith("?"), message)
        path.write_bytes(whole)

    def test_of_a_dataset(self):
        commands = [["verify", self.day], ["train", self.day, "-o", self.folder / "m"],
                    ["evaluate", self.model, self.day], ["predict", self.model, self.day, "-o", self.folder / "p"],
                    ["export", self.day, "--format", "vw", "-o", self.folder / "e"]]
        for name in ["part-00000-000000.shard", "manifest.json", "schema.toml"]:
            self.assert_refused(self.day / name, commands)
        for left_over in ["m", "p", "e"]:
            self.assertFalse((self.folder / left_over).exists())

    def test_of_tables(self):
        commands = [["verify", self.tables], ["audit", self.tables], ["explain", self.model, "--tables", self.tables]]
        encode = ["transform", "--schema", self.schema, self.data, "-o", self.folder / "again", "--tables", self.tables]
        self.assert_refused(self.tables / "001-device.table", commands + [encode])
        self.assert_refused(self.tables / "tables.json", commands + [encode])

    def test_of_a_model(self):
        self.assert_refused(self.model, [["verify", self.model], ["evaluate", self.model, self.day],
                                         ["predict", self.model, self.day],
                                         ["explain", self.model, "--tables", self.tables]])

    def test_of_a_shard_that_is_cut_while_it_is_trained_on(self):
        model = self.folder / "m"
        shard = self.day / "part-00000-000000.shard"
        process = subprocess.Popen([WIDEHASH, "train", self.day, "-o", model, "--epochs", "100000000", "--quiet"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        # The first epoch ends with a checkpoint; the shards stay mapped during all epochs.
        checkpoint = self.folder / "m.checkpoint"
        while not checkpoint.exists() and process.poll() is None:
            time.sleep(0.01)
        os.truncate(shard, 0)
        output, message = process.communicate(timeout=60)
        self.assertEqual((process.returncode, output), (1, ""), message)
        self.assertTrue(message.startswith(f"widehash: {shard.resolve()}: cannot be read any more"), message)
        self.assertEqual(message.count("\n"), 1, message)
        self.succeed("verify", model)  # of the best epoch until then

    def test_of_a_file_that_something_was_added_to(self):
        self.model.write_bytes(self.model.read_bytes() + b"more")
        self.assertIn("it was cut short, or something was added to it", self.fail_with(1, "verify", self.model))

    def test_verify_lists_every_damaged_file(self):
        shards = sorted(self.day.glob("part-*.shard"))
        self.assertEqual(len(shards), 2)
        shards[0].unlink()
        shards[1].write_bytes(shards[1].read_bytes()[:-1])
        done = run("verify", self.day)
        lines = done.stderr.decode().splitlines()
        self.assertEqual((done.returncode, done.stdout, len(lines)), (1, b"", 3), lines)
        for line, place in zip(lines, [*shards, self.day], strict=True):
            self.assertTrue(line.startswith("widehash: %s: " % place), line)
        self.assertIn("is not sound: 2 problems", lines[2])
        done = run("verify", self.day, "--json")
        found = json.loads(done.stdout)
        self.assertEqual((done.returncode, found["kind"], found["sound"], found["num_problems"]), (1, "dataset", False, 2))
        self.assertEqual(["widehash: " + problem for problem in found["problems"]], lines[:2])

    def test_verify_lists_every_damaged_table(self):
        tables = sorted(self.tables.glob("*.table"))
        self.assertEqual(len(tables), 2)
        tables[0].write_bytes(tables[0].read_bytes()[:-1])
        tables[1].unlink()
        done = run("verify", self.tables, "--json")
        found = json.loads(done.stdout)
        self.assertEqual((done.returncode, found["kind"], found["sound"], found["num_problems"]), (1, "tables", False, 2))
        for problem, path in zip(found["problems"], tables, strict=True):
            self.assertTrue(problem.startswith("%s: " % path), problem)
        self.assertIn("is not sound: 2 problems", done.stderr.decode())
        # Problems of tables in a dataset's folder are listed with those of its shards.
        self.tables.rename(self.day / "tables")
        next(self.day.glob("part-*.shard")).write_bytes(b"")
        self.assertIn("is not sound: 3 problems", run("verify", self.day).stderr.decode())

    def test_verify_does_not_list_thousands(self):
        self.succeed("transform", "--schema", self.schema, self.data, "-o", self.folder / "many", "--tables", self.tables,
                     "--block-bytes", "100", "--quiet")
        shards = list((self.folder / "many").glob("part-*.shard"))
        for shard in shards:
            shard.write_bytes(b"")
        done = run("verify", self.folder / "many", "--json")
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 21)
        self.assertIn("%d problems, the first 20" % len(shards), lines[-1])
        found = json.loads(done.stdout)
        self.assertEqual((found["num_problems"], len(found["problems"])), (len(shards), 20))

    def test_verify_has_one_object_for_whatever_it_finds(self):
        for path, kind in [(self.day / "manifest.json", "dataset"), (self.tables / "001-device.table", "tables"),
                           (self.model, "model")]:
            place = path if kind == "model" else path.parent
            self.assertTrue(self.succeed_json("verify", place)["sound"])
            path.write_bytes(path.read_bytes()[:-1])
            done = run("verify", place, "--json")
            found = json.loads(done.stdout)
            self.assertEqual((done.returncode, found["kind"], found["sound"]), (1, kind, False))
            self.assertEqual("widehash: %s\n" % found["problems"][0], done.stderr.decode())

    def test_verify_says_what_it_was_given(self):
        self.assertEqual(self.succeed_json("verify", self.day)["kind"], "dataset")
        tables = self.succeed_json("verify", self.tables)
        self.assertEqual((tables["kind"], tables["rows"], tables["tables"]), ("tables", 400, 2))
        model = self.succeed_json("verify", self.model)
        self.assertEqual((model["kind"], model["towers"], model["epoch"]), ("model", 1, 1))
        self.assertIn("sound", self.succeed("verify", self.model).decode())
        self.fail_with(1, "verify", self.folder / "none")
        # A dataset without its manifest is not mistaken for the tables in the same folder.
        (self.day / "tables.json").write_bytes((self.tables / "tables.json").read_bytes())
        (self.day / "manifest.json").unlink()
        self.assertIn("manifest.json", self.fail_with(1, "verify", self.day))


if __name__ == "__main__":
    unittest.main()
