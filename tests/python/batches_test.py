"""Selections of encoded rows, their codes, and datasets in mini-batches, as needed to train other libraries' models."""

import pathlib
import pickle
import tempfile
import unittest

import numpy as np
import widehash
from flights_kit import contents

SCHEMA = widehash.make_schema({
    "a": 1000,
    "wide": {"cardinality": 2**32, "missing": "skip"},
    "skipped": {"field": "a", "cardinality": 9, "missing": "skip"},
    "hot": {"field": "a", "encoding": "one_hot", "buckets": 7},
    "tags": {"cardinality": 50, "separator": "|"},
    "n": {"encoding": "numeric"},
    "bins": {"field": "n", "encoding": "numeric", "transform": "bucketize", "boundaries": [10, 20]},
}, label="y", weight="w")
NUM_ROWS = 100


def table(num_rows=NUM_ROWS):
    return {"a": [f"v{i}" if i % 5 else None for i in range(num_rows)], "wide": [i if i % 3 else None for i in range(num_rows)],
            "tags": ["|".join(map(str, range(i % 4))) for i in range(num_rows)], "n": [i / 2 for i in range(num_rows)],
            "y": list(range(num_rows)), "w": [1 + i % 2 for i in range(num_rows)]}


def same(a, b):
    """Whether two batches hold the same rows."""
    return (len(a) == len(b) and (a.csr() != b.csr()).nnz == 0 and a.targets.tolist() == b.targets.tolist()
            and a.weights.tolist() == b.weights.tolist())


class Parts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.encoder = widehash.Encoder(SCHEMA)
        cls.batch = cls.encoder.encode(table())

    def test_rows_are_those_that_numpy_would_take(self):
        whole, targets = self.batch.csr(), self.batch.targets
        mask = np.arange(NUM_ROWS) % 7 == 0
        for rows in (slice(None), slice(3, 40), slice(-5, None), slice(40, 3), slice(90, 1000), slice(None, None, -1), slice(1, 99, 7), mask,
                     mask.tolist(), [5, 5, -1], [], np.array([2, 0], dtype=np.uint8), np.array([-1, 99, -100], dtype=np.int8), np.zeros(0, dtype=int), np.zeros(0, dtype=str), range(3, 6)):
            part = self.batch[rows]
            taken = rows if isinstance(rows, slice) else np.asarray(rows, dtype=None if len(rows) else int)
            self.assertEqual((part.csr() != whole[taken]).nnz, 0)
            self.assertEqual(part.targets.tolist(), targets[taken].tolist())
            self.assertEqual(len(part), len(part.targets))
        self.assertTrue(same(self.batch[10:50][5:10], self.batch[15:20]))
        many = self.encoder.encode({name: list(column) * 4 for name, column in table().items()})
        for kind in (np.uint8, np.int8, np.uint16, np.int64, np.uint64):  # row numbers that do not fit
            self.assertTrue(same(many[np.array([2, 101], dtype=kind)], many[[2, 101]]))

    def test_parts_outlive_the_whole_and_hold_no_rejected_rows(self):
        rows = table()
        rows["y"][3] = "x"
        whole = self.encoder.encode(rows, max_bad_rows=1)
        part, taken = whole[:3], whole[[0, 1, 2]]
        self.assertEqual([row for row, _ in whole.rejected], [3])
        del whole
        self.assertEqual((part.rejected, taken.rejected), ([], []))
        self.assertTrue(same(part, self.batch[:3]) and same(taken, self.batch[:3]))

    def test_what_names_no_rows_is_refused(self):
        for wrong, error, words in ((100, TypeError, r"batch\[i:j\]"), ("a", TypeError, "str"), ([0.5], TypeError, "list"), (None, TypeError, "not None"),
                                    ([[1]], TypeError, "row numbers"), ([100], IndexError, "100 rows has no row 100"),
                                    ([0, -101], IndexError, "no row -101"), (np.uint64([2**64 - 1]), IndexError, "no row 18446744073709551615"),
                                    ([True], IndexError, "a mask of 1 rows for a Batch of 100")):
            with self.subTest(wrong), self.assertRaisesRegex(error, words):
                self.batch[wrong]
        with self.assertRaisesRegex(TypeError, "not iterable"):
            iter(self.batch)

    def test_a_batch_is_not_an_array_and_says_where_its_matrix_is(self):
        for take in (np.asarray, np.array, np.sum, lambda batch: np.array([batch], dtype=object), lambda batch: np.asarray(batch, dtype=float)):
            with self.assertRaisesRegex(TypeError, r"batch\.csr\(\) .*batch\.csr\(\)\.toarray\(\)"):
                take(self.batch)
        self.assertEqual(np.asarray(self.batch.csr().toarray()).shape, (NUM_ROWS, self.batch.num_columns))

    def test_codes_are_the_buckets_of_each_split(self):
        values = table()["a"]
        _, buckets = widehash.hash_values(values, cardinality=1000)
        codes = self.batch.codes("a")
        self.assertEqual((codes.dtype, codes.tolist()), (np.int64, buckets.tolist()))
        there = np.array([value is not None for value in values])
        _, buckets = widehash.hash_values(values, cardinality=9)
        self.assertEqual(self.batch.codes("skipped").tolist(), np.where(there[:, None], buckets.astype(int), -1).tolist())
        there = np.array([value is not None for value in table()["wide"]])
        _, buckets = widehash.hash_values(table()["wide"], cardinality=2**32)
        self.assertEqual(self.batch.codes("wide").tolist(), np.where(there[:, None], buckets.astype(int), -1).tolist())
        _, buckets = widehash.hash_values(values, buckets=7, encoding="one_hot")
        self.assertEqual(self.batch.codes("hot").tolist(), buckets[:, None].tolist())
        self.assertEqual(self.batch[[0, 20, 40, 99]].codes("bins").tolist(), [[0], [1], [2], [2]])
        self.assertEqual(self.batch[5:5].codes("a").shape, (0, 4))

    def test_columns_are_codes_behind_where_their_split_begins(self):
        columns = self.encoder.columns_of("wide")
        part = self.batch.csr()[:, columns.start:columns.stop]
        width = len(columns) // 4
        self.assertEqual(part[1].indices.tolist(), [k * width + code for k, code in enumerate(self.batch.codes("wide")[1])])

    def test_numbers_are_the_values_of_their_column(self):
        column = self.batch.csr()[:, self.encoder.columns_of("n").start].toarray().ravel()
        self.assertEqual(self.batch.numbers("n").tolist(), column.tolist())
        self.assertEqual(self.batch[7:8].numbers("n").tolist(), [3.5])

    def test_other_features_say_where_theirs_are(self):
        for look, feature, words in ((self.batch.codes, "tags", r"same number of codes in every row; its columns are in csr\(\)"),
                                     (self.batch.codes, "n", r"'n' is a number, .* see numbers\(\)"), (self.batch.numbers, "a", "'a' is not a number"),
                                     (self.batch.codes, "b", "no feature 'b'")):
            with self.assertRaisesRegex(widehash.ConfigError, words):
                look(feature)

    def test_sums_of_embeddings_are_those_of_an_embedding_bag(self):
        # As torch.nn.EmbeddingBag(mode="sum") is defined: bag i sums w[j] E[input[j]] for j from offsets[i] to the next offset.
        x = self.batch.csr()
        vectors = np.random.default_rng(1).normal(size=(self.batch.num_columns, 3))
        ends = list(x.indptr[1:-1]) + [len(x.indices)]
        sums = [(x.data[begin:end, None] * vectors[x.indices[begin:end]]).sum(axis=0) for begin, end in zip(x.indptr[:-1], ends)]
        np.testing.assert_allclose(sums, x @ vectors, rtol=1e-5)
        self.assertEqual(x.indices.dtype, x.indptr.dtype)  # which torch requires


