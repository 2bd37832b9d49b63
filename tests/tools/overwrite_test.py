"""Files that a run must not destroy: its own inputs, a schema edited by hand, tables that are in use."""

import json
import os
import shutil
import subprocess
import time
import unittest

from program import SCHEMA, WIDEHASH, Case, contents, table


class OwnInputs(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.data = self.write("day.tsv", table(200))
        self.day, self.tables, self.model = (self.folder / name for name in ["day", "tables", "model"])
        self.succeed("transform", "--schema", self.schema, self.data, "-o", self.day, "--quiet")
        self.succeed("fit", "--schema", self.schema, self.data, "-o", self.tables, "--quiet")
        self.succeed("train", self.day, "-o", self.model, "--quiet")
        self.before = contents(self.folder)

    def refuse(self, place, *command):
        """Requires that the output is refused by name and nothing has changed."""
        with self.subTest(" ".join(map(str, command))):
            self.assertIn(str(place), self.fail_with(2, *command))
            self.assertEqual(contents(self.folder), self.before)

    def test_an_output_in_the_place_of_an_input(self):
        shard = next(self.day.glob("part-*.shard"))
        for place in [self.model, self.data]:
            self.refuse(place, "predict", self.model, self.data, "-o", place)
        self.refuse(self.data, "predict", self.model, self.folder / "d?y.tsv", "-o", self.data)
        # This command does not read the text, but the text is worth more than what is made from it.
        self.refuse(self.data, "predict", self.model, self.day, "-o", self.data)
        for kind in ["npz", "vw", "libsvm"]:
            self.refuse(self.data, "export", self.day, "--format", kind, "-o", self.data)
        self.refuse(self.data, "inspect", self.data, "-o", self.data)
        self.refuse(self.data, "inspect", self.data, "-o", self.data, "--overwrite")
        for place in [self.day / "manifest.json", shard, self.day / "new"]:
            self.refuse(place, "train", self.day, "-o", place)
            self.refuse(place, "predict", self.model, self.day, "-o", place)
            for kind in ["npz", "vw", "libsvm"]:
                self.refuse(place, "export", self.day, "--format", kind, "-o", place)
        self.refuse(shard, "train", self.day, "-o", self.folder / "new", "--profile", shard)
        self.refuse(self.tables, "predict", self.model, self.data, "--tables", self.tables, "-o", self.tables / "new")
        for place in [self.tables, self.tables / "new"]:
            self.refuse(place, "transform", "--schema", self.schema, self.data, "--tables", self.tables, "-o", place)

    def test_a_path_that_was_relative_to_another_folder(self):
        command = [WIDEHASH, "transform", "--schema", "schema.toml", "day.tsv", "-o", "of_here", "--quiet"]
        subprocess.run(command, cwd=self.folder, check=True)
        self.before = contents(self.folder)
        self.refuse(self.data, "export", self.folder / "of_here", "--format", "npz", "-o", self.data)
        # A file of another size is not the input.
        self.data.write_text("mine\n")
        self.succeed("export", self.folder / "of_here", "--format", "npz", "-o", self.data)

    def test_the_model_that_a_training_starts_from(self):
        checkpoint = self.folder / "new.checkpoint"
        checkpoint.write_bytes(self.model.read_bytes())
        self.before = contents(self.folder)
        for start, *outputs in [(self.model, "-o", self.model), (checkpoint, "-o", self.folder / "new"),
                                (self.model, "-o", self.folder / "new", "--profile", self.model)]:
            self.refuse(start, "train", self.day, "--from", start, *outputs)

    def test_what_a_dataset_was_made_from_by_a_training(self):
        for name in ["text.model", "text"]:
            rows = self.folder / name
            rows.write_bytes(self.data.read_bytes())
            self.succeed("transform", "--schema", self.schema, rows, "-o", self.folder / "of_text", "--quiet", "--overwrite")
            self.before = contents(self.folder)
            for outputs in [("-o", rows), ("-o", self.folder / "new", "--profile", rows)]:
                for dataset in [(self.folder / "of_text",), (self.day, "--valid", self.folder / "of_text")]:
                    self.refuse(rows, "train", *dataset, *outputs, "--overwrite")

    def test_files_beside_an_output_that_are_none_of_ours(self):
        model = self.folder / "Cargo"
        self.write("Cargo.lock", "[[package]]\n")
        self.assertIn("Cargo.lock", self.fail_with(2, "train", self.day, "-o", model))
        self.assertEqual((self.folder / "Cargo.lock").read_text(), "[[package]]\n")
        (self.folder / "Cargo.lock").unlink()
        precious = self.write("precious", "mine")
        (self.folder / "Cargo.tmp").symlink_to(precious)
        self.assertIn("Cargo.tmp", self.fail_with(2, "train", self.day, "-o", model))
        self.assertEqual(precious.read_text(), "mine")
        for name in ("m.lock", "m.tmp", "m.checkpoint.tmp"):
            self.assertIn("cannot be the same file", self.fail_with(2, "train", self.day, "-o", self.folder / "m", "--profile", self.folder / name))

    def test_a_list_of_bad_rows_replaces_lists_only(self):
        output = self.folder / "predictions"
        listed = self.folder / "predictions.rejected.tsv"
        for make in [lambda: listed.write_text("my notes"), lambda: listed.mkdir()]:
            make()
            self.before = contents(self.folder)
            message = self.fail_with(2, "predict", self.model, self.data, "-o", output, "--max-bad-rows", 3)
            self.assertIn("predictions.rejected.tsv: the list of bad rows would overwrite this file", message)
            self.assertEqual(contents(self.folder), self.before)
            self.succeed("predict", self.model, self.data, "-o", output, "--quiet")  # no bad row is allowed, so no list is written
            output.unlink()
            self.assertEqual(contents(self.folder), self.before)
            listed.unlink() if listed.is_file() else listed.rmdir()
        for old in [b"", b"file\tline\treason\ttext\nday.tsv\t7\told\t\n"]:
            for arguments in [(self.data,), (self.data, "--max-bad-rows", 3), (self.day,)]:
                listed.write_bytes(old)
                self.succeed("predict", self.model, *arguments, "-o", output, "--quiet")
                self.assertFalse(listed.exists())

    def test_an_output_that_is_an_input_by_another_name(self):
        os.link(self.data, self.folder / "twin.tsv")
        (self.folder / "link.tsv").symlink_to(self.data)
        (self.folder / "days").symlink_to(self.day)
        self.before = contents(self.folder)
        for name in ["twin.tsv", "link.tsv"]:
            self.refuse(self.folder / name, "predict", self.model, self.data, "-o", self.folder / name)
            self.refuse(self.folder / name, "inspect", self.data, "-o", self.folder / name, "--overwrite")
        self.refuse(self.folder / "days", "train", self.day, "-o", self.folder / "days" / "manifest.json")

    def test_what_is_neither_a_schema_nor_a_model_is_not_replaced_by_one(self):
        other = self.write("other.tsv", table(20))
        shard = next(self.day.glob("part-*.shard"))
        table_of_site = next(self.tables.glob("*.table"))
        self.before = contents(self.folder)
        for place in [self.model, other, shard, table_of_site, self.tables / "tables.json", self.day / "manifest.json"]:
            self.refuse(place, "inspect", self.data, "-o", place, "--overwrite")
        (self.folder / "day2").mkdir()
        other_day = self.folder / "day2" / "manifest.json"
        other_day.write_bytes((self.day / "manifest.json").read_bytes())
        self.before = contents(self.folder)
        for place in [self.schema, other, table_of_site, self.tables / "tables.json", other_day]:
            self.refuse(place, "train", self.day, "-o", place, "--overwrite")
        other.rename(self.folder / "new.checkpoint")
        self.before = contents(self.folder)
        self.refuse(self.folder / "new.checkpoint", "train", self.day, "-o", self.folder / "new", "--overwrite")
        for replaced in [b"", self.model.read_bytes()[:200]]:  # a damaged model may be replaced too
            self.model.write_bytes(replaced)
            self.succeed("train", self.day, "-o", self.model, "--overwrite", "--quiet")

    def test_what_datasets_and_tables_consist_of_is_no_place_for_an_output(self):
        other = self.write("other.tsv", table(20))
        for name in ["day2", "tables2"]:
            shutil.copytree(self.folder / name[:-1], self.folder / name)
        shutil.copy(self.model, self.folder / "model2")
        self.before = contents(self.folder)
        lists = [self.folder / "day2" / "manifest.json", self.folder / "tables2" / "tables.json", self.folder / "tables2" / "fit.json"]
        for place in lists:
            self.refuse(place, "predict", self.model, self.data, "-o", place)
            self.refuse(place, "export", self.day, "--format", "vw", "-o", place)
        for place in [*lists, other, self.schema, self.folder / "model2", next((self.folder / "tables2").glob("*.table"))]:
            self.refuse(place, "train", self.day, "-o", self.folder / "new", "--profile", place)
        for place in [self.folder / "day2" / "schema.toml", self.folder / "tables2" / "schema.toml"]:
            self.refuse(place, "inspect", self.data, "-o", place, "--overwrite")
        trace = self.folder / "trace.json"
        for _ in range(2):  # a trace may be replaced
            self.succeed("train", self.day, "-o", self.folder / "new", "--overwrite", "--profile", trace, "--quiet")
            json.loads(trace.read_text())

    def test_an_input_where_a_run_writes_a_file_of_its_own(self):
        self.data.rename(self.tables / "rejected.tsv")
        self.before = contents(self.folder)
        self.refuse(self.tables, "fit", "--schema", self.schema, self.tables / "rejected.tsv", "-o", self.tables)
        self.refuse(self.tables, "transform", "--schema", self.schema, self.tables / "rejected.tsv", "-o", self.tables)

    def test_outputs_beside_inputs_are_fine(self):
        self.succeed("transform", "--schema", self.schema, self.data, "-o", self.folder, "--quiet")
        self.succeed("predict", self.model, self.data, "-o", "/dev/null", "--quiet")
        self.succeed("predict", self.model, self.day, "-o", self.folder / "day.txt", "--quiet")


class Schemas(Case):
    def test_a_schema_that_is_there_is_replaced_only_when_asked(self):
        data, schema = self.write("day.tsv", table(50)), self.folder / "schema.toml"
        self.succeed("inspect", data, "-o", schema, "--quiet")
        proposal = schema.read_text()
        schema.write_text("# mine\n[[feature]]\n")
        message = self.fail_with(2, "inspect", data, "-o", schema)
        self.assertIn(str(schema), message)
        self.assertIn("--overwrite", message)
        self.assertEqual(schema.read_text(), "# mine\n[[feature]]\n")
        self.succeed("inspect", data, "-o", schema, "--overwrite", "--quiet")
        self.assertEqual(schema.read_text(), proposal)
        self.assertEqual(self.succeed("inspect", data, "-o", "-").decode(), proposal)
        self.assertEqual(self.succeed("inspect", data, "-o", "/dev/null", "--quiet"), b"")


class Finished(Case):
    """How the same command treats a finished dataset."""

    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.data = self.write("day.tsv", table(300) + "bad row\n")
        self.day = self.folder / "day"
        self.transform = ["transform", "--schema", self.schema, self.data, "-o", self.day, "--block-bytes", 4096,
                          "--max-bad-rows"]
        self.succeed(*self.transform, 1, "--quiet")

    def test_of_more_bad_rows_than_are_allowed_now_is_refused(self):
        message = self.fail_with(2, *self.transform, 0)
        for word in [str(self.day), "1 bad row", "--max-bad-rows allows 0", "--overwrite"]:
            self.assertIn(word, message)
        self.assertTrue(self.succeed_json(*self.transform, 1)["already_complete"])
        (self.day / "rejected.tsv").unlink()
        self.assertIsNone(self.succeed_json(*self.transform, 1)["rejected_file"])
        self.assertNotIn(b"rejected.tsv", self.succeed(*self.transform, 1))

    def test_without_a_shard_is_not_complete(self):
        shard = self.day / "part-00000-000001.shard"
        shard.unlink()
        message = self.fail_with(1, *self.transform, 1)
        for word in [str(shard), "is missing", "--overwrite"]:
            self.assertIn(word, message)
        self.succeed(*self.transform, 1, "--overwrite", "--quiet")
        self.succeed("verify", self.day)

    def test_stays_when_one_of_the_new_rows_is_bad(self):
        before = contents(self.day)
        self.data.write_text(table(2000) + "bad row\n" * 2)
        message = self.fail_with(1, *self.transform, 1, "--overwrite")
        self.assertIn(str(self.day / "dataset.tmp" / "rejected.tsv"), message)
        self.assertEqual({name: digest for name, digest in contents(self.day).items() if "dataset.tmp" not in name}, before)
        self.assertEqual(self.succeed_json("verify", self.day)["rows"], 300)
        # The same command continues, and its rates cover only its own work.
        report = self.succeed_json(*self.transform, 2, "--overwrite")
        self.assertGreater(report["resumed_rows"], 1000)
        self.assertAlmostEqual(report["rows_per_second"] * report["seconds"], report["rows"] - report["resumed_rows"], 3)
        self.assertFalse((self.day / "dataset.tmp").exists())
        self.assertEqual(self.succeed_json("verify", self.day)["rows"], 2000)

    def test_stays_when_the_new_rows_cannot_be_read_at_all(self):
        before = contents(self.day)
        self.data.write_text("clicked\tsight\tdevice\tage\n1\ta\tb\t3\n")
        self.assertIn("'site'", self.fail_with(2, *self.transform, 1, "--overwrite"))
        self.assertEqual(contents(self.day), before)


class Tables(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.data = self.write("day.tsv", table(300))
        self.tables = self.folder / "tables"
        self.fit = ["fit", "--schema", self.schema, self.data, "-o", self.tables]
        self.first = self.succeed_json(*self.fit)
        self.before = contents(self.tables)

    def test_the_same_fit_again_finds_its_tables(self):
        again = self.succeed_json(*self.fit)
        self.assertEqual((self.first["already_complete"], again["already_complete"]), (False, True))
        for key in ["rows", "rejected_rows", "tables_fingerprint", "features", "input_bytes"]:
            self.assertEqual(again[key], self.first[key], key)
        self.assertIn(b"nothing was written", self.succeed(*self.fit))
        self.assertEqual(contents(self.tables), self.before)

    def test_a_dataset_is_not_mixed_among_them(self):
        other = self.write("other.toml", SCHEMA.replace("cardinality = 100\n", "cardinality = 200\n"))
        for schema in [self.schema, other]:
            for extra in [[], ["--overwrite"]]:
                message = self.fail_with(2, "transform", "--schema", schema, self.data, "-o", self.tables, *extra)
                self.assertIn("%s: holds lookup tables" % self.tables, message)
        self.assertEqual(contents(self.tables), self.before)

    def test_another_fit_replaces_tables_only_when_asked(self):
        self.write("day.tsv", table(200, seed=2))
        message = self.fail_with(2, *self.fit)
        for word in [str(self.tables), str(self.data), "has changed", "--overwrite"]:
            self.assertIn(word, message)
        self.assertEqual(contents(self.tables), self.before)
        self.assertEqual(self.succeed_json(*self.fit, "--overwrite")["rows"], 200)
        self.assertEqual(self.succeed_json("verify", self.tables)["rows"], 200)

    def test_a_fit_that_fails_leaves_the_tables_that_were_there(self):
        self.write("day.tsv", table(200, seed=2) + "1\tbad\n")
        self.fail_with(1, *self.fit, "--overwrite")
        self.assertEqual(contents(self.tables), self.before)
        self.assertEqual(self.succeed_json("verify", self.tables)["rows"], 300)

    def test_tables_that_are_half_in_place_are_reported_and_finished(self):
        new = self.folder / "new"
        self.write("day.tsv", table(200, seed=2))
        self.succeed(*self.fit[:-1], new, "--quiet")
        expected = contents(new)
        # As left by a kill at the last moment.
        new.rename(self.tables / "fit.ready")
        moved = next((self.tables / "fit.ready").glob("*.table"))
        moved.rename(self.tables / moved.name)
        exact = self.write("exact.toml", SCHEMA + '[[feature]]\nfield = "site"\nname = "s"\nencoding = "exact"\n'
                           "cardinality = 100\n")
        for command in [["verify", self.tables], ["audit", self.tables],
                        ["transform", "--schema", exact, self.data, "--tables", self.tables, "-o", self.folder / "day"]]:
            message = self.fail_with(1, *command)
            self.assertIn(str(self.tables), message)
            self.assertIn("run the same fit again", message)
        self.assertTrue(self.succeed_json(*self.fit)["already_complete"])
        self.assertEqual(contents(self.tables), expected)
        self.succeed("verify", self.tables)


class Unfinished(Case):
    """How the next transform treats an unfinished one."""

    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.data = self.write("day.tsv", table(3000))
        self.day = self.folder / "day"
        self.transform = ["transform", "--schema", self.schema, self.data, "-o", self.day, "--block-bytes", 4096,
                          "--threads", 1]

    def stop_at_a_bad_row(self, good_rows):
        whole = self.data.read_bytes()
        self.data.write_text(table(good_rows) + "bad row\n")
        self.assertIn("fix the row", self.fail_with(1, *self.transform))
        self.data.write_bytes(whole)

    def test_that_has_finished_nothing_is_no_obstacle(self):
        self.stop_at_a_bad_row(5)
        self.assertEqual(list(self.day.glob("*.shard")), [])
        self.assertEqual(self.succeed_json(*self.transform)["rows"], 3000)
        self.succeed("verify", self.day)

    def test_that_has_finished_shards_is_reported_with_what_differs(self):
        self.stop_at_a_bad_row(2000)
        before = contents(self.day)
        size = self.data.stat().st_size
        other = self.write("other.toml", SCHEMA.replace("cardinality = 100\n", "cardinality = 200\n"))
        night = self.write("night.tsv", table(5))
        for change, words in [({4096: 8192}, "--block-bytes was 4096 and is now 8192"),
                              ({self.schema: other}, "the schema was different (it is in %s/schema.toml)" % self.day),
                              ({self.data: night}, "input 1 was %s and is now %s" % (self.data, night))]:
            message = self.fail_with(2, *[change.get(word, word) for word in self.transform])
            self.assertIn(words, message)
            self.assertRegex(message, "unfinished run with [0-9]+ finished shards")
            self.assertIn("--overwrite", message)
            if self.data not in change:
                self.assertRegex(message, "%s has changed: it had [0-9]+ bytes and now has %d" % (self.data, size))
        self.assertEqual(contents(self.day), before)
        larger = [8192 if word == 4096 else word for word in self.transform]
        self.assertEqual(self.succeed_json(*larger, "--overwrite")["resumed_shards"], 0)

    def test_whose_bad_row_was_repaired_keeps_the_shards_of_other_inputs(self):
        night = self.write("night.tsv", table(1000, seed=2))
        self.transform[3:4] = [night, self.data]
        self.stop_at_a_bad_row(2000)
        finished = len(list(self.day.glob("part-00000-*.shard")))
        self.assertGreater(finished, 3)
        self.assertGreater(len(list(self.day.glob("part-00001-*.shard"))), 3)
        report = self.succeed_json(*self.transform)
        self.assertEqual((report["rows"], report["resumed_shards"]), (4000, finished))
        fresh = self.folder / "fresh"
        self.succeed(*[fresh if word == self.day else word for word in self.transform], "--quiet")
        self.assertEqual(contents(fresh), contents(self.day))

    def test_of_a_run_that_overwrites_goes_on(self):
        self.data.write_text(table(40000))
        self.succeed(*self.transform, "--quiet")
        expected = contents(self.day)
        larger = [*self.transform[:-3], 8192, "--threads", 1, "--overwrite"]
        self.succeed(*larger, "--quiet")
        self.kill(*self.transform, "--overwrite")
        self.assertGreaterEqual(self.succeed_json(*self.transform, "--overwrite")["resumed_shards"], 5)
        self.assertEqual(contents(self.day), expected)
        # A finished dataset is replaced, even by an identical one.
        self.assertEqual(self.succeed_json(*self.transform, "--overwrite")["resumed_shards"], 0)
        self.kill(*self.transform, "--overwrite")
        self.assertEqual(self.succeed_json(*larger)["resumed_shards"], 0)
        self.kill(*self.transform, "--overwrite")
        self.assertGreaterEqual(self.succeed_json(*self.transform, "--overwrite")["resumed_shards"], 5)

    def test_of_the_standard_input_begins_anew_when_it_is_to_overwrite(self):
        piped = ["transform", "--schema", self.schema, "-", "-o", self.day, "--block-bytes", 4096, "--overwrite"]
        self.kill(*piped, stdin=self.data.read_bytes())
        other = table(3000, seed=2).encode()
        self.assertEqual(self.succeed_json(*piped, stdin=other)["resumed_shards"], 0)
        self.succeed("verify", self.day)

    def kill(self, *command, stdin=b""):
        """Kills the command once some shards are finished."""
        journals = [self.day / "progress.jsonl", self.day / "dataset.tmp" / "progress.jsonl"]
        process = subprocess.Popen([WIDEHASH, *map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        process.stdin.write(stdin)
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while sum(journal.read_bytes().count(b"\n") for journal in journals if journal.exists()) < 6:
            self.assertIsNone(process.poll(), "it ended before it was killed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)
        process.kill()
        process.wait()
        process.stdin.close()


if __name__ == "__main__":
    unittest.main()
