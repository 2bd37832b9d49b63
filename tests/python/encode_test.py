"""Rows in memory: the codes of files, and the matrices, tables and predictions of the program."""

import concurrent.futures
import copy
import os
import pathlib
import pickle
import shutil
import subprocess
import tempfile
import threading
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


class Encode(unittest.TestCase):
    def test_an_empty_table_gives_an_empty_matrix(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 100}))
        for empty in ({"a": []}, {"a": np.zeros(0)}):
            batch = encoder.encode(empty)
            self.assertEqual(len(batch), 0)
            self.assertEqual(batch.csr().shape, (0, encoder.num_columns))

    def test_columns_are_those_of_the_contract(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 1000, "b": 64}))
        hashes, buckets = widehash.hash_values(["x", "y"], cardinality=1000)
        x = encoder.encode({"b": ["", ""], "a": ["x", "y"]}).csr()
        self.assertEqual(encoder.columns_of("a"), range(0, 128))
        self.assertEqual(encoder.columns_of("b"), range(128, 160))
        for row in range(2):
            splits = [(int(hashes[row]) >> (48 - 16 * k)) & 0xFFFF for k in range(4)]
            self.assertEqual(buckets[row].tolist(), [split % 32 for split in splits])
            self.assertEqual(x[row, :128].indices.tolist(), [k * 32 + split % 32 for k, split in enumerate(splits)])

    def test_matrices_keep_scipys_rules(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": {"cardinality": 9, "separator": "|"}, "n": {"encoding": "numeric"}}))
        x = encoder.encode({"a": ["p|q|p", "", "r|s"], "n": [1.5, None, -2]}).csr()
        again = scipy.sparse.csr_matrix((x.data, x.indices, x.indptr), shape=x.shape)
        x.check_format(full_check=True)
        self.assertTrue(again.has_canonical_format)
        self.assertEqual(x.dtype, np.float32)
        self.assertEqual(x.sum(axis=1).ravel().tolist(), [[12 + 1.5, 4, 8 - 2]])

    def test_labels_and_weights_are_read_where_they_are(self):
        schema = widehash.make_schema({"a": 10}, label={"field": "y", "classes": ["no", "yes"]}, weight="w")
        encoder = widehash.Encoder(schema)
        batch = encoder.encode({"a": [1, 2], "y": ["yes", "no"], "w": [2, 0.5]})
        self.assertEqual(batch.targets.tolist(), [1, 0])
        self.assertEqual(batch.weights.tolist(), [2, 0.5])
        with self.assertRaises(ValueError):
            batch.targets[0] = 5
        batch = encoder.encode({"a": [1, 2]})
        self.assertIsNone(batch.targets)
        self.assertIsNone(batch.weights)

    def test_targets_outlive_their_batch(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 10}, label="y"))
        targets = encoder.encode({"a": range(100000), "y": range(100000)}).targets
        others = [encoder.encode({"a": range(100000), "y": [7] * 100000}) for _ in range(3)]
        self.assertEqual(targets.tolist(), list(range(100000)))
        self.assertEqual(len(others), 3)

    def test_bad_rows_are_named_or_left_out(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 10}, label="y"))
        table = {"a": [1, 2, 3, 4], "y": [1, "x", 3, None]}
        with self.assertRaises(widehash.DataError) as raised:
            encoder.encode(table)
        self.assertEqual(raised.exception.row, 2)
        with self.assertRaises(widehash.DataError) as raised:
            encoder.encode(table, max_bad_rows=1)
        self.assertEqual(raised.exception.row, 4)
        batch = encoder.encode(table, max_bad_rows=2)
        self.assertEqual(len(batch), 2)
        self.assertEqual([row for row, _ in batch.rejected], [1, 3])
        self.assertEqual(batch.targets.tolist(), [1, 3])

    def test_a_missing_field_is_named(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 10}))
        with self.assertRaisesRegex(widehash.ConfigError, "no field 'a'"):
            encoder.encode({"b": [1]})
        with self.assertRaisesRegex(widehash.ConfigError, "no feature 'b'"):
            encoder.columns_of("b")
        with self.assertRaisesRegex(widehash.ShapeError, "column 'b' has 2 rows where 'a' has 1"):
            widehash.Encoder(widehash.make_schema({"a": 10, "b": 10})).encode({"a": [1], "b": [1, 2]})
        with self.assertRaisesRegex(TypeError, "a table is"):
            encoder.encode("a.tsv")

    def test_a_missing_field_is_told_with_all_that_are_there(self):
        encoder = widehash.Encoder(widehash.make_schema({"month": 12, "carrier": 20}, label="late"))
        words = r"table in memory: has no field 'carrier', .*; its fields are: late, Carrier, month, \d; did you mean 'Carrier'\?$"
        table = {"late": [1], "Carrier": ["UA"], "month": [2], 7: [3]}
        record = np.array([(1, 2, 3, 4)], dtype=[("late", "i4"), ("Carrier", "i4"), ("month", "i4"), ("7", "i4")])
        for same in (table, record):
            with self.assertRaisesRegex(widehash.ConfigError, words):
                encoder.encode(same)
        with self.assertRaisesRegex(widehash.ConfigError, words.replace("Carrier, month", "month, Carrier", 1)):
            encoder.encode([dict(zip(table, range(4)))])

    def test_columns_that_nobody_asked_for_are_not_looked_at(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 10}))
        expected = encoder.encode({"a": [1, 2]}).csr()
        odd = object()
        when = np.array(["2026-01-02", "2026-01-03"], dtype="M8[D]")
        for table in ({"a": [1, 2], "b": odd, "c": when, "\ud800": None, 1: "x", "1": "y"}, [{"a": 1, "b": odd}, {"a": 2}],
                      np.array([(1, when[0]), (2, when[1])], dtype=[("a", "i4"), ("when", "M8[D]")])):
            self.assertEqual((encoder.encode(table).csr() != expected).nnz, 0)

    def test_no_rows_are_no_error(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 10}, label="y"))
        self.assertEqual(encoder.encode([]).csr().shape, (0, encoder.num_columns))

    def test_reasons_may_hold_any_bytes(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 10}, label="y"))
        (row, reason), = encoder.encode({"a": ["x"], "y": [b"\xff"]}, max_bad_rows=1).rejected
        self.assertEqual(row, 0)
        self.assertIn("\udcff", reason)

    def test_rows_as_mappings_may_lack_fields(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 100, "b": 100}))
        rows = encoder.encode([{"a": "x", "b": 1}, {"b": 2}]).csr()
        columns = encoder.encode({"a": ["x", None], "b": [1, 2]}).csr()
        self.assertEqual((rows != columns).nnz, 0)

    def test_threads_may_share_an_encoder(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 100000}))
        tables = [{"a": np.arange(k, k + 20000)} for k in range(8)]
        expected = [encoder.encode(table, threads=1).csr() for table in tables]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda table: encoder.encode(table, threads=2).csr(), tables * 4))
        for i, matrix in enumerate(found):
            self.assertEqual((matrix != expected[i % 8]).nnz, 0)

    def test_values_may_be_changed_by_others_while_they_are_encoded(self):
        # The column keeps its values: a list that another thread empties must not take them along.
        encoder = widehash.Encoder(widehash.make_schema({"a": 1000}))
        for _ in range(20):
            values = [f"value {i} that is made here" for i in range(20000)]
            expected = encoder.encode({"a": list(values)}).csr()
            started = threading.Event()
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                job = pool.submit(lambda: (started.set(), encoder.encode({"a": values}))[1])
                started.wait()
                values.clear()
            if len(job.result()) > 0:  # 0 where the list was empty before it was looked at
                self.assertEqual((job.result().csr() != expected).nnz, 0)


