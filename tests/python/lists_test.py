"""Columns of lists, the values of multi-valued features, from every library."""

import unittest

import numpy as np
import widehash
from columns_kit import hashes, pa, pd, pl, rows_of_lists

LISTS = [["a", "b|c", None], [], None, ["a", "a"], ["long enough to lie elsewhere"]]


class Lists(unittest.TestCase):
    def setUp(self):
        texts = ["\x1f".join(value or "" for value in values or []) for values in LISTS]
        self.expected = rows_of_lists(texts, text=True)

    def test_objects(self):
        self.assertEqual(rows_of_lists(LISTS), self.expected)
        self.assertEqual(rows_of_lists([tuple(values or ()) for values in LISTS]), self.expected)
        self.assertEqual(rows_of_lists([float("nan") if values is None else values for values in LISTS]), self.expected)
        rows = [{"tags": values, "n": 1} for values in LISTS]
        self.assertEqual(rows_of_lists({"tags": [row["tags"] for row in rows], "n": [1] * 5}), self.expected)
        encoder = widehash.Encoder(widehash.make_schema({"tags": {"cardinality": 5000, "separator": "|"}, "n": 10}))
        self.assertEqual(encoder.encode(rows).csr().toarray().tolist(), self.expected)

    def test_numbers_within_are_their_texts(self):
        numbers = [[1, 2.5], [True], np.array([0.1], dtype="f4"), np.array([7, 8])]
        self.assertEqual(rows_of_lists(numbers), rows_of_lists([["1", "2.5"], ["true"], ["0.1"], ["7", "8"]]))

    def test_floats_of_32_bits_keep_their_texts(self):
        expected = rows_of_lists([["0.1", "9.99"], [], ["0.3"]])
        values = [[0.1, 9.99], None, [0.3]]
        self.assertEqual(rows_of_lists([np.array(row or [], dtype="f4") for row in values]), expected)
        self.assertEqual(rows_of_lists([[np.float32(value) for value in row or []] for row in values]), expected)
        if pd is not None:
            column = pd.Series([None if row is None else np.array(row, dtype="f4") for row in values])
            self.assertEqual(rows_of_lists(pd.DataFrame({"tags": column, "n": 1})), expected)
        columns = []
        if pa is not None:
            whole = pa.array(values, pa.list_(pa.float32()))
            columns += [whole, pa.chunked_array([whole[:1], whole[1:]]), pa.array(values, pa.large_list(pa.float32()))]
            columns += [pa.chunked_array([whole[:0], whole])]
            if pd is not None and hasattr(pd, "ArrowDtype"):
                columns.append(pd.Series(whole, dtype=pd.ArrowDtype(whole.type)))
        if pl is not None:
            columns += [pl.Series(values, dtype=pl.List(pl.Float32)), pl.concat([pl.Series([row], dtype=pl.List(pl.Float32)) for row in values], rechunk=False)]
        for column in columns:
            with self.subTest(type(column)):
                self.assertEqual(rows_of_lists({"tags": column, "n": ["1"] * 3}), expected)

    def test_what_is_no_list_among_lists_is_refused_by_row(self):
        with self.assertRaisesRegex(widehash.ConfigError, "column 'tags', row 2: a value of type str among lists"):
            rows_of_lists([["a"], "b"])
        with self.assertRaisesRegex(widehash.ConfigError, "column 'tags', row 2: a value of type list among single values"):
            rows_of_lists(["b", ["a"]])
        with self.assertRaisesRegex(widehash.ConfigError, "column 'tags', row 2: a value of type list"):
            rows_of_lists([["a"], ["b", ["c"]]])

    def test_other_features_and_hashes_take_none(self):
        encoder = widehash.Encoder(widehash.make_schema({"tags": 5000}))
        with self.assertRaisesRegex(widehash.ConfigError, "feature 'tags' takes one value a row, but column 'tags' holds lists; give feature 'tags' a separator"):
            encoder.encode({"tags": LISTS})
        with self.assertRaisesRegex(widehash.ConfigError, "a column of lists does not have one text per row"):
            hashes(LISTS)

    @unittest.skipIf(pd is None, "pandas is not installed")
    def test_pandas(self):
        self.assertEqual(rows_of_lists(pd.DataFrame({"tags": pd.Series(LISTS), "n": 1})), self.expected)
        arrays = [None if values is None else np.array(values, dtype=object) for values in LISTS]
        self.assertEqual(rows_of_lists(pd.DataFrame({"tags": pd.Series(arrays), "n": 1})), self.expected)

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    def test_arrow(self):
        n = pa.array([1] * len(LISTS))
        for kind in (pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(pa.dictionary(pa.int8(), pa.string()))):
            table = pa.table({"tags": pa.array(LISTS, kind), "n": n})
            self.assertEqual(rows_of_lists(table), self.expected, kind)
            self.assertEqual(rows_of_lists(table.slice(1, 3)), self.expected[1:4], kind)
            self.assertEqual(rows_of_lists(pa.concat_tables([table.slice(3), table.slice(0, 3)])), self.expected[3:] + self.expected[:3])
            self.assertEqual(rows_of_lists({"tags": table["tags"], "n": table["n"]}), self.expected)
        pairs = [["a", "b"], None, ["c", None]]
        table = pa.table({"tags": pa.array(pairs, pa.list_(pa.string(), 2)), "n": n.slice(0, 3)})
        self.assertEqual(rows_of_lists(table), rows_of_lists(pairs))
        self.assertEqual(rows_of_lists(table.slice(1)), rows_of_lists(pairs)[1:])
        times = pa.table({"tags": pa.array([[1]], pa.list_(pa.duration("us"))), "n": [1]})
        with self.assertRaisesRegex(widehash.ConfigError, "column 'tags' has the Arrow type 'list<duration"):
            rows_of_lists(times)

    @unittest.skipIf(pl is None, "polars is not installed")
    def test_polars(self):
        frame = pl.DataFrame({"tags": LISTS, "n": [1] * len(LISTS)})
        self.assertEqual(rows_of_lists(frame), self.expected)
        self.assertEqual(rows_of_lists(frame.slice(2)), self.expected[2:])
        self.assertEqual(rows_of_lists({"tags": frame["tags"], "n": frame["n"]}), self.expected)
        pairs = pl.DataFrame({"tags": pl.Series([["a", "b"], None], dtype=pl.Array(pl.String, 2)), "n": [1, 1]})
        self.assertEqual(rows_of_lists(pairs), rows_of_lists([["a", "b"], None]))


if __name__ == "__main__":
    unittest.main()
