"""How columns of Arrow and Polars are hashed, in their own tables and in mappings."""

import decimal
import unittest

import numpy as np
import widehash
from columns_kit import TEXTS, hashes, pa, pl, rows_of, text_hashes


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

    def test_short_texts_in_views_need_no_buffer_of_texts(self):
        short = {"a": ["x", "", "yy", "twelve bytes"], "b": [1, 2, 3, 4], "c": ["u", "v", "", "w"]}
        table = pa.table({"a": pa.array(short["a"]).cast(pa.string_view()), "b": short["b"],
                          "c": pa.array(short["c"]).cast(pa.string_view())})
        self.assertEqual(rows_of(table), rows_of(short))

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

    def test_a_column_without_texts_is_an_error_only_where_it_is_needed(self):
        table = self.table(pa.string()).append_column("when", pa.array([1, 2, 3, 4], pa.timestamp("us", "Europe/Oslo")))
        self.assertEqual(rows_of(table), rows_of(TEXTS))
        table = table.drop(["a"]).rename_columns(["b", "c", "a"])
        with self.assertRaisesRegex(widehash.ConfigError, "column 'a' has the Arrow type 'timestamp\\[us, tz=Europe/Oslo\\]'.*local_timestamp"):
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
        with self.assertRaisesRegex(widehash.ShapeError, "already been consumed"):
            rows_of(stream)

    def test_floats_of_32_bits_keep_their_texts(self):
        values = pa.array([0.1, None, 9.99], pa.float32())
        for column in (values, pa.chunked_array([values])):
            self.assertEqual(hashes(column), text_hashes(["0.1", "", "9.99"]))

    def test_columns_of_a_mapping_are_those_of_a_table(self):
        expected = ["x", "", "é", "x"]
        texts = pa.array(["x", None, "é", "x"])
        chunks = pa.chunked_array([texts[:1], texts[1:1], texts[1:]])
        for column in (texts, chunks, chunks.cast(pa.large_string()), texts.dictionary_encode(), pa.chunked_array([texts[:2].dictionary_encode(), texts[2:].dictionary_encode()])):
            with self.subTest(column.type):
                self.assertEqual(hashes(column), text_hashes(expected))
                self.assertEqual(hashes(column[1:3]), text_hashes(expected[1:3]))
        self.assertEqual(hashes(pa.chunked_array([], pa.string())), [])
        self.assertEqual(hashes(pa.nulls(2)), text_hashes(["", ""]))
        for column in (pa.array([1], pa.duration("us")), pa.chunked_array([pa.array([1], pa.decimal128(5, 2))]), pa.array([{"a": 1}])):
            with self.subTest(column.type), self.assertRaisesRegex(widehash.ConfigError, "column 'values' has the Arrow type '(duration|decimal|struct)"):
                hashes(column)

    def test_times_are_texts_as_files_have_them(self):
        for unit, texts in (("s", ["1970-01-01 00:00:07", "", "1969-12-31 23:59:59"]), ("ms", ["1970-01-01 00:00:00.007", "", "1969-12-31 23:59:59.999"]),
                            ("us", ["1970-01-01 00:00:00.000007", "", "1969-12-31 23:59:59.999999"]),
                            ("ns", ["1970-01-01 00:00:00.000000007", "", "1969-12-31 23:59:59.999999999"])):
            for zone in (None, "UTC", "+00:00"):
                column = pa.array([7, None, -1], pa.timestamp(unit, zone))
                self.assertEqual(hashes(column), text_hashes(texts))
                self.assertEqual(hashes(column[1:]), text_hashes(texts[1:]))
                self.assertEqual(hashes(column.dictionary_encode()), text_hashes(texts))
        self.assertEqual(hashes(pa.array([7, None, -1], pa.int32()).cast(pa.date32())), text_hashes(["1970-01-08", "", "1969-12-31"]))

    def test_decimals_without_a_fraction_are_integers(self):
        numbers = [7, None, -1, 10**37, -(10**37)]
        expected = ["" if number is None else str(number) for number in numbers]
        column = pa.array([None if number is None else decimal.Decimal(number) for number in numbers], pa.decimal128(38, 0))
        self.assertEqual(hashes(column), text_hashes(expected))
        self.assertEqual(hashes(column[2:]), text_hashes(expected[2:]))
        self.assertEqual(rows_of(pa.table([column[:3]] * 3, names=list("abc"))), rows_of(dict.fromkeys("abc", expected[:3])))
        for kind in (pa.decimal128(38, 2), pa.decimal256(50, 0)):
            with self.assertRaisesRegex(widehash.ConfigError, "column 'values' has the Arrow type 'decimal"):
                hashes(pa.array([decimal.Decimal(1)], kind))

    def test_a_stream_behind_a_column_raises_what_it_raised(self):
        class Broken:
            def __init__(self, error):
                self.error = error

            def __arrow_c_stream__(self, requested_schema=None):
                raise self.error

        for error in (KeyboardInterrupt(), ValueError("wire")):
            with self.assertRaises(type(error)):
                hashes(Broken(error))

    def test_columns_of_a_mapping_may_be_arrow_arrays(self):
        table = self.table(pa.string())
        self.assertEqual(rows_of({name: table[name] for name in "abc"}), rows_of(TEXTS))


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