class Schemas(unittest.TestCase):
    def test_a_schema_made_in_code_is_that_of_a_file(self):
        toml = 'label = {field = "y", positive = ["a\\tb"], negative = ["\\""]}\nmissing_values = ["NA"]\n' \
            '[[feature]]\nfield = "x"\ncardinality = 5\n[[feature]]\nname = "xy"\ncross = ["x", "z"]\ncardinality = 7\n'
        made = widehash.make_schema(
            {"x": 5, "xy": {"cross": ["x", "z"], "cardinality": np.int64(7)}},
            label={"field": "y", "positive": ["a\tb"], "negative": ['"']}, missing_values=["NA"])
        self.assertEqual(made, widehash.parse_schema(toml))
        self.assertEqual(hash(made), hash(widehash.parse_schema(toml)))
        self.assertNotEqual(made, widehash.make_schema({"x": 6}))
        self.assertFalse(made == 3)
        self.assertNotIn(made, [1, None])
        bounds = {"n": {"encoding": "numeric", "transform": "bucketize", "boundaries": np.array([1.5])}}
        self.assertEqual(widehash.make_schema(bounds, label=None), widehash.parse_schema(
            '[[feature]]\nfield = "n"\nencoding = "numeric"\ntransform = "bucketize"\nboundaries = [1.5]\n'))
        bounds["n"]["boundaries"] = [np.float64(1.5)]  # whose repr is np.float64(1.5) in numpy 2
        self.assertEqual(widehash.make_schema(bounds).to_toml().count("boundaries = [1.5]"), 1)
        bounds["n"]["boundaries"] = [np.int64(1), np.float32(1.5)]
        self.assertEqual(widehash.make_schema(bounds).to_toml().count("boundaries = [1.0, 1.5]"), 1)
        self.assertEqual(widehash.make_schema({"n": "numeric"}), widehash.make_schema({"n": {"encoding": "numeric"}}))
        self.assertEqual(made.features, ["x", "xy"])
        self.assertEqual(made.label, "y")
        self.assertEqual(widehash.parse_schema(made.to_toml()), made)

    def test_wrong_keys_and_files_are_named(self):
        with self.assertRaisesRegex(widehash.ConfigError, "cardinalty"):
            widehash.make_schema({"x": {"cardinalty": 5}})
        with self.assertRaisesRegex(TypeError, "set"):
            widehash.make_schema({"x": {"cardinality": {5}}})
        with self.assertRaises(OSError) as raised:
            widehash.load_schema("nowhere/schema.toml")
        for read in (widehash.load_schema, widehash.Encoder, lambda text: widehash.fit(text, str(TRAIN), "nowhere")):
            with self.assertRaisesRegex(widehash.ConfigError, "a text of several lines where a path is needed; parse_schema"):
                read("label = 'late'\n[[feature]]\n")
        self.assertEqual(raised.exception.filename, "nowhere/schema.toml")
        self.assertIn("check the path", str(raised.exception))
        self.assertIsInstance(raised.exception, FileNotFoundError)
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((type(again), str(again), again.errno, again.filename, again.strerror),
                         (widehash.MissingFileError, str(raised.exception), raised.exception.errno, "nowhere/schema.toml",
                          "No such file or directory"))
        again = pickle.loads(pickle.dumps(widehash.DataError("text", "a.tsv", 3)))
        self.assertEqual((str(again), again.path, again.row), ("text", "a.tsv", 3))
        with self.assertRaisesRegex(widehash.ConfigError, "NUL"):
            widehash.load_schema("a\0.toml")
        with self.assertRaisesRegex(TypeError, "path is None"):
            widehash.load_schema(None)
        with self.assertRaisesRegex(TypeError, "features are a mapping"):
            widehash.make_schema(["x"])

    def test_hash_values_refuses_what_does_not_fit(self):
        for wrong in ({}, {"cardinality": 5, "buckets": 5}, {"encoding": "one_hot"}, {"encoding": "exact", "cardinality": 5}):
            with self.assertRaises(TypeError):
                widehash.hash_values(["x"], **wrong)
        for cardinality in (0, 2**32 + 1):
            with self.assertRaises(widehash.ConfigError):
                widehash.hash_values(["x"], cardinality=cardinality)
            with self.assertRaises(widehash.ConfigError):
                widehash.hash_values(["x"], cardinality=cardinality, encoding="one_hot")
        hashes, buckets = widehash.hash_values(["x"], cardinality=1000, encoding="one_hot")
        x = int(hashes[0])
        self.assertEqual(buckets[0], x % 128)
        self.assertEqual(widehash.hash_values(["x"], buckets=7, encoding="one_hot")[1][0], x % 7)
        self.assertNotEqual(widehash.hash_values(["x"], buckets=7, encoding="one_hot", seed=1)[0][0], x)


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
            top = table.most_common(3)
            self.assertEqual([count for _, count in top], sorted(counts.values(), reverse=True)[: len(top)])
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

    def test_values_of_a_cross_are_looked_up_and_told_by_their_parts(self):
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
