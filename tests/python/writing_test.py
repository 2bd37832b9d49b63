"""Compares datasets and lookup tables from rows in memory with those from files of the same rows."""

import datetime
import decimal
import gc
import threading
import unittest

import numpy as np
import scipy.sparse

try:
    import pyarrow as pa
    import pyarrow.parquet
except ImportError:
    pa = None

import widehash
from flights_kit import EXACT_SCHEMA, JobCase, SCHEMA, TEST, TRAIN, contents, flights


def rows_of(dataset):
    """All rows as one matrix, and their targets."""
    batches = list(widehash.Dataset(dataset))
    return scipy.sparse.vstack([batch.csr() for batch in batches]), np.concatenate([batch.targets for batch in batches])


def pieces(columns, size):
    """The table in batches."""
    rows = len(next(iter(columns.values())))
    for begin in range(0, rows, size):
        yield {name: values[begin:begin + size] for name, values in columns.items()}


class Datasets(JobCase):
    def setUp(self):
        super().setUp()
        self.encoder = widehash.Encoder(SCHEMA)

    def assert_same_rows(self, dataset, expected):
        (x, targets), (expected_x, expected_targets) = rows_of(dataset), rows_of(expected)
        np.testing.assert_array_equal(targets, expected_targets)
        self.assertEqual(abs(x - expected_x).nnz, 0)

    def test_it_holds_the_rows_of_the_same_file_and_trains_alike(self):
        data, test = self.folder / "from memory", self.folder / "test from memory"
        with widehash.DatasetWriter(self.encoder, data) as writer:
            for rows in pieces(flights("train"), 3000):
                writer.append(rows)
        self.assert_same_rows(data, self.data)
        self.assertEqual(widehash.verify(data).rows, len(widehash.Dataset(self.data)))
        with widehash.DatasetWriter(self.encoder, test) as writer:
            writer.append(flights("test"))
        widehash.train(self.data, self.folder / "of files")
        widehash.train(data, self.folder / "of memory")
        expected = widehash.evaluate(self.folder / "of files", self.test).log_loss
        self.assertAlmostEqual(widehash.evaluate(self.folder / "of memory", test).log_loss, expected, delta=0.01)

    def test_batches_and_tables_and_any_cut_give_the_same_bytes(self):
        columns = flights("test")
        for name, size, as_batch in [("whole", 10**6, False), ("cut", 77, False), ("batches", 500, True)]:
            with widehash.DatasetWriter(self.encoder, self.folder / name, shard_bytes=100_000) as writer:
                for rows in pieces(columns, size):
                    writer.append(self.encoder.encode(rows) if as_batch else rows, threads=1 if size == 77 else None)
        whole = contents(self.folder / "whole")
        self.assertGreater(len(whole), 4)
        self.assertEqual(contents(self.folder / "cut"), whole)
        self.assertEqual(contents(self.folder / "batches"), whole)

    def test_shards_of_a_dataset_are_rows_for_another(self):
        with widehash.DatasetWriter(widehash.Encoder(SCHEMA), self.folder / "both") as writer:
            for dataset in (self.data, self.test):
                for batch in widehash.Dataset(dataset):
                    writer.append(batch)
        x, targets = rows_of(self.folder / "both")
        first, second = rows_of(self.data), rows_of(self.test)
        self.assertEqual(abs(x - scipy.sparse.vstack([first[0], second[0]])).nnz, 0)
        np.testing.assert_array_equal(targets, np.concatenate([first[1], second[1]]))

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    def test_parquet_is_streamed(self):
        pyarrow.parquet.write_table(pa.table(flights("train")), self.folder / "flights.parquet", row_group_size=4000)
        with widehash.DatasetWriter(self.encoder, self.folder / "of parquet") as writer:
            for rows in pyarrow.parquet.ParquetFile(self.folder / "flights.parquet").iter_batches(batch_size=1500):
                writer.append(rows)
        self.assert_same_rows(self.folder / "of parquet", self.data)

    def test_an_exception_leaves_nothing_and_the_folder_free(self):
        with self.assertRaises(ZeroDivisionError):
            with widehash.DatasetWriter(self.encoder, self.folder / "data", shard_bytes=10_000) as writer:
                for rows in pieces(flights("test"), 1000):
                    writer.append(rows)
                self.assertGreater(len(list((self.folder / "data").iterdir())), 3)
                1 / 0
        self.assertFalse((self.folder / "data").exists())
        with self.assertRaisesRegex(widehash.ConfigError, "data: the dataset was discarded because of ZeroDivisionError: division"):
            writer.finish()
        self.assertIn("discarded because of ZeroDivisionError", repr(writer))
        dropped = widehash.DatasetWriter(self.encoder, self.folder / "data")
        dropped.append(flights("test"))
        del dropped
        gc.collect()
        self.assertFalse((self.folder / "data").exists())
        (self.folder / "data").mkdir()
        widehash.DatasetWriter(self.encoder, self.folder / "data").discard()
        self.assertEqual(list((self.folder / "data").iterdir()), [])

    def test_finish_gives_the_dataset_within_the_body_too(self):
        with widehash.DatasetWriter(self.encoder, self.folder / "data") as writer:
            writer.append(flights("test"))
            dataset = writer.finish()
            self.assertEqual(len(dataset), len(flights("test")["late"]))
        with widehash.DatasetWriter(self.encoder, self.folder / "none") as writer:
            writer.append(flights("test"))
            writer.discard()
        self.assertFalse((self.folder / "none").exists())
        self.assertRegex(repr(writer), "discarded>$")
        with self.assertRaisesRegex(widehash.ConfigError, "the dataset was discarded; make another"):
            writer.append(flights("test"))

    def test_bad_rows_are_left_out_and_counted_over_all_tables(self):
        columns = flights("test")
        columns["late"][30] = columns["late"][4000] = "perhaps"
        with widehash.DatasetWriter(self.encoder, self.folder / "data", max_bad_rows=2) as writer:
            for rows in pieces(columns, 999):
                writer.append(rows)
        self.assertEqual(widehash.Dataset(self.folder / "data").rejected_rows, 2)
        listed = (self.folder / "data/rejected.tsv").read_text()
        self.assertIn("\t31\t", listed)
        self.assertIn("\t4001\t", listed)
        with self.assertRaisesRegex(widehash.DataError, "max_bad_rows=N") as raised:
            with widehash.DatasetWriter(self.encoder, self.folder / "stopped") as writer:
                for rows in pieces(columns, 20):
                    writer.append(rows)
        self.assertEqual(raised.exception.row, 31)
        self.assertFalse((self.folder / "stopped").exists())

    def test_bad_rows_of_batches_count_as_those_of_tables(self):
        columns = flights("test")
        columns["late"][30] = columns["late"][4000] = "perhaps"
        with widehash.DatasetWriter(self.encoder, self.folder / "tables", max_bad_rows=2) as writer:
            writer.append(columns)
        with widehash.DatasetWriter(self.encoder, self.folder / "batches", max_bad_rows=2) as writer:
            for rows in pieces(columns, 999):
                writer.append(self.encoder.encode(rows, max_bad_rows=1))
        self.assertEqual(contents(self.folder / "batches"), contents(self.folder / "tables"))
        dataset = widehash.Dataset(self.folder / "batches")
        self.assertEqual((len(dataset), dataset.rejected_rows), (len(columns["late"]) - 2, 2))
        with self.assertRaisesRegex(widehash.DataError, "bad row 2, but max_bad_rows allows only 1") as raised:
            with widehash.DatasetWriter(self.encoder, self.folder / "stopped", max_bad_rows=1) as writer:
                writer.append(self.encoder.encode(columns, max_bad_rows=2))
        self.assertEqual(raised.exception.row, 4001)
        self.assertEqual([file.name for file in (self.folder / "stopped").iterdir()], ["rejected.tsv"])

    def test_a_bad_row_that_was_caught_is_reported_at_the_end(self):
        columns = flights("test")
        columns["late"][30] = "perhaps"
        with self.assertRaisesRegex(widehash.ConfigError, "the dataset was discarded because of DataError: table in memory:31: .*'perhaps'"):
            with widehash.DatasetWriter(self.encoder, self.folder / "data") as writer:
                with self.assertRaises(widehash.DataError):
                    writer.append(columns)
                self.assertRegex(repr(writer), "data', discarded because of DataError: table in memory:31:")
        with widehash.DatasetWriter(self.encoder, self.folder / "data") as writer:
            with self.assertRaises(widehash.DataError):
                writer.append(columns)
            writer.discard()  # handles the error, so the end of `with` does not raise
        with widehash.DatasetWriter(self.encoder, self.folder / "data") as writer:
            writer.append(flights("test"))
            self.assertRegex(repr(writer), "open>$")
        self.assertRegex(repr(writer), "finished>$")

    def test_what_is_of_another_schema_or_lacks_the_label_is_refused_and_changes_nothing(self):
        columns = flights("test")
        unlabelled = {name: values for name, values in columns.items() if name != "late"}
        with widehash.DatasetWriter(self.encoder, self.folder / "data") as writer:
            writer.append(columns)
            with self.assertRaisesRegex(widehash.ConfigError, "'late', which the schema uses as the label"):
                writer.append(unlabelled)
            with self.assertRaisesRegex(widehash.ConfigError, "without the label"):
                writer.append(self.encoder.encode(unlabelled))
            with self.assertRaisesRegex(widehash.ConfigError, "another schema"):
                writer.append(widehash.Encoder(widehash.make_schema({"carrier": 20})).encode(columns))
            with self.assertRaisesRegex(TypeError, "not str"):
                writer.append("train.tsv")
        self.assertEqual(len(widehash.Dataset(self.folder / "data")), len(columns["late"]))

    def test_a_folder_with_a_dataset_is_replaced_only_where_that_is_asked(self):
        with self.assertRaisesRegex(widehash.ConfigError, "already holds a dataset; .* overwrite=True"):
            widehash.DatasetWriter(self.encoder, self.data)
        for wrong in ({"max_bad_rows": -1}, {"shard_bytes": -1}):
            with self.assertRaises(widehash.ConfigError):
                widehash.DatasetWriter(self.encoder, self.folder / "data", **wrong)
        with self.assertRaisesRegex(TypeError, "must be an Encoder"):
            widehash.DatasetWriter(SCHEMA, self.folder / "data")
        for rows in (100, 10):
            with widehash.DatasetWriter(self.encoder, self.folder / "data", overwrite=True) as writer:
                writer.append(next(pieces(flights("test"), rows)))
            self.assertEqual(len(widehash.Dataset(self.folder / "data")), rows)

    def test_a_dataset_that_is_to_be_replaced_stays_until_the_new_one_is_whole(self):
        data = self.folder / "data"
        widehash.transform(SCHEMA, TEST, data)
        before = contents(data)

        def write(body):
            with self.assertRaises((ZeroDivisionError, widehash.DataError, TypeError)):
                with widehash.DatasetWriter(self.encoder, data, overwrite=True) as writer:
                    body(writer)
                    1 / 0

        columns = flights("test")
        write(lambda writer: None)
        write(lambda writer: writer.append("test.tsv"))
        write(lambda writer: writer.append(columns | {"late": ["perhaps"] * len(columns["late"])}))
        write(lambda writer: writer.append(columns))
        self.assertEqual(contents(data), before)

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    def test_a_stream_is_never_held_as_a_whole(self):
        table = pa.table(flights("test"))
        sizes = []

        def batches():
            for _ in range(30):
                copied = pa.RecordBatch.from_pydict(table.to_pydict(), schema=table.schema)
                sizes.append(pa.total_allocated_bytes())
                yield copied
                del copied

        with widehash.DatasetWriter(self.encoder, self.folder / "data", shard_bytes=10_000) as writer:
            writer.append(pa.RecordBatchReader.from_batches(table.schema, batches()))
        self.assertEqual(len(widehash.Dataset(self.folder / "data")), 30 * table.num_rows)
        with widehash.LookupTablesWriter(SCHEMA, self.folder / "tables") as writer:
            writer.append(pa.RecordBatchReader.from_batches(table.schema, batches()))
        self.assertEqual(widehash.LookupTables(self.folder / "tables").rows, 30 * table.num_rows)
        self.assertLess(max(sizes) - sizes[0], 6 * table.nbytes)

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    def test_a_stream_that_fails_changes_nothing_at_first_and_discards_what_came_before_later(self):
        table = pa.table(flights("test"))

        def stream(good):
            def batches():
                yield from table.to_batches() * good
                raise RuntimeError("the database is gone")
            return pa.RecordBatchReader.from_batches(table.schema, batches())

        writers = [widehash.DatasetWriter(self.encoder, self.folder / "data"),
                   widehash.LookupTablesWriter(SCHEMA, self.folder / "tables")]
        for writer in writers:
            with self.assertRaisesRegex(Exception, "the database is gone"):
                writer.append(stream(0))
            writer.append(table)
            with self.assertRaisesRegex(Exception, "the database is gone"):
                writer.append(stream(2))
            self.assertRegex(repr(writer), "discarded because of .*the database is gone")
            with self.assertRaisesRegex(widehash.ConfigError, "the database is gone"):
                writer.finish()
        self.assertEqual(list(self.folder.iterdir()), [])
        empty = pa.RecordBatchReader.from_batches(table.schema, [])
        with widehash.DatasetWriter(self.encoder, self.folder / "data") as writer:
            writer.append(empty)
        self.assertEqual(len(widehash.Dataset(self.folder / "data")), 0)

    def test_threads_may_share_a_writer(self):
        columns = flights("test")
        with widehash.DatasetWriter(self.encoder, self.folder / "data", shard_bytes=50_000) as writer:
            threads = [threading.Thread(target=lambda rows=rows: writer.append(rows)) for rows in pieces(columns, 500)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        (x, targets), (expected, expected_targets) = rows_of(self.folder / "data"), rows_of(self.test)
        self.assertEqual(targets.sum(), expected_targets.sum())
        np.testing.assert_array_equal(x.sum(axis=0), expected.sum(axis=0))


class Inspection(JobCase):
    def test_a_table_in_memory_is_what_its_file_is(self):
        columns = flights("train")
        expected = widehash.inspect(TRAIN, label="late")
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        for table in [columns, rows] + ([] if pa is None else [pa.table(columns)]):
            told = []
            found = widehash.inspect(table, label="late", progress=told.append)
            self.assertEqual(found.rows, expected.rows)
            self.assertEqual(found.fields, expected.fields)
            self.assertEqual(found.notes, expected.notes)
            self.assertEqual(found.schema.features, expected.schema.features)
            self.assertEqual(found.schema, widehash.parse_schema(found.toml))
            self.assertEqual(told[-1].rows, found.rows)
        self.assertEqual(widehash.inspect(columns, max_rows=7).rows, 7)
        with widehash.DatasetWriter(widehash.Encoder(found.schema), self.folder / "data") as writer:
            writer.append(columns)
        self.assertEqual(len(widehash.train(self.folder / "data", self.folder / "model").epochs), 1)

    def test_lists_are_multi_valued_and_what_has_no_text_is_left_out(self):
        table = {"tags": [["a", "b"], None, ["a"]], "when": np.array([7] * 3, dtype="m8[D]"), "n": [1, 2, 3]}
        found = widehash.inspect(table)
        self.assertEqual(found.schema.features, ["tags", "n"])
        self.assertRegex(found.notes[0], "left out: column 'when' has the type timedelta64")
        self.assertEqual(widehash.Encoder(found.schema).encode(table).csr()[0].sum(), 3 * 4)
        noon = datetime.time(12)
        objects = {"noon": [noon, None, noon], "price": [decimal.Decimal(1)] * 3, "mixed": [["a"], 3, None], "n": [1, 2, 3]}
        found = widehash.inspect(objects)
        self.assertEqual(found.schema.features, ["n"])
        for note, kind in zip(found.notes, ("'noon' has values of type time", "'price' has values of type Decimal",
                                            "'mixed' has values of type list, int")):
            self.assertRegex(note, "left out: column " + kind)
        once = {name: iter(values) for name, values in objects.items()}  # fully read before it is reported
        self.assertEqual(widehash.inspect(once).notes, found.notes)
        with self.assertRaisesRegex(TypeError, "column 'a' is a csr_matrix, not a sequence"):
            widehash.inspect({"a": scipy.sparse.eye(2).tocsr(), "n": [1, 2]})
        with self.assertRaisesRegex(widehash.ConfigError, "column 'when'"):
            widehash.inspect(table, label="when")
        with self.assertRaisesRegex(widehash.ConfigError, "no field 'late'"):
            widehash.inspect(table, label="late")
        with self.assertRaisesRegex(TypeError, "header"):
            widehash.inspect(table, header=True)
        for nothing in ({}, []):
            with self.assertRaisesRegex(widehash.ConfigError, "no"):
                widehash.inspect(nothing)
        with self.assertRaisesRegex(TypeError, "rows in memory"):
            widehash.fit(SCHEMA, table, self.folder / "tables")


class Tables(JobCase):
    def test_they_are_those_of_the_same_file(self):
        with widehash.LookupTablesWriter(SCHEMA, self.folder / "from memory") as writer:
            for rows in pieces(flights("train"), 700):
                writer.append(rows)
        expected, found = widehash.LookupTables(self.tables), widehash.LookupTables(self.folder / "from memory")
        self.assertEqual((list(found), found.rows), (list(expected), expected.rows))
        for feature in expected:
            np.testing.assert_array_equal(found[feature].counts, expected[feature].counts)
            self.assertEqual(found[feature].values(), expected[feature].values())
        explained = [widehash.explain(self.model, tables)[0].highest for tables in (self.tables, self.folder / "from memory")]
        self.assertEqual(*explained)

    def test_encodings_that_need_tables_have_them_from_memory(self):
        schema = widehash.load_schema(EXACT_SCHEMA)
        tables = self.folder / "exact"
        with widehash.LookupTablesWriter(EXACT_SCHEMA, tables) as writer:
            writer.append(flights("train"))
        encoder = widehash.Encoder(schema, tables)
        with widehash.DatasetWriter(encoder, self.folder / "exact data") as writer:
            writer.append(flights("train"))
        widehash.fit(schema, TRAIN, self.folder / "of file")
        widehash.transform(schema, TRAIN, self.folder / "data of file", tables=self.folder / "of file")
        found, expected = rows_of(self.folder / "exact data")[0], rows_of(self.folder / "data of file")[0]
        self.assertEqual(found.shape, expected.shape)
        self.assertLess(abs(found - expected).max(), 1e-5)
        widehash.train(self.folder / "exact data", self.folder / "exact model")
        widehash.predict(self.folder / "exact model", TEST, tables=tables)

    def test_tables_that_are_there_stay_until_new_ones_are_whole(self):
        with self.assertRaisesRegex(widehash.ConfigError, "already holds tables; .* overwrite=True"):
            widehash.LookupTablesWriter(SCHEMA, self.tables)
        tables = self.folder / "tables"
        with widehash.LookupTablesWriter(SCHEMA, tables) as writer:
            writer.append(flights("test"))
        before = contents(tables)
        with self.assertRaises(ZeroDivisionError):
            with widehash.LookupTablesWriter(SCHEMA, tables, overwrite=True) as writer:
                writer.append(flights("train"))
                1 / 0
        self.assertEqual(contents(tables), before)
        columns = flights("test")
        columns["late"][5] = "perhaps"
        with self.assertRaises(widehash.DataError) as raised:
            with widehash.LookupTablesWriter(SCHEMA, tables, overwrite=True) as writer:
                writer.append(columns)
        self.assertEqual(raised.exception.row, 6)
        self.assertEqual(contents(tables), before)
        with self.assertRaisesRegex(widehash.ConfigError, "the tables were discarded because of DataError: table in memory:6:"):
            writer.append(columns)

    def test_what_is_wrong_is_refused(self):
        with self.assertRaisesRegex(widehash.ConfigError, "memory"):
            widehash.LookupTablesWriter(SCHEMA, self.folder / "tables", memory_bytes=1000)
        self.assertFalse((self.folder / "tables").exists())
        with self.assertRaisesRegex(TypeError, "overwrite"):
            widehash.LookupTablesWriter(SCHEMA, self.folder / "tables", overwrite="no")
        with widehash.LookupTablesWriter(SCHEMA, self.folder / "tables") as writer:
            with self.assertRaisesRegex(widehash.ConfigError, "has no field"):
                writer.append({"carrier": ["UA"]})
            writer.append(flights("test"))
        self.assertEqual(widehash.LookupTables(self.folder / "tables").rows, len(flights("test")["late"]))


if __name__ == "__main__":
    unittest.main()
