"""What values of Python, numpy, pandas and Arrow are hashed as: the texts that a file would hold."""

import array
import datetime
import decimal
import random
import unittest
import warnings

import numpy as np
import widehash
import xxhash

try:
    import pandas as pd
except ImportError:
    pd = None
try:
    import pyarrow as pa
except ImportError:
    pa = None
try:
    import polars as pl
except ImportError:
    pl = None


def hashes(values):
    return widehash.hash_values(values, cardinality=1000)[0].tolist()


def text_hashes(texts):
    return [xxhash.xxh64_intdigest(text if isinstance(text, bytes) else text.encode()) for text in texts]


class Values(unittest.TestCase):
    def expect(self, values, texts):
        self.assertEqual(hashes(values), text_hashes(texts))

    def test_objects_are_their_canonical_text(self):
        self.expect(
            ["x", "é", b"\xff\x00z", True, False, 7, -7, 10**30, 3.0, -0.0, 0.1, 1e300, float("inf"), None, float("nan")],
            ["x", "é", b"\xff\x00z", "true", "false", "7", "-7", str(10**30), "3", "0", "0.1", str(int(1e300)), "inf", "", ""],
        )

    def test_numbers_of_numpy_are_those_of_python(self):
        self.expect(
            [np.int8(-3), np.uint64(2**64 - 1), np.float64(0.5), np.float32(0.1), np.float16(2), np.bool_(True), np.str_("s")],
            ["-3", str(2**64 - 1), "0.5", "0.1", "2", "true", "s"],
        )

    def test_arrays_are_the_lists_they_hold(self):
        for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">f8", "f2", "f4", "f8"):
            values = np.array([0, 1, 7, 100], dtype=dtype)
            self.expect(values, ["0", "1", "7", "100"])
        self.expect(np.array([True, False]), ["true", "false"])
        self.expect(np.array([0.1, np.nan, np.inf, -2]), ["0.1", "", "inf", "-2"])
        self.expect(np.array(["a", "bé", ""]), ["a", "bé", ""])
        self.expect(np.array([b"a", b"b\xff"]), [b"a", b"b\xff"])
        self.expect(np.array(["a", None, 3], dtype=object), ["a", "", "3"])

    def test_arrays_need_not_lie_in_one_piece(self):
        values = np.arange(40, dtype=np.int32).reshape(10, 4)
        self.expect(values[::3, 1], [str(v) for v in values[::3, 1]])

    def test_masked_values_are_missing(self):
        self.expect(np.ma.array([1, 2, 3], mask=[False, True, False]), ["1", "", "3"])

    def test_text_that_is_no_utf8_comes_back_as_it_was_read(self):
        self.expect([b"\xff\xfe".decode("utf-8", "surrogateescape")], [b"\xff\xfe"])

    def test_floats_of_32_bits_keep_their_texts(self):
        values = np.array([0.1, 9.99], dtype="f4")
        for same in (values, np.ma.array(values), array.array("f", values), list(values), np.array(list(values), dtype=object)):
            self.expect(same, ["0.1", "9.99"])
        self.expect(np.ma.array(values, mask=[True, False]), ["", "9.99"])

    def test_any_number_reads_back(self):
        generator = random.Random(5)
        numbers = [generator.getrandbits(64) - 2**63 for _ in range(5000)]
        self.expect(np.array(numbers), [str(number) for number in numbers])
        self.expect(numbers, [str(number) for number in numbers])

    def test_what_has_no_one_text_is_refused_by_column_row_and_type(self):
        for value, words in (
            (decimal.Decimal("1.0"), "Decimal"),
            (datetime.date(2026, 1, 2), "date"),
            ([1, 2], "separator"),
            (1j, "complex"),
        ):
            with self.assertRaisesRegex(widehash.ConfigError, f"column 'values', row 2: .*{words}"):
                hashes(["x", value])
        for array in (np.array(["2026-01-02"], dtype="M8[D]"), np.array([1j]), np.zeros(2, dtype="V4")):
            with self.assertRaisesRegex(widehash.ConfigError, "column 'values' has the type"):
                hashes(array)
        with self.assertRaisesRegex(TypeError, "2 dimensions"):
            hashes(np.zeros((2, 2)))
        for scalar in ("text", b"text", bytearray(b"text"), 5, None, {"a": 1}, {"a", "b"}):
            with self.assertRaisesRegex(TypeError, "not a sequence"):
                hashes(scalar)

    def test_floats_of_16_bits_are_the_shortest_text_that_reads_back(self):
        values = np.array([0.1, 9.99, np.nan, -np.inf], dtype="f2")
        for same in (values, values.astype(">f2"), np.ma.array(values), list(values), np.array(list(values), dtype=object), memoryview(values)):
            self.expect(same, ["0.1", "9.99", "", "-inf"])
        every = np.arange(2**16, dtype=np.uint16).view(np.float16)
        every = every[np.isfinite(every)]
        # numpy finds the shortest digits too; the number that they are has the text of any number.
        shortest = [float(np.format_float_scientific(value, unique=True, trim="-")) for value in every]
        self.assertEqual(hashes(every), hashes([float(every[i]) if every[i] == int(every[i]) else shortest[i] for i in range(len(every))]))
        lists = [np.array([0.1], dtype="f2"), [np.float16(0.2)]]
        self.assertEqual(rows_of_lists(lists), rows_of_lists([["0.1"], ["0.2"]]))

    def test_views_of_memory_are_the_arrays_they_show(self):
        self.expect(memoryview(array.array("i", [1, -2])), ["1", "-2"])
        self.expect(memoryview(np.array([True, False])), ["true", "false"])
        self.assertEqual(len(widehash.Encoder(widehash.make_schema({"a": 10})).encode({"a": memoryview(array.array("d", [0.5]))})), 1)
        with self.assertRaisesRegex(TypeError, "2 dimensions"):
            hashes(memoryview(np.zeros((2, 2))))

    def test_what_python_makes_no_text_of_is_refused_by_column_and_row(self):
        for value, words in (
            ("\ud800", "a value of type str that has no text: .*surrogates not allowed"),
            (np.array([1, 2]), "a value of type numpy.ndarray among single values"),
            (np.array([[1]]), "a value of type numpy.ndarray among single values"),
            (np.array(1), "a value of type numpy.ndarray"),
            (10**5000, "a value of type int that has no text: .*digits"),
        ):
            with self.subTest(words), self.assertRaisesRegex(widehash.ConfigError, f"column 'values', row 2: {words}"):
                hashes(["x", value])
        for value, dimensions in ((np.array([[1]]), 2), (np.array(1), 0)):
            with self.assertRaisesRegex(widehash.ConfigError, f"column 'values', row 2: an array of {dimensions} dimensions"):
                hashes([["x"], value])


