"""Rows in memory to codes and matrices."""

import concurrent.futures
import copy
import tempfile
import threading
import unittest

import numpy as np
import scipy.sparse
import widehash


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

    def test_labels_that_are_numbers_may_be_booleans(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 10}, label="y"))
        for labels in ([True, False, True], np.array([True, False, True]), ["true", "false", "true"], [1, 0, 1]):
            self.assertEqual(encoder.encode({"a": [1, 2, 3], "y": labels}).targets.tolist(), [1, 0, 1])
        with self.assertRaisesRegex(widehash.DataError, "label 'y' is 'True', not a finite number, true or false"):
            encoder.encode({"a": [1], "y": ["True"]})
        told = widehash.Encoder(widehash.make_schema({"a": 10}, label={"field": "y", "positive": ["false"], "negative": ["true"]}))
        self.assertEqual(told.encode({"a": [1, 2], "y": [True, False]}).targets.tolist(), [0, 1])

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
        with self.assertRaisesRegex(widehash.ShapeError, "column 'b' has 2 rows, but 'a' has 1"):
            widehash.Encoder(widehash.make_schema({"a": 10, "b": 10})).encode({"a": [1], "b": [1, 2]})
        with self.assertRaisesRegex(TypeError, "a table must be"):
            encoder.encode("a.tsv")

    def test_a_missing_field_is_reported_with_all_that_are_there(self):
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

    def test_reasons_are_texts_whatever_the_bytes(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 10}, label="y"))
        (row, reason), = encoder.encode({"a": ["x"], "y": [b"\xff\x1b[2J"]}, max_bad_rows=1).rejected
        self.assertEqual(row, 0)
        self.assertIn("'??[2J'", reason)

    def test_rows_as_mappings_may_lack_fields(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 100, "b": 100}))
        rows = encoder.encode([{"a": "x", "b": 1}, {"b": 2}]).csr()
        columns = encoder.encode({"a": ["x", None], "b": [1, 2]}).csr()
        self.assertEqual((rows != columns).nnz, 0)

    def test_names_of_rows_need_not_be_text(self):
        encoder = widehash.Encoder(widehash.make_schema({"0": 100, "b": 100}, label="y"))
        rows = encoder.encode([{"b": 1}, {0: "x", "b": 2}]).csr()
        columns = encoder.encode({0: [None, "x"], "b": [1, 2]}).csr()
        self.assertEqual((rows != columns).nnz, 0)
        with self.assertRaisesRegex(widehash.ConfigError, "no field '0', .*its fields are: b, 1"):
            encoder.encode([{1: "x", "b": 2}])

    def test_what_is_no_row_among_rows_is_reported_by_its_place(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 100}))
        for wrong, words in (([{"a": 1}, None], "row 2 is None"), (({"a": 1}, {"a": 2}, ["x"]), "row 3 is a list"), ([["x"]], "row 1 is a list")):
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, "a list of mappings, not .*; its " + words):
                encoder.encode(wrong)

    def test_a_copy_is_the_encoder(self):
        schema = widehash.make_schema({"a": {"encoding": "exact", "cardinality": 10}})
        with tempfile.TemporaryDirectory() as folder:
            with widehash.LookupTablesWriter(schema, folder + "/tables") as writer:
                writer.append({"a": ["x", "y"]})
            encoder = widehash.Encoder(schema, folder + "/tables")
        # The tables have been removed by now.
        for again in (copy.copy(encoder), copy.deepcopy({"encoder": encoder})["encoder"]):
            self.assertEqual((again.encode({"a": ["x"]}).csr() != encoder.encode({"a": ["x"]}).csr()).nnz, 0)

    def test_what_names_no_feature_is_refused(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 10}))
        batch = encoder.encode({"a": ["x"]})
        for look in (encoder.columns_of, batch.codes, batch.numbers):
            with self.assertRaisesRegex(TypeError, "feature = 5: must be a str"):
                look(5)
            with self.assertRaisesRegex(widehash.ConfigError, "feature has surrogates"):
                look("\ud800")

    def test_threads_may_share_an_encoder(self):
        encoder = widehash.Encoder(widehash.make_schema({"a": 100000}))
        tables = [{"a": np.arange(k, k + 20000)} for k in range(8)]
        expected = [encoder.encode(table, threads=1).csr() for table in tables]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda table: encoder.encode(table, threads=2).csr(), tables * 4))
        for i, matrix in enumerate(found):
            self.assertEqual((matrix != expected[i % 8]).nnz, 0)

    def test_values_may_be_changed_by_others_while_they_are_encoded(self):
        # The column keeps its values alive, even when another thread empties the list.
        encoder = widehash.Encoder(widehash.make_schema({"a": 1000}))
        for _ in range(20):
            values = [f"value {i} that is made here" for i in range(20000)]
            expected = encoder.encode({"a": list(values)}).csr()
            started = threading.Event()
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                job = pool.submit(lambda: (started.set(), encoder.encode({"a": values}))[1])
                started.wait()
                values.clear()
            if len(job.result()) > 0:  # 0 if the list was emptied before it was read
                self.assertEqual((job.result().csr() != expected).nnz, 0)


if __name__ == "__main__":
    unittest.main()