class MiniBatches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = pathlib.Path(cls.folder.name)
        encoder = widehash.Encoder(SCHEMA)
        with widehash.DatasetWriter(encoder, cls.place / "set", shard_bytes=2000) as writer:
            writer.append(table())
        cls.dataset = widehash.Dataset(cls.place / "set")
        cls.whole = encoder.encode(table())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def rows(self, *arguments, **options):
        """The rows of each batch, identified by their labels."""
        found = []
        for batch in self.dataset.batches(*arguments, **options):
            found.append(batch.targets.astype(int).tolist())
            self.assertTrue(same(batch, self.whole[found[-1]]))
        return found

    def test_several_datasets_are_one(self):
        encoder = widehash.Encoder(SCHEMA)
        with widehash.DatasetWriter(encoder, self.place / "more", shard_bytes=2000) as writer:
            writer.append(table(30))
        joined = pickle.loads(pickle.dumps(widehash.Dataset([self.place / "set", self.place / "more"])))
        self.assertEqual(len(joined), NUM_ROWS + 30)
        self.assertEqual(joined.directories, [str(self.place / "set"), str(self.place / "more")])
        targets = np.concatenate([batch.targets for batch in joined])
        self.assertEqual(targets.tolist(), [*range(NUM_ROWS), *range(30)])
        shuffled = np.concatenate([batch.targets for batch in joined.batches(17, seed=1)])
        self.assertEqual(sorted(shuffled), sorted(targets))
        with self.assertRaisesRegex(widehash.ConfigError, "several folders"):
            joined.directory
        self.assertEqual(widehash.Dataset([self.place / "set"]).directory, self.dataset.directory)
        with self.assertRaisesRegex(widehash.ConfigError, "give at least one"):
            widehash.Dataset([])

    def test_they_come_in_the_order_of_the_dataset(self):
        self.assertGreater(self.dataset.num_shards, 1)
        for rows in (1, 33, 99, 100, 101, 2**64 - 1):
            batches = self.rows(rows)
            self.assertEqual(sum(batches, []), list(range(NUM_ROWS)))
            self.assertEqual({len(batch) for batch in batches[:-1]} - {rows}, set())
            self.assertEqual(len(self.dataset.batches(rows)), len(batches))
        self.assertEqual(len(self.rows()), 1)

    def test_shuffled_they_are_the_same_rows_in_an_order_of_seed_and_epoch(self):
        order = self.rows(32, shuffle=True)
        self.assertEqual(sorted(sum(order, [])), list(range(NUM_ROWS)))
        batches = self.dataset.batches(32, shuffle=True, seed=1, epoch=1)
        self.assertEqual([[batch.targets.astype(int).tolist() for batch in batches] for _ in range(2)], [order, order])
        for other in ({"epoch": 2}, {"seed": 2}):
            again = self.rows(32, shuffle=True, **other)
            self.assertEqual(sorted(sum(again, [])), list(range(NUM_ROWS)))
            self.assertNotEqual(again, order)

    def test_a_batch_outlives_the_dataset_and_goes_where_encoded_rows_go(self):
        with widehash.DatasetWriter(widehash.Encoder(SCHEMA), self.place / "again", shard_bytes=2000) as writer:
            for batch in widehash.Dataset(self.place / "set").batches(7):
                writer.append(batch)
        parts = {name: digest for name, digest in contents(self.place / "set").items() if name.endswith(".shard")}
        self.assertEqual({name: digest for name, digest in contents(self.place / "again").items() if name.endswith(".shard")}, parts)
        first = next(iter(pickle.loads(pickle.dumps(self.dataset)).batches(9)))
        self.assertTrue(same(first, self.whole[:9]))

    @unittest.skipUnless(pathlib.Path("/proc/self/maps").exists(), "nothing lists what is mapped")
    def test_copied_rows_do_not_hold_what_they_come_from(self):
        def is_mapped():
            return str(self.place / "set") in pathlib.Path("/proc/self/maps").read_text()

        shard = self.dataset.shard(0)
        looking, taken = shard[:1], shard[[0]]
        del shard
        self.assertTrue(is_mapped())
        del looking
        self.assertFalse(is_mapped())
        self.assertTrue(same(taken[::-1], self.whole[[0]]))

    def test_no_rows_give_no_batches(self):
        with widehash.DatasetWriter(widehash.Encoder(SCHEMA), self.place / "empty"):
            pass
        dataset = widehash.Dataset(self.place / "empty")
        self.assertEqual((len(dataset.batches()), list(dataset.batches()), list(dataset.batches(shuffle=True))), (0, [], []))

    def test_wrong_options_are_refused_before_anything_is_read(self):
        for options, error, words in (({"rows": 0}, widehash.ConfigError, "rows = 0"), ({"rows": -1}, widehash.ConfigError, "rows = -1"),
                                      ({"rows": 1.5}, TypeError, "rows = 1.5"), ({"shuffle": 7}, TypeError, "shuffle = 7: must be True or False"),
                                      ({"seed": -1}, widehash.ConfigError, "seed"), ({"epoch": None}, TypeError, "epoch")):
            with self.assertRaisesRegex(error, words):
                self.dataset.batches(**options)

    def test_a_damaged_shard_is_named(self):
        with widehash.DatasetWriter(widehash.Encoder(SCHEMA), self.place / "damaged", shard_bytes=2000) as writer:
            writer.append(table())
        shard = sorted((self.place / "damaged").glob("*.shard"))[1]
        content = bytearray(shard.read_bytes())
        content[len(content) // 2] ^= 1
        shard.write_bytes(content)
        with self.assertRaisesRegex(widehash.DataError, shard.name):
            list(widehash.Dataset(self.place / "damaged").batches(10))


class OlderDatasets(unittest.TestCase):
    """Version 0.1 wrote two bytes for every code."""

    golden = pathlib.Path(__file__).resolve().parents[1] / "golden/0.1"

    def test_their_rows_are_predicted_as_those_of_today(self):
        for name in ("adagrad", "hidden"):
            model = widehash.Model(self.golden / f"{name}.model", tables=self.golden / "tables")
            expected = widehash.predict(self.golden / f"{name}.model", str(self.golden / "set"))
            found = [model.predict(batch) for batch in widehash.Dataset(self.golden / "set")]
            self.assertEqual(np.concatenate(found).tolist(), expected.tolist())

    def test_their_rows_are_appended_to_datasets_of_today(self):
        old = widehash.Dataset(self.golden / "set")
        encoder = widehash.Encoder(old.schema, self.golden / "tables")
        with tempfile.TemporaryDirectory() as folder:
            with widehash.DatasetWriter(encoder, pathlib.Path(folder) / "new") as writer:
                for batch in old.batches(10):
                    writer.append(batch)
            new = next(iter(widehash.Dataset(pathlib.Path(folder) / "new").batches()))
            whole = next(iter(old.batches()))
            self.assertEqual((new.csr() != whole.csr()).nnz, 0)
            self.assertEqual(new.targets.tolist(), whole.targets.tolist())
            self.assertGreater(len(new), 0)


if __name__ == "__main__":
    unittest.main()