@unittest.skipIf(pd is None, "pandas is not installed")
class Pandas(unittest.TestCase):
    def expect(self, values, texts):
        self.assertEqual(hashes(values), text_hashes(texts))

    def test_series_of_every_kind(self):
        self.expect(pd.Series([1, 2]), ["1", "2"])
        self.expect(pd.Series([1, None]), ["1", ""])  # pandas makes floats of them
        self.expect(pd.Series(["a", None, float("nan")]), ["a", "", ""])
        self.expect(pd.Series([True, False]), ["true", "false"])
        self.expect(pd.array([1, None], dtype="Int64").to_numpy(object), ["1", ""])
        self.expect(pd.Series([2**60 + 1, None], dtype="Int64"), [str(2**60 + 1), ""])
        self.expect(pd.Series([True, None], dtype="boolean"), ["true", ""])
        self.expect(pd.Series(["a", None], dtype="string"), ["a", ""])

    def test_categories_are_their_values(self):
        self.expect(pd.Series(["b", None, "a", "b"], dtype="category"), ["b", "", "a", "b"])
        self.expect(pd.Series([2, 1, 2], dtype="category"), ["2", "1", "2"])
        many = [f"v{i}" for i in range(40000)]  # indices of 32 bits
        self.expect(pd.Series(many, dtype="category"), many)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.expect(pd.Categorical(["b", None, "a"]), ["b", "", "a"])

    def test_a_bad_category_is_refused_by_the_first_row_that_has_it(self):
        day = datetime.date(2026, 1, 2)
        bad = pd.Categorical(["x", None, "y", day, "x", day], categories=[day, "x", "y"])
        for values in (bad, pd.Series(bad), pd.CategoricalIndex(bad)):
            with self.assertRaisesRegex(widehash.ConfigError, "column 'values', row 4: a value of type datetime.date"):
                hashes(values)
        self.expect(bad[:3], ["x", "", "y"])  # has the category still

    def test_floats_of_32_bits_keep_their_texts(self):
        values = np.array([0.1, 9.99], dtype="f4")
        self.expect(pd.Series(values), ["0.1", "9.99"])
        self.expect(pd.Series(values).astype("Float32"), ["0.1", "9.99"])
        self.expect(pd.Series([np.float32(0.1), None]).astype("Float32"), ["0.1", ""])
        self.expect(pd.Series(pd.arrays.SparseArray(values)), ["0.1", "9.99"])

    def test_times_are_refused(self):
        with self.assertRaisesRegex(widehash.ConfigError, "datetime64"):
            hashes(pd.Series(pd.to_datetime(["2026-01-02"])))
        with self.assertRaisesRegex(widehash.ConfigError, "Timestamp"):
            hashes(pd.Series(pd.to_datetime(["2026-01-02"]).tz_localize("UTC")))

    def test_names_of_columns_need_not_be_text(self):
        schema = widehash.make_schema({"0": 10})
        frame = pd.DataFrame({0: ["a", "b"]})
        self.assertEqual(len(widehash.Encoder(schema).encode(frame)), 2)


