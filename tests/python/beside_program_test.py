"""Compares the package's matrices, tables, predictions and hashes with the program's."""

import copy
import os
import pathlib
import pickle
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
import scipy.sparse
import widehash
from flights_kit import EXACT_SCHEMA, PROGRAM, SCHEMA, TEST, TRAIN, flights, with_program


def run(*arguments):
    result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return result.stdout


@with_program
class BesideTheProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        run("fit", "--schema", EXACT_SCHEMA, TRAIN, "-o", cls.work / "tables")
        run("transform", "--schema", SCHEMA, TRAIN, "-o", cls.work / "train", "--block-bytes", "256K")
        run("transform", "--schema", SCHEMA, TEST, "-o", cls.work / "test")
        run("train", cls.work / "train", "-o", cls.work / "linear.model")
        run("train", cls.work / "train", "-o", cls.work / "hidden.model", "--hidden", "8")
        cls.test = flights("test")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_dataset_is_the_rows_that_were_encoded(self):
        dataset = widehash.Dataset(self.work / "train")
        self.assertGreater(dataset.num_shards, 1)
        batches = list(dataset)
        self.assertEqual(sum(map(len, batches)), len(dataset))
        table = flights("train")
        batch = widehash.Encoder(SCHEMA).encode(table)
        x = scipy.sparse.vstack([shard.csr() for shard in batches])
        self.assertEqual((x != batch.csr()).nnz, 0)
        np.testing.assert_array_equal(np.concatenate([shard.targets for shard in batches]), batch.targets)
        self.assertEqual(dataset.shard(0, verify=True).num_columns, dataset.num_columns)
        for wrong in (dataset.num_shards, -1):
            with self.assertRaises(IndexError):
                dataset.shard(wrong)
        with self.assertRaisesRegex(TypeError, "index = '0': must be a whole number"):
            dataset.shard("0")
        with self.assertRaisesRegex(TypeError, "verify = 'no': must be True or False"):
            dataset.shard(0, verify="no")
        self.assertEqual(widehash.evaluate(widehash.Model(self.work / "linear.model"), widehash.Dataset(self.work / "test")).rows,
                         len(self.test["late"]))

    def test_predictions_are_those_of_the_program(self):
        for name in ("linear", "hidden"):
            path = self.work / f"{name}.model"
            printed = np.array(run("predict", path, TEST).split(), dtype=np.float32)
            model = widehash.Model(path)
            predictions = model.predict(self.test)
            # The program prints as many digits as a float has.
            np.testing.assert_allclose(predictions, printed, rtol=1e-6)
            np.testing.assert_array_equal(model.predict(self.test, threads=1), predictions)
            batches = [model.predict(batch) for batch in widehash.Dataset(self.work / "test")]
            np.testing.assert_array_equal(np.concatenate(batches), predictions)
        self.assertEqual(model.hidden, [8])
        self.assertEqual(model.loss, "logistic")

    def test_a_service_needs_no_label_and_gives_nan_for_a_bad_row_that_may_be(self):
        schema = widehash.make_schema({"a": 10, "n": {"encoding": "numeric"}}, label="y")
        data = self.work / "numbers.tsv"
        data.write_text("a\tn\ty\n" + "".join(f"{i % 7}\t{i}\t{i % 2}\n" for i in range(200)))
        (self.work / "numbers.toml").write_text(schema.to_toml())
        run("transform", "--schema", self.work / "numbers.toml", data, "-o", self.work / "numbers")
        run("train", self.work / "numbers", "-o", self.work / "numbers.model")
        model = widehash.Model(self.work / "numbers.model")
        rows = {"a": ["1", "2", "3"], "n": ["1", "x", "3"]}
        with self.assertRaises(widehash.DataError) as raised:
            model.predict(rows)
        self.assertEqual(raised.exception.row, 2)
        predictions = model.predict(rows, max_bad_rows=1)
        self.assertEqual(np.isnan(predictions).tolist(), [False, True, False])
        good = model.predict({"a": ["1", "3"], "n": [1, 3]})
        self.assertEqual(predictions[[0, 2]].tolist(), good.tolist())

    def test_a_damaged_shard_is_noticed_by_whoever_iterates(self):
        folder = self.work / "codes"
        run("transform", "--schema", SCHEMA, TEST, "-o", folder)
        shard = next(folder.glob("part-*.shard"))
        content = bytearray(shard.read_bytes())
        content[200:5000] = b"\xff" * 4800
        shard.write_bytes(content)
        with self.assertRaises(widehash.DataError):
            for batch in widehash.Dataset(folder):
                batch.csr()

    def test_what_goes_to_other_processes_is_the_same_there(self):
        encoder = widehash.Encoder(EXACT_SCHEMA, tables=self.work / "tables")
        pickled = pickle.dumps(encoder)
        before = os.getcwd()
        os.chdir("/")
        try:
            again = pickle.loads(pickled)
        finally:
            os.chdir(before)
        self.assertEqual((again.encode(self.test).csr() != encoder.encode(self.test).csr()).nnz, 0)
        model = widehash.Model(self.work / "linear.model")
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(self.test), model.predict(self.test))
        self.assertEqual(len(pickle.loads(pickle.dumps(widehash.Dataset(self.work / "test")))), len(self.test["late"]))
        self.assertEqual(list(pickle.loads(pickle.dumps(widehash.LookupTables(self.work / "tables")))),
                         list(widehash.LookupTables(self.work / "tables")))

    def test_a_table_goes_to_other_processes_as_its_place(self):
        table = widehash.LookupTables(self.work / "tables")["carrier"]
        for again in (pickle.loads(pickle.dumps(table)), copy.copy(table), copy.deepcopy(table)):
            self.assertEqual((again.feature, again.values()), ("carrier", table.values()))
            np.testing.assert_array_equal(again.counts, table.counts)
        folder = self.work / "moved tables"
        shutil.copytree(self.work / "tables", folder)
        pickled = pickle.dumps(widehash.LookupTables(folder)["carrier"])
        shutil.rmtree(folder)
        with self.assertRaisesRegex(widehash.FileError, "moved tables"):
            pickle.loads(pickled)

    def test_a_path_behind_a_link_leads_where_it_leads(self):
        # "current/.." is the parent of the link's target. Its model differs from the one next to the link.
        (self.work / "far/deep").mkdir(parents=True)
        (self.work / "current").symlink_to(self.work / "far/deep")
        shutil.copyfile(self.work / "hidden.model", self.work / "far/a.model")
        shutil.copyfile(self.work / "linear.model", self.work / "a.model")
        model = widehash.Model(f"{self.work}/current/../a.model")
        self.assertEqual(os.stat(os.fspath(model)).st_ino, (self.work / "far/a.model").stat().st_ino)
        np.testing.assert_array_equal(widehash.predict(model, self.work / "test"), widehash.predict(self.work / "hidden.model", self.work / "test"))
        self.assertEqual(pickle.loads(pickle.dumps(model)).hidden, model.hidden)

    def test_whether_there_is_a_table_is_reported_without_reading_it(self):
        folder = self.work / "damaged tables"
        shutil.copytree(self.work / "tables", folder)
        table = next(folder.glob("*carrier.table"))
        content = bytearray(table.read_bytes())
        content[len(content) // 2] ^= 1
        table.write_bytes(content)
        tables = widehash.LookupTables(folder)
        self.assertIn("carrier", tables)
        self.assertNotIn("nobody", tables)
        with self.assertRaises(widehash.DataError):
            tables["carrier"]

    def test_a_pickled_model_whose_file_was_replaced_is_refused_and_a_copy_is_the_model(self):
        path = self.work / "replaced.model"
        shutil.copyfile(self.work / "linear.model", path)
        model = widehash.Model(path)
        expected = model.predict(self.test)
        pickled = pickle.dumps(model)
        np.testing.assert_array_equal(pickle.loads(pickled).predict(self.test), expected)
        os.replace(shutil.copyfile(self.work / "hidden.model", self.work / "newer.model"), path)
        with self.assertRaisesRegex(widehash.ConfigError, "replaced.model: the file is not the model that was pickled"):
            pickle.loads(pickled)
        with self.assertRaisesRegex(widehash.ConfigError, "replaced.model"):
            pickle.loads(pickle.dumps(model))
        for again in (copy.copy(model), copy.deepcopy({"model": model})["model"]):
            np.testing.assert_array_equal(again.predict(self.test), expected)

    def test_rows_of_another_schema_are_refused(self):
        model = widehash.Model(self.work / "linear.model")
        with self.assertRaisesRegex(widehash.ConfigError, "another schema"):
            model.predict(widehash.Encoder(widehash.make_schema({"a": 10})).encode({"a": [1]}))

    def test_tables_are_the_counts_of_the_rows(self):
        tables = widehash.LookupTables(self.work / "tables")
        train = flights("train")
        self.assertEqual(tables.rows, len(train["carrier"]))
        checked = 0
        for feature in tables:
            if feature not in train:
                continue
            counts = {}
            for value in train[feature]:
                counts[value] = counts.get(value, 0) + 1
            table = tables[feature]
            self.assertEqual(dict(zip(table.values(), table.counts.tolist())), counts)
            self.assertEqual(table.total_count, sum(counts.values()))
            # Ties come in the order of the table, as in `values`.
            ranked = sorted(range(len(table)), key=lambda index, table=table: (-int(table.counts[index]), index))
            self.assertEqual(table.most_common(7), [(table.value(index), counts[table.value(index)]) for index in ranked[:7]])
            hashes, codes = widehash.hash_values(table.values(), cardinality=table.cardinality)
            np.testing.assert_array_equal(table.hashes, hashes)
            np.testing.assert_array_equal(table.codes, codes)
            for index in range(0, len(table), 37):
                self.assertEqual(table.find(table.value(index)), index)
                self.assertEqual(table.count(table.value_bytes(index)), table.counts[index])
            self.assertIsNone(table.find("no such value"))
            self.assertEqual(table.count("no such value"), 0)
            checked += 1
        self.assertGreater(checked, 1)
        with self.assertRaises(KeyError):
            tables["no such feature"]
        for look in (table.value, table.value_bytes, table.cross_parts):
            with self.assertRaisesRegex(IndexError, f"the table of '{table.feature}' has {len(table)} values, and no value {len(table)}"):
                look(len(table))
        for wrong in (None, 1.5, True):
            with self.assertRaisesRegex(TypeError, "a text, bytes, a whole number"):
                table.find(wrong)
        with self.assertRaisesRegex(widehash.ConfigError, "value = .* has no text: surrogates not allowed"):
            table.find("\ud800")

    def test_values_of_a_cross_are_looked_up_and_reported_by_their_parts(self):
        schema = widehash.make_schema({"ab": {"cross": ["a", "b"], "cardinality": 9}, "a": 9}, hash="xxh3_128")
        with widehash.LookupTablesWriter(schema, self.work / "crosses") as writer:
            writer.append({"a": [1, 1, 12], "b": ["23", "23", "3"]})
        tables = widehash.LookupTables(self.work / "crosses")
        table = tables["ab"]
        self.assertEqual(sorted(table.cross_parts(index) for index in range(2)), [["1", "23"], ["12", "3"]])
        self.assertEqual([table.count(value) for value in [(1, "23"), ["12", b"3"], ("123", "")]], [2, 1, 0])
        self.assertEqual(table.cross_parts(table.find((12, "3"))), ["12", "3"])
        self.assertEqual([tables["a"].count(value) for value in [1, "12", np.int64(12), 2]], [2, 1, 1, 0])
        with self.assertRaises(widehash.ConfigError):
            tables["a"].cross_parts(0)

    def test_the_exact_encoding_needs_its_tables(self):
        schema = widehash.load_schema(EXACT_SCHEMA)
        with self.assertRaisesRegex(widehash.ConfigError, "needs lookup tables"):
            widehash.Encoder(schema)
        encoder = widehash.Encoder(schema, tables=self.work / "tables")
        run("transform", "--schema", EXACT_SCHEMA, "--tables", self.work / "tables",
            TEST, "-o", self.work / "exact")
        x = scipy.sparse.vstack([batch.csr() for batch in widehash.Dataset(self.work / "exact")])
        self.assertEqual((x != encoder.encode(self.test).csr()).nnz, 0)

    def test_hashes_are_those_of_the_program(self):
        values = ["", "x", "a longer value, of more than 32 bytes in all", "é"]
        lines = run("hash", "--cardinality", 5000, "--", *values).splitlines()
        hashes, buckets = widehash.hash_values(values, cardinality=5000)
        self.assertEqual(lines, ["\t".join([f"{int(h):016x}", *map(str, b)]) for h, b in zip(hashes, buckets)])
        for encoding in ("four_split", "one_hot"):
            lines = run("hash", "--cardinality", 2**40 if encoding == "four_split" else 5000, "--hash", "xxh3_128", "--encoding", encoding, "--seed", 7,
                        "--", *values).splitlines()
            hashes, buckets = widehash.hash_values(values, cardinality=2**40 if encoding == "four_split" else 5000, encoding=encoding, hash="xxh3_128", seed=7)
            self.assertEqual(lines, ["\t".join([f"{int(h[0]):016x}{int(h[1]):016x}", *map(str, np.atleast_1d(b))]) for h, b in zip(hashes, buckets)])

    def test_a_damaged_shard_is_named(self):
        folder = self.work / "damaged"
        run("transform", "--schema", SCHEMA, TEST, "-o", folder)
        shard = next(folder.glob("part-*.shard"))
        content = bytearray(shard.read_bytes())
        content[len(content) // 2] ^= 1
        shard.write_bytes(content)
        with self.assertRaises(widehash.DataError) as raised:
            widehash.Dataset(folder).shard(0, verify=True)
        self.assertIn(shard.name, str(raised.exception))
        self.assertIn(shard.name, raised.exception.path)


if __name__ == "__main__":
    unittest.main()
