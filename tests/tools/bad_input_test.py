"""Bad data and wrong requests end with the right exit code and a line that names the place and the cure."""

import bz2
import gzip
import json
import lzma
import pathlib
import random
import unittest

from program import SCHEMA, Case, rows, run, table

HEADER = "clicked\tsite\tdevice\tage\n"


class BadInput(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)

    def transform(self, code, data, *extra, schema=None):
        return self.fail_with(code, "transform", "--schema", schema or self.schema, data, "-o", self.folder / "out", *extra)

    def assert_says(self, message, *parts):
        for part in parts:
            self.assertIn(str(part), message)


class Inputs(BadInput):
    def test_missing_file(self):
        missing = self.folder / "missing.tsv"
        self.assert_says(self.transform(1, missing), missing, "No such file")
        self.assert_says(self.fail_with(1, "inspect", missing), missing)
        self.assert_says(self.fail_with(1, "fit", "--schema", self.schema, missing, "-o", self.folder / "t"), missing)

    def test_missing_schema(self):
        self.assert_says(self.transform(1, self.write("a.tsv", table(3)), schema=self.folder / "none.toml"), "none.toml")

    def test_folder_for_a_file(self):
        self.assert_says(self.transform(1, self.folder), self.folder, "irectory")
        self.assert_says(self.fail_with(1, "inspect", self.folder), self.folder)

    def test_glob_that_matches_nothing(self):
        self.assert_says(self.transform(2, self.folder / "*.nothing"), "*.nothing")

    def test_empty_file(self):
        path = self.write("empty.tsv", "")
        self.assert_says(self.transform(1, path), path, "empty")
        self.assert_says(self.fail_with(1, "inspect", path), path)

    def test_header_without_rows_is_an_empty_dataset(self):
        finished = run("transform", "--schema", self.schema, self.write("head.tsv", HEADER), "-o", self.folder / "out")
        self.assertEqual((finished.returncode, finished.stderr), (0, b"widehash: transform: there are no rows: the inputs hold none\n"))
        self.assertEqual(self.succeed_json("verify", self.folder / "out")["rows"], 0)
        self.assert_says(self.fail_with(1, "train", self.folder / "out", "-o", self.folder / "m"), "rows")

    def test_field_that_the_header_lacks(self):
        path = self.write("other.tsv", "clicked\tsite\tgadget\tage\n1\ta\tb\t3\n")
        self.assert_says(self.transform(2, path), "device", path)

    def test_field_that_a_later_header_lacks(self):
        """Reported before any row of the earlier files is read: the bad row of the first one is not reported."""
        first = self.write("big.tsv", HEADER + "bad\n")
        last = self.write("zz.tsv", "clicked\tsite\tgadget\tage\n1\ta\tb\t3\n")
        for command in ["transform", "fit"]:
            message = self.fail_with(2, command, "--schema", self.schema, first, last, "-o", self.folder / "out")
            self.assert_says(message, "device", last)
            self.assertFalse((self.folder / "out").exists())

    def test_file_that_is_given_twice(self):
        (self.folder / "many").mkdir()
        path = self.write("many/d1.tsv", table(3))
        glob = self.folder / "many" / "*.tsv"
        for command in [["inspect"], ["fit", "--schema", self.schema, "-o", self.folder / "out"],
                        ["transform", "--schema", self.schema, "-o", self.folder / "out"]]:
            message = self.fail_with(2, *command, self.folder / "many" / ".." / "many" / "d1.tsv", glob)
            self.assert_says(message, "many/../many/d1.tsv", glob, "twice")

    def test_output_folder_that_is_the_standard_output(self):
        path = self.write("day.tsv", table(3))
        for command in ["fit", "transform"]:
            self.assert_says(self.fail_with(2, command, "--schema", self.schema, path, "-o", "-"), "./-")

    def test_copies_of_a_file_are_reported(self):
        path = self.write("day.tsv", table(3))
        copy = self.write("copy.tsv", table(3))
        other = self.write("other.tsv", table(4))
        for command in ["fit", "transform"]:
            out = self.folder / command
            message = run(command, "--schema", self.schema, path, other, copy, "-o", out).stderr.decode()
            self.assert_says(message, path, copy, "same bytes", "twice")
            self.assertNotIn("other.tsv", message)

    def test_export_does_not_replace_an_input(self):
        path = self.write("day.tsv", table(30))
        made = self.folder / "made"
        self.succeed("transform", "--schema", self.schema, path, "-o", made, "--quiet")
        self.assert_says(self.fail_with(2, "export", made, "--format", "libsvm", "-o", path), path, "input")
        self.assertEqual(path.read_text(), table(30))

    def test_glob_for_folders_of_any_depth(self):
        self.assert_says(self.transform(2, self.folder / "**" / "*.tsv"), "**/*.tsv", "find")

    def test_wrong_field_count(self):
        lines = rows(9)
        lines[6] = "1\tsite\tphone"
        path = self.write("short.tsv", HEADER + "\n".join(lines) + "\n")
        self.assert_says(self.transform(1, path), "%s:8: " % path, "field")

    def test_label_that_is_no_label(self):
        path = self.write("label.tsv", HEADER + "1\ta\tb\t3\nabc\ta\tb\t3\n")
        self.assert_says(self.transform(1, path), "%s:3: " % path, "abc", "clicked")

    def test_more_bad_rows_than_allowed(self):
        path = self.write("label.tsv", HEADER + "1\ta\tb\t3\n" + "abc\ta\tb\t3\n" * 3)
        self.assert_says(self.transform(1, path, "--max-bad-rows", 2), path)
        self.succeed("transform", "--schema", self.schema, path, "-o", self.folder / "out", "--max-bad-rows", 3)

    def test_overlong_field(self):
        path = self.write("long.tsv", HEADER + "1\ta\tb\t3\n1\t" + "x" * (2 << 20) + "\tb\t3\n")
        message = self.transform(1, path)
        self.assert_says(message, "%s:3: " % path, "bytes")
        self.assertLess(len(message), 2000)

    def test_invalid_utf8_is_legal(self):
        path = self.write("latin.tsv", HEADER.encode() + b"1\t\xff\xfe\xc3\tb\t3\n0\t\x00\tb\t3\n")
        self.succeed("transform", "--schema", self.schema, path, "-o", self.folder / "out")
        self.assertEqual(self.succeed_json("verify", self.folder / "out")["rows"], 2)
        self.succeed("inspect", path)
        self.succeed_json("inspect", path)

    def test_every_command_names_a_file_that_is_no_text(self):
        self.succeed("transform", "--schema", self.schema, self.write("good.tsv", table(50)), "-o", self.folder / "day",
                     "--quiet")
        self.succeed("train", self.folder / "day", "-o", self.folder / "model", "--quiet")
        text = table(50)
        for name, content, advice in [("a.tsv.xz", lzma.compress(text.encode()), "`xz -dc FILE | widehash ... -`"),
                                      ("a.tsv.bz2", bz2.compress(text.encode()), "`bzip2 -dc FILE | widehash ... -`"),
                                      ("a.parquet", b"PAR1\x15\x04" + bytes(50) + b"PAR1", "Parquet"),
                                      ("a.utf16", text.encode("utf-16"), "`iconv -f UTF-16 -t UTF-8 FILE |"),
                                      ("a.utf16le", text.encode("utf-16-le"), "`iconv -f UTF-16LE -t UTF-8 FILE |"),
                                      ("a.utf16be", text.encode("utf-16-be"), "`iconv -f UTF-16BE -t UTF-8 FILE |"),
                                      ("a.shard", next((self.folder / "day").glob("*.shard")).read_bytes(), "is a widehash file"),
                                      ("a.parquet.gz", gzip.compress(b"PAR1\x15\x04" + bytes(50) + b"PAR1"), "Parquet"),
                                      ("a.tsv.gz.gz", gzip.compress(gzip.compress(text.encode())),
                                       "`gzip -dc FILE | widehash ... -`")]:
            with self.subTest(name):
                path = self.write(name, content)
                self.assert_says(self.transform(1, path), path, advice)
                self.assert_says(self.fail_with(1, "inspect", path), path, advice)
                self.assert_says(self.fail_with(1, "fit", "--schema", self.schema, path, "-o", self.folder / "t"), advice)
                self.assert_says(self.fail_with(1, "predict", self.folder / "model", path), advice)
                self.assert_says(self.fail_with(1, "inspect", "-", stdin=content), "standard input", advice)

    def test_lines_that_end_in_carriage_returns_alone(self):
        path = self.write("old.csv", "y,a\r1,x\r0,z\r")
        self.assert_says(self.fail_with(1, "inspect", path), path, "carriage returns alone", r"`tr '\r' '\n' < FILE |")
        self.assert_says(self.transform(1, path), path, "carriage returns alone", r"`tr '\r' '\n' < FILE |")
        # Also where that single line has all the fields that are needed: otherwise there would be no rows.
        for content in ["y,a,more\r1,x,2\r0,z,3\r", "y,a,more\r1,x,2\r0,z,3\r\n"]:
            path = self.write("old.csv", content)
            self.assert_says(self.transform(1, path), path, "carriage returns alone")
            self.assert_says(self.fail_with(1, "fit", "--schema", self.schema, path, "-o", self.folder / "t"), "carriage returns alone")
        for fine in ["y,a\r\n1,x\r\n", "y\ta\tb\r", "y,a\n1,\r\n"]:
            self.succeed("inspect", self.write("fine.csv", fine))

    def test_a_label_that_is_not_there_is_guessed_at(self):
        path = self.write("claims.csv", "ClaimNb,Region\n1,a\n0,b\n")
        self.assertIn("did you mean 'ClaimNb'", self.fail_with(2, "inspect", path, "--label", "claimnb"))

    def test_inspect_doubts_what_is_hardly_a_table(self):
        def notes(content):
            return " ".join(self.succeed_json("inspect", self.write("odd", content))["notes"])

        for json_text in ['{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n', '[\n  {"a": 1},\n  {"a": 2}\n]\n']:
            self.assertIn("look like JSON", notes(json_text))
        self.assertNotIn("JSON", notes("a,b\n{,}\n[,1\n"))
        self.assertIn("control characters", notes("".join("\x02\x03\x04 %d\n" % row for row in range(50))))
        self.assertNotIn("control characters", notes("y\ta\n" + "1\t%s\x07\n" % ("x" * 99) * 50))

    def test_paths_that_are_empty(self):
        data = self.write("a.tsv", table(5))
        for command in [["transform", "--schema", self.schema, data, "-o", ""], ["transform", "--schema", "", data, "-o", "d"],
                        ["transform", "--schema", self.schema, "", "-o", "d"], ["verify", ""], ["train", "", "-o", "m"], ["train", "d", "", "-o", "m"],
                        ["train", "d", "-o", ""], ["inspect", ""]]:
            self.assert_says(self.fail_with(2, *command), "is empty")

    def test_rows_that_refute_what_inspect_guessed(self):
        path = self.write("odd.csv", "a,b\n1,2\n" + "1,2,3\n" * 9)
        message = self.fail_with(1, "inspect", path, "--header", "yes", "--delimiter", ",")
        self.assert_says(message, path, "9 of 10 rows", "delimiter ','", "--quote")

    def test_delimiters_and_quotes_that_are_none(self):
        path = self.write("a.csv", "a,b\n1,2\n")
        for option, text in [("--delimiter", ""), ("--delimiter", "ab"), ("--delimiter", "é"), ("--delimiter", "none"),
                             ("--quote", "''"), ("--quote", "\n")]:
            with self.subTest(option + text):
                self.assertIn(option, self.fail_with(2, "inspect", path, option, text))
        self.assert_says(self.fail_with(2, "inspect", path, "--delimiter", ";", "--quote", ";"), "same character")

    def test_cut_gzip(self):
        whole = gzip.compress(table(2000).encode())
        path = self.write("cut.tsv.gz", whole[:len(whole) // 2])
        self.assert_says(self.transform(1, path), path)
        self.assert_says(self.fail_with(1, "inspect", path), path)

    def test_damaged_gzip(self):
        damaged = bytearray(gzip.compress(table(2000).encode()))
        damaged[-5] ^= 1  # in the length and checksum of the trailer
        self.assert_says(self.transform(1, self.write("bad.tsv.gz", bytes(damaged))), "bad.tsv.gz")


    def test_inspect_survives_anything(self):
        """Tables made of delimiters, quotes, spaces and line ends give an answer or an error, never a crash."""
        self.succeed("inspect", "-", stdin=b" | \n |a\n")
        source = random.Random(11)
        pieces = [b'"', b'""', b",", b";", b"|", b" ", b"\t", b"\n", b"\r\n", b"a", b"1", b"-1.5", b"\x00", b"\xff"]
        for _ in range(100):
            chosen = source.sample(pieces, source.randint(1, 8))
            text = b"".join(source.choice(chosen) for _ in range(source.choice([0, 1, 5, 30, 200])))
            self.assertIn(run("inspect", "-", stdin=text).returncode, [0, 1, 2], text)


class Schemas(BadInput):
    def with_schema(self, text):
        schema = self.write("wrong.toml", text)
        return self.transform(2, self.write("a.tsv", table(3)), schema=schema)

    def test_mistyped_key(self):
        message = self.with_schema(SCHEMA.replace("cardinality = 10\n", "cardinallity = 10\n"))
        self.assert_says(message, "wrong.toml:9", "cardinallity", "did you mean", "cardinality")

    def test_cardinality_outside_its_range(self):
        self.assert_says(self.with_schema(SCHEMA.replace("cardinality = 100\n", "cardinality = 0\n")),
                         "wrong.toml", "cardinality", "0")
        self.assert_says(self.with_schema(SCHEMA.replace("cardinality = 100\n", "cardinality = %d\n" % (2 ** 32 + 1))),
                         "wrong.toml", "cardinality", 2 ** 32 + 1, "xxh3_128")

    def test_text_that_is_not_toml(self):
        self.assert_says(self.with_schema("label = \n"), "wrong.toml:1")

    def test_tables_needed_and_not_given(self):
        schema = self.write("exact.toml", SCHEMA + '[[feature]]\nfield = "site"\nname = "site_exact"\n'
                            'encoding = "exact"\ncardinality = 100\n')
        self.assert_says(self.transform(2, self.write("a.tsv", table(3)), schema=schema), "tables")


class Datasets(BadInput):
    def setUp(self):
        super().setUp()
        self.data = self.write("day.tsv", table(500))
        self.day = self.folder / "day"
        self.succeed("transform", "--schema", self.schema, self.data, "-o", self.day, "--quiet")

    def flip(self, path, position):
        content = bytearray(path.read_bytes())
        content[position] ^= 0x10
        path.write_bytes(content)

    def test_flipped_bit_in_a_shard(self):
        shard = next(self.day.glob("part-*.shard"))
        size = shard.stat().st_size
        for position in [0, 100, size // 2, size - 100, size - 1]:
            with self.subTest(position):
                self.flip(shard, position)
                self.assert_says(self.fail_with(1, "verify", self.day), shard.name)
                self.flip(shard, position)
        self.succeed("verify", self.day)

    def test_missing_shard_and_missing_manifest(self):
        shard = next(self.day.glob("part-*.shard"))
        shard.rename(self.folder / "away")
        self.assert_says(self.fail_with(1, "verify", self.day), shard.name)
        (self.folder / "away").rename(shard)
        (self.day / "manifest.json").unlink()
        self.assert_says(self.fail_with(1, "verify", self.day), "manifest.json")

    def test_folder_that_is_no_dataset(self):
        for command in [["verify", self.folder], ["train", self.folder, "-o", self.folder / "m"],
                        ["export", self.folder, "--format", "vw", "-o", "-"], ["audit", self.folder]]:
            with self.subTest(command[0]):
                self.assert_says(self.fail_with(1, *command), self.folder)

    def test_folder_that_holds_another_dataset(self):
        other = self.write("other.toml", SCHEMA.replace("cardinality = 100\n", "cardinality = 200\n"))
        command = ["transform", "--schema", other, self.data, "-o", self.day]
        self.assert_says(self.fail_with(2, *command), self.day, "--overwrite")
        self.succeed(*command, "--overwrite")
        self.succeed("verify", self.day)

    def test_model_of_another_schema(self):
        self.succeed("train", self.day, "-o", self.folder / "model", "--quiet")
        other = self.write("other.toml", SCHEMA.replace("cardinality = 100\n", "cardinality = 200\n"))
        self.succeed("transform", "--schema", other, self.data, "-o", self.folder / "other", "--quiet")
        message = self.fail_with(2, "evaluate", self.folder / "model", self.folder / "other")
        self.assert_says(message, "site", "cardinality", "100", "200")
        self.fail_with(2, "predict", self.folder / "model", self.folder / "other")
        self.fail_with(2, "train", self.day, "-o", self.folder / "m", "--valid", self.folder / "other")
        self.succeed("fit", "--schema", other, self.data, "-o", self.folder / "tables", "--quiet")
        self.fail_with(2, "explain", self.folder / "model", "--tables", self.folder / "tables")

    def test_model_that_is_damaged_or_no_model(self):
        self.succeed("train", self.day, "-o", self.folder / "model", "--quiet")
        self.assert_says(self.fail_with(1, "evaluate", self.data, self.day), "day.tsv")
        self.assert_says(self.fail_with(1, "evaluate", self.folder / "none", self.day), "none", "No such file")
        self.flip(self.folder / "model", (self.folder / "model").stat().st_size // 2)
        self.assert_says(self.fail_with(1, "predict", self.folder / "model", self.data), "model")

    def test_bad_row_while_predicting(self):
        self.succeed("train", self.day, "-o", self.folder / "model", "--quiet")
        path = self.write("new.tsv", HEADER + "1\ta\tb\t3\n1\ta\n")
        predictions = self.folder / "predictions"
        self.assert_says(self.fail_with(1, "predict", self.folder / "model", path, "-o", predictions), "%s:3: " % path)
        self.assertFalse(predictions.exists())

    def test_bad_rows_have_nan_in_their_lines(self):
        model = self.folder / "model"
        self.succeed("train", self.day, "-o", model, "--quiet")
        good = ["1\ta\tb\t3", "0\tc\td\t4", "1\te\tf\t5"]
        expected = self.succeed("predict", model, self.write("good.tsv", HEADER + "\n".join(good) + "\n")).split()
        lines = [good[0], "short", "1\ta\tb\tx", good[1], good[2], "1\ta"]
        path = self.write("bad.tsv", HEADER + "\n".join(lines) + "\n")
        wanted = [expected[0], b"nan", b"nan", expected[1], expected[2], b"nan"]
        done = run("predict", model, path, "--max-bad-rows", 3)
        self.assertEqual((done.returncode, done.stdout.split()), (0, wanted), done.stderr)
        self.assertEqual(done.stderr, b"widehash: bad rows: 3 have nan in place of a prediction; "
                                      b"with -o FILE they are listed in FILE.rejected.tsv\n")
        output = self.folder / "predictions"
        done = run("predict", model, path, "--max-bad-rows", 3, "-o", output, "--json")
        report = json.loads(done.stdout)
        self.assertEqual((report["rows"], report["rejected_rows"], report["lines"]), (3, 3, 6))
        self.assertEqual(output.read_bytes().split(), wanted)
        self.assertEqual(report["rejected_file"], "%s.rejected.tsv" % output)
        self.assertIn(report["rejected_file"], done.stderr.decode())
        listed = [line.split("\t")[1] for line in pathlib.Path(report["rejected_file"]).read_text().splitlines()]
        self.assertEqual(listed, ["line", "3", "4", "7"])
        # The list is removed with the predictions that it belongs to, not before.
        self.fail_with(1, "predict", model, path, "-o", output)
        self.assertTrue(pathlib.Path(report["rejected_file"]).exists())
        self.succeed("predict", model, self.folder / "good.tsv", "-o", output)
        self.assertFalse(pathlib.Path(report["rejected_file"]).exists())
        # One bad row too many: there are no predictions, and the list has the bad rows.
        output.unlink()
        self.assert_says(self.fail_with(1, "predict", model, path, "--max-bad-rows", 2, "-o", output), "%s:7: " % path,
                         "bad row 3, but --max-bad-rows allows only 2; these 3 are listed in %s.rejected.tsv" % output)
        self.assertFalse(output.exists())
        self.assert_says(self.fail_with(1, "predict", model, path), "%s:3: " % path, "--max-bad-rows")
        done = run("predict", model, path, "--max-bad-rows", 2)
        self.assertEqual((done.returncode, done.stdout), (1, b""))

    def test_rows_that_the_dataset_left_out_are_reported(self):
        model = self.folder / "model"
        self.succeed("train", self.day, "-o", model, "--quiet")
        path = self.write("bad.tsv", HEADER + "1\ta\tb\t3\nshort\n1\ta\tb\t3\n")
        day = self.folder / "with_bad"
        self.succeed("transform", "--schema", self.schema, path, "-o", day, "--max-bad-rows", 1, "--quiet")
        done = run("predict", model, day, "--quiet")
        self.assertEqual((done.returncode, done.stdout.count(b"\n")), (0, 2))
        self.assertEqual(done.stderr.decode(),
                         "widehash: bad rows: 1 were left out when the dataset was made and have no line here, so "
                         "lines do not match the rows of its text; see %s/rejected.tsv\n" % day)
        done = run("predict", model, day, "-o", self.folder / "out", "--json")
        report = json.loads(done.stdout)
        self.assertEqual((report["rows"], report["rejected_rows"], report["lines"]), (2, 1, 2))
        self.assertEqual(report["rejected_file"], "%s/rejected.tsv" % day)

    def test_settings_that_training_cannot_use(self):
        base = ["train", self.day, "-o", self.folder / "m"]
        for extra in [["--batch-size", 0], ["--epochs", 0], ["--lr", "-1"], ["--hidden", "8,x"], ["--early-stop", 1],
                      ["--loss", "softmax"], ["--valid", self.folder / "none"]]:
            with self.subTest(extra[0]):
                self.fail_with(1 if extra[0] == "--valid" else 2, *base, *extra)


if __name__ == "__main__":
    unittest.main()