def rows_of(table):
    """The codes of a table with the fields a, b, c."""
    encoder = widehash.Encoder(widehash.make_schema({"a": 1000, "b": 1000, "c": 1000}))
    return encoder.encode(table).csr().toarray().tolist()


TEXTS = {
    "a": ["x", "", "a text of more than twelve bytes", "é"],
    "b": ["1", "", "-5000000000", "7"],
    "c": ["0.5", "true", "", "x"],
}


@unittest.skipIf(pa is None, "pyarrow is not installed")
class Arrow(unittest.TestCase):
    def table(self, text_type):
        return pa.table({
            "a": pa.array(["x", None, "a text of more than twelve bytes", "é"], text_type),
            "b": pa.array([1, None, -5000000000, 7], pa.int64()),
            "c": pa.array(["0.5", "true", None, "x"], text_type),
        })

    def test_every_layout_of_text_gives_the_codes_of_the_texts(self):
        for text_type in (pa.string(), pa.large_string(), pa.binary(), pa.string_view()):
            self.assertEqual(rows_of(self.table(text_type)), rows_of(TEXTS), text_type)

    def test_slices_chunks_and_batches_are_the_rows_they_show(self):
        table = self.table(pa.string())
        whole = rows_of(TEXTS)
        self.assertEqual(rows_of(table.slice(1, 2)), whole[1:3])
        self.assertEqual(rows_of(pa.concat_tables([table.slice(2), table.slice(0, 1)])), whole[2:] + whole[:1])
        self.assertEqual(rows_of(table.slice(1).to_batches()[0]), whole[1:])
        self.assertEqual(rows_of(table.slice(0, 0)), [])

    def test_dictionaries_and_booleans(self):
        table = pa.table({
            "a": pa.array(["x", None, "y", "x"]).dictionary_encode(),
            "b": pa.array([True, False, None, True]),
            "c": pa.nulls(4),
        }).slice(1)
        self.assertEqual(rows_of(table), rows_of({"a": ["", "y", "x"], "b": ["false", "", "true"], "c": [""] * 3}))

    def test_a_column_of_times_is_an_error_only_where_it_is_needed(self):
        table = self.table(pa.string()).append_column("when", pa.array([1, 2, 3, 4], pa.timestamp("us")))
        self.assertEqual(rows_of(table), rows_of(TEXTS))
        table = table.drop(["a"]).rename_columns(["b", "c", "a"])
        with self.assertRaisesRegex(widehash.ConfigError, "column 'a' has the Arrow type 'timestamp\\[us\\]'"):
            rows_of(table)

    def test_what_is_not_needed_may_be_anything(self):
        unused = [pa.array(values) for values in ([1, 2, 3, 4], ["a", "b", "c", "d"])]
        table = pa.table([*self.table(pa.string()).columns, *unused], names=["a", "b", "c", "joined", "joined"])
        self.assertEqual(rows_of(table), rows_of(TEXTS))
        self.assertEqual(rows_of(table.to_batches()[0]), rows_of(TEXTS))

    def test_binary_of_one_size_is_its_bytes(self):
        column = pa.array([b"abcd", None, b"a\0\xffb"], pa.binary(4))
        self.assertEqual(rows_of(pa.table({"a": column, "b": column, "c": column}).slice(1)), rows_of(dict.fromkeys("abc", [b"", b"a\0\xffb"])))

    def test_extension_types_are_what_they_mean_or_refused_by_name(self):
        def table_of(column, named=None):
            metadata = {"ARROW:extension:name": named} if named else None
            return pa.table([column] * 3, pa.schema([pa.field(name, column.type, metadata=metadata) for name in "abc"]))

        flags = table_of(pa.array([1, 0, None], pa.int8()), "arrow.bool8")
        self.assertEqual(rows_of(flags), rows_of(dict.fromkeys("abc", ["true", "false", ""])))
        texts = table_of(pa.array(["{}", None, "[1]"]), "arrow.json")
        self.assertEqual(rows_of(texts), rows_of(dict.fromkeys("abc", ["{}", "", "[1]"])))
        self.assertEqual(rows_of(table_of(pa.array([1, 0, None], pa.int8()))), rows_of(dict.fromkeys("abc", ["1", "0", ""])))
        for named in ("arrow.uuid", "arrow.opaque", "POLARS_EXTENSION_TYPE"):
            with self.assertRaisesRegex(widehash.ConfigError, f"column 'a' has the Arrow type 'extension<{named}>'"):
                rows_of(table_of(pa.array([b"0" * 16], pa.binary(16)), named))

    def test_arrays_of_extension_types_too(self):
        tensors = pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.int32(), [1]), pa.array([[1]], pa.list_(pa.int32(), 1)))
        unknown = [tensors, pa.array([b"0" * 16], pa.uuid())] if hasattr(pa, "uuid") else [tensors]
        for column in unknown + [pa.ListArray.from_arrays([0, 1], column) for column in unknown]:
            with self.assertRaisesRegex(widehash.ConfigError, "column 'values' has the Arrow type .*extension<"):
                hashes(column)
        if hasattr(pa, "bool8"):
            self.assertEqual(hashes(pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None], pa.int8()))), text_hashes(["true", "false", ""]))
        if hasattr(pa, "json_"):
            self.assertEqual(hashes(pa.array(["{}", None], pa.json_())), text_hashes(["{}", ""]))

    def test_what_python_raises_behind_a_stream_is_raised(self):
        schema = pa.schema({"a": pa.int64(), "b": pa.int64(), "c": pa.int64()})

        def rows(error):
            yield pa.record_batch({"a": [1], "b": [2], "c": [3]})
            raise error

        for error in (KeyboardInterrupt(), KeyboardInterrupt("asked"), MemoryError()):
            with self.subTest(error), self.assertRaises(type(error)):
                rows_of(pa.RecordBatchReader.from_batches(schema, rows(error)))
        for error in (ValueError("no KeyboardInterrupt"), OSError(5, "wire")):
            with self.subTest(error), self.assertRaisesRegex(widehash.DataError, "Arrow stream: .*(no KeyboardInterrupt|wire)"):
                rows_of(pa.RecordBatchReader.from_batches(schema, rows(error)))

    def test_floats_of_16_bits_keep_their_texts(self):
        values = pa.array([np.float16(0.1), None, np.float16(9.99)], pa.float16())
        expected = ["0.1", "", "9.99"]
        self.assertEqual(hashes(values), text_hashes(expected))
        texts = {"a": expected, "b": expected, "c": expected}
        self.assertEqual(rows_of(pa.table({"a": values, "b": values, "c": values.cast(pa.float32()).cast(pa.float16())})), rows_of(texts))

    def test_a_stream_that_was_read_is_refused(self):
        class Once:
            def __init__(self, table):
                self.capsule = table.__arrow_c_stream__()

            def __arrow_c_stream__(self, requested_schema=None):
                return self.capsule

        stream = Once(self.table(pa.string()))
        self.assertEqual(rows_of(stream), rows_of(TEXTS))
        with self.assertRaisesRegex(widehash.ShapeError, "read already"):
            rows_of(stream)

    def test_floats_of_32_bits_keep_their_texts(self):
        values = pa.array([0.1, None, 9.99], pa.float32())
        for column in (values, pa.chunked_array([values])):
            self.assertEqual(hashes(column), text_hashes(["0.1", "", "9.99"]))

    def test_columns_of_a_mapping_may_be_arrow_arrays(self):
        table = self.table(pa.string())
        self.assertEqual(rows_of({name: table[name] for name in "abc"}), rows_of(TEXTS))


LISTS = [["a", "b|c", None], [], None, ["a", "a"], ["long enough to lie elsewhere"]]


def rows_of_lists(tags, text=False):
    """The codes of a multi-valued feature. As text, values are separated by a byte that none of them has."""
    separator = "\x1f" if text else "|"
    encoder = widehash.Encoder(widehash.make_schema({"tags": {"cardinality": 5000, "separator": separator}, "n": 10}))
    return encoder.encode({"tags": tags, "n": ["1"] * len(tags)} if isinstance(tags, list) else tags).csr().toarray().tolist()


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

    def test_what_is_no_list_among_lists_is_refused_by_row(self):
        with self.assertRaisesRegex(widehash.ConfigError, "column 'tags', row 2: a value of type str among lists"):
            rows_of_lists([["a"], "b"])
        with self.assertRaisesRegex(widehash.ConfigError, "column 'tags', row 2: a value of type list among single values"):
            rows_of_lists(["b", ["a"]])
        with self.assertRaisesRegex(widehash.ConfigError, "column 'tags', row 2: a value of type list"):
            rows_of_lists([["a"], ["b", ["c"]]])

    def test_other_features_and_hashes_take_none(self):
        encoder = widehash.Encoder(widehash.make_schema({"tags": 5000}))
        with self.assertRaisesRegex(widehash.ConfigError, "feature 'tags' takes one value a row, and column 'tags' holds lists; give it a separator"):
            encoder.encode({"tags": LISTS})
        with self.assertRaisesRegex(widehash.ConfigError, "a column of lists has no one text a row"):
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
        times = pa.table({"tags": pa.array([[1]], pa.list_(pa.timestamp("us"))), "n": [1]})
        with self.assertRaisesRegex(widehash.ConfigError, "column 'tags' has the Arrow type 'list<timestamp"):
            rows_of_lists(times)

    @unittest.skipIf(pl is None, "polars is not installed")
    def test_polars(self):
        frame = pl.DataFrame({"tags": LISTS, "n": [1] * len(LISTS)})
        self.assertEqual(rows_of_lists(frame), self.expected)
        self.assertEqual(rows_of_lists(frame.slice(2)), self.expected[2:])
        self.assertEqual(rows_of_lists({"tags": frame["tags"], "n": frame["n"]}), self.expected)
        pairs = pl.DataFrame({"tags": pl.Series([["a", "b"], None], dtype=pl.Array(pl.String, 2)), "n": [1, 1]})
        self.assertEqual(rows_of_lists(pairs), rows_of_lists([["a", "b"], None]))


@unittest.skipIf(pl is None, "polars is not installed")
class Polars(unittest.TestCase):
    def test_a_frame_gives_the_codes_of_its_texts(self):
        frame = pl.DataFrame({
            "a": ["x", None, "a text of more than twelve bytes", "é"],
            "b": [1, None, -5000000000, 7],
            "c": pl.Series(["0.5", "true", None, "x"], dtype=pl.Categorical),
        })
        self.assertEqual(rows_of(frame), rows_of(TEXTS))
        self.assertEqual(rows_of(frame.slice(1, 2)), rows_of(TEXTS)[1:3])
        self.assertEqual(rows_of(frame.clear()), [])
        self.assertEqual(rows_of({name: frame[name] for name in "abc"}), rows_of(TEXTS))
        self.assertEqual(hashes(pl.Series([0.1, None], dtype=pl.Float32)), text_hashes(["0.1", ""]))
        with self.assertRaisesRegex(TypeError, "collect"):
            rows_of(frame.lazy())

    def test_floats_of_16_bits_keep_their_texts(self):
        if not hasattr(pl, "Float16"):
            self.skipTest("this Polars has no Float16")
        column = pl.Series([0.1, None], dtype=pl.Float16)
        self.assertEqual(hashes(column), text_hashes(["0.1", ""]))
        self.assertEqual(rows_of(pl.DataFrame({"a": column, "b": column, "c": column})), rows_of(dict.fromkeys("abc", ["0.1", ""])))

    def test_objects_are_refused_and_not_hashed_by_where_they_lie(self):
        frame = pl.DataFrame({"a": pl.Series([object(), None], dtype=pl.Object), "b": [1, 2], "c": ["x", "y"]})
        with self.assertRaisesRegex(widehash.ConfigError, "column 'a' has the Polars type Object"):
            rows_of(frame)
        with self.assertRaisesRegex(widehash.ConfigError, "column 'a' has the Polars type Object"):
            widehash.Encoder(widehash.make_schema({"a": 10})).encode(frame)
        self.assertEqual(rows_of(frame.rename({"a": "unused"}).with_columns(a=pl.lit("z"))), rows_of({"a": ["z", "z"], "b": [1, 2], "c": ["x", "y"]}))
        self.assertIn("Polars type Object", widehash.inspect(frame).notes[0])
        with self.assertRaisesRegex(widehash.ConfigError, "its fields are: b, c, A; did you mean 'A'"):
            rows_of(frame.rename({"a": "A"}))


if __name__ == "__main__":
    unittest.main()
